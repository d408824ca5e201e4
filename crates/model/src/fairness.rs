//! Fairness: runs in which no process is passed over for ever.
//!
//! Lehmann, Pnueli and Stavi, Impartiality, Justice and Fairness, ICALP 1981: weak is their justice, strong their
//! fairness, each per process. A run is weakly fair if each process that is enabled from some point on for ever
//! moves again and again; strongly fair if each process that is enabled again and again does. A process is enabled
//! in a state if one of its steps leaves it. A run that has ended is fair: nobody is enabled.
//!
//! Both are questions about what happens infinitely often, so they are answered on a cycle: [`Fairness::duty`] says
//! of one step which processes it demands to be served and which it serves, and a cycle is fair if it serves what
//! it demands.

use crate::system::{ProcessId, Steps, System, Word};

/// Which runs count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Fairness {
    /// All of them.
    #[default]
    None,
    /// Those in which a process that can always move does move.
    Weak,
    /// Those in which a process that can move again and again does move.
    Strong,
}

/// Fairness is kept for at most so many processes.
pub const MAX_FAIR_PROCESSES: usize = 64;

/// Sets of processes, a bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Duty {
    /// Those that must be served if this is repeated.
    pub demanded: u64,
    /// Those that are.
    pub served: u64,
}

impl Duty {
    /// Both together.
    #[inline]
    #[must_use]
    pub fn with(self, other: Duty) -> Duty {
        Duty { demanded: self.demanded | other.demanded, served: self.served | other.served }
    }

    /// The processes that are demanded and not served.
    #[inline]
    pub fn open(self) -> u64 {
        self.demanded & !self.served
    }
}

impl Fairness {
    /// What one step counts for: it is taken by the processes of `moving` (one, or none where the run has ended),
    /// in a state where those of `enabled` can move, out of `all`.
    #[inline]
    pub fn duty(self, all: u64, enabled: u64, moving: u64) -> Duty {
        match self {
            Fairness::None => Duty::default(),
            Fairness::Weak => Duty { demanded: all, served: moving | (all & !enabled) },
            Fairness::Strong => Duty { demanded: enabled, served: moving },
        }
    }

    /// Does the cycle serve what it demands? Each step is the process that moves and the state that it leads to.
    pub fn admits<'a, S: System>(
        self,
        system: &S,
        cycle: impl Iterator<Item = (Option<ProcessId>, &'a [Word])> + Clone,
    ) -> bool {
        if self == Fairness::None {
            return true;
        }
        let all = selvedge_ltl::letter::mask(system.processes());
        let mut steps = Steps::new(system.words());
        // The state that a step leads to is the one that the next step leaves.
        let next = cycle.clone().skip(1).chain(cycle.clone().take(1));
        let duties = cycle.zip(next).map(|((_, state), (process, _))| {
            steps.clear();
            system.successors(state, &mut steps);
            self.duty(all, enabled(system, &steps), process.map_or(0, bit))
        });
        duties.fold(Duty::default(), Duty::with).open() == 0
    }
}

/// The mask of one process.
#[inline]
pub fn bit(process: ProcessId) -> u64 {
    1 << process.0
}

/// The mask of the processes that take these steps.
pub fn enabled<S: System>(system: &S, steps: &Steps<S::Action>) -> u64 {
    steps.iter().fold(0, |mask, (action, _)| mask | bit(system.process(action)))
}
