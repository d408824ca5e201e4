//! What a report says of all runs together: how many runs had each outcome, a visitor that sees every run,
//! and claims about outcomes.

#![cfg(feature = "check")]

use selvedge::cell::UnsafeCell;
use selvedge::predicate::{
    Predicate, always_exceeds_steps, always_interrupted, always_races, always_same_on, never_exceeds_steps,
    never_interrupted, never_panics, never_races, not_always_same_on, sometimes_exceeds_steps,
    sometimes_interrupted, sometimes_panics, sometimes_races,
};
use selvedge::runs::schedulers::{Mixed, Pct, Swarm};
use selvedge::runs::{Event, EventId, Next, Scheduler, Trace};
use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use selvedge::{Explorer, Outcome, Report, Strategy, interrupt, thread};
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;

/// Two increments, one of which can be lost.
fn racing_increments() -> u32 {
    let counter = Arc::new(AtomicU32::new(0));
    let other = counter.clone();
    let thread = thread::spawn(move || other.store(other.load(SeqCst) + 1, SeqCst));
    counter.store(counter.load(SeqCst) + 1, SeqCst);
    thread.join().unwrap();
    counter.load(SeqCst)
}

fn counts<T: Ord + Clone>(report: &Report<T>) -> Vec<(Outcome<T>, usize)> {
    report.counts().iter().map(|(outcome, runs)| (outcome.clone(), *runs)).collect()
}

#[test]
fn a_report_counts_the_runs_of_each_outcome() {
    for workers in [1, 2] {
        let report = Explorer::new().workers(workers).explore(racing_increments);
        assert_eq!(counts(&report), [(Outcome::Returned(1), 2), (Outcome::Returned(2), 2)]);
        assert_eq!(report.counts().values().sum::<usize>(), report.executions());
    }
    let report = Explorer::new().strategy(Strategy::random(3, 1_000)).explore(racing_increments);
    assert_eq!(report.counts().values().sum::<usize>(), 1_000);
    assert!(report.counts().values().all(|runs| *runs > 100), "{:?}", report.counts());
}

#[test]
fn counts_go_on_after_a_checkpoint() {
    let path = std::env::temp_dir().join(format!("selvedge-counts-{}", std::process::id()));
    let explorer = || Explorer::new().checkpoint(&path).strategy(Strategy::random(3, 100));
    let first = explorer().max_executions(40).explore(racing_increments);
    assert_eq!(first.counts().values().sum::<usize>(), 40);
    let all = explorer().explore(racing_increments);
    let whole = Explorer::new().strategy(Strategy::random(3, 100)).explore(racing_increments);
    assert_eq!((all.executions(), counts(&all)), (100, counts(&whole)));
}

#[test]
fn the_json_of_a_report_has_the_counts() {
    let report = Explorer::new().max_executions(2).explore(|| {
        assert!(selvedge::choose(3) > 0, "a \"word\"");
    });
    let json = report.to_json();
    assert!(
        json.starts_with("{\"runs\":2,\"given_up\":0,\"complete\":false,\"complete_within_bounds\":false,"),
        "{json}"
    );
    assert!(json.contains("\"limit\":\"executions\","), "{json}");
    let panic =
        r#"{"kind":"panic","text":"panicked: a \"word\"","runs":1,"beyond_bounds":false,"schedule":"S0-"}"#;
    assert!(json.contains(panic), "{json}");
    assert!(json.ends_with(",\"notes\":[]}"), "{json}");
}

#[test]
fn a_visitor_sees_every_run_once() {
    let strategies = [
        Strategy::systematic,
        Strategy::exhaustive,
        || Strategy::mixed(1, 50),
        || Strategy::random(1, 50),
        || Strategy::pct(2, 1, 50),
        || Strategy::swarm(1, 50),
    ];
    for (strategy, workers) in strategies.iter().flat_map(|strategy| [(strategy, 1), (strategy, 2)]) {
        let (runs, schedules) = (AtomicUsize::new(0), Mutex::new(BTreeSet::new()));
        let explorer = Explorer::new().strategy(strategy()).workers(workers);
        let report = explorer.explore_visiting(racing_increments, |outcome, trace| {
            runs.fetch_add(1, SeqCst);
            assert!(matches!(outcome, Outcome::Returned(1 | 2)) && !trace.steps().is_empty());
            let table = trace.table().to_string();
            assert!(table.contains("every_run.rs"), "the run is described in full: {table}");
            schedules.lock().unwrap().insert(trace.choices().collect::<Vec<_>>());
        });
        assert_eq!(runs.into_inner(), report.executions());
        let is_systematic = report.is_complete();
        let distinct = schedules.into_inner().unwrap().len();
        assert!(if is_systematic { distinct == report.executions() } else { distinct > 1 });
    }
}

#[test]
fn a_visitor_sees_livelocks_and_loops_that_give_up() {
    let runs = Mutex::new(Vec::new());
    let report = Explorer::new().explore_visiting(
        || {
            let flag = AtomicBool::new(false);
            let most = if selvedge::choose(2) == 0 { 3 } else { u32::MAX };
            let mut round = 0;
            while !flag.load(SeqCst) && round < most {
                selvedge::hint::spin_loop();
                round += 1;
            }
        },
        |outcome, _| runs.lock().unwrap().push(outcome.clone()),
    );
    let mut runs = runs.into_inner().unwrap();
    runs.sort();
    assert_eq!(runs, [Outcome::Returned(()), Outcome::Deadlock]);
    assert_eq!(report.executions(), 2);
}

/// Which of the claims hold?
fn judged<const N: usize>(report: &Report<u32>, claims: [Predicate<u32>; N]) -> [bool; N] {
    claims.map(|claim| claim.holds(report))
}

#[test]
fn a_claim_that_no_run_panics_does_not_hold_where_an_exception_escapes_the_body() {
    let interrupted =
        selvedge::explore(|| if selvedge::choose(2) == 0 { 1 } else { interrupt::throw("stop") });
    let claims = [
        never_panics(),
        never_interrupted(),
        sometimes_panics(),
        sometimes_interrupted(),
        always_interrupted(),
    ];
    assert_eq!(judged(&interrupted, claims), [false, false, true, true, false]);
    let panicked = selvedge::explore(|| if selvedge::choose(2) == 0 { 1 } else { panic!("stop") });
    let claims = [never_panics(), never_interrupted(), sometimes_panics(), sometimes_interrupted()];
    assert_eq!(judged(&panicked, claims), [false, true, true, false]);
}

#[test]
fn claims_about_step_limits() {
    let endless = Explorer::new().max_steps(20).explore(|| {
        let counter = AtomicU32::new(0);
        while selvedge::choose(2) == 0 {
            counter.fetch_add(1, SeqCst);
        }
        0
    });
    let claims = [never_exceeds_steps(), sometimes_exceeds_steps(), always_exceeds_steps()];
    assert_eq!(judged(&endless, claims), [false, true, false]);
    let short = selvedge::explore(racing_increments);
    let claims = [never_exceeds_steps(), sometimes_exceeds_steps(), always_exceeds_steps()];
    assert_eq!(judged(&short, claims), [true, false, false]);
}

/// A cell that threads share without care.
struct Shared(UnsafeCell<u32>);

// SAFETY: this is wrong, which is what the test is about; no run has two accesses at the same time, since
// the first that could be is refused.
#[allow(unsafe_code)]
unsafe impl Sync for Shared {}

#[test]
fn claims_about_data_races() {
    let report = selvedge::explore(|| {
        let shared = Arc::new(Shared(UnsafeCell::new(0)));
        let other = shared.clone();
        let thread = thread::spawn(move || other.0.with_mut(|_| ()));
        if selvedge::choose(2) == 0 {
            shared.0.with(|_| ());
        }
        thread.join().unwrap();
        0
    });
    let claims = [never_races(), sometimes_races(), always_races()];
    assert_eq!(judged(&report, claims), [false, true, false]);
}

#[test]
fn outcomes_are_compared_by_a_projection() {
    let report = selvedge::explore(racing_increments);
    let is_positive = |outcome: &Outcome<u32>| outcome.returned().map(|value| *value > 0);
    let parity = |outcome: &Outcome<u32>| outcome.returned().map(|value| value % 2);
    let claims = [always_same_on(is_positive), not_always_same_on(is_positive)];
    assert_eq!(judged(&report, claims), [true, false]);
    let claims = [always_same_on(parity), not_always_same_on(parity)];
    assert_eq!(judged(&report, claims), [false, true]);
}

/// The schedules of all runs.
fn schedules(strategy: Strategy) -> Vec<String> {
    let schedules = Mutex::new(Vec::new());
    let note = |_: &Outcome<u32>, trace: &Trace| schedules.lock().unwrap().push(trace.short().to_string());
    Explorer::new().strategy(strategy).explore_visiting(racing_increments, note);
    schedules.into_inner().unwrap()
}

/// A mixture whose runs are not light.
struct Full(Mixed);

impl Scheduler for Full {
    fn begin(&mut self) {
        self.0.begin();
    }

    fn choose(&mut self, enabled: &[Event]) -> Option<EventId> {
        self.0.choose(enabled)
    }

    fn done(&mut self, event: &Event) {
        self.0.done(event);
    }

    fn finish(&mut self, run: &Trace) -> Next {
        self.0.finish(run)
    }
}

#[test]
fn the_mixture_estimates_the_same_from_light_and_full_runs() {
    let full = schedules(Strategy::custom(Full(Mixed::new(3, 300))));
    assert_eq!(schedules(Strategy::mixed(3, 300)), full);
}

#[test]
fn parameters_of_a_strategy_are_those_of_its_scheduler() {
    let plain = schedules(Strategy::swarm(3, 50));
    let check = |strategy: Strategy, scheduler: Swarm| {
        let runs = schedules(strategy);
        assert_eq!(runs, schedules(Strategy::custom(scheduler)));
        assert_ne!(runs, plain);
    };
    let (strategy, swarm) = (|| Strategy::swarm(3, 50), || Swarm::new(3, 50));
    check(strategy().reuse(10), swarm().reuse(10));
    check(strategy().weights(7, 7), swarm().weights(7, 7));
    check(strategy().change_points(2), swarm().change_points(2));
    let with_steps = strategy().change_points(2).expected_steps(4);
    check(with_steps, swarm().change_points(2).steps(4));
    let pct = schedules(Strategy::pct(3, 3, 50).expected_steps(4));
    assert_eq!(pct, schedules(Strategy::custom(Pct::new(3, 3, 50).steps(4))));
    assert_ne!(pct, schedules(Strategy::pct(3, 3, 50)));
}
