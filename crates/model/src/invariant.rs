//! What single states tell: deadlocks, errors, and any number of invariants, all in one breadth-first pass.
//!
//! An invariant is `G p` with p about single states. A pass that looks at all states anyway decides as many of them
//! as one likes, for the price of a label a state.
//!
//! Where labels do not know every proposition, the first state that may be bad is kept, and the first that is bad for
//! certain; the latter decides.
//!
//! Promise: the path to every violation is as short as any, and has been replayed; a pass that was cut short never
//! says [`Verdict::Holds`].

use crate::breadth_first::{BreadthFirst, breadth_first};
use crate::budget::{Budget, Stats};
use crate::check::{CheckError, Report, Verdict};
use crate::counterexample::Counterexample;
use crate::fairness::Fairness;
use crate::parallel::Watch;
use crate::question::Question;
use crate::rules::Unknown;
use crate::search::{End, SoFar, Visitor};
use crate::store::StateId;
use crate::survey::{Survey, Surveyor, Wanted};
use crate::system::{Steps, System, Word};
use selvedge_ltl::{Cube, Formula, Letter, Prop};

/// What a pass found.
#[derive(Clone, Debug)]
pub struct Pass<A> {
    /// Deadlocks and errors, if they were asked for.
    pub survey: Option<Survey<A>>,
    /// For each formula its verdict; `None` where it is no invariant.
    pub reports: Vec<Option<Report<A>>>,
}

impl<A: Copy + Eq> Pass<A> {
    /// The verdict on the only formula, an invariant.
    pub(crate) fn only_report(self) -> Report<A> {
        self.reports.into_iter().flatten().next().expect("the verdict on an invariant")
    }

    /// Goes through all runs again on the system itself, where the pass was made on a reduced one. Panics, saying what is wrong, if
    /// one of them is not what it is said to be.
    pub fn replay<S: System<Action = A>>(&self, system: &S, formulas: &[Formula<Prop>]) {
        for (report, formula) in self.reports.iter().zip(formulas) {
            if let Some(Report { verdict: Verdict::Violated(run) | Verdict::MayBeViolated(run), .. }) = report
            {
                run.replay_violation(system, formula, Fairness::None);
            }
        }
        if let Some(survey) = &self.survey {
            let runs = survey.deadlocks.iter().chain(survey.errors.iter().map(|(_, run)| run));
            runs.for_each(|run| run.replay(system, Fairness::None));
        }
    }
}

/// Is the formula, whatever it looks like, an invariant: something about single states that must always hold?
pub fn is_invariant(formula: &Formula<Prop>) -> bool {
    Question::new(formula).is_ok_and(|question| question.invariant.is_some())
}

/// Decides all of the formulas that are invariants, and surveys, in one pass.
///
/// Without a survey the pass ends when everything is decided.
pub fn check_invariants<S: System>(
    system: &S,
    formulas: &[Formula<Prop>],
    wanted: Option<Wanted>,
    budget: Budget<'_>,
) -> Result<Pass<S::Action>, CheckError> {
    let questions = formulas.iter().map(Question::new).collect::<Result<Vec<_>, _>>()?;
    let invariants = questions.iter().filter_map(|question| question.invariant.as_deref());
    let mut lookout = Lookout::new(invariants, wanted);
    let search = breadth_first(system, budget, &mut lookout);
    let mut watched = lookout.invariants.into_iter();
    let reports = formulas.iter().zip(&questions).map(|(formula, question)| {
        question.invariant.as_ref()?;
        let report = watched.next()?.report(system, formula, &search);
        let automaton_states = question.negation.state_count();
        Some(Report { stats: Stats { automaton_states, ..report.stats }, ..report })
    });
    let reports = reports.collect();
    let survey = lookout.surveyor.map(|surveyor| surveyor.survey(system, &search));
    Ok(Pass { survey, reports })
}

/// An invariant under watch.
struct Invariant<'q> {
    /// The sets of literals that a state must not meet.
    bad: &'q [Cube],
    /// The first state that may be bad.
    may: Option<Met>,
    /// The first state that is.
    certain: Option<Met>,
}

/// A bad state, and the figures when it was met.
#[derive(Clone, Copy)]
struct Met {
    state: StateId,
    stats: Stats,
}

impl Invariant<'_> {
    /// Is a state with this label bad, with what is unknown read in this way?
    #[inline]
    fn is_bad(&self, letter: Letter, unknown: Unknown) -> bool {
        self.bad.iter().any(|cube| cube.meets(unknown.read(letter)))
    }

    /// Would a state with this label be kept?
    fn minds(&self, letter: Letter) -> bool {
        let unknown = if self.may.is_none() { Unknown::May } else { Unknown::Known };
        self.certain.is_none() && self.is_bad(letter, unknown)
    }

    /// A state with this label was found; `met` is what to keep if it is bad.
    #[inline]
    fn found(&mut self, letter: Letter, met: impl Fn() -> Met) {
        if self.is_bad(letter, Unknown::May) {
            self.may = self.may.or_else(|| Some(met()));
            if self.is_bad(letter, Unknown::Known) {
                self.certain = Some(met());
            }
        }
    }

    fn report<S: System>(
        self,
        system: &S,
        formula: &Formula<Prop>,
        search: &BreadthFirst,
    ) -> Report<S::Action> {
        let run = |met: Met| {
            let run = Counterexample { prefix: search.path(system, met.state), cycle: Vec::new() };
            run.replay_violation(system, formula, Fairness::None);
            run
        };
        let stats_of = |met: Met| Stats { bytes: search.stats().bytes, ..met.stats };
        match (self.certain, self.may, search.end()) {
            (Some(met), ..) => Report { verdict: Verdict::Violated(run(met)), stats: stats_of(met) },
            (_, Some(met), _) => Report { verdict: Verdict::MayBeViolated(run(met)), stats: stats_of(met) },
            (.., End::Limit(limit)) => Report { verdict: Verdict::Limit(limit), stats: search.stats() },
            (.., End::Stopped(_)) => unreachable!("a pass goes on while an invariant is open"),
            (.., End::Complete) => Report { verdict: Verdict::Holds, stats: search.stats() },
        }
    }
}

/// Everything that a pass looks at.
struct Lookout<'q> {
    invariants: Vec<Invariant<'q>>,
    surveyor: Option<Surveyor>,
    /// How many invariants are not decided yet.
    open: usize,
}

impl<'q> Lookout<'q> {
    fn new(bad: impl Iterator<Item = &'q [Cube]>, wanted: Option<Wanted>) -> Self {
        let invariants: Vec<_> = bad.map(|bad| Invariant { bad, may: None, certain: None }).collect();
        Lookout { open: invariants.len(), invariants, surveyor: wanted.map(Surveyor::new) }
    }
}

impl<S: System> Visitor<S> for Lookout<'_> {
    #[inline]
    fn found(&mut self, system: &S, id: StateId, state: &[Word], so_far: SoFar<'_>) -> bool {
        if self.open == 0 {
            return false;
        }
        let letter = system.label(state);
        for invariant in self.invariants.iter_mut().filter(|invariant| invariant.certain.is_none()) {
            invariant.found(letter, || Met { state: id, stats: so_far.stats() });
            self.open -= usize::from(invariant.certain.is_some());
        }
        self.open == 0 && self.surveyor.is_none()
    }

    #[inline]
    fn expanded(&mut self, system: &S, id: StateId, state: &[Word], steps: &Steps<S::Action>) -> bool {
        let surveyed = |surveyor: &mut Surveyor| surveyor.expanded(system, id, state, steps);
        self.surveyor.as_mut().is_some_and(surveyed) && self.open == 0
    }
}

impl<S: System> Watch<S> for Lookout<'_> {
    fn minds_state(&self, system: &S, state: &[Word]) -> bool {
        self.open > 0 && {
            let letter = system.label(state);
            self.invariants.iter().any(|invariant| invariant.minds(letter))
        }
    }

    fn minds_steps(&self, system: &S, state: &[Word], steps: &Steps<S::Action>) -> bool {
        self.surveyor.as_ref().is_some_and(|surveyor| surveyor.minds_steps(system, state, steps))
    }
}
