//! Simplification of formulas in normal form, before the construction of automata.
//!
//! The rules come from the literature: Somenzi and Bloem, CAV 2000 (rewriting, and rewriting by
//! implication); Etessami and Holzmann, CONCUR 2000 (eventual and universal formulas); Babiak, Křetínský,
//! Řehák and Strejček, TACAS 2012 (LTL3BA); and the documentation of Spot's formulas (Duret-Lutz, §5.4).
//! Each rule is written once, in `until`, `junction`, `context` or `boolean`; `duality` derives its dual and
//! its past forms.
//!
//! Promise: the result is equivalent at every position of every word of the given [`Reading`]. It is not
//! longer by [`FormulaArena::length`], except by the three rules that say why (`until::GROWING_RULES`,
//! `junction::GROWING_RULES`); [`Simplifier::shrinking`] omits these. Rewriting terminates: a step never
//! returns to an earlier formula of the same rewriting; no formula grows beyond [`MAX_GROWTH`]; no
//! proposition is added, so that there are finitely many such formulas; and after [`MAX_STEPS`] steps, more
//! than any test has needed, rewriting stops.
//!
//! ```
//! use selvedge_ltl::nnf::{Reading, FormulaArena};
//! use selvedge_ltl::{Alphabet, simplify::Simplifier};
//! let mut alphabet: Alphabet<String> = Alphabet::default();
//! let formula = alphabet.number(&"F (a U b) & G X F b".parse().unwrap()).unwrap();
//! let mut arena = FormulaArena::default();
//! let formula = arena.formula(&formula);
//! let simple = Simplifier::new(Reading::Infinite).simplify(&mut arena, formula);
//! let shown = arena.to_formula(simple).map(&mut |prop| alphabet.name(*prop).clone());
//! assert_eq!(shown.to_string(), "G F b");
//! ```

mod boolean;
mod classes;
mod context;
mod duality;
mod finish;
mod hierarchy;
mod implication;
mod junction;
mod until;

pub use classes::{is_eventual, is_universal};
pub use hierarchy::{Class, Classes, syntactic_class, syntactic_classes};

use crate::nnf::{FormulaArena, Nnf, Node, Reading};
use classes::Fact;
use duality::Duality;
use implication::Implications;
use rustc_hash::{FxHashMap, FxHashSet};

/// The maximal number of rewriting steps for one call of [`Simplifier::simplify`].
pub const MAX_STEPS: usize = 100_000;

/// The maximal length of a formula, as a multiple of the given formula's length.
pub const MAX_GROWTH: usize = 4;

/// Simplifies the formulas of one arena, for one reading.
#[derive(Clone, Debug)]
pub struct Simplifier {
    reading: Reading,
    implications: Implications,
    /// The simplified form of each formula; a simple formula maps to itself.
    simple: FxHashMap<Nnf, Nnf>,
    /// Formulas that are being rewritten.
    active: FxHashSet<Nnf>,
    may_grow: bool,
    steps_left: usize,
    longest: usize,
}

impl Simplifier {
    /// A simplifier for one reading.
    pub fn new(reading: Reading) -> Simplifier {
        Simplifier {
            reading,
            implications: Implications::new(reading),
            simple: FxHashMap::default(),
            active: FxHashSet::default(),
            may_grow: true,
            steps_left: MAX_STEPS,
            longest: 0,
        }
    }

    /// The same without the rules that may lengthen a formula.
    pub fn shrinking(reading: Reading) -> Simplifier {
        Simplifier { may_grow: false, ..Simplifier::new(reading) }
    }

    /// An equivalent simpler formula. All calls must pass the same arena.
    pub fn simplify(&mut self, arena: &mut FormulaArena, formula: Nnf) -> Nnf {
        let formula = self.prepared(arena, formula);
        self.steps_left = MAX_STEPS;
        let length = self.implications.fact(arena, formula).length;
        self.longest = if self.may_grow { MAX_GROWTH.saturating_mul(length) } else { 0 };
        // Operands first: then no call below recurses deeper than the rewriting of one operator.
        for part in arena.subformulas(formula) {
            self.rewritten(arena, part);
        }
        let mut simple = self.rewritten(arena, formula);
        loop {
            // The final steps may enable further rules. They move parts inwards and no rule moves them
            // outwards, so the loop ends.
            let finished = finish::moved_inwards(&mut self.rules(arena), simple);
            let again = self.rewritten(arena, finished);
            if again == finished || again == simple {
                return finished;
            }
            simple = again;
        }
    }

    /// Does the syntax show that `a` implies `b` at every position of every word? All calls must pass the
    /// same arena. If the answer is no, the implication may still hold.
    pub fn implies(&mut self, arena: &mut FormulaArena, a: Nnf, b: Nnf) -> bool {
        let (a, b) = (self.prepared(arena, a), self.prepared(arena, b));
        self.implications.implies(arena, a, b)
    }

    /// Did the last simplification stop at [`MAX_STEPS`]?
    pub fn was_cut_short(&self) -> bool {
        self.steps_left == 0
    }

    /// On infinite words strong and weak next are equivalent: only the strong one is used.
    fn prepared(&self, arena: &mut FormulaArena, formula: Nnf) -> Nnf {
        if self.reading == Reading::Finite { formula } else { strong_nexts(arena, formula) }
    }

    /// The formula after all rules, operands first.
    fn rewritten(&mut self, arena: &mut FormulaArena, formula: Nnf) -> Nnf {
        let mut passed = Vec::new();
        let mut current = formula;
        let result = loop {
            if let Some(known) = self.simple.get(&current) {
                break *known;
            }
            if !self.active.insert(current) {
                break current;
            }
            passed.push(current);
            let parts = arena.node(current).children().to_vec();
            let simple: Vec<Nnf> = parts.iter().map(|part| self.rewritten(arena, *part)).collect();
            let next = if simple == parts { current } else { arena.rebuild(current, &simple) };
            if next != current {
                current = next;
                continue;
            }
            match self.step(arena, current) {
                Some(next) => current = next,
                None => break current,
            }
        };
        for formula in passed {
            self.active.remove(&formula);
            self.simple.insert(formula, result);
        }
        self.simple.insert(result, result);
        result
    }

    /// The result of one rule, if one applies at the outermost operator; the operands are simple.
    fn step(&mut self, arena: &mut FormulaArena, formula: Nnf) -> Option<Nnf> {
        let next = self.rules(arena).apply(formula)?;
        self.steps_left = self.steps_left.checked_sub(1)?;
        Some(next)
    }

    fn rules<'a>(&'a mut self, arena: &'a mut FormulaArena) -> Rules<'a> {
        let duality = Duality::plain(self.reading);
        Rules { arena, implications: &mut self.implications, duality, longest: self.longest }
    }
}

/// The formula with `X` for every `WX`.
fn strong_nexts(arena: &mut FormulaArena, formula: Nnf) -> Nnf {
    let mut strong: FxHashMap<Nnf, Nnf> = FxHashMap::default();
    for part in arena.subformulas(formula) {
        let parts: Vec<Nnf> = arena.node(part).children().iter().map(|child| strong[child]).collect();
        let rebuilt = match arena.node(part) {
            Node::WeakNext(_) => arena.next(parts[0]),
            _ => arena.rebuild(part, &parts),
        };
        strong.insert(part, rebuilt);
    }
    strong[&formula]
}

/// A rule for an until: from its operands to the rewritten formula, if the rule applies.
type UntilRule = fn(&mut Rules<'_>, Nnf, Nnf) -> Option<Nnf>;
/// A rule for an or: from its parts to the rewritten formula, if the rule applies.
type OrRule = fn(&mut Rules<'_>, &[Nnf]) -> Option<Nnf>;

/// The context of the rules. The methods are the operators of the written rules, interpreted by the duality.
struct Rules<'a> {
    arena: &'a mut FormulaArena,
    implications: &'a mut Implications,
    duality: Duality,
    longest: usize,
}

impl Rules<'_> {
    /// The result of the first rule that applies to the formula.
    fn apply(&mut self, formula: Nnf) -> Option<Nnf> {
        let node = self.arena.node(formula).clone();
        let dual = match node {
            Node::Const(_) | Node::Literal(..) => return None,
            Node::And(_) | Node::Release(_) | Node::Triggered(_) => true,
            Node::WeakNext(_) | Node::WeakPrevious(_) => true,
            Node::Or(_) | Node::Until(_) | Node::Since(_) | Node::Next(_) | Node::Previous(_) => false,
        };
        self.duality = Duality { dual, past: node.is_past(), ..self.duality };
        match node {
            Node::And(parts) | Node::Or(parts) => self.apply_to_or(formula, &parts),
            Node::Until([a, b]) | Node::Release([a, b]) | Node::Since([a, b]) | Node::Triggered([a, b]) => {
                self.apply_to_until(formula, a, b)
            }
            _ => {
                let a = self.duality.as_next(self.arena, formula)?;
                (self.duality.always_has_next() && self.is_eventual_and_universal(a)).then_some(a)
            }
        }
    }

    fn apply_to_until(&mut self, formula: Nnf, a: Nnf, b: Nnf) -> Option<Nnf> {
        let length = self.length(formula);
        let longest = length.max(self.longest);
        let mut first = |rules: &[UntilRule], longest: usize| {
            rules.iter().find_map(|rule| {
                rule(self, a, b).filter(|next| *next != formula && self.length(*next) <= longest)
            })
        };
        first(&until::RULES, length).or_else(|| first(&until::GROWING_RULES, longest))
    }

    /// First the rules about pairs of parts, then the rules for future operators, then the rules for past
    /// operators.
    fn apply_to_or(&mut self, formula: Nnf, parts: &[Nnf]) -> Option<Nnf> {
        let length = self.length(formula);
        let longest = length.max(self.longest);
        let stages: [(bool, &[OrRule], usize); 5] = [
            (false, &[context::parts_where_others_fail, boolean::shortest], length),
            (false, &junction::RULES, length),
            (true, &junction::RULES, length),
            (false, &junction::GROWING_RULES, longest),
            (true, &junction::GROWING_RULES, longest),
        ];
        stages.into_iter().find_map(|(past, rules, longest)| {
            self.duality.past = past;
            rules.iter().find_map(|rule| {
                rule(self, parts).filter(|next| *next != formula && self.length(*next) <= longest)
            })
        })
    }

    fn fact(&mut self, formula: Nnf) -> Fact {
        self.implications.fact(self.arena, formula)
    }

    fn length(&mut self, formula: Nnf) -> usize {
        self.fact(formula).length
    }

    fn implies(&mut self, a: Nnf, b: Nnf) -> bool {
        self.implications.implies_through(self.arena, self.duality, a, b)
    }

    /// `!a`
    fn not(&mut self, a: Nnf) -> Nnf {
        let negation = self.arena.negate(a);
        if self.duality.reading == Reading::Infinite { strong_nexts(self.arena, negation) } else { negation }
    }

    fn is_eventual(&mut self, a: Nnf) -> bool {
        self.implications.is_eventual(self.arena, self.duality, a)
    }

    fn is_universal(&mut self, a: Nnf) -> bool {
        self.implications.is_eventual(self.arena, self.duality.flipped(), a)
    }

    /// Eventual and universal: the same truth value at every position.
    fn is_eventual_and_universal(&mut self, a: Nnf) -> bool {
        self.is_eventual(a) && self.is_universal(a)
    }

    fn until(&mut self, a: Nnf, b: Nnf) -> Nnf {
        self.duality.until(self.arena, a, b)
    }

    fn release(&mut self, a: Nnf, b: Nnf) -> Nnf {
        self.duality.release(self.arena, a, b)
    }

    fn eventually(&mut self, a: Nnf) -> Nnf {
        self.until(self.duality.top(), a)
    }

    fn always(&mut self, a: Nnf) -> Nnf {
        self.release(self.duality.bottom(), a)
    }

    /// `a W b = b R (a | b)`
    fn weak_until(&mut self, a: Nnf, b: Nnf) -> Nnf {
        let either = self.or([a, b]);
        self.release(b, either)
    }

    fn next(&mut self, a: Nnf) -> Nnf {
        self.duality.next(self.arena, a)
    }

    fn or(&mut self, parts: impl IntoIterator<Item = Nnf>) -> Nnf {
        self.duality.or(self.arena, parts)
    }

    fn and(&mut self, parts: impl IntoIterator<Item = Nnf>) -> Nnf {
        self.duality.and(self.arena, parts)
    }

    fn disjuncts(&self, formula: Nnf) -> Vec<Nnf> {
        self.duality.disjuncts(self.arena, formula)
    }

    fn conjuncts(&self, formula: Nnf) -> Vec<Nnf> {
        self.duality.conjuncts(self.arena, formula)
    }
}
