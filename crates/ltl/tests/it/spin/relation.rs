//! Relations between states, a row of bits for each.

/// The most states that fit into a row.
pub const MAX_STATES: usize = 128;

/// A set of states.
pub type States = u128;

/// The states of a set.
pub fn members(mut set: States) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = set.trailing_zeros() as usize;
        set &= set.wrapping_sub(1);
        (first < MAX_STATES).then_some(first)
    })
}

/// Which states are related to which.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Relation(pub Vec<States>);

impl Relation {
    /// The empty relation.
    pub fn new(count: usize) -> Relation {
        assert!(count <= MAX_STATES, "an automaton with {count} states; rows have {MAX_STATES} bits");
        Relation(vec![0; count])
    }

    pub fn add(&mut self, from: usize, to: usize) {
        self.0[from] |= 1 << to;
    }

    pub fn contains(&self, from: usize, to: usize) -> bool {
        self.0[from] >> to & 1 == 1
    }

    /// All that is related to one of the set.
    pub fn image(&self, set: States) -> States {
        members(set).fold(0, |image, state| image | self.0[state])
    }

    pub fn is_within(&self, other: &Relation) -> bool {
        self.0.iter().zip(&other.0).all(|(row, other)| row & !other == 0)
    }

    /// Makes it transitive (Warshall 1962).
    pub fn close(&mut self) {
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
