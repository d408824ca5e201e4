//! Threads of the operating system that explorations run on. One that is done waits for the next exploration.
//!
//! Beginning a thread, and the stacks of its program's threads, takes longer than many a whole exploration does. Handing work
//! over and waiting for its end take a few microseconds: both sides look for a while before they let the system wake them. Where both are on
//! one core they sleep at once, as the other one cannot run meanwhile.
//!
//! Promise: [`run`] returns when the work is done, and nobody uses what it borrows any more. A thread that cannot be
//! used any more, because the work says so or has panicked, ends with it.

#![allow(unsafe_code)]

use std::cell::{Cell, UnsafeCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicI32, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Thread;

/// Can the thread that did the work do more?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    Stay,
    Leave,
}

/// So many threads wait for work at most.
const MAX_IDLE: usize = 16;

/// How often somebody looks before it sleeps: being woken on another core takes about as long. Nobody lets others go first instead, by
/// yielding: on a busy machine that may take milliseconds.
const LOOKS: usize = 1000;

static IDLE: Mutex<Vec<Arc<WorkerSlot>>> = Mutex::new(Vec::new());

/// Does the work on a thread of the operating system of its own, whose name is `selvedge`.
///
/// # Errors
/// What the work panicked with.
pub(super) fn run<R: Send>(work: impl FnOnce() -> (R, After) + Send) -> std::thread::Result<R> {
    let result = Cell::new(None);
    let desk = take_desk();
    let after = {
        let place = SendPointer(&raw const result);
        desk.hand_over(move || {
            let SendPointer(place) = { place };
            let done = catch_unwind(AssertUnwindSafe(work));
            let after = done.as_ref().map_or(After::Leave, |(_, after)| *after);
            // SAFETY: the place is there until `hand_over` returns, and its owner does not touch it until then.
            unsafe { (*place).set(Some(done.map(|(result, _)| result))) };
            after
        })
    };
    if after == After::Stay {
        give_back(desk);
    }
    result.take().expect("work that is done has a result")
}

struct SendPointer<T>(*const T);

// SAFETY: what it points to is used by one thread at a time: see `run`.
unsafe impl<T> Send for SendPointer<T> {}

fn take_desk() -> Arc<WorkerSlot> {
    let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
    idle.unwrap_or_else(WorkerSlot::open)
}

fn give_back(desk: Arc<WorkerSlot>) {
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    if idle.len() < MAX_IDLE {
        return idle.push(desk);
    }
    drop(idle);
    desk.state.store(CLOSED, Ordering::Release);
    desk.worker().unpark();
}

type Work = Box<dyn FnOnce() -> After + Send>;

/// Where work is laid down for a thread that waits for it.
struct WorkerSlot {
    state: AtomicU8,
    /// Belongs to the client, but where the state is `WORK`: then it belongs to the worker.
    job_cell: UnsafeCell<Job>,
    worker: Mutex<Option<Thread>>,
    /// The core that the worker was on when it was seen last.
    core: AtomicI32,
}

struct Job {
    job: Option<Work>,
    client: Option<Thread>,
    /// The core that the client is on.
    core: i32,
    after: After,
}

const FREE: u8 = 0;
const WORK: u8 = 1;
const DONE: u8 = 2;
const CLOSED: u8 = 3;

// SAFETY: the job is used by one thread at a time, and the state says by whom: it is stored with `Release` and read with
// `Acquire` by whoever comes next. A desk has one client at a time: whoever took it out of `IDLE` or opened it.
unsafe impl Sync for WorkerSlot {}
// SAFETY: as above; what is on the job can be sent.
unsafe impl Send for WorkerSlot {}

impl WorkerSlot {
    /// A new desk, and a new thread at it.
    fn open() -> Arc<WorkerSlot> {
        let job = Job { job: None, client: None, core: NO_CORE, after: After::Leave };
        let desk = Arc::new(WorkerSlot {
            state: AtomicU8::new(FREE),
            job_cell: UnsafeCell::new(job),
            worker: Mutex::new(None),
            core: AtomicI32::new(NO_CORE),
        });
        let same = desk.clone();
        let spawned = std::thread::Builder::new().name("selvedge".to_owned()).spawn(move || same.work());
        let handle = spawned.expect("the operating system has no thread for the exploration");
        *desk.worker.lock().unwrap_or_else(PoisonError::into_inner) = Some(handle.thread().clone());
        desk
    }

    fn worker(&self) -> Thread {
        let worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner).clone();
        worker.expect("a desk that is open has a thread")
    }

    /// Lays the job down, and waits until it is done.
    fn hand_over<'j>(&self, job: impl FnOnce() -> After + Send + 'j) -> After {
        let job: Box<dyn FnOnce() -> After + Send + 'j> = Box::new(job);
        // SAFETY: only the lifetime changes. This function returns when the state is `DONE`; by then the worker has called
        // the job, which consumed it and all that it borrows, and nothing between here and there can panic.
        let job = unsafe { std::mem::transmute::<Box<dyn FnOnce() -> After + Send + 'j>, Work>(job) };
        let worker = self.worker();
        let (client, core) = (Some(std::thread::current()), present_core());
        let looks = looks(core, self.core.load(Ordering::Relaxed));
        // SAFETY: the state is `FREE`, so the job is the client's, which we are.
        unsafe { *self.job_cell.get() = Job { job: Some(job), client, core, after: After::Leave } };
        self.state.store(WORK, Ordering::Release);
        worker.unpark();
        self.wait(looks, |state| state == DONE);
        // SAFETY: the worker is done, and will not touch the job before there is other work.
        let after = unsafe { (*self.job_cell.get()).after };
        self.state.store(FREE, Ordering::Release);
        after
    }

    /// What the thread at the desk does.
    fn work(&self) {
        let mut looks = LOOKS;
        loop {
            if self.wait(looks, |state| state == WORK || state == CLOSED) == CLOSED {
                return;
            }
            // SAFETY: the state is `WORK`: the job is the worker's.
            let Job { job, client, core, .. } = unsafe { &mut *self.job_cell.get() };
            let (job, client) = (job.take(), client.take());
            let client_core = *core;
            let after = job.map_or(After::Leave, |job| job());
            let core = present_core();
            self.core.store(core, Ordering::Relaxed);
            looks = self::looks(core, client_core);
            // SAFETY: the state is still `WORK`.
            unsafe { (*self.job_cell.get()).after = after };
            self.state.store(DONE, Ordering::Release);
            client.inspect(Thread::unpark);
            if after == After::Leave {
                return;
            }
        }
    }

    /// Looks so often for a state, then waits for it, and returns it.
    fn wait(&self, looks: usize, is_awaited: impl Fn(u8) -> bool) -> u8 {
        let look = || Some(self.state.load(Ordering::Acquire)).filter(|state| is_awaited(*state));
        for _ in 0..looks {
            if let Some(state) = look() {
                return state;
            }
            std::hint::spin_loop();
        }
        loop {
            if let Some(state) = look() {
                return state;
            }
            std::thread::park();
        }
    }
}

/// Where the system does not tell the core.
const NO_CORE: i32 = -1;

/// How often somebody on the first core looks for what somebody does who was last seen on the second.
fn looks(core: i32, other: i32) -> usize {
    if core == other && core != NO_CORE { 0 } else { LOOKS }
}

/// The core that the caller is on. It may be another one at once; that costs time, and nothing else.
fn present_core() -> i32 {
    #[cfg(target_os = "linux")]
    // SAFETY: asking for it has no conditions.
    return unsafe { libc::sched_getcpu() };
    #[cfg(not(target_os = "linux"))]
    NO_CORE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_done_elsewhere_and_borrows_from_here() {
        let here = std::thread::current().id();
        let mut sum = 0;
        for number in 1..=100 {
            let there = run(|| {
                sum += number;
                (std::thread::current().id(), After::Stay)
            });
            assert_ne!(there.expect("it does not panic"), here);
        }
        assert_eq!(sum, 5050);
    }

    #[test]
    fn a_panic_comes_back_and_other_work_can_be_done() {
        let message = run(|| -> ((), After) { std::panic::resume_unwind(Box::new("no")) });
        assert_eq!(message.expect_err("it panics").downcast_ref(), Some(&"no"));
        assert_eq!(run(|| (1, After::Leave)).ok(), Some(1));
        assert_eq!(run(|| (2, After::Stay)).ok(), Some(2));
    }

    #[test]
    fn many_work_at_once_and_within_one_another() {
        let nested = || run(|| (run(|| (3, After::Stay)).expect("no panic"), After::Stay)).expect("no panic");
        std::thread::scope(|scope| {
            let clients: Vec<_> = (0..2 * MAX_IDLE).map(|_| scope.spawn(nested)).collect();
            assert!(clients.into_iter().all(|client| client.join().is_ok_and(|result| result == 3)));
        });
    }
}
