//! What follows from laws by instances and transitivity: the tests' own judgement.
//!
//! Each assignment of values to the variables of a law relates two ground terms. A law follows if, for
//! each of its own assignments, a chain of such relations leads from its left side to its right side:
//! of equivalences, or also of refinements in the direction of the law. Chains never enter a term,
//! since neither relation is a congruence. What a report says of terms that are not part of larger ones
//! does: neutral parts are left out, and a part that does the same as another one is replaced.

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

/// What a report says of a term on which nothing is reported, between that term and a smaller one.
const EXPLAINED: &str = ": explained by ";

type Assignment = BTreeMap<String, String>;

/// What a report says of a term that is not part of larger ones.
struct LeftOut {
    /// The term, with variables.
    pattern: Term,
    /// The term that does the same; `None` if it is neutral.
    same: Option<Term>,
}

impl LeftOut {
    /// `peek: neutral`, or `pop2: does the same as pop >> pop`.
    fn parse(text: &str) -> LeftOut {
        let term = |text: &str| text.parse().unwrap_or_else(|error| panic!("{error}"));
        let (pattern, reason) = text.split_once(": ").unwrap_or_else(|| panic!("{text}"));
        let same = reason.strip_prefix("does the same as ").map(term);
        assert!(same.is_some() || reason == "neutral", "{text}");
        LeftOut { pattern: term(pattern), same }
    }
}

/// The relations between ground terms that laws make.
pub(crate) struct Consequences {
    domains: Domains,
    left_out: Vec<LeftOut>,
    numbers: HashMap<Term, usize>,
    /// For each ground term, those that it refines or is equal to.
    above: Vec<Vec<usize>>,
}

impl Consequences {
    /// Those of no law.
    pub(crate) fn new(domains: &Domains) -> Consequences {
        Consequences {
            domains: domains.clone(),
            left_out: Vec::new(),
            numbers: HashMap::new(),
            above: Vec::new(),
        }
    }

    /// Those of all reported laws.
    pub(crate) fn of(laws: &Laws, domains: &Domains) -> Consequences {
        let mut all = Consequences::new(domains);
        // A term that a smaller one explains is equal to it.
        let (explained, parts): (Vec<&String>, Vec<&String>) =
            laws.left_out().iter().partition(|text| text.contains(EXPLAINED));
        all.left_out = parts.into_iter().map(|text| LeftOut::parse(text)).collect();
        for text in explained {
            let law = text.replacen(EXPLAINED, " === ", 1);
            all.add(&law.parse().unwrap_or_else(|error| panic!("{error}")));
        }
        laws.laws().iter().for_each(|law: &Law| all.add(&law.statement));
        all
    }

    /// Adds a law.
    pub(crate) fn add(&mut self, law: &Statement) {
        for (left, right) in instances(law, &self.domains) {
            let [left, right] = [left, right].map(|term| self.number(self.without_parts(&term)));
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
        let [lower, upper] = [lower, upper].map(|term| self.without_parts(term));
        if lower == upper {
            return true;
        }
        let (Some(lower), Some(upper)) = (self.numbers.get(&lower), self.numbers.get(&upper)) else {
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

impl Consequences {
    /// The ground term without neutral parts, and with others in the place of parts that do the same.
    fn without_parts(&self, term: &Term) -> Term {
        match term {
            Term::Call(..) => term.clone(),
            Term::Then(first, second) | Term::Beside(first, second) => {
                match (self.part(first), self.part(second)) {
                    (first, None) => first.unwrap_or_else(|| self.without_parts(second)),
                    (None, Some(second)) => second,
                    (Some(first), Some(second)) => match term {
                        Term::Then(..) => first.then(second),
                        _ if second < first => second.beside(first),
                        _ => first.beside(second),
                    },
                }
            }
            Term::Bind(first, variable, second) => match self.part(second) {
                None => self.without_parts(first),
                Some(second) if is_used(variable, &second) => {
                    let first = self.same(first).unwrap_or_else(|| self.without_parts(first));
                    Term::Bind(first.into(), variable.clone(), second.into())
                }
                Some(second) => match self.part(first) {
                    None => second,
                    Some(first) => first.then(second),
                },
            },
        }
    }

    /// A part of a larger term; `None` if it is neutral.
    fn part(&self, term: &Term) -> Option<Term> {
        let is_neutral = |rule: &LeftOut| rule.same.is_none() && self.matches(&rule.pattern, term).is_some();
        if self.left_out.iter().any(is_neutral) {
            return None;
        }
        Some(self.same(term).unwrap_or_else(|| self.without_parts(term)))
    }

    /// The term that does the same, if the term is left out for it.
    fn same(&self, term: &Term) -> Option<Term> {
        self.left_out.iter().find_map(|rule| {
            let same = rule.same.as_ref()?;
            let mut assignment = self.matches(&rule.pattern, term)?;
            // A variable that makes no difference may have any value.
            let mut names = BTreeSet::new();
            variables(same, &self.domains, &mut Vec::new(), &mut names);
            for name in names {
                let value = || self.domains.values(&name).expect("a variable has values")[0].clone();
                assignment.entry(name.clone()).or_insert_with(value);
            }
            Some(ground(same, &assignment))
        })
    }

    /// The values with which the pattern is the ground term.
    fn matches(&self, pattern: &Term, term: &Term) -> Option<Assignment> {
        let mut assignment = Assignment::new();
        self.matches_with(pattern, term, &mut assignment).then_some(assignment)
    }

    fn matches_with(&self, pattern: &Term, term: &Term, assignment: &mut Assignment) -> bool {
        match (pattern, term) {
            (Term::Call(name, arguments), Term::Call(other, values)) => {
                name == other
                    && arguments.iter().zip(values).all(|(argument, value)| match argument {
                        NamedArgument::Name(name) if self.domains.values(name).is_some() => {
                            *assignment.entry(name.clone()).or_insert_with(|| value.to_string())
                                == value.to_string()
                        }
                        argument => argument == value,
                    })
            }
            (Term::Then(one, two), Term::Then(first, second))
            | (Term::Beside(one, two), Term::Beside(first, second)) => {
                self.matches_with(one, first, assignment) && self.matches_with(two, second, assignment)
            }
            _ => false,
        }
    }
}

/// Whether the variable occurs.
fn is_used(variable: &str, term: &Term) -> bool {
    fn is_in(variable: &str, argument: &NamedArgument) -> bool {
        match argument {
            NamedArgument::Name(name) => name == variable,
            NamedArgument::Apply(_, arguments) => arguments.iter().any(|argument| is_in(variable, argument)),
        }
    }
    match term {
        Term::Call(_, arguments) => arguments.iter().any(|argument| is_in(variable, argument)),
        Term::Then(first, second) | Term::Bind(first, _, second) | Term::Beside(first, second) => {
            is_used(variable, first) || is_used(variable, second)
        }
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

/// The term with values in the place of variables, pure parts evaluated, bound variables numbered, and
/// the lesser side of `|||` on the left.
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

/// Whether a comparison of two integers, or of two options, holds.
fn holds(condition: &str, assignment: &Assignment) -> bool {
    let words: Vec<&str> = condition.split_whitespace().collect();
    let [left, sign, right] = words[..] else { panic!("the tests do not know the condition `{condition}`") };
    let value = |word: &str| -> Option<i64> {
        let text = assignment.get(word).map_or(word, |value| &**value);
        let number = text.strip_prefix("Some(").and_then(|text| text.strip_suffix(')')).unwrap_or(text);
        (number != "None").then(|| number.parse().expect("an integer"))
    };
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
