//! Propositions about programs of the whole language, which the naive interpreter decides too, and formulas
//! of them.

use super::COLOURS;
use crate::common::generate::Random;
use crate::common::naive::ast::{Datum, Processes, Value, VariableRef};
use crate::common::naive::{Naive, Space};

/// A proposition; processes are numbers.
pub(crate) enum Proposition {
    Test(Value),
    Exec(usize),
    Enabled(usize),
    At(usize, &'static str),
    Deadlock,
    Ended,
}

impl Proposition {
    pub(crate) fn random(random: &mut Random, names: &[String]) -> Proposition {
        let process = random.index(names.len());
        let equal = |value, datum| Proposition::Test(Value::binary("=", value, Value::Constant(datum)));
        let number = Datum::Number(random.below(3) as i64);
        let element =
            VariableRef::element(["a", "ring"][random.index(2)], Value::number(random.below(2) as i64));
        match random.below(20) {
            0..=3 => equal(Value::variable(["x", "y"][random.index(2)]), number),
            4 => equal(Value::Of(VariableRef { name: "a".to_owned(), ..element }), number),
            5 => Proposition::Test(Value::Of(VariableRef {
                name: "ring".to_owned(),
                field: Some("on"),
                ..element
            })),
            6 => equal(Value::variable("k"), Datum::Name(COLOURS[random.index(3)])),
            7 => Proposition::Test(Value::variable(["f", "g"][random.index(2)])),
            8 | 9 => {
                let local = Value::variable(&format!("{}@{}", ["l", "m"][random.index(2)], names[process]));
                Proposition::Test(Value::binary([">", "="][random.index(2)], local, Value::number(1)))
            }
            10 => Proposition::Test(Value::Empty(Box::new((0, None)))),
            11 => Proposition::Test(Value::Full(Box::new((1, Some(Value::number(random.below(2) as i64)))))),
            12 => Proposition::Test(Value::Use("near", vec![Value::variable("x"), Value::variable("y")])),
            13 => {
                let half = Value::binary("/", Value::number(2), Value::variable("x"));
                Proposition::Test(Value::binary(">", half, Value::variable("y")))
            }
            14 => Proposition::Exec(process),
            15 => Proposition::Enabled(process),
            16 | 17 => Proposition::At(process, ["u0", "u1", "l0"][random.index(3)]),
            18 => Proposition::Deadlock,
            _ => Proposition::Ended,
        }
    }

    /// In our language.
    pub(crate) fn selvedge(&self, program: &Processes, names: &[String]) -> String {
        match self {
            Proposition::Test(test) => program.selvedge_value(test),
            Proposition::Exec(process) => format!("exec({})", names[*process]),
            Proposition::Enabled(process) => format!("enabled({})", names[*process]),
            Proposition::At(process, name) => format!("at({}, {name})", names[*process]),
            Proposition::Deadlock => "deadlock".to_owned(),
            Proposition::Ended => "ended".to_owned(),
        }
    }

    /// Does it hold in this state? `None` if evaluating it fails.
    pub(crate) fn holds(&self, naive: &Naive, space: &Space, number: usize) -> Option<bool> {
        let (state, steps) = (&space.states[number], &space.steps[number]);
        Some(match self {
            Proposition::Test(test) => return naive.test(state, test),
            Proposition::Exec(process) => state.movers().contains(process),
            Proposition::Enabled(process) => steps.iter().any(|(movers, _)| movers.contains(process)),
            Proposition::At(process, name) => naive.is_at(state, *process, name),
            Proposition::Deadlock => state.error().is_none() && steps.is_empty() && !naive.is_end(state),
            Proposition::Ended => naive.has_ended(state),
        })
    }
}

/// A formula of such propositions, of at most this depth; `X` is seldom.
pub(crate) fn whole_formula(
    random: &mut Random,
    program: &Processes,
    names: &[String],
    depth: u64,
) -> String {
    if depth == 0 {
        return Proposition::random(random, names).selvedge(program, names);
    }
    let mut inner = || {
        let less = 1 + random.below(depth);
        whole_formula(random, program, names, depth - less)
    };
    let (one, other) = (inner(), inner());
    match random.below(16) {
        0..=3 => format!("[] ({one})"),
        4..=7 => format!("<> ({one})"),
        8 => format!("~ ({one})"),
        9 => format!("X ({one})"),
        10 | 11 => format!("(({one}) U ({other}))"),
        12 | 13 => format!("(({one}) -> ({other}))"),
        14 => format!("(({one}) /\\ ({other}))"),
        _ => format!("(({one}) R ({other}))"),
    }
}
