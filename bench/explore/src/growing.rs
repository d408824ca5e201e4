//! Programs whose number of threads grows, written once and compiled against the types of each tool.
//!
//! `lastzero` and `readers` are from Abdulla, Aronis, Jonsson and Sagonas, POPL 2014; `indexer` is from
//! Flanagan and Godefroid, POPL 2005. ours has them in `selvedge_testkit::scaling` too, where tests pin the
//! numbers of their traces.

macro_rules! programs {
    ($module:ident, $root:ident) => {
        pub mod $module {
            use $root::sync::atomic::{AtomicUsize, Ordering::SeqCst};
            use $root::sync::{Arc, Mutex};
            use $root::thread;

            /// Runs this many threads with their numbers on shared data, and joins all.
            fn together<T: Send + Sync + 'static>(threads: usize, data: &Arc<T>, work: fn(&T, usize)) {
                let threads: Vec<_> = (0..threads)
                    .map(|number| {
                        let data = data.clone();
                        thread::spawn(move || work(&data, number))
                    })
                    .collect();
                threads.into_iter().for_each(|thread| thread.join().unwrap());
            }

            /// One thread stores, the others load.
            pub fn readers(readers: usize) {
                let x = Arc::new(AtomicUsize::new(0));
                together(readers + 1, &x, |x, number| {
                    if number == 0 {
                        x.store(1, SeqCst);
                    } else {
                        x.load(SeqCst);
                    }
                });
            }

            /// Each thread but the first reads a cell and writes the next one; the first looks for the last
            /// cell that is zero.
            pub fn lastzero(n: usize) {
                let cells: Vec<AtomicUsize> = (0..=n).map(|_| AtomicUsize::new(0)).collect();
                together(n + 1, &Arc::new(cells), |cells, number| {
                    if number == 0 {
                        let mut at = cells.len() - 1;
                        while cells[at].load(SeqCst) != 0 {
                            at -= 1;
                        }
                    } else {
                        let before = cells[number - 1].load(SeqCst);
                        cells[number].store(before + 1, SeqCst);
                    }
                });
            }

            /// Each thread puts four words into a hash table with open addressing.
            pub fn indexer(threads: usize) {
                let table: Vec<AtomicUsize> = (0..128).map(|_| AtomicUsize::new(0)).collect();
                together(threads, &Arc::new(table), |table, thread| {
                    for message in 1..=4 {
                        let word = 11 * message + thread;
                        let mut index = 7 * word % 128;
                        while table[index].compare_exchange(0, word, SeqCst, SeqCst).is_err() {
                            index = (index + 1) % 128;
                        }
                    }
                });
            }

            /// Each thread increments a counter behind a lock.
            pub fn mutex_counters(threads: usize) {
                let counter = Arc::new(Mutex::new(0));
                together(threads, &counter, |counter, _| *counter.lock().unwrap() += 1);
                assert_eq!(*counter.lock().unwrap(), threads);
            }

            /// The program of this name.
            pub fn named(name: &str) -> fn(usize) {
                match name {
                    "readers" => readers,
                    "lastzero" => lastzero,
                    "indexer" => indexer,
                    "mutex counters" => mutex_counters,
                    other => panic!("there is no program {other}"),
                }
            }
        }
    };
}

programs!(with_loom, loom);
programs!(with_selvedge, selvedge);
programs!(with_shuttle, shuttle);
