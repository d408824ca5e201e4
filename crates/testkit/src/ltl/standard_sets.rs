//! The formulas that papers on the translation of temporal logic measure with.
//!
//! Dwyer, Avrunin and Corbett, Property Specification Patterns for Finite-State Verification, FMSP 1998;
//! Etessami and Holzmann, Optimizing Büchi Automata, CONCUR 2000; Somenzi and Bloem, Efficient Büchi
//! Automata from LTL Formulae, CAV 2000.

use super::parse_letters;
use selvedge_ltl::{Formula, Prop};

/// A set of formulas from a paper.
#[derive(Clone, Copy, Debug)]
pub struct StandardSet {
    /// The authors.
    pub name: &'static str,
    /// One formula per line; lines that begin with `#` are comments.
    pub text: &'static str,
}

impl StandardSet {
    /// Dwyer, Avrunin and Corbett: 55 formulas, eleven patterns in five scopes.
    pub const DWYER: StandardSet =
        StandardSet { name: "Dwyer et al.", text: include_str!("formulas/dwyer.ltl") };
    /// Etessami and Holzmann: 12 formulas.
    pub const ETESSAMI_HOLZMANN: StandardSet =
        StandardSet { name: "Etessami and Holzmann", text: include_str!("formulas/etessami-holzmann.ltl") };
    /// Somenzi and Bloem: 27 formulas.
    pub const SOMENZI_BLOEM: StandardSet =
        StandardSet { name: "Somenzi and Bloem", text: include_str!("formulas/somenzi-bloem.ltl") };
    /// All sets.
    pub const ALL: [StandardSet; 3] =
        [StandardSet::DWYER, StandardSet::ETESSAMI_HOLZMANN, StandardSet::SOMENZI_BLOEM];

    /// The formulas as they are written.
    pub fn lines(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
    }

    /// The formulas, their propositions numbered by the letter.
    pub fn formulas(&self) -> Vec<Formula<Prop>> {
        self.lines().map(parse_letters).collect()
    }
}
