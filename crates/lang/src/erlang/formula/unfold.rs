//! Quantified formulas over given processes.
//!
//! `forall` is the conjunction and `exists` the disjunction of the formula with each choice of processes for
//! the variables; over no processes, `forall` is true and `exists` false. This is the translation of Huch,
//! Model Checking Erlang Programs, section 9: a formula for all pairs of pids is the conjunction of its
//! instances.
//!
//! Promise: the conjunction of the instances is equivalent to the whole formula.

use super::mistakes;
use super::proposition::Proposition;
use super::quantifier::{Kind, Quantified};
use super::reader::RawAtom;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;
use selvedge_ltl::syntax::MAX_DEPTH;
use selvedge_ltl::{Binary, Formula, Unary};
use std::sync::Arc;

/// The most operators, propositions and constants of an unfolded formula.
pub const MAX_SIZE: usize = 100_000;

/// A formula without quantifiers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfolded {
    /// The whole formula.
    pub formula: Formula<Proposition>,
    /// Formulas whose conjunction is equivalent to the whole one: one for each choice of processes for the
    /// variables of the `forall`s that lead the formula.
    pub instances: Vec<Instance>,
}

/// A formula for one choice of processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The choice, `i = @1, j = @2`; empty without variables.
    pub bindings: String,
    /// The formula.
    pub formula: Formula<Proposition>,
}

/// The formula over these processes; `place` is that of its text.
pub(super) fn unfold(formula: &Formula<RawAtom>, pids: &[u8], place: Span) -> Result<Unfolded, Diagnostic> {
    let refused = |reason: TooLarge| match reason {
        TooLarge::Nodes => mistakes::too_large(place, pids.len(), &format!("{MAX_SIZE} parts")),
        TooLarge::Depth => mistakes::too_large(place, pids.len(), &format!("{MAX_DEPTH} levels")),
    };
    let unfolder = || Unfolder { pids, names: Vec::new(), bindings: Vec::new(), size: 0 };
    let whole = unfolder().formula(formula).map_err(refused)?;
    let instances = unfolder().instances(formula).map_err(refused)?;
    Ok(Unfolded { formula: whole.0, instances })
}

/// Why a formula cannot be unfolded.
#[derive(Clone, Copy, Debug)]
enum TooLarge {
    Nodes,
    Depth,
}

/// A formula and its depth.
type Measured = (Formula<Proposition>, usize);

struct Unfolder<'a> {
    pids: &'a [u8],
    /// The names of the variables in the scope, and the processes that they stand for.
    names: Vec<Arc<str>>,
    bindings: Vec<u8>,
    /// The number of nodes so far.
    size: usize,
}

impl Unfolder<'_> {
    /// The formula for the bindings.
    fn formula(&mut self, formula: &Formula<RawAtom>) -> Result<Measured, TooLarge> {
        match formula {
            Formula::Const(value) => self.node(Formula::Const(*value), 0),
            Formula::Prop(RawAtom::Term(term)) => {
                self.node(Formula::Prop(term.instantiate(&self.bindings)), 0)
            }
            Formula::Prop(RawAtom::Quantified(quantified)) => self.quantified(quantified),
            Formula::Unary(operator, inner) => {
                let inner = self.formula(inner)?;
                self.unary(*operator, inner)
            }
            Formula::Binary(operator, left, right) => {
                let left = self.formula(left)?;
                let right = self.formula(right)?;
                self.binary(*operator, left, right)
            }
        }
    }

    /// The formula of a quantifier for each choice, joined.
    fn quantified(&mut self, quantified: &Quantified) -> Result<Measured, TooLarge> {
        let join = if quantified.kind == Kind::Forall { Binary::And } else { Binary::Or };
        let mut joined = None;
        self.each_choice(quantified, &mut |unfolder| {
            let next = unfolder.formula(&quantified.formula)?;
            joined = Some(match joined.take() {
                None => next,
                Some(before) => unfolder.binary(join, before, next)?,
            });
            Ok(())
        })?;
        match joined {
            Some(joined) => Ok(joined),
            None => self.node(Formula::Const(quantified.kind == Kind::Forall), 0),
        }
    }

    /// Formulas whose conjunction is equivalent to this one, each with the choice that it is for.
    ///
    /// Operators that distribute over conjunction may stand before `forall`.
    fn instances(&mut self, formula: &Formula<RawAtom>) -> Result<Vec<Instance>, TooLarge> {
        match formula {
            Formula::Prop(RawAtom::Quantified(quantified)) if quantified.kind == Kind::Forall => {
                let mut instances = Vec::new();
                self.each_choice(quantified, &mut |unfolder| {
                    instances.extend(unfolder.instances(&quantified.formula)?);
                    Ok(())
                })?;
                return Ok(instances);
            }
            Formula::Binary(Binary::And, left, right) if is_led_by_forall(formula) => {
                let mut instances = self.instances(left)?;
                instances.extend(self.instances(right)?);
                return Ok(instances);
            }
            Formula::Unary(operator, inner) if is_led_by_forall(formula) => {
                let instances = self.instances(inner)?;
                let with_operator = |instance: Instance| {
                    let formula = Formula::Unary(*operator, Box::new(instance.formula));
                    Instance { formula, ..instance }
                };
                return Ok(instances.into_iter().map(with_operator).collect());
            }
            _ => {}
        }
        let bindings: Vec<String> =
            self.names.iter().zip(&self.bindings).map(|(name, pid)| format!("{name} = @{pid}")).collect();
        Ok(vec![Instance { bindings: bindings.join(", "), formula: self.formula(formula)?.0 }])
    }

    /// Calls `visit` with each choice of processes for the quantifier's variables bound.
    fn each_choice(
        &mut self,
        quantified: &Quantified,
        visit: &mut impl FnMut(&mut Self) -> Result<(), TooLarge>,
    ) -> Result<(), TooLarge> {
        let before = self.names.len();
        self.names.extend(quantified.variables.iter().cloned());
        let result = self.choose(quantified, before + quantified.variables.len(), visit);
        self.names.truncate(before);
        result
    }

    fn choose(
        &mut self,
        quantified: &Quantified,
        count: usize,
        visit: &mut impl FnMut(&mut Self) -> Result<(), TooLarge>,
    ) -> Result<(), TooLarge> {
        let number = self.bindings.len();
        if number == count {
            return visit(self);
        }
        for pid in self.pids {
            self.bindings.push(*pid);
            let is_distinct = |(one, other): &(usize, usize)| {
                *one.max(other) != number || self.bindings[*one] != self.bindings[*other]
            };
            let result = if quantified.distinct.iter().all(is_distinct) {
                self.choose(quantified, count, visit)
            } else {
                Ok(())
            };
            self.bindings.pop();
            result?;
        }
        Ok(())
    }

    fn unary(&mut self, operator: Unary, (inner, depth): Measured) -> Result<Measured, TooLarge> {
        self.node(Formula::Unary(operator, Box::new(inner)), depth)
    }

    fn binary(&mut self, operator: Binary, left: Measured, right: Measured) -> Result<Measured, TooLarge> {
        let depth = left.1.max(right.1);
        self.node(Formula::Binary(operator, Box::new(left.0), Box::new(right.0)), depth)
    }

    /// A new node above formulas of this depth.
    fn node(&mut self, formula: Formula<Proposition>, depth: usize) -> Result<Measured, TooLarge> {
        self.size += 1;
        if self.size > MAX_SIZE {
            return Err(TooLarge::Nodes);
        }
        if depth >= MAX_DEPTH {
            return Err(TooLarge::Depth);
        }
        Ok((formula, depth + 1))
    }
}

/// Does `forall` lead the formula, perhaps behind operators that distribute over conjunction?
fn is_led_by_forall(formula: &Formula<RawAtom>) -> bool {
    match formula {
        Formula::Prop(RawAtom::Quantified(quantified)) => quantified.kind == Kind::Forall,
        Formula::Binary(Binary::And, left, right) => is_led_by_forall(left) || is_led_by_forall(right),
        Formula::Unary(operator, inner) => distributes(*operator) && is_led_by_forall(inner),
        _ => false,
    }
}

/// Is `op (a & b)` equivalent to `op a & op b`?
///
/// `X` and `Y` are not among them: over no processes the conjunction is true, and `X true` is false at the
/// end of a finite word.
fn distributes(operator: Unary) -> bool {
    matches!(operator, Unary::Always | Unary::Historically | Unary::WeakNext | Unary::WeakPrevious)
}
