//! Threads are the same in all runs if their paths are: spawns of different threads are independent.
//!
//! Walker's thesis, Figure 12, has no rule that makes two forks dependent.

#![cfg(feature = "check")]

use selvedge::sync::atomic::{AtomicU32, Ordering};
use selvedge::sync::{Arc, MVar, Mutex};
use selvedge::{Explorer, MemoryModel, Outcome, Report, Strategy, contained, thread};
use selvedge_explore::trace::Recording;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::path::Path;

const MODELS: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];

/// So many threads that spawn and join a child each.
fn threads_with_a_child_each(threads: usize) {
    let spawn = |_| thread::spawn(|| thread::spawn(|| ()).join().unwrap());
    let threads: Vec<_> = (0..threads).map(spawn).collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// Explores completely, without a run in vain.
#[track_caller]
fn explore<T: Ord + Clone + Debug + Send + 'static>(body: impl Fn() -> T + Send + Sync) -> Report<T> {
    let report = selvedge::explore(body);
    assert!(report.is_complete(), "{report}");
    let figures = report.figures().expect("figures of a reduction");
    assert_eq!((figures.sleep_set_blocked, figures.infeasible_reversals), (0, 0), "{report}");
    report
}

#[test]
fn threads_that_spawn_one_child_each_take_one_run() {
    for threads in [2, 3, 4] {
        assert_eq!(explore(|| threads_with_a_child_each(threads)).executions(), 1, "{threads} threads");
    }
}

#[test]
fn threads_that_spawn_two_children_each_take_one_run() {
    let report = explore(|| {
        let children = || (0..2).map(|_| thread::spawn(|| ())).collect::<Vec<_>>();
        let parent = move || children().into_iter().for_each(|child| child.join().unwrap());
        let threads = [(); 3].map(|()| thread::spawn(parent));
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
    assert_eq!(report.executions(), 1);
}

/// Two threads with a child each; the children store to one atomic.
fn grandchildren_store() -> u32 {
    let last = Arc::new(AtomicU32::new(0));
    let spawn = |number: u32| {
        let last = last.clone();
        thread::spawn(move || {
            let child = thread::spawn(move || last.store(number, Ordering::SeqCst));
            child.join().unwrap();
        })
    };
    [1, 2].map(spawn).into_iter().for_each(|thread| thread.join().unwrap());
    last.load(Ordering::SeqCst)
}

#[test]
fn children_of_different_threads_race_by_their_own_steps_alone() {
    let report = explore(grandchildren_store);
    assert_eq!(report.values().collect::<Vec<_>>(), [&1, &2]);
    assert_eq!(report.executions(), 2);
}

#[test]
fn traces_name_threads_by_their_paths() {
    let report = Explorer::new().memory(MemoryModel::Sc).explore(grandchildren_store);
    let trace = &report.outcomes()[&Outcome::Returned(1)];
    let (short, table) = (trace.short().to_string(), trace.table().to_string());
    assert!(short.contains("S2.1-") && short.contains("S1.1-"), "{short}");
    assert!(table.contains("thread 2.1  store"), "{table}");
    assert!(trace.endings.iter().map(|ending| &*ending.thread).eq([
        "main",
        "thread 1",
        "thread 1.1",
        "thread 2",
        "thread 2.1"
    ]));
}

#[test]
fn a_recorded_run_with_nested_threads_is_replayed() {
    for memory in MODELS {
        let explorer = || Explorer::new().memory(memory);
        let report = explorer().explore(grandchildren_store);
        for (outcome, trace) in report.outcomes() {
            let text = trace.recording(&[]).to_string();
            let recording = Recording::parse(&text).expect("it was written");
            let replayed = explorer().strategy(Strategy::replay(recording)).explore(grandchildren_store);
            assert!(replayed.outcomes().keys().eq([outcome]), "{text}\n{replayed}");
            assert_eq!(replayed.outcomes()[outcome].short().to_string(), trace.short().to_string());
        }
    }
}

/// Each thread looks at a counter before it spawns a child, which increments the counter.
fn lookers() -> Vec<u32> {
    let counter = Arc::new(AtomicU32::new(0));
    let spawn = |_| {
        let counter = counter.clone();
        thread::spawn(move || {
            let seen = counter.load(Ordering::SeqCst);
            let child = thread::spawn(move || counter.fetch_add(1, Ordering::SeqCst));
            child.join().unwrap();
            seen
        })
    };
    let threads: Vec<_> = (0..3).map(spawn).collect();
    threads.into_iter().map(|thread| thread.join().unwrap()).collect()
}

#[test]
fn several_workers_agree_on_the_runs_of_nested_threads() {
    let shown = |report: &Report<Vec<u32>>| {
        let traces = report.outcomes().iter();
        traces.map(|(outcome, trace)| format!("{outcome}: {}", trace.short())).collect::<Vec<_>>()
    };
    let strategies: [fn() -> Strategy; 5] = [
        Strategy::systematic,
        || Strategy::random(1, 200),
        || Strategy::pct(3, 1, 200),
        || Strategy::swarm(1, 200),
        || Strategy::pos(1, 200),
    ];
    for strategy in strategies {
        let explore = |workers: usize| {
            let explorer = Explorer::new().memory(MemoryModel::Sc).strategy(strategy());
            explorer.workers(workers).explore(lookers)
        };
        let first = explore(2);
        for workers in [2, 3, 4] {
            let report = explore(workers);
            assert_eq!(report.executions(), first.executions(), "{report}");
            assert_eq!(shown(&report), shown(&first), "{}, {workers} workers", strategy());
        }
    }
}

#[test]
fn an_exploration_of_nested_threads_goes_on_from_its_checkpoint() {
    let path =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("spawns-{}.checkpoint", std::process::id()));
    let _ = std::fs::remove_file(&path);
    let explorer = || Explorer::new().memory(MemoryModel::Sc);
    let whole = explorer().explore(lookers);
    let stages = (1..).map(|stage| explorer().checkpoint(&path).max_executions(5 * stage).explore(lookers));
    let last = { stages }.find(|report| report.limit().is_none()).expect("it ends");
    assert_eq!(last.executions(), whole.executions());
    assert!(last.is_complete() && last.outcomes().keys().eq(whole.outcomes().keys()), "{last}");
}

#[test]
fn the_first_unjoined_panic_is_that_of_the_first_path() {
    let body = || {
        let spawn = |name: &'static str| thread::spawn(move || drop(thread::spawn(move || panic!("{name}"))));
        ["one", "two"].map(spawn).into_iter().for_each(|thread| thread.join().unwrap());
    };
    let explorer = || Explorer::new().wait_for_all(true);
    let all = explorer().strategy(Strategy::exhaustive()).explore(body);
    let report = explorer().explore(body);
    assert!(all.outcomes().keys().eq([&Outcome::Panicked("one".to_owned())]), "{all}");
    assert!(report.outcomes().keys().eq(all.outcomes().keys()), "{report}");
}

#[test]
fn a_scope_waits_for_the_threads_that_its_threads_spawn_in_it() {
    let body = || {
        let order = Mutex::new(Vec::new());
        thread::scope(|scope| {
            for number in [1, 2] {
                let order = &order;
                scope.spawn(move || {
                    scope.spawn(move || order.lock().unwrap().push(number));
                });
            }
        });
        order.into_inner().unwrap()
    };
    let report = explore(body);
    assert_eq!(report.values().collect::<Vec<_>>(), [&[1, 2], &[2, 1]]);
    assert_eq!(report.executions(), 2);
    let all = Explorer::new().strategy(Strategy::exhaustive()).explore(body);
    assert!(all.outcomes().keys().eq(report.outcomes().keys()), "{all}");
}

#[test]
fn the_id_of_a_thread_is_the_same_in_all_runs() {
    let body = || {
        let spawn = |_| {
            let grandchild = || thread::spawn(|| format!("{:?}", thread::current().id())).join().unwrap();
            thread::spawn(move || (format!("{:?}", thread::current().id()), grandchild()))
        };
        [(); 2].map(spawn).map(|thread| thread.join().unwrap())
    };
    let report = Explorer::new().strategy(Strategy::exhaustive()).explore(body);
    assert_eq!(report.outcomes().len(), 1, "{report}");
    let Some([(one, other), (two, another)]) = report.values().next() else { panic!("{report}") };
    assert_eq!([&**one, &**two], ["ThreadId(2)", "ThreadId(3)"]);
    assert_ne!(other, another);
}

#[test]
fn a_child_reuses_the_numbers_of_its_children() {
    let explorer = Explorer::new().max_steps(1_000_000).strategy(Strategy::random(1, 2));
    let report = explorer.explore(|| {
        let spawn = |number: u64| thread::spawn(move || thread::spawn(move || number).join().unwrap());
        let many = move || (0..2_000).map(spawn).map(|thread| thread.join().unwrap()).sum::<u64>();
        [(); 2].map(|()| thread::spawn(many)).map(|thread| thread.join().unwrap())
    });
    assert_eq!(report.values().collect::<Vec<_>>(), [&[1_999_000; 2]]);
    let trace = report.outcomes().values().next().expect("an outcome");
    assert!(trace.threads.len() < 400, "{} threads", trace.threads.len());
}

/// Each child leaves a thread behind that waits when the number of the child is used again.
#[test]
fn the_children_of_a_reused_number_are_new_threads() {
    let explorer = Explorer::new().strategy(Strategy::random(1, 2));
    let report = explorer.explore(|| {
        let gate = Arc::new(MVar::empty());
        let inner = gate.clone();
        let parent = thread::spawn(move || {
            let waiter = |gate: &Arc<MVar<()>>| {
                let gate = gate.clone();
                thread::spawn(move || gate.read())
            };
            let child = |_| {
                let gate = inner.clone();
                let child = thread::spawn(move || (thread::current().id(), waiter(&gate)));
                child.join().unwrap()
            };
            (0..150).map(child).collect::<Vec<_>>()
        });
        let waiters = parent.join().unwrap();
        gate.put(());
        let texts = waiters.iter().flat_map(|(child, waiter)| [*child, waiter.thread().id()]);
        let ids: BTreeSet<String> = texts.map(|id| format!("{id:?}")).collect();
        waiters.into_iter().for_each(|(_, waiter)| waiter.join().unwrap());
        ids.len()
    });
    assert_eq!(report.values().collect::<Vec<_>>(), [&300]);
}

/// The last child has the number of an earlier one. Its first step races with a store that is executed after
/// the earlier child and before the spawn of the last one.
#[test]
fn the_first_step_of_a_reused_number_races_with_steps_before_its_spawn() {
    let body = || {
        let [asks, answers] = [(); 2].map(|()| Arc::new(MVar::empty()));
        let value = Arc::new(AtomicU32::new(0));
        let (child_asks, child_answers, child_value) = (asks.clone(), answers.clone(), value.clone());
        let parent = thread::spawn(move || {
            (0..70).for_each(|_| thread::spawn(|| ()).join().unwrap());
            child_asks.put(());
            child_answers.take();
            thread::spawn(move || child_value.load(Ordering::SeqCst)).join().unwrap()
        });
        asks.take();
        answers.put(());
        value.store(1, Ordering::SeqCst);
        parent.join().unwrap()
    };
    let report = explore(body);
    assert_eq!(report.values().collect::<Vec<_>>(), [&0, &1]);
    assert_eq!(report.executions(), 2);
}

/// The destructors of stopped threads run in an order that does not depend on independent spawns.
#[test]
fn threads_of_a_contained_part_are_unwound_in_the_order_of_their_paths() {
    struct Logs(Arc<std::sync::Mutex<Vec<u32>>>, u32);
    impl Drop for Logs {
        fn drop(&mut self) {
            self.0.lock().unwrap().push(self.1);
        }
    }
    let body = || {
        let log = Arc::new(std::sync::Mutex::new(Vec::new()));
        let outcome = contained(|| {
            let spawn = |number| {
                let logs = Logs(log.clone(), number);
                thread::spawn(move || {
                    let child = move || {
                        let _logs = logs;
                        MVar::<()>::empty().take();
                    };
                    drop(thread::spawn(child));
                })
            };
            [1, 2].map(spawn).into_iter().for_each(|thread| thread.join().unwrap());
            MVar::<()>::empty().take();
        });
        assert_eq!(outcome, Outcome::Deadlock);
        log.lock().unwrap().clone()
    };
    let all = Explorer::new().strategy(Strategy::exhaustive()).explore(body);
    assert_eq!(all.values().collect::<Vec<_>>(), [&[2, 1]]);
    let report = explore(body);
    assert_eq!((report.values().collect::<Vec<_>>(), report.executions()), (vec![&vec![2, 1]], 1));
}

#[test]
fn a_chain_of_a_thousand_threads_is_explored() {
    fn chain(left: u32) -> u32 {
        if left == 0 { 0 } else { thread::spawn(move || chain(left - 1)).join().unwrap() + 1 }
    }
    let report =
        Explorer::new().stack_size(64 * 1024).strategy(Strategy::random(1, 1)).explore(|| chain(1000));
    assert_eq!(report.values().collect::<Vec<_>>(), [&1000]);
    let trace = report.outcomes().values().next().expect("an outcome");
    assert_eq!(trace.endings[8].thread, "thread 1.1.1.1.1.1.1.1");
    assert_eq!(trace.endings[1000].thread, "thread 1.1.1.1.1.1.1.1…1000.1");
}
