//! `selvedge check --debug`: a run that violates a property, opened in the debugger.
//!
//! The states are those of the debugger, without reduction, so that the cycle of the run is one there too.

use super::arguments::FrontEnd;
use super::{open, program_model, refuse};
use crate::check::{SearchPlan, decide_property};
use crate::failure::{Failure, Outcome};
use selvedge_lang::{Program, Property};
use selvedge_ltl::source::Source;
use selvedge_model::Verdict;
use std::io::Write;

/// Opens the counterexample of the first of these properties that has one.
pub(crate) fn open_counterexample<P: Program>(
    program: P,
    properties: &[Property<P::Atom>],
    source: &Source,
    search: &SearchPlan,
    front_end: &FrontEnd,
    output: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let search = SearchPlan { is_exact: true, is_reduced: false, ..search.clone() };
    let mut limited = None;
    for property in properties {
        let decision = decide_property(&program, property, &search)?;
        match &decision.report.verdict {
            Verdict::Violated(run) | Verdict::MayBeViolated(run) => {
                let title = format!("counterexample of {}", property.name);
                let target = program_model::target(program, source)?;
                let target = target.with_run(&decision.system, run, title).map_err(refuse)?;
                return open(Box::new(target), front_end, output);
            }
            Verdict::Holds => {}
            Verdict::Limit(_) => limited = Some(&property.name),
        }
    }
    match limited {
        Some(name) => Err(Failure::Limit(format!("{name} has no counterexample so far"))),
        None => Err(Failure::Usage("every property holds: there is no counterexample to open".to_owned())),
    }
}
