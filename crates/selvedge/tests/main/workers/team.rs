//! Several workers of one exploration, of which one makes a run at a time: who is next is drawn by chance, and a seed tells all of it.

use selvedge_explore::schedulers::Dpor;
use selvedge_explore::{Event, EventId, Next, Random, Scheduler, Trace};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// How often each trace was run, by the choices of its normal form.
pub(crate) type Runs = Arc<Mutex<BTreeMap<Vec<EventId>, usize>>>;

/// There are never more workers than these.
const MOST: usize = 4;

pub(crate) struct Team {
    workers: Vec<Dpor>,
    present: usize,
    random: Random,
    runs: Runs,
}

impl Team {
    /// At first there is one worker.
    pub(crate) fn new(seed: u64) -> (Team, Runs) {
        let runs = Runs::default();
        let team = Team { workers: vec![Dpor::new()], present: 0, random: Random(seed), runs: runs.clone() };
        (team, runs)
    }

    fn draw(&mut self) -> usize {
        self.random.below(self.workers.len()).unwrap_or(0)
    }
}

impl Scheduler for Team {
    fn begin(&mut self) {
        self.present = self.draw();
        self.workers[self.present].begin();
    }

    fn choose(&mut self, enabled: &[Event]) -> Option<EventId> {
        self.workers[self.present].choose(enabled)
    }

    fn done(&mut self, event: &Event) {
        self.workers[self.present].done(event);
        self.workers[self.present].validate();
    }

    fn stopped(&mut self, left: &[Event]) {
        self.workers[self.present].stopped(left);
    }

    fn finish(&mut self, run: &Trace) -> Next {
        let worker = &mut self.workers[self.present];
        if !worker.was_given_up() {
            let choices = worker.normal_form().choices;
            *self.runs.lock().expect("whole").entry(choices).or_insert(0) += 1;
        }
        let next = worker.finish(run);
        if worker.is_inconclusive() {
            // One of them does it all again.
            self.runs.lock().expect("whole").clear();
            self.workers.clear();
            return Next::Done;
        }
        if next == Next::Done {
            self.workers.remove(self.present);
        }
        if self.workers.is_empty() {
            return Next::Done;
        }
        if self.workers.len() < MOST && self.random.below(2) == Some(0) {
            let giver = self.draw();
            let given = self.workers[giver].split();
            self.workers.extend(given);
        }
        Next::Another
    }
}
