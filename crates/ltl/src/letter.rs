//! Propositions as bits, and the labels of states.
//!
//! A [`Letter`] is the label of one state: for each proposition whether it may be true and whether it may be
//! false. In two-valued systems exactly one of the two is set; an abstract interpretation may set both,
//! which is "unknown" (Huch, Model Checking Erlang Programs, Definition 8: satisfied, refuted, or neither).
//! A [`Cube`] is a set of literals, the guard of an edge in a search; a letter meets it if each of its
//! literals may hold.
//!
//! Promise: letters and cubes are two words each and are compared without allocation. An [`Alphabet`] has at
//! most [`MAX_PROPS`] propositions and refuses more.

use std::fmt;

/// The maximal number of propositions in one formula, or in one set of formulas used together.
pub const MAX_PROPS: usize = 64;

/// A proposition, as its number in an [`Alphabet`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Prop(pub u8);

impl Prop {
    /// The mask with this proposition's bit.
    pub fn bit(self) -> u64 {
        1 << self.0
    }
}

/// The propositions of some formulas, numbered in the order of their first occurrence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alphabet<P> {
    names: Vec<P>,
}

impl<P> Default for Alphabet<P> {
    fn default() -> Self {
        Alphabet { names: Vec::new() }
    }
}

/// More than [`MAX_PROPS`] propositions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyProps;

impl fmt::Display for TooManyProps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "more than {MAX_PROPS} different propositions")
    }
}

impl std::error::Error for TooManyProps {}

impl<P: Clone + PartialEq> Alphabet<P> {
    /// The proposition's number; a proposition without number gets the next one.
    pub fn intern(&mut self, name: &P) -> Result<Prop, TooManyProps> {
        if let Some(known) = self.find(name) {
            return Ok(known);
        }
        if self.names.len() == MAX_PROPS {
            return Err(TooManyProps);
        }
        self.names.push(name.clone());
        Ok(Prop((self.names.len() - 1) as u8))
    }

    /// The formula over numbered propositions.
    pub fn number(&mut self, formula: &crate::Formula<P>) -> Result<crate::Formula<Prop>, TooManyProps> {
        let mut full = Ok(());
        let numbered = formula.map(&mut |name| {
            self.intern(name).unwrap_or_else(|error| {
                full = Err(error);
                Prop(0)
            })
        });
        full.map(|()| numbered)
    }

    /// The proposition's number, if it has one.
    pub fn find(&self, name: &P) -> Option<Prop> {
        self.names.iter().position(|known| known == name).map(|index| Prop(index as u8))
    }
}

impl<P> Alphabet<P> {
    /// The propositions in order.
    pub fn names(&self) -> &[P] {
        &self.names
    }

    /// The proposition with this number.
    pub fn name(&self, prop: Prop) -> &P {
        &self.names[prop.0 as usize]
    }

    /// The number of propositions.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Is there no proposition?
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The mask of all propositions.
    pub fn mask(&self) -> u64 {
        mask(self.names.len())
    }
}

/// The mask of the first `count` propositions.
pub fn mask(count: usize) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

/// A state's label: the possible values of each proposition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Letter {
    /// The propositions that may be true.
    pub may_true: u64,
    /// The propositions that may be false.
    pub may_false: u64,
}

impl Letter {
    /// The two-valued letter in which exactly these propositions hold.
    pub fn exactly(holding: u64) -> Letter {
        Letter { may_true: holding, may_false: !holding }
    }

    /// The same letter with these propositions unknown.
    #[must_use]
    pub fn forget(self, unknown: u64) -> Letter {
        Letter { may_true: self.may_true | unknown, may_false: self.may_false | unknown }
    }

    /// May the literal hold: the proposition if `positive`, else its negation?
    pub fn allows(self, prop: Prop, positive: bool) -> bool {
        let may = if positive { self.may_true } else { self.may_false };
        may & prop.bit() != 0
    }

    /// The proposition's value; `None` if it is unknown.
    pub fn value(self, prop: Prop) -> Option<bool> {
        let (may_true, may_false) = (self.allows(prop, true), self.allows(prop, false));
        (may_true != may_false).then_some(may_true)
    }

    /// The letter restricted to the propositions of `mask`; all others are false.
    #[must_use]
    pub fn only(self, mask: u64) -> Letter {
        Letter { may_true: self.may_true & mask, may_false: self.may_false | !mask }
    }
}

/// A conjunction of literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Cube {
    /// The propositions that must hold.
    pub positive: u64,
    /// The propositions that must not hold.
    pub negative: u64,
}

impl Cube {
    /// The cube that every letter meets.
    pub const TRUE: Cube = Cube { positive: 0, negative: 0 };

    /// Can a state with this label meet every literal?
    #[inline]
    pub fn meets(self, letter: Letter) -> bool {
        (self.positive & !letter.may_true) | (self.negative & !letter.may_false) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_proposition_meets_both_literals() {
        let letter = Letter::exactly(0b01).forget(0b10);
        assert_eq!(letter.value(Prop(0)), Some(true));
        assert_eq!(letter.value(Prop(1)), None);
        assert!(Cube { positive: 0b11, negative: 0 }.meets(letter));
        assert!(Cube { positive: 0b01, negative: 0b10 }.meets(letter));
        assert!(!Cube { positive: 0, negative: 0b01 }.meets(letter));
    }

    #[test]
    fn the_sixty_fifth_proposition_is_refused() {
        let mut alphabet = Alphabet::default();
        for name in 0..64 {
            assert_eq!(alphabet.intern(&name), Ok(Prop(name as u8)));
        }
        assert_eq!(alphabet.intern(&64), Err(TooManyProps));
        assert_eq!(alphabet.intern(&7), Ok(Prop(7)));
        assert_eq!(alphabet.mask(), u64::MAX);
    }
}
