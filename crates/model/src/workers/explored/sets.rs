//! The union-find under every interleaving, against a sequential reference.
//!
//! A program is a list of operations for each thread. The reference runs the operations of all threads one
//! after the other, in every order, on sets that are lists. The answers of the union-find must be exactly
//! those of the reference.

use super::super::union_find::{Claim, UnionFind};
use super::{explore_all, small_sets};
use crate::ltl::{Acceptance, FairnessDebt};
use crate::sync::thread;
use selvedge::MemoryModel::{self, Pso, Sc, Tso};
use std::collections::BTreeSet;

/// An operation of a thread; the number of the thread is that of the worker.
#[derive(Clone, Copy, Debug)]
enum Op {
    Claim(u32),
    Unite(u32, u32),
    IsSame(u32, u32),
    /// Adds a mark to the sum of a node's set.
    Add(u32, u64),
    Finish(u32),
    Pick(u32),
}

/// The answer to an operation. Which of several busy nodes is picked is left open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Answer {
    None,
    New,
    OnPath,
    Dead,
    Bool(bool),
    Marks(u64),
}

/// The answers of all threads.
type Answers = Vec<Vec<Answer>>;

impl Op {
    fn apply(self, sets: &UnionFind, worker: u64) -> Answer {
        match self {
            Op::Claim(node) => match sets.claim(node, worker) {
                Claim::New => Answer::New,
                Claim::OnPath => Answer::OnPath,
                Claim::Dead => Answer::Dead,
            },
            Op::Unite(one, other) => {
                sets.unite(one, other);
                Answer::None
            }
            Op::IsSame(one, other) => Answer::Bool(sets.is_same_set(one, other)),
            Op::Add(node, marks) => {
                Answer::Marks(sets.add(node, Acceptance { marks, debt: FairnessDebt::default() }).marks)
            }
            Op::Finish(node) => {
                sets.finish(node);
                Answer::None
            }
            Op::Pick(node) => {
                let picked = sets.pick(node);
                assert!(picked.is_none_or(|busy| sets.is_same_set(node, busy)), "a busy node of another set");
                Answer::Bool(picked.is_some())
            }
        }
    }
}

/// The sets as lists: easy to believe, and sequential.
#[derive(Clone)]
struct NaiveSets {
    sets: Vec<NaiveSet>,
    done: BTreeSet<u32>,
}

#[derive(Clone)]
struct NaiveSet {
    nodes: BTreeSet<u32>,
    workers: u64,
    marks: u64,
    is_dead: bool,
}

impl NaiveSets {
    fn new(count: u32) -> NaiveSets {
        let set = |node| NaiveSet { nodes: BTreeSet::from([node]), workers: 0, marks: 0, is_dead: false };
        NaiveSets { sets: (0..count).map(set).collect(), done: BTreeSet::new() }
    }

    fn index(&self, node: u32) -> usize {
        self.sets.iter().position(|set| set.nodes.contains(&node)).expect("every node is in a set")
    }

    fn apply(&mut self, op: Op, worker: u64) -> Answer {
        match op {
            Op::Claim(node) => {
                let index = self.index(node);
                let set = &mut self.sets[index];
                if set.is_dead {
                    return Answer::Dead;
                }
                let is_known = set.workers & worker != 0;
                set.workers |= worker;
                if is_known { Answer::OnPath } else { Answer::New }
            }
            Op::Unite(one, other) => {
                if self.index(one) != self.index(other) {
                    let moved = self.sets.remove(self.index(one));
                    let index = self.index(other);
                    let set = &mut self.sets[index];
                    set.nodes.extend(moved.nodes);
                    set.workers |= moved.workers;
                    set.marks |= moved.marks;
                }
                Answer::None
            }
            Op::IsSame(one, other) => Answer::Bool(self.index(one) == self.index(other)),
            Op::Add(node, marks) => {
                let index = self.index(node);
                self.sets[index].marks |= marks;
                Answer::Marks(self.sets[index].marks)
            }
            Op::Finish(node) => {
                self.done.insert(node);
                Answer::None
            }
            Op::Pick(node) => {
                let index = self.index(node);
                let is_busy = !self.sets[index].nodes.is_subset(&self.done);
                self.sets[index].is_dead |= !is_busy;
                Answer::Bool(is_busy)
            }
        }
    }
}

/// The operations of each thread, and those that come before all threads, by the body's own thread.
struct Program<'p> {
    nodes: u32,
    before: &'p [Op],
    threads: &'p [&'p [Op]],
}

/// The answers of every sequential order of the operations.
fn reference(program: &Program<'_>) -> BTreeSet<Answers> {
    let mut sets = NaiveSets::new(program.nodes);
    for op in program.before {
        sets.apply(*op, 1);
    }
    let mut all = BTreeSet::new();
    let mut open = vec![(sets, vec![Vec::new(); program.threads.len()])];
    while let Some((sets, answers)) = open.pop() {
        let mut is_over = true;
        for (thread, ops) in program.threads.iter().enumerate() {
            let Some(op) = ops.get(answers[thread].len()) else { continue };
            is_over = false;
            let (mut sets, mut answers): (NaiveSets, Answers) = (sets.clone(), answers.clone());
            answers[thread].push(sets.apply(*op, 1 << thread));
            open.push((sets, answers));
        }
        if is_over {
            all.insert(answers);
        }
    }
    all
}

/// Runs the program on the union-find: the first thread is the body's own.
fn run(program: &Program<'_>) -> Answers {
    let sets = small_sets();
    for op in program.before {
        op.apply(&sets, 1);
        sets.validate(program.nodes);
    }
    let work = |number: usize| -> Vec<Answer> {
        program.threads[number].iter().map(|op| op.apply(&sets, 1 << number)).collect()
    };
    let answers = thread::scope(|scope| {
        let others: Vec<_> =
            (1..program.threads.len()).map(|number| scope.spawn(move || work(number))).collect();
        let first = work(0);
        let others = others.into_iter().map(|other| other.join().expect("a thread that does not panic"));
        std::iter::once(first).chain(others).collect()
    });
    sets.validate(program.nodes);
    answers
}

/// The answers are exactly those of the reference, in so many runs under each memory model.
#[track_caller]
fn check(nodes: u32, before: &[Op], threads: &[&[Op]], runs: [usize; 3]) {
    let program = Program { nodes, before, threads };
    let expected = reference(&program);
    let models: [MemoryModel; 3] = [Sc, Tso, Pso];
    let explored = models.map(|memory| {
        let report = explore_all(memory, || run(&program));
        let answers: BTreeSet<Answers> = report.values().cloned().collect();
        assert_eq!(answers, expected, "{memory:?}");
        report.executions()
    });
    assert_eq!(explored, runs);
}

use Op::{Add, Claim as Take, Finish, IsSame, Pick, Unite};

#[test]
fn two_threads_unite_the_same_nodes() {
    check(2, &[], &[&[Unite(0, 1), IsSame(0, 1)], &[Unite(1, 0), IsSame(0, 1)]], [4, 4, 4]);
}

#[test]
fn two_threads_unite_three_nodes_into_one_set() {
    check(3, &[], &[&[Unite(0, 1), IsSame(0, 2)], &[Unite(1, 2), IsSame(0, 2)]], [8, 8, 8]);
}

#[test]
fn two_threads_unite_four_nodes_into_one_set() {
    let threads: [&[Op]; 2] = [&[Unite(0, 1), Unite(2, 3), IsSame(0, 3)], &[Unite(1, 2), IsSame(0, 3)]];
    check(4, &[], &threads, [27, 27, 27]);
}

#[test]
fn three_threads_unite_three_nodes_into_one_set() {
    let threads: [&[Op]; 3] = [&[Unite(0, 1)], &[Unite(1, 2)], &[Unite(2, 0), IsSame(0, 1)]];
    check(3, &[], &threads, [53, 53, 53]);
}

#[test]
fn a_claim_is_found_only_where_the_claimed_node_is() {
    check(2, &[], &[&[Take(1), Take(0), IsSame(0, 1)], &[Unite(0, 1)]], [7, 7, 7]);
}

#[test]
fn claims_of_two_workers_survive_a_link() {
    check(2, &[], &[&[Take(0), Unite(0, 1), Take(1)], &[Take(1), Take(0)]], [15, 15, 15]);
}

#[test]
fn claims_of_three_workers_survive_two_links() {
    let threads: [&[Op]; 3] =
        [&[Take(0), Unite(0, 1), Take(2)], &[Take(2), Unite(1, 2)], &[Take(1), Take(0)]];
    check(3, &[], &threads, [549, 549, 549]);
}

#[test]
fn marks_that_two_threads_add_survive_a_link() {
    check(2, &[], &[&[Add(0, 1), Unite(0, 1), Add(1, 0)], &[Add(1, 2), Add(0, 4)]], [19, 19, 19]);
}

#[test]
fn marks_that_three_threads_add_survive_two_links() {
    let threads: [&[Op]; 3] = [&[Add(0, 1), Unite(0, 1)], &[Add(2, 2), Unite(1, 2)], &[Add(1, 4), Add(0, 0)]];
    check(3, &[], &threads, [70, 70, 70]);
}

#[test]
fn a_set_is_dead_when_every_node_is_done() {
    let threads: [&[Op]; 2] = [&[Finish(0), Pick(0), Take(0)], &[Finish(1), Pick(1), Take(0)]];
    check(2, &[Unite(0, 1)], &threads, [8, 8, 8]);
}

#[test]
fn a_busy_node_keeps_a_growing_set_alive() {
    // Node 2 is busy until the second thread has united it, so the first thread can never find the set dead.
    let threads: [&[Op]; 2] = [&[Finish(0), Pick(0), Take(2)], &[Unite(1, 2), Finish(1), Pick(1), Finish(2)]];
    check(3, &[Unite(0, 1)], &threads, [11, 11, 11]);
}
