//! What is told, word for word.

use super::{lock, nest, recorder};
use expect_test::expect;
use selvedge_monitor::lock_order::LockTag;

/// Locations without directories and numbers.
pub(super) fn without_numbers(text: &str) -> String {
    let word = |word: &str| match word.split_once(".rs:") {
        Some((file, rest)) => {
            let tail = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':');
            format!("{}.rs{tail}", file.rsplit('/').next().unwrap_or_default())
        }
        None => word.to_owned(),
    };
    let line = |line: &str| line.split(' ').map(word).collect::<Vec<_>>().join(" ") + "\n";
    text.lines().map(line).collect()
}

#[test]
fn a_cycle_names_locks_threads_and_both_locations() {
    let order = recorder();
    let (queue, log) = (LockTag::new(), LockTag::new());
    order.name_lock(&queue, "queue");
    order.name_lock(&log, "log");
    let (mut main, mut worker) = (order.holder("main"), order.holder("worker"));
    nest(&mut main, &[&queue, &log]);
    nest(&mut worker, &[&log, &queue]);
    expect![[r#"
        error[lock::order]: 2 threads can deadlock: each can wait for the next
           main    holds `queue`
                     taken at messages.rs
                   waits for `log`
                     at messages.rs
           worker  holds `log`
                     taken at messages.rs
                   waits for `queue`
                     at messages.rs
           = help: take them in one order, or allow one: `allow("queue", "log", "why this is no deadlock")`
    "#]]
    .assert_eq(&without_numbers(&order.cycles()[0].to_string()));
}

#[test]
fn the_locations_are_those_of_the_callers() {
    let order = recorder();
    let (a, b) = (LockTag::new(), LockTag::new());
    let (mut first, mut second) = (order.holder("first"), order.holder("second"));
    let line = line!();
    lock(&mut first, &a);
    lock(&mut first, &b);
    lock(&mut second, &b);
    lock(&mut second, &a);
    let text = order.cycles()[0].to_string();
    for offset in 1..5 {
        assert!(text.contains(&format!("messages.rs:{}:5", line + offset)), "{text}");
    }
}

#[test]
fn a_suppressed_cycle_says_why() {
    let order = recorder();
    let (a, b) = (LockTag::new(), LockTag::new());
    order.name_lock(&a, "a");
    order.name_lock(&b, "b");
    let mut main = order.holder("main");
    nest(&mut main, &[&a, &b]);
    nest(&mut main, &[&b, &a]);
    assert_eq!(
        order.suppressed()[0].to_string(),
        "cycle of `b`, `a`, no deadlock: one thread takes them in both orders"
    );
}

/// Not inlined, and its call is not its last action, so that its frame is on the stack.
#[inline(never)]
fn take_in_the_wrong_order(holder: &mut selvedge_monitor::lock_order::Holder, tags: &[&LockTag]) {
    nest(holder, tags);
    std::hint::black_box(());
}

#[test]
fn the_stack_where_an_order_was_new_is_shown() {
    let order = recorder();
    order.capture_backtraces(true);
    let (a, b) = (LockTag::new(), LockTag::new());
    let (mut first, mut second) = (order.holder("first"), order.holder("second"));
    nest(&mut first, &[&a, &b]);
    take_in_the_wrong_order(&mut second, &[&b, &a]);
    let text = order.cycles()[0].to_string();
    assert!(text.contains("take_in_the_wrong_order at "), "{text}");
    assert!(order.cycles()[0].steps.iter().all(|step| step.backtrace().is_some()));
}
