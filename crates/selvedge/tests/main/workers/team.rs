//! Several workers of one exploration, of which one makes a run at a time. The next worker is drawn at
//! random; the seed determines all draws.

use selvedge_explore::schedulers::Dpor;
use selvedge_explore::{Event, EventId, Next, Random, Scheduler, Trace};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// The number of runs of each trace, by the choices of its normal form.
pub(crate) type Runs = Arc<Mutex<BTreeMap<Vec<EventId>, usize>>>;

/// The largest number of workers.
const MAX_WORKERS: usize = 4;

pub(crate) struct Team {
    workers: Vec<Dpor>,
    current: usize,
    random: Random,
    runs: Runs,
}

impl Team {
    /// The team starts with one worker.
    pub(crate) fn new(seed: u64) -> (Team, Runs) {
        let runs = Runs::default();
        let team = Team { workers: vec![Dpor::new()], current: 0, random: Random(seed), runs: runs.clone() };
        (team, runs)
    }

    fn draw(&mut self) -> usize {
        self.random.below(self.workers.len()).unwrap_or(0)
    }
}

impl Scheduler for Team {
    fn begin(&mut self) {
        self.current = self.draw();
        self.workers[self.current].begin();
    }

    fn choose(&mut self, enabled: &[Event]) -> Option<EventId> {
        self.workers[self.current].choose(enabled)
    }

    fn done(&mut self, event: &Event) {
        self.workers[self.current].done(event);
        self.workers[self.current].validate();
    }

    fn stopped(&mut self, left: &[Event]) {
        self.workers[self.current].stopped(left);
    }

    fn finish(&mut self, run: &Trace) -> Next {
        let worker = &mut self.workers[self.current];
        if !worker.was_given_up() {
            let choices = worker.normal_form(false).choices;
            *self.runs.lock().expect("not poisoned").entry(choices).or_insert(0) += 1;
        }
        let next = worker.finish(run);
        if worker.is_inconclusive() {
            // One worker repeats the whole exploration.
            self.runs.lock().expect("not poisoned").clear();
            self.workers.clear();
            return Next::Done;
        }
        if next == Next::Done {
            self.workers.remove(self.current);
        }
        if self.workers.is_empty() {
            return Next::Done;
        }
        if self.workers.len() < MAX_WORKERS && self.random.below(2) == Some(0) {
            let giver = self.draw();
            let given = self.workers[giver].split();
            self.workers.extend(given);
        }
        Next::Another
    }
}
