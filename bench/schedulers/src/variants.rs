//! The variants of the experiment: nine of Walker's thesis (§6.3.2), more schedulers of Selvedge, and
//! shuttle's.

use sctbench::Program;
use selvedge::{Bounds, Strategy};

/// A scheduler with its parameters.
#[derive(Clone, Copy)]
pub(crate) struct Variant {
    pub(crate) name: &'static str,
    pub(crate) tool: Tool,
}

/// How a variant makes its runs, of a program, a seed and a number of runs.
#[derive(Clone, Copy)]
pub(crate) enum Tool {
    Selvedge(fn(&Program, u64, u64) -> Strategy),
    /// Without chance: one seed stands for all.
    Systematic(fn() -> Strategy),
    Shuttle(ShuttleScheduler),
}

/// A scheduler of shuttle.
#[derive(Clone, Copy)]
pub(crate) enum ShuttleScheduler {
    Random,
    Pct,
    Urw,
}

/// The depth of PCT in the thesis.
pub(crate) const DEPTH: usize = 3;

/// The number of variants that the thesis has.
pub(crate) const OF_THESIS: usize = 9;

pub(crate) const RANDOM: &str = "random";
pub(crate) const PCT: &str = "pct";
pub(crate) const PCT_OWN: &str = "pct, own k";
pub(crate) const SWARM: &str = "swarm";
pub(crate) const MIXED: &str = "mixed";
pub(crate) const SHUTTLE_URW: &str = "shuttle urw";

const fn ours(name: &'static str, make: fn(&Program, u64, u64) -> Strategy) -> Variant {
    Variant { name, tool: Tool::Selvedge(make) }
}

const fn shuttle(name: &'static str, scheduler: ShuttleScheduler) -> Variant {
    Variant { name, tool: Tool::Shuttle(scheduler) }
}

fn swarm_with_changes(program: &Program, seed: u64, runs: u64, count: usize) -> Strategy {
    Strategy::swarm(seed, runs).change_points(count).expected_steps(program.steps)
}

pub(crate) const ALL: [Variant; 16] = [
    ours(RANDOM, |_, seed, runs| Strategy::random(seed, runs)),
    ours(PCT, |program, seed, runs| Strategy::pct(DEPTH, seed, runs).expected_steps(program.steps)),
    ours(SWARM, |_, seed, runs| Strategy::swarm(seed, runs)),
    ours("swarm x=10", |_, seed, runs| Strategy::swarm(seed, runs).reuse(10)),
    ours("swarm x=100", |_, seed, runs| Strategy::swarm(seed, runs).reuse(100)),
    ours("swarm x=1000", |_, seed, runs| Strategy::swarm(seed, runs).reuse(1000)),
    ours("swarm d=1", |program, seed, runs| swarm_with_changes(program, seed, runs, 1)),
    ours("swarm d=2", |program, seed, runs| swarm_with_changes(program, seed, runs, 2)),
    ours("swarm d=3", |program, seed, runs| swarm_with_changes(program, seed, runs, 3)),
    ours(PCT_OWN, |_, seed, runs| Strategy::pct(DEPTH, seed, runs)),
    ours("pos", |_, seed, runs| Strategy::pos(seed, runs)),
    Variant { name: "systematic", tool: Tool::Systematic(two_preemptions) },
    ours(MIXED, |_, seed, runs| Strategy::mixed(seed, runs)),
    shuttle("shuttle random", ShuttleScheduler::Random),
    shuttle("shuttle pct", ShuttleScheduler::Pct),
    shuttle(SHUTTLE_URW, ShuttleScheduler::Urw),
];

fn two_preemptions() -> Strategy {
    Strategy::systematic().deepening(Bounds { preemptions: Some(2), ..Bounds::NONE })
}
