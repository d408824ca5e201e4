//! Saved traces of failing runs.
//!
//! They are in `target/selvedge/`, where `target` is the directory that the test program was built in. The
//! environment variable `SELVEDGE_REPLAY` names a file there, or anywhere, that is replayed.

use selvedge_explore::Trace;
use selvedge_explore::trace::Recording;
use std::path::{Path, PathBuf};

/// The environment variable that names a trace to replay.
pub(super) const REPLAY: &str = "SELVEDGE_REPLAY";

/// A saved trace.
pub(super) struct SavedTrace {
    pub(super) path: PathBuf,
    /// The name of the file in the directory of traces.
    pub(super) file: String,
}

/// Saves a run of the test with this name.
pub(super) fn save(
    trace: &Trace,
    test: &str,
    kind: &str,
    outcome: &str,
    strategy: &str,
) -> std::io::Result<SavedTrace> {
    let directory = directory();
    std::fs::create_dir_all(&directory)?;
    let plain = |char: char| if char.is_alphanumeric() || char == '_' { char } else { '-' };
    let stem: String = test.replace("::", "-").chars().map(plain).collect();
    let file = format!("{stem}-{kind}.trace");
    let path = directory.join(&file);
    let about = [("test", test), ("outcome", outcome), ("strategy", strategy)];
    let short = trace.short().to_string();
    std::fs::write(&path, format!("{}# {short}\n", trace.recording(&about)))?;
    Ok(SavedTrace { path, file })
}

/// The trace that `SELVEDGE_REPLAY` names, if it is a trace of this test.
pub(crate) fn wanted_replay(test: &str) -> Option<Recording> {
    let name = std::env::var_os(REPLAY)?;
    let given = PathBuf::from(&name);
    let path = if given.exists() { given } else { directory().join(&name) };
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("selvedge: {REPLAY}: {}: {error}", path.display()));
    let recording = Recording::parse(&text)
        .unwrap_or_else(|error| panic!("selvedge: {REPLAY}: {}: {error}", path.display()));
    (recording.get("test") == Some(test)).then_some(recording)
}

/// `target/selvedge`, where `target` is an ancestor of the running program, or else in the working
/// directory.
fn directory() -> PathBuf {
    let program = std::env::current_exe().unwrap_or_default();
    let target = program.ancestors().find(|path| path.join("CACHEDIR.TAG").is_file());
    target.unwrap_or(Path::new("target")).join("selvedge")
}
