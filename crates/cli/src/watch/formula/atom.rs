//! The atoms of formulas over lines, and when they hold.

use crate::watch::record::{BadRecord, FieldPath, Number, Value};
use selvedge_ltl::Formula;
use selvedge_ltl::syntax::AtomText;
use std::cmp::Ordering;
use std::fmt;

/// A proposition of a line.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::watch) enum Atom {
    Test(FieldTest),
    /// Some time has passed since the last line with a condition, which has no operators of time.
    After {
        condition: Formula<FieldTest>,
        duration_ns: i64,
        duration_text: String,
    },
}

/// A test of a field.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::watch) struct FieldTest {
    pub(in crate::watch) field: FieldPath,
    pub(in crate::watch) relation: Relation,
    pub(in crate::watch) constant: Constant,
    /// Is it a bare name: the field is there and true?
    pub(in crate::watch) is_bare: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::watch) enum Relation {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Clone, Debug, PartialEq)]
pub(in crate::watch) enum Constant {
    Null,
    Bool(bool),
    Number(Number, String),
    Text(String),
}

impl Relation {
    pub(super) const SPELLINGS: [(&'static str, Relation); 7] = [
        ("<=", Relation::LessOrEqual),
        (">=", Relation::GreaterOrEqual),
        ("!=", Relation::Unequal),
        ("==", Relation::Equal),
        ("=", Relation::Equal),
        ("<", Relation::Less),
        (">", Relation::Greater),
    ];

    fn spelling(self) -> &'static str {
        let spelling = Relation::SPELLINGS.iter().rev().find(|(_, relation)| *relation == self);
        spelling.map_or("", |(spelling, _)| spelling)
    }

    pub(super) fn is_order(self) -> bool {
        !matches!(self, Relation::Equal | Relation::Unequal)
    }

    #[inline]
    fn allows(self, order: Ordering) -> bool {
        match self {
            Relation::Equal => order.is_eq(),
            Relation::Unequal => order.is_ne(),
            Relation::Less => order.is_lt(),
            Relation::LessOrEqual => order.is_le(),
            Relation::Greater => order.is_gt(),
            Relation::GreaterOrEqual => order.is_ge(),
        }
    }
}

impl FieldTest {
    /// Does the test hold for this value of its field?
    ///
    /// # Errors
    /// If the value cannot be compared with the constant.
    #[inline]
    pub(in crate::watch) fn holds(&self, value: &Value<'_>) -> Result<bool, BadRecord> {
        let order = match (&self.constant, value) {
            (_, Value::Missing) => return Ok(false),
            (Constant::Null, value) => {
                return Ok((*value == Value::Null) == (self.relation == Relation::Equal));
            }
            (_, Value::Null) => return Ok(false),
            (Constant::Text(expected), Value::Text(text) | Value::Cell(text)) => {
                if !self.relation.is_order() {
                    return Ok((**text == *expected.as_bytes()) == (self.relation == Relation::Equal));
                }
                (**text).cmp(expected.as_bytes())
            }
            (Constant::Number(expected, _), Value::Number(text)) => match Number::parse(text) {
                Some(number) => number.compare(*expected),
                None => return Err(self.mismatch(value, "too large a number")),
            },
            (Constant::Number(expected, _), Value::Cell(text)) => match Number::parse(text.trim_ascii()) {
                Some(number) => number.compare(*expected),
                None => return Err(self.mismatch(value, "no number")),
            },
            (Constant::Bool(expected), Value::Bool(found)) => found.cmp(expected),
            (Constant::Bool(expected), Value::Cell(text)) => match text.to_ascii_lowercase().as_slice() {
                b"true" => true.cmp(expected),
                b"false" => false.cmp(expected),
                _ => return Err(self.mismatch(value, "neither true nor false")),
            },
            (Constant::Text(_), _) => return Err(self.mismatch(value, "no text")),
            (Constant::Number(..), _) => return Err(self.mismatch(value, "no number")),
            (Constant::Bool(_), _) => return Err(self.mismatch(value, "neither true nor false")),
        };
        Ok(self.relation.allows(order))
    }

    #[cold]
    fn mismatch(&self, value: &Value<'_>, what: &str) -> BadRecord {
        let (field, found) = (&self.field, value.describe());
        BadRecord::new(format!("the field `{field}` is {found}: {what}, as `{self}` wants it"))
    }
}

impl fmt::Display for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Constant::Null => f.write_str("null"),
            Constant::Bool(value) => value.fmt(f),
            Constant::Number(_, text) => f.write_str(text),
            Constant::Text(text) => {
                write!(f, "\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
            }
        }
    }
}

impl fmt::Display for FieldTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_bare {
            true => self.field.fmt(f),
            false => write!(f, "{} {} {}", self.field, self.relation.spelling(), self.constant),
        }
    }
}

impl AtomText for FieldTest {
    fn write_atom(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{self}")
    }

    fn is_comparison(&self) -> bool {
        !self.is_bare
    }
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Atom::Test(test) => test.fmt(f),
            Atom::After { condition, duration_text, .. } => write!(f, "after({condition}, {duration_text})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::formula::LogFormula;

    fn holds(test: &str, value: &Value<'_>) -> Option<bool> {
        let formula = LogFormula::parse(test).expect("a test");
        let Atom::Test(test) = &formula.atoms[0] else { panic!("a test of a field") };
        test.holds(value).ok()
    }

    #[test]
    fn a_test_holds_by_the_value_of_its_field() {
        let text = |text: &'static str| Value::Text(text.as_bytes().into());
        let cell = |text: &'static str| Value::Cell(text.as_bytes().into());
        let number = |text: &'static str| Value::Number(text.as_bytes());
        for (test, value, expected) in [
            ("kind = grant", text("grant"), Some(true)),
            ("kind == \"grant\"", text("deny"), Some(false)),
            ("kind != grant", text("deny"), Some(true)),
            ("kind != grant", Value::Missing, Some(false)),
            ("kind != grant", Value::Null, Some(false)),
            ("kind = grant", number("3"), None),
            ("day < \"2026-02-01\"", text("2026-01-31"), Some(true)),
            ("ms > 500", number("500.5"), Some(true)),
            ("ms > 500", number("500"), Some(false)),
            ("ms >= -1e3", number("-1000"), Some(true)),
            ("ms > 500", text("900"), None),
            ("ms > 500", cell(" 900 "), Some(true)),
            ("ms > 500", cell("many"), None),
            ("ms = \"900\"", cell("900"), Some(true)),
            ("open", Value::Bool(true), Some(true)),
            ("open", Value::Bool(false), Some(false)),
            ("open", Value::Missing, Some(false)),
            ("open", cell("TRUE"), Some(true)),
            ("open", number("1"), None),
            ("open != true", Value::Bool(false), Some(true)),
            ("x = null", Value::Null, Some(true)),
            ("x = null", Value::Missing, Some(false)),
            ("x != null", number("0"), Some(true)),
            ("x = 0", Value::Composite, None),
        ] {
            assert_eq!(holds(test, &value), expected, "{test}, {value:?}");
        }
    }
}
