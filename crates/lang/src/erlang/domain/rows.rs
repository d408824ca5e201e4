//! What the files of domains say about operations, in place of what is computed.
//!
//! A domain of one file takes its rows word for word. In a product, the results that are computed on regions
//! are cut down by the row of each component: one outcome for each combination of the rows' outcomes that
//! has a number.
//!
//! Promise: rows never add a result to a product that its regions exclude, so a product is at least as
//! precise as each of its components.

use super::bit_set::BitSet;
use super::integers::{Element, IntegerDomain, Outcome, Truth};
use super::operation::{BinaryOperation, Comparison, UnaryOperation};
use super::tables::RegionResults;
use rustc_hash::FxHashMap;

/// The rows of one file.
#[derive(Clone, Debug, Default)]
pub(super) struct WrittenRows {
    pub(super) unary: FxHashMap<(UnaryOperation, Element), Vec<Outcome>>,
    pub(super) binary: FxHashMap<(BinaryOperation, Element, Element), Vec<Outcome>>,
    pub(super) comparisons: FxHashMap<(Comparison, Element, Element), Truth>,
}

/// A domain with rows that is part of a product.
#[derive(Clone, Debug)]
pub(super) struct Component {
    pub(super) rows: WrittenRows,
    /// For each element of the product, the element of this component.
    pub(super) projection: Vec<Element>,
    /// For each element of this component, the regions of the product that it stands for.
    pub(super) gamma: Vec<BitSet>,
}

/// The rows of a domain.
#[derive(Clone, Debug)]
pub(super) enum Rows {
    /// Those of its file; a built-in domain has none.
    Own(WrittenRows),
    /// Those of the components of a product.
    Product(Vec<Component>),
}

impl Default for Rows {
    fn default() -> Rows {
        Rows::Own(WrittenRows::default())
    }
}

impl Rows {
    pub(super) fn unary(
        &self,
        domain: &IntegerDomain,
        operation: UnaryOperation,
        a: Element,
    ) -> Option<Vec<Outcome>> {
        match self {
            Rows::Own(rows) => rows.unary.get(&(operation, a)).cloned(),
            Rows::Product(components) => {
                let row = |component: &Component| {
                    let outcomes = component.rows.unary.get(&(operation, component.projection[a.index()]))?;
                    Some(component.allowed(outcomes))
                };
                let allowed: Vec<Allowed> = components.iter().filter_map(row).collect();
                narrow(domain, &allowed, || domain.unary_results(operation, a))
            }
        }
    }

    pub(super) fn binary(
        &self,
        domain: &IntegerDomain,
        operation: BinaryOperation,
        a: Element,
        b: Element,
    ) -> Option<Vec<Outcome>> {
        match self {
            Rows::Own(rows) => rows.binary.get(&(operation, a, b)).cloned(),
            Rows::Product(components) => {
                let row = |component: &Component| {
                    let (a, b) = (component.projection[a.index()], component.projection[b.index()]);
                    Some(component.allowed(component.rows.binary.get(&(operation, a, b))?))
                };
                let allowed: Vec<Allowed> = components.iter().filter_map(row).collect();
                narrow(domain, &allowed, || domain.binary_results(operation, a, b))
            }
        }
    }

    /// What a file says about a comparison. A product computes it, which is at least as precise.
    pub(super) fn comparison(&self, operation: Comparison, a: Element, b: Element) -> Option<Truth> {
        match self {
            Rows::Own(rows) => rows.comparisons.get(&(operation, a, b)).copied(),
            Rows::Product(_) => None,
        }
    }
}

/// The results that one row allows.
struct Allowed {
    /// One set of regions for each outcome that is an integer.
    sets: Vec<BitSet>,
    error: bool,
}

impl Component {
    fn allowed(&self, outcomes: &[Outcome]) -> Allowed {
        let set = |outcome: &Outcome| match outcome {
            Outcome::Integer(element) => Some(self.gamma[element.index()]),
            Outcome::Error => None,
        };
        Allowed { sets: outcomes.iter().filter_map(set).collect(), error: outcomes.contains(&Outcome::Error) }
    }
}

/// The computed results, cut down by rows; `None` if there are no rows, or if they leave nothing.
fn narrow(
    domain: &IntegerDomain,
    rows: &[Allowed],
    results: impl FnOnce() -> RegionResults,
) -> Option<Vec<Outcome>> {
    if rows.is_empty() {
        return None;
    }
    let RegionResults { regions, error } = results();
    let mut sets = vec![regions];
    for row in rows {
        sets = sets.iter().flat_map(|set| row.sets.iter().map(|allowed| set.intersection(allowed))).collect();
    }
    let integers = sets.iter().filter(|set| !set.is_empty()).map(|set| Outcome::Integer(domain.cover(set)));
    let is_error = error && rows.iter().all(|row| row.error);
    let mut outcomes: Vec<Outcome> = integers.chain(is_error.then_some(Outcome::Error)).collect();
    outcomes.sort_unstable();
    outcomes.dedup();
    (!outcomes.is_empty()).then_some(outcomes)
}
