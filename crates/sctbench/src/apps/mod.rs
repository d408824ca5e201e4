//! Programs and parts of programs that are in use: skeletons with the threads, locks, barriers and queues
//! that the bug needs.

pub(crate) mod aget;
pub(crate) mod ctrace;
pub(crate) mod ferret;
pub(crate) mod pbzip2;
pub(crate) mod qsort_mt;
pub(crate) mod radbench;
pub(crate) mod safestack;
pub(crate) mod splash2;
pub(crate) mod streamcluster;
pub(crate) mod stringbuffer;
