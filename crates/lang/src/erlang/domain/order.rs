//! The partial order of a domain's elements, where the more precise element is the larger one.
//!
//! As in Huch's paper, which turns the usual order of abstract interpretation upside down: the least element
//! stands for all integers, and a ⊑ b says that b is at least as precise as a.
//!
//! Promise: the relation is the reflexive and transitive closure of the pairs that it is made from. Elements
//! in a cycle of pairs are found, since no order has them.

use super::bit_set::BitSet;

/// An order of the elements 0, 1, 2, …
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Order {
    /// For each element, those that are at least as precise.
    above: Vec<BitSet>,
    /// For each element, those that are at most as precise.
    below: Vec<BitSet>,
}

impl Order {
    /// The order of `len` elements in which the first of each pair is below the second. A cycle is an error,
    /// with two different elements that are below each other.
    pub(super) fn new(len: usize, pairs: &[(usize, usize)]) -> Result<Order, (usize, usize)> {
        let mut above: Vec<BitSet> = (0..len).map(|element| [element].into_iter().collect()).collect();
        for (low, high) in pairs {
            above[*low].insert(*high);
        }
        // Warshall's closure.
        for middle in 0..len {
            for element in 0..len {
                if above[element].contains(middle) {
                    above[element] = above[element].union(&above[middle]);
                }
            }
        }
        let order = Order::of_rows(above);
        let cycle = (0..len).find_map(|element| {
            let both = order.above[element].intersection(&order.below[element]);
            both.iter().find(|other| *other != element).map(|other| (element, other))
        });
        cycle.map_or(Ok(order), Err)
    }

    /// The order of sets, where the smaller set is more precise. The sets are different.
    pub(super) fn of_sets(sets: &[BitSet]) -> Order {
        let above =
            sets.iter().map(|set| (0..sets.len()).filter(|other| sets[*other].is_subset(set)).collect());
        Order::of_rows(above.collect())
    }

    fn of_rows(above: Vec<BitSet>) -> Order {
        let below = (0..above.len())
            .map(|element| (0..above.len()).filter(|other| above[*other].contains(element)).collect());
        Order { below: below.collect(), above }
    }

    pub(super) fn is_at_most(&self, a: usize, b: usize) -> bool {
        self.above[a].contains(b)
    }

    pub(super) fn have_common_upper_bound(&self, a: usize, b: usize) -> bool {
        !self.above[a].intersection(&self.above[b]).is_empty()
    }

    /// The elements that are at least as precise as this one.
    pub(super) fn above(&self, element: usize) -> &BitSet {
        &self.above[element]
    }

    /// The element below all others.
    pub(super) fn least(&self) -> Option<usize> {
        (0..self.above.len()).find(|element| self.above[*element].len() == self.above.len())
    }

    /// The greatest lower bound of some elements; of none, the greatest element.
    pub(super) fn meet(&self, elements: impl IntoIterator<Item = usize>) -> Option<usize> {
        let all = BitSet::below(self.above.len());
        let bounds =
            elements.into_iter().fold(all, |bounds, element| bounds.intersection(&self.below[element]));
        bounds.iter().find(|bound| bounds.is_subset(&self.below[*bound]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_relation_is_closed() {
        let order = Order::new(5, &[(0, 1), (1, 2), (0, 3)]).expect("an order");
        let pairs: Vec<(usize, usize)> = (0..5)
            .flat_map(|a| (0..5).map(move |b| (a, b)))
            .filter(|(a, b)| a != b && order.is_at_most(*a, *b))
            .collect();
        assert_eq!(pairs, [(0, 1), (0, 2), (0, 3), (1, 2)]);
        assert!(order.is_at_most(4, 4));
        assert!(order.have_common_upper_bound(0, 3) && !order.have_common_upper_bound(2, 3));
        assert_eq!(order.least(), None);
        assert_eq!(order.meet([2, 3]), Some(0));
        assert_eq!(order.meet([2, 4]), None);
    }

    #[test]
    fn a_cycle_is_no_order() {
        assert_eq!(Order::new(3, &[(0, 1), (1, 2), (2, 1)]), Err((1, 2)));
    }
}
