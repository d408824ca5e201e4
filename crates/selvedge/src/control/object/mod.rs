//! Shared objects: one file a primitive.
//!
//! The file of a primitive says when a thread can execute an action on it, what a blocked thread waits for
//! in words, which actions are enabled, and how an action changes its state and the
//! clocks of its threads.
//!
//! An object has a number from its first use in a run on. Its [`Tag`] remembers that number together with
//! the run's, so that an object that carries state from one run to the next is noticed. A `static` whose
//! value a run can have anew is known by its address instead ([`statics`]).

mod arc;
mod barrier;
mod channel;
mod condvar;
mod kinds;
mod mutex;
mod mvar;
mod once;
mod park;
mod rwlock;
mod static_memory;
mod statics;
mod sync;
mod table;
mod tag;
mod thread_end;

pub(in crate::control) use arc::ArcTable;
pub(crate) use barrier::Arrival;
pub(in crate::control) use barrier::{arrive_at_barrier, is_barrier_closed};
pub(crate) use channel::ChannelState;
pub(crate) use condvar::Waiters;
pub(in crate::control) use kinds::{can_block, concerns_only_waiters};
pub(in crate::control) use mutex::{lock_mutex, unlock_mutex};
pub(crate) use mvar::MVarState;
pub(crate) use once::OnceState;
pub(in crate::control) use park::{AWAITED_BY_PARK, ParkToken, observe_token, put_token, take_token};
pub(crate) use rwlock::{Role, RwLockState};
pub(in crate::control) use rwlock::{give_back_rwlock, take_rwlock};
pub(crate) use static_memory::is_constant_address;
pub(in crate::control) use statics::StandIns;
pub(crate) use statics::{OutsideValues, StandIn, ValuePlace};
pub(crate) use sync::{ObjectKind, Sync};
pub(in crate::control) use table::{Object, ObjectTable};
pub(crate) use tag::{Known, Tag};
pub(in crate::control) use thread_end::{AWAITED_BY_RETURN, acquire_end, awaited_thread, has_ended};
