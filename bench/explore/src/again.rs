//! Repeated exhaustive exploration: the cost of a run of a systematic exploration, on small programs.

use selvedge::runs::schedulers::Exhaustive;
use selvedge::runs::{Event, EventId, LightEvent, Next, Scheduler, ThreadScheduler, Trace};

/// The exhaustive scheduler, restarted when it is done, for a fixed number of runs.
pub(crate) struct Again {
    scheduler: Exhaustive,
    left: usize,
}

impl Again {
    pub(crate) fn new(runs: usize) -> Again {
        Again { scheduler: Exhaustive::new(), left: runs }
    }
}

impl Scheduler for Again {
    fn begin(&mut self) {
        self.scheduler.begin();
    }

    fn choose(&mut self, enabled: &[Event]) -> Option<EventId> {
        self.scheduler.choose(enabled)
    }

    fn done(&mut self, event: &Event) {
        self.scheduler.done(event);
    }

    fn finish(&mut self, run: &Trace) -> Next {
        self.left -= 1;
        if self.scheduler.finish(run) == Next::Done {
            self.scheduler = Exhaustive::new();
        }
        if self.left == 0 { Next::Done } else { Next::Another }
    }

    fn as_thread_scheduler(&mut self) -> Option<&mut dyn ThreadScheduler> {
        Some(self)
    }
}

impl ThreadScheduler for Again {
    fn pick(&mut self, enabled: &[LightEvent]) -> Option<usize> {
        self.scheduler.pick(enabled)
    }
}
