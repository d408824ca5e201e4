//! The class of a formula in the safety-progress hierarchy, as far as its syntax shows.
//!
//! Manna and Pnueli, A Hierarchy of Temporal Properties, PODC 1990; the grammars come from Chang, Manna and
//! Pnueli, ICALP 1992, with weak until and strong release (Schneider, LPAR 2001). The classes refer to
//! infinite words. A past operator is at each position a finite combination by "and" and "or" of its
//! operands at earlier ones, and each class is closed under these connectives.
//!
//! Promise: the property is in each returned class; it may also be in lower classes.

use crate::nnf::{FormulaArena, Nnf, Node};
use rustc_hash::FxHashMap;
use std::fmt;

/// The six classes, lower ones first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// `G p`: a finite prefix shows that it fails.
    Safety,
    /// `F p`: a finite prefix shows that it holds.
    Guarantee,
    /// Combinations of safety and guarantee.
    Obligation,
    /// `GF p`: a deterministic Büchi automaton accepts it.
    Recurrence,
    /// `FG p`: a weak automaton accepts it.
    Persistence,
    /// Combinations of recurrence and persistence: all properties.
    Reactivity,
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Class::Safety => "safety",
            Class::Guarantee => "guarantee",
            Class::Obligation => "obligation",
            Class::Recurrence => "recurrence",
            Class::Persistence => "persistence",
            Class::Reactivity => "reactivity",
        })
    }
}

/// All classes that the syntax shows; every formula is also in [`Class::Reactivity`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Classes {
    /// [`Class::Safety`]
    pub safety: bool,
    /// [`Class::Guarantee`]
    pub guarantee: bool,
    /// [`Class::Obligation`]
    pub obligation: bool,
    /// [`Class::Recurrence`]
    pub recurrence: bool,
    /// [`Class::Persistence`]
    pub persistence: bool,
}

/// The least class that the syntax shows; safety for a bounded formula, which is both safety and guarantee.
pub fn syntactic_class(arena: &FormulaArena, formula: Nnf) -> Class {
    let classes = syntactic_classes(arena, formula);
    let shown = [
        (classes.safety, Class::Safety),
        (classes.guarantee, Class::Guarantee),
        (classes.obligation, Class::Obligation),
        (classes.recurrence, Class::Recurrence),
        (classes.persistence, Class::Persistence),
    ];
    shown.into_iter().find(|(shown, _)| *shown).map_or(Class::Reactivity, |(_, class)| class)
}

/// All classes that the syntax shows.
pub fn syntactic_classes(arena: &FormulaArena, formula: Nnf) -> Classes {
    let mut known: FxHashMap<Nnf, Classes> = FxHashMap::default();
    for part in arena.subformulas(formula) {
        let classes = derived(arena, arena.node(part), &known);
        known.insert(part, classes);
    }
    known[&formula]
}

fn derived(arena: &FormulaArena, node: &Node, known: &FxHashMap<Nnf, Classes>) -> Classes {
    match node {
        Node::Until([a, b]) => {
            // a U (a & c)  =  c M a
            let weaker = arena.remaining_parts(*b, *a, true).map(|c| common(&c, known));
            dual(until(dual(known[a]), dual(known[b]), weaker.map(dual)))
        }
        Node::Release([a, b]) => {
            // a R (a | c)  =  c W a
            let weaker = arena.remaining_parts(*b, *a, false).map(|c| common(&c, known));
            until(known[a], known[b], weaker)
        }
        _ => common(node.children(), known),
    }
}

/// The classes that contain all parts.
fn common(parts: &[Nnf], known: &FxHashMap<Nnf, Classes>) -> Classes {
    let all = |is: fn(&Classes) -> bool| parts.iter().all(|part| is(&known[part]));
    Classes {
        safety: all(|c| c.safety),
        guarantee: all(|c| c.guarantee),
        obligation: all(|c| c.obligation),
        recurrence: all(|c| c.recurrence),
        persistence: all(|c| c.persistence),
    }
}

/// The classes of `a R b`; `weak_left` are the classes of c if the formula is `c W a`. For `a U b`, pass the
/// classes of the negated operands.
fn until(a: Classes, b: Classes, weak_left: Option<Classes>) -> Classes {
    let safe_left = weak_left.is_some_and(|c| c.safety);
    let safety = a.safety && b.safety;
    let obligation = safety || a.obligation && (b.safety || safe_left);
    Classes {
        safety,
        guarantee: false,
        obligation,
        recurrence: obligation || a.recurrence && b.recurrence,
        persistence: obligation || a.persistence && (b.safety || safe_left),
    }
}

/// The classes of the negation.
fn dual(classes: Classes) -> Classes {
    Classes {
        safety: classes.guarantee,
        guarantee: classes.safety,
        obligation: classes.obligation,
        recurrence: classes.persistence,
        persistence: classes.recurrence,
    }
}
