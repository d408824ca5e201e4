//! Random programs with channels for the naive interpreter, written in our language and as Promela.
//!
//! Arrays of channels, messages of two fields, constants that must match, `len`, `empty` and `full`, and
//! channels without room; `timeout`, `end` labels and priorities. Indices are mostly in bounds; for SPIN
//! they always are.

use super::generate::Random;
use super::naive::ast::{
    Block, ChannelKind, ChannelRef, Datum, Field, Process, Processes, Statement, Value, Variable, VariableRef,
};

/// The channels of all programs.
const CHANNELS: [ChannelKind; 4] = [
    ChannelKind { name: "c", length: None, capacity: 2, fields: 1 },
    ChannelKind { name: "d", length: Some(2), capacity: 1, fields: 2 },
    ChannelKind { name: "r", length: None, capacity: 0, fields: 1 },
    ChannelKind { name: "s", length: Some(2), capacity: 0, fields: 2 },
];

/// Which programs are drawn.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Drawn {
    /// All.
    Whole,
    /// Programs that SPIN can be given: no `atomic`, no labels, no index out of bounds, a place a variable.
    ForSpin,
}

/// A program of two or three processes.
pub(crate) fn message_program(random: &mut Random, drawn: Drawn) -> Processes {
    let mut draw = Draw { random, drawn, in_atomic: false };
    let count = 2 + draw.random.below(2);
    let mut processes: Vec<Block> = (0..count).map(|_| draw.block(2, 6 - count)).collect();
    if draw.random.below(2) == 0 {
        processes[1] = processes[0].iter().map(mirrored).collect();
    }
    let has_priorities = draw.random.below(6) == 0 && drawn == Drawn::Whole;
    let priority = |draw: &mut Draw<'_>| if has_priorities { draw.random.below(3) as i64 } else { 0 };
    let names = ["1", "2", "3"];
    let process =
        |(name, body)| Process::single(name, priority(&mut draw), vec![Variable::number("l", 0)], body);
    let processes = names.into_iter().zip(processes).map(process).collect();
    Processes { processes, ..declarations() }
}

/// What all programs declare.
fn declarations() -> Processes {
    let mut variables = vec![Variable::number("x", 0), Variable::number("y", 0)];
    variables.push(Variable { length: Some(2), ..Variable::number("a", 0) });
    Processes { variables, channels: CHANNELS.to_vec(), ..Processes::default() }
}

/// A receive for a send and a send for a receive, so that processes find partners.
fn mirrored(statement: &Statement) -> Statement {
    match statement {
        Statement::Send(place, values) => Statement::Receive(
            place.clone(),
            values
                .iter()
                .map(|_| Field::Store(VariableRef::variable("l")))
                .take(1)
                .chain(values.iter().skip(1).map(|_| Field::Store(VariableRef::variable("y"))))
                .collect(),
        ),
        Statement::Receive(place, fields) => {
            let value = |field: &Field| match field {
                Field::Match(datum) => Value::Constant(*datum),
                Field::Store(_) => Value::number(2),
            };
            Statement::Send(place.clone(), fields.iter().map(value).collect())
        }
        other => other.clone(),
    }
}

struct Draw<'r> {
    random: &'r mut Random,
    drawn: Drawn,
    in_atomic: bool,
}

impl Draw<'_> {
    fn block(&mut self, depth: u64, most: u64) -> Block {
        let count = 1 + self.random.below(most);
        let mut block = Vec::new();
        for _ in 0..count {
            if !self.in_atomic && self.drawn == Drawn::Whole && self.random.below(12) == 0 {
                block.push(Statement::End);
            }
            block.push(self.statement(depth));
        }
        block
    }

    fn statement(&mut self, depth: u64) -> Statement {
        let kinds = if depth == 0 { 14 } else { 19 };
        if !self.in_atomic && self.random.below(16) == 0 {
            return Statement::Timeout;
        }
        match self.random.below(kinds) {
            0..=2 => Statement::Assign(vec![(self.variable(), self.value(1))]),
            3 => Statement::Await(self.test()),
            4..=8 => self.send(),
            9..=13 => self.receive(),
            14 => Statement::If(self.test(), self.block(depth - 1, 2), self.block(depth - 1, 1)),
            15 if self.in_atomic => Statement::Await(self.test()),
            15 => Statement::While(self.test(), self.block(depth - 1, 2), None),
            16 | 17 => Statement::Choose(vec![self.block(depth - 1, 2), self.block(depth - 1, 1)]),
            _ if self.in_atomic || self.drawn == Drawn::ForSpin => {
                Statement::Choose(vec![vec![self.send()], vec![self.receive()]])
            }
            _ => {
                self.in_atomic = true;
                let block = self.block(1, 3);
                self.in_atomic = false;
                Statement::Atomic(block)
            }
        }
    }

    fn place(&mut self) -> ChannelRef {
        let channel = self.random.index(if self.in_atomic { 2 } else { CHANNELS.len() });
        let index = CHANNELS[channel].length.map(|_| self.index());
        (channel, index)
    }

    fn send(&mut self) -> Statement {
        let place = self.place();
        let values = (0..CHANNELS[place.0].fields).map(|_| self.value(1)).collect();
        Statement::Send(place, values)
    }

    fn receive(&mut self) -> Statement {
        let place = self.place();
        let mut fields: Vec<Field> = Vec::new();
        for _ in 0..CHANNELS[place.0].fields {
            let store = Field::Store(self.variable());
            let is_twice = self.drawn == Drawn::ForSpin && fields.contains(&store);
            let is_match = is_twice || self.random.below(4) == 0;
            fields.push(if is_match {
                Field::Match(Datum::Number(self.random.below(2) as i64))
            } else {
                store
            });
        }
        Statement::Receive(place, fields)
    }

    fn variable(&mut self) -> VariableRef {
        match self.random.below(8) {
            0 | 1 => VariableRef::variable("x"),
            2 => VariableRef::variable("y"),
            3 => VariableRef::element("a", Value::number(self.random.below(2) as i64)),
            4 if self.drawn == Drawn::Whole => VariableRef::element("a", self.index()),
            _ => VariableRef::variable("l"),
        }
    }

    fn value(&mut self, depth: u64) -> Value {
        match self.random.below(if depth == 0 { 6 } else { 9 }) {
            0..=2 => Value::number(self.random.below(3) as i64),
            3 => Value::Len(Box::new(self.place())),
            4 | 5 => Value::Of(self.variable()),
            _ => Value::next(self.value(0)),
        }
    }

    /// An index: seldom one that may be out of bounds.
    fn index(&mut self) -> Value {
        match self.random.below(6) {
            0 | 2 if self.drawn == Drawn::Whole => Value::variable("l"),
            1 if self.drawn == Drawn::Whole => Value::variable("x"),
            _ => Value::number(self.random.below(2) as i64),
        }
    }

    fn test(&mut self) -> Value {
        match self.random.below(5) {
            0 => Value::Empty(Box::new(self.place())),
            1 => Value::Full(Box::new(self.place())),
            _ => match (self.value(0), self.value(0)) {
                // The machine takes `len(c) = 0` and `empty(c)` for the same text.
                (Value::Len(place), _) | (_, Value::Len(place)) => {
                    Value::binary("=", Value::Len(place), Value::variable("x"))
                }
                (left, right) => Value::binary("=", left, right),
            },
        }
    }
}

/// A proposition about such a program, in our spelling and in SPIN's.
pub(crate) fn message_proposition(random: &mut Random) -> [String; 2] {
    let mut draw = Draw { random, drawn: Drawn::ForSpin, in_atomic: true };
    let test = match draw.random.below(4) {
        0 => Value::Empty(Box::new(draw.place())),
        1 => Value::Full(Box::new(draw.place())),
        2 => Value::binary("=", Value::Len(Box::new(draw.place())), Value::number(1)),
        _ => {
            let variable = Value::variable(["x", "y"][draw.random.index(2)]);
            Value::binary("=", variable, Value::number(draw.random.below(3) as i64))
        }
    };
    let declared = declarations();
    [declared.selvedge_value(&test), declared.promela_value(&test)]
}
