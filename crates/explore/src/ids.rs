//! Identifiers of threads, objects and events. Each is a type of its own.
//!
//! A *phantom* is the thread that commits the stores of one store buffer. Its identifier contains the thread
//! that owns the buffer and the number of the buffer.

use std::fmt;
use std::num::NonZeroU32;

/// A thread of a run, a phantom, or a process of a model; 0 is the first thread. In all runs of an
/// exploration a number means the same thread: see [`ThreadTree`](crate::ThreadTree).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadId(pub u32);

/// Set in the number of a phantom.
const PHANTOM: u32 = 1 << 31;

/// Bits for the number of the thread that owns a phantom's buffer.
const OWNER_BITS: u32 = 16;

/// The greatest number of threads with store buffers.
pub(crate) const MAX_OWNERS: u32 = 1 << OWNER_BITS;

/// The greatest number of store buffers of a thread.
pub(crate) const MAX_BUFFERS: u32 = 1 << (31 - OWNER_BITS);

impl ThreadId {
    /// The first thread of a run.
    pub const MAIN: ThreadId = ThreadId(0);

    /// The number as an index. Meaningless for a phantom.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The phantom that commits the stores of a thread's buffer. Several buffers of a thread are numbered in
    /// the order of their first use, so that the number depends on that thread alone.
    ///
    /// # Panics
    /// If there are more than 65,536 threads, or a thread has more than 32,768 buffers.
    pub fn phantom(owner: ThreadId, buffer: usize) -> ThreadId {
        assert!(owner.0 < MAX_OWNERS, "at most 65,536 threads have store buffers");
        assert!(buffer < MAX_BUFFERS as usize, "a thread has at most 32,768 store buffers");
        ThreadId(PHANTOM | (buffer as u32) << OWNER_BITS | owner.0)
    }

    /// Is this a phantom, which commits the stores of a thread of the program?
    #[inline]
    pub fn is_phantom(self) -> bool {
        self.0 & PHANTOM != 0
    }

    /// For a phantom the thread that owns its buffer; otherwise the thread itself.
    #[inline]
    pub fn owner(self) -> ThreadId {
        if self.is_phantom() { ThreadId(self.0 & ((1 << OWNER_BITS) - 1)) } else { self }
    }

    /// For a phantom the number of its buffer.
    pub fn buffer(self) -> Option<usize> {
        self.is_phantom().then_some(((self.0 & !PHANTOM) >> OWNER_BITS) as usize)
    }
}

/// The number, not the path: `c0.1` is the phantom of buffer 1 of thread 0.
impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.buffer() {
            None => write!(f, "{}", self.0),
            Some(0) => write!(f, "c{}", self.owner().0),
            Some(buffer) => write!(f, "c{}.{buffer}", self.owner().0),
        }
    }
}

/// A shared object: a lock, an atomic, a channel. Numbered from 1 in the order of first use in the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(NonZeroU32);

impl ObjectId {
    /// The object with this index in a list of all objects.
    pub fn at(index: usize) -> ObjectId {
        let number = u32::try_from(index).ok().and_then(|index| NonZeroU32::MIN.checked_add(index));
        ObjectId(number.expect("fewer than 2^32 objects"))
    }

    /// The index in a list of all objects.
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }

    /// The number, from 1.
    pub fn number(self) -> u32 {
        self.0.get()
    }
}

/// An enabled event of a state: its thread, and the number of the thread's alternative.
///
/// Most actions have one alternative; a choice of n has n.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventId {
    /// The thread.
    pub thread: ThreadId,
    /// The number of the alternative, from 0.
    pub alternative: u32,
}
