//! Strategies in parts: divided among workers, and saved as text from which another process resumes.

use super::{SchedulerKind, Strategy};
use selvedge_explore::Scheduler;
use selvedge_explore::schedulers::{Dpor, Exhaustive};

/// The line that begins a part in the saved text.
const PART: &str = "part";

/// Why saved text is refused.
const CANNOT_RESUME: &str = "this strategy cannot go on from what was saved";

impl Strategy {
    /// The same strategy, with another scheduler.
    pub(super) fn with_scheduler(&self, scheduler: SchedulerKind) -> Strategy {
        let Strategy { is_systematic, needs_little_stack, is_trusted, total, seed, .. } = *self;
        let (name, replayed) = (self.name.clone(), self.replayed.clone());
        Strategy { scheduler, is_systematic, needs_little_stack, is_trusted, name, total, seed, replayed }
    }

    /// Before the first run: the strategies that this many workers begin with. If runs are numbered, each
    /// worker has its share of the numbers. Otherwise one worker begins, and gives parts of its work to the
    /// others later if the strategy can be split.
    pub(crate) fn shares(self, workers: usize) -> Vec<Strategy> {
        let count = workers as u64;
        let share = |worker| self.as_dyn()?.share(worker, count).filter(|share| share.run_number().is_some());
        if workers == 1 || share(0).is_none() {
            return vec![self];
        }
        (0..count)
            .filter_map(|worker| Some(self.with_scheduler(SchedulerKind::Other(share(worker)?))))
            .collect()
    }

    /// Whether several workers can explore parts of it.
    pub(crate) fn can_be_shared(&self) -> bool {
        let has_shares = || self.as_dyn().is_some_and(|scheduler| scheduler.share(0, 1).is_some());
        match &self.scheduler {
            // Within bounds, a run decides which runs are cut off later.
            SchedulerKind::Dpor(dpor) => !dpor.is_bounded(),
            SchedulerKind::Exhaustive(_) => true,
            _ => has_shares(),
        }
    }

    /// Before the first run: reuses the memory of a reduction that has finished.
    pub(crate) fn recycle(&mut self, finished: impl FnOnce() -> Option<Dpor>) {
        if let SchedulerKind::Dpor(dpor) = &mut self.scheduler
            && let Some(finished) = finished()
        {
            dpor.recycle(finished);
        }
    }

    /// After the last run: takes the reduction out, if there is one, so that its memory can be reused.
    pub(crate) fn take_reduction(&mut self) -> Option<Dpor> {
        let SchedulerKind::Dpor(dpor) = &mut self.scheduler else { return None };
        Some(std::mem::take(&mut **dpor))
    }

    /// The number of the next run, if runs are numbered.
    pub(crate) fn run_number(&self) -> Option<u64> {
        self.as_dyn().and_then(Scheduler::run_number)
    }

    /// Between two runs: a part of the remaining work, for another worker.
    pub(crate) fn split(&mut self) -> Option<Strategy> {
        let scheduler = match &mut self.scheduler {
            SchedulerKind::Dpor(dpor) => SchedulerKind::Dpor(Box::new(dpor.split()?)),
            SchedulerKind::Exhaustive(exhaustive) => SchedulerKind::Exhaustive(exhaustive.split()?),
            _ => return None,
        };
        Some(self.with_scheduler(scheduler))
    }

    pub(super) fn as_dpor(&self) -> Option<&Dpor> {
        if let SchedulerKind::Dpor(dpor) = &self.scheduler { Some(dpor) } else { None }
    }

    fn as_exhaustive(&self) -> Option<&Exhaustive> {
        if let SchedulerKind::Exhaustive(exhaustive) = &self.scheduler { Some(exhaustive) } else { None }
    }

    /// The scheduler, if its parts are independent of each other: they need not be saved together.
    fn as_dyn(&self) -> Option<&dyn Scheduler> {
        match &self.scheduler {
            SchedulerKind::Bounded(scheduler) => Some(&**scheduler),
            SchedulerKind::Uniform(scheduler) => Some(scheduler),
            SchedulerKind::Pct(scheduler) => Some(&**scheduler),
            SchedulerKind::Swarm(scheduler) => Some(&**scheduler),
            SchedulerKind::Other(scheduler) => Some(&**scheduler),
            SchedulerKind::Dpor(_) | SchedulerKind::Exhaustive(_) | SchedulerKind::Replay(_) => None,
        }
    }

    /// Between two runs: all parts of an exploration as text, if another process can resume from it. Each
    /// part begins with a line of its own.
    pub(crate) fn save(parts: &[&Strategy]) -> Option<String> {
        let dpors = parts.iter().map(|part| part.as_dpor());
        if let Some(parts) = dpors.collect::<Option<Vec<&Dpor>>>() {
            return Some(Dpor::save(&parts));
        }
        let all = parts.iter().map(|part| part.as_exhaustive());
        if let Some(parts) = all.collect::<Option<Vec<&Exhaustive>>>() {
            return Some(Exhaustive::save(&parts));
        }
        let parts = parts.iter().map(|part| part.as_dyn()?.save().map(|text| format!("{PART}\n{text}")));
        parts.collect()
    }

    /// Before the first run: the parts of an exploration, from the text that the same strategy saved.
    pub(crate) fn load(mut self, saved: &str) -> Result<Vec<Strategy>, String> {
        match &mut self.scheduler {
            SchedulerKind::Dpor(first) => {
                let mut parts = Dpor::load(saved)?;
                parts.iter_mut().for_each(|part| part.set_bounds(first));
                Ok(parts
                    .into_iter()
                    .map(|part| self.with_scheduler(SchedulerKind::Dpor(Box::new(part))))
                    .collect())
            }
            SchedulerKind::Exhaustive(_) => {
                let parts = Exhaustive::load(saved)?;
                Ok(parts
                    .into_iter()
                    .map(|part| self.with_scheduler(SchedulerKind::Exhaustive(part)))
                    .collect())
            }
            _ => self.load_numbered(saved),
        }
    }

    fn load_numbered(mut self, saved: &str) -> Result<Vec<Strategy>, String> {
        let marked = format!("\n{saved}");
        let parts: Vec<&str> = marked.split(&format!("\n{PART}\n")).skip(1).collect();
        if let &[only] = &parts[..] {
            match &mut self.scheduler {
                SchedulerKind::Bounded(scheduler) => scheduler.load(only)?,
                SchedulerKind::Uniform(scheduler) => scheduler.load(only)?,
                SchedulerKind::Pct(scheduler) => scheduler.load(only)?,
                SchedulerKind::Swarm(scheduler) => scheduler.load(only)?,
                SchedulerKind::Other(scheduler) => scheduler.load(only)?,
                SchedulerKind::Dpor(_) | SchedulerKind::Exhaustive(_) | SchedulerKind::Replay(_) => {
                    return Err(CANNOT_RESUME.to_owned());
                }
            }
            return Ok(vec![self]);
        }
        let load = |text: &str| {
            let mut share = self.as_dyn().and_then(|scheduler| scheduler.share(0, 1)).ok_or(CANNOT_RESUME)?;
            share.load(text)?;
            Ok(self.with_scheduler(SchedulerKind::Other(share)))
        };
        parts.into_iter().map(load).collect()
    }

    /// Whether another process can resume from the text that [`Strategy::save`] returns.
    pub(crate) fn can_be_saved(&self) -> bool {
        Strategy::save(&[self]).is_some()
    }
}
