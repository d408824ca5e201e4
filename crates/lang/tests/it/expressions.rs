//! Booleans, enumerations, records, several assignments at once, `else` in `choose`, initial values,
//! definitions and procedures: all states and steps of generated programs, against a naive interpreter.
//!
//! The interpreter works on the syntax tree: a state has the values, and for each process the statements
//! that it has left. Calls are unfolded by it, and definitions evaluated.

use crate::common::generate::Random;
use crate::common::{search, system};
use selvedge_model::System;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// How many programs are compared; twenty times as many if `SELVEDGE_LONG` is set.
const PROGRAMS: usize = 400;

/// Programs have at most so many states.
const MOST_STATES: usize = 4000;

const COLOURS: [&str; 3] = ["red", "green", "blue"];

const DECLARATIONS: &str = "\
type Colour = {red, green, blue};
memory x = 0, y = 1, b = false, c: bool = true, k = red, n[2] = {1, 0}, a[3]: Colour = {red, green, blue};
type Pair = {number: int, tint: Colour};
memory r: Pair = {1, red}, s: Pair = {2, blue};
channel line[1];
define next(v) = (v + 1) % 4
define same(v, w) = v = w
define all(v) = forall i in 0..2: a[i] != v
procedure paint(p, v) = p := v
procedure swap(p, q) = p, q := q, p
procedure when(t, p) = if t then p := next(p) else b := not b fi
";

/// A variable, or an element.
#[derive(Clone, Debug, PartialEq)]
struct Lvalue(&'static str, Option<Box<Expr>>);

#[derive(Clone, Debug, PartialEq)]
enum Expr {
    Int(i64),
    Colour(usize),
    Truth(bool),
    At(Lvalue),
    /// `next(e)`
    Next(Box<Expr>),
    /// `e % n`
    Modulo(Box<Expr>, i64),
    Not(Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    /// `same(e, f)`
    Same(Box<Expr>, Box<Expr>),
    Less(Box<Expr>, Box<Expr>),
    /// `all(e)`
    All(Box<Expr>),
}

#[derive(Clone, Debug)]
enum Statement {
    Assign(Vec<(Lvalue, Expr)>),
    Paint(Lvalue, Expr),
    Swap(Lvalue, Lvalue),
    When(Expr, Lvalue),
    If(Expr, Block, Block),
    While(Expr, Block),
    Await(Expr),
    Choose(Vec<Block>, Option<Block>),
    /// `r := s`
    Copy,
    /// The first and the last value.
    ChooseIn(Lvalue, Expr, Expr),
    Atomic(Block),
    Send(Expr),
    Receive(Lvalue),
}

type Block = Vec<Statement>;

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Number,
    Truth,
    Colour,
}

/// Generates statements and expressions.
impl Random {
    fn place(&mut self, kind: Kind) -> Lvalue {
        let index = |random: &mut Random, length| {
            let index = match random.below(3) {
                0 => Expr::Modulo(Box::new(Expr::At(Lvalue("x", None))), length),
                _ => Expr::Int(random.below(length as u64) as i64),
            };
            Some(Box::new(index))
        };
        match (kind, self.below(4)) {
            (Kind::Number, 0) => Lvalue("n", index(self, 2)),
            (Kind::Number, 1) => Lvalue(["r.number", "s.number"][self.index(2)], None),
            (Kind::Colour, 1) => Lvalue(["r.tint", "s.tint"][self.index(2)], None),
            (Kind::Number, choice) => Lvalue(["x", "y"][choice as usize % 2], None),
            (Kind::Truth, choice) => Lvalue(["b", "c"][choice as usize % 2], None),
            (Kind::Colour, 0) => Lvalue("a", index(self, 3)),
            (Kind::Colour, choice) => Lvalue(["k", "l"][choice as usize % 2], None),
        }
    }

    fn expr(&mut self, kind: Kind, depth: u64) -> Expr {
        let deeper = depth.saturating_sub(1);
        match kind {
            Kind::Number if depth > 0 && self.below(3) == 0 => Expr::Next(Box::new(self.expr(kind, deeper))),
            Kind::Number => self.number(),
            Kind::Colour if self.below(2) == 0 => Expr::Colour(self.index(3)),
            Kind::Colour => Expr::At(self.place(kind)),
            Kind::Truth if depth == 0 && self.below(4) == 0 => Expr::Truth(self.below(2) == 0),
            Kind::Truth if depth == 0 => Expr::At(self.place(kind)),
            Kind::Truth => self.test(deeper),
        }
    }

    fn test(&mut self, depth: u64) -> Expr {
        let choice = self.below(8);
        let of = match choice {
            0..=2 | 6 => Kind::Truth,
            4 | 7 => Kind::Colour,
            _ => Kind::Number,
        };
        let [left, right] = [(); 2].map(|()| Box::new(self.expr(of, depth)));
        match choice {
            0 => Expr::Not(left),
            1 => Expr::And(left, right),
            2 => Expr::Or(left, right),
            3 => Expr::Less(left, right),
            4 => Expr::All(left),
            _ => Expr::Same(left, right),
        }
    }

    fn number(&mut self) -> Expr {
        match self.below(2) {
            0 => Expr::Int(self.below(4) as i64),
            _ => Expr::At(self.place(Kind::Number)),
        }
    }

    fn kind(&mut self) -> Kind {
        [Kind::Number, Kind::Truth, Kind::Colour][self.index(3)]
    }

    fn block(&mut self, depth: u64, in_atomic: bool) -> Block {
        (0..1 + self.below(2)).map(|_| self.statement(depth, in_atomic)).collect()
    }

    fn statement(&mut self, depth: u64, in_atomic: bool) -> Statement {
        let kind = self.kind();
        let deeper = depth.saturating_sub(1);
        match self.below(if depth == 0 { 10 } else { 16 }) {
            0 | 1 => Statement::Assign(vec![(self.place(kind), self.expr(kind, 2))]),
            2 => {
                let other = self.kind();
                let parts = [kind, other].map(|kind| (self.place(kind), self.expr(kind, 1)));
                if parts[0].0 == parts[1].0 {
                    Statement::Await(self.expr(Kind::Truth, 1))
                } else {
                    Statement::Assign(parts.into())
                }
            }
            3 if self.below(3) == 0 => Statement::Copy,
            3 => Statement::Paint(self.place(kind), self.expr(kind, 1)),
            4 => {
                let (one, other) = (self.place(kind), self.place(kind));
                if one == other {
                    Statement::Send(self.expr(Kind::Colour, 0))
                } else {
                    Statement::Swap(one, other)
                }
            }
            5 => Statement::When(self.expr(Kind::Truth, 1), self.place(Kind::Number)),
            6 => Statement::Await(self.expr(Kind::Truth, 2)),
            7 => {
                let (first, last) = match kind {
                    Kind::Number => (Expr::Int(0), Expr::Int(self.below(3) as i64)),
                    Kind::Truth => (Expr::Truth(false), Expr::Truth(true)),
                    Kind::Colour => (Expr::Colour(0), Expr::Colour(1 + self.index(2))),
                };
                Statement::ChooseIn(self.place(kind), first, last)
            }
            8 => Statement::Send(self.expr(Kind::Colour, 1)),
            9 => Statement::Receive(self.place(Kind::Colour)),
            10 | 11 => {
                let otherwise = if self.below(2) == 0 { self.block(deeper, in_atomic) } else { Vec::new() };
                Statement::If(self.expr(Kind::Truth, 2), self.block(deeper, in_atomic), otherwise)
            }
            12 if !in_atomic => Statement::While(self.expr(Kind::Truth, 1), self.block(deeper, in_atomic)),
            13 if !in_atomic => Statement::Atomic(self.block(deeper, true)),
            _ => {
                let branches = (0..1 + self.below(2)).map(|_| self.block(deeper, in_atomic)).collect();
                let otherwise = (self.below(3) > 0).then(|| self.block(deeper, in_atomic));
                Statement::Choose(branches, otherwise)
            }
        }
    }
}

fn place_text(Lvalue(name, index): &Lvalue) -> String {
    match index {
        Some(index) => format!("{name}[{}]", expr_text(index)),
        None => (*name).to_owned(),
    }
}

fn expr_text(expr: &Expr) -> String {
    match expr {
        Expr::Int(value) => value.to_string(),
        Expr::Colour(colour) => COLOURS[*colour].to_owned(),
        Expr::Truth(value) => value.to_string(),
        Expr::At(place) => place_text(place),
        Expr::Next(inner) => format!("next({})", expr_text(inner)),
        Expr::Modulo(inner, by) => format!("{} % {by}", expr_text(inner)),
        Expr::Not(inner) => format!("not ({})", expr_text(inner)),
        Expr::And(left, right) => format!("({}) and ({})", expr_text(left), expr_text(right)),
        Expr::Or(left, right) => format!("({}) or ({})", expr_text(left), expr_text(right)),
        Expr::Same(left, right) => format!("same({}, {})", expr_text(left), expr_text(right)),
        Expr::Less(left, right) => format!("{} < {}", expr_text(left), expr_text(right)),
        Expr::All(colour) => format!("all({})", expr_text(colour)),
    }
}

fn block_text(block: &[Statement]) -> String {
    if block.is_empty() {
        return "skip".to_owned();
    }
    block.iter().map(statement_text).collect::<Vec<_>>().join("; ")
}

fn statement_text(statement: &Statement) -> String {
    match statement {
        Statement::Assign(parts) => {
            let places: Vec<String> = parts.iter().map(|(place, _)| place_text(place)).collect();
            let values: Vec<String> = parts.iter().map(|(_, value)| expr_text(value)).collect();
            format!("{} := {}", places.join(", "), values.join(", "))
        }
        Statement::Paint(place, value) => format!("paint({}, {})", place_text(place), expr_text(value)),
        Statement::Copy => "r := s".to_owned(),
        Statement::Swap(one, other) => format!("swap({}, {})", place_text(one), place_text(other)),
        Statement::When(test, place) => format!("when({}, {})", expr_text(test), place_text(place)),
        Statement::If(test, yes, no) if no.is_empty() => {
            format!("if {} then {} fi", expr_text(test), block_text(yes))
        }
        Statement::If(test, yes, no) => {
            format!("if {} then {} else {} fi", expr_text(test), block_text(yes), block_text(no))
        }
        Statement::While(test, body) => format!("while {} do {} od", expr_text(test), block_text(body)),
        Statement::Await(test) => format!("await {}", expr_text(test)),
        Statement::Choose(branches, otherwise) => {
            let branches: Vec<String> = branches.iter().map(|branch| block_text(branch)).collect();
            let otherwise = otherwise.as_ref().map(|block| format!(" else {}", block_text(block)));
            format!("choose {}{} end", branches.join(" | "), otherwise.unwrap_or_default())
        }
        Statement::ChooseIn(place, first, last) => {
            format!("choose {} in {}..{}", place_text(place), expr_text(first), expr_text(last))
        }
        Statement::Atomic(body) => format!("atomic {} end", block_text(body)),
        Statement::Send(value) => format!("send line, {}", expr_text(value)),
        Statement::Receive(place) => format!("receive line, {}", place_text(place)),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Value {
    Int(i64),
    Truth(bool),
    Colour(usize),
}

impl Value {
    fn text(self) -> String {
        match self {
            Value::Int(value) => value.to_string(),
            Value::Truth(value) => value.to_string(),
            Value::Colour(colour) => COLOURS[colour].to_owned(),
        }
    }

    fn number(self) -> i64 {
        if let Value::Int(value) = self { value } else { panic!("{self:?} is no number") }
    }

    fn truth(self) -> bool {
        if let Value::Truth(value) = self { value } else { panic!("{self:?} is no truth value") }
    }
}

/// The values of variables by name, `a[0]` and `l@1` among them, and the messages.
#[derive(Clone, Debug, PartialEq)]
struct Values {
    variables: BTreeMap<String, Value>,
    messages: Vec<Value>,
}

impl Values {
    fn initial(processes: usize) -> Values {
        let mut variables: BTreeMap<String, Value> = BTreeMap::from(
            [("x", 0), ("y", 1), ("n[0]", 1), ("n[1]", 0), ("r.number", 1), ("s.number", 2)]
                .map(|(name, value)| (name.to_owned(), Value::Int(value))),
        );
        variables
            .extend([("b", false), ("c", true)].map(|(name, value)| (name.to_owned(), Value::Truth(value))));
        let colours = [("k", 0), ("a[0]", 0), ("a[1]", 1), ("a[2]", 2), ("r.tint", 0), ("s.tint", 2)];
        variables.extend(colours.map(|(name, value)| (name.to_owned(), Value::Colour(value))));
        variables.extend((1..=processes).map(|process| (format!("l@{process}"), Value::Colour(0))));
        Values { variables, messages: Vec::new() }
    }

    fn name(&self, Lvalue(name, index): &Lvalue, process: usize) -> String {
        match index {
            Some(index) => format!("{name}[{}]", self.eval(index, process).number()),
            None if *name == "l" => format!("l@{process}"),
            None => (*name).to_owned(),
        }
    }

    fn eval(&self, expr: &Expr, process: usize) -> Value {
        let eval = |expr: &Expr| self.eval(expr, process);
        match expr {
            Expr::Int(value) => Value::Int(*value),
            Expr::Colour(colour) => Value::Colour(*colour),
            Expr::Truth(value) => Value::Truth(*value),
            Expr::At(place) => self.variables[&self.name(place, process)],
            Expr::Next(inner) => Value::Int((eval(inner).number() + 1) % 4),
            Expr::Modulo(inner, by) => Value::Int(eval(inner).number() % by),
            Expr::Not(inner) => Value::Truth(!eval(inner).truth()),
            Expr::And(left, right) => Value::Truth(eval(left).truth() && eval(right).truth()),
            Expr::Or(left, right) => Value::Truth(eval(left).truth() || eval(right).truth()),
            Expr::Same(left, right) => Value::Truth(eval(left) == eval(right)),
            Expr::Less(left, right) => Value::Truth(eval(left).number() < eval(right).number()),
            Expr::All(colour) => {
                let colour = eval(colour);
                Value::Truth((0..3).all(|index| self.variables[&format!("a[{index}]")] != colour))
            }
        }
    }

    fn assign(&self, parts: &[(Lvalue, Expr)], process: usize) -> Values {
        let read = parts.iter().map(|(place, value)| (self.name(place, process), self.eval(value, process)));
        let read: Vec<(String, Value)> = read.collect();
        let mut values = self.clone();
        values.variables.extend(read);
        values
    }
}

/// What is left of a process, and the values.
type Left = (Block, Values);

/// The statements without calls.
fn unfold(block: &[Statement]) -> Block {
    let one = |statement: &Statement| match statement {
        Statement::Paint(place, value) => Statement::Assign(vec![(place.clone(), value.clone())]),
        Statement::Swap(one, other) => Statement::Assign(vec![
            (one.clone(), Expr::At(other.clone())),
            (other.clone(), Expr::At(one.clone())),
        ]),
        Statement::Copy => {
            let field = |to, from| (Lvalue(to, None), Expr::At(Lvalue(from, None)));
            Statement::Assign(vec![field("r.number", "s.number"), field("r.tint", "s.tint")])
        }
        Statement::When(test, place) => {
            let next = Expr::Next(Box::new(Expr::At(place.clone())));
            let b = Lvalue("b", None);
            let flip = Expr::Not(Box::new(Expr::At(b.clone())));
            let (yes, no) =
                (Statement::Assign(vec![(place.clone(), next)]), Statement::Assign(vec![(b, flip)]));
            Statement::If(test.clone(), vec![yes], vec![no])
        }
        Statement::If(test, yes, no) => Statement::If(test.clone(), unfold(yes), unfold(no)),
        Statement::While(test, body) => Statement::While(test.clone(), unfold(body)),
        Statement::Choose(branches, otherwise) => {
            let branches = branches.iter().map(|branch| unfold(branch)).collect();
            Statement::Choose(branches, otherwise.as_ref().map(|block| unfold(block)))
        }
        Statement::Atomic(body) => Statement::Atomic(unfold(body)),
        other => other.clone(),
    };
    block.iter().map(one).collect()
}

/// The statements that a process can have left after a step, with the values.
fn steps(block: &[Statement], values: &Values, process: usize) -> Vec<Left> {
    let Some((first, rest)) = block.split_first() else { return Vec::new() };
    let then = |before: &[Statement]| [before, rest].concat();
    let holds = |test: &Expr| values.eval(test, process).truth();
    match first {
        Statement::Assign(parts) => vec![(rest.to_vec(), values.assign(parts, process))],
        Statement::If(test, yes, no) => vec![(then(if holds(test) { yes } else { no }), values.clone())],
        Statement::While(test, body) if holds(test) => vec![([body, block].concat(), values.clone())],
        Statement::While(..) => vec![(rest.to_vec(), values.clone())],
        Statement::Await(test) if holds(test) => vec![(rest.to_vec(), values.clone())],
        Statement::Await(_) => Vec::new(),
        Statement::Choose(branches, otherwise) => {
            let mut all: Vec<Left> =
                branches.iter().flat_map(|branch| steps(&then(branch), values, process)).collect();
            if let (Some(otherwise), true) = (otherwise, all.is_empty()) {
                all.push((then(otherwise), values.clone()));
            }
            all
        }
        Statement::ChooseIn(place, first, last) => {
            let value = |expr: &Expr| values.eval(expr, process);
            let chosen: Vec<Expr> = match (value(first), value(last)) {
                (Value::Int(first), Value::Int(last)) => (first..=last).map(Expr::Int).collect(),
                (Value::Colour(first), Value::Colour(last)) => (first..=last).map(Expr::Colour).collect(),
                _ => [false, true].map(Expr::Truth).into(),
            };
            let assign = |value: &Expr| values.assign(&[(place.clone(), value.clone())], process);
            chosen.iter().map(|value| (rest.to_vec(), assign(value))).collect()
        }
        Statement::Atomic(body) => {
            let mut todo: VecDeque<Left> = VecDeque::from([(body.clone(), values.clone())]);
            let mut ends = Vec::new();
            while let Some((left, values)) = todo.pop_front() {
                match left.is_empty() {
                    true => ends.push((rest.to_vec(), values)),
                    false => todo.extend(steps(&left, &values, process)),
                }
            }
            ends
        }
        Statement::Send(value) if values.messages.is_empty() => {
            let messages = vec![values.eval(value, process)];
            vec![(rest.to_vec(), Values { messages, ..values.clone() })]
        }
        Statement::Receive(place) if !values.messages.is_empty() => {
            let mut values = values.clone();
            let message = values.messages.remove(0);
            values.variables.insert(values.name(place, process), message);
            vec![(rest.to_vec(), values)]
        }
        Statement::Send(_) | Statement::Receive(_) => Vec::new(),
        Statement::Paint(..) | Statement::Swap(..) | Statement::When(..) | Statement::Copy => {
            unreachable!("calls are unfolded")
        }
    }
}

/// The number of states and of steps, and the values of all states; `None` if there are too many.
fn naive(processes: &[Block]) -> Option<(usize, usize, BTreeSet<String>)> {
    let start: Vec<Block> = processes.iter().map(|block| unfold(block)).collect();
    let mut todo = VecDeque::from([(start, Values::initial(processes.len()), 0)]);
    let key = |state: &(Vec<Block>, Values, usize)| format!("{state:?}");
    let mut seen = BTreeSet::from([key(&todo[0])]);
    let (mut transitions, mut shown) = (0, BTreeSet::new());
    while let Some((left, values, _)) = todo.pop_front() {
        let texts = values.variables.iter().map(|(name, value)| format!("{name} = {}", value.text()));
        let messages: Vec<String> = values.messages.iter().map(|message| message.text()).collect();
        let line = format!("line = [{}]", messages.join(", "));
        shown.insert(texts.chain([line]).collect::<Vec<_>>().join(", "));
        for process in 1..=left.len() {
            for (rest, values) in steps(&left[process - 1], &values, process) {
                transitions += 1;
                let mut next = left.clone();
                next[process - 1] = rest;
                let state = (next, values, process);
                if seen.insert(key(&state)) {
                    todo.push_back(state);
                }
            }
        }
        if seen.len() > MOST_STATES {
            return None;
        }
    }
    Some((seen.len(), transitions, shown))
}

fn program_text(processes: &[Block]) -> String {
    let texts = processes.iter().enumerate().map(|(index, block)| {
        format!("process {}: local l: Colour = red; {}\n", index + 1, block_text(block))
    });
    DECLARATIONS.to_owned() + &texts.collect::<String>()
}

/// The same of the compiled program.
fn compiled(text: &str) -> (usize, usize, BTreeSet<String>) {
    let system = system(text, true);
    let space = search(&system, 2 * MOST_STATES);
    let shown = space.states.iter().map(|state| {
        let of_memory = |(name, _): &(String, String)| name != "last mover" && name.parse::<usize>().is_err();
        let values: BTreeMap<String, String> = system.show(state).into_iter().filter(of_memory).collect();
        let line = format!("line = {}", values["line"]);
        let texts = values
            .iter()
            .filter(|(name, _)| *name != "line")
            .map(|(name, value)| format!("{name} = {value}"));
        texts.chain([line]).collect::<Vec<_>>().join(", ")
    });
    (space.states.len(), space.transitions, shown.collect())
}

#[test]
fn generated_programs_have_the_states_of_a_naive_interpreter() {
    let mut random = Random(61);
    let count = if std::env::var_os("SELVEDGE_LONG").is_some() { 20 * PROGRAMS } else { PROGRAMS };
    let (mut compared, mut states) = (0, 0);
    while compared < count {
        let processes: Vec<Block> =
            (0..2).map(|_| (0..1 + random.below(3)).map(|_| random.statement(2, false)).collect()).collect();
        let Some(expected) = naive(&processes) else { continue };
        let text = program_text(&processes);
        assert_eq!(compiled(&text), expected, "{text}");
        compared += 1;
        states += expected.0;
    }
    assert!(states > 20 * count, "{states} states of {count} programs");
}
