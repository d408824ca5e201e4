//! All distinct runs against all states: programs that end have the same outcomes by optimal partial-order
//! reduction over their messages, and by the search.

use super::generated::Generated;
use super::{concrete, outcomes, program};
use selvedge_explore::schedulers::Dpor;
use selvedge_explore::{Next, RunEnd, Scheduler, Stepper, Trace, run};
use selvedge_lang::erlang::ErlangProgram;
use selvedge_lang::{Program, SystemOptions};
use selvedge_model::{System, Walk};
use selvedge_testkit::is_long_run;
use std::collections::BTreeSet;

/// Programs with more distinct runs are left out.
const MOST_RUNS: usize = 2_000;

/// The outcomes of the first process in all distinct runs, and their number; `None` if there are too many.
fn outcomes_of_runs(program: &ErlangProgram) -> Option<(BTreeSet<String>, usize)> {
    let system = program.system(&[], SystemOptions::default()).expect("a system");
    let (mut walk, mut trace, mut dpor) = (Walk::to_ends(&system), Trace::default(), Dpor::new());
    let (mut found, mut runs) = (BTreeSet::new(), 0);
    loop {
        walk.restart();
        match run(&mut walk, &mut dpor, 10_000, &mut trace) {
            RunEnd::StepLimit => panic!("a run that does not end"),
            RunEnd::GivenUp => {}
            RunEnd::Finished => {
                runs += 1;
                found.insert(outcome(&system, &walk));
            }
        }
        if runs > MOST_RUNS {
            return None;
        }
        if dpor.finish(&trace) == Next::Done {
            return Some((found, runs));
        }
    }
}

fn outcome(
    system: &selvedge_lang::erlang::system::Machine,
    walk: &Walk<'_, selvedge_lang::erlang::system::Machine>,
) -> String {
    let actions = walk.path().iter().filter_map(|step| step.action);
    let first = actions.filter(|action| system.process(*action).is_some_and(|process| process.0 == 0));
    let last = first.last().map(|action| system.describe(action)).unwrap_or_default();
    let reason = last.strip_prefix("ends: ").or_else(|| last.strip_prefix("crashes: "));
    reason.unwrap_or("stuck").to_owned()
}

#[test]
fn systematic_runs_have_the_outcomes_of_the_search() {
    let count = if is_long_run() { 6_000 } else { 300 };
    let mut compared = 0;
    for seed in 0..count {
        let text = Generated::program(seed);
        let program = program(&text, &concrete());
        if let Some((found, _)) = outcomes_of_runs(&program) {
            compared += 1;
            assert_eq!(found, outcomes(&program, false), "seed {seed}:\n{text}");
        }
    }
    assert!(compared > count / 2, "only {compared} programs have few runs");
}

/// Clients that lock, unlock and tell the first process; philosophers that eat once.
#[test]
fn lockers_and_philosophers_have_few_distinct_runs() {
    let locker = |clients: usize| {
        format!(
            "main() -> S = self(), L = spawn(fun() -> locker({clients}) end), start({clients}, L, S), wait({clients}).
             start(0, _, _) -> ok; start(N, L, S) -> spawn(fun() -> client(L, S) end), start(N - 1, L, S).
             wait(0) -> exit(done); wait(N) -> receive used -> wait(N - 1) end.
             locker(0) -> ok;
             locker(N) -> receive {{lock, C}} -> C ! locked, receive {{unlock, C}} -> locker(N - 1) end end.
             client(L, S) -> L ! {{lock, self()}}, receive locked -> L ! {{unlock, self()}} end, S ! used."
        )
    };
    for (clients, expected) in [(2, 8), (3, 180)] {
        let (found, runs) = outcomes_of_runs(&program(&locker(clients), &concrete())).expect("few runs");
        assert_eq!(found, BTreeSet::from(["done".to_owned()]));
        assert!(runs <= expected, "{clients} clients: {runs} runs");
    }
}
