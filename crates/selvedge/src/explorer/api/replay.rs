//! A recorded run as a test of its own.
//!
//! Promise: explorations of the calling thread make the recorded run and no other, with the memory model of
//! the recording.

use crate::explorer::report::while_replaying;
use selvedge_explore::trace::Recording;

/// Makes a recorded run: explorations in `test` make this run alone.
///
/// The recording is the text of a trace file. So a run that once failed becomes a test: it fails as the run
/// failed, and passes once the program is repaired. If the program has changed so much that it does not take
/// the recorded steps any more, the test fails and says where they part. The debugger exports such tests.
///
/// ```
/// use selvedge::thread;
///
/// let steps = "step 0 0 spawn - - 1 -\nstep 1 0 yield - - - -\nstep 0 0 join - - 1 -\n";
/// let recording = &format!("selvedge-trace 2\n{steps}");
/// selvedge::replay(recording, || {
///     let report = selvedge::explore(|| thread::spawn(thread::yield_now).join().is_ok());
///     assert_eq!(report.executions(), 1);
/// });
/// ```
///
/// # Panics
/// If the text is not that of a trace file, and if `test` does.
pub fn replay<R>(recording: &str, test: impl FnOnce() -> R) -> R {
    match Recording::from_bytes(recording.as_bytes()) {
        Ok(recording) => while_replaying(recording, test),
        Err(error) => panic!("selvedge: replay: {error}"),
    }
}
