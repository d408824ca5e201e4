//! Runs that may not be real: whether the program confirms them.

use super::rendered_run::{RenderedRun, Replay};
use super::search_plan::SearchPlan;
use super::told_run::SystemRun;
use crate::failure::Failure;
use crate::model_file::ActionOf;
use selvedge_lang::{Confirmation, Program, ProgramSystem, Suspicion};
use selvedge_ltl::Prop;
use selvedge_model::{Counterexample, System};

/// Why a run may not show what it seems to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Doubt {
    /// No run of the program takes these steps, and none was found that shows the same.
    Spurious {
        /// Was the search for another one complete?
        is_refuted: bool,
    },
    /// Not known, for this reason.
    Unknown(String),
}

impl Doubt {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Doubt::Spurious { .. } => "spurious",
            Doubt::Unknown(_) => "unknown",
        }
    }

    /// A sentence about the run.
    pub(super) fn detail(&self) -> String {
        match self {
            Doubt::Spurious { is_refuted: true } => {
                "no concrete run follows it, and no other one shows the same".to_owned()
            }
            Doubt::Spurious { is_refuted: false } => {
                "no concrete run follows it, and no other one was found before a limit".to_owned()
            }
            Doubt::Unknown(reason) => reason.clone(),
        }
    }
}

/// A run of the system that seems to show something: the run to print, and the doubt about it. A run of real
/// steps is taken as it is.
pub(super) fn examine<P: Program>(
    program: &P,
    system: &P::System,
    (run, propositions): (&Counterexample<ActionOf<P>>, &[String]),
    suspicion: Suspicion<'_, P::Atom>,
    plan: &SearchPlan,
) -> Result<(RenderedRun, Option<Doubt>), Failure> {
    let forgotten = <P::System as ProgramSystem>::FORGOTTEN;
    let propositions = (0..).map(Prop).zip(propositions.iter().map(String::as_str));
    let own = || {
        let run = SystemRun::new(system, run, propositions.clone());
        RenderedRun::new(&run, None, forgotten, plan.format)
    };
    if system.has_real_steps() {
        return Ok((own()?, None));
    }
    Ok(match plan.with_budget(|budget| program.confirm(system, run, suspicion, budget)) {
        Confirmation::Real { run, follows } => {
            let replay = Some(if follows { Replay::Follows } else { Replay::Another });
            (RenderedRun::new(&run, replay, forgotten, plan.format)?, None)
        }
        Confirmation::Spurious { is_refuted } => (own()?, Some(Doubt::Spurious { is_refuted })),
        Confirmation::Unknown(reason) => (own()?, Some(Doubt::Unknown(reason))),
    })
}
