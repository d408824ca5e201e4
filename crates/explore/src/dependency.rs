//! The dependency relation: which pairs of events do not commute.
//!
//! Two events of different threads are independent if, from every state in which both are enabled, either
//! order leads to the same state and neither enables or disables the other (Mazurkiewicz, Trace Theory,
//! 1987). This relation follows Walker's thesis, Figure 12. An action accesses an object in one of three
//! ways:
//!
//! | | reads | commutes | writes |
//! |---|---|---|---|
//! | reads | independent | dependent | dependent |
//! | commutes | dependent | independent | dependent |
//! | writes | dependent | dependent | dependent |
//!
//! *Reads*: a load, a failed exchange, a `try_lock` that found the lock taken, a yield that waits for a
//! change. *Commutes*: taking and releasing a read lock, dropping a sender. *Writes*: everything else.
//!
//! A writer that begins to wait for a write lock keeps new readers out: it commutes with other writers that
//! begin to wait and with failed `try_write_lock`s, and depends on all actions of readers. Releasing a read
//! lock enables waiting readers if it makes a lock free for which a writer waited: it depends on taking a
//! read lock then.
//!
//! Dropping a sender is independent of sending, of receiving a message, and of dropping the receiver. It
//! matters only to a thread that finds no message, because it may have been the last sender.
//!
//! Actions on the counts of an `Arc` have a table of their own ([`crate::counts`]).
//!
//! A yield that waits for a change of several objects reads each of them. If there are too many of them to
//! announce, or threads among them, the yield depends on everything. So does an exception for a thread that
//! takes one only while it waits: every event that enables or disables that thread decides. Any other
//! exception depends on all events of its target, and on other exceptions for the same target. Transactions
//! are dependent if one writes a variable that the other reads or writes. Two opaque effects are dependent:
//! what they read and write is not known.
//!
//! Changes of propositions depend on each other if a formula mentions both, or if they change the same
//! proposition. A change that changes nothing (a proposition is set that holds) only reads it. A formula is
//! judged from the present state on, so adding one depends on every change.
//!
//! The return of the body depends on failures of other threads, and on nothing else, if the run continues
//! after it. If the run ends with it, it depends on everything.
//!
//! Promise: symmetric; events of one thread are dependent; events with an observable order are never
//! independent.

use crate::counts::{self, concerns_counts};
use crate::enabledness::Enabledness;
use crate::event::{Action, Event, Kind, ReadsFrom};
use crate::ids::{ObjectId, ThreadId};

/// Are the two events dependent?
#[inline]
pub fn dependent(one: &Event, other: &Event) -> bool {
    if are_trivially_independent(one, other) {
        debug_assert!(!are_dependent(one, other), "{one:?} and {other:?} are dependent");
        return false;
    }
    are_dependent(one, other)
}

/// A quick test for the commonest case: each event accesses one object and nothing else, and the objects
/// differ.
#[inline]
fn are_trivially_independent(one: &Event, other: &Event) -> bool {
    let is_local = |event: &Event| {
        let Action { kind, object, second, target, has_alternatives, waits_for_unknown, .. } = event.action;
        let is_common = matches!(
            kind,
            Kind::Load | Kind::Store | Kind::Update | Kind::Lock | Kind::TryLock | Kind::Unlock
        );
        let has_more_effects = has_alternatives
            || waits_for_unknown
            || event.effect.ends_run
            || second.is_some()
            || target.is_some();
        is_common && object.is_some() && !has_more_effects && !event.thread().is_phantom()
    };
    one.action.object != other.action.object
        && one.thread() != other.thread()
        && is_local(one)
        && is_local(other)
}

fn are_dependent(one: &Event, other: &Event) -> bool {
    one.thread() == other.thread()
        || conflict(one, other) && !reads_own_store(one, other) && !reads_own_store(other, one)
        || depend_by_end_of_run(one, other)
        || depends_by_outcome(one, other)
        || depends_by_outcome(other, one)
        || depends_by_target(one, other)
        || depends_by_target(other, one)
        || depend_by_clock(one, other)
        || depend_by_parallelism(one, other)
        || depend_by_effect(one, other)
        || depend_by_formula(one, other)
        || one.action.waits_for_unknown
        || other.action.waits_for_unknown
}

/// Is the first event applied to the thread of the other?
fn depends_by_target(one: &Event, other: &Event) -> bool {
    let (action, thread) = (&one.action, other.thread());
    // A draining action waits for the commits of its own thread.
    if action.drains && !one.thread().is_phantom() && thread.is_phantom() && thread.owner() == one.thread() {
        return true;
    }
    let Some(target) = action.target else { return false };
    match action.kind {
        // A token is observable only by an action that waits for one.
        Kind::Unpark => thread == target && takes_park_token(&other.action),
        // A thread has the same number in all runs, so spawns of different threads commute.
        Kind::Spawn => thread == target,
        // The end of a thread comes after its last commit.
        _ => thread.owner() == target,
    }
}

fn takes_park_token(action: &Action) -> bool {
    let is_wait = matches!(action.kind, Kind::Park | Kind::TimeOut | Kind::Spurious);
    is_wait && action.object.is_none()
}

/// A load that reads its thread's own store does not observe whether that store is committed. Until it is,
/// the load does not observe the stores of other threads there either.
fn reads_own_store(load: &Event, other: &Event) -> bool {
    load.action.kind == Kind::Load
        && match load.action.reads_from {
            ReadsFrom::Memory => false,
            ReadsFrom::Own => other.action.kind == Kind::Commit && other.thread().owner() == load.thread(),
            ReadsFrom::Buffer => true,
        }
}

/// How an action accesses an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Commute,
    Write,
}

/// An event that stops all other threads, such as a final return of the body: its order with their events
/// matters. Uncommitted stores of stopped threads are unobservable at the end of a run. At the end of a
/// contained part they are lost, which the rest of the run observes.
fn depend_by_end_of_run(one: &Event, other: &Event) -> bool {
    let is_commit = one.action.kind == Kind::Commit || other.action.kind == Kind::Commit;
    (stops_threads(one) || stops_threads(other)) && (!is_commit || ends_part(one) || ends_part(other))
}

/// Does the event end a contained part of the run? The body of a part is never that of the main thread.
fn ends_part(event: &Event) -> bool {
    event.action.kind == Kind::Contain || event.action.is_final && event.thread() != ThreadId::MAIN
}

/// Does the event stop other threads?
pub(crate) fn stops_threads(event: &Event) -> bool {
    event.effect.ends_run || event.action.kind == Kind::Contain || event.action.is_final
}

/// The return of the body fixes the outcome of the run. So its order with a failure of another thread
/// matters, and with the join that observes a failure; its order with any other event does not (Walker's
/// thesis, §5.6, daemon threads).
fn depends_by_outcome(one: &Event, other: &Event) -> bool {
    one.action.kind == Kind::Return && other.effect.affects_outcome
}

/// Sleeps and timeouts let time pass. They are independent of each other, since the clock shows the latest
/// deadline in either order, but dependent on an action that reads the clock. Before such an action time
/// may pass, if there are deadlines ahead: these are its alternatives. So reads of the clock depend on each
/// other then; and they always depend on an action that fixes a deadline, which is ahead from then on.
///
/// A wait with a timeout has the timeout as an alternative: all alternatives of a thread have the same
/// dependencies, so that an explored alternative stands for all of them in a sleep set.
fn depend_by_clock(one: &Event, other: &Event) -> bool {
    let reads = |event: &Event| matches!(event.action.kind, Kind::Now | Kind::Deadline);
    let only_reads = |event: &Event| event.action.kind == Kind::Now && !event.action.has_alternatives;
    let may_time_out = |action: &Action| {
        action.has_alternatives && !matches!(action.kind, Kind::Choose | Kind::Now | Kind::Deadline)
    };
    let passes = |event: &Event| {
        matches!(event.action.kind, Kind::Sleep | Kind::TimeOut) || may_time_out(&event.action)
    };
    let is_read = [one, other].map(reads);
    passes(one) && is_read[1]
        || is_read[0] && passes(other)
        || is_read == [true, true] && !(only_reads(one) && only_reads(other))
}

/// Setting the number of threads that run at once depends on reading it and on setting it.
fn depend_by_parallelism(one: &Event, other: &Event) -> bool {
    let sets = |event: &Event| event.action.kind == Kind::SetParallelism;
    let asks = |event: &Event| event.action.kind == Kind::Parallelism;
    sets(one) && (sets(other) || asks(other)) || asks(one) && sets(other)
}

/// What an opaque effect reads and writes is not known, except that no visible action does.
fn depend_by_effect(one: &Event, other: &Event) -> bool {
    one.action.kind == Kind::Effect && other.action.kind == Kind::Effect
}

/// Changes of propositions are observed by the formulas that mention them.
fn depend_by_formula(one: &Event, other: &Event) -> bool {
    let checks = |event: &Event| event.action.kind == Kind::CheckFormula;
    let changes = |event: &Event| event.action.kind.changes_proposition() && !event.effect.read_only;
    if checks(one) || checks(other) {
        return (checks(one) || changes(one)) && (checks(other) || changes(other));
    }
    if !one.action.kind.changes_proposition() || !other.action.kind.changes_proposition() {
        return false;
    }
    let is_same = one.action.expected == other.action.expected;
    let share_formula = one.action.footprint.writes & other.action.footprint.writes != 0;
    is_same && (changes(one) || changes(other)) || share_formula && changes(one) && changes(other)
}

fn conflict(one_event: &Event, other_event: &Event) -> bool {
    let (one, other) = (&one_event.action, &other_event.action);
    if changes_awaited_object(one, other_event) || changes_awaited_object(other, one_event) {
        return true;
    }
    let (a, b) = (one.footprint, other.footprint);
    let has_variables = |action: &Action| action.awaited_objects() == 0 && !action.kind.concerns_formulas();
    let are_footprints_comparable = has_variables(one) && has_variables(other);
    if are_footprints_comparable && (a.writes & (b.reads | b.writes) != 0 || a.reads & b.writes != 0) {
        return true;
    }
    // Of two tokens one is lost; of two exceptions one arrives first.
    let have_same_target = one.kind == other.kind && one.target.is_some() && one.target == other.target;
    if have_same_target && matches!(one.kind, Kind::Unpark | Kind::Throw) {
        return true;
    }
    if concerns_counts(one.kind) && concerns_counts(other.kind) {
        return one.object == other.object && counts::conflict(one_event, other_event);
    }
    if is_irrelevant_leave(one, other_event) || is_irrelevant_leave(other, one_event) {
        return false;
    }
    if let Some(depend) = depend_by_waiting_writer(one_event, other_event) {
        return depend;
    }
    accesses(one_event).any(|(object, access)| {
        accesses(other_event).any(|(same, and)| object == same && (access != and || access == Access::Write))
    })
}

/// Does the first drop a sender, without consequence for the other? A receive with a timeout depends on
/// whether senders are left.
#[inline]
fn is_irrelevant_leave(one: &Action, other: &Event) -> bool {
    one.kind == Kind::Leave
        && match other.action.kind {
            Kind::Send | Kind::TrySend | Kind::Disconnect => true,
            Kind::Receive | Kind::TryReceive => !other.effect.read_only && !other.action.has_alternatives,
            _ => false,
        }
}

/// Of two actions on one lock for readers and writers: does a waiting writer decide whether they depend on
/// each other?
#[inline]
fn depend_by_waiting_writer(one: &Event, other: &Event) -> Option<bool> {
    let is_same_lock = one.action.object.is_some() && one.action.object == other.action.object;
    if !is_same_lock {
        return None;
    }
    let waits = |event: &Event| event.action.kind == Kind::WaitToWrite;
    let ignores_writers = |event: &Event| match event.action.kind {
        Kind::WaitToWrite | Kind::IsPoisoned => true,
        Kind::TryWriteLock => event.effect.read_only,
        _ => false,
    };
    if waits(one) && ignores_writers(other) || waits(other) && ignores_writers(one) {
        return Some(false);
    }
    let admits_readers = |event: &Event| {
        event.action.kind == Kind::UnlockRead && event.effect.observed & Enabledness::WRITER_WAITS != 0
    };
    let takes_read_lock = |event: &Event| {
        matches!(event.action.kind, Kind::ReadLock | Kind::TryReadLock) && !event.effect.read_only
    };
    let enables =
        admits_readers(one) && takes_read_lock(other) || admits_readers(other) && takes_read_lock(one);
    enables.then_some(true)
}

/// Does the first wait for a change of several objects, one of which the other changes?
#[inline]
fn changes_awaited_object(one: &Action, other: &Event) -> bool {
    let is_awaited =
        |object: ObjectId| object.index() < 64 && one.awaited_objects() >> object.index() & 1 == 1;
    one.awaited_objects() != 0
        && accesses(other).any(|(object, access)| access != Access::Read && is_awaited(object))
}

/// The accesses of an action, except those of a yield that waits for several objects.
pub(crate) fn accesses(event: &Event) -> impl Iterator<Item = (ObjectId, Access)> {
    let action = &event.action;
    let first = action.object.filter(|_| !action.is_buffered).map(|object| (object, access(event)));
    first.into_iter().chain(action.second.map(|object| (object, Access::Write)))
}

/// Does the action leave its object unchanged?
#[inline]
pub fn is_read_only(event: &Event) -> bool {
    kind_is_read_only(event.action.kind, event.effect.read_only)
}

/// The same for an action of this kind with this effect.
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
        Kind::GetMut | Kind::StrongCount | Kind::WeakCount => Access::Read,
        Kind::ReadLock | Kind::TryReadLock | Kind::UnlockRead | Kind::Leave => Access::Commute,
        _ => Access::Write,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Effect, Footprint, Site};
    use crate::ids::EventId;

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
    fn changes_of_propositions_depend_on_each_other_by_formulas() {
        let change = |kind: Kind, prop: u64, formulas: u64| Action {
            expected: Some(prop),
            footprint: Footprint { reads: 0, writes: formulas },
            ..Action::new(kind)
        };
        let [p, q, other] =
            [(1, 0b01), (2, 0b11), (3, 0b10)].map(|(prop, formulas)| change(Kind::SetProp, prop, formulas));
        check(p, q, true);
        check(p, other, false);
        check(change(Kind::PulseProp, 4, 0), change(Kind::ReleaseProp, 4, 0), true);
        let begins = Action { footprint: Footprint::ANY, ..Action::new(Kind::CheckFormula) };
        check(begins, change(Kind::SetProp, 5, 0), true);
        check(begins, begins, true);
        check(begins, Action::on(Kind::Store, ObjectId::at(0)), false);
        // The bits of a transaction are variables, not formulas.
        let transaction = Action { footprint: Footprint::ANY, ..Action::new(Kind::Atomically) };
        check(transaction, p, false);
        let unchanged = |thread: u32, action: Action| {
            let effect = Effect { read_only: true, ..Effect::PENDING };
            Event { effect, ..event(thread, action) }
        };
        check_events(unchanged(1, p), event(2, q), false);
        check_events(unchanged(1, p), unchanged(2, p), false);
        check_events(unchanged(1, p), event(2, p), true);
        check_events(unchanged(1, p), event(2, begins), false);
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
    fn read_locks_commute_and_depend_on_a_failed_try_write_lock() {
        let read = Action::on(Kind::ReadLock, ObjectId::at(0));
        let effect = Effect { read_only: true, ..Effect::PENDING };
        let failed =
            |thread| Event { effect, ..event(thread, Action::on(Kind::TryWriteLock, ObjectId::at(0))) };
        check(read, Action::on(Kind::UnlockRead, ObjectId::at(0)), false);
        check_events(event(1, read), failed(2), true);
        check_events(failed(1), failed(2), false);
    }

    #[test]
    fn a_writer_that_begins_to_wait_depends_on_readers_and_not_on_writers() {
        let [waits, reads, tries, unlocks] =
            [Kind::WaitToWrite, Kind::ReadLock, Kind::TryWriteLock, Kind::UnlockRead]
                .map(|kind| Action::on(kind, ObjectId::at(0)));
        check(waits, waits, false);
        check(waits, reads, true);
        check(waits, unlocks, true);
        let failed = Effect { read_only: true, ..Effect::PENDING };
        check_events(event(1, waits), Event { effect: failed, ..event(2, tries) }, false);
        let observed = Enabledness::WRITER_WAITS | Enabledness::WAIT_TO_WRITE;
        let admits = Event { effect: Effect { observed, ..Effect::PENDING }, ..event(1, unlocks) };
        check_events(admits, event(2, reads), true);
        check_events(admits, event(2, unlocks), false);
    }

    #[test]
    fn a_join_depends_on_all_events_of_its_target() {
        check(Action::to(Kind::Join, ThreadId(2)), Action::on(Kind::Load, ObjectId::at(0)), true);
    }

    #[test]
    fn spawns_of_different_threads_are_independent() {
        check(Action::to(Kind::Spawn, ThreadId(3)), Action::to(Kind::Spawn, ThreadId(4)), false);
        check(Action::to(Kind::Spawn, ThreadId(2)), Action::on(Kind::Load, ObjectId::at(0)), true);
    }

    #[test]
    fn the_return_of_the_body_depends_on_failures_and_a_final_one_on_everything() {
        let returns = Action::new(Kind::Return);
        let store = Action::on(Kind::Store, ObjectId::at(0));
        check(returns, store, false);
        check(Action { is_final: true, ..returns }, store, true);
        let fails = Effect { affects_outcome: true, ..Effect::PENDING };
        check_events(event(0, returns), Event { effect: fails, ..event(1, store) }, true);
        let ends = Effect { ends_run: true, ..Effect::PENDING };
        check_events(event(0, returns), Event { effect: ends, ..event(1, store) }, true);
    }

    #[test]
    fn a_wait_depends_on_the_lock_that_it_releases() {
        let wait = Action { second: Some(ObjectId::at(1)), ..Action::on(Kind::Wait, ObjectId::at(0)) };
        check(wait, Action::on(Kind::Lock, ObjectId::at(1)), true);
        check(wait, Action::on(Kind::Lock, ObjectId::at(2)), false);
    }

    #[test]
    fn model_steps_are_dependent_if_one_writes_a_variable_of_the_other() {
        let step = |reads, writes| Action::step(Footprint { reads, writes });
        check(step(1, 2), step(1, 4), false);
        check(step(1, 2), step(2, 4), true);
        check(step(0, 2), step(0, 2), true);
    }

    #[test]
    fn an_exception_depends_on_all_events_of_its_target_and_on_no_other_thread() {
        let throw = Action::to(Kind::Throw, ThreadId(2));
        check(throw, Action::on(Kind::Take, ObjectId::at(0)), true);
        check(throw, Action::new(Kind::Raise), true);
        check(Action::to(Kind::Throw, ThreadId(3)), Action::on(Kind::Take, ObjectId::at(0)), false);
        check(throw, Action::to(Kind::Throw, ThreadId(1)), true);
        let other = Action::to(Kind::Throw, ThreadId(3));
        check(other, other, true);
        check(other, Action::to(Kind::Throw, ThreadId(4)), false);
        let waits = Action { waits_for_unknown: true, ..Action::to(Kind::Throw, ThreadId(3)) };
        check(waits, Action::on(Kind::Put, ObjectId::at(0)), true);
    }

    #[test]
    fn transactions_are_dependent_if_one_writes_a_variable_that_the_other_reads_or_writes() {
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
    fn a_clock_read_depends_on_sleeps_and_timeouts() {
        let [now, sleep, timeout] = [Kind::Now, Kind::Sleep, Kind::TimeOut].map(Action::new);
        check(now, sleep, true);
        check(now, timeout, true);
        check(now, now, false);
        check(sleep, sleep, false);
        check(sleep, timeout, false);
    }

    #[test]
    fn fixing_a_deadline_reads_the_clock_and_changes_what_reads_can_show() {
        let [now, sleep, deadline] = [Kind::Now, Kind::Sleep, Kind::Deadline].map(Action::new);
        let may_let_time_pass = Action { has_alternatives: true, ..now };
        check(deadline, deadline, true);
        check(deadline, now, true);
        check(deadline, sleep, true);
        check(may_let_time_pass, now, true);
        check(may_let_time_pass, Action { has_alternatives: true, ..Action::new(Kind::Choose) }, false);
    }

    #[test]
    fn reading_the_parallelism_depends_on_setting_it() {
        let [get, set, now] = [Kind::Parallelism, Kind::SetParallelism, Kind::Now].map(Action::new);
        check(set, get, true);
        check(set, set, true);
        check(get, get, false);
        check(set, now, false);
        check(set, Action::on(Kind::Store, ObjectId::at(0)), false);
    }

    #[test]
    fn an_effect_depends_on_effects_alone() {
        let [effect, now, sleep] = [Kind::Effect, Kind::Now, Kind::Sleep].map(Action::new);
        check(effect, effect, true);
        check(effect, now, false);
        check(effect, sleep, false);
        check(effect, Action::on(Kind::Store, ObjectId::at(0)), false);
        check(effect, Action { footprint: Footprint::ANY, ..Action::new(Kind::Atomically) }, false);
    }

    #[test]
    fn every_kind_is_found_by_its_name() {
        for kind in Kind::ALL {
            assert_eq!(Kind::named(kind.text()), Some(*kind));
        }
    }
}
