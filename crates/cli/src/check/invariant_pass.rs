//! One pass through all states that finds deadlocks, errors and crashes and decides every invariant of a
//! file at once.
//!
//! A property joins the pass if it is an invariant and observing its propositions does not change the
//! states. Every other property gets a search of its own. Where the command line selects properties, the
//! pass looks for deadlocks only if `--deadlock` is given; it looks for errors whenever the program can have
//! any, since an error is a failure.

use super::decide::{self, build_system};
use super::found_failures::FoundFailures;
use super::plan::{CheckPlan, PropertySelection};
use super::search_plan::SearchPlan;
use super::verdict::CheckedProperty;
use crate::failure::Failure;
use selvedge_lang::{Program, ProgramSystem, Property};
use selvedge_ltl::{Alphabet, Formula, Prop};
use selvedge_model::{
    CheckError, FailureGoal, Fairness, Finding, MAX_FAIR_PROCESSES, Preserve, Reduced, System,
    check_invariants, is_invariant,
};

/// The results of the pass.
pub(super) struct PassResults {
    /// `None` if the pass did not look for deadlocks and errors.
    pub(super) failures: Option<FoundFailures>,
    /// For each property its verdict, if the pass decided it.
    pub(super) checked: Vec<Option<CheckedProperty>>,
}

pub(super) fn run<P: Program>(
    program: &P,
    properties: &[Property<P::Atom>],
    plan: &CheckPlan,
) -> Result<PassResults, Failure> {
    let search = &plan.search;
    let group = InvariantGroup::new(program, properties, search);
    let system = build_system(program, group.alphabet.names(), search)?;
    refuse_fairness(&system, search)?;
    let is_unselected = matches!(plan.properties, PropertySelection::All);
    let goal = (is_unselected || plan.fails_on_deadlock || system.can_fail()).then_some(FailureGoal::All);
    let mut checked: Vec<Option<CheckedProperty>> = properties.iter().map(|_| None).collect();
    if goal.is_none() && group.members.is_empty() {
        return Ok(PassResults { failures: None, checked });
    }
    let names: Vec<&str> = group.members.iter().map(|member| properties[*member].name.as_str()).collect();
    let describe = |finding: Finding<'_>| describe(finding, &names);
    let pays = P::System::IS_FASTER_IN_PARALLEL;
    let pass = search.with_pass_budget(pays, &describe, |budget| match search.is_reduced {
        true => check_invariants(&Reduced::new(&system, Preserve::States), &group.formulas, goal, budget),
        false => check_invariants(&system, &group.formulas, goal, budget),
    });
    let pass = pass.map_err(|error| decide::refuse_property("of the file", error))?;
    search.refuse_checkpoint()?;
    pass.replay(&system, &group.formulas);
    for (member, report) in group.members.iter().zip(&pass.reports) {
        let Some(report) = report else { continue };
        let property = &properties[*member];
        let propositions = group.propositions_of(property);
        let finished = decide::finish(program, property, (&system, report, &propositions), search)?;
        checked[*member] = Some(finished);
    }
    let found = |failures| FoundFailures::new(program, &system, &failures, plan);
    let failures = pass.failures.map(found).transpose()?;
    Ok(PassResults { failures, checked })
}

/// What the pass has found, in a few words; the names are those of the properties in the pass.
fn describe(finding: Finding<'_>, names: &[&str]) -> String {
    match finding {
        Finding::Violated(formula) => format!("{} is violated", names[formula]),
        Finding::MayBeViolated(formula) => format!("{} may be violated", names[formula]),
        Finding::Deadlock => "a deadlock".to_owned(),
        Finding::Error(message) => message.to_owned(),
        Finding::Crash(text) => format!("crash: {text}"),
        Finding::WaitsForEver(process, condition) => format!("{process} waits for ever for {condition}"),
    }
}

/// Refuses fairness for more processes than it is kept for, before any search.
fn refuse_fairness<S: System>(system: &S, plan: &SearchPlan) -> Result<(), Failure> {
    let count = system.processes();
    if plan.fairness == Fairness::None || count <= MAX_FAIR_PROCESSES {
        return Ok(());
    }
    Err(Failure::Usage(CheckError::TooManyProcesses(count).to_string()))
}

/// The properties that join the pass, with their formulas over one alphabet.
struct InvariantGroup<P: Program> {
    /// Indices of the properties.
    members: Vec<usize>,
    formulas: Vec<Formula<Prop>>,
    alphabet: Alphabet<P::Atom>,
}

impl<P: Program> InvariantGroup<P> {
    fn new(program: &P, properties: &[Property<P::Atom>], plan: &SearchPlan) -> InvariantGroup<P> {
        let options = plan.system_options();
        let mut group =
            InvariantGroup { members: Vec::new(), formulas: Vec::new(), alphabet: Alphabet::default() };
        for (index, property) in properties.iter().enumerate() {
            let mut own: Alphabet<P::Atom> = Alphabet::default();
            let can_join = own.number(&property.formula).is_ok_and(|formula| is_invariant(&formula))
                && program.has_same_states(own.names(), options);
            // A property whose propositions do not fit into the alphabet is searched by itself.
            let mut wider = group.alphabet.clone();
            if let (true, Ok(formula)) = (can_join, wider.number(&property.formula)) {
                group.alphabet = wider;
                group.members.push(index);
                group.formulas.push(formula);
            }
        }
        group
    }

    /// The texts of the property's propositions, by number; empty for propositions of other properties.
    fn propositions_of(&self, property: &Property<P::Atom>) -> Vec<String> {
        let mut texts = vec![String::new(); self.alphabet.names().len()];
        property.formula.propositions(&mut |atom| {
            if let Some(number) = self.alphabet.names().iter().position(|name| name == atom) {
                texts[number] = atom.to_string();
            }
        });
        texts
    }
}
