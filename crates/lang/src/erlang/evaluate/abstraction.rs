//! The abstraction function α on terms.
//!
//! Integers become elements of the domain of integers, atoms that the domain does not keep become
//! `?atom`, and with `depth(k)` the constructors below the first k become typed tops. Atoms, pids and
//! `[]` have no parts and stay whatever their depth; pids are always concrete.
//!
//! Promise: the abstraction of an abstraction is itself.

use super::Evaluator;
use crate::erlang::term::{Kind, Term, Value};

/// The depth of a term that is not cut.
const UNCUT: u8 = u8::MAX;

impl Evaluator {
    /// The most precise value of the domain that stands for the term.
    pub(crate) fn abstraction(&mut self, value: Value) -> Value {
        if self.domain.is_concrete() {
            return value;
        }
        let depth = self.domain.depth.map_or(UNCUT, |depth| u8::try_from(depth).unwrap_or(UNCUT - 1));
        self.abstraction_at(value, depth)
    }

    fn abstraction_at(&mut self, value: Value, depth: u8) -> Value {
        if let Some(known) = self.abstracted.get(&(value, depth)) {
            return *known;
        }
        let below = if depth == UNCUT { UNCUT } else { depth.saturating_sub(1) };
        let is_cut = depth == 0;
        let abstracted = match self.terms.get(value).clone() {
            Term::Integer(number) => match &self.domain.integers {
                Some(integers) => {
                    let element = integers.alpha(&number);
                    self.terms.intern(Term::Abstract(element))
                }
                None if is_cut => self.terms.top(Kind::Integer),
                None => value,
            },
            Term::Float(_) if is_cut => self.terms.top(Kind::Float),
            Term::Binary(_) if is_cut => self.terms.top(Kind::Binary),
            Term::Atom(atom) => {
                let set = self.domain.atoms.as_ref().and_then(|atoms| atoms.alpha(self.terms.name(atom)));
                set.map_or(value, |set| self.terms.intern(Term::Atoms(set)))
            }
            Term::Tuple(elements) if is_cut && !elements.is_empty() => self.terms.top(Kind::Tuple),
            Term::Map(pairs) if is_cut && !pairs.is_empty() => self.terms.top(Kind::Map),
            Term::Cons(..) if is_cut => {
                let (_, end) = self.terms.elements(value);
                let is_proper = matches!(self.terms.get(end), Term::Nil | Term::Top(Kind::List | Kind::Cons));
                self.terms.top(if is_proper { Kind::Cons } else { Kind::Any })
            }
            Term::Tuple(elements) => {
                let elements = elements.iter().map(|element| self.abstraction_at(*element, below)).collect();
                self.terms.intern(Term::Tuple(elements))
            }
            Term::Map(pairs) => self.abstract_map(&pairs, below),
            Term::Cons(..) => self.abstract_list(value, depth),
            // A fun that is cut could not be called: what it captures is cut instead.
            Term::Fun { function, captured } => {
                let captured = captured.iter().map(|part| self.abstraction_at(*part, below)).collect();
                self.terms.intern(Term::Fun { function, captured })
            }
            _ => value,
        };
        self.abstracted.insert((value, depth), abstracted);
        abstracted
    }

    /// Keys that become equal would make the number of keys unknown: such a map is `?map`.
    fn abstract_map(&mut self, pairs: &[(Value, Value)], below: u8) -> Value {
        let pairs: Vec<(Value, Value)> = pairs
            .iter()
            .map(|(key, value)| (self.abstraction_at(*key, below), self.abstraction_at(*value, below)))
            .collect();
        if pairs.iter().any(|(key, _)| self.terms.is_abstract(*key)) {
            return self.terms.top(Kind::Map);
        }
        self.terms.intern(Term::Map(pairs.into()))
    }

    /// Without recursion along the list where it is not cut.
    fn abstract_list(&mut self, list: Value, depth: u8) -> Value {
        let (elements, end) = self.terms.elements(list);
        if depth == UNCUT {
            let elements: Vec<Value> =
                elements.iter().map(|element| self.abstraction_at(*element, UNCUT)).collect();
            let end = self.abstraction_at(end, UNCUT);
            return self.terms.list(elements.into_iter(), end);
        }
        let Term::Cons(head, tail) = *self.terms.get(list) else { unreachable!("a list has a head") };
        let (head, tail) = (self.abstraction_at(head, depth - 1), self.abstraction_at(tail, depth - 1));
        self.terms.intern(Term::Cons(head, tail))
    }

    /// A tuple, as the domain can express it.
    pub(super) fn make_tuple(&mut self, elements: &[Value]) -> Value {
        let tuple = self.terms.tuple(elements);
        self.abstraction(tuple)
    }

    /// An integer, as the domain can express it.
    pub(super) fn make_integer(&mut self, number: impl Into<num_bigint::BigInt>) -> Value {
        let integer = self.terms.integer(number);
        self.abstraction(integer)
    }

    /// Any integer.
    pub(super) fn any_integer(&mut self) -> Value {
        match &self.domain.integers {
            Some(integers) => {
                let least = integers.least();
                self.terms.intern(Term::Abstract(least))
            }
            None => self.terms.top(Kind::Integer),
        }
    }
}
