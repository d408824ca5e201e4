//! Runs that are made once more, by their choices: the simplest of an exploration, or those of a checkpoint. They are not counted.

use super::child_process::ChildProcess;
use super::ended::{body_result, outcome};
use super::exploration::{Body, RunContext, new_execution};
use super::pool::{self, After};
use super::worker::gives_up;
use super::{Options, Outcome, Strategy, failure};
use crate::control::{Driver, Execution, exception};
use selvedge_explore::schedulers::Follow;
use selvedge_explore::{EventId, RunEnd, Stepper, run};
use std::cell::Cell;
use std::fmt::Debug;

/// What is told of a run: the place of its choices in the list, how it ended (nothing where the choices could not be followed to its end),
/// and where it can still be looked at.
pub(super) type Visit<'v, T> = dyn FnMut(usize, Option<Outcome<T>>, &Execution) + Send + 'v;

/// Makes the run of each list of choices.
pub(super) fn remake<T>(
    options: &Options,
    context: &RunContext,
    body: Body<'_, T>,
    choices: &[Vec<EventId>],
    visit: &mut Visit<'_, T>,
) where
    T: Ord + Clone + Debug + Send + 'static,
{
    let mut next = 0;
    while next < choices.len() {
        // A thread of the operating system that is broken by a run is left behind, as in the exploration itself.
        let work = pool::run(|| {
            let execution = new_execution(options, context);
            let child = context.notice.clone();
            let child = child.map(|notice| ChildProcess::new(notice, &context.name, options.patience));
            Again { child, max_steps: options.max_steps }.run(&execution, body, choices, &mut next, visit);
            let is_broken = execution.state.borrow().is_broken;
            ((), if is_broken { After::Leave } else { After::Stay })
        });
        if let Err(payload) = work {
            exception::again(payload);
        }
    }
}

/// Makes one run in full, in a child process first if that is wanted.
pub(super) fn make_run<B: Fn(&Execution)>(
    child: &mut Option<ChildProcess>,
    driver: &mut Driver<'_, B>,
    strategy: &mut Strategy,
    max_steps: usize,
) -> RunEnd {
    if let Some(child) = child {
        return child.run(driver, strategy, max_steps);
    }
    driver.restart();
    run(driver, strategy, max_steps, &mut &driver.execution.trace)
}

/// How runs are made once more.
pub(super) struct Again {
    pub(super) child: Option<ChildProcess>,
    pub(super) max_steps: usize,
}

impl Again {
    /// Makes all that are left, or as many as this thread of the operating system survives.
    pub(super) fn run<T: Ord + Clone + Debug + Send + 'static>(
        mut self,
        execution: &Execution,
        body: Body<'_, T>,
        choices: &[Vec<EventId>],
        next: &mut usize,
        visit: &mut Visit<'_, T>,
    ) {
        let result: Cell<Option<std::thread::Result<T>>> = Cell::new(None);
        let mut driver = Driver::new(execution, |execution: &Execution| {
            execution.spawn(None, 0, || result.set(Some(body_result(body))));
        });
        while let Some(list) = choices.get(*next) {
            result.set(None);
            execution.spins_freely.set(gives_up(list.iter().copied()));
            let mut strategy = Strategy::custom(Follow::new(list.clone()));
            let end = make_run(&mut self.child, &mut driver, &mut strategy, self.max_steps);
            execution.spins_freely.set(false);
            let found = outcome(execution, end, result.take()).ok().filter(|_| end != RunEnd::GivenUp);
            execution.heartbeat.rest();
            let kind = found.as_ref().map_or("given up", failure::kind);
            execution.state.borrow_mut().ended_as = kind;
            visit(*next, found, execution);
            *next += 1;
            match &mut self.child {
                Some(child) => child.tear_down(execution),
                None => execution.tear_down(),
            }
            if execution.state.borrow().is_broken {
                return;
            }
        }
    }
}
