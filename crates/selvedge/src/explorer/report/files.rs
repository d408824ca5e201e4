//! Saved traces of failing runs.
//!
//! They are in `target/selvedge/`, where `target` is the directory that the test program was built in. The
//! environment variable `SELVEDGE_REPLAY` names a file there, or anywhere, that is replayed.

use super::test_name::TestName;
use selvedge_explore::trace::Recording;
use std::fmt::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The environment variable that names a trace to replay.
const REPLAY: &str = "SELVEDGE_REPLAY";

/// The directory of saved traces: see [`directory`].
pub(super) static REPLAY_DIRECTORY: OnceLock<PathBuf> = OnceLock::new();

/// Finds the directory of saved traces, before a signal handler may need it.
pub(crate) fn prepare_directory() {
    directory();
}

/// Displays the name of the file of a trace. Does not allocate.
#[derive(Clone, Copy)]
pub(super) struct TraceFile<'n> {
    pub(super) test: &'n str,
    pub(super) kind: &'n str,
}

impl fmt::Display for TraceFile<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = |char: char| if char.is_alphanumeric() || char == '_' { char } else { '-' };
        for (index, part) in self.test.split("::").enumerate() {
            if index > 0 {
                f.write_char('-')?;
            }
            part.chars().try_for_each(|char| f.write_char(plain(char)))?;
        }
        write!(f, "-{}.trace", self.kind)
    }
}

/// Writes where the trace of a test is saved, and how it is replayed. Does not allocate.
pub(super) fn write_saved_as(
    out: &mut dyn fmt::Write,
    path: &dyn fmt::Display,
    file: &TraceFile<'_>,
    test: &TestName,
) -> fmt::Result {
    writeln!(out, "  saved as {path}")?;
    match test.path() {
        Some(test) => writeln!(out, "  = help: replay with `{REPLAY}={file} cargo test {test} -- --exact`"),
        None => writeln!(out, "  = help: to replay, set `{REPLAY}={file}` and repeat the command"),
    }
}

/// Saves a run.
pub(super) fn save(recording: &Recording, file: &TraceFile<'_>) -> std::io::Result<PathBuf> {
    let directory = directory();
    std::fs::create_dir_all(directory)?;
    let path = directory.join(file.to_string());
    let short = recording.short().unwrap_or_default();
    std::fs::write(&path, format!("{recording}# {short}\n"))?;
    Ok(path)
}

/// The trace that `SELVEDGE_REPLAY` names, if it is a trace of this test.
pub(crate) fn wanted_replay(test: &TestName) -> Option<Recording> {
    let name = std::env::var_os(REPLAY)?;
    let given = PathBuf::from(&name);
    let path = if given.exists() { given } else { directory().join(&name) };
    let bytes = std::fs::read(&path)
        .unwrap_or_else(|error| panic!("selvedge: {REPLAY}: {}: {error}", path.display()));
    let recording = Recording::from_bytes(&bytes)
        .unwrap_or_else(|error| panic!("selvedge: {REPLAY}: {}: {error}", path.display()));
    (recording.get("test") == Some(test.text())).then_some(recording)
}

/// `target/selvedge`, where `target` is an ancestor of the running program, or else in the working
/// directory.
fn directory() -> &'static Path {
    REPLAY_DIRECTORY.get_or_init(|| {
        let program = std::env::current_exe().unwrap_or_default();
        let target = program.ancestors().find(|path| path.join("CACHEDIR.TAG").is_file());
        target.unwrap_or(Path::new("target")).join("selvedge")
    })
}
