//! What there is without the feature `check`: std's own, under our names.

pub mod cell;

pub use crate::production::stm;

pub mod hint {
    //! As [`std::hint`].
    pub use std::hint::spin_loop;
}

pub mod sync {
    //! As [`std::sync`], and [`MVar`].
    pub use crate::production::mvar::MVar;
    pub use std::sync::*;
}

pub mod thread {
    //! As [`std::thread`].
    pub use std::thread::*;
}

pub mod time {
    //! As [`std::time`].
    pub use std::time::*;
}
