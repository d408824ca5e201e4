//! A known deadlock of a real library, found by random scheduling: monad-par, which runs pure computations
//! on all processors, by work stealing.
//!
//! After Walker, Revealing Behaviours of Concurrent Functional Programs by Systematic Testing, §5.8.2,
//! Listings 53 to 57, and monad-par's "direct" scheduler in its default configuration. A worker runs the
//! work of its own pool, then steals from other pools. If it finds none, it becomes idle: it adds an `MVar`
//! to a shared list and waits. The last worker that becomes idle wakes all others, which then check whether
//! the computation is over. *But it does not empty the list* (Listing 56). When all workers are idle for the
//! second time, the list is too long for any worker to be the last, and all wait for ever.
//!
//! All workers become idle at the end of every computation, which is harmless. For the deadlock it must also
//! happen before, so a worker has to become idle while there is work to steal. In the library this is
//! unlikely, because a victim is drawn at random 20 times for every worker. In Walker's port it is certain:
//! the number of victims comes from the real machine and not from the run; if it is one, the default of a
//! Haskell program, worker 0 always draws itself. This is visible in his code and his trace; `Port::victims`
//! is that number. With two victims and few tries the deadlock is found too, but takes more runs:
//! `tests/main/monad_par.rs` has the numbers.
//!
//! The thesis has a second bug, which Déjà Fu could not find, since it looks at the main thread alone:
//!
//! 1. A worker checks whether the computation is over, and sees that it is not.
//! 2. The computation ends, and so does worker 0.
//! 3. The worker becomes idle and waits. No worker is left to be the last one, so it waits for ever.
//!
//! `wait_for_all` makes this a deadlock: a run goes on until each thread has ended. Walker's remedy is a
//! check just before the worker waits ([`Ending::IsChecked`]). Swarm scheduling finds the deadlock with that
//! check, too: the computation can end between the check and the wait. With [`Ending::WakesIdle`] there is
//! none: worker 0 ends by waking the idle workers, and a worker that enters the list later sees the end.
//!
//! Continuations are closures. Where the library jumps to its scheduler, a closure returns to it. Workpools
//! and `IVar`s are behind locks, because closures cannot be copied out of a reference. There is one session,
//! so there is no stack of sessions.
//!
//! `cargo run -p selvedge --features check --example monad_par`

#![allow(clippy::print_stdout)] // An example prints its findings.

use selvedge::predicate::{never_deadlocks, sometimes_deadlocks};
use selvedge::sync::atomic::{AtomicBool, Ordering::SeqCst};
use selvedge::sync::{Arc, AtomicRef, MVar, Mutex};
use selvedge::{Explorer, Outcome, Report, Strategy, thread};
use std::cell::Cell;
use std::collections::VecDeque;

/// With this seed, [`RUNS`] runs of swarm scheduling find the deadlock.
pub(crate) const SEED: u64 = 1;

/// The number of runs in Walker's experiment (Table 6).
pub(crate) const RUNS: u64 = 100;

/// The parameters of the port.
#[derive(Clone, Copy)]
pub(crate) struct Port {
    /// The number of workers among which a victim is drawn.
    pub(crate) victims: usize,
    /// How often a worker tries to steal before it becomes idle, for each worker of the pool.
    pub(crate) tries: usize,
    /// Whether the list of idle workers is emptied before they are woken. In the library it is not.
    pub(crate) empties_idle: bool,
    /// How an idle worker learns that the computation is over.
    pub(crate) ending: Ending,
}

/// How an idle worker learns that the computation is over.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It does not, unless all workers are idle.
    IsMissed,
    /// It checks that once more before it waits.
    IsChecked,
    /// It checks that, and worker 0 wakes all idle workers in the end.
    WakesIdle,
}

/// A computation that is ready to run, on any worker.
type Work = Box<dyn FnOnce(&Worker) + Send>;

/// A computation that continues with a value.
type Continuation<T> = Box<dyn FnOnce(&Worker, T) + Send>;

/// A thread that runs work. Listing 57 is divided between this type and [`Shared`].
pub(crate) struct Worker {
    number: usize,
    random: Cell<u64>,
    /// Whether the session of this worker is over.
    is_finished: Arc<AtomicBool>,
    shared: Arc<Shared>,
}

/// The state that all workers share.
struct Shared {
    port: Port,
    /// The owner takes the newest work from the front; thieves take from the back.
    workpools: Vec<Mutex<VecDeque<Work>>>,
    /// The variables at which idle workers wait: true means that all are idle, false that there may be work.
    idle: AtomicRef<Vec<Arc<MVar<bool>>>>,
}

impl Shared {
    /// Pushes work to a worker's pool and wakes one idle worker.
    fn push(&self, worker: usize, work: Work) {
        self.workpools[worker].lock().unwrap().push_front(work);
        if !self.idle.load().is_empty() {
            let first = self.idle.modify(|idle| match idle.split_first() {
                Some((first, others)) => (others.to_vec(), Some(first.clone())),
                None => (Vec::new(), None),
            });
            if let Some(first) = first {
                first.put(false);
            }
        }
    }
}

impl Worker {
    /// Runs work until the session is over.
    fn reschedule(&self) {
        loop {
            let work = self.shared.workpools[self.number].lock().unwrap().pop_front();
            match work {
                Some(work) => work(self),
                None if self.is_finished.load(SeqCst) => return,
                None => {
                    self.steal();
                    thread::yield_now();
                }
            }
        }
    }

    /// Runs work of another worker, or becomes idle.
    fn steal(&self) {
        let workers = self.shared.workpools.len();
        loop {
            for _ in 0..self.shared.port.tries * workers {
                let victim = self.draw();
                if victim != self.number {
                    let work = self.shared.workpools[victim].lock().unwrap().pop_back();
                    if let Some(work) = work {
                        return work(self);
                    }
                }
            }
            let woken = Arc::new(MVar::empty());
            let others = self.shared.idle.modify(|idle| {
                let all = [woken.clone()].into_iter().chain(idle.iter().cloned()).collect();
                (all, idle.clone())
            });
            if others.len() == workers - 1 {
                if self.shared.port.empties_idle {
                    self.shared.idle.store(Vec::new());
                }
                return others.iter().for_each(|other| other.put(true));
            }
            if self.shared.port.ending != Ending::IsMissed && self.is_finished.load(SeqCst) {
                return;
            }
            if woken.take() {
                return;
            }
        }
    }

    /// The next victim, by xorshift.
    fn draw(&self) -> usize {
        let mut random = self.random.get();
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        self.random.set(random);
        (random >> 32) as usize % self.shared.port.victims
    }
}

/// A variable that is written once.
pub(crate) struct IVar<T>(Arc<Mutex<Content<T>>>);

enum Content<T> {
    Empty,
    Full(T),
    Blocked(Vec<Continuation<T>>),
}

impl<T> Clone for IVar<T> {
    fn clone(&self) -> IVar<T> {
        IVar(self.0.clone())
    }
}

impl<T: Clone + Send + 'static> IVar<T> {
    /// Continues with the value. If there is none yet, the continuation becomes work of this worker later.
    fn get(&self, worker: &Worker, then: impl FnOnce(&Worker, T) + Send + 'static) {
        let mut content = self.0.lock().unwrap();
        if let Content::Full(value) = &*content {
            let value = value.clone();
            drop(content);
            return then(worker, value);
        }
        let number = worker.number;
        let ready: Continuation<T> = Box::new(move |putter, value| {
            putter.shared.push(number, Box::new(move |worker| then(worker, value)));
        });
        match &mut *content {
            Content::Blocked(waiting) => waiting.push(ready),
            content => *content = Content::Blocked(vec![ready]),
        }
    }

    /// Writes the value. A computation of its own makes the waiting continuations ready.
    fn put(&self, worker: &Worker, value: &T) {
        let before = std::mem::replace(&mut *self.0.lock().unwrap(), Content::Full(value.clone()));
        match before {
            Content::Empty => {}
            Content::Full(_) => panic!("multiple put"),
            Content::Blocked(waiting) => {
                let wake =
                    |worker: &Worker| waiting.into_iter().for_each(|ready| ready(worker, value.clone()));
                fork(worker, wake, |_| ());
            }
        }
    }
}

/// Runs the child. The continuation of the parent is work that other workers can steal.
fn fork(worker: &Worker, child: impl FnOnce(&Worker), parent: impl FnOnce(&Worker) + Send + 'static) {
    worker.shared.push(worker.number, Box::new(parent));
    child(worker);
}

/// Forks a computation. The continuation gets the variable of its result.
fn spawn<T: Clone + Send + 'static>(
    worker: &Worker,
    computation: impl FnOnce(&Worker, Continuation<T>),
    then: impl FnOnce(&Worker, IVar<T>) + Send + 'static,
) {
    let result = IVar(Arc::new(Mutex::new(Content::Empty)));
    let same = result.clone();
    let child =
        |worker: &Worker| computation(worker, Box::new(move |worker, value| result.put(worker, &value)));
    fork(worker, child, move |worker| then(worker, same));
}

/// Runs a computation with one worker for each processor. Worker 0 waits for the result.
fn run_par<T: Clone + Send + Sync + 'static>(
    port: Port,
    computation: impl FnOnce(&Worker, Continuation<T>) + Send + 'static,
) -> T {
    let count = thread::available_parallelism().unwrap().get();
    let workpools = (0..count).map(|_| Mutex::default()).collect();
    let shared = Arc::new(Shared { port, workpools, idle: AtomicRef::new(Vec::new()) });
    let all_finished = Arc::new(AtomicBool::new(false));
    let worker = |number: usize, is_finished: Arc<AtomicBool>| {
        let random = Cell::new(0x9e37_79b9_7f4a_7c15 ^ number as u64);
        Worker { number, random, is_finished, shared: shared.clone() }
    };
    let answer = Arc::new(MVar::empty());
    let (main, same, finished) =
        (worker(0, Arc::new(AtomicBool::new(false))), answer.clone(), all_finished.clone());
    thread::spawn(move || {
        let result = Arc::new(AtomicRef::new(None));
        let (place, is_finished) = (result.clone(), main.is_finished.clone());
        let end = move |_: &Worker, value| {
            place.store(Some(value));
            is_finished.store(true, SeqCst);
        };
        computation(&main, Box::new(end));
        main.reschedule();
        finished.store(true, SeqCst);
        if port.ending == Ending::WakesIdle {
            main.shared.idle.swap(Vec::new()).iter().for_each(|idle| idle.put(true));
        }
        same.put(result.load().as_ref().clone().expect("the session is over"));
    });
    for number in 1..count {
        let worker = worker(number, all_finished.clone());
        thread::spawn(move || worker.reschedule());
    }
    answer.take()
}

/// Listing 53: filters both halves, each in a computation of its own.
fn parfilter(worker: &Worker, keeps: fn(u32) -> bool, list: Vec<u32>, then: Continuation<Vec<u32>>) {
    if list.len() < 2 {
        return then(worker, list.into_iter().filter(|value| keeps(*value)).collect());
    }
    let (left, right) = list.split_at(list.len() / 2);
    let (left, right) = (left.to_vec(), right.to_vec());
    let filter =
        move |half| move |worker: &Worker, then: Continuation<_>| parfilter(worker, keeps, half, then);
    spawn(worker, filter(left), move |worker, left| {
        spawn(worker, filter(right), move |worker, right| {
            left.get(worker, move |worker, left| {
                right.get(worker, move |worker, right| then(worker, [left, right].concat()));
            });
        });
    });
}

/// Listing 54: whether the result equals that of a sequential filter.
pub(crate) fn body(port: Port) -> bool {
    let (is_even, list): (fn(u32) -> bool, _) = (|value| value % 2 == 0, (0..=5).collect::<Vec<u32>>());
    let expected: Vec<u32> = list.iter().copied().filter(|value| is_even(*value)).collect();
    run_par(port, move |worker, then| parfilter(worker, is_even, list, then)) == expected
}

/// Explores this many runs of swarm scheduling, from this seed.
pub(crate) fn swarm(port: Port, seed: u64, runs: u64) -> Report<bool> {
    Explorer::new().strategy(Strategy::swarm(seed, runs)).explore(|| body(port))
}

/// The port that Walker tested.
pub(crate) const WALKERS: Port =
    Port { victims: 1, tries: 20, empties_idle: false, ending: Ending::IsMissed };

/// The same runs; each goes on until all workers have ended.
pub(crate) fn swarm_until_all_end(port: Port, seed: u64, runs: u64) -> Report<bool> {
    Explorer::new().strategy(Strategy::swarm(seed, runs)).wait_for_all(true).explore(|| body(port))
}

fn main() {
    let port = WALKERS;
    let report = swarm(port, SEED, RUNS);
    print!("as it was: {report}");
    report.assert(&sometimes_deadlocks());
    println!("\nwhat becomes of the idle:");
    let table = report.outcomes()[&Outcome::Deadlock].table().to_string();
    let is_of_idle =
        |line: &&str| ["step", " update ", " put ", " take "].iter().any(|part| line.contains(part));
    table.lines().filter(is_of_idle).for_each(|line| println!("{line}"));
    let emptied = Port { empties_idle: true, ..port };
    let report = swarm(emptied, SEED, RUNS);
    print!("\nwith the list emptied first: {report}");
    report.assert(&never_deadlocks());
    let report = swarm_until_all_end(emptied, SEED, RUNS);
    print!("\nwith the list emptied first, until all workers have ended: {report}");
    println!("how the threads end in the deadlock:");
    for ending in &report.outcomes()[&Outcome::Deadlock].endings {
        println!("  {}  {}", ending.state, ending.site);
    }
    let report = swarm_until_all_end(Port { ending: Ending::IsChecked, ..emptied }, SEED, RUNS);
    print!("\nwith a check before a worker waits: {report}");
    report.assert(&sometimes_deadlocks());
    let report = swarm_until_all_end(Port { ending: Ending::WakesIdle, ..emptied }, SEED, RUNS);
    print!("\nwith idle workers woken in the end: {report}");
    report.assert(&never_deadlocks());
}
