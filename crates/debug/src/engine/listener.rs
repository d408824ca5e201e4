//! How far a search is, told while it runs.

/// How far a search is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// States visited so far.
    pub visited: u64,
    /// The length of the current path.
    pub depth: usize,
    /// Alternatives found so far.
    pub found: usize,
}

/// Hears how far a search is, at every state that it visits, and says whether to go on.
pub trait Listener {
    /// Returns false to cancel the search.
    fn progress(&mut self, progress: Progress) -> bool;
}

/// A listener that never cancels.
impl Listener for () {
    fn progress(&mut self, _progress: Progress) -> bool {
        true
    }
}
