//! Optimal dynamic partial-order reduction: exactly one interleaving of each Mazurkiewicz trace.
//!
//! Interleavings that differ only in the order of independent events form one Mazurkiewicz trace, and one of
//! them is enough. The exploration executes a run and finds its reversible races. Each race reversal that
//! leads to an unexplored trace is inserted into the *wake-up tree* of the step where it starts. A
//! depth-first search follows the wake-up trees. The *sleep set* of a step contains the events that were
//! explored there before. An event leaves the sleep set when a dependent event is executed.
//!
//! | concept | file |
//! |---|---|
//! | happens-before, vector clocks, reversible races | [`happens_before`] |
//! | race reversals, weak initials | [`reversal`] |
//! | wake-up trees | [`wakeup_tree`] |
//! | the explored path: events, sleep sets, wake-up trees | [`node`] |
//! | several workers | [`shared_node`], [`split`] |
//! | unpredictable effects | [`probe`] |
//! | bounds on pre-emptions, yields and length | [`pruning`] |
//! | invariants | [`validate`] |
//!
//! Source: Abdulla, Aronis, Jonsson and Sagonas, Optimal Dynamic Partial Order Reduction, POPL 2014, and
//! JACM 64(4),
//! 2017. Beyond the paper: threads with several alternatives (all of them are explored wherever one is),
//!       waiting actions, deadlocks, and threads that outlive the body (see [`happens_before`]).
//!
//! Promise: one run for each trace, where dependency is as [`dependent`] says. Only the current run and its
//! wake-up trees are stored. No run is sleep-set blocked, with one exception: if threads are the first to
//! use objects, objects have other numbers from run to run. If it is unknown whether two events are
//! independent, they are taken to be dependent, and seldom a trace is explored twice. (Threads have the same
//! numbers in all runs: see [`ThreadTree`](crate::ThreadTree).) A part of the remaining work can be given
//! to another worker ([`Dpor::split`]): together the workers explore the same traces, each once (see
//! [`shared_node`]).

mod checkpoint;
mod figures;
mod happens_before;
mod node;
mod normal_form;
mod probe;
mod pruning;
mod reversal;
mod shared_node;
mod split;
mod validate;
mod wakeup_tree;

pub use figures::Figures;
pub(crate) use happens_before::HappensBefore;
pub use normal_form::{NormalForm, Past};

use super::bounds::Bounds;
use super::exhaustive::{Divergence, fingerprint};
use super::next_in_turn_after;
use crate::counts;
use crate::dependency::dependent;
use crate::event::{Event, Kind};
use crate::ids::{EventId, ThreadId};
use crate::light::Candidate;
use crate::run::{Next, Scheduler};
use crate::trace::Trace;
use happens_before::Race;
use node::{Node, find_branch};
use probe::{Probe, Probes};
use pruning::Pruning;
use reversal::Reversal;
use shared_node::{NodeShare, SharedNodeRef};
use wakeup_tree::Branch;

/// Memory for more steps than this, or for more clock entries, is not recycled.
const MAX_RECYCLED: usize = 10_000;

/// Optimal dynamic partial-order reduction.
#[derive(Debug, Default)]
pub struct Dpor {
    /// The steps of the current run.
    nodes: Vec<Node>,
    /// The number of executed steps of the current run.
    depth: usize,
    /// The number of nodes at the start of the current run. It repeats them, except that the last takes a
    /// new branch.
    path_length: usize,
    /// The subtree of the branch that the last step took.
    subtree: Vec<Branch>,
    /// The shared node after the last step.
    child: Option<SharedNodeRef>,
    /// The paths of orphans: work at shared nodes that all workers have left.
    orphans: Vec<Vec<Node>>,
    happens_before: HappensBefore,
    reversal: Reversal,
    probes: Probes,
    /// The enabled threads before the current step.
    enabled: Vec<ThreadId>,
    is_sleep_set_blocked: bool,
    is_inconclusive: bool,
    divergence: Option<Divergence>,
    figures: Figures,
    /// Set if there are bounds.
    pruning: Option<Box<Pruning>>,
}

impl Dpor {
    /// Starts with the first run.
    pub fn new() -> Dpor {
        Dpor::default()
    }

    /// Every trace within the bounds, and a few others; each at most once (`pruning`).
    pub fn bounded(bounds: Bounds) -> Dpor {
        Dpor { pruning: Some(Box::new(Pruning::new(bounds))), ..Dpor::default() }
    }

    /// Iterative deepening: first without pre-emptions, then with one, and so on up to the bound, or until
    /// no run is cut off. The first failure that is found has the fewest pre-emptions, but for the
    /// traces beyond the bound that are explored, too.
    pub fn deepening(bounds: Bounds) -> Dpor {
        let first = Bounds { preemptions: Some(0), ..bounds };
        let deepens_to = Some(bounds.preemptions.unwrap_or(usize::MAX));
        Dpor { pruning: Some(Box::new(Pruning { deepens_to, ..Pruning::new(first) })), ..Dpor::default() }
    }

    /// Before the first run: a new exploration with the same bounds.
    #[must_use]
    pub fn restarted(&self) -> Dpor {
        Dpor { pruning: self.pruning.clone(), ..Dpor::default() }
    }

    /// After [`Dpor::load`]: the bounds are those of an exploration that has not begun.
    pub fn set_bounds(&mut self, of: &Dpor) {
        if let Some(first) = &of.pruning {
            let read = self.pruning.take().unwrap_or_else(|| first.clone());
            let Pruning { has_cut, has_cut_by_preemptions, .. } = *read;
            let bounds = Bounds { preemptions: read.bounds.preemptions, ..first.bounds };
            self.pruning =
                Some(Box::new(Pruning { bounds, has_cut, has_cut_by_preemptions, ..*first.clone() }));
        }
    }

    /// The bounds; with iterative deepening the last ones.
    pub fn bounds(&self) -> Bounds {
        self.pruning.as_ref().map_or(Bounds::NONE, |pruning| pruning.last_bounds())
    }

    /// Is the exploration bounded, or does it deepen iteratively?
    pub fn is_bounded(&self) -> bool {
        self.pruning.is_some()
    }

    /// Did a bound cut off any run?
    pub fn has_cut(&self) -> bool {
        self.pruning.as_ref().is_some_and(|pruning| pruning.has_cut)
    }

    /// Before the first run: takes over the memory of a finished exploration, so that the first runs need
    /// not allocate it.
    pub fn recycle(&mut self, finished: Dpor) {
        let is_new =
            self.nodes.is_empty() && self.orphans.is_empty() && self.happens_before.events.is_empty();
        let Dpor { mut nodes, mut happens_before, mut reversal, mut enabled, .. } = finished;
        if is_new && nodes.capacity() <= MAX_RECYCLED && happens_before.capacity() <= MAX_RECYCLED {
            nodes.clear();
            happens_before.clear();
            reversal.clear();
            enabled.clear();
            (self.nodes, self.happens_before, self.reversal, self.enabled) =
                (nodes, happens_before, reversal, enabled);
        }
    }

    /// The figures so far.
    pub fn figures(&self) -> Figures {
        self.figures
    }

    /// Was the last run cut off by a bound, before or after the return of its body?
    pub fn was_cut(&self) -> bool {
        self.pruning.as_ref().is_some_and(|pruning| pruning.is_run_cut)
    }

    /// Was the last run no run of a new trace: sleep-set blocked, a probe, or cut off by a bound before its
    /// body returned?
    pub fn was_given_up(&self) -> bool {
        let is_cut = self.pruning.as_ref().is_some_and(|pruning| pruning.is_run_cut && !pruning.has_returned);
        self.is_sleep_set_blocked || self.probes.was_last || is_cut
    }

    /// Is the next run a probe, which only finds the effect of an event? Probes belong to the run before
    /// them: until they are over, the work cannot be [split](Dpor::split) or [saved](Dpor::save).
    pub fn is_probing(&self) -> bool {
        !self.probes.queue.is_empty()
    }

    /// The step at which the same choices led to other enabled events, if there is one. Then the exploration
    /// is over, and incomplete.
    pub fn divergence(&self) -> Option<&Divergence> {
        self.divergence.as_ref()
    }

    /// Was there a reversal at a shared step of which it is unknown whether another worker's branch leads to
    /// it? Then the workers may have left out a trace, and the exploration is incomplete. A single worker
    /// leaves out nothing.
    ///
    /// Objects are numbered in the order of their first use. If threads are the first to use them, events of
    /// two runs are not always comparable.
    pub fn is_inconclusive(&self) -> bool {
        self.is_inconclusive
    }

    /// The number of steps of the current run.
    pub fn depth(&self) -> usize {
        self.nodes.len()
    }

    /// Adds a node for a new step.
    fn new_node(&mut self, enabled: &[Event]) -> Option<EventId> {
        let sleep = self.sleep_set_here(enabled);
        let wakeup_tree = std::mem::take(&mut self.subtree);
        let (fingerprint, enabled_count) = (fingerprint(enabled), enabled.len());
        let enter = |child| NodeShare::enter(child, fingerprint, enabled_count, &sleep);
        let share = self.child.take().and_then(enter);
        let event = enabled[0];
        self.nodes.push(Node {
            event,
            fingerprint,
            enabled_count,
            sleep,
            wakeup_tree,
            explored: 0,
            is_deviation: false,
            share,
        });
        self.choose_branch(enabled)
    }

    /// Takes the first branch of the last node's wake-up tree, or any event that is not asleep.
    fn choose_branch(&mut self, enabled: &[Event]) -> Option<EventId> {
        loop {
            let branch = self.next_enabled_branch(enabled);
            let chosen = branch.or_else(|| self.choose_freely(enabled));
            let node = &mut self.nodes[self.depth];
            let Some(chosen) = chosen.map(|index| &enabled[index]) else {
                if node.share.as_mut().is_some_and(|share| !share.leave_if_idle()) {
                    continue;
                }
                self.nodes.pop();
                self.is_sleep_set_blocked = !self.was_cut();
                return None;
            };
            node.event = *chosen;
            node.is_deviation = branch.is_some() && self.subtree.is_empty();
            if let Some(share) = &mut node.share {
                if !share.begin_branch(chosen) {
                    continue;
                }
                self.child = share.child.take();
            }
            if chosen.action.has_alternatives {
                match &mut self.pruning {
                    Some(pruning) => {
                        let threads = self.happens_before.thread_count();
                        node.add_alternatives(&pruning.alternatives(self.depth, threads, enabled));
                    }
                    None => node.add_alternatives(enabled),
                }
            }
            return Some(chosen.id);
        }
    }

    /// The first branch with an enabled event: the index of that event.
    fn next_enabled_branch(&mut self, enabled: &[Event]) -> Option<usize> {
        let node = &mut self.nodes[self.depth];
        self.subtree.clear();
        while let Some(branch) = node.next_branch() {
            let is_held =
                |event: &Event| self.pruning.as_ref().is_some_and(|pruning| pruning.holds_back(event));
            if let Some(index) = find_branch(enabled, &branch, &node.sleep, is_held) {
                self.subtree = branch.children;
                return Some(index);
            }
            match &mut self.pruning {
                Some(pruning) if branch.any_alternative => pruning.has_cut = true,
                _ => self.figures.infeasible_reversals += 1,
            }
            self.is_inconclusive |= node.share.is_some();
            node.discard_branch(branch);
        }
        None
    }

    /// The index of an event that is not asleep, at a new step.
    fn choose_freely(&mut self, enabled: &[Event]) -> Option<usize> {
        if self.depth < self.path_length {
            return None;
        }
        let mut executed = self.nodes[..self.depth].iter().rev().map(|node| &node.event);
        let before = executed.find(|event| !event.thread().is_phantom());
        let last = before.map(Event::thread);
        let sleep = &self.nodes[self.depth].sleep;
        let awake = || enabled.iter().filter(|event| !sleep.iter().any(|asleep| asleep.id == event.id));
        let is_turn_over = self.is_turn_over();
        if let Some(pruning) = &mut self.pruning {
            let threads = self.happens_before.thread_count();
            let awake: Vec<&Event> = awake().collect();
            let chosen = pruning.choose(self.depth, threads, (before, is_turn_over), &awake)?;
            return enabled.iter().position(|event| event.id == chosen);
        }
        let is_special =
            |event: &Event| matches!(event.action.kind, Kind::Commit | Kind::Step | Kind::Return);
        let chosen = if enabled.iter().any(is_special) { choose_special(last, awake) } else { None };
        let chosen = chosen.or_else(|| next_in_turn_after(before, is_turn_over, awake()))?;
        enabled.iter().position(|event| event.id == chosen.id)
    }

    /// Has one thread executed the last [`MAX_TURN`] steps? Looks at every so many steps only.
    fn is_turn_over(&self) -> bool {
        let Some(turn) = self.depth.checked_sub(MAX_TURN).filter(|start| start % MAX_TURN == 0) else {
            return false;
        };
        let mut turn = self.nodes[turn..self.depth].iter().map(|node| node.event.thread().owner());
        let first = turn.next();
        turn.all(|thread| Some(thread) == first)
    }

    /// The sleep set after the step before: its events that are independent of that step.
    fn sleep_set_here(&self, enabled: &[Event]) -> Vec<Event> {
        let Some(before) = self.depth.checked_sub(1).map(|before| &self.nodes[before]) else {
            return Vec::new();
        };
        let after = before.sleep.iter().map(|event| counts::after(event, &before.event));
        let independent = after.filter(|event| !dependent(event, &before.event));
        // A load may read from another store now.
        let refresh = |mut event: Event| {
            let same = enabled.iter().find(|same| same.id == event.id)?;
            event.action.reads_from = same.action.reads_from;
            Some(event)
        };
        independent.filter_map(refresh).collect()
    }

    #[cold]
    fn diverge(&mut self, enabled: &[Event]) {
        let node = &self.nodes[self.depth];
        let expected = node.event.light();
        self.divergence = Some(Divergence::new(self.depth, expected, node.enabled_count, enabled));
    }

    /// Inserts the reversals of the run's races into the wake-up trees.
    fn reverse_races(&mut self) {
        self.happens_before.finish();
        let races = std::mem::take(&mut self.happens_before.races);
        for race in &races {
            self.reversal.set(&self.happens_before, *race);
            if race.needs_probe {
                if !self.is_pruned(race.first) {
                    self.probes.queue.push_back(*race);
                }
            } else {
                self.insert_reversal(race.first);
            }
        }
        self.happens_before.races = races;
    }

    /// Inserts the reversal into the wake-up tree of the step where it starts, if it leads to an unexplored
    /// trace.
    fn insert_reversal(&mut self, from: usize) {
        if self.is_pruned(from) {
            return;
        }
        let node = &mut self.nodes[from];
        let order = &self.happens_before;
        if let Some(share) = &node.share {
            if let Some(orphan) = share.insert(&mut self.reversal, order, node.event.id) {
                self.push_orphan(from, orphan);
            }
            self.is_inconclusive |= self.reversal.is_ambiguous;
        } else if !node.sleep.iter().any(|event| self.reversal.takes(order, event, false)) {
            self.reversal.insert(order, &mut node.wakeup_tree);
        }
        self.figures.ambiguous_reversals += u64::from(self.reversal.is_ambiguous);
    }

    /// Does the reversal lead beyond the bounds, to runs that were not explored before?
    fn is_pruned(&mut self, from: usize) -> bool {
        let Some(pruning) = &mut self.pruning else { return false };
        let (order, mut reversal) = (&self.happens_before, self.reversal.clone());
        let is_explored = self.nodes[from].sleep.iter().any(|event| reversal.takes(order, event, false));
        let deviations = (0..from).filter(|step| self.nodes[*step].is_deviation);
        !is_explored && !pruning.admits(order, &self.reversal, deviations)
    }

    /// Turns the next run into a probe, if a race needs one.
    fn begin_probe(&mut self) -> bool {
        let Some(race) = self.probes.queue.pop_front() else { return false };
        self.reversal.set(&self.happens_before, race);
        let path = self.nodes[..race.first].iter().map(|node| node.event.id);
        let prefix = self.reversal.prefix().iter().map(|at| self.happens_before.events[*at].id);
        let prefix = path.chain(prefix).collect();
        let thread = self.happens_before.events[race.second].thread();
        self.probes.current = Some(Probe::new(race, prefix, thread));
        true
    }

    /// A probe is over: inserts the reversal with the event that it found.
    fn end_probe(&mut self, probe: &Probe) -> Next {
        self.figures.probes += 1;
        if let Some(event) = probe.last_event {
            let Race { first, .. } = probe.race;
            self.reversal.set(&self.happens_before, probe.race);
            self.reversal.set_last(event);
            self.insert_reversal(first);
        } else if let Some(max_prefix) =
            probe.enabled_after.filter(|_| self.happens_before.removes_exception(probe.race))
        {
            // The next event of the prefix disables it. No other race shows that, because the event was
            // never executed.
            self.probes.queue.push_front(Race { max_prefix, ..probe.race });
        }
        self.next_run()
    }

    /// The next run: probes first.
    fn next_run(&mut self) -> Next {
        if self.probes.queue.is_empty() { self.backtrack() } else { Next::Another }
    }

    /// Goes back to the last step with a branch left.
    fn backtrack(&mut self) -> Next {
        while let Some(node) = self.nodes.last_mut() {
            if node.advance() {
                return Next::Another;
            }
            self.nodes.pop();
        }
        if self.pruning.as_mut().is_some_and(|pruning| pruning.deepen()) {
            self.happens_before.rewind(0);
            return Next::Another;
        }
        self.adopt_orphan()
    }
}

/// After so many steps in a row, a thread lets others go on: an endless thread does not keep the body from
/// its return.
const MAX_TURN: usize = 1_000;

/// A commit, the return of the body if the run goes on after it, or the step of the next process of a model.
/// Processes take turns, so that an endless process does not starve the others; nor does an endless thread
/// keep the body from returning.
fn choose_special<'e, I: Iterator<Item = &'e Event>>(
    last: Option<ThreadId>,
    awake: impl Fn() -> I,
) -> Option<&'e Event> {
    let commit = awake().find(|event| event.action.kind == Kind::Commit);
    let returns = || awake().find(|event| event.action.kind == Kind::Return && !event.action.is_final);
    let steps = || awake().filter(|event| event.action.kind == Kind::Step);
    let turn = || steps().find(|event| Some(event.thread()) > last).or_else(|| steps().next());
    commit.or_else(returns).or_else(turn)
}

impl Scheduler for Dpor {
    fn begin(&mut self) {
        self.probes.was_last = self.begin_probe();
        if self.probes.was_last {
            return;
        }
        self.depth = 0;
        self.path_length = self.nodes.len();
        self.is_sleep_set_blocked = false;
        self.subtree.clear();
        self.child = None;
        if let Some(pruning) = &mut self.pruning {
            pruning.begin();
        }
        self.happens_before.rewind(self.path_length.saturating_sub(1));
    }

    fn choose(&mut self, enabled: &[Event]) -> Option<EventId> {
        if let Some(probe) = &mut self.probes.current {
            probe.observe(enabled);
            return probe.choose(enabled);
        }
        if let Some(pruning) = &mut self.pruning {
            pruning.yields.list(enabled);
        }
        if self.depth >= self.happens_before.executed {
            self.enabled.clear();
            self.enabled.extend(enabled.iter().map(Event::thread));
        }
        if self.depth == self.nodes.len() {
            return self.new_node(enabled);
        }
        let node = &self.nodes[self.depth];
        if (node.enabled_count, node.fingerprint) != (enabled.len(), fingerprint(enabled)) {
            self.diverge(enabled);
            return None;
        }
        if self.depth + 1 == self.path_length { self.choose_branch(enabled) } else { Some(node.event.id) }
    }

    fn done(&mut self, event: &Event) {
        if let Some(probe) = &mut self.probes.current {
            return probe.done(event);
        }
        if self.depth == self.happens_before.executed {
            self.happens_before.push_step(event, &self.enabled);
        } else {
            self.happens_before.refresh_step(self.depth, event);
        }
        let node = &mut self.nodes[self.depth];
        node.event = *event;
        self.depth += 1;
        if let Some(pruning) = &mut self.pruning {
            pruning.done(event);
        }
        if let Some(share) = &mut node.share {
            share.settle_claim(event);
        }
    }

    fn stopped(&mut self, left: &[Event]) {
        if self.probes.current.is_none() {
            self.happens_before.note_stopped(left, self.depth);
        }
    }

    /// The events of threads that outlive the body are in races with events of the body.
    fn goes_on_after_return(&self) -> bool {
        true
    }

    fn finish(&mut self, _run: &Trace) -> Next {
        if let Some(probe) = self.probes.current.take() {
            return self.end_probe(&probe);
        }
        if self.divergence.is_none()
            && self.depth < self.path_length
            && !self.is_sleep_set_blocked
            && !self.was_cut()
        {
            self.diverge(&[]);
        }
        if self.divergence.is_some() {
            return Next::Done;
        }
        if self.is_sleep_set_blocked {
            // All continuations were explored before, with their races: but for the races of an event that
            // ended a run there, and does not end this one (the second access of a data race).
            self.figures.sleep_set_blocked += 1;
        } else if !self.was_cut() {
            self.figures.runs += 1;
        }
        self.reverse_races();
        self.next_run()
    }
}
