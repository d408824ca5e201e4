//! Formula progression, one state at a time.
//!
//! The checker of Stolz and Huch (Runtime Verification of Concurrent Haskell Programs, §3.2): after each
//! letter the formula is true, false, or a remainder that is left to check. A remainder is a Boolean
//! function of formulas that must hold from the next state on. As a decision diagram it is canonical: equal
//! remainders are one node, only finitely many occur, and nested fixed points (`G F p`) do not grow. Each
//! obligation records whether it needs a next state (`X`, `U`) or not (`WX`, `R`), which decides it at the
//! end of a word (Gunter and Peled, §2).
//!
//! Past operators are progressed with a memory: the remainder of their value in the previous state. So past
//! and future operators may be nested in any way.
//!
//! Only laws that hold on finite and infinite words alike are used. On a three-valued letter the result says
//! what *may* hold: false is certain, true is not; progression of the negation gives the other half.
//!
//! ```
//! use selvedge_ltl::{Alphabet, Letter, progression::{Progression, Status}};
//! let mut alphabet = Alphabet::default();
//! let formula = alphabet.number(&"G (p -> X q)".parse().unwrap()).unwrap();
//! let mut run = Progression::new(&formula);
//! assert_eq!(run.step(Letter::exactly(0b01)), Status::Open);
//! assert!(!run.holds_at_end(), "a state with q must come");
//! assert_eq!(run.step(Letter::exactly(0b10)), Status::Open);
//! assert!(run.holds_at_end());
//! assert_eq!(run.step(Letter::exactly(0b01)), Status::Open);
//! assert_eq!(run.step(Letter::exactly(0b01)), Status::False);
//! ```

use crate::Formula;
mod step;
mod tables;

use crate::bdd::Bdd;
use crate::buchi::{Limits, TranslateError, Translator, past};
use crate::letter::{Letter, Prop};
use crate::nnf::{FormulaArena, Nnf, Node};
use rustc_hash::FxHashMap;
use step::Step;
use tables::{State, StateId, Tables};

/// The status after the letters so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// The formula holds on every continuation.
    True,
    /// The formula holds on no continuation.
    False,
    /// A remainder is left to check.
    Open,
}

/// The verdict after a prefix of a word: the four values of Bauer, Leucker and Schallhart, Comparing LTL
/// Semantics for Runtime Verification, 2010.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Every continuation satisfies the formula.
    True,
    /// The prefix as a finite word satisfies the formula; some continuation does not.
    PresumablyTrue,
    /// The prefix as a finite word violates the formula; some continuation satisfies it.
    PresumablyFalse,
    /// No continuation satisfies the formula.
    False,
}

/// Above this number of stored remainders all but the present one are dropped.
const MAX_REMAINDERS: usize = 1 << 16;
/// Above this number of diagram nodes all but the present remainder are dropped.
const MAX_NODES: usize = 1 << 20;

/// The progression of a formula along a word.
#[derive(Clone, Debug)]
pub struct Progression {
    arena: FormulaArena,
    props: u64,
    /// Past operators, operands first; each has an entry in the memory.
    past: Vec<Nnf>,
    tables: Tables,
    current: StateId,
}

impl Progression {
    /// A formula before the first letter.
    pub fn new(formula: &Formula<Prop>) -> Progression {
        let mut arena = FormulaArena::default();
        let root = arena.formula(formula);
        Progression::in_arena(arena, root)
    }

    /// A formula of an arena, before the first letter.
    pub fn in_arena(arena: FormulaArena, root: Nnf) -> Progression {
        let past = arena.subformulas(root).into_iter().filter(|part| arena.node(*part).is_past()).collect();
        let props = arena.props(root);
        let mut progression = Progression { arena, props, past, tables: Tables::default(), current: 0 };
        let weak = |operator: &Nnf| past::starts_true(progression.arena.node(*operator));
        let memory = progression.past.iter().map(|operator| Bdd::constant(weak(operator))).collect();
        // A word has a first state, so strong and weak obligations agree here.
        let remainder = progression.tables.obligation(root, true);
        progression.current = progression.tables.number(State { remainder, memory });
        progression
    }

    /// Reads a letter.
    #[inline]
    pub fn step(&mut self, letter: Letter) -> Status {
        self.current = match self.tables.known_step(self.current, letter, self.props) {
            Some(known) => known,
            None => self.new_step(letter),
        };
        self.status()
    }

    /// The status after the letters so far.
    pub fn status(&self) -> Status {
        match self.state().remainder {
            Bdd::TRUE => Status::True,
            Bdd::FALSE => Status::False,
            _ => Status::Open,
        }
    }

    /// Does the word that was read so far satisfy the formula as a finite word? The answer is meaningful
    /// after the first letter: words have at least one letter.
    pub fn holds_at_end(&self) -> bool {
        let tables = &self.tables;
        tables.bdds.value(self.state().remainder, |var| !tables.obligations[var as usize].1)
    }

    /// The remainder as a formula that must hold from the next state on, and its arena.
    ///
    /// At the end of a word, [`holds_at_end`](Self::holds_at_end) decides. Past operators in the remainder
    /// also refer to the letters read so far, so it is self-contained only for formulas without past
    /// operators.
    pub fn remainder(&mut self) -> (Nnf, &FormulaArena) {
        let remainder = self.state().remainder;
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
    pub fn verdict(&mut self) -> Result<Verdict, TranslateError> {
        let definite = match self.tables.definite.get(&self.current) {
            Some(known) => *known,
            None => {
                let definite = self.decide()?;
                self.tables.definite.insert(self.current, definite);
                definite
            }
        };
        Ok(match (definite, self.holds_at_end()) {
            (Some(true), _) => Verdict::True,
            (Some(false), _) => Verdict::False,
            (None, true) => Verdict::PresumablyTrue,
            (None, false) => Verdict::PresumablyFalse,
        })
    }

    /// The truth value on all infinite continuations; `None` if they differ.
    fn decide(&mut self) -> Result<Option<bool>, TranslateError> {
        let (remainder, _) = self.remainder();
        let memory: Vec<Option<bool>> = self.state().memory.iter().map(|part| part.as_constant()).collect();
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

    fn state(&self) -> &State {
        &self.tables.states[self.current as usize]
    }

    #[cold]
    fn new_step(&mut self, letter: Letter) -> StateId {
        if self.tables.states.len() > MAX_REMAINDERS || self.tables.bdds.size() > MAX_NODES {
            self.forget();
        }
        let from = self.state().clone();
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
        self.tables.remember_step(self.current, letter, self.props, to);
        to
    }

    /// Keeps the present remainder alone, in fresh tables.
    fn forget(&mut self) {
        let from = self.state().clone();
        let mut fresh = Tables::default();
        let mut known = FxHashMap::default();
        let mut copy = |diagram: Bdd| self.tables.copy(diagram, &mut fresh, &mut known);
        let remainder = copy(from.remainder);
        let memory = from.memory.iter().map(|part| copy(*part)).collect();
        self.current = fresh.number(State { remainder, memory });
        self.tables = fresh;
    }
}
