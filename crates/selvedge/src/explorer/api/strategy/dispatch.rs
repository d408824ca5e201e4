//! A strategy as a scheduler: each call goes to the scheduler inside.

use super::{SchedulerKind, Strategy};
use selvedge_explore::{Event, EventId, Next, Scheduler, ThreadScheduler, Trace};

impl Scheduler for Strategy {
    fn begin(&mut self) {
        match &mut self.scheduler {
            SchedulerKind::Bounded(scheduler) => scheduler.begin(),
            SchedulerKind::Dpor(scheduler) => scheduler.begin(),
            SchedulerKind::Exhaustive(scheduler) => scheduler.begin(),
            SchedulerKind::Pct(scheduler) => scheduler.begin(),
            SchedulerKind::Swarm(scheduler) => scheduler.begin(),
            SchedulerKind::Uniform(scheduler) => scheduler.begin(),
            SchedulerKind::Replay(scheduler) => scheduler.begin(),
            SchedulerKind::Other(scheduler) => scheduler.begin(),
        }
    }

    #[inline]
    fn choose(&mut self, enabled: &[Event]) -> Option<EventId> {
        match &mut self.scheduler {
            SchedulerKind::Bounded(scheduler) => scheduler.choose(enabled),
            SchedulerKind::Dpor(scheduler) => scheduler.choose(enabled),
            SchedulerKind::Exhaustive(scheduler) => scheduler.choose(enabled),
            SchedulerKind::Pct(scheduler) => scheduler.choose(enabled),
            SchedulerKind::Swarm(scheduler) => scheduler.choose(enabled),
            SchedulerKind::Uniform(scheduler) => scheduler.choose(enabled),
            SchedulerKind::Replay(scheduler) => scheduler.choose(enabled),
            SchedulerKind::Other(scheduler) => scheduler.choose(enabled),
        }
    }

    #[inline]
    fn done(&mut self, event: &Event) {
        match &mut self.scheduler {
            SchedulerKind::Bounded(scheduler) => scheduler.done(event),
            SchedulerKind::Dpor(scheduler) => scheduler.done(event),
            SchedulerKind::Pct(scheduler) => scheduler.done(event),
            SchedulerKind::Swarm(scheduler) => scheduler.done(event),
            SchedulerKind::Other(scheduler) => scheduler.done(event),
            SchedulerKind::Exhaustive(_) | SchedulerKind::Uniform(_) | SchedulerKind::Replay(_) => {}
        }
    }

    fn stopped(&mut self, left: &[Event]) {
        match &mut self.scheduler {
            SchedulerKind::Bounded(scheduler) => scheduler.stopped(left),
            SchedulerKind::Dpor(scheduler) => scheduler.stopped(left),
            SchedulerKind::Pct(scheduler) => scheduler.stopped(left),
            SchedulerKind::Swarm(scheduler) => scheduler.stopped(left),
            SchedulerKind::Other(scheduler) => scheduler.stopped(left),
            SchedulerKind::Exhaustive(_) | SchedulerKind::Uniform(_) | SchedulerKind::Replay(_) => {}
        }
    }

    fn finish(&mut self, run: &Trace) -> Next {
        match &mut self.scheduler {
            SchedulerKind::Bounded(scheduler) => scheduler.finish(run),
            SchedulerKind::Dpor(scheduler) => scheduler.finish(run),
            SchedulerKind::Exhaustive(scheduler) => scheduler.finish(run),
            SchedulerKind::Pct(scheduler) => scheduler.finish(run),
            SchedulerKind::Swarm(scheduler) => scheduler.finish(run),
            SchedulerKind::Uniform(scheduler) => scheduler.finish(run),
            SchedulerKind::Replay(scheduler) => scheduler.finish(run),
            SchedulerKind::Other(scheduler) => scheduler.finish(run),
        }
    }

    fn goes_on_after_return(&self) -> bool {
        match &self.scheduler {
            SchedulerKind::Bounded(scheduler) => scheduler.goes_on_after_return(),
            SchedulerKind::Dpor(scheduler) => scheduler.goes_on_after_return(),
            SchedulerKind::Exhaustive(scheduler) => scheduler.goes_on_after_return(),
            SchedulerKind::Pct(scheduler) => scheduler.goes_on_after_return(),
            SchedulerKind::Swarm(scheduler) => scheduler.goes_on_after_return(),
            SchedulerKind::Uniform(scheduler) => scheduler.goes_on_after_return(),
            SchedulerKind::Replay(scheduler) => scheduler.goes_on_after_return(),
            SchedulerKind::Other(scheduler) => scheduler.goes_on_after_return(),
        }
    }

    fn as_thread_scheduler(&mut self) -> Option<&mut dyn ThreadScheduler> {
        match &mut self.scheduler {
            SchedulerKind::Exhaustive(scheduler) => scheduler.as_thread_scheduler(),
            SchedulerKind::Pct(scheduler) => scheduler.as_thread_scheduler(),
            SchedulerKind::Swarm(scheduler) => scheduler.as_thread_scheduler(),
            SchedulerKind::Uniform(scheduler) => scheduler.as_thread_scheduler(),
            SchedulerKind::Bounded(_) | SchedulerKind::Dpor(_) | SchedulerKind::Replay(_) => None,
            SchedulerKind::Other(scheduler) => scheduler.as_thread_scheduler(),
        }
    }
}
