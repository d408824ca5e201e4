//! Random formulas about generated programs, and our verdict on them.

use super::generate::{Generated, Random, Statement, Test, VARIABLES, Value, selvedge_test};
use selvedge_lang::{Atom, GraphProgram, Program, SystemOptions};
use selvedge_ltl::syntax::Dialect;
use selvedge_ltl::{Alphabet, Binary, Formula, Unary};
use selvedge_model::{Fairness, Verdict};

/// A proposition about a state; processes are numbered from 1.
#[derive(Clone, Copy)]
pub(crate) enum Observation {
    /// The process moved last.
    Exec(usize),
    /// The process is about to execute this user statement.
    At(usize, &'static str),
    /// Two values are equal.
    Equal(Test),
}

/// The operators to choose from: all of them, or the stutter-invariant ones.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Operators {
    All,
    WithoutNext,
}

impl Observation {
    fn random(random: &mut Random, program: &Generated, operators: Operators) -> Observation {
        let process = 1 + random.index(program.processes.len());
        match random.below(6) {
            0 | 1 if operators == Operators::All => Observation::Exec(process),
            2 | 3 => Observation::At(process, ["u0", "u1", "l0", "l1"][random.index(4)]),
            _ => {
                let known: Vec<usize> =
                    (0..VARIABLES.len()).filter(|name| program.has_variable(*name)).collect();
                let right = match random.below(5) {
                    0 => Value::Null,
                    1 => Value::Variable(known[random.index(known.len())]),
                    number => Value::Number(number - 2),
                };
                Observation::Equal((Value::Variable(known[random.index(known.len())]), right))
            }
        }
    }

    /// In our spelling.
    pub(crate) fn selvedge(&self) -> String {
        match self {
            Observation::Exec(process) => format!("exec({process})"),
            Observation::At(process, name) => format!("at({process}, {name})"),
            Observation::Equal(test) => selvedge_test(*test),
        }
    }
}

impl Generated {
    /// Is the variable declared, or named by a statement?
    fn has_variable(&self, variable: usize) -> bool {
        let is_it = |value: Value| matches!(value, Value::Variable(name) if name == variable);
        let mut is_named = variable < self.initial.len();
        self.visit(&mut |statement| {
            is_named |= match statement {
                Statement::Assign(target, value) => *target == variable || is_it(*value),
                Statement::Await((left, right))
                | Statement::If((left, right), _)
                | Statement::While((left, right), _) => is_it(*left) || is_it(*right),
                _ => false,
            }
        });
        is_named
    }
}

/// A formula of at most this depth.
pub(crate) fn formula(
    random: &mut Random,
    program: &Generated,
    operators: Operators,
    depth: u64,
) -> Formula<Observation> {
    let smaller = |random: &mut Random| Box::new(formula(random, program, operators, depth - 1));
    if depth == 0 || (depth < 3 && random.below(5) == 0) {
        return Formula::Prop(Observation::random(random, program, operators));
    }
    let unary = [Unary::Not, Unary::Eventually, Unary::Always, Unary::Eventually, Unary::Always, Unary::Next];
    let binary = [
        Binary::And,
        Binary::Or,
        Binary::Implies,
        Binary::Until,
        Binary::Release,
        Binary::WeakUntil,
        Binary::Iff,
    ];
    if random.below(2) == 0 {
        let choices = if operators == Operators::All { unary.len() } else { unary.len() - 1 };
        Formula::Unary(unary[random.index(choices)], smaller(random))
    } else {
        let operator = binary[random.index(binary.len())];
        Formula::Binary(operator, smaller(random), smaller(random))
    }
}

/// Our verdict: does the formula hold of every run, or of every fair run?
#[track_caller]
pub(crate) fn holds(
    program: &GraphProgram,
    formula: &Formula<Observation>,
    exact: bool,
    fairness: Fairness,
) -> bool {
    let text = selvedge(formula);
    let formula = program.formula(&text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    let mut alphabet: Alphabet<Atom> = Alphabet::default();
    let numbered = alphabet.number(&formula).expect("few propositions");
    let system = program
        .system(alphabet.names(), SystemOptions { exact, ..SystemOptions::default() })
        .expect("a system");
    let options = selvedge_model::Options { fairness, ..Default::default() };
    match selvedge_model::check(&system, &numbered, options).expect("an automaton").verdict {
        Verdict::Holds => true,
        Verdict::Violated(_) => false,
        other => panic!("{text}: {other:?}"),
    }
}

/// The formula in our spelling, with every parenthesis.
pub(crate) fn selvedge(formula: &Formula<Observation>) -> String {
    formula.for_tool(Dialect::Spot, &Observation::selvedge).expect("only the future")
}
