//! Random programs of the language's core, written in it and as Maude's and SPIN's input.
//!
//! Two or three processes; variables, some of them undefined at first, are assigned constants and one
//! another only, so that state spaces are finite.

use std::fmt::Write as _;

/// A stream of numbers that is the same on every machine (SplitMix64).
pub(crate) struct Random(pub u64);

impl Random {
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % bound
    }

    pub(crate) fn index(&mut self, bound: usize) -> usize {
        self.below(bound as u64) as usize
    }
}

pub(crate) const VARIABLES: [&str; 3] = ["x", "y", "z"];

/// A program.
pub(crate) struct Generated {
    /// The values of the first variables; the others are undefined.
    pub(crate) initial: Vec<u64>,
    /// The statements of each process; processes are numbered from 1.
    pub(crate) processes: Vec<Block>,
}

/// Statements, one after the other.
pub(crate) struct Block {
    pub(crate) statements: Vec<Statement>,
    /// Does a `;` follow the last statement?
    pub(crate) is_trailing: bool,
}

pub(crate) enum Statement {
    Skip,
    Assign(usize, Value),
    /// A user statement that ends.
    User(u64),
    /// A looping user statement.
    Looping(u64),
    Await(Test),
    If(Test, Block),
    While(Test, Block),
    Repeat(Block),
    Group(Block),
    /// Two variables get the values of one another, in one step.
    Swap(usize, usize),
    /// Branches that begin with `await`, and perhaps an `else`.
    Choose(Vec<(Test, Block)>, Option<Block>),
}

#[derive(Clone, Copy)]
pub(crate) enum Value {
    Null,
    Number(u64),
    Variable(usize),
}

/// Two values that may be equal.
pub(crate) type Test = (Value, Value);

/// A random program, with `await` on request: the lecture's language has none.
pub(crate) fn generate(random: &mut Random, awaits: bool) -> Generated {
    let declared = 1 + random.below(3);
    let initial = (0..declared).map(|_| random.below(2)).collect();
    let processes = (0..2 + random.below(2)).map(|_| block(random, 3, 4, awaits)).collect();
    Generated { initial, processes }
}

/// At most so many statements, nested at most so deep.
fn block(random: &mut Random, depth: u64, most: u64, awaits: bool) -> Block {
    let count = 1 + random.below(most);
    let statements = (0..count).map(|_| statement(random, depth, awaits)).collect();
    Block { statements, is_trailing: random.below(4) == 0 }
}

fn statement(random: &mut Random, depth: u64, awaits: bool) -> Statement {
    if awaits && random.below(6) == 0 {
        return beyond_the_core(random, depth);
    }
    let kinds = if depth == 0 { 6 } else { 11 };
    match random.below(kinds) {
        0 => Statement::Skip,
        1..=3 => Statement::Assign(random.index(3), value(random)),
        4 => Statement::User(random.below(2)),
        5 => Statement::Looping(random.below(2)),
        6 | 7 => Statement::If(test(random), block(random, depth - 1, 2, awaits)),
        8 => Statement::While(test(random), block(random, depth - 1, 2, awaits)),
        9 => Statement::Repeat(block(random, depth - 1, 3, awaits)),
        _ => Statement::Group(block(random, depth - 1, 2, awaits)),
    }
}

/// A statement that the lecture's language does not have.
fn beyond_the_core(random: &mut Random, depth: u64) -> Statement {
    match random.below(6) {
        0 => {
            let first = random.index(3);
            Statement::Swap(first, (first + 1 + random.index(2)) % 3)
        }
        1 | 2 if depth > 0 => {
            let branches =
                (0..1 + random.below(2)).map(|_| (test(random), block(random, depth - 1, 2, true))).collect();
            Statement::Choose(branches, (random.below(3) > 0).then(|| block(random, depth - 1, 1, true)))
        }
        _ => Statement::Await(test(random)),
    }
}

pub(crate) fn test(random: &mut Random) -> Test {
    (value(random), value(random))
}

fn value(random: &mut Random) -> Value {
    match random.below(6) {
        0 => Value::Null,
        number @ 1..=3 => Value::Number(number - 1),
        _ => Value::Variable(random.index(3)),
    }
}

/// The spelling of the core language: ours, or Maude's.
#[derive(Clone, Copy, PartialEq)]
enum Spelling {
    Selvedge,
    Maude,
}

impl Generated {
    /// The program in our language.
    pub(crate) fn selvedge(&self) -> String {
        let mut text = "statement u0, u1; looping statement l0, l1;\n".to_owned();
        for (name, value) in VARIABLES.iter().zip(&self.initial) {
            writeln!(text, "memory {name} = {value};").expect("a string");
        }
        for (process, block) in (1..).zip(&self.processes) {
            writeln!(text, "process {process}: {}", Spelling::Selvedge.block(block)).expect("a string");
        }
        text
    }

    /// The program as a term of Maude, before the first step.
    pub(crate) fn maude(&self) -> String {
        let mut processes = String::new();
        for (process, block) in (1..).zip(&self.processes) {
            write!(processes, "< {process} : {} > ", Spelling::Maude.block(block)).expect("a string");
        }
        let mut store = String::from("none");
        for (name, value) in VARIABLES.iter().zip(&self.initial) {
            write!(store, " & '{name} |-> {value}").expect("a string");
        }
        format!("{{ {processes}, {store}, 0 }}")
    }
}

impl Generated {
    /// Calls `visit` with each statement, outer ones first.
    pub(crate) fn visit(&self, visit: &mut impl FnMut(&Statement)) {
        let mut todo: Vec<&Statement> = self.processes.iter().flat_map(|block| &block.statements).collect();
        while let Some(statement) = todo.pop() {
            visit(statement);
            match statement {
                Statement::If(_, body)
                | Statement::While(_, body)
                | Statement::Repeat(body)
                | Statement::Group(body) => todo.extend(&body.statements),
                Statement::Choose(branches, otherwise) => {
                    let bodies = branches.iter().map(|(_, body)| body).chain(otherwise);
                    todo.extend(bodies.flat_map(|body| &body.statements));
                }
                _ => {}
            }
        }
    }
}

/// A test in our language.
pub(crate) fn selvedge_test(test: Test) -> String {
    Spelling::Selvedge.test(test)
}

/// A test in Maude's language.
pub(crate) fn maude_test(test: Test) -> String {
    Spelling::Maude.test(test)
}

impl Spelling {
    fn block(self, block: &Block) -> String {
        let parts: Vec<String> = block.statements.iter().map(|part| self.statement(part)).collect();
        let has_end = block.is_trailing && self == Spelling::Selvedge;
        let joint = if self == Spelling::Selvedge { "; " } else { " ; " };
        parts.join(joint) + if has_end { ";" } else { "" }
    }

    fn statement(self, statement: &Statement) -> String {
        match statement {
            Statement::Skip => "skip".to_owned(),
            Statement::Assign(variable, value) => {
                format!("{} := {}", self.value(Value::Variable(*variable)), self.value(*value))
            }
            Statement::User(number) => format!("u{number}"),
            Statement::Looping(number) => format!("l{number}"),
            Statement::Await(test) => {
                assert!(self == Spelling::Selvedge, "Maude is not told of `await`");
                format!("await {}", self.test(*test))
            }
            Statement::If(test, body) => format!("if {} then {} fi", self.test(*test), self.block(body)),
            Statement::While(test, body) => {
                format!("while {} do {} od", self.test(*test), self.block(body))
            }
            Statement::Repeat(body) => format!("repeat {} forever", self.block(body)),
            Statement::Group(body) => format!("({})", self.block(body)),
            Statement::Swap(..) | Statement::Choose(..) if self == Spelling::Maude => {
                panic!("Maude is not told of this statement")
            }
            Statement::Swap(left, right) => {
                let (left, right) = (VARIABLES[*left], VARIABLES[*right]);
                format!("{left}, {right} := {right}, {left}")
            }
            Statement::Choose(branches, otherwise) => {
                let branch = |(test, body): &(Test, Block)| {
                    format!("await {}; {}", self.test(*test), self.block(body))
                };
                let branches: Vec<String> = branches.iter().map(branch).collect();
                let otherwise = otherwise.as_ref().map(|body| format!(" else {}", self.block(body)));
                format!("choose {}{} end", branches.join(" | "), otherwise.unwrap_or_default())
            }
        }
    }

    fn test(self, (left, right): Test) -> String {
        let equal = if self == Spelling::Selvedge { "=" } else { "===" };
        format!("{} {equal} {}", self.value(left), self.value(right))
    }

    fn value(self, value: Value) -> String {
        match (self, value) {
            (_, Value::Null) => "null".to_owned(),
            (_, Value::Number(number)) => number.to_string(),
            (Spelling::Selvedge, Value::Variable(variable)) => VARIABLES[variable].to_owned(),
            (Spelling::Maude, Value::Variable(variable)) => format!("'{}", VARIABLES[variable]),
        }
    }
}
