//! Shapes: formulas with their propositions replaced by numbers, each with one table of progression.
//!
//! All instances of a shape share its table, so that adding an instance builds nothing. Whether a shape is
//! stutter-invariant is decided once. The steps that leave the formula open, nearly all of a long run, are
//! found by one load.

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
    open_steps: OpenSteps,
}

/// The steps of a shape that were made and left the formula open: a copy of the tables for the most
/// frequent case. Empty, if the shape has many propositions.
#[derive(Debug)]
struct OpenSteps {
    /// The number of propositions.
    bits: u32,
    /// By cursor and letter, the next cursor.
    next: Vec<Option<Cursor>>,
}

/// A shape keeps at most so many open steps.
const MAX_OPEN_STEPS: usize = 1 << 12;

/// With more propositions, it keeps none.
const MAX_OPEN_BITS: u32 = 8;

impl OpenSteps {
    fn new(formula: &Formula<Prop>) -> OpenSteps {
        let mut bits = 0;
        formula.map(&mut |prop: &Prop| bits = bits.max(u32::from(prop.0) + 1));
        OpenSteps { bits, next: Vec::new() }
    }

    /// The place of a step, for a shape with few propositions.
    #[inline]
    fn place(&self, cursor: Cursor, letter: u64) -> usize {
        // A letter can have values of propositions that the shape does not have.
        let bits = self.bits.min(MAX_OPEN_BITS);
        ((cursor.number() as usize) << bits) | (letter as usize & ((1 << bits) - 1))
    }

    #[inline]
    fn get(&self, cursor: Cursor, letter: u64) -> Option<Cursor> {
        self.next.get(self.place(cursor, letter)).copied().flatten()
    }

    fn set(&mut self, cursor: Cursor, letter: u64, next: Cursor) {
        let place = self.place(cursor, letter);
        if self.bits <= MAX_OPEN_BITS && place < MAX_OPEN_STEPS {
            self.next.resize(self.next.len().max(place + 1), None);
            self.next[place] = Some(next);
        }
    }
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
            open_steps: OpenSteps::new(formula),
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

    /// The same, if the step was [remembered](Self::remember_open).
    #[inline]
    pub(crate) fn known_open_step(&self, shape: ShapeId, cursor: Cursor, letter: u64) -> Option<Cursor> {
        self.shapes[shape.0 as usize].open_steps.get(cursor, letter)
    }

    /// The step was made, and leaves the formula open.
    pub(crate) fn remember_open(&mut self, shape: ShapeId, cursor: Cursor, letter: u64, next: Cursor) {
        self.shapes[shape.0 as usize].open_steps.set(cursor, letter, next);
    }

    /// Drops remainders of a shape that no instance needs, if there are very many. Then all other cursors
    /// of it are meaningless.
    #[inline]
    pub(crate) fn shrink(&mut self, shape: ShapeId, instances: &mut Instances) -> bool {
        let Shape { progression, open_steps, .. } = &mut self.shapes[shape.0 as usize];
        if progression.is_large() {
            progression.forget_all_but(instances.cursors_of(shape));
            open_steps.next.clear();
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

#[cfg(test)]
mod tests {
    use super::*;

    fn shape_of(text: &str) -> (Shapes, ShapeId) {
        let formula = selvedge_ltl::Alphabet::default().number(&text.parse().expect("a formula"));
        let mut shapes = Shapes::default();
        let shape = shapes.intern(&formula.expect("few propositions")).expect("stutter-invariant");
        (shapes, shape)
    }

    #[test]
    fn an_open_step_that_is_remembered_is_the_step_of_the_tables() {
        let (mut shapes, shape) = shape_of("G (a -> F b)");
        let start = shapes.get(shape).start();
        let mut cursors = vec![start];
        for _ in 0..3 {
            for (cursor, letter) in
                cursors.clone().into_iter().flat_map(|from| (0..4).map(move |l| (from, l)))
            {
                let next = shapes.step(shape, cursor, letter);
                shapes.remember_open(shape, cursor, letter, next);
                cursors.push(next);
            }
        }
        for (cursor, letter) in cursors.into_iter().flat_map(|from| (0..8).map(move |l| (from, l))) {
            let expected = shapes.step(shape, cursor, letter);
            // The third bit is of no proposition of the formula.
            assert!(shapes.known_open_step(shape, cursor, letter).is_none_or(|known| known == expected));
            shapes.remember_open(shape, cursor, letter, expected);
            assert_eq!(shapes.known_open_step(shape, cursor, letter), Some(expected));
        }
    }

    #[test]
    fn a_shape_with_many_propositions_remembers_no_step() {
        let text: Vec<String> = (0..40).map(|number| format!("G p{number}")).collect();
        let (mut shapes, shape) = shape_of(&text.join(" & "));
        let start = shapes.get(shape).start();
        shapes.remember_open(shape, start, u64::MAX, start);
        assert_eq!(shapes.known_open_step(shape, start, u64::MAX), None);
    }
}
