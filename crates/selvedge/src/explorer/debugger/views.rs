//! A state of a run for readers: objects and propositions as values, a row for each thread.

use super::state::RunState;
use crate::control::diagnose::{ThreadSnapshot, ThreadState};
use selvedge_debug::view::{
    EndKind, EndView, ProcessRow, ProcessStatus, SourcePlace, StateView, Transfer, TransferKind, ValueView,
};
use selvedge_explore::{Kind, Site, ThreadId};

/// The state, with a row for each of these threads and phantoms that it has.
pub(super) fn state(state: &RunState, processes: &[ThreadId]) -> StateView {
    StateView { values: values(state), processes: rows(state, processes), end: end(state) }
}

fn values(state: &RunState) -> Vec<ValueView> {
    let objects = state.snapshot.objects.iter().filter(|object| !object.value.is_empty());
    let mut values: Vec<ValueView> = objects
        .map(|object| {
            let holder = object.holders.first().and_then(|holder| thread(state, *holder));
            let proposition = match holder {
                Some(holder) => Some(format!("holds({}, {})", holder.path, object.name)),
                None => {
                    object.name.starts_with("atomic").then(|| format!("{} = {}", object.name, object.value))
                }
            };
            let (name, path) = (object.full_name.clone(), object.name.clone());
            ValueView { name, path, value: object.value.clone(), proposition, ..ValueView::default() }
        })
        .collect();
    let facts = state.snapshot.facts.iter().map(|fact| {
        let name = fact.to_string();
        let proposition = Some(name.clone());
        ValueView { path: name.clone(), name, value: "true".to_owned(), proposition, ..ValueView::default() }
    });
    values.extend(facts);
    values
}

fn thread(state: &RunState, id: ThreadId) -> Option<&ThreadSnapshot> {
    state.snapshot.threads.iter().find(|thread| thread.id == id)
}

/// Rows up to the last process that the state has: later ones are known from other states.
fn rows(state: &RunState, processes: &[ThreadId]) -> Vec<ProcessRow> {
    let has = |id: &ThreadId| match id.is_phantom() {
        true => thread(state, id.owner()).is_some_and(|owner| !owner.stores.is_empty()),
        false => thread(state, *id).is_some(),
    };
    let count = processes.iter().rposition(has).map_or(0, |last| last + 1);
    processes[..count].iter().map(|id| row(state, *id, processes)).collect()
}

fn row(state: &RunState, id: ThreadId, processes: &[ThreadId]) -> ProcessRow {
    if id.is_phantom() {
        return phantom_row(state, id);
    }
    let Some(thread) = thread(state, id) else {
        let (name, status) = (format!("thread {id}"), ProcessStatus::NotStarted);
        return ProcessRow { name, status, ..ProcessRow::default() };
    };
    let holder = thread.holder.and_then(|holder| processes.iter().position(|known| *known == holder));
    ProcessRow {
        name: thread.name.clone(),
        status: match thread.state {
            ThreadState::Ready => ProcessStatus::Ready,
            ThreadState::Waiting => ProcessStatus::Waiting,
            ThreadState::Ended | ThreadState::Stopped => ProcessStatus::Ended,
        },
        waits_for: match thread.state {
            ThreadState::Ready => None,
            ThreadState::Waiting => Some(awaited(&thread.text, holder.is_some())),
            ThreadState::Ended => Some(thread.text.clone()),
            ThreadState::Stopped => Some(format!("stopped at the end of the run: {}", thread.text)),
        },
        holder: holder.map(|place| place as u32),
        place: place(thread.site),
        ..ProcessRow::default()
    }
}

/// What a blocked thread waits for, as a noun: readers see `waits for` before it, and the holder after it.
fn awaited(sentence: &str, has_holder: bool) -> String {
    let nouns = [
        ("waits for ", ""),
        ("waits until ", "the moment when "),
        ("waits to be notified by ", "a notification by "),
        ("waits to be unparked", "`unpark`"),
        ("waits to join ", "the end of "),
        ("waits to ", "a chance to "),
        ("spins at yield, waiting for ", ""),
        ("retries, and waits for ", ""),
    ];
    let noun = nouns.iter().find_map(|(verb, noun)| Some(format!("{noun}{}", sentence.strip_prefix(verb)?)));
    let noun = noun.unwrap_or_else(|| sentence.to_owned());
    match noun.split_once(", held by ") {
        Some((noun, _)) if has_holder => noun.to_owned(),
        _ => noun,
    }
}

/// The store buffer of a thread.
fn phantom_row(state: &RunState, id: ThreadId) -> ProcessRow {
    let owner = thread(state, id.owner());
    let name = owner.map_or_else(|| format!("thread {}", id.owner()), |owner| owner.name.clone());
    let name = match id.buffer() {
        None | Some(0) => format!("{name}'s buffer"),
        Some(buffer) => format!("{name}'s buffer {buffer}"),
    };
    let can_commit = state.enabled.iter().any(|event| event.thread() == id);
    let stores = owner.map(|owner| owner.stores.join(", ")).filter(|stores| !stores.is_empty());
    let status = match (can_commit, &stores) {
        (true, _) => ProcessStatus::Ready,
        (false, Some(_)) => ProcessStatus::Waiting,
        (false, None) => ProcessStatus::Ended,
    };
    let waits_for = if can_commit { None } else { stores.or_else(|| Some("is empty".to_owned())) };
    ProcessRow { name, status, waits_for, ..ProcessRow::default() }
}

fn end(state: &RunState) -> Option<EndView> {
    let end = state.end.as_ref()?;
    let kind = match (end.is_deadlock, end.is_failure) {
        (true, _) => EndKind::Deadlock,
        (false, true) => EndKind::Error,
        (false, false) => EndKind::Ended,
    };
    Some(EndView { kind, text: end.text.clone() })
}

/// A place in the source.
pub(super) fn place(site: Site) -> Option<SourcePlace> {
    match site {
        Site::Rust(location) => Some(SourcePlace { file: location.file().to_owned(), line: location.line() }),
        Site::Unknown | Site::Line(_) => None,
    }
}

/// What an action of this kind on an object passes to another thread, or takes from one.
pub(super) fn transfer(kind: Kind, name: String) -> Option<Transfer> {
    let (kind, is_queue) = match kind {
        Kind::Unlock | Kind::UnlockRead | Kind::UnlockWrite | Kind::Wait => (TransferKind::Give, false),
        Kind::NotifyOne | Kind::NotifyAll | Kind::Complete | Kind::Put => (TransferKind::Give, false),
        Kind::Lock | Kind::ReadLock | Kind::WriteLock | Kind::Wake => (TransferKind::Take, false),
        Kind::Take | Kind::Read | Kind::Await => (TransferKind::Take, false),
        Kind::Send | Kind::Offer => (TransferKind::Give, true),
        Kind::Receive => (TransferKind::Take, true),
        _ => return None,
    };
    Some(Transfer { kind, name, is_queue })
}
