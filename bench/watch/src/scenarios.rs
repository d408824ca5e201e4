//! What is told as a potential deadlock: programs that can deadlock, and programs that cannot. The
//! threads of a program live at once, unless they are joined, and act one after the other, so that no
//! deadlock happens.

use crate::mutexes::Lock;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex};

/// A program: its name, whether it can deadlock, and a function that runs it.
pub(crate) struct Scenario<L> {
    pub(crate) name: &'static str,
    pub(crate) can_deadlock: bool,
    run: fn(),
    lock: std::marker::PhantomData<L>,
}

type Act = Box<dyn FnOnce() + Send>;

/// Runs each action in a thread of its own, one after the other. All threads live until the last action is
/// done.
fn in_turn<L: Lock>(actions: Vec<Act>) {
    let (turn, last) = (Arc::new((Mutex::new(0), Condvar::new())), actions.len());
    let spawn = |(number, action): (usize, Act)| {
        let turn = turn.clone();
        L::spawn(move || {
            let wait_for = |number| {
                let (count, changed) = &*turn;
                drop(changed.wait_while(count.lock().unwrap(), |count| *count < number).unwrap());
            };
            wait_for(number);
            // A contestant may panic where it finds a cycle.
            let result = catch_unwind(AssertUnwindSafe(action));
            *turn.0.lock().unwrap() += 1;
            turn.1.notify_all();
            wait_for(last);
            result.unwrap_or_else(|payload| resume_unwind(payload));
        })
    };
    let threads: Vec<_> = actions.into_iter().enumerate().map(spawn).collect();
    threads.into_iter().for_each(|join| _ = join());
}

/// Takes the locks in this order, and gives them back.
fn take<L: Lock, const N: usize>(locks: [&Arc<L>; N]) -> Act {
    let locks = locks.map(Arc::clone);
    Box::new(move || {
        let mut guards = Vec::new();
        locks.iter().for_each(|lock| guards.push(lock.lock()));
        while guards.pop().is_some() {}
    })
}

fn locks<L: Lock, const N: usize>() -> [Arc<L>; N] {
    std::array::from_fn(|_| Arc::new(L::new()))
}

/// All programs.
pub(crate) fn all<L: Lock>() -> Vec<Scenario<L>> {
    orders_of_two_or_three().into_iter().chain(orders_that_need_care()).collect()
}

fn scenario<L>(name: &'static str, can_deadlock: bool, run: fn()) -> Scenario<L> {
    Scenario { name, can_deadlock, run, lock: std::marker::PhantomData }
}

fn orders_of_two_or_three<L: Lock>() -> [Scenario<L>; 5] {
    [
        scenario("A, B against B, A", true, || {
            let [a, b] = locks::<L, 2>();
            in_turn::<L>(vec![take([&a, &b]), take([&b, &a])]);
        }),
        scenario("A, B; B, C; C, A", true, || {
            let [a, b, c] = locks::<L, 3>();
            in_turn::<L>(vec![take([&a, &b]), take([&b, &c]), take([&c, &a])]);
        }),
        scenario("A, B against B, A, under a gate", false, || {
            let [gate, a, b] = locks::<L, 3>();
            in_turn::<L>(vec![take([&gate, &a, &b]), take([&gate, &b, &a])]);
        }),
        scenario("A, B then B, A in one thread", false, || {
            let [a, b] = locks::<L, 2>();
            let (first, second) = (take([&a, &b]), take([&b, &a]));
            in_turn::<L>(vec![Box::new(move || {
                first();
                second();
            })]);
        }),
        scenario("A, B, then a spawned child B, A", false, || {
            let [a, b] = locks::<L, 2>();
            let (first, second) = (take([&a, &b]), take([&b, &a]));
            in_turn::<L>(vec![Box::new(move || {
                first();
                L::spawn(second)();
            })]);
        }),
    ]
}

/// Locks that are given back before, ends of threads, attempts, and new locks.
fn orders_that_need_care<L: Lock>() -> [Scenario<L>; 4] {
    [
        scenario("A, B, unlock A, C against C, A", false, || {
            let [a, b, c] = locks::<L, 3>();
            let last = take([&c, &a]);
            let first = move || {
                let held = a.lock();
                let kept = b.lock();
                drop(held);
                drop(c.lock());
                drop(kept);
            };
            in_turn::<L>(vec![Box::new(first), last]);
        }),
        scenario("A, B, joined, B, A", false, || {
            let [a, b] = locks::<L, 2>();
            L::spawn(take([&a, &b]))();
            L::spawn(take([&b, &a]))();
        }),
        scenario("A, B against B, A by `try_lock`", false, || {
            let [a, b] = locks::<L, 2>();
            let first = take([&a, &b]);
            let second = move || {
                let held = b.lock();
                drop(a.try_lock());
                drop(held);
            };
            in_turn::<L>(vec![first, Box::new(second)]);
        }),
        scenario("a new lock at an old address", false, || {
            let [a] = locks::<L, 1>();
            let slot = Arc::new(std::sync::RwLock::new(L::new()));
            let (one, other, last) = (a.clone(), slot.clone(), slot.clone());
            let first = move || {
                let held = one.lock();
                drop(other.read().unwrap().lock());
                drop(held);
            };
            let renew = move || *slot.write().unwrap() = L::new();
            let second = move || {
                let slot = last.read().unwrap();
                let held = slot.lock();
                drop(a.lock());
                drop(held);
            };
            in_turn::<L>(vec![Box::new(first), Box::new(renew), Box::new(second)]);
        }),
    ]
}

impl<L: Lock> Scenario<L> {
    /// Is a potential deadlock told?
    pub(crate) fn is_told(&self) -> bool {
        let before = L::findings();
        (self.run)();
        L::findings() > before
    }
}
