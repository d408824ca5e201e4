//! Says so where nothing moves.
//!
//! A thread that waits for something outside of the exploration's control, or loops without a visible action, cannot be stopped:
//! all threads of a run share one of the operating system's. A thread of its own looks whether anything moves and, where
//! nothing does for a while, tells on standard error who it is and what it did last. It ends nothing.
//!
//! One thread watches all explorations of the process. It ends when there has been none for a while.

use crate::control::diagnose::{Doing, Heartbeat, Phase};
use selvedge_explore::ThreadId;
use std::io::Write;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Something that wants to be reminded from time to time.
pub(super) trait Tick: Send + Sync {
    /// Is called about every second, and should not take long.
    fn tick(&self);
}

/// Looks whether an exploration moves, until it is dropped.
pub(super) struct Watchdog {
    number: u64,
}

/// All that is watched.
struct Watched {
    explorations: Vec<Exploration>,
    next_number: u64,
    /// How long the thread that watches sleeps at present; none where there is no such thread.
    pause: Option<Duration>,
}

struct Exploration {
    number: u64,
    name: Arc<str>,
    heartbeat: Arc<Heartbeat>,
    patience: Duration,
    /// What it looked like, and since when.
    seen: u64,
    since: Instant,
    was_told: bool,
    ticks: Option<Arc<dyn Tick>>,
}

static WATCHED: Mutex<Watched> =
    Mutex::new(Watched { explorations: Vec::new(), next_number: 0, pause: None });

/// Somebody came who has less patience.
static HURRY: Condvar = Condvar::new();

/// Nobody is looked at more seldom than this, and the thread that watches ends after so long without explorations.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

fn watched() -> MutexGuard<'static, Watched> {
    WATCHED.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Watchdog {
    /// Watches the exploration of this name, which may stand still for so long. Where the system has no thread for that,
    /// nobody watches.
    pub(super) fn start(name: Arc<str>, heartbeat: Arc<Heartbeat>, patience: Duration) -> Watchdog {
        Watchdog::with_ticks(name, heartbeat, patience, None)
    }

    /// The same, and somebody is reminded.
    pub(super) fn with_ticks(
        name: Arc<str>,
        heartbeat: Arc<Heartbeat>,
        patience: Duration,
        ticks: Option<Arc<dyn Tick>>,
    ) -> Watchdog {
        let mut watched = watched();
        let number = watched.next_number;
        watched.next_number += 1;
        let (seen, since) = (heartbeat.beats(), Instant::now());
        let exploration =
            Exploration { number, name, heartbeat, patience, seen, since, was_told: false, ticks };
        let pause = exploration.pause();
        watched.explorations.push(exploration);
        match watched.pause {
            None => {
                let thread = std::thread::Builder::new().name("selvedge watchdog".to_owned()).spawn(watch);
                watched.pause = thread.is_ok().then_some(pause);
            }
            Some(present) if pause < present => HURRY.notify_one(),
            Some(_) => {}
        }
        Watchdog { number }
    }
}

/// Does something that copies the whole process, while nobody else has the lock in here.
#[cfg(unix)]
pub(super) fn while_unlocked<R>(work: impl FnOnce() -> R) -> R {
    let _watched = watched();
    work()
}

/// In the copy nothing is watched, and the thread that watches is not there.
#[cfg(unix)]
pub(super) fn forget_all() {
    let mut watched = watched();
    watched.explorations.clear();
    watched.pause = None;
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        watched().explorations.retain(|exploration| exploration.number != self.number);
    }
}

/// What the thread that watches does.
fn watch() {
    let mut watched = watched();
    while !watched.explorations.is_empty() || watched.pause.is_some_and(|pause| pause < LONGEST_PAUSE) {
        let pause = watched.explorations.iter().map(Exploration::pause).min().unwrap_or(LONGEST_PAUSE);
        watched.pause = Some(pause);
        watched = match HURRY.wait_timeout(watched, pause) {
            Ok((guard, _)) => guard,
            Err(poisoned) => poisoned.into_inner().0,
        };
        watched.explorations.iter_mut().for_each(Exploration::look);
    }
    watched.pause = None;
}

impl Exploration {
    /// How long it need not be looked at.
    fn pause(&self) -> Duration {
        (self.patience / 4).clamp(Duration::from_millis(1), LONGEST_PAUSE)
    }

    fn look(&mut self) {
        if let Some(ticks) = &self.ticks {
            ticks.tick();
        }
        let beats = self.heartbeat.beats();
        if beats != self.seen {
            (self.seen, self.since, self.was_told) = (beats, Instant::now(), false);
        } else if self.heartbeat.doing().phase == Phase::Follows {
            // The child process that goes ahead has a watchdog of its own; a worker without work waits for others.
            self.since = Instant::now();
        } else if !self.was_told && beats > 0 && self.since.elapsed() >= self.patience {
            self.was_told = true;
            tell(&self.name, &self.heartbeat, self.since.elapsed());
        }
    }
}

fn tell(name: &str, heartbeat: &Heartbeat, elapsed: Duration) {
    let doing = heartbeat.doing();
    let thread = heartbeat.with_name(doing.thread, |name| match name {
        Some(name) => format!("thread {} `{name}`", doing.thread),
        None if doing.thread == ThreadId::MAIN => "thread 0 `main`".to_owned(),
        None => format!("thread {}", doing.thread),
    });
    let text = format!(
        "warning[run::watchdog]: nothing has moved for {:.1} s in the exploration of `{name}`\n  {}\n",
        elapsed.as_secs_f64(),
        what(&doing, &thread)
    );
    // Whoever cannot write there cannot be told.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

fn what(doing: &Doing, thread: &str) -> String {
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
         input), or loop for ever; use selvedge's types there. It cannot be stopped from here"
    )
}
