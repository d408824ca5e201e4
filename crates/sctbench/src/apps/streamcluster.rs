//! streamcluster, streamcluster2, streamcluster3: clustering of a stream by workers and a master (PARSEC).
//!
//! Workers meet at barriers; worker 0 is the master. Each program lacks one barrier, which is its bug:
//! 1. after a centre was opened: the master opens the next one before a worker has seen the first;
//! 2. after the master has made the table of costs: a worker uses a table that is not there;
//! 3. between the sum of partial results and their release: a worker uses what is freed.
//!
//! Left out: points, distances, and all rounds but a few.

use crate::parts::{HandedOver, Racy, crash, join, lock, spawn, wait_while};
use crate::{Failure, Program, Suite};
use selvedge::sync::{Barrier, Condvar, Mutex};
use std::sync::Arc;

pub(crate) const STREAMCLUSTER: [Program; 3] = [
    Program {
        name: "streamcluster",
        suite: Suite::Parsec,
        threads: 5,
        steps: 1373,
        failure: Failure::Assertion,
        buggy: || run(4, |cluster, worker| cluster.open_centres(worker, false)),
        correct: || run(4, |cluster, worker| cluster.open_centres(worker, true)),
    },
    Program {
        name: "streamcluster2",
        suite: Suite::Parsec,
        threads: 7,
        steps: 4177,
        failure: Failure::Crash,
        buggy: || run(6, |cluster, worker| cluster.use_table(worker, false)),
        correct: || run(6, |cluster, worker| cluster.use_table(worker, true)),
    },
    Program {
        name: "streamcluster3",
        suite: Suite::Parsec,
        threads: 5,
        steps: 1373,
        failure: Failure::Crash,
        buggy: || run(4, |cluster, worker| cluster.sum_partial(worker, false)),
        correct: || run(4, |cluster, worker| cluster.sum_partial(worker, true)),
    },
];

const MASTER: usize = 0;
const ROUNDS: usize = 2;

struct Cluster {
    workers: usize,
    barrier: Barrier,
    /// The number of opened centres.
    opened: Mutex<usize>,
    has_opened: Condvar,
    centre: Racy,
    /// 1 while the table is there.
    table: Racy,
    /// The partial result of each worker.
    partial: HandedOver<Vec<usize>>,
}

impl Cluster {
    fn meet_if(&self, is_present: bool) {
        if is_present {
            self.barrier.wait();
        }
    }

    /// Every worker adds the number of each centre.
    fn open_centres(&self, worker: usize, has_barrier: bool) {
        for round in 0..ROUNDS {
            if worker == MASTER {
                self.centre.set(round as i64);
                *lock(&self.opened) += 1;
                self.has_opened.notify_all();
            } else {
                drop(wait_while(&self.has_opened, lock(&self.opened), |opened| *opened <= round));
            }
            let centre = self.centre.get() as usize;
            self.partial.with(|partial| partial[worker] += 1 << (4 * centre));
            self.meet_if(has_barrier);
        }
        self.barrier.wait();
        if worker == MASTER {
            let expected: usize = (0..ROUNDS).map(|round| 1 << (4 * round)).sum();
            self.partial.with(|partial| {
                assert!(partial.iter().all(|sum| *sum == expected), "a worker missed a centre: {partial:x?}");
            });
        }
    }

    /// The master makes the table, and every worker uses it.
    fn use_table(&self, worker: usize, has_barrier: bool) {
        for _ in 0..ROUNDS {
            self.barrier.wait();
            if worker == MASTER {
                self.table.set(1);
            }
            self.meet_if(has_barrier);
            if self.table.get() == 0 {
                crash("there is no table of costs");
            }
            self.barrier.wait();
            if worker == MASTER {
                self.table.set(0);
            }
        }
    }

    /// The master sums the partial results and frees them, and every worker uses its own once more.
    fn sum_partial(&self, worker: usize, has_barrier: bool) {
        for _ in 0..ROUNDS {
            if worker == MASTER {
                self.table.set(1);
            }
            self.barrier.wait();
            self.partial.with(|partial| partial[worker] += worker);
            self.barrier.wait();
            if worker == MASTER {
                let sum: usize = self.partial.with(|partial| partial.iter().sum());
                assert!(sum > 0, "the sum is {sum}");
            }
            if self.table.get() == 0 {
                crash("the partial results are freed");
            }
            self.meet_if(has_barrier);
            if worker == MASTER {
                self.table.set(0);
            }
            self.barrier.wait();
        }
    }
}

fn run(workers: usize, work: fn(&Cluster, usize)) {
    let cluster = Arc::new(Cluster {
        workers,
        barrier: Barrier::new(workers),
        opened: Mutex::new(0),
        has_opened: Condvar::new(),
        centre: Racy::new(-1),
        table: Racy::new(0),
        partial: HandedOver::new(vec![0; workers]),
    });
    let threads: Vec<_> =
        (0..cluster.workers).map(|worker| spawn(&cluster, move |cluster| work(cluster, worker))).collect();
    join(threads);
}
