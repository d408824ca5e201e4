//! Subset construction on guards.
//!
//! Rabin and Scott, Finite Automata and Their Decision Problems, 1959; the letters are never listed: the labels of the
//! successors cut the set of all letters into as many pieces as there are different sets of successors. What a subset
//! keeps of a node is what it asks of the rest of the word; what asks more than another is left out.
//!
//! Promise: state 0 is the initial state and is not entered again; all states can be reached.

use super::dfa::{Dfa, Edge, State, StateId};
use super::guard;
use super::tableau::ObligationId;
use super::{Budget, FiniteError, NodeId, Tableau};
use crate::bdd::{Bdd, Bdds};
use crate::letter::Cube;
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

/// The nodes that a word leads to, as far as what comes after depends on them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Subset {
    accepting: bool,
    /// Sorted.
    obligations: Vec<ObligationId>,
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
        let mut by_target: BTreeMap<StateId, Bdd> = BTreeMap::new();
        for (guard, nodes) in self.partition(successors)? {
            let target = self.state(&nodes)?;
            let sum = by_target.entry(target).or_insert(Bdd::FALSE);
            *sum = self.bdds.or(*sum, guard);
        }
        Ok(by_target.into_iter().map(|(target, guard)| Edge { guard, target }).collect())
    }

    /// The letters, in parts: those that can go through the same of these nodes are together.
    fn partition(&mut self, nodes: &[NodeId]) -> Result<Vec<(Bdd, Vec<NodeId>)>, FiniteError> {
        let mut by_label: BTreeMap<Cube, Vec<NodeId>> = BTreeMap::new();
        for node in nodes {
            by_label.entry(self.tableau.label(*node)).or_default().push(*node);
        }
        let mut parts = vec![(Bdd::TRUE, Vec::new())];
        for (label, nodes) in by_label {
            let size_before = self.bdds.size();
            let label = guard::from_cube(&mut self.bdds, label);
            for (guard, inside) in std::mem::take(&mut parts) {
                let (within, without) = (self.bdds.and(guard, label), self.bdds.and_not(guard, label));
                if without != Bdd::FALSE {
                    parts.push((without, inside.clone()));
                }
                if within != Bdd::FALSE {
                    parts.push((within, [&inside[..], &nodes].concat()));
                }
            }
            self.budget.spend(parts.len() + self.bdds.size() - size_before)?;
        }
        Ok(parts)
    }

    /// The state of a word that leads to these nodes.
    fn state(&mut self, nodes: &[NodeId]) -> Result<StateId, FiniteError> {
        let accepting = nodes.iter().any(|node| self.tableau.is_accepting(*node));
        let mut all: Vec<ObligationId> = nodes.iter().map(|node| self.tableau.obligation(*node)).collect();
        all.sort_unstable();
        all.dedup();
        self.budget.spend(1 + all.len() * all.len() / 16)?;
        let is_needed = |id: &&ObligationId| {
            !all.iter().any(|other| other != *id && self.tableau.is_weaker(*other, **id))
        };
        let subset = Subset { accepting, obligations: all.iter().filter(is_needed).copied().collect() };
        if let Some(known) = self.ids.get(&subset) {
            return Ok(*known);
        }
        self.budget.another(self.subsets.len())?;
        let id = StateId(self.subsets.len() as u32);
        self.subsets.push(subset.clone());
        self.ids.insert(subset, id);
        Ok(id)
    }
}
