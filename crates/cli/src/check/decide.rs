//! Deciding one property by a search of its own.

use super::doubt::{self, Doubt};
use super::limit_text::ReachedLimit;
use super::progress;
use super::search_plan::SearchPlan;
use super::verdict::{CheckedProperty, PropertyVerdict, Vacuity};
use crate::failure::Failure;
use crate::model_file::ActionOf;
use selvedge_lang::{Expect, Program, ProgramSystem, Property, Suspicion};
use selvedge_ltl::buchi::TranslateError;
use selvedge_ltl::vacuity::antecedents;
use selvedge_ltl::{Alphabet, Binary, Formula, Letter, Prop, Unary};
use selvedge_model::{Budget, CheckError, Counterexample, Report, System, Verdict};

/// The verdict on a formula, with the system that the search ran on.
pub(crate) struct Decision<P: Program> {
    pub(crate) system: P::System,
    pub(crate) report: Report<ActionOf<P>>,
    /// The texts of the propositions, by number.
    pub(crate) propositions: Vec<String>,
}

/// Decides a property for another command, exactly as `selvedge check` does: both show the same run.
pub(crate) fn decide_property<P: Program>(
    program: &P,
    property: &Property<P::Atom>,
    plan: &SearchPlan,
) -> Result<Decision<P>, Failure> {
    let decision = decide_own(program, property, plan);
    progress::clear();
    decision
}

/// Decides a property, and renders its counterexample.
pub(super) fn check_property<P: Program>(
    program: &P,
    property: &Property<P::Atom>,
    plan: &SearchPlan,
) -> Result<CheckedProperty, Failure> {
    let Decision { system, report, propositions } = decide_own(program, property, plan)?;
    finish(program, property, (&system, &report, &propositions), plan)
}

/// Decides the formula of a property. One worker goes depth first, which finds a violation sooner; several
/// go breadth first, which proves sooner that there is none.
fn decide_own<P: Program>(
    program: &P,
    property: &Property<P::Atom>,
    plan: &SearchPlan,
) -> Result<Decision<P>, Failure> {
    let pays = P::System::IS_FASTER_IN_PARALLEL && property.expect == Some(Expect::Holds);
    decide(program, (&property.name, &property.formula), plan.workers(pays), plan)
}

/// Does every run satisfy this formula, that a condition of the property never happens? Most conditions
/// happen, and one worker finds out where.
fn is_vacuous<P: Program>(
    program: &P,
    property: &Property<P::Atom>,
    never: &Formula<P::Atom>,
    plan: &SearchPlan,
) -> Result<bool, Failure> {
    let decision = decide(program, (&property.name, never), 1, plan)?;
    Ok(decision.report.verdict == Verdict::Holds)
}

fn decide<P: Program>(
    program: &P,
    (name, formula): (&str, &Formula<P::Atom>),
    workers: usize,
    plan: &SearchPlan,
) -> Result<Decision<P>, Failure> {
    let mut alphabet: Alphabet<P::Atom> = Alphabet::default();
    let numbered =
        alphabet.number(formula).map_err(|error| Failure::Usage(format!("property {name} has {error}")))?;
    let system = build_system(program, alphabet.names(), plan)?;
    let report = plan.with_budget(|budget| {
        selvedge_model::check(&system, &numbered, plan.options(Budget { workers, ..budget }))
    });
    let report = report.map_err(|error| refuse_property(name, error))?;
    plan.refuse_checkpoint()?;
    let propositions = alphabet.names().iter().map(ToString::to_string).collect();
    Ok(Decision { system, report, propositions })
}

/// The checked property of a report: renders the counterexample, and looks for a condition that is never
/// true.
pub(super) fn finish<P: Program>(
    program: &P,
    property: &Property<P::Atom>,
    (system, report, propositions): (&P::System, &Report<ActionOf<P>>, &[String]),
    plan: &SearchPlan,
) -> Result<CheckedProperty, Failure> {
    let suspicion = Suspicion::Violation { formula: &property.formula, fairness: plan.fairness };
    let examine = |run| doubt::examine(program, system, (run, propositions), suspicion, plan);
    let verdict = match &report.verdict {
        Verdict::Holds => PropertyVerdict::Holds { vacuous: vacuities(program, property, plan)? },
        Verdict::Violated(run) => PropertyVerdict::Violated(examine(run)?.0),
        Verdict::MayBeViolated(run) => match examine(run)? {
            (run, None) if !system.has_real_steps() => PropertyVerdict::Violated(run),
            (shown, None) => {
                PropertyVerdict::MayBeViolated(shown, unknown_propositions(system, run, propositions))
            }
            (run, Some(doubt)) => PropertyVerdict::MayBeViolated(run, doubt),
        },
        Verdict::Limit(limit) => PropertyVerdict::Limited(ReachedLimit::new(*limit, system.first_cut())),
    };
    Ok(CheckedProperty {
        name: property.name.clone(),
        formula: property.text(),
        unfolded: property.formula.to_string(),
        expect: property.expect,
        verdict,
        assumptions: system.assumptions(),
        stats: report.stats,
    })
}

/// The doubt about a run of real steps: these propositions have no value in some of its states.
fn unknown_propositions<S: System>(
    system: &S,
    run: &Counterexample<S::Action>,
    propositions: &[String],
) -> Doubt {
    let labels: Vec<Letter> =
        run.prefix.iter().chain(&run.cycle).map(|step| system.label(&step.state)).collect();
    let numbered = (0..).map(Prop).zip(propositions);
    let unknown = numbered.filter(|(prop, _)| labels.iter().any(|label| label.value(*prop).is_none()));
    let names: Vec<String> = unknown.map(|(_, text)| format!("`{text}`")).collect();
    let verb = if names.len() == 1 { "has" } else { "have" };
    Doubt::Unknown(format!("{} {verb} no value where the run marks it by `?`", names.join(", ")))
}

/// The conditions of a property that are never true: of each instance, if it has quantifiers.
fn vacuities<P: Program>(
    program: &P,
    property: &Property<P::Atom>,
    plan: &SearchPlan,
) -> Result<Vec<Vacuity>, Failure> {
    let instances = program.instances(&property.formula);
    if instances.is_empty() {
        let never = vacuous_condition(program, property, plan)?;
        return Ok(never.into_iter().map(|never| Vacuity { instance: None, never }).collect());
    }
    let mut found = Vec::new();
    // Instances share conditions; each is searched for once.
    let mut known: Vec<(Formula<P::Atom>, bool)> = Vec::new();
    for (bindings, formula) in instances {
        for part in antecedents(&formula) {
            let seen = known.iter().find(|(never, _)| *never == part.never).map(|(_, is_true)| *is_true);
            let is_never = match seen {
                Some(is_never) => is_never,
                None => is_vacuous(program, property, &part.never, plan)?,
            };
            known.push((part.never, is_never));
            if is_never {
                found.push(Vacuity { instance: Some(bindings), never: part.antecedent.to_string() });
                break;
            }
        }
    }
    Ok(found)
}

/// For a property `a -> b` or `[] (a -> b)` that holds: the condition `a`, if it is never true, so that no
/// run tests `b`.
fn vacuous_condition<P: Program>(
    program: &P,
    property: &Property<P::Atom>,
    plan: &SearchPlan,
) -> Result<Option<String>, Failure> {
    let (condition, never) = match &property.formula {
        Formula::Binary(Binary::Implies, condition, _) => (condition, !(**condition).clone()),
        Formula::Unary(Unary::Always, inner) => match &**inner {
            Formula::Binary(Binary::Implies, condition, _) => (condition, (!(**condition).clone()).always()),
            _ => return Ok(None),
        },
        _ => return Ok(None),
    };
    Ok(is_vacuous(program, property, &never, plan)?.then(|| condition.to_string()))
}

/// The system whose states observe these atoms.
pub(super) fn build_system<P: Program>(
    program: &P,
    atoms: &[P::Atom],
    plan: &SearchPlan,
) -> Result<P::System, Failure> {
    let options = plan.system_options();
    program.system(atoms, options).map_err(|diagnostic| Failure::Usage(diagnostic.message))
}

/// The failure of a command whose property cannot be checked.
pub(super) fn refuse_property(name: &str, error: CheckError) -> Failure {
    match error {
        CheckError::Translate(TranslateError::TooLarge(_)) => {
            Failure::Limit(format!("property {name}: {error}"))
        }
        _ => Failure::Usage(format!("property {name}: {error}")),
    }
}
