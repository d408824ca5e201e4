//! Bounds on pre-emptions, yields and length: how many runs they leave, and what reports say about them.

#![cfg(feature = "check")]

use selvedge::stm::{TVar, atomically, retry};
use selvedge::sync::Arc;
use selvedge::sync::atomic::Ordering::{Relaxed, SeqCst};
use selvedge::sync::atomic::{AtomicU32, AtomicUsize};
use selvedge::{Bounds, Explorer, MemoryModel, Outcome, Report, Strategy, thread};
use std::fmt::Debug;

fn preemptions(most: usize) -> Bounds {
    Bounds { preemptions: Some(most), ..Bounds::NONE }
}

fn explore<T: Ord + Clone + Debug + Send + 'static>(
    bounds: Bounds,
    body: impl Fn() -> T + Send + Sync,
) -> Report<T> {
    Explorer::new().strategy(Strategy::systematic().bounded(bounds)).explore(body)
}

/// The numbers of runs without a bound, and with at most 0, 1 and 2 pre-emptions.
fn runs<T: Ord + Clone + Debug + Send + 'static>(body: impl Fn() -> T + Send + Sync) -> [usize; 4] {
    [Bounds::NONE, preemptions(0), preemptions(1), preemptions(2)].map(|bounds| {
        let report = explore(bounds, &body);
        assert!(report.is_complete_within_bounds(), "{report}");
        report.executions() + report.given_up()
    })
}

/// One thread stores to an atomic and loads another, eight times, beside a thread that reads both.
fn eight_stores_and_loads() -> u32 {
    let (x, y) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let (other_x, other_y) = (x.clone(), y.clone());
    let writer = thread::spawn(move || {
        for number in 1..=8 {
            other_x.store(number, Relaxed);
            other_y.load(Relaxed);
        }
    });
    y.store(1, Relaxed);
    let seen = x.load(Relaxed);
    writer.join().unwrap();
    seen
}

#[test]
fn eight_relaxed_stores_take_no_more_runs_with_a_bound() {
    assert_eq!(runs(eight_stores_and_loads), [81, 18, 81, 81]);
}

fn stores_of_their_own_and_a_shared_addition() -> usize {
    let shared = Arc::new(AtomicUsize::new(0));
    let threads = [(); 2].map(|()| {
        let shared = shared.clone();
        thread::spawn(move || {
            let own = AtomicUsize::new(0);
            (1..=4).for_each(|number| own.store(number, Relaxed));
            shared.fetch_add(1, SeqCst)
        })
    });
    threads.map(|thread| thread.join().unwrap())[0]
}

#[test]
fn two_threads_with_stores_of_their_own_take_two_runs_with_any_bound() {
    assert_eq!(runs(stores_of_their_own_and_a_shared_addition), [2, 2, 2, 2]);
}

/// Two threads that add to one number many times: each order of additions is a trace.
fn many_additions() -> usize {
    let shared = Arc::new(AtomicUsize::new(0));
    let other = shared.clone();
    let adder = thread::spawn(move || (0..6).for_each(|_| _ = other.fetch_add(1, SeqCst)));
    (0..6).for_each(|_| _ = shared.fetch_add(1, SeqCst));
    adder.join().unwrap();
    shared.load(SeqCst)
}

#[test]
fn a_bound_on_preemptions_leaves_a_fraction_of_the_runs() {
    assert_eq!(runs(many_additions), [924, 7, 37, 112]);
}

/// Listing 41b of Walker's thesis as printed: a prisoner yields for ever after turning on the light, and the
/// leader waits for the light before counting.
fn prison(prisoners: usize) {
    let light = TVar::new(false);
    for _ in 1..prisoners {
        let light = light.clone();
        thread::spawn(move || {
            atomically(|tx| if light.read(tx)? { retry() } else { light.write(tx, true) });
            loop {
                thread::yield_now();
            }
        });
    }
    let mut counter = 0;
    while {
        atomically(|tx| if light.read(tx)? { light.write(tx, false) } else { retry() });
        counter += 1;
        counter < prisoners - 1
    } {}
}

/// The thesis has 1, 1, 4 and 48 schedules (Table 3b): there a transaction that retries is a step. Here it
/// waits, so the order of the prisoners is all that differs: (n - 1)! runs. As printed, a leader alone waits
/// for a light that no prisoner turns on.
#[test]
fn the_prisoners_that_yield_for_ever_are_explored_within_a_bound_of_no_yields() {
    let no_yields = Bounds { yields: Some(0), ..Bounds::NONE };
    let as_in_the_thesis = Bounds { preemptions: Some(2), yields: Some(0), length: Some(250) };
    for bounds in [no_yields, as_in_the_thesis] {
        let runs = [1, 2, 3, 4].map(|prisoners| {
            let report = explore(bounds, || prison(prisoners));
            assert!(report.is_complete_within_bounds(), "{report}");
            let expected = if prisoners == 1 { Outcome::Deadlock } else { Outcome::Returned(()) };
            assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), [&expected], "{report}");
            report.executions()
        });
        assert_eq!(runs, [1, 1, 2, 6], "{bounds:?}");
    }
}

#[test]
fn a_report_says_whether_all_runs_within_the_bounds_were_made() {
    let unbounded = selvedge::explore(many_additions);
    assert_eq!((unbounded.is_complete(), unbounded.is_complete_within_bounds()), (true, true));
    let report = explore(preemptions(0), many_additions);
    assert_eq!((report.is_complete(), report.is_complete_within_bounds()), (false, true), "{report}");
    assert_eq!(report.extent(), "7 runs by systematic, at most 0 pre-emptions; complete within these bounds");
    let stopped = Explorer::new().strategy(Strategy::systematic().bounded(preemptions(0))).max_executions(1);
    let stopped = stopped.explore(many_additions);
    assert!(!stopped.is_complete_within_bounds(), "{stopped}");
}

/// Without pre-emptions the body stores and loads before the other thread does.
fn store_buffering() -> (u32, u32) {
    let (x, y) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let (other_x, other_y) = (x.clone(), y.clone());
    let other = thread::spawn(move || {
        other_y.store(1, SeqCst);
        other_x.load(SeqCst)
    });
    x.store(1, SeqCst);
    let seen = y.load(SeqCst);
    (seen, other.join().unwrap())
}

#[test]
fn outcomes_that_only_runs_beyond_the_bounds_show_are_told_as_such() {
    let exhaustive =
        Explorer::new().strategy(Strategy::exhaustive().bounded(preemptions(0))).explore(store_buffering);
    assert_eq!(exhaustive.values().collect::<Vec<_>>(), [&(0, 1)], "{exhaustive}");
    assert_eq!(exhaustive.beyond_bounds().count(), 0, "{exhaustive}");
    let report = explore(preemptions(0), store_buffering);
    let beyond = [&Outcome::Returned((1, 0)), &Outcome::Returned((1, 1))];
    assert_eq!(report.beyond_bounds().collect::<Vec<_>>(), beyond, "{report}");
    assert_eq!(report.to_string().matches("(beyond the bounds)").count(), 2, "{report}");
    assert!(
        report.notes()[0].starts_with("2 outcomes were found only by runs beyond the bounds"),
        "{report}"
    );
}

/// The first runs of an exploration that deepens are those without pre-emptions.
#[test]
fn deepening_repeats_few_runs() {
    let deepening = |most| {
        let strategy = Strategy::systematic().deepening(Bounds { preemptions: most, ..Bounds::NONE });
        let report = Explorer::new().strategy(strategy).explore(many_additions);
        assert!(report.is_complete_within_bounds(), "{report}");
        (report.executions(), report.is_complete())
    };
    assert_eq!(deepening(Some(2)), (7 + 37 + 112, false));
    assert!(deepening(None).1, "all runs are made in the end");
}

/// A thread that never ends does not hide what other threads do within the bound.
#[test]
fn a_length_bound_lets_every_thread_take_its_steps() {
    let bounds = Bounds { length: Some(40), ..Bounds::NONE };
    for memory in [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso] {
        let explorer = Explorer::new().memory(memory).strategy(Strategy::systematic().bounded(bounds));
        let report = explorer.explore(|| {
            let flag = Arc::new(AtomicU32::new(0));
            let (endless, own) = (flag.clone(), AtomicU32::new(0));
            thread::spawn(move || {
                let seen = endless.load(SeqCst);
                loop {
                    own.fetch_add(seen, SeqCst);
                }
            });
            let last = flag.clone();
            let other = thread::spawn(move || {
                last.store(1, SeqCst);
                last.store(2, SeqCst);
            });
            other.join().unwrap();
            flag.load(SeqCst)
        });
        assert_eq!(report.values().collect::<Vec<_>>(), [&2], "{report}");
        assert!(report.is_complete_within_bounds(), "{report}");
    }
}
