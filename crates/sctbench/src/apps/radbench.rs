//! bug1, bug2, bug6 of RADBench (Jalbert, Pereira, Pokam and Sen, RADBench: A Concurrency Bug Benchmark
//! Suite, HotPar 2011): two of an interpreter of JavaScript, one of a library of locks.
//!
//! bug1: the last context to go decides under the lock that it is the last, and destroys a shared table
//! without it, while a new context collects garbage and marks the table. Without the bug, a new context
//! waits until the table is gone, and makes another.
//! bug2: a collection walks over all contexts, and looks at the owner of each twice; a context sets and
//! clears its owner without the lock. Without the bug, it does so under the lock.
//! bug6: a reader takes a lock twice, and the lock keeps new readers out while a writer waits. Without the
//! bug, the reader takes it once.
//!
//! Left out: the interpreter and its heap.

use crate::parts::{Racy, crash, join, join_one, lock, spawn, wait_while};
use crate::{Failure, Program, Suite};
use selvedge::sync::{Condvar, Mutex};
use std::sync::Arc;

pub(crate) const RADBENCH: [Program; 3] = [
    program("bug1", 4, 21889, Failure::Crash, || destroy_last(false), || destroy_last(true)),
    program("bug2", 2, 171, Failure::Crash, || walk_contexts(false), || walk_contexts(true)),
    program("bug6", 3, 101, Failure::Deadlock, || read_and_write(2), || read_and_write(1)),
];

const fn program(
    name: &'static str,
    threads: usize,
    steps: usize,
    failure: Failure,
    buggy: fn(),
    correct: fn(),
) -> Program {
    Program { name, suite: Suite::RadBench, threads, steps, failure, buggy, correct }
}

/// What contexts share.
struct Runtime {
    state: Mutex<Contexts>,
    has_landed: Condvar,
    /// 1 while the table is there.
    table: Racy,
    waits_for_landing: bool,
}

struct Contexts {
    count: usize,
    /// Whether the last context is going.
    is_landing: bool,
    has_table: bool,
}

const TABLE_ENTRIES: usize = 3;

impl Runtime {
    fn new_context(&self) {
        let is_waiting = |state: &Contexts| self.waits_for_landing && state.is_landing;
        let mut state = wait_while(&self.has_landed, lock(&self.state), is_waiting);
        state.count += 1;
        if !state.has_table {
            self.table.set(1);
            state.has_table = true;
        }
    }

    fn destroy_context(&self) {
        {
            let mut state = lock(&self.state);
            state.count -= 1;
            if state.count > 0 {
                return;
            }
            state.is_landing = true;
        }
        self.table.set(0);
        let mut state = lock(&self.state);
        (state.is_landing, state.has_table) = (false, false);
        self.has_landed.notify_all();
    }

    fn collect(&self) {
        for _ in 0..TABLE_ENTRIES {
            if self.table.get() == 0 {
                crash("the table is gone while it is marked");
            }
        }
    }
}

fn destroy_last(waits_for_landing: bool) {
    let state = Contexts { count: 2, is_landing: false, has_table: true };
    let runtime = Arc::new(Runtime {
        state: Mutex::new(state),
        has_landed: Condvar::new(),
        table: Racy::new(1),
        waits_for_landing,
    });
    let mut threads: Vec<_> = (0..2).map(|_| spawn(&runtime, Runtime::destroy_context)).collect();
    threads.push(spawn(&runtime, |runtime| {
        runtime.new_context();
        runtime.collect();
        runtime.destroy_context();
    }));
    join(threads);
}

const CONTEXTS: usize = 2;
const REQUESTS: usize = 3;

fn walk_contexts(is_locked: bool) {
    struct Shared {
        collector: Mutex<()>,
        owners: [Racy; CONTEXTS],
    }
    let shared =
        Arc::new(Shared { collector: Mutex::new(()), owners: std::array::from_fn(|_| Racy::new(0)) });
    let context = spawn(&shared, move |shared| {
        for request in 0..REQUESTS {
            let owner = &shared.owners[request % CONTEXTS];
            for value in [1, 0] {
                let _held = is_locked.then(|| lock(&shared.collector));
                owner.set(value);
            }
        }
    });
    {
        let _held = lock(&shared.collector);
        for owner in &shared.owners {
            if owner.get() != 0 && owner.get() == 0 {
                crash("the owner is null");
            }
        }
    }
    join_one(context);
}

/// A lock for readers and writers that keeps new readers out while a writer waits.
#[derive(Default)]
struct FairLock {
    state: Mutex<FairState>,
    readers_may_enter: Condvar,
    writers_may_enter: Condvar,
}

#[derive(Default)]
struct FairState {
    readers: usize,
    is_written: bool,
    waiting_writers: usize,
}

impl FairLock {
    fn lock_for_reading(&self) {
        let is_shut = |state: &FairState| state.is_written || state.waiting_writers > 0;
        wait_while(&self.readers_may_enter, lock(&self.state), is_shut).readers += 1;
    }

    fn unlock_for_reading(&self) {
        let mut state = lock(&self.state);
        state.readers -= 1;
        if state.readers == 0 {
            self.writers_may_enter.notify_one();
        }
    }

    fn lock_for_writing(&self) {
        let mut state = lock(&self.state);
        state.waiting_writers += 1;
        let is_shut = |state: &FairState| state.is_written || state.readers > 0;
        let mut state = wait_while(&self.writers_may_enter, state, is_shut);
        state.waiting_writers -= 1;
        state.is_written = true;
    }

    fn unlock_for_writing(&self) {
        lock(&self.state).is_written = false;
        self.writers_may_enter.notify_one();
        self.readers_may_enter.notify_all();
    }
}

const ROUNDS: usize = 2;

fn read_and_write(depth: usize) {
    let shared = Arc::new(FairLock::default());
    let reader = spawn(&shared, move |shared| {
        for _ in 0..ROUNDS {
            (0..depth).for_each(|_| shared.lock_for_reading());
            (0..depth).for_each(|_| shared.unlock_for_reading());
        }
    });
    let writer = spawn(&shared, |shared| {
        for _ in 0..ROUNDS {
            shared.lock_for_writing();
            shared.unlock_for_writing();
        }
    });
    join([reader, writer]);
}
