//! Subset construction on guards.
//!
//! Rabin and Scott, Finite Automata and Their Decision Problems, 1959; the letters are never listed. What a subset keeps
//! of its nodes is what they ask of the rest of the word, and what asks more than another is left out. The labels of
//! the successors then cut the set of all letters into as many parts as there are different subsets after it.
//!
//! Promise: state 0 is the initial state and is not entered again; all states can be reached.

use super::dfa::{Dfa, Edge, State, StateId};
use super::guard;
use super::tableau::ObligationId;
use super::{Budget, FiniteError, MEMORY_STEPS, NodeId, Tableau};
use crate::bdd::{Bdd, Bdds};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The deterministic automaton of a tableau, not yet the smallest.
pub(super) fn determinise(tableau: &mut Tableau, limit: usize) -> Result<Dfa, FiniteError> {
    let mut construction = Construction {
        tableau,
        bdds: Bdds::default(),
        budget: Budget::new(limit),
        subsets: vec![Subset::default()],
        ids: FxHashMap::default(),
    };
    let mut states = Vec::new();
    while let Some(subset) = construction.subsets.get(states.len()) {
        let subset = subset.clone();
        let successors = if states.is_empty() {
            construction.tableau.initial().to_vec()
        } else {
            construction.successors(&subset)?
        };
        let edges = construction.edges(&successors)?;
        states.push(State { accepting: subset.accepting, edges });
    }
    Ok(Dfa { bdds: construction.bdds, states })
}

struct Construction<'a> {
    tableau: &'a mut Tableau,
    bdds: Bdds,
    budget: Budget,
    /// By state. The first is the initial state's and means nothing.
    subsets: Vec<Subset>,
    ids: FxHashMap<Subset, StateId>,
}

impl Construction<'_> {
    fn successors(&mut self, subset: &Subset) -> Result<Vec<NodeId>, FiniteError> {
        let mut successors = Vec::new();
        for obligation in &subset.obligations {
            successors.extend_from_slice(self.tableau.after(*obligation)?);
        }
        successors.sort_unstable();
        successors.dedup();
        Ok(successors)
    }

    /// The edges of a state whose nodes have these successors.
    fn edges(&mut self, successors: &[NodeId]) -> Result<Vec<Edge>, FiniteError> {
        let mut parts = vec![(Bdd::TRUE, Subset::default())];
        for (ending, guard) in self.endings(successors)? {
            let size_before = self.bdds.size();
            for (part, subset) in std::mem::take(&mut parts) {
                self.budget.spend(1 + subset.obligations.len())?;
                if subset.has(ending, self.tableau) {
                    parts.push((part, subset));
                    continue;
                }
                let (within, without) = (self.bdds.and(part, guard), self.bdds.and_not(part, guard));
                if within != Bdd::FALSE {
                    parts.push((within, subset.with(ending, self.tableau)));
                }
                if without != Bdd::FALSE {
                    parts.push((without, subset));
                }
            }
            self.budget.spend((self.bdds.size() - size_before) * MEMORY_STEPS)?;
        }
        self.collect(parts)
    }

    /// What runs through these nodes come to, and with which letters; what asks less comes first.
    fn endings(&mut self, nodes: &[NodeId]) -> Result<Vec<(Ending, Bdd)>, FiniteError> {
        let mut guards: BTreeMap<Ending, Bdd> = BTreeMap::new();
        for node in nodes {
            let size_before = self.bdds.size();
            let label = guard::from_cube(&mut self.bdds, self.tableau.label(*node));
            let (obligation, accepting) = (self.tableau.obligation(*node), self.tableau.is_accepting(*node));
            let sum = guards.entry(Ending { obligation, accepting }).or_insert(Bdd::FALSE);
            *sum = self.bdds.or(*sum, label);
            self.budget.spend(1 + (self.bdds.size() - size_before) * MEMORY_STEPS)?;
        }
        let mut endings: Vec<(Ending, Bdd)> = guards.into_iter().collect();
        endings.sort_by_key(|(ending, _)| (self.tableau.weight(ending.obligation), !ending.accepting));
        Ok(endings)
    }

    /// One edge to each subset. (Two parts may have come to the same one, where acceptance alone was added.)
    fn collect(&mut self, parts: Vec<(Bdd, Subset)>) -> Result<Vec<Edge>, FiniteError> {
        let mut guards: BTreeMap<StateId, Bdd> = BTreeMap::new();
        for (part, subset) in parts {
            let sum = guards.entry(self.state(subset)?).or_insert(Bdd::FALSE);
            *sum = self.bdds.or(*sum, part);
        }
        Ok(guards.into_iter().map(|(target, guard)| Edge { guard, target }).collect())
    }

    fn state(&mut self, subset: Subset) -> Result<StateId, FiniteError> {
        if let Some(known) = self.ids.get(&subset) {
            return Ok(*known);
        }
        self.budget.another(self.subsets.len())?;
        self.budget.spend(subset.obligations.len() * MEMORY_STEPS)?;
        let id = StateId(self.subsets.len() as u32);
        self.subsets.push(subset.clone());
        self.ids.insert(subset, id);
        Ok(id)
    }
}

/// A node, as far as what comes after depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Ending {
    obligation: ObligationId,
    accepting: bool,
}

/// The nodes that a word leads to, as far as what comes after depends on them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Subset {
    accepting: bool,
    /// Sorted; none is weaker than another.
    obligations: Vec<ObligationId>,
}

impl Subset {
    /// Would the ending change nothing?
    fn has(&self, ending: Ending, tableau: &Tableau) -> bool {
        self.accepting >= ending.accepting && self.implies(ending.obligation, tableau)
    }

    /// Is there an obligation that asks no more than this one?
    fn implies(&self, obligation: ObligationId, tableau: &Tableau) -> bool {
        self.obligations.iter().any(|weak| tableau.is_weaker(*weak, obligation))
    }

    /// The ending added. Those that come later are not weaker, so that none has to go.
    fn with(&self, ending: Ending, tableau: &Tableau) -> Subset {
        let mut larger = self.clone();
        larger.accepting |= ending.accepting;
        if !self.implies(ending.obligation, tableau) {
            let place = larger.obligations.partition_point(|other| *other < ending.obligation);
            larger.obligations.insert(place, ending.obligation);
        }
        larger
    }
}
