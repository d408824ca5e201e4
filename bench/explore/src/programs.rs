//! The programs of the comparison, written once and compiled against the types of each tool.
//!
//! A tool needs `thread::spawn`, `Mutex`, `AtomicUsize` and `Arc`, under std's names.

macro_rules! programs {
    ($module:ident, $root:ident) => {
        pub mod $module {
            use $root::sync::atomic::{AtomicUsize, Ordering::SeqCst};
            use $root::sync::{Arc, Mutex};
            use $root::thread;

            /// Each of n threads reads and writes a counter, in two steps.
            pub fn counter<const N: usize>() {
                let counter = Arc::new(AtomicUsize::new(0));
                let threads: Vec<_> = (0..N)
                    .map(|_| {
                        let counter = counter.clone();
                        thread::spawn(move || counter.store(counter.load(SeqCst) + 1, SeqCst))
                    })
                    .collect();
                threads.into_iter().for_each(|thread| thread.join().unwrap());
                assert!(counter.load(SeqCst) > 0);
            }

            /// Two threads increment a counter behind a lock.
            pub fn mutex_counter() {
                let counter = Arc::new(Mutex::new(0));
                let threads: Vec<_> = (0..2)
                    .map(|_| {
                        let counter = counter.clone();
                        thread::spawn(move || *counter.lock().unwrap() += 1)
                    })
                    .collect();
                threads.into_iter().for_each(|thread| thread.join().unwrap());
                assert_eq!(*counter.lock().unwrap(), 2);
            }

            /// Each thread writes one variable and reads the other.
            pub fn store_buffering() {
                let (x, y) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
                let (x2, y2) = (x.clone(), y.clone());
                let one = thread::spawn(move || {
                    x2.store(1, SeqCst);
                    y2.load(SeqCst)
                });
                y.store(1, SeqCst);
                let b = x.load(SeqCst);
                // No assertion that one of them is 1: loom's `SeqCst` does not promise it.
                let a = one.join().unwrap();
                assert!(a + b <= 2);
            }

            /// A lock-free stack: one thread pushes, another pushes and pops. Nodes are indices into an
            /// array.
            pub fn treiber_stack() {
                struct Stack {
                    head: AtomicUsize,
                    next: [AtomicUsize; 3],
                }
                impl Stack {
                    fn push(&self, node: usize) {
                        loop {
                            let head = self.head.load(SeqCst);
                            self.next[node].store(head, SeqCst);
                            if self.head.compare_exchange(head, node, SeqCst, SeqCst).is_ok() {
                                return;
                            }
                        }
                    }
                    fn pop(&self) -> Option<usize> {
                        loop {
                            let head = self.head.load(SeqCst);
                            if head == 0 {
                                return None;
                            }
                            let next = self.next[head].load(SeqCst);
                            if self.head.compare_exchange(head, next, SeqCst, SeqCst).is_ok() {
                                return Some(head);
                            }
                        }
                    }
                }
                let cell = || AtomicUsize::new(0);
                let stack = Arc::new(Stack { head: cell(), next: [cell(), cell(), cell()] });
                let other = stack.clone();
                let thread = thread::spawn(move || other.push(1));
                stack.push(2);
                assert!(stack.pop().is_some());
                thread.join().unwrap();
            }

            /// Three dining philosophers; each takes the lower fork first, for one meal.
            pub fn philosophers() {
                let forks: Arc<[Mutex<()>; 3]> = Arc::new([Mutex::new(()), Mutex::new(()), Mutex::new(())]);
                let threads: Vec<_> = (0..3)
                    .map(|at: usize| {
                        let forks = forks.clone();
                        thread::spawn(move || {
                            let (low, high) = (at.min((at + 1) % 3), at.max((at + 1) % 3));
                            let _low = forks[low].lock().unwrap();
                            let _high = forks[high].lock().unwrap();
                        })
                    })
                    .collect();
                threads.into_iter().for_each(|thread| thread.join().unwrap());
            }

            /// All programs, by name.
            pub const ALL: [(&str, fn()); 7] = [
                ("counter, 2 threads", counter::<2>),
                ("counter, 3 threads", counter::<3>),
                ("counter, 4 threads", counter::<4>),
                ("mutex counter", mutex_counter),
                ("store buffering", store_buffering),
                ("Treiber stack", treiber_stack),
                ("philosophers, 3", philosophers),
            ];
        }
    };
}

programs!(with_loom, loom);
programs!(with_selvedge, selvedge);
programs!(with_shuttle, shuttle);
