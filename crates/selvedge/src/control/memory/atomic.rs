//! What a run knows of an atomic's value.
//!
//! Promise: the value in memory is in the atomic itself, unless a commit came after the last access; then it
//! is here, and the next access brings it to the atomic. The value of a `static` is always here. No pointer
//! to an atomic of the program is kept.

use super::shadow::{Shadow, Shadows};
use super::values::Values;
use crate::control::object::Sync;
use selvedge_explore::ThreadId;

/// The state of an atomic.
#[derive(Clone, Debug, Default)]
pub(crate) struct AtomicState {
    /// The value in memory, as bits; known while stores to the atomic are buffered, and after a commit. The
    /// value of a `static` is always here.
    pub(super) value: u64,
    /// Was a store committed since the last access?
    pub(super) is_ahead: bool,
    /// The thread that made the store in memory.
    pub(super) writer: Option<ThreadId>,
    /// How many stores to it are in buffers.
    pub(super) buffered: u32,
    pub(super) shadow: Option<Shadow>,
    values: Values,
}

impl AtomicState {
    /// Of an atomic with bits of this meaning, that was made with this value.
    pub(crate) fn of(values: Values, initial: u64) -> AtomicState {
        AtomicState { values, value: initial, ..AtomicState::default() }
    }

    /// What the bits mean.
    pub(in crate::control) fn values(&self) -> Values {
        self.values
    }

    /// The value in memory while there are store buffers; the first value otherwise.
    #[cfg(feature = "debug")]
    pub(in crate::control) fn bits(&self) -> u64 {
        self.value
    }

    /// The value that was committed since the last access. The caller writes it to the atomic.
    #[inline]
    pub(super) fn take_committed(&mut self) -> Option<u64> {
        if !std::mem::take(&mut self.is_ahead) {
            return None;
        }
        if self.buffered == 0
            && let Some(shadow) = self.shadow
        {
            shadow.set(None);
        }
        Some(self.value)
    }

    /// A store of this value goes to a buffer, while another value is in memory. Returns the shadow if it is
    /// new.
    pub(super) fn begin_buffering(
        &mut self,
        value: u64,
        in_memory: u64,
        run: u64,
        shadows: &mut Shadows,
    ) -> Option<Shadow> {
        let is_new = self.shadow.is_none();
        let shadow = *self.shadow.get_or_insert_with(|| shadows.take(run));
        self.value = in_memory;
        self.buffered += 1;
        shadow.set(Some(value));
        is_new.then_some(shadow)
    }
}

/// The atomic behind an object of that sort.
#[inline]
pub(super) fn atomic(sync: &mut Sync) -> &mut AtomicState {
    match sync {
        Sync::Atomic(atomic) => atomic,
        _ => unreachable!("an atomic's number is that of an atomic"),
    }
}
