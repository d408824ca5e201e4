//! CHESS's work-stealing queues: four variants of one queue.

pub(crate) mod programs;
mod queue;
mod stack_record;
