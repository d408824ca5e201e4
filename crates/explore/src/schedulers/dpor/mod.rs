//! Every distinct run, once: optimal dynamic partial order reduction.
//!
//! Runs that differ only in the order of independent events are one Mazurkiewicz trace, and one of them is enough. A run
//! is made; its races are reversed; each reversal that leads to something new is hung into the wake-up tree of the step
//! where it begins, and the trees are followed depth first. *Sleep sets* hold what was explored before and need not come
//! again until something that depends on it has happened.
//!
//! Source: Abdulla, Aronis, Jonsson and Sagonas, Optimal Dynamic Partial Order Reduction, POPL 2014, and JACM 64(4), 2017.
//! Beyond the paper: threads that can go several ways (all of them are explored wherever one is), actions that wait, deadlocks and a
//! return that stops others (see [`order`]).
//!
//! Promise: one run for each trace, where dependency is as [`dependent`] says. Only the present run and what is still to be
//! done from it are stored. No run ends asleep, but where objects are first used late, or where several threads spawn others: their
//! numbers differ from run to run then, and where it is not certain that two events are independent they are taken to be dependent. (Now and then a
//! trace is run twice there.) A part of
//! what is left can be given to another worker ([`Dpor::split`]): together they make the same runs, each once (see [`shared`]).

mod figures;
mod history;
mod node;
mod normal;
mod order;
mod probe;
mod reversal;
mod saved;
mod shared;
mod split;
mod tree;

pub use figures::Figures;
pub(crate) use history::History;
pub use normal::NormalForm;

use super::exhaustive::{Divergence, fingerprint};
use super::next_in_turn;
use crate::dependency::dependent;
use crate::event::{Event, Kind};
use crate::ids::{EventId, ThreadId};
use crate::light::Candidate;
use crate::run::{Next, Scheduler};
use crate::trace::Trace;
use node::{Node, find_branch};
use order::{Order, Race};
use probe::{Probe, Probes};
use reversal::Reversal;
use shared::{Known, Share};
use tree::Branch;

/// Room for so many steps, and so many numbers in clocks, is used again at most.
const MAX_ROOM: usize = 10_000;

/// Optimal dynamic partial order reduction.
#[derive(Debug, Default)]
pub struct Dpor {
    /// The steps of the present run.
    nodes: Vec<Node>,
    /// How far the present run is.
    depth: usize,
    /// How much of the path is to be walked again by the present run. The last of it is new.
    known: usize,
    /// What is to be followed after the present step.
    follow: Vec<Branch>,
    /// The place there, where others look at it too.
    behind: Option<Known>,
    /// Paths that were left, and that something is to be done on again.
    orphans: Vec<Vec<Node>>,
    order: Order,
    reversal: Reversal,
    probes: Probes,
    /// The threads that can do something now.
    enabled: Vec<ThreadId>,
    is_asleep: bool,
    is_in_doubt: bool,
    divergence: Option<Divergence>,
    figures: Figures,
}

impl Dpor {
    /// From the first run on.
    pub fn new() -> Dpor {
        Dpor::default()
    }

    /// If no run was made yet: takes the room of one that is not needed any more, so that the first runs need not look for it.
    pub fn use_room(&mut self, of: Dpor) {
        let is_new = self.nodes.is_empty() && self.orphans.is_empty() && self.order.events.is_empty();
        let Dpor { mut nodes, mut order, mut reversal, mut enabled, .. } = of;
        if is_new && nodes.capacity() <= MAX_ROOM && order.room() <= MAX_ROOM {
            nodes.clear();
            order.clear();
            reversal.clear();
            enabled.clear();
            (self.nodes, self.order, self.reversal, self.enabled) = (nodes, order, reversal, enabled);
        }
    }

    /// What it has come to so far.
    pub fn figures(&self) -> Figures {
        self.figures
    }

    /// Was the last run given up, as all that it could do had been explored before, or as it was made only to see how an event
    /// turns out?
    pub fn was_asleep(&self) -> bool {
        self.is_asleep || self.probes.was_last
    }

    /// Is the next run one that is made only to see how an event turns out? Such runs belong to the one before: until they are
    /// made, nothing can be [split](Dpor::split) or [saved](Dpor::save).
    pub fn is_probing(&self) -> bool {
        !self.probes.queue.is_empty()
    }

    /// Where the same choices led to something else than before, if they did. Then the exploration is over, and is not
    /// complete.
    pub fn divergence(&self) -> Option<&Divergence> {
        self.divergence.as_ref()
    }

    /// Was there something at a step that several workers share of which it could not be told where it belongs? Then they may leave a trace out,
    /// each to the others, and the exploration is not complete. One worker alone leaves out nothing.
    ///
    /// Objects have numbers in the order in which a run meets them, so where threads first use them late, events of two runs cannot always be
    /// compared.
    pub fn is_in_doubt(&self) -> bool {
        self.is_in_doubt
    }

    /// How much of all there is to do has been done, as far as one can tell: between 0 and 1.
    ///
    /// Each branch of a step counts as much as its neighbours (Knuth, Estimating the Efficiency of Backtrack Programs,
    /// 1975). Reversals that nobody has found yet do not count, so it falls at times.
    pub fn fraction(&self) -> f64 {
        self.nodes.iter().rev().fold(1.0, |inside, node| {
            let (done, left) = (f64::from(node.done), node.tree.len() as f64);
            (done + inside) / (done + 1.0 + left)
        })
    }

    /// How many steps the present run has.
    pub fn depth(&self) -> usize {
        self.nodes.len()
    }

    /// A step that no run was at yet.
    fn new_node(&mut self, enabled: &[Event]) -> Option<EventId> {
        let sleep = self.sleep_here(enabled);
        let tree = std::mem::take(&mut self.follow);
        let (fingerprint, count) = (fingerprint(enabled), enabled.len());
        let shared = self.behind.take().and_then(|place| Share::enter(place, fingerprint, count, &sleep));
        self.nodes.push(Node { event: enabled[0], fingerprint, count, sleep, tree, done: 0, shared });
        self.choose_branch(enabled)
    }

    /// Takes the first branch of the last node's tree, or anything that is not asleep.
    fn choose_branch(&mut self, enabled: &[Event]) -> Option<EventId> {
        loop {
            let chosen = self.find_next(enabled).or_else(|| self.choose_freely(enabled));
            let node = &mut self.nodes[self.depth];
            let Some(chosen) = chosen.map(|place| &enabled[place]) else {
                if node.shared.as_mut().is_some_and(|share| !share.leave()) {
                    continue;
                }
                self.nodes.pop();
                self.is_asleep = true;
                return None;
            };
            node.event = *chosen;
            if let Some(share) = &mut node.shared {
                if !share.found(chosen) {
                    continue;
                }
                self.behind = share.behind.take();
            }
            if chosen.action.is_plural {
                node.add_other_ways(enabled);
            }
            return Some(chosen.id);
        }
    }

    /// The first branch that can be done: the place of its event.
    fn find_next(&mut self, enabled: &[Event]) -> Option<usize> {
        let node = &mut self.nodes[self.depth];
        self.follow.clear();
        while let Some(branch) = node.next_branch() {
            if let Some(place) = find_branch(enabled, &branch, &node.sleep) {
                self.follow = branch.next;
                return Some(place);
            }
            self.figures.astray += 1;
            self.is_in_doubt |= node.shared.is_some();
            node.give_up(branch);
        }
        None
    }

    /// Anything that is not asleep, at a step that no run was at yet: its place.
    fn choose_freely(&self, enabled: &[Event]) -> Option<usize> {
        if self.depth < self.known {
            return None;
        }
        let mut done = self.nodes[..self.depth].iter().rev().map(|node| &node.event);
        let before = done.find(|event| !event.thread().is_phantom());
        let last = before.map(Event::thread);
        let sleep = &self.nodes[self.depth].sleep;
        let awake = || enabled.iter().filter(|event| !sleep.iter().any(|asleep| asleep.id == event.id));
        let chosen = match enabled.iter().any(|event| matches!(event.action.kind, Kind::Commit | Kind::Step))
        {
            true => choose_of_machine(last, awake),
            false => None,
        };
        let chosen = chosen.or_else(|| next_in_turn(before, awake()))?;
        enabled.iter().position(|event| event.id == chosen.id)
    }

    /// What is asleep after the step before.
    fn sleep_here(&self, enabled: &[Event]) -> Vec<Event> {
        let Some(before) = self.depth.checked_sub(1).map(|before| &self.nodes[before]) else {
            return Vec::new();
        };
        let stays = before.sleep.iter().filter(|event| !dependent(event, &before.event));
        // Where it reads from may have changed.
        let now = |event: &Event| {
            let same = enabled.iter().find(|same| same.id == event.id)?;
            let mut event = *event;
            event.action.source = same.action.source;
            Some(event)
        };
        stays.filter_map(now).collect()
    }

    #[cold]
    fn diverge(&mut self, enabled: &[Event]) {
        let node = &self.nodes[self.depth];
        let made = node.event.light();
        self.divergence = Some(Divergence::new(self.depth, made, node.count, enabled));
    }

    /// Reverses the races of the run, and hangs what is new into the trees.
    fn reverse_races(&mut self) {
        self.order.finish();
        let races = std::mem::take(&mut self.order.races);
        for race in &races {
            self.reversal.set(&self.order, *race);
            if race.is_uncertain {
                self.probes.queue.push_back(*race);
            } else {
                self.insert_reversal(race.first);
            }
        }
        self.order.races = races;
    }

    /// Hangs the reversal into the tree of the step where it begins, if it is new.
    fn insert_reversal(&mut self, from: usize) {
        let node = &mut self.nodes[from];
        let order = &self.order;
        if let Some(share) = &node.shared {
            if let Some(orphan) = share.insert(&mut self.reversal, order, node.event.id) {
                self.orphan(from, orphan);
            }
            self.is_in_doubt |= self.reversal.is_uncertain;
        } else if !node.sleep.iter().any(|event| self.reversal.takes(order, event, false)) {
            self.reversal.insert(order, &mut node.tree);
        }
        self.figures.doubts += u64::from(self.reversal.is_uncertain);
    }

    /// The next run is a probe, if there is something to be probed.
    fn begin_probe(&mut self) -> bool {
        let Some(race) = self.probes.queue.pop_front() else { return false };
        self.reversal.set(&self.order, race);
        let path = self.nodes[..race.first].iter().map(|node| node.event.id);
        let before = self.reversal.before().iter().map(|at| self.order.events[*at].id);
        let way = path.chain(before).collect();
        let thread = self.order.events[race.second].thread();
        self.probes.present = Some(Probe::new(race, way, thread));
        true
    }

    /// A probe is over: what it found is hung into the tree.
    fn end_probe(&mut self, probe: &Probe) -> Next {
        self.figures.probes += 1;
        if let Some(event) = probe.found {
            let Race { first, .. } = probe.race;
            self.reversal.set(&self.order, probe.race);
            self.reversal.set_last(event);
            self.insert_reversal(first);
        } else if let Some(most) = probe.possible.filter(|_| self.order.is_without_exception(probe.race)) {
            // What comes next in the run holds it up; no other race tells, as it was never done there.
            self.probes.queue.push_front(Race { most, ..probe.race });
        }
        self.go_back()
    }

    /// What comes after a run: probes first.
    fn go_back(&mut self) -> Next {
        if self.probes.queue.is_empty() { self.backtrack() } else { Next::Another }
    }

    /// Goes back to the last step where something is left to be done.
    fn backtrack(&mut self) -> Next {
        while let Some(node) = self.nodes.last_mut() {
            if node.goes_on() {
                return Next::Another;
            }
            self.nodes.pop();
        }
        self.adopt()
    }
}

/// A commit, or the step of a model that goes next. Processes of models go round and round: where one never ends, the others get their turn.
fn choose_of_machine<'e, I: Iterator<Item = &'e Event>>(
    last: Option<ThreadId>,
    awake: impl Fn() -> I,
) -> Option<&'e Event> {
    let commit = awake().find(|event| event.action.kind == Kind::Commit);
    let steps = || awake().filter(|event| event.action.kind == Kind::Step);
    let turn = || steps().find(|event| Some(event.thread()) > last).or_else(|| steps().next());
    commit.or_else(turn)
}

impl Scheduler for Dpor {
    fn begin(&mut self) {
        self.probes.was_last = self.begin_probe();
        if self.probes.was_last {
            return;
        }
        self.depth = 0;
        self.known = self.nodes.len();
        self.is_asleep = false;
        self.follow.clear();
        self.behind = None;
        self.order.keep(self.known.saturating_sub(1));
    }

    fn choose(&mut self, enabled: &[Event]) -> Option<EventId> {
        if let Some(probe) = &mut self.probes.present {
            probe.look(enabled);
            return probe.choose(enabled);
        }
        if self.depth >= self.order.executed {
            self.enabled.clear();
            self.enabled.extend(enabled.iter().map(Event::thread));
        }
        if self.depth == self.nodes.len() {
            return self.new_node(enabled);
        }
        let node = &self.nodes[self.depth];
        if (node.count, node.fingerprint) != (enabled.len(), fingerprint(enabled)) {
            self.diverge(enabled);
            return None;
        }
        if self.depth + 1 == self.known { self.choose_branch(enabled) } else { Some(node.event.id) }
    }

    fn done(&mut self, event: &Event) {
        if let Some(probe) = &mut self.probes.present {
            return probe.done(event);
        }
        if self.depth == self.order.executed {
            self.order.step(event, &self.enabled);
        } else {
            self.order.renew(self.depth, event);
        }
        let node = &mut self.nodes[self.depth];
        node.event = *event;
        self.depth += 1;
        if let Some(share) = &mut node.shared {
            share.resolve(event);
        }
    }

    fn stopped(&mut self, left: &[Event]) {
        if self.probes.present.is_none() {
            self.order.stop(left, self.depth);
        }
    }

    fn finish(&mut self, _run: &Trace) -> Next {
        if let Some(probe) = self.probes.present.take() {
            return self.end_probe(&probe);
        }
        if self.divergence.is_none() && self.depth < self.known && !self.is_asleep {
            self.diverge(&[]);
        }
        if self.divergence.is_some() {
            return Next::Done;
        }
        if self.is_asleep {
            // All that could follow was explored before, with the races that are in it.
            self.figures.asleep += 1;
        } else {
            self.figures.runs += 1;
            self.reverse_races();
        }
        self.go_back()
    }
}
