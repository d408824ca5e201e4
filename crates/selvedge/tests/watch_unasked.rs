//! What no formula asks for: changes before the monitor of the process is used. A binary of its own, with
//! an allocator that counts.

#![cfg(feature = "watch")]
#![allow(unsafe_code)]

use selvedge::monitor::{OnViolation, global};
use selvedge::prop;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: the system's allocator does the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// The allocations of the calling thread by some changes.
fn allocations_of_changes() -> usize {
    let before = ALLOCATIONS.get();
    for number in 0..1_000_u32 {
        prop::set(("holds", number, "queue"));
        prop::release(("holds", number, "queue"));
        prop::pulse("ready");
    }
    ALLOCATIONS.get() - before
}

#[test]
fn a_change_that_no_formula_asks_for_makes_no_proposition() {
    assert_eq!(allocations_of_changes(), 0, "no proposition is made");
    prop::set("early");
    global(|monitor| {
        monitor.on_violation(OnViolation::Keep);
    });
    selvedge::check("early", "G early");
    assert!(allocations_of_changes() > 0, "the counter counts");
    let report = global(|monitor| monitor.finish());
    assert_eq!(global(|monitor| monitor.state()), 4_000);
    assert!(report.has_violations(), "a change before the first use is not known");
    assert_eq!(report.notes.len(), 1);
    assert!(report.notes[0].starts_with("propositions were changed before the first"), "{report}");
}
