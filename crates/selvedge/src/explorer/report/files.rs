//! Saved traces of failing runs.
//!
//! They are in `target/selvedge/`, where `target` is the directory that the test program was built in. The
//! environment variable `SELVEDGE_REPLAY` names a file there, or anywhere, that is replayed, and
//! `SELVEDGE_DEBUG` a file or a test that is debugged.

use super::test_name::TestName;
use selvedge_explore::trace::Recording;
use std::cell::RefCell;
use std::fmt::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The environment variable that names a trace to replay.
const REPLAY: &str = "SELVEDGE_REPLAY";

/// The environment variable that names a test to debug, or a trace of it.
const DEBUG: &str = "SELVEDGE_DEBUG";

thread_local! {
    /// The recording that explorations of this thread replay: see [`while_replaying`].
    static REPLAYED_HERE: RefCell<Option<Recording>> = const { RefCell::new(None) };
}

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
    }?;
    let feature = if cfg!(feature = "debug") { "" } else { " and the feature `debug` of `selvedge`" };
    match test.path() {
        Some(test) => {
            writeln!(out, "  = help: debug with `{DEBUG}={file} cargo test {test} -- --exact`{feature}")
        }
        None => writeln!(out, "  = help: to debug, set `{DEBUG}={file}`{feature} and repeat the command"),
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

/// Explorations of the calling thread replay the recording while the work is done.
pub(crate) fn while_replaying<R>(recording: Recording, work: impl FnOnce() -> R) -> R {
    /// Restores the recording of the calls around this one.
    struct Restore(Option<Recording>);
    impl Drop for Restore {
        fn drop(&mut self) {
            REPLAYED_HERE.set(self.0.take());
        }
    }
    let _restore = Restore(REPLAYED_HERE.replace(Some(recording)));
    work()
}

/// The recording that the calling thread replays; or the trace that `SELVEDGE_REPLAY` names, if it is a
/// trace of this test.
pub(crate) fn wanted_replay(test: &TestName) -> Option<Recording> {
    if let Some(recording) = REPLAYED_HERE.with_borrow(Clone::clone) {
        return Some(recording);
    }
    let name = std::env::var_os(REPLAY)?;
    let given = PathBuf::from(&name);
    let path = if given.exists() { given } else { directory().join(&name) };
    let recording = read(REPLAY, &path);
    (recording.get("test") == Some(test.text())).then_some(recording)
}

/// What `SELVEDGE_DEBUG` asks of a test.
pub(crate) struct WantedDebugging {
    /// The value of the variable.
    pub(crate) value: String,
    /// The run that the session begins with, if the variable names a trace.
    #[cfg_attr(not(feature = "debug"), expect(dead_code))]
    pub(crate) recording: Option<Recording>,
}

/// What `SELVEDGE_DEBUG` asks of this test, if the variable names it or a trace of it. A test is named by
/// its path, or by the last part of its path.
pub(crate) fn wanted_debugging(test: &TestName) -> Option<WantedDebugging> {
    let value = std::env::var(DEBUG).ok()?;
    let names_test = || {
        let path = test.path().unwrap_or(test.text());
        value == path || value == **test.text() || path.rsplit("::").next() == Some(&*value)
    };
    let given = PathBuf::from(&value);
    let path = if given.is_file() { given } else { directory().join(&value) };
    if !path.is_file() {
        let is_trace = Path::new(&value).extension().is_some_and(|extension| extension == "trace");
        assert!(!is_trace, "selvedge: {DEBUG}: there is no trace `{value}`");
        return names_test().then_some(WantedDebugging { value, recording: None });
    }
    let recording = read(DEBUG, &path);
    let is_own = recording.get("test") == Some(test.text());
    is_own.then_some(WantedDebugging { value, recording: Some(recording) })
}

/// The kinds of traces that a process saves when it dies.
#[cfg(feature = "debug")]
const CRASHES: [&str; 3] = ["abort", "signal", "stack-overflow"];

/// The runs of a test that ended the process, saved since the test program was built.
#[cfg(feature = "debug")]
pub(crate) fn crash_recordings(test: &TestName) -> Vec<Recording> {
    let modified = |path: &Path| std::fs::metadata(path).and_then(|data| data.modified()).ok();
    let built = std::env::current_exe().ok().and_then(|program| modified(&program));
    let paths =
        CRASHES.iter().map(|kind| directory().join(TraceFile { test: test.text(), kind }.to_string()));
    let is_new = |path: &PathBuf| modified(path).is_some_and(|saved| built.is_none_or(|built| saved > built));
    let recordings = paths.filter(is_new).filter_map(|path| {
        let bytes = std::fs::read(path).ok()?;
        Recording::from_bytes(&bytes).ok()
    });
    recordings.filter(|recording| recording.get("test") == Some(test.text())).collect()
}

/// The file of the debugger's session with a test, or with a trace of it. Its directory exists.
#[cfg(feature = "debug")]
pub(crate) fn session_file(test: &TestName, wanted: &WantedDebugging) -> std::io::Result<PathBuf> {
    std::fs::create_dir_all(directory())?;
    let name = TraceFile { test: test.text(), kind: "debug" }.to_string();
    let file = if wanted.recording.is_some() { Path::new(&wanted.value).file_name() } else { None };
    Ok(directory().join(file.unwrap_or(name.as_ref())).with_extension("session"))
}

#[cfg(feature = "debug")]
impl WantedDebugging {
    /// The command that opens the session again.
    pub(crate) fn command(&self, test: &TestName) -> String {
        let path = test.path().map(|path| format!(" {path} -- --exact")).unwrap_or_default();
        format!("{DEBUG}={} cargo test{path}", self.value)
    }
}

/// Reads a trace that an environment variable names.
fn read(variable: &str, path: &Path) -> Recording {
    let bytes = std::fs::read(path)
        .unwrap_or_else(|error| panic!("selvedge: {variable}: {}: {error}", path.display()));
    Recording::from_bytes(&bytes)
        .unwrap_or_else(|error| panic!("selvedge: {variable}: {}: {error}", path.display()))
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
