//! A server whose requests are spans: `cargo run -p selvedge-tracing --example requests`.
//!
//! Two workers take requests from a list, and each locks the account of its request. The formulas say that a
//! request is answered, and that no account is changed by two requests at once. One request is forgotten.

use selvedge_tracing::MonitorLayer;
use selvedge_tracing::monitor::{Fact, Monitor, OnViolation};
use std::sync::{Arc, Mutex};
use tracing::{info, info_span};
use tracing_subscriber::prelude::*;

const ANSWERED: &str = "forall r: G (request(r) -> F answer(r))";
const ALONE: &str = "forall a, r != q: G !(change(a, r) & change(a, q))";

/// A request, and the number of the account that it changes.
const REQUESTS: [(u32, usize); 5] = [(1, 0), (2, 1), (3, 0), (4, 0), (5, 1)];
const FORGOTTEN: u32 = 4;

fn main() {
    let mut monitor: Monitor<Fact> = Monitor::new();
    monitor.on_violation(OnViolation::Panic);
    monitor.check("answered", ANSWERED).expect("a formula");
    monitor.check("alone", ALONE).expect("a formula");
    let monitor = Arc::new(Mutex::new(monitor));
    let subscriber = tracing_subscriber::registry().with(MonitorLayer::of(monitor.clone()));
    tracing::dispatcher::with_default(&tracing::Dispatch::new(subscriber), serve);

    let report = monitor.lock().expect("no formula is violated").finish();
    let text = report.to_string();
    assert!(text.contains("presumably false  answered"), "{text}");
    assert!(text.contains("such as r = 4"), "{text}");
    assert!(text.contains("presumably true   alone"), "{text}");
    print(&text);
}

fn serve() {
    let (requests, accounts) = (Mutex::new(REQUESTS.to_vec()), [(); 2].map(|()| Mutex::new(0)));
    let dispatch = tracing::dispatcher::get_default(Clone::clone);
    let work = || {
        while let Some((id, account)) = { requests.lock().expect("no worker panics").pop() } {
            info!(id, "request");
            let mut balance = accounts[account].lock().expect("no worker panics");
            info_span!("change", account, id).in_scope(|| *balance += 1);
            if id != FORGOTTEN {
                info!(id, "answer");
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| tracing::dispatcher::with_default(&dispatch, work));
        }
    });
}

#[allow(clippy::print_stdout)]
fn print(text: &str) {
    print!("{text}");
}
