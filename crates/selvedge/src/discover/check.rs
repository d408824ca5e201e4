//! The check of a law, as text or built in code, with as many values as wanted.
//!
//! Rows are assignments of values to the law's variables, each with a seed: all of them, or some that are
//! drawn. Both sides are explored for each row, without interference and under each, and a ground term that
//! occurs in several rows once. The first row that refutes the law is told with a run, which is saved as
//! failures of tests are.
//!
//! Promise: a law holds only if every exploration was complete.

use super::behaviour::{Experiment, Explored, Failure, Seen, behaviour, explore, explorer};
use super::engine::{Engine, GroundId, odometer};
use super::judge::condition::{Comparison, with_variable};
use super::law::{Evidence, Law};
use super::limits::Limits;
use super::signature::{Datum, Signature, Value, Vocabulary};
use super::term::Effect;
use super::term::ground::{ValueId, world_of};
use super::term::named::{Relation, Statement, Term};
use super::term::resolve::{Resolver, Variables};
use crate::explorer::{TestName, failure_message_of_kind};
use selvedge_explore::Trace;
use std::collections::{BTreeSet, HashMap};
use std::fmt::{self, Debug, Write};
use std::sync::Arc;

/// What is checked: a text, a statement that was built, or a law that was discovered.
pub trait IntoStatement {
    /// The statement.
    ///
    /// # Errors
    /// The message, if the text is not a law.
    fn into_statement(self) -> Result<Statement, String>;
}

impl IntoStatement for &str {
    fn into_statement(self) -> Result<Statement, String> {
        self.parse().map_err(|error: super::ParseError| error.to_string())
    }
}

impl IntoStatement for Statement {
    fn into_statement(self) -> Result<Statement, String> {
        Ok(self)
    }
}

impl IntoStatement for &Statement {
    fn into_statement(self) -> Result<Statement, String> {
        Ok(self.clone())
    }
}

impl IntoStatement for &Law {
    fn into_statement(self) -> Result<Statement, String> {
        Ok(self.statement.clone())
    }
}

/// One behaviour of a term: how it failed, if it did, and what was observed then.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Behaviour<O> {
    /// What is observed at the end of the term. A run that was stopped is not observed.
    pub observation: Option<O>,
    /// How the term failed; `None` if it returned.
    pub failure: Option<Failure>,
}

/// The result of a check.
#[derive(Clone, Debug)]
pub struct CheckedLaw {
    /// What was checked.
    pub statement: Statement,
    /// Why it does not hold, if it does not.
    pub counterexample: Option<Counterexample>,
    /// What the verdict rests on.
    pub evidence: Evidence,
    /// Whether the sides differ somewhere.
    pub is_strict: bool,
}

/// Why a law does not hold.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The seed.
    pub seed: String,
    /// The variables with their values.
    pub assignment: Vec<(String, String)>,
    /// The interference, or `alone`.
    pub interference: String,
    /// The behaviours of the left side.
    pub left: Vec<String>,
    /// The behaviours of the right side.
    pub right: Vec<String>,
    /// A run with a behaviour that the other side does not have.
    pub run: Trace,
    /// All of this as text. The run is saved, and the text says where.
    pub message: String,
}

impl CheckedLaw {
    /// Whether the law holds: no row refutes it, all explorations were complete, and a strict refinement is
    /// strict somewhere.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.counterexample.is_none()
            && self.evidence.is_complete
            && (self.is_strict || self.statement.relation == Relation::Equal)
    }

    /// Panics unless the law holds.
    ///
    /// # Panics
    /// With the counterexample, told as failures of tests are.
    #[track_caller]
    pub fn assert(&self) {
        assert!(self.holds(), "{self}");
    }
}

impl fmt::Display for CheckedLaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Evidence { seeds, assignments, explorations, runs, is_complete, .. } = self.evidence;
        let extent = format!("{seeds} seeds, {assignments} rows, {explorations} explorations, {runs} runs");
        match &self.counterexample {
            Some(counterexample) => f.write_str(&counterexample.message),
            None if !is_complete => write!(
                f,
                "no difference seen: {}\n  an exploration was cut short, so nothing is known ({extent})",
                self.statement
            ),
            None if self.holds() => write!(f, "holds: {}\n  {extent}", self.statement),
            None => {
                let equal = Statement { relation: Relation::Equal, ..self.statement.clone() };
                write!(
                    f,
                    "error[law::equal]: the sides are equal\n  {}\n  {extent}\n  = help: {equal}",
                    self.statement
                )
            }
        }
    }
}

impl<S, X, O> Signature<S, X, O>
where
    S: Send + Sync + 'static,
    X: Value,
    O: Ord + Clone + Debug + Send + Sync + 'static,
{
    /// Checks a law, with the values that discovery uses: [`Signature::check_within`].
    ///
    /// # Panics
    /// As [`Signature::check_within`].
    #[must_use]
    pub fn check(&self, law: impl IntoStatement) -> CheckedLaw {
        self.check_within(law, &Limits::default())
    }

    /// Checks a law: for all values of its variables and all seeds within the limits, without interference
    /// and under each, or under those that the law names in brackets: `[put 42] take === read >> take`.
    ///
    /// # Panics
    /// If the text is not a law of the signature.
    #[must_use]
    pub fn check_within(&self, law: impl IntoStatement, limits: &Limits) -> CheckedLaw {
        let statement = law.into_statement().unwrap_or_else(|error| panic!("{error}"));
        let engine = self.engine(limits.clone());
        let claim = Claim::new(&engine.vocabulary, &statement);
        let claim = claim.unwrap_or_else(|error| panic!("error[law::name]: {error}\n  | {statement}"));
        Check { engine, claim, statement, cells: HashMap::new(), evidence: Evidence::default() }.check()
    }

    /// The behaviours of a term with values of its variables, for a seed, beside an interference by its
    /// name (`alone` for none).
    ///
    /// # Panics
    /// If the text is not a term of the signature, or the interference is unknown, or the exploration is
    /// not complete within the limits.
    #[must_use]
    pub fn behaviours(
        &self,
        term: &str,
        seed: &X,
        interference: &str,
        limits: &Limits,
    ) -> BTreeSet<Behaviour<O>> {
        let mut engine = self.engine(limits.clone());
        let vocabulary = engine.vocabulary.clone();
        let number = vocabulary.interferences.iter().position(|name| name == interference);
        let interference =
            number.unwrap_or_else(|| panic!("selvedge: no interference is called `{interference}`"));
        let parsed: Term = term.parse().unwrap_or_else(|error| panic!("{error}"));
        let mut resolver = Resolver::new(&vocabulary, 0);
        let effect =
            resolver.term(&parsed).unwrap_or_else(|error| panic!("error[law::name]: {error}\n  | {term}"));
        assert!(
            resolver.variables.names.is_empty(),
            "selvedge: `{term}` has variables; give them values by constants"
        );
        let ground = engine.ground(&effect, &[]);
        let experiment = experiment(&engine, ground, Datum::new(seed.clone()), interference);
        let explored = explore(&*engine.worlds[0], &experiment, explorer(limits, &engine.name));
        assert!(
            explored.is_complete,
            "selvedge: the behaviours of `{term}` are not known: more runs than the limit"
        );
        let typed = |seen: &Seen| Behaviour {
            observation: seen.observation.as_ref().map(|observation| observation.get::<O>().clone()),
            failure: seen.failure.clone(),
        };
        explored.seen.iter().map(typed).collect()
    }
}

fn experiment(engine: &Engine, ground: GroundId, seed: Datum, interference: usize) -> Experiment {
    Experiment {
        vocabulary: engine.vocabulary.clone(),
        program: Arc::new(engine.program(ground)),
        seed,
        interference,
        wants_result: engine.limits.compares_results,
        wants_state: false,
    }
}

/// A statement with its names resolved.
struct Claim {
    sides: [Effect; 2],
    variables: Variables,
    conditions: Vec<ClaimCondition>,
    /// The interferences under which it is said to hold, by number.
    interferences: Vec<usize>,
}

/// A condition on an assignment or a seed.
enum ClaimCondition {
    Values(usize, Comparison, Datum),
    Pair(usize, Comparison, usize),
    Predicate(usize, usize),
    Seed(usize),
}

impl Claim {
    fn new(vocabulary: &Vocabulary, statement: &Statement) -> Result<Claim, String> {
        let mut resolver = Resolver::new(vocabulary, 0);
        let sides = [resolver.term(&statement.left)?, resolver.term(&statement.right)?];
        let variables = resolver.variables;
        let mut interferences = vec![0];
        for (number, name) in vocabulary.interferences.iter().enumerate().skip(1) {
            if statement.under.is_empty() || statement.under.contains(name) {
                interferences.push(number);
            }
        }
        for name in &statement.under {
            if !vocabulary.interferences.contains(name) {
                return Err(format!("no interference is called `{name}`"));
            }
        }
        let condition = |text: &String| ClaimCondition::new(vocabulary, &variables, text);
        let conditions = statement.when.iter().map(condition).collect::<Result<_, _>>()?;
        Ok(Claim { sides, variables, conditions, interferences })
    }
}

impl ClaimCondition {
    fn new(vocabulary: &Vocabulary, variables: &Variables, text: &str) -> Result<ClaimCondition, String> {
        if let Some(seed) = vocabulary.seed_predicates.iter().position(|predicate| predicate.text == text) {
            return Ok(ClaimCondition::Seed(seed));
        }
        for (number, predicate) in vocabulary.predicates.iter().enumerate() {
            let named = &predicate.named;
            for (variable, (name, of)) in variables.names.iter().zip(&variables.types).enumerate() {
                if *of == predicate.of && with_variable(&named.text, named.variable, name) == text {
                    return Ok(ClaimCondition::Predicate(variable, number));
                }
            }
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        let unknown =
            || format!("`{text}` is not a condition: write `x >= 0`, `x < x1`, or one of the signature");
        let [left, sign, right] = words[..] else { return Err(unknown()) };
        let find = |name: &str| variables.names.iter().position(|known| known == name);
        let comparison = Comparison::of_sign(sign).ok_or_else(unknown)?;
        let variable = find(left).ok_or_else(|| format!("the law has no variable `{left}`"))?;
        if let Some(other) = find(right) {
            return Ok(ClaimCondition::Pair(variable, comparison, other));
        }
        let of = variables.types[variable];
        let constant =
            vocabulary.constants.iter().find(|constant| constant.name == right && constant.of == of);
        if let Some(constant) = constant {
            return Ok(ClaimCondition::Values(variable, comparison, constant.value.clone()));
        }
        // A value as it is shown, of those that are tried.
        let of = &vocabulary.types[usize::from(of)];
        let shown = (of.values)(SHOWN_VALUES).into_iter().find(|value| format!("{value:?}") == right);
        let value = shown.ok_or_else(|| format!("no constant of type `{}` is called `{right}`", of.name))?;
        Ok(ClaimCondition::Values(variable, comparison, value))
    }

    fn holds(&self, engine: &Engine, row: &Row) -> bool {
        let value = |variable: usize| engine.values.get(row.assignment[variable]);
        match self {
            ClaimCondition::Values(variable, comparison, constant) => {
                comparison.holds(value(*variable), constant)
            }
            ClaimCondition::Pair(one, comparison, other) => comparison.holds(value(*one), value(*other)),
            ClaimCondition::Predicate(variable, number) => {
                (engine.vocabulary.predicates[*number].named.holds)(value(*variable))
            }
            ClaimCondition::Seed(number) => {
                (engine.vocabulary.seed_predicates[*number].holds)(&engine.seeds[row.seed])
            }
        }
    }
}

/// A constant in a condition is looked for among so many values of its type.
const SHOWN_VALUES: usize = 100;

/// Values of the variables, and a seed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    assignment: Vec<ValueId>,
    seed: usize,
}

/// A ground term for a seed beside an interference.
type Cell = (GroundId, usize, usize);

/// So many rows are explored at a time.
const BATCH: usize = 256;

/// A check in progress.
struct Check {
    engine: Engine,
    claim: Claim,
    statement: Statement,
    /// What is explored.
    cells: HashMap<Cell, Arc<Explored>>,
    evidence: Evidence,
}

impl Check {
    fn check(mut self) -> CheckedLaw {
        let rows = self.rows();
        self.evidence = Evidence { assignments: rows.len(), is_complete: !rows.is_empty(), ..self.evidence };
        self.evidence.seeds = rows.iter().map(|row| row.seed).collect::<BTreeSet<_>>().len();
        let mut is_strict = false;
        for batch in rows.chunks(BATCH) {
            self.explore(batch);
            for row in batch {
                for interference in self.claim.interferences.clone() {
                    let [left, right] =
                        self.cells_of(row, interference).map(|cell| self.cells[&cell].clone());
                    is_strict |= left.seen != right.seen;
                    let lacks = |one: &Explored, other: &Explored| {
                        let lacking = one.seen.iter().find(|seen| !other.seen.contains(seen));
                        lacking.filter(|_| other.is_complete).cloned()
                    };
                    let relation = self.statement.relation;
                    let extra_left = lacks(&left, &right).filter(|_| relation != Relation::Refined);
                    let extra_right = lacks(&right, &left).filter(|_| relation != Relation::Refines);
                    let extra = extra_left.map(|seen| (0, seen)).or(extra_right.map(|seen| (1, seen)));
                    if let Some((side, seen)) = extra {
                        let counterexample = Some(self.counterexample(row, interference, side, &seen));
                        let (statement, evidence) = (self.statement, self.evidence);
                        return CheckedLaw { statement, counterexample, evidence, is_strict };
                    }
                }
            }
            // Ground terms of later rows are others for the most part.
            self.cells.clear();
        }
        let (statement, evidence) = (self.statement, self.evidence);
        CheckedLaw { statement, counterexample: None, evidence, is_strict }
    }

    /// The rows that satisfy the conditions: all of them, or some that are drawn.
    fn rows(&self) -> Vec<Row> {
        let Check { engine, claim, .. } = self;
        let sizes: Vec<usize> = claim.variables.types.iter().map(|of| engine.domain_size(*of)).collect();
        let sizes = [&sizes[..], &[engine.seeds.len()]].concat();
        let row = |places: &[usize]| {
            let values = places.iter().zip(&claim.variables.types);
            let assignment = values.map(|(place, of)| engine.domains[usize::from(*of)][*place]).collect();
            Row { assignment, seed: *places.last().expect("there is a seed") }
        };
        let is_wanted = |row: &Row| claim.conditions.iter().all(|condition| condition.holds(engine, row));
        let total = sizes.iter().copied().fold(1, usize::saturating_mul);
        match engine.limits.sample {
            Some((wanted, seed)) if wanted < total => {
                let (mut drawn, mut random) = (BTreeSet::new(), SplitMix(seed));
                // Conditions may admit few rows: there is an end to drawing.
                for _ in 0..wanted.saturating_mul(20) {
                    let places: Vec<usize> = sizes.iter().map(|size| random.below(*size)).collect();
                    drawn.extend(Some(row(&places)).filter(&is_wanted));
                    if drawn.len() >= wanted {
                        break;
                    }
                }
                drawn.into_iter().collect()
            }
            _ => {
                let mut rows = Vec::new();
                odometer(&sizes, |places| rows.extend(Some(row(places)).filter(&is_wanted)));
                rows
            }
        }
    }

    /// The cells of both sides.
    fn cells_of(&mut self, row: &Row, interference: usize) -> [Cell; 2] {
        let sides = self.claim.sides.clone();
        sides.map(|side| (self.engine.ground(&side, &row.assignment), row.seed, interference))
    }

    /// Explores the cells of these rows that are not known.
    fn explore(&mut self, rows: &[Row]) {
        let mut wanted = BTreeSet::new();
        for row in rows {
            for interference in self.claim.interferences.clone() {
                wanted.extend(self.cells_of(row, interference));
            }
        }
        let engine = &self.engine;
        let experiments = wanted.iter().map(|(ground, seed, interference)| {
            experiment(engine, *ground, engine.seeds[*seed].clone(), *interference)
        });
        let experiments: Vec<Experiment> = experiments.collect();
        let worlds =
            wanted.iter().map(|(ground, ..)| world_of(engine.grounds.get(*ground), &engine.vocabulary));
        let worlds: Vec<usize> = worlds.collect();
        let explored = engine.explore_all(&experiments.iter().zip(worlds).collect::<Vec<_>>());
        for (cell, explored) in wanted.into_iter().zip(explored) {
            self.evidence.explorations += 1;
            self.evidence.runs += explored.runs;
            self.evidence.unobserved += explored.unobserved;
            self.evidence.is_complete &= explored.is_complete;
            self.cells.insert(cell, Arc::new(explored));
        }
    }

    /// The row that refutes the law, with a run of the side that has the behaviour and the message.
    fn counterexample(&mut self, row: &Row, interference: usize, side: usize, seen: &Seen) -> Counterexample {
        let cells = self.cells_of(row, interference);
        let [left, right] = cells.map(|cell| {
            let explored = &self.cells[&cell];
            explored.seen.iter().map(Seen::to_string).collect::<Vec<_>>()
        });
        let engine = &self.engine;
        let names = self.claim.variables.names.iter().cloned();
        let values = row.assignment.iter().map(|value| format!("{:?}", engine.values.get(*value)));
        let assignment: Vec<(String, String)> = names.zip(values).collect();
        let seed = format!("{:?}", engine.seeds[row.seed]);
        let interference_name = engine.vocabulary.interferences[interference].clone();
        let ground = cells[side].0;
        let name = TestName::of_current_thread();
        let experiment = experiment(engine, ground, engine.seeds[row.seed].clone(), interference);
        let world = &engine.worlds[world_of(engine.grounds.get(ground), &engine.vocabulary)];
        let report = explorer(&engine.limits, &name).simplify(true).explore(|| world.run(&experiment));
        let outcomes = report.outcomes();
        // A replay makes the recorded run only.
        let shown = outcomes.keys().find(|outcome| behaviour(outcome).as_ref() == Some(seen));
        let shown = shown.or(outcomes.keys().next()).cloned().expect("an exploration has a run");
        let mut sentence = format!("the law does not hold: {}\n", self.statement);
        let _ = write!(sentence, "  seed {seed}");
        assignment.iter().for_each(|(name, value)| _ = write!(sentence, ", {name} = {value}"));
        let _ = writeln!(sentence, ", {}", if interference == 0 { "alone" } else { &interference_name });
        for (term, seen) in [(&self.statement.left, &left), (&self.statement.right, &right)] {
            let _ = writeln!(sentence, "    {term}: {}", seen.join(", "));
        }
        let term = if side == 0 { &self.statement.left } else { &self.statement.right };
        let _ = write!(sentence, "  a run of `{term}` that ends with {seen}:");
        let message = failure_message_of_kind(&report, &shown, &name, ("law", &sentence));
        let run = outcomes[&shown].clone();
        Counterexample { seed, assignment, interference: interference_name, left, right, run, message }
    }
}

/// Random numbers (Steele, Lea and Flood, 2014).
struct SplitMix(u64);

impl SplitMix {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ mixed >> 31) % bound as u64) as usize
    }
}
