//! Domains of integers that a user writes: a small text file each, checked when it is loaded.
//!
//! ```text
//! domain parity
//! values even, odd
//! order ?int < even, ?int < odd        // the more precise value is the larger one
//! alpha
//!   n % 2 = 0 -> even                  // the first line that fits decides
//!   otherwise -> odd
//! even + even -> even                  // operations without a line are computed from alpha
//! even div even -> ?int, error
//! ```
//!
//! `parse` reads the text, `build` makes the domain and looks for values that are superfluous, and `check`
//! tests every line about an operation on numbers.
//!
//! Promise: a domain that is returned fulfils the conditions on abstract interpretations (Huch, section 3):
//! what is computed by construction, what is written as far as tests on numbers show. Lines that are not
//! proven are assumptions of the domain.

mod build;
mod check;
mod condition;
pub(super) mod parse;
mod samples;
pub(super) mod token;
mod tree;

use super::integers::IntegerDomain;
use selvedge_ltl::diagnostic::{Diagnostic, Severity};
use selvedge_ltl::source::Source;

/// The domain of a file, unless there are errors, and the diagnostics.
pub(super) fn load(source: &Source) -> (Option<IntegerDomain>, Vec<Diagnostic>) {
    let (tree, mut diagnostics) = parse::parse(&source.text);
    let is_error = |diagnostics: &[Diagnostic]| diagnostics.iter().any(|one| one.severity == Severity::Error);
    if is_error(&diagnostics) {
        return (None, diagnostics);
    }
    let domain = build::build(&tree, source, &mut diagnostics);
    diagnostics.truncate(parse::MAX_DIAGNOSTICS);
    (domain.filter(|_| !is_error(&diagnostics)), diagnostics)
}
