//! Where failing runs are saved, and how they are found again.
//!
//! Under `target/selvedge/`, where `target` is the directory that the test program was built in. The environment variable
//! `SELVEDGE_REPLAY` names a file there, or anywhere, that is run again.

use selvedge_explore::Trace;
use selvedge_explore::trace::Recording;
use std::path::{Path, PathBuf};

/// The environment variable that names a trace to run again.
pub(super) const REPLAY: &str = "SELVEDGE_REPLAY";

/// A trace in a file.
pub(super) struct Saved {
    pub(super) path: PathBuf,
    /// Its name in the directory of traces.
    pub(super) file: String,
}

/// Saves a run of the test of this name.
pub(super) fn save(
    trace: &Trace,
    test: &str,
    kind: &str,
    outcome: &str,
    strategy: &str,
) -> std::io::Result<Saved> {
    let directory = directory();
    std::fs::create_dir_all(&directory)?;
    let plain = |char: char| if char.is_alphanumeric() || char == '_' { char } else { '-' };
    let stem: String = test.replace("::", "-").chars().map(plain).collect();
    let file = format!("{stem}-{kind}.trace");
    let path = directory.join(&file);
    let about = [("test", test), ("outcome", outcome), ("strategy", strategy)];
    let short = trace.short().to_string();
    std::fs::write(&path, format!("{}# {short}\n", trace.recording(&about)))?;
    Ok(Saved { path, file })
}

/// The trace that is to be run again, if it is one of this test.
pub(super) fn wanted(test: &str) -> Option<Recording> {
    let name = std::env::var_os(REPLAY)?;
    let given = PathBuf::from(&name);
    let path = if given.exists() { given } else { directory().join(&name) };
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("selvedge: {REPLAY}: {}: {error}", path.display()));
    let recording = Recording::parse(&text)
        .unwrap_or_else(|error| panic!("selvedge: {REPLAY}: {}: {error}", path.display()));
    (recording.get("test") == Some(test)).then_some(recording)
}

/// `target/selvedge`, by the place of the running program; `target/selvedge` here, if that tells nothing.
fn directory() -> PathBuf {
    let program = std::env::current_exe().unwrap_or_default();
    let target = program.ancestors().find(|path| path.join("CACHEDIR.TAG").is_file());
    target.unwrap_or(Path::new("target")).join("selvedge")
}
