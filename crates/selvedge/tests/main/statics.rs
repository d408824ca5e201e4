//! Statics: each run has them anew, so that runs, workers and tests side by side do not meet.

#![cfg(all(feature = "check", target_os = "linux"))]

use selvedge::cell::UnsafeCell;
use selvedge::sync::atomic::Ordering::{Relaxed, SeqCst};
use selvedge::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicUsize};
use selvedge::sync::{Barrier, Condvar, LazyLock, Mutex, Once, OnceLock, RwLock};
use selvedge::{Explorer, MemoryModel, Outcome, Report, Strategy, thread};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Explores with one worker, with several, exhaustively, and all of it twice: the body returns exactly these
/// values.
#[track_caller]
fn returns<T: Ord + Clone + Debug + Send + 'static>(body: impl Fn() -> T + Send + Sync, expected: &[T]) {
    let expected: Vec<Outcome<T>> = expected.iter().cloned().map(Outcome::Returned).collect();
    for _ in 0..2 {
        for explorer in [
            Explorer::new(),
            Explorer::new().workers(2),
            Explorer::new().strategy(Strategy::exhaustive()),
            Explorer::new().memory(MemoryModel::Sc),
        ] {
            let report = explorer.explore(&body);
            assert!(report.outcomes().keys().eq(expected.iter()), "{report}");
            assert!(report.is_complete(), "{report}");
        }
    }
}

/// What two threads return.
fn both<T: Send + 'static>(function: impl Fn(u32) -> T + Clone + Send + 'static) -> [T; 2] {
    let threads = [1, 2].map(|number| {
        let function = function.clone();
        thread::spawn(move || function(number))
    });
    threads.map(|thread| thread.join().unwrap())
}

/// The values that a report has.
fn values<T: Ord + Clone>(report: &Report<T>) -> Vec<T> {
    let outcomes = report.outcomes().keys();
    let value = |outcome: &Outcome<T>| match outcome {
        Outcome::Returned(value) => value.clone(),
        _ => panic!("a run did not return"),
    };
    outcomes.map(value).collect()
}

/// The message that a body is refused with.
#[track_caller]
fn refusal(body: impl Fn() + Send + Sync) -> String {
    let explore = || Explorer::new().strategy(Strategy::random(1, 2)).explore(body);
    let payload = catch_unwind(AssertUnwindSafe(explore)).expect_err("it is refused");
    payload.downcast_ref::<String>().cloned().expect("a message")
}

#[test]
fn an_allocator_of_thread_ids_begins_anew_in_each_run() {
    static NEXT: AtomicUsize = AtomicUsize::new(1);
    returns(|| both(|_| NEXT.fetch_add(1, Relaxed)), &[[1, 2], [2, 1]]);
    assert_eq!(NEXT.load(SeqCst), 1, "runs do not change the value outside");
}

#[test]
fn a_static_that_was_changed_outside_begins_as_it_was_initialised() {
    static NEXT: AtomicUsize = AtomicUsize::new(1);
    static TOTAL: Mutex<u64> = Mutex::new(10);
    NEXT.store(70, SeqCst);
    *TOTAL.lock().unwrap() = 70;
    let body = || {
        *TOTAL.lock().unwrap() += 1;
        (NEXT.fetch_add(1, SeqCst), NEXT.load(SeqCst), *TOTAL.lock().unwrap())
    };
    returns(body, &[(1, 2, 11)]);
    assert_eq!((NEXT.load(SeqCst), *TOTAL.lock().unwrap()), (70, 70));
}

#[test]
fn a_registry_is_initialised_anew_in_each_run() {
    static REGISTRY: LazyLock<Mutex<Vec<u32>>> = LazyLock::new(|| Mutex::new(vec![0]));
    let register = |number| {
        let mut registry = REGISTRY.lock().unwrap();
        registry.push(number);
        registry.len()
    };
    let body = move || {
        let lengths = both(register);
        (lengths, REGISTRY.lock().unwrap().clone())
    };
    returns(body, &[([2, 3], vec![0, 1, 2]), ([3, 2], vec![0, 2, 1])]);
    // Now the value exists outside, too, as if another test had come before.
    REGISTRY.lock().unwrap().push(7);
    returns(body, &[([2, 3], vec![0, 1, 2]), ([3, 2], vec![0, 2, 1])]);
    assert_eq!(*REGISTRY.lock().unwrap(), [0, 7]);
}

#[test]
fn the_epoch_of_a_once_lock_is_set_by_one_thread_in_each_run() {
    static EPOCH: OnceLock<u32> = OnceLock::new();
    returns(|| both(|number| *EPOCH.get_or_init(|| number)), &[[1, 1], [2, 2]]);
    returns(
        || both(|number| (EPOCH.set(number).is_ok(), *EPOCH.wait())),
        &[[(false, 2), (true, 2)], [(true, 1), (false, 1)]],
    );
    returns(|| (EPOCH.get().copied(), format!("{EPOCH:?}")), &[(None, "OnceLock(<uninit>)".to_owned())]);
    assert_eq!(EPOCH.get(), None);
}

#[test]
fn what_an_interner_returned_lives_as_long_as_the_outcomes() {
    static NAMES: LazyLock<Mutex<BTreeMap<u32, &'static str>>> = LazyLock::new(Mutex::default);
    static PREFIX: LazyLock<String> = LazyLock::new(|| "name ".to_owned());
    fn intern(number: u32) -> &'static str {
        let mut names = NAMES.lock().unwrap();
        names.entry(number).or_insert_with(|| format!("{}{number}", *PREFIX).leak())
    }
    let report = Explorer::new().explore(|| {
        let names = both(|number| intern(number % 2));
        (names, PREFIX.as_str(), intern(1) == names[0])
    });
    assert_eq!(values(&report), [(["name 1", "name 0"], "name ", true)]);
}

#[test]
fn a_once_happens_once_in_each_run_and_its_poison_stays_in_the_run() {
    static ONCE: Once = Once::new();
    let caught = |function: fn()| catch_unwind(function).is_err();
    let body = move || {
        let before = ONCE.is_completed();
        let failed = caught(|| ONCE.call_once(|| panic!("first")));
        let poisoned = caught(|| ONCE.call_once(|| {})) && caught(|| ONCE.wait());
        let mut seen = false;
        ONCE.call_once_force(|state| seen = state.is_poisoned());
        ONCE.wait();
        ONCE.call_once(|| panic!("it has happened"));
        (before, failed, poisoned, seen, ONCE.is_completed())
    };
    returns(body, &[(false, true, true, true, true)]);
    assert!(!ONCE.is_completed());
}

#[test]
fn a_lazy_value_is_poisoned_in_the_run_that_failed_to_make_it() {
    static ATTEMPTS: AtomicU32 = AtomicU32::new(0);
    static LAZY: LazyLock<u32> = LazyLock::new(|| {
        ATTEMPTS.fetch_add(1, SeqCst);
        assert!(selvedge::choose(2) == 0, "failed");
        7
    });
    let force = || catch_unwind(|| *LAZY).ok();
    returns(move || (force(), force(), ATTEMPTS.load(SeqCst)), &[(None, None, 1), (Some(7), Some(7), 1)]);
}

#[test]
fn a_lazy_value_that_a_thread_outside_makes_in_the_middle_does_not_change_the_runs() {
    static LAZY: LazyLock<u32> = LazyLock::new(|| 7);
    static CELL: OnceLock<u32> = OnceLock::new();
    let runs = std::sync::atomic::AtomicU32::new(0);
    let report = Explorer::new().explore(|| {
        if runs.fetch_add(1, SeqCst) == 1 {
            std::thread::spawn(|| (*LAZY, CELL.set(9))).join().unwrap().1.unwrap();
        }
        (*LAZY, both(|number| *CELL.get_or_init(|| number)))
    });
    assert_eq!(values(&report), [(7, [1, 1]), (7, [2, 2])]);
    assert_eq!((LazyLock::get(&LAZY), CELL.get()), (Some(&7), Some(&9)));
    // Another exploration finds the values of outside.
    returns(|| both(|number| *CELL.get_or_init(|| number)), &[[9, 9]]);
}

#[test]
fn locks_around_plain_values_begin_anew_in_each_run_and_so_does_their_poison() {
    static COUNT: Mutex<u32> = Mutex::new(3);
    static LAST: RwLock<Option<u64>> = RwLock::new(None);
    static NOTHING: Mutex<()> = Mutex::new(());
    let body = || {
        let seen = both(|number| {
            let mut count = COUNT.lock().unwrap();
            *count += 1;
            *LAST.write().unwrap() = Some(u64::from(number));
            *count
        });
        let was_poisoned = COUNT.is_poisoned();
        drop(catch_unwind(|| {
            let _guards = (COUNT.lock(), LAST.write(), NOTHING.lock());
            panic!("oh");
        }));
        let is_poisoned = COUNT.lock().is_err() && LAST.read().is_err() && NOTHING.try_lock().is_err();
        (seen, *LAST.read().unwrap_or_else(|poisoned| poisoned.into_inner()), was_poisoned, is_poisoned)
    };
    returns(body, &[([4, 5], Some(2), false, true), ([5, 4], Some(1), false, true)]);
    assert_eq!((*COUNT.lock().unwrap(), *LAST.read().unwrap()), (3, None));
    let shown = || {
        *COUNT.lock().unwrap() += 1;
        format!("{COUNT:?}")
    };
    returns(shown, &["Mutex { data: 4, poisoned: false, .. }".to_owned()]);
}

#[test]
fn a_guard_that_a_run_leaks_keeps_its_value_for_ever() {
    static COUNT: Mutex<u32> = Mutex::new(0);
    let report = Explorer::new().explore(|| {
        let number = selvedge::choose(3) as u32;
        let guard: &'static mut _ = Box::leak(Box::new(COUNT.lock().unwrap()));
        **guard = number;
        let value: &'static u32 = guard;
        value
    });
    assert_eq!(values(&report), [&0, &1, &2]);
}

/// A spin lock over a static cell.
struct SpinLock {
    is_locked: AtomicBool,
    value: UnsafeCell<u32>,
}

// SAFETY: the value is accessed while the flag is set, by the thread that has set it.
#[allow(unsafe_code)]
unsafe impl Sync for SpinLock {}

impl SpinLock {
    const fn new() -> SpinLock {
        SpinLock { is_locked: AtomicBool::new(false), value: UnsafeCell::new(5) }
    }

    fn add(&self) -> u32 {
        while self.is_locked.swap(true, SeqCst) {
            selvedge::hint::spin_loop();
        }
        let value = self.value.with_mut(|value| {
            // SAFETY: the lock is held.
            #[allow(unsafe_code)]
            unsafe {
                *value += 1;
                *value
            }
        });
        self.is_locked.store(false, SeqCst);
        value
    }
}

#[test]
fn a_static_spin_lock_protects_a_cell_of_the_run() {
    static LOCKS: [SpinLock; 2] = [const { SpinLock::new() }; 2];
    returns(|| both(|_| LOCKS[1].add()), &[[6, 7], [7, 6]]);
    assert_eq!((LOCKS[1].add(), LOCKS[0].add()), (6, 6));
    returns(|| LOCKS[1].add(), &[6]);
}

#[test]
fn a_static_stack_begins_empty_in_each_run() {
    struct Node(u32, *mut Node);
    static HEAD: AtomicPtr<Node> = AtomicPtr::new(std::ptr::null_mut());
    let push = |number| {
        let node = Box::leak(Box::new(Node(number, HEAD.load(SeqCst))));
        while let Err(head) = HEAD.compare_exchange(node.1, node, SeqCst, SeqCst) {
            node.1 = head;
        }
    };
    let body = move || {
        both(push);
        let mut numbers = Vec::new();
        let mut next = HEAD.swap(std::ptr::null_mut(), SeqCst);
        while !next.is_null() {
            // SAFETY: the nodes come from `push`, and no other thread has taken them.
            #[allow(unsafe_code)]
            let node = unsafe { Box::from_raw(next) };
            (numbers, next) = ([numbers, vec![node.0]].concat(), node.1);
        }
        numbers
    };
    returns(body, &[vec![1, 2], vec![2, 1]]);
}

#[test]
fn store_buffering_on_statics_has_the_outcomes_of_the_memory_model() {
    static X: AtomicU32 = AtomicU32::new(0);
    static Y: AtomicU32 = AtomicU32::new(0);
    let body = || {
        both(|number| {
            let [own, other] = if number == 1 { [&X, &Y] } else { [&Y, &X] };
            own.store(1, Relaxed);
            other.load(Relaxed)
        })
    };
    let sc = [[0, 1], [1, 0], [1, 1]];
    let weak = [[0, 0], [0, 1], [1, 0], [1, 1]];
    for (model, expected) in [
        (MemoryModel::Sc, sc.as_slice()),
        (MemoryModel::Tso, weak.as_slice()),
        (MemoryModel::Pso, weak.as_slice()),
    ] {
        for strategy in [Strategy::systematic(), Strategy::exhaustive()] {
            let report = Explorer::new().memory(model).strategy(strategy).explore(body);
            assert_eq!(values(&report), expected, "{model:?}");
        }
    }
}

#[test]
fn statics_have_the_runs_that_other_objects_have() {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    static LOCK: Mutex<u32> = Mutex::new(0);
    fn work(count: &AtomicU32, lock: &Mutex<u32>) -> u32 {
        count.store(count.load(Relaxed) + 1, Relaxed);
        *lock.lock().unwrap() += count.load(Relaxed);
        *lock.lock().unwrap()
    }
    let with_statics = Explorer::new().explore(|| both(|_| work(&COUNT, &LOCK)));
    let with_own = Explorer::new().explore(|| {
        let own = selvedge::sync::Arc::new((AtomicU32::new(0), Mutex::new(0)));
        both(move |_| work(&own.0, &own.1))
    });
    assert_eq!(values(&with_statics), values(&with_own));
    assert_eq!(with_statics.executions(), with_own.executions());
}

#[test]
fn explorations_side_by_side_and_threads_outside_do_not_meet() {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    static LOCK: Mutex<usize> = Mutex::new(0);
    static LAZY: LazyLock<Mutex<Vec<usize>>> = LazyLock::new(Mutex::default);
    static BARRIER: Barrier = Barrier::new(2);
    static CONDVAR: Condvar = Condvar::new();
    fn work() -> (usize, usize, usize) {
        let next = NEXT.fetch_add(1, SeqCst);
        let locked = {
            let mut lock = LOCK.lock().unwrap();
            *lock += 1;
            CONDVAR.notify_all();
            *CONDVAR.wait_while(lock, |lock| *lock < 2).unwrap()
        };
        LAZY.lock().unwrap().push(next);
        BARRIER.wait();
        (next, locked, LAZY.lock().unwrap().len())
    }
    let stops = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let outside = scope.spawn(|| {
            while !stops.load(SeqCst) {
                NEXT.fetch_add(1, SeqCst);
                *LOCK.lock().unwrap() += 1;
                std::thread::yield_now();
            }
        });
        let explorers = [1, 2, 1].map(|workers| {
            scope.spawn(move || values(&Explorer::new().workers(workers).explore(|| both(|_| work()))))
        });
        let all = explorers.map(|explorer| explorer.join().unwrap());
        stops.store(true, SeqCst);
        outside.join().unwrap();
        assert_eq!(all, [const { [[(0, 2, 2), (1, 2, 2)], [(1, 2, 2), (0, 2, 2)]] }; 3].map(Vec::from));
    });
}

#[test]
fn a_static_that_cannot_be_had_anew_is_refused_with_its_place_and_a_remedy() {
    static LIST: Mutex<Vec<u32>> = Mutex::new(Vec::new());
    let message = refusal(|| LIST.lock().unwrap().push(1));
    assert!(message.starts_with("selvedge: this static mutex, made at crates/selvedge/tests/"), "{message}");
    assert!(message.contains("statics.rs:"), "{message}");
    let remedy = "carries its state from one run to the next, so that runs are not alike; \
                  put its value into a `selvedge::sync::LazyLock`, which each run initialises anew";
    assert!(message.ends_with(remedy), "{message}");
    static NAME: RwLock<String> = RwLock::new(String::new());
    assert!(refusal(|| drop(NAME.read())).contains("this static rwlock, made at"));
    static LAZY: LazyLock<u32, &(dyn Fn() -> u32 + Sync)> = LazyLock::new(&|| 1);
    assert!(refusal(|| assert_eq!(*LAZY, 1)).contains("this static once, made at"));
}

#[test]
fn a_pointer_to_a_heap_that_an_earlier_run_made_is_refused() {
    // The value is made at run time, in the memory of the static.
    static HEAD: std::sync::LazyLock<AtomicPtr<u32>> =
        std::sync::LazyLock::new(|| AtomicPtr::new(Box::leak(Box::new(1))));
    let message = refusal(|| _ = HEAD.load(SeqCst));
    assert!(message.contains("this static atomic, made at"), "{message}");
}
