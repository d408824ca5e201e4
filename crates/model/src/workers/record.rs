//! The steps of a state as a search for accepting runs needs them, and as words of a record.
//!
//! A record has the label's propositions, the number of steps, the enabled processes if fairness matters,
//! the successors, and the movers if fairness matters, those of two steps to a word.
//!
//! Promise: reading a record gives back the steps that were written.

use super::expansions::MAX_AUTOMATON;
use crate::ltl::movers::Movers;
use crate::ltl::{Fairness, TransitionRelation};
use crate::store::StateId;
use crate::system::System;
use selvedge_ltl::Letter;

/// The propositions that a record has room for.
const MAX_PROPOSITIONS: u32 = 16;

/// A bit of the word with the number of steps: the run ends in the state.
const ENDED: u32 = 1 << 31;

/// The steps of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StateSteps {
    /// The label, as the automaton reads it.
    pub(crate) letter: Letter,
    /// The enabled processes, if fairness matters.
    pub(crate) enabled: u64,
    /// Does a run end here? There are no steps then.
    pub(crate) has_ended: bool,
    /// The successors, each with the moving processes if fairness matters.
    pub(crate) targets: Vec<(StateId, Movers)>,
}

impl Default for StateSteps {
    fn default() -> Self {
        StateSteps { letter: Letter::exactly(0), enabled: 0, has_ended: false, targets: Vec::new() }
    }
}

/// Can the steps of this relation be records, and its automaton states be masks?
pub(super) fn has_records<S: System>(relation: &TransitionRelation<'_, S>) -> bool {
    let automaton = relation.automaton;
    let edges = (0..automaton.state_count() as u32).flat_map(|state| automaton.edges(state));
    let mentioned = edges.fold(0, |mask, edge| mask | edge.cube.positive | edge.cube.negative);
    automaton.state_count() <= MAX_AUTOMATON && mentioned >> MAX_PROPOSITIONS == 0
}

impl StateSteps {
    /// The words of the record.
    pub(super) fn write(&self, fairness: Fairness, out: &mut Vec<u32>) {
        out.clear();
        let low = |mask: u64| mask as u32 & ((1 << MAX_PROPOSITIONS) - 1);
        out.push(low(self.letter.may_true) | low(self.letter.may_false) << MAX_PROPOSITIONS);
        out.push(self.targets.len() as u32 | if self.has_ended { ENDED } else { 0 });
        if fairness != Fairness::None {
            out.extend([self.enabled as u32, (self.enabled >> 32) as u32]);
        }
        out.extend(self.targets.iter().map(|(target, _)| target.0));
        if fairness != Fairness::None {
            for two in self.targets.chunks(2) {
                out.push(two.iter().rev().fold(0, |word, (_, movers)| word << 16 | movers.packed()));
            }
        }
    }

    /// Reads the words of a record.
    pub(super) fn read(&mut self, fairness: Fairness, words: &[u32]) {
        let mask = (1 << MAX_PROPOSITIONS) - 1;
        self.letter = Letter {
            may_true: u64::from(words[0] & mask),
            may_false: u64::from(words[0] >> MAX_PROPOSITIONS),
        };
        self.has_ended = words[1] & ENDED != 0;
        let (count, rest) = ((words[1] & !ENDED) as usize, &words[2..]);
        self.targets.clear();
        if fairness == Fairness::None {
            self.enabled = 0;
            self.targets.extend(rest[..count].iter().map(|target| (StateId(*target), Movers::NONE)));
            return;
        }
        self.enabled = u64::from(rest[0]) | u64::from(rest[1]) << 32;
        let (targets, movers) = rest[2..].split_at(count);
        let packed = |index: usize| movers[index / 2] >> (16 * (index % 2)) & 0xFFFF;
        let target = |(index, target): (usize, &u32)| (StateId(*target), Movers::from_packed(packed(index)));
        self.targets.extend(targets.iter().enumerate().map(target));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::ProcessId;
    use selvedge_explore::Random;

    #[test]
    fn a_record_gives_back_what_was_written() {
        let mut random = Random(5);
        let (mut words, mut read) = (Vec::new(), StateSteps::default());
        for round in 0..3000 {
            let fairness = [Fairness::None, Fairness::Weak, Fairness::Strong][round % 3];
            let is_fair = fairness != Fairness::None;
            let process =
                |word: u64| (is_fair && !word.is_multiple_of(5)).then_some(ProcessId((word % 64) as u32));
            let movers = |word: u64| Movers::new(process(word), process(word >> 32));
            let count = random.word() % 12;
            let targets = (0..count).map(|_| {
                let (target, word) = (random.word(), random.word());
                (StateId(target as u32), movers(word))
            });
            let mut written = StateSteps { targets: targets.collect(), ..StateSteps::default() };
            written.has_ended = written.targets.is_empty();
            written.enabled = if is_fair { random.word() } else { 0 };
            written.letter = Letter { may_true: random.word() & 0xFFFF, may_false: random.word() & 0xFFFF };
            written.write(fairness, &mut words);
            read.read(fairness, &words);
            assert_eq!(read, written);
        }
    }
}
