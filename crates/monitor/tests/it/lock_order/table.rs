//! The table: which programs are told, and which are not. All holders are alive at once, unless joined.

use super::{check_silent, check_suppressed, check_told, lock, nest, recorder, unlock};
use selvedge_monitor::lock_order::{Access, Holder, LockTag, Reason, install, with_current};
use selvedge_monitor::{Reaction, lock_order};

#[test]
fn two_threads_with_both_orders_are_told() {
    let order = recorder();
    let (a, b) = (LockTag::new(), LockTag::new());
    let (mut first, mut second) = (order.holder("first"), order.holder("second"));
    nest(&mut first, &[&a, &b]);
    nest(&mut second, &[&b, &a]);
    check_told(&order, 2);
    assert_eq!(order.cycles()[0].locks(), [a.id(), b.id()]);
    assert!(order.suppressed().is_empty());
}

#[test]
fn a_cycle_of_three_is_told() {
    let order = recorder();
    let (a, b, c) = (LockTag::new(), LockTag::new(), LockTag::new());
    let mut holders = ["first", "second", "third"].map(|name| order.holder(name));
    nest(&mut holders[0], &[&a, &b]);
    nest(&mut holders[1], &[&b, &c]);
    check_silent(&order);
    nest(&mut holders[2], &[&c, &a]);
    check_told(&order, 3);
    assert_eq!(order.cycles()[0].locks(), [a.id(), b.id(), c.id()]);
}

#[test]
fn twenty_philosophers_are_told_once() {
    let order = recorder();
    let forks: Vec<LockTag> = (0..20).map(|_| LockTag::new()).collect();
    let mut philosophers: Vec<Holder> = (0..20).map(|_| order.holder("philosopher")).collect();
    for _ in 0..3 {
        for (seat, philosopher) in philosophers.iter_mut().enumerate() {
            nest(philosopher, &[&forks[seat], &forks[(seat + 1) % 20]]);
        }
    }
    check_told(&order, 20);
}

#[test]
fn both_orders_under_a_gate_are_not_told() {
    let order = recorder();
    let (gate, a, b) = (LockTag::new(), LockTag::new(), LockTag::new());
    let (mut first, mut second) = (order.holder("first"), order.holder("second"));
    nest(&mut first, &[&gate, &a, &b]);
    nest(&mut second, &[&gate, &b, &a]);
    check_suppressed(&order, |reason| matches!(reason, Reason::Gate(lock) if lock.id == gate.id()));
    // Once the gate is left out by one of two threads, it is told.
    nest(&mut second, &[&b, &a]);
    check_told(&order, 2);
    assert!(order.suppressed().is_empty());
}

#[test]
fn both_orders_in_one_thread_are_not_told() {
    let order = recorder();
    let (a, b) = (LockTag::new(), LockTag::new());
    let mut only = order.holder("only");
    nest(&mut only, &[&a, &b]);
    nest(&mut only, &[&b, &a]);
    check_suppressed(&order, |reason| *reason == Reason::OneHolder);
}

#[test]
fn an_order_before_the_spawn_of_the_child_that_reverses_it_is_not_told() {
    let order = recorder();
    let (a, b) = (LockTag::new(), LockTag::new());
    let mut parent = order.holder("parent");
    nest(&mut parent, &[&a, &b]);
    let mut child = parent.spawns("child");
    let mut grandchild = child.spawns("grandchild");
    nest(&mut child, &[&b, &a]);
    check_suppressed(&order, |reason| *reason == Reason::Ordered);
    nest(&mut grandchild, &[&b, &a]);
    // The same order after the spawn is told.
    nest(&mut parent, &[&a, &b]);
    check_told(&order, 2);
}

#[test]
fn a_lock_that_was_given_back_before_the_next_makes_no_cycle() {
    let order = recorder();
    let (a, b, c) = (LockTag::new(), LockTag::new(), LockTag::new());
    let (mut first, mut second) = (order.holder("first"), order.holder("second"));
    lock(&mut first, &a);
    lock(&mut first, &b);
    unlock(&mut first, &a);
    lock(&mut first, &c);
    unlock(&mut first, &c);
    unlock(&mut first, &b);
    nest(&mut second, &[&c, &a]);
    // The orders a-b, b-c, c-a are a cycle; two of them are of one thread.
    check_suppressed(&order, |reason| *reason == Reason::OneHolder);
}

#[test]
fn an_order_of_a_thread_that_was_joined_is_not_told() {
    let order = recorder();
    let (a, b) = (LockTag::new(), LockTag::new());
    let mut parent = order.holder("parent");
    let mut child = parent.spawns("child");
    let ticket = child.ticket();
    nest(&mut child, &[&a, &b]);
    drop(child);
    parent.joins(&ticket);
    nest(&mut parent, &[&b, &a]);
    check_suppressed(&order, |reason| *reason == Reason::Ordered);
    // So it is for all that the parent spawns from now on.
    nest(&mut parent.spawns("second child"), &[&b, &a]);
    check_suppressed(&order, |reason| *reason == Reason::Ordered);
}

#[test]
fn the_reverse_order_by_try_lock_is_not_told() {
    let order = recorder();
    let (a, b, c) = (LockTag::new(), LockTag::new(), LockTag::new());
    let (mut first, mut second) = (order.holder("first"), order.holder("second"));
    nest(&mut first, &[&a, &b]);
    lock(&mut second, &b);
    second.acquires(&a, Access::Lock);
    check_silent(&order);
    assert!(order.suppressed().is_empty());
    // What is taken by `try_lock` is held, and the source of further orders.
    lock(&mut second, &c);
    unlock(&mut second, &c);
    nest(&mut first, &[&c, &a]);
    check_told(&order, 2);
}

#[test]
fn an_mvar_as_a_channel_is_not_told() {
    let order = recorder();
    let (channel, a) = (LockTag::new(), LockTag::new());
    let (mut producer, mut consumer) = (order.holder("producer"), order.holder("consumer"));
    let mut taken_by = None;
    for _ in 0..3 {
        // `put` ends the hold of the last `take`. It is no acquisition.
        lock(&mut producer, &a);
        if let Some(taker) = taken_by {
            producer.releases(&channel, taker);
        }
        unlock(&mut producer, &a);
        lock(&mut consumer, &channel);
        taken_by = Some(consumer.id());
        lock(&mut consumer, &a);
        unlock(&mut consumer, &a);
    }
    // A consumer of the next value, with the lock in hand: the hold of the last one has ended.
    producer.releases(&channel, taken_by.unwrap());
    assert!(consumer.held().is_empty());
    nest(&mut consumer, &[&a, &channel]);
    check_suppressed(&order, |reason| *reason == Reason::OneHolder);
}

#[test]
fn two_mvars_back_and_forth_are_not_told() {
    let order = recorder();
    let (there, back) = (LockTag::new(), LockTag::new());
    let (mut client, mut server) = (order.holder("client"), order.holder("server"));
    for _ in 0..3 {
        client.releases(&there, server.id());
        lock(&mut server, &there);
        server.releases(&back, client.id());
        lock(&mut client, &back);
    }
    check_silent(&order);
    assert!(order.suppressed().is_empty());
}

#[test]
fn a_new_lock_at_an_old_address_is_not_told() {
    let order = recorder();
    let a = LockTag::new();
    let mut slot = LockTag::new();
    let address = std::ptr::from_ref(&slot);
    let (mut first, mut second) = (order.holder("first"), order.holder("second"));
    nest(&mut first, &[&a, &slot]);
    slot = LockTag::new();
    assert_eq!(std::ptr::from_ref(&slot), address);
    nest(&mut second, &[&slot, &a]);
    check_silent(&order);
    assert!(order.suppressed().is_empty());
}

#[test]
fn a_guard_that_changed_threads_at_an_await_is_not_told() {
    let order = recorder();
    let (a, b) = (LockTag::new(), LockTag::new());
    let task = order.holder("task");
    let poll = |task: Option<Holder>, poll: &dyn Fn()| {
        let of_thread = install(task);
        poll();
        install(of_thread)
    };
    let current = |action: &dyn Fn(&mut Holder)| with_current(|holder| action(holder)).unwrap();
    std::thread::scope(|scope| {
        // The task takes `a` on the first thread, which then takes `b` for itself.
        let first = scope.spawn(|| {
            install(Some(order.holder("first thread")));
            let task = poll(Some(task), &|| current(&|holder| lock(holder, &a)));
            current(&|holder| nest(holder, &[&b]));
            task
        });
        let task = first.join().unwrap();
        // It goes on with `b` in hand, and gives `a` back, on the second thread.
        let second = scope.spawn(|| {
            install(Some(order.holder("second thread")));
            let task = poll(task, &|| {
                current(&|holder| {
                    lock(holder, &b);
                    unlock(holder, &a);
                    unlock(holder, &b);
                });
            });
            current(&|holder| nest(holder, &[&b, &a]));
            task
        });
        assert!(second.join().unwrap().unwrap().held().is_empty());
    });
    // a-b is the task's, b-a the second thread's: that pair can deadlock. No order is the first thread's.
    check_told(&order, 2);
    let names: Vec<_> = order.cycles()[0].steps.iter().map(|step| step.holder.text.to_string()).collect();
    assert_eq!(names, ["task", "second thread"]);
}

#[test]
fn a_guard_that_is_dropped_by_another_thread_is_no_longer_held() {
    let order = recorder();
    let (a, b) = (LockTag::new(), LockTag::new());
    let (mut first, mut second) = (order.holder("first"), order.holder("second"));
    lock(&mut first, &a);
    second.releases(&a, first.id());
    nest(&mut first, &[&b]);
    nest(&mut second, &[&b, &a]);
    check_silent(&order);
    assert!(order.suppressed().is_empty());
}

#[test]
fn an_allowed_order_is_listed_with_its_explanation() {
    let order = recorder();
    let (a, b) = (LockTag::new(), LockTag::new());
    order.name_lock(&a, "a");
    order.allow("a", b.id(), "the first thread runs at start-up alone");
    let (mut first, mut second) = (order.holder("first"), order.holder("second"));
    nest(&mut first, &[&a, &b]);
    nest(&mut second, &[&b, &a]);
    let is_allowed =
        |reason: &Reason| *reason == Reason::Allowed("the first thread runs at start-up alone".to_owned());
    check_suppressed(&order, is_allowed);
}

#[test]
fn an_order_is_allowed_in_one_direction() {
    let order = recorder();
    let (a, b, c) = (LockTag::new(), LockTag::new(), LockTag::new());
    order.allow(b.id(), c.id(), "never both");
    let mut holders = ["first", "second", "third"].map(|name| order.holder(name));
    nest(&mut holders[0], &[&a, &c]);
    nest(&mut holders[1], &[&c, &b]);
    nest(&mut holders[2], &[&b, &a]);
    check_told(&order, 3);
}

#[test]
fn smaller_cycles_are_told_first() {
    let order = recorder();
    let (a, b, c) = (LockTag::new(), LockTag::new(), LockTag::new());
    let mut holders = ["first", "second", "third", "fourth"].map(|name| order.holder(name));
    nest(&mut holders[0], &[&b, &c]);
    nest(&mut holders[1], &[&c, &a]);
    nest(&mut holders[2], &[&b, &a]);
    // One acquisition closes two cycles.
    nest(&mut holders[3], &[&a, &b]);
    let lengths: Vec<usize> = order.cycles().iter().map(|cycle| cycle.steps.len()).collect();
    assert_eq!(lengths, [2, 3]);
}

#[test]
fn a_forgotten_lock_is_in_no_new_cycle() {
    let order = recorder();
    let (a, b) = (LockTag::new(), LockTag::new());
    let (mut first, mut second) = (order.holder("first"), order.holder("second"));
    nest(&mut first, &[&a, &b]);
    order.forget(&b);
    nest(&mut second, &[&b, &a]);
    check_silent(&order);
}

#[test]
fn an_order_of_more_threads_than_are_recorded_is_noted() {
    let order = recorder();
    let (a, b) = (LockTag::new(), LockTag::new());
    for _ in 0..65 {
        nest(&mut order.holder("worker"), &[&a, &b]);
    }
    assert_eq!(order.notes(), ["1 acquisitions were dropped: one order was shown by too many holders"]);
    nest(&mut order.holder("last"), &[&b, &a]);
    assert_eq!(order.cycles().len(), 1);
}

#[test]
fn a_reaction_may_take_locks_and_panic() {
    let order = recorder();
    let (a, b) = (LockTag::new(), LockTag::new());
    order.on_finding(Reaction::Panic);
    let (mut first, mut second) = (order.holder("first"), order.holder("second"));
    nest(&mut first, &[&a, &b]);
    lock(&mut second, &b);
    let panicked =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| second.requests(&a, Access::Lock)));
    assert!(panicked.unwrap_err().downcast_ref::<String>().unwrap().contains("error[lock::order]"));
    // It is told once.
    lock(&mut second, &a);
    let inner = order.clone();
    order.on_finding(Reaction::Call(Box::new(move |_| {
        nest(&mut inner.holder("reaction"), &[&LockTag::new(), &LockTag::new()]);
    })));
    let c = LockTag::new();
    nest(&mut first, &[&c, &b]);
    lock_order::LockOrder::holder(&order, "third").acquires(&a, Access::Lock);
    nest(&mut order.holder("fourth"), &[&b, &c]);
    assert_eq!(order.cycles().len(), 2);
}
