//! Small programs with outcomes that are worked out by hand.
#![cfg(feature = "check")]

use selvedge::sync::atomic::{AtomicU32, Ordering::SeqCst};
use selvedge::sync::{Arc, Mutex};
use selvedge::{Outcome, thread};

fn counter(threads: usize) -> impl Fn() -> u32 + Send + Sync {
    move || {
        let counter = Arc::new(AtomicU32::new(0));
        let handles: Vec<_> = (0..threads)
            .map(|_| {
                let counter = counter.clone();
                thread::spawn(move || counter.store(counter.load(SeqCst) + 1, SeqCst))
            })
            .collect();
        for handle in handles {
            handle.join().unwrap();
        }
        counter.load(SeqCst)
    }
}

#[test]
fn an_increment_can_be_lost() {
    let report = selvedge::explore(counter(2));
    assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), [&Outcome::Returned(1), &Outcome::Returned(2)]);
    assert!(report.is_complete());
    println!("{} runs", report.executions());
}

#[test]
fn locks_in_opposite_order_deadlock() {
    let report = selvedge::explore(|| {
        let (a, b) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(0)));
        let (a2, b2) = (a.clone(), b.clone());
        let thread = thread::spawn(move || {
            let _b = b2.lock().unwrap();
            let _a = a2.lock().unwrap();
        });
        {
            let _a = a.lock().unwrap();
            let _b = b.lock().unwrap();
        }
        thread.join().unwrap();
    });
    assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), [&Outcome::Returned(()), &Outcome::Deadlock]);
}

#[test]
fn a_panic_is_an_error_at_the_join_and_an_outcome_without_a_join() {
    let joined = selvedge::explore(|| thread::spawn(|| panic!("oh")).join().is_err());
    assert_eq!(joined.outcomes().keys().collect::<Vec<_>>(), [&Outcome::Returned(true)]);
    let unjoined = selvedge::explore(|| {
        let x = Arc::new(AtomicU32::new(0));
        let y = x.clone();
        thread::spawn(move || {
            y.store(1, SeqCst);
            panic!("oh")
        });
        x.load(SeqCst)
    });
    assert_eq!(
        unjoined.outcomes().keys().collect::<Vec<_>>(),
        [&Outcome::Returned(0), &Outcome::Panicked("oh".into())],
        "the store and the panic are one step"
    );
}
