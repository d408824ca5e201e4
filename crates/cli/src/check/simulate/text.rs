//! The simulated runs of a file as text.

use super::{FileSimulation, JudgedProperty, SimulatedVerdict, final_states};
use crate::check::told_run::SystemRun;
use crate::check::trace_table;
use crate::failure::Failure;
use crate::model_file::ActionOf;
use crate::phrases::format_count;
use selvedge_lang::{Program, ProgramSystem};
use selvedge_ltl::Prop;
use selvedge_model::{Counterexample, NumberedRun, Simulation};
use std::io::Write;

/// All propositions, as a mask.
const ALL_PROPOSITIONS: u64 = !0;

impl<P: Program> FileSimulation<'_, P> {
    /// Writes a line for each property, then the first run of each violation, error and deadlock.
    pub(super) fn write_text(&self, file: &str, output: &mut dyn Write) -> Result<(), Failure> {
        writeln!(output, "{file}\n  {}", self.summary())?;
        if self.ignores_domain {
            writeln!(output, "  values are concrete in simulated runs: the domain is not used")?;
        }
        let names = self.judged.iter().map(|judged| judged.property.name.chars().count());
        let width = names.max().unwrap_or(0);
        for judged in &self.judged {
            writeln!(output, "  {:width$}  {}", judged.property.name, self.describe_verdict(judged))?;
        }
        if self.plan.is_systematic() {
            final_states::write(&self.system, &self.simulation, output)?;
        }
        // A single run that fails is shown below, with its failure.
        let Simulation { failures, crashes, deadlock, .. } = &self.simulation;
        let has_failed = !failures.is_empty() || !crashes.is_empty() || deadlock.is_some();
        let single = self.simulation.first.as_ref().filter(|_| self.is_single_run() && !has_failed);
        if let Some(run) = single {
            writeln!(output, "\nthe run:")?;
            self.write_run(run, ALL_PROPOSITIONS, output)?;
        }
        for judged in &self.judged {
            self.write_violation(judged, output)?;
        }
        for (message, found) in self.errors().chain(self.crashes()).chain(self.deadlocks()) {
            writeln!(output, "\n{message}, in {}:", self.name_run(found))?;
            self.write_run(&found.path, ALL_PROPOSITIONS, output)?;
        }
        Ok(())
    }

    /// Writes the run that violates a property, with the property's own propositions.
    fn write_violation(&self, judged: &JudgedProperty<P>, output: &mut dyn Write) -> Result<(), Failure> {
        let Some(found) = judged.violation() else { return Ok(()) };
        // The run itself left the cycle; repeating it for ever is another run of the model.
        let is_cyclic = !found.path.cycle.is_empty() && !found.path.ends();
        let how = if is_cyclic { "is violated by going round in" } else { "is violated by" };
        let (property, run) = (&judged.property, self.name_run(found));
        writeln!(output, "\n{}: {}\n  {how} {run}:", property.name, property.text())?;
        let mut mask = 0;
        judged.formula.propositions(&mut |prop| mask |= prop.bit());
        self.write_run(&found.path, mask, output)
    }

    /// The figures of the simulation in one line.
    fn summary(&self) -> String {
        let Simulation { runs, steps, ended, deadlocks, errors, crashed, states, .. } = &self.simulation;
        let mut text = self.plan.scheduler.spelling();
        if let Some(seed) = self.plan.used_seed() {
            text += &format!(", seed {seed}");
        }
        text += &format!(
            ": {}, {}, {}",
            format_count(*runs, "run"),
            format_count(*steps, "step"),
            format_count(states.len() as u64, "distinct state")
        );
        let ends = [(*ended, "ended"), (*deadlocks, "deadlocked"), (*errors, "went wrong")];
        for (count, what) in ends.into_iter().chain([(*crashed, "had a crash")]) {
            if count > 0 {
                text += &format!("; {count} {what}");
            }
        }
        if let Some(limit) = self.limit() {
            text += &match limit.advice() {
                None => format!("; {}", limit.how_it_ended()),
                Some(advice) => format!("; some steps cut off by the limit of {}: {advice}", limit.name()),
            };
        }
        if self.plan.is_systematic() {
            text += &final_states::describe_completeness(&self.simulation);
        }
        text
    }

    fn describe_verdict(&self, judged: &JudgedProperty<P>) -> String {
        match &judged.verdict {
            SimulatedVerdict::Violated(found) if judged.is_expected_violated() => {
                format!("violated, as expected, by {}", self.name_run(found))
            }
            SimulatedVerdict::Violated(found) => format!("VIOLATED by {}", self.name_run(found)),
            SimulatedVerdict::NoViolation => {
                let steps = format_count(self.plan.max_steps, "step");
                format!("no violation in {} of at most {steps}", format_count(self.simulation.runs, "run"))
            }
        }
    }

    fn name_run(&self, found: &NumberedRun<ActionOf<P>>) -> String {
        if self.is_single_run() { "the run".to_owned() } else { format!("run {}", found.run) }
    }

    /// Writes the run, with the propositions of the mask.
    fn write_run(
        &self,
        run: &Counterexample<ActionOf<P>>,
        mask: u64,
        output: &mut dyn Write,
    ) -> Result<(), Failure> {
        let all = (0..).map(Prop).zip(self.propositions.iter().map(String::as_str));
        let run = SystemRun::new(&self.system, run, all.filter(|(prop, _)| mask & prop.bit() != 0));
        Ok(trace_table::write(&run, trace_table::MAX_ROWS, P::System::FORGOTTEN, output)?)
    }
}
