//! The system states of a product: of one worker alone, or shared with helpers.
//!
//! Promise: when a worker begins to share its states, they keep their numbers.

use crate::store::{Probe, StateId, StateTable};
use crate::system::Word;
use crate::workers::Session;

/// The states.
#[derive(Debug)]
pub(crate) enum ProductStates<'a> {
    Own(StateTable),
    Shared(Session<'a>),
}

impl ProductStates<'_> {
    /// The number of states. While helpers store states, it may lack some of theirs.
    pub(crate) fn len(&self) -> usize {
        match self {
            ProductStates::Own(states) => states.len(),
            ProductStates::Shared(session) => session.len(),
        }
    }

    /// The bytes in use.
    pub(crate) fn memory(&self) -> usize {
        match self {
            ProductStates::Own(states) => states.memory(),
            ProductStates::Shared(session) => session.memory(),
        }
    }

    /// The state with this number; the buffer may hold it.
    #[inline]
    pub(crate) fn get<'b>(&'b self, id: StateId, buffer: &'b mut Vec<Word>) -> &'b [Word] {
        match self {
            ProductStates::Own(states) => states.get(id),
            ProductStates::Shared(session) => {
                session.read(id, buffer);
                buffer
            }
        }
    }

    /// An owned copy of the state with this number.
    pub(crate) fn state(&self, id: StateId) -> Box<[Word]> {
        self.get(id, &mut Vec::new()).into()
    }

    /// Makes room for this many more states.
    #[inline]
    pub(crate) fn reserve(&mut self, more: usize) {
        match self {
            ProductStates::Own(states) => states.reserve(more),
            ProductStates::Shared(session) => session.reserve(more),
        }
    }

    /// Begins a lookup.
    #[inline]
    pub(crate) fn probe(&self, state: &[Word]) -> Probe {
        match self {
            ProductStates::Own(states) => states.probe(state),
            ProductStates::Shared(session) => session.probe(state),
        }
    }

    /// Begins a lookup of each of these states.
    #[inline]
    pub(crate) fn probe_all<'s>(&self, states: impl Iterator<Item = &'s [Word]>, probes: &mut Vec<Probe>) {
        match self {
            ProductStates::Own(own) => own.probe_all(states, probes),
            ProductStates::Shared(session) => session.probe_all(states, probes),
        }
    }

    /// The number of a probed state; `None` if it is new and above the limit, which is `most` for a worker
    /// alone.
    #[inline]
    pub(crate) fn insert_at(&mut self, state: &[Word], probe: Probe, most: usize) -> Option<StateId> {
        match self {
            ProductStates::Own(states) => {
                if states.len() >= most && states.find(state).is_none() {
                    return None;
                }
                Some(states.insert_at(state, probe).0)
            }
            ProductStates::Shared(session) => Some(session.insert_at(state, probe)?.0),
        }
    }

    /// The state's number, if it is stored.
    pub(crate) fn find(&self, state: &[Word]) -> Option<StateId> {
        match self {
            ProductStates::Own(states) => states.find(state),
            ProductStates::Shared(session) => session.find(state),
        }
    }
}
