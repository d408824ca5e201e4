//! A run as a test of its own: `selvedge::replay` with the recording in its text.
//!
//! Promise: the test makes the run and fails as the run failed.

use crate::explorer::report::{RunOrigin, RunSetup, TestName};
use selvedge_explore::Trace;
use selvedge_explore::trace::abridged;

/// So many characters of an outcome fit on the line of a comment.
const MAX_OUTCOME: usize = 90;

/// The run of this test, which had this outcome: a name for a file with it, and its text.
pub(super) fn test(name: &TestName, setup: &RunSetup, outcome: &str, trace: &Trace) -> (String, String) {
    let recording = setup.recording(name.text(), outcome, RunOrigin::default(), trace);
    let function = name.text().rsplit("::").next().unwrap_or("test").to_owned();
    let short = abridged(&recording.short().unwrap_or_default());
    let outcome: String = outcome.lines().next().unwrap_or_default().chars().take(MAX_OUTCOME).collect();
    // A raw string ends at a quotation mark with as many number signs as it began with.
    let content = recording.to_string();
    let mut fence = "#".to_owned();
    while content.contains(&format!("\"{fence}")) {
        fence.push('#');
    }
    let text = format!(
        "/// The run `{short}` of `{function}`.\n\
         /// Its outcome: {outcome}\n\
         #[test]\n\
         fn {function}_replayed() {{\n    \
             let recording = r{fence}\"{content}\"{fence};\n    \
             selvedge::replay(recording, {function});\n\
         }}\n"
    );
    (format!("{function}_replayed.rs"), text)
}
