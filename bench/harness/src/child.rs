//! A process with limits: its output, its computing time and its greatest memory, as the system counts them.
//!
//! The time includes that of the processes which it started and waited for (a compiler starts several).
//! Linux keeps the greatest memory of a process across `exec`, so the parent should be small.
//!
//! Promise: a process that goes beyond a limit is ended, and the result says which limit it was.

#![allow(unsafe_code)]

use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A process takes at most this many seconds by the clock for each second that it may compute.
const PATIENCE: u32 = 6;

/// What a process may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Its computing time.
    pub time: Duration,
    /// Its memory.
    pub bytes: u64,
}

impl Limits {
    /// So many seconds, and half of the memory that the machine has free.
    pub fn seconds(seconds: f64) -> Limits {
        let info = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let free = info.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
        let free = free.and_then(|rest| rest.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        Limits { time: Duration::from_secs_f64(seconds), bytes: free.map_or(4 << 30, |free| free << 9) }
    }
}

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself, with this code, or by a signal.
    Exit(Option<i32>),
    /// By the limit of time.
    Time,
    /// By the limit of memory.
    Memory,
}

/// A process that has ended.
#[derive(Clone, Debug)]
pub struct Ended {
    pub end: End,
    pub stdout: String,
    pub stderr: String,
    /// User and system time.
    pub time: Duration,
    /// The greatest resident memory.
    pub peak_bytes: u64,
}

impl Ended {
    /// The process ended by itself with 0.
    pub fn is_success(&self) -> bool {
        self.end == End::Exit(Some(0))
    }
}

/// Runs a command with this input.
///
/// # Errors
///
/// The command cannot be run.
pub fn run(command: &mut Command, input: &str, limits: Limits) -> Result<Ended, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("`{name}` cannot be run ({error})"))?;
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_owned();
    // A process that reads nothing closes its end of the pipe.
    let writer = std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let (stdout, stderr) = (reader(child.stdout.take()), reader(child.stderr.take()));
    let (end, usage) = wait(&mut child, limits);
    let text = |reader: JoinHandle<String>| reader.join().expect("reading does not panic");
    writer.join().expect("writing does not panic");
    let seconds = |time: libc::timeval| Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000);
    Ok(Ended {
        end,
        stdout: text(stdout),
        stderr: text(stderr),
        time: seconds(usage.ru_utime) + seconds(usage.ru_stime),
        peak_bytes: usage.ru_maxrss as u64 * 1024,
    })
}

/// Waits for a process that writes where this one writes. It is ended, with no status, when it takes longer
/// than `patience` by the clock.
pub fn wait_for(child: &mut Child, patience: Duration) -> Option<ExitStatus> {
    let start = Instant::now();
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if start.elapsed() > patience {
            drop(child.kill());
            drop(child.wait());
            return None;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A thread that reads all of a pipe, so that the process never waits for a reader.
fn reader(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<String> {
    let mut pipe = pipe.expect("a pipe");
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        drop(pipe.read_to_end(&mut bytes));
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Waits until the process ends, and ends it at a limit.
fn wait(child: &mut Child, limits: Limits) -> (End, libc::rusage) {
    let start = Instant::now();
    let (mut pause, mut cut) = (Duration::from_micros(200), None);
    loop {
        if let Some((status, usage)) = reaped(child.id()) {
            let code = libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status));
            return (cut.unwrap_or(End::Exit(code)), usage);
        }
        if cut.is_none() {
            cut = exceeded(child.id(), limits, start.elapsed());
            if cut.is_some() {
                // It may have ended meanwhile; then there is nothing to do.
                drop(child.kill());
            }
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// The status and the resources of a child that has ended.
fn reaped(id: u32) -> Option<(i32, libc::rusage)> {
    let mut status = 0;
    // SAFETY: `rusage` consists of numbers, for which zero bytes are a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the call writes to `status` and `usage` only, which live until the end of the function.
    let ended = unsafe { libc::wait4(id as i32, &raw mut status, libc::WNOHANG, &raw mut usage) };
    assert!(ended >= 0, "the process is a child that was not waited for");
    (ended > 0).then_some((status, usage))
}

/// The limit that a live process is beyond.
fn exceeded(id: u32, limits: Limits, elapsed: Duration) -> Option<End> {
    let text = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name of the command is in parentheses and may contain anything.
    let fields: Vec<u64> =
        text.rsplit(')').next()?.split_whitespace().map(|field| field.parse().unwrap_or(0)).collect();
    // Fields 14 and 15 are user and system time, 24 the resident pages; the first after the name is 3.
    let (ticks, pages) = (fields.get(11)? + fields.get(12)?, fields.get(21)?);
    // SAFETY: the calls only read constants of the system.
    let (hertz, page) = unsafe { (libc::sysconf(libc::_SC_CLK_TCK), libc::sysconf(libc::_SC_PAGESIZE)) };
    let time = Duration::from_secs_f64(ticks as f64 / hertz as f64);
    if pages * page as u64 > limits.bytes {
        return Some(End::Memory);
    }
    (time > limits.time || elapsed > limits.time * PATIENCE).then_some(End::Time)
}

#[cfg(test)]
mod tests {
    use super::{End, Limits, run};
    use std::process::Command;
    use std::time::Duration;

    fn shell(text: &str, limits: Limits) -> super::Ended {
        run(Command::new("sh").args(["-c", text]), "in", limits).unwrap()
    }

    #[test]
    fn a_process_is_run_with_its_input_and_ends_with_its_code() {
        let ended = shell("cat; echo err >&2; exit 3", Limits::seconds(60.0));
        assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), ("in", "err\n"));
        assert_eq!(ended.end, End::Exit(Some(3)));
        assert!(ended.peak_bytes > 0 && !ended.is_success());
    }

    #[test]
    fn a_process_beyond_a_limit_is_ended() {
        assert_eq!(shell("while :; do :; done", Limits::seconds(0.05)).end, End::Time);
        let little = Limits { time: Duration::from_secs(60), bytes: 1 };
        assert_eq!(shell("while :; do :; done", little).end, End::Memory);
    }

    #[test]
    fn a_missing_command_is_an_error() {
        let error = run(&mut Command::new("no-such-command-here"), "", Limits::seconds(1.0)).unwrap_err();
        assert!(error.contains("no-such-command-here"));
    }
}
