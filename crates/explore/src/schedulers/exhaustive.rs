//! Exhaustive exploration: every interleaving, without reduction. The reference for all other systematic
//! schedulers.
//!
//! Depth-first search over the tree of choices. Only the current path is stored, so memory does not grow
//! with the number of runs.
//!
//! Promise: each sequence of choices is executed once; there are as many runs as the tree has leaves. If the
//! same choices lead to other enabled events than before, the program is not deterministic: the exploration
//! ends with a [`Divergence`].

use super::thread_scheduler;
use crate::checkpoint::Reader;
use crate::event::{Kind, Site};
use crate::ids::{EventId, ThreadId};
use crate::light::{Candidate, LightEvent};
use crate::run::{Next, Scheduler};
use crate::thread_tree::RunThreads;
use crate::trace::Trace;
use std::fmt;

/// Exhaustive exploration.
#[derive(Clone, Debug, Default)]
pub struct Exhaustive {
    /// The choice at each step of the current run.
    path: Vec<Choice>,
    /// The number of executed steps of the current run.
    depth: usize,
    /// The number of steps of the path that the current run repeats.
    path_length: usize,
    divergence: Option<Divergence>,
}

/// A step at which the same choices led to other enabled events than before: the program depends on more
/// than the schedule.
#[derive(Clone, Debug)]
pub struct Divergence {
    /// The number of the step, from 0.
    pub step: usize,
    /// The event that was executed there before.
    expected: LightEvent,
    /// The number of events that were enabled there before.
    pub count: usize,
    /// The events that are enabled there now.
    pub enabled: Vec<LightEvent>,
    /// Names the threads in the message.
    threads: RunThreads,
}

/// A choice of the path.
#[derive(Clone, Copy, Debug)]
struct Choice {
    /// The index of the chosen event.
    index: usize,
    /// The end of this worker's range of indices.
    end: usize,
    /// The number of enabled events.
    count: usize,
    /// The fingerprint of the enabled events.
    fingerprint: u64,
    /// The event that was executed here by the last run.
    event: LightEvent,
}

/// Are the two events the same? Their places in the source are not compared.
fn is_same(one: &LightEvent, other: &LightEvent) -> bool {
    (one.id, one.kind, one.object, one.target) == (other.id, other.kind, other.object, other.target)
}

/// A hash of the enabled events: different for different events, except with a very small probability.
#[inline]
pub(super) fn fingerprint(enabled: &[impl Candidate]) -> u64 {
    enabled.iter().fold(0, |sum: u64, event| {
        let LightEvent { id, target, object, kind, .. } = event.light();
        let object = object.map_or(0, |object| u64::from(object.number()));
        let target = target.map_or(0, |target| u64::from(target.0) + 1);
        let id = u64::from(id.thread.0) << 32 | u64::from(id.alternative);
        let action = (kind as u64) << 56 ^ object << 28 ^ target;
        // The constants are the golden ratio's and one of SplitMix64's. The order of the events is fixed, so
        // a sum is enough; its terms are computed independently of each other.
        let mixed = (id ^ action.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        sum.wrapping_add(mixed ^ mixed >> 32)
    })
}

impl Divergence {
    pub(super) fn new(
        step: usize,
        expected: LightEvent,
        count: usize,
        enabled: &[impl Candidate],
    ) -> Divergence {
        let enabled = enabled.iter().map(Candidate::light).collect();
        Divergence { step, expected, count, enabled, threads: RunThreads::of([]) }
    }

    /// The same, with the threads of the run up to that step, so that the message names them by their paths.
    #[must_use]
    pub fn with_threads(self, threads: RunThreads) -> Divergence {
        Divergence { threads, ..self }
    }
}

impl Exhaustive {
    /// Starts with the first run.
    pub fn new() -> Exhaustive {
        Exhaustive::default()
    }

    /// The step at which the same choices led to other enabled events, if there is one. Then the exploration
    /// is over, and incomplete.
    pub fn divergence(&self) -> Option<&Divergence> {
        self.divergence.as_ref()
    }

    /// Between two runs: a part of the remaining work, for another worker; `None` if there is none.
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

    /// Between two runs: an estimate of the fraction of all work that is left to this worker. See
    /// [`Dpor::remaining`](super::Dpor::remaining).
    pub fn remaining(&self) -> f64 {
        let (mut weight, mut left) = (1.0, 0.0);
        for (at, choice) in self.path.iter().enumerate() {
            weight /= choice.count as f64;
            let present = usize::from(at + 1 < self.path.len());
            left += weight * (choice.end - choice.index - present) as f64;
        }
        left
    }

    /// The number of steps of the current path.
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

    /// The parts that [`Exhaustive::save`] wrote.
    ///
    /// # Errors
    /// A message about text that is not a checkpoint.
    pub fn load(text: &str) -> Result<Vec<Exhaustive>, String> {
        let mut reader = Reader::new(text);
        let mut parts: Vec<Exhaustive> = Vec::new();
        // A checkpoint does not contain the executed events: the next run executes them again.
        let id = EventId { thread: ThreadId::MAIN, alternative: 0 };
        let event = LightEvent { id, site: Site::Unknown, target: None, object: None, kind: Kind::Return };
        while let Some(word) = reader.next_line() {
            match (word, parts.last_mut()) {
                ("part", _) => parts.push(Exhaustive::default()),
                ("choice", Some(part)) => {
                    let [index, end, count] = [reader.number()?, reader.number()?, reader.number()?];
                    if index >= end || end > count {
                        return Err(format!("there is no choice {index} of {count}"));
                    }
                    let fingerprint = reader.number()?;
                    part.path.push(Choice { index, end, count, fingerprint, event });
                }
                (other, _) => return Err(format!("`{other}` does not belong here")),
            }
        }
        Ok(parts)
    }

    /// Panics, saying which invariant is broken. Tests call this after every step.
    #[doc(hidden)]
    pub fn validate(&self) {
        for (step, choice) in self.path.iter().enumerate() {
            assert!(choice.index < choice.end, "step {step} has no choice left");
            assert!(choice.end <= choice.count, "step {step} has a choice that is not enabled");
        }
    }

    /// The same choices led to these enabled events, and to others before.
    #[cold]
    fn diverge(&mut self, enabled: &[impl Candidate]) {
        let Choice { count, event, .. } = self.path[self.depth];
        self.divergence = Some(Divergence::new(self.depth, event, count, enabled));
    }

    #[inline]
    fn pick_any(&mut self, enabled: &[impl Candidate]) -> Option<usize> {
        let (count, fingerprint) = (enabled.len(), fingerprint(enabled));
        if self.depth == self.path.len() {
            self.path.push(Choice { index: 0, end: count, count, fingerprint, event: enabled[0].light() });
        }
        let choice = &mut self.path[self.depth];
        if (choice.count, choice.fingerprint) != (count, fingerprint) {
            self.diverge(enabled);
            return None;
        }
        choice.event = enabled[choice.index].light();
        self.depth += 1;
        Some(choice.index)
    }

    /// The executed event is recorded when it is chosen.
    fn done_any(&mut self, _event: &impl Candidate) {}
}

impl Scheduler for Exhaustive {
    fn begin(&mut self) {
        self.depth = 0;
        self.path_length = self.path.len();
    }

    fn finish(&mut self, _run: &Trace) -> Next {
        if self.depth < self.path_length && self.divergence.is_none() {
            // The run ended at a step with enabled events before.
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

/// The greatest number of events in a message.
const MAX_LISTED: usize = 5;

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {}: ", self.step)?;
        let event_text = |event| EventText(event, &self.threads);
        let expected = event_text(&self.expected);
        let is_enabled = self.enabled.iter().any(|event| is_same(&self.expected, event));
        match (is_enabled, self.count) {
            (false, _) => write!(f, "expected {expected}")?,
            (true, count) if count == self.enabled.len() => {
                write!(f, "expected something else beside {expected}")?;
            }
            (true, 1) => write!(f, "expected {expected} and nothing else")?,
            (true, count) => write!(f, "expected {expected} among {count} things that can be done")?,
        }
        match self.enabled.len() {
            0 => write!(f, ", but the run ended"),
            1 => write!(f, ", but {} is all that came", event_text(&self.enabled[0])),
            count => {
                write!(f, ", but {count} came: ")?;
                for (index, event) in self.enabled.iter().take(MAX_LISTED).enumerate() {
                    write!(f, "{}{}", if index == 0 { "" } else { "; " }, event_text(event))?;
                }
                write!(f, "{}", if count > MAX_LISTED { "; …" } else { "" })
            }
        }
    }
}

/// Displays an event in a message.
struct EventText<'e>(&'e LightEvent, &'e RunThreads);

impl fmt::Display for EventText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LightEvent { id, kind, object, target, site } = self.0;
        write!(f, "{} of thread {}", kind.text(), self.1.label(id.thread))?;
        if let Some(object) = object {
            write!(f, " on object {}", object.number())?;
        }
        if let Some(target) = target {
            write!(f, " with thread {}", self.1.label(*target))?;
        }
        if id.alternative > 0 {
            write!(f, ", alternative {}", id.alternative)?;
        }
        write!(f, " at {site}")
    }
}
