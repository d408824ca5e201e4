//! Orders that are kept: several runs are judged together; a bad file is refused with the line.

use super::{nest, recorder};
use selvedge_monitor::lock_order::{Holder, LockOrder, LockTag, Orders, Reason};

/// A run of its own: locks and threads have new numbers, and the same names.
fn run(body: impl FnOnce(&LockOrder, &mut Holder, [&LockTag; 3])) -> Orders {
    let order = recorder();
    let tags = [LockTag::new(), LockTag::new(), LockTag::new()];
    for (tag, name) in tags.iter().zip(["a", "b", "the \"third\" lock"]) {
        order.name_lock(tag, name);
    }
    body(&order, &mut order.holder("main"), tags.each_ref());
    let orders = order.orders();
    let read: Orders = orders.to_string().parse().unwrap();
    assert_eq!(read, orders);
    assert_eq!(read.to_string(), orders.to_string());
    orders
}

fn merged(runs: &[Orders]) -> Orders {
    let mut merged = Orders::default();
    for orders in runs {
        merged.merge(orders);
    }
    let count = merged.run_count();
    runs.iter().for_each(|orders| merged.merge(orders));
    assert_eq!(merged.run_count(), count);
    merged
}

#[test]
fn orders_of_two_runs_meet() {
    let first = run(|_, main, [a, b, _]| nest(main, &[a, b]));
    let second = run(|_, main, [a, b, _]| nest(&mut main.spawns("worker"), &[b, a]));
    assert!(first.cycles().is_empty() && second.cycles().is_empty());
    let cycles = merged(&[first, second]).cycles();
    assert_eq!(cycles.len(), 1);
    let text = cycles[0].to_string();
    assert!(text.contains("main    holds `a`") && text.contains("worker  holds `b`"), "{text}");
    assert!(text.contains("several_runs.rs:"), "{text}");
}

#[test]
fn three_runs_make_a_cycle_of_three() {
    let runs = [
        run(|order, _, [a, b, _]| nest(&mut order.holder("first"), &[a, b])),
        run(|order, _, [_, b, c]| nest(&mut order.holder("second"), &[b, c])),
        run(|order, _, [a, _, c]| nest(&mut order.holder("third"), &[c, a])),
    ];
    assert_eq!(merged(&runs).cycles()[0].steps.len(), 3);
    assert!(merged(&runs[..2]).cycles().is_empty());
}

#[test]
fn one_thread_of_two_runs_is_one_thread() {
    let first = run(|_, main, [a, b, _]| nest(main, &[a, b]));
    let second = run(|_, main, [a, b, _]| nest(main, &[b, a]));
    let both = merged(&[first.clone(), second.clone()]);
    assert!(both.cycles().is_empty());
    assert_eq!(both.suppressed()[0].reason, Reason::OneHolder);
    // A name that several threads of one run have says nothing.
    let pool = run(|order, _, [a, b, _]| {
        let (mut one, mut two) = (order.holder("main"), order.holder("main"));
        nest(&mut one, &[a, b]);
        nest(&mut two, &[a, b]);
    });
    assert_eq!(merged(&[pool, second]).cycles().len(), 1);
    assert!(merged(&[first.clone(), first]).cycles().is_empty());
}

#[test]
fn spawn_order_that_one_run_shows_counts_for_others() {
    let program = |locks_of_child: [usize; 2]| {
        run(move |_, main, tags| {
            nest(main, &[tags[0], tags[1]]);
            let mut child = main.spawns("child");
            nest(&mut child, &[tags[1], tags[0]]);
            nest(&mut child, &locks_of_child.map(|index| tags[index]));
        })
    };
    // The runs differ, and each shows that the parent comes before its child.
    let both = merged(&[program([0, 2]), program([1, 2])]);
    assert_eq!(both.run_count(), 2);
    assert!(both.cycles().is_empty(), "{}", both.cycles()[0]);
    assert!(both.suppressed().iter().any(|suppressed| suppressed.reason == Reason::Ordered));
}

#[test]
fn an_allowed_order_is_kept() {
    let first = run(|order, main, [a, b, _]| {
        order.allow("a", "b", "start-up");
        nest(main, &[a, b]);
    });
    let second = run(|_, main, [a, b, _]| nest(&mut main.spawns("worker"), &[b, a]));
    let both = merged(&[first, second]);
    assert!(both.cycles().is_empty());
    assert_eq!(both.suppressed()[0].reason, Reason::Allowed("start-up".to_owned()));
}

#[test]
fn locks_that_share_a_name_are_left_out_and_counted() {
    let orders = run(|_, main, [a, _, _]| {
        let pair: Vec<LockTag> = (0..2).map(|_| LockTag::new()).collect();
        nest(main, &[a, &pair[0]]);
        nest(main, &[a, &pair[1]]);
    });
    assert_eq!(orders.notes(), ["2 orders are left out: their locks share a name with others"]);
}

#[test]
fn a_lock_without_a_name_is_known_by_where_it_was_made() {
    let orders = |is_reverse: bool| {
        run(|order, _, [a, _, _]| {
            let unnamed = LockTag::new();
            let mut holder = order.holder(if is_reverse { "second" } else { "first" });
            nest(&mut holder, &if is_reverse { [&unnamed, a] } else { [a, &unnamed] });
        })
    };
    assert_eq!(merged(&[orders(false), orders(true)]).cycles().len(), 1);
}

#[track_caller]
fn check_refused(text: &str, expected: &str) {
    assert_eq!(text.parse::<Orders>().unwrap_err().to_string(), format!("error[lock::orders]: {expected}"));
}

#[test]
fn bad_files_are_refused_with_the_line() {
    let with = |lines: &str| format!("selvedge lock orders 1\nrun\nthread 0 \"main\"\n{lines}\n");
    check_refused("", "line 1: a file of orders begins with `selvedge lock orders 1`");
    check_refused("selvedge lock orders 2\n", "line 1: version 2 is not known; this is version 1");
    check_refused("selvedge lock orders x\n", "line 1: the version is no number");
    check_refused("selvedge lock orders 1\n\nthread 0 \"a\"", "line 3: `thread` before the first `run`");
    check_refused(
        &with("what"),
        "line 4: `what` is no kind of line: allow, run, thread, ambiguous, order are",
    );
    check_refused(&with("thread 2 \"b\""), "line 4: threads are numbered in turn: this one is 1");
    check_refused(
        &with("thread 1 b"),
        "line 4: expected the name of a thread in quotation marks, and this is `b`",
    );
    check_refused(&with("thread 1 \"b"), "line 4: a quotation mark is not closed");
    check_refused(&with(r#"thread 1 "\x""#), "line 4: a backslash is followed by no known escape");
    check_refused(&with("run run"), "line 4: the line goes on after its end");
    check_refused(&with("order 1 1 holds"), "line 4: thread 1 is not declared");
    check_refused(&with("order 0 1 after 3:1 holds"), "line 4: thread 3 is not declared");
    check_refused(&with("order 0 x holds"), "line 4: expected a segment, and this is `x`");
    check_refused(&with("order 0 1 hold"), "line 4: expected `holds`, and this is `hold`");
    check_refused(&with("order 0 1 holds"), "line 4: the line ends before a lock or `wants`");
    check_refused(
        &with(r#"order 0 1 holds take "a" "x.rs:1:1""#),
        "line 4: `take` is no access: lock, read, write are",
    );
    check_refused(
        &with(r#"order 0 1 holds lock "a" "x.rs""#),
        "line 4: `x.rs` is no location: file, line and column, with colons between",
    );
    check_refused(
        &with(r#"order 0 1 holds lock "a" "x.rs:1:-" wants lock "b" "x.rs:1:1""#),
        "line 4: expected a column, and this is `-`",
    );
}
