//! The report of a run in the middle of which a signal ends the process.
//!
//! The same parts as the message of a failing run, as far as they are known there: why, the schedule, the
//! last steps, where the trace is saved and how it is replayed.
//!
//! Promise: neither allocates nor waits: all that it writes goes through buffers on the stack to the
//! system's calls.

#![allow(unsafe_code)]

use super::files::{self, REPLAY_DIRECTORY, TraceFile};
use super::setup::{RunOrigin, RunSetup};
use super::test_name::TestName;
use crate::control::diagnose::{DeathCause, DyingRun};
use selvedge_explore::trace::{RecordingWriter, write_abridged};
use selvedge_explore::{Event, Kind};
use std::fmt::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// At most this many steps are shown, the last ones. The saved trace has all of them.
const MAX_ROWS: usize = 40;

/// The advice for a lock that is not of selvedge.
const BLOCKED_HELP: &str = "all threads of a run share one thread of the operating system, so a lock or channel of `std` or of another crate \
    blocks them all while one of them holds it: use selvedge's types there, or take and release it inside of one `selvedge::effect`";

/// A longer path is not used.
const MAX_PATH: usize = 4096;

/// What a report says besides the run.
pub(super) struct DeathReport<'r> {
    pub(super) test: &'r TestName,
    pub(super) setup: &'r RunSetup,
    /// The advice for the user.
    pub(super) help: &'r str,
}

impl DeathReport<'_> {
    /// Writes the report to standard error, and the run to its file.
    pub(super) fn write(&self, run: &DyingRun<'_>) {
        let mut out = RawFile::new(libc::STDERR_FILENO);
        // If standard error is closed, the message is lost.
        let _ = self.write_message(run, &mut out);
        // The message so far is out, whatever becomes of the file.
        out.flush();
        let _ = self.write_saved(run, &mut out);
        out.flush();
    }

    fn write_message(&self, run: &DyingRun<'_>, out: &mut RawFile) -> fmt::Result {
        writeln!(out, "\nerror[run::{}]: {}", kind(run), run.sentence())?;
        let doing = &run.doing;
        if let Some(site) = doing.site {
            writeln!(out, "  after {} at {}:{}", doing.kind.text(), site.file(), site.line())?;
        }
        if !run.is_known() {
            let why = "the process ends inside of the exploration itself";
            return writeln!(out, "  (the steps of the run cannot be shown: {why})");
        }
        write!(out, "  schedule  ")?;
        write_abridged(out, &|out| run.write_short_form(out))?;
        writeln!(out, "\n")?;
        write_rows(run, out)
    }

    /// Saves the run, and says where.
    fn write_saved(&self, run: &DyingRun<'_>, out: &mut RawFile) -> fmt::Result {
        let file = TraceFile { test: self.test.text(), kind: kind(run) };
        if run.is_known() {
            match self.save(run, &file) {
                Some(path) => files::write_saved_as(out, &path, &file, self.test)?,
                None => writeln!(out, "  (the trace could not be saved)")?,
            }
        }
        let advice = match run.cause {
            DeathCause::StackOverflow { .. } => {
                "raise it by `stack_size`, or look for a recursion without an end"
            }
            DeathCause::Blocked => BLOCKED_HELP,
            DeathCause::Signal { .. } => self.help,
        };
        writeln!(out, "  = help: {advice}")
    }

    /// Saves the run. Returns the path.
    fn save(&self, run: &DyingRun<'_>, file: &TraceFile<'_>) -> Option<PathBuffer> {
        let directory = REPLAY_DIRECTORY.get()?;
        directory.parent().into_iter().chain([directory.as_path()]).try_for_each(make_directory)?;
        let mut path = PathBuffer::new();
        path.push(directory.as_os_str().as_bytes())?;
        write!(path, "/{file}").ok()?;
        path.end()?;
        let mode = libc::S_IRUSR | libc::S_IWUSR | libc::S_IRGRP | libc::S_IROTH;
        let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC | libc::O_CLOEXEC;
        // SAFETY: the path ends with a zero.
        let descriptor = unsafe { libc::open(path.bytes.as_ptr().cast(), flags, libc::c_uint::from(mode)) };
        if descriptor < 0 {
            return None;
        }
        let mut out = RawFile::new(descriptor);
        let written = self.write_recording(run, &mut out);
        out.flush();
        // SAFETY: the descriptor is open, and this function's own.
        unsafe { libc::close(descriptor) };
        written.ok().filter(|()| !out.has_failed).map(|()| path)
    }

    fn write_recording(&self, run: &DyingRun<'_>, out: &mut RawFile) -> fmt::Result {
        let mut writer = RecordingWriter::begin(out)?;
        writer.about("test", &self.test)?;
        writer.about("outcome", &format_args!("{}: {}", kind(run), run.sentence()))?;
        self.setup.write(RunOrigin::default(), &mut |key, value| writer.about(key, value))?;
        for thread in run.threads() {
            writer.thread(thread.index(), &run.thread_name(thread))?;
        }
        for object in run.objects() {
            writer.object(object.number() as usize, &run.object_name(object))?;
        }
        run.steps().try_for_each(|step| writer.step(&step))?;
        write!(out, "# ")?;
        run.write_short_form(out)?;
        writeln!(out)
    }
}

/// The kind of failure, as a word.
fn kind(run: &DyingRun<'_>) -> &'static str {
    match run.cause {
        DeathCause::Signal { .. } => "signal",
        DeathCause::StackOverflow { .. } => "stack-overflow",
        DeathCause::Blocked => "blocked",
    }
}

fn write_rows(run: &DyingRun<'_>, out: &mut RawFile) -> fmt::Result {
    let count = run.steps().count();
    let first = count.saturating_sub(MAX_ROWS);
    if first > 0 {
        writeln!(out, "  … {first} steps …")?;
    }
    for (index, step) in run.steps().enumerate().skip(first) {
        let thread = step.event.thread();
        write!(out, "  {index}  {}", run.thread_name(thread.owner()))?;
        write!(out, "{}  ", if thread.is_phantom() { "'s buffer" } else { "" })?;
        write_action(run, &step.event, out)?;
        writeln!(out, "  {}", step.event.site)?;
    }
    writeln!(out)
}

fn write_action(run: &DyingRun<'_>, event: &Event, out: &mut RawFile) -> fmt::Result {
    let action = &event.action;
    write!(out, "{}", action.kind.text())?;
    for object in [action.object, action.second].into_iter().flatten() {
        write!(out, " {}", run.object_name(object))?;
    }
    if let Some(target) = action.target {
        write!(out, " `{}`", run.thread_name(target))?;
    }
    if action.kind == Kind::Choose {
        write!(out, " {}", event.id.alternative)?;
    }
    Ok(())
}

/// Makes a directory, unless it exists.
fn make_directory(path: &Path) -> Option<()> {
    let mut buffer = PathBuffer::new();
    buffer.push(path.as_os_str().as_bytes())?;
    buffer.end()?;
    // SAFETY: the path ends with a zero. A failure is noticed when the file is opened.
    unsafe { libc::mkdir(buffer.bytes.as_ptr().cast(), 0o777) };
    Some(())
}

/// A path, for the system's calls.
struct PathBuffer {
    bytes: [u8; MAX_PATH],
    length: usize,
}

impl PathBuffer {
    fn new() -> PathBuffer {
        PathBuffer { bytes: [0; MAX_PATH], length: 0 }
    }

    fn push(&mut self, bytes: &[u8]) -> Option<()> {
        self.bytes.get_mut(self.length..self.length + bytes.len())?.copy_from_slice(bytes);
        self.length += bytes.len();
        Some(())
    }

    /// Ends the path with a zero, which is not counted.
    fn end(&mut self) -> Option<()> {
        self.push(&[0])?;
        self.length -= 1;
        Some(())
    }
}

impl Write for PathBuffer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text.as_bytes()).ok_or(fmt::Error)
    }
}

impl fmt::Display for PathBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // As `Path::display`: what is no text is replaced.
        self.bytes[..self.length].utf8_chunks().try_for_each(|chunk| {
            let mark = if chunk.invalid().is_empty() { "" } else { "\u{fffd}" };
            write!(f, "{}{mark}", chunk.valid())
        })
    }
}

/// An open file, with a small buffer.
struct RawFile {
    descriptor: libc::c_int,
    buffer: [u8; 1024],
    length: usize,
    has_failed: bool,
}

impl RawFile {
    fn new(descriptor: libc::c_int) -> RawFile {
        RawFile { descriptor, buffer: [0; 1024], length: 0, has_failed: false }
    }

    fn flush(&mut self) {
        let mut rest = &self.buffer[..self.length];
        while !rest.is_empty() && !self.has_failed {
            // SAFETY: the pointer and the length are of one slice.
            let written = unsafe { libc::write(self.descriptor, rest.as_ptr().cast(), rest.len()) };
            let is_interrupted = || std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted;
            match usize::try_from(written) {
                Ok(written) => rest = &rest[written.min(rest.len())..],
                Err(_) if is_interrupted() => {}
                Err(_) => self.has_failed = true,
            }
        }
        self.length = 0;
    }
}

impl Write for RawFile {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            if self.length == self.buffer.len() {
                self.flush();
            }
            let count = rest.len().min(self.buffer.len() - self.length);
            self.buffer[self.length..self.length + count].copy_from_slice(&rest[..count]);
            self.length += count;
            rest = &rest[count..];
        }
        Ok(())
    }
}
