//! Deadlocks that happen are told by the wait that closes them.

use super::messages::without_numbers;
use super::{lock, recorder, take, unlock};
use expect_test::{Expect, expect};
use selvedge_monitor::lock_order::{Access, LockOrder, LockTag};

#[track_caller]
fn check(order: &LockOrder, expected: &Expect) {
    let texts: Vec<String> =
        order.deadlocks().iter().map(|deadlock| without_numbers(&deadlock.to_string())).collect();
    expected.assert_eq(&texts.concat());
}

#[test]
fn two_threads_that_wait_for_each_other_are_told() {
    let order = recorder();
    let (a, b) = (LockTag::new(), LockTag::new());
    order.name_lock(&a, "a");
    order.name_lock(&b, "b");
    let (mut main, mut worker) = (order.holder("main"), order.holder("worker"));
    lock(&mut main, &a);
    lock(&mut worker, &b);
    let _main_waits = main.waits_for(&b, Access::Lock);
    check(&order, &expect![""]);
    let _worker_waits = worker.waits_for(&a, Access::Lock);
    check(
        &order,
        &expect![[r#"
        error[lock::deadlock]: 2 threads wait for each other
           worker  waits for `a`, held by main    deadlocks.rs
           main    waits for `b`, held by worker  deadlocks.rs
    "#]],
    );
}

#[test]
fn a_thread_that_is_joined_by_the_holder_of_its_lock_is_told() {
    let order = recorder();
    let q = LockTag::new();
    order.name_lock(&q, "q");
    let mut main = order.holder("main");
    let mut worker = main.spawns("worker");
    lock(&mut main, &q);
    let _worker_waits = worker.waits_for(&q, Access::Lock);
    let _main_waits = main.waits_to_join(&worker.ticket());
    check(
        &order,
        &expect![[r#"
        error[lock::deadlock]: 2 threads wait for each other
           main    waits to join `worker`       deadlocks.rs
           worker  waits for `q`, held by main  deadlocks.rs
    "#]],
    );
}

#[test]
fn a_thread_that_takes_its_own_lock_is_told() {
    let order = recorder();
    let q = LockTag::new();
    order.name_lock(&q, "q");
    let mut main = order.holder("main");
    lock(&mut main, &q);
    let _waits = main.waits_for(&q, Access::Lock);
    check(
        &order,
        &expect![[r#"
        error[lock::deadlock]: a thread waits for itself
           main  waits for `q`, held by main  deadlocks.rs
    "#]],
    );
}

#[test]
fn a_reader_behind_a_writer_is_told() {
    let order = recorder();
    let table = LockTag::new();
    order.name_lock(&table, "table");
    let (mut reader, mut writer) = (order.holder("reader"), order.holder("writer"));
    take(&mut reader, &table, Access::Read);
    let _writer_waits = writer.waits_for(&table, Access::Write);
    let _reader_waits = reader.waits_for(&table, Access::Read);
    check(
        &order,
        &expect![[r#"
        error[lock::deadlock]: 2 threads wait for each other
           reader  waits to read `table`, which writer waits to write  deadlocks.rs
           writer  waits to write `table`, held by reader              deadlocks.rs
    "#]],
    );
}

#[test]
fn a_wait_that_ended_is_in_no_deadlock() {
    let order = recorder();
    let (a, b) = (LockTag::new(), LockTag::new());
    let (mut main, mut worker) = (order.holder("main"), order.holder("worker"));
    lock(&mut worker, &b);
    lock(&mut main, &a);
    let waits = main.waits_for(&b, Access::Lock);
    unlock(&mut worker, &b);
    drop(waits);
    main.acquires(&b, Access::Lock);
    let _worker_waits = worker.waits_for(&a, Access::Lock);
    check(&order, &expect![""]);
}

#[test]
fn a_lock_that_another_thread_gave_back_is_in_no_deadlock() {
    let order = recorder();
    let (a, b) = (LockTag::new(), LockTag::new());
    let (mut main, mut worker) = (order.holder("main"), order.holder("worker"));
    lock(&mut main, &a);
    lock(&mut worker, &b);
    let _main_waits = main.waits_for(&b, Access::Lock);
    worker.releases(&a, main.id());
    let _worker_waits = worker.waits_for(&a, Access::Lock);
    check(&order, &expect![""]);
}

#[test]
fn a_thread_beside_a_deadlock_is_no_part_of_it() {
    let order = recorder();
    let (a, b) = (LockTag::new(), LockTag::new());
    let mut holders = ["one", "two", "three"].map(|name| order.holder(name));
    lock(&mut holders[0], &a);
    lock(&mut holders[1], &b);
    let _beside = holders[2].waits_for(&a, Access::Lock);
    let _first = holders[0].waits_for(&b, Access::Lock);
    let _second = holders[1].waits_for(&a, Access::Lock);
    assert_eq!(order.deadlocks().len(), 1);
    assert_eq!(order.deadlocks()[0].waits.len(), 2);
}
