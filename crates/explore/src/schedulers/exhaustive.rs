//! Every run, one after the other, without any reduction: the reference that all others are tested against.
//!
//! Depth first over the tree of choices. Only the path is stored, so memory does not grow with the number of
//! runs.
//!
//! Promise: each sequence of choices comes once; there are as many runs as the tree has leaves. Where the
//! same choices lead to something else than before, the program is not deterministic: that ends the
//! exploration, and both are told.

use super::thread_scheduler;
use crate::checkpoint::Reader;
use crate::event::{Kind, Site};
use crate::ids::{EventId, ThreadId};
use crate::light::{Candidate, LightEvent};
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
    made: LightEvent,
    /// How many things could be done there before.
    pub count: usize,
    /// What can be done there now.
    pub found: Vec<LightEvent>,
}

/// Stands for who made a choice, where that is not known yet.
const NOBODY: EventId = EventId { thread: ThreadId::MAIN, alternative: 0 };

#[derive(Clone, Copy, Debug)]
struct Choice {
    index: usize,
    /// Those from this one on are somebody else's, or done.
    end: usize,
    count: usize,
    /// Of all that could be done.
    fingerprint: u64,
    /// What was done the last time.
    made: LightEvent,
}

/// Is this the same? Its place in the source is for people only.
fn is_same(one: &LightEvent, other: &LightEvent) -> bool {
    (one.id, one.kind, one.object, one.target) == (other.id, other.kind, other.object, other.target)
}

/// A number that is different where something else can be done, but for one case in very many.
#[inline]
pub(super) fn fingerprint(enabled: &[impl Candidate]) -> u64 {
    enabled.iter().fold(0, |sum: u64, event| {
        let LightEvent { id, target, object, kind, .. } = event.light();
        let object = object.map_or(0, |object| u64::from(object.number()));
        let target = target.map_or(0, |target| u64::from(target.0) + 1);
        let who = u64::from(id.thread.0) << 32 | u64::from(id.alternative);
        let what = (kind as u64) << 56 ^ object << 28 ^ target;
        // The constants are the golden ratio's and one of SplitMix64's. Events come in an order of their
        // own, so a sum will do, whose terms need not wait for each other.
        let mixed = (who ^ what.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        sum.wrapping_add(mixed ^ mixed >> 32)
    })
}

impl Divergence {
    pub(super) fn new(step: usize, made: LightEvent, count: usize, found: &[impl Candidate]) -> Divergence {
        Divergence { step, made, count, found: found.iter().map(Candidate::light).collect() }
    }
}

impl Exhaustive {
    /// From the first run on.
    pub fn new() -> Exhaustive {
        Exhaustive::default()
    }

    /// Where the same choices led to something else than before, if they did. Then the exploration is over,
    /// and is not complete.
    pub fn divergence(&self) -> Option<&Divergence> {
        self.divergence.as_ref()
    }

    /// Between two runs: a part of what is left, for another worker; nothing where there is none.
    #[must_use]
    pub fn split(&mut self) -> Option<Exhaustive> {
        let at = self.path.iter().position(|choice| choice.index + 1 < choice.end)?;
        let mut path = self.path[..=at].to_vec();
        path.iter_mut().for_each(|choice| choice.end = choice.index + 1);
        let (mine, theirs) = (&mut self.path[at], &mut path[at]);
        let middle = mine.index + 1 + (mine.end - mine.index - 1) / 2;
        (theirs.index, theirs.end, mine.end) = (middle, mine.end, middle);
        Some(Exhaustive { path, ..Exhaustive::default() })
    }

    /// Between two runs: how much of all there is to do is left to be done by this worker, as far as one can
    /// tell. See [`Dpor::remaining`](super::Dpor::remaining).
    pub fn remaining(&self) -> f64 {
        let (mut weight, mut left) = (1.0, 0.0);
        for (at, choice) in self.path.iter().enumerate() {
            weight /= choice.count as f64;
            let present = usize::from(at + 1 < self.path.len());
            left += weight * (choice.end - choice.index - present) as f64;
        }
        left
    }

    /// How many steps the present run has that are kept.
    pub fn depth(&self) -> usize {
        self.path.len()
    }

    /// Between two runs: the parts of one exploration, as text.
    pub fn save(parts: &[&Exhaustive]) -> String {
        let mut text = String::new();
        for part in parts {
            text.push_str("part\n");
            for Choice { index, end, count, fingerprint, .. } in &part.path {
                text.push_str(&format!("choice {index} {end} {count} {fingerprint}\n"));
            }
        }
        text
    }

    /// What [`Exhaustive::save`] wrote.
    ///
    /// # Errors
    /// What cannot be read, in words.
    pub fn load(text: &str) -> Result<Vec<Exhaustive>, String> {
        let mut reader = Reader::new(text);
        let mut parts: Vec<Exhaustive> = Vec::new();
        // What was done there is known once a run has been there.
        let nothing =
            LightEvent { id: NOBODY, site: Site::Unknown, target: None, object: None, kind: Kind::Return };
        while let Some(word) = reader.next_line() {
            match (word, parts.last_mut()) {
                ("part", _) => parts.push(Exhaustive::default()),
                ("choice", Some(part)) => {
                    let [index, end, count] = [reader.number()?, reader.number()?, reader.number()?];
                    if index >= end || end > count {
                        return Err(format!("there is no choice {index} of {count}"));
                    }
                    let (fingerprint, made) = (reader.number()?, nothing);
                    part.path.push(Choice { index, end, count, fingerprint, made });
                }
                (other, _) => return Err(format!("`{other}` does not belong here")),
            }
        }
        Ok(parts)
    }

    /// The same choices led to these events, and not to what they led to before.
    #[cold]
    fn diverge(&mut self, enabled: &[impl Candidate]) {
        let Choice { count, made, .. } = self.path[self.depth];
        self.divergence = Some(Divergence::new(self.depth, made, count, enabled));
    }

    #[inline]
    fn pick_any(&mut self, enabled: &[impl Candidate]) -> Option<usize> {
        let (count, fingerprint) = (enabled.len(), fingerprint(enabled));
        if self.depth == self.path.len() {
            self.path.push(Choice { index: 0, end: count, count, fingerprint, made: enabled[0].light() });
        }
        let choice = &mut self.path[self.depth];
        if (choice.count, choice.fingerprint) != (count, fingerprint) {
            self.diverge(enabled);
            return None;
        }
        choice.made = enabled[choice.index].light();
        self.depth += 1;
        Some(choice.index)
    }

    /// What was done is known by then.
    fn done_any(&mut self, _event: &impl Candidate) {}
}

impl Scheduler for Exhaustive {
    fn begin(&mut self) {
        self.depth = 0;
        self.known = self.path.len();
    }

    fn finish(&mut self, _run: &Trace) -> Next {
        if self.depth < self.known && self.divergence.is_none() {
            // The run ended where it went on before.
            self.diverge(&[] as &[LightEvent]);
        }
        if self.divergence.is_some() {
            return Next::Done;
        }
        self.path.truncate(self.depth);
        while self.path.pop_if(|last| last.index + 1 == last.end).is_some() {}
        match self.path.last_mut() {
            None => Next::Done,
            Some(last) => {
                last.index += 1;
                Next::Another
            }
        }
    }

    thread_scheduler!();
}

thread_scheduler!(light: Exhaustive);

/// No more events than these are listed in a message.
const LISTED: usize = 5;

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {}: ", self.step)?;
        let made = Doing(&self.made);
        match (self.found.iter().any(|found| is_same(&self.made, found)), self.count) {
            (false, _) => write!(f, "expected {made}")?,
            (true, count) if count == self.found.len() => write!(f, "expected something else beside {made}")?,
            (true, 1) => write!(f, "expected {made} and nothing else")?,
            (true, count) => write!(f, "expected {made} among {count} things that can be done")?,
        }
        match self.found.len() {
            0 => write!(f, ", but the run ended"),
            1 => write!(f, ", but {} is all that came", Doing(&self.found[0])),
            count => {
                write!(f, ", but {count} came: ")?;
                for (index, event) in self.found.iter().take(LISTED).enumerate() {
                    write!(f, "{}{}", if index == 0 { "" } else { "; " }, Doing(event))?;
                }
                write!(f, "{}", if count > LISTED { "; …" } else { "" })
            }
        }
    }
}

/// What somebody does, in words.
struct Doing<'m>(&'m LightEvent);

impl fmt::Display for Doing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LightEvent { id, kind, object, target, site } = self.0;
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
