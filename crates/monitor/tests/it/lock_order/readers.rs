//! Readers and writers: readers do not keep each other out, but a writer that waits keeps new readers out.

use super::{check_silent, check_suppressed, check_told, recorder, take, unlock};
use selvedge_monitor::lock_order::Access::{Lock, Read, Write};
use selvedge_monitor::lock_order::{Access, Holder, LockTag, Reason};

fn nest(holder: &mut Holder, locks: &[(&LockTag, Access)]) {
    for (tag, access) in locks {
        take(holder, tag, *access);
    }
    for (tag, _) in locks.iter().rev() {
        unlock(holder, tag);
    }
}

#[test]
fn a_reader_and_a_writer_with_both_orders_are_told() {
    let order = recorder();
    let (table, log) = (LockTag::new(), LockTag::new());
    let (mut first, mut second) = (order.holder("first"), order.holder("second"));
    nest(&mut first, &[(&table, Read), (&log, Lock)]);
    nest(&mut second, &[(&log, Lock), (&table, Write)]);
    check_told(&order, 2);
}

#[test]
fn readers_alone_do_not_wait_for_each_other() {
    let order = recorder();
    let (table, log) = (LockTag::new(), LockTag::new());
    let (mut first, mut second) = (order.holder("first"), order.holder("second"));
    nest(&mut first, &[(&table, Read), (&log, Lock)]);
    nest(&mut second, &[(&log, Lock), (&table, Read)]);
    check_silent(&order);
    assert!(order.suppressed().is_empty());
    // A third thread that writes makes the reader wait.
    nest(&mut order.holder("writer"), &[(&table, Write)]);
    check_told(&order, 3);
    assert!(order.cycles()[0].steps.iter().any(|step| step.holds.is_none()));
}

#[test]
fn reading_twice_beside_a_writer_is_told() {
    let order = recorder();
    let table = LockTag::new();
    let mut reader = order.holder("reader");
    nest(&mut reader, &[(&table, Read), (&table, Read)]);
    check_silent(&order);
    nest(&mut order.holder("writer"), &[(&table, Write)]);
    check_told(&order, 2);
}

#[test]
fn reading_twice_is_told_when_the_writer_came_first() {
    let order = recorder();
    let table = LockTag::new();
    let mut writer = order.holder("writer");
    nest(&mut writer, &[(&table, Write)]);
    let mut reader = order.holder("reader");
    nest(&mut reader, &[(&table, Read), (&table, Read)]);
    check_told(&order, 2);
}

#[test]
fn a_gate_that_is_only_read_is_no_gate() {
    let order = recorder();
    let (gate, a, b) = (LockTag::new(), LockTag::new(), LockTag::new());
    let (mut first, mut second) = (order.holder("first"), order.holder("second"));
    nest(&mut first, &[(&gate, Read), (&a, Lock), (&b, Lock)]);
    nest(&mut second, &[(&gate, Write), (&b, Lock), (&a, Lock)]);
    check_suppressed(&order, |reason| matches!(reason, Reason::Gate(_)));
    nest(&mut second, &[(&gate, Read), (&b, Lock), (&a, Lock)]);
    check_told(&order, 2);
}
