//! The workers of an exploration: who has work, who waits for it, and what is asked of all between two runs.
//!
//! Work is a strategy that knows what is left to it. Who has none waits; who has some and sees somebody wait gives a part of it
//! away. The exploration is over when all wait. Between two runs a worker looks at one number of its own to see whether
//! anything is asked of it, and locks nothing where it is not.
//!
//! A checkpoint is a moment in which every worker is between two runs: each lays down what it has, the last one writes, and all go on.

use super::checkpoint::Checkpoint;
use super::found::Found;
use super::progress::{Progress, Seen};
use super::watchdog::Tick;
use super::{Limit, Strategy};
use selvedge_explore::Next;
use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What is asked of a worker: a part of its work for somebody else.
const SHARE: u8 = 1;
/// To lay down what it has.
const PAUSE: u8 = 2;
/// How far it is.
const LOOK: u8 = 4;

/// So much time is between two checkpoints.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(2);

/// All workers of an exploration.
pub(super) struct Team<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
    /// What is asked of each worker.
    calls: Vec<AtomicU8>,
    is_over: AtomicBool,
    /// How many runs were begun.
    runs: AtomicU64,
    most_runs: u64,
    checkpoint: Option<Checkpoint>,
    progress: Option<Progress>,
    started: Instant,
}

struct State<T> {
    tasks: Vec<Strategy>,
    idle: usize,
    /// What workers have laid down, while they wait.
    laid_down: Vec<Option<Part<T>>>,
    is_pausing: bool,
    paused: usize,
    /// How many pauses there have been.
    pauses: u64,
    last_pause: Instant,
    seen: Vec<Seen>,
    /// What is not to be done any more in this exploration, but in one that goes on from its checkpoint.
    deferred: Vec<Strategy>,
    /// Why it ended before its time.
    limit: Option<Limit>,
}

/// What a worker has.
pub(super) struct Part<T> {
    pub(super) strategy: Strategy,
    /// Is anything left to the strategy?
    pub(super) has_work: bool,
    pub(super) found: Found<T>,
}

impl<T> Default for Part<T> {
    fn default() -> Part<T> {
        Part { strategy: Strategy::nothing(), has_work: false, found: Found::default() }
    }
}

impl<T: Ord + Debug> Team<T> {
    /// So many workers, for these tasks; so many runs were begun before.
    pub(super) fn new(workers: usize, tasks: Vec<Strategy>, runs: u64, most_runs: Option<u64>) -> Team<T> {
        let state = State {
            tasks,
            idle: 0,
            laid_down: (0..workers).map(|_| None).collect(),
            is_pausing: false,
            paused: 0,
            pauses: 0,
            last_pause: Instant::now(),
            seen: vec![Seen::default(); workers],
            deferred: Vec::new(),
            limit: None,
        };
        Team {
            state: Mutex::new(state),
            changed: Condvar::new(),
            calls: (0..workers).map(|_| AtomicU8::new(0)).collect(),
            is_over: AtomicBool::new(false),
            runs: AtomicU64::new(runs),
            most_runs: most_runs.unwrap_or(u64::MAX),
            checkpoint: None,
            progress: None,
            started: Instant::now(),
        }
    }

    pub(super) fn with_checkpoint(self, checkpoint: Option<Checkpoint>) -> Team<T> {
        Team { checkpoint, ..self }
    }

    pub(super) fn with_progress(self, progress: Option<Progress>) -> Team<T> {
        Team { progress, ..self }
    }

    /// Is there anything to be done from time to time?
    pub(super) fn wants_ticks(&self) -> bool {
        self.checkpoint.is_some() || self.progress.is_some()
    }

    pub(super) fn checkpoint(&self) -> Option<&Checkpoint> {
        self.checkpoint.as_ref()
    }

    pub(super) fn progress(&self) -> Option<&Progress> {
        self.progress.as_ref()
    }

    /// How many runs were begun, and how long ago the first one was.
    pub(super) fn extent(&self) -> (u64, Duration) {
        (self.runs.load(Ordering::Relaxed), self.started.elapsed())
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'g>(&self, state: MutexGuard<'g, State<T>>) -> MutexGuard<'g, State<T>> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// May another run begin? Then it counts.
    pub(super) fn begins_run(&self) -> bool {
        self.runs.fetch_add(1, Ordering::Relaxed) < self.most_runs
    }

    /// Is it over?
    #[inline]
    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// All workers stop after their present runs.
    pub(super) fn stop(&self, limit: Option<Limit>) {
        let mut state = self.state();
        state.limit = state.limit.or(limit);
        self.is_over.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// What ended it before its time, and the work that nobody has begun.
    pub(super) fn left(&self) -> (Option<Limit>, Vec<Strategy>) {
        let mut state = self.state();
        let State { tasks, deferred, .. } = &mut *state;
        let left = tasks.drain(..).chain(deferred.drain(..)).collect();
        (state.limit, left)
    }

    /// A worker's strategy has made all runs that it may; others go on.
    pub(super) fn defer(&self, part: &mut Part<T>) {
        let mut state = self.state();
        state.limit = state.limit.or(Some(Limit::Executions));
        state.deferred.push(std::mem::replace(&mut part.strategy, Strategy::nothing()));
        part.has_work = false;
    }

    /// Between two runs of a worker, after which its strategy wants this: says whether it goes on.
    #[inline]
    pub(super) fn goes_on(&self, worker: usize, part: &mut Option<Part<T>>, next: Next) -> bool {
        let calls = self.calls[worker].load(Ordering::Relaxed);
        if calls != 0 && next == Next::Another {
            self.answer(worker, part, calls);
        }
        !self.is_over() && (next == Next::Another || self.wait_for_work(worker, part))
    }

    #[cold]
    fn answer(&self, worker: usize, part: &mut Option<Part<T>>, calls: u8) {
        let Some(own) = part else { return };
        let given = if calls & SHARE != 0 { own.strategy.split() } else { None };
        if given.is_none() && calls == SHARE {
            return;
        }
        let mut state = self.state();
        state.seen[worker] = own.strategy.seen();
        self.calls[worker].fetch_and(!LOOK, Ordering::Relaxed);
        if let Some(given) = given {
            state.tasks.push(given);
            self.changed.notify_all();
            self.call_for_shares(&state);
        }
        if !state.is_pausing {
            return;
        }
        state.laid_down[worker] = part.take();
        state.paused += 1;
        self.write_if_all_are_here(&mut state);
        let pauses = state.pauses;
        while state.is_pausing && state.pauses == pauses && !self.is_over() {
            state = self.wait(state);
        }
        state.paused -= 1;
        *part = state.laid_down[worker].take();
    }

    /// Waits until there is work; false where there never will be any.
    fn wait_for_work(&self, worker: usize, part: &mut Option<Part<T>>) -> bool {
        let mut state = self.state();
        state.seen[worker] = Seen::default();
        state.laid_down[worker] = part.take();
        state.idle += 1;
        let task = loop {
            if self.is_over() {
                break None;
            }
            if let Some(task) = state.tasks.pop() {
                break Some(task);
            }
            if state.idle == self.calls.len() {
                self.is_over.store(true, Ordering::Relaxed);
                self.changed.notify_all();
                break None;
            }
            self.call_for_shares(&state);
            self.write_if_all_are_here(&mut state);
            state = self.wait(state);
        };
        state.idle -= 1;
        self.call_for_shares(&state);
        *part = state.laid_down[worker].take();
        match (task, part) {
            (Some(task), Some(part)) => {
                (part.strategy, part.has_work) = (task, true);
                true
            }
            _ => false,
        }
    }

    /// Everybody is asked for a part of its work while somebody waits for one.
    fn call_for_shares(&self, state: &State<T>) {
        let is_wanted = state.idle > state.tasks.len();
        for calls in &self.calls {
            if is_wanted {
                calls.fetch_or(SHARE, Ordering::Relaxed);
            } else {
                calls.fetch_and(!SHARE, Ordering::Relaxed);
            }
        }
    }

    /// Writes a checkpoint, if one is wanted and every worker is between two runs.
    fn write_if_all_are_here(&self, state: &mut State<T>) {
        if !state.is_pausing || state.idle + state.paused < self.calls.len() {
            return;
        }
        if let Some(checkpoint) = &self.checkpoint {
            let parts: Vec<&Part<T>> = state.laid_down.iter().flatten().collect();
            let busy = parts.iter().filter(|part| part.has_work);
            let work: Vec<&Strategy> =
                busy.map(|part| &part.strategy).chain(&state.tasks).chain(&state.deferred).collect();
            let found: Vec<&Found<T>> = parts.iter().map(|part| &part.found).collect();
            checkpoint.write(&work, &found);
        }
        state.is_pausing = false;
        state.pauses += 1;
        self.calls.iter().for_each(|calls| _ = calls.fetch_and(!PAUSE, Ordering::Relaxed));
        self.changed.notify_all();
    }
}

impl<T: Ord + Debug + Send> Tick for Team<T> {
    fn tick(&self) {
        if self.is_over() {
            return;
        }
        let mut state = self.state();
        let mut wanted = 0;
        if self.checkpoint.is_some() && !state.is_pausing && state.last_pause.elapsed() >= CHECKPOINT_EVERY {
            (state.is_pausing, state.last_pause) = (true, Instant::now());
            wanted |= PAUSE;
        }
        if let Some(progress) = self.progress.as_ref().filter(|progress| progress.is_wanted()) {
            wanted |= LOOK;
            let (runs, elapsed) = self.extent();
            progress.show(&state.seen, runs, elapsed);
        }
        self.calls.iter().for_each(|calls| _ = calls.fetch_or(wanted, Ordering::Relaxed));
        // Those who wait for work look whether they are the last to be waited for.
        self.changed.notify_all();
    }
}
