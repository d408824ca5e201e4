//! Programs of any number of threads with known numbers of traces, for tests and for measurements.
//!
//! `indexer` and `filesystem` are from Flanagan and Godefroid, Dynamic Partial-Order Reduction for Model
//! Checking Software, POPL 2005; `lastzero` and `readers` from Abdulla, Aronis, Jonsson and Sagonas,
//! POPL 2014.

use selvedge::sync::Mutex;
use selvedge::sync::atomic::{AtomicUsize, Ordering};
use selvedge::thread;

const SC: Ordering = Ordering::SeqCst;

/// Runs this many threads with their numbers, and joins all.
pub fn together(threads: usize, work: impl Fn(usize) + Send + Sync) {
    thread::scope(|scope| {
        let work = &work;
        for number in 0..threads {
            scope.spawn(move || work(number));
        }
    });
}

/// One thread stores, the others load.
pub fn readers_of_one(readers: usize) {
    let x = AtomicUsize::new(0);
    together(readers + 1, |number| {
        if number == 0 {
            x.store(1, SC);
        } else {
            x.load(SC);
        }
    });
}

/// Each thread but the first reads a cell and then writes the next one; the first thread looks for the last
/// cell that is zero.
pub fn lastzero(n: usize) {
    let cells: Vec<AtomicUsize> = (0..=n).map(|_| AtomicUsize::new(0)).collect();
    together(n + 1, |number| {
        if number == 0 {
            let mut at = n;
            while cells[at].load(SC) != 0 {
                at -= 1;
            }
        } else {
            let before = cells[number - 1].load(SC);
            cells[number].store(before + 1, SC);
        }
    });
}

/// Each thread puts four words into a hash table with open addressing. Is the table used once before there
/// are threads?
pub fn indexer(threads: usize, is_used_early: bool) {
    let table: Vec<AtomicUsize> = (0..128).map(|_| AtomicUsize::new(0)).collect();
    if is_used_early {
        table.iter().for_each(|cell| {
            cell.load(SC);
        });
    }
    together(threads, |thread| {
        for message in 1..=4 {
            let word = 11 * message + thread;
            let mut index = 7 * word % 128;
            while table[index].compare_exchange(0, word, SC, SC).is_err() {
                index = (index + 1) % 128;
            }
        }
    });
}

/// Each thread finds a block for its inode. Are the blocks used once before there are threads?
pub fn filesystem(threads: usize, is_used_early: bool) {
    const BLOCKS: usize = 26;
    const INODES: usize = 32;
    let inodes: Vec<Mutex<usize>> = (0..INODES).map(|_| Mutex::new(0)).collect();
    let blocks: Vec<Mutex<bool>> = (0..BLOCKS).map(|_| Mutex::new(false)).collect();
    if is_used_early {
        blocks.iter().for_each(|block| drop(block.lock()));
    }
    together(threads, |thread| {
        let number = thread % INODES;
        let mut inode = inodes[number].lock().unwrap();
        if *inode == 0 {
            let mut at = 2 * number % BLOCKS;
            loop {
                let mut is_busy = blocks[at].lock().unwrap();
                if !*is_busy {
                    *is_busy = true;
                    *inode = at + 1;
                    break;
                }
                drop(is_busy);
                at = (at + 1) % BLOCKS;
            }
        }
    });
}
