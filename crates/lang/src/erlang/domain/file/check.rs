//! Tests the lines of a file about operations on numbers (Huch, section 3, property P1 and its like for
//! comparisons, on which matches in `case` and `receive` rest).
//!
//! A line whose outcomes stand for all results that regions allow is proven. Any other line is tested: for
//! all samples v, w that its operands stand for, some outcome must be ⊑ α of the result, and `error` must be
//! an outcome if the operation fails. Comparisons are exact on regions: a line is right, or it is refuted.
//! Matches, and operations without a line, follow from α and are right by construction.
//!
//! Promise: a violation names the operation and its numbers, and points at the line.

use super::super::bit_set::BitSet;
use super::super::integers::{Element, IntegerDomain, Outcome, Truth};
use super::super::operation::{BinaryOperation, Comparison, Computed, UnaryOperation};
use super::super::tables::RegionResults;
use super::build::{ResolvedRow, shown};
use super::samples::samples;
use super::tree::{RowHead, RowResult};
use num_bigint::BigInt;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Source;

/// Reports wrong lines, and returns the assumptions that the others make.
pub(super) fn check(
    domain: &IntegerDomain,
    rows: &[ResolvedRow],
    source: &Source,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<String> {
    let numbers = if rows.is_empty() { Vec::new() } else { samples(&domain.regions) };
    let mut assumptions = Vec::new();
    for row in rows {
        let tested = Tested { domain, row, numbers: &numbers };
        if tested.is_proven() {
            continue;
        }
        let text = &source.text[row.row.span.range()];
        if let Some(label) = tested.counterexample() {
            let message = format!("`{text}` is wrong");
            let help = "add the result, or leave the line out: what has no line is computed";
            let error = Diagnostic::error("domain::unsound", message, row.row.span, label);
            diagnostics.push(error.help(help));
        } else {
            let (line, _) = source.position(row.row.span.start);
            assumptions.push(format!(
                "`{text}` ({}:{line}) is right: it is tested on numbers, and not proven",
                source.name
            ));
        }
    }
    assumptions
}

/// A line with the numbers that it is tested on.
struct Tested<'a> {
    domain: &'a IntegerDomain,
    row: &'a ResolvedRow<'a>,
    numbers: &'a [BigInt],
}

impl Tested<'_> {
    fn is_proven(&self) -> bool {
        let operands = &self.row.operands;
        match (&self.row.row.head, &self.row.row.result) {
            (RowHead::Unary(operation, _), _) => {
                self.covers(&self.domain.unary_results(*operation, operands[0]))
            }
            (RowHead::Binary(operation, ..), _) => {
                self.covers(&self.domain.binary_results(*operation, operands[0], operands[1]))
            }
            (RowHead::Compare(comparison, ..), RowResult::Truth(truth)) => {
                let is_empty = operands.iter().any(|operand| self.domain.is_empty(*operand));
                let exact = self.domain.compare(*comparison, operands[0], operands[1]);
                is_empty || *truth == Truth::Unknown || *truth == exact
            }
            (RowHead::Compare(..), RowResult::Outcomes { .. }) => true,
        }
    }

    /// Numbers for which the line is wrong, as a sentence.
    fn counterexample(&self) -> Option<String> {
        match (&self.row.row.head, &self.row.row.result) {
            (RowHead::Unary(operation, _), _) => self.unary(*operation),
            (RowHead::Binary(operation, ..), _) => self.binary(*operation),
            (RowHead::Compare(comparison, ..), RowResult::Truth(truth)) => {
                Some(self.compare(*comparison, *truth == Truth::True))
            }
            (RowHead::Compare(..), RowResult::Outcomes { .. }) => None,
        }
    }

    /// Do the outcomes stand for all these results?
    fn covers(&self, results: &RegionResults) -> bool {
        let covered = self.row.outcomes.iter().fold(BitSet::default(), |all, outcome| match outcome {
            Outcome::Integer(element) => all.union(self.domain.gamma_of(*element)),
            Outcome::Error => all,
        });
        let has_error = self.row.outcomes.contains(&Outcome::Error);
        results.regions.is_subset(&covered) && (has_error || !results.error)
    }

    /// The samples that an operand stands for.
    fn of(&self, operand: Element) -> impl Iterator<Item = &BigInt> + Clone {
        self.numbers.iter().filter(move |n| self.domain.contains(operand, n))
    }

    fn pairs(&self) -> impl Iterator<Item = (&BigInt, &BigInt)> {
        let right = self.of(self.row.operands[1]);
        self.of(self.row.operands[0]).flat_map(move |a| right.clone().map(move |b| (a, b)))
    }

    /// Does an outcome stand for the result?
    fn has(&self, result: &BigInt) -> bool {
        let stands_for = |outcome: &Outcome| match outcome {
            Outcome::Integer(element) => self.domain.contains(*element, result),
            Outcome::Error => false,
        };
        self.row.outcomes.iter().any(stands_for)
    }

    fn unary(&self, operation: UnaryOperation) -> Option<String> {
        let wrong = |n: &&BigInt| !self.has(&operation.compute(n));
        let n = self.of(self.row.operands[0]).find(wrong)?;
        Some(format!("{operation} {} is {}", operand(n), self.result(&operation.compute(n))))
    }

    fn binary(&self, operation: BinaryOperation) -> Option<String> {
        self.pairs().find_map(|(a, b)| {
            let result = match operation.compute(a, b) {
                Computed::Integer(n) if !self.has(&n) => self.result(&n),
                Computed::Error if !self.row.outcomes.contains(&Outcome::Error) => "an error".to_owned(),
                _ => return None,
            };
            Some(format!("{} {operation} {} is {result}", operand(a), operand(b)))
        })
    }

    /// A comparison that regions do not prove is wrong for some numbers, samples or not.
    fn compare(&self, comparison: Comparison, claimed: bool) -> String {
        let wrong = self.pairs().find(|(a, b)| comparison.compute(a, b) != claimed);
        wrong.map_or("it differs from number to number".to_owned(), |(a, b)| {
            format!("{} {} {} is {}", operand(a), comparison.name(), operand(b), !claimed)
        })
    }

    /// A result with its value.
    fn result(&self, n: &BigInt) -> String {
        format!("{}, which is `{}`", shown(n), self.domain.name(self.domain.alpha(n)))
    }
}

/// An operand in a message.
fn operand(n: &BigInt) -> String {
    if *n < BigInt::ZERO { format!("({})", shown(n)) } else { shown(n) }
}
