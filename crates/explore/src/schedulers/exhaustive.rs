//! Every run, one after the other, without any reduction: the reference that all others are tested against.
//!
//! Depth first over the tree of choices. Only the path is stored, so memory does not grow with the number of runs.
//!
//! Promise: each sequence of choices comes once; there are as many runs as the tree has leaves. Where the same choices lead
//! to something else than before, the program is not deterministic: that ends the exploration, and both are told.

use crate::event::{Event, Kind, Site};
use crate::ids::{EventId, ObjectId, ThreadId};
use crate::run::{Next, Scheduler};
use crate::trace::Trace;
use std::fmt;

/// Exhaustive exploration.
#[derive(Clone, Debug, Default)]
pub struct Exhaustive {
    /// For each step of the present run, which choice was made and how many there were.
    path: Vec<Choice>,
    /// How far the present run is.
    depth: usize,
    /// How much of the path is to be walked again by the present run.
    known: usize,
    divergence: Option<Divergence>,
}

/// Where the same choices led to something else than before: the program depends on more than the schedule.
#[derive(Clone, Debug)]
pub struct Divergence {
    /// The number of the step, from 0.
    pub step: usize,
    /// What was done there the last time.
    made: Made,
    /// How many things could be done there before.
    pub count: usize,
    /// What can be done there now.
    pub found: Vec<Event>,
}

#[derive(Clone, Copy, Debug)]
struct Choice {
    index: usize,
    count: usize,
    /// Of all that could be done.
    fingerprint: u64,
    /// What was done the last time.
    made: Made,
}

/// What was chosen: enough to notice and to tell where it is something else in a later run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Made {
    id: EventId,
    kind: Kind,
    object: Option<ObjectId>,
    target: Option<ThreadId>,
    site: Site,
}

impl Made {
    pub(super) fn of(event: &Event) -> Made {
        let Event { id, action, site } = *event;
        Made { id, kind: action.kind, object: action.object, target: action.target, site }
    }

    /// Is this event the same? Its place in the source is for people only.
    fn is(&self, event: &Event) -> bool {
        let action = &event.action;
        let to = (action.kind, action.object, action.target);
        self.id == event.id && (self.kind, self.object, self.target) == to
    }
}

/// A number that is different where something else can be done, but for one case in very many.
pub(super) fn fingerprint(enabled: &[Event]) -> u64 {
    enabled.iter().fold(0, |seen, event| {
        let action = &event.action;
        let object = action.object.map_or(0, |object| u64::from(object.number()));
        let target = action.target.map_or(0, |target| u64::from(target.0) + 1);
        let who = u64::from(event.id.thread.0) << 32 | u64::from(event.id.alternative);
        let what = (action.kind as u64) << 56 ^ object << 28 ^ target;
        // As in FxHash: the constant is the golden ratio's, the rotation keeps the order of events.
        [who, what]
            .into_iter()
            .fold(seen, |seen: u64, word| (seen.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    })
}

impl Divergence {
    pub(super) fn new(step: usize, made: Made, count: usize, found: &[Event]) -> Divergence {
        Divergence { step, made, count, found: found.to_vec() }
    }
}

impl Exhaustive {
    /// From the first run on.
    pub fn new() -> Exhaustive {
        Exhaustive::default()
    }

    /// Where the same choices led to something else than before, if they did. Then the exploration is over, and is not
    /// complete.
    pub fn divergence(&self) -> Option<&Divergence> {
        self.divergence.as_ref()
    }

    /// The same choices led to these events, and not to what they led to before.
    #[cold]
    fn diverge(&mut self, enabled: &[Event]) {
        let Choice { count, made, .. } = self.path[self.depth];
        self.divergence = Some(Divergence::new(self.depth, made, count, enabled));
    }
}

impl Scheduler for Exhaustive {
    fn begin(&mut self) {
        self.depth = 0;
        self.known = self.path.len();
    }

    fn choose(&mut self, enabled: &[Event]) -> Option<EventId> {
        let (count, fingerprint) = (enabled.len(), fingerprint(enabled));
        let Some(choice) = self.path.get_mut(self.depth) else {
            let made = Made::of(&enabled[0]);
            self.path.push(Choice { index: 0, count, fingerprint, made });
            self.depth += 1;
            return Some(made.id);
        };
        if (choice.count, choice.fingerprint) != (count, fingerprint) {
            self.diverge(enabled);
            return None;
        }
        choice.made = Made::of(&enabled[choice.index]);
        self.depth += 1;
        Some(choice.made.id)
    }

    fn finish(&mut self, _run: &Trace) -> Next {
        if self.depth < self.known && self.divergence.is_none() {
            // The run ended where it went on before.
            self.diverge(&[]);
        }
        if self.divergence.is_some() {
            return Next::Done;
        }
        self.path.truncate(self.depth);
        while self.path.pop_if(|last| last.index + 1 == last.count).is_some() {}
        match self.path.last_mut() {
            None => Next::Done,
            Some(last) => {
                last.index += 1;
                Next::Another
            }
        }
    }
}

/// No more events than these are listed in a message.
const LISTED: usize = 5;

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {}: ", self.step)?;
        let made = Doing(&self.made);
        match (self.found.iter().any(|event| self.made.is(event)), self.count) {
            (false, _) => write!(f, "expected {made}")?,
            (true, count) if count == self.found.len() => write!(f, "expected something else beside {made}")?,
            (true, 1) => write!(f, "expected {made} and nothing else")?,
            (true, count) => write!(f, "expected {made} among {count} things that can be done")?,
        }
        match self.found.len() {
            0 => write!(f, ", but the run ended"),
            1 => write!(f, ", but {} is all that came", Doing(&Made::of(&self.found[0]))),
            count => {
                write!(f, ", but {count} came: ")?;
                for (index, event) in self.found.iter().take(LISTED).enumerate() {
                    write!(f, "{}{}", if index == 0 { "" } else { "; " }, Doing(&Made::of(event)))?;
                }
                write!(f, "{}", if count > LISTED { "; …" } else { "" })
            }
        }
    }
}

/// What somebody does, in words.
struct Doing<'m>(&'m Made);

impl fmt::Display for Doing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Made { id, kind, object, target, site } = self.0;
        write!(f, "{} of thread {}", kind.text(), id.thread)?;
        if let Some(object) = object {
            write!(f, " on object {}", object.number())?;
        }
        if let Some(target) = target {
            write!(f, " with thread {target}")?;
        }
        if id.alternative > 0 {
            write!(f, ", alternative {}", id.alternative)?;
        }
        write!(f, " at {site}")
    }
}
