//! ESBMC's examples ("CS"): 29 small programs, in families.

pub(crate) mod account;
pub(crate) mod arithmetic_prog;
pub(crate) mod bluetooth_driver;
pub(crate) mod carter01;
pub(crate) mod circular_buffer;
pub(crate) mod deadlock01;
pub(crate) mod din_phil;
pub(crate) mod fsbench;
pub(crate) mod lazy01;
pub(crate) mod phase01;
pub(crate) mod queue;
pub(crate) mod reorder;
pub(crate) mod stack;
pub(crate) mod sync;
pub(crate) mod token_ring;
pub(crate) mod twostage;
pub(crate) mod wronglock;
