//! A proposition is a term: the one that the program calls `prop/1` with.
//!
//! Huch, Model Checking Erlang Programs: LTL-Propositions and Abstract Interpretation, WFLP 2001, section 4:
//! the names of propositions are arbitrary constructor terms. Under an abstract domain a part of the term
//! may be an abstract value, by its name.
//!
//! Promise: equal terms are equal propositions, however they are written: `[a|[b]]` is `[a,b]`.

use num_bigint::BigInt;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The largest number of a process: a set of processes is a word of 64 bits.
pub const MAX_PID: u8 = 63;

/// A term of a formula.
///
/// The order is not the order of terms in Erlang; it serves sets and maps of propositions.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Proposition {
    /// `done`; under a domain with a value of this name, perhaps that value.
    Atom(Arc<str>),
    /// `42`
    Integer(BigInt),
    /// `1.5`
    Float(Float),
    /// `@1`: a process, by its number; `@0` is the initial one.
    Pid(u8),
    /// `{value,@1}`
    Tuple(Vec<Proposition>),
    /// `[a,b|c]`, see [`Proposition::list`]. A string is a list of integers.
    List(Vec<Proposition>, Option<Box<Proposition>>),
    /// `#{a => 1}`
    Map(BTreeMap<Proposition, Proposition>),
    /// `<<1,2>>`
    Binary(Vec<u8>),
    /// A value of the abstract domain, by a name that is no atom of Erlang: `?int`, `<0`, `even&pos`.
    Abstract(Arc<str>),
}

impl Proposition {
    /// An atom.
    pub fn atom(name: &str) -> Proposition {
        Proposition::Atom(name.into())
    }

    /// An integer.
    pub fn integer(value: impl Into<BigInt>) -> Proposition {
        Proposition::Integer(value.into())
    }

    /// The list of the characters' numbers.
    pub fn string(text: &str) -> Proposition {
        let numbers = text.chars().map(|c| Proposition::integer(u32::from(c)));
        Proposition::List(numbers.collect(), None)
    }

    /// The elements before a tail; without one, before `[]`.
    ///
    /// A tail that is a list has its elements added, so that the tail of a [`Proposition::List`] is no list,
    /// and there is none without an element.
    #[must_use]
    pub fn list(mut elements: Vec<Proposition>, tail: Option<Proposition>) -> Proposition {
        match tail {
            None => Proposition::List(elements, None),
            Some(Proposition::List(more, tail)) => {
                elements.extend(more);
                Proposition::List(elements, tail)
            }
            Some(tail) if elements.is_empty() => tail,
            Some(tail) => Proposition::List(elements, Some(Box::new(tail))),
        }
    }

    /// Adds the numbers of the processes that occur.
    pub fn collect_pids(&self, pids: &mut BTreeSet<u8>) {
        match self {
            Proposition::Pid(pid) => {
                pids.insert(*pid);
            }
            Proposition::Tuple(elements) => elements.iter().for_each(|element| element.collect_pids(pids)),
            Proposition::List(elements, tail) => {
                elements.iter().chain(tail.as_deref()).for_each(|element| element.collect_pids(pids));
            }
            Proposition::Map(pairs) => {
                pairs.iter().flat_map(|(key, value)| [key, value]).for_each(|part| part.collect_pids(pids));
            }
            Proposition::Atom(_)
            | Proposition::Integer(_)
            | Proposition::Float(_)
            | Proposition::Binary(_)
            | Proposition::Abstract(_) => {}
        }
    }
}

/// A float that is finite and no negative zero, so that floats are equal if and only if their bits are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Float(f64);

impl Float {
    /// `None` for an infinity, or for no number; negative zero becomes zero.
    pub fn new(value: f64) -> Option<Float> {
        value.is_finite().then_some(Float(value + 0.0))
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl Eq for Float {}

impl Hash for Float {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

impl Ord for Float {
    fn cmp(&self, other: &Float) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Float {
    fn partial_cmp(&self, other: &Float) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tail_that_is_a_list_is_no_tail() {
        let [a, b, c] = ["a", "b", "c"].map(Proposition::atom);
        let inner = Proposition::list(vec![b.clone()], Some(c.clone()));
        let expected = Proposition::List(vec![a.clone(), b], Some(Box::new(c.clone())));
        assert_eq!(Proposition::list(vec![a.clone()], Some(inner)), expected);
        let nil = Proposition::list(Vec::new(), None);
        assert_eq!(Proposition::list(vec![a.clone()], Some(nil)), Proposition::List(vec![a], None));
        assert_eq!(Proposition::list(Vec::new(), Some(c.clone())), c);
    }

    #[test]
    fn floats_are_finite_and_zero_is_one_number() {
        assert_eq!(Float::new(-0.0).map(|zero| zero.get().to_bits()), Some(0));
        assert_eq!(Float::new(f64::NAN), None);
        assert_eq!(Float::new(f64::INFINITY), None);
        assert!(Float::new(-1.5) < Float::new(0.0));
    }
}
