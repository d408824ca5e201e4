//! Abstract domains: what a search keeps of integers, atoms and the depth of terms.
//!
//! Huch, Model Checking Erlang Programs: LTL-Propositions and Abstract Interpretation. An abstract value
//! is a term whose integers may be elements of an [`IntegerDomain`], whose atoms may be sets of an
//! [`AtomDomain`], and whose parts below a depth are unknown. A [`Domain`] says which of these apply;
//! several domains are their product, which knows what each of them knows.
//!
//! The order is that of the paper: a ⊑ b if b is at least as precise, and the least element stands for all
//! integers. α maps a number to its most precise element, and γ(a) = {n | a ⊑ α(n)}.
//!
//! - [`operation`]: the operations of Erlang on integers, on numbers;
//! - `stride`, `stride_arithmetic`, `regions`: sets of integers, and operations on them;
//! - [`integers`], `order`, `tables`, `rows`, `product`: domains of integers;
//! - `built_in`, `file`: those that are part of the program, and those that a user writes;
//! - [`atoms`]: domains of atoms; [`text`]: how a domain is named on the command line.
//!
//! Promise: operations, matches and comparisons on elements cover those on all numbers that the elements
//! stand for. This module does no I/O.

pub mod atoms;
mod bit_set;
mod built_in;
mod file;
pub mod integers;
pub mod operation;
mod order;
mod product;
mod regions;
mod rows;
mod stride;
mod stride_arithmetic;
mod tables;
pub mod text;

pub use atoms::{AtomDomain, AtomSet};
pub use integers::{Element, IntegerDomain, Match, Outcome, Truth};
pub use operation::{BinaryOperation, Comparison, Computed, UnaryOperation};
pub use text::{DomainText, SourceDiagnostic};

/// The product of the domains that were asked for; without any, values are concrete.
#[derive(Clone, Debug, Default)]
pub struct Domain {
    /// The abstraction of integers.
    pub integers: Option<IntegerDomain>,
    /// The abstraction of atoms.
    pub atoms: Option<AtomDomain>,
    /// The depth of terms, at least 1; deeper parts are unknown.
    pub depth: Option<usize>,
}

impl Domain {
    /// Every value is itself.
    pub fn concrete() -> Domain {
        Domain::default()
    }

    /// Is every value itself?
    pub fn is_concrete(&self) -> bool {
        self.integers.is_none() && self.atoms.is_none() && self.depth.is_none()
    }

    /// What is taken on trust, each a sentence.
    pub fn assumptions(&self) -> &[String] {
        self.integers.as_ref().map_or(&[], IntegerDomain::assumptions)
    }
}
