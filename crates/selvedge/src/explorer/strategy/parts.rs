//! Parts of an exploration: for several workers, and as text from which another process goes on.

use super::{Chosen, Strategy};
use selvedge_explore::Scheduler;
use selvedge_explore::schedulers::{Dpor, Exhaustive};
use std::cell::Cell;

/// Begins a part, in what is saved.
const PART: &str = "part";

/// What is said where nothing can be made of what was saved.
const CANNOT: &str = "this strategy cannot go on from what was saved";

impl Strategy {
    /// The same strategy, with another scheduler.
    pub(super) fn with(&self, scheduler: Chosen) -> Strategy {
        let Strategy { is_systematic, needs_little, is_known, total, .. } = *self;
        Strategy { scheduler, is_systematic, needs_little, is_known, name: self.name.clone(), total }
    }

    /// Before the first run: what so many workers begin with. One of them gives parts to the others later, where that can be done
    /// on the way; where it cannot be done at all, only one has work.
    pub(in crate::explorer) fn shares(self, workers: usize) -> Vec<Strategy> {
        let count = workers as u64;
        let share = |worker| self.as_dyn()?.share(worker, count).filter(|share| share.run_number().is_some());
        if workers == 1 || share(0).is_none() {
            return vec![self];
        }
        (0..count).filter_map(|worker| Some(self.with(Chosen::Other(share(worker)?)))).collect()
    }

    /// Can several workers have parts of it?
    pub(in crate::explorer) fn can_be_shared(&self) -> bool {
        let has_shares = || self.as_dyn().is_some_and(|scheduler| scheduler.share(0, 1).is_some());
        matches!(self.scheduler, Chosen::Dpor(_) | Chosen::Exhaustive(_)) || has_shares()
    }

    /// Before its first run: uses the room that another one left.
    pub(in crate::explorer) fn use_room(&mut self, room: &Cell<Dpor>) {
        if let Chosen::Dpor(dpor) = &mut self.scheduler {
            dpor.recycle(room.take());
        }
    }

    /// After its last run: leaves its room to another one.
    pub(in crate::explorer) fn leave_room(&mut self, room: &Cell<Dpor>) {
        if let Chosen::Dpor(dpor) = &mut self.scheduler {
            room.set(std::mem::take(&mut **dpor));
        }
    }

    /// The number of the next run, where runs are numbered.
    pub(in crate::explorer) fn run_number(&self) -> Option<u64> {
        self.as_dyn().and_then(Scheduler::run_number)
    }

    /// How many runs there are, where that is known.
    pub(in crate::explorer) fn total(&self) -> Option<u64> {
        self.total
    }

    /// Between two runs: a part of what is left, for another worker.
    pub(in crate::explorer) fn split(&mut self) -> Option<Strategy> {
        let scheduler = match &mut self.scheduler {
            Chosen::Dpor(dpor) => Chosen::Dpor(Box::new(dpor.split()?)),
            Chosen::Exhaustive(exhaustive) => Chosen::Exhaustive(exhaustive.split()?),
            _ => return None,
        };
        Some(self.with(scheduler))
    }

    pub(super) fn as_dpor(&self) -> Option<&Dpor> {
        if let Chosen::Dpor(dpor) = &self.scheduler { Some(dpor) } else { None }
    }

    fn as_exhaustive(&self) -> Option<&Exhaustive> {
        if let Chosen::Exhaustive(exhaustive) = &self.scheduler { Some(exhaustive) } else { None }
    }

    /// Those that have no parts that belong together.
    fn as_dyn(&self) -> Option<&dyn Scheduler> {
        match &self.scheduler {
            Chosen::Bounded(scheduler) => Some(&**scheduler),
            Chosen::Uniform(scheduler) => Some(scheduler),
            Chosen::Pct(scheduler) => Some(&**scheduler),
            Chosen::Other(scheduler) => Some(&**scheduler),
            Chosen::Dpor(_) | Chosen::Exhaustive(_) | Chosen::Replay(_) => None,
        }
    }

    /// Between two runs: all parts of an exploration as text, where another process can go on from that. Each part begins with
    /// a line of its own.
    pub(in crate::explorer) fn save(parts: &[&Strategy]) -> Option<String> {
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

    /// Before the first run: the parts of an exploration that was saved with the same strategy.
    pub(in crate::explorer) fn load(mut self, saved: &str) -> Result<Vec<Strategy>, String> {
        match &mut self.scheduler {
            Chosen::Dpor(_) => {
                let parts = Dpor::load(saved)?;
                Ok(parts.into_iter().map(|part| self.with(Chosen::Dpor(Box::new(part)))).collect())
            }
            Chosen::Exhaustive(_) => {
                let parts = Exhaustive::load(saved)?;
                Ok(parts.into_iter().map(|part| self.with(Chosen::Exhaustive(part))).collect())
            }
            _ => self.load_numbered(saved),
        }
    }

    fn load_numbered(mut self, saved: &str) -> Result<Vec<Strategy>, String> {
        let marked = format!("\n{saved}");
        let parts: Vec<&str> = marked.split(&format!("\n{PART}\n")).skip(1).collect();
        if let &[only] = &parts[..] {
            match &mut self.scheduler {
                Chosen::Bounded(scheduler) => scheduler.load(only)?,
                Chosen::Uniform(scheduler) => scheduler.load(only)?,
                Chosen::Pct(scheduler) => scheduler.load(only)?,
                Chosen::Other(scheduler) => scheduler.load(only)?,
                Chosen::Dpor(_) | Chosen::Exhaustive(_) | Chosen::Replay(_) => return Err(CANNOT.to_owned()),
            }
            return Ok(vec![self]);
        }
        let load = |text: &str| {
            let mut share = self.as_dyn().and_then(|scheduler| scheduler.share(0, 1)).ok_or(CANNOT)?;
            share.load(text)?;
            Ok(self.with(Chosen::Other(share)))
        };
        parts.into_iter().map(load).collect()
    }

    /// Can another process go on from what this one saved?
    pub(in crate::explorer) fn can_be_saved(&self) -> bool {
        Strategy::save(&[self]).is_some()
    }
}
