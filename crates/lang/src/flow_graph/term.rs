//! Terms: expressions and tests over numbered variables, and how they read.

use super::{Enumeration, VarId, Variable};
use std::fmt;
use std::sync::Arc;

/// An expression or a test.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Term {
    /// A number.
    Int(i64),
    /// `null`
    Null,
    /// A value of an enumeration, by number.
    Name(Arc<Enumeration>, i64),
    /// `true` or `false`
    Truth(bool),
    /// The value of a variable.
    Var(VarId),
    /// The value of an element of an array.
    Element(VarId, Box<Term>),
    /// `-e`
    Negative(Box<Term>),
    /// `not t`
    Not(Box<Term>),
    /// An operator between two terms.
    Binary(Operator, Box<Term>, Box<Term>),
}

/// An l-value: what is assigned.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lvalue {
    /// A variable.
    Var(VarId),
    /// An element of an array.
    Element(VarId, Term),
}

/// Operators between two expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`, towards zero
    Divide,
    /// `%`, with the sign of the dividend
    Remainder,
    /// `=`
    Equal,
    /// `!=`
    Differs,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
    /// `and`
    And,
    /// `or`
    Or,
}

impl Operator {
    /// Its spelling, and how tightly it binds.
    pub fn spelling(self) -> (&'static str, u8) {
        match self {
            Operator::Or => ("or", 1),
            Operator::And => ("and", 2),
            Operator::Equal => ("=", 4),
            Operator::Differs => ("!=", 4),
            Operator::Less => ("<", 4),
            Operator::AtMost => ("<=", 4),
            Operator::Greater => (">", 4),
            Operator::AtLeast => (">=", 4),
            Operator::Add => ("+", 5),
            Operator::Subtract => ("-", 5),
            Operator::Multiply => ("*", 6),
            Operator::Divide => ("/", 6),
            Operator::Remainder => ("%", 6),
        }
    }

    /// Is its result true or false rather than a number?
    pub fn is_test(self) -> bool {
        self.spelling().1 <= 4
    }

    /// Are its operands tests rather than numbers?
    pub fn takes_tests(self) -> bool {
        matches!(self, Operator::And | Operator::Or)
    }
}

impl Term {
    /// The term as text, with the names of these variables.
    pub fn text<'a>(&'a self, variables: &'a [Variable]) -> TermText<'a> {
        TermText { term: self, variables }
    }

    /// How tightly its operator binds.
    fn strength(&self) -> u8 {
        match self {
            // `b = true` reads as `b`.
            Term::Binary(Operator::Equal, left, right) if **right == Term::Truth(true) => left.strength(),
            Term::Binary(operator, ..) => operator.spelling().1,
            Term::Not(_) => 3,
            Term::Negative(_) => 7,
            Term::Int(value) if *value < 0 => 7,
            _ => 8,
        }
    }
}

impl Lvalue {
    /// The variable, or the array.
    pub(crate) fn variable(&self) -> VarId {
        let (Lvalue::Var(var) | Lvalue::Element(var, _)) = self;
        *var
    }

    /// The term that reads it.
    pub(crate) fn term(&self) -> Term {
        match self {
            Lvalue::Var(var) => Term::Var(*var),
            Lvalue::Element(var, index) => Term::Element(*var, Box::new(index.clone())),
        }
    }

    /// The l-value as text, with the names of these variables.
    pub fn text(&self, variables: &[Variable]) -> String {
        match self {
            Lvalue::Var(var) => variables[var.0 as usize].name.clone(),
            Lvalue::Element(var, index) => {
                element_text(&variables[var.0 as usize].name, &index.text(variables).to_string())
            }
        }
    }
}

/// An element's name; of a local array, `a@1`, it is `a[i]@1`; of a field, `a.f`, it is `a[i].f`; of the
/// counts of messages, `len(c)`, it is `len(c[i])`.
pub(crate) fn element_text(array: &str, index: &str) -> String {
    if let Some(channel) = array.strip_prefix("len(").and_then(|rest| rest.strip_suffix(')')) {
        return format!("len({channel}[{index}])");
    }
    let cut = array.find(['.', '@']).unwrap_or(array.len());
    format!("{}[{index}]{}", &array[..cut], &array[cut..])
}

/// A [`Term`] to be printed, with the fewest parentheses.
#[derive(Clone, Copy)]
pub struct TermText<'a> {
    term: &'a Term,
    variables: &'a [Variable],
}

impl TermText<'_> {
    fn operand(&self, f: &mut fmt::Formatter<'_>, term: &Term, least: u8) -> fmt::Result {
        let text = TermText { term, variables: self.variables };
        if term.strength() < least { write!(f, "({text})") } else { write!(f, "{text}") }
    }
}

impl fmt::Display for TermText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.term {
            Term::Int(value) => write!(f, "{value}"),
            Term::Null => write!(f, "null"),
            Term::Name(names, value) => {
                let name = usize::try_from(*value).ok().and_then(|index| names.values.get(index));
                f.write_str(name.map_or("?", String::as_str))
            }
            Term::Truth(value) => write!(f, "{value}"),
            Term::Var(var) => write!(f, "{}", self.variables[var.0 as usize].name),
            Term::Element(var, index) => {
                let index = index.text(self.variables).to_string();
                write!(f, "{}", element_text(&self.variables[var.0 as usize].name, &index))
            }
            Term::Negative(inner) => {
                write!(f, "-")?;
                self.operand(f, inner, 8)
            }
            Term::Not(inner) => {
                write!(f, "not ")?;
                self.operand(f, inner, 5)
            }
            Term::Binary(Operator::Equal, left, right) if **right == Term::Truth(true) => {
                write!(f, "{}", left.text(self.variables))
            }
            Term::Binary(operator, left, right) => {
                let (spelling, strength) = operator.spelling();
                let least = if strength == 4 { 5 } else { strength };
                self.operand(f, left, least)?;
                write!(f, " {spelling} ")?;
                self.operand(f, right, strength + 1)
            }
        }
    }
}
