//! Threads that wait in a loop and yield: schedulers by priority must not let them keep out the one they
//! wait for.

use crate::toy::runs;
use selvedge_explore::schedulers::{Pct, RoundRobin};
use selvedge_explore::{Action, Event, EventId, Kind, Site, Stepper, ThreadId};

/// Threads that yield until the last thread has done all its steps.
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

    fn look(&mut self) {
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
        self.look();
        event
    }

    fn restart(&mut self) {
        self.done = 0;
        self.look();
    }
}

#[test]
fn a_waiter_under_pct_yields_once_before_the_other_goes_on() {
    for run in runs(&mut Waiting::new(1, 10), &mut Pct::new(1, 3, 1000)) {
        assert!(run.len() <= 11, "{run:?}");
    }
}

#[test]
fn waiters_under_pct_take_turns_and_starve_nobody() {
    // After d - 1 change points the one that is waited for is above those who have yielded since.
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
