//! Verdicts at the end of a run: on a prefix of unknown continuations, or on a run whose last state stays
//! for ever.

use super::rest::Freed;
use super::{Kind, Monitor};
use crate::instances::{Instance, Origin};
use crate::report::{Judgement, Report};
use selvedge_ltl::progression::{Cursor, SharedProgression, Verdict};
use selvedge_ltl::{Letter, Word, semantics};
use std::fmt::Debug;
use std::hash::Hash;

/// The worst open instance of a property.
struct Worst {
    verdict: Verdict,
    remainder: String,
    example: Option<String>,
}

impl<P: Ord + Hash + Clone + Debug> Monitor<P> {
    /// The verdicts of all properties, the worst first.
    pub(super) fn judge(&mut self) -> Report {
        let mut open: Vec<(u64, Option<Worst>)> = self.properties.iter().map(|_| (0, None)).collect();
        for id in self.instances.ids() {
            let Some(instance) = self.instances.get(id) else { continue };
            let verdict = verdict(self.shapes.get_mut(instance.shape), instance.cursor);
            match instance.origin {
                Origin::Partial(_) => {}
                Origin::Vacuity(index, which) => {
                    let never = matches!(verdict, Verdict::True | Verdict::PresumablyTrue);
                    let antecedent = &mut self.properties[index as usize].antecedents[which as usize];
                    antecedent.has_happened = Some(!never);
                }
                Origin::Property(index) => {
                    let (count, worst) = &mut open[index as usize];
                    *count += 1;
                    let rank = |verdict| Judgement::rank(Some(verdict));
                    if worst.as_ref().is_some_and(|worst| rank(worst.verdict) >= rank(verdict)) {
                        continue;
                    }
                    let remainder = self.remainder_text(instance.shape, instance.cursor, &instance.props);
                    let example = self.example_of(index, &instance);
                    *worst = Some(Worst { verdict, remainder, example });
                }
            }
        }
        let mut judgements: Vec<Judgement> = (0..self.properties.len())
            .zip(open)
            .map(|(index, (count, worst))| self.judgement(index, count, worst))
            .collect();
        judgements.sort_by_key(|judgement| std::cmp::Reverse(Judgement::rank(judgement.verdict)));
        Report { judgements, notes: self.notes.clone() }
    }

    /// What tells an instance of a template from the others: its values, or its formula.
    pub(super) fn example_of(&self, index: u32, instance: &Instance) -> Option<String> {
        match &self.properties[index as usize].kind {
            Kind::Quantified { quantified, .. } => self.binding_of(quantified, instance),
            Kind::Template { .. } => Some(self.instance_text(instance.shape, &instance.props)),
            Kind::Formula(_) => None,
        }
    }

    /// By property: does it hold if the last state stays for ever?
    pub(super) fn judge_forever(&mut self) -> Vec<(String, bool)> {
        let mut holds: Vec<bool> = self.properties.iter().map(|watched| watched.violated == 0).collect();
        for id in self.instances.ids() {
            let Some(instance) = self.instances.get(id) else { continue };
            if let Origin::Property(index) = instance.origin
                && holds[index as usize]
            {
                holds[index as usize] = self.holds_forever(&instance);
            }
        }
        self.properties.iter().zip(holds).map(|(watched, holds)| (watched.name.to_string(), holds)).collect()
    }

    /// Does what is left of an instance hold if the last state stays for ever?
    pub(super) fn holds_forever(&mut self, instance: &Instance) -> bool {
        let Instance { shape, cursor, letter, began, .. } = *instance;
        let key = (shape, cursor, letter);
        if self.shapes.get(shape).has_past() {
            // A remainder with past operators depends on the states before.
            let mut letters: Vec<Letter> = self
                .path
                .letters_since(&self.propositions, &instance.props, began)
                .into_iter()
                .map(|(_, letter)| Letter::exactly(letter))
                .collect();
            let last = letters.pop().expect("there is a first state");
            return semantics::holds(&Word::lasso(letters, [last]), self.shapes.formula(shape));
        }
        if let Some(known) = self.forever.get(&key) {
            return *known;
        }
        let (remainder, arena) = self.shapes.get_mut(shape).remainder(cursor);
        let word = Word::lasso([], [Letter::exactly(letter)]);
        let holds = semantics::holds(&word, &arena.to_formula(remainder));
        self.forever.insert(key, holds);
        holds
    }

    fn judgement(&self, index: usize, open: u64, worst: Option<Worst>) -> Judgement {
        let watched = &self.properties[index];
        // Freed instances have the best verdict of an instance that is not proven.
        let freed = watched.freed.as_ref();
        let freed_count = freed.map_or(0, |freed| freed.count);
        let (open_verdict, remainder, open_example) = match (worst, freed) {
            (Some(Worst { verdict, remainder, example }), _) => (Some(verdict), Some(remainder), example),
            (None, Some(Freed { example, remainder, .. })) => {
                (Some(Verdict::PresumablyTrue), Some(remainder.clone()), example.clone())
            }
            (None, None) => (None, None, None),
        };
        let (verdict, example, remainder) = match open_verdict {
            _ if watched.violated > 0 => (Some(Verdict::False), watched.example.clone(), None),
            Some(_) => (open_verdict, open_example, remainder),
            None => ((watched.proven > 0).then_some(Verdict::True), None, None),
        };
        let is_template = !matches!(watched.kind, Kind::Formula(_));
        let formula = watched.kind.text();
        let never = watched.antecedents.iter().find(|antecedent| antecedent.has_happened == Some(false));
        Judgement {
            name: watched.name.to_string(),
            formula,
            verdict,
            instances: is_template.then_some(open + freed_count + watched.proven + watched.violated),
            is_at_most: freed_count > 0,
            example: example.filter(|_| is_template),
            vacuous: never
                .filter(|_| verdict != Some(Verdict::False))
                .map(|antecedent| antecedent.text.clone()),
            remainder,
            dropped: watched.dropped.unwrap_or(self.dropped),
        }
    }
}

/// The four-valued verdict; by the finite word alone if the remainder is too large for an automaton.
fn verdict(progression: &mut SharedProgression, cursor: Cursor) -> Verdict {
    progression.verdict(cursor).unwrap_or_else(|_| {
        if progression.holds_at_end(cursor) { Verdict::PresumablyTrue } else { Verdict::PresumablyFalse }
    })
}
