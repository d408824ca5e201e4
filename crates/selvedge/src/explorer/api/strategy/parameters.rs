//! The parameters of swarm scheduling and of PCT (Walker's thesis, §6.1 and §6.2).
//!
//! Promise: a parameter that a strategy does not have, or a value that makes no sense, is refused at the
//! place of the call, and never ignored. Parameters are part of the strategy's name.

use super::{SchedulerKind, Strategy};
use selvedge_explore::schedulers::Swarm;

/// More change points than a run has steps make no sense, and each takes memory.
pub(super) const MAX_CHANGE_POINTS: usize = 1_000_000;

impl Strategy {
    /// Swarm: this many runs share their weights (x in Walker's thesis). By default every run draws its own.
    ///
    /// # Panics
    /// If the strategy is not [`Strategy::swarm`], or the number is 0.
    #[must_use]
    #[track_caller]
    pub fn reuse(self, runs: u64) -> Strategy {
        assert!(runs > 0, "selvedge: `reuse` is the number of runs that share their weights: at least 1");
        self.with_swarm("reuse", &format!("weights for {runs} runs"), |swarm| swarm.reuse(runs))
    }

    /// Swarm: in each run, a thread draws a new weight this many times (d in Walker's thesis). By default it
    /// never does. PCT with depth d has d - 1 change points.
    ///
    /// # Panics
    /// If the strategy is not [`Strategy::swarm`], or the number exceeds a million.
    #[must_use]
    #[track_caller]
    pub fn change_points(self, count: usize) -> Strategy {
        assert!(
            count <= MAX_CHANGE_POINTS,
            "selvedge: {count} change points are more than {MAX_CHANGE_POINTS}"
        );
        self.with_swarm("change_points", &format!("{count} change points"), |swarm| {
            swarm.change_points(count)
        })
    }

    /// Swarm: the least and the greatest weight of a thread; by default 1 and 50.
    ///
    /// # Panics
    /// If the strategy is not [`Strategy::swarm`], the least weight is 0, or it exceeds the greatest.
    #[must_use]
    #[track_caller]
    pub fn weights(self, min: u32, max: u32) -> Strategy {
        assert!(min > 0, "selvedge: a weight is at least 1: a thread of weight 0 would never run");
        assert!(min <= max, "selvedge: the least weight, {min}, exceeds the greatest, {max}");
        self.with_swarm("weights", &format!("weights from {min} to {max}"), |swarm| swarm.weights(min, max))
    }

    /// PCT, and swarm with change points: the expected number of steps of a run, among which change points
    /// are drawn. By default it is the length of the longest run so far.
    ///
    /// # Panics
    /// If the strategy is neither [`Strategy::pct`] nor [`Strategy::swarm`] with
    /// [`Strategy::change_points`], or the number is 0.
    #[must_use]
    #[track_caller]
    pub fn expected_steps(self, steps: usize) -> Strategy {
        assert!(steps > 0, "selvedge: `expected_steps` is the expected length of a run: at least 1");
        let text = format!("{steps} steps expected");
        match self.scheduler {
            SchedulerKind::Pct(pct) => {
                let scheduler = SchedulerKind::Pct(Box::new(pct.steps(steps)));
                Strategy { scheduler, name: format!("{}, {text}", self.name), ..self }
            }
            SchedulerKind::Swarm(swarm) if !swarm.has_change_points() => panic!(
                "selvedge: the strategy `{}` has no change points for `expected_steps`; set `change_points` before",
                self.name
            ),
            _ => self.with_swarm("expected_steps", &text, |swarm| swarm.steps(steps)),
        }
    }

    /// Sets a parameter of swarm.
    #[track_caller]
    fn with_swarm(self, parameter: &str, text: &str, set: impl FnOnce(Swarm) -> Swarm) -> Strategy {
        match self.scheduler {
            SchedulerKind::Swarm(swarm) => {
                let scheduler = SchedulerKind::Swarm(Box::new(set(*swarm)));
                Strategy { scheduler, name: format!("{}, {text}", self.name), ..self }
            }
            _ => panic!("selvedge: the strategy `{self}` has no parameter `{parameter}`"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_refused(make: fn() -> Strategy, message: &str) {
        let payload = std::panic::catch_unwind(make).expect_err("it is refused");
        let text = payload.downcast_ref::<String>().map(String::as_str);
        assert_eq!(text.or_else(|| payload.downcast_ref::<&str>().copied()), Some(message));
    }

    #[test]
    fn parameters_are_part_of_the_name() {
        let swarm = Strategy::swarm(1, 2).reuse(3).change_points(4).weights(5, 6).expected_steps(7);
        let text = "swarm(1, 2), weights for 3 runs, 4 change points, weights from 5 to 6, 7 steps expected";
        assert_eq!(swarm.to_string(), text);
        assert_eq!(Strategy::pct(3, 1, 2).expected_steps(9).to_string(), "pct(3, 1, 2), 9 steps expected");
    }

    #[test]
    fn a_parameter_that_a_strategy_does_not_have_is_refused() {
        check_refused(
            || Strategy::random(1, 2).reuse(3),
            "selvedge: the strategy `random(1, 2)` has no parameter `reuse`",
        );
        check_refused(
            || Strategy::pct(3, 1, 2).weights(1, 2),
            "selvedge: the strategy `pct(3, 1, 2)` has no parameter `weights`",
        );
        check_refused(
            || Strategy::pos(1, 2).change_points(2),
            "selvedge: the strategy `pos(1, 2)` has no parameter `change_points`",
        );
        check_refused(
            || Strategy::systematic().expected_steps(3),
            "selvedge: the strategy `systematic` has no parameter `expected_steps`",
        );
        check_refused(
            || Strategy::swarm(1, 2).expected_steps(3),
            "selvedge: the strategy `swarm(1, 2)` has no change points for `expected_steps`; set `change_points` before",
        );
    }

    #[test]
    fn a_parameter_that_makes_no_sense_is_refused() {
        check_refused(
            || Strategy::swarm(1, 2).weights(0, 2),
            "selvedge: a weight is at least 1: a thread of weight 0 would never run",
        );
        check_refused(
            || Strategy::swarm(1, 2).weights(3, 2),
            "selvedge: the least weight, 3, exceeds the greatest, 2",
        );
        check_refused(
            || Strategy::swarm(1, 2).reuse(0),
            "selvedge: `reuse` is the number of runs that share their weights: at least 1",
        );
        check_refused(
            || Strategy::pct(3, 1, 2).expected_steps(0),
            "selvedge: `expected_steps` is the expected length of a run: at least 1",
        );
        check_refused(|| Strategy::pct(0, 1, 2), "selvedge: the depth of PCT is from 1 to 1000000, not 0");
        check_refused(
            || Strategy::swarm(1, 2).change_points(2_000_000),
            "selvedge: 2000000 change points are more than 1000000",
        );
    }
}
