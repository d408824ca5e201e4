//! Discovery, naively: all terms, all pairs, no reduction. Arguments and results are integers.

use crate::consequences::{Consequences, Domains, assignments, ground, variables};
use selvedge::discover::{Laws, NamedArgument, Relation, Statement, Term};
use selvedge::{Explorer, MemoryModel, Outcome, Strategy, contained_then, thread};
use std::collections::{BTreeSet, HashMap};
use std::fmt::Debug;
use std::sync::Arc;

/// An operation. Its result is `None` if later operations cannot use it.
pub(crate) struct Op<S> {
    pub(crate) name: &'static str,
    pub(crate) arity: usize,
    pub(crate) is_foreground: bool,
    pub(crate) returns_integer: bool,
    pub(crate) call: Call<S>,
}

/// What an operation does.
pub(crate) type Call<S> = Arc<dyn Fn(&S, &[i64]) -> Option<i64> + Send + Sync>;

/// What another thread does.
pub(crate) type Interference<S, X> = Arc<dyn Fn(&S, &X) + Send + Sync>;

/// A signature.
pub(crate) struct Reference<S, X, O> {
    pub(crate) make: Arc<dyn Fn(&X) -> S + Send + Sync>,
    pub(crate) observe: Arc<dyn Fn(&S) -> O + Send + Sync>,
    pub(crate) ops: Arc<Vec<Op<S>>>,
    pub(crate) interferences: Vec<Interference<S, X>>,
    pub(crate) is_parallel: bool,
    pub(crate) seeds: Vec<X>,
    pub(crate) values: usize,
}

/// What is observed, and how the term failed.
pub(crate) type Seen<O> = (Option<O>, Option<String>);

/// The behaviours for each interference (none first) and each seed.
type Row<O> = Vec<BTreeSet<Seen<O>>>;

impl<S, X, O> Reference<S, X, O>
where
    S: Send + Sync + 'static,
    X: Clone + Send + Sync + 'static,
    O: Ord + Clone + Debug + Send + Sync + 'static,
{
    /// The behaviours of a ground term; interference 0 is none. `None` if there are more runs than this.
    pub(crate) fn behaviours(
        &self,
        term: &Term,
        seed: &X,
        interference: usize,
        strategy: Strategy,
        max_runs: u64,
    ) -> Option<BTreeSet<Seen<O>>> {
        let explorer = Explorer::new().memory(MemoryModel::Tso).strategy(strategy).max_executions(max_runs);
        let report = explorer.progress(false).simplify(false).explore(|| {
            let state = Arc::new((self.make)(seed));
            let part = || {
                if interference > 0 {
                    let (work, state) = (self.interferences[interference - 1].clone(), state.clone());
                    let seed = seed.clone();
                    thread::spawn(move || work(&state, &seed));
                }
                run(&self.ops, &state, term, &mut Vec::new());
            };
            contained_then(part, |outcome| {
                let failure = match outcome {
                    Outcome::Returned(()) => None,
                    Outcome::Deadlock => Some("deadlock".to_owned()),
                    Outcome::Panicked(message) => Some(format!("panicked: {message}")),
                    other => panic!("the cases have no {other:?}"),
                };
                (Some((self.observe)(&state)), failure)
            })
        });
        let seen = |outcome: &Outcome<Seen<O>>| match outcome {
            Outcome::Returned(seen) => Some(seen.clone()),
            // It could not be observed.
            Outcome::Deadlock | Outcome::Panicked(_) => None,
            other => panic!("the cases have no {other:?}"),
        };
        report.is_complete().then(|| report.outcomes().keys().filter_map(seen).collect())
    }

    fn row(&self, term: &Term) -> Row<O> {
        let cells = (0..=self.interferences.len())
            .flat_map(|number| self.seeds.iter().map(move |seed| (number, seed)));
        let explored =
            cells.map(|(number, seed)| self.behaviours(term, seed, number, Strategy::systematic(), u64::MAX));
        explored.map(|set| set.expect("there is no limit of runs")).collect()
    }

    /// Panics if a law between two terms up to this size does not follow from the reported ones.
    /// Returns how many laws there are.
    pub(crate) fn assert_all_follow(&self, laws: &Laws, size: usize) -> usize {
        let domains = Domains::of(self.values);
        let reported = Consequences::of(laws, &domains);
        let terms: Vec<Term> = (1..=size).flat_map(|size| self.terms(size)).collect();
        let mut judge = Judge { reference: self, domains, rows: HashMap::new() };
        let terms: Vec<Term> = terms.into_iter().filter(|term| judge.is_reported_on(term)).collect();
        let mut count = 0;
        for (place, left) in terms.iter().enumerate() {
            for right in &terms[place..] {
                for right in common_names(left, right, &judge.domains) {
                    let Some(law) = judge.law(left, &right) else { continue };
                    count += 1;
                    assert!(reported.has(&law), "{law} does not follow from\n{laws}");
                }
            }
        }
        count
    }

    /// All terms of the size, with all names of their variables.
    fn terms(&self, size: usize) -> Vec<Term> {
        self.schemas(size).iter().flat_map(named).collect()
    }

    /// All terms of the size whose variables are holes.
    fn schemas(&self, size: usize) -> Vec<Term> {
        let hole = || NamedArgument::Name(HOLE.to_owned());
        let calls = self.ops.iter().filter(|op| 2 + op.arity == size);
        let mut all: Vec<Term> =
            calls.map(|op| Term::Call(op.name.to_owned(), vec![hole(); op.arity])).collect();
        for of_first in 1..size.saturating_sub(1) {
            for first in self.schemas(of_first) {
                for second in self.schemas(size - 1 - of_first) {
                    all.push(Term::Then(first.clone().into(), second.clone().into()));
                    if self.is_parallel {
                        all.push(Term::Beside(first.clone().into(), second.clone().into()));
                    }
                    if self.returns_integer(&first) {
                        all.extend(bound(&second, size).into_iter().map(|(variable, second)| {
                            Term::Bind(first.clone().into(), variable, second.into())
                        }));
                    }
                }
            }
        }
        all
    }

    fn op(&self, name: &str) -> &Op<S> {
        self.ops.iter().find(|op| op.name == name).expect("the operation is known")
    }

    fn returns_integer(&self, term: &Term) -> bool {
        match term {
            Term::Call(name, _) => self.op(name).returns_integer,
            Term::Then(_, second) | Term::Bind(_, _, second) => self.returns_integer(second),
            Term::Beside(..) => false,
        }
    }

    fn has_foreground(&self, term: &Term) -> bool {
        match term {
            Term::Call(name, _) => self.op(name).is_foreground,
            Term::Then(first, second) | Term::Bind(first, _, second) | Term::Beside(first, second) => {
                self.has_foreground(first) || self.has_foreground(second)
            }
        }
    }
}

/// Runs a ground term.
fn run<S: Send + Sync + 'static>(
    ops: &Arc<Vec<Op<S>>>,
    state: &Arc<S>,
    term: &Term,
    bound: &mut Vec<i64>,
) -> Option<i64> {
    match term {
        Term::Call(name, arguments) => {
            let op = ops.iter().find(|op| op.name == name).expect("the operation is known");
            let value = |argument: &NamedArgument| match argument {
                NamedArgument::Name(name) => match name.strip_prefix("bound") {
                    Some(depth) => bound[depth.parse::<usize>().unwrap()],
                    None => name.parse().unwrap(),
                },
                NamedArgument::Apply(..) => panic!("there are no pure functions"),
            };
            (op.call)(state, &arguments.iter().map(value).collect::<Vec<i64>>())
        }
        Term::Then(first, second) => {
            run(ops, state, first, bound);
            run(ops, state, second, bound)
        }
        Term::Bind(first, _, second) => {
            let value = run(ops, state, first, bound).expect("the first returns an integer");
            bound.push(value);
            let result = run(ops, state, second, bound);
            bound.pop();
            result
        }
        Term::Beside(left, right) => {
            let (ops_there, state_there, left) = (ops.clone(), state.clone(), left.clone());
            let mut bound_there = bound.clone();
            let other = thread::spawn(move || {
                run(&ops_there, &state_there, &left, &mut bound_there);
            });
            run(ops, state, right, bound);
            other.join().unwrap();
            None
        }
    }
}

/// What stands for a variable that has no name yet.
const HOLE: &str = "?";

/// The arguments that are holes get these names, from left to right.
fn filled(term: &Term, names: &mut impl Iterator<Item = String>) -> Term {
    match term {
        Term::Call(op, arguments) => {
            let name = |argument: &NamedArgument| match argument {
                NamedArgument::Name(name) if name == HOLE => {
                    NamedArgument::Name(names.next().expect("a name"))
                }
                other => other.clone(),
            };
            Term::Call(op.clone(), arguments.iter().map(name).collect())
        }
        Term::Then(first, second) => {
            let first = filled(first, names);
            Term::Then(first.into(), filled(second, names).into())
        }
        Term::Bind(first, variable, second) => {
            let first = filled(first, names);
            Term::Bind(first.into(), variable.clone(), filled(second, names).into())
        }
        Term::Beside(left, right) => {
            let left = filled(left, names);
            Term::Beside(left.into(), filled(right, names).into())
        }
    }
}

fn holes(term: &Term) -> usize {
    match term {
        Term::Call(_, arguments) => {
            arguments.iter().filter(|argument| **argument == NamedArgument::Name(HOLE.to_owned())).count()
        }
        Term::Then(first, second) | Term::Bind(first, _, second) | Term::Beside(first, second) => {
            holes(first) + holes(second)
        }
    }
}

/// The term with a new variable in the place of some holes, at least one. The size makes the variable new.
fn bound(term: &Term, size: usize) -> Vec<(String, Term)> {
    let (variable, count) = (format!("y{size}"), holes(term));
    let chosen = |bits: u32| {
        let name = |hole: usize| if bits >> hole & 1 == 1 { variable.clone() } else { HOLE.to_owned() };
        (variable.clone(), filled(term, &mut (0..count).map(name)))
    };
    (1..1 << count).map(chosen).collect()
}

/// The name of a variable.
fn variable(number: usize) -> String {
    if number == 0 { "x".to_owned() } else { format!("x{number}") }
}

/// The term with names in the place of holes, in all ways.
fn named(schema: &Term) -> Vec<Term> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..holes(schema) {
        let extend = |numbers: &Vec<usize>| {
            let fresh = numbers.iter().max().map_or(0, |greatest| greatest + 1);
            (0..=fresh).map(|number| [&numbers[..], &[number]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(extend).collect();
    }
    all.iter().map(|numbers| filled(schema, &mut numbers.iter().map(|number| variable(*number)))).collect()
}

/// The second term with some of its variables named as those of the first, and the others not, in all
/// ways.
fn common_names(first: &Term, second: &Term, domains: &Domains) -> Vec<Term> {
    let [taken, own] = [first, second].map(|term| {
        let mut names = BTreeSet::new();
        variables(term, domains, &mut Vec::new(), &mut names);
        names.into_iter().collect::<Vec<String>>()
    });
    let mut all: Vec<Vec<String>> = vec![Vec::new()];
    for number in 0..own.len() {
        let fresh = variable(100 + number);
        let extend = |names: &Vec<String>| {
            let free = taken.iter().filter(|name| !names.contains(name)).chain([&fresh]);
            free.map(|name| [&names[..], std::slice::from_ref(name)].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(extend).collect();
    }
    let renamed = |names: &Vec<String>| {
        let new = own.iter().cloned().zip(names.iter().cloned()).collect();
        // Bound variables have names that `ground` leaves alone.
        substituted(second, &new)
    };
    all.iter().map(renamed).collect()
}

fn substituted(term: &Term, names: &HashMap<String, String>) -> Term {
    match term {
        Term::Call(op, arguments) => {
            let name = |argument: &NamedArgument| match argument {
                NamedArgument::Name(name) => NamedArgument::Name(names.get(name).unwrap_or(name).clone()),
                other => other.clone(),
            };
            Term::Call(op.clone(), arguments.iter().map(name).collect())
        }
        Term::Then(first, second) => {
            Term::Then(substituted(first, names).into(), substituted(second, names).into())
        }
        Term::Bind(first, variable, second) => {
            Term::Bind(substituted(first, names).into(), variable.clone(), substituted(second, names).into())
        }
        Term::Beside(left, right) => {
            Term::Beside(substituted(left, names).into(), substituted(right, names).into())
        }
    }
}

/// Compares terms.
struct Judge<'r, S, X, O> {
    reference: &'r Reference<S, X, O>,
    domains: Domains,
    rows: HashMap<Term, Row<O>>,
}

impl<S, X, O> Judge<'_, S, X, O>
where
    S: Send + Sync + 'static,
    X: Clone + Send + Sync + 'static,
    O: Ord + Clone + Debug + Send + Sync + 'static,
{
    fn row(&mut self, ground: &Term) -> &Row<O> {
        let explore = || self.reference.row(ground);
        self.rows.entry(ground.clone()).or_insert_with(explore)
    }

    /// The law between two terms, if they are related for all values, seeds and interferences.
    fn law(&mut self, left: &Term, right: &Term) -> Option<Statement> {
        let (mut is_below, mut is_above) = (true, true);
        for (left, right) in self.grounds(left, right) {
            let (left, right) = (self.row(&left).clone(), self.row(&right));
            is_below &= left.iter().zip(right).all(|(left, right)| left.is_subset(right));
            is_above &= left.iter().zip(right).all(|(left, right)| right.is_subset(left));
            if !is_below && !is_above {
                return None;
            }
        }
        let relation = match (is_below, is_above) {
            (true, true) => Relation::Equal,
            (true, false) => Relation::Refines,
            _ => Relation::Refined,
        };
        Some(Statement::new(left.clone(), relation, right.clone()))
    }

    /// The ground terms of both, for each assignment.
    fn grounds(&self, left: &Term, right: &Term) -> Vec<(Term, Term)> {
        let mut names = BTreeSet::new();
        [left, right]
            .into_iter()
            .for_each(|term| variables(term, &self.domains, &mut Vec::new(), &mut names));
        let both = assignments(&names, &self.domains).into_iter();
        both.map(|assignment| (ground(left, &assignment), ground(right, &assignment))).collect()
    }

    /// Whether laws are about the term: it has a foreground operation, and does not always fail because
    /// an operation in it does.
    fn is_reported_on(&mut self, term: &Term) -> bool {
        if !self.reference.has_foreground(term) {
            return false;
        }
        let is_call = matches!(term, Term::Call(..));
        is_call || !self.always_fails(term) || !calls(term).iter().any(|call| self.always_fails(call))
    }

    fn always_fails(&mut self, term: &Term) -> bool {
        let grounds = self.grounds(term, term);
        grounds
            .iter()
            .all(|(ground, _)| self.row(ground).iter().flatten().all(|(_, failure)| failure.is_some()))
    }
}

/// The operations of a term, each with variables of its own in the place of bound ones.
fn calls(term: &Term) -> Vec<Term> {
    match term {
        Term::Call(name, arguments) => {
            let names = (0..arguments.len()).map(|number| NamedArgument::Name(variable(number)));
            vec![Term::Call(name.clone(), names.collect())]
        }
        Term::Then(first, second) | Term::Bind(first, _, second) | Term::Beside(first, second) => {
            [calls(first), calls(second)].concat()
        }
    }
}
