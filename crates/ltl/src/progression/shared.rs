//! The progression of one formula along any number of words: tables that are shared, and one number a word.
//!
//! The tables map a remainder and a letter to the next remainder. They depend on the formula alone, so every
//! word of the formula uses the same ones, and a word is no more than a [`Cursor`]: the number of its
//! remainder. A monitor with many instances of one formula and a debugger that goes back to earlier states
//! need this.
//!
//! Promise: a cursor moves as a [`Progression`](super::Progression) of its own would.

use super::step::Step;
use super::tables::{State, StateId, Tables};
use super::{Status, Verdict};
use crate::Formula;
use crate::bdd::Bdd;
use crate::buchi::{Limits, TranslateError, Translator, past};
use crate::letter::{Letter, Prop};
use crate::nnf::{FormulaArena, Nnf, Node};
use rustc_hash::FxHashMap;

/// Above this number of stored remainders the tables are large.
const MAX_REMAINDERS: usize = 1 << 16;
/// Above this number of diagram nodes the tables are large.
const MAX_NODES: usize = 1 << 20;

/// The progression of a formula, for any number of words.
///
/// ```
/// use selvedge_ltl::{Alphabet, Letter, progression::{SharedProgression, Status}};
/// let formula = Alphabet::default().number(&"p U q".parse().unwrap()).unwrap();
/// let mut shared = SharedProgression::new(&formula);
/// let (one, other) = (shared.start(), shared.start());
/// let one = shared.step(one, Letter::exactly(0b01));
/// let other = shared.step(other, Letter::exactly(0b00));
/// assert_eq!((shared.status(one), shared.status(other)), (Status::Open, Status::False));
/// ```
#[derive(Clone, Debug)]
pub struct SharedProgression {
    arena: FormulaArena,
    props: u64,
    /// Past operators, operands first; each has an entry in the memory.
    past: Vec<Nnf>,
    tables: Tables,
    start: StateId,
}

/// The remainder of one word, as its number in the tables of a [`SharedProgression`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cursor(StateId);

impl Cursor {
    /// The number itself: [`forget_all_but`](SharedProgression::forget_all_but) aside, it stays.
    #[inline]
    pub fn number(self) -> u32 {
        self.0
    }
}

impl SharedProgression {
    /// The progression of this formula.
    pub fn new(formula: &Formula<Prop>) -> SharedProgression {
        let mut arena = FormulaArena::default();
        let root = arena.formula(formula);
        SharedProgression::in_arena(arena, root)
    }

    /// The progression of a formula of an arena.
    pub fn in_arena(arena: FormulaArena, root: Nnf) -> SharedProgression {
        let past: Vec<Nnf> =
            arena.subformulas(root).into_iter().filter(|part| arena.node(*part).is_past()).collect();
        let props = arena.props(root);
        let weak = |operator: &Nnf| past::starts_true(arena.node(*operator));
        let memory = past.iter().map(|operator| Bdd::constant(weak(operator))).collect();
        let mut tables = Tables::default();
        // A word has a first state, so strong and weak obligations agree here.
        let remainder = tables.obligation(root, true);
        let start = tables.number(State { remainder, memory });
        SharedProgression { arena, props, past, tables, start }
    }

    /// A word before its first letter.
    pub fn start(&self) -> Cursor {
        Cursor(self.start)
    }

    /// The propositions of the formula.
    pub fn props(&self) -> u64 {
        self.props
    }

    /// The word of this cursor goes on with a letter.
    #[inline]
    pub fn step(&mut self, from: Cursor, letter: Letter) -> Cursor {
        match self.known_step(from, letter) {
            Some(known) => known,
            None => self.new_step(from, letter),
        }
    }

    /// The same, if the tables have the step.
    #[inline]
    pub fn known_step(&self, from: Cursor, letter: Letter) -> Option<Cursor> {
        self.tables.known_step(from.0, letter, self.props).map(Cursor)
    }

    /// The status after the letters so far.
    pub fn status(&self, cursor: Cursor) -> Status {
        match self.state(cursor).remainder {
            Bdd::TRUE => Status::True,
            Bdd::FALSE => Status::False,
            _ => Status::Open,
        }
    }

    /// Does the word that was read so far satisfy the formula as a finite word? The answer is meaningful
    /// after the first letter: words have at least one letter.
    pub fn holds_at_end(&self, cursor: Cursor) -> bool {
        let tables = &self.tables;
        tables.bdds.value(self.state(cursor).remainder, |var| !tables.obligations[var as usize].1)
    }

    /// The remainder as a formula that must hold from the next state on, and its arena.
    ///
    /// At the end of a word, [`holds_at_end`](Self::holds_at_end) decides. Past operators in the remainder
    /// also refer to the letters read so far, so it is self-contained only for formulas without past
    /// operators.
    pub fn remainder(&mut self, cursor: Cursor) -> (Nnf, &FormulaArena) {
        let remainder = self.state(cursor).remainder;
        let mut known = FxHashMap::default();
        let formula = self.tables.formula(&mut self.arena, remainder, &mut known);
        (formula, &self.arena)
    }

    /// Does a past operator occur?
    pub fn has_past(&self) -> bool {
        !self.past.is_empty()
    }

    /// The verdict on the infinite words that begin with the letters so far.
    ///
    /// It is [`Verdict::True`] or [`Verdict::False`] exactly if no continuation can change it: if the
    /// negation of the remainder, or the remainder itself, is unsatisfiable.
    ///
    /// # Errors
    /// If an automaton of the remainder is too large, or a future operator is below a past one.
    pub fn verdict(&mut self, cursor: Cursor) -> Result<Verdict, TranslateError> {
        let definite = match self.tables.definite.get(&cursor.0) {
            Some(known) => *known,
            None => {
                let definite = self.decide(cursor)?;
                self.tables.definite.insert(cursor.0, definite);
                definite
            }
        };
        Ok(match (definite, self.holds_at_end(cursor)) {
            (Some(true), _) => Verdict::True,
            (Some(false), _) => Verdict::False,
            (None, true) => Verdict::PresumablyTrue,
            (None, false) => Verdict::PresumablyFalse,
        })
    }

    /// The truth value on all infinite continuations; `None` if they differ.
    fn decide(&mut self, cursor: Cursor) -> Result<Option<bool>, TranslateError> {
        let (remainder, _) = self.remainder(cursor);
        let memory: Vec<Option<bool>> =
            self.state(cursor).memory.iter().map(|part| part.as_constant()).collect();
        // A memory that is not constant comes from a future operator below a past one, which the translation
        // refuses.
        let held = |operator: Nnf| {
            let index = self.past.binary_search(&operator).ok();
            index.and_then(|index| memory[index]).unwrap_or(false)
        };
        // The negated formula has negated past operators: their memory is negated too.
        let mut translator = Translator::new(self.arena.clone(), Limits::default());
        if !translator.is_satisfiable_after(remainder, &held)? {
            return Ok(Some(false));
        }
        let negation = translator.arena.negate(remainder);
        let negated: FxHashMap<Nnf, bool> =
            self.past.iter().map(|operator| (translator.arena.negate(*operator), !held(*operator))).collect();
        let held_negated = |operator: Nnf| negated.get(&operator).copied().unwrap_or(false);
        Ok((!translator.is_satisfiable_after(negation, &held_negated)?).then_some(true))
    }

    /// The number of different remainders in the tables.
    pub fn remainder_count(&self) -> usize {
        self.tables.states.len()
    }

    /// Are the tables so large that old remainders should be dropped?
    pub fn is_large(&self) -> bool {
        self.tables.states.len() > MAX_REMAINDERS || self.tables.bdds.size() > MAX_NODES
    }

    /// Keeps the remainders of these cursors alone, and of words that start later, in fresh tables. Cursors
    /// that are not among them become meaningless.
    pub fn forget_all_but<'c>(&mut self, cursors: impl IntoIterator<Item = &'c mut Cursor>) {
        let (old, mut fresh) = (&self.tables, Tables::default());
        let (mut known, mut moved) = (FxHashMap::default(), FxHashMap::default());
        let mut keep = |state: StateId| {
            *moved.entry(state).or_insert_with(|| {
                let State { remainder, memory } = &old.states[state as usize];
                let mut copy = |diagram: Bdd| old.copy(diagram, &mut fresh, &mut known);
                let (remainder, memory) = (copy(*remainder), memory.iter().map(|part| copy(*part)).collect());
                fresh.number(State { remainder, memory })
            })
        };
        self.start = keep(self.start);
        for cursor in cursors {
            cursor.0 = keep(cursor.0);
        }
        self.tables = fresh;
    }

    fn state(&self, cursor: Cursor) -> &State {
        &self.tables.states[cursor.0 as usize]
    }

    #[cold]
    fn new_step(&mut self, cursor: Cursor, letter: Letter) -> Cursor {
        let from = self.state(cursor).clone();
        let mut step = Step {
            arena: &self.arena,
            tables: &mut self.tables,
            past: &self.past,
            before: &from.memory,
            letter,
            values: FxHashMap::default(),
            advanced: FxHashMap::default(),
        };
        let remainder = step.advance(from.remainder);
        let memory = self
            .past
            .iter()
            .map(|operator| match *self.arena.node(*operator) {
                Node::Previous(a) | Node::WeakPrevious(a) => step.value(a),
                _ => step.value(*operator),
            })
            .collect();
        // A decided formula needs no memory of the past: the old memory avoids further states.
        let memory = if remainder.is_constant() { from.memory } else { memory };
        let to = self.tables.number(State { remainder, memory });
        self.tables.remember_step(cursor.0, letter, self.props, to);
        Cursor(to)
    }
}
