//! Order and equality of terms, three-valued where terms are abstract; and the order of precision.
//!
//! The order is that of the reference manual ("Term Comparisons"): number < atom < reference < fun < pid <
//! tuple < map < nil < list < bit string. Terms that are not abstract are always decided.

use super::{Kind, Term, Terms, Value};
use crate::erlang::domain::{Comparison, Domain, Truth};
use num_bigint::BigInt;
use std::cmp::Ordering;

impl Truth {
    pub(crate) fn is(truth: bool) -> Truth {
        if truth { Truth::True } else { Truth::False }
    }

    pub(crate) fn not(self) -> Truth {
        match self {
            Truth::False => Truth::True,
            Truth::Unknown => Truth::Unknown,
            Truth::True => Truth::False,
        }
    }

    pub(crate) fn or(self, other: Truth) -> Truth {
        self.not().and(other.not()).not()
    }

    pub(crate) fn and(self, other: Truth) -> Truth {
        match (self, other) {
            (Truth::False, _) | (_, Truth::False) => Truth::False,
            (Truth::True, Truth::True) => Truth::True,
            _ => Truth::Unknown,
        }
    }
}

/// The place of a term's kind in the order, as a range: an abstract term may be of several kinds.
fn ranks(term: &Term) -> (u8, u8) {
    let rank = match term {
        Term::Dead => unreachable!("a variable that is not bound is compared"),
        Term::Integer(_) | Term::Float(_) | Term::Abstract(_) => 0,
        Term::Atom(_) | Term::Atoms(_) => 1,
        Term::Ref { .. } => 2,
        Term::Fun { .. } | Term::External { .. } => 3,
        Term::Pid(_) => 4,
        Term::Tuple(_) => 5,
        Term::Map(_) => 6,
        Term::Nil => 7,
        Term::Cons(..) => 8,
        Term::Binary(_) => 9,
        Term::Top(kind) => match kind {
            Kind::Any => return (0, 9),
            Kind::Integer | Kind::Float => 0,
            Kind::Atom => 1,
            Kind::Ref => 2,
            Kind::Fun => 3,
            Kind::Pid => 4,
            Kind::Tuple => 5,
            Kind::Map => 6,
            Kind::List => return (7, 8),
            Kind::Cons => 8,
            Kind::Binary => 9,
        },
    };
    (rank, rank)
}

impl Terms {
    /// The order of two terms that are not abstract. `1` and `1.0` are equal here.
    pub(crate) fn order(&self, left: Value, right: Value) -> Ordering {
        if left == right {
            return Ordering::Equal;
        }
        let (first, second) = (self.get(left), self.get(right));
        let by_rank = ranks(first).0.cmp(&ranks(second).0);
        by_rank.then_with(|| match (first, second) {
            (Term::Integer(a), Term::Integer(b)) => a.cmp(b),
            (Term::Float(a), Term::Float(b)) => float_order(f64::from_bits(*a), f64::from_bits(*b)),
            (Term::Integer(a), Term::Float(b)) => integer_float(a, f64::from_bits(*b)),
            (Term::Float(a), Term::Integer(b)) => integer_float(b, f64::from_bits(*a)).reverse(),
            (Term::Atom(a), Term::Atom(b)) => self.name(*a).cmp(self.name(*b)),
            (Term::Tuple(a), Term::Tuple(b)) => a.len().cmp(&b.len()).then_with(|| self.orders(a, b)),
            (Term::Map(a), Term::Map(b)) => a.len().cmp(&b.len()).then_with(|| {
                let parts = |pairs: &[(Value, Value)]| -> Vec<Value> {
                    let keys = pairs.iter().map(|pair| pair.0);
                    keys.chain(pairs.iter().map(|pair| pair.1)).collect()
                };
                self.orders(&parts(a), &parts(b))
            }),
            (Term::Cons(..), Term::Cons(..)) => self.list_order(left, right),
            (Term::Binary(a), Term::Binary(b)) => a.cmp(b),
            (Term::Pid(a), Term::Pid(b)) => a.cmp(b),
            (Term::Ref { maker: a, number: m }, Term::Ref { maker: b, number: n }) => (a, m).cmp(&(b, n)),
            (Term::Fun { function: f, captured: a }, Term::Fun { function: g, captured: b }) => {
                f.cmp(g).then_with(|| self.orders(a, b))
            }
            (Term::Fun { .. }, Term::External { .. }) => Ordering::Less,
            (Term::External { .. }, Term::Fun { .. }) => Ordering::Greater,
            (
                Term::External { module: a, name: f, arity: m },
                Term::External { module: b, name: g, arity: n },
            ) => (self.name(*a), self.name(*f), m).cmp(&(self.name(*b), self.name(*g), n)),
            _ => Ordering::Equal,
        })
    }

    /// The order of the keys of a map, as `maps:to_list/1` has it: integers come before floats.
    pub(crate) fn key_order(&self, left: Value, right: Value) -> Ordering {
        match (self.get(left), self.get(right)) {
            (Term::Integer(_), Term::Float(_)) => Ordering::Less,
            (Term::Float(_), Term::Integer(_)) => Ordering::Greater,
            _ => self.order(left, right).then(left.cmp(&right)),
        }
    }

    fn orders(&self, left: &[Value], right: &[Value]) -> Ordering {
        let differing = left.iter().zip(right).map(|(a, b)| self.order(*a, *b));
        differing.into_iter().find(|order| order.is_ne()).unwrap_or(left.len().cmp(&right.len()))
    }

    /// Long lists are compared without recursion along their tails.
    fn list_order(&self, mut left: Value, mut right: Value) -> Ordering {
        loop {
            match (self.get(left), self.get(right)) {
                (Term::Cons(a, left_tail), Term::Cons(b, right_tail)) => {
                    let order = self.order(*a, *b);
                    if order.is_ne() {
                        return order;
                    }
                    (left, right) = (*left_tail, *right_tail);
                }
                _ => return self.order(left, right),
            }
        }
    }

    /// `left =:= right`
    pub(crate) fn equals(&self, left: Value, right: Value, domain: &Domain) -> Truth {
        if !self.is_abstract(left) && !self.is_abstract(right) {
            return Truth::is(left == right);
        }
        match (self.get(left), self.get(right)) {
            (Term::Abstract(a), Term::Abstract(b)) => {
                let integers = domain.integers.as_ref().expect("a domain of integers");
                if a == b && integers.only_value(*a).is_some() {
                    Truth::True
                } else {
                    Truth::is(integers.have_common_upper_bound(*a, *b)).and(Truth::Unknown)
                }
            }
            (Term::Atoms(a), Term::Atoms(b)) => {
                domain.atoms.as_ref().map_or(Truth::Unknown, |atoms| atoms.equal(*a, *b))
            }
            (Term::Atoms(set), Term::Atom(atom)) | (Term::Atom(atom), Term::Atoms(set)) => {
                let atoms = domain.atoms.as_ref().expect("a domain of atoms");
                Truth::is(atoms.contains(*set, self.name(*atom))).and(Truth::Unknown)
            }
            (Term::Tuple(a), Term::Tuple(b)) if a.len() == b.len() => self.all_equal(a, b, domain),
            (Term::Cons(a, s), Term::Cons(b, t)) => self.all_equal(&[*a, *s], &[*b, *t], domain),
            (Term::Fun { function: f, captured: a }, Term::Fun { function: g, captured: b }) if f == g => {
                self.all_equal(a, b, domain)
            }
            (Term::Map(a), Term::Map(b)) => Truth::is(a.len() == b.len()).and(Truth::Unknown),
            (Term::Top(kind), term) | (term, Term::Top(kind)) => {
                Truth::is(self.may_be(term, *kind)).and(Truth::Unknown)
            }
            _ => Truth::False,
        }
    }

    fn all_equal(&self, left: &[Value], right: &[Value], domain: &Domain) -> Truth {
        let pairs = left.iter().zip(right);
        pairs.fold(Truth::True, |truth, (a, b)| truth.and(self.equals(*a, *b, domain)))
    }

    /// `left == right`: a float may equal an integer.
    pub(crate) fn equals_as_numbers(&self, left: Value, right: Value, domain: &Domain) -> Truth {
        if !self.is_abstract(left) && !self.is_abstract(right) {
            return Truth::is(self.order(left, right).is_eq());
        }
        let exactly = self.equals(left, right, domain);
        // A float may hide in an abstract term and equal an integer of the other.
        let both = (ranks(self.get(left)), ranks(self.get(right)));
        let may_be_float = |value| self.may_have_float(value);
        let overlap = both.0.0.max(both.1.0) <= both.0.1.min(both.1.1);
        match exactly {
            Truth::False if overlap && (may_be_float(left) || may_be_float(right)) => Truth::Unknown,
            truth => truth,
        }
    }

    fn may_have_float(&self, value: Value) -> bool {
        match self.get(value) {
            Term::Float(_) => true,
            Term::Top(kind) => !matches!(kind, Kind::Integer | Kind::Atom | Kind::Ref | Kind::Pid),
            Term::Tuple(parts) => parts.iter().any(|part| self.may_have_float(*part)),
            Term::Cons(head, tail) => self.may_have_float(*head) || self.may_have_float(*tail),
            Term::Map(pairs) => pairs.iter().any(|(k, v)| self.may_have_float(*k) || self.may_have_float(*v)),
            _ => false,
        }
    }

    /// `left < right`
    pub(crate) fn is_less(&self, left: Value, right: Value, domain: &Domain) -> Truth {
        if !self.is_abstract(left) && !self.is_abstract(right) {
            return Truth::is(self.order(left, right).is_lt());
        }
        let (first, second) = (self.get(left), self.get(right));
        if let (Term::Abstract(a), Term::Abstract(b)) = (first, second) {
            let integers = domain.integers.as_ref().expect("a domain of integers");
            return integers.compare(Comparison::Less, *a, *b);
        }
        let ((least, most), (other_least, other_most)) = (ranks(first), ranks(second));
        if most < other_least {
            Truth::True
        } else if least > other_most {
            Truth::False
        } else {
            Truth::Unknown
        }
    }

    /// Can a term that is not a top be of this kind?
    pub(crate) fn may_be(&self, term: &Term, kind: Kind) -> bool {
        match (term, kind) {
            (Term::Top(other), _) => kinds_meet(*other, kind),
            (_, Kind::Any)
            | (Term::Integer(_) | Term::Abstract(_), Kind::Integer)
            | (Term::Float(_), Kind::Float)
            | (Term::Atom(_) | Term::Atoms(_), Kind::Atom)
            | (Term::Ref { .. }, Kind::Ref)
            | (Term::Pid(_), Kind::Pid)
            | (Term::Tuple(_), Kind::Tuple)
            | (Term::Map(_), Kind::Map)
            | (Term::Nil, Kind::List)
            | (Term::Binary(_), Kind::Binary)
            | (Term::Fun { .. } | Term::External { .. }, Kind::Fun) => true,
            (Term::Cons(_, tail), Kind::List | Kind::Cons) => self.may_be(self.get(*tail), Kind::List),
            _ => false,
        }
    }

    /// Is the second term at least as precise as the first: does it stand for no other values?
    pub(crate) fn is_at_most(&self, less: Value, more: Value, domain: &Domain) -> bool {
        if less == more {
            return true;
        }
        match (self.get(less), self.get(more)) {
            (Term::Top(Kind::Any), _) => true,
            (Term::Top(Kind::List), Term::Top(Kind::Cons)) => true,
            (Term::Top(_), Term::Top(_)) => false,
            (Term::Top(kind @ (Kind::List | Kind::Cons)), Term::Cons(_, tail)) => {
                debug_assert!(*kind != Kind::Any);
                let list = Term::Top(Kind::List);
                *self.get(*tail) == list || *self.get(*tail) == Term::Top(Kind::Cons) || self.is_proper(*tail)
            }
            (Term::Top(kind), term) => self.may_be(term, *kind),
            (Term::Abstract(a), Term::Abstract(b)) => {
                domain.integers.as_ref().is_some_and(|integers| integers.is_at_most(*a, *b))
            }
            (Term::Atoms(a), Term::Atoms(b)) => {
                domain.atoms.as_ref().is_some_and(|atoms| atoms.is_at_most(*a, *b))
            }
            (Term::Atoms(set), Term::Atom(atom)) => {
                domain.atoms.as_ref().is_some_and(|atoms| atoms.contains(*set, self.name(*atom)))
            }
            (Term::Tuple(a), Term::Tuple(b)) if a.len() == b.len() => self.all_at_most(a, b, domain),
            (Term::Cons(a, s), Term::Cons(b, t)) => self.all_at_most(&[*a, *s], &[*b, *t], domain),
            (Term::Fun { function: f, captured: a }, Term::Fun { function: g, captured: b }) if f == g => {
                self.all_at_most(a, b, domain)
            }
            (Term::Map(a), Term::Map(b)) if a.len() == b.len() => {
                a.iter().zip(b).all(|(p, q)| p.0 == q.0 && self.is_at_most(p.1, q.1, domain))
            }
            _ => false,
        }
    }

    fn is_proper(&self, list: Value) -> bool {
        let (_, end) = self.elements(list);
        matches!(self.get(end), Term::Nil | Term::Top(Kind::List | Kind::Cons))
    }

    fn all_at_most(&self, less: &[Value], more: &[Value], domain: &Domain) -> bool {
        less.iter().zip(more).all(|(a, b)| self.is_at_most(*a, *b, domain))
    }

    /// Have the terms a common upper bound: can a value be of both?
    pub(crate) fn have_common_upper_bound(&self, left: Value, right: Value, domain: &Domain) -> bool {
        self.equals(left, right, domain) != Truth::False
    }
}

fn kinds_meet(one: Kind, other: Kind) -> bool {
    one == other
        || matches!((one, other), (Kind::Any, _) | (_, Kind::Any))
        || matches!((one, other), (Kind::List, Kind::Cons) | (Kind::Cons, Kind::List))
}

fn float_order(left: f64, right: f64) -> Ordering {
    left.partial_cmp(&right).expect("no NaN among terms")
}

/// An integer beside a float, exactly.
fn integer_float(integer: &BigInt, float: f64) -> Ordering {
    let whole = float.floor();
    let floor = big_of_whole(whole);
    integer.cmp(&floor).then(if float > whole { Ordering::Less } else { Ordering::Equal })
}

/// A finite float without a fraction as an integer.
pub(crate) fn big_of_whole(whole: f64) -> BigInt {
    let bits = whole.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i64 - 1075;
    let mantissa = BigInt::from((bits & ((1 << 52) - 1)) | if exponent > -1075 { 1 << 52 } else { 0 });
    let size = if exponent >= 0 { mantissa << exponent } else { mantissa >> -exponent };
    if whole < 0.0 { -size } else { size }
}
