//! Known runs, made once more by their choices: the witnesses of an exploration, or those of a checkpoint.
//! They are not counted as executions.

use super::context::RunContext;
use super::pool::{self, ThreadState};
use super::run_once::{Body, RunSettings, with_runner};
use super::worker::{has_deadline_choice, has_give_up_choice};
use crate::control::{Execution, exception};
use crate::explorer::api::{Options, Outcome, Strategy, Value};
use crate::explorer::child_process::ChildProcess;
use selvedge_explore::schedulers::Follow;
use selvedge_explore::{EventId, RunEnd};

/// Is called after each run with the index of its choices, the outcome (`None` if the choices could not be
/// followed to the end), and the execution.
pub(super) type Visit<'v> = dyn FnMut(usize, Option<Outcome<Value>>, &Execution) + Send + 'v;

/// Makes the run of each list of choices.
pub(super) fn remake(
    options: &Options,
    context: &RunContext,
    body: Body<'_>,
    choices: &[Vec<EventId>],
    visit: &mut Visit<'_>,
) {
    let mut next = 0;
    while next < choices.len() {
        // A run may break its thread of the operating system, as in the exploration itself. Then another
        // thread continues.
        let work = pool::run(|| {
            let execution = context.new_execution(options);
            let child = context.new_child_process(options);
            remake_here(options, &execution, child, body, (choices, &mut next), visit);
            let is_broken = execution.state.borrow().is_broken;
            ((), if is_broken { ThreadState::Broken } else { ThreadState::Reusable })
        });
        if let Err(payload) = work {
            exception::rethrow(payload);
        }
    }
}

/// Makes the runs from `next` on in this execution, until a run breaks the thread of the operating system.
pub(super) fn remake_here(
    options: &Options,
    execution: &Execution,
    child: Option<ChildProcess>,
    body: Body<'_>,
    (choices, next): (&[Vec<EventId>], &mut usize),
    visit: &mut Visit<'_>,
) {
    with_runner(execution, body, child, |runner| {
        while let Some(list) = choices.get(*next)
            && !runner.is_broken()
        {
            let settings = RunSettings {
                max_steps: options.max_steps,
                unroll_bound: options.round.unroll_bound(),
                daemon_bound: options.round.daemon_bound(),
                spins_freely: has_give_up_choice(list.iter().copied()),
                keeps_time: has_deadline_choice(list.iter().copied()),
                may_be_light: false,
            };
            let mut strategy = Strategy::custom(Follow::new(list.clone()));
            let run = runner.run_once(&mut strategy, settings, |_, run| {
                visit(*next, Some(run.outcome).filter(|_| run.end != RunEnd::GivenUp), run.execution);
            });
            if run.judgement.is_err() {
                visit(*next, None, execution);
            }
            *next += 1;
        }
    });
}
