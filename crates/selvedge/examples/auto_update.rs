//! A known deadlock of a real library, found in a few runs: auto-update, which recomputes a value from time
//! to time, but only if a reader requests it.
//!
//! After Walker, Revealing Behaviours of Concurrent Functional Programs by Systematic Testing, Listings 50
//! to 52. A reader that finds no value requests one from the worker and waits for it. If the worker puts the
//! value and takes it back before the reader reads it, both wait for ever.
//!
//! `cargo run -p selvedge --features check --example auto_update`

#![allow(clippy::print_stdout)] // An example prints its findings.

use selvedge::predicate::{never_deadlocks, sometimes_deadlocks};
use selvedge::sync::{Arc, AtomicRef, MVar};
use selvedge::{Explorer, Outcome, Strategy, thread};
use std::time::Duration;

/// With this seed, a hundred runs of swarm scheduling find the deadlock.
const SEED: u64 = 1;

/// The state that an auto-updater and its readers share.
struct AutoUpdate<T> {
    current: AtomicRef<Option<T>>,
    needs_running: MVar<()>,
    last_value: MVar<T>,
}

impl<T: Clone + Send + Sync + 'static> AutoUpdate<T> {
    fn new(action: impl Fn() -> T + Send + 'static) -> Arc<AutoUpdate<T>> {
        let shared = Arc::new(AutoUpdate {
            current: AtomicRef::new(None),
            needs_running: MVar::empty(),
            last_value: MVar::empty(),
        });
        let worker = shared.clone();
        thread::spawn(move || {
            loop {
                worker.needs_running.take();
                let value = action();
                worker.current.store(Some(value.clone()));
                worker.last_value.try_take();
                worker.last_value.put(value);
                thread::sleep(Duration::from_secs(1));
                worker.current.store(None);
                worker.last_value.take();
            }
        });
        shared
    }

    fn get(&self) -> T {
        match &*self.current.load() {
            Some(value) => value.clone(),
            None => {
                let _ = self.needs_running.try_put(());
                self.last_value.read()
            }
        }
    }
}

/// Reads a value, as Listing 50 does.
fn body() {
    AutoUpdate::new(|| ()).get();
}

fn main() {
    let report = Explorer::new().strategy(Strategy::swarm(SEED, 100)).explore(body);
    print!("{report}");
    report.assert(&sometimes_deadlocks());
    let deadlock = &report.outcomes()[&Outcome::Deadlock];
    println!("\nhow it deadlocks:\n{}", deadlock.table());
    assert!(!never_deadlocks().holds(&report));
}
