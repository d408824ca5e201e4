//! The values of expressions, and what assignments, sends and receives do to a state.

use super::ast::{ChannelRef, Datum, Field, Value, VariableRef};
use super::{Fault, Naive, State};
use std::fmt;

impl fmt::Display for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Datum::Undefined => write!(f, "undefined"),
            Datum::Null => write!(f, "null"),
            Datum::Number(number) => write!(f, "{number}"),
            Datum::Truth(value) => write!(f, "{value}"),
            Datum::Name(name) => write!(f, "{name}"),
        }
    }
}

impl Naive {
    /// The value of an expression of an unfolded program.
    pub(crate) fn value(&self, state: &State, value: &Value) -> Result<Datum, Fault> {
        let truth = |value| Ok(Datum::Truth(value));
        match value {
            Value::Constant(datum) => Ok(*datum),
            Value::Of(place) => match state.values[self.slot(state, place)?] {
                Datum::Undefined => Ok(Datum::Null),
                datum => Ok(datum),
            },
            Value::Not(test) => truth(!self.holds(state, test)?),
            Value::Binary("and", left, right) => truth(self.holds(state, left)? && self.holds(state, right)?),
            Value::Binary("or", left, right) => truth(self.holds(state, left)? || self.holds(state, right)?),
            Value::Binary(operator, left, right) => {
                operate(operator, self.value(state, left)?, self.value(state, right)?)
            }
            Value::Len(place) => Ok(Datum::Number(state.messages[self.buffer(state, place)?].len() as i64)),
            Value::Empty(_) | Value::Full(_) | Value::Quantified(..) | Value::Use(..) => {
                unreachable!("these are unfolded")
            }
        }
    }

    /// Does a test hold? Null does not.
    pub(crate) fn holds(&self, state: &State, test: &Value) -> Result<bool, Fault> {
        Ok(self.value(state, test)? == Datum::Truth(true))
    }

    /// Where a variable or an element is.
    pub(super) fn slot(&self, state: &State, place: &VariableRef) -> Result<usize, Fault> {
        let (first, length) = self.places[&place.name];
        let Some(index) = &place.index else { return Ok(first) };
        match self.value(state, index)? {
            Datum::Number(index) if (0..length as i64).contains(&index) => Ok(first + index as usize),
            _ => Err(Fault::Index),
        }
    }

    /// Where the messages of a channel are.
    pub(super) fn buffer(&self, state: &State, place: &ChannelRef) -> Result<usize, Fault> {
        let (first, length) = (self.buffers[place.0], self.channels[place.0].length.unwrap_or(1));
        let Some(index) = &place.1 else { return Ok(first) };
        match self.value(state, index)? {
            Datum::Number(index) if (0..length as i64).contains(&index) => Ok(first + index as usize),
            _ => Err(Fault::Index),
        }
    }

    /// Everything is read before anything is written.
    pub(super) fn assign(&self, state: &mut State, parts: &[(VariableRef, Value)]) -> Result<(), Fault> {
        let read = |(place, value): &(VariableRef, Value)| {
            let datum = self.value(state, value)?;
            Ok((self.slot(state, place)?, datum))
        };
        let all: Vec<(usize, Datum)> = parts.iter().map(read).collect::<Result<_, Fault>>()?;
        for (slot, datum) in all {
            state.values[slot] = datum;
        }
        Ok(())
    }

    pub(super) fn message(&self, state: &State, values: &[Value]) -> Result<Vec<Datum>, Fault> {
        values.iter().map(|value| self.value(state, value)).collect()
    }

    /// Assigns the fields; where they go is decided before.
    pub(super) fn store(&self, state: &mut State, fields: &[Field], message: &[Datum]) -> Result<(), Fault> {
        let part = |(field, datum): (&Field, &Datum)| match field {
            Field::Match(_) => None,
            Field::Store(place) => Some((place.clone(), Value::Constant(*datum))),
        };
        let parts: Vec<(VariableRef, Value)> = fields.iter().zip(message).filter_map(part).collect();
        self.assign(state, &parts)
    }
}

/// Null spreads through arithmetic; it is equal to itself, and neither less nor greater than anything.
fn operate(operator: &str, left: Datum, right: Datum) -> Result<Datum, Fault> {
    match operator {
        "=" => return Ok(Datum::Truth(left == right)),
        "!=" => return Ok(Datum::Truth(left != right)),
        _ => {}
    }
    let is_comparison = matches!(operator, "<" | "<=" | ">" | ">=");
    let (Datum::Number(left), Datum::Number(right)) = (left, right) else {
        return Ok(if is_comparison { Datum::Truth(false) } else { Datum::Null });
    };
    Ok(match operator {
        "<" => Datum::Truth(left < right),
        "<=" => Datum::Truth(left <= right),
        ">" => Datum::Truth(left > right),
        ">=" => Datum::Truth(left >= right),
        "+" => Datum::Number(left + right),
        "-" => Datum::Number(left - right),
        "*" => Datum::Number(left * right),
        "/" | "%" if right == 0 => return Err(Fault::DivisionByZero),
        "/" => Datum::Number(left / right),
        "%" => Datum::Number(left % right),
        other => unreachable!("{other} is no operator"),
    })
}

/// Does the message have what a receive asks for?
pub(super) fn is_match(fields: &[Field], message: &[Datum]) -> bool {
    fields.iter().zip(message).all(|(field, value)| match field {
        Field::Match(expected) => expected == value,
        Field::Store(_) => true,
    })
}
