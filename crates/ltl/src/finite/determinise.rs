//! Subset construction on guards.
//!
//! Rabin and Scott, Finite Automata and Their Decision Problems, 1959; the letters are never enumerated. A
//! subset is represented by the obligations of its nodes for the rest of the word, without obligations that
//! are stronger than another one. The labels of the successors partition the letters into one part for each
//! successor subset.
//!
//! Promise: state 0 is the initial state and is not entered again; all states are reachable.

use super::dfa::{Dfa, Edge, State, StateId};
use super::guard;
use super::tableau::ObligationId;
use super::{Budget, FiniteError, MEMORY_STEPS, NodeId, Tableau};
use crate::bdd::{Bdd, Bdds};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The deterministic automaton of a tableau, not yet minimal.
pub(super) fn determinise(tableau: &mut Tableau, limit: usize) -> Result<Dfa, FiniteError> {
    let mut construction = Construction::new(tableau, limit);
    let states = construction.run()?;
    Ok(Dfa { bdds: construction.bdds, states })
}

struct Construction<'a> {
    tableau: &'a mut Tableau,
    bdds: Bdds,
    budget: Budget,
    /// By state. The entry of the initial state has no meaning.
    subsets: Vec<Subset>,
    ids: FxHashMap<Subset, StateId>,
}

impl<'a> Construction<'a> {
    fn new(tableau: &'a mut Tableau, limit: usize) -> Construction<'a> {
        Construction {
            tableau,
            bdds: Bdds::default(),
            budget: Budget::new(limit),
            subsets: vec![Subset::default()],
            ids: FxHashMap::default(),
        }
    }

    fn run(&mut self) -> Result<Vec<State>, FiniteError> {
        let mut states = Vec::new();
        while let Some(subset) = self.subsets.get(states.len()) {
            let subset = subset.clone();
            let successors =
                if states.is_empty() { self.tableau.initial().to_vec() } else { self.successors(&subset)? };
            let edges = self.edges(&successors)?;
            states.push(State { accepting: subset.accepting, edges });
        }
        Ok(states)
    }

    fn successors(&mut self, subset: &Subset) -> Result<Vec<NodeId>, FiniteError> {
        let mut successors = Vec::new();
        for obligation in &subset.obligations {
            successors.extend_from_slice(self.tableau.successors_of(*obligation)?);
        }
        successors.sort_unstable();
        successors.dedup();
        Ok(successors)
    }

    /// The edges of a state, given the successors of its nodes.
    fn edges(&mut self, successors: &[NodeId]) -> Result<Vec<Edge>, FiniteError> {
        let mut parts = vec![(Bdd::TRUE, Subset::default())];
        for (continuation, guard) in self.continuations(successors)? {
            let size_before = self.bdds.size();
            for (part, subset) in std::mem::take(&mut parts) {
                self.budget.spend(1 + subset.obligations.len())?;
                if subset.has(continuation, self.tableau) {
                    parts.push((part, subset));
                    continue;
                }
                let (within, without) = (self.bdds.and(part, guard), self.bdds.and_not(part, guard));
                if within != Bdd::FALSE {
                    parts.push((within, subset.with(continuation, self.tableau)));
                }
                if without != Bdd::FALSE {
                    parts.push((without, subset));
                }
            }
            self.budget.spend((self.bdds.size() - size_before) * MEMORY_STEPS)?;
        }
        self.collect(parts)
    }

    /// The continuations after these nodes, with the letters that lead to them; weaker obligations come
    /// first.
    fn continuations(&mut self, nodes: &[NodeId]) -> Result<Vec<(Continuation, Bdd)>, FiniteError> {
        let mut guards: BTreeMap<Continuation, Bdd> = BTreeMap::new();
        for node in nodes {
            let size_before = self.bdds.size();
            let label = guard::from_cube(&mut self.bdds, self.tableau.label(*node));
            let (obligation, accepting) = (self.tableau.obligation(*node), self.tableau.is_accepting(*node));
            let sum = guards.entry(Continuation { obligation, accepting }).or_insert(Bdd::FALSE);
            *sum = self.bdds.or(*sum, label);
            self.budget.spend(1 + (self.bdds.size() - size_before) * MEMORY_STEPS)?;
        }
        let mut continuations: Vec<(Continuation, Bdd)> = guards.into_iter().collect();
        continuations.sort_by_key(|(continuation, _)| {
            (self.tableau.weight(continuation.obligation), !continuation.accepting)
        });
        Ok(continuations)
    }

    /// One edge to each subset. (Two parts may have the same subset, where acceptance alone was added.)
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
        self.budget.allow_state(self.subsets.len())?;
        self.budget.spend(subset.obligations.len() * MEMORY_STEPS)?;
        let id = StateId(self.subsets.len() as u32);
        self.subsets.push(subset.clone());
        self.ids.insert(subset, id);
        Ok(id)
    }
}

/// The properties of a node that decide which suffixes are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Continuation {
    obligation: ObligationId,
    accepting: bool,
}

/// The nodes that a word leads to, represented by the properties that decide which suffixes are accepted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Subset {
    accepting: bool,
    /// Sorted; no obligation is weaker than another.
    obligations: Vec<ObligationId>,
}

impl Subset {
    /// Does the subset accept every suffix that the continuation accepts?
    fn has(&self, continuation: Continuation, tableau: &Tableau) -> bool {
        self.accepting >= continuation.accepting && self.implies(continuation.obligation, tableau)
    }

    /// Is there an obligation that is weaker than this one, or equal?
    fn implies(&self, obligation: ObligationId, tableau: &Tableau) -> bool {
        self.obligations.iter().any(|weak| tableau.is_weaker(*weak, obligation))
    }

    /// The subset with the continuation added. Later continuations are not weaker, so no obligation becomes
    /// redundant.
    fn with(&self, continuation: Continuation, tableau: &Tableau) -> Subset {
        let mut larger = self.clone();
        larger.accepting |= continuation.accepting;
        if !self.implies(continuation.obligation, tableau) {
            let position = larger.obligations.partition_point(|other| *other < continuation.obligation);
            larger.obligations.insert(position, continuation.obligation);
        }
        larger
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finite::STEPS_PER_STATE;
    use crate::letter::Alphabet;
    use crate::nnf::FormulaArena;

    const LIMIT: usize = 2_000;

    /// Runs into the limit, and compares the stored subsets, nodes and diagrams with the budget.
    #[test]
    fn a_refused_construction_stays_within_its_budget() {
        // The deterministic automaton remembers the letters of the last forty positions.
        let text = format!("G (a <-> {} b)", "Y ".repeat(40));
        let numbered = Alphabet::default().number(&text.parse().expect("a formula"));
        let mut arena = FormulaArena::default();
        let formula = arena.formula(&numbered.expect("few propositions"));
        let mut tableau = Tableau::with_limit(&arena, formula, LIMIT).expect("a small tableau");
        let mut construction = Construction::new(&mut tableau, LIMIT);
        assert_eq!(construction.run().err(), Some(FiniteError::TooLarge { limit: LIMIT }));
        assert!(construction.subsets.len() <= LIMIT, "{} subsets", construction.subsets.len());
        assert!(construction.tableau.size() <= LIMIT, "{} nodes", construction.tableau.size());
        let diagrams = construction.bdds.size();
        assert!(diagrams * MEMORY_STEPS <= LIMIT * STEPS_PER_STATE, "{diagrams} nodes of diagrams");
    }
}
