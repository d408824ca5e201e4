//! What there is without the feature `check`: std's own, under our names.

pub mod cell;

pub use crate::production::stm;

pub mod hint {
    //! As [`std::hint`].
    pub use std::hint::spin_loop;
}

pub mod sync {
    //! As [`std::sync`], and [`MVar`] and [`AtomicRef`].
    pub use crate::production::atomic_ref::{AtomicRef, Ticket};
    pub use crate::production::mvar::MVar;
    pub use std::sync::*;
}

pub mod thread {
    //! As [`std::thread`], and [`set_available_parallelism`].
    use std::num::NonZero;

    pub use std::thread::*;

    /// Says how many threads run at once, to the explorations of a program, where [`available_parallelism`] is 2 at first
    /// and this number from now on.
    ///
    /// Outside of explorations it changes nothing. How many threads run at once is then for the operating system to say,
    /// as `available_parallelism` is std's own; code that divides its work by that number can be tested with others by
    /// this, and need not be written differently for it.
    #[inline(always)]
    pub fn set_available_parallelism(_threads: NonZero<usize>) {}
}

pub mod time {
    //! As [`std::time`].
    pub use std::time::*;
}
