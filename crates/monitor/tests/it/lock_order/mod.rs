//! Lock order: the table of what is told and what is not, and comparisons with a naive reference.

mod deadlocks;
mod messages;
mod naive;
mod program;
mod readers;
mod several_runs;
mod table;
mod threads;

use selvedge_monitor::Reaction;
use selvedge_monitor::lock_order::{Access, Holder, LockOrder, LockTag, Reason};

/// A recorder that only keeps what it finds.
fn recorder() -> LockOrder {
    let order = LockOrder::new();
    order.on_finding(Reaction::Keep);
    order.capture_backtraces(false);
    order
}

/// Takes a lock, as a mutex does.
#[track_caller]
fn lock(holder: &mut Holder, tag: &LockTag) {
    take(holder, tag, Access::Lock);
}

#[track_caller]
fn take(holder: &mut Holder, tag: &LockTag, access: Access) {
    holder.requests(tag, access);
    holder.acquires(tag, access);
}

/// Gives back a lock that the holder took itself.
fn unlock(holder: &mut Holder, tag: &LockTag) {
    holder.releases(tag, holder.id());
}

/// Takes the locks one inside of the other, and gives them back.
#[track_caller]
fn nest(holder: &mut Holder, tags: &[&LockTag]) {
    for tag in tags {
        lock(holder, tag);
    }
    for tag in tags.iter().rev() {
        unlock(holder, tag);
    }
}

/// One cycle was told, of this length.
#[track_caller]
fn check_told(order: &LockOrder, length: usize) {
    let lengths: Vec<usize> = order.cycles().iter().map(|cycle| cycle.steps.len()).collect();
    assert_eq!(lengths, [length]);
}

/// No cycle was told; one was suppressed, for this reason.
#[track_caller]
fn check_suppressed(order: &LockOrder, is_reason: impl Fn(&Reason) -> bool) {
    check_silent(order);
    let suppressed = order.suppressed();
    assert_eq!(suppressed.len(), 1, "{suppressed:?}");
    assert!(is_reason(&suppressed[0].reason), "{}", suppressed[0]);
}

/// No cycle was told.
#[track_caller]
fn check_silent(order: &LockOrder) {
    assert!(order.cycles().is_empty(), "{}", order.cycles()[0]);
    assert!(order.notes().is_empty());
}
