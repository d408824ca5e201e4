//! Sets of states of a small automaton, a bit each.

/// A set of automaton states.
pub(crate) type AutomatonStates = u16;

/// The largest number of states of an automaton that has such sets.
pub(crate) const MAX_AUTOMATON_STATES: usize = AutomatonStates::BITS as usize;

/// The set of one automaton state.
#[inline]
pub(crate) fn only(state: u32) -> AutomatonStates {
    1 << state
}

/// The set of these automaton states.
#[inline]
pub(crate) fn set_of(states: impl Iterator<Item = u32>) -> AutomatonStates {
    states.fold(0, |set, state| set | only(state))
}

/// The automaton states of a set.
#[inline]
pub(crate) fn members(set: AutomatonStates) -> impl Iterator<Item = u32> {
    let some = |set: AutomatonStates| Some(set).filter(|set| *set != 0);
    let rest = move |set: &AutomatonStates| some(set & (set - 1));
    std::iter::successors(some(set), rest).map(|set| set.trailing_zeros())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_members_of_a_set_are_its_bits() {
        for set in [0, 1, 0b1010, 0x8001, AutomatonStates::MAX] {
            let expected: Vec<u32> = (0..16).filter(|state| set & only(*state) != 0).collect();
            assert_eq!(members(set).collect::<Vec<u32>>(), expected);
            assert_eq!(set_of(expected.into_iter()), set);
        }
    }
}
