//! Transactions of a run: one action each, which waits until the transaction would not retry.
//!
//! Walker's thesis, §5.4.1 and Figure 8. What a transaction does depends on the variables that it reads. So
//! its thread previews it before the announcement, and again whenever another thread has changed a variable
//! that it read: the preview tells whether the transaction would retry, and its footprint. A preview changes
//! nothing; when its thread is chosen the transaction is executed once more, for good. So a thread whose
//! transaction retries is blocked, and an attempt in vain is no step of the run (in the thesis it is one,
//! and costs schedules).
//!
//! Promise: while a thread waits, the preview of its transaction is what it would do now.

mod preview;
mod transact;

pub(in crate::control) use preview::ThreadTransactions;
pub(crate) use preview::{Preview, Variable};
pub(in crate::control) use transact::{transact, variable_bit, variables_changed, within_transaction};
