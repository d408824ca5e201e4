//! Random programs with channels for the naive interpreter, written in our language and as Promela.
//!
//! Arrays of channels, messages of two fields, constants that must match, `len`, `empty` and `full`, and
//! channels without room; `timeout`, `end` labels and priorities. Indices are mostly in bounds; for SPIN
//! they always are.

use super::generate::Random;
use super::interpreter::{ChannelKind, ChannelRef, Field, Processes, Statement, Test, Value, Variable};

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
    let mut processes: Vec<Vec<Statement>> = (0..count).map(|_| draw.block(2, 6 - count)).collect();
    if draw.random.below(2) == 0 {
        processes[1] = processes[0].iter().map(mirrored).collect();
    }
    let has_priorities = draw.random.below(6) == 0 && drawn == Drawn::Whole;
    let priority = |draw: &mut Draw<'_>| if has_priorities { draw.random.below(3) as i64 } else { 0 };
    let priorities = processes.iter().map(|_| priority(&mut draw)).collect();
    Processes { channels: CHANNELS.to_vec(), processes, priorities }
}

/// A receive for a send and a send for a receive, so that processes find partners.
fn mirrored(statement: &Statement) -> Statement {
    match statement {
        Statement::Send(place, values) => Statement::Receive(
            place.clone(),
            values
                .iter()
                .map(|_| Field::Store(Variable::Local))
                .take(1)
                .chain(values.iter().skip(1).map(|_| Field::Store(Variable::Y)))
                .collect(),
        ),
        Statement::Receive(place, fields) => {
            let value = |field: &Field| match field {
                Field::Match(number) => Value::Number(*number),
                Field::Store(_) => Value::Number(2),
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
    fn block(&mut self, depth: u64, most: u64) -> Vec<Statement> {
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
            0..=2 => Statement::Assign(self.variable(), self.value(1)),
            3 => Statement::Await(self.test()),
            4..=8 => self.send(),
            9..=13 => self.receive(),
            14 => Statement::If(self.test(), self.block(depth - 1, 2), self.block(depth - 1, 1)),
            15 if self.in_atomic => Statement::Await(self.test()),
            15 => Statement::While(self.test(), self.block(depth - 1, 2)),
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
            fields.push(if is_match { Field::Match(self.random.below(2) as i64) } else { store });
        }
        Statement::Receive(place, fields)
    }

    fn variable(&mut self) -> Variable {
        match self.random.below(8) {
            0 | 1 => Variable::X,
            2 => Variable::Y,
            3 => Variable::Element(Box::new(Value::Number(self.random.below(2) as i64))),
            4 if self.drawn == Drawn::Whole => Variable::Element(Box::new(self.index())),
            _ => Variable::Local,
        }
    }

    fn value(&mut self, depth: u64) -> Value {
        match self.random.below(if depth == 0 { 6 } else { 9 }) {
            0..=2 => Value::Number(self.random.below(3) as i64),
            3 => Value::Len(Box::new(self.place())),
            4 | 5 => Value::Variable(self.variable()),
            _ => Value::Next(Box::new(self.value(0))),
        }
    }

    /// An index: seldom one that may be out of bounds.
    fn index(&mut self) -> Value {
        match self.random.below(6) {
            0 | 2 if self.drawn == Drawn::Whole => Value::Variable(Variable::Local),
            1 if self.drawn == Drawn::Whole => Value::Variable(Variable::X),
            _ => Value::Number(self.random.below(2) as i64),
        }
    }

    fn test(&mut self) -> Test {
        match self.random.below(5) {
            0 => Test::Empty(self.place()),
            1 => Test::Full(self.place()),
            _ => match (self.value(0), self.value(0)) {
                // The machine takes `len(c) = 0` and `empty(c)` for the same text.
                (Value::Len(place), _) | (_, Value::Len(place)) => {
                    Test::Equal(Value::Len(place), Value::Variable(Variable::X))
                }
                (left, right) => Test::Equal(left, right),
            },
        }
    }
}

/// A proposition about such a program, in our spelling and in SPIN's.
pub(crate) fn message_proposition(random: &mut Random) -> [String; 2] {
    let mut draw = Draw { random, drawn: Drawn::ForSpin, in_atomic: true };
    let test = match draw.random.below(4) {
        0 => Test::Empty(draw.place()),
        1 => Test::Full(draw.place()),
        2 => Test::Equal(Value::Len(Box::new(draw.place())), Value::Number(1)),
        _ => {
            let variable = [Variable::X, Variable::Y][draw.random.index(2)].clone();
            Test::Equal(Value::Variable(variable), Value::Number(draw.random.below(3) as i64))
        }
    };
    [Spelling::Selvedge, Spelling::Promela].map(|spelling| spelling.test(&test))
}

#[derive(Clone, Copy, PartialEq)]
enum Spelling {
    Selvedge,
    Promela,
}

impl Processes {
    /// The program in our language.
    pub(crate) fn selvedge(&self) -> String {
        let mut text = "memory x = 0, y = 0, a[2] = 0;\n".to_owned();
        for ChannelKind { name, length, capacity, fields } in &self.channels {
            let length = length.map_or(String::new(), |length| format!("[{length}]"));
            let names = if *fields == 2 { " of (kind, value)" } else { "" };
            text += &format!("channel {name}{length}[{capacity}]{names};\n");
        }
        for (number, block) in (1..).zip(&self.processes) {
            let priority = self.priorities[number - 1];
            let body = Spelling::Selvedge.block(block);
            text += &format!("process {number} priority {priority}: local l = 0; {body}\n");
        }
        text
    }

    /// The program as Promela, with formulas as `f0`, `f1` and so on.
    pub(crate) fn promela(&self, formulas: &[String]) -> String {
        let mut text = "byte x = 0, y = 0, a[2];\n".to_owned();
        for ChannelKind { name, length, capacity, fields } in &self.channels {
            let length = length.map_or(String::new(), |length| format!("[{length}]"));
            let types = if *fields == 2 { "byte, byte" } else { "byte" };
            text += &format!("chan {name}{length} = [{capacity}] of {{ {types} }};\n");
        }
        for (number, block) in (1..).zip(&self.processes) {
            let body = Spelling::Promela.block(block);
            text += &format!("active proctype p{number}() {{ byte l = 0; {body} }}\n");
        }
        for (number, formula) in formulas.iter().enumerate() {
            text += &format!("ltl f{number} {{ {formula} }}\n");
        }
        text
    }
}

impl Spelling {
    fn block(self, block: &[Statement]) -> String {
        let parts: Vec<String> = block.iter().map(|statement| self.statement(statement)).collect();
        let text = if parts.is_empty() { "skip".to_owned() } else { parts.join("; ") };
        text.replace("end:; ", "end: ")
    }

    fn statement(self, statement: &Statement) -> String {
        let is_promela = self == Spelling::Promela;
        match statement {
            Statement::Assign(variable, value) => {
                let sign = if is_promela { "=" } else { ":=" };
                format!("{} {sign} {}", self.variable(variable), self.value(value))
            }
            Statement::Await(test) if is_promela => self.test(test),
            Statement::Await(test) => format!("await {}", self.test(test)),
            Statement::If(test, yes, no) if is_promela => {
                format!("if :: {} -> {} :: else -> {} fi", self.test(test), self.block(yes), self.block(no))
            }
            Statement::If(test, yes, no) => {
                format!("if {} then {} else {} fi", self.test(test), self.block(yes), self.block(no))
            }
            Statement::While(test, body) if is_promela => {
                format!("do :: {} -> {} :: else -> break od", self.test(test), self.block(body))
            }
            Statement::While(test, body) => format!("while {} do {} od", self.test(test), self.block(body)),
            Statement::Choose(branches) => {
                let branches: Vec<String> = branches.iter().map(|branch| self.block(branch)).collect();
                match is_promela {
                    true => format!("if :: {} fi", branches.join(" :: ")),
                    false => format!("choose {} end", branches.join(" | ")),
                }
            }
            Statement::Timeout => "timeout".to_owned(),
            Statement::End => "end:".to_owned(),
            Statement::Atomic(block) => format!("atomic {} end", self.block(block)),
            Statement::Send(place, values) => {
                let values: Vec<String> = values.iter().map(|value| self.value(value)).collect();
                self.message(place, "!", &values)
            }
            Statement::Receive(place, fields) => {
                let field = |field: &Field| match field {
                    Field::Match(number) => number.to_string(),
                    Field::Store(variable) => self.variable(variable),
                };
                let fields: Vec<String> = fields.iter().map(field).collect();
                self.message(place, "?", &fields)
            }
        }
    }

    fn message(self, place: &ChannelRef, sign: &str, fields: &[String]) -> String {
        let place = self.place(place);
        match (self, fields) {
            (Spelling::Promela, _) => format!("{place}{sign}{}", fields.join(", ")),
            (Spelling::Selvedge, [only]) if sign == "!" => format!("send {place}, {only}"),
            (Spelling::Selvedge, [only]) => format!("receive {place}, {only}"),
            (Spelling::Selvedge, _) => format!("{place}{sign}({})", fields.join(", ")),
        }
    }

    fn place(self, place: &ChannelRef) -> String {
        let name = CHANNELS[place.0].name;
        match &place.1 {
            Some(index) => format!("{name}[{}]", self.value(index)),
            None => name.to_owned(),
        }
    }

    fn variable(self, variable: &Variable) -> String {
        match variable {
            Variable::X => "x".to_owned(),
            Variable::Y => "y".to_owned(),
            Variable::Local => "l".to_owned(),
            Variable::Element(index) => format!("a[{}]", self.value(index)),
        }
    }

    fn value(self, value: &Value) -> String {
        match value {
            Value::Number(number) => number.to_string(),
            Value::Variable(variable) => self.variable(variable),
            // SPIN takes a parenthesis behind `!` for that of a message.
            Value::Next(inner) if self == Spelling::Promela => format!("0 + ({} + 1) % 3", self.value(inner)),
            Value::Next(inner) => format!("({} + 1) % 3", self.value(inner)),
            Value::Len(place) => format!("len({})", self.place(place)),
        }
    }

    fn test(self, test: &Test) -> String {
        match test {
            Test::Equal(left, right) if self == Spelling::Promela => {
                format!("({} == {})", self.value(left), self.value(right))
            }
            Test::Equal(left, right) => format!("{} = {}", self.value(left), self.value(right)),
            Test::Empty(place) if self == Spelling::Promela => format!("(len({}) == 0)", self.place(place)),
            Test::Full(place) if self == Spelling::Promela => {
                format!("(len({}) == {})", self.place(place), CHANNELS[place.0].capacity)
            }
            Test::Empty(place) => format!("empty({})", self.place(place)),
            Test::Full(place) => format!("full({})", self.place(place)),
        }
    }
}
