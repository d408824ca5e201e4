//! Programs over statics: the reduction, the exhaustive strategy and the reference find the same outcomes,
//! and statics have the runs that objects of the run have. Tests use the same statics side by side.

use super::program::{Op, Program, SMALL};
use super::{
    Compared, SizeLimit, check_equal, compare_many, count, draw_size_limit, explorer, outcomes_of, reference,
};
use selvedge::{MemoryModel, Strategy};

fn compare_on_statics(program: &Program, memory: MemoryModel, limit: SizeLimit) -> Compared {
    let is_known = program.threads.iter().flatten().all(Op::is_known_to_reference);
    let judged = if is_known { reference::judge(program, memory, limit.states) } else { None };
    if is_known && judged.as_ref().is_none_or(|judged| judged.runs > limit.runs) {
        return Ok(false);
    }
    let explore = |strategy: Strategy, workers: usize| {
        let explorer = explorer().memory(memory).strategy(strategy).workers(workers);
        explorer.max_executions(limit.runs).explore(|| program.run_on_statics())
    };
    let all = explore(Strategy::exhaustive(), 1);
    if all.limit().is_some() {
        return Ok(false);
    }
    let expected = outcomes_of(&all);
    if let Some(judged) = &judged {
        check_equal("outcomes, by brute force and by the reference", &expected, &judged.outcomes())?;
    }
    let own = explorer().memory(memory).explore(|| program.run());
    for workers in [1, 2] {
        let report = explore(Strategy::systematic(), workers);
        check_equal("outcomes, by the reduction and by brute force", &outcomes_of(&report), &expected)?;
        check_equal("completeness", &report.is_complete(), &true)?;
        if program.joins {
            check_equal("runs, on statics and on own objects", &report.executions(), &own.executions())?;
        }
    }
    Ok(true)
}

fn compare_random(number: u64, memory: MemoryModel) {
    compare_many(number, count(500), SMALL, |program, random| {
        compare_on_statics(program, memory, draw_size_limit(random))
    });
}

#[test]
fn the_reduction_finds_all_outcomes_of_programs_over_statics_under_sc() {
    compare_random(31, MemoryModel::Sc);
}

#[test]
fn the_reduction_finds_all_outcomes_of_programs_over_statics_under_tso() {
    compare_random(32, MemoryModel::Tso);
}

#[test]
fn the_reduction_finds_all_outcomes_of_programs_over_statics_under_pso() {
    compare_random(33, MemoryModel::Pso);
}
