//! Whether an exploration is debugged instead: `SELVEDGE_DEBUG`.
//!
//! Promise: in a process one exploration is debugged, the first that the variable names. All others explore
//! as always.

use super::{Explorer, Outcome, Value};
use crate::explorer::engine::Body;
use crate::explorer::report::{TestName, wanted_debugging};
use std::sync::atomic::{AtomicBool, Ordering};

/// Has this process debugged an exploration?
static HAS_DEBUGGED: AtomicBool = AtomicBool::new(false);

impl Explorer {
    /// Opens the debugger on a body, if `SELVEDGE_DEBUG` names its test or a trace of it. Returns whether it
    /// did, once the session is over.
    ///
    /// # Panics
    /// If the variable names the test, and the feature `debug` is missing.
    pub(super) fn debug_if_wanted(
        &self,
        name: &TestName,
        body: Body<'_>,
        is_failure: &(dyn Fn(&Outcome<Value>) -> bool + Send + Sync),
    ) -> bool {
        let Some(wanted) = wanted_debugging(name) else { return false };
        if HAS_DEBUGGED.swap(true, Ordering::Relaxed) {
            return false;
        }
        #[cfg(feature = "debug")]
        crate::explorer::debugger::debug(name, &wanted, &self.options, body, is_failure);
        #[cfg(not(feature = "debug"))]
        {
            let (_, _, value) = (body, is_failure, wanted.value);
            panic!("selvedge: SELVEDGE_DEBUG={value}: {FEATURE_IS_MISSING}");
        }
        #[cfg(feature = "debug")]
        true
    }
}

#[cfg(not(feature = "debug"))]
const FEATURE_IS_MISSING: &str = "the debugger is a feature of `selvedge` that is missing here; write \
    `features = [\"check\", \"debug\"]` under dev-dependencies, or run `cargo test --features selvedge/debug`";
