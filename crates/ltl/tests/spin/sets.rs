//! The formulas that papers on the translation of temporal logic measure with.
//!
//! Dwyer, Avrunin and Corbett, Property Specification Patterns for Finite-State Verification, FMSP 1998; Etessami and
//! Holzmann, Optimizing Büchi Automata, CONCUR 2000; Somenzi and Bloem, Efficient Büchi Automata from LTL Formulae, CAV
//! 2000.

use super::common::read;
use selvedge_ltl::{Formula, Prop};

/// The sets, each with its name.
pub fn sets() -> [(&'static str, Vec<Formula<Prop>>); 3] {
    [
        ("Dwyer et al.", formulas(include_str!("../formulas/dwyer.ltl"))),
        ("Etessami and Holzmann", formulas(include_str!("../formulas/etessami-holzmann.ltl"))),
        ("Somenzi and Bloem", formulas(include_str!("../formulas/somenzi-bloem.ltl"))),
    ]
}

/// A formula a line; what begins with `#` is a comment.
fn formulas(text: &str) -> Vec<Formula<Prop>> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(read).collect()
}
