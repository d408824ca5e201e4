//! Relations between states, one row of bits for each state.

/// The maximal number of states in a row.
pub(crate) const MAX_STATES: usize = 128;

/// A set of states.
pub(crate) type States = u128;

/// The states of a set.
pub(crate) fn members(mut set: States) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = set.trailing_zeros() as usize;
        set &= set.wrapping_sub(1);
        (first < MAX_STATES).then_some(first)
    })
}

/// A relation between states.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Relation(pub(crate) Vec<States>);

impl Relation {
    /// The empty relation.
    pub(crate) fn new(count: usize) -> Relation {
        assert!(count <= MAX_STATES, "an automaton with {count} states; rows have {MAX_STATES} bits");
        Relation(vec![0; count])
    }

    pub(crate) fn add(&mut self, from: usize, to: usize) {
        self.0[from] |= 1 << to;
    }

    pub(crate) fn contains(&self, from: usize, to: usize) -> bool {
        self.0[from] >> to & 1 == 1
    }

    /// The states that are related to an element of the set.
    pub(crate) fn image(&self, set: States) -> States {
        members(set).fold(0, |image, state| image | self.0[state])
    }

    pub(crate) fn is_within(&self, other: &Relation) -> bool {
        self.0.iter().zip(&other.0).all(|(row, other)| row & !other == 0)
    }

    /// Makes it transitive (Warshall 1962).
    pub(crate) fn close(&mut self) {
        for middle in 0..self.0.len() {
            let beyond = self.0[middle];
            for row in &mut self.0 {
                if *row >> middle & 1 == 1 {
                    *row |= beyond;
                }
            }
        }
    }
}
