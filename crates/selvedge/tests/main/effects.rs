//! Opaque effects: each is one step that depends on other effects, in which nothing else is visible.

#[test]
fn outside_of_explorations_an_effect_is_a_call() {
    let mut log = Vec::new();
    let length = selvedge::effect(|| {
        log.push(1);
        selvedge::effect(|| log.len())
    });
    assert_eq!((length, log), (1, vec![1]));
}

#[cfg(feature = "check")]
mod explored {
    use selvedge::cell::UnsafeCell;
    use selvedge::stm::{TVar, atomically};
    use selvedge::sync::atomic::{AtomicU32, Ordering::Relaxed, Ordering::SeqCst};
    use selvedge::sync::{Arc, Mutex, mpsc};
    use selvedge::{Explorer, MemoryModel, Outcome, Report, Strategy, effect, explore, thread};
    use selvedge_explore::Kind;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Mutex as ForeignMutex;

    /// A cell that threads share.
    #[derive(Default)]
    struct Shared {
        cell: UnsafeCell<u32>,
        is_written: ForeignMutex<bool>,
    }

    // SAFETY: the threads of a run take turns, and an access of the cell has no step inside.
    #[allow(unsafe_code)]
    unsafe impl Sync for Shared {}

    impl Shared {
        fn write(&self) {
            // SAFETY: no other thread goes on during the access.
            #[allow(unsafe_code)]
            self.cell.with_mut(|value| unsafe { *value += 1 });
        }

        fn read(&self) -> u32 {
            // SAFETY: as above.
            #[allow(unsafe_code)]
            self.cell.with(|value| unsafe { *value })
        }
    }

    /// The log that this many explored threads write to.
    fn with_log(threads: u32, body: fn(&ForeignMutex<Vec<u32>>, u32)) -> Vec<u32> {
        let log = Arc::new(ForeignMutex::new(Vec::new()));
        let spawn = |number| {
            let log = log.clone();
            thread::spawn(move || body(&log, number))
        };
        let threads: Vec<_> = (1..=threads).map(spawn).collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        log.lock().unwrap().clone()
    }

    fn push(log: &ForeignMutex<Vec<u32>>, number: u32) {
        log.lock().unwrap().push(number);
    }

    fn push_by_effect(log: &ForeignMutex<Vec<u32>>, number: u32) {
        effect(|| push(log, number));
    }

    #[track_caller]
    fn check<T: Ord + Clone + std::fmt::Debug + Send + 'static>(
        body: impl Fn() -> T + Send + Sync,
        runs: usize,
        values: &[T],
    ) -> Report<T> {
        let report = explore(body);
        let expected: Vec<Outcome<T>> = values.iter().cloned().map(Outcome::Returned).collect();
        assert_eq!(report.outcomes().keys().cloned().collect::<Vec<_>>(), expected);
        assert_eq!(report.executions(), runs);
        assert!(report.is_complete());
        report
    }

    #[test]
    fn two_threads_that_push_to_a_foreign_list_by_effects_have_both_orders() {
        check(|| with_log(2, push_by_effect), 2, &[vec![1, 2], vec![2, 1]]);
    }

    #[test]
    fn without_effects_the_same_threads_have_one_order() {
        // `docs/explore.md` says so: no step tells the exploration that the order matters.
        check(|| with_log(2, push), 1, &[vec![1, 2]]);
    }

    #[test]
    fn effects_of_three_threads_have_all_six_orders() {
        let report = explore(|| with_log(3, push_by_effect));
        assert_eq!((report.executions(), report.outcomes().len()), (6, 6));
    }

    #[test]
    fn an_effect_is_independent_of_all_other_actions() {
        let body = || {
            let atomic = Arc::new(AtomicU32::new(0));
            let other = atomic.clone();
            let thread = thread::spawn(move || _ = other.fetch_add(1, SeqCst));
            effect(|| ());
            thread.join().unwrap();
            atomic.load(SeqCst)
        };
        check(body, 1, &[1]);
    }

    #[test]
    fn an_effect_is_one_step_with_its_place_in_the_trace() {
        let report = explore(|| effect(|| effect(|| 7)));
        let trace = report.outcomes().values().next().expect("one outcome");
        let kinds: Vec<Kind> = trace.steps().iter().map(|step| step.event.action.kind).collect();
        assert_eq!(kinds, [Kind::Effect], "an effect inside of an effect is a part of it");
        assert!(trace.table().to_string().contains("effects.rs:"), "{}", trace.table());
    }

    #[test]
    fn an_effect_gives_the_value_of_its_function_and_may_borrow() {
        let body = || {
            let mut list = vec![1];
            effect(|| list.push(2));
            effect(|| list.iter().sum::<u32>())
        };
        check(body, 1, &[3]);
    }

    /// The message by which an exploration refuses the body.
    fn refusal(body: impl Fn() + Send + Sync) -> String {
        let refused = catch_unwind(AssertUnwindSafe(|| explore(body)));
        let payload = refused.expect_err("it is refused");
        payload.downcast_ref::<String>().expect("a text").clone()
    }

    #[track_caller]
    fn check_refusal(had_to: &str, visible: fn()) {
        let message = refusal(move || effect(visible));
        assert!(message.starts_with(&format!("selvedge: an effect had to {had_to}")), "{message}");
        assert!(message.contains(" at crates/selvedge/tests/main/effects.rs:"), "{message}");
        assert!(message.ends_with("; do that before or after it"), "{message}");
    }

    #[test]
    fn visible_actions_inside_of_an_effect_are_refused() {
        check_refusal("lock mutex#", || drop(Mutex::new(0).lock()));
        check_refusal("load atomic#", || _ = AtomicU32::new(0).load(SeqCst));
        check_refusal("spawn", || drop(thread::spawn(|| ())));
        check_refusal("send channel#", || _ = mpsc::channel().0.send(1));
        // A closure, because a path has no call site in the source.
        check_refusal("yield", || {
            thread::yield_now();
        });
        check_refusal("choose", || _ = selvedge::choose(2));
        check_refusal("atomically", || _ = atomically(|tx| TVar::new(1).read(tx)));
    }

    #[test]
    fn a_refused_effect_releases_the_foreign_lock_that_it_holds() {
        // The other thread is unwound at the end of the run, and its destructor takes the same lock.
        struct Locks(Arc<ForeignMutex<u32>>);
        impl Drop for Locks {
            fn drop(&mut self) {
                drop(self.0.lock());
            }
        }
        let message = refusal(|| {
            let foreign = Arc::new(ForeignMutex::new(0));
            let locks = Locks(foreign.clone());
            let waits = thread::spawn(move || {
                let _locks = locks;
                thread::park();
            });
            effect(|| {
                let _held = foreign.lock();
                thread::yield_now();
            });
            waits.join().unwrap();
        });
        assert!(message.contains("an effect had to yield"), "{message}");
    }

    #[test]
    fn an_effect_inside_of_a_transaction_is_refused() {
        let message = refusal(|| _ = atomically(|_| Ok(effect(|| 1))));
        assert!(
            message.starts_with("selvedge: a transaction had to effect: inside of `atomically`"),
            "{message}"
        );
    }

    #[test]
    fn a_panic_inside_of_an_effect_is_a_panic_of_its_thread() {
        let report = explore(|| {
            let caught = catch_unwind(|| effect(|| panic!("first"))).is_err();
            // The effect is over: actions are visible again.
            let atomic = AtomicU32::new(u32::from(caught));
            let thread = thread::spawn(|| effect(|| panic!("second")));
            (atomic.load(SeqCst), thread.join().is_err())
        });
        assert_eq!(report.values().collect::<Vec<_>>(), [&(1, true)]);
        let report = explore(|| effect(|| panic!("escapes")));
        let outcomes: Vec<_> = report.outcomes().keys().cloned().collect();
        assert_eq!(outcomes, [Outcome::<()>::Panicked("escapes".to_owned())]);
    }

    #[test]
    fn a_destructor_may_have_an_effect_while_its_thread_unwinds() {
        struct Logs(Arc<ForeignMutex<u32>>);
        impl Drop for Logs {
            fn drop(&mut self) {
                effect(|| *self.0.lock().unwrap() += 1);
            }
        }
        let report = explore(|| {
            let count = Arc::new(ForeignMutex::new(0));
            let logs = Logs(count.clone());
            let thread = thread::spawn(move || {
                let _logs = logs;
                panic!("expected");
            });
            thread.join().unwrap_err();
            effect(|| *count.lock().unwrap())
        });
        assert_eq!(report.values().collect::<Vec<_>>(), [&1]);
    }

    #[test]
    fn effects_happen_before_later_effects() {
        // A foreign lock around a list is how the second thread learns that the cell is written.
        let report = explore(|| {
            let shared = Arc::new(Shared::default());
            let other = shared.clone();
            let thread = thread::spawn(move || {
                other.write();
                effect(|| *other.is_written.lock().unwrap() = true);
            });
            let is_written = effect(|| *shared.is_written.lock().unwrap());
            let read = is_written.then(|| shared.read());
            thread.join().unwrap();
            read
        });
        assert_eq!(report.values().collect::<Vec<_>>(), [&None, &Some(1)]);
        assert_eq!(report.outcomes().len(), 2, "no race");
    }

    #[test]
    fn effects_hide_no_race_of_accesses_that_can_meet() {
        let report = explore(|| {
            let shared = Arc::new(Shared::default());
            let other = shared.clone();
            let access = |shared: &Shared| {
                effect(|| ());
                shared.write();
                effect(|| ());
            };
            let thread = thread::spawn(move || access(&other));
            access(&shared);
            thread.join().unwrap();
        });
        assert!(report.outcomes().keys().any(|outcome| matches!(outcome, Outcome::DataRace(_))));
    }

    #[test]
    fn the_stores_of_a_thread_are_in_memory_before_its_effect() {
        for memory in [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso] {
            let report = Explorer::new().memory(memory).explore(|| {
                let shared = Arc::new((AtomicU32::new(0), ForeignMutex::new(false)));
                let other = shared.clone();
                let thread = thread::spawn(move || {
                    other.0.store(1, Relaxed);
                    effect(|| *other.1.lock().unwrap() = true);
                });
                let is_told = effect(|| *shared.1.lock().unwrap());
                let seen = shared.0.load(Relaxed);
                thread.join().unwrap();
                (is_told, seen)
            });
            assert_eq!(report.values().collect::<Vec<_>>(), [&(false, 0), &(false, 1), &(true, 1)]);
        }
    }

    #[test]
    fn random_strategies_take_effects_as_steps() {
        for strategy in [Strategy::random(1, 50), Strategy::pct(3, 1, 50), Strategy::swarm(1, 50)] {
            let report = Explorer::new().strategy(strategy).explore(|| with_log(2, push_by_effect));
            assert_eq!(report.values().collect::<Vec<_>>(), [&vec![1, 2], &vec![2, 1]]);
        }
    }
}
