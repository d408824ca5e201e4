//! Shapes: formulas with their propositions replaced by numbers, each with one table of progression.
//!
//! All instances of a shape share its table, so that adding an instance builds nothing. Whether a shape is
//! stutter-invariant is decided once.

use crate::instances::Instances;
use rustc_hash::FxHashMap;
use selvedge_ltl::nnf::FormulaArena;
use selvedge_ltl::progression::{Cursor, SharedProgression, Status};
use selvedge_ltl::stutter::{StutterError, StutterWitness, find_stutter_witness};
use selvedge_ltl::{Formula, Letter, Prop};

/// The number of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ShapeId(pub(crate) u32);

/// All shapes.
#[derive(Debug, Default)]
pub(crate) struct Shapes {
    numbers: FxHashMap<Formula<Prop>, ShapeId>,
    shapes: Vec<Shape>,
}

#[derive(Debug)]
struct Shape {
    formula: Formula<Prop>,
    progression: SharedProgression,
    /// Does `X` or `Y` occur? Then a remainder can change by a repeated letter, though not its meaning.
    has_next: bool,
}

/// The reason why a formula cannot be watched.
#[derive(Debug)]
pub(crate) enum Refusal {
    NotStutterInvariant(StutterWitness),
    Undecided(StutterError),
}

impl Shapes {
    /// The shape of a formula; an error unless it is stutter-invariant.
    pub(crate) fn intern(&mut self, formula: &Formula<Prop>) -> Result<ShapeId, Refusal> {
        if let Some(known) = self.numbers.get(formula) {
            return Ok(*known);
        }
        let mut arena = FormulaArena::default();
        let root = arena.formula(formula);
        match find_stutter_witness(&arena, root) {
            Ok(None) => {}
            Ok(Some(witness)) => return Err(Refusal::NotStutterInvariant(witness)),
            Err(error) => return Err(Refusal::Undecided(error)),
        }
        let has_next = arena.has_next_or_previous(root);
        let shape = Shape {
            formula: formula.clone(),
            progression: SharedProgression::in_arena(arena, root),
            has_next,
        };
        let number = ShapeId(self.shapes.len() as u32);
        self.shapes.push(shape);
        self.numbers.insert(formula.clone(), number);
        Ok(number)
    }

    /// The formula of a shape.
    pub(crate) fn formula(&self, shape: ShapeId) -> &Formula<Prop> {
        &self.shapes[shape.0 as usize].formula
    }

    /// The tables of a shape.
    pub(crate) fn get(&self, shape: ShapeId) -> &SharedProgression {
        &self.shapes[shape.0 as usize].progression
    }

    /// The tables of a shape.
    pub(crate) fn get_mut(&mut self, shape: ShapeId) -> &mut SharedProgression {
        &mut self.shapes[shape.0 as usize].progression
    }

    /// The status after the letters so far.
    pub(crate) fn status(&self, shape: ShapeId, cursor: Cursor) -> Status {
        self.get(shape).status(cursor)
    }

    /// The remainder after one more state, however often it is repeated.
    #[inline]
    pub(crate) fn step(&mut self, shape: ShapeId, cursor: Cursor, letter: u64) -> Cursor {
        let Shape { progression, has_next, .. } = &mut self.shapes[shape.0 as usize];
        let letter = Letter::exactly(letter);
        let next = progression.step(cursor, letter);
        if *has_next { settle(progression, next, letter) } else { next }
    }

    /// Drops remainders of a shape that no instance needs, if there are very many. Then all other cursors
    /// of it are meaningless.
    #[inline]
    pub(crate) fn shrink(&mut self, shape: ShapeId, instances: &mut Instances) -> bool {
        let progression = &mut self.shapes[shape.0 as usize].progression;
        if progression.is_large() {
            progression.forget_all_but(instances.cursors_of(shape));
            return true;
        }
        false
    }
}

/// Repeats a letter until the formula is decided or the remainder repeats: in a stutter-invariant formula
/// with `X`, a repeated letter can decide what the first one left open in form, though not in meaning.
fn settle(progression: &mut SharedProgression, first: Cursor, letter: Letter) -> Cursor {
    let mut seen = vec![first];
    loop {
        let last = seen[seen.len() - 1];
        let next = progression.step(last, letter);
        if progression.status(next) != Status::Open {
            return next;
        }
        if seen.contains(&next) {
            return first;
        }
        seen.push(next);
    }
}
