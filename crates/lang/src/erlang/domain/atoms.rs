//! An abstraction of atoms: some are kept, named sets of others are one value each, and the rest is another.
//!
//! `atoms(a, b, state = {idle, busy})` keeps `a` and `b`, takes `idle` and `busy` together as `state`,
//! and all other atoms as `?other`. The least precise value, `?atom`, stands for every atom; α never
//! gives it, but deeper parts of a term that are unknown do. `true` and `false` are kept always, since
//! comparisons give them.
//!
//! Promise: every atom is kept, or is in exactly one set beside `?atom`. No set has one atom alone.

use super::integers::{Match, Truth};
use rustc_hash::{FxHashMap, FxHashSet};

/// The set of all atoms.
pub const ANY_ATOM: &str = "?atom";

/// The set of all atoms that are not named.
pub const OTHER_ATOM: &str = "?other";

/// A set of atoms, as its number in a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AtomSet(pub u16);

impl AtomSet {
    /// All atoms, in every domain.
    pub const ANY: AtomSet = AtomSet(0);
    /// The atoms that a domain does not name.
    pub const OTHER: AtomSet = AtomSet(1);
}

/// Which atoms are kept, and which are taken together.
#[derive(Clone, Debug)]
pub struct AtomDomain {
    kept: FxHashSet<String>,
    names: Vec<String>,
    set_of: FxHashMap<String, AtomSet>,
}

impl Default for AtomDomain {
    fn default() -> AtomDomain {
        AtomDomain {
            kept: ["true", "false"].map(str::to_owned).into_iter().collect(),
            names: [ANY_ATOM, OTHER_ATOM].map(str::to_owned).to_vec(),
            set_of: FxHashMap::default(),
        }
    }
}

impl AtomDomain {
    /// Keeps an atom as it is. `false` if a set has it.
    pub(super) fn keep(&mut self, atom: &str) -> bool {
        let is_free = !self.set_of.contains_key(atom);
        if is_free {
            self.kept.insert(atom.to_owned());
        }
        is_free
    }

    /// Adds a set of atoms. An error is an atom that is named already, or the name of a set that is taken.
    pub(super) fn add_set(&mut self, name: &str, atoms: &[String]) -> Result<(), String> {
        if self.named(name).is_some() || self.names.len() > usize::from(u16::MAX) {
            return Err(name.to_owned());
        }
        let set = AtomSet(self.names.len() as u16);
        self.names.push(name.to_owned());
        for atom in atoms {
            if self.kept.contains(atom) || self.set_of.insert(atom.clone(), set).is_some() {
                return Err(atom.clone());
            }
        }
        Ok(())
    }

    /// The set that an atom is abstracted to; `None` if the atom is kept.
    pub fn alpha(&self, atom: &str) -> Option<AtomSet> {
        let set = self.set_of.get(atom).copied().unwrap_or(AtomSet::OTHER);
        (!self.kept.contains(atom)).then_some(set)
    }

    /// Does the domain tell the atom from all others?
    pub fn is_exact(&self, atom: &str) -> bool {
        self.kept.contains(atom)
    }

    /// The number of sets.
    #[allow(clippy::len_without_is_empty)] // there is the set of all atoms
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// The name of a set, `?atom`.
    pub fn name(&self, set: AtomSet) -> &str {
        &self.names[usize::from(set.0)]
    }

    /// The set with this name.
    pub fn named(&self, name: &str) -> Option<AtomSet> {
        self.names.iter().position(|known| known == name).map(|index| AtomSet(index as u16))
    }

    /// Is the atom one of the set?
    pub fn contains(&self, set: AtomSet, atom: &str) -> bool {
        set == AtomSet::ANY || self.alpha(atom) == Some(set)
    }

    /// a ⊑ b: b is at least as precise.
    pub fn is_at_most(&self, a: AtomSet, b: AtomSet) -> bool {
        a == AtomSet::ANY || a == b
    }

    /// Is some set at least as precise as both? If not, no atom is in both.
    pub fn have_common_upper_bound(&self, a: AtomSet, b: AtomSet) -> bool {
        self.is_at_most(a, b) || self.is_at_most(b, a)
    }

    /// Is the atom that the set stands for this one? Never a certain yes: no set has one atom alone.
    pub fn matches(&self, set: AtomSet, atom: &str) -> Match {
        if self.contains(set, atom) { Match::Maybe } else { Match::No }
    }

    /// Are the atoms that two sets stand for the same? Never certainly.
    pub fn equal(&self, a: AtomSet, b: AtomSet) -> Truth {
        if self.have_common_upper_bound(a, b) { Truth::Unknown } else { Truth::False }
    }
}
