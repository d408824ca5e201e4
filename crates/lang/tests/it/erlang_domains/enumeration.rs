//! Built-in domains and products against small and large numbers, one by one.
//!
//! The reference knows α and the order alone. For each pair of operands it computes the operation on
//! numbers; for elements a and b it collects α of all results for numbers with a ⊑ α(v) and b ⊑ α(w). Every
//! one of these must be above an outcome. How often the outcome is the best for these numbers is pinned.

use super::integers;
use expect_test::{Expect, expect};
use num_bigint::BigInt;
use selvedge_lang::erlang::domain::{
    BinaryOperation, Comparison, Computed, Element, IntegerDomain, Match, Outcome, Truth, UnaryOperation,
};
use std::collections::{BTreeMap, BTreeSet};

/// Small numbers, and a few large ones.
pub(super) fn numbers() -> Vec<BigInt> {
    let large = [1_i64 << 31, (1 << 31) + 1, i64::MAX, i64::MIN, -1_000_003, 1_000_002].map(BigInt::from);
    (-40..=40).map(BigInt::from).chain(large).chain([BigInt::from(u64::MAX) * 6]).collect()
}

/// α of all results, for each pair of α of the operands.
type Images = BTreeMap<(Element, Element), BTreeSet<Outcome>>;

pub(super) struct Reference<'a> {
    pub(super) domain: &'a IntegerDomain,
    numbers: Vec<BigInt>,
}

impl<'a> Reference<'a> {
    pub(super) fn new(domain: &'a IntegerDomain) -> Reference<'a> {
        Reference { domain, numbers: numbers() }
    }

    pub(super) fn images(&self, operation: BinaryOperation) -> Images {
        let mut images = Images::new();
        for v in &self.numbers {
            for w in &self.numbers {
                let image = match operation.compute(v, w) {
                    Computed::Integer(n) => Outcome::Integer(self.domain.alpha(&n)),
                    Computed::Error => Outcome::Error,
                    Computed::TooLarge => continue,
                };
                images.entry((self.domain.alpha(v), self.domain.alpha(w))).or_default().insert(image);
            }
        }
        images
    }

    /// What an operation on two elements must cover.
    pub(super) fn required(&self, images: &Images, a: Element, b: Element) -> BTreeSet<Outcome> {
        let applies =
            |(v, w): &(Element, Element)| self.domain.is_at_most(a, *v) && self.domain.is_at_most(b, *w);
        images.iter().filter(|(pair, _)| applies(pair)).flat_map(|(_, set)| set.iter().copied()).collect()
    }

    pub(super) fn covers(&self, outcomes: &[Outcome], required: &BTreeSet<Outcome>) -> bool {
        required.iter().all(|wanted| match wanted {
            Outcome::Error => outcomes.contains(wanted),
            Outcome::Integer(image) => outcomes.iter().any(
                |outcome| matches!(outcome, Outcome::Integer(element) if self.domain.is_at_most(*element, *image)),
            ),
        })
    }

    /// Is there no more precise element that covers the required ones, and no error too many?
    fn is_best(&self, outcomes: &[Outcome], required: &BTreeSet<Outcome>) -> bool {
        let error = outcomes.contains(&Outcome::Error);
        let is_improved = |outcome: &Outcome| {
            let Outcome::Integer(element) = outcome else { return false };
            let mut better = self
                .domain
                .elements()
                .filter(|other| other != element && self.domain.is_at_most(*element, *other));
            better.any(|other| self.covers(&[Outcome::Integer(other), Outcome::Error], required))
        };
        error == required.contains(&Outcome::Error) && !outcomes.iter().any(is_improved)
    }

    /// Checks every operation on all elements; the number of cells, and how many are best.
    pub(super) fn check(&self) -> (usize, usize) {
        let (mut cells, mut best) = (0, 0);
        let domain = self.domain;
        for operation in BinaryOperation::ALL {
            let images = self.images(operation);
            for a in domain.elements() {
                for b in domain.elements() {
                    let required = self.required(&images, a, b);
                    let outcomes = domain.binary(operation, a, b);
                    assert!(!outcomes.is_empty());
                    let what = || format!("{} {operation} {}: {outcomes:?}", domain.name(a), domain.name(b));
                    assert!(self.covers(outcomes, &required), "{}, required {required:?}", what());
                    cells += 1;
                    best += usize::from(self.is_best(outcomes, &required));
                }
            }
        }
        (cells, best)
    }

    fn check_unary(&self) {
        for operation in UnaryOperation::ALL {
            for a in self.domain.elements() {
                let members = self.numbers.iter().filter(|n| self.domain.is_at_most(a, self.domain.alpha(n)));
                let image = |n: &BigInt| Outcome::Integer(self.domain.alpha(&operation.compute(n)));
                let required: BTreeSet<Outcome> = members.map(image).collect();
                assert!(self.covers(self.domain.unary(operation, a), &required), "{operation} {a:?}");
            }
        }
    }

    /// Matches, exact numbers and numbers left out.
    fn check_matches(&self) {
        let domain = self.domain;
        for a in domain.elements() {
            let members: Vec<&BigInt> =
                self.numbers.iter().filter(|n| domain.is_at_most(a, domain.alpha(n))).collect();
            for n in &self.numbers {
                let is_member = members.contains(&n);
                assert_eq!(domain.contains(a, n), is_member);
                let is_right = match domain.matches(a, n) {
                    Match::No => !is_member,
                    Match::Yes => members == [n],
                    Match::Maybe => is_member,
                };
                assert!(is_right, "{} {n}", domain.name(a));
                if let Some(only) = domain.only_value(a) {
                    assert!(members.is_empty() || members == [only]);
                }
                let rest = domain.without(a, n);
                for other in members.iter().filter(|other| **other != n) {
                    assert!(rest.is_some_and(|rest| domain.contains(rest, other)), "{}", domain.name(a));
                }
            }
        }
        for n in &self.numbers {
            let same = self.numbers.iter().filter(|other| domain.contains(domain.alpha(n), other)).count();
            assert!(!domain.is_exact(n) || same == 1, "{n}");
        }
    }

    fn check_comparisons(&self) {
        let domain = self.domain;
        for comparison in [Comparison::Less, Comparison::Equal] {
            let mut images: BTreeMap<(Element, Element), BTreeSet<bool>> = BTreeMap::new();
            for v in &self.numbers {
                for w in &self.numbers {
                    let key = (domain.alpha(v), domain.alpha(w));
                    images.entry(key).or_default().insert(comparison.compute(v, w));
                }
            }
            for (a, b) in domain.elements().flat_map(|a| domain.elements().map(move |b| (a, b))) {
                let applies =
                    |(v, w): &(Element, Element)| domain.is_at_most(a, *v) && domain.is_at_most(b, *w);
                let found: BTreeSet<bool> = images
                    .iter()
                    .filter(|(pair, _)| applies(pair))
                    .flat_map(|(_, set)| set.clone())
                    .collect();
                let is_right = match domain.compare(comparison, a, b) {
                    Truth::True => !found.contains(&false),
                    Truth::False => !found.contains(&true),
                    Truth::Unknown => true,
                };
                assert!(is_right, "{} {comparison:?} {}", domain.name(a), domain.name(b));
            }
        }
    }

    /// Labels and propositions, by the sets of numbers (Huch, Definition 8).
    fn check_propositions(&self) {
        let domain = self.domain;
        let members = |element: Element| -> BTreeSet<&BigInt> {
            self.numbers.iter().filter(|n| domain.is_at_most(element, domain.alpha(n))).collect()
        };
        let sets: Vec<BTreeSet<&BigInt>> = domain.elements().map(members).collect();
        for (index, proposition) in domain.elements().enumerate() {
            for (other, label) in domain.elements().enumerate() {
                let is_right = match domain.judge(proposition, label) {
                    Truth::True => sets[other].is_subset(&sets[index]),
                    Truth::False => sets[other].is_disjoint(&sets[index]),
                    Truth::Unknown => true,
                };
                assert!(is_right, "{} for the label {}", domain.name(proposition), domain.name(label));
            }
        }
    }

    pub(super) fn check_all(&self) -> (usize, usize) {
        self.check_unary();
        self.check_matches();
        self.check_comparisons();
        self.check_propositions();
        self.check()
    }
}

#[track_caller]
fn check(texts: &[&str], expected: &Expect) {
    let domain = integers(texts);
    let (cells, best) = Reference::new(&domain).check_all();
    expected.assert_eq(&format!("{} elements, best in {best} of {cells} cells", domain.len()));
}

#[test]
fn parity_covers_all_results() {
    check(&["parity"], &expect!["3 elements, best in 90 of 90 cells"]);
}

#[test]
fn sign_covers_all_results() {
    check(&["sign"], &expect!["7 elements, best in 490 of 490 cells"]);
}

#[test]
fn intervals_cover_all_results() {
    check(&["intervals(0)"], &expect!["3 elements, best in 90 of 90 cells"]);
    check(&["intervals(0, 1)"], &expect!["6 elements, best in 360 of 360 cells"]);
    check(&["intervals(0, 10)"], &expect!["6 elements, best in 360 of 360 cells"]);
    check(&["intervals(-7, 3, 8)"], &expect!["10 elements, best in 998 of 1000 cells"]);
    check(&["intervals(-1, 0, 1, 2, 3)"], &expect!["21 elements, best in 4410 of 4410 cells"]);
}

#[test]
fn products_cover_all_results() {
    check(&["parity", "sign"], &expect!["16 elements, best in 2560 of 2560 cells"]);
    check(&["parity", "intervals(0, 1, 10)"], &expect!["25 elements, best in 6250 of 6250 cells"]);
    check(&["sign", "intervals(-3, 5)"], &expect!["19 elements, best in 3608 of 3610 cells"]);
    check(&["parity", "sign", "intervals(4)"], &expect!["29 elements, best in 8356 of 8410 cells"]);
}

#[test]
fn products_with_files_cover_all_results() {
    check(&["even-odd.domain", "sign"], &expect!["16 elements, best in 2560 of 2560 cells"]);
    check(&["overlapping-sets.domain", "parity"], &expect!["11 elements, best in 1206 of 1210 cells"]);
    check(&["at-most.domain", "even-odd.domain"], &expect!["9 elements, best in 810 of 810 cells"]);
}
