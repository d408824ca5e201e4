//! Kinds of values: numbers, truth values, and the names of an enumeration.
//!
//! In a state every value is a number: false is 0 and true is 1, the names of an enumeration are counted
//! from 0. The kind says how a number reads.

use super::{Cell, Term, Variable};
use std::sync::Arc;

/// A declared type whose values are names.
#[derive(Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Enumeration {
    /// The name of the type.
    pub name: String,
    /// The names of its values.
    pub values: Vec<String>,
}

/// What the values of a variable are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Integers.
    #[default]
    Number,
    /// `true` and `false`
    Truth,
    /// The names of an enumeration.
    Names(Arc<Enumeration>),
}

impl Kind {
    /// A value as text.
    pub fn text(&self, cell: Cell) -> String {
        let index = if let Cell::Int(value) = cell { usize::try_from(value).ok() } else { None };
        let name = match (self, index) {
            (Kind::Truth, Some(0)) => Some("false"),
            (Kind::Truth, Some(1)) => Some("true"),
            (Kind::Names(names), Some(index)) => names.values.get(index).map(String::as_str),
            _ => None,
        };
        name.map_or_else(|| cell.to_string(), str::to_owned)
    }
}

impl Term {
    /// The kind of its value.
    pub(crate) fn kind(&self, variables: &[Variable]) -> Kind {
        match self {
            Term::Var(var) | Term::Element(var, _) => variables[var.0 as usize].kind.clone(),
            Term::Name(names, _) => Kind::Names(names.clone()),
            term if term.is_test() => Kind::Truth,
            _ => Kind::Number,
        }
    }

    /// Is it a test by its form?
    pub(crate) fn is_test(&self) -> bool {
        match self {
            Term::Truth(_) | Term::Not(_) => true,
            Term::Binary(operator, ..) => operator.is_test(),
            _ => false,
        }
    }
}
