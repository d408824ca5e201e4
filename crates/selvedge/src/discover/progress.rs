//! The progress of a discovery, on a terminal.

use super::law::Figures;
use super::limits::Limits;
use crate::explorer::TestName;
use std::time::Duration;

/// Shows the progress of a discovery.
pub(crate) struct Progress {}

impl Progress {
    pub(crate) fn new(_limits: &Limits, _name: &TestName) -> Progress {
        Progress {}
    }

    pub(crate) fn show(&self, _figures: &Figures, _laws: usize, _elapsed: Duration) {}

    pub(crate) fn end(&self) {}
}
