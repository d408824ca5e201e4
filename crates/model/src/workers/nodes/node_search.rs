//! The search by nodes: levels of the product, and now and then what remains of them.
//!
//! Nodes are eliminated when all are known, and before that each time there are [`GROWTH`] times as many
//! as the time before, so that a violation is found before all nodes are. Each early elimination sees an
//! eighth of the nodes of the next one, so together they see about as many as the last of them.
//!
//! A cycle may be far away in breadth and near in depth, as those of starvation are. So after each early
//! elimination but the first, one worker also searches from the beginning, depth first, for as many states
//! as were known at the elimination before.
//!
//! Promise: a level is the same set of nodes for every number of workers and every timing.

use super::super::level_worker::{Divided, Level, LevelTask, Shared, Sizes};
use super::super::partition::partition_of;
use super::decided_alone;
use super::expander::{Expander, NodeStep};
use super::node_partition::{Columns, NodePartition};
use super::remainder::Remainder;
use super::tasks::{EliminateNodes, ExploreNodes};
use crate::check::Answer;
use crate::ltl::{
    AcceptingParts, AutomatonStates, Counterexample, Product, SuspendedSearch, TransitionRelation,
    accepting_nodes, lasso,
};
use crate::search::{Limit, Meter, Stats};
use crate::store::{StateId, hash};
use crate::system::{States, System};

/// The factor by which the number of nodes grows between two eliminations.
const GROWTH: usize = 8;

/// A search by several workers.
pub(super) struct NodeSearch<'a, S: System> {
    pub(super) relation: TransitionRelation<'a, S>,
    pub(super) parts: &'a AcceptingParts,
    pub(super) meter: Meter<'a>,
    pub(super) initial: States,
    pub(super) partitions: Vec<NodePartition>,
    shared: Shared<NodeStep>,
    /// The automaton states of the nodes that one worker decides.
    decided_alone: AutomatonStates,
    transitions: usize,
    depth: usize,
    /// The number of nodes with which nodes are eliminated next.
    next_elimination: usize,
}

impl<'a, S: System> NodeSearch<'a, S> {
    /// Goes on with a search that has given way.
    pub(super) fn new(
        relation: TransitionRelation<'a, S>,
        parts: &'a AcceptingParts,
        suspended: SuspendedSearch<'a>,
        most_states: Option<usize>,
        workers: usize,
        sizes: Sizes,
    ) -> Self {
        let (system, automaton_states) = (relation.system, relation.automaton.state_count());
        let columns = Columns::new(parts, automaton_states);
        let most = Numbering::new(workers, automaton_states).most_states();
        let partition = |number| NodePartition::new(number, columns, system.words(), most);
        let mut partitions: Vec<NodePartition> = (0..workers).map(partition).collect();
        let shared = Shared::new(sizes, workers, most_states);
        let quota = shared.quota.as_ref();
        for (state, id) in suspended.states.iter().zip((0..).map(StateId)) {
            partitions[partition_of(hash(state), workers)]
                .import(state, suspended.known(id, automaton_states));
        }
        quota.iter().for_each(|quota| quota.set(suspended.states.len()));
        let frontier = suspended.frontier().map(|(state, node)| (suspended.states.get(state), node));
        let roots = suspended.initial.iter().map(|state| (state, relation.automaton.initial));
        let is_room = frontier
            .chain(roots)
            .all(|(state, node)| partitions[partition_of(hash(state), workers)].add_node(state, node, quota));
        if !is_room {
            shared.signal.stop_by(Limit::States);
        }
        let mut search = NodeSearch {
            relation,
            parts,
            partitions,
            shared,
            decided_alone: decided_alone(&relation, parts),
            transitions: suspended.transitions,
            depth: suspended.depth,
            next_elimination: 0,
            meter: suspended.meter,
            initial: suspended.initial,
        };
        search.next_elimination = search.node_count() * GROWTH;
        search.next_level();
        search
    }

    /// An accepted run, if there is one, and the figures.
    pub(super) fn run(mut self) -> Answer<S::Action> {
        let found = self.find();
        (found, self.stats())
    }

    fn find(&mut self) -> Result<Option<Counterexample<S::Action>>, Limit> {
        let mut reached = None;
        let is_certain = loop {
            self.check_limit()?;
            if !self.has_level() {
                self.eliminate()?;
                break false;
            }
            self.explore_level()?;
            if self.node_count() >= self.next_elimination {
                self.next_elimination = self.node_count() * GROWTH;
                if self.has_violation()? {
                    break true;
                }
                if let Some(states) = reached.replace(self.state_count())
                    && let Some(found) = self.find_in_depth(states)?
                {
                    return Ok(Some(found));
                }
            }
        };
        if self.partitions.iter().all(|partition| partition.remaining_places().next().is_none()) {
            return Ok(None);
        }
        let mut remainder = Remainder::new(self);
        let nodes = accepting_nodes(&mut remainder)?;
        assert!(
            nodes.is_some() || !is_certain,
            "an accepted cycle leads to a node that remains in a weak part"
        );
        Ok(nodes.map(|nodes| lasso(&mut remainder, nodes)))
    }

    /// A violation among so many states that depth-first search finds, if there is one.
    fn find_in_depth(&self, states: usize) -> Result<Option<Counterexample<S::Action>>, Limit> {
        let mut product = Product::new(self.relation, self.meter.part(states, self.stats().bytes));
        match accepting_nodes(&mut product) {
            Ok(found) => Ok(found.map(|nodes| lasso(&mut product, nodes))),
            Err(Limit::States | Limit::Bytes) => Ok(None),
            Err(limit) => Err(limit),
        }
    }

    /// Is there a violation among the nodes that are known so far? If not, exploration goes on.
    fn has_violation(&mut self) -> Result<bool, Limit> {
        let degrees: Vec<_> = self.partitions.iter().map(NodePartition::degrees).collect();
        self.eliminate()?;
        let is_certain = |nodes: AutomatonStates| nodes & !self.decided_alone != 0;
        let remaining =
            |partition: &NodePartition| partition.remaining_places().any(|place| is_certain(place.automata));
        if self.partitions.iter().any(remaining) {
            return Ok(true);
        }
        for (partition, degrees) in self.partitions.iter_mut().zip(degrees) {
            partition.end_elimination(degrees);
        }
        Ok(false)
    }

    /// Explores levels until there are so many nodes. Returns the number of levels.
    pub(super) fn first_levels(&mut self, nodes: usize) -> Result<usize, Limit> {
        let mut levels = 0;
        while self.node_count() < nodes && self.has_level() {
            self.explore_level()?;
            levels += 1;
        }
        Ok(levels)
    }

    /// Are there nodes to be explored?
    fn has_level(&self) -> bool {
        self.partitions.iter().any(|partition| partition.level_len() > 0)
    }

    fn explore_level(&mut self) -> Result<(), Limit> {
        self.depth += 1;
        let (relation, parts) = (self.relation, self.parts);
        let task = || ExploreNodes { expander: Expander::new(relation, parts), transitions: 0 };
        self.transitions += self.level(task)?.into_iter().sum::<usize>();
        self.next_level();
        Ok(())
    }

    /// Eliminates nodes until no more can be.
    fn eliminate(&mut self) -> Result<(), Limit> {
        self.partitions.iter_mut().for_each(NodePartition::begin_elimination);
        let (relation, parts) = (self.relation, self.parts);
        while self.has_level() {
            self.level(|| EliminateNodes { expander: Expander::new(relation, parts) })?;
            self.partitions.iter_mut().for_each(NodePartition::forget_passed);
        }
        Ok(())
    }

    /// Divides a level among the workers.
    fn level<T>(&mut self, task: impl Fn() -> T + Sync) -> Result<Vec<T::Result>, Limit>
    where
        T: LevelTask<Partition = NodePartition, Item = NodeStep>,
    {
        let so_far = Stats {
            transitions: self.transitions,
            automaton_states: self.relation.automaton.state_count(),
            depth: self.depth,
            ..Stats::default()
        };
        let (system, workers) = (self.relation.system, self.partitions.len());
        let level = Level { system, workers, so_far, meter: &mut self.meter };
        let results = level.work(&mut self.shared, &mut self.partitions, task);
        self.check_limit().map(|()| results)
    }

    fn check_limit(&self) -> Result<(), Limit> {
        self.shared.signal.limit().map_or(Ok(()), Err)
    }

    fn next_level(&mut self) {
        for partition in &mut self.partitions {
            partition.next_level();
            self.shared.tell(partition);
        }
    }

    pub(super) fn node_count(&self) -> usize {
        self.partitions.iter().map(NodePartition::node_count).sum()
    }

    fn state_count(&self) -> usize {
        self.partitions.iter().map(|partition| partition.states.len()).sum()
    }

    pub(super) fn stats(&self) -> Stats {
        let bytes = self.partitions.iter().map(NodePartition::memory).sum::<usize>();
        Stats {
            states: self.state_count(),
            transitions: self.transitions,
            product_states: self.node_count(),
            automaton_states: self.relation.automaton.state_count(),
            depth: self.depth,
            bytes: bytes + self.relation.system.table_bytes(),
            time: self.meter.elapsed(),
        }
    }
}

/// The numbers of nodes in all partitions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbering {
    partitions: u32,
    automaton_states: u32,
}

impl Numbering {
    pub(super) fn new(partitions: usize, automaton_states: usize) -> Numbering {
        Numbering { partitions: partitions as u32, automaton_states: automaton_states as u32 }
    }

    /// The largest number of states of a partition whose nodes all have numbers.
    fn most_states(self) -> usize {
        (u32::MAX / (self.partitions * self.automaton_states)) as usize - 1
    }

    /// The number in all partitions of a state of one of them.
    #[inline]
    pub(super) fn state(self, partition: usize, state: StateId) -> StateId {
        StateId(state.0 * self.partitions + partition as u32)
    }

    /// The partition of a state, and its number there.
    #[inline]
    pub(super) fn locate(self, state: StateId) -> (usize, StateId) {
        ((state.0 % self.partitions) as usize, StateId(state.0 / self.partitions))
    }

    #[inline]
    pub(super) fn node(self, state: StateId, automaton: u32) -> u32 {
        state.0 * self.automaton_states + automaton
    }

    /// The state of a node, and that of the automaton.
    #[inline]
    pub(super) fn pair(self, node: u32) -> (StateId, u32) {
        (StateId(node / self.automaton_states), node % self.automaton_states)
    }
}
