//! Random programs of the whole language for the naive interpreter.
//!
//! Every statement and every kind of value; families, created processes, definitions and procedures. Values
//! stay small, so that state spaces are finite. [`statements`] draws statements, [`values`] expressions,
//! [`formulas`] propositions and formulas.

pub(crate) mod formulas;
mod statements;
mod values;

use super::generate::Random;
use super::naive::ast::{
    ChannelKind, Datum, Definition, Field, Head, Process, Processes, Statement, Type, Value, Variable,
    VariableRef,
};

/// The channels of all programs. A message of `e` is a colour and a number.
const CHANNELS: [ChannelKind; 4] = [
    ChannelKind { name: "c", length: None, capacity: 1, fields: 1 },
    ChannelKind { name: "e", length: Some(2), capacity: 1, fields: 2 },
    ChannelKind { name: "r", length: None, capacity: 0, fields: 1 },
    ChannelKind { name: "s", length: Some(2), capacity: 0, fields: 2 },
];

/// The values of the enumeration.
const COLOURS: [&str; 3] = ["red", "green", "blue"];

/// The fields of the record.
const FIELDS: &[(&str, &str)] = &[("colour", "Colour"), ("on", "bool")];

/// Draws the parts of one program.
struct Draw<'r> {
    random: &'r mut Random,
    in_atomic: bool,
    /// Parameters that stand for numbers.
    numbers: Vec<&'static str>,
    /// Parameters that stand for variables.
    targets: Vec<&'static str>,
    /// How many processes are created at most; none are if it is 0.
    most_created: usize,
    /// Is a procedure drawn? It calls the simplest one alone.
    in_procedure: bool,
}

/// A program of two to four processes.
pub(crate) fn whole_program(random: &mut Random) -> Processes {
    let most_created = if random.below(4) == 0 { 1 + random.index(2) } else { 0 };
    let mut draw = Draw {
        random,
        in_atomic: false,
        numbers: Vec::new(),
        targets: Vec::new(),
        most_created,
        in_procedure: false,
    };
    let procedures = draw.procedures();
    let processes = draw.processes();
    Processes {
        types: vec![Type::Enumeration("Colour", &COLOURS), Type::Record("Node", FIELDS)],
        variables: draw.variables(),
        channels: CHANNELS.to_vec(),
        statements: vec![("u0", false), ("u1", false), ("u2", false), ("l0", true), ("l1", true)],
        definitions: definitions(),
        procedures,
        processes,
    }
}

fn definitions() -> Vec<Definition<Value>> {
    let of = Value::variable;
    let near = Value::binary("or", Value::binary("=", of("v"), of("w")), {
        Value::binary("=", Value::Use("next", vec![of("v")]), of("w"))
    });
    let element = Value::Of(VariableRef::element("a", of("i")));
    let high = Value::Quantified(true, "i", (0, 1), Box::new(Value::binary(">", element, Value::number(0))));
    let colour = Value::Of(VariableRef { field: Some("colour"), ..VariableRef::variable("v") });
    let dark = Value::binary("!=", colour, Value::Constant(Datum::Name("red")));
    vec![
        Definition { name: "next", parameters: &["v"], body: Value::next(of("v")) },
        Definition { name: "near", parameters: &["v", "w"], body: near },
        Definition { name: "high", parameters: &[], body: high },
        Definition { name: "dark", parameters: &["v"], body: dark },
    ]
}

impl Draw<'_> {
    fn is_one_of(&mut self, count: u64) -> bool {
        self.random.below(count) == 0
    }

    fn colour(&mut self) -> Datum {
        Datum::Name(COLOURS[self.random.index(3)])
    }

    fn node(&mut self) -> Vec<Value> {
        let on = Datum::Truth(self.is_one_of(2));
        vec![Value::Constant(self.colour()), Value::Constant(on)]
    }

    /// The shared variables.
    fn variables(&mut self) -> Vec<Variable> {
        let colour = self.colour();
        let variable = |name, length, kind, initial| Variable { name, length, kind, initial };
        let elements = (0..2).map(|_| Value::number(self.random.below(3) as i64)).collect();
        let truth = Value::Constant(Datum::Truth(self.is_one_of(2)));
        let null = vec![Value::Constant(Datum::Null)];
        vec![
            Variable::number("x", self.random.below(2) as i64),
            Variable::number("y", self.random.below(3) as i64),
            variable("z", None, Some("int"), if self.is_one_of(2) { Vec::new() } else { null }),
            variable("a", Some(2), None, elements),
            variable("f", None, None, vec![truth]),
            variable("g", None, Some("bool"), Vec::new()),
            variable("k", None, None, vec![Value::Constant(colour)]),
            variable("n", None, Some("Node"), self.node()),
            variable("ring", Some(2), Some("Node"), self.node()),
        ]
    }

    /// The local variables of a process; a parameter of a family may be the first value of one. A name may
    /// hide that of a shared variable.
    fn locals(&mut self, has_parameter: bool) -> Vec<Variable> {
        let mut locals = vec![
            Variable::number("m", 1),
            Variable { name: "b", length: None, kind: Some("bool"), initial: Vec::new() },
            Variable { name: "q", length: None, kind: Some("Node"), initial: self.node() },
            Variable { name: "t", length: Some(2), kind: None, initial: [1, 0].map(Value::number).to_vec() },
        ];
        if has_parameter {
            locals[0].initial = vec![Value::variable("i")];
        }
        if self.is_one_of(6) {
            locals.push(Variable::number("y", 2));
        }
        locals
    }

    /// A procedure is drawn with its parameters; `move` may stand inside `atomic`.
    fn procedures(&mut self) -> Vec<Definition<Vec<Statement>>> {
        let of = Value::variable;
        let assign = |place, value| vec![Statement::Assign(vec![(place, value)])];
        let bump = assign(VariableRef::variable("v"), Value::Use("next", vec![of("v")]));
        let put = assign(
            VariableRef::element("v", of("w")),
            Value::next(Value::Of(VariableRef::element("v", of("w")))),
        );
        (self.in_procedure, self.targets, self.numbers) = (true, vec!["v"], vec!["w"]);
        self.in_atomic = true;
        let move_body = self.block(1, 2);
        self.in_atomic = false;
        let talk_body = self.block(1, 2);
        (self.in_procedure, self.targets, self.numbers) = (false, Vec::new(), Vec::new());
        let paint = if self.is_one_of(2) {
            let braces = super::naive::ast::RecordValue::Braces(self.node());
            vec![Statement::AssignRecord(VariableRef::variable("v"), FIELDS, braces)]
        } else {
            assign(
                VariableRef { field: Some("on"), ..VariableRef::variable("v") },
                Value::Use("dark", vec![of("v")]),
            )
        };
        vec![
            Definition { name: "bump", parameters: &["v"], body: bump },
            Definition { name: "put", parameters: &["v", "w"], body: put },
            Definition { name: "paint", parameters: &["v"], body: paint },
            Definition { name: "move", parameters: &["v", "w"], body: move_body },
            Definition { name: "talk", parameters: &["v", "w"], body: talk_body },
        ]
    }

    fn processes(&mut self) -> Vec<Process> {
        let mut processes = Vec::new();
        let with_l = |mut locals: Vec<Variable>, initial| {
            locals.push(Variable::number("l", initial));
            locals
        };
        let singles = match self.random.below(3) {
            0 => {
                processes.push(self.family());
                1
            }
            1 if self.most_created == 0 => 3,
            _ => 2,
        };
        for name in ["1", "2", "3"].into_iter().take(singles) {
            let locals = with_l(self.locals(false), self.random.below(2) as i64);
            let body = self.block(2, 5 - singles as u64);
            processes.push(Process::single(name, 0, locals, body));
        }
        if self.most_created > 0 {
            if !self.is_one_of(4) {
                self.insert(&mut processes[0], Statement::Create("w", vec![Value::number(1)]));
            }
            let locals = self.locals(false);
            let most = std::mem::take(&mut self.most_created);
            let parameters = vec!["l"];
            let body = self.block(1, 2);
            processes.push(Process { head: Head::Created("w", parameters, most), priority: 0, locals, body });
            if self.is_one_of(4) {
                processes.rotate_right(1);
            }
        }
        if self.is_one_of(3) {
            self.introduce(&mut processes);
        }
        if self.is_one_of(6) {
            processes.iter_mut().for_each(|process| process.priority = self.random.below(3) as i64);
        }
        processes
    }

    /// Puts a statement somewhere into a process.
    fn insert(&mut self, process: &mut Process, statement: Statement) {
        let place = self.random.index(process.body.len() + 1);
        process.body.insert(place, statement);
    }

    /// Lets two processes meet, if they come to it.
    fn introduce(&mut self, processes: &mut [Process]) {
        let channel = match self.is_one_of(2) {
            true => (2, None),
            false => (3, Some(Value::number(self.random.below(2) as i64))),
        };
        let count = CHANNELS[channel.0].fields;
        let values = (0..count).map(|_| self.number(1)).collect();
        let fields = (0..count).map(|_| Field::Store(self.number_place())).collect();
        let [one, other] = if self.is_one_of(2) { [0, 1] } else { [1, 0] };
        self.insert(&mut processes[one], Statement::Send(channel.clone(), values));
        self.insert(&mut processes[other], Statement::Receive(channel, fields));
    }

    fn family(&mut self) -> Process {
        let (ranges, numbers) = match self.random.below(3) {
            0 => (vec![("i", 0, 1)], vec!["i"]),
            1 => (vec![("i", 1, 1), ("j", 0, 1)], vec!["i", "j"]),
            _ => (vec![("i", 0, 1), ("j", 2, 2)], vec!["i", "j"]),
        };
        self.numbers = numbers;
        let has_parameter = self.is_one_of(2);
        let mut locals = self.locals(has_parameter);
        locals.push(Variable::number("l", 0));
        let body = self.block(2, 3);
        self.numbers = Vec::new();
        Process { head: Head::Family("p", ranges), priority: 0, locals, body }
    }
}
