//! How a run ends is a function of its partial order: runs that differ only in the order of independent events end alike.
//!
//! Every run of small programs is made, and brought into its normal form: of the events before which none is left that they
//! depend on, the one of the lowest thread comes first. Runs of one normal form must have one outcome. Where an action
//! depended on something that the dependency relation does not know (a clock, say), two would show up.
#![cfg(feature = "check")]

use selvedge::interrupt::{self, Killed};
use selvedge::runs::schedulers::Exhaustive;
use selvedge::runs::{Event, EventId, Next, Scheduler, Trace, dependent};
use selvedge::stm::{TVar, atomically, guard};
use selvedge::sync::atomic::{AtomicU32, Ordering::SeqCst};
use selvedge::sync::{Arc, AtomicRef, Condvar, MVar, Mutex, mpsc};
use selvedge::time::{Instant, SystemTime};
use selvedge::{Explorer, Keep, Outcome, Strategy, thread};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::num::NonZero;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

/// A run in its normal form. Objects have numbers by the order in which a run meets them, so they are left out: an event is
/// known by its thread, its place there, and what was chosen.
type NormalForm = Vec<(EventId, &'static str)>;

fn normal_form(trace: &Trace) -> NormalForm {
    let mut left: Vec<Event> = trace.steps().iter().map(|step| step.event).collect();
    let mut form = Vec::new();
    while !left.is_empty() {
        let is_first = |at: &usize| !left[..*at].iter().any(|before| dependent(before, &left[*at]));
        let first = (0..left.len()).filter(is_first).min_by_key(|at| left[*at].thread());
        let event = left.remove(first.expect("the first event left has none before it"));
        form.push((event.id, event.action.kind.text()));
    }
    form
}

/// Hands out the normal form of each run.
struct Watched {
    scheduler: Exhaustive,
    forms: std::sync::mpsc::Sender<NormalForm>,
}

impl Scheduler for Watched {
    fn begin(&mut self) {
        self.scheduler.begin();
    }

    fn choose(&mut self, enabled: &[Event]) -> Option<EventId> {
        self.scheduler.choose(enabled)
    }

    fn done(&mut self, event: &Event) {
        self.scheduler.done(event);
    }

    fn stopped(&mut self, left: &[Event]) {
        self.scheduler.stopped(left);
    }

    fn finish(&mut self, run: &Trace) -> Next {
        self.forms.send(normal_form(run)).expect("somebody listens");
        self.scheduler.finish(run)
    }
}

/// Makes all runs: so many outcomes there are, and each normal form has one of them.
#[track_caller]
fn check<T: Ord + Clone + Debug + Send + 'static>(count: usize, body: impl Fn() -> T + Send + Sync) {
    let (forms, all_forms) = std::sync::mpsc::channel();
    let outcomes = std::sync::Mutex::new(Vec::new());
    let strategy = Strategy::custom(Watched { scheduler: Exhaustive::new(), forms });
    Explorer::new().strategy(strategy).explore_keeping(body, |outcome| {
        outcomes.lock().unwrap().push(outcome.clone());
        Keep::Nothing
    });
    let outcomes = outcomes.into_inner().unwrap();
    let different: BTreeSet<Outcome<T>> = outcomes.iter().cloned().collect();
    let mut classes: BTreeMap<NormalForm, Outcome<T>> = BTreeMap::new();
    let runs = outcomes.len();
    for (outcome, form) in outcomes.into_iter().zip(all_forms.iter().take(runs)) {
        let first = classes.entry(form.clone()).or_insert_with(|| outcome.clone());
        assert_eq!(*first, outcome, "two outcomes of one partial order: {form:?}");
    }
    assert_eq!(different.len(), count, "{different:?}");
    assert!(classes.len() < runs, "some runs differ only in the order of independent events");
}

/// A thread that sleeps for so many seconds.
fn sleeper(seconds: u32) -> thread::JoinHandle<()> {
    thread::spawn(move || thread::sleep(SECOND * seconds))
}

#[test]
fn of_those_who_read_the_clock() {
    // Each sees the sleeps that came before: four sets, of which {1} and {2} cannot both be seen.
    check(14, || {
        let start = Instant::now();
        let sleepers = [sleeper(1), sleeper(2)];
        let reader = thread::spawn(move || start.elapsed().as_secs());
        let here = SystemTime::now();
        let (here, there) = (here.duration_since(SystemTime::UNIX_EPOCH).unwrap(), reader.join().unwrap());
        sleepers.into_iter().for_each(|sleeper| sleeper.join().unwrap());
        (here, there)
    });
}

#[test]
fn of_waits_whose_time_is_up_beside_who_reads_the_clock() {
    check(4, || {
        let start = Instant::now();
        let (_sender, receiver) = mpsc::channel::<()>();
        let waiter = thread::spawn(move || receiver.recv_timeout(SECOND).is_err());
        let parked = thread::spawn(|| thread::park_timeout(SECOND * 2));
        let seen = start.elapsed().as_secs();
        assert!(waiter.join().unwrap());
        parked.join().unwrap();
        seen
    });
}

#[test]
fn of_waits_for_a_condition_beside_sleepers() {
    // The condition holds, or the time is up; both with the second of a wait and the ten of the sleeper, or without. (Only
    // who gives up has surely waited.)
    check(6, || {
        let shared = Arc::new((Mutex::new(false), Condvar::new()));
        let other = shared.clone();
        let sleeper = sleeper(10);
        let setter = thread::spawn(move || {
            *other.0.lock().unwrap() = true;
            other.1.notify_one();
        });
        let start = Instant::now();
        let guard = shared.0.lock().unwrap();
        let (guard, result) = shared.1.wait_timeout_while(guard, SECOND, |is_set| !*is_set).unwrap();
        let seen = (*guard, result.timed_out(), start.elapsed().as_secs());
        drop(guard);
        setter.join().unwrap();
        sleeper.join().unwrap();
        seen
    });
}

#[test]
fn of_loads_and_stores() {
    check(3, || {
        let (x, y) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
        let (a, b) = (x.clone(), y.clone());
        let thread = thread::spawn(move || {
            a.store(1, SeqCst);
            b.load(SeqCst)
        });
        y.store(1, SeqCst);
        let here = x.load(SeqCst);
        (here, thread.join().unwrap())
    });
}

#[test]
fn of_stores_to_references() {
    check(4, || {
        let (x, y) = (Arc::new(AtomicRef::new(0)), Arc::new(AtomicRef::new(0)));
        let (a, b) = (x.clone(), y.clone());
        let thread = thread::spawn(move || {
            a.store(1);
            *b.load()
        });
        y.store(1);
        let here = *x.load();
        (here, thread.join().unwrap())
    });
}

#[test]
fn of_exchanges_by_ticket() {
    // One after the other, or both with a ticket of the first version, of whom one fails: each way round.
    check(4, || {
        let reference = Arc::new(AtomicRef::new(0));
        let exchange = |reference: &AtomicRef<u32>, new: u32| {
            let ticket = reference.ticket();
            (*ticket, reference.compare_exchange(&ticket, new).is_ok())
        };
        let other = reference.clone();
        let thread = thread::spawn(move || exchange(&other, 1));
        let here = exchange(&reference, 2);
        (here, thread.join().unwrap())
    });
}

#[test]
fn of_transactions_that_wait_for_one_another() {
    // The other adds before or after this one, which needs something, and before or after the reader.
    check(4, || {
        let (number, other) = (TVar::new(0), TVar::new(0));
        let (same, also) = (number.clone(), other.clone());
        let adder = thread::spawn(move || {
            atomically(|tx| also.modify(tx, |value| value + 1));
            atomically(|tx| same.modify(tx, |value| value + 1));
        });
        let same = number.clone();
        let reader = thread::spawn(move || same.load());
        let seen = other.load();
        atomically(|tx| guard(number.read(tx)? > 0));
        adder.join().unwrap();
        (seen, reader.join().unwrap())
    });
}

#[test]
fn of_exceptions_beside_those_who_put() {
    // Interrupted at the first put, at the second, or not at all; and the one beside is put before the look or after it.
    check(6, || {
        let (variable, beside) = (Arc::new(MVar::empty()), Arc::new(MVar::empty()));
        let same = variable.clone();
        let target = thread::spawn(move || {
            let both = || {
                same.put(1);
                same.try_put(2).is_ok()
            };
            interrupt::catch::<Killed, _>(both)
        });
        let same = beside.clone();
        let other = thread::spawn(move || same.put(1));
        interrupt::kill(target.thread());
        let seen = beside.try_read();
        other.join().unwrap();
        (target.join().unwrap(), variable.try_read(), seen)
    });
}

#[test]
fn of_those_who_set_and_ask_for_the_parallelism() {
    // Each who asks sees what was there first, or one of the two that are set, whatever the other sees.
    check(9, || {
        let set = |threads| thread::set_available_parallelism(NonZero::new(threads).unwrap());
        let setters = [3, 4].map(|threads| thread::spawn(move || set(threads)));
        let asker = thread::spawn(|| thread::available_parallelism().unwrap());
        let here = thread::available_parallelism().unwrap();
        setters.into_iter().for_each(|setter| setter.join().unwrap());
        (here, asker.join().unwrap())
    });
}
