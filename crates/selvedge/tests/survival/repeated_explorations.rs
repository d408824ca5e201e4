//! One exploration after the other: they share threads of the operating system and stacks, and no other
//! state.

use super::{all, outcomes, panic_of};
use selvedge::runs::{Event, EventId, Next, Scheduler, ThreadId, Trace};
use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicU32, Ordering::SeqCst};
use selvedge::{Explorer, Outcome, Strategy, thread};
use std::cell::Cell;

/// Two threads that each add one, not atomically.
fn racy_increments() -> u32 {
    let counter = Arc::new(AtomicU32::new(0));
    let threads = [(); 2].map(|()| {
        let counter = counter.clone();
        thread::spawn(move || counter.store(counter.load(SeqCst) + 1, SeqCst))
    });
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    counter.load(SeqCst)
}

/// Panics when it is called for the n-th time.
struct PanickingScheduler {
    left: u32,
}

impl Scheduler for PanickingScheduler {
    fn choose(&mut self, enabled: &[Event]) -> Option<EventId> {
        self.left -= 1;
        assert!(self.left > 0, "{}", "no idea");
        enabled.first().map(|event| event.id)
    }

    fn finish(&mut self, _run: &Trace) -> Next {
        Next::Another
    }
}

thread_local! {
    static UNWOUND: Cell<bool> = const { Cell::new(false) };
}

/// Records that it was dropped by a panic.
struct UnwindRecorder;

impl Drop for UnwindRecorder {
    fn drop(&mut self) {
        UNWOUND.set(UNWOUND.get() || std::thread::panicking());
    }
}

#[test]
fn a_panic_of_a_scheduler_reaches_the_caller_and_no_thread_of_the_program() {
    for left in 1..12 {
        let message = panic_of(|| {
            Explorer::new().strategy(Strategy::custom(PanickingScheduler { left })).explore(|| {
                let _recorder = UnwindRecorder;
                racy_increments()
            })
        });
        assert_eq!(message, "no idea");
        // The next exploration does not run on a thread that has seen the panic.
        let report = all(|| UNWOUND.get());
        assert_eq!(outcomes(&report), [Outcome::Returned(false)]);
    }
}

#[test]
fn earlier_stack_sizes_do_not_matter() {
    fn recurse(left: u32) -> u32 {
        let room = std::hint::black_box([left; 1024]);
        if left == 0 { 0 } else { recurse(left - 1) + room[1023] - left + 1 }
    }
    for round in 0..3 {
        for kib in [64_usize, 8 * 1024, 256] {
            // Slightly less than half of the stack is used.
            let depth = kib as u32 / 16;
            let report = Explorer::new()
                .stack_size(kib * 1024)
                .strategy(Strategy::random(round, 10))
                .explore(|| thread::spawn(move || recurse(depth)).join().unwrap());
            assert_eq!(outcomes(&report), [Outcome::Returned(depth)]);
        }
    }
}

#[test]
fn hundreds_of_explorations_from_many_threads_have_the_same_result() {
    let expected = outcomes(&all(racy_increments));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..100 {
                    let report = all(racy_increments);
                    assert_eq!((outcomes(&report), report.is_complete()), (expected.clone(), true));
                }
            });
        }
    });
}

#[test]
fn a_custom_scheduler_may_run_another_exploration() {
    struct NestedExplorer;
    impl Scheduler for NestedExplorer {
        fn choose(&mut self, enabled: &[Event]) -> Option<EventId> {
            assert_eq!(outcomes(&all(|| thread::spawn(|| 1).join().unwrap())), [Outcome::Returned(1)]);
            enabled.last().filter(|event| event.thread() >= ThreadId::MAIN).map(|event| event.id)
        }
        fn finish(&mut self, _run: &Trace) -> Next {
            Next::Done
        }
    }
    let report = Explorer::new().strategy(Strategy::custom(NestedExplorer)).explore(racy_increments);
    assert_eq!(outcomes(&report), [Outcome::Returned(2)]);
}

/// Random runs are recorded as light runs, and replayed for the report. If the replay has another outcome,
/// the report shows the recorded facts.
#[test]
fn a_run_with_another_outcome_when_replayed_is_reported_as_it_was_recorded() {
    static RUNS: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let report = Explorer::new().strategy(Strategy::random(1, 20)).explore(|| {
        let number = Arc::new(AtomicU32::new(0));
        let other = number.clone();
        let thread = thread::spawn(move || other.store(1, SeqCst));
        number.load(SeqCst);
        thread.join().unwrap();
        RUNS.fetch_add(1, SeqCst)
    });
    assert_eq!(report.executions(), 20);
    assert_eq!(report.values().copied().collect::<Vec<_>>(), (0..20).collect::<Vec<u32>>());
    assert!(report.outcomes().values().all(|trace| trace.steps().len() == 4 && !trace.is_light()));
    let has_names = |trace: &Trace| trace.threads.len() == 2 && trace.objects.len() == 1;
    assert!(report.outcomes().values().all(has_names), "names are known");
    let is_note = |note: &String| note.starts_with("the program is not deterministic");
    assert_eq!(report.notes().iter().filter(|note| is_note(note)).count(), 1, "{:?}", report.notes());
}
