//! Polling loops that yield: a scheduler by priorities must not let them starve the thread that they wait
//! for.

use crate::toy::runs;
use selvedge_explore::schedulers::{Pct, RoundRobin};
use selvedge_explore::{Action, Event, EventId, Kind, Site, Stepper, ThreadId};

/// Threads that yield until the last thread has executed all its steps.
struct Waiting {
    waiters: u32,
    steps: u32,
    done: u32,
    enabled: Vec<Event>,
}

impl Waiting {
    fn new(waiters: u32, steps: u32) -> Waiting {
        let mut waiting = Waiting { waiters, steps, done: 0, enabled: Vec::new() };
        waiting.restart();
        waiting
    }

    fn update_enabled(&mut self) {
        self.enabled.clear();
        let threads = if self.done < self.steps { self.waiters + 1 } else { 0 };
        for number in 0..threads {
            let id = EventId { thread: ThreadId(number), alternative: 0 };
            let kind = if number < self.waiters { Kind::Yield } else { Kind::Step };
            self.enabled.push(Event::pending(id, Action::new(kind), Site::Unknown));
        }
    }
}

impl Stepper for Waiting {
    fn enabled(&self) -> &[Event] {
        &self.enabled
    }

    fn step(&mut self, chosen: EventId) -> Event {
        let event = self.enabled[chosen.thread.index()];
        self.done += u32::from(event.action.kind == Kind::Step);
        self.update_enabled();
        event
    }

    fn restart(&mut self) {
        self.done = 0;
        self.update_enabled();
    }
}

#[test]
fn a_waiter_under_pct_yields_once_before_the_other_thread_continues() {
    for run in runs(&mut Waiting::new(1, 10), &mut Pct::new(1, 3, 1000)) {
        assert!(run.len() <= 11, "{run:?}");
    }
}

#[test]
fn waiters_under_pct_take_turns_and_starve_no_thread() {
    // After d - 1 change points the priority of the awaited thread is above those of the threads that have
    // yielded since.
    for depth in 1..5 {
        for run in runs(&mut Waiting::new(3, 10), &mut Pct::new(depth, 3, 1000)) {
            assert!(run.len() <= 10 + 3 * depth, "depth {depth}: {run:?}");
        }
    }
}

#[test]
fn a_yield_ends_a_turn_of_round_robin() {
    let all = runs(&mut Waiting::new(2, 3), &mut RoundRobin::new().quantum(100));
    let threads: Vec<u32> = all[0].iter().map(|(thread, _)| *thread).collect();
    assert_eq!(threads, [0, 1, 2, 2, 2]);
}
