//! One step of the tableau: from what must hold in a state to the nodes that a state can be.
//!
//! The recursion of Gunter and Peled, TACAS 2002, §3: a formula moves from `new` to `old`, and the node splits into
//! the alternatives of its row in the table. Formulas with one alternative go first, since they may contradict; no
//! split is made where an alternative asks nothing that is not asked already; and of two nodes that come out, one
//! that asks all that the other does, and more, is dropped.
//!
//! Promise: a state and the word after it satisfy the formulas exactly if one of the [`Outcome`]s admits them.

use super::table::{Alternative, Past, Table};
use super::{Budget, FiniteError};
use crate::letter::{Cube, Prop};
use crate::nnf::{Nnf, Node};
use rustc_hash::FxHashMap;

/// What a branch costs, compared with the comparison of two outcomes.
const BRANCH_STEPS: usize = 16;

/// A node that is fully split.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    /// The literals of `old`.
    pub(super) label: Cube,
    /// What must hold in the next state; sorted.
    pub(super) next: Vec<Nnf>,
    /// Which of the formulas that `next` needs remembered hold here; sorted.
    pub(super) held: Vec<Nnf>,
    /// There must be a next state.
    pub(super) strong: bool,
}

/// The nodes for a state in which all of `formulas` must hold.
pub(super) fn expand(
    table: &Table,
    formulas: &[Nnf],
    past: Past<'_>,
    budget: &mut Budget,
) -> Result<Vec<Outcome>, FiniteError> {
    let mut outcomes: Vec<Outcome> = Vec::new();
    let mut open = vec![Branch { new: formulas.to_vec(), ..Branch::default() }];
    while let Some(branch) = open.pop() {
        budget.spend(BRANCH_STEPS)?;
        match branch.run(table, past) {
            Step::Contradiction => {}
            Step::Split(branches) => open.extend(branches.into_iter().rev()),
            Step::Done(outcome) => {
                budget.spend(outcomes.len())?;
                if !outcomes.iter().any(|other| other.admits_all_of(&outcome)) {
                    outcomes.retain(|other| !outcome.admits_all_of(other));
                    budget.another(outcomes.len())?;
                    outcomes.push(outcome);
                }
            }
        }
    }
    Ok(outcomes)
}

impl Outcome {
    /// Does it ask nothing that the other does not?
    fn admits_all_of(&self, other: &Outcome) -> bool {
        let within = |a: u64, b: u64| a & !b == 0;
        within(self.label.positive, other.label.positive)
            && within(self.label.negative, other.label.negative)
            && self.strong <= other.strong
            && is_subset(&self.next, &other.next)
            // A smaller label that settles a remembered formula settles it as the larger one does.
            && is_subset(&self.held, &other.held)
    }
}

/// Is each element of the one sorted list in the other?
pub(super) fn is_subset(small: &[Nnf], large: &[Nnf]) -> bool {
    let mut rest = large.iter();
    small.len() <= large.len() && small.iter().all(|element| rest.any(|other| other == element))
}

/// A node while it is split: the fields of the paper.
#[derive(Clone, Debug, Default)]
struct Branch {
    /// Not yet looked at.
    new: Vec<Nnf>,
    /// Looked at; sorted.
    old: Vec<Nnf>,
    /// Those of `old` that still have to be split.
    choices: Vec<Nnf>,
    /// The literals of `old`.
    label: Cube,
    /// Sorted.
    next: Vec<Nnf>,
    strong: bool,
}

/// What comes of a branch.
enum Step {
    Contradiction,
    Split(Vec<Branch>),
    Done(Outcome),
}

impl Branch {
    /// Goes on until the branch splits or ends.
    fn run(mut self, table: &Table, past: Past<'_>) -> Step {
        loop {
            if let Some(formula) = self.new.pop() {
                if insert(&mut self.old, formula) && !self.take(table, past, formula) {
                    return Step::Contradiction;
                }
            } else if let Some(formula) = self.choices.pop() {
                let alternatives = table.alternatives(formula, past);
                if !alternatives.iter().any(|alternative| self.has(alternative)) {
                    return Step::Split(alternatives.iter().map(|a| self.with(table, a)).collect());
                }
            } else {
                return self.finish(table, past);
            }
        }
    }

    /// Treats a formula that is new in `old`; false if it cannot hold.
    fn take(&mut self, table: &Table, past: Past<'_>, formula: Nnf) -> bool {
        if let Node::Literal(prop, positive) = table.node(formula) {
            return self.ask(*prop, *positive);
        }
        match table.alternatives(formula, past).as_slice() {
            [] => return false,
            [only] => self.add(table, only),
            _ => self.choices.push(formula),
        }
        !(self.strong && self.next.binary_search(&Nnf::FALSE).is_ok())
    }

    /// Adds a literal to the label; false if its negation is there.
    fn ask(&mut self, prop: Prop, positive: bool) -> bool {
        let Cube { positive: yes, negative: no } = &mut self.label;
        *(if positive { yes } else { no }) |= prop.bit();
        self.label.positive & self.label.negative == 0
    }

    /// Would the alternative add nothing? What is in `old` will have been split before the branch ends.
    fn has(&self, alternative: &Alternative<'_>) -> bool {
        alternative.new.iter().all(|formula| self.old.binary_search(formula).is_ok())
            && alternative.next.is_none_or(|formula| self.next.binary_search(&formula).is_ok())
            && alternative.strong <= self.strong
    }

    fn with(&self, table: &Table, alternative: &Alternative<'_>) -> Branch {
        let mut copy = self.clone();
        copy.add(table, alternative);
        copy
    }

    fn add(&mut self, table: &Table, alternative: &Alternative<'_>) {
        self.new.extend_from_slice(alternative.new);
        self.strong |= alternative.strong;
        let Some(formula) = alternative.next else { return };
        // A conjunction is kept in pieces, so that more nodes agree.
        match table.node(formula) {
            Node::Const(true) => {}
            Node::And(parts) => parts.iter().for_each(|part| _ = insert(&mut self.next, *part)),
            _ => _ = insert(&mut self.next, formula),
        }
    }

    /// Nothing is left to split, unless the label does not yet settle what must be remembered.
    fn finish(self, table: &Table, past: Past<'_>) -> Step {
        debug_assert!(
            self.strong || self.untils_are_fulfilled(table),
            "an until was put off, and no next state"
        );
        let mut known = FxHashMap::default();
        let mut held = Vec::new();
        for formula in table.memory(&self.next) {
            match table.value(formula, past, self.label, &mut known) {
                Ok(true) => held.push(formula),
                Ok(false) => {}
                Err(prop) => return Step::Split(self.both(prop)),
            }
        }
        Step::Done(Outcome { label: self.label, next: self.next, held, strong: self.strong })
    }

    /// The branch where the proposition holds, and the one where it does not.
    fn both(self, prop: Prop) -> Vec<Branch> {
        let [mut yes, mut no] = [self.clone(), self];
        yes.ask(prop, true);
        no.ask(prop, false);
        vec![yes, no]
    }

    /// The paper's first condition for acceptance: each `a U b` that is in `old` has its `b` there.
    fn untils_are_fulfilled(&self, table: &Table) -> bool {
        self.old.iter().all(|formula| match table.node(*formula) {
            Node::Until([_, b]) => self.old.binary_search(b).is_ok(),
            _ => true,
        })
    }
}

/// Adds to a sorted list; false if it was there.
fn insert(list: &mut Vec<Nnf>, element: Nnf) -> bool {
    match list.binary_search(&element) {
        Ok(_) => false,
        Err(place) => {
            list.insert(place, element);
            true
        }
    }
}
