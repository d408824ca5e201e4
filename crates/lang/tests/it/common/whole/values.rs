//! Expressions: numbers, truth values, colours; places that can be assigned; channels.

use super::{CHANNELS, Draw};
use crate::common::naive::ast::{ChannelRef, Datum, Value, VariableRef};

impl Draw<'_> {
    /// A variable of numbers.
    pub(super) fn number_place(&mut self) -> VariableRef {
        if let Some(target) = self.targets.first()
            && self.random.below(3) == 0
        {
            return VariableRef::variable(target);
        }
        match self.random.below(14) {
            0 | 1 => VariableRef::variable("x"),
            2 | 3 => VariableRef::variable("y"),
            4 => VariableRef::variable("z"),
            5 | 6 => VariableRef::element("a", self.index()),
            7 => VariableRef::element("t", self.index()),
            8 | 9 => VariableRef::variable("m"),
            _ => VariableRef::variable("l"),
        }
    }

    /// A variable of truth values.
    pub(super) fn truth_place(&mut self) -> VariableRef {
        match self.random.below(6) {
            0 | 1 => VariableRef::variable("f"),
            2 => VariableRef::variable("g"),
            3 => VariableRef::variable("b"),
            _ => VariableRef { field: Some("on"), ..self.record() },
        }
    }

    /// A variable of colours.
    pub(super) fn colour_place(&mut self) -> VariableRef {
        match self.random.below(3) {
            0 => VariableRef::variable("k"),
            _ => VariableRef { field: Some("colour"), ..self.record() },
        }
    }

    /// A record.
    pub(super) fn record(&mut self) -> VariableRef {
        match self.random.below(4) {
            0 | 1 => VariableRef::variable(["n", "q"][self.random.index(2)]),
            _ => VariableRef::element("ring", self.index()),
        }
    }

    /// An index: seldom one that may be out of bounds.
    pub(super) fn index(&mut self) -> Value {
        match self.random.below(12) {
            0 => Value::variable("l"),
            1 => Value::variable("m"),
            2 => Value::binary("%", Value::variable("x"), Value::number(2)),
            3..=5 => self.parameter().unwrap_or(Value::number(1)),
            number => Value::number(number as i64 % 2),
        }
    }

    fn parameter(&mut self) -> Option<Value> {
        let count = self.numbers.len();
        (count > 0).then(|| Value::variable(self.numbers[self.random.index(count)]))
    }

    /// A channel; one without room cannot be used inside `atomic`.
    pub(super) fn channel(&mut self, most: usize) -> ChannelRef {
        let channel = self.random.index(if self.in_atomic { 2 } else { most });
        (channel, CHANNELS[channel].length.map(|_| self.index()))
    }

    pub(super) fn number(&mut self, depth: u64) -> Value {
        match self.random.below(if depth == 0 { 10 } else { 17 }) {
            0..=3 => Value::number(self.random.below(3) as i64),
            4 => self.parameter().unwrap_or(Value::variable("l")),
            5 => Value::Len(Box::new(self.channel(4))),
            6..=9 => Value::Of(self.number_place()),
            10 | 11 => Value::next(self.number(0)),
            12 => Value::Use("next", vec![self.number(0)]),
            13 => Value::binary("-", Value::number(1), self.number(0)),
            14 if self.is_one_of(2) => Value::Constant(Datum::Null),
            14 => Value::binary("%", Value::binary("*", self.number(0), self.number(0)), Value::number(3)),
            15 => Value::binary("/", Value::number(2), Value::Of(self.number_place())),
            _ => {
                let sum = Value::binary("+", Value::Of(self.number_place()), self.number(0));
                Value::binary("%", sum, Value::number(3))
            }
        }
    }

    pub(super) fn truth(&mut self) -> Value {
        match self.random.below(4) {
            0 => Value::Constant(Datum::Truth(self.is_one_of(2))),
            1 => Value::Of(self.truth_place()),
            _ => self.test(1),
        }
    }

    pub(super) fn colour_value(&mut self) -> Value {
        match self.random.below(5) {
            0 | 1 => Value::Constant(self.colour()),
            2 if self.is_one_of(4) => Value::Constant(Datum::Null),
            _ => Value::Of(self.colour_place()),
        }
    }

    pub(super) fn test(&mut self, depth: u64) -> Value {
        match self.random.below(if depth == 0 { 12 } else { 20 }) {
            0..=5 => {
                let operator = ["=", "=", "!=", "<", "<=", ">", ">="][self.random.index(7)];
                Value::binary(operator, self.number(1), self.number(0))
            }
            6 => Value::Empty(Box::new(self.channel(4))),
            7 => Value::Full(Box::new(self.channel(2))),
            8 => Value::Of(self.truth_place()),
            9 => Value::binary(
                ["=", "!="][self.random.index(2)],
                self.colour_value(),
                Value::Of(self.colour_place()),
            ),
            10 => Value::Use("near", vec![self.number(0), self.number(0)]),
            11 if self.is_one_of(2) => Value::Use("high", Vec::new()),
            11 => Value::Use("dark", vec![Value::Of(self.record())]),
            12 => Value::Not(Box::new(self.test(0))),
            13..=15 => Value::binary(["and", "or"][self.random.index(2)], self.test(0), self.test(0)),
            16 | 17 => {
                let bounds = if self.is_one_of(2) { (0, 1) } else { (1, 2) };
                self.numbers.push("i");
                let left = if bounds.0 == 0 {
                    Value::Of(VariableRef::element("a", Value::variable("i")))
                } else {
                    self.number(0)
                };
                let test = Value::binary(
                    "=",
                    left,
                    if self.is_one_of(2) { Value::variable("i") } else { self.number(0) },
                );
                self.numbers.pop();
                Value::Quantified(self.is_one_of(2), "i", bounds, Box::new(test))
            }
            18 => Value::binary("=", Value::Of(self.truth_place()), self.test(0)),
            _ => Value::binary(">", Value::binary("/", Value::number(2), self.number(0)), Value::number(0)),
        }
    }
}
