//! What the arguments of `selvedge check` mean.

use super::arguments::{Arguments, DebugOption, SimulationArguments};
use super::checkpoint::fingerprint;
use super::scheduler_name::SchedulerName;
use super::search_plan::{SearchPlan, mebibytes};
use super::simulate::{DEFAULT_STEPS, DEFAULT_SYSTEMATIC_RUNS};
use crate::debug::FrontEnd;
use crate::failure::Failure;
use crate::model_file::ReadPlan;
use selvedge_model::Limits;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// What to check, how, and how to report it.
pub(super) struct CheckPlan {
    pub(super) files: Vec<PathBuf>,
    pub(super) reading: ReadPlan,
    pub(super) properties: PropertySelection,
    pub(super) fails_on_deadlock: bool,
    /// How many deadlocks are told at most.
    pub(super) max_deadlocks: usize,
    pub(super) search: SearchPlan,
    /// The file that keeps how far the searches are.
    pub(super) checkpoint: Option<PathBuf>,
    /// Where to open a counterexample, instead of printing verdicts.
    pub(super) debug: Option<FrontEnd>,
    /// Runs to simulate, instead of a search of all states.
    pub(super) simulation: Option<SimulationPlan>,
}

/// The properties to check.
#[derive(Debug)]
pub(super) enum PropertySelection {
    /// All properties of the file.
    All,
    /// The properties of the file with these names.
    Named(Vec<String>),
    /// Formulas of the command line.
    Given { formulas: Vec<String>, invariants: Vec<String> },
}

/// Which runs to simulate.
pub(super) struct SimulationPlan {
    pub(super) scheduler: SchedulerName,
    /// 0 for schedulers that draw no random numbers.
    pub(super) seed: u64,
    /// The number of runs; of a systematic simulation, the most.
    pub(super) runs: u64,
    pub(super) max_steps: u64,
}

impl CheckPlan {
    /// Refuses options that contradict each other.
    pub(super) fn new(arguments: Arguments) -> Result<CheckPlan, Failure> {
        let search = SearchPlan {
            fairness: arguments.fair.into(),
            is_exact: arguments.exact,
            is_concrete: arguments.simulation.simulate.is_some(),
            is_reduced: !arguments.no_reduction && !arguments.exact,
            limits: Limits {
                states: arguments.max_states,
                bytes: Some(mebibytes(arguments.max_memory)),
                time: arguments.timeout.map(Duration::from_secs),
            },
            workers: arguments.workers.map(usize::from),
            early: Arc::default(),
            checkpoint: Rc::default(),
            format: arguments.format,
        };
        if let (Some(_), [_, _, ..]) = (&arguments.checkpoint, &arguments.files[..]) {
            let message = "--checkpoint is for one model, and there are several";
            return Err(Failure::Usage(message.to_owned()));
        }
        let simulation = &arguments.simulation;
        let simulate = |scheduler| SimulationPlan::new(scheduler, simulation);
        let simulation = simulation.simulate.map(simulate).transpose()?;
        Ok(CheckPlan {
            files: arguments.files,
            reading: ReadPlan { settings: arguments.settings, erlang: arguments.erlang.into() },
            properties: PropertySelection::new(arguments.property, arguments.ltl, arguments.invariant),
            fails_on_deadlock: arguments.deadlock,
            max_deadlocks: usize::from(arguments.max_deadlocks),
            debug: arguments.debug.map(DebugOption::front_end),
            search,
            checkpoint: arguments.checkpoint,
            simulation,
        })
    }
}

impl CheckPlan {
    /// What a search of this source by this plan depends on, a line each. Limits are left out: a search
    /// that a limit stopped goes on under another one.
    pub(super) fn about(&self, source: &str) -> String {
        let SearchPlan { fairness, is_exact, is_reduced, workers, .. } = &self.search;
        let workers = if workers.is_some_and(|workers| workers > 1) { "several" } else { "one" };
        let program = fingerprint(&format!("{:?} {source}", self.reading.settings));
        format!(
            "version: {}\nprogram and constants: {program}\nfairness: {fairness:?}\nexact: {is_exact}\n\
             reduction: {is_reduced}\nworkers: {workers}\ndeadlocks: {}\n\
             properties: {:?}\n",
            env!("CARGO_PKG_VERSION"),
            self.fails_on_deadlock,
            self.properties
        )
    }
}

impl PropertySelection {
    /// Clap refuses names together with formulas.
    fn new(names: Vec<String>, formulas: Vec<String>, invariants: Vec<String>) -> PropertySelection {
        if !formulas.is_empty() || !invariants.is_empty() {
            PropertySelection::Given { formulas, invariants }
        } else if !names.is_empty() {
            PropertySelection::Named(names)
        } else {
            PropertySelection::All
        }
    }
}

impl SimulationPlan {
    fn new(scheduler: SchedulerName, arguments: &SimulationArguments) -> Result<SimulationPlan, Failure> {
        let SimulationArguments { seed, runs, steps, .. } = *arguments;
        let contradiction = match scheduler {
            SchedulerName::RoundRobin if seed.is_some() || runs.is_some_and(|runs| runs > 1) => {
                Some("round-robin makes one run, without chance: --seed and --runs are of no use")
            }
            SchedulerName::Systematic if seed.is_some() => {
                Some("systematic leaves nothing to chance: --seed is of no use")
            }
            _ => None,
        };
        if let Some(message) = contradiction {
            return Err(Failure::Usage(message.to_owned()));
        }
        let default_runs = if scheduler == SchedulerName::Systematic { DEFAULT_SYSTEMATIC_RUNS } else { 1 };
        Ok(SimulationPlan {
            scheduler,
            seed: seed.unwrap_or(0),
            runs: runs.unwrap_or(default_runs),
            max_steps: steps.unwrap_or(DEFAULT_STEPS),
        })
    }

    pub(super) fn is_systematic(&self) -> bool {
        self.scheduler == SchedulerName::Systematic
    }
}
