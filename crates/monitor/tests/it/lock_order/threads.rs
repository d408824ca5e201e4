//! Real threads: which cycles are told does not depend on the schedule.

use super::naive::{Verdicts, verdicts_of};
use super::program::{LOCKS, Op, Program, can_take};
use super::{check_silent, check_told, nest, recorder};
use selvedge_monitor::Reaction;
use selvedge_monitor::lock_order::{Access, Finding, Holder, JoinTicket, LockTag, install, releases, takes};
use selvedge_testkit::{Random, is_long_run};
use std::collections::BTreeMap;
use std::panic::Location;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{Scope, ScopedJoinHandle};

const CASES: u64 = 300;

/// The operations of one thread, by the recorder alone: no lock is really taken, so no schedule blocks.
fn run_thread<'s>(
    scope: &'s Scope<'s, '_>,
    program: &'s Program,
    tags: &'s [LockTag],
    index: usize,
    mut holder: Holder,
) {
    let mut held: Vec<(usize, Access)> = Vec::new();
    let mut children: BTreeMap<usize, (JoinTicket, ScopedJoinHandle<'s, ()>)> = BTreeMap::new();
    for op in &program.threads[index] {
        match *op {
            Op::Take { lock, access, is_blocking } if can_take(&held, lock, access) => {
                if is_blocking {
                    holder.requests(&tags[lock], access);
                }
                holder.acquires(&tags[lock], access);
                held.push((lock, access));
            }
            Op::Release(number) if !held.is_empty() => {
                let (lock, _) = held.remove(number % held.len());
                holder.releases(&tags[lock], holder.id());
            }
            Op::Spawn(child) => {
                let of_child = holder.spawns("child");
                let ticket = of_child.ticket();
                let thread = scope.spawn(move || run_thread(scope, program, tags, child, of_child));
                children.insert(child, (ticket, thread));
            }
            Op::Join(child) => {
                let (ticket, thread) = children.remove(&child).unwrap();
                thread.join().unwrap();
                holder.joins(&ticket);
            }
            _ => {}
        }
    }
}

fn run(program: &Program) -> Verdicts {
    let order = recorder();
    let tags: Vec<LockTag> = (0..LOCKS).map(|_| LockTag::new()).collect();
    assert!(tags.iter().map(LockTag::id).is_sorted());
    let main = order.holder("main");
    std::thread::scope(|scope| run_thread(scope, program, &tags, 0, main));
    verdicts_of(&order, &tags)
}

#[test]
fn real_threads_have_the_verdicts_of_every_schedule() {
    for seed in 0..if is_long_run() { 20 * CASES } else { CASES } {
        let program = Program::random(&mut Random(seed), false);
        let first = run(&program);
        assert_eq!(run(&program), first, "seed {seed}: {program:?}");
    }
}

/// A mutex that is watched, as far as this test needs it.
struct Watched {
    tag: LockTag,
    mutex: Mutex<u64>,
}

impl Watched {
    fn with<R>(&self, holder: &mut Holder, inner: impl FnOnce(&mut Holder) -> R) -> R {
        holder.requests(&self.tag, Access::Lock);
        let guard = match self.mutex.try_lock() {
            Ok(guard) => guard,
            Err(_) => {
                let _waiting = holder.waits_for(&self.tag, Access::Lock);
                self.mutex.lock().unwrap()
            }
        };
        holder.acquires(&self.tag, Access::Lock);
        let result = inner(holder);
        holder.releases(&self.tag, holder.id());
        drop(guard);
        result
    }
}

#[test]
fn threads_that_keep_one_order_are_never_told() {
    let order = recorder();
    let locks: Vec<Watched> = (0..6).map(|_| Watched { tag: LockTag::new(), mutex: Mutex::new(0) }).collect();
    let mut main = order.holder("main");
    std::thread::scope(|scope| {
        for seed in 0..4 {
            let mut holder = main.spawns("worker");
            let locks = &locks;
            scope.spawn(move || {
                let mut random = Random(seed);
                for _ in 0..2_000 {
                    let first = random.below(5);
                    let second = first + 1 + random.below(5 - first);
                    locks[first].with(&mut holder, |holder| locks[second].with(holder, |_| ()));
                }
            });
        }
    });
    check_silent(&order);
    assert!(order.suppressed().is_empty());
    assert!(order.deadlocks().is_empty());
}

#[test]
fn threads_that_find_a_cycle_at_once_tell_it_once() {
    let told = Arc::new(AtomicUsize::new(0));
    for _ in 0..50 {
        let order = recorder();
        let counter = told.clone();
        order.on_finding(Reaction::Call(Box::new(move |finding| {
            assert!(matches!(finding, Finding::Cycle(_)));
            counter.fetch_add(1, Ordering::Relaxed);
        })));
        let (a, b) = (LockTag::new(), LockTag::new());
        std::thread::scope(|scope| {
            for index in 0..4 {
                let mut holder = order.holder("worker");
                let pair = if index % 2 == 0 { [&a, &b] } else { [&b, &a] };
                scope.spawn(move || nest(&mut holder, &pair));
            }
        });
        check_told(&order, 2);
    }
    assert_eq!(told.load(Ordering::Relaxed), 50);
}

/// Takes the locks by the holder of the calling thread, one inside of the other, and gives them back.
fn nest_by_current(tags: &[LockTag], order: impl DoubleEndedIterator<Item = usize> + Clone) {
    let at = Location::caller();
    let taken: Vec<_> =
        order.clone().map(|index| takes(&tags[index], Access::Lock, at, true).unwrap()).collect();
    for (index, by) in order.rev().zip(taken.into_iter().rev()) {
        releases(&tags[index], by);
    }
}

#[test]
fn a_thread_with_many_locks_in_hand_is_told_as_one_with_few() {
    for count in [2, 7, 8, 9, 10] {
        let order = recorder();
        let tags: Vec<LockTag> = (0..count).map(|_| LockTag::new()).collect();
        let mut main = order.holder("main");
        std::thread::scope(|scope| {
            let (up, down) = (main.spawns("up"), main.spawns("down"));
            let tags = &tags;
            let up = scope.spawn(move || {
                install(Some(up));
                // The second time, all orders are known.
                (0..3).for_each(|_| nest_by_current(tags, 0..count));
                install(None)
            });
            let up = up.join().unwrap();
            let down = scope.spawn(move || {
                install(Some(down));
                (0..3).for_each(|_| nest_by_current(tags, [count - 1, 0].into_iter()));
                install(None)
            });
            for mut holder in [up, down.join().unwrap()].into_iter().flatten() {
                assert!(holder.held().is_empty());
            }
        });
        check_told(&order, 2);
        assert!(order.notes().is_empty());
    }
}

#[test]
fn a_lock_that_another_thread_gave_back_is_no_gate_of_a_known_order() {
    let order = recorder();
    let tags: Vec<LockTag> = (0..3).map(|_| LockTag::new()).collect();
    let (gate, other) = (0, order.holder("other"));
    install(Some(order.holder("main")));
    nest_by_current(&tags, 0..3);
    let main = takes(&tags[gate], Access::Lock, Location::caller(), true).unwrap();
    std::thread::scope(|scope| {
        let tags = &tags;
        scope.spawn(move || {
            install(Some(other));
            releases(&tags[gate], main);
            nest_by_current(tags, [gate, 2, 1].into_iter());
        });
    });
    check_silent(&order);
    nest_by_current(&tags, 1..3);
    check_told(&order, 2);
    assert!(install(None).unwrap().held().is_empty());
}
