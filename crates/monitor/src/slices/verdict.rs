//! The verdicts at the end of a log.

use super::Slices;
use crate::report::Judgement;
use selvedge_ltl::progression::{Cursor, Verdict};
use std::sync::Arc;

/// The verdict on all slices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceReport {
    /// The worst verdict of all slices; `None` if there is none.
    pub verdict: Option<Verdict>,
    /// The slices that began.
    pub slices: u64,
    /// Were slices freed? Then a slice that was made again counts twice.
    pub is_at_most: bool,
    /// The slices with that verdict.
    pub count: u64,
    /// The key of a slice with that verdict; `None` if all of them are freed.
    pub example: Option<Arc<[u8]>>,
    /// What is left of the formula on that slice, if it is open.
    pub remainder: Option<String>,
}

impl Slices {
    /// The verdicts if the log ends here.
    pub fn report(&mut self) -> SliceReport {
        let mut worst = SliceReport {
            verdict: None,
            slices: self.begun,
            is_at_most: self.has_freed,
            count: 0,
            example: None,
            remainder: None,
        };
        let mut cursor = None;
        let open = self.places.values().filter(|place| **place != super::DECIDED);
        let mut open: Vec<u32> = open.copied().collect();
        open.sort_unstable();
        for place in &open {
            let slice = &self.slices[*place as usize];
            let (of_slice, key) = (slice.cursor, slice.key.clone());
            let verdict = self.verdict(of_slice);
            if worst.include(verdict, 1, Some(key)) {
                cursor = Some(of_slice);
            }
        }
        let freed = self.begun - self.proven - self.violated - open.len() as u64;
        if freed > 0 && worst.include(Verdict::PresumablyTrue, freed, None) {
            cursor = self.rest.freed;
        }
        for (verdict, count) in [(Verdict::True, self.proven), (Verdict::False, self.violated)] {
            let example = self.first_violated.clone().filter(|_| verdict == Verdict::False);
            if count > 0 && worst.include(verdict, count, example) {
                cursor = None;
            }
        }
        worst.remainder = cursor.map(|cursor| self.remainder_text(cursor));
        worst
    }

    /// The four-valued verdict; by the finite word alone if the remainder is too large for an automaton.
    fn verdict(&mut self, cursor: Cursor) -> Verdict {
        let progression = &mut self.progression;
        progression.verdict(cursor).unwrap_or_else(|_| {
            if progression.holds_at_end(cursor) { Verdict::PresumablyTrue } else { Verdict::PresumablyFalse }
        })
    }
}

impl SliceReport {
    /// Counts slices with a verdict; returns whether it is worse than all before.
    fn include(&mut self, verdict: Verdict, count: u64, example: Option<Arc<[u8]>>) -> bool {
        if self.verdict == Some(verdict) {
            self.count += count;
            self.example = self.example.take().or(example);
            return false;
        }
        let is_worse = Judgement::rank(Some(verdict)) > Judgement::rank(self.verdict);
        if is_worse {
            (self.verdict, self.count, self.example) = (Some(verdict), count, example);
        }
        is_worse
    }
}
