//! The workers of an exploration: how work is shared, and what is requested of all workers between two runs.
//!
//! Work is a strategy that knows its remaining runs. A worker without work waits. A worker with work gives a
//! part of it away while another worker waits. The exploration is over when all workers wait. Between two
//! runs a worker reads one atomic number of its own, which says whether anything is requested of it; it
//! takes no lock if nothing is.
//!
//! A checkpoint is a moment at which every worker is between two runs: each worker hands over its state, the
//! last one writes the file, and all continue.

use super::checkpoint::Checkpoint;
use super::findings::Findings;
use crate::explorer::api::{Limit, Strategy};
use crate::explorer::report::{Progress, Tick, WorkerProgress};
use selvedge_explore::Next;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Requests to a worker, as bits. Give a part of the work to another worker.
const SHARE: u8 = 1;
/// Hand over the state and wait for the checkpoint.
const PAUSE: u8 = 2;
/// Say how far the work is.
const SHOW_PROGRESS: u8 = 4;

/// The time between two checkpoints.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(2);

/// All workers of an exploration.
pub(super) struct Team {
    state: Mutex<TeamState>,
    changed: Condvar,
    /// The requests to each worker.
    requests: Vec<AtomicU8>,
    is_over: AtomicBool,
    /// How many runs were begun.
    runs: AtomicU64,
    max_runs: u64,
    checkpoint: Option<Checkpoint>,
    progress: Option<Progress>,
    started: Instant,
}

struct TeamState {
    tasks: Vec<Strategy>,
    idle: usize,
    /// The states of the workers that wait.
    handed_over: Vec<Option<WorkerState>>,
    is_pausing: bool,
    paused: usize,
    /// How many pauses there have been.
    pauses: u64,
    last_pause: Instant,
    progress: Vec<WorkerProgress>,
    /// Work beyond a limit. An exploration that resumes from the checkpoint does it.
    deferred: Vec<Strategy>,
    /// The limit that ended the exploration early.
    limit: Option<Limit>,
}

/// What a worker has: its work and its findings.
pub(super) struct WorkerState {
    pub(super) strategy: Strategy,
    /// Whether the strategy has another run.
    pub(super) has_work: bool,
    pub(super) findings: Findings,
}

impl Default for WorkerState {
    fn default() -> WorkerState {
        WorkerState { strategy: Strategy::nothing(), has_work: false, findings: Findings::default() }
    }
}

impl Team {
    /// A team of workers with these tasks. This many runs were begun before.
    pub(super) fn new(workers: usize, tasks: Vec<Strategy>, runs: u64, max_runs: Option<u64>) -> Team {
        let state = TeamState {
            tasks,
            idle: 0,
            handed_over: (0..workers).map(|_| None).collect(),
            is_pausing: false,
            paused: 0,
            pauses: 0,
            last_pause: Instant::now(),
            progress: vec![WorkerProgress::default(); workers],
            deferred: Vec::new(),
            limit: None,
        };
        Team {
            state: Mutex::new(state),
            changed: Condvar::new(),
            requests: (0..workers).map(|_| AtomicU8::new(0)).collect(),
            is_over: AtomicBool::new(false),
            runs: AtomicU64::new(runs),
            max_runs: max_runs.unwrap_or(u64::MAX),
            checkpoint: None,
            progress: None,
            started: Instant::now(),
        }
    }

    pub(super) fn with_checkpoint(self, checkpoint: Option<Checkpoint>) -> Team {
        Team { checkpoint, ..self }
    }

    pub(super) fn with_progress(self, progress: Option<Progress>) -> Team {
        Team { progress, ..self }
    }

    /// Whether [`Tick::tick`] does anything.
    pub(super) fn wants_ticks(&self) -> bool {
        self.checkpoint.is_some() || self.progress.is_some()
    }

    pub(super) fn checkpoint(&self) -> Option<&Checkpoint> {
        self.checkpoint.as_ref()
    }

    pub(super) fn progress(&self) -> Option<&Progress> {
        self.progress.as_ref()
    }

    /// How many runs were begun, and the time since the team was made.
    pub(super) fn extent(&self) -> (u64, Duration) {
        (self.runs.load(Ordering::Relaxed), self.started.elapsed())
    }

    fn state(&self) -> MutexGuard<'_, TeamState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'g>(&self, state: MutexGuard<'g, TeamState>) -> MutexGuard<'g, TeamState> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the limit allows another run. If so, the run is counted.
    pub(super) fn may_begin_run(&self) -> bool {
        self.runs.fetch_add(1, Ordering::Relaxed) < self.max_runs
    }

    #[inline]
    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Stops all workers after their present runs.
    pub(super) fn stop(&self, limit: Option<Limit>) {
        let mut state = self.state();
        state.limit = state.limit.or(limit);
        self.is_over.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// The limit that ended the exploration early, and the work that no worker has.
    pub(super) fn take_remaining(&self) -> (Option<Limit>, Vec<Strategy>) {
        let mut state = self.state();
        let TeamState { tasks, deferred, .. } = &mut *state;
        let remaining = tasks.drain(..).chain(deferred.drain(..)).collect();
        (state.limit, remaining)
    }

    /// A worker's strategy has made all runs that the limit allows. Other workers continue.
    pub(super) fn defer(&self, worker: &mut WorkerState) {
        let mut state = self.state();
        state.limit = state.limit.or(Some(Limit::Executions));
        state.deferred.push(std::mem::replace(&mut worker.strategy, Strategy::nothing()));
        worker.has_work = false;
    }

    /// Between two runs of a worker: whether the worker continues. `next` is the answer of its strategy.
    #[inline]
    pub(super) fn continues(&self, worker: usize, own: &mut Option<WorkerState>, next: Next) -> bool {
        let requests = self.requests[worker].load(Ordering::Relaxed);
        if requests != 0 && next == Next::Another {
            self.answer(worker, own, requests);
        }
        !self.is_over() && (next == Next::Another || self.wait_for_work(worker, own))
    }

    #[cold]
    fn answer(&self, worker: usize, own: &mut Option<WorkerState>, requests: u8) {
        let Some(present) = own else { return };
        let given = if requests & SHARE != 0 { present.strategy.split() } else { None };
        if given.is_none() && requests == SHARE {
            return;
        }
        let mut state = self.state();
        state.progress[worker] = present.strategy.progress();
        self.requests[worker].fetch_and(!SHOW_PROGRESS, Ordering::Relaxed);
        if let Some(given) = given {
            state.tasks.push(given);
            self.changed.notify_all();
            self.request_shares(&state);
        }
        if !state.is_pausing {
            return;
        }
        state.handed_over[worker] = own.take();
        state.paused += 1;
        self.write_if_all_wait(&mut state);
        let pauses = state.pauses;
        while state.is_pausing && state.pauses == pauses && !self.is_over() {
            state = self.wait(state);
        }
        state.paused -= 1;
        *own = state.handed_over[worker].take();
    }

    /// Waits for work. False if the exploration is over.
    fn wait_for_work(&self, worker: usize, own: &mut Option<WorkerState>) -> bool {
        let mut state = self.state();
        state.progress[worker] = WorkerProgress::default();
        state.handed_over[worker] = own.take();
        state.idle += 1;
        let task = loop {
            if self.is_over() {
                break None;
            }
            if let Some(task) = state.tasks.pop() {
                break Some(task);
            }
            if state.idle == self.requests.len() {
                self.is_over.store(true, Ordering::Relaxed);
                self.changed.notify_all();
                break None;
            }
            self.request_shares(&state);
            self.write_if_all_wait(&mut state);
            state = self.wait(state);
        };
        state.idle -= 1;
        self.request_shares(&state);
        *own = state.handed_over[worker].take();
        match (task, own) {
            (Some(task), Some(own)) => {
                (own.strategy, own.has_work) = (task, true);
                true
            }
            _ => false,
        }
    }

    /// Requests a part of each worker's work while there are fewer tasks than idle workers.
    fn request_shares(&self, state: &TeamState) {
        let is_wanted = state.idle > state.tasks.len();
        for requests in &self.requests {
            if is_wanted {
                requests.fetch_or(SHARE, Ordering::Relaxed);
            } else {
                requests.fetch_and(!SHARE, Ordering::Relaxed);
            }
        }
    }

    /// Writes a checkpoint if one is due and every worker waits.
    fn write_if_all_wait(&self, state: &mut TeamState) {
        if !state.is_pausing || state.idle + state.paused < self.requests.len() {
            return;
        }
        if let Some(checkpoint) = &self.checkpoint {
            let workers: Vec<&WorkerState> = state.handed_over.iter().flatten().collect();
            let busy = workers.iter().filter(|worker| worker.has_work);
            let work: Vec<&Strategy> =
                busy.map(|worker| &worker.strategy).chain(&state.tasks).chain(&state.deferred).collect();
            let findings: Vec<&Findings> = workers.iter().map(|worker| &worker.findings).collect();
            checkpoint.write(&work, &findings);
        }
        state.is_pausing = false;
        state.pauses += 1;
        self.requests.iter().for_each(|requests| _ = requests.fetch_and(!PAUSE, Ordering::Relaxed));
        self.changed.notify_all();
    }
}

impl Tick for Team {
    fn tick(&self) {
        if self.is_over() {
            return;
        }
        let mut state = self.state();
        let mut wanted = 0;
        let is_due = !state.is_pausing && state.last_pause.elapsed() >= CHECKPOINT_INTERVAL;
        if self.checkpoint.is_some() && is_due {
            (state.is_pausing, state.last_pause) = (true, Instant::now());
            wanted |= PAUSE;
        }
        if let Some(progress) = self.progress.as_ref().filter(|progress| progress.is_wanted()) {
            wanted |= SHOW_PROGRESS;
            let (runs, elapsed) = self.extent();
            progress.show(&state.progress, runs, elapsed);
        }
        self.requests.iter().for_each(|requests| _ = requests.fetch_or(wanted, Ordering::Relaxed));
        // An idle worker may be the last one that the checkpoint waits for.
        self.changed.notify_all();
    }
}
