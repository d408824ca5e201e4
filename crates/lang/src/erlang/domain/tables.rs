//! The outcomes of operations on elements, computed row by row when they are asked for.
//!
//! An operation on two elements is the union of the operation on their regions, and the operation on two
//! regions is that on two strides. Both are kept: a row of regions serves many elements.
//!
//! Promise: a cell is computed at most once a thread, and never changes.

use super::bit_set::BitSet;
use super::integers::{Element, IntegerDomain, Outcome};
use super::operation::{BinaryOperation, UnaryOperation};
use super::stride_arithmetic;
use std::sync::OnceLock;

/// The outcomes of one cell.
type Cell = Box<[Outcome]>;

/// One row for each operation and each left operand.
#[derive(Clone, Debug)]
pub(super) struct Tables {
    unary: Vec<OnceLock<Cell>>,
    binary: Vec<OnceLock<Box<[Cell]>>>,
    regions: Vec<OnceLock<Box<[RegionResults]>>>,
}

/// The regions that the results of an operation on two regions are in.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RegionResults {
    pub(super) regions: BitSet,
    pub(super) error: bool,
}

impl Tables {
    pub(super) fn new(elements: usize, regions: usize) -> Tables {
        Tables {
            unary: vec![OnceLock::new(); UnaryOperation::ALL.len() * elements],
            binary: vec![OnceLock::new(); BinaryOperation::ALL.len() * elements],
            regions: vec![OnceLock::new(); BinaryOperation::ALL.len() * regions],
        }
    }

    pub(super) fn unary<'a>(
        &'a self,
        domain: &IntegerDomain,
        operation: UnaryOperation,
        a: Element,
    ) -> &'a [Outcome] {
        let cell = &self.unary[operation as usize * domain.len() + a.index()];
        cell.get_or_init(|| match domain.rows.unary(domain, operation, a) {
            Some(written) => written.into(),
            None => domain.outcomes(&domain.unary_results(operation, a)),
        })
    }

    pub(super) fn binary<'a>(
        &'a self,
        domain: &IntegerDomain,
        operation: BinaryOperation,
        a: Element,
        b: Element,
    ) -> &'a [Outcome] {
        let row = &self.binary[operation as usize * domain.len() + a.index()];
        let row = row.get_or_init(|| {
            let cell = |b: Element| match domain.rows.binary(domain, operation, a, b) {
                Some(written) => written.into(),
                None => domain.outcomes(&domain.binary_results(operation, a, b)),
            };
            domain.elements().map(cell).collect()
        });
        &row[b.index()]
    }

    /// The results for two regions.
    fn of_regions(
        &self,
        domain: &IntegerDomain,
        operation: BinaryOperation,
        a: usize,
        b: usize,
    ) -> RegionResults {
        let row = &self.regions[operation as usize * domain.regions.len() + a];
        let row = row.get_or_init(|| {
            let left = domain.regions.stride(a);
            let result = |b: usize| {
                let results = stride_arithmetic::binary(operation, left, domain.regions.stride(b));
                RegionResults { regions: domain.regions_of(&results.strides), error: results.error }
            };
            (0..domain.regions.len()).map(result).collect()
        });
        row[b]
    }
}

impl IntegerDomain {
    /// The regions that the results of an operation are in.
    pub(super) fn unary_results(&self, operation: UnaryOperation, a: Element) -> RegionResults {
        let regions = self.gamma_of(a).iter().fold(BitSet::default(), |all, region| {
            let results = stride_arithmetic::unary(operation, self.regions.stride(region));
            all.union(&self.regions_of(&results))
        });
        RegionResults { regions, error: false }
    }

    /// The regions that the results of an operation are in.
    pub(super) fn binary_results(&self, operation: BinaryOperation, a: Element, b: Element) -> RegionResults {
        let mut all = RegionResults::default();
        for left in self.gamma_of(a).iter() {
            for right in self.gamma_of(b).iter() {
                let results = self.tables().of_regions(self, operation, left, right);
                all.regions = all.regions.union(&results.regions);
                all.error |= results.error;
            }
        }
        all
    }

    fn regions_of(&self, strides: &[super::stride::Stride]) -> BitSet {
        strides.iter().fold(BitSet::default(), |all, stride| all.union(&self.regions.meeting(stride)))
    }

    /// The most precise outcomes for these results. Operations on an element that stands for no number have
    /// none; the least element is the outcome then, since an operation has one.
    fn outcomes(&self, results: &RegionResults) -> Cell {
        let error = results.error.then_some(Outcome::Error);
        let integer = match results.regions.is_empty() && results.error {
            true => None,
            false if results.regions.is_empty() => Some(self.least()),
            false => Some(self.cover(&results.regions)),
        };
        integer.map(Outcome::Integer).into_iter().chain(error).collect()
    }
}
