//! The pass through all states that serves deadlocks, errors and every invariant of a file at once.
//!
//! A property goes along if observing its propositions leaves the states as they are; the others, and what is no
//! invariant, are searched one by one. Where properties were chosen, deadlocks are looked for only if `--deadlock` asks;
//! errors whenever the program can have any, for they are verdicts.

use super::Arguments;
use super::verdict::{self, Checked, Surveyed};
use crate::failure::Failure;
use selvedge_lang::machine::Options as MachineOptions;
use selvedge_lang::parallel::{Atom, Program, Property};
use selvedge_ltl::{Alphabet, Formula, Prop};
use selvedge_model::{Preserve, Reduced, FailureGoal, check_invariants, is_invariant};

/// What the pass decided.
pub(super) struct Decided {
    /// Nothing where nobody asked.
    pub(super) surveyed: Option<Surveyed>,
    /// For each property its verdict, if the pass decided it.
    pub(super) checked: Vec<Option<Checked>>,
}

pub(super) fn run(
    program: &Program,
    properties: &[Property],
    arguments: &Arguments,
) -> Result<Decided, Failure> {
    // In exact mode a deadlock is another one if another process moved last: a reduced search may find one of them only. So
    // the survey is not reduced then, and properties, which can be, do not go along.
    let travels = !arguments.exact || arguments.no_reduction;
    let group = Group::new(program, if travels { properties } else { &[] }, arguments);
    let system = verdict::system(program, group.alphabet.names(), arguments)?;
    let all = [&arguments.property, &arguments.ltl, &arguments.invariant].iter().all(|list| list.is_empty());
    let wanted = (all || arguments.deadlock || system.can_fail()).then_some(FailureGoal::All);
    let mut checked: Vec<Option<Checked>> = properties.iter().map(|_| None).collect();
    if wanted.is_none() && group.members.is_empty() {
        return Ok(Decided { surveyed: None, checked });
    }
    let is_whole = arguments.no_reduction || arguments.exact;
    let pass = verdict::with_budget(arguments, |budget| match is_whole {
        true => check_invariants(&system, &group.formulas, wanted, budget),
        false => check_invariants(&Reduced::new(&system, Preserve::States), &group.formulas, wanted, budget),
    });
    let pass = pass.map_err(|error| verdict::refusal("of the file", error))?;
    pass.replay(&system, &group.formulas);
    for (member, report) in group.members.iter().zip(&pass.reports) {
        let Some(report) = report else { continue };
        let property = &properties[*member];
        let atoms = group.texts(property);
        checked[*member] = Some(verdict::told(program, property, (&system, report, &atoms), arguments)?);
    }
    let surveyed = pass.failures.map(|survey| verdict::surveyed(&system, survey)).transpose()?;
    Ok(Decided { surveyed, checked })
}

/// The properties that go along, by number, with their formulas over one alphabet.
struct Group {
    members: Vec<usize>,
    formulas: Vec<Formula<Prop>>,
    alphabet: Alphabet<Atom>,
}

impl Group {
    fn new(program: &Program, properties: &[Property], arguments: &Arguments) -> Group {
        let options = MachineOptions { exact: arguments.exact };
        let mut group = Group { members: Vec::new(), formulas: Vec::new(), alphabet: Alphabet::default() };
        for (number, property) in properties.iter().enumerate() {
            let mut own: Alphabet<Atom> = Alphabet::default();
            let fits = own.number(&property.formula).is_ok_and(|formula| is_invariant(&formula))
                && program.leaves_states(own.names(), options);
            // An alphabet that is full keeps the rest out; each of them has one of its own.
            let mut wider = group.alphabet.clone();
            if let (true, Ok(formula)) = (fits, wider.number(&property.formula)) {
                group.alphabet = wider;
                group.members.push(number);
                group.formulas.push(formula);
            }
        }
        group
    }

    /// The texts of the property's propositions, each at its number; nothing for those of others.
    fn texts(&self, property: &Property) -> Vec<String> {
        let mut texts = vec![String::new(); self.alphabet.names().len()];
        property.formula.propositions(&mut |atom| {
            if let Some(number) = self.alphabet.names().iter().position(|name| name == atom) {
                texts[number] = atom.to_string();
            }
        });
        texts
    }
}
