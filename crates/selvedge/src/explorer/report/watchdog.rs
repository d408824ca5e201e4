//! The watchdog: warns when a run makes no progress, and ends the process when none is possible.
//!
//! A thread that waits for something outside of the exploration's control, or loops without a visible
//! action, cannot be stopped: all threads of a run share one thread of the operating system. The watchdog
//! checks the heartbeats of all explorations. If a heartbeat stands still for a while, the watchdog names
//! the running thread and its last action on standard error. If the thread waits without a timeout, and no
//! other thread of the process moves for some time more ([`standstill`](super::standstill)), no thread can
//! end that wait: the process reports the run and aborts. (The exploration cannot return instead: its body
//! is still borrowed by the blocked thread.)
//!
//! One thread watches all explorations of the process. It ends when there has been no exploration for a
//! while.

#[cfg(unix)]
use super::standstill::{self, Standstill};
#[cfg(unix)]
use crate::control::diagnose::OsThread;
use crate::control::diagnose::{Doing, Heartbeat, Phase};
#[cfg(unix)]
use crate::control::fiber;
use selvedge_explore::ThreadId;
use std::io::Write;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A task that the watchdog's thread performs from time to time.
pub(crate) trait Tick: Send + Sync {
    /// Is called about every second, and should not take long.
    fn tick(&self);
}

/// Watches an exploration until it is dropped.
pub(crate) struct Watchdog {
    number: u64,
}

/// All explorations that are watched.
struct Watched {
    explorations: Vec<Exploration>,
    next_number: u64,
    /// How long the watchdog's thread sleeps; `None` if there is no such thread.
    pause: Option<Duration>,
}

struct Exploration {
    number: u64,
    name: Arc<str>,
    heartbeat: Arc<Heartbeat>,
    patience: Duration,
    /// The last count of heartbeats, and since when it is the same.
    beats: u64,
    since: Instant,
    has_warned: bool,
    #[cfg(unix)]
    silence: Silence,
    ticks: Option<Arc<dyn Tick>>,
}

/// For how long the process has stood still.
#[cfg(unix)]
#[derive(Default)]
struct Silence {
    /// The last sample, and since when all samples are the same.
    sample: Option<(Standstill, Instant)>,
    /// How many samples are the same.
    samples: u32,
}

/// The process is ended after so many equal samples at least, and this long a time.
#[cfg(unix)]
const MIN_SAMPLES: u32 = 10;
#[cfg(unix)]
const MIN_SILENCE: Duration = Duration::from_secs(3);

#[cfg(unix)]
impl Silence {
    /// Takes a sample. Says whether nothing has moved for as long as it takes.
    fn is_final(&mut self, thread: OsThread, patience: Duration) -> bool {
        let sample = standstill::sample(thread.number);
        match (sample, self.sample) {
            (Some(now), Some((before, since))) if now == before => {
                self.samples += 1;
                self.samples >= MIN_SAMPLES && since.elapsed() >= MIN_SILENCE.max(2 * patience)
            }
            _ => {
                *self = Silence { sample: sample.map(|sample| (sample, Instant::now())), samples: 0 };
                false
            }
        }
    }
}

static WATCHED: Mutex<Watched> =
    Mutex::new(Watched { explorations: Vec::new(), next_number: 0, pause: None });

/// Is notified when an exploration with less patience begins.
static LESS_PATIENCE: Condvar = Condvar::new();

/// The longest time between two checks. After this time without explorations, the watchdog's thread ends.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

fn watched() -> MutexGuard<'static, Watched> {
    WATCHED.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Watchdog {
    /// Watches the exploration with this name. Its heartbeat may stand still for this long. If the system
    /// has no thread for the watchdog, the exploration is not watched.
    pub(crate) fn start(name: Arc<str>, heartbeat: Arc<Heartbeat>, patience: Duration) -> Watchdog {
        Watchdog::with_ticks(name, heartbeat, patience, None)
    }

    /// The same, and performs a task about every second.
    pub(crate) fn with_ticks(
        name: Arc<str>,
        heartbeat: Arc<Heartbeat>,
        patience: Duration,
        ticks: Option<Arc<dyn Tick>>,
    ) -> Watchdog {
        let mut watched = watched();
        let number = watched.next_number;
        watched.next_number += 1;
        let (beats, since) = (heartbeat.beats(), Instant::now());
        let exploration = Exploration {
            number,
            name,
            heartbeat,
            patience,
            beats,
            since,
            has_warned: false,
            #[cfg(unix)]
            silence: Silence::default(),
            ticks,
        };
        let pause = exploration.pause();
        watched.explorations.push(exploration);
        match watched.pause {
            None => {
                let thread = std::thread::Builder::new().name("selvedge watchdog".to_owned()).spawn(watch);
                watched.pause = thread.is_ok().then_some(pause);
            }
            Some(present) if pause < present => LESS_PATIENCE.notify_one(),
            Some(_) => {}
        }
        Watchdog { number }
    }
}

/// Forks the process while this thread holds the watchdog's lock, so that the child can use it.
#[cfg(unix)]
pub(crate) fn with_watchdog_locked<R>(fork: impl FnOnce() -> R) -> R {
    let _watched = watched();
    fork()
}

/// Forgets all explorations: a forked child has no watchdog's thread.
#[cfg(unix)]
pub(crate) fn forget_watched() {
    let mut watched = watched();
    watched.explorations.clear();
    watched.pause = None;
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        watched().explorations.retain(|exploration| exploration.number != self.number);
    }
}

/// The loop of the watchdog's thread.
fn watch() {
    let mut watched = watched();
    while !watched.explorations.is_empty() || watched.pause.is_some_and(|pause| pause < LONGEST_PAUSE) {
        let pause = watched.explorations.iter().map(Exploration::pause).min().unwrap_or(LONGEST_PAUSE);
        watched.pause = Some(pause);
        watched = match LESS_PATIENCE.wait_timeout(watched, pause) {
            Ok((guard, _)) => guard,
            Err(poisoned) => poisoned.into_inner().0,
        };
        watched.explorations.iter_mut().for_each(Exploration::check);
    }
    watched.pause = None;
}

impl Exploration {
    /// The time between two checks.
    fn pause(&self) -> Duration {
        (self.patience / 4).clamp(Duration::from_millis(1), LONGEST_PAUSE)
    }

    /// Warns if the heartbeat has stood still for too long. Ends the process if it will never go on.
    fn check(&mut self) {
        if let Some(ticks) = &self.ticks {
            ticks.tick();
        }
        let beats = self.heartbeat.beats();
        if beats != self.beats {
            (self.beats, self.since, self.has_warned) = (beats, Instant::now(), false);
            #[cfg(unix)]
            let _ = std::mem::take(&mut self.silence);
        } else if self.heartbeat.doing().phase == Phase::Follows {
            // A parent process waits for its child, which has its own watchdog; a worker without work waits
            // for others.
            self.since = Instant::now();
        } else if !self.has_warned && beats > 0 && self.since.elapsed() >= self.patience {
            self.has_warned = true;
            warn(&self.name, &self.heartbeat, self.since.elapsed());
        } else if self.has_warned {
            self.end_if_blocked();
        }
    }

    #[cfg(unix)]
    fn end_if_blocked(&mut self) {
        let Some(thread) = self.heartbeat.os_thread() else { return };
        let is_in_run = self.heartbeat.doing().phase != Phase::Between;
        if is_in_run && self.silence.is_final(thread, self.patience) {
            // The thread has not ended: its exploration is watched, and the list of these is locked.
            fiber::end_blocked(thread);
            // The program has a handler of its own for the signal. The warning has said what there is to
            // say.
            std::process::abort();
        }
    }

    #[cfg(not(unix))]
    fn end_if_blocked(&mut self) {}
}

fn warn(name: &str, heartbeat: &Heartbeat, elapsed: Duration) {
    let doing = heartbeat.doing();
    let mut thread = String::new();
    // Writing to a string does not fail.
    let _ = heartbeat.with_names(doing.thread, |names| names.write(doing.thread, &mut thread));
    if doing.thread == ThreadId::MAIN {
        thread.push_str(" `main`");
    }
    let text = format!(
        "warning[run::watchdog]: nothing has moved for {:.1} s in the exploration of `{name}`\n  {}\n",
        elapsed.as_secs_f64(),
        doing_text(&doing, &thread)
    );
    // If standard error is closed, the warning is lost.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// What the running thread does, in words.
fn doing_text(doing: &Doing, thread: &str) -> String {
    let last = match doing.site {
        Some(site) => format!("{} at {}:{}", doing.kind.text(), site.file(), site.line()),
        None => doing.kind.text().to_owned(),
    };
    let what = match doing.phase {
        Phase::Between | Phase::Follows => {
            return "no run is under way: a scheduler, or a closure that judges outcomes, takes its time"
                .to_owned();
        }
        Phase::Begins => format!("{thread} has begun, and has not come to its first visible action"),
        Phase::Does => format!("{thread}: its last visible action is {last}; it has not come to another one"),
        Phase::Stops => format!(
            "{thread} is being stopped at the end of a run, before {last}; a destructor takes its time"
        ),
    };
    format!(
        "{what}\n  = help: it may wait for something that the exploration does not see (a lock of `std::sync`, `std::thread::sleep`, \
         input), or loop for ever; use selvedge's types there, or `selvedge::effect`. It cannot be stopped from here"
    )
}
