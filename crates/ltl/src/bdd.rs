//! Binary decision diagrams: two Boolean functions are equal exactly if their numbers are.
//!
//! Bryant, Graph-Based Algorithms for Boolean Function Manipulation, 1986: ordered, reduced, each node
//! stored once. They represent guards of automata (functions of a letter), remainders of progression and the
//! one-step expansions of the Büchi translation (functions of the obligations for the next state).
//! [`Bdds::cubes`] is Minato and Morreale's irredundant sum of products (Minato, ISOP, 1993), which turns
//! functions into edges and text.
//!
//! Promise: canonical within one [`Bdds`]; nodes are never freed.

use rustc_hash::FxHashMap;

/// A Boolean function, as its number in a [`Bdds`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bdd(u32);

impl Bdd {
    /// The function that is never true.
    pub const FALSE: Bdd = Bdd(0);
    /// The function that is always true.
    pub const TRUE: Bdd = Bdd(1);

    /// The constant function.
    pub fn constant(value: bool) -> Bdd {
        if value { Bdd::TRUE } else { Bdd::FALSE }
    }

    /// The value, if it is the same everywhere.
    pub fn as_constant(self) -> Option<bool> {
        self.is_constant().then_some(self == Bdd::TRUE)
    }

    /// Is it true or false everywhere?
    pub fn is_constant(self) -> bool {
        self.0 < 2
    }
}

/// A variable; smaller ones are tested first.
pub type Var = u32;

/// A test of one variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Node {
    var: Var,
    low: Bdd,
    high: Bdd,
}

/// A product of literals: variables with their signs.
pub type Product = Vec<(Var, bool)>;

/// A sum of products under construction.
struct SumOfProducts {
    products: Vec<Product>,
    path: Product,
    max_products: usize,
}

/// A store of functions that share their nodes.
#[derive(Clone, Debug)]
pub struct Bdds {
    nodes: Vec<Node>,
    unique: FxHashMap<Node, Bdd>,
    ite: FxHashMap<(Bdd, Bdd, Bdd), Bdd>,
    limit: usize,
}

impl Default for Bdds {
    fn default() -> Self {
        let constant = |value| Node { var: Var::MAX, low: value, high: value };
        Bdds {
            nodes: vec![constant(Bdd::FALSE), constant(Bdd::TRUE)],
            unique: FxHashMap::default(),
            ite: FxHashMap::default(),
            limit: usize::MAX,
        }
    }
}

impl Bdds {
    /// A store of at most `limit` nodes. Beyond the limit [`is_exhausted`](Self::is_exhausted) is true,
    /// results are meaningless, and every operation returns at once: callers must check before they use a
    /// result.
    pub fn with_limit(limit: usize) -> Bdds {
        Bdds { limit, ..Bdds::default() }
    }

    /// Was the limit exceeded? Once true, it stays true.
    pub fn is_exhausted(&self) -> bool {
        self.nodes.len() > self.limit
    }

    /// The number of nodes so far.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// The function that returns the variable.
    pub fn var(&mut self, var: Var) -> Bdd {
        self.node(var, Bdd::FALSE, Bdd::TRUE)
    }

    /// The variable, or its negation.
    pub fn literal(&mut self, var: Var, positive: bool) -> Bdd {
        if positive { self.node(var, Bdd::FALSE, Bdd::TRUE) } else { self.node(var, Bdd::TRUE, Bdd::FALSE) }
    }

    /// Conjunction.
    pub fn and(&mut self, a: Bdd, b: Bdd) -> Bdd {
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        self.if_then_else(a, b, Bdd::FALSE)
    }

    /// Disjunction.
    pub fn or(&mut self, a: Bdd, b: Bdd) -> Bdd {
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        self.if_then_else(a, Bdd::TRUE, b)
    }

    /// Negation.
    pub fn not(&mut self, a: Bdd) -> Bdd {
        self.if_then_else(a, Bdd::FALSE, Bdd::TRUE)
    }

    /// `a` without `b`.
    pub fn and_not(&mut self, a: Bdd, b: Bdd) -> Bdd {
        let not_b = self.not(b);
        self.and(a, not_b)
    }

    /// Is `b` true wherever `a` is?
    pub fn implies(&mut self, a: Bdd, b: Bdd) -> bool {
        self.if_then_else(a, b, Bdd::TRUE) == Bdd::TRUE
    }

    /// Is there a point where both are true?
    pub fn intersect(&mut self, a: Bdd, b: Bdd) -> bool {
        self.and(a, b) != Bdd::FALSE
    }

    /// `(test & then) | (!test & otherwise)`.
    pub fn if_then_else(&mut self, test: Bdd, then: Bdd, otherwise: Bdd) -> Bdd {
        match (test, then, otherwise) {
            (Bdd::TRUE, ..) => return then,
            (Bdd::FALSE, ..) => return otherwise,
            (_, Bdd::TRUE, Bdd::FALSE) => return test,
            _ if then == otherwise => return then,
            _ if self.is_exhausted() => return Bdd::FALSE,
            _ => {}
        }
        if let Some(known) = self.ite.get(&(test, then, otherwise)) {
            return *known;
        }
        let var = self.top(test).min(self.top(then)).min(self.top(otherwise));
        let [low, high] = [false, true].map(|value| {
            let parts = [test, then, otherwise].map(|part| self.cofactor(part, var, value));
            self.if_then_else(parts[0], parts[1], parts[2])
        });
        let result = self.node(var, low, high);
        self.ite.insert((test, then, otherwise), result);
        result
    }

    /// The variable that is tested first; the largest number if the function is constant.
    pub fn top(&self, a: Bdd) -> Var {
        self.nodes[a.0 as usize].var
    }

    /// The two cofactors of the first tested variable: where it is false, and where it is true.
    pub fn branches(&self, a: Bdd) -> (Bdd, Bdd) {
        let node = self.nodes[a.0 as usize];
        (node.low, node.high)
    }

    /// The function's value where `holds` says which variables are true.
    pub fn value(&self, mut a: Bdd, holds: impl Fn(Var) -> bool) -> bool {
        while !a.is_constant() {
            let node = self.nodes[a.0 as usize];
            a = if holds(node.var) { node.high } else { node.low };
        }
        a == Bdd::TRUE
    }

    /// The function with a variable fixed. The variable is not larger than the one that `a` tests first.
    fn cofactor(&self, a: Bdd, var: Var, value: bool) -> Bdd {
        let node = self.nodes[a.0 as usize];
        if node.var != var {
            return a;
        }
        if value { node.high } else { node.low }
    }

    fn node(&mut self, var: Var, low: Bdd, high: Bdd) -> Bdd {
        if low == high {
            return low;
        }
        if self.is_exhausted() {
            return Bdd::FALSE;
        }
        debug_assert!(var < self.top(low).min(self.top(high)), "variables out of order");
        let node = Node { var, low, high };
        let nodes = &mut self.nodes;
        *self.unique.entry(node).or_insert_with(|| {
            nodes.push(node);
            Bdd((nodes.len() - 1) as u32)
        })
    }

    /// Panics, saying which invariant broke. Tests call this after each step.
    pub fn validate(&self) {
        let constants = &self.nodes[..2];
        assert!(constants.iter().all(|node| node.var == Var::MAX), "a constant tests a variable");
        assert_eq!(self.unique.len() + 2, self.nodes.len(), "a node is stored twice");
        for (index, node) in self.nodes.iter().enumerate().skip(2) {
            let id = Bdd(index as u32);
            assert_eq!(self.unique.get(node), Some(&id), "{node:?} is not found under its number");
            assert_ne!(node.low, node.high, "{node:?} tests a variable that does not matter");
            assert!(node.low.max(node.high) < id, "{node:?} is older than its branches");
            let below = self.top(node.low).min(self.top(node.high));
            assert!(node.var < below, "{node:?} is out of the order of variables");
        }
        for (operands, result) in &self.ite {
            let is_node = |bdd: Bdd| (bdd.0 as usize) < self.nodes.len();
            let (test, then, otherwise) = *operands;
            assert!([test, then, otherwise, *result].into_iter().all(is_node), "a cached result is no node");
        }
    }

    /// An irredundant sum of products for the function: no product can be left out.
    ///
    /// A function that is monotone in a variable gets no negated literal of it.
    pub fn cubes(&mut self, a: Bdd) -> Vec<Product> {
        // The limit does not apply here: a missing product would go unnoticed.
        let limit = std::mem::replace(&mut self.limit, usize::MAX);
        let cubes = self.cubes_up_to(a, usize::MAX).unwrap_or_default();
        self.limit = limit;
        cubes
    }

    /// The same; `None` if it needs more than `max_products` products, or if the limit of nodes is exceeded.
    pub fn cubes_up_to(&mut self, a: Bdd, max_products: usize) -> Option<Vec<Product>> {
        let mut sum = SumOfProducts { products: Vec::new(), path: Vec::new(), max_products };
        let covered = self.cover(a, a, &mut sum);
        if sum.products.len() > max_products || self.is_exhausted() {
            return None;
        }
        debug_assert_eq!(covered, a, "the cubes are not the function");
        Some(sum.products)
    }

    /// Adds products that cover `lower` and stay within `upper`; returns their disjunction.
    fn cover(&mut self, lower: Bdd, upper: Bdd, sum: &mut SumOfProducts) -> Bdd {
        if lower == Bdd::FALSE || sum.products.len() > sum.max_products || self.is_exhausted() {
            return Bdd::FALSE;
        }
        if upper == Bdd::TRUE {
            sum.products.push(sum.path.clone());
            return Bdd::TRUE;
        }
        let var = self.top(lower).min(self.top(upper));
        let [l0, l1] = [false, true].map(|value| self.cofactor(lower, var, value));
        let [u0, u1] = [false, true].map(|value| self.cofactor(upper, var, value));
        let mut side = |bdds: &mut Self, value: bool, lower: Bdd, upper: Bdd| {
            sum.path.push((var, value));
            let covered = bdds.cover(lower, upper, sum);
            sum.path.pop();
            covered
        };
        // A point that one side needs and the other forbids needs a literal of the variable; all other
        // points do not.
        let needs0 = self.and_not(l0, u1);
        let needs1 = self.and_not(l1, u0);
        let covered0 = side(self, false, needs0, u0);
        let covered1 = side(self, true, needs1, u1);
        let rest0 = self.and_not(l0, covered0);
        let rest1 = self.and_not(l1, covered1);
        let (rest, both) = (self.or(rest0, rest1), self.and(u0, u1));
        let shared = self.cover(rest, both, sum);
        let (low, high) = (self.or(covered0, shared), self.or(covered1, shared));
        self.node(var, low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All functions of three variables, as truth tables of eight bits.
    fn from_table(bdds: &mut Bdds, table: u8) -> Bdd {
        let mut sum = Bdd::FALSE;
        for point in 0..8 {
            if table >> point & 1 == 1 {
                let minterm = (0..3).fold(Bdd::TRUE, |product, var| {
                    let literal = bdds.literal(var, point >> var & 1 == 1);
                    bdds.and(product, literal)
                });
                sum = bdds.or(sum, minterm);
            }
        }
        sum
    }

    #[test]
    fn operations_agree_with_truth_tables_on_all_functions_of_three_variables() {
        let mut bdds = Bdds::default();
        let all: Vec<Bdd> = (0..=255).map(|table| from_table(&mut bdds, table)).collect();
        for a in 0..=255u8 {
            assert_eq!(bdds.not(all[a as usize]), all[!a as usize]);
            bdds.validate();
            for b in 0..=255u8 {
                let (f, g) = (all[a as usize], all[b as usize]);
                assert_eq!(bdds.and(f, g), all[(a & b) as usize]);
                assert_eq!(bdds.or(f, g), all[(a | b) as usize]);
                assert_eq!(bdds.implies(f, g), a & !b == 0);
            }
        }
    }

    #[test]
    fn an_exceeded_limit_is_reported_for_good() {
        let mut bdds = Bdds::with_limit(50);
        let mut sum = Bdd::FALSE;
        for pair in 0..16 {
            let (one, other) = (bdds.var(pair), bdds.var(pair + 16));
            let both = bdds.and(one, other);
            sum = bdds.or(sum, both);
        }
        assert!(bdds.is_exhausted());
        bdds.validate();
        assert_eq!(bdds.cubes_up_to(sum, usize::MAX), None);
        let fresh = bdds.var(40);
        assert_eq!(bdds.or(fresh, sum), Bdd::FALSE, "nothing is computed any more");
    }

    #[test]
    fn a_sum_of_too_many_products_is_refused() {
        let mut bdds = Bdds::default();
        let parity = (0..8).fold(Bdd::FALSE, |parity, var| {
            let var = bdds.var(var);
            let not = bdds.not(parity);
            bdds.if_then_else(var, not, parity)
        });
        assert_eq!(bdds.cubes_up_to(parity, 127), None);
        assert_eq!(bdds.cubes_up_to(parity, 128).map(|cubes| cubes.len()), Some(128));
    }

    #[test]
    fn cubes_sum_up_to_the_function_and_none_can_be_left_out() {
        let mut bdds = Bdds::default();
        for table in 0..=255 {
            let function = from_table(&mut bdds, table);
            let cubes = bdds.cubes(function);
            bdds.validate();
            let products: Vec<Bdd> = cubes
                .iter()
                .map(|cube| {
                    cube.iter().fold(Bdd::TRUE, |product, (var, positive)| {
                        let literal = bdds.literal(*var, *positive);
                        bdds.and(product, literal)
                    })
                })
                .collect();
            let sum_without = |bdds: &mut Bdds, left_out: usize| {
                let others = products.iter().enumerate().filter(|(index, _)| *index != left_out);
                others.fold(Bdd::FALSE, |sum, (_, product)| bdds.or(sum, *product))
            };
            assert_eq!(sum_without(&mut bdds, usize::MAX), function);
            for index in 0..products.len() {
                assert_ne!(sum_without(&mut bdds, index), function, "a cube is redundant");
            }
        }
    }
}
