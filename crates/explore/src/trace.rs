//! The trace of a run: its steps in order, with the names of threads and objects.
//!
//! The short form is that of Déjà Fu (Walker's thesis, §5.8.1): `S0---P1--S0-`. A letter marks each context
//! switch: `S` if the thread before had ended or was blocked, `p` if it had yielded, `P` if it was
//! pre-empted; a dash is a step. Threads are written by their paths ([`RunThreads`]): `1.2` is the second
//! child of thread 1. A commit is written as its phantom, `c` and the thread that owns the store (`c0/2`:
//! from store buffer 2 of thread 0). A commit is no context switch: in `S0--c1-` thread 0 continues after
//! the commit of a store of thread 1.

mod fold;
mod grid;
mod overview;
mod read;
mod recording;
mod table;
mod words;
mod write;

pub use overview::{Endings, Overview, abridged, write_abridged};
pub use read::FormatError;
pub(crate) use read::read_thread;
pub use recording::{
    PropositionChange, RecordedAccess, RecordedEnding, RecordedFormula, RecordedState, RecordedStep,
    Recording, VerdictPlace,
};
pub use table::Table;
pub use write::RecordingWriter;

use crate::event::{Event, Site};
use crate::ids::{EventId, ObjectId, ThreadId};
use crate::light::{Candidate, LightEvent};
use crate::thread_tree::{RunThreads, as_spawn};
use std::fmt;

/// The version of written trace files. Older versions stay readable.
pub const VERSION: u32 = 2;

/// The first word of a trace file.
const MAGIC: &str = "selvedge-trace";

/// The context switch between a step and the step before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Switch {
    /// None: the same thread continues.
    Same,
    /// The first step, or the thread before was not enabled.
    Start,
    /// The thread before had yielded.
    Yielded,
    /// The thread before was enabled: a pre-emption.
    Preempt,
    /// The step is a commit. The step after it is compared with the step before it.
    Commit,
}

/// The last step that was no commit: the next step is a context switch from its thread.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PreviousStep {
    thread: Option<ThreadId>,
    has_yielded: bool,
}

impl PreviousStep {
    /// Records an executed event.
    #[inline]
    pub(crate) fn record(&mut self, event: &impl Candidate) {
        if !event.thread().is_phantom() {
            self.thread = Some(event.thread());
            self.has_yielded = event.counts_as_yield();
        }
    }

    /// The context switch to a step of this thread, if these events are enabled.
    #[inline]
    pub(crate) fn switch_to(&self, thread: ThreadId, enabled: &[impl Candidate]) -> Switch {
        if thread.is_phantom() {
            return Switch::Commit;
        }
        let Some(before) = self.thread else { return Switch::Start };
        if before == thread {
            return Switch::Same;
        }
        let is_enabled = enabled.iter().any(|event| event.thread() == before);
        match (is_enabled, self.has_yielded) {
            (false, _) => Switch::Start,
            (true, true) => Switch::Yielded,
            (true, false) => Switch::Preempt,
        }
    }
}

/// One step of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The executed event.
    pub event: Event,
    /// The context switch from the step before.
    pub switch: Switch,
}

impl Step {
    /// A step of a light run.
    pub(crate) fn light((light, switch): (LightEvent, Switch)) -> Step {
        Step { event: light.event(), switch }
    }

    /// Its part of the short form.
    fn write_short(&self, out: &mut dyn fmt::Write, write_label: &WriteLabel<'_>) -> fmt::Result {
        let letter = match self.switch {
            Switch::Same => return write!(out, "-"),
            Switch::Commit => "",
            Switch::Start => "S",
            Switch::Yielded => "p",
            Switch::Preempt => "P",
        };
        write!(out, "{letter}")?;
        write_label(self.event.thread(), out)?;
        write!(out, "{}", if self.switch == Switch::Commit { "" } else { "-" })
    }
}

/// Writes the label of a thread or a phantom: see [`RunThreads::label`].
pub type WriteLabel<'w> = dyn Fn(ThreadId, &mut dyn fmt::Write) -> fmt::Result + 'w;

/// Writes the short form of these steps. Does not allocate, if the labels do not.
///
/// # Errors
/// If the output fails.
pub fn write_short_form(
    out: &mut dyn fmt::Write,
    steps: impl Iterator<Item = Step>,
    write_label: &WriteLabel<'_>,
) -> fmt::Result {
    let mut steps = steps;
    steps.try_for_each(|step| step.write_short(out, write_label))
}

/// A run: its steps, and the names of its threads and objects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    steps: Vec<Step>,
    /// The steps of a light run, until they are expanded.
    light_steps: Vec<(LightEvent, Switch)>,
    preemptions: usize,
    /// The threads' names by number; empty for a thread of other runs, and if threads have no names.
    pub threads: Vec<String>,
    /// The objects' names by number; empty if they have none.
    pub objects: Vec<String>,
    /// The last state of each thread; empty if it was not recorded.
    pub endings: Vec<Ending>,
    /// The values that each step read or wrote, as text; empty if they were not recorded.
    pub values: Vec<String>,
    /// The accesses of a data race. They are not steps themselves.
    pub racing_accesses: Vec<RacingAccess>,
    /// The formulas that the run was judged by, and where it violates them.
    pub formulas: Vec<RecordedFormula>,
}

/// An access of a data race, between two steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RacingAccess {
    /// The number of steps that had begun before the access.
    pub after: usize,
    /// The thread.
    pub thread: ThreadId,
    /// The access as text, such as `write`.
    pub action: &'static str,
    /// The object.
    pub object: ObjectId,
    /// The place in the source.
    pub site: Site,
}

/// The state of a thread at the end of its run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The thread.
    pub id: ThreadId,
    /// The thread's name.
    pub thread: String,
    /// The state as text: `waits for mutex#1, held by main`.
    pub state: String,
    /// The place in the source.
    pub site: Site,
    /// Why the thread made no progress; `None` for a thread that has ended or is enabled.
    pub stall: Option<Stall>,
}

/// Why a thread makes no progress at the end of its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stall {
    /// It is blocked: it waits for a lock, a message, another thread. A run that ends so is a deadlock.
    Blocked,
    /// It spins at a yield, and no other thread changes what it reads. A run that ends so is a livelock.
    Spinning,
}

impl Trace {
    /// Removes all steps and names, and keeps the memory.
    pub fn clear(&mut self) {
        self.steps.clear();
        self.light_steps.clear();
        self.preemptions = 0;
        self.threads.clear();
        self.objects.clear();
        self.endings.clear();
        self.values.clear();
        self.racing_accesses.clear();
        self.formulas.clear();
    }

    /// Frees memory beyond that for so many steps.
    pub fn shrink_to(&mut self, steps: usize) {
        self.steps.shrink_to(steps);
        self.light_steps.shrink_to(steps);
    }

    /// The steps in order; none for a light run.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The steps in order, those of a light run as far as [`LightEvent::event`] knows them. Does not
    /// allocate.
    pub fn all_steps(&self) -> impl Iterator<Item = Step> {
        self.steps.iter().copied().chain(self.light_steps.iter().copied().map(Step::light))
    }

    /// The number of steps.
    pub fn len(&self) -> usize {
        self.steps.len() + self.light_steps.len()
    }

    /// Has it no steps?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Is this a light run? Then only [`Trace::choices`], the number of steps and the context switches are
    /// known.
    pub fn is_light(&self) -> bool {
        !self.light_steps.is_empty()
    }

    /// Turns light steps into steps, as far as [`LightEvent::event`] knows them.
    pub fn expand_light_steps(&mut self) {
        self.steps.extend(self.light_steps.drain(..).map(Step::light));
    }

    /// Adds a step.
    #[inline]
    pub fn push(&mut self, event: Event, switch: Switch) {
        self.preemptions += usize::from(switch == Switch::Preempt);
        self.steps.push(Step { event, switch });
    }

    /// Removes the steps after the first so many.
    pub fn truncate(&mut self, steps: usize) {
        let removed = self.steps.drain(steps.min(self.steps.len())..);
        self.preemptions -= removed.filter(|step| step.switch == Switch::Preempt).count();
    }

    /// The trace of a light run.
    pub(crate) fn light(light_steps: Vec<(LightEvent, Switch)>, preemptions: usize) -> Trace {
        Trace { light_steps, preemptions, ..Trace::default() }
    }

    /// Takes the list of light steps, to reuse its memory.
    pub(crate) fn take_light_steps(&mut self) -> Vec<(LightEvent, Switch)> {
        std::mem::take(&mut self.light_steps)
    }

    /// The context switch to a step of this thread, if these events are enabled.
    #[inline]
    pub fn switch_to(&self, thread: ThreadId, enabled: &[Event]) -> Switch {
        let mut previous = PreviousStep::default();
        let step = self.steps.iter().rev().find(|step| step.switch != Switch::Commit);
        step.into_iter().for_each(|step| previous.record(&step.event));
        previous.switch_to(thread, enabled)
    }

    /// The choices that reproduce the run, in the same exploration; in another one
    /// [`Follow::of_run`](crate::schedulers::Follow::of_run) does.
    pub fn choices(&self) -> impl Iterator<Item = EventId> {
        let light_steps = self.light_steps.iter().map(|(light, _)| light.id);
        self.steps.iter().map(|step| step.event.id).chain(light_steps)
    }

    /// The number of pre-emptions: context switches from a thread that was enabled and had not yielded.
    pub fn preemptions(&self) -> usize {
        self.preemptions
    }

    /// The number of context switches. Commits are not counted.
    pub fn switches(&self) -> usize {
        let is_switch = |switch: &Switch| matches!(switch, Switch::Start | Switch::Yielded | Switch::Preempt);
        let light_steps = self.light_steps.iter().map(|(_, switch)| *switch);
        self.steps.iter().map(|step| step.switch).chain(light_steps).filter(is_switch).count()
    }

    /// The complexity of the run: pre-emptions first, then steps.
    pub fn weight(&self) -> (usize, usize) {
        (self.preemptions(), self.len())
    }

    /// The threads of the run, as its spawns show them.
    pub fn run_threads(&self) -> RunThreads {
        let light_steps = self.light_steps.iter().map(|(light, _)| light.event());
        let events = self.steps.iter().map(|step| step.event).chain(light_steps);
        RunThreads::of(events.filter_map(|event| as_spawn(&event)))
    }

    /// The short form.
    pub fn short(&self) -> ShortForm<'_> {
        ShortForm(self)
    }
}

/// Displays the short form of a trace.
#[derive(Clone, Copy)]
pub struct ShortForm<'a>(&'a Trace);

impl fmt::Display for ShortForm<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = self.0.run_threads();
        let write_label = |thread, out: &mut dyn fmt::Write| out.write_str(&threads.label(thread));
        write_short_form(f, self.0.steps.iter().copied(), &write_label)
    }
}
