//! A wrapper that checks the invariants of a systematic scheduler after every step.

use selvedge_explore::schedulers::{Bounded, Dpor, Exhaustive};
use selvedge_explore::{Event, EventId, Next, Scheduler, Trace};

/// A scheduler with invariants.
pub trait Validate: Scheduler {
    /// Panics, saying which invariant is broken.
    fn validate(&self);
}

macro_rules! validate {
    ($($scheduler:ty),*) => {
        $(impl Validate for $scheduler {
            fn validate(&self) {
                <$scheduler>::validate(self);
            }
        })*
    };
}

validate!(Bounded, Dpor, Exhaustive);

/// A scheduler that validates itself after every step and after every run.
#[derive(Debug, Default)]
pub struct Validated<S>(pub S);

impl<S: Validate> Scheduler for Validated<S> {
    fn begin(&mut self) {
        self.0.begin();
        self.0.validate();
    }

    fn choose(&mut self, enabled: &[Event]) -> Option<EventId> {
        let chosen = self.0.choose(enabled);
        self.0.validate();
        chosen
    }

    fn done(&mut self, event: &Event) {
        self.0.done(event);
        self.0.validate();
    }

    fn stopped(&mut self, left: &[Event]) {
        self.0.stopped(left);
    }

    fn goes_on_after_return(&self) -> bool {
        self.0.goes_on_after_return()
    }

    fn finish(&mut self, run: &Trace) -> Next {
        let next = self.0.finish(run);
        self.0.validate();
        next
    }
}
