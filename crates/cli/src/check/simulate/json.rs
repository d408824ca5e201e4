//! The simulated runs of a file as one JSON object.

use super::{FileSimulation, JudgedProperty, SimulatedVerdict, final_states};
use crate::check::rendered_run::run_json;
use crate::check::told_run::SystemRun;
use crate::model_file::ActionOf;
use selvedge_lang::Program;
use selvedge_model::{Counterexample, NumberedRun};
use serde_json::{Value, json};

impl<P: Program> FileSimulation<'_, P> {
    pub(super) fn json(&self, file: &str) -> Value {
        let simulation = &self.simulation;
        let first = simulation.first.as_ref().filter(|_| self.is_single_run());
        json!({
            "file": file,
            "simulation": self.figures_json(),
            "ends": self.plan.is_systematic().then(|| final_states::json(&self.system, simulation)),
            "properties": self.judged.iter().map(|judged| self.property_json(judged)).collect::<Vec<_>>(),
            "deadlocks": self.deadlocks().map(|failure| self.failure_json(failure)).collect::<Vec<_>>(),
            "errors": self.errors().map(|failure| self.failure_json(failure)).collect::<Vec<_>>(),
            "crashes": self.crashes().map(|failure| self.failure_json(failure)).collect::<Vec<_>>(),
            "path": first.map(|run| self.run_json(run)["prefix"].clone()),
        })
    }

    fn figures_json(&self) -> Value {
        let simulation = &self.simulation;
        json!({
            "scheduler": self.plan.scheduler.spelling(),
            "seed": self.plan.used_seed(),
            "runs": simulation.runs,
            "max_steps": self.plan.max_steps,
            "steps": simulation.steps,
            "states": simulation.states.len(),
            "ended": simulation.ended,
            "deadlocks": simulation.deadlocks,
            "errors": simulation.errors,
            "crashed": simulation.crashed,
            "limit": self.limit().map(|limit| limit.name()),
            "detail": self.limit().and_then(|limit| limit.detail()),
            "cut": simulation.cut,
            "idle": simulation.idle,
            "complete": self.is_complete(),
            "ignores_domain": self.ignores_domain,
        })
    }

    fn property_json(&self, judged: &JudgedProperty<P>) -> Value {
        let violation = judged.violation();
        json!({
            "name": judged.property.name,
            "formula": judged.property.text(),
            "unfolded": judged.property.formula.to_string(),
            "verdict": verdict_name(&judged.verdict),
            "as_expected": violation.map(|_| judged.is_expected_violated()),
            "run": violation.map(|found| found.run),
            "counterexample": violation.map(|found| self.run_json(&found.path)),
        })
    }

    fn failure_json(&self, (message, found): (String, &NumberedRun<ActionOf<P>>)) -> Value {
        json!({"message": message, "run": found.run, "path": self.run_json(&found.path)["prefix"]})
    }

    fn run_json(&self, run: &Counterexample<ActionOf<P>>) -> Value {
        run_json(&SystemRun::new(&self.system, run, []))
    }
}

fn verdict_name<A>(verdict: &SimulatedVerdict<A>) -> &'static str {
    match verdict {
        SimulatedVerdict::Violated(_) => "violated",
        SimulatedVerdict::NoViolation => "no-violation",
    }
}
