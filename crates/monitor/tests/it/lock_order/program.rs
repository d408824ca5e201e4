//! Generated programs: threads that take and give back locks, spawn and join.

use selvedge_monitor::lock_order::Access;
use selvedge_testkit::Random;

pub(super) const LOCKS: usize = 4;
const MAX_THREADS: usize = 5;
const MAX_OPS: usize = 9;

/// An operation of a thread.
#[derive(Clone, Copy, Debug)]
pub(super) enum Op {
    /// Takes a lock, unless the thread itself keeps it from it.
    Take {
        lock: usize,
        access: Access,
        is_blocking: bool,
    },
    /// Gives back a held lock: the number modulo the number of held locks.
    Release(usize),
    /// The same for a lock that another thread holds.
    ReleaseOf {
        thread: usize,
        number: usize,
    },
    Spawn(usize),
    Join(usize),
}

/// The operations of each thread; the first is the main thread.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) threads: Vec<Vec<Op>>,
}

impl Program {
    pub(super) fn random(random: &mut Random, has_foreign_releases: bool) -> Program {
        let thread_count = 1 + random.below(MAX_THREADS);
        let has_readers = random.below(2) == 0;
        let mut threads: Vec<Vec<Op>> = (0..thread_count)
            .map(|_| {
                let count = random.below(MAX_OPS) + 2;
                (0..count).map(|_| op(random, thread_count, has_readers, has_foreign_releases)).collect()
            })
            .collect();
        for child in 1..thread_count {
            let parent = &mut threads[random.below(child)];
            let at = random.below(parent.len() + 1);
            parent.insert(at, Op::Spawn(child));
            if random.below(2) == 0 {
                let at = at + 1 + random.below(parent.len() - at);
                parent.insert(at, Op::Join(child));
            }
        }
        Program { threads }
    }
}

fn op(random: &mut Random, thread_count: usize, has_readers: bool, has_foreign_releases: bool) -> Op {
    match random.below(10) {
        0..6 => {
            let accesses = if has_readers { &[Access::Read, Access::Write][..] } else { &[Access::Lock] };
            // One lock is a mutex in any case.
            let lock = random.below(LOCKS);
            let access = if lock == 0 { Access::Lock } else { random.pick(accesses) };
            Op::Take { lock, access, is_blocking: random.below(5) > 0 }
        }
        6 if has_foreign_releases => {
            Op::ReleaseOf { thread: random.below(thread_count), number: random.below(4) }
        }
        _ => Op::Release(random.below(4)),
    }
}

/// Can a thread that holds these locks take another one without waiting for itself?
pub(super) fn can_take(held: &[(usize, Access)], lock: usize, access: Access) -> bool {
    held.iter().all(|(other, theirs)| *other != lock || !theirs.excludes(access))
}
