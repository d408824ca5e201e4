//! What was done in a run, in order.
//!
//! The short form is that of Déjà Fu (Walker's thesis, §5.2): `S0---P1--S0-`. A letter begins each stretch of one thread:
//! `S` where the thread before was done or blocked, `p` where it had yielded, `P` where it was pre-empted; a dash is a step.
//! A commit is written as its phantom, `c` and the number of the thread whose store it is (`c0.2`: from that thread's buffer number
//! 2), and interrupts nobody: in `S0--c1-` thread 0 goes on after a store of thread 1 has been committed.

mod format;
mod table;

pub use table::Table;

pub(crate) use format::read_thread;
pub use format::{FormatError, RecordedStep, Recording, VERSION};

use crate::event::{Event, Site};
use crate::ids::{EventId, ObjectId, ThreadId};
use crate::light::{Candidate, LightEvent};
use std::fmt;

/// How a step follows the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Switch {
    /// The same thread goes on.
    Same,
    /// The first step, or the thread before could not go on.
    Start,
    /// The thread before let others go first.
    Yielded,
    /// The thread before could have gone on.
    Preempt,
    /// A store is committed. Who goes on after that follows the thread before.
    Commit,
}

/// What the next step follows: the last one that was no commit.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Last {
    thread: Option<ThreadId>,
    yielded: bool,
}

impl Last {
    /// An event is done.
    #[inline]
    pub(crate) fn note(&mut self, event: &impl Candidate) {
        if !event.thread().is_phantom() {
            self.thread = Some(event.thread());
            self.yielded = event.gives_way();
        }
    }

    /// How a step of this thread would follow, where these events are enabled.
    #[inline]
    pub(crate) fn switch_to(&self, thread: ThreadId, enabled: &[impl Candidate]) -> Switch {
        if thread.is_phantom() {
            return Switch::Commit;
        }
        let Some(before) = self.thread else { return Switch::Start };
        if before == thread {
            return Switch::Same;
        }
        let could_go_on = enabled.iter().any(|event| event.thread() == before);
        match (could_go_on, self.yielded) {
            (false, _) => Switch::Start,
            (true, true) => Switch::Yielded,
            (true, false) => Switch::Preempt,
        }
    }
}

/// One step of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// What was done.
    pub event: Event,
    /// How it follows what was before.
    pub switch: Switch,
}

/// A run: its steps, and the names of who and what takes part in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    steps: Vec<Step>,
    /// The steps of a run that was recorded in brief, until they are spelled out.
    light_events: Vec<(LightEvent, Switch)>,
    preemptions: usize,
    /// The threads' names by number; empty where nobody gave them.
    pub threads: Vec<String>,
    /// The objects' names by number; empty where nobody gave them.
    pub objects: Vec<String>,
    /// How far each thread was when the run ended; empty where nobody looked.
    pub endings: Vec<Ending>,
    /// What each step read or wrote, in words; empty where nobody knows.
    pub values: Vec<String>,
    /// What was done beside the steps and matters: the accesses that race.
    pub asides: Vec<Aside>,
}

/// Something that was done between steps, which is no step itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aside {
    /// How many steps had begun by then.
    pub after: usize,
    /// Who did it.
    pub thread: ThreadId,
    /// What: `write`, say.
    pub action: &'static str,
    /// To what.
    pub object: ObjectId,
    /// Where.
    pub site: Site,
}

/// How far a thread was when its run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The thread's name.
    pub thread: String,
    /// In words: `waits for mutex#1, held by main`.
    pub state: String,
    /// Where it was.
    pub site: Site,
    /// Why it cannot go on; nothing of a thread that has ended or is enabled.
    pub stall: Option<Stall>,
}

/// Why a thread cannot go on at the end of its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stall {
    /// It is blocked: it waits for a lock, a message, another thread. A run that ends so is a deadlock.
    Blocked,
    /// It spins at a yield, and no other thread changes what it reads. A run that ends so is a livelock.
    Spinning,
}

impl Trace {
    /// Forgets everything and keeps the space.
    pub fn clear(&mut self) {
        self.steps.clear();
        self.light_events.clear();
        self.preemptions = 0;
        self.threads.clear();
        self.objects.clear();
        self.endings.clear();
        self.values.clear();
        self.asides.clear();
    }

    /// Gives up room for more than so many steps.
    pub fn shrink_to(&mut self, steps: usize) {
        self.steps.shrink_to(steps);
        self.light_events.shrink_to(steps);
    }

    /// The steps in order; none of a run that is told in light.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// How many steps it has.
    pub fn len(&self) -> usize {
        self.steps.len() + self.light_events.len()
    }

    /// Has it no steps?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Was it recorded in brief, so that its steps are not known but for [`Trace::choices`], their number and how they follow?
    pub fn is_light(&self) -> bool {
        !self.light_events.is_empty()
    }

    /// Makes steps of what was recorded in brief: those that [`LightEvent::event`] knows.
    pub fn spell_out(&mut self) {
        let step = |(light, switch): (LightEvent, Switch)| Step { event: light.event(), switch };
        self.steps.extend(self.light_events.drain(..).map(step));
    }

    /// Adds a step.
    #[inline]
    pub fn push(&mut self, event: Event, switch: Switch) {
        self.preemptions += usize::from(switch == Switch::Preempt);
        self.steps.push(Step { event, switch });
    }

    /// A run in light.
    pub(crate) fn light(light_events: Vec<(LightEvent, Switch)>, preemptions: usize) -> Trace {
        Trace { light_events, preemptions, ..Trace::default() }
    }

    /// Room for a run in light.
    pub(crate) fn take_room(&mut self) -> Vec<(LightEvent, Switch)> {
        std::mem::take(&mut self.light_events)
    }

    /// How a step of this thread would follow, where these events are enabled.
    #[inline]
    pub fn switch_to(&self, thread: ThreadId, enabled: &[Event]) -> Switch {
        let mut last = Last::default();
        let own = self.steps.iter().rev().find(|step| step.switch != Switch::Commit);
        own.into_iter().for_each(|step| last.note(&step.event));
        last.switch_to(thread, enabled)
    }

    /// The choices that lead through the run again.
    pub fn choices(&self) -> impl Iterator<Item = EventId> {
        let light_events = self.light_events.iter().map(|(light, _)| light.id);
        self.steps.iter().map(|step| step.event.id).chain(light_events)
    }

    /// How often a thread was interrupted that could have gone on.
    pub fn preemptions(&self) -> usize {
        self.preemptions
    }

    /// How often another thread went on than the one before. Commits are nobody's turn.
    pub fn switches(&self) -> usize {
        let is_switch = |switch: &Switch| matches!(switch, Switch::Start | Switch::Yielded | Switch::Preempt);
        let light_events = self.light_events.iter().map(|(_, switch)| *switch);
        self.steps.iter().map(|step| step.switch).chain(light_events).filter(is_switch).count()
    }

    /// How simple the run is: less is simpler. Pre-emptions count first, then steps.
    pub fn weight(&self) -> (usize, usize) {
        (self.preemptions(), self.len())
    }

    /// A thread's name, for people.
    pub fn thread_name(&self, thread: ThreadId) -> String {
        if thread.is_phantom() {
            return format!("{}'s buffer", self.thread_name(thread.owner()));
        }
        self.threads.get(thread.index()).cloned().unwrap_or_else(|| format!("thread {thread}"))
    }

    /// An object's name, for people.
    pub fn object_name(&self, object: ObjectId) -> String {
        self.objects.get(object.index()).cloned().unwrap_or_else(|| format!("object {}", object.number()))
    }

    /// The short form.
    pub fn short(&self) -> Short<'_> {
        Short(self)
    }
}

/// The short form of a trace, to be printed.
#[derive(Clone, Copy)]
pub struct Short<'a>(&'a Trace);

impl fmt::Display for Short<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.0.steps {
            match step.switch {
                Switch::Same => {}
                Switch::Commit => {
                    write!(f, "{}", step.event.thread())?;
                    continue;
                }
                Switch::Start => write!(f, "S{}", step.event.thread())?,
                Switch::Yielded => write!(f, "p{}", step.event.thread())?,
                Switch::Preempt => write!(f, "P{}", step.event.thread())?,
            }
            write!(f, "-")?;
        }
        Ok(())
    }
}
