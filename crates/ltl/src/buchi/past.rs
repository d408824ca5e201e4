//! Past operators inside formulas of the future, tracked by one bit each.
//!
//! A past operator over operands without future operators has, in each state, a value that depends on the
//! letter and on its value in the previous state: `a S b` holds if b does, or if a does and `a S b` held
//! before. So a translation carries one bit for each past operator. Future operators below past operators
//! are refused: their values are not known yet.

use super::TranslateError;
use crate::nnf::{FormulaArena, Nnf, Node};
use rustc_hash::FxHashMap;

/// The values that past operators remember of the previous state, one bit each.
pub(crate) type Memory = u64;

/// The value that an operator remembers before the first state: true for weak operators, false for strong
/// ones.
pub(crate) fn starts_true(operator: &Node) -> bool {
    matches!(operator, Node::WeakPrevious(_) | Node::Triggered(_))
}

/// The past operators of a formula.
#[derive(Clone, Debug, Default)]
pub(crate) struct Past {
    operators: Vec<Nnf>,
    index: FxHashMap<Nnf, u32>,
    /// For each formula, the operators that occur in it.
    occurring: FxHashMap<Nnf, Memory>,
}

impl Past {
    /// The past operators of the formula, operands first.
    pub(crate) fn of(arena: &FormulaArena, formula: Nnf) -> Result<Past, TranslateError> {
        let mut past = Past::default();
        let mut has_future: FxHashMap<Nnf, bool> = FxHashMap::default();
        for part in arena.subformulas(formula) {
            let node = arena.node(part);
            let future_below = node.children().iter().any(|child| has_future[child]);
            let own = matches!(node, Node::Next(_) | Node::WeakNext(_) | Node::Until(_) | Node::Release(_));
            has_future.insert(part, future_below || own);
            if !node.is_past() {
                continue;
            }
            if future_below {
                return Err(TranslateError::FutureBelowPast);
            }
            if past.operators.len() == Memory::BITS as usize {
                return Err(TranslateError::TooLarge("past operators"));
            }
            past.index.insert(part, past.operators.len() as u32);
            past.operators.push(part);
        }
        Ok(past)
    }

    /// The operators in order.
    pub(crate) fn operators(&self) -> &[Nnf] {
        &self.operators
    }

    /// The memory in which each operator has the value that `held` says.
    pub(crate) fn memory(&self, held: impl Fn(Nnf) -> bool) -> Memory {
        let bits = self.operators.iter().enumerate().filter(|(_, operator)| held(**operator));
        bits.fold(0, |memory, (bit, _)| memory | 1 << bit)
    }

    /// The remembered value of an operator: for `Y a` and `WY a` their value in this state, for `S` and `T`
    /// the value in the state before.
    pub(crate) fn remembered(&self, operator: Nnf, memory: Memory) -> bool {
        memory >> self.index[&operator] & 1 == 1
    }

    /// The operators that occur in a formula, as a mask of their memory bits.
    pub(crate) fn occurring(&mut self, arena: &FormulaArena, formula: Nnf) -> Memory {
        if self.operators.is_empty() {
            return 0;
        }
        let index = &self.index;
        *self.occurring.entry(formula).or_insert_with(|| {
            let bits = arena.subformulas(formula).into_iter().filter_map(|part| index.get(&part));
            bits.fold(0, |mask, bit| mask | 1 << bit)
        })
    }
}
