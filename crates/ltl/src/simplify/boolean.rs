//! Short forms of the Boolean parts of a conjunction or disjunction, which refer to the present state only.
//!
//! The decision diagram of these parts gives an irredundant sum of products (Minato, ISOP, 1993), and the
//! diagram of their negation a product of sums; the shorter of the two replaces the parts if it is shorter
//! than they are.

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
    let [sum, product] = rules.implications.products(rules.arena, state)?;
    let sum = from_products(rules.arena, &sum, true);
    let product = from_products(rules.arena, &product, false);
    let shortest = if rules.length(product) < rules.length(sum) { product } else { sum };
    (rules.length(shortest) < rules.length(state)).then(|| rules.or(rest.into_iter().chain([shortest])))
}

/// The formula of this sum of products, or (with `false`) of its negation.
fn from_products(arena: &mut FormulaArena, products: &[Vec<(u32, bool)>], positive: bool) -> Nnf {
    let mut terms = Vec::new();
    for product in products {
        let literals: Vec<Nnf> =
            product.iter().map(|(var, sign)| arena.literal(Prop(*var as u8), *sign == positive)).collect();
        terms.push(if positive { arena.and(literals) } else { arena.or(literals) });
    }
    if positive { arena.or(terms) } else { arena.and(terms) }
}
