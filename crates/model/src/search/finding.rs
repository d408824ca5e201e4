//! What a pass over the states has found, told while it goes on.
//!
//! A pass may take hours after its first violation. The report at its end has the paths; a finding says at
//! once that there is something to report.
//!
//! Promise: a finding is in the report of the same pass, whatever ends the pass.

/// Something that a pass has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding<'a> {
    /// The formula with this index is violated.
    Violated(usize),
    /// The formula with this index may be violated: propositions are unknown, or steps may not be real.
    MayBeViolated(usize),
    /// The first deadlock.
    Deadlock,
    /// An error with a new message.
    Error(&'a str),
    /// A crash with a new text.
    Crash(&'a str),
    /// A process of this name waits for ever for this.
    WaitsForEver(&'a str, &'a str),
}

/// The receiver of findings, if there is one.
pub(crate) type Listener<'a> = Option<&'a (dyn Fn(Finding<'_>) + Sync)>;

/// Tells the receiver, if there is one.
pub(crate) fn tell(listener: Listener<'_>, finding: Finding<'_>) {
    if let Some(listener) = listener {
        listener(finding);
    }
}
