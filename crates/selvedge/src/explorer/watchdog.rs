//! Says so where nothing moves.
//!
//! A thread that waits for something outside of the exploration's control, or loops without a visible action, cannot be stopped:
//! all threads of a run share one of the operating system's. A thread of its own looks whether anything moves and, where
//! nothing does for a while, tells on standard error who it is and what it did last. It ends nothing.

use crate::control::pulse::{Doing, Phase, Pulse};
use selvedge_explore::ThreadId;
use std::io::Write;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Looks whether an exploration moves, until it is dropped.
pub(super) struct Watchdog {
    end: Arc<End>,
    thread: Option<std::thread::JoinHandle<()>>,
}

#[derive(Default)]
struct End {
    has_come: Mutex<bool>,
    comes: Condvar,
}

impl Watchdog {
    /// Watches the exploration of this name, which may stand still for so long. Where the system has no thread for that,
    /// nobody watches.
    pub(super) fn start(name: String, pulse: Arc<Pulse>, patience: Duration) -> Watchdog {
        let end = Arc::new(End::default());
        let until = end.clone();
        let watch = move || watch(&name, &pulse, patience, &until);
        let thread = std::thread::Builder::new().name("selvedge watchdog".to_owned()).spawn(watch).ok();
        Watchdog { end, thread }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        *self.end.has_come.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.end.comes.notify_all();
        if let Some(thread) = self.thread.take() {
            // A watchdog that failed is no reason for the exploration to fail.
            let _ = thread.join();
        }
    }
}

fn watch(name: &str, pulse: &Pulse, patience: Duration, end: &End) {
    let pause = (patience / 4).clamp(Duration::from_millis(1), Duration::from_secs(1));
    let (mut seen, mut since, mut was_told) = (pulse.beats(), Instant::now(), false);
    let mut has_come = end.has_come.lock().unwrap_or_else(PoisonError::into_inner);
    while !*has_come {
        has_come = match end.comes.wait_timeout(has_come, pause) {
            Ok((guard, _)) => guard,
            Err(poisoned) => poisoned.into_inner().0,
        };
        let beats = pulse.beats();
        if beats != seen {
            (seen, since, was_told) = (beats, Instant::now(), false);
        } else if pulse.doing().phase == Phase::Follows {
            // The child process that goes ahead has a watchdog of its own.
            since = Instant::now();
        } else if !*has_come && !was_told && beats > 0 && since.elapsed() >= patience {
            was_told = true;
            tell(name, pulse, since.elapsed());
        }
    }
}

fn tell(name: &str, pulse: &Pulse, elapsed: Duration) {
    let doing = pulse.doing();
    let thread = pulse.with_name(doing.thread, |name| match name {
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
