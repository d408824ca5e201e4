//! Statements, nested a few deep.

use super::{CHANNELS, COLOURS, Draw, FIELDS};
use crate::common::naive::ast::{
    Block, ChannelRef, Datum, Field, RecordValue, Statement, Value, VariableRef,
};

impl Draw<'_> {
    /// At most so many statements, nested at most so deep.
    pub(super) fn block(&mut self, depth: u64, most: u64) -> Block {
        let count = 1 + self.random.below(most);
        let mut block = Vec::new();
        for _ in 0..count {
            if !self.in_atomic && self.is_one_of(16) {
                block.push(Statement::End);
            }
            block.extend(self.statement(depth));
        }
        block
    }

    fn statement(&mut self, depth: u64) -> Block {
        let one = match self.random.below(if depth == 0 { 20 } else { 33 }) {
            0..=3 => Statement::Assign(vec![(self.number_place(), self.number(1))]),
            4 => Statement::Assign(vec![(self.truth_place(), self.truth())]),
            5 => Statement::Assign(vec![(self.colour_place(), self.colour_value())]),
            6 => self.record_assignment(),
            7 => self.together(),
            8 | 9 => Statement::Await(self.test(1)),
            10 => Statement::Assert(self.test(1)),
            11 => self.named(),
            12 => self.choice_of_value(),
            13 | 14 => self.send(4),
            15 | 16 => self.receive(4),
            17 if !self.in_atomic && self.is_one_of(2) => Statement::Timeout,
            17 => Statement::Skip,
            18 => self.call(),
            19 if self.most_created > 0 && !self.in_procedure => Statement::Create("w", vec![self.number(0)]),
            19 if self.is_one_of(2) => Statement::Print(self.number(1)),
            19 => Statement::Skip,
            20..=22 => return self.conditional(depth - 1),
            23 | 24 => return self.for_loop(depth - 1),
            25..=27 => return self.repetition(depth - 1),
            28 => Statement::Choose(vec![self.block(depth - 1, 2), self.block(depth - 1, 1)]),
            29 | 30 => self.choice_with_else(depth - 1),
            _ if self.in_atomic => Statement::Choose(vec![vec![self.send(2)], self.block(0, 1)]),
            _ => return self.atomic(),
        };
        vec![one]
    }

    fn atomic(&mut self) -> Block {
        self.in_atomic = true;
        let block = self.block(1, 3);
        self.in_atomic = false;
        vec![Statement::Atomic(block)]
    }

    /// Several variables of different names at once, so that none is assigned twice.
    fn together(&mut self) -> Statement {
        let of = VariableRef::variable;
        Statement::Assign(match self.random.below(5) {
            0 => vec![(of("x"), Value::variable("y")), (of("y"), Value::variable("x"))],
            1 => vec![(of("x"), self.number(1)), (of("l"), self.number(0)), (of("f"), self.truth())],
            2 => {
                let elements = [Value::variable("l"), Value::variable("m")]
                    .map(|index| VariableRef::element("a", index));
                elements.into_iter().map(|place| (place, self.number(0))).collect()
            }
            3 => vec![(of("k"), self.colour_value()), (of("m"), self.number(1))],
            _ => vec![
                (of("z"), Value::variable("l")),
                (VariableRef::element("t", self.index()), Value::variable("z")),
            ],
        })
    }

    fn record_assignment(&mut self) -> Statement {
        let value = match self.random.below(2) {
            0 => RecordValue::Braces(vec![self.colour_value(), self.truth()]),
            _ => RecordValue::Other(self.record()),
        };
        Statement::AssignRecord(self.record(), FIELDS, value)
    }

    fn choice_of_value(&mut self) -> Statement {
        match self.random.below(4) {
            0 => Statement::ChooseIn(self.truth_place(), [false, true].map(Datum::Truth).to_vec()),
            1 => Statement::ChooseIn(self.colour_place(), [COLOURS[0], COLOURS[1]].map(Datum::Name).to_vec()),
            _ => {
                let last = 1 + self.random.below(2) as i64;
                Statement::ChooseIn(self.number_place(), (0..=last).map(Datum::Number).collect())
            }
        }
    }

    /// Statements inside `atomic` have names of their own, since no process is ever at one of them.
    fn named(&mut self) -> Statement {
        match (self.in_atomic, self.random.below(4)) {
            (true, 0) => Statement::User("l1", true),
            (true, _) => Statement::User("u2", false),
            (false, 0) => Statement::User("l0", true),
            (false, number) => Statement::User(["u0", "u1"][number as usize % 2], false),
        }
    }

    fn call(&mut self) -> Statement {
        let place = Value::Of(self.number_place());
        match self.random.below(if self.in_procedure { 3 } else { 8 }) {
            0 => Statement::Call("bump", vec![place]),
            1 => {
                Statement::Call("put", vec![Value::variable(["a", "t"][self.random.index(2)]), self.index()])
            }
            2 => Statement::Call("paint", vec![Value::Of(self.record())]),
            3 | 4 if !self.in_atomic => Statement::Call("talk", vec![place, self.number(1)]),
            _ => Statement::Call("move", vec![place, self.number(1)]),
        }
    }

    fn message_value(&mut self, channel: usize, field: usize) -> Value {
        if (channel, field) == (1, 0) { self.colour_value() } else { self.number(1) }
    }

    fn send(&mut self, most: usize) -> Statement {
        let place = self.channel(most);
        let fields = 0..CHANNELS[place.0].fields;
        let values = fields.map(|field| self.message_value(place.0, field)).collect();
        Statement::Send(place, values)
    }

    fn receive(&mut self, most: usize) -> Statement {
        let place: ChannelRef = self.channel(most);
        let mut fields = Vec::new();
        for field in 0..CHANNELS[place.0].fields {
            let (is_colour, is_match) = ((place.0, field) == (1, 0), self.is_one_of(4));
            fields.push(match (is_colour, is_match) {
                (true, true) => Field::Match(self.colour()),
                (true, false) => Field::Store(self.colour_place()),
                (false, true) => Field::Match(Datum::Number(self.random.below(2) as i64)),
                (false, false) => Field::Store(self.number_place()),
            });
        }
        Statement::Receive(place, fields)
    }

    fn conditional(&mut self, depth: u64) -> Block {
        let (test, yes) = (self.test(1), self.block(depth, 2));
        let no = match self.random.below(4) {
            0 => Vec::new(),
            1 => vec![Statement::If(self.test(1), self.block(depth, 1), Vec::new())],
            2 => vec![Statement::If(self.test(1), self.block(depth, 1), self.block(depth, 1))],
            _ => self.block(depth, 1),
        };
        vec![Statement::If(test, yes, no)]
    }

    /// The statements of a loop, perhaps with a way out.
    fn body(&mut self, depth: u64, most: u64) -> Block {
        let mut body = self.block(depth, most);
        let way_out = match self.random.below(8) {
            0 | 1 => Some(Statement::If(self.test(1), vec![Statement::Break], Vec::new())),
            2 => Some(Statement::Choose(vec![vec![Statement::Break], self.block(0, 1)])),
            3 => Some(Statement::Break),
            _ => None,
        };
        let place = self.random.index(body.len() + 1);
        // A label stays before its statement.
        let is_behind_label = place > 0 && body[place - 1] == Statement::End;
        body.splice(if is_behind_label { 0..0 } else { place..place }, way_out);
        body
    }

    fn for_loop(&mut self, depth: u64) -> Block {
        let name = ["i", "j"][self.random.index(2)];
        let last = self.random.below(3) as i64;
        self.numbers.push(name);
        let body = self.body(depth, 2);
        self.numbers.pop();
        vec![Statement::For(name, last.min(1), last.max(1), body)]
    }

    /// A loop; one inside `atomic` ends.
    fn repetition(&mut self, depth: u64) -> Block {
        if !self.in_atomic {
            return vec![match self.random.below(2) {
                0 => Statement::While(self.test(1), self.body(depth, 2), None),
                _ => Statement::Repeat(self.body(depth, 2), None),
            }];
        }
        let counter = || VariableRef::variable("m");
        let more = Value::binary("+", Value::Of(counter()), Value::number(1));
        let count = Statement::Assign(vec![(counter(), more)]);
        let reset = Statement::Assign(vec![(counter(), Value::number(0))]);
        if self.is_one_of(2) {
            let test = Value::binary("<", Value::Of(counter()), Value::number(2));
            return vec![Statement::While(test, vec![count], None)];
        }
        let is_enough = Value::binary(">=", Value::Of(counter()), Value::number(2));
        let way_out = Statement::If(is_enough, vec![Statement::Break], Vec::new());
        vec![reset, Statement::Repeat(vec![count, way_out], None)]
    }

    /// Each branch begins with something that may have to wait.
    fn choice_with_else(&mut self, depth: u64) -> Statement {
        let mut branch = || {
            let first = match self.random.below(5) {
                0 => self.send(2),
                1 => self.receive(2),
                2 if !self.in_atomic => {
                    let wait = Statement::Await(self.test(1));
                    Statement::Atomic(vec![
                        wait,
                        Statement::Assign(vec![(self.number_place(), self.number(0))]),
                    ])
                }
                _ => Statement::Await(self.test(1)),
            };
            let mut branch = vec![first];
            if self.is_one_of(2) {
                branch.extend(self.block(depth, 1));
            }
            branch
        };
        let mut branches = vec![branch()];
        if branches[0].len() == 1 {
            branches.push(branch());
        }
        let otherwise = if self.is_one_of(3) { vec![Statement::Skip] } else { self.block(depth, 1) };
        Statement::ChooseElse(branches, otherwise)
    }
}
