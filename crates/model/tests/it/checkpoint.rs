//! A search that is killed again and again, and goes on from its checkpoint, has the results of one that was
//! never stopped.

use crate::common::*;
use selvedge_explore::Random;
use selvedge_ltl::Letter;
use selvedge_model::explicit::Graph;
use selvedge_model::{
    Budget, Checkpoint, FailureGoal, Fairness, InvariantPass, Known, Limit, Options, ProcessId, Refused,
    Report, States, Stats, Steps, System, Verdict, Word, check, check_invariants,
};
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, Ordering};

/// The records of a search and its last snapshot, or its result.
#[derive(Default)]
struct Section {
    kind: String,
    records: Vec<Vec<u8>>,
    snapshot: Option<Vec<u8>>,
    result: Option<Vec<u8>>,
}

/// A checkpoint in memory, whose process is killed when it has written so many records.
#[derive(Default)]
struct Memory {
    sections: RefCell<Vec<Section>>,
    /// The search that has begun, and the next record to read.
    current: Cell<Option<usize>>,
    position: Cell<usize>,
    writes_left: Cell<usize>,
    is_killed: AtomicBool,
    reads: Cell<usize>,
    snapshot_reads: Cell<usize>,
    refused: RefCell<Option<String>>,
}

impl Memory {
    /// Another process, which is killed after so many records.
    fn start(&self, writes: usize) {
        self.current.set(None);
        self.writes_left.set(writes);
        self.is_killed.store(false, Ordering::Relaxed);
    }

    fn budget(&self, workers: usize) -> Budget<'_> {
        let (checkpoint, interrupt) = (Some(self as &dyn Checkpoint), Some(&self.is_killed));
        Budget { workers, checkpoint, interrupt, ..Budget::default() }
    }

    /// The section to write to, unless the process is killed, or later sections are there.
    fn open_section(&self) -> Option<std::cell::RefMut<'_, Section>> {
        let sections = self.sections.borrow_mut();
        let is_open =
            !self.is_killed.load(Ordering::Relaxed) && self.current.get() == Some(sections.len() - 1);
        is_open.then(|| std::cell::RefMut::map(sections, |sections| sections.last_mut().expect("a section")))
    }
}

impl Checkpoint for Memory {
    fn begin(&self, search: &str) -> Known {
        let index = self.current.get().map_or(0, |index| index + 1);
        self.current.set(Some(index));
        self.position.set(0);
        let mut sections = self.sections.borrow_mut();
        match sections.get(index) {
            Some(section) => {
                assert_eq!(section.kind, search, "searches come in the same order");
                section.result.clone().map_or(Known::Records, Known::Result)
            }
            None => {
                sections.push(Section { kind: search.to_owned(), ..Section::default() });
                Known::Nothing
            }
        }
    }

    fn read(&self, record: &mut Vec<u8>) -> Result<bool, Refused> {
        let sections = self.sections.borrow();
        let section = &sections[self.current.get().expect("a search has begun")];
        let Some(next) = section.records.get(self.position.get()) else { return Ok(false) };
        record.clone_from(next);
        self.position.set(self.position.get() + 1);
        self.reads.set(self.reads.get() + 1);
        Ok(true)
    }

    fn refuse(&self, why: &str) {
        *self.refused.borrow_mut() = Some(why.to_owned());
    }

    fn is_due(&self) -> bool {
        true
    }

    fn write(&self, record: &[u8]) {
        if let Some(mut section) = self.open_section() {
            section.records.push(record.to_vec());
        }
        self.writes_left.set(self.writes_left.get().saturating_sub(1));
        if self.writes_left.get() == 0 {
            self.is_killed.store(true, Ordering::Relaxed);
        }
    }

    fn write_snapshot(&self, snapshot: &[u8]) {
        if let Some(mut section) = self.open_section() {
            section.snapshot = Some(snapshot.to_vec());
        }
    }

    fn read_snapshot(&self, snapshot: &mut Vec<u8>) -> Result<bool, Refused> {
        let sections = self.sections.borrow();
        let section = &sections[self.current.get().expect("a search has begun")];
        let Some(last) = &section.snapshot else { return Ok(false) };
        snapshot.clone_from(last);
        self.snapshot_reads.set(self.snapshot_reads.get() + 1);
        Ok(true)
    }

    fn finish(&self, result: &[u8]) {
        if let Some(mut section) = self.open_section() {
            (section.records, section.snapshot) = (Vec::new(), None);
            section.result = Some(result.to_vec());
        }
    }

    fn stop(&self) {
        let is_expected = self.is_killed.load(Ordering::Relaxed) || self.refused.borrow().is_some();
        assert!(is_expected, "there are no other limits");
    }

    fn period(&self) -> usize {
        1
    }
}

/// Makes a search in as many processes as it takes, each killed after a few records. Returns the result of
/// the last one, and how many records were read.
fn in_pieces<T>(
    random: &mut Random,
    search: impl Fn(&Memory) -> T,
    is_interrupted: impl Fn(&T) -> bool,
) -> (T, usize) {
    let memory = Memory::default();
    for _ in 0..10_000 {
        memory.start(1 + below(random, 5) as usize);
        let result = search(&memory);
        assert_eq!(*memory.refused.borrow(), None);
        if !is_interrupted(&result) {
            // Another process finds everything done, or finds the same once more.
            memory.start(usize::MAX);
            return (search(&memory), memory.reads.get());
        }
    }
    panic!("the search makes no progress");
}

/// The figures that do not depend on where a search was stopped.
fn figures(stats: &Stats) -> [usize; 4] {
    [stats.states, stats.transitions, stats.product_states, stats.depth]
}

fn compare(one: &Report<(u32, u32)>, other: &Report<(u32, u32)>) {
    assert_eq!((&one.verdict, figures(&one.stats)), (&other.verdict, figures(&other.stats)));
}

#[test]
fn a_formula_has_the_same_verdict_in_pieces() {
    let mut random = Random(41);
    let (mut reads, mut verdicts) = (0, [0; 2]);
    for round in 0..1200 {
        let graph = random_graph(&mut random, 40, 0);
        let formula = random_formula(&mut random, 3);
        let fairness = [Fairness::None, Fairness::Weak, Fairness::Strong][round % 3];
        let search = |budget: Budget<'_>| {
            let options = Options { fairness, reduction: false, budget };
            check(&graph, &formula, options).expect("a small formula")
        };
        let whole = search(Budget::default());
        let workers = 1 + round / 3 % 2;
        let is_interrupted = |report: &Report<_>| report.verdict == Verdict::Limit(Limit::Interrupt);
        let (pieces, count) = in_pieces(&mut random, |memory| search(memory.budget(workers)), is_interrupted);
        if workers == 1 {
            compare(&pieces, &whole);
        } else {
            let is_violated = |report: &Report<_>| matches!(report.verdict, Verdict::Violated(_));
            assert_eq!(is_violated(&pieces), is_violated(&whole));
        }
        reads += count;
        verdicts[usize::from(whole.verdict == Verdict::Holds)] += 1;
    }
    assert!(reads > 3000 && verdicts.iter().all(|count| *count > 200), "{reads} {verdicts:?}");
}

/// A graph some of whose ends are deadlocks or errors.
struct Failing<'a>(&'a Graph);

impl System for Failing<'_> {
    type Action = (u32, u32);

    fn words(&self) -> usize {
        1
    }

    fn processes(&self) -> usize {
        self.0.processes()
    }

    fn initial(&self, out: &mut States) {
        self.0.initial(out);
    }

    fn successors(&self, state: &[Word], out: &mut Steps<Self::Action>) {
        if self.error(state).is_none() {
            self.0.successors(state, out);
        }
    }

    fn label(&self, state: &[Word]) -> Letter {
        self.0.label(state)
    }

    fn process(&self, action: Self::Action) -> Option<ProcessId> {
        self.0.process(action)
    }

    fn is_end(&self, state: &[Word]) -> bool {
        state[0].is_multiple_of(3)
    }

    fn error(&self, state: &[Word]) -> Option<String> {
        (state[0] % 11 == 7).then(|| format!("error {}", state[0] / 30))
    }

    fn describe(&self, action: Self::Action) -> String {
        self.0.describe(action)
    }

    fn show(&self, state: &[Word]) -> Vec<(String, String)> {
        self.0.show(state)
    }
}

fn compare_passes(one: &InvariantPass<(u32, u32)>, other: &InvariantPass<(u32, u32)>) {
    for (one, other) in one.reports.iter().zip(&other.reports) {
        match (one, other) {
            (Some(one), Some(other)) => compare(one, other),
            (one, other) => assert_eq!(one.is_some(), other.is_some()),
        }
    }
    let [one, other] = [one, other].map(|pass| pass.failures.as_ref().expect("failures were searched for"));
    assert_eq!((one.deadlock_count, &one.deadlocks), (other.deadlock_count, &other.deadlocks));
    assert_eq!((&one.errors, &one.crashes, one.limit), (&other.errors, &other.crashes, other.limit));
    assert_eq!(figures(&one.stats), figures(&other.stats));
}

#[test]
fn a_pass_finds_the_same_in_pieces() {
    let mut random = Random(43);
    let (mut reads, mut found) = (0, [0; 3]);
    for round in 0..1200 {
        let graph = random_graph(&mut random, 60, if round % 3 == 0 { 1 } else { 0 });
        let formulas = [0, 1].map(|_| random_formula(&mut random, 1).always());
        let workers = 1 + round % 2;
        let pass = |budget: Budget<'_>| {
            check_invariants(&Failing(&graph), &formulas, Some(FailureGoal::All), budget)
                .expect("small formulas")
        };
        // With a checkpoint, several workers begin with the first level.
        let whole = pass(Budget { workers, alone: 0, ..Budget::default() });
        let is_interrupted = |pass: &InvariantPass<_>| {
            pass.failures.as_ref().is_some_and(|failures| failures.limit == Some(Limit::Interrupt))
        };
        let (pieces, count) = in_pieces(&mut random, |memory| pass(memory.budget(workers)), is_interrupted);
        compare_passes(&pieces, &whole);
        reads += count;
        let failures = whole.failures.expect("failures were searched for");
        let is_violated = |report: &Report<_>| !matches!(report.verdict, Verdict::Holds);
        let is_found = [
            failures.deadlock_count > 0,
            !failures.errors.is_empty(),
            whole.reports.iter().flatten().any(is_violated),
        ];
        found.iter_mut().zip(is_found).for_each(|(count, is_found)| *count += usize::from(is_found));
    }
    let is_meaningful = found.iter().all(|count| (100..1200).contains(count));
    assert!(reads > 3000 && is_meaningful, "{reads} {found:?}");
}

/// A ring of so many nodes, with one letter.
fn ring(nodes: u32, by: u32) -> Graph {
    let labels = (0..nodes).map(|_| Letter::exactly(1)).collect();
    Graph::new(labels, (0..nodes).map(|node| (node, 0, (node + by) % nodes)).collect(), 1)
}

#[test]
fn a_table_that_grows_is_the_same_with_snapshots_of_its_slots() {
    let mut random = Random(53);
    let p = selvedge_ltl::Formula::prop(selvedge_ltl::Prop(0));
    for formula in [p.clone().always(), p.eventually().always()] {
        // The table grows twice, so the last snapshot is of few states or of most of them.
        let graph = ring(700, 1);
        let search = |budget: Budget<'_>| {
            let options = Options { budget, reduction: false, ..Options::default() };
            check(&graph, &formula, options).expect("a small formula")
        };
        let whole = search(Budget::default());
        let memory = Memory::default();
        let mut pieces = search(memory.budget(1));
        for _ in 0..40 {
            memory.start(1 + below(&mut random, 40) as usize);
            pieces = search(memory.budget(1));
            assert_eq!(*memory.refused.borrow(), None);
        }
        assert_eq!(pieces.verdict, Verdict::Holds);
        compare(&pieces, &whole);
        assert!(memory.snapshot_reads.get() > 20, "{}", memory.snapshot_reads.get());
    }
}

#[test]
fn a_snapshot_that_does_not_fit_is_refused() {
    let p = selvedge_ltl::Formula::prop(selvedge_ltl::Prop(0));
    for formula in [p.clone().always(), p.eventually().always()] {
        let search = |memory: &Memory| {
            let options = Options { budget: memory.budget(1), reduction: false, ..Options::default() };
            check(&ring(700, 1), &formula, options).expect("a small formula").verdict
        };
        let memory = Memory::default();
        memory.start(100);
        assert_eq!(search(&memory), Verdict::Limit(Limit::Interrupt));
        let changed = memory.sections.borrow_mut().last_mut().and_then(|section| section.snapshot.take());
        let mut changed = changed.expect("a snapshot");
        changed.pop();
        memory.sections.borrow_mut().last_mut().expect("a search").snapshot = Some(changed);
        memory.start(usize::MAX);
        assert_eq!(search(&memory), Verdict::Limit(Limit::Checkpoint));
        assert_eq!(memory.refused.borrow().as_deref(), Some("it ends too early"));
    }
}

#[test]
fn records_that_do_not_fit_are_refused() {
    let mut random = Random(47);
    let [p, q] = [0, 1].map(|index| selvedge_ltl::Formula::prop(selvedge_ltl::Prop(index)));
    let formula = p.implies(q.eventually()).always();
    let mut refused = 0;
    for round in 0..60 {
        let graph = random_graph(&mut random, 40, 0);
        let search = |graph: &Graph, memory: &Memory| {
            let (budget, options) = (memory.budget(1), Options { reduction: false, ..Options::default() });
            let formula = if round % 2 == 0 { formula.clone() } else { formula.clone().always() };
            check(graph, &formula, Options { budget, ..options }).expect("a small formula").verdict
        };
        let memory = Memory::default();
        memory.start(3);
        if search(&graph, &memory) != Verdict::Limit(Limit::Interrupt) {
            continue;
        }
        match round % 3 {
            0 => drop(memory.sections.borrow_mut()[0].records.remove(0)),
            1 => memory.sections.borrow_mut()[0].records.iter_mut().for_each(|record| record.truncate(50)),
            _ => memory.sections.borrow_mut()[0].records[2].push(0),
        }
        memory.start(usize::MAX);
        assert_eq!(search(&graph, &memory), Verdict::Limit(Limit::Checkpoint));
        assert!(memory.refused.borrow().as_ref().is_some_and(|why| why.starts_with("record ")));
        refused += 1;
    }
    assert!(refused > 20, "{refused}");
}

#[test]
fn records_of_another_system_are_refused() {
    // The same states, and other steps between the first of them.
    let [graph, other] = [1, 3].map(|by| ring(20, by));
    let p = selvedge_ltl::Formula::prop(selvedge_ltl::Prop(0));
    for formula in [p.clone().always(), p.eventually().always()] {
        let search = |graph: &Graph, memory: &Memory| {
            let options = Options { budget: memory.budget(1), reduction: false, ..Options::default() };
            check(graph, &formula, options).expect("a small formula").verdict
        };
        let memory = Memory::default();
        memory.start(5);
        assert_eq!(search(&graph, &memory), Verdict::Limit(Limit::Interrupt));
        memory.start(usize::MAX);
        assert_eq!(search(&other, &memory), Verdict::Limit(Limit::Checkpoint));
        let why = "its states are not those of this program";
        assert_eq!(memory.refused.borrow().as_deref(), Some(why));
    }
}
