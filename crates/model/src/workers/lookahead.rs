//! Is there a run that the automaton accepts? Decided by one worker, while others expand states ahead of it.
//!
//! Depth-first search decides, and a depth-first search is one after the other: UFSCC (Bloemen, Laarman and
//! van de Pol, PPoPP 2016), which several workers share, takes four lookups of a union-find an edge, and six
//! times the computing of a sequential search in all. But most of the computing is in making the steps of a
//! state, and in storing their targets, and that needs no order. So the search of one worker, the leader, is
//! exactly the sequential search (`ltl/component.rs`); helpers go through the product in an order of their
//! own, store what they find in the same [table](SharedTable), and leave [records](Expansions) for the
//! leader, which expands a state itself only where there is no record.
//!
//! The leader begins alone, and is joined when it has found [`Budget::alone`] states, so that a small search
//! costs what it costs one worker. Where the budget of memory for records is used up, helpers wait. A helper
//! expands a node only if it has seen a path of the product to it: in the end the leader does so too, and a
//! complete search has the same states for every number of workers.
//!
//! Promise: verdict, run and the figures of a complete search (but for bytes and time) are those of one
//! worker, for every fairness.

use super::expansions::{Draft, Expansions, bit};
use super::record::{StateSteps, has_records};
use super::shared_table::{Session, SharedTable};
use super::{MAX_WORKERS, StopSignal, lock};
use crate::check::Answer;
use crate::ltl::{Fairness, Product, TransitionRelation, accepting_nodes, lasso};
use crate::search::{Budget, Meter};
use crate::store::{NodeTable, Probe, Stack, StateId, StateTable, UNKNOWN};
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::sync::{Mutex, thread};
use crate::system::{Steps, System, Word};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::time::Duration;

/// The bytes of records that helpers may have made, for each state.
const RECORD_BYTES: usize = 64;

/// The blocks of records that helpers may always have made.
const LEAST_BLOCKS: usize = 64;

/// The largest number of nodes that a helper has in mind; the leader has to expand those that it forgets.
const MOST_NODES: usize = 1 << 21;

/// The number of nodes that the leader gives to a helper without work.
const GIFT: usize = 64;

/// The number of waiting nodes that the leader looks at for them at each of its own nodes, and the number of
/// its nodes at which it does not look, after a round without any.
const OFFERED: usize = 16;
const OFFER_PAUSE: u32 = 256;

/// The pause of a helper that has no work, or no room.
const PAUSE: Duration = Duration::from_micros(50);

/// An accepted run, if there is one, and the figures.
pub(crate) fn find_run<S: System>(
    relation: TransitionRelation<'_, S>,
    budget: Budget<'_>,
) -> Answer<S::Action> {
    let lookahead = &Lookahead::new(relation.system.words(), budget.limits.states);
    let workers = if has_records(&relation) { budget.workers.clamp(1, MAX_WORKERS) } else { 1 };
    thread::scope(|scope| {
        let helpers = RefCell::new(Vec::new());
        let start = || {
            for _ in 1..workers {
                let work = move || {
                    let _running = Running::new(lookahead);
                    Helper::new(relation, lookahead).run();
                };
                lookahead.running.fetch_add(1, Ordering::AcqRel);
                match thread::Builder::new().spawn_scoped(scope, work) {
                    Ok(helper) => helpers.borrow_mut().push(helper),
                    Err(_) => drop(lookahead.running.fetch_sub(1, Ordering::AcqRel)),
                }
            }
        };
        let _stop = StopHelpers(lookahead);
        let mut product = Product::new(relation, Meter::start(budget));
        if workers > 1 {
            product.look_ahead(Leader::new(lookahead, budget.alone, &start));
        }
        let found = accepting_nodes(&mut product);
        product.stop_helpers();
        for helper in helpers.take() {
            if let Err(panic) = helper.join() {
                std::panic::resume_unwind(panic);
            }
        }
        let answer = found.map(|nodes| nodes.map(|nodes| lasso(&mut product, nodes)));
        (answer, product.stats())
    })
}

/// A state, and the states of the automaton that make nodes with it, a bit each.
type Nodes = (StateId, u16);

/// The data that the leader and its helpers share.
pub(crate) struct Lookahead {
    table: SharedTable,
    expansions: Expansions,
    signal: StopSignal,
    has_panicked: AtomicBool,
    /// The number of helpers that have not ended.
    running: AtomicUsize,
    /// Is a helper without work?
    is_idle: AtomicBool,
    /// Nodes that the leader gives to idle helpers.
    gifts: Mutex<Vec<Nodes>>,
}

impl Lookahead {
    fn new(width: usize, most_states: Option<usize>) -> Lookahead {
        Lookahead {
            table: SharedTable::new(width, most_states),
            expansions: Expansions::new(),
            signal: StopSignal::default(),
            has_panicked: AtomicBool::new(false),
            running: AtomicUsize::new(0),
            is_idle: AtomicBool::new(true),
            gifts: Mutex::new(Vec::new()),
        }
    }

    /// Stops the helpers, and waits until they have ended. The caller's session must [rest](Session::rest).
    fn stop_helpers(&self) {
        self.signal.stop();
        while self.running.load(Ordering::Acquire) > 0 {
            thread::yield_now();
        }
    }
}

/// Stops the helpers when the leader ends, by a panic too.
struct StopHelpers<'a>(&'a Lookahead);

impl Drop for StopHelpers<'_> {
    fn drop(&mut self) {
        self.0.signal.stop();
    }
}

/// A helper that has not ended. Tells the leader if it panics.
struct Running<'a>(&'a Lookahead);

impl<'a> Running<'a> {
    fn new(lookahead: &'a Lookahead) -> Self {
        Running(lookahead)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.has_panicked.store(true, Ordering::Release);
            self.0.signal.stop();
        }
        self.0.running.fetch_sub(1, Ordering::AcqRel);
    }
}

/// The leader's side.
pub(crate) struct Leader<'a> {
    lookahead: &'a Lookahead,
    alone: usize,
    start: &'a dyn Fn(),
    /// Nodes for an idle helper, and the height of the waiting edges that were looked at for them.
    gift: Vec<Nodes>,
    looked_at: usize,
    /// The number of times that nothing is offered.
    pause: u32,
    /// The words of a record.
    words: Vec<u32>,
}

impl<'a> Leader<'a> {
    fn new(lookahead: &'a Lookahead, alone: usize, start: &'a dyn Fn()) -> Self {
        Leader { lookahead, alone, start, gift: Vec::new(), looked_at: 0, pause: 0, words: Vec::new() }
    }

    /// Is it time for the helpers to join, with this many states stored?
    #[inline]
    pub(crate) fn is_due(&self, states: usize) -> bool {
        states >= self.alone
    }

    /// Shares these states, under the same numbers, and starts the helpers.
    pub(crate) fn share(&mut self, states: &StateTable) -> Session<'a> {
        self.alone = usize::MAX;
        let mut session = self.lookahead.table.session();
        session.copy(states);
        (self.start)();
        session
    }

    pub(crate) fn memory(&self) -> usize {
        self.lookahead.expansions.memory()
    }

    /// Has a helper panicked?
    pub(crate) fn has_failed(&self) -> bool {
        self.lookahead.has_panicked.load(Ordering::Acquire)
    }

    /// Stops the helpers, and waits until they have ended.
    pub(crate) fn stop_helpers(&self, session: &mut Session<'_>) {
        session.rest();
        self.lookahead.stop_helpers();
        session.reserve(0);
    }

    /// The leader comes to a node. Reads the state's steps if a helper has made them.
    #[inline]
    pub(crate) fn take(
        &mut self,
        state: StateId,
        automaton: u32,
        fairness: Fairness,
        steps: &mut StateSteps,
    ) -> bool {
        let is_taken = self.lookahead.expansions.take(state, automaton, &mut self.words);
        if is_taken {
            steps.read(fairness, &self.words);
        }
        is_taken
    }

    /// Is a helper without work?
    #[inline]
    pub(crate) fn has_idle_helper(&self) -> bool {
        self.lookahead.is_idle.load(Ordering::Relaxed)
    }

    /// The leader waits to go to these nodes, the oldest first. It comes to the oldest last, so an idle
    /// helper is given some that are still unknown. Looks at a few nodes each time, and rests after a round
    /// without any.
    pub(crate) fn offer(&mut self, waiting: &Stack<u32>, nodes: &NodeTable) {
        if self.pause > 0 {
            self.pause -= 1;
            return;
        }
        for node in waiting.iter_from(self.looked_at).take(OFFERED) {
            self.looked_at += 1;
            let (state, automaton) = nodes.pair(node);
            if nodes.position(node) == UNKNOWN && !self.lookahead.expansions.is_claimed(state, automaton) {
                self.gift.push((state, bit(automaton)));
            }
        }
        let is_round = self.looked_at >= waiting.len();
        if is_round {
            self.looked_at = 0;
            self.pause = if self.gift.is_empty() { OFFER_PAUSE } else { 0 };
        }
        if self.gift.len() >= GIFT || is_round && !self.gift.is_empty() {
            lock(&self.lookahead.gifts).append(&mut self.gift);
            self.lookahead.is_idle.store(false, Ordering::Relaxed);
        }
    }

    /// The leader comes to this state soon.
    #[inline]
    pub(crate) fn touch(&self, state: StateId) {
        self.lookahead.expansions.touch_record(state);
    }
}

/// The mask of these states of the automaton.
fn mask(automaton: impl Iterator<Item = u32>) -> u16 {
    automaton.fold(0, |mask, state| mask | bit(state))
}

/// A helper: goes through the product ahead of the leader.
struct Helper<'a, S: System> {
    relation: TransitionRelation<'a, S>,
    lookahead: &'a Lookahead,
    session: Session<'a>,
    /// The nodes to expand, the last one first.
    nodes: VecDeque<Nodes>,
    draft: Draft,
    packed: Vec<Word>,
    steps: Steps<S::Action>,
    matching: Vec<u32>,
    probes: Vec<Probe>,
    made: StateSteps,
    record: Vec<u32>,
}

impl<'a, S: System> Helper<'a, S> {
    fn new(relation: TransitionRelation<'a, S>, lookahead: &'a Lookahead) -> Self {
        Helper {
            relation,
            lookahead,
            session: lookahead.table.session(),
            nodes: VecDeque::new(),
            draft: Draft::default(),
            packed: Vec::new(),
            steps: Steps::new(relation.system.words()),
            matching: Vec::new(),
            probes: Vec::new(),
            made: StateSteps::default(),
            record: Vec::new(),
        }
    }

    /// Expands nodes until the leader is done, or the limit on states is reached.
    fn run(&mut self) {
        while !self.lookahead.signal.is_stopped() {
            let go_on = match self.nodes.pop_back() {
                Some(nodes) => self.expand(nodes),
                None => {
                    self.publish();
                    self.wait_for_gifts();
                    true
                }
            };
            if !go_on {
                return;
            }
        }
    }

    fn wait_for_gifts(&mut self) {
        self.session.rest();
        while !self.lookahead.signal.is_stopped() {
            let gifts = std::mem::take(&mut *lock(&self.lookahead.gifts));
            if !gifts.is_empty() {
                return gifts.into_iter().for_each(|(state, automaton)| self.claim(state, automaton));
            }
            self.lookahead.is_idle.store(true, Ordering::Relaxed);
            thread::sleep(PAUSE);
        }
    }

    /// Keeps the nodes to expand that are new.
    #[inline]
    fn claim(&mut self, state: StateId, automaton: u16) {
        let new = self.lookahead.expansions.claim(state, automaton);
        if new != 0 {
            if self.nodes.len() == MOST_NODES {
                self.nodes.pop_front();
            }
            self.nodes.push_back((state, new));
        }
    }

    /// Expands a state for its nodes, and makes a record. False if a state is above the limit.
    fn expand(&mut self, (state, automaton): Nodes) -> bool {
        let automaton = self.lookahead.expansions.missing(state, automaton);
        if automaton == 0 {
            return true;
        }
        self.session.read(state, &mut self.packed);
        self.made.letter = self.relation.letter(&self.packed);
        let (mut targets, mut made_for) = (0, 0);
        for from in (0..u16::BITS).filter(|from| automaton & bit(*from) != 0) {
            self.relation.matching(self.made.letter, from, &mut self.matching);
            made_for |= if self.matching.is_empty() { 0 } else { bit(from) };
            let edges = self.relation.automaton.edges(from);
            targets |= mask(self.matching.iter().map(|edge| edges[*edge as usize].target));
        }
        if made_for == 0 {
            return true;
        }
        self.made.enabled = self.relation.make_steps(&self.packed, &mut self.steps);
        self.made.has_ended = self.relation.has_ended(&self.packed, &self.steps);
        if !self.store() {
            return false;
        }
        self.lookahead.expansions.touch(self.made.targets.iter().map(|(target, _)| *target));
        for index in 0..self.made.targets.len() {
            self.claim(self.made.targets[index].0, targets);
        }
        if self.made.has_ended {
            self.claim(state, targets);
        }
        self.made.write(self.relation.fairness, &mut self.record);
        if !self.draft.has_room(self.record.len()) {
            self.publish();
        }
        if self.draft.has_room(self.record.len()) {
            self.draft.add(state, made_for, &self.record);
        }
        true
    }

    /// Stores the targets of the steps. False if one is above the limit.
    fn store(&mut self) -> bool {
        self.session.reserve(self.steps.len());
        self.session.probe_all(self.steps.iter().map(|(_, target)| target), &mut self.probes);
        self.made.targets.clear();
        for ((action, target), probe) in self.steps.iter().zip(&self.probes) {
            let Some((id, _)) = self.session.insert_at(target, *probe) else { return false };
            self.made.targets.push((id, self.relation.movers(action)));
        }
        true
    }

    /// Publishes the draft as soon as there is a block for it.
    fn publish(&mut self) {
        while !self.draft.is_empty() && !self.lookahead.signal.is_stopped() {
            let budget = self.lookahead.table.len() * RECORD_BYTES / size_of_block();
            match self.lookahead.expansions.block(budget.max(LEAST_BLOCKS)) {
                Some(block) => self.lookahead.expansions.publish(block, &mut self.draft),
                None => {
                    self.session.rest();
                    thread::sleep(PAUSE);
                }
            }
        }
    }
}

const fn size_of_block() -> usize {
    super::expansions::BLOCK_WORDS * size_of::<u32>()
}
