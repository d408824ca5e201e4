//! Deadlocks, errors and any number of invariants in one breadth-first pass.
//!
//! An invariant is `G p` with p about single states. A pass that expands all states anyway decides any
//! number of them for the price of one label a state.
//!
//! Where labels leave propositions unknown, the pass keeps the first state that may be bad and the first
//! that is certainly bad; the latter decides.
//!
//! Promise: the path to every violation is a shortest one, and has been replayed; a pass that a limit
//! stopped never says [`Verdict::Holds`].

use super::{
    BreadthFirst, Budget, End, FailureGoal, FailureVisitor, Failures, Finding, Limit, Listener, Progress,
    Stats, Visitor, breadth_first, tell,
};
use crate::check::{CheckError, Report, Verdict};
use crate::checkpoint::{Malformed, Reader, Writer, begin, finish, read_stats, write_stats};
use crate::ltl::{CompiledProperty, Counterexample, Fairness, UnknownReading};
use crate::store::StateId;
use crate::system::{Steps, System, Word};
use crate::workers::ParallelVisitor;
use selvedge_ltl::{Cube, Formula, Letter, Prop};

/// The result of a pass.
#[derive(Clone, Debug)]
pub struct InvariantPass<A> {
    /// Deadlocks and errors, if the pass has a goal for them.
    pub failures: Option<Failures<A>>,
    /// For each formula its verdict; `None` where it is no invariant.
    pub reports: Vec<Option<Report<A>>>,
}

impl<A: Copy + Eq> InvariantPass<A> {
    /// The verdict on the only formula, an invariant.
    pub(crate) fn only_report(self) -> Report<A> {
        self.reports.into_iter().flatten().next().expect("the verdict on an invariant")
    }

    /// Replays all runs on the system itself, after a pass over a reduced system. Panics, saying what is
    /// wrong, if a run is not what the report says.
    pub fn replay<S: System<Action = A>>(&self, system: &S, formulas: &[Formula<Prop>]) {
        for (report, formula) in self.reports.iter().zip(formulas) {
            if let Some(Report { verdict: Verdict::Violated(run) | Verdict::MayBeViolated(run), .. }) = report
            {
                run.replay_violation(system, formula, Fairness::None);
            }
        }
        if let Some(failures) = &self.failures {
            failures.runs().for_each(|run| run.replay(system, Fairness::None));
        }
    }
}

/// Is the formula equivalent to an invariant `G p`, with p about single states, as far as simplification
/// shows?
pub fn is_invariant(formula: &Formula<Prop>) -> bool {
    CompiledProperty::new(formula).is_ok_and(|property| property.invariant.is_some())
}

/// Decides all of the formulas that are invariants, and searches for failures, in one pass.
///
/// Without a goal for failures the pass ends when every invariant is decided.
pub fn check_invariants<S: System>(
    system: &S,
    formulas: &[Formula<Prop>],
    goal: Option<FailureGoal>,
    budget: Budget<'_>,
) -> Result<InvariantPass<S::Action>, CheckError> {
    let properties = formulas.iter().map(CompiledProperty::new).collect::<Result<Vec<_>, _>>()?;
    let numbered = properties.iter().enumerate();
    let invariants = numbered.filter_map(|(index, property)| Some((index, property.invariant.as_deref()?)));
    let mut visitor = PassVisitor::new(invariants, goal, budget.found);
    if let Some(checkpoint) = budget.checkpoint {
        let kind = format!("pass {} {} {}", system.words(), properties.len(), budget.workers > 1);
        match begin(checkpoint, &kind, system) {
            Ok(None) => {}
            Ok(Some(stats)) => return Ok(empty_pass(&properties, goal, stats, None)),
            Err(limit) => return Ok(empty_pass(&properties, goal, Stats::default(), Some(limit))),
        }
    }
    let search = breadth_first(system, budget, &mut visitor);
    match (budget.checkpoint, search.end()) {
        (Some(checkpoint), End::Complete) if visitor.is_empty() => {
            finish(checkpoint, &search.stats(), system);
        }
        (Some(checkpoint), End::Limit(limit)) if limit != Limit::Language => checkpoint.stop(),
        _ => {}
    }
    let mut invariants = visitor.invariants.into_iter();
    let reports = formulas.iter().zip(&properties).map(|(formula, property)| {
        property.invariant.as_ref()?;
        let report = invariants.next()?.report(system, formula, &search);
        let automaton_states = property.negation.state_count();
        Some(Report { stats: Stats { automaton_states, ..report.stats }, ..report })
    });
    let reports = reports.collect();
    let failures = visitor.failure_visitor.map(|failure_visitor| failure_visitor.failures(system, &search));
    Ok(InvariantPass { failures, reports })
}

/// A pass that found nothing, before this limit if there is one.
fn empty_pass<A>(
    properties: &[CompiledProperty],
    goal: Option<FailureGoal>,
    stats: Stats,
    limit: Option<Limit>,
) -> InvariantPass<A> {
    let report = |property: &CompiledProperty| {
        property.invariant.as_ref()?;
        let stats = Stats { automaton_states: property.negation.state_count(), ..stats };
        Some(Report { verdict: limit.map_or(Verdict::Holds, Verdict::Limit), stats })
    };
    let failures = goal.map(|_| Failures {
        deadlocks: Vec::new(),
        deadlocks_alike: Vec::new(),
        deadlock_count: 0,
        waiting_sets: 0,
        errors: Vec::new(),
        crashes: Vec::new(),
        waits_for_ever: Vec::new(),
        limit,
        stats,
    });
    InvariantPass { failures, reports: properties.iter().map(report).collect() }
}

/// An invariant that the pass decides.
struct Invariant<'q> {
    /// The index of its formula.
    formula: usize,
    /// The cubes that no state may satisfy.
    bad: &'q [Cube],
    /// The first state that may be bad.
    may: Option<BadState>,
    /// The first state that is certainly bad.
    certain: Option<BadState>,
}

/// A bad state, and the figures at its discovery.
#[derive(Clone, Copy)]
struct BadState {
    state: StateId,
    stats: Stats,
}

impl Invariant<'_> {
    /// Is a state with this label bad, with unknown propositions read in this way?
    #[inline]
    fn is_bad(&self, letter: Letter, unknown: UnknownReading) -> bool {
        self.bad.iter().any(|cube| cube.meets(unknown.read(letter)))
    }

    /// Would a state with this label be kept as the first bad one?
    fn needs(&self, letter: Letter) -> bool {
        let unknown = if self.may.is_none() { UnknownReading::May } else { UnknownReading::Must };
        self.certain.is_none() && self.is_bad(letter, unknown)
    }

    /// A state with this label was discovered; `bad_state` makes what to keep if it is bad.
    #[inline]
    fn judge(
        &mut self,
        letter: Letter,
        has_real_steps: bool,
        bad_state: impl Fn() -> BadState,
        found: Listener<'_>,
    ) {
        if self.is_bad(letter, UnknownReading::May) {
            let is_first = self.may.is_none();
            self.may = self.may.or_else(|| Some(bad_state()));
            if self.is_bad(letter, UnknownReading::Must) {
                self.certain = Some(bad_state());
            }
            match self.certain.is_some() && has_real_steps {
                true => tell(found, Finding::Violated(self.formula)),
                false if is_first => tell(found, Finding::MayBeViolated(self.formula)),
                false => {}
            }
        }
    }

    fn report<S: System>(
        self,
        system: &S,
        formula: &Formula<Prop>,
        search: &BreadthFirst,
    ) -> Report<S::Action> {
        let run = |bad: BadState| {
            let run = Counterexample { prefix: search.path(system, bad.state), cycle: Vec::new() };
            run.replay_violation(system, formula, Fairness::None);
            run
        };
        let stats_of = |bad: BadState| Stats { bytes: search.stats().bytes, ..bad.stats };
        match (self.certain, self.may, search.end()) {
            (Some(bad), ..) if system.has_real_steps() => {
                Report { verdict: Verdict::Violated(run(bad)), stats: stats_of(bad) }
            }
            (Some(bad), ..) | (_, Some(bad), _) => {
                Report { verdict: Verdict::MayBeViolated(run(bad)), stats: stats_of(bad) }
            }
            (.., End::Limit(limit)) => Report { verdict: Verdict::Limit(limit), stats: search.stats() },
            (.., End::Stopped(_)) => unreachable!("a pass goes on while an invariant is undecided"),
            (.., End::Complete) => Report { verdict: Verdict::Holds, stats: search.stats() },
        }
    }
}

/// The visitor of a pass.
struct PassVisitor<'q> {
    invariants: Vec<Invariant<'q>>,
    failure_visitor: Option<FailureVisitor<'q>>,
    found: Listener<'q>,
    /// The number of undecided invariants.
    undecided: usize,
}

impl<'q> PassVisitor<'q> {
    fn new(
        bad: impl Iterator<Item = (usize, &'q [Cube])>,
        goal: Option<FailureGoal>,
        found: Listener<'q>,
    ) -> Self {
        let invariant = |(formula, bad)| Invariant { formula, bad, may: None, certain: None };
        let invariants: Vec<_> = bad.map(invariant).collect();
        PassVisitor {
            undecided: invariants.len(),
            invariants,
            failure_visitor: goal.map(|goal| FailureVisitor::new(goal, found)),
            found,
        }
    }

    /// Was nothing found?
    fn is_empty(&self) -> bool {
        self.invariants.iter().all(|invariant| invariant.may.is_none())
            && self.failure_visitor.as_ref().is_none_or(FailureVisitor::is_empty)
    }
}

/// Writes a bad state, if there is one.
fn save_bad_state(bad: Option<BadState>, out: &mut Writer) {
    out.half(u32::from(bad.is_some()));
    if let Some(BadState { state, stats }) = bad {
        out.half(state.0);
        write_stats(&stats, out);
    }
}

/// Reads what [`save_bad_state`] wrote.
fn load_bad_state(reader: &mut Reader<'_>) -> Result<Option<BadState>, Malformed> {
    Ok(match reader.half()? {
        0 => None,
        _ => Some(BadState { state: StateId(reader.half()?), stats: read_stats(reader)? }),
    })
}

impl<S: System> Visitor<S> for PassVisitor<'_> {
    #[inline]
    fn discovered(&mut self, system: &S, id: StateId, state: &[Word], progress: Progress<'_>) -> bool {
        if self.undecided == 0 {
            return false;
        }
        let letter = system.label(state);
        for invariant in self.invariants.iter_mut().filter(|invariant| invariant.certain.is_none()) {
            let bad_state = || BadState { state: id, stats: progress.stats() };
            invariant.judge(letter, system.has_real_steps(), bad_state, self.found);
            self.undecided -= usize::from(invariant.certain.is_some());
        }
        self.undecided == 0 && self.failure_visitor.is_none()
    }

    #[inline]
    fn expanded(&mut self, system: &S, id: StateId, state: &[Word], steps: &Steps<S::Action>) -> bool {
        let expanded =
            |failure_visitor: &mut FailureVisitor<'_>| failure_visitor.expanded(system, id, state, steps);
        self.failure_visitor.as_mut().is_some_and(expanded) && self.undecided == 0
    }

    fn save(&self, out: &mut Writer) {
        for invariant in &self.invariants {
            save_bad_state(invariant.may, out);
            save_bad_state(invariant.certain, out);
        }
        if let Some(failure_visitor) = &self.failure_visitor {
            Visitor::<S>::save(failure_visitor, out);
        }
    }

    fn load(&mut self, reader: &mut Reader<'_>) -> Result<(), Malformed> {
        for invariant in &mut self.invariants {
            invariant.may = load_bad_state(reader)?;
            invariant.certain = load_bad_state(reader)?;
        }
        self.undecided = self.invariants.iter().filter(|invariant| invariant.certain.is_none()).count();
        match &mut self.failure_visitor {
            Some(failure_visitor) => Visitor::<S>::load(failure_visitor, reader),
            None => Ok(()),
        }
    }
}

impl<S: System> ParallelVisitor<S> for PassVisitor<'_> {
    fn needs_state(&self, system: &S, state: &[Word]) -> bool {
        self.undecided > 0 && {
            let letter = system.label(state);
            self.invariants.iter().any(|invariant| invariant.needs(letter))
        }
    }

    fn needs_steps(&self, system: &S, state: &[Word], steps: &Steps<S::Action>) -> bool {
        self.failure_visitor
            .as_ref()
            .is_some_and(|failure_visitor| failure_visitor.needs_steps(system, state, steps))
    }
}
