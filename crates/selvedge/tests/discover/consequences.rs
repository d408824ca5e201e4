//! What follows from laws by instances and transitivity: the tests' own judgement.
//!
//! Each assignment of values to the variables of a law relates two ground terms. A law follows if, for each of its own
//! assignments, a chain of such relations leads from its left side to its right side: of equivalences, or also of
//! refinements in the direction of the law. Chains never enter a term, since neither relation is a congruence.

use selvedge::discover::{Law, Laws, NamedArgument, Relation, Statement, Term};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Values of variables, by the letters of their names: `x1` has those of `x`.
#[derive(Clone)]
pub(crate) struct Domains(Vec<(&'static str, Vec<String>)>);

impl Domains {
    /// So many integers (`x`), options (`m`) and naturals (`n`), as discovery enumerates them.
    pub(crate) fn of(count: usize) -> Domains {
        use selvedge::discover::first_values;
        let integers = first_values::<i64>(count).iter().map(i64::to_string).collect();
        let options = first_values::<Option<i64>>(count).iter().map(|m| format!("{m:?}")).collect();
        let naturals = first_values::<u32>(count).iter().map(u32::to_string).collect();
        Domains(vec![("x", integers), ("m", options), ("n", naturals)])
    }

    /// The values, if the name is that of a variable.
    fn values(&self, name: &str) -> Option<&[String]> {
        let letters = name.trim_end_matches(|char: char| char.is_ascii_digit());
        self.0.iter().find(|(variable, _)| *variable == letters).map(|(_, values)| &values[..])
    }
}

type Assignment = BTreeMap<String, String>;

/// The relations between ground terms that laws make.
pub(crate) struct Consequences {
    domains: Domains,
    numbers: HashMap<Term, usize>,
    /// For each ground term, those that it refines or is equal to.
    above: Vec<Vec<usize>>,
}

impl Consequences {
    /// Those of no law.
    pub(crate) fn new(domains: &Domains) -> Consequences {
        Consequences { domains: domains.clone(), numbers: HashMap::new(), above: Vec::new() }
    }

    /// Those of all reported laws.
    pub(crate) fn of(laws: &Laws, domains: &Domains) -> Consequences {
        let mut all = Consequences::new(domains);
        laws.laws().iter().for_each(|law: &Law| all.add(&law.statement));
        all
    }

    /// Adds a law.
    pub(crate) fn add(&mut self, law: &Statement) {
        for (left, right) in instances(law, &self.domains) {
            let [left, right] = [left, right].map(|term| self.number(term));
            if law.relation != Relation::Refined {
                self.above[left].push(right);
            }
            if law.relation != Relation::Refines {
                self.above[right].push(left);
            }
        }
    }

    fn number(&mut self, term: Term) -> usize {
        let next = self.numbers.len();
        let number = *self.numbers.entry(term).or_insert(next);
        if number == next {
            self.above.push(Vec::new());
        }
        number
    }

    /// Whether a law follows. That a refinement is strict somewhere is not looked at.
    pub(crate) fn has(&self, law: &Statement) -> bool {
        instances(law, &self.domains).iter().all(|(left, right)| match law.relation {
            Relation::Equal => self.is_below(left, right) && self.is_below(right, left),
            Relation::Refines => self.is_below(left, right),
            Relation::Refined => self.is_below(right, left),
        })
    }

    /// Whether a chain leads from the first ground term up to the second.
    pub(crate) fn is_below(&self, lower: &Term, upper: &Term) -> bool {
        if lower == upper {
            return true;
        }
        let (Some(lower), Some(upper)) = (self.numbers.get(lower), self.numbers.get(upper)) else {
            return false;
        };
        let (mut seen, mut open) = (HashSet::from([*lower]), vec![*lower]);
        while let Some(at) = open.pop() {
            if at == *upper {
                return true;
            }
            open.extend(self.above[at].iter().filter(|next| seen.insert(**next)));
        }
        false
    }
}

/// The ground terms of both sides, for each assignment that satisfies the law's conditions.
fn instances(law: &Statement, domains: &Domains) -> Vec<(Term, Term)> {
    let mut names = BTreeSet::new();
    [&law.left, &law.right]
        .into_iter()
        .for_each(|side| variables(side, domains, &mut Vec::new(), &mut names));
    let satisfies = |assignment: &Assignment| law.when.iter().all(|condition| holds(condition, assignment));
    let assignments = assignments(&names, domains).into_iter().filter(satisfies);
    assignments.map(|assignment| (ground(&law.left, &assignment), ground(&law.right, &assignment))).collect()
}

/// All assignments of values to the variables.
pub(crate) fn assignments(names: &BTreeSet<String>, domains: &Domains) -> Vec<Assignment> {
    let mut all = vec![Assignment::new()];
    for name in names {
        let values = domains.values(name).unwrap_or_else(|| panic!("`{name}` has values"));
        let with = |old: &Assignment, value: &String| {
            let mut new = old.clone();
            new.insert(name.clone(), value.clone());
            new
        };
        all = all.iter().flat_map(|old| values.iter().map(move |value| with(old, value))).collect();
    }
    all
}

/// The variables that are not bound.
pub(crate) fn variables(
    term: &Term,
    domains: &Domains,
    bound: &mut Vec<String>,
    names: &mut BTreeSet<String>,
) {
    match term {
        Term::Call(_, arguments) => {
            arguments.iter().for_each(|argument| argument_variables(argument, domains, bound, names));
        }
        Term::Then(first, second) | Term::Beside(first, second) => {
            variables(first, domains, bound, names);
            variables(second, domains, bound, names);
        }
        Term::Bind(first, variable, second) => {
            variables(first, domains, bound, names);
            bound.push(variable.clone());
            variables(second, domains, bound, names);
            bound.pop();
        }
    }
}

fn argument_variables(
    argument: &NamedArgument,
    domains: &Domains,
    bound: &[String],
    names: &mut BTreeSet<String>,
) {
    match argument {
        NamedArgument::Name(name) => {
            if domains.values(name).is_some() && !bound.contains(name) {
                names.insert(name.clone());
            }
        }
        NamedArgument::Apply(_, arguments) => {
            arguments.iter().for_each(|argument| argument_variables(argument, domains, bound, names));
        }
    }
}

/// The term with values in the place of variables, pure parts evaluated, bound variables numbered, and the lesser side
/// of `|||` on the left.
pub(crate) fn ground(term: &Term, assignment: &Assignment) -> Term {
    ground_within(term, assignment, &mut Vec::new())
}

fn ground_within(term: &Term, assignment: &Assignment, bound: &mut Vec<String>) -> Term {
    match term {
        Term::Call(name, arguments) => {
            let value = |argument| evaluated(argument, assignment, bound);
            Term::Call(name.clone(), arguments.iter().map(value).collect())
        }
        Term::Then(first, second) => {
            let first = ground_within(first, assignment, bound);
            Term::Then(first.into(), ground_within(second, assignment, bound).into())
        }
        Term::Bind(first, variable, second) => {
            let first = ground_within(first, assignment, bound);
            bound.push(variable.clone());
            let second = ground_within(second, assignment, bound);
            bound.pop();
            Term::Bind(first.into(), format!("bound{}", bound.len()), second.into())
        }
        Term::Beside(left, right) => {
            let [left, right] = [left, right].map(|side| ground_within(side, assignment, bound));
            let (left, right) = if right < left { (right, left) } else { (left, right) };
            Term::Beside(left.into(), right.into())
        }
    }
}

fn evaluated(argument: &NamedArgument, assignment: &Assignment, bound: &[String]) -> NamedArgument {
    match argument {
        NamedArgument::Name(name) => match bound.iter().rposition(|other| other == name) {
            Some(depth) => NamedArgument::Name(format!("bound{depth}")),
            None => NamedArgument::Name(assignment.get(name).unwrap_or(name).clone()),
        },
        NamedArgument::Apply(function, arguments) => {
            let arguments: Vec<NamedArgument> =
                arguments.iter().map(|argument| evaluated(argument, assignment, bound)).collect();
            match applied(function, &arguments) {
                Some(value) => NamedArgument::Name(value.to_string()),
                None => NamedArgument::Apply(function.clone(), arguments),
            }
        }
    }
}

/// The value of a function of integers; `None` if an argument is bound.
fn applied(function: &str, arguments: &[NamedArgument]) -> Option<i64> {
    let number = |argument: &NamedArgument| match argument {
        NamedArgument::Name(name) => name.parse::<i64>().ok(),
        NamedArgument::Apply(..) => None,
    };
    let values: Option<Vec<i64>> = arguments.iter().map(number).collect();
    Some(match (function, &values?[..]) {
        ("+", [a, b]) => a + b,
        ("-", [a, b]) => a - b,
        ("abs", [a]) => a.abs(),
        ("negate", [a]) => -a,
        _ => panic!("the tests do not know `{function}`"),
    })
}

/// Whether a comparison of two integers holds.
fn holds(condition: &str, assignment: &Assignment) -> bool {
    let words: Vec<&str> = condition.split_whitespace().collect();
    let [left, sign, right] = words[..] else { panic!("the tests do not know the condition `{condition}`") };
    let value = |word: &str| -> i64 { assignment.get(word).map_or(word, |value| &**value).parse().unwrap() };
    let (left, right) = (value(left), value(right));
    match sign {
        "==" => left == right,
        "!=" => left != right,
        "<" => left < right,
        "<=" => left <= right,
        ">" => left > right,
        ">=" => left >= right,
        _ => panic!("the tests do not know the condition `{condition}`"),
    }
}

#[test]
fn instances_and_chains_are_consequences() {
    let parse = |law: &str| law.parse::<Statement>().unwrap();
    let mut all = Consequences::new(&Domains::of(4));
    for law in [
        "x >= 0 ==> signal x === wait (0 - x)",
        "wait x ->- signal 0 ||| wait x",
        "signal 0 === wait 0 >> wait 0",
    ] {
        all.add(&parse(law));
    }
    for (law, follows) in [
        ("signal 1 === wait (0 - 1)", true),
        ("signal (1 + 1) === wait (0 - (1 + 1))", true),
        ("signal x === wait (0 - x)", false),
        ("x > 0 ==> wait (0 - x) === signal x", true),
        ("wait 0 === wait 0 >> wait 0", true),
        ("wait x === wait x ||| signal 0", false),
        ("wait x1 ->- wait x1 ||| signal 0", true),
        ("wait 0 ->- signal 0 ||| signal 0", false),
        ("wait 0 >> wait 0 ->- signal 0 ||| wait 0", true),
        ("wait 0 >> signal 0 ->- signal 0 ||| wait 0", false),
    ] {
        assert_eq!(all.has(&parse(law)), follows, "{law}");
    }
}
