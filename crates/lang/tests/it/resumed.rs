//! Generated programs whose searches are killed again and again, and go on from a checkpoint: the verdicts
//! and sizes of searches that were never stopped.

use crate::common::generate::Random;
use crate::common::program;
use crate::common::rich::{rich_formula, rich_program};
use selvedge_lang::{Atom, Program, SystemOptions};
use selvedge_ltl::Alphabet;
use selvedge_model::{
    Budget, Checkpoint, FailureGoal, Fairness, Known, Limits, Options, Preserve, Reduced, Refused, Verdict,
    check, check_invariants,
};
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, Ordering};

/// How many programs are searched; twenty times as many if `SELVEDGE_LONG` is set.
const PROGRAMS: usize = 150;

/// Programs have at most so many states.
const MOST_STATES: usize = 400;

/// For each search its records, and its result.
type Section = (Vec<Vec<u8>>, Option<Vec<u8>>);

/// A checkpoint in memory, whose process is killed when it has written so many records.
#[derive(Default)]
struct Memory {
    sections: RefCell<Vec<Section>>,
    /// The number of searches that have begun, and of records that the last one has read.
    begun: Cell<usize>,
    read: Cell<usize>,
    writes_left: Cell<usize>,
    is_killed: AtomicBool,
}

impl Memory {
    fn start(&self, writes: usize) -> Budget<'_> {
        self.begun.set(0);
        self.writes_left.set(writes);
        self.is_killed.store(false, Ordering::Relaxed);
        Budget { checkpoint: Some(self), interrupt: Some(&self.is_killed), ..Budget::default() }
    }

    /// Changes the section of the search that has begun, if it is the last one and the process lives.
    fn change(&self, change: impl FnOnce(&mut Section)) {
        let mut sections = self.sections.borrow_mut();
        if !self.is_killed.load(Ordering::Relaxed) && self.begun.get() == sections.len() {
            change(sections.last_mut().expect("a search has begun"));
        }
    }
}

impl Checkpoint for Memory {
    fn begin(&self, _search: &str) -> Known {
        self.begun.set(self.begun.get() + 1);
        self.read.set(0);
        let mut sections = self.sections.borrow_mut();
        match sections.get(self.begun.get() - 1) {
            Some((_, Some(result))) => Known::Result(result.clone()),
            Some(_) => Known::Records,
            None => {
                sections.push(Section::default());
                Known::Nothing
            }
        }
    }

    fn read(&self, record: &mut Vec<u8>) -> Result<bool, Refused> {
        let sections = self.sections.borrow();
        let next = sections[self.begun.get() - 1].0.get(self.read.get());
        self.read.set(self.read.get() + 1);
        next.inspect(|next| record.clone_from(next));
        Ok(next.is_some())
    }

    fn refuse(&self, why: &str) {
        panic!("refused: {why}");
    }

    fn is_due(&self) -> bool {
        true
    }

    fn write(&self, record: &[u8]) {
        self.change(|section| section.0.push(record.to_vec()));
        self.writes_left.set(self.writes_left.get().saturating_sub(1));
        self.is_killed.fetch_or(self.writes_left.get() == 0, Ordering::Relaxed);
    }

    fn finish(&self, result: &[u8]) {
        self.change(|section| *section = (Vec::new(), Some(result.to_vec())));
    }

    fn stop(&self) {}

    fn period(&self) -> usize {
        7
    }
}

/// The result of a search in as many processes as it takes; and how many there were.
fn in_pieces<T>(random: &mut Random, search: impl Fn(Budget<'_>) -> T) -> (T, usize) {
    let memory = Memory::default();
    for processes in 1..10_000 {
        let result = search(memory.start(2 + random.below(12) as usize));
        // A search for a certain violation may have been killed behind one for a possible violation.
        if !memory.is_killed.load(Ordering::Relaxed) {
            return (result, processes);
        }
    }
    panic!("the search makes no progress");
}

#[test]
fn searches_of_generated_programs_have_the_same_results_in_pieces() {
    let mut random = Random(71);
    let count = if std::env::var_os("SELVEDGE_LONG").is_some() { 20 * PROGRAMS } else { PROGRAMS };
    let (mut pieces, mut searched, mut verdicts) = (0, 0, [0; 2]);
    while searched < count {
        let text = rich_program(&mut random);
        let program = program(&text);
        let formula = rich_formula(&mut random, 2);
        let parsed = program.formula(&formula).expect("a formula");
        let mut alphabet: Alphabet<Atom> = Alphabet::default();
        let numbered = alphabet.number(&parsed).expect("few propositions");
        let system = program.system(alphabet.names(), SystemOptions::default()).expect("a system");
        let limits = Limits { states: Some(MOST_STATES), ..Limits::default() };
        let fairness = [Fairness::None, Fairness::Weak, Fairness::Strong][searched % 3];
        let (workers, reduction) = (1 + searched / 3 % 2, searched % 2 == 0);
        let search = |budget: Budget<'_>| {
            let options = Options { fairness, reduction, budget };
            check(&system, &numbered, options).expect("a small automaton")
        };
        // With a checkpoint, several workers begin with the first level: so does the search without.
        let alone = 0;
        let whole = search(Budget { limits, workers, alone, ..Budget::default() });
        if matches!(whole.verdict, Verdict::Limit(_)) {
            continue;
        }
        searched += 1;
        let (resumed, processes) = in_pieces(&mut random, |budget| search(Budget { workers, ..budget }));
        assert_eq!(resumed.verdict, whole.verdict, "{fairness:?} {workers} {formula}\n{text}");
        let sizes = [&resumed.stats, &whole.stats].map(|stats| (stats.states, stats.transitions));
        assert_eq!(sizes[0], sizes[1], "{fairness:?} {workers} {formula}\n{text}");
        verdicts[usize::from(whole.verdict == Verdict::Holds)] += 1;
        let survey = |budget: Budget<'_>| {
            let reduced = Reduced::new(&system, Preserve::States);
            let pass = check_invariants(&reduced, &[], Some(FailureGoal::All), budget);
            pass.expect("no formula").failures.expect("failures were searched for")
        };
        let whole = survey(Budget { workers, alone, ..Budget::default() });
        let (resumed, more) = in_pieces(&mut random, |budget| survey(Budget { workers, ..budget }));
        assert_eq!((&resumed.deadlocks, &resumed.errors), (&whole.deadlocks, &whole.errors), "{text}");
        assert_eq!(resumed.stats.states, whole.stats.states, "{text}");
        pieces += processes + more;
    }
    assert!(pieces > 2 * count && verdicts.iter().all(|found| *found > count / 8), "{pieces} {verdicts:?}");
}
