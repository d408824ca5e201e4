//! Data races in cells, by Rust's happens-before, in which `Relaxed` orders nothing. The outcomes are worked
//! out by hand.
#![cfg(feature = "check")]
#![allow(unsafe_code)]

use crate::common;

use common::{check, check_by, check_values};
use selvedge::cell::UnsafeCell;
use selvedge::sync::atomic::{AtomicBool, AtomicU32, Ordering, fence};
use selvedge::sync::{Arc, Mutex};
use selvedge::{Explorer, MemoryModel, Outcome, Strategy, thread};

/// Data, and a flag that says that the data is written.
struct Shared {
    data: UnsafeCell<u32>,
    flag: AtomicBool,
}

// SAFETY: the explorer checks that accesses are ordered; if they are not, the run ends before the second
// access.
unsafe impl Sync for Shared {}

impl Shared {
    #[track_caller]
    fn new() -> Arc<Shared> {
        Arc::new(Shared { data: UnsafeCell::new(0), flag: AtomicBool::new(false) })
    }

    #[track_caller]
    fn write(&self, value: u32) {
        // SAFETY: the pointer is valid during the access.
        self.data.with_mut(|data| unsafe { *data = value });
    }

    #[track_caller]
    fn read(&self) -> u32 {
        // SAFETY: the pointer is valid during the access.
        self.data.with(|data| unsafe { *data })
    }
}

/// The number of the line that ends with this comment.
fn line(comment: &str) -> usize {
    let lines = include_str!("races.rs").lines();
    let numbers: Vec<usize> =
        lines.zip(1..).filter(|(line, _)| line.ends_with(comment)).map(|(_, at)| at).collect();
    let [line] = numbers[..] else { panic!("`{comment}` in lines {numbers:?}") };
    line
}

/// The race between accesses in these lines, to the cell that is made in the line `made`.
fn race<T>(made: &str, first: (&str, &str), second: (&str, &str)) -> Outcome<T> {
    let file = file!();
    let [(one, a), (other, b), (_, made)] =
        [first, second, ("", made)].map(|(access, at)| (access, line(at)));
    Outcome::DataRace(format!(
        "{one} at {file}:{a} and {other} at {file}:{b} of the cell made at {file}:{made}: \
         neither happened before the other"
    ))
}

/// A flag passes a message: the message is written before the store to the flag, and read after the flag is
/// seen.
#[track_caller]
fn pass_a_message(store: Ordering, load: Ordering, is_race: bool) {
    let body = move || {
        let shared = Shared::new(); // message: made
        let other = shared.clone();
        let writer = thread::spawn(move || {
            other.write(7); // message: written
            other.flag.store(true, store);
        });
        let is_there = shared.flag.load(load);
        let value = is_there.then(|| shared.read()); // message: read
        writer.join().unwrap();
        value
    };
    let race = race("// message: made", ("write", "// message: written"), ("read", "// message: read"));
    let seen = if is_race { race } else { Outcome::Returned(Some(7)) };
    for model in [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso] {
        check_by(Explorer::new().memory(model), body, &[Outcome::Returned(None), seen.clone()]);
    }
}

#[test]
fn a_release_that_is_acquired_orders_and_relaxed_does_not() {
    pass_a_message(Ordering::Release, Ordering::Acquire, false);
    pass_a_message(Ordering::SeqCst, Ordering::SeqCst, false);
    pass_a_message(Ordering::Relaxed, Ordering::Acquire, true);
    pass_a_message(Ordering::Release, Ordering::Relaxed, true);
    pass_a_message(Ordering::Relaxed, Ordering::Relaxed, true);
}

#[test]
fn fences_around_relaxed_accesses_order_too() {
    check_values(
        || {
            let shared = Shared::new();
            let other = shared.clone();
            thread::spawn(move || {
                other.write(7);
                fence(Ordering::Release);
                other.flag.store(true, Ordering::Relaxed);
            });
            let is_set = shared.flag.load(Ordering::Relaxed);
            fence(Ordering::Acquire);
            is_set.then(|| shared.read())
        },
        &[None, Some(7)],
    );
}

#[test]
fn the_message_does_not_depend_on_the_order_of_the_accesses() {
    // Each thread accesses the cell twice, with steps before and between. In either order, the first
    // accesses race.
    check(
        || {
            let shared = Shared::new(); // twice: made
            let other = shared.clone();
            let writer = thread::spawn(move || {
                other.flag.load(Ordering::Relaxed);
                other.write(1); // twice: written
                other.flag.load(Ordering::Relaxed);
                other.write(2);
            });
            shared.flag.load(Ordering::Relaxed);
            shared.read(); // twice: read
            shared.flag.load(Ordering::Relaxed);
            shared.read();
            writer.join().unwrap();
        },
        &[race("// twice: made", ("write", "// twice: written"), ("read", "// twice: read"))],
    );
}

#[test]
fn readers_do_not_race_and_locks_joins_spawns_and_parking_order() {
    check_values(
        || {
            let shared = Shared::new();
            shared.write(1);
            let lock = Arc::new(Mutex::new(()));
            let readers = [(); 2].map(|()| {
                let (shared, lock) = (shared.clone(), lock.clone());
                thread::spawn(move || {
                    shared.read();
                    let _guard = lock.lock().unwrap();
                    shared.read()
                })
            });
            let sum: u32 = readers.map(|reader| reader.join().unwrap()).iter().sum();
            shared.write(sum);
            let other = shared.clone();
            let parked = thread::spawn(move || {
                thread::park();
                other.write(other.read() + 1);
            });
            shared.write(shared.read() + 10);
            parked.thread().unpark();
            parked.join().unwrap();
            shared.read()
        },
        &[13],
    );
}

#[test]
fn two_writers_under_a_lock_do_not_race_and_without_one_they_do() {
    for is_locked in [true, false] {
        let body = move || {
            let shared = Shared::new(); // lock: made
            let lock = Arc::new(Mutex::new(()));
            let writers = [1, 2].map(|number| {
                let (shared, lock) = (shared.clone(), lock.clone());
                thread::spawn(move || {
                    let _guard = is_locked.then(|| lock.lock().unwrap());
                    shared.write(number); // lock: written
                })
            });
            writers.into_iter().for_each(|writer| writer.join().unwrap());
            shared.read()
        };
        let write = ("write", "// lock: written");
        let race = race("// lock: made", write, write);
        let locked = [Outcome::Returned(1), Outcome::Returned(2)];
        check(body, if is_locked { &locked } else { std::slice::from_ref(&race) });
    }
}

#[test]
fn accesses_that_overlap_race_even_if_they_begin_in_order() {
    // The first access stores the flag with `Release` before it ends. So the second access begins after the
    // beginning of the first, not after its end. With a step after the store, the first may still last when
    // the second begins.
    for is_over in [true, false] {
        check(
            move || {
                let shared = Shared::new(); // overlap: made
                let other = shared.clone();
                shared.write(1);
                let reader = thread::spawn(move || {
                    let read = |_| {
                        other.flag.store(true, Ordering::Release);
                        if !is_over {
                            thread::yield_now();
                        }
                    };
                    other.data.with(read); // overlap: read
                });
                if shared.flag.load(Ordering::Acquire) {
                    shared.write(2); // overlap: written
                }
                reader.join().unwrap();
            },
            &[
                Outcome::Returned(()),
                race("// overlap: made", ("read", "// overlap: read"), ("write", "// overlap: written")),
            ],
        );
    }
}

#[test]
fn an_access_within_an_access_of_the_same_thread_is_no_race() {
    check_values(
        || {
            let shared = Shared::new();
            // SAFETY: the inner pointer is used while the outer pointer is not.
            shared.data.with_mut(|data| unsafe {
                *data = 1;
                *data = shared.data.with(|inner| *inner) + 1;
            });
            let mut shared = Arc::into_inner(shared).unwrap();
            *shared.data.get_mut() += 1;
            shared.data.into_inner()
        },
        &[3],
    );
}

#[test]
fn a_run_that_is_torn_down_has_no_races() {
    // After the deadlock, both threads write in destructors. Nothing orders these writes, and nothing has
    // to.
    struct Writes(Arc<Shared>);
    impl Drop for Writes {
        fn drop(&mut self) {
            self.0.write(1);
        }
    }
    check(
        || {
            let shared = Shared::new();
            let other = Writes(shared.clone());
            thread::spawn(move || {
                let _other = other;
                thread::park();
            });
            let _mine = Writes(shared);
            thread::park();
        },
        &[Outcome::Deadlock],
    );
}

#[test]
fn races_are_found_among_thousands_of_threads_with_reused_numbers() {
    // Each thread is joined before the next is spawned, except for the last two, which race.
    let body = || {
        let shared = Shared::new(); // numbers: made
        let turn = Arc::new(AtomicU32::new(0));
        let spawn = |number| {
            let (shared, turn) = (shared.clone(), turn.clone());
            thread::spawn(move || {
                turn.fetch_add(1, Ordering::Relaxed);
                shared.write(number); // numbers: written
            })
        };
        for number in 0..3000 {
            spawn(number).join().unwrap();
        }
        let last = [3001, 3002].map(spawn);
        last.into_iter().for_each(|thread| thread.join().unwrap());
    };
    let explorer = Explorer::new().strategy(Strategy::random(1, 3)).max_steps(1_000_000);
    let report = explorer.explore(body);
    let write = ("write", "// numbers: written");
    assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), [&race("// numbers: made", write, write)]);
}

#[test]
fn outside_of_explorations_a_cell_behaves_as_in_std() {
    let mut cell = UnsafeCell::from(1);
    *cell.get_mut() += 1;
    // SAFETY: no other thread has the cell.
    unsafe {
        cell.with_mut(|value| *value += 1);
        assert_eq!(cell.with(|value| *value), 3);
    }
    assert_eq!(cell.into_inner(), 3);
    assert_eq!(format!("{:?}", UnsafeCell::<u32>::default()), "UnsafeCell { .. }");
}

#[test]
fn the_table_lists_the_two_accesses_in_order() {
    let report = Explorer::new().memory(MemoryModel::Sc).explore(|| {
        let shared = Shared::new();
        let other = shared.clone();
        let writer = thread::spawn(move || {
            other.write(7);
            other.flag.store(true, Ordering::Relaxed);
        });
        if shared.flag.load(Ordering::Acquire) {
            shared.read();
        }
        writer.join().unwrap();
    });
    let race = report.outcomes().iter().find(|(outcome, _)| matches!(outcome, Outcome::DataRace(_)));
    let (_, trace) = race.expect("a race");
    let table = trace.table().to_string();
    let actions = table.lines().skip(1).filter_map(|line| {
        line.split_whitespace().find(|word| ["spawn", "write", "store", "load", "read"].contains(word))
    });
    assert_eq!(actions.collect::<Vec<_>>(), ["spawn", "write", "store", "load", "read"], "{table}");
    assert!(trace.endings[0].state.starts_with("was about to read cell#"), "{:?}", trace.endings);
}
