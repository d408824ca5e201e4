//! What an exploration by reduction came to.

/// What an exploration came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Runs, one for each trace.
    pub runs: u64,
    /// Runs that were given up, as all that could be done had been explored before: none, where dependency is exact.
    pub asleep: u64,
    /// Reversals whose last event turned out to have to wait: none, where it is known what an action waits for.
    pub astray: u64,
    /// Beginnings of runs that were made to see how an event turns out there, and given up.
    pub probes: u64,
    /// Reversals of which it could not be told whether something leads to them that is to be explored anyway. Then traces may be run twice. None,
    /// where threads do not spawn others and objects are used once before there are threads.
    pub doubts: u64,
}

impl Figures {
    /// All of them, in their order.
    pub fn numbers(&self) -> [u64; 5] {
        [self.runs, self.asleep, self.astray, self.probes, self.doubts]
    }

    /// Those that have these [numbers](Figures::numbers).
    pub fn of([runs, asleep, astray, probes, doubts]: [u64; 5]) -> Figures {
        Figures { runs, asleep, astray, probes, doubts }
    }
}

impl std::ops::AddAssign for Figures {
    fn add_assign(&mut self, other: Figures) {
        let (mine, theirs) = (self.numbers(), other.numbers());
        *self = Figures::of(std::array::from_fn(|index| mine[index] + theirs[index]));
    }
}
