//! `holds(thread, lock)` in explorations: locks change it by steps of their own, if a formula mentions it.

#![cfg(feature = "check")]

use crate::common::{MODELS, outcomes, verdicts};
use selvedge::sync::{Arc, Condvar, MVar, Mutex, RwLock};
use selvedge::{Explorer, Outcome, Strategy, prop, thread};
use selvedge_testkit::{Random, is_long_run};
use std::fmt::Debug;

/// The outcomes by the reduction, which are those of the exhaustive strategy.
#[track_caller]
fn explore<T: Ord + Clone + Debug + Send + 'static>(body: impl Fn() -> T + Send + Sync) -> Vec<Outcome<T>> {
    let report = selvedge::explore(&body);
    assert!(report.is_complete(), "{report}");
    let exhaustive = Explorer::new().strategy(Strategy::exhaustive()).explore(&body);
    assert_eq!(outcomes(&report), outcomes(&exhaustive));
    assert_eq!(verdicts(&report), verdicts(&exhaustive));
    outcomes(&report).into_iter().collect()
}

fn violated<T>(name: &str) -> Outcome<T> {
    Outcome::Violated(name.to_owned())
}

fn queue() -> Arc<Mutex<u32>> {
    let queue = Arc::new(Mutex::new(0));
    prop::name_lock(&*queue, "queue");
    queue
}

/// Two threads and the body take a mutex.
fn three_takers() {
    let queue = queue();
    let threads = [(); 2].map(|()| {
        let queue = queue.clone();
        thread::spawn(move || *queue.lock().unwrap() += 1)
    });
    *queue.lock().unwrap() += 1;
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

#[test]
fn a_mutex_is_held_by_one_thread_at_a_time() {
    for formula in [
        "G !(holds(1, \"queue\") & holds(2, \"queue\"))",
        "forall t1 != t2, l: G !(holds(t1, l) & holds(t2, l))",
    ] {
        let outcomes = explore(|| {
            selvedge::check("exclusive", formula);
            three_takers();
        });
        assert_eq!(outcomes, [Outcome::Returned(())]);
    }
}

#[test]
fn a_formula_says_which_thread_is_first() {
    let outcomes = explore(|| {
        selvedge::check("first", "!holds(2, \"queue\") U holds(1, \"queue\")");
        three_takers();
    });
    assert_eq!(outcomes, [Outcome::Returned(()), violated("first")]);
}

#[test]
fn locks_make_no_more_steps_if_no_formula_mentions_holds() {
    let plain = selvedge::explore(three_takers);
    let other = selvedge::explore(|| {
        selvedge::check("other", "G !p");
        three_takers();
    });
    assert_eq!(plain.executions(), other.executions());
}

#[test]
fn an_unnamed_lock_is_a_number() {
    let outcomes = explore(|| {
        selvedge::check("first", "F holds(0, 1)");
        drop(Mutex::new(0).lock());
    });
    assert_eq!(outcomes, [Outcome::Returned(())]);
}

#[test]
fn readers_hold_a_lock_together_and_a_writer_alone() {
    let outcomes = explore(|| {
        selvedge::check("no two readers", "G !(holds(1, \"l\") & holds(2, \"l\"))");
        selvedge::check("writer alone", "G !(holds(0, \"l\") & (holds(1, \"l\") | holds(2, \"l\")))");
        let lock = Arc::new(RwLock::new(0));
        prop::name_lock(&*lock, "l");
        let readers = [(); 2].map(|()| {
            let lock = lock.clone();
            thread::spawn(move || *lock.read().unwrap())
        });
        *lock.write().unwrap() += 1;
        readers.into_iter().for_each(|reader| assert!(reader.join().unwrap() < 2));
    });
    assert_eq!(outcomes, [Outcome::Returned(()), violated("no two readers")]);
}

#[test]
fn a_wait_ends_the_hold_of_its_mutex() {
    let outcomes = explore(|| {
        selvedge::check("released", "G (notified -> !holds(0, \"m\"))");
        let pair = Arc::new((Mutex::new(false), Condvar::new()));
        prop::name_lock(&pair.0, "m");
        let other = pair.clone();
        let notifier = thread::spawn(move || {
            *other.0.lock().unwrap() = true;
            prop::pulse("notified");
            other.1.notify_one();
        });
        let mut guard = pair.0.lock().unwrap();
        while !*guard {
            guard = pair.1.wait(guard).unwrap();
        }
        drop(guard);
        notifier.join().unwrap();
    });
    // The pulse comes after the unlock, so the waiting thread may hold the mutex again.
    assert_eq!(outcomes, [Outcome::Returned(()), violated("released")]);
    let outcomes = explore(|| {
        selvedge::check("released", "G (notified -> !holds(0, \"m\"))");
        let pair = Arc::new((Mutex::new(false), Condvar::new()));
        prop::name_lock(&pair.0, "m");
        let other = pair.clone();
        let notifier = thread::spawn(move || {
            let mut guard = other.0.lock().unwrap();
            *guard = true;
            prop::pulse("notified");
            other.1.notify_one();
        });
        let guard = pair.0.lock().unwrap();
        drop(pair.1.wait_while(guard, |is_set| !*is_set).unwrap());
        notifier.join().unwrap();
    });
    assert_eq!(outcomes, [Outcome::Returned(())]);
}

/// Stolz and Huch, §4: a thread that takes the value of a variable holds it, until a thread puts one.
#[test]
fn a_put_ends_the_hold_of_the_thread_that_took() {
    let lock_discipline = explore(|| {
        selvedge::check("exclusive", "G !(holds(0, \"v\") & holds(1, \"v\"))");
        let variable = Arc::new(MVar::new(0));
        prop::name_lock(&*variable, "v");
        let other = variable.clone();
        let thread = thread::spawn(move || other.with(|value| *value += 1));
        variable.with(|value| *value += 1);
        thread.join().unwrap();
    });
    assert_eq!(lock_discipline, [Outcome::Returned(())]);
    let channel = explore(|| {
        selvedge::check("given back", "F G !(holds(0, \"v\"))");
        let variable = Arc::new(MVar::new(0));
        prop::name_lock(&*variable, "v");
        let other = variable.clone();
        variable.take();
        thread::spawn(move || other.put(1)).join().unwrap();
    });
    assert_eq!(channel, [Outcome::Returned(())]);
    let kept = explore(|| {
        selvedge::check("given back", "F G !(holds(0, \"v\"))");
        let variable = Arc::new(MVar::new(0));
        prop::name_lock(&*variable, "v");
        variable.take();
    });
    assert_eq!(kept, [violated("given back")]);
}

#[test]
fn a_formula_over_holds_that_comes_after_a_lock_is_refused() {
    let message = std::panic::catch_unwind(|| {
        selvedge::explore(|| {
            let queue = queue();
            drop(queue.lock());
            selvedge::check("late", "G !holds(1, \"queue\")");
        })
    });
    let text = match message {
        Ok(report) => report.to_string(),
        Err(payload) => *payload.downcast::<String>().expect("a message"),
    };
    assert!(text.contains("the formula `late` mentions `holds`, but a lock was taken before"), "{text}");
    assert!(text.contains("holds.rs:"), "{text}");
}

const FORMULAS: [&str; 6] = [
    "forall t1 != t2: G !(holds(t1, \"a\") & holds(t2, \"a\"))",
    "G !(holds(1, \"a\") & holds(0, \"b\"))",
    "!holds(1, \"b\") W holds(0, \"b\")",
    "F (holds(1, \"v\") & p)",
    "G (holds(0, \"v\") -> F !holds(0, \"v\"))",
    "G (p -> (holds(0, \"a\") | holds(1, \"v\")))",
];

#[derive(Clone, Copy, Debug)]
enum Op {
    LockA,
    /// Takes `b` while it holds `a`.
    Nested,
    TryLock,
    Read,
    Write,
    Take,
    TryPut,
    Pulse,
}

struct Shared {
    a: Mutex<()>,
    b: RwLock<()>,
    v: MVar<()>,
}

impl Op {
    fn draw(random: &mut Random) -> Op {
        const ALL: [Op; 8] =
            [Op::LockA, Op::Nested, Op::TryLock, Op::Read, Op::Write, Op::Take, Op::TryPut, Op::Pulse];
        ALL[random.below(ALL.len())]
    }

    fn execute(self, shared: &Shared) {
        match self {
            Op::LockA => drop(shared.a.lock()),
            Op::Nested => drop((shared.a.lock(), shared.b.write())),
            Op::TryLock => drop(shared.a.try_lock()),
            Op::Read => drop(shared.b.read()),
            Op::Write => drop(shared.b.write()),
            Op::Take => shared.v.take(),
            Op::TryPut => drop(shared.v.try_put(())),
            Op::Pulse => prop::pulse("p"),
        }
    }
}

#[test]
fn generated_programs_with_locks_and_formulas_have_the_outcomes_of_exhaustive_search() {
    let count = if is_long_run() { 5_000 } else { 500 };
    for (seed, memory) in (71..).zip(MODELS) {
        let mut random = Random(seed);
        let (mut compared, mut with_violations) = (0, 0);
        for _ in 0..count {
            let thread = |random: &mut Random| -> Vec<Op> {
                let length = 1 + random.below(2);
                (0..length).map(|_| Op::draw(random)).collect()
            };
            let (own, other) = (thread(&mut random), thread(&mut random));
            let formulas = [random.below(FORMULAS.len()), random.below(FORMULAS.len())];
            let body = || {
                formulas.iter().for_each(|formula| selvedge::check(FORMULAS[*formula], FORMULAS[*formula]));
                let shared = Arc::new(Shared { a: Mutex::new(()), b: RwLock::new(()), v: MVar::new(()) });
                prop::name_lock(&shared.a, "a");
                prop::name_lock(&shared.b, "b");
                prop::name_lock(&shared.v, "v");
                let (other, shared_too) = (other.clone(), shared.clone());
                let thread = thread::spawn(move || other.iter().for_each(|op| op.execute(&shared_too)));
                own.iter().for_each(|op| op.execute(&shared));
                drop(thread.join());
            };
            let explorer = || Explorer::new().memory(memory);
            let exhaustive = explorer().strategy(Strategy::exhaustive()).max_executions(3_000).explore(body);
            if exhaustive.limit().is_some() {
                continue;
            }
            let report = explorer().explore(body);
            assert_eq!(
                outcomes(&report),
                outcomes(&exhaustive),
                "under {memory:?}: {own:?} beside {other:?}, {formulas:?}"
            );
            assert_eq!(
                verdicts(&report),
                verdicts(&exhaustive),
                "under {memory:?}: {own:?} beside {other:?}, {formulas:?}"
            );
            assert!(report.is_complete(), "under {memory:?}: {own:?} beside {other:?}");
            compared += 1;
            let is_violation = |outcome: &Outcome<()>| matches!(outcome, Outcome::Violated(_));
            with_violations += usize::from(outcomes(&report).iter().any(is_violation));
        }
        assert!(compared > count / 2, "{compared} of {count} programs were compared");
        assert!(with_violations > count / 5, "{with_violations} of {count} programs have violations");
    }
}
