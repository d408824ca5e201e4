//! What is found about locks, for people.

use super::history::Evidence;
use super::ids::{Access, CodeLocation, HolderId, LockId};
use std::backtrace::Backtrace;
use std::fmt;
use std::sync::Arc;

/// The frames of a stack that are shown.
const MAX_FRAMES: usize = 8;

/// A lock, as messages name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockName {
    /// Its number.
    pub id: LockId,
    /// Its name; a lock without a name is named by its number and the location where it was made.
    pub text: String,
}

/// A thread or a task, as messages name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HolderName {
    /// Its number.
    pub id: HolderId,
    /// Its name.
    pub text: Arc<str>,
}

/// What was found.
#[derive(Clone, Debug)]
pub enum Finding {
    /// Orders of locks that can deadlock.
    Cycle(Cycle),
    /// A deadlock that happened.
    Deadlock(Deadlock),
}

/// A potential deadlock: each holder can wait for a lock that the next one keeps from it.
#[derive(Clone, Debug)]
pub struct Cycle {
    /// In the order of waiting; the last waits for the first.
    pub steps: Vec<CycleStep>,
}

/// The part of one holder in a cycle.
#[derive(Clone, Debug)]
pub struct CycleStep {
    /// The thread or task.
    pub holder: HolderName,
    /// What it holds and the previous step wants, with the location where it was taken. `None` for a
    /// writer that holds nothing of the cycle: it keeps new readers out while it waits.
    pub holds: Option<(LockName, CodeLocation)>,
    /// What it wants.
    pub wants: LockName,
    /// How it wants it.
    pub access: Access,
    /// The location of the acquisition.
    pub wanted_at: CodeLocation,
    pub(super) first: Arc<Evidence>,
}

impl CycleStep {
    /// The stack of the first acquisition with this order, if it was captured.
    pub fn backtrace(&self) -> Option<&Backtrace> {
        self.first.backtrace.as_ref()
    }
}

impl Cycle {
    /// The locks that are wanted around the cycle, from the smallest rotation on.
    pub fn locks(&self) -> Vec<LockId> {
        super::search::cycle_key(self.steps.iter().map(|step| step.wants.id)).into()
    }
}

/// A cycle of orders that is no deadlock.
#[derive(Clone, Debug)]
pub struct Suppressed {
    /// The cycle.
    pub cycle: Cycle,
    /// Why it is no deadlock.
    pub reason: Reason,
}

/// Why a cycle of orders is no deadlock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Two of the orders were only shown by one holder, which does not wait twice at once.
    OneHolder,
    /// Two of the holders hold this lock, so only one at a time is that far.
    Gate(LockName),
    /// Two of the acquisitions are ordered by spawn and join.
    Ordered,
    /// The user allows it, with this explanation.
    Allowed(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::OneHolder => f.write_str("one thread takes them in both orders"),
            Reason::Gate(lock) => write!(f, "{} is held around them", lock.text),
            Reason::Ordered => f.write_str("spawn and join order the threads"),
            Reason::Allowed(why) => write!(f, "allowed: {why}"),
        }
    }
}

impl fmt::Display for Suppressed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let locks: Vec<&str> = self.cycle.steps.iter().map(|step| &*step.wants.text).collect();
        write!(f, "cycle of {}, no deadlock: {}", locks.join(", "), self.reason)
    }
}

/// A deadlock that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlock {
    /// Each waits for the next; the last for the first.
    pub waits: Vec<Wait>,
}

/// A holder that waits in a deadlock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The thread or task.
    pub holder: HolderName,
    /// What it waits for.
    pub goal: WaitGoal,
    /// The location of the call that waits.
    pub at: CodeLocation,
}

/// What a holder waits for in a deadlock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaitGoal {
    /// A lock that another holder, or the holder itself, has taken.
    Lock {
        /// The lock.
        lock: LockName,
        /// How it is wanted.
        access: Access,
        /// The holder that has it.
        held_by: HolderName,
    },
    /// A lock that another holder waits to write: new readers are kept out.
    BehindWriter {
        /// The lock.
        lock: LockName,
        /// The holder that waits to write it.
        writer: HolderName,
    },
    /// The end of another holder.
    Join(HolderName),
}

impl fmt::Display for WaitGoal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WaitGoal::Lock { lock, access, held_by } => {
                write!(f, "{} {}, held by {}", access.verb(), lock.text, held_by.text)
            }
            WaitGoal::BehindWriter { lock, writer } => {
                write!(f, "waits to read {}, which {} waits to write", lock.text, writer.text)
            }
            WaitGoal::Join(holder) => write!(f, "waits to join `{}`", holder.text),
        }
    }
}

impl fmt::Display for Deadlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let goals: Vec<String> = self.waits.iter().map(|wait| wait.goal.to_string()).collect();
        let name_width = width(self.waits.iter().map(|wait| &*wait.holder.text));
        let goal_width = width(goals.iter().map(String::as_str));
        match self.waits.len() {
            1 => writeln!(f, "error[lock::deadlock]: a thread waits for itself")?,
            count => writeln!(f, "error[lock::deadlock]: {count} threads wait for each other")?,
        }
        for (wait, goal) in self.waits.iter().zip(&goals) {
            let name = &wait.holder.text;
            writeln!(f, "   {name:<name_width$}  {goal:<goal_width$}  {}", wait.at)?;
        }
        Ok(())
    }
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.steps.len();
        writeln!(f, "error[lock::order]: {count} threads can deadlock: each can wait for the next")?;
        let name_width = width(self.steps.iter().map(|step| &*step.holder.text));
        for step in &self.steps {
            let name = &step.holder.text;
            let wants = format!("{} {}", step.access.verb(), step.wants.text);
            match &step.holds {
                Some((lock, at)) => {
                    writeln!(f, "   {name:<name_width$}  holds {}", lock.text)?;
                    writeln!(f, "   {:name_width$}    taken at {at}", "")?;
                    writeln!(f, "   {:name_width$}  {wants}", "")?;
                }
                None => writeln!(f, "   {name:<name_width$}  {wants}, which keeps new readers out")?,
            }
            writeln!(f, "   {:name_width$}    at {}", "", step.wanted_at)?;
            if let Some(backtrace) = step.backtrace() {
                write_frames(f, backtrace, name_width)?;
            }
        }
        let [first, .., last] = &self.steps[..] else { return Ok(()) };
        writeln!(
            f,
            "   = help: take them in one order, or allow one: `allow({}, {}, \"why this is no deadlock\")`",
            as_argument(&last.wants),
            as_argument(&first.wants),
        )
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Finding::Cycle(cycle) => cycle.fmt(f),
            Finding::Deadlock(deadlock) => deadlock.fmt(f),
        }
    }
}

/// A name in backticks is a text; other locks are given by their numbers.
fn as_argument(lock: &LockName) -> String {
    match lock.text.strip_prefix('`').and_then(|text| text.strip_suffix('`')) {
        Some(name) => format!("{name:?}"),
        None => "tag.id()".to_owned(),
    }
}

fn width<'a>(texts: impl Iterator<Item = &'a str>) -> usize {
    texts.map(|text| text.chars().count()).max().unwrap_or(0)
}

/// The frames of the program: without those of this crate, of the standard library and of the runtime.
fn write_frames(f: &mut fmt::Formatter<'_>, backtrace: &Backtrace, indent: usize) -> fmt::Result {
    let text = backtrace.to_string();
    let mut lines = text.lines().map(str::trim).peekable();
    let mut frames: Vec<(&str, &str)> = Vec::new();
    while let Some(line) = lines.next() {
        let at = lines.next_if(|next| next.starts_with("at ")).unwrap_or_default();
        frames.push((line.split_once(": ").map_or(line, |(_, function)| function), at));
    }
    // Inlined functions have short names, so the crate's own frames are known by their file.
    let is_own = |frame: &(&str, &str)| frame.1.contains("src/lock_order/holder.rs:");
    let first = frames.iter().rposition(is_own).map_or(0, |last| last + 1);
    for (function, at) in frames[first..].iter().filter(|frame| is_of_program(frame)).take(MAX_FRAMES) {
        writeln!(f, "   {:indent$}      in {function} {at}", "")?;
    }
    Ok(())
}

fn is_of_program((function, at): &(&str, &str)) -> bool {
    let outside = ["selvedge_monitor::lock_order", "std::", "core::", "alloc::", "__", "_start", "clone"];
    let function = function.trim_start_matches('<');
    !at.starts_with("at /rustc/") && !outside.iter().any(|part| function.starts_with(part))
}
