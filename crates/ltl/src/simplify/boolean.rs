//! The parts of an and or or that speak of the present state only, written shortly.
//!
//! Their decision diagram is written out as an irredundant sum of products (Minato, ISOP, 1993), and that of their
//! negation as a product of sums; the shorter one is taken if it is shorter than what was there.

use super::Rules;
use crate::letter::Prop;
use crate::nnf::{FormulaArena, Nnf};

/// `(a & b) | (!a & c) | (b & c) = (a & b) | (!a & c)`.
pub(super) fn shortest(rules: &mut Rules<'_>, parts: &[Nnf]) -> Option<Nnf> {
    let (state, rest): (Vec<Nnf>, Vec<Nnf>) = parts.iter().partition(|part| rules.fact(**part).boolean);
    if state.len() < 2 {
        return None;
    }
    let state = rules.or(state);
    let [sum, product] = rules.known.products(rules.arena, state)?;
    let sum = written(rules.arena, &sum, true);
    let product = written(rules.arena, &product, false);
    let shortest = if rules.length(product) < rules.length(sum) { product } else { sum };
    (rules.length(shortest) < rules.length(state)).then(|| rules.or(rest.into_iter().chain([shortest])))
}

/// The sum of these products, or (with `false`) its negation.
fn written(arena: &mut FormulaArena, products: &[Vec<(u32, bool)>], positive: bool) -> Nnf {
    let mut terms = Vec::new();
    for product in products {
        let literals: Vec<Nnf> =
            product.iter().map(|(var, sign)| arena.literal(Prop(*var as u8), *sign == positive)).collect();
        terms.push(if positive { arena.and(literals) } else { arena.or(literals) });
    }
    if positive { arena.or(terms) } else { arena.and(terms) }
}
