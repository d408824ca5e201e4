//! SCTBench in Rust: 49 concurrent programs with known bugs, each with its bug and without.
//!
//! The collection is that of Thomson, Donaldson and Betts (Concurrency Testing Using Controlled Schedulers:
//! An Empirical Study, TOPC 2016), with which chapter 6 of Walker's thesis compares schedulers. The
//! programs are written anew from what they do: the small ones whole, the large ones as skeletons with the
//! threads, locks, barriers and queues that the bug needs. The head of each file says where a program is
//! from, what its bug is, and what was left out.
//!
//! Plain variables that race in C are relaxed atomics: meant for sequential consistency
//! (`MemoryModel::Sc`). A failed assertion in any thread fails the run.
//!
//! [`held_out::ALL`] has programs that no scheduler was tuned with.

mod apps;
mod chess;
mod cs;
pub mod held_out;
mod parts;

pub use parts::CRASH;

use std::fmt;

/// A program with a known bug.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Its name in SCTBench.
    pub name: &'static str,
    /// Where it is from.
    pub suite: Suite,
    /// The number of threads in SCTBench, main among them.
    pub threads: usize,
    /// The number of steps of the longest run in SCTBench: there, PCT's parameter k. The skeletons of large
    /// programs have fewer.
    pub steps: usize,
    /// How it fails.
    pub failure: Failure,
    /// The program with its bug.
    pub buggy: fn(),
    /// The program without it.
    pub correct: fn(),
}

/// How a program fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// An assertion does not hold.
    Assertion,
    /// No thread can continue.
    Deadlock,
    /// Memory is used that is freed or missing: a panic with a message that begins with [`CRASH`].
    Crash,
}

/// Where a program is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suite {
    /// Examples of ESBMC.
    Cs,
    /// CHESS.
    Chess,
    /// Applications that were collected for their bugs.
    ConVul,
    /// Applications of the papers on Conseq and its like.
    Conseq,
    /// PARSEC.
    Parsec,
    /// RADBench.
    RadBench,
    /// A single program.
    Misc,
    /// SPLASH-2.
    Splash2,
    /// Not of SCTBench: a published bug, or a test of another tool.
    HeldOut,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Failure::Assertion => "assertion",
            Failure::Deadlock => "deadlock",
            Failure::Crash => "crash",
        })
    }
}

impl Failure {
    /// The failure that a panic with this message means.
    pub fn of_panic(message: &str) -> Failure {
        if message.starts_with(CRASH) { Failure::Crash } else { Failure::Assertion }
    }
}

/// All 49 programs of SCTBench.
pub const ALL: [Program; 49] = [
    cs::account::ACCOUNT,
    cs::arithmetic_prog::ARITHMETIC_PROG,
    cs::bluetooth_driver::BLUETOOTH_DRIVER,
    cs::carter01::CARTER01,
    cs::circular_buffer::CIRCULAR_BUFFER,
    cs::deadlock01::DEADLOCK01,
    cs::din_phil::DIN_PHIL[0],
    cs::din_phil::DIN_PHIL[1],
    cs::din_phil::DIN_PHIL[2],
    cs::din_phil::DIN_PHIL[3],
    cs::din_phil::DIN_PHIL[4],
    cs::din_phil::DIN_PHIL[5],
    cs::fsbench::FSBENCH,
    cs::lazy01::LAZY01,
    cs::phase01::PHASE01,
    cs::queue::QUEUE,
    cs::reorder::REORDER[0],
    cs::reorder::REORDER[1],
    cs::reorder::REORDER[2],
    cs::reorder::REORDER[3],
    cs::reorder::REORDER[4],
    cs::stack::STACK,
    cs::sync::SYNC[0],
    cs::sync::SYNC[1],
    cs::token_ring::TOKEN_RING,
    cs::twostage::TWOSTAGE[0],
    cs::twostage::TWOSTAGE[1],
    cs::wronglock::WRONGLOCK[0],
    cs::wronglock::WRONGLOCK[1],
    chess::programs::WSQ[0],
    chess::programs::WSQ[1],
    chess::programs::WSQ[2],
    chess::programs::WSQ[3],
    apps::aget::AGET,
    apps::pbzip2::PBZIP2,
    apps::stringbuffer::STRINGBUFFER,
    apps::ctrace::CTRACE,
    apps::qsort_mt::QSORT_MT,
    apps::ferret::FERRET,
    apps::streamcluster::STREAMCLUSTER[0],
    apps::streamcluster::STREAMCLUSTER[1],
    apps::streamcluster::STREAMCLUSTER[2],
    apps::radbench::RADBENCH[0],
    apps::radbench::RADBENCH[1],
    apps::radbench::RADBENCH[2],
    apps::safestack::SAFESTACK,
    apps::splash2::SPLASH2[0],
    apps::splash2::SPLASH2[1],
    apps::splash2::SPLASH2[2],
];
