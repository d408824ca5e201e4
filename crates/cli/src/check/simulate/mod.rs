//! `selvedge check --simulate`: some runs instead of all states.
//!
//! A single run is printed in full; several are counted, and those that go wrong are printed. A simulation
//! never says "holds": some runs prove nothing, so without a failure the exit code is that of a limit.
//! `systematic` makes every distinct run and lists their final states. The answer is yes if these are all
//! runs and the file has no property, since a property could tell apart orders of steps that count as one
//! run.

mod final_states;
mod json;
mod text;

use super::arguments::Format;
use super::decide::build_system;
use super::limit_text::ReachedLimit;
use super::plan::{CheckPlan, SimulationPlan};
use super::scheduler_name::SchedulerName;
use super::search_plan::SearchPlan;
use super::{progress, select_properties, trace_table};
use crate::failure::{Failure, Outcome};
use crate::model_file::{self, ActionOf, ModelCommand};
use selvedge_explore::Scheduler;
use selvedge_explore::schedulers::{Dpor, Mixed, Pct, Pos, RoundRobin, Swarm, Uniform};
use selvedge_lang::{Expect, Program, Property};
use selvedge_ltl::source::Source;
use selvedge_ltl::{Alphabet, Formula, Prop};
use selvedge_model::{NumberedRun, Simulation, SimulationOptions, System};
use std::io::Write;

/// A run has at most so many steps, since all its states are stored.
pub(super) const MAX_STEPS: u64 = 1_000_000;

pub(super) const DEFAULT_STEPS: u64 = 1000;

pub(super) const DEFAULT_SYSTEMATIC_RUNS: u64 = 10_000;

/// The depth of `pct`: one more than the priority changes of a run. Its authors recommend 3 for most bugs.
const PCT_DEPTH: usize = 3;

pub(super) fn run(
    plan: &CheckPlan,
    simulation: &SimulationPlan,
    output: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let (mut has_failed, mut is_proof) = (false, true);
    for file in &plan.files {
        let source = model_file::read(file)?;
        let command = SimulateModel { source: &source, plan, simulation, output };
        let summary = model_file::with_program(&source, &plan.reading, command)?;
        has_failed |= summary.has_failed;
        is_proof &= summary.is_proof;
    }
    if has_failed {
        return Ok(Outcome::No);
    }
    if is_proof {
        return Ok(Outcome::Yes);
    }
    Err(Failure::Limit("some runs are not all runs; nothing went wrong on these".to_owned()))
}

/// The result of one file.
struct FileSummary {
    has_failed: bool,
    /// Every distinct run was made, and no property tells apart runs that count as one.
    is_proof: bool,
}

/// The command on one model.
struct SimulateModel<'p, 'o> {
    source: &'p Source,
    plan: &'p CheckPlan,
    simulation: &'p SimulationPlan,
    output: &'o mut dyn Write,
}

impl ModelCommand for SimulateModel<'_, '_> {
    type Answer = FileSummary;

    fn run<P: Program>(self, program: P) -> Result<FileSummary, Failure> {
        let SimulateModel { source, plan, simulation, output } = self;
        let simulated = FileSimulation::new(&program, source, plan, simulation)?;
        progress::clear();
        match plan.search.format {
            Format::Json => writeln!(output, "{}", simulated.json(&source.name))?,
            Format::Text => simulated.write_text(&source.name, output)?,
        }
        let is_proof = simulated.is_complete() && simulated.judged.is_empty();
        Ok(FileSummary { has_failed: simulated.has_failed(), is_proof })
    }
}

/// The simulated runs of one file.
struct FileSimulation<'p, P: Program> {
    plan: &'p SimulationPlan,
    fails_on_deadlock: bool,
    /// Has the program a domain, which simulated runs do not use?
    ignores_domain: bool,
    system: P::System,
    /// The texts of the propositions, by number.
    propositions: Vec<String>,
    judged: Vec<JudgedProperty<P>>,
    simulation: Simulation<ActionOf<P>>,
}

/// A property and what the runs say of it.
struct JudgedProperty<P: Program> {
    property: Property<P::Atom>,
    formula: Formula<Prop>,
    verdict: SimulatedVerdict<ActionOf<P>>,
}

/// What some runs say of a property.
enum SimulatedVerdict<A> {
    /// The first run that violates the property.
    Violated(NumberedRun<A>),
    /// No run violates the property, which proves nothing.
    NoViolation,
}

impl SimulationPlan {
    fn scheduler(&self) -> Box<dyn Scheduler> {
        let SimulationPlan { seed, runs, .. } = *self;
        match self.scheduler {
            SchedulerName::Uniform => Box::new(Uniform::new(seed, runs)),
            SchedulerName::Mixed => Box::new(Mixed::new(seed, runs)),
            SchedulerName::Pct => Box::new(Pct::new(PCT_DEPTH, seed, runs)),
            SchedulerName::Swarm => Box::new(Swarm::new(seed, runs)),
            SchedulerName::Pos => Box::new(Pos::new(seed, runs)),
            SchedulerName::RoundRobin => Box::new(RoundRobin::new()),
            SchedulerName::Systematic => Box::new(Dpor::new()),
        }
    }

    /// Random schedulers stop by themselves.
    fn max_runs(&self) -> u64 {
        if self.is_systematic() { self.runs } else { u64::MAX }
    }

    /// The seed, if the scheduler draws random numbers.
    fn used_seed(&self) -> Option<u64> {
        self.scheduler.is_random().then_some(self.seed)
    }
}

impl<'p, P: Program> FileSimulation<'p, P> {
    fn new(
        program: &P,
        source: &Source,
        check: &CheckPlan,
        plan: &'p SimulationPlan,
    ) -> Result<FileSimulation<'p, P>, Failure> {
        let properties = select_properties(program, source, &check.properties)?;
        let mut alphabet: Alphabet<P::Atom> = Alphabet::default();
        let numbered = properties.iter().map(|property| alphabet.number(&property.formula));
        let formulas: Vec<_> = numbered.collect::<Result<_, _>>().map_err(|error| {
            Failure::Usage(format!("the properties have {error}; choose some with --property"))
        })?;
        let system = build_system(program, alphabet.names(), &check.search)?;
        let searched =
            build_system(program, &[], &SearchPlan { is_concrete: false, ..check.search.clone() })?;
        let mut scheduler = plan.scheduler();
        let simulation = check.search.with_budget(|budget| {
            let plan = SimulationOptions {
                max_steps: usize::try_from(plan.max_steps).unwrap_or(usize::MAX),
                max_runs: plan.max_runs(),
                is_to_ends: plan.is_systematic(),
                fairness: check.search.fairness,
                budget,
            };
            selvedge_model::simulate(&system, &formulas, &mut *scheduler, plan)
        });
        let mut simulation = simulation.map_err(|error| Failure::Usage(error.to_string()))?;
        let violations = std::mem::take(&mut simulation.violations);
        let judged = properties.into_iter().zip(formulas).zip(violations);
        Ok(FileSimulation {
            plan,
            fails_on_deadlock: check.fails_on_deadlock,
            ignores_domain: !searched.has_real_steps(),
            system,
            propositions: alphabet.names().iter().map(ToString::to_string).collect(),
            judged: judged
                .map(|((property, formula), run)| JudgedProperty::new(property, formula, run))
                .collect(),
            simulation,
        })
    }

    /// Was every distinct run made, to its end?
    fn is_complete(&self) -> bool {
        self.plan.is_systematic() && self.simulation.is_complete()
    }

    fn has_failed(&self) -> bool {
        let has_deadlock = self.fails_on_deadlock && self.simulation.deadlocks > 0;
        self.judged.iter().any(JudgedProperty::is_wrong)
            || self.simulation.errors > 0
            || self.simulation.crashed > 0
            || has_deadlock
    }

    fn is_single_run(&self) -> bool {
        self.simulation.runs == 1
    }

    /// Errors, each with its message and the first run that meets it.
    fn errors(&self) -> impl Iterator<Item = (String, &NumberedRun<ActionOf<P>>)> {
        self.simulation.failures.iter().map(|(message, found)| (message.clone(), found))
    }

    /// Crashes, each with its message and the first run that has it.
    fn crashes(&self) -> impl Iterator<Item = (String, &NumberedRun<ActionOf<P>>)> {
        self.simulation.crashes.iter().map(|(text, found)| (format!("crash: {text}"), found))
    }

    /// The limit that was reached.
    fn limit(&self) -> Option<ReachedLimit> {
        self.simulation.limit.map(|limit| ReachedLimit::new(limit, self.system.first_cut()))
    }

    /// The first deadlocked run, with its description.
    fn deadlocks(&self) -> impl Iterator<Item = (String, &NumberedRun<ActionOf<P>>)> {
        let describe =
            |found: &NumberedRun<ActionOf<P>>| trace_table::describe_deadlock(&self.system, &found.path);
        self.simulation.deadlock.iter().map(move |found| (describe(found), found))
    }
}

impl<P: Program> JudgedProperty<P> {
    fn new(
        property: Property<P::Atom>,
        formula: Formula<Prop>,
        violation: Option<NumberedRun<ActionOf<P>>>,
    ) -> JudgedProperty<P> {
        let verdict = violation.map_or(SimulatedVerdict::NoViolation, SimulatedVerdict::Violated);
        JudgedProperty { property, formula, verdict }
    }

    fn is_expected_violated(&self) -> bool {
        self.property.expect == Some(Expect::Violated)
    }

    /// Does a run violate the property against its `expect`?
    fn is_wrong(&self) -> bool {
        matches!(self.verdict, SimulatedVerdict::Violated(_)) && !self.is_expected_violated()
    }

    fn violation(&self) -> Option<&NumberedRun<ActionOf<P>>> {
        match &self.verdict {
            SimulatedVerdict::Violated(found) => Some(found),
            SimulatedVerdict::NoViolation => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::toy::{Toy, plan};
    use selvedge_lang::Confirmation;
    use serde_json::Value;

    fn simulate(toy: &Toy) -> (Value, FileSummary) {
        let plan = plan(&["--simulate=systematic", "--format=json"]);
        let (source, mut output) = (Source::new("toy.erl", ""), Vec::new());
        let simulation = plan.simulation.as_ref().expect("a simulation");
        let command = SimulateModel { source: &source, plan: &plan, simulation, output: &mut output };
        let summary = command.run(toy.clone()).unwrap_or_else(|failure| panic!("{failure:?}"));
        (serde_json::from_slice(&output).expect("JSON"), summary)
    }

    #[test]
    fn a_simulation_that_a_bound_cut_proves_nothing() {
        let toy = Toy { cut_off: Some(2), ..Toy::new(&[(0, 0, 1), (0, 1, 2)], &[]) };
        let (object, summary) = simulate(&toy);
        assert!(!summary.is_proof && !summary.has_failed);
        let figures = &object["simulation"];
        assert_eq!((&figures["complete"], &figures["limit"]), (&false.into(), &"distance".into()));
        assert_eq!(figures["detail"], "line 12: node 2 is too far away");
    }

    #[test]
    fn a_crash_is_listed_with_the_first_run_up_to_it() {
        let toy = Toy { crash: Some((0, 1)), ..Toy::new(&[(0, 0, 1), (1, 1, 2)], &[]) };
        let (object, summary) = simulate(&toy);
        assert!(summary.has_failed);
        let crash = &object["crashes"][0];
        assert_eq!(
            (&crash["message"], &crash["run"]),
            (&"crash: 0 exits with badarith, line 3".into(), &1.into())
        );
        assert_eq!(crash["path"].as_array().map(Vec::len), Some(2));
        assert_eq!(object["simulation"]["crashed"], 1);
    }

    #[test]
    fn a_simulation_takes_real_steps_under_an_abstract_domain() {
        let toy = Toy {
            confirmation: Some(Confirmation::Spurious { is_refuted: true }),
            ..Toy::new(&[(0, 0, 1)], &[])
        };
        assert!(simulate(&toy).1.is_proof);
    }
}
