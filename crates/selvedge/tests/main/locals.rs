//! Thread-local values. The outcomes are worked out by hand.
#![cfg(feature = "check")]

use crate::common;

use common::{check, check_values};
use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicU32, Ordering::SeqCst};
use selvedge::{Outcome, thread};
use std::cell::{Cell, RefCell};

selvedge::thread_local! {
    static COUNT: Cell<u32> = const { Cell::new(10) };
    /// With a doc comment and a visibility.
    pub static NAMES: RefCell<Vec<u32>> = RefCell::new(vec![COUNT.get()]);
    static SET_FIRST: Cell<u32> = panic!("initialised although it was set")
}

#[test]
fn each_thread_of_each_run_has_its_own_value() {
    check_values(
        || {
            COUNT.set(COUNT.get() + 1);
            let other = thread::spawn(|| {
                COUNT.with(|count| count.set(count.get() + 5));
                NAMES.with_borrow_mut(|names| names.push(1));
                (COUNT.get(), NAMES.take())
            });
            let mine = (COUNT.replace(3), NAMES.with_borrow(Vec::clone));
            (mine, other.join().unwrap(), COUNT.take())
        },
        // The list is initialised after the count was replaced.
        &[((11, vec![3]), (15, vec![15, 1]), 3)],
    );
}

#[test]
fn a_value_that_is_set_first_is_not_initialised() {
    check_values(
        || {
            SET_FIRST.set(4);
            NAMES.set(vec![9]);
            (SET_FIRST.get(), NAMES.replace(Vec::new()), NAMES.take())
        },
        &[(4, vec![9], vec![])],
    );
}

/// Adds its number to a list when it is dropped, after a step that other threads can observe.
struct DropRecorder(u32, Option<DropList>);

type DropList = (Arc<AtomicU32>, Arc<std::sync::Mutex<Vec<u32>>>);

impl Drop for DropRecorder {
    fn drop(&mut self) {
        if let Some((order, list)) = &self.1 {
            order.fetch_add(1, SeqCst);
            list.lock().unwrap().push(self.0);
        }
    }
}

selvedge::thread_local! {
    static FIRST: RefCell<DropRecorder> = const { RefCell::new(DropRecorder(1, None)) };
    static SECOND: RefCell<DropRecorder> = RefCell::new(DropRecorder(2, None));
}

#[test]
fn values_are_dropped_at_the_end_of_their_thread_in_reverse_order() {
    check_values(
        || {
            let (order, list) = (Arc::new(AtomicU32::new(0)), Arc::default());
            let recorder = (order.clone(), Arc::clone(&list));
            let thread = thread::spawn(move || {
                FIRST.with_borrow_mut(|first| first.1 = Some(recorder.clone()));
                SECOND.with_borrow_mut(|second| second.1 = Some(recorder));
            });
            let seen = order.load(SeqCst);
            thread.join().unwrap();
            let list = list.lock().unwrap().clone();
            (seen, list)
        },
        // The destructors' steps come before the join, and the load may come before, between or after them.
        &[(0, vec![2, 1]), (1, vec![2, 1]), (2, vec![2, 1])],
    );
}

#[test]
fn the_values_of_the_body_are_dropped_before_it_returns() {
    let list: Arc<std::sync::Mutex<Vec<u32>>> = Arc::default();
    let drops = list.clone();
    let report = selvedge::explore(move || {
        let recorder = (Arc::new(AtomicU32::new(0)), drops.clone());
        FIRST.with_borrow_mut(|first| first.1 = Some(recorder));
    });
    assert_eq!((report.executions(), &*list.lock().unwrap()), (1, &vec![1]));
}

#[test]
fn values_are_dropped_after_a_deadlock_too() {
    let list: Arc<std::sync::Mutex<Vec<u32>>> = Arc::default();
    struct Pushes(Arc<std::sync::Mutex<Vec<u32>>>);
    impl Drop for Pushes {
        fn drop(&mut self) {
            self.0.lock().unwrap().push(7);
        }
    }
    selvedge::thread_local!(static PUSHES: RefCell<Option<Pushes>> = const { RefCell::new(None) });
    let drops = list.clone();
    check(
        move || {
            PUSHES.set(Some(Pushes(drops.clone())));
            thread::park();
        },
        &[Outcome::Deadlock],
    );
    assert_eq!(*list.lock().unwrap(), [7]);
}

/// Accesses its own thread-local and another when it is dropped.
struct AccessesLocals(Arc<std::sync::Mutex<Vec<Result<u32, String>>>>);

selvedge::thread_local! {
    static ACCESSES: RefCell<Option<AccessesLocals>> = const { RefCell::new(None) };
    static LATE: Cell<u32> = Cell::new(5);
}

impl Drop for AccessesLocals {
    fn drop(&mut self) {
        let itself = ACCESSES.try_with(|_| 0).map_err(|error| format!("{error}"));
        let late = LATE.try_with(Cell::get).map_err(|error| format!("{error}"));
        self.0.lock().unwrap().extend([itself, late]);
    }
}

#[test]
fn a_destructor_may_initialise_other_values_but_its_own_is_destroyed() {
    let set = |results: &Arc<std::sync::Mutex<Vec<Result<u32, String>>>>| {
        let results = results.clone();
        move || ACCESSES.set(Some(AccessesLocals(results)))
    };
    let expected = [Err("already destroyed".to_owned()), Ok(5)];
    let controlled = Arc::default();
    let inside = Arc::clone(&controlled);
    check_values(move || thread::spawn(set(&inside)).join().unwrap(), &[()]);
    assert_eq!(*controlled.lock().unwrap(), expected);
    // The same with a real thread.
    let real = Arc::default();
    thread::spawn(set(&real)).join().unwrap();
    assert_eq!(*real.lock().unwrap(), expected);
}

#[test]
fn a_panic_in_the_destructor_of_a_thread_local_value_ends_the_run() {
    struct Panics;
    impl Drop for Panics {
        fn drop(&mut self) {
            panic!("oh");
        }
    }
    selvedge::thread_local!(static PANICS: Panics = const { Panics });
    check(
        || thread::spawn(|| PANICS.with(|_| ())).join().unwrap(),
        &[Outcome::Panicked(
            "oh (in the destructor of a thread-local value, where a panic ends the process)".to_owned(),
        )],
    );
}

#[test]
fn outside_of_explorations_each_real_thread_has_its_own_value() {
    COUNT.set(1);
    let other = thread::spawn(|| {
        COUNT.set(COUNT.get() + 1);
        NAMES.with_borrow_mut(|names| names.push(1));
        (COUNT.get(), NAMES.take())
    });
    assert_eq!(other.join().unwrap(), (11, vec![11, 1]));
    assert_eq!(COUNT.take(), 1);
    SET_FIRST.set(2);
    assert_eq!(SET_FIRST.replace(1), 2);
}
