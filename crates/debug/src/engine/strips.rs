//! Formulas that are judged along the run: a verdict and a remainder at each position.

use super::Engine;
use crate::snapshot::{Strip, StripHead, StripVerdict};
use crate::target::{Question, StateId, Target};
use selvedge_ltl::progression::{Cursor, SharedProgression, Verdict};
use selvedge_ltl::syntax::AtomText;
use selvedge_ltl::{Letter, Word};
use selvedge_model::ltl::satisfies;
use std::fmt;

/// A formula, and its progression along the run as far as it is known.
pub(super) struct JudgedFormula {
    text: String,
    question: Question,
    progression: SharedProgression,
    /// The states that were read, their letters, and where the progression stands after each.
    states: Vec<StateId>,
    letters: Vec<Letter>,
    cursors: Vec<Cursor>,
}

impl Engine {
    /// Judges these formulas along the run.
    pub(super) fn judge(&mut self, formulas: &[String]) -> Result<(), String> {
        let mut judged = Vec::new();
        for text in formulas {
            let question = self.question(text)?;
            judged.push(JudgedFormula::new(text.clone(), question));
        }
        self.judged = judged;
        Ok(())
    }

    pub(super) fn strip_heads(&mut self) -> Vec<StripHead> {
        let Engine { target, stack, judged, .. } = self;
        judged.iter_mut().map(|judged| judged.head(&mut **target, &stack.states, stack.cycle())).collect()
    }

    pub(super) fn strip_windows(&mut self, from: usize, to: usize) -> Vec<Strip> {
        let Engine { target, stack, judged, .. } = self;
        judged.iter_mut().map(|judged| judged.window(&mut **target, &stack.states, from..=to)).collect()
    }
}

impl JudgedFormula {
    pub(super) fn new(text: String, question: Question) -> JudgedFormula {
        let progression = SharedProgression::new(&question.formula);
        JudgedFormula {
            text,
            question,
            progression,
            states: Vec::new(),
            letters: Vec::new(),
            cursors: Vec::new(),
        }
    }

    /// Reads the run; what it has in common with the run before is not read again.
    pub(super) fn follow(&mut self, target: &mut dyn Target, run: &[StateId]) {
        let common = self.states.iter().zip(run).take_while(|(old, new)| old == new).count();
        self.states.truncate(common);
        self.letters.truncate(common);
        self.cursors.truncate(common);
        for state in &run[common..] {
            // The label of a state that cannot be reached again is unknown.
            let letter = target.label(self.question.id, *state);
            let letter = letter.unwrap_or_else(|_| Letter::exactly(0).forget(!0));
            let before = self.cursors.last().copied().unwrap_or_else(|| self.progression.start());
            self.cursors.push(self.progression.step(before, letter));
            self.letters.push(letter);
            self.states.push(*state);
        }
    }

    /// The letters of the run.
    pub(super) fn letters(&self) -> &[Letter] {
        &self.letters
    }

    /// The progression before each state, and the question.
    pub(super) fn before(&self, position: usize) -> Cursor {
        match position.checked_sub(1) {
            Some(before) => self.cursors[before],
            None => self.progression.start(),
        }
    }

    pub(super) fn parts(&mut self) -> (&Question, &mut SharedProgression) {
        (&self.question, &mut self.progression)
    }

    fn head(&mut self, target: &mut dyn Target, run: &[StateId], cycle: Option<usize>) -> StripHead {
        self.follow(target, run);
        let count = self.cursors.len();
        // Verdicts do not come back from false, so the first one is found by halving.
        let first = partition_point(count, |position| self.verdict_at(position) != StripVerdict::False);
        let word = match cycle {
            Some(cycle) => {
                // The last state is that of the position that it leads back to.
                let once = self.letters.len() - 1;
                Word::lasso(self.letters[..cycle].to_vec(), self.letters[cycle..once].to_vec())
            }
            None => Word::finite(self.letters.clone()),
        };
        StripHead {
            formula: self.text.clone(),
            first_violation: (first < count).then_some(first),
            holds: satisfies(&word, &self.question.formula),
        }
    }

    fn window(
        &mut self,
        target: &mut dyn Target,
        run: &[StateId],
        window: std::ops::RangeInclusive<usize>,
    ) -> Strip {
        self.follow(target, run);
        let mut strip = Strip { formula: self.text.clone(), ..Strip::default() };
        let mut last = None;
        for position in window {
            strip.verdicts.push(self.verdict_at(position));
            let cursor = self.cursors[position];
            if last != Some(cursor) {
                strip.remainders.push((position, self.remainder(cursor)));
                last = Some(cursor);
            }
        }
        strip
    }

    fn verdict_at(&mut self, position: usize) -> StripVerdict {
        let cursor = self.cursors[position];
        match self.progression.verdict(cursor) {
            Ok(Verdict::True) => StripVerdict::True,
            Ok(Verdict::False) => StripVerdict::False,
            _ if self.progression.holds_at_end(cursor) => StripVerdict::Holds,
            _ => StripVerdict::Open,
        }
    }

    /// What is left of the formula, as text.
    fn remainder(&mut self, cursor: Cursor) -> String {
        let (remainder, arena) = self.progression.remainder(cursor);
        let formula = arena.to_formula(remainder);
        formula.map(&mut |prop| Text(self.question.propositions[prop.0 as usize].clone())).to_string()
    }
}

/// The first number below `end` for which the condition fails; `end` if there is none.
fn partition_point(end: usize, mut holds: impl FnMut(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, end);
    while low < high {
        let middle = low + (high - low) / 2;
        match holds(middle) {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    low
}

/// A proposition as text.
struct Text(String);

impl AtomText for Text {
    fn write_atom(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }

    fn is_comparison(&self) -> bool {
        self.0.contains(['=', '<', '>']) && !self.0.starts_with('"') && !self.0.ends_with(')')
    }
}
