//! What tests of the monitor of the process do under each delivery of events.

use selvedge::monitor::global;
use selvedge::prop;
use std::sync::Mutex;

/// Threads enter a critical section, one at a time. The new monitor sees all of their changes, in an order
/// in which they exclude each other.
#[track_caller]
pub(crate) fn change_by_many_threads() {
    const THREADS: u32 = 4;
    const CHANGES: u32 = 500;
    selvedge::check("exclusive", "forall t1 != t2: G !(critical(t1) & critical(t2))");
    selvedge::check("left", "forall t: G (critical(t) -> F !critical(t))");
    let lock = Mutex::new(());
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let lock = &lock;
            scope.spawn(move || {
                for _ in 0..CHANGES {
                    let _guard = lock.lock().unwrap();
                    prop::set(("critical", thread));
                    prop::release(("critical", thread));
                }
            });
        }
    });
    assert_eq!(global(|monitor| monitor.state()), u64::from(2 * THREADS * CHANGES));
    let report = global(|monitor| monitor.finish());
    assert_eq!(report.get("exclusive").and_then(|judgement| judgement.instances), Some(12));
    assert!(!report.has_violations(), "{report}");
}
