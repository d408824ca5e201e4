//! A finite abstraction of the integers: elements, their order, α, and what operations give.
//!
//! After Huch, Model Checking Erlang Programs: LTL-Propositions and Abstract Interpretation, sections 3 and
//! 7. The concretization γ(a) = {n | a ⊑ α(n)} is a set of regions, so emptiness, disjointness, matches
//! and comparisons are decided exactly. An operation is computed on the regions of its operands, and its
//! result is the most precise element for all results, unless the file of the domain says otherwise.
//!
//! Promise (the paper's P1): for all numbers and all elements a ⊑ α(n), b ⊑ α(m), some outcome of the
//! operation on a and b is ⊑ α of the result, and an error is an outcome if the operation fails. Rows of a
//! file that are not proven by regions are among [`IntegerDomain::assumptions`]. An operation has at least
//! one outcome. A table is filled when it is asked for, and is shared by threads.

use super::bit_set::BitSet;
use super::operation::{BinaryOperation, Comparison, UnaryOperation};
use super::order::Order;
use super::regions::Regions;
use super::rows::Rows;
use super::tables::Tables;
use num_bigint::BigInt;
use rustc_hash::FxHashMap;

/// The maximal number of elements of a domain.
pub const MAX_ELEMENTS: usize = super::bit_set::CAPACITY;

/// The name of the least element, whatever the file of a domain calls it.
pub const ANY_INTEGER: &str = "?int";

/// An element of a domain, as its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Element(pub u16);

impl Element {
    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }

    pub(super) fn new(index: usize) -> Element {
        Element(index as u16)
    }
}

/// Is the number that an element stands for the one of a pattern?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Match {
    /// For none of the numbers that the element stands for.
    No,
    /// For some, and not for others.
    Maybe,
    /// For all of them.
    Yes,
}

/// What a comparison gives for two elements, or a proposition for a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Truth {
    /// For all numbers that the elements stand for.
    True,
    /// For none.
    False,
    /// For some, or it cannot be told.
    Unknown,
}

/// One possible result of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// Some integer that the element stands for.
    Integer(Element),
    /// The exception `badarith`.
    Error,
}

/// A finite abstraction of the integers.
#[derive(Clone, Debug)]
pub struct IntegerDomain {
    pub(super) name: String,
    pub(super) names: Vec<String>,
    /// Every name of an element: those that are printed, and others that a formula may use.
    pub(super) by_name: FxHashMap<String, Element>,
    pub(super) order: Order,
    pub(super) regions: Regions,
    /// For each region, the element that its numbers are abstracted to.
    pub(super) alpha: Vec<Element>,
    /// For each element, the regions that it stands for.
    pub(super) gamma: Vec<BitSet>,
    /// The elements, the most precise ones first.
    by_precision: Vec<Element>,
    /// For each element, the bounds of its numbers.
    bounds: Vec<Bounds>,
    least: Element,
    /// What a file says about operations.
    pub(super) rows: Rows,
    pub(super) assumptions: Vec<String>,
    tables: Tables,
}

/// The smallest and the largest number that an element stands for, if there are such.
#[derive(Clone, Debug, Default)]
struct Bounds {
    low: Option<BigInt>,
    high: Option<BigInt>,
}

/// What a domain is made from; the order has a least element.
pub(super) struct Parts {
    pub(super) name: String,
    pub(super) names: Vec<String>,
    pub(super) aliases: FxHashMap<String, Element>,
    pub(super) order: Order,
    pub(super) regions: Regions,
    pub(super) alpha: Vec<Element>,
}

impl IntegerDomain {
    pub(super) fn new(parts: Parts) -> IntegerDomain {
        let Parts { name, names, aliases: mut by_name, order, regions, alpha } = parts;
        let least = Element::new(order.least().expect("a least element was added"));
        by_name.extend(names.iter().enumerate().map(|(index, name)| (name.clone(), Element::new(index))));
        by_name.entry(ANY_INTEGER.to_owned()).or_insert(least);
        let stands_for = |element: usize| {
            let is_there = |region: &usize| order.is_at_most(element, alpha[*region].index());
            (0..regions.len()).filter(is_there).collect::<BitSet>()
        };
        let gamma: Vec<BitSet> = (0..names.len()).map(stands_for).collect();
        let bounds = gamma.iter().map(|set| bounds_of(set, &regions)).collect();
        let by_precision = by_precision(&gamma, &order);
        let tables = Tables::new(names.len(), regions.len());
        let (rows, assumptions) = (Rows::default(), Vec::new());
        IntegerDomain {
            name,
            names,
            by_name,
            order,
            regions,
            alpha,
            gamma,
            by_precision,
            bounds,
            least,
            rows,
            assumptions,
            tables,
        }
    }

    /// `parity`, or `parity * sign`.
    pub fn domain_name(&self) -> &str {
        &self.name
    }

    /// The number of elements.
    #[allow(clippy::len_without_is_empty)] // a domain has a least element
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Every element.
    pub fn elements(&self) -> impl Iterator<Item = Element> + use<> {
        (0..self.len()).map(Element::new)
    }

    /// The name of an element, `even`.
    pub fn name(&self, element: Element) -> &str {
        &self.names[element.index()]
    }

    /// The element with this name. `?int` is the least one, whatever it is called.
    pub fn named(&self, name: &str) -> Option<Element> {
        self.by_name.get(name).copied()
    }

    /// The element that stands for all integers.
    pub fn least(&self) -> Element {
        self.least
    }

    /// The most precise element that stands for the number.
    pub fn alpha(&self, n: &BigInt) -> Element {
        self.alpha[self.regions.region_of(n)]
    }

    /// a ⊑ b: b is at least as precise.
    pub fn is_at_most(&self, a: Element, b: Element) -> bool {
        self.order.is_at_most(a.index(), b.index())
    }

    /// Is some element at least as precise as both? If not, no number is in both concretizations.
    pub fn have_common_upper_bound(&self, a: Element, b: Element) -> bool {
        self.order.have_common_upper_bound(a.index(), b.index())
    }

    /// Does a state with this label satisfy the proposition?
    ///
    /// Huch, Lemma 2, where a label refutes a proposition if the two have no *least* upper bound. That is
    /// unsound: 1 and 2 are both upper bounds of {1,2,3} and {1,2,4}, and none of them is least. So any
    /// common upper bound makes the answer unknown.
    pub fn judge(&self, proposition: Element, label: Element) -> Truth {
        if self.is_at_most(proposition, label) {
            Truth::True
        } else if self.have_common_upper_bound(proposition, label) {
            Truth::Unknown
        } else {
            Truth::False
        }
    }

    /// Is the number one that the element stands for?
    pub fn contains(&self, element: Element, n: &BigInt) -> bool {
        self.gamma[element.index()].contains(self.regions.region_of(n))
    }

    /// Does the element stand for no number at all? No operation gives such an element, unless a file says
    /// so.
    pub fn is_empty(&self, element: Element) -> bool {
        self.gamma[element.index()].is_empty()
    }

    /// The number, if the element stands for one alone.
    pub fn only_value(&self, element: Element) -> Option<&BigInt> {
        let set = &self.gamma[element.index()];
        let first = set.iter().next().filter(|_| set.len() == 1)?;
        self.regions.stride(first).only()
    }

    /// Does the domain tell the number from all others?
    pub fn is_exact(&self, n: &BigInt) -> bool {
        self.only_value(self.alpha(n)).is_some()
    }

    /// Is the number that the element stands for this one?
    pub fn matches(&self, element: Element, n: &BigInt) -> Match {
        match (self.contains(element, n), self.only_value(element)) {
            (false, _) => Match::No,
            (true, Some(_)) => Match::Yes,
            (true, None) => Match::Maybe,
        }
    }

    /// The most precise element for the numbers of an element without this one: the value after a pattern
    /// has not matched. `None` if there are none.
    pub fn without(&self, element: Element, n: &BigInt) -> Option<Element> {
        let region = self.regions.region_of(n);
        let set = &self.gamma[element.index()];
        if !set.contains(region) || self.regions.stride(region).only().is_none() {
            return Some(element);
        }
        let rest = set.difference(&[region].into_iter().collect());
        (!rest.is_empty()).then(|| self.cover(&rest))
    }

    /// The outcomes of an operation; at least one.
    pub fn unary(&self, operation: UnaryOperation, a: Element) -> &[Outcome] {
        self.tables.unary(self, operation, a)
    }

    /// The outcomes of an operation; at least one.
    pub fn binary(&self, operation: BinaryOperation, a: Element, b: Element) -> &[Outcome] {
        self.tables.binary(self, operation, a, b)
    }

    /// What a comparison gives.
    pub fn compare(&self, operation: Comparison, a: Element, b: Element) -> Truth {
        if let Some(written) = self.rows.comparison(operation, a, b) {
            return written;
        }
        if self.is_empty(a) || self.is_empty(b) {
            return Truth::Unknown;
        }
        match operation {
            Comparison::Less => self.less(a, b),
            Comparison::Equal if self.gamma[a.index()].intersection(&self.gamma[b.index()]).is_empty() => {
                Truth::False
            }
            Comparison::Equal if self.only_value(a).is_some() && self.only_value(a) == self.only_value(b) => {
                Truth::True
            }
            Comparison::Equal => Truth::Unknown,
        }
    }

    fn less(&self, a: Element, b: Element) -> Truth {
        let (a, b) = (&self.bounds[a.index()], &self.bounds[b.index()]);
        if matches!((&a.high, &b.low), (Some(high), Some(low)) if high < low) {
            Truth::True
        } else if matches!((&a.low, &b.high), (Some(low), Some(high)) if low >= high) {
            Truth::False
        } else {
            Truth::Unknown
        }
    }

    /// What is taken on trust: rows of a file that were tested on numbers and are not proven.
    pub fn assumptions(&self) -> &[String] {
        &self.assumptions
    }

    pub(super) fn tables(&self) -> &Tables {
        &self.tables
    }

    /// The most precise element that stands for all these regions; of equally precise ones, the first.
    pub(super) fn cover(&self, regions: &BitSet) -> Element {
        let mut precise = self.by_precision.iter();
        let covers = |element: &&Element| regions.is_subset(&self.gamma[element.index()]);
        precise.find(covers).copied().unwrap_or(self.least)
    }

    /// The regions that the element stands for.
    pub(super) fn gamma_of(&self, element: Element) -> &BitSet {
        &self.gamma[element.index()]
    }
}

/// An element above another stands for no more regions, and has fewer elements above it.
fn by_precision(gamma: &[BitSet], order: &Order) -> Vec<Element> {
    let mut elements: Vec<usize> = (0..gamma.len()).collect();
    elements.sort_by_key(|element| (gamma[*element].len(), order.above(*element).len()));
    elements.into_iter().map(Element::new).collect()
}

fn bounds_of(set: &BitSet, regions: &Regions) -> Bounds {
    let lows: Option<Vec<&BigInt>> = set.iter().map(|region| regions.stride(region).low.as_ref()).collect();
    let highs: Option<Vec<&BigInt>> = set.iter().map(|region| regions.stride(region).high.as_ref()).collect();
    Bounds {
        low: lows.and_then(|lows| lows.into_iter().min().cloned()),
        high: highs.and_then(|highs| highs.into_iter().max().cloned()),
    }
}
