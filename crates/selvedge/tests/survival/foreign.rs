//! Threads of `std::thread` inside of explored bodies: refused where they use what the explored threads use.

use crate::{all, panic_of};
use selvedge::sync::atomic::{AtomicU32, Ordering::SeqCst};
use selvedge::sync::{Arc, LazyLock, MVar, Mutex, Once, OnceLock, RwLock, mpsc};
use selvedge::{Explorer, Keep, Outcome, thread};

/// Explores a body that uses something, and so does a thread that is not explored.
fn refusal<T: Send + Sync + 'static>(make: fn() -> T, use_it: fn(&T)) -> String {
    panic_of(move || {
        all(move || {
            let shared = Arc::new(make());
            use_it(&shared);
            // Whether it panics does not matter: the exploration says why it is refused.
            let _ = std::thread::spawn(move || use_it(&shared)).join();
        })
    })
}

#[track_caller]
fn is_told(said: &str) {
    assert!(said.starts_with("selvedge: an object of an explored body, made at "), "{said}");
    assert!(said.contains("is used at crates/selvedge/tests/survival/foreign.rs:"), "{said}");
    assert!(said.contains("begin threads with `selvedge::thread`, not with `std::thread`"), "{said}");
}

#[test]
#[allow(clippy::redundant_closure)] // A path has no place in the source to call from.
fn every_kind_of_object_notices_a_thread_that_is_not_explored() {
    is_told(&refusal(|| AtomicU32::new(0), |atomic| _ = atomic.fetch_add(1, SeqCst)));
    is_told(&refusal(|| AtomicU32::new(0), |atomic| _ = atomic.load(SeqCst)));
    is_told(&refusal(|| AtomicU32::new(0), |atomic| atomic.store(1, SeqCst)));
    is_told(&refusal(|| AtomicU32::new(0), |atomic| _ = atomic.compare_exchange(0, 1, SeqCst, SeqCst)));
    is_told(&refusal(|| Mutex::new(0), |lock| *lock.lock().unwrap() += 1));
    is_told(&refusal(|| RwLock::new(0), |lock| _ = *lock.read().unwrap()));
    is_told(&refusal(|| Once::new(), |once| once.call_once(|| ())));
    is_told(&refusal(|| OnceLock::new(), |once| _ = once.set(1)));
    is_told(&refusal(|| MVar::new(1), |variable| _ = variable.try_read()));
    is_told(&refusal(|| mpsc::channel().0, |sender| _ = sender.send(1)));
}

#[test]
fn a_thread_that_keeps_to_itself_is_none_of_our_business() {
    let report = all(|| {
        let own = std::thread::spawn(|| {
            let own = Mutex::new(1);
            *own.lock().unwrap() += 1;
            own.into_inner().unwrap()
        });
        let explored = thread::spawn(|| 1);
        own.join().unwrap() + explored.join().unwrap()
    });
    assert!(report.is_complete());
    assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), [&Outcome::Returned(3)]);
}

#[test]
fn what_carries_nothing_may_be_used_by_other_tests_at_the_same_time() {
    static LOCK: Mutex<()> = Mutex::new(());
    static TABLE: LazyLock<[u32; 2]> = LazyLock::new(|| [1, 2]);
    assert_eq!(TABLE[0], 1);
    let report = all(|| {
        let sum = TABLE.iter().sum::<u32>();
        drop(LOCK.lock().unwrap());
        let other = std::thread::spawn(|| {
            drop(LOCK.lock().unwrap());
            TABLE[1]
        });
        // Before anybody else takes the lock: one that is held outside is refused.
        let other = other.join().unwrap();
        thread::spawn(|| drop(LOCK.lock().unwrap())).join().unwrap();
        sum + other
    });
    assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), [&Outcome::Returned(5)]);
}

/// A value of a run that is compared by what it holds.
#[derive(Clone, Debug)]
struct Counted(Arc<AtomicU32>);

impl Counted {
    fn now(&self) -> u32 {
        self.0.load(SeqCst)
    }
}

impl PartialEq for Counted {
    fn eq(&self, other: &Counted) -> bool {
        self.now() == other.now()
    }
}

impl Eq for Counted {}

impl PartialOrd for Counted {
    fn partial_cmp(&self, other: &Counted) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Counted {
    fn cmp(&self, other: &Counted) -> std::cmp::Ordering {
        self.now().cmp(&other.now())
    }
}

#[test]
fn what_a_run_returned_may_be_used_by_anybody_after_it() {
    for workers in [1, 2] {
        let body = || {
            let counter = Arc::new(AtomicU32::new(0));
            let other = counter.clone();
            let thread = thread::spawn(move || other.store(other.load(SeqCst) + 1, SeqCst));
            counter.store(counter.load(SeqCst) + 1, SeqCst);
            thread.join().unwrap();
            Counted(counter)
        };
        // Whoever explores looks at it between two runs, and compares it with others.
        let looks = |outcome: &Outcome<Counted>| match outcome {
            Outcome::Returned(counted) if counted.now() > 0 => Keep::All,
            other => panic!("{other}"),
        };
        let report = Explorer::new().workers(workers).explore_keeping(body, looks);
        assert!(report.is_complete());
        let seen: Vec<u32> = std::thread::scope(|scope| {
            let outcomes = report.outcomes().keys();
            let look = |outcome: &Outcome<Counted>| match outcome {
                Outcome::Returned(counted) => counted.0.fetch_add(0, SeqCst),
                other => panic!("{other}"),
            };
            scope.spawn(move || outcomes.map(look).collect()).join().unwrap()
        });
        assert_eq!(seen, [1, 2]);
    }
}
