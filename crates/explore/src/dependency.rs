//! Which events may be swapped.
//!
//! Two events of different threads are independent if, from every state in which both can happen, either order leads
//! to the same state and neither enables or disables the other (Mazurkiewicz, Trace Theory, 1987; Walker's thesis,
//! Figure 12, is the relation that this one follows). What an action does to an object is one of three things:
//!
//! | | reads | commutes | writes |
//! |---|---|---|---|
//! | reads | independent | dependent | dependent |
//! | commutes | dependent | independent | dependent |
//! | writes | dependent | dependent | dependent |
//!
//! *Reads*: a load, a failed exchange, a `try_lock` that found the lock taken, a yield that waits for a change. *Commutes*: readers that come and go,
//! senders that go. *Writes*: everything else.
//!
//! A sender that goes makes a difference only to who finds no message, as it may have been the last one: not to who sends or receives one, nor to the receiver's going.
//!
//! A yield that waits for a change of several objects looks at each of them. Where there are too many to be told, or threads among them, it is
//! dependent on everything. So is an exception for a
//! thread that takes one only while it waits: whatever lets that thread go on decides. Any other exception depends on all that
//! its target does, and on others that are thrown to it. Transactions clash where one writes a variable that the other reads or writes.
//!
//! Promise: symmetric; events of one thread are dependent; never says independent where the order can be told.

use crate::event::{Action, Event, Kind, Source};
use crate::ids::ObjectId;

/// May the order of the two events matter?
#[inline]
pub fn dependent(one: &Event, other: &Event) -> bool {
    if are_apart(one, other) {
        debug_assert!(!may_be_told(one, other), "{one:?} and {other:?} are taken to be apart");
        return false;
    }
    may_be_told(one, other)
}

/// Are these two of the commonest kind, that concern nothing but an object each, and not the same?
#[inline]
fn are_apart(one: &Event, other: &Event) -> bool {
    let is_local = |event: &Event| {
        let Action { kind, object, second, target, is_plural, waits_for_any, .. } = event.action;
        let is_common = matches!(
            kind,
            Kind::Load | Kind::Store | Kind::Update | Kind::Lock | Kind::TryLock | Kind::Unlock
        );
        let is_more =
            is_plural || waits_for_any || event.effect.ends_run || second.is_some() || target.is_some();
        is_common && object.is_some() && !is_more && !event.thread().is_phantom()
    };
    one.action.object != other.action.object
        && one.thread() != other.thread()
        && is_local(one)
        && is_local(other)
}

fn may_be_told(one: &Event, other: &Event) -> bool {
    one.thread() == other.thread()
        || clash(one, other) && !reads_own(one, other) && !reads_own(other, one)
        || end_the_run(one, other)
        || concern(one, other)
        || concern(other, one)
        || tell_time(one, other)
        || tell_parallelism(one, other)
        || one.action.waits_for_any
        || other.action.waits_for_any
}

/// Does the first event do something to the thread of the other?
fn concern(one: &Event, other: &Event) -> bool {
    let (action, thread) = (&one.action, other.thread());
    // Who waits for its own buffer to be empty.
    if action.drains && !one.thread().is_phantom() && thread.is_phantom() && thread.owner() == one.thread() {
        return true;
    }
    let Some(target) = action.target else {
        return action.kind == Kind::Spawn && other.action.kind == Kind::Spawn;
    };
    match action.kind {
        // Who is given a token can tell only where it waits for one.
        Kind::Unpark => thread == target && takes_token(&other.action),
        // The numbers of threads go by the order in which they are spawned.
        Kind::Spawn => thread == target || other.action.kind == Kind::Spawn,
        // The end of a thread comes after its last commit.
        _ => thread.owner() == target,
    }
}

fn takes_token(action: &Action) -> bool {
    let is_wait = matches!(action.kind, Kind::Park | Kind::TimeOut | Kind::Spurious);
    is_wait && action.object.is_none()
}

/// A load that reads its thread's own store cannot tell whether that is committed, and as long as it is not, what others
/// write there.
fn reads_own(load: &Event, other: &Event) -> bool {
    load.action.kind == Kind::Load
        && match load.action.source {
            Source::Memory => false,
            Source::Own => other.action.kind == Kind::Commit && other.thread().owner() == load.thread(),
            Source::Buffer => true,
        }
}

/// What an action does to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Commute,
    Write,
}

/// The return of the body ends all other threads; it matters what they did before. Nobody can tell what they would have
/// committed.
fn end_the_run(one: &Event, other: &Event) -> bool {
    (is_end(one) || is_end(other)) && one.action.kind != Kind::Commit && other.action.kind != Kind::Commit
}

/// Does the action stop other threads?
pub(crate) fn is_end(event: &Event) -> bool {
    event.effect.ends_run || matches!(event.action.kind, Kind::Return | Kind::Contain)
}

/// Time passes by sleeps and timeouts, whose order among themselves does not matter, but to who reads the clock. Who waits for a time
/// can go that way: all ways of a thread depend on the same, so that one which was explored stands for all.
fn tell_time(one: &Event, other: &Event) -> bool {
    let may_time_out = |action: &Action| action.is_plural && action.kind != Kind::Choose;
    let passes = |event: &Event| {
        matches!(event.action.kind, Kind::Sleep | Kind::TimeOut) || may_time_out(&event.action)
    };
    let reads = |event: &Event| event.action.kind == Kind::Now;
    passes(one) && reads(other) || reads(one) && passes(other)
}

/// Who says how many threads run at once matters to who asks, and to who says something else.
fn tell_parallelism(one: &Event, other: &Event) -> bool {
    let sets = |event: &Event| event.action.kind == Kind::SetParallelism;
    let asks = |event: &Event| event.action.kind == Kind::Parallelism;
    sets(one) && (sets(other) || asks(other)) || asks(one) && sets(other)
}

fn clash(one_event: &Event, other_event: &Event) -> bool {
    let (one, other) = (&one_event.action, &other_event.action);
    if awaits(one, other_event) || awaits(other, one_event) {
        return true;
    }
    let (a, b) = (one.footprint, other.footprint);
    let are_of_one_sort = one.awaits() == 0 && other.awaits() == 0;
    if are_of_one_sort && (a.writes & (b.reads | b.writes) != 0 || a.reads & b.writes != 0) {
        return true;
    }
    // Of two tokens one is lost, and of two exceptions one comes first.
    let to_one = one.kind == other.kind && one.target.is_some() && one.target == other.target;
    if to_one && matches!(one.kind, Kind::Unpark | Kind::Throw) {
        return true;
    }
    if leaves_alone(one, other_event) || leaves_alone(other, one_event) {
        return false;
    }
    objects(one_event).any(|(object, access)| {
        objects(other_event).any(|(same, and)| object == same && (access != and || access == Access::Write))
    })
}

/// Is the first a sender that goes, and the other one to whom that makes no difference? Who waits with a time goes by whether there are senders.
#[inline]
fn leaves_alone(one: &Action, other: &Event) -> bool {
    one.kind == Kind::Leave
        && match other.action.kind {
            Kind::Send | Kind::TrySend | Kind::Disconnect => true,
            Kind::Receive | Kind::TryReceive => !other.effect.read_only && !other.action.is_plural,
            _ => false,
        }
}

/// Does the first wait for a change of several objects, and the other do something to one of these?
#[inline]
fn awaits(one: &Action, other: &Event) -> bool {
    let is_awaited = |object: ObjectId| object.index() < 64 && one.awaits() >> object.index() & 1 == 1;
    one.awaits() != 0 && objects(other).any(|(object, access)| access != Access::Read && is_awaited(object))
}

/// What an action does, and to which objects, but for those that a yield waits for if these are several.
pub(crate) fn objects(event: &Event) -> impl Iterator<Item = (ObjectId, Access)> {
    let action = &event.action;
    let first = action.object.filter(|_| !action.is_buffered).map(|object| (object, access(event)));
    first.into_iter().chain(action.second.map(|object| (object, Access::Write)))
}

/// Does the action leave its object as it is?
#[inline]
pub fn is_read_only(event: &Event) -> bool {
    kind_is_read_only(event.action.kind, event.effect.read_only)
}

/// The same for an action of this kind that turned out so.
#[inline]
pub fn kind_is_read_only(kind: Kind, read_only: bool) -> bool {
    read_only || access_of(kind) == Access::Read
}

fn access(event: &Event) -> Access {
    if event.effect.read_only { Access::Read } else { access_of(event.action.kind) }
}

#[inline]
fn access_of(kind: Kind) -> Access {
    match kind {
        Kind::Yield | Kind::Load | Kind::Read | Kind::TryRead => Access::Read,
        Kind::IsComplete | Kind::Await | Kind::Pass | Kind::IsPoisoned => Access::Read,
        Kind::ReadLock | Kind::TryReadLock | Kind::UnlockRead | Kind::Leave => Access::Commute,
        _ => Access::Write,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Effect, Footprint, Site};
    use crate::ids::{EventId, ThreadId};

    fn event(thread: u32, action: Action) -> Event {
        Event::pending(EventId { thread: ThreadId(thread), alternative: 0 }, action, Site::Unknown)
    }

    #[track_caller]
    fn check(one: Action, other: Action, expected: bool) {
        check_events(event(1, one), event(2, other), expected);
    }

    #[track_caller]
    fn check_events(one: Event, other: Event, expected: bool) {
        assert_eq!(dependent(&one, &other), expected, "{one:?} {other:?}");
        assert_eq!(dependent(&other, &one), expected, "not symmetric: {one:?} {other:?}");
    }

    #[test]
    fn actions_on_different_objects_are_independent() {
        check(Action::on(Kind::Store, ObjectId::at(0)), Action::on(Kind::Store, ObjectId::at(1)), false);
    }

    #[test]
    fn two_loads_are_independent_and_a_store_is_not_independent_of_a_load() {
        let (load, store) =
            (Action::on(Kind::Load, ObjectId::at(0)), Action::on(Kind::Store, ObjectId::at(0)));
        check(load, load, false);
        check(load, store, true);
        check(store, store, true);
    }

    #[test]
    fn readers_share_a_lock_that_a_failed_writer_looks_at() {
        let read = Action::on(Kind::ReadLock, ObjectId::at(0));
        let effect = Effect { read_only: true, ..Effect::PENDING };
        let failed =
            |thread| Event { effect, ..event(thread, Action::on(Kind::TryWriteLock, ObjectId::at(0))) };
        check(read, Action::on(Kind::UnlockRead, ObjectId::at(0)), false);
        check_events(event(1, read), failed(2), true);
        check_events(failed(1), failed(2), false);
    }

    #[test]
    fn joining_a_thread_depends_on_all_that_it_does() {
        check(Action::to(Kind::Join, ThreadId(2)), Action::on(Kind::Load, ObjectId::at(0)), true);
    }

    #[test]
    fn a_wait_depends_on_its_lock_too() {
        let wait = Action { second: Some(ObjectId::at(1)), ..Action::on(Kind::Wait, ObjectId::at(0)) };
        check(wait, Action::on(Kind::Lock, ObjectId::at(1)), true);
        check(wait, Action::on(Kind::Lock, ObjectId::at(2)), false);
    }

    #[test]
    fn steps_of_models_clash_where_one_writes_what_the_other_touches() {
        let step = |reads, writes| Action::step(Footprint { reads, writes });
        check(step(1, 2), step(1, 4), false);
        check(step(1, 2), step(2, 4), true);
        check(step(0, 2), step(0, 2), true);
    }

    #[test]
    fn an_exception_depends_on_all_that_its_target_does_and_on_nothing_else() {
        let throw = Action::to(Kind::Throw, ThreadId(2));
        check(throw, Action::on(Kind::Take, ObjectId::at(0)), true);
        check(throw, Action::new(Kind::Raise), true);
        check(Action::to(Kind::Throw, ThreadId(3)), Action::on(Kind::Take, ObjectId::at(0)), false);
        check(throw, Action::to(Kind::Throw, ThreadId(1)), true);
        let other = Action::to(Kind::Throw, ThreadId(3));
        check(other, other, true);
        check(other, Action::to(Kind::Throw, ThreadId(4)), false);
        let waits = Action { waits_for_any: true, ..Action::to(Kind::Throw, ThreadId(3)) };
        check(waits, Action::on(Kind::Put, ObjectId::at(0)), true);
    }

    #[test]
    fn transactions_clash_where_one_writes_what_the_other_reads_or_writes() {
        let transaction = |reads, writes| Action {
            footprint: Footprint { reads, writes },
            ..Action::new(Kind::Atomically)
        };
        check(transaction(3, 0), transaction(3, 4), false);
        check(transaction(1, 2), transaction(2, 0), true);
        check(transaction(0, 2), transaction(0, 2), true);
        check(transaction(0, 2), Action { footprint: Footprint::ANY, ..Action::new(Kind::Atomically) }, true);
    }

    #[test]
    fn who_reads_the_clock_depends_on_who_lets_time_pass() {
        let [now, sleep, timeout] = [Kind::Now, Kind::Sleep, Kind::TimeOut].map(Action::new);
        check(now, sleep, true);
        check(now, timeout, true);
        check(now, now, false);
        check(sleep, sleep, false);
        check(sleep, timeout, false);
    }

    #[test]
    fn who_asks_for_the_parallelism_depends_on_who_sets_it() {
        let [get, set, now] = [Kind::Parallelism, Kind::SetParallelism, Kind::Now].map(Action::new);
        check(set, get, true);
        check(set, set, true);
        check(get, get, false);
        check(set, now, false);
        check(set, Action::on(Kind::Store, ObjectId::at(0)), false);
    }

    #[test]
    fn every_kind_is_found_by_its_name() {
        for kind in Kind::ALL {
            assert_eq!(Kind::named(kind.text()), Some(*kind));
        }
    }
}
