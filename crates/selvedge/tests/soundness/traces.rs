//! Mazurkiewicz traces, counted by brute force: runs are the same trace if each event happens after the same others.

use selvedge_explore::schedulers::Exhaustive;
use selvedge_explore::{Event, EventId, Kind, Next, Scheduler, Source, ThreadId, Trace, dependent};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex};

/// All runs, one after the other, with the traces that they are.
pub(crate) struct Counting {
    runs: Exhaustive,
    traces: Arc<Mutex<BTreeSet<u64>>>,
}

impl Counting {
    pub(crate) fn new() -> (Counting, Arc<Mutex<BTreeSet<u64>>>) {
        let traces = Arc::new(Mutex::new(BTreeSet::new()));
        (Counting { runs: Exhaustive::new(), traces: traces.clone() }, traces)
    }
}

impl Scheduler for Counting {
    fn begin(&mut self) {
        self.runs.begin();
    }

    fn choose(&mut self, enabled: &[Event]) -> Option<EventId> {
        self.runs.choose(enabled)
    }

    fn finish(&mut self, run: &Trace) -> Next {
        self.traces.lock().expect("whole").insert(signature(run));
        self.runs.finish(run)
    }
}

/// A number for the trace that a run belongs to. No run has more than 128 steps.
fn signature(run: &Trace) -> u64 {
    let events: Vec<Event> = run.steps().iter().map(|step| step.event).collect();
    assert!(events.len() <= 128, "small programs");
    let mut before: Vec<u128> = Vec::new();
    let mut names: Vec<u64> = Vec::new();
    for (at, event) in events.iter().enumerate() {
        let number = events[..at].iter().filter(|other| other.thread() == event.thread()).count();
        names.push(number_of(&(event.thread(), number, event.id.alternative)));
        let mut all = 0;
        for earlier in (0..at).rev() {
            if all & 1 << earlier == 0 && comes_before(&events, earlier, at) {
                all |= 1 << earlier | before[earlier];
            }
        }
        before.push(all);
    }
    // In no order: sums of numbers that look random.
    let line = |at: usize| {
        let after = (0..at).filter(|earlier| before[at] & 1 << earlier != 0).map(|earlier| names[earlier]);
        number_of(&(names[at], after.fold(0u64, u64::wrapping_add)))
    };
    (0..events.len()).map(line).fold(0, u64::wrapping_add)
}

fn number_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Does the later event depend on the earlier one, in this run?
fn comes_before(events: &[Event], earlier: usize, later: usize) -> bool {
    let (one, other) = (&events[earlier], &events[later]);
    if one.thread() == other.thread() {
        return true;
    }
    let is_memory = |event: &Event| event.action.kind == Kind::Commit || event.action.kind == Kind::Load;
    if !is_memory(one) && !is_memory(other) {
        return dependent(one, other);
    }
    // A commit comes after its store: the n-th commit of a thread to a place is that of its n-th store there.
    let same_place = one.action.object == other.action.object;
    let nth = |kind: Kind, at: usize, owner: ThreadId| {
        let is_it = |event: &&Event| {
            event.action.kind == kind
                && event.action.object == events[at].action.object
                && event.thread().owner() == owner
                && (kind == Kind::Commit || event.action.is_buffered)
        };
        events[..at].iter().filter(is_it).count()
    };
    let owner = other.thread().owner();
    let commit_of = |store: usize| {
        let thread = events[store].thread();
        let number = nth(Kind::Store, store, thread);
        (store..events.len()).find(|at| {
            events[*at].action.kind == Kind::Commit
                && events[*at].action.object == events[store].action.object
                && events[*at].thread().owner() == thread
                && nth(Kind::Commit, *at, thread) == number
        })
    };
    if other.action.kind == Kind::Commit && one.thread() == owner && one.action.is_buffered {
        let store = (0..later).find(|at| {
            events[*at].action.is_buffered && events[*at].thread() == owner && commit_of(*at) == Some(later)
        });
        if store == Some(earlier) {
            return true;
        }
    }
    if other.action.kind == Kind::Commit
        && other.action.drains
        && one.action.kind == Kind::Commit
        && one.thread().owner() == owner
    {
        let store_of = |commit: usize| {
            (0..commit).find(|at| events[*at].action.is_buffered && commit_of(*at) == Some(commit))
        };
        return store_of(earlier) < store_of(later) || same_place;
    }
    if same_place && one.action.object.is_some() {
        if other.action.kind == Kind::Load && other.action.source != Source::Memory {
            return false;
        }
        if one.action.kind == Kind::Load && one.action.source == Source::Buffer {
            // It comes before what others write there after its store has been committed.
            let is_store = |at: &usize| {
                events[*at].thread() == one.thread()
                    && events[*at].action.kind == Kind::Store
                    && events[*at].action.object == one.action.object
            };
            let store = (0..earlier).rev().find(is_store).expect("the store that was read");
            let writes = !other.action.only_looked
                && !other.action.is_buffered
                && matches!(other.action.kind, Kind::Store | Kind::Update | Kind::Commit);
            return writes
                && other.thread().owner() != one.thread()
                && commit_of(store).is_some_and(|commit| commit < later);
        }
    }
    dependent(one, other)
}
