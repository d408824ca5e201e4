//! Scouts on systems without `fork`: there are none. `Explorer::explore` refuses them before it comes here.

use super::Strategy;
use crate::control::{Driver, Execution};
use selvedge_explore::RunEnd;
use std::sync::Arc;
use std::time::Duration;

/// What is never sent.
pub(super) enum ChildProcess {}

/// What is never left behind.
pub(crate) enum Notice {}

impl Notice {
    pub(super) fn new() -> Notice {
        unreachable!("`explore` refuses child processes on this system")
    }

    pub(super) fn panics(&self) {
        match *self {}
    }

    pub(super) fn unwinds(&self) -> bool {
        match *self {}
    }

    pub(super) fn write(&self, _words: &dyn std::fmt::Display, _went_past: bool) -> bool {
        match *self {}
    }
}

impl ChildProcess {
    #[allow(clippy::needless_pass_by_value)]
    pub(super) fn new(notice: Arc<Notice>, _name: &str, _patience: Duration) -> ChildProcess {
        match *notice {}
    }

    pub(super) fn run<B: Fn(&Execution)>(
        &mut self,
        _driver: &mut Driver<'_, B>,
        _strategy: &mut Strategy,
        _max_steps: usize,
    ) -> RunEnd {
        match *self {}
    }

    pub(super) fn tear_down(&mut self, _execution: &Execution) {
        match *self {}
    }
}
