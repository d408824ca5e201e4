//! What a transaction would do if it were executed now.

use crate::control::object::ObjectTable;
use selvedge_explore::ObjectId;
use selvedge_explore::event::Footprint;

/// What a transaction would do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Preview {
    /// Would it retry?
    pub(crate) would_retry: bool,
    /// The variables that it would read.
    pub(crate) reads: Vec<Variable>,
    /// The variables that it would write.
    pub(crate) writes: Vec<Variable>,
    /// It would panic; the variables that it had read before are not known.
    pub(crate) would_panic: bool,
}

/// A transactional variable of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Variable {
    pub(crate) object: ObjectId,
    /// Its bit in footprints: the same in all runs in which its maker executed the same actions.
    pub(crate) bit: u32,
}

impl Preview {
    pub(super) fn footprint(&self) -> Footprint {
        if self.would_panic {
            return Footprint::ANY;
        }
        let bits = |variables: &[Variable]| variables.iter().fold(0, |bits, var| bits | 1 << (var.bit % 64));
        Footprint { reads: bits(&self.reads), writes: bits(&self.writes) }
    }

    /// May a change of these variables change what the transaction would do?
    pub(super) fn is_affected_by(&self, changed: &[Variable]) -> bool {
        let is_read = |variable: &Variable| self.reads.iter().any(|read| read.object == variable.object);
        self.would_panic || changed.iter().any(is_read)
    }
}

/// A transaction that a thread has announced.
pub(super) struct AnnouncedTransaction {
    /// Previews it. Valid while its thread waits: the function is in a frame of that thread's stack.
    pub(super) preview: *mut (dyn FnMut() -> Preview + 'static),
    pub(super) last: Preview,
}

/// The transactions of a thread.
#[derive(Default)]
pub(in crate::control) struct ThreadTransactions {
    pub(super) announced: Option<AnnouncedTransaction>,
    /// How many variables the thread has made.
    pub(super) variables_made: u32,
}

impl ThreadTransactions {
    /// Another thread has this slot from now on.
    pub(in crate::control) fn clear(&mut self) {
        *self = ThreadTransactions::default();
    }

    /// The thread will not execute its transaction.
    pub(in crate::control) fn withdraw(&mut self) {
        self.announced = None;
    }

    /// Would the announced transaction commit?
    pub(in crate::control) fn would_commit(&self) -> bool {
        self.announced.as_ref().is_none_or(|announced| !announced.last.would_retry)
    }

    /// The variables that the transaction waits for, in words.
    pub(in crate::control) fn awaited(&self, objects: &ObjectTable) -> String {
        let reads = self.announced.as_ref().map_or(&[][..], |announced| &announced.last.reads);
        match reads.iter().map(|read| objects.name(read.object)).collect::<Vec<String>>() {
            names if names.is_empty() => "retries, and has read nothing that could change".to_owned(),
            names => format!("retries, and waits for a change of {}", names.join(", ")),
        }
    }
}
