//! Texts for users: formulas, remainders, violations, refusals.

use super::{Kind, Monitor};
use crate::instances::Instance;
use crate::path::Path;
use crate::property::CheckError;
use crate::propositions::{PropId, Propositions};
use crate::shapes::{Refusal, ShapeId};
use crate::violation::{PathEntry, Violation};
use selvedge_ltl::progression::Cursor;
use selvedge_ltl::stutter::StutterWitness;
use selvedge_ltl::syntax::AtomText;
use selvedge_ltl::{Formula, Letter, Prop, Word};
use std::fmt::{self, Debug};
use std::hash::Hash;

/// The text of a proposition, in a formula.
pub(crate) struct Written(pub(crate) String);

impl AtomText for Written {
    fn write_atom(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }

    fn is_comparison(&self) -> bool {
        self.0.contains(['=', '<', '>']) && !self.0.starts_with('"') && !self.0.ends_with(')')
    }
}

fn written<P: Debug>(prop: &P) -> Written {
    Written(format!("{prop:?}"))
}

/// A formula as text.
pub(crate) fn formula_text<P: Debug>(formula: &Formula<P>) -> String {
    formula.map(&mut written).to_string()
}

/// Propositions as texts.
pub(super) fn texts<P: Debug>(props: &[P]) -> Vec<String> {
    props.iter().map(|prop| format!("{prop:?}")).collect()
}

/// The error for a formula that cannot be watched; `names` are its propositions, by number.
pub(super) fn refusal(refusal: Refusal, formula: &str, names: &[String]) -> CheckError {
    let formula = formula.to_owned();
    match refusal {
        Refusal::NotStutterInvariant(StutterWitness { satisfying, violating }) => {
            CheckError::NotStutterInvariant {
                formula,
                satisfying: word_text(&satisfying, names),
                violating: word_text(&violating, names),
            }
        }
        Refusal::Undecided(error) => CheckError::Undecided { formula, reason: error.to_string() },
    }
}

/// A word as sets of propositions: `{p} {p, q} ({})^ω`.
pub(crate) fn word_text(word: &Word, names: &[String]) -> String {
    let letter = |letter: &Letter| {
        let holds = |index: &usize| letter.allows(Prop(*index as u8), true);
        let held: Vec<&str> = (0..names.len()).filter(holds).map(|index| names[index].as_str()).collect();
        format!("{{{}}}", held.join(", "))
    };
    let letters = |part: &[Letter]| part.iter().map(letter).collect::<Vec<_>>().join(" ");
    let (prefix, cycle) = (letters(&word.prefix), letters(&word.cycle));
    match (prefix.is_empty(), cycle.is_empty()) {
        (_, true) => prefix,
        (true, false) => format!("({cycle})^ω"),
        (false, false) => format!("{prefix} ({cycle})^ω"),
    }
}

impl<P: Debug> Kind<P> {
    /// The formula as text; that of a function is not known.
    pub(super) fn text(&self) -> String {
        match self {
            Kind::Formula(formula) => formula_text(formula),
            Kind::Quantified { quantified, .. } => quantified.text.to_string(),
            Kind::Template { .. } => "a template".to_owned(),
        }
    }
}

impl<P: Ord + Hash + Clone + Debug> Monitor<P> {
    /// The remainder of an instance as text.
    pub(super) fn remainder_text(
        &mut self,
        shape: ShapeId,
        cursor: Cursor,
        props: &[Option<PropId>],
    ) -> String {
        let (remainder, arena) = self.shapes.get_mut(shape).remainder(cursor);
        let formula = arena.to_formula(remainder);
        self.text_over(&formula, props)
    }

    /// An instance of a template as text.
    pub(super) fn instance_text(&self, shape: ShapeId, props: &[Option<PropId>]) -> String {
        self.text_over(self.shapes.formula(shape), props)
    }

    fn text_over(&self, formula: &Formula<Prop>, props: &[Option<PropId>]) -> String {
        let name = |prop: &Prop| match props[prop.0 as usize] {
            Some(id) => written(self.propositions.prop(id)),
            None => Written("?".to_owned()),
        };
        formula.map(&mut { name }).to_string()
    }

    /// A violation by this instance, whose cursor is the last one before it failed.
    pub(super) fn describe(
        &mut self,
        index: u32,
        instance: &Instance,
        state: u64,
        has_path: bool,
    ) -> Violation {
        let Instance { shape, cursor, props, began, .. } = instance;
        let is_path_cut = *began < self.path.known_since();
        let decisive = if has_path && !is_path_cut {
            self.decisive_entries(*shape, props, *began, state)
        } else {
            Vec::new()
        };
        let before = decisive.iter().rev().nth(1).and_then(|entry| entry.remainder.clone());
        let remainder = before.unwrap_or_else(|| self.remainder_text(*shape, *cursor, props));
        let since = (*began).max(self.path.known_since());
        let path: Vec<PathEntry> = if has_path {
            (since + 1..=state).map(|number| self.entry(number)).collect()
        } else {
            Vec::new()
        };
        let is_known = has_path && since <= state;
        let holding = if is_known { self.holding_at(since) } else { Vec::new() };
        let watched = &self.properties[index as usize];
        let binding = match &watched.kind {
            Kind::Quantified { quantified, .. } => self.binding_of(quantified, instance),
            _ => None,
        };
        let formula = match &watched.kind {
            Kind::Formula(formula) => formula_text(formula),
            Kind::Quantified { quantified, .. } => quantified.text.to_string(),
            Kind::Template { .. } => self.instance_text(*shape, props),
        };
        let name = watched.name.to_string();
        Violation {
            name,
            formula,
            binding,
            began: *began,
            state,
            remainder,
            decisive,
            holding,
            path,
            is_path_cut,
            dropped: self.dropped,
        }
    }

    /// The recorded steps that changed the remainder, up to a state, with the remainder after each.
    fn decisive_entries(
        &mut self,
        shape: ShapeId,
        props: &[Option<PropId>],
        began: u64,
        until: u64,
    ) -> Vec<PathEntry> {
        let mut cursor = self.shapes.get(shape).start();
        let mut entries = Vec::new();
        for (state, letter) in self.path.letters_since(&self.propositions, props, began) {
            let next = self.shapes.step(shape, cursor, letter);
            if state > until {
                break;
            }
            if next != cursor || state == began {
                let mut entry = self.entry(state);
                entry.remainder = Some(self.remainder_text(shape, next, props));
                entries.push(entry);
            }
            cursor = next;
        }
        entries
    }

    /// The recorded step to this state.
    fn entry(&self, state: u64) -> PathEntry {
        let change = |prop: PropId| {
            let holds = self.path.value_at(&self.propositions, prop, state);
            format!("{}{:?}", if holds { '+' } else { '-' }, self.propositions.prop(prop))
        };
        let changes = self.path.changed_at(state).into_iter().map(change).collect();
        PathEntry { state, actor: self.path.actor_at(state).cloned(), changes, remainder: None }
    }

    /// The recorded steps.
    pub(crate) fn path_entries(&self) -> impl Iterator<Item = PathEntry> {
        (self.path.known_since() + 1..=self.path.state()).map(|state| self.entry(state))
    }

    /// The name and the text of each property, and the first state that it is judged on.
    pub(crate) fn property_texts(&self) -> impl Iterator<Item = (String, String, u64)> {
        let properties = self.properties.iter();
        properties.map(|watched| (watched.name.to_string(), watched.kind.text(), watched.began))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn propositions(&self) -> &Propositions<P> {
        &self.propositions
    }

    /// The values of the variables of an instance.
    pub(super) fn binding_of(
        &self,
        quantified: &crate::Quantified<P>,
        instance: &Instance,
    ) -> Option<String> {
        if let Some(values) = &instance.values {
            return Some(quantified.binding(values));
        }
        let mut values = vec![None; quantified.variables.len()];
        for (pattern, prop) in quantified.patterns.iter().zip(&instance.props) {
            for (variable, value) in pattern.matches(self.propositions.prop((*prop)?))? {
                values[variable] = Some(value);
            }
        }
        Some(quantified.binding(&values))
    }
}
