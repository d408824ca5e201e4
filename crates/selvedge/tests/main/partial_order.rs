//! The outcome of a run is a function of its partial order: runs that differ only in the order of
//! independent events have the same outcome.
//!
//! Every run of a small program is brought into a normal form: among the minimal events of the remaining
//! partial order, the event of the lowest thread comes first. Runs with the same normal form must have the
//! same outcome. If an action depended on a thing that the dependency relation does not know (a clock, say),
//! two outcomes would appear.
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

/// A run in its normal form. A run numbers its objects by their first use, so objects are left out: the
/// thread, the position there, and the chosen alternative identify an event.
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

/// Explores exhaustively, and sends the normal form of each run.
struct NormalForms {
    scheduler: Exhaustive,
    forms: std::sync::mpsc::Sender<NormalForm>,
}

impl Scheduler for NormalForms {
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
        self.forms.send(normal_form(run)).expect("the receiver is alive");
        self.scheduler.finish(run)
    }
}

/// Explores all runs: there are `count` outcomes, and each normal form has a single outcome.
#[track_caller]
fn check<T: Ord + Clone + Debug + Send + 'static>(count: usize, body: impl Fn() -> T + Send + Sync) {
    let (forms, all_forms) = std::sync::mpsc::channel();
    let outcomes = std::sync::Mutex::new(Vec::new());
    let strategy = Strategy::custom(NormalForms { scheduler: Exhaustive::new(), forms });
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

/// A thread that sleeps for this many seconds.
fn sleeper(seconds: u32) -> thread::JoinHandle<()> {
    thread::spawn(move || thread::sleep(SECOND * seconds))
}

#[test]
fn the_partial_order_determines_reads_of_the_clock() {
    // Each reader reads 0, 1, 2 or 3 seconds, whatever the other reads.
    check(16, || {
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
fn the_partial_order_determines_reads_of_the_clock_beside_timed_out_waits() {
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
fn the_partial_order_determines_waits_for_a_condition_beside_sleepers() {
    // The condition holds, or the wait times out. The second of the wait and the ten seconds of the sleeper
    // have passed together, one after the other, or not. (Only a timed-out wait has certainly waited.)
    check(7, || {
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
fn the_partial_order_determines_loads_and_stores() {
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
fn the_partial_order_determines_stores_to_references() {
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
fn the_partial_order_determines_exchanges_by_ticket() {
    // The exchanges come one after the other, or both have a ticket of the first version and the second
    // fails: in both orders.
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
fn the_partial_order_determines_waiting_transactions() {
    // The adder adds before or after the load of the body, and before or after the load of the reader.
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
fn the_partial_order_determines_exceptions_beside_puts() {
    // The target is interrupted at the first put, at the second, or not at all; and the put beside it comes
    // before or after the read.
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
fn the_partial_order_determines_reads_and_writes_of_the_parallelism() {
    // Each reader sees the initial value or one of the two set values, independently of the other reader.
    check(9, || {
        let set = |threads| thread::set_available_parallelism(NonZero::new(threads).unwrap());
        let setters = [3, 4].map(|threads| thread::spawn(move || set(threads)));
        let reader = thread::spawn(|| thread::available_parallelism().unwrap());
        let here = thread::available_parallelism().unwrap();
        setters.into_iter().for_each(|setter| setter.join().unwrap());
        (here, reader.join().unwrap())
    });
}
