//! The outcomes of real runs are among the explored outcomes: generated programs, run by threads of the
//! operating system and in an exploration, by the same code.

use super::explore;
use selvedge::runs::Random;
use selvedge::sync::atomic::{AtomicU32, Ordering::SeqCst};
use selvedge::sync::mpsc::{Receiver, SyncSender, sync_channel};
use selvedge::sync::{Arc, Condvar, LazyLock, MVar, Mutex, Once, OnceLock, RwLock};
use selvedge::{Outcome, thread};
use std::collections::BTreeSet;
use std::time::Duration;

const PROGRAMS: usize = 60;
const REAL_RUNS: usize = 40;

/// The objects that the threads share.
struct Shared {
    number: AtomicU32,
    mutex: Mutex<u32>,
    lock: RwLock<u32>,
    condvar: Condvar,
    once: Once,
    cell: OnceLock<u32>,
    lazy: LazyLock<u32>,
    mvar: MVar<u32>,
}

impl Shared {
    fn new() -> Shared {
        Shared {
            number: AtomicU32::new(0),
            mutex: Mutex::new(0),
            lock: RwLock::new(0),
            condvar: Condvar::new(),
            once: Once::new(),
            cell: OnceLock::new(),
            lazy: LazyLock::new(|| 8),
            mvar: MVar::empty(),
        }
    }
}

/// A thread's end of the channel.
enum Side {
    Sends(SyncSender<u32>),
    Receives(Receiver<u32>),
}

/// An operation of a thread: an index into a table.
type Op = usize;

const SIMPLE: usize = 9;
const OPS: usize = SIMPLE + 6;

/// Executes an operation that does not nest. Returns its observation.
fn simple(shared: &Shared, side: &Side, op: Op) -> u32 {
    match op {
        0 => shared.number.fetch_add(1, SeqCst),
        1 => shared.cell.set(op as u32).is_ok().into(),
        2 => shared.cell.get().copied().unwrap_or(9),
        3 => shared.once.is_completed().into(),
        4 => LazyLock::get(&shared.lazy).copied().unwrap_or(9),
        5 => shared.mvar.try_put(5).is_ok().into(),
        6 => shared.mvar.try_take().unwrap_or(9),
        7 => *shared.lazy,
        _ => match side {
            Side::Sends(sender) => sender.try_send(7).is_ok().into(),
            Side::Receives(receiver) => receiver.try_recv().unwrap_or(9),
        },
    }
}

/// Executes any operation; some execute another one inside.
fn perform(shared: &Shared, side: &Side, op: Op, inside: Op) -> u32 {
    let inner = || simple(shared, side, inside);
    match op.checked_sub(SIMPLE) {
        None => simple(shared, side, op),
        Some(0) => {
            let mut guard = shared.mutex.lock().unwrap();
            *guard += 1;
            *guard + 10 * inner()
        }
        Some(1) => shared.mutex.try_lock().map_or(100, |guard| *guard + 10 * inner()),
        Some(2) => shared.lock.try_read().map_or(100, |guard| *guard + 10 * inner()),
        Some(3) => shared.lock.try_write().map_or(100, |mut guard| {
            *guard += 1;
            10 * inner()
        }),
        Some(4) => {
            let mut result = 100;
            shared.once.call_once(|| result = inner());
            result
        }
        _ => {
            let wait =
                |guard| shared.condvar.wait_timeout_while(guard, Duration::from_micros(50), |it| *it == 0);
            let (guard, result) = wait(shared.mutex.lock().unwrap()).unwrap();
            shared.condvar.notify_one();
            *guard + 10 * u32::from(result.timed_out())
        }
    }
}

type Program = [Vec<(Op, Op)>; 2];
type Seen = [Vec<u32>; 2];

fn perform_all(shared: &Shared, side: &Side, ops: &[(Op, Op)]) -> Vec<u32> {
    ops.iter().map(|(op, inside)| perform(shared, side, *op, *inside)).collect()
}

fn explored(program: Program) -> BTreeSet<Seen> {
    let report = explore(move || {
        let shared = Arc::new(Shared::new());
        let (sender, receiver) = sync_channel(1);
        let [mine, theirs] = program.clone();
        let other = shared.clone();
        // Both ends outlive both threads, as in the real run.
        let thread = thread::spawn(move || {
            let side = Side::Receives(receiver);
            (perform_all(&other, &side, &theirs), side)
        });
        let side = Side::Sends(sender);
        let mine = perform_all(&shared, &side, &mine);
        [mine, thread.join().unwrap().0]
    });
    assert!(report.is_complete());
    let returned = |outcome: &Outcome<Seen>| outcome.returned().cloned().expect("no thread waits for ever");
    report.outcomes().keys().map(returned).collect()
}

fn real(program: &Program) -> Seen {
    let shared = Shared::new();
    let (sender, receiver) = sync_channel(1);
    let start = std::sync::Barrier::new(2);
    let sides = [Side::Sends(sender), Side::Receives(receiver)];
    std::thread::scope(|scope| {
        let mut sides = sides.into_iter();
        let handles = [0, 1].map(|number| {
            let (shared, start) = (&shared, &start);
            let side = sides.next().expect("one for each");
            scope.spawn(move || {
                start.wait();
                (perform_all(shared, &side, &program[number]), side)
            })
        });
        handles.map(|handle| handle.join().unwrap()).map(|(seen, _)| seen)
    })
}

#[test]
fn outcomes_of_real_runs_are_among_the_explored_outcomes() {
    let mut random = Random(2);
    let mut below = |bound| random.below(bound).unwrap_or(0);
    let mut outcomes = 0;
    for _ in 0..PROGRAMS {
        let program: Program = [(); 2].map(|()| (0..2).map(|_| (below(OPS), below(SIMPLE))).collect());
        let explored = explored(program.clone());
        outcomes += explored.len();
        for _ in 0..REAL_RUNS {
            let real = real(&program);
            assert!(explored.contains(&real), "{program:?} gave {real:?}, not one of {explored:?}");
        }
    }
    assert!(outcomes > 2 * PROGRAMS, "programs whose outcome is always the same show little: {outcomes}");
}
