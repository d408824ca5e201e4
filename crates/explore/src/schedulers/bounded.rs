//! Every outcome that is to be had within bounds.
//!
//! Bounded partial order reduction: where a step depends on an earlier one of another thread, its thread is
//! to be tried before that one. The bound may forbid just this: an interruption is a pre-emption. So it is
//! tried, conservatively, at the beginning of the stretch too that the earlier step is part of, where
//! switching costs nothing more than it did. No sleep sets, as what they leave out may have cost less.
//!
//! Source: Coons, Musuvathi and McKinley, Bounded Partial-Order Reduction, OOPSLA 2013; Walker's thesis,
//! §5.6. More careful than both: *every* earlier step that a step depends on counts, not the last one of
//! each thread alone, since the run in which an earlier one would be the last may be out of bounds. What
//! threads were stopped at counts too.
//!
//! Runs in which an exception is thrown to a thread, or waits for it, are not reduced at all; nor, where
//! pre-emptions are bounded, are those in which a thread waits for its own stores to be committed.
//!
//! Promise: every outcome that the same bounds allow without reduction is found. Not that no trace comes
//! twice.

use super::bounds::{Bounds, Cost, Exceeds};
use super::exhaustive::{Divergence, fingerprint};
use super::next_in_turn;
use crate::checkpoint::{Reader, write_event};
use crate::dependency::dependent;
use crate::event::{Action, Event, Kind, ReadsFrom, Site};
use crate::ids::{EventId, ThreadId};
use crate::light::Candidate;
use crate::run::{Next, Scheduler};
use crate::trace::Trace;

/// Exploration within bounds.
#[derive(Clone, Debug)]
pub struct Bounded {
    bounds: Bounds,
    is_reduced: bool,
    nodes: Vec<Node>,
    /// The steps of each thread in the present run, in order. Those of one thread are not looked at for
    /// another step of it: a thread that goes on alone for long would look back at all of them each time.
    steps: Vec<(ThreadId, Vec<usize>)>,
    /// How far the present run is.
    depth: usize,
    /// How much of the path is to be walked again.
    known: usize,
    /// The present run was given up.
    is_cut: bool,
    /// Something was left out because of a bound, and because of the one on pre-emptions.
    cut: bool,
    cut_by_preemptions: bool,
    divergence: Option<Divergence>,
    /// From 0 pre-emptions on, one more whenever that is not enough.
    deepens_to: Option<usize>,
}

#[derive(Clone, Debug)]
struct Node {
    enabled: Vec<Event>,
    fingerprint: u64,
    /// Of the enabled events, which are to be done, and which were.
    todo: Vec<bool>,
    done: Vec<bool>,
    chosen: usize,
    /// As it turned out.
    event: Event,
    /// Before the step.
    cost: Cost,
    /// Where the stretch begins that the step is part of: the last place up to it where switching cost
    /// nothing, as another thread had gone before, or this one had yielded. Commits are left aside. Known
    /// when the step is done.
    stretch: usize,
}

impl Node {
    /// What was saved, of a step before which the run had this cost.
    fn load(reader: &mut Reader<'_>, cost: Cost) -> Result<Node, String> {
        let (chosen, fingerprint, event) = (reader.number()?, reader.number()?, reader.event()?);
        let (mut enabled, mut todo, mut done) = (Vec::new(), Vec::new(), Vec::new());
        while reader.advance_if("enabled") {
            let [is_todo, is_done]: [u8; 2] = [reader.number()?, reader.number()?];
            todo.push(is_todo != 0);
            done.push(is_done != 0);
            enabled.push(reader.event()?);
        }
        if chosen >= enabled.len() {
            return Err(format!("there is no choice {chosen} of {}", enabled.len()));
        }
        Ok(Node { enabled, fingerprint, todo, done, chosen, event, cost, stretch: 0 })
    }
}

impl Bounded {
    /// With reduction.
    pub fn new(bounds: Bounds) -> Bounded {
        Bounded {
            bounds,
            is_reduced: true,
            nodes: Vec::new(),
            steps: Vec::new(),
            depth: 0,
            known: 0,
            is_cut: false,
            cut: false,
            cut_by_preemptions: false,
            divergence: None,
            deepens_to: None,
        }
    }

    /// Without reduction: each sequence of choices within the bounds comes once. The reference for
    /// [`Bounded::new`].
    pub fn exhaustive(bounds: Bounds) -> Bounded {
        Bounded { is_reduced: false, ..Bounded::new(bounds) }
    }

    /// Without pre-emptions first, then with one, and so on up to the bound, or until nothing more is cut
    /// off: the first failure that is found has the fewest.
    pub fn deepening(bounds: Bounds) -> Bounded {
        let first = Bounds { preemptions: Some(0), ..bounds };
        Bounded { deepens_to: Some(bounds.preemptions.unwrap_or(usize::MAX)), ..Bounded::new(first) }
    }

    /// Do the bounds allow runs of any length, where a program has them?
    pub fn allows_unbounded_runs(&self) -> bool {
        self.bounds.yields.is_none() && self.bounds.length.is_none()
    }

    /// Was the last run given up, since nothing could be done within the bounds?
    pub fn was_cut(&self) -> bool {
        self.is_cut
    }

    /// Was anything left out because of a bound?
    pub fn has_cut(&self) -> bool {
        self.cut
    }

    /// Where the same choices led to something else than before, if they did.
    pub fn divergence(&self) -> Option<&Divergence> {
        self.divergence.as_ref()
    }

    /// Between two runs: how much of all there is to do is left to be done, as far as one can tell, within
    /// the present bounds. See [`Dpor::remaining`](super::Dpor::remaining).
    pub fn remaining(&self) -> f64 {
        let (mut weight, mut left) = (1.0, 0.0);
        for (at, node) in self.nodes.iter().enumerate() {
            let is_left = |index: &usize| node.todo[*index] && !node.done[*index];
            let present = usize::from(at + 1 < self.nodes.len());
            let here = (0..node.todo.len()).filter(is_left).count().saturating_sub(present);
            weight /= node.todo.iter().filter(|todo| **todo).count().max(1) as f64;
            left += weight * here as f64;
        }
        left
    }

    /// How many steps the present run has that are kept.
    pub fn depth(&self) -> usize {
        self.nodes.len()
    }

    fn new_node(&mut self, enabled: &[Event]) -> Option<EventId> {
        let cost = self.cost_here();
        let allowed = |event: &Event| cost.exceeds(event, enabled, &self.bounds).is_none();
        let all = || enabled.iter().filter(|event| allowed(event));
        let commit = all().find(|event| event.action.kind == Kind::Commit);
        let free = || next_in_turn(self.last(), all().filter(|event| !cost.preempts(event, enabled)));
        let chosen = commit.or_else(free).or_else(|| all().next());
        let chosen = chosen.map(|chosen| chosen.id);
        let Some(chosen) = chosen else {
            self.give_up(enabled, &cost);
            return None;
        };
        let index = enabled.iter().position(|event| event.id == chosen)?;
        let mut todo = vec![!self.is_reduced; enabled.len()];
        if self.lets_go_on(&enabled[index], enabled) {
            todo.fill(true);
            self.nodes.iter_mut().for_each(|node| node.todo.fill(true));
        }
        // A commit may let its thread go on that waits for it, so that it matters how far that is then.
        let owner = self.bounds.preemptions.map(|_| chosen.thread.owner());
        for (event, todo) in enabled.iter().zip(&mut todo) {
            *todo |= event.thread() == chosen.thread || Some(event.thread()) == owner;
        }
        self.nodes.push(Node {
            enabled: enabled.to_vec(),
            fingerprint: fingerprint(enabled),
            todo,
            done: vec![false; enabled.len()],
            chosen: index,
            event: enabled[index],
            cost,
            stretch: 0,
        });
        Some(chosen)
    }

    /// Is it a commit that the thread waits for which went last? Before it, switching to others costs
    /// nothing, and after it it does; so steps that nobody depends on can make a difference by where they
    /// come.
    fn lets_go_on(&self, event: &Event, enabled: &[Event]) -> bool {
        let owner = event.thread().owner();
        event.action.kind == Kind::Commit
            && self.bounds.preemptions.is_some()
            && self.last().map(Event::thread) == Some(owner)
            && !enabled.iter().any(|other| other.thread() == owner)
    }

    /// What was done last, commits aside.
    fn last(&self) -> Option<&Event> {
        self.nodes.iter().rev().map(|node| &node.event).find(|event| !event.thread().is_phantom())
    }

    /// What the steps have cost so far.
    fn cost_here(&self) -> Cost {
        match self.nodes.last() {
            Some(before) => before.cost.after(&before.event, &before.enabled),
            None => Cost::default(),
        }
    }

    /// Nothing can be done within the bounds.
    fn give_up(&mut self, enabled: &[Event], cost: &Cost) {
        self.is_cut = true;
        self.cut = true;
        let by_preemptions =
            |event: &Event| cost.exceeds(event, enabled, &self.bounds) == Some(Exceeds::Preemptions);
        self.cut_by_preemptions |= enabled.iter().any(by_preemptions);
    }

    /// The events of this thread are to be tried at this step; or all, where it cannot do anything there.
    fn try_at(&mut self, step: usize, thread: ThreadId) {
        let node = &mut self.nodes[step];
        let can = node.enabled.iter().any(|event| event.thread() == thread);
        for (event, todo) in node.enabled.iter().zip(&mut node.todo) {
            *todo |= !can || event.thread() == thread;
        }
    }

    /// An event that is done, or was about to be done, after the steps so far.
    fn look_back(&mut self, event: &Event) {
        if !self.is_reduced {
            return;
        }
        if matches!(event.action.kind, Kind::Throw | Kind::Raise) {
            // Who can be thrown to depends on where its target is, and getting it there may cost nothing at
            // a place that nobody depends on. So runs with exceptions are not reduced.
            self.nodes[..self.depth].iter_mut().for_each(|node| node.todo.fill(true));
            return;
        }
        let fair = self.bounds.yields.is_some();
        let all = std::mem::take(&mut self.steps);
        let others = all.iter().filter(|(thread, _)| *thread != event.thread());
        for before in others.flat_map(|(_, steps)| steps).copied() {
            let Node { event: earlier, stretch, .. } = &self.nodes[before];
            let (stretch, yields) = (*stretch, fair && earlier.counts_as_yield() && event.counts_as_yield());
            if yields || dependent(&from_memory(earlier), &from_memory(event)) {
                self.try_at(before, event.thread());
                self.try_at(stretch, event.thread());
            }
        }
        self.steps = all;
    }

    /// The step at hand is done.
    fn note_step(&mut self, event: &Event) {
        let (thread, step) = (event.thread(), self.depth);
        let before = self.nodes[..step].iter().rposition(|node| node.event.action.kind != Kind::Commit);
        self.nodes[step].stretch = match before.map(|before| (before, &self.nodes[before])) {
            None => 0,
            Some((_, before)) if before.event.thread() == thread && !before.event.counts_as_yield() => {
                before.stretch
            }
            Some((before, _)) => before + 1,
        };
        match self.steps.iter_mut().find(|(known, _)| *known == thread) {
            Some((_, steps)) => steps.push(step),
            None => self.steps.push((thread, vec![step])),
        }
    }

    /// The next event to be done at the last node, within the bounds.
    fn next_here(&mut self) -> bool {
        let Some(node) = self.nodes.last_mut() else { return false };
        node.done[node.chosen] = true;
        for index in 0..node.enabled.len() {
            if node.done[index] || !node.todo[index] {
                continue;
            }
            match node.cost.exceeds(&node.enabled[index], &node.enabled, &self.bounds) {
                None => {
                    node.chosen = index;
                    node.event = node.enabled[index];
                    return true;
                }
                Some(why) => {
                    node.done[index] = true;
                    self.cut = true;
                    self.cut_by_preemptions |= why == Exceeds::Preemptions;
                }
            }
        }
        false
    }

    /// The next bound, where it deepens and the present one was not enough.
    fn deepen(&mut self) -> Next {
        let present = self.bounds.preemptions.unwrap_or(usize::MAX);
        match self.deepens_to {
            Some(most) if present < most && self.cut_by_preemptions => {
                self.bounds.preemptions = Some(present + 1);
                (self.cut, self.cut_by_preemptions) = (false, false);
                Next::Another
            }
            _ => Next::Done,
        }
    }
}

/// A load that may read from anywhere: with bounds it is not worked out whose store it reads.
fn from_memory(event: &Event) -> Event {
    let mut event = *event;
    event.action.reads_from = ReadsFrom::Memory;
    event
}

impl Scheduler for Bounded {
    fn begin(&mut self) {
        self.depth = 0;
        self.known = self.nodes.len();
        self.steps.clear();
        self.is_cut = false;
    }

    fn choose(&mut self, enabled: &[Event]) -> Option<EventId> {
        if self.depth == self.nodes.len() {
            return self.new_node(enabled);
        }
        let node = &self.nodes[self.depth];
        if (node.enabled.len(), node.fingerprint) != (enabled.len(), fingerprint(enabled)) {
            let made = node.event.light();
            self.divergence = Some(Divergence::new(self.depth, made, node.enabled.len(), enabled));
            return None;
        }
        Some(node.enabled[node.chosen].id)
    }

    fn done(&mut self, event: &Event) {
        self.nodes[self.depth].event = *event;
        if self.depth + 1 >= self.known {
            self.look_back(event);
        }
        self.note_step(event);
        self.depth += 1;
    }

    fn stopped(&mut self, left: &[Event]) {
        for event in left {
            self.look_back(event);
        }
        if self.is_cut {
            // The body would have returned at last, which ends all others: had it come there before some of
            // their steps, which nothing else depends on, the run might have been within the bounds.
            let id = EventId { thread: ThreadId::MAIN, alternative: 0 };
            let action = Action::new(Kind::Return);
            self.look_back(&Event::pending(id, action, Site::Unknown));
        }
    }

    fn save(&self) -> Option<String> {
        let most = self.bounds.preemptions.map_or("-".to_owned(), |most| most.to_string());
        let mut text =
            format!("bounded {most} {} {}\n", u8::from(self.cut), u8::from(self.cut_by_preemptions));
        for node in &self.nodes {
            text.push_str(&format!("node {} {}", node.chosen, node.fingerprint));
            write_event(&mut text, &node.event);
            text.push('\n');
            for ((event, todo), done) in node.enabled.iter().zip(&node.todo).zip(&node.done) {
                text.push_str(&format!("enabled {} {}", u8::from(*todo), u8::from(*done)));
                write_event(&mut text, event);
                text.push('\n');
            }
        }
        Some(text)
    }

    fn load(&mut self, saved: &str) -> Result<(), String> {
        let mut reader = Reader::new(saved);
        if !reader.advance_if("bounded") {
            return Err("the bounds are missing".to_owned());
        }
        self.bounds.preemptions = match reader.word()? {
            "-" => None,
            word => Some(word.parse().map_err(|_| format!("`{word}` is not a number"))?),
        };
        let [cut, by_preemptions]: [u8; 2] = [reader.number()?, reader.number()?];
        (self.cut, self.cut_by_preemptions) = (cut != 0, by_preemptions != 0);
        while reader.advance_if("node") {
            let cost = self.cost_here();
            self.nodes.push(Node::load(&mut reader, cost)?);
        }
        reader.next_line().map_or(Ok(()), |other| Err(format!("`{other}` does not belong here")))
    }

    fn finish(&mut self, _run: &Trace) -> Next {
        if self.divergence.is_some() {
            return Next::Done;
        }
        self.nodes.truncate(self.depth);
        while !self.nodes.is_empty() {
            if self.next_here() {
                return Next::Another;
            }
            self.nodes.pop();
        }
        self.deepen()
    }
}
