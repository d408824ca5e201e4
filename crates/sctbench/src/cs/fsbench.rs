//! fsbench: threads of a file system find a block for their inode (Flanagan and Godefroid, Dynamic
//! Partial-Order Reduction for Model Checking Software, POPL 2005; ESBMC's examples).
//!
//! The bug: there are 27 threads and 26 locks of inodes, so the last thread uses memory beyond them, in
//! every run that main waits for. Nothing is left out.

use crate::parts::{crash, join, lock, spawn};
use crate::{Failure, Program, Suite};
use selvedge::sync::Mutex;
use std::sync::Arc;

pub(crate) const FSBENCH: Program = Program {
    name: "fsbench",
    suite: Suite::Cs,
    threads: THREADS + 1,
    steps: 155,
    failure: Failure::Crash,
    buggy: || file_system(BLOCKS),
    correct: || file_system(INODES),
};

const THREADS: usize = 27;
const BLOCKS: usize = 26;
const INODES: usize = 32;

struct FileSystem {
    /// The block of each inode, from 1; 0 if it has none.
    inodes: Vec<Mutex<usize>>,
    are_busy: Vec<Mutex<bool>>,
}

impl FileSystem {
    fn find_block(&self, thread: usize) {
        let number = thread % INODES;
        let Some(inode) = self.inodes.get(number) else { crash("there is no such lock") };
        let mut inode = lock(inode);
        if *inode != 0 {
            return;
        }
        let mut at = 2 * number % BLOCKS;
        loop {
            let mut is_busy = lock(&self.are_busy[at]);
            if !*is_busy {
                *is_busy = true;
                *inode = at + 1;
                return;
            }
            drop(is_busy);
            at = (at + 1) % self.are_busy.len();
        }
    }
}

/// There is one block more than in the original, where 27 threads share 26 blocks: without the other bug,
/// the last thread would look for a free block for ever.
fn file_system(locks: usize) {
    let inodes = (0..locks).map(|_| Mutex::new(0)).collect();
    let are_busy = (0..BLOCKS + 1).map(|_| Mutex::new(false)).collect();
    let shared = Arc::new(FileSystem { inodes, are_busy });
    let threads: Vec<_> =
        (0..THREADS).map(|thread| spawn(&shared, move |shared| shared.find_block(thread))).collect();
    join(threads);
}
