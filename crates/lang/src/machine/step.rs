//! Steps made short: what a step writes whatever the state is gathered into one masked write a word.
//!
//! Most of what a step does is known before it is taken: control moves, variables die, constants are assigned, somebody
//! moved last. Only what has to be computed is left as effects. An `atomic` whose statements follow one another, with
//! nothing to wait for but at its beginning, is a step like any other.
//!
//! Promise: effects in order and then the writes leave the same state as the statements in order.

use super::EffectCode;
use super::build::Compiler;
use super::layout::Field;
use super::live::{reads, touches};
use crate::flow::{Edge, Effect, FlowGraph, Guard, NodeId, Place};
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

/// The statements of an edge: those of its `atomic`, if they follow one another, with the guard of the first.
pub(super) fn statements<'p>(graph: &'p FlowGraph, edge: &'p Edge) -> Option<(&'p Guard, Vec<&'p Effect>)> {
    let Effect::Atomic(start, end) = edge.effect else { return Some((&edge.guard, vec![&edge.effect])) };
    let mut guard = &edge.guard;
    let mut effects = Vec::new();
    let mut node = start;
    while node != end {
        let [only] = graph.nodes[node.0 as usize].edges.as_slice() else { return None };
        let waits = only.guard != Guard::Always;
        let is_first = node == start && *guard == Guard::Always;
        let is_simple = matches!(
            only.effect,
            Effect::Nothing | Effect::Print(_) | Effect::Assign(..) | Effect::Assert(_)
        );
        if (waits && !is_first) || !is_simple || effects.len() == MAX_SEQUENCE || node == NodeId::END {
            return None;
        }
        if waits {
            guard = &only.guard;
        }
        effects.push(&only.effect);
        node = only.target;
    }
    Some((guard, effects))
}

impl Compiler<'_> {
    /// The effects that must be computed, and what the others write in the end.
    pub(super) fn split(&self, statements: &[&Effect]) -> (Box<[EffectCode]>, Vec<(Field, Word)>) {
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

/// Is the variable that the effect assigns read or assigned by one of the later ones?
fn is_used(effect: &Effect, later: &[&Effect]) -> bool {
    let Effect::Assign(Place::Var(var) | Place::Element(var, _), _) = effect else { return true };
    let mut used = false;
    for effect in later {
        reads(&Guard::Always, effect, &mut |other| used |= other == *var);
        touches(effect, &mut |other| used |= other == *var);
    }
    used
}
