//! The figures of an exploration by partial-order reduction.

/// The figures of an exploration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Complete runs, one for each Mazurkiewicz trace.
    pub runs: u64,
    /// Runs that were given up because all enabled events were asleep; none if dependency is exact.
    pub sleep_set_blocked: u64,
    /// Reversals with a last event that turned out to be disabled; none if it is known what each action
    /// waits for.
    pub infeasible_reversals: u64,
    /// Runs that only probed the effect of an event.
    pub probes: u64,
    /// Reversals of which it is unknown whether a branch of the wake-up tree leads to them. Each may cause a
    /// trace to be explored twice. None if all objects are used before the first spawn.
    pub ambiguous_reversals: u64,
}

impl Figures {
    /// All figures, in their order.
    pub fn numbers(&self) -> [u64; 5] {
        [self.runs, self.sleep_set_blocked, self.infeasible_reversals, self.probes, self.ambiguous_reversals]
    }

    /// The figures with these [numbers](Figures::numbers).
    pub fn of(numbers: [u64; 5]) -> Figures {
        let [runs, sleep_set_blocked, infeasible_reversals, probes, ambiguous_reversals] = numbers;
        Figures { runs, sleep_set_blocked, infeasible_reversals, probes, ambiguous_reversals }
    }
}

impl std::ops::AddAssign for Figures {
    fn add_assign(&mut self, other: Figures) {
        let (mine, theirs) = (self.numbers(), other.numbers());
        *self = Figures::of(std::array::from_fn(|index| mine[index] + theirs[index]));
    }
}
