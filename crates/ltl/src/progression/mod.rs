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

mod shared;
mod step;
mod tables;

pub use shared::{Cursor, SharedProgression};

use crate::Formula;
use crate::buchi::TranslateError;
use crate::letter::{Letter, Prop};
use crate::nnf::{FormulaArena, Nnf};

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

/// The progression of a formula along one word.
///
/// Many words of one formula share their tables in a [`SharedProgression`].
#[derive(Clone, Debug)]
pub struct Progression {
    shared: SharedProgression,
    current: Cursor,
}

impl Progression {
    /// A formula before the first letter.
    pub fn new(formula: &Formula<Prop>) -> Progression {
        Progression::along(SharedProgression::new(formula))
    }

    /// A formula of an arena, before the first letter.
    pub fn in_arena(arena: FormulaArena, root: Nnf) -> Progression {
        Progression::along(SharedProgression::in_arena(arena, root))
    }

    fn along(shared: SharedProgression) -> Progression {
        let current = shared.start();
        Progression { shared, current }
    }

    /// Reads a letter.
    #[inline]
    pub fn step(&mut self, letter: Letter) -> Status {
        if let Some(known) = self.shared.known_step(self.current, letter) {
            self.current = known;
            return self.status();
        }
        self.new_step(letter)
    }

    #[cold]
    fn new_step(&mut self, letter: Letter) -> Status {
        if self.shared.is_large() {
            self.shared.forget_all_but([&mut self.current]);
        }
        self.current = self.shared.step(self.current, letter);
        self.status()
    }

    /// The status after the letters so far.
    pub fn status(&self) -> Status {
        self.shared.status(self.current)
    }

    /// Does the word that was read so far satisfy the formula as a finite word? The answer is meaningful
    /// after the first letter: words have at least one letter.
    pub fn holds_at_end(&self) -> bool {
        self.shared.holds_at_end(self.current)
    }

    /// The remainder as a formula that must hold from the next state on, and its arena: see
    /// [`SharedProgression::remainder`].
    pub fn remainder(&mut self) -> (Nnf, &FormulaArena) {
        self.shared.remainder(self.current)
    }

    /// Does a past operator occur?
    pub fn has_past(&self) -> bool {
        self.shared.has_past()
    }

    /// The verdict on the infinite words that begin with the letters so far: see
    /// [`SharedProgression::verdict`].
    pub fn verdict(&mut self) -> Result<Verdict, TranslateError> {
        self.shared.verdict(self.current)
    }

    /// The number of different remainders in the tables.
    pub fn remainder_count(&self) -> usize {
        self.shared.remainder_count()
    }
}
