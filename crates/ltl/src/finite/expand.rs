//! One step of the tableau: from the formulas that must hold in a state to its nodes.
//!
//! The recursion of Gunter and Peled, TACAS 2002, §3: a formula moves from `new` to `old`, and the node
//! splits into the alternatives of its row in the table. Formulas with one alternative are processed first,
//! since they may lead to a contradiction; a formula is not split if the node already satisfies one of its
//! alternatives; and a resulting node is dropped if another one requires less.
//!
//! Promise: a state and the word after it satisfy the formulas exactly if they satisfy the requirements of
//! one of the [`ExpandedNode`]s.

use super::table::{Alternative, Past, Table};
use super::{Budget, FiniteError};
use crate::letter::{Cube, Prop};
use crate::nnf::{Nnf, Node};
use rustc_hash::FxHashMap;

/// The cost of a branch, in comparisons of two expanded nodes.
const BRANCH_STEPS: usize = 16;

/// A fully expanded node.
#[derive(Clone, Debug)]
pub(super) struct ExpandedNode {
    /// The literals of `old`.
    pub(super) label: Cube,
    /// The formulas for the next state; sorted.
    pub(super) next: Vec<Nnf>,
    /// The formulas that hold here, among the formulas that `next` needs remembered; sorted.
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
) -> Result<Vec<ExpandedNode>, FiniteError> {
    let mut expanded: Vec<ExpandedNode> = Vec::new();
    let mut open = vec![Branch { new: formulas.to_vec(), ..Branch::default() }];
    while let Some(branch) = open.pop() {
        budget.spend(BRANCH_STEPS)?;
        match branch.run(table, past) {
            BranchStep::Contradiction => {}
            BranchStep::Split(branches) => open.extend(branches.into_iter().rev()),
            BranchStep::Done(node) => {
                budget.spend(expanded.len())?;
                if !expanded.iter().any(|other| other.admits_all_of(&node)) {
                    expanded.retain(|other| !node.admits_all_of(other));
                    budget.allow_state(expanded.len())?;
                    expanded.push(node);
                }
            }
        }
    }
    Ok(expanded)
}

impl ExpandedNode {
    /// Does it require nothing that the other does not require?
    fn admits_all_of(&self, other: &ExpandedNode) -> bool {
        let within = |a: u64, b: u64| a & !b == 0;
        within(self.label.positive, other.label.positive)
            && within(self.label.negative, other.label.negative)
            && self.strong <= other.strong
            && is_subset(&self.next, &other.next)
            // A label that decides a remembered formula decides it as every larger label does.
            && is_subset(&self.held, &other.held)
    }
}

/// Is each element of the first sorted list in the second?
pub(super) fn is_subset(small: &[Nnf], large: &[Nnf]) -> bool {
    let mut rest = large.iter();
    small.len() <= large.len() && small.iter().all(|element| rest.any(|other| other == element))
}

/// A node under expansion, with the fields of the paper.
#[derive(Clone, Debug, Default)]
struct Branch {
    /// Formulas to be processed.
    new: Vec<Nnf>,
    /// Processed formulas; sorted.
    old: Vec<Nnf>,
    /// Formulas of `old` that still have to be split.
    choices: Vec<Nnf>,
    /// The literals of `old`.
    label: Cube,
    /// Sorted.
    next: Vec<Nnf>,
    strong: bool,
}

/// The result of running a branch.
enum BranchStep {
    Contradiction,
    Split(Vec<Branch>),
    Done(ExpandedNode),
}

impl Branch {
    /// Processes formulas until the branch splits or ends.
    fn run(mut self, table: &Table, past: Past<'_>) -> BranchStep {
        loop {
            if let Some(formula) = self.new.pop() {
                if insert(&mut self.old, formula) && !self.process(table, past, formula) {
                    return BranchStep::Contradiction;
                }
            } else if let Some(formula) = self.choices.pop() {
                let alternatives = table.alternatives(formula, past);
                if !alternatives.iter().any(|alternative| self.has(alternative)) {
                    return BranchStep::Split(alternatives.iter().map(|a| self.with(table, a)).collect());
                }
            } else {
                return self.finish(table, past);
            }
        }
    }

    /// Processes a formula that is new in `old`; false if it cannot hold.
    fn process(&mut self, table: &Table, past: Past<'_>, formula: Nnf) -> bool {
        if let Node::Literal(prop, positive) = table.node(formula) {
            return self.require(*prop, *positive);
        }
        match table.alternatives(formula, past).as_slice() {
            [] => return false,
            [only] => self.add(table, only),
            _ => self.choices.push(formula),
        }
        !(self.strong && self.next.binary_search(&Nnf::FALSE).is_ok())
    }

    /// Adds a literal to the label; false if the label contains its negation.
    fn require(&mut self, prop: Prop, positive: bool) -> bool {
        let Cube { positive: yes, negative: no } = &mut self.label;
        *(if positive { yes } else { no }) |= prop.bit();
        self.label.positive & self.label.negative == 0
    }

    /// Does the node already satisfy the alternative? Formulas of `old` are split before the branch ends.
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
        // A conjunction is split into its parts, so that more nodes are equal.
        match table.node(formula) {
            Node::Const(true) => {}
            Node::And(parts) => parts.iter().for_each(|part| _ = insert(&mut self.next, *part)),
            _ => _ = insert(&mut self.next, formula),
        }
    }

    /// The expanded node; or a split, if the label does not decide a formula that must be remembered.
    fn finish(self, table: &Table, past: Past<'_>) -> BranchStep {
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
                Err(prop) => return BranchStep::Split(self.split_on(prop)),
            }
        }
        BranchStep::Done(ExpandedNode { label: self.label, next: self.next, held, strong: self.strong })
    }

    /// The branch where the proposition holds, and the one where it does not.
    fn split_on(self, prop: Prop) -> Vec<Branch> {
        let [mut yes, mut no] = [self.clone(), self];
        yes.require(prop, true);
        no.require(prop, false);
        vec![yes, no]
    }

    /// The paper's first condition for acceptance: for each `a U b` in `old`, `b` is in `old`.
    fn untils_are_fulfilled(&self, table: &Table) -> bool {
        self.old.iter().all(|formula| match table.node(*formula) {
            Node::Until([_, b]) => self.old.binary_search(b).is_ok(),
            _ => true,
        })
    }
}

/// Adds to a sorted list; false if the element was there.
fn insert(list: &mut Vec<Nnf>, element: Nnf) -> bool {
    match list.binary_search(&element) {
        Ok(_) => false,
        Err(position) => {
            list.insert(position, element);
            true
        }
    }
}
