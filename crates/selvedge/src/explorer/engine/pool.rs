//! Threads of the operating system for explorations. A thread that has finished its job waits for the next
//! exploration.
//!
//! Starting a thread, and making stacks for the threads of a program, takes longer than many a whole
//! exploration. Handing a job over and waiting for its end take a few microseconds: both sides spin for a
//! while before they sleep. If both are on the same core they sleep at once, because the other side cannot
//! run meanwhile.
//!
//! Work that makes thousands of small explorations runs on such a thread itself ([`host`]): its explorations
//! stay on that thread, without a handover each.
//!
//! Promise: when [`run`] returns, the job has ended, and no thread uses what it borrows. A thread that
//! cannot be used any more, because the job says so or has panicked, ends with the job.

#![allow(unsafe_code)]

use std::cell::{Cell, UnsafeCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicI32, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Thread;

/// Whether the thread that did a job can do another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ThreadState {
    Reusable,
    Broken,
}

/// At most this many threads wait for work.
const MAX_IDLE: usize = 16;

/// How often a side reads the state before it sleeps: waking a thread on another core takes about as long.
/// Yielding instead may take milliseconds on a busy machine.
const SPINS: usize = 1000;

static IDLE: Mutex<Vec<Arc<WorkerSlot>>> = Mutex::new(Vec::new());

/// Whether jobs of a thread run on that thread itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hosting {
    /// No: on another one.
    Never,
    /// Yes.
    Idle,
    /// A job runs here; a job within that job runs on another thread.
    Busy,
    /// No longer: a job has left the thread broken.
    Broken,
}

thread_local! {
    static HOSTING: Cell<Hosting> = const { Cell::new(Hosting::Never) };
}

/// Does the work on another thread of the operating system, and waits for it. The jobs of the work run on
/// the same thread, one after the other, for as long as they leave it intact.
///
/// # Errors
/// The payload, if the work panics.
pub(crate) fn host<R: Send>(work: impl FnOnce() -> R + Send) -> std::thread::Result<R> {
    run_elsewhere(|| {
        HOSTING.set(Hosting::Idle);
        let result = work();
        let is_broken = HOSTING.replace(Hosting::Never) == Hosting::Broken;
        (result, if is_broken { ThreadState::Broken } else { ThreadState::Reusable })
    })
}

/// Does the work on a thread of the operating system that is named `selvedge`: the calling thread if it is
/// a host, otherwise another one, for which the caller waits.
///
/// # Errors
/// The payload, if the work panics.
pub(super) fn run<R: Send>(work: impl FnOnce() -> (R, ThreadState) + Send) -> std::thread::Result<R> {
    if HOSTING.get() != Hosting::Idle {
        return run_elsewhere(work);
    }
    HOSTING.set(Hosting::Busy);
    let done = catch_unwind(AssertUnwindSafe(work));
    let is_intact = matches!(done, Ok((_, ThreadState::Reusable)));
    HOSTING.set(if is_intact { Hosting::Idle } else { Hosting::Broken });
    done.map(|(result, _)| result)
}

fn run_elsewhere<R: Send>(work: impl FnOnce() -> (R, ThreadState) + Send) -> std::thread::Result<R> {
    let result = Cell::new(None);
    let slot = take_slot();
    let state = {
        let target = SendPointer(&raw const result);
        let work = move || {
            let SendPointer(target) = { target };
            let done = catch_unwind(AssertUnwindSafe(work));
            let state = done.as_ref().map_or(ThreadState::Broken, |(_, state)| *state);
            // SAFETY: `result` lives until `run_job` returns, and the client does not access it until then.
            unsafe { (*target).set(Some(done.map(|(result, _)| result))) };
            state
        };
        // SAFETY: `take_slot` has taken the slot out of `IDLE` or has opened it, so this thread is its only
        // client.
        unsafe { slot.run_job(work) }
    };
    if state == ThreadState::Reusable {
        give_back(slot);
    }
    result.take().expect("a finished job has a result")
}

struct SendPointer<T>(*const T);

// SAFETY: `run` makes it, and only one thread at a time accesses what it points to: the worker until the job
// has ended, and the client afterwards.
unsafe impl<T> Send for SendPointer<T> {}

fn take_slot() -> Arc<WorkerSlot> {
    let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
    idle.unwrap_or_else(WorkerSlot::open)
}

fn give_back(slot: Arc<WorkerSlot>) {
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    if idle.len() < MAX_IDLE {
        return idle.push(slot);
    }
    drop(idle);
    slot.state.store(CLOSED, Ordering::Release);
    slot.worker().unpark();
}

type Work = Box<dyn FnOnce() -> ThreadState + Send>;

/// Hands jobs to one thread, the worker. The thread that calls [`WorkerSlot::run_job`] is the client.
struct WorkerSlot {
    state: AtomicU8,
    /// The worker owns the job while the state is `WORK`. Otherwise the client does.
    job: UnsafeCell<Job>,
    worker: Mutex<Option<Thread>>,
    /// The core that the worker was on at the end of its last job.
    worker_core: AtomicI32,
}

struct Job {
    work: Option<Work>,
    client: Option<Thread>,
    /// The core that the client is on.
    client_core: i32,
    after: ThreadState,
}

const FREE: u8 = 0;
const WORK: u8 = 1;
const DONE: u8 = 2;
const CLOSED: u8 = 3;

// SAFETY: one thread at a time accesses the job, as the state says. The owner stores the state with
// `Release`, and the next owner loads it with `Acquire`. A slot has one client at a time: the thread that
// took it out of `IDLE`, or opened it.
unsafe impl Sync for WorkerSlot {}
// SAFETY: as above; every field of the job can be sent.
unsafe impl Send for WorkerSlot {}

impl WorkerSlot {
    /// A new slot with a new thread.
    fn open() -> Arc<WorkerSlot> {
        let job = Job { work: None, client: None, client_core: NO_CORE, after: ThreadState::Broken };
        let slot = Arc::new(WorkerSlot {
            state: AtomicU8::new(FREE),
            job: UnsafeCell::new(job),
            worker: Mutex::new(None),
            worker_core: AtomicI32::new(NO_CORE),
        });
        let same = slot.clone();
        // SAFETY: this new thread is the slot's own.
        let work = move || unsafe { same.work() };
        let spawned = std::thread::Builder::new().name("selvedge".to_owned()).spawn(work);
        let handle = spawned.expect("the operating system has no thread for the exploration");
        *slot.worker.lock().unwrap_or_else(PoisonError::into_inner) = Some(handle.thread().clone());
        slot
    }

    fn worker(&self) -> Thread {
        let worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner).clone();
        worker.expect("an open slot has a thread")
    }

    /// Hands the job to the worker and waits for its end.
    ///
    /// # Safety
    /// The calling thread is the only client of this slot.
    unsafe fn run_job<'j>(&self, work: impl FnOnce() -> ThreadState + Send + 'j) -> ThreadState {
        let work: Box<dyn FnOnce() -> ThreadState + Send + 'j> = Box::new(work);
        // SAFETY: only the lifetime changes. This function returns when the state is `DONE`. Then the worker
        // has called the work, which consumed it with everything that it borrows. Nothing between here and
        // there can panic.
        let work = unsafe { std::mem::transmute::<Box<dyn FnOnce() -> ThreadState + Send + 'j>, Work>(work) };
        let worker = self.worker();
        let (client, client_core) = (Some(std::thread::current()), current_core());
        let spins = spins(client_core, self.worker_core.load(Ordering::Relaxed));
        let job = Job { work: Some(work), client, client_core, after: ThreadState::Broken };
        // SAFETY: the state is `FREE`, so the client owns the job, and the calling thread is the client.
        unsafe { *self.job.get() = job };
        self.state.store(WORK, Ordering::Release);
        worker.unpark();
        self.wait(spins, |state| state == DONE);
        // SAFETY: the state is `DONE`: the worker does not access the job before the next one.
        let after = unsafe { (*self.job.get()).after };
        self.state.store(FREE, Ordering::Release);
        after
    }

    /// The loop of the worker.
    ///
    /// # Safety
    /// Only the slot's own thread calls it, once.
    unsafe fn work(&self) {
        let mut spins = SPINS;
        loop {
            if self.wait(spins, |state| state == WORK || state == CLOSED) == CLOSED {
                return;
            }
            // SAFETY: the state is `WORK`: the worker owns the job.
            let Job { work, client, client_core, .. } = unsafe { &mut *self.job.get() };
            let (work, client, client_core) = (work.take(), client.take(), *client_core);
            let after = work.map_or(ThreadState::Broken, |work| work());
            let core = current_core();
            self.worker_core.store(core, Ordering::Relaxed);
            spins = self::spins(core, client_core);
            // SAFETY: the state is still `WORK`.
            unsafe { (*self.job.get()).after = after };
            self.state.store(DONE, Ordering::Release);
            client.inspect(Thread::unpark);
            if after == ThreadState::Broken {
                return;
            }
        }
    }

    /// Waits for a state and returns it: reads the state this often, then sleeps.
    fn wait(&self, spins: usize, is_awaited: impl Fn(u8) -> bool) -> u8 {
        let awaited = || Some(self.state.load(Ordering::Acquire)).filter(|state| is_awaited(*state));
        for _ in 0..spins {
            if let Some(state) = awaited() {
                return state;
            }
            std::hint::spin_loop();
        }
        loop {
            if let Some(state) = awaited() {
                return state;
            }
            std::thread::park();
        }
    }
}

/// Stands for a core that the system does not tell.
const NO_CORE: i32 = -1;

/// How often a thread on the first core reads the state before it sleeps, if the other side was last on the
/// second core.
fn spins(core: i32, other: i32) -> usize {
    if core == other && core != NO_CORE { 0 } else { SPINS }
}

/// The core that the calling thread is on. It may move at any time; a wrong answer costs only time.
fn current_core() -> i32 {
    #[cfg(target_os = "linux")]
    // SAFETY: `sched_getcpu` has no preconditions.
    return unsafe { libc::sched_getcpu() };
    #[cfg(not(target_os = "linux"))]
    NO_CORE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_done_on_another_thread_and_borrows_from_the_caller() {
        let here = std::thread::current().id();
        let mut sum = 0;
        for number in 1..=100 {
            let there = run(|| {
                sum += number;
                (std::thread::current().id(), ThreadState::Reusable)
            });
            assert_ne!(there.expect("it does not panic"), here);
        }
        assert_eq!(sum, 5050);
    }

    #[test]
    fn a_panic_is_returned_and_other_work_can_be_done() {
        let message = run(|| -> ((), ThreadState) { std::panic::resume_unwind(Box::new("no")) });
        assert_eq!(message.expect_err("it panics").downcast_ref(), Some(&"no"));
        assert_eq!(run(|| (1, ThreadState::Broken)).ok(), Some(1));
        assert_eq!(run(|| (2, ThreadState::Reusable)).ok(), Some(2));
    }

    #[test]
    fn the_jobs_of_a_host_run_on_its_thread_until_one_breaks_it() {
        let id = || std::thread::current().id();
        let reusable = || run(|| (id(), ThreadState::Reusable)).expect("no panic");
        let nested = || run(|| (reusable(), ThreadState::Reusable)).expect("no panic");
        let ids = host(|| {
            let intact = [id(), reusable(), reusable()];
            let broken = run(|| (id(), ThreadState::Broken)).expect("no panic");
            (intact, nested(), broken, reusable())
        });
        let (intact, nested, broken, after) = ids.expect("no panic");
        assert!(intact.iter().all(|thread| *thread == intact[0] && *thread != id()));
        assert_eq!(broken, intact[0]);
        assert_ne!(nested, intact[0], "a job within a job has a thread to itself");
        assert_ne!(after, intact[0], "a broken thread does no more jobs");
        assert_ne!(reusable(), intact[0], "a broken thread has ended");
        assert!(host(|| std::panic::resume_unwind(Box::new("no"))).is_err());
        assert_ne!(reusable(), id(), "the caller of a host is none");
    }

    #[test]
    fn many_jobs_run_at_once_and_within_one_another() {
        let nested = || {
            run(|| (run(|| (3, ThreadState::Reusable)).expect("no panic"), ThreadState::Reusable))
                .expect("no panic")
        };
        std::thread::scope(|scope| {
            let clients: Vec<_> = (0..2 * MAX_IDLE).map(|_| scope.spawn(nested)).collect();
            assert!(clients.into_iter().all(|client| client.join().is_ok_and(|result| result == 3)));
        });
    }
}
