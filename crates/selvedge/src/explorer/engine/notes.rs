//! Remarks for the report, and reasons why a program cannot be explored: as types, with their words in one
//! place.

use crate::explorer::api::ReplayDivergence;
use selvedge_explore::schedulers::Divergence;
use std::fmt;

/// A remark for the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Note {
    /// The replay left its recording.
    ReplayDiverged(ReplayDivergence),
    /// A known run ended in another way when it was made once more.
    Nondeterministic,
    /// A panicking thread performed visible actions while it unwound, so that runs are missing.
    ActedWhileUnwinding,
    /// A data race, in words, that the counts of `std`'s `Arc` may forbid.
    UnjudgedRace(String),
    /// A spinning thread gave up, so that runs are missing.
    SpinningLoopGaveUp,
    /// A stack was leaked; with the reason.
    StackLeaked(String),
    /// A loop may have runs of any length. All runs within this unroll bound were made; 0 if there is no
    /// such bound.
    UnrollBounded(u32),
    /// This many outcomes were found only by runs beyond the bounds of the strategy.
    BeyondBounds(usize),
    /// A thread that goes on for ever after the body has returned was cut off.
    DaemonCutOff,
    /// The strategy has one worker, though more were wanted.
    OneWorker { strategy: String, wanted: usize },
    /// One worker made all runs again, because this many could have missed one.
    ExploredAgain { workers: usize },
    /// Where the checkpoint was written, or why it was not.
    Checkpoint(String),
    /// A note that a checkpoint saved, as text.
    Saved(String),
}

impl Note {
    /// Whether both notes read the same in a checkpoint.
    pub(super) fn reads_like(&self, other: &Note) -> bool {
        match self {
            Note::Saved(text) => *text == one_line(&other.to_string()),
            _ => self == other,
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::ReplayDiverged(divergence) => write!(f, "{divergence}"),
            Note::Nondeterministic => write!(f, "{}", Nondeterminism::OtherEnd),
            Note::ActedWhileUnwinding => f.write_str(ACTED_WHILE_UNWINDING),
            Note::UnjudgedRace(race) => write!(f, "not judged: {race}; {UNSEEN_COUNTS}"),
            Note::SpinningLoopGaveUp => f.write_str(GAVE_UP),
            Note::StackLeaked(why) => write!(f, "a stack could not be unwound and was leaked: {why}"),
            Note::UnrollBounded(bound) => write_unroll_bound(f, *bound),
            Note::BeyondBounds(1) => write!(f, "one outcome was found {BEYOND_BOUNDS}"),
            Note::BeyondBounds(count) => write!(f, "{count} outcomes were found {BEYOND_BOUNDS}"),
            Note::DaemonCutOff => f.write_str(DAEMON_CUT_OFF),
            Note::OneWorker { strategy, wanted } => {
                write!(
                    f,
                    "{strategy} runs with one worker, not {wanted}: each of its runs may depend on those before"
                )
            }
            Note::ExploredAgain { workers } => {
                write!(f, "explored again with one worker, not {workers}: {INCONCLUSIVE}")
            }
            Note::Checkpoint(text) | Note::Saved(text) => f.write_str(text),
        }
    }
}

const ACTED_WHILE_UNWINDING: &str = "a thread that panicked gave back locks, or did something else that \
    other threads can observe, while it unwound; no other thread runs in between, so not every run was made";

const UNSEEN_COUNTS: &str = "the destructor of the last owner of an `Arc` makes the second access, and the counts of `std`'s \
    `Arc`, which may order the two, are not seen; with `selvedge::sync::tracked::Arc` this is judged";

const GAVE_UP: &str = "a loop that waits by yields gave up when every other thread was blocked; runs in which it \
    gives up earlier were not made, as the loop runs again only after a change";

const BEYOND_BOUNDS: &str = "only by runs beyond the bounds; a search within bounds makes a few of these, because \
    others are found by way of them, but not all";

const DAEMON_CUT_OFF: &str = "a thread goes on for ever after the body has returned, and was cut off there, so that not all \
    runs were made; end such threads and join them";

const INCONCLUSIVE: &str = "several threads are the first to use an object that they share, or to spawn others, side by \
    side, and the workers could not always tell which run had done what; use these objects once before the threads are spawned";

fn write_unroll_bound(f: &mut fmt::Formatter<'_>, bound: u32) -> fmt::Result {
    f.write_str("a thread yields, sleeps, or waits with a timeout in a loop that may go on for ever; not all runs were made")?;
    match bound {
        0 => Ok(()),
        1 => f.write_str(", but all in which no thread does so more than once at one place"),
        _ => write!(f, ", but all in which no thread does so more than {bound} times at one place"),
    }
}

/// Why a program cannot be explored.
#[derive(Clone, Debug)]
pub(super) enum Refusal {
    /// It does something that explorations do not support; the message says what to write instead.
    Unsupported(String),
    /// Boxed: it is large and seldom made, and every run returns this type.
    Nondeterministic(Box<Nondeterminism>),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Unsupported(message) => f.write_str(message),
            Refusal::Nondeterministic(how) => write!(f, "{how}"),
        }
    }
}

/// How it was noticed that a program is not deterministic.
#[derive(Clone, Debug)]
pub(crate) enum Nondeterminism {
    /// The same choices led to other events at a step.
    Diverged(Divergence),
    /// The same choices led to another outcome.
    OtherEnd,
    /// A child process ended in this run, with this message, but the parent process survives the run.
    OnlyChildEnded(String),
}

impl fmt::Display for Nondeterminism {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the program is not deterministic: the same choices led to something else than before")?;
        match self {
            Nondeterminism::Diverged(divergence) => write!(f, ", at {divergence}")?,
            Nondeterminism::OtherEnd => {}
            Nondeterminism::OnlyChildEnded(message) => {
                write!(f, ": a child process ended in this run ({message}), but not this one")?;
            }
        }
        write!(f, "; {SOURCES_OF_NONDETERMINISM}")
    }
}

/// What the user can look for in a program that is not deterministic.
pub(super) const SOURCES_OF_NONDETERMINISM: &str = "something beside the schedule decides how it goes: time, addresses, the order of a hash map, randomness, \
    or state that is kept from one run to the next";

/// A text without line breaks and other control characters.
pub(super) fn one_line(text: &str) -> String {
    text.chars().map(|char| if char.is_control() { ' ' } else { char }).collect()
}
