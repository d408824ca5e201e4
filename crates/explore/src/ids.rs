//! Numbers for threads, objects and events. Each is a type of its own.

use std::fmt;
use std::num::NonZeroU32;

/// A thread of a run, or a process of a model; 0 is the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadId(pub u32);

/// Set in the number of a phantom.
const PHANTOM: u32 = 1 << 31;

/// Bits for the number of the thread whose stores a phantom commits.
const OWNER_BITS: u32 = 16;

/// So many threads can have store buffers.
pub(crate) const MAX_OWNERS: u32 = 1 << OWNER_BITS;

/// So many store buffers can a thread have.
pub(crate) const MAX_BUFFERS: u32 = 1 << (31 - OWNER_BITS);

impl ThreadId {
    /// The thread that a run begins with.
    pub const MAIN: ThreadId = ThreadId(0);

    /// The number as an index; of a thread of the program, not of a phantom.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The phantom that commits the stores of a thread's buffer. Where a thread has several buffers, they are numbered in
    /// the order in which it first used them, so that the number depends on that thread alone.
    ///
    /// # Panics
    /// Where there are more than 65,536 threads, or a thread has more than 32,768 buffers.
    pub fn phantom(owner: ThreadId, buffer: usize) -> ThreadId {
        assert!(owner.0 < MAX_OWNERS, "at most 65,536 threads have store buffers");
        assert!(buffer < MAX_BUFFERS as usize, "a thread has at most 32,768 store buffers");
        ThreadId(PHANTOM | (buffer as u32) << OWNER_BITS | owner.0)
    }

    /// Is it not a thread of the program, but the one that commits stores of such a thread?
    #[inline]
    pub fn is_phantom(self) -> bool {
        self.0 & PHANTOM != 0
    }

    /// The thread whose stores it commits; a thread of the program itself.
    #[inline]
    pub fn owner(self) -> ThreadId {
        if self.is_phantom() { ThreadId(self.0 & ((1 << OWNER_BITS) - 1)) } else { self }
    }

    /// The number of the buffer that a phantom commits from.
    pub fn buffer(self) -> Option<usize> {
        self.is_phantom().then_some(((self.0 & !PHANTOM) >> OWNER_BITS) as usize)
    }
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.buffer() {
            None => write!(f, "{}", self.0),
            Some(0) => write!(f, "c{}", self.owner().0),
            Some(buffer) => write!(f, "c{}.{buffer}", self.owner().0),
        }
    }
}

/// Something that threads share: a lock, an atomic, a channel. Numbered from 1 in the order in which a run meets them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(NonZeroU32);

impl ObjectId {
    /// The object with this place in a list of all.
    pub fn at(index: usize) -> ObjectId {
        let number = u32::try_from(index).ok().and_then(|index| NonZeroU32::MIN.checked_add(index));
        ObjectId(number.expect("fewer than 2^32 objects"))
    }

    /// Its place in a list of all objects.
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }

    /// Its number, from 1.
    pub fn number(self) -> u32 {
        self.0.get()
    }
}

/// One of the things that can be done next: whose, and which of that thread's alternatives.
///
/// Most actions have one way to go; a choice of n has n alternatives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventId {
    /// Who does it.
    pub thread: ThreadId,
    /// Which way it goes, from 0.
    pub alternative: u32,
}
