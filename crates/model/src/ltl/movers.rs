//! The processes that take a step, in few bits: none, one, or two that meet.
//!
//! An edge on a search's stack has them, for fairness; so there are at most
//! [`MAX_FAIR_PROCESSES`](super::MAX_FAIR_PROCESSES) processes.

use crate::system::{ProcessId, process_bit};

/// The number of each of two processes plus 1; 0 is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Movers(u16);

/// How many bits a process takes: 64 processes, and none.
const PROCESS_BITS: u32 = 7;

impl Movers {
    pub(crate) const NONE: Movers = Movers(0);

    /// The movers of a step: a process, and its partner.
    #[inline]
    pub(crate) fn new(process: Option<ProcessId>, partner: Option<ProcessId>) -> Movers {
        let number = |process: Option<ProcessId>| process.map_or(0, |process| process.0 as u16 + 1);
        Movers(number(process) | number(partner) << PROCESS_BITS)
    }

    /// One bit for each process.
    #[inline]
    pub(crate) fn bits(self) -> u64 {
        let bit = |number: u16| match number.checked_sub(1) {
            Some(process) => process_bit(ProcessId(u32::from(process))),
            None => 0,
        };
        bit(self.0 & ((1 << PROCESS_BITS) - 1)) | bit(self.0 >> PROCESS_BITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn movers_are_the_bits_of_both_processes() {
        let processes = [None, Some(ProcessId(0)), Some(ProcessId(5)), Some(ProcessId(63))];
        for process in processes {
            for partner in processes {
                let movers = Movers::new(process, partner);
                let expected = process.map_or(0, process_bit) | partner.map_or(0, process_bit);
                assert_eq!(movers.bits(), expected, "{process:?} {partner:?}");
            }
        }
    }
}
