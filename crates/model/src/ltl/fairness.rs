//! Fairness: runs in which no enabled process is ignored for ever.
//!
//! Lehmann, Pnueli and Stavi, Impartiality, Justice and Fairness, ICALP 1981: weak is their justice, strong
//! their fairness, each per process. A run is weakly fair if each process that is enabled from some point on
//! for ever moves again and again; strongly fair if each process that is enabled again and again does. A
//! process is enabled in a state if one of its steps leaves it; if steps may not be real, if it is
//! [certainly](System::certainly_enabled) so: fewer processes are demanded, so that every fair run of the
//! program counts. A run that has ended is fair: no process is enabled.
//!
//! Both speak of what happens infinitely often, so a cycle decides them: [`Fairness::debt`] lists the
//! processes that a step demands to be served and those that it serves. A cycle is fair if it serves all
//! that it demands.

use crate::system::{Steps, System, Word};

/// The fairness assumption: which runs count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Fairness {
    /// All runs.
    #[default]
    None,
    /// Runs in which a process that is enabled from some point on for ever moves again and again.
    Weak,
    /// Runs in which a process that is enabled again and again moves again and again.
    Strong,
}

/// The largest number of processes under fairness: each has a bit of a word.
pub const MAX_FAIR_PROCESSES: usize = 64;

/// What the steps of a cycle demand and serve: sets of processes, a bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FairnessDebt {
    /// The processes that a fair cycle with these steps must serve.
    pub demanded: u64,
    /// The processes that these steps serve.
    pub served: u64,
}

impl FairnessDebt {
    /// The debt of the steps of both.
    #[inline]
    #[must_use]
    pub fn with(self, other: FairnessDebt) -> FairnessDebt {
        FairnessDebt { demanded: self.demanded | other.demanded, served: self.served | other.served }
    }

    /// The processes that are demanded and not served.
    #[inline]
    pub fn unserved(self) -> u64 {
        self.demanded & !self.served
    }
}

impl Fairness {
    /// The debt of a step by the processes of `moving` (one, two that meet, or none where the run has ended)
    /// in a state where those of `enabled` are certainly enabled, out of `all`.
    #[inline]
    pub fn debt(self, all: u64, enabled: u64, moving: u64) -> FairnessDebt {
        match self {
            Fairness::None => FairnessDebt::default(),
            Fairness::Weak => FairnessDebt { demanded: all, served: moving | (all & !enabled) },
            Fairness::Strong => FairnessDebt { demanded: enabled, served: moving },
        }
    }

    /// Does the cycle serve all that it demands? Each step is the moving processes, one bit each, and the
    /// state that it leads to.
    pub fn admits<'a, S: System>(
        self,
        system: &S,
        cycle: impl Iterator<Item = (u64, &'a [Word])> + Clone,
    ) -> bool {
        if self == Fairness::None {
            return true;
        }
        let all = selvedge_ltl::letter::mask(system.processes());
        let mut steps = Steps::new(system.words());
        // The state that a step leads to is the one that the next step leaves.
        let next = cycle.clone().skip(1).chain(cycle.clone().take(1));
        let debts = cycle.zip(next).map(|((_, state), (moving, _))| {
            steps.clear();
            system.successors(state, &mut steps);
            self.debt(all, system.certainly_enabled(state, &steps), moving)
        });
        debts.fold(FairnessDebt::default(), FairnessDebt::with).unserved() == 0
    }
}
