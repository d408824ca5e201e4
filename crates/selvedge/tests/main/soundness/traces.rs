//! Mazurkiewicz traces, counted by enumerating all runs: two runs are the same trace if each event has the
//! same predecessors in happens-before.

use selvedge_explore::schedulers::Exhaustive;
use selvedge_explore::{
    Action, Event, EventId, Kind, Next, ReadsFrom, Scheduler, Site, ThreadId, Trace, dependent,
};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex};

/// Enumerates all runs and collects their traces.
pub(crate) struct TraceCounter {
    runs: Exhaustive,
    /// Do runs go on after the return of the body?
    goes_on: bool,
    /// The events of the current run.
    events: Vec<Event>,
    traces: Arc<Mutex<BTreeSet<u64>>>,
}

impl TraceCounter {
    /// Each run ends with the return of the body.
    pub(crate) fn new() -> (TraceCounter, Arc<Mutex<BTreeSet<u64>>>) {
        TraceCounter::with(false)
    }

    /// Each run goes on after the return of the body, as a run of the reduction does.
    pub(crate) fn going_on() -> (TraceCounter, Arc<Mutex<BTreeSet<u64>>>) {
        TraceCounter::with(true)
    }

    fn with(goes_on: bool) -> (TraceCounter, Arc<Mutex<BTreeSet<u64>>>) {
        let traces = Arc::new(Mutex::new(BTreeSet::new()));
        let (runs, events) = (Exhaustive::new(), Vec::new());
        (TraceCounter { runs, goes_on, events, traces: traces.clone() }, traces)
    }
}

impl Scheduler for TraceCounter {
    fn begin(&mut self) {
        self.runs.begin();
        self.events.clear();
    }

    fn choose(&mut self, enabled: &[Event]) -> Option<EventId> {
        self.runs.choose(enabled)
    }

    fn done(&mut self, event: &Event) {
        self.events.push(*event);
    }

    fn goes_on_after_return(&self) -> bool {
        self.goes_on
    }

    fn finish(&mut self, run: &Trace) -> Next {
        if self.goes_on && !self.events.iter().any(|event| event.action.kind == Kind::Return) {
            // The return is a step only if other threads are alive: here it would come after all of them.
            let id = EventId { thread: ThreadId::MAIN, alternative: 0 };
            self.events.push(Event::pending(id, Action::new(Kind::Return), Site::Unknown));
        }
        self.traces.lock().expect("not poisoned").insert(trace_hash(&self.events));
        self.runs.finish(run)
    }
}

/// A hash of the trace that a run with these events belongs to. No run has more than 128 steps.
fn trace_hash(events: &[Event]) -> u64 {
    assert!(events.len() <= 128, "small programs");
    let mut before: Vec<u128> = Vec::new();
    let mut names: Vec<u64> = Vec::new();
    for (at, event) in events.iter().enumerate() {
        let number = events[..at].iter().filter(|other| other.thread() == event.thread()).count();
        names.push(hash_of(&(event.thread(), number, event.id.alternative)));
        let mut all = 0;
        for earlier in (0..at).rev() {
            if all & 1 << earlier == 0 && comes_before(events, earlier, at) {
                all |= 1 << earlier | before[earlier];
            }
        }
        before.push(all);
    }
    // Independent of the order of events: a sum of hashes.
    let line = |at: usize| {
        let after = (0..at).filter(|earlier| before[at] & 1 << earlier != 0).map(|earlier| names[earlier]);
        hash_of(&(names[at], after.fold(0u64, u64::wrapping_add)))
    };
    (0..events.len()).map(line).fold(0, u64::wrapping_add)
}

fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Is the earlier event before the later event in happens-before, in this run?
fn comes_before(events: &[Event], earlier: usize, later: usize) -> bool {
    let (one, other) = (&events[earlier], &events[later]);
    if one.thread() == other.thread() {
        return true;
    }
    let same_object = one.action.object.is_some() && one.action.object == other.action.object;
    match (one.action.kind, other.action.kind) {
        (Kind::Store, Kind::Commit) if one.action.is_buffered => commit_of(events, earlier) == Some(later),
        (Kind::Commit, Kind::Commit) if one.thread().owner() == other.thread().owner() => {
            same_object || must_wait(events, earlier, later)
        }
        (_, Kind::Load) if same_object && other.action.reads_from != ReadsFrom::Memory => false,
        (Kind::Load, _) if same_object && one.action.reads_from == ReadsFrom::Buffer => {
            // The load precedes writes of other threads that come after the commit of the store it read.
            let is_store = |at: &usize| {
                let store = &events[*at];
                let same = store.thread() == one.thread() && store.action.object == one.action.object;
                same && store.action.kind == Kind::Store
            };
            let store = (0..earlier).rev().find(is_store).expect("the store that was read");
            let is_written = matches!(other.action.kind, Kind::Store | Kind::Update | Kind::Commit)
                && !other.effect.read_only
                && !other.action.is_buffered;
            let is_committed = commit_of(events, store).is_some_and(|commit| commit < later);
            is_written && is_committed && other.thread().owner() != one.thread()
        }
        _ => dependent(one, other),
    }
}

/// The commit of a buffered store: the n-th store of a thread to an object belongs to its n-th commit there.
fn commit_of(events: &[Event], store: usize) -> Option<usize> {
    let (thread, object) = (events[store].thread(), events[store].action.object);
    let is_here = |event: &Event| event.thread().owner() == thread && event.action.object == object;
    let number = events[..store].iter().filter(|event| is_here(event) && event.action.is_buffered).count();
    let is_commit = |at: &usize| is_here(&events[*at]) && events[*at].action.kind == Kind::Commit;
    (0..events.len()).filter(is_commit).nth(number)
}

/// Must a commit wait for an earlier commit of the same thread to another object?
fn must_wait(events: &[Event], earlier: usize, later: usize) -> bool {
    let owner = events[later].thread().owner();
    let is_store = |at: &usize| events[*at].thread() == owner && events[*at].action.is_buffered;
    let first = (0..events.len()).filter(is_store).take(events[later].action.preceding_stores as usize);
    let mut commits = first.filter_map(|store| commit_of(events, store));
    events[later].action.drains && commits.any(|commit| commit == earlier)
}
