//! Numbers for threads, objects and events. Each is a type of its own.

use std::fmt;
use std::num::NonZeroU32;

/// A thread of a run, or a process of a model; 0 is the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadId(pub u32);

impl ThreadId {
    /// The thread that a run begins with.
    pub const MAIN: ThreadId = ThreadId(0);

    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
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
