//! Lock orders of tasks on real threads.

use selvedge_monitor::Reaction;
use selvedge_monitor::lock_order::{self, Cycle};
use selvedge_tokio::{Mutex, spawn, watch_task};
use std::future::Future;
use std::sync::Arc;

/// The recorder of the process, which all tests share: each looks for its own names.
fn mutex(name: &str) -> Arc<Mutex<u32>> {
    lock_order::watch().on_finding(Reaction::Keep);
    let mutex = Arc::new(Mutex::new(0));
    mutex.set_name(name);
    mutex
}

fn cycles(test: &str) -> Vec<Cycle> {
    let is_own = |cycle: &Cycle| cycle.steps.iter().any(|step| step.wants.text.contains(test));
    lock_order::global().cycles().into_iter().filter(is_own).collect()
}

fn run<T>(body: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build();
    runtime.expect("a runtime").block_on(body)
}

/// Takes both mutexes, and yields with both in hand.
async fn take_both(first: Arc<Mutex<u32>>, second: Arc<Mutex<u32>>) {
    let first = first.lock().await;
    let second = second.lock().await;
    tokio::task::yield_now().await;
    drop((second, first));
}

#[test]
fn tasks_that_take_two_mutexes_in_both_orders_are_a_cycle() {
    let (a, b) = (mutex("both.a"), mutex("both.b"));
    run(async {
        // Both tasks exist before the first begins.
        let one = watch_task("one", take_both(a.clone(), b.clone()));
        let other = watch_task("other", take_both(b, a));
        tokio::spawn(one).await.unwrap();
        tokio::spawn(other).await.unwrap();
    });
    let cycles = cycles("both.");
    assert_eq!(cycles.len(), 1, "{cycles:?}");
    let text = cycles[0].to_string();
    assert!(
        text.contains("one") && text.contains("other") && text.contains("tests/lock_order.rs:"),
        "{text}"
    );
}

#[test]
fn a_guard_that_changes_threads_belongs_to_its_task() {
    let (a, b) = (mutex("moves.a"), mutex("moves.b"));
    run(async {
        let wanders = |first: &Arc<Mutex<u32>>, second: &Arc<Mutex<u32>>| {
            let (first, second) = (first.clone(), second.clone());
            async move {
                let guard = first.lock().await;
                // Another worker may go on with the task.
                for _ in 0..100 {
                    tokio::task::yield_now().await;
                }
                drop(guard);
                drop(second.lock().await);
            }
        };
        let tasks: Vec<_> = (0..8)
            .map(|number| {
                let future = if number % 2 == 0 { wanders(&a, &b) } else { wanders(&b, &a) };
                spawn(&format!("task {number}"), future)
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
    });
    // No task has both at once, though the threads that poll them seem to.
    assert!(cycles("moves.").is_empty(), "{:?}", cycles("moves."));
}

#[test]
fn a_guard_that_another_task_drops_is_given_back() {
    let (a, b) = (mutex("handed.a"), mutex("handed.b"));
    let a: &'static Mutex<u32> = Box::leak(Box::new(Arc::into_inner(a).expect("the only owner")));
    run(async {
        let (one, other) = (b.clone(), b);
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let takes = spawn("takes", async move {
            sender.send(a.lock().await).ok();
            // Once the other has dropped the guard, nothing is in hand.
            while a.try_lock().is_err() {
                tokio::task::yield_now().await;
            }
            drop(one.lock().await);
        });
        let drops = spawn("drops", async move {
            drop(receiver.await);
            drop((other.lock().await, a.lock().await));
        });
        takes.await.unwrap();
        drops.await.unwrap();
    });
    assert!(cycles("handed.").is_empty(), "{:?}", cycles("handed."));
}

#[test]
fn a_task_that_is_spawned_later_comes_after() {
    let (a, b) = (mutex("after.a"), mutex("after.b"));
    run(async {
        let outer = watch_task("outer", async {
            take_both(a.clone(), b.clone()).await;
            spawn("inner", take_both(b.clone(), a.clone())).await.unwrap();
        });
        outer.await;
    });
    assert!(cycles("after.").is_empty(), "{:?}", cycles("after."));
}

#[test]
fn a_lock_that_is_given_up_is_not_held() {
    let (a, b) = (mutex("cancelled.a"), mutex("cancelled.b"));
    run(async {
        let guard = a.lock().await;
        let (wanted, other) = (a.clone(), b.clone());
        let task = spawn("cancelled", async move {
            // The future is dropped while it waits.
            let mut waits = std::pin::pin!(wanted.lock());
            let first = std::future::poll_fn(|context| {
                std::task::Poll::Ready(waits.as_mut().poll(context).is_ready())
            });
            assert!(!first.await);
            drop(other.lock().await);
        });
        task.await.unwrap();
        drop(guard);
        spawn("other", take_both(b, a)).await.unwrap();
    });
    assert!(lock_order::global().deadlocks().is_empty());
    assert!(cycles("cancelled.").is_empty(), "{:?}", cycles("cancelled."));
}

#[test]
fn tasks_without_a_holder_are_not_recorded() {
    let (a, b) = (mutex("plain.a"), mutex("plain.b"));
    run(async {
        let one = tokio::spawn(take_both(a.clone(), b.clone()));
        one.await.unwrap();
        tokio::spawn(take_both(b, a)).await.unwrap();
    });
    assert!(cycles("plain.").is_empty(), "{:?}", cycles("plain."));
}
