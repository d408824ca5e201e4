//! `selvedge check --simulate`: some runs instead of all states.
//!
//! One run is told as a story; several are counted, and told where they go wrong. It never says "holds": some runs prove
//! nothing, so without a failure the exit code is that of a limit. `systematic` makes every distinct run, and says where they
//! end (`ends.rs`); if that was all and there is no property, which could tell orders apart that count as one, it is a yes.

use super::chooser::{Chooser, ChooserParser};
use super::verdict::{self, with_budget};
use super::{Format, chosen, ends, progress, story};
use crate::failure::{Failure, Outcome};
use crate::model_file;
use crate::number::{natural, number, positive};
use clap::{Args, ValueEnum};
use selvedge_explore::Scheduler;
use selvedge_explore::schedulers::{Dpor, Pct, Pos, RoundRobin, Swarm, Uniform};
use selvedge_lang::parallel::{Atom, Expect, ParallelSystem, Property};
use selvedge_ltl::{Alphabet, Formula, Prop};
use selvedge_model::{Counterexample, NumberedRun, SimulationOptions, Simulation, System};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;

/// A run that takes more steps is not asked for: all its states are kept.
const MAX_STEPS: u64 = 1_000_000;

const DEFAULT_STEPS: u64 = 1000;

/// So many runs are made by who would make all.
const DEFAULT_SYSTEMATIC_RUNS: u64 = 10_000;

/// Priorities change so often, less one, in a run of `pct`: as its authors recommend for most bugs.
const PCT_DEPTH: usize = 3;

/// The options of a simulation.
#[derive(Args)]
pub(super) struct SimulateArguments {
    /// Walk through some runs instead of searching all states, as this scheduler chooses them; without a name, as
    /// `uniform` does, and then files stand before it. Where a run comes back to a state, going round is judged too, a hundred times a run at most
    #[arg(long, value_name = "SCHEDULER", num_args = 0..=1, default_missing_value = "uniform")]
    #[arg(value_parser = ChooserParser)]
    #[arg(conflicts_with_all = ["max_states", "no_reduction", "compress", "workers"])]
    simulate: Option<Chooser>,

    /// Where chance begins; the same seed gives the same runs [default: 0]
    #[arg(long, value_name = "N", requires = "simulate")]
    #[arg(value_parser = natural::<u64>, allow_negative_numbers = true)]
    seed: Option<u64>,

    /// Make so many runs, or at most so many if systematic [default: 1; systematic 10000]
    #[arg(long, value_name = "N", requires = "simulate")]
    #[arg(value_parser = positive::<u64>, allow_negative_numbers = true)]
    runs: Option<u64>,

    /// Give a run up after so many steps, at most a million [default: 1000]
    #[arg(long, value_name = "N", requires = "simulate")]
    #[arg(value_parser = number::<u64>(1..=MAX_STEPS), allow_negative_numbers = true)]
    steps: Option<u64>,
}

impl SimulateArguments {
    pub(super) fn is_wanted(&self) -> bool {
        self.simulate.is_some()
    }

    fn max_steps(&self) -> u64 {
        self.steps.unwrap_or(DEFAULT_STEPS)
    }

    fn scheduler(&self) -> Result<Box<dyn Scheduler>, Failure> {
        let (seed, runs) = (self.seed.unwrap_or(0), self.runs.unwrap_or(1));
        Ok(match self.simulate.unwrap_or(Chooser::Uniform) {
            Chooser::Uniform => Box::new(Uniform::new(seed, runs)),
            Chooser::Pct => Box::new(Pct::new(PCT_DEPTH, seed, runs)),
            Chooser::Swarm => Box::new(Swarm::new(seed, runs)),
            Chooser::Pos => Box::new(Pos::new(seed, runs)),
            Chooser::RoundRobin if self.seed.is_some() || runs > 1 => {
                let message = "round-robin makes one run, without chance: --seed and --runs are of no use";
                return Err(Failure::Usage(message.to_owned()));
            }
            Chooser::RoundRobin => Box::new(RoundRobin::new()),
            Chooser::Systematic if self.seed.is_some() => {
                let message = "systematic leaves nothing to chance: --seed is of no use";
                return Err(Failure::Usage(message.to_owned()));
            }
            Chooser::Systematic => Box::new(Dpor::new()),
        })
    }

    pub(super) fn is_systematic(&self) -> bool {
        self.simulate == Some(Chooser::Systematic)
    }

    /// Random schedulers know when to stop.
    fn max_runs(&self) -> u64 {
        if self.is_systematic() { self.runs.unwrap_or(DEFAULT_SYSTEMATIC_RUNS) } else { u64::MAX }
    }

    /// The scheduler's name and its seed, if it has one.
    fn named(&self) -> (String, Option<u64>) {
        let chooser = self.simulate.unwrap_or(Chooser::Uniform);
        let name = chooser.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned());
        let has_seed = !matches!(chooser, Chooser::RoundRobin | Chooser::Systematic);
        (name, has_seed.then(|| self.seed.unwrap_or(0)))
    }
}

type Action = <ParallelSystem as System>::Action;

/// The runs through one file.
struct Simulated<'a> {
    arguments: &'a super::Arguments,
    properties: Vec<Property>,
    formulas: Vec<Formula<Prop>>,
    /// The texts of the propositions, by number.
    atoms: Vec<String>,
    system: ParallelSystem,
    met: Simulation<Action>,
}

pub(super) fn run(arguments: &super::Arguments, output: &mut dyn Write) -> Result<Outcome, Failure> {
    let (mut has_failed, mut is_all) = (false, true);
    for file in &arguments.files {
        let simulated = Simulated::new(file, arguments)?;
        progress::clear();
        let name = file.display().to_string();
        match arguments.format {
            Format::Json => writeln!(output, "{}", simulated.json(&name))?,
            Format::Text => simulated.write(&name, output)?,
        }
        has_failed |= simulated.has_failed();
        is_all &= simulated.is_all() && simulated.properties.is_empty();
    }
    if has_failed {
        return Ok(Outcome::No);
    }
    if is_all {
        return Ok(Outcome::Yes);
    }
    Err(Failure::Limit("some runs are not all runs; nothing went wrong on these".to_owned()))
}

impl<'a> Simulated<'a> {
    fn new(file: &Path, arguments: &'a super::Arguments) -> Result<Simulated<'a>, Failure> {
        let source = model_file::read(file)?;
        let program = model_file::load(&source, &arguments.settings)?;
        let properties = chosen(&program, &source, arguments)?;
        let mut alphabet: Alphabet<Atom> = Alphabet::default();
        let numbered = properties.iter().map(|property| alphabet.number(&property.formula));
        let formulas: Vec<_> = numbered.collect::<Result<_, _>>().map_err(|error| {
            Failure::Usage(format!("the properties have {error}; choose some with --property"))
        })?;
        let system = verdict::system(&program, alphabet.names(), arguments)?;
        let mut scheduler = arguments.simulation.scheduler()?;
        let max_steps = usize::try_from(arguments.simulation.max_steps()).unwrap_or(usize::MAX);
        let met = with_budget(arguments, |budget| {
            let plan = SimulationOptions {
                max_steps,
                max_runs: arguments.simulation.max_runs(),
                is_to_ends: arguments.simulation.is_systematic(),
                fairness: arguments.fairness(),
                budget,
            };
            selvedge_model::simulate(&system, &formulas, &mut *scheduler, plan)
        });
        let met = met.map_err(|error| Failure::Usage(error.to_string()))?;
        let atoms = alphabet.names().iter().map(ToString::to_string).collect();
        Ok(Simulated { arguments, properties, formulas, atoms, system, met })
    }

    /// Was every distinct run made, to its end?
    fn is_all(&self) -> bool {
        self.arguments.simulation.is_systematic() && self.met.is_complete()
    }

    fn has_failed(&self) -> bool {
        let mut violated = self.properties.iter().zip(&self.met.violations);
        let is_wrong =
            violated.any(|(property, found)| found.is_some() && property.expect != Some(Expect::Violated));
        is_wrong || self.met.errors > 0 || (self.arguments.deadlock && self.met.deadlocks > 0)
    }

    /// Properties with the run that violates them, deadlocks, errors: what was met first of each.
    fn write(&self, name: &str, output: &mut dyn Write) -> Result<(), Failure> {
        writeln!(output, "{name}\n  {}", self.summary())?;
        let width = self.properties.iter().map(|property| property.name.chars().count()).max().unwrap_or(0);
        let judged = || self.properties.iter().zip(&self.met.violations);
        for (property, found) in judged() {
            writeln!(output, "  {:width$}  {}", property.name, self.line(property, found.as_ref()))?;
        }
        if self.arguments.simulation.is_systematic() {
            ends::write(&self.system, &self.met, output)?;
        }
        if self.is_told_whole() && self.met.failures.is_empty() && self.met.deadlock.is_none() {
            writeln!(output, "\nthe run:")?;
            self.tell(self.met.first.as_ref(), !0, output)?;
        }
        for ((property, found), formula) in judged().zip(&self.formulas) {
            let Some(found) = found else { continue };
            // Going round is what the run could have done; it went on.
            let goes_round = !found.path.cycle.is_empty() && !found.path.ends();
            let how = if goes_round { "is violated by going round in" } else { "is violated by" };
            let run = self.ordinal(found);
            writeln!(output, "\n{}: {}\n  {how} {run}:", property.name, property.formula)?;
            let mut props = 0;
            formula.propositions(&mut |prop| props |= prop.bit());
            self.tell(Some(&found.path), props, output)?;
        }
        for (message, found) in self.errors().chain(self.deadlocks()) {
            writeln!(output, "\n{message}, in {}:", self.ordinal(found))?;
            self.tell(Some(&found.path), !0, output)?;
        }
        Ok(())
    }

    /// What was done, in one line.
    fn summary(&self) -> String {
        let Simulation { runs, steps, ended, deadlocks, errors, states, limit, .. } = &self.met;
        let (scheduler, seed) = self.arguments.simulation.named();
        let mut text = scheduler;
        if let Some(seed) = seed {
            text += &format!(", seed {seed}");
        }
        text += &format!(
            ": {}, {}, {}",
            counted(*runs, "run"),
            counted(*steps, "step"),
            counted(states.len() as u64, "distinct state")
        );
        for (count, what) in [(*ended, "ended"), (*deadlocks, "deadlocked"), (*errors, "went wrong")] {
            if count > 0 {
                text += &format!("; {count} {what}");
            }
        }
        if let Some(limit) = limit {
            text += &format!("; stopped by the limit of {limit}");
        }
        if self.arguments.simulation.is_systematic() {
            text += &ends::completeness(&self.met);
        }
        text
    }

    /// What the runs say of a property.
    fn line(&self, property: &Property, found: Option<&NumberedRun<Action>>) -> String {
        match (found, property.expect) {
            (Some(found), Some(Expect::Violated)) => {
                format!("violated, as expected, by {}", self.ordinal(found))
            }
            (Some(found), _) => format!("VIOLATED by {}", self.ordinal(found)),
            (None, _) => {
                let steps = counted(self.arguments.simulation.max_steps(), "step");
                format!("no violation in {} of at most {steps}", counted(self.met.runs, "run"))
            }
        }
    }

    fn is_told_whole(&self) -> bool {
        self.met.runs == 1
    }

    fn ordinal(&self, found: &NumberedRun<Action>) -> String {
        if self.is_told_whole() { "the run".to_owned() } else { format!("run {}", found.run) }
    }

    /// The run, with those of the propositions that the mask has.
    fn tell(
        &self,
        run: Option<&Counterexample<Action>>,
        props: u64,
        output: &mut dyn Write,
    ) -> Result<(), Failure> {
        let Some(run) = run else { return Ok(()) };
        let all = (0..).map(Prop).zip(self.atoms.iter().map(String::as_str));
        let atoms: Vec<_> = all.filter(|(prop, _)| props & prop.bit() != 0).collect();
        Ok(story::write_shortly(&self.system, run, &atoms, output)?)
    }

    fn errors(&self) -> impl Iterator<Item = (String, &NumberedRun<Action>)> {
        self.met.failures.iter().map(|(message, found)| (message.clone(), found))
    }

    fn deadlocks(&self) -> impl Iterator<Item = (String, &NumberedRun<Action>)> {
        self.met.deadlock.iter().map(|found| (story::deadlock(&self.system, &found.path), found))
    }

    fn json(&self, file: &str) -> Value {
        let run = |run: &Counterexample<Action>| verdict::value(&self.system, run);
        let property = |(property, found): (&Property, &Option<NumberedRun<Action>>)| {
            let is_expected = property.expect == Some(Expect::Violated);
            json!({
                "name": property.name,
                "formula": property.formula.to_string(),
                "verdict": if found.is_some() { "violated" } else { "no-violation" },
                "as_expected": found.as_ref().map(|_| is_expected),
                "run": found.as_ref().map(|found| found.run),
                "counterexample": found.as_ref().map(|found| run(&found.path)),
            })
        };
        let ends = |(message, found): (String, &NumberedRun<Action>)| json!({"message": message, "run": found.run, "path": run(&found.path)["prefix"]});
        let met = &self.met;
        let (scheduler, seed) = self.arguments.simulation.named();
        json!({
            "file": file,
            "simulation": {
                "scheduler": scheduler, "seed": seed, "runs": met.runs,
                "max_steps": self.arguments.simulation.max_steps(), "steps": met.steps,
                "states": met.states.len(), "ended": met.ended, "deadlocks": met.deadlocks,
                "errors": met.errors, "limit": met.limit.map(|limit| limit.to_string()),
                "cut": met.cut, "idle": met.idle, "complete": self.is_all(),
            },
            "ends": self.arguments.simulation.is_systematic().then(|| ends::json(&self.system, met)),
            "properties": self.properties.iter().zip(&met.violations).map(property).collect::<Vec<_>>(),
            "deadlocks": self.deadlocks().map(ends).collect::<Vec<_>>(),
            "errors": self.errors().map(ends).collect::<Vec<_>>(),
            "path": met.first.as_ref().filter(|_| self.is_told_whole()).map(|path| run(path)["prefix"].clone()),
        })
    }
}

/// `1 run`, `2 runs`
pub(super) fn counted(count: u64, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}
