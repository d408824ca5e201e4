//! Threads that outlive the body, some of which fail or go on for ever: the reduction lets runs go on after
//! the return of the body, and finds what the exhaustive strategy finds, whose runs end there.

use super::program::{Op, Program};
use super::traces::TraceCounter;
use super::{Compared, MODELS, check_equal, compare_generated, count, draw_size_limit, explore_exhaustively};
use super::{explorer, outcomes_of};
use selvedge::{MemoryModel, Outcome, Strategy};

/// Compares outcomes with runs that end with the return of the body, and the number of runs with the number
/// of traces of runs that go on.
fn compare(program: &Program, memory: MemoryModel, max_runs: u64) -> Compared {
    if program.has_channel() && program.threads.iter().flatten().any(Op::fails) {
        // A thread that fails drops its end of the channel while it unwinds, where no other thread runs.
        return Ok(false);
    }
    let Some((expected, ..)) = explore_exhaustively(program, memory, max_runs) else { return Ok(false) };
    let report = explorer().memory(memory).strategy(Strategy::systematic()).explore(|| program.run());
    check_equal("outcomes, by the reduction and by brute force", &outcomes_of(&report), &expected)?;
    check_equal("completeness", &report.is_complete(), &true)?;
    let figures = report.figures().expect("figures");
    if figures.ambiguous_reversals > 0 {
        return Ok(true);
    }
    if let Some(traces) = count_traces(program, memory, max_runs) {
        // Fewer, if a waiting thread would fail after the return of the body: whether it fails is not known
        // before it runs, and the trace in which it does has the outcome of a trace in which it waits.
        let runs = report.executions();
        check_equal("runs, at most one for each trace", &runs, &runs.min(traces))?;
    }
    let has_stable_ids =
        !program.threads.iter().flatten().any(|op| op.spawns() || matches!(op, Op::ReadClock));
    if has_stable_ids {
        check_equal("runs in vain", &(figures.sleep_set_blocked, figures.infeasible_reversals), &(0, 0))?;
    }
    Ok(true)
}

/// The number of traces of runs that go on after the return of the body, if there are not too many runs.
fn count_traces(program: &Program, memory: MemoryModel, max_runs: u64) -> Option<usize> {
    let (counting, traces) = TraceCounter::going_on();
    // The strategy does not find out by itself whether deadlines make a difference.
    let explorer = explorer().deadlines(program.needs_deadlines()).memory(memory);
    let explorer = explorer.strategy(Strategy::custom(counting)).max_executions(max_runs);
    let report = explorer.explore(|| program.run());
    let traces = traces.lock().expect("not poisoned").len();
    report.limit().is_none().then_some(traces)
}

#[test]
fn the_reduction_finds_all_outcomes_of_programs_with_daemons_that_fail() {
    for (number, memory) in (70..).zip(MODELS) {
        let draw = |random: &mut _| Program::draw_with_daemons(random, [2, 1, 1]);
        compare_generated(number, count(300), draw, |program, random| {
            compare(program, memory, draw_size_limit(random).runs.max(2_000))
        });
    }
}

/// All outcomes of the program in which each loop ends after a round, or two, are outcomes of the endless
/// loops, and no run has too many steps.
fn compare_loops(program: &Program, memory: MemoryModel) -> Compared {
    let explorer = explorer().memory(memory).strategy(Strategy::systematic()).max_executions(50);
    let report = explorer.explore(|| program.run());
    let found = outcomes_of(&report);
    check_equal("step limit", &found.contains(&Outcome::StepLimit), &false)?;
    let has_finished_round = report.notes().iter().any(|note| note.contains("but all in which"));
    let rounds: &[usize] = match report.limit() {
        None => &[1, 2],
        Some(_) if has_finished_round => &[1],
        Some(_) => return Ok(false),
    };
    for times in rounds {
        let finite = program.repeating(*times);
        if let Some((expected, ..)) = explore_exhaustively(&finite, memory, 2_000) {
            check_equal(&format!("outcomes, with those of {times} rounds"), &found, &(&found | &expected))?;
        }
    }
    Ok(true)
}

#[test]
fn daemons_that_loop_lose_no_outcome() {
    for (number, memory) in (80..).zip(MODELS) {
        let draw = |random: &mut _| loop {
            let program = Program::draw_with_loops(random, [3, 2, 2]);
            if program.repeats() {
                return program;
            }
        };
        compare_generated(number, count(15), draw, |program, _| compare_loops(program, memory));
    }
}
