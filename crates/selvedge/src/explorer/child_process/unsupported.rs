//! Child processes on systems without `fork`: there are none. `Explorer::explore` refuses them before it
//! gets here.

use super::api::Strategy;
use crate::control::{Driver, Execution};
use selvedge_explore::RunEnd;
use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

/// Has no values: no child process is made on this system.
pub(super) enum ChildProcess {}

/// Has no values: no child process leaves a notice on this system.
pub(crate) enum CrashNotice {}

impl CrashNotice {
    pub(crate) fn new() -> CrashNotice {
        unreachable!("`explore` refuses child processes on this system")
    }

    pub(crate) fn begin_unwinding(&self) {
        match *self {}
    }

    pub(crate) fn is_unwinding(&self) -> bool {
        match *self {}
    }

    pub(crate) fn write(&self, _message: &dyn Display, _went_past: bool) -> bool {
        match *self {}
    }
}

impl ChildProcess {
    #[allow(clippy::needless_pass_by_value)]
    pub(super) fn new(notice: Arc<CrashNotice>, _name: &str, _patience: Duration) -> ChildProcess {
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
