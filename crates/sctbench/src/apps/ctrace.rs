//! ctrace: a tracing library that ends while threads trace (SCTBench's version of CTrace 1.2).
//!
//! A thread that traces takes a reader lock, made of a mutex and a semaphore, and looks itself up in the
//! table of threads. `end` frees the table and destroys the locks. The bug: it waits for no thread, and
//! threads use what is freed. Without it, `end` switches tracing off under the writer's lock, and the locks
//! stay. Left
//! out: the output and the levels of tracing.

use crate::parts::{Racy, Semaphore, crash, join, lock, spawn};
use crate::{Failure, Program, Suite};
use selvedge::sync::Mutex;
use std::sync::Arc;

pub(crate) const CTRACE: Program = Program {
    name: "ctrace",
    suite: Suite::Conseq,
    threads: 3,
    steps: 22,
    failure: Failure::Crash,
    buggy: || trace_and_end(Tracer::end_at_once),
    correct: || trace_and_end(Tracer::end_as_writer),
};

struct Tracer {
    is_on: Racy,
    is_table_freed: Racy,
    are_locks_destroyed: Racy,
    readers: Mutex<u32>,
    writer: Semaphore,
}

impl Tracer {
    fn lock_for_reading(&self) {
        if self.are_locks_destroyed.get() == 1 {
            crash("the lock is destroyed");
        }
        let mut readers = lock(&self.readers);
        *readers += 1;
        if *readers == 1 {
            self.writer.acquire();
        }
    }

    fn unlock_for_reading(&self) {
        let mut readers = lock(&self.readers);
        *readers -= 1;
        if *readers == 0 {
            self.writer.release();
        }
    }

    fn trace(&self) {
        if self.is_on.get() == 0 {
            return;
        }
        self.lock_for_reading();
        if self.is_on.get() == 1 && self.is_table_freed.get() == 1 {
            crash("the table of threads is freed");
        }
        self.unlock_for_reading();
    }

    fn end_at_once(&self) {
        self.is_table_freed.set(1);
        self.are_locks_destroyed.set(1);
        self.is_on.set(0);
    }

    fn end_as_writer(&self) {
        self.writer.acquire();
        self.is_on.set(0);
        self.is_table_freed.set(1);
        self.writer.release();
    }
}

fn trace_and_end(end: fn(&Tracer)) {
    let tracer = Arc::new(Tracer {
        is_on: Racy::new(1),
        is_table_freed: Racy::new(0),
        are_locks_destroyed: Racy::new(0),
        readers: Mutex::new(0),
        writer: Semaphore::new(1),
    });
    let threads = [spawn(&tracer, Tracer::trace), spawn(&tracer, end)];
    tracer.trace();
    join(threads);
}
