//! The schemas of one size, made of smaller ones (Walker's thesis, §7.3.1).
//!
//! Promise: every well-typed schema of the size is made once, up to `(a >> b) >> c` = `a >> (b >> c)`, the
//! order of `a ||| b` and that of the arguments of commutative functions, except those with a part that the
//! caller leaves out.

use super::{Argument, Effect};
use crate::discover::signature::{TypeIndex, Vocabulary};

/// A term whose variables are holes, with their types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Holed<T> {
    pub(crate) term: T,
    pub(crate) holes: Vec<TypeIndex>,
}

/// Where a schema may be a part of a larger one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PartUse {
    /// Everywhere.
    Anywhere,
    /// Before `>>=` only: it has no effect, but a result.
    Result,
    /// Nowhere: another schema does the same.
    Nowhere,
}

/// A schema that larger ones are made of.
pub(crate) struct Part<'a> {
    /// Its number.
    pub(crate) number: usize,
    pub(crate) schema: &'a Holed<Effect>,
    pub(crate) place: PartUse,
}

/// The arguments of each size, of one signature. Index 0 is not used.
#[derive(Default)]
pub(crate) struct Arguments {
    pub(crate) by_size: Vec<Vec<(Holed<Argument>, TypeIndex)>>,
}

impl Arguments {
    /// Makes the arguments of the next size. The function decides which are used.
    pub(crate) fn extend(
        &mut self,
        vocabulary: &Vocabulary,
        world: usize,
        is_used: &mut impl FnMut(&Holed<Argument>, TypeIndex) -> bool,
    ) {
        let size = self.by_size.len().max(1);
        self.by_size.resize_with(size, Vec::new);
        let mut made = Vec::new();
        if size == 1 {
            for (number, constant) in vocabulary.constants.iter().enumerate() {
                if constant.worlds >> world & 1 == 1 {
                    let term = Argument::Constant(number as u16);
                    made.push((Holed { term, holes: Vec::new() }, constant.of));
                }
            }
            for of in 0..vocabulary.types.len() as TypeIndex {
                made.push((Holed { term: Argument::Variable(0), holes: vec![of] }, of));
            }
        }
        for (number, function) in vocabulary.pures.iter().enumerate() {
            if function.worlds >> world & 1 == 1 {
                for choice in self.choices(&function.parameters, size - 1) {
                    if !function.is_commutative || choice[0] <= choice[1] {
                        let Holed { term: arguments, holes } = self.joined(&choice);
                        let term = Argument::Apply(number as u16, arguments);
                        made.push((Holed { term, holes }, function.result));
                    }
                }
            }
        }
        made.retain(|(argument, of)| is_used(argument, *of));
        self.by_size.push(made);
    }

    /// The choices of arguments of these types whose sizes add up to this one, each by its size and number.
    fn choices(&self, types: &[TypeIndex], size: usize) -> Vec<Vec<(usize, usize)>> {
        let Some((first, rest)) = types.split_first() else {
            return if size == 0 { vec![Vec::new()] } else { Vec::new() };
        };
        let mut all = Vec::new();
        for of_first in 1..=size.min(self.by_size.len().saturating_sub(1)) {
            let rests = self.choices(rest, size - of_first);
            for (number, (_, of)) in self.by_size[of_first].iter().enumerate() {
                if of == first {
                    all.extend(rests.iter().map(|rest| [&[(of_first, number)], &rest[..]].concat()));
                }
            }
        }
        all
    }

    /// The chosen arguments beside each other: their holes are numbered from left to right.
    fn joined(&self, choice: &[(usize, usize)]) -> Holed<Vec<Argument>> {
        let (mut arguments, mut holes) = (Vec::new(), Vec::new());
        for (size, number) in choice {
            let (argument, _) = &self.by_size[*size][*number];
            let offset = holes.len() as u8;
            arguments.push(argument.term.map_leaves(&mut |leaf| match leaf {
                Argument::Variable(hole) => Argument::Variable(hole + offset),
                leaf => leaf.clone(),
            }));
            holes.extend_from_slice(&argument.holes);
        }
        Holed { term: arguments, holes }
    }

    /// The calls of this size.
    pub(crate) fn calls(&self, vocabulary: &Vocabulary, world: usize, size: usize) -> Vec<Holed<Effect>> {
        let mut made = Vec::new();
        for (number, op) in vocabulary.ops.iter().enumerate().filter(|(_, op)| op.world == world) {
            if let Some(of_arguments) = size.checked_sub(2) {
                made.extend(self.choices(&op.parameters, of_arguments).iter().map(|choice| {
                    let Holed { term: arguments, holes } = self.joined(choice);
                    Holed { term: Effect::Call(number as u16, arguments), holes }
                }));
            }
        }
        made
    }
}

/// A schema that is made of two others, with their numbers.
pub(crate) type Compound = (Holed<Effect>, [usize; 2]);

/// The schemas of one size that are made of two others: sequences and `|||`. The parts are given by size.
pub(crate) fn compounds(
    vocabulary: &Vocabulary,
    world: usize,
    parts: &[Vec<Part<'_>>],
    size: usize,
) -> Vec<Compound> {
    let mut made = Vec::new();
    for of_first in 1..size.saturating_sub(1) {
        for first in parts.get(of_first).into_iter().flatten() {
            let second = parts.get(size - 1 - of_first);
            for second in second.into_iter().flatten().filter(|second| second.place == PartUse::Anywhere) {
                if !first.schema.term.is_sequence() {
                    sequences(vocabulary, first, second, &mut made);
                }
            }
        }
    }
    if vocabulary.is_parallel(world) {
        pairs_beside(parts, size, &mut made);
    }
    made
}

/// `first >> second`, and `first >>= \x -> second` with the result in the place of some holes.
fn sequences(vocabulary: &Vocabulary, first: &Part<'_>, second: &Part<'_>, made: &mut Vec<Compound>) {
    if first.place == PartUse::Nowhere {
        return;
    }
    let numbers = [first.number, second.number];
    if first.place == PartUse::Anywhere {
        made.push((joined(first.schema, second.schema, &[], Effect::Then), numbers));
    }
    let result = first.schema.term.last_op().and_then(|op| vocabulary.ops[usize::from(op)].result);
    let Some(result) = result else { return };
    let holes = second.schema.holes.iter().enumerate().filter(|(_, of)| **of == result);
    let holes: Vec<u8> = holes.map(|(hole, _)| hole as u8).collect();
    for chosen in 1..1_u32 << holes.len() {
        let bound = holes.iter().enumerate().filter(|(place, _)| chosen >> place & 1 == 1);
        let bound: Vec<u8> = bound.map(|(_, hole)| *hole).collect();
        made.push((joined(first.schema, second.schema, &bound, Effect::Bind), numbers));
    }
}

/// The two beside each other: the smaller one, or the earlier, is on the left.
fn pairs_beside(parts: &[Vec<Part<'_>>], size: usize, made: &mut Vec<Compound>) {
    for of_left in 1..size.saturating_sub(1) {
        let of_right = size - 1 - of_left;
        if of_left > of_right {
            break;
        }
        let usable = |size: usize| {
            let parts = parts.get(size).into_iter().flatten();
            parts.filter(|part| part.place == PartUse::Anywhere).enumerate()
        };
        for (left_number, left) in usable(of_left) {
            for (right_number, right) in usable(of_right) {
                if of_left < of_right || left_number <= right_number {
                    let pair = joined(left.schema, right.schema, &[], Effect::Beside);
                    made.push((pair, [left.number, right.number]));
                }
            }
        }
    }
}

/// Two schemas as one. The bound holes of the second one are filled with the result of the first.
fn joined(
    first: &Holed<Effect>,
    second: &Holed<Effect>,
    bound: &[u8],
    join: fn(Box<Effect>, Box<Effect>) -> Effect,
) -> Holed<Effect> {
    let mut holes = first.holes.clone();
    let term = second.term.map_leaves(&mut |leaf, depth| match leaf {
        Argument::Variable(hole) if bound.contains(hole) => Argument::Bound(depth),
        Argument::Variable(hole) => {
            holes.push(second.holes[usize::from(*hole)]);
            Argument::Variable(holes.len() as u8 - 1)
        }
        leaf => leaf.clone(),
    });
    Holed { term: join(first.term.clone().into(), term.into()), holes }
}
