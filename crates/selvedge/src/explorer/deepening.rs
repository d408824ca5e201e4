//! Explorations that are begun again.
//!
//! Where several workers cannot be sure that they leave out nothing, one does it all again.
//!
//! Where a thread waits with a time in a loop, or yields there after it did something, runs go on for ever, and a search that goes through them depth first sees ever longer ones and
//! nothing else. That is noticed when a thread is late often at one place ([`late`](crate::control::unroll_bound)). Then the
//! exploration goes on in rounds: threads may be late once at each place, then twice, and so on, in larger and larger steps, until nobody is held back, or a
//! budget ends it.
//!
//! Promise: a program without such loops is explored once. A round makes every run that its bound allows, so what needs little patience to be
//! found is found first.

use super::checkpoint::Checkpoint;
use super::exploration::{Body, Keeps, attempt};
use super::found::Found;
use super::{Explorer, Options, Report, Strategy};
use crate::control::progress::ANY;
use std::fmt::Debug;
use std::time::Instant;

/// A thread that is late so often at one place is in a loop. In no round may it be more often.
const OFTEN: u32 = 100;

/// Why several workers may leave something out.
const DOUBT: &str = "threads are the first to use some of the objects that they share, or to spawn others, side by side, and it could not always be told \
    which run had done what; use these once before the threads are spawned";

/// How often threads may be late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Round {
    /// As often as they want.
    Only,
    /// It is not known yet whether there is a loop. Where there is, the exploration begins again.
    First,
    /// So often at each place.
    Number(u32),
}

impl Round {
    /// How often threads may be late at one place.
    pub(super) fn unroll_bound(self) -> u32 {
        match self {
            Round::Only => ANY,
            Round::First => OFTEN,
            Round::Number(number) => number,
        }
    }

    /// The one after that, where somebody was held back.
    fn next(self) -> Option<Round> {
        match self {
            Round::Only => None,
            Round::First => Some(Round::Number(1)),
            // Each round makes those runs again that came before: together about as many as the last one.
            Round::Number(number) => {
                (number < OFTEN).then_some(Round::Number(OFTEN.min(number + 1 + number / 3)))
            }
        }
    }

    /// Not all runs were made, but those in which threads were late so often.
    fn note(made: u32) -> String {
        let times = match made {
            0 => String::new(),
            1 => ", but for those in which no thread does so more than once at one place".to_owned(),
            made => format!(", but for those in which no thread does so more than {made} times at one place"),
        };
        format!(
            "a thread yields, sleeps, or waits with a time in a loop, which may go on for ever; not all runs were made{times}"
        )
    }
}

/// Explores, as often as it takes.
pub(super) fn explore<T>(explorer: Explorer, body: Body<'_, T>, keep: Keeps<'_, T>) -> Report<T>
where
    T: Ord + Clone + Debug + Send + 'static,
{
    let Explorer { strategy, mut options } = explorer;
    let (again, begun, most_time) = (strategy.again(), Instant::now(), options.max_time);
    options.round = first_round(&options, &strategy);
    let (mut strategy, mut before, mut is_in_doubt) = (Some(strategy), Found::default(), None);
    // How often threads may have been late in the last round that came to its end.
    let mut all_until = 0;
    loop {
        let present = strategy.take().or_else(|| again.as_ref()?.again());
        let present = present.expect("only what can begin again is begun again");
        options.max_time = most_time.map(|most| most.saturating_sub(begun.elapsed()));
        let kept = if options.workers > 1 { Some(before.clone()) } else { None };
        let mut made = attempt(&options, present, body, keep, before);
        if made.found.is_in_doubt && made.found.is_complete {
            is_in_doubt = Some(std::mem::replace(&mut options.workers, 1));
            before = kept.expect("one worker has no doubts");
            continue;
        }
        let is_cut_short = made.limit.is_some() || options.stops_at_failure && made.found.has_failed();
        if !is_cut_short && let Round::Number(number) = options.round {
            all_until = number;
        }
        let next = options.round.next().filter(|_| made.found.blocked_by_bound && !is_cut_short);
        if let Some(next) = next {
            options.round = next;
            before = made.found.before_next_round();
            continue;
        }
        if made.found.blocked_by_bound || all_until > 0 && is_cut_short {
            made.found.note(Round::note(all_until));
        }
        if let Some(workers) = is_in_doubt {
            made.found.note(format!("explored again with one worker, not {workers}: {DOUBT}"));
        }
        // Runs of all rounds are made once more for that.
        options.round = Round::Only;
        return made.report(&options, body);
    }
}

/// With a checkpoint there are no rounds: another process would not know which one it was.
fn first_round(options: &Options, strategy: &Strategy) -> Round {
    let goes_round = strategy.has_runs_of_any_length() && !Checkpoint::is_wanted(options);
    if goes_round { Round::First } else { Round::Only }
}
