//! Threads: their ends, their names, their parents' frames. Expected outcomes are worked out by hand.
#![cfg(feature = "check")]

use crate::common;

use common::{check, check_by, check_values};
use selvedge::sync::atomic::{AtomicU32, Ordering::SeqCst};
use selvedge::sync::{Arc, Mutex};
use selvedge::{Explorer, Outcome, Strategy, thread};
use std::time::Duration;

fn panicked<T>(message: &str) -> Outcome<T> {
    Outcome::Panicked(message.to_owned())
}

#[test]
fn a_panic_is_an_error_at_the_join() {
    check_values(
        || {
            let result = thread::spawn(|| -> u32 { panic!("oh") }).join();
            result.unwrap_err().downcast_ref::<&str>().map(|text| (*text).to_owned())
        },
        &[Some("oh".to_owned())],
    );
}

#[test]
fn a_panic_of_a_thread_that_is_not_joined_is_the_outcome() {
    // The thread stores and panics in one step: if the body returns 1, the thread has panicked.
    check(
        || {
            let x = Arc::new(AtomicU32::new(0));
            let y = x.clone();
            thread::spawn(move || {
                y.store(1, SeqCst);
                panic!("oh")
            });
            x.load(SeqCst)
        },
        &[Outcome::Returned(0), panicked("oh")],
    );
}

#[test]
fn of_several_panics_that_of_the_lowest_thread_is_the_outcome() {
    let body = || {
        let start = Arc::new(AtomicU32::new(0));
        for name in ["first", "second"] {
            let start = start.clone();
            thread::spawn(move || {
                start.fetch_add(1, SeqCst);
                panic!("{name}")
            });
        }
    };
    check_by(Explorer::new().wait_for_all(true), body, &[panicked("first")]);
    // Without waiting, the body may return before either panic, or before both.
    check(body, &[Outcome::Returned(()), panicked("first"), panicked("second")]);
}

#[test]
fn a_panic_of_the_body_takes_precedence_over_those_of_its_threads() {
    let body = || {
        thread::spawn(|| panic!("thread"));
        if thread::current().name() == Some("main") {
            panic!("body");
        }
    };
    check(body, &[panicked("body")]);
}

#[test]
fn a_run_ends_when_the_body_returns_unless_the_explorer_waits_for_all_threads() {
    let body = || {
        let x = Arc::new(AtomicU32::new(0));
        let (y, z) = (x.clone(), x.clone());
        thread::spawn(move || y.store(1, SeqCst));
        thread::spawn(move || z.store(2, SeqCst));
        x.load(SeqCst)
    };
    check_values(body, &[0, 1, 2]);
    let late = |explorer: Explorer| {
        let ends = Arc::new(std::sync::Mutex::new(std::collections::BTreeSet::new()));
        let seen = ends.clone();
        explorer.explore(move || {
            let x = Arc::new(AtomicU32::new(0));
            let (y, seen) = (x.clone(), seen.clone());
            thread::spawn(move || {
                y.store(1, SeqCst);
                seen.lock().unwrap().insert(true);
            });
            ends.lock().unwrap().insert(false);
            drop(x);
        })
    };
    assert!(late(Explorer::new().wait_for_all(true)).is_complete());
    // The return of the body and the store of the thread are independent.
    assert_eq!(late(Explorer::new()).executions(), 1);
    assert_eq!(late(Explorer::new().strategy(Strategy::exhaustive())).executions(), 2);
    assert_eq!(late(Explorer::new().wait_for_all(true)).executions(), 1);
}

#[test]
fn waiting_for_a_thread_that_never_ends_is_a_deadlock() {
    let body = || {
        thread::spawn(thread::park);
    };
    check(body, &[Outcome::Returned(())]);
    check_by(Explorer::new().wait_for_all(true), body, &[Outcome::Deadlock]);
}

#[test]
fn threads_have_names_numbers_and_a_parallelism_of_two() {
    check_values(
        || {
            let builder = thread::Builder::new().name("worker".to_owned()).stack_size(1 << 20);
            let worker = builder
                .spawn(|| {
                    // Larger than the default stack.
                    let deep = std::hint::black_box([1_u8; 600 * 1024]);
                    (thread::current().name().map(str::to_owned), thread::current().id(), deep[77])
                })
                .unwrap();
            let (id, name) = (worker.thread().id(), worker.thread().name().map(str::to_owned));
            let (its_name, its_id, deep) = worker.join().unwrap();
            let nameless = thread::spawn(|| thread::current().name().is_none()).join().unwrap();
            assert_eq!(
                format!("{:?}", thread::current()),
                r#"Thread { id: ThreadId(1), name: Some("main"), .. }"#
            );
            let parallelism = thread::available_parallelism().unwrap().get();
            (
                id == its_id,
                id != thread::current().id(),
                name == its_name,
                its_name,
                nameless,
                deep,
                parallelism,
            )
        },
        &[(true, true, true, Some("worker".to_owned()), true, 1, 2)],
    );
}

#[test]
fn is_finished_agrees_with_the_effects_of_the_thread() {
    check_values(
        || {
            let x = Arc::new(AtomicU32::new(0));
            let y = x.clone();
            let thread = thread::spawn(move || y.store(1, SeqCst));
            let is_finished = thread.is_finished();
            (is_finished, x.load(SeqCst))
        },
        // A finished thread has stored; a thread that was not finished may have stored since.
        &[(false, 0), (false, 1), (true, 1)],
    );
}

#[test]
fn scoped_threads_borrow_and_the_scope_waits_for_them() {
    // Two unprotected increments: one can be lost. The scope waits for both.
    check_values(
        || {
            let counter = AtomicU32::new(0);
            thread::scope(|scope| {
                for _ in 0..2 {
                    scope.spawn(|| counter.store(counter.load(SeqCst) + 1, SeqCst));
                }
            });
            counter.into_inner()
        },
        &[1, 2],
    );
}

#[test]
fn scoped_threads_return_and_spawn_siblings() {
    check_values(
        || {
            let mut data = vec![1, 2, 3];
            let sum = thread::scope(|scope| {
                let first = scope.spawn(|| {
                    let inner = scope.spawn(|| data[0]);
                    inner.join().unwrap() + data[1]
                });
                let last =
                    thread::Builder::new().name("last".to_owned()).spawn_scoped(scope, || data[2]).unwrap();
                assert_eq!(last.thread().name(), Some("last"));
                first.join().unwrap() + last.join().unwrap()
            });
            data.push(sum);
            data
        },
        &[vec![1, 2, 3, 6]],
    );
}

#[test]
fn a_scope_panics_if_an_unjoined_thread_panicked() {
    check(
        || {
            thread::scope(|scope| {
                scope.spawn(|| panic!("oh"));
            });
        },
        &[panicked("a scoped thread panicked")],
    );
    check_values(|| thread::scope(|scope| scope.spawn(|| -> u32 { panic!("oh") }).join().is_err()), &[true]);
}

#[test]
fn a_scope_that_panics_waits_for_its_threads_first() {
    // The thread borrows `x`; in every run it stores before the panic leaves the scope.
    check_values(
        || {
            let x = AtomicU32::new(0);
            let unwound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                thread::scope(|scope| {
                    scope.spawn(|| x.store(1, SeqCst));
                    panic!("oh");
                })
            }));
            (unwound.is_err(), x.into_inner())
        },
        &[(true, 1)],
    );
}

/// Appends its number to the borrowed list when it is dropped.
struct AppendOnDrop<'d>(&'d std::cell::Cell<Vec<u32>>, u32);

// SAFETY: all threads of an exploration are on one thread of the operating system, and no context switch
// happens in `drop`.
#[allow(unsafe_code)]
unsafe impl Send for AppendOnDrop<'_> {}

impl Drop for AppendOnDrop<'_> {
    fn drop(&mut self) {
        let mut list = self.0.take();
        list.push(self.1);
        self.0.set(list);
    }
}

type DropLog = Arc<std::sync::Mutex<Vec<Vec<u32>>>>;

/// Logs its list when it is dropped.
struct Frame {
    list: std::cell::Cell<Vec<u32>>,
    drop_log: DropLog,
}

impl Drop for Frame {
    fn drop(&mut self) {
        self.drop_log.lock().unwrap().push(self.list.take());
    }
}

/// A frame that three threads borrow from. The threads wait for ever.
fn deadlock_in_a_scope(drop_log: DropLog) {
    let frame = Frame { list: std::cell::Cell::new(Vec::new()), drop_log };
    thread::scope(|scope| {
        for number in 1..=3 {
            let append = AppendOnDrop(&frame.list, number);
            scope.spawn(move || {
                let _append = append;
                thread::park();
            });
        }
    });
}

#[test]
fn in_a_deadlock_scoped_threads_unwind_before_the_frame_that_they_borrow_from() {
    let drop_log = DropLog::default();
    let log = Arc::clone(&drop_log);
    check(move || deadlock_in_a_scope(log.clone()), &[Outcome::Deadlock]);
    // The youngest thread first, and all threads before the frame.
    assert_eq!(*drop_log.lock().unwrap(), [[3, 2, 1]]);
}

#[test]
fn scoped_threads_unwind_before_the_frame_even_with_reused_thread_numbers() {
    let drop_log = DropLog::default();
    let log = Arc::clone(&drop_log);
    let explorer = Explorer::new().strategy(Strategy::random(1, 1));
    let report = explorer.explore(move || {
        // From 1024 threads on, thread numbers are reused, the last one first: a child has a lower number
        // than its parent.
        (0..1100).for_each(|_| thread::spawn(|| ()).join().unwrap());
        let log = log.clone();
        thread::spawn(move || deadlock_in_a_scope(log)).join().unwrap();
    });
    assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), [&Outcome::Deadlock]);
    assert_eq!(*drop_log.lock().unwrap(), [[3, 2, 1]]);
}

/// The message of a refused exploration.
fn refusal(body: impl Fn() + Send + Sync) -> String {
    let explore = std::panic::AssertUnwindSafe(|| selvedge::explore(body));
    let payload = std::panic::catch_unwind(explore).expect_err("it is refused");
    payload.downcast_ref::<String>().expect("a message").clone()
}

#[test]
fn handles_of_another_run_and_scopes_from_outside_are_refused() {
    let handle = std::sync::Mutex::new(None);
    let message = refusal(|| {
        let other = thread::spawn(thread::yield_now);
        let before = handle.lock().unwrap().replace(other.thread().clone());
        if let Some(before) = before {
            before.unpark();
        }
        // A second run: the two unparks depend on each other.
        let main = thread::current();
        let unparker = thread::spawn(move || main.unpark());
        thread::current().unpark();
        unparker.join().unwrap();
    });
    assert!(message.contains("the handle of a thread was carried from one run to the next"), "{message}");
    let message = thread::scope(|scope| {
        refusal(|| {
            scope.spawn(|| ());
        })
    });
    assert!(message.contains("a scope from outside of the exploration"), "{message}");
}

#[test]
fn the_handle_of_a_scoped_thread_may_be_joined_by_another() {
    check_values(
        || {
            thread::scope(|scope| {
                let one = scope.spawn(|| 1);
                let two = scope.spawn(move || one.join().unwrap() + 1);
                two.join().unwrap()
            })
        },
        &[2],
    );
}

#[test]
fn park_takes_a_token_that_came_before_or_after() {
    check_values(
        || {
            let x = Arc::new(AtomicU32::new(0));
            let y = x.clone();
            let thread = thread::spawn(move || {
                thread::park();
                y.load(SeqCst)
            });
            x.store(1, SeqCst);
            thread.thread().unpark();
            thread.join().unwrap()
        },
        &[1],
    );
    // Two tokens are one: the second park waits for ever if both unparks came before the first.
    check(
        || {
            let thread = thread::spawn(|| {
                thread::park();
                thread::park();
            });
            thread.thread().unpark();
            thread.thread().unpark();
            thread.join().unwrap();
        },
        &[Outcome::Returned(()), Outcome::Deadlock],
    );
}

#[test]
fn a_thread_may_unpark_itself_or_a_finished_thread() {
    check_values(
        || {
            thread::current().unpark();
            thread::park();
            let ended = thread::spawn(thread::current).join().unwrap();
            ended.unpark();
        },
        &[()],
    );
}

#[test]
fn a_park_may_time_out_at_any_step() {
    check_values(
        || {
            let x = Arc::new(AtomicU32::new(0));
            let (y, main) = (x.clone(), thread::current());
            thread::spawn(move || {
                y.store(1, SeqCst);
                main.unpark();
            });
            thread::park_timeout(Duration::from_millis(10));
            x.load(SeqCst)
        },
        &[0, 1],
    );
}

#[test]
fn a_park_wakes_spuriously_only_if_that_is_enabled() {
    let body = || thread::park();
    check(body, &[Outcome::Deadlock]);
    // It need not end early, though.
    check_by(Explorer::new().spurious_wakeups(true), body, &[Outcome::Returned(()), Outcome::Deadlock]);
}

#[test]
fn thread_numbers_are_reused_by_ten_thousand_threads() {
    let explorer = Explorer::new().max_steps(1_000_000).strategy(Strategy::random(1, 1));
    let report = explorer.explore(|| {
        let sum = Arc::new(Mutex::new(0_u64));
        for number in 0..10_000 {
            let sum = sum.clone();
            thread::spawn(move || *sum.lock().unwrap() += number).join().unwrap();
        }
        *sum.lock().unwrap()
    });
    assert_eq!(report.values().collect::<Vec<_>>(), [&49_995_000]);
}

#[test]
fn outside_explorations_threads_are_those_of_std() {
    let named = thread::Builder::new().name("real".to_owned()).stack_size(1 << 16);
    let handle = named.spawn(|| std::thread::current().name().map(str::to_owned)).unwrap();
    assert_eq!(handle.thread().name(), Some("real"));
    assert_eq!(handle.join().unwrap().as_deref(), Some("real"));
    let mut data = [0; 4];
    thread::scope(|scope| {
        for (index, element) in data.iter_mut().enumerate() {
            scope.spawn(move || *element = index);
        }
    });
    assert_eq!(data, [0, 1, 2, 3]);
    let waiting = thread::spawn(thread::park);
    waiting.thread().unpark();
    waiting.join().unwrap();
    thread::park_timeout(Duration::from_millis(1));
    thread::yield_now();
    assert_eq!(thread::current().id(), thread::current().id());
    assert_eq!(format!("{:?}", thread::current().id()), format!("{:?}", std::thread::current().id()));
    assert_eq!(thread::available_parallelism().unwrap(), std::thread::available_parallelism().unwrap());
    let panicked =
        std::panic::catch_unwind(|| thread::scope(|scope| drop(scope.spawn(|| panic!("expected")))));
    assert_eq!(panicked.unwrap_err().downcast_ref::<&str>(), Some(&"a scoped thread panicked"));
}
