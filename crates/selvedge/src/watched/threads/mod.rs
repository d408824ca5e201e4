//! What spawning and joining tell: the numbers of threads, and the order between them.

#[cfg(feature = "watch")]
mod recorded;
#[cfg(feature = "watch")]
mod scopes;
#[cfg(not(feature = "watch"))]
mod unrecorded;

#[cfg(feature = "watch")]
pub(crate) use recorded::{ChildTicket, spawn};
#[cfg(feature = "watch")]
pub(in crate::watched) use recorded::{current_value, introduce, value_of};
#[cfg(feature = "watch")]
pub(crate) use scopes::ScopeTickets;
#[cfg(not(feature = "watch"))]
pub(crate) use unrecorded::{ChildTicket, ScopeTickets, spawn};
