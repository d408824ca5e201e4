//! Programs that no scheduler was tuned with: published bugs of Rust crates, tests of other tools, and the
//! examples of Walker's thesis. They were chosen before the scheduler that they judge.
//!
//! Each is reduced to the steps that its bug needs. `threads` and `steps` are counted here, not by
//! SCTBench.

mod channels;
mod locks;
mod pools;
mod thesis;
mod wakers;

use crate::{Failure, Program, Suite};

/// All held-out programs.
pub const ALL: [Program; 14] = [
    thesis::AUTO_UPDATE,
    thesis::MONAD_PAR,
    channels::CROSSBEAM_CHANNEL,
    channels::TOKIO_ONESHOT,
    channels::SHUTTLE_BOUNDED_BUFFER,
    locks::SPIN_ONCE,
    locks::LOOM_BUGGY_INC,
    locks::DASHMAP_REFS,
    locks::ARC_GET_MUT,
    pools::CROSSBEAM_DEQUE,
    pools::TREIBER_ABA,
    pools::THREADPOOL_JOIN,
    wakers::STD_UNPARK,
    wakers::FUTURES_WAKER,
];

const fn program(
    name: &'static str,
    (threads, steps): (usize, usize),
    failure: Failure,
    buggy: fn(),
    correct: fn(),
) -> Program {
    Program { name, suite: Suite::HeldOut, threads, steps, failure, buggy, correct }
}
