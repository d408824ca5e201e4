//! The monitor of the process with events by a ring that drops what it has no room for. A binary of its own:
//! the delivery is decided once.

#![cfg(feature = "watch")]

use selvedge::monitor::{Delivery, OnViolation, WhenFull, deliver, global};
use selvedge::prop;
use std::sync::mpsc;

const CAPACITY: u32 = 4;
const DROPPED: u32 = 3;

/// The handler of the first violation waits until the ring is full.
#[test]
fn verdicts_after_dropped_events_say_so() {
    deliver(Delivery::Ring { capacity: CAPACITY as usize, when_full: WhenFull::Drop });
    let (entered, is_entered) = mpsc::channel();
    let (leave, may_leave) = mpsc::channel::<()>();
    let on_violation = OnViolation::Call(Box::new(move |violation| {
        if violation.name == "first" {
            entered.send(()).unwrap();
            may_leave.recv().unwrap();
        }
    }));
    global(|monitor| {
        monitor.on_violation(on_violation);
    });
    selvedge::check("first", "G !p");
    selvedge::check("second", "G !q");
    selvedge::check("proven", "F p");
    prop::pulse("p");
    is_entered.recv().unwrap();
    (0..CAPACITY + DROPPED).for_each(|number| prop::set(("number", number)));
    // A formula is not dropped: its thread waits.
    let late = std::thread::spawn(|| selvedge::check("late", "F r"));
    leave.send(()).unwrap();
    late.join().unwrap();

    assert_eq!(global(|monitor| monitor.dropped()), u64::from(DROPPED));
    let holds = |number: u32| global(|monitor| monitor.holds(&("number", number).into()));
    assert!((0..CAPACITY).all(holds));
    assert!(!(CAPACITY..CAPACITY + DROPPED).any(holds));
    prop::pulse("q");
    let violations = global(|monitor| monitor.violations().to_vec());
    assert_eq!(violations.iter().map(|violation| violation.dropped).collect::<Vec<_>>(), [0, 3]);
    let text = violations[1].to_string();
    assert!(text.contains("unsure     3 events were dropped before this state"), "{text}");

    let report = global(|monitor| monitor.finish());
    let dropped = ["first", "second", "proven", "late"].map(|name| report.get(name).expect(name).dropped);
    assert_eq!(dropped, [0, 3, 0, 3], "{report}");
    let text = report.to_string();
    assert!(text.contains("violated          second  G !q  (unsure: 3 events were dropped)"), "{text}");
    assert!(text.contains("violated          first   G !p\n"), "{text}");
}
