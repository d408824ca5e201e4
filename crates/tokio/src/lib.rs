//! Lock order of asynchronous programs: [`Mutex`] is `tokio`'s, and its holders are tasks.
//!
//! A guard of an asynchronous mutex lives across an `.await`, and a task may go on in another thread
//! after it. So the locks in hand belong to the task: [`spawn`] and [`watch_task`] give a task a
//! [`Holder`](lock_order::Holder) of its own, which takes the place of the thread's whenever the task is
//! polled. Locks of threads that are taken meanwhile, such as `selvedge::sync::Mutex`, belong to the task
//! as well.
//!
//! Nothing is recorded before [`lock_order::watch`] is called, nor for a task without a holder: its locks
//! would be those of the thread that happens to poll it.
//!
//! Promise: beside the recorder, the mutex is `tokio`'s: first come, first served, cancel safe, not
//! poisoned.

mod guard;
mod mutex;
mod task;

pub use guard::MutexGuard;
pub use mutex::Mutex;
pub use selvedge_monitor::lock_order;
pub use task::{Watched, spawn, watch_task};
