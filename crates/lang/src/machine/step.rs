//! Constant writes of a step, gathered into one masked write for each word.
//!
//! Most of what a step does is known before it is taken: the program counter moves, variables die, constants
//! are assigned, the last mover changes. Only what has to be computed remains as effects. An `atomic` whose
//! statements are a straight line, of which only the first can block, is a step like any other.
//!
//! Promise: effects in order and then the writes leave the same state as the statements in order.

use super::EffectCode;
use super::build::Compiler;
use super::layout::Field;
use super::live_variables::{visit_assigned, visit_reads};
use crate::flow_graph::{Edge, Effect, FlowGraph, Guard, Lvalue, NodeId};
use selvedge_model::Word;

/// An `atomic` of more statements than this is run statement by statement.
const MAX_SEQUENCE: usize = 32;

/// Bits of one word that are replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Write {
    word: u32,
    keep: Word,
    bits: Word,
}

/// Constant bits for some fields; later ones replace earlier ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Writes(Box<[Write]>);

impl Writes {
    pub(super) fn new(fields: impl IntoIterator<Item = (Field, Word)>) -> Writes {
        let mut writes: Vec<Write> = Vec::new();
        for (field, value) in fields.into_iter().filter(|(field, _)| !field.is_empty()) {
            let (word, mask, bits) = field.write(value);
            match writes.iter_mut().find(|write| write.word == word) {
                Some(write) => {
                    write.keep &= !mask;
                    write.bits = (write.bits & !mask) | bits;
                }
                None => writes.push(Write { word, keep: !mask, bits }),
            }
        }
        Writes(writes.into())
    }

    #[inline]
    pub(super) fn apply(&self, state: &mut [Word]) {
        for write in &self.0 {
            let word = &mut state[write.word as usize];
            *word = (*word & write.keep) | write.bits;
        }
    }
}

/// The effects of an edge, with its guard. Those of an `atomic` if they are a straight line; `None` if they
/// are not.
pub(super) fn straight_line<'p>(
    graph: &'p FlowGraph,
    edge: &'p Edge,
) -> Option<(&'p Guard, Vec<&'p Effect>)> {
    let Effect::Atomic(start, end) = edge.effect else { return Some((&edge.guard, vec![&edge.effect])) };
    let mut guard = &edge.guard;
    let mut effects = Vec::new();
    let mut node = start;
    while node != end {
        let [only] = graph.nodes[node.0 as usize].edges.as_slice() else { return None };
        let is_guarded = only.guard != Guard::Always;
        let is_first = node == start && *guard == Guard::Always;
        let is_simple = matches!(
            only.effect,
            Effect::Nothing
                | Effect::Print(_)
                | Effect::Assign(..)
                | Effect::AssignAll(_)
                | Effect::Assert(_)
        );
        if (is_guarded && !is_first) || !is_simple || effects.len() == MAX_SEQUENCE || node == NodeId::END {
            return None;
        }
        if is_guarded {
            guard = &only.guard;
        }
        effects.push(&only.effect);
        node = only.target;
    }
    Some((guard, effects))
}

impl Compiler<'_> {
    /// The effects that have to be computed, and the constant writes of the others.
    pub(super) fn split_constant_writes(
        &self,
        statements: &[&Effect],
    ) -> (Box<[EffectCode]>, Vec<(Field, Word)>) {
        let mut effects = Vec::new();
        let mut constants = Vec::new();
        for (index, effect) in statements.iter().enumerate() {
            match self.effect(effect) {
                EffectCode::Nothing => {}
                EffectCode::Set(field, bits) if !is_used(effect, &statements[index + 1..]) => {
                    constants.push((field, bits));
                }
                code => effects.push(code),
            }
        }
        (effects.into(), constants)
    }
}

/// Is the variable that the effect assigns read or assigned by a later effect?
fn is_used(effect: &Effect, later: &[&Effect]) -> bool {
    let Effect::Assign(Lvalue::Var(var) | Lvalue::Element(var, _), _) = effect else { return true };
    let mut used = false;
    for effect in later {
        visit_reads(&Guard::Always, effect, &mut |other| used |= other == *var);
        visit_assigned(effect, &mut |other| used |= other == *var);
    }
    used
}
