//! One order for all runs of a Mazurkiewicz trace, whichever of them was made.
//!
//! The thread that made the last step goes on for as long as nothing must come before its next one; then the first thread goes on that
//! can. What must come before what is the same in all runs of the trace, so this order is, too.

use super::Dpor;
use super::order::Order;
use crate::ids::EventId;

/// The choices of a run in the order that its trace has in common, and how simple that is: less is simpler.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NormalForm {
    /// How often a thread had to let others go first.
    pub switches: usize,
    /// How many steps there are.
    pub steps: usize,
    /// The choices.
    pub choices: Vec<EventId>,
}

impl Dpor {
    /// After a run and before it is finished: the normal form of its trace.
    pub fn normal_form(&self) -> NormalForm {
        normal_form(&self.order)
    }
}

fn normal_form(order: &Order) -> NormalForm {
    let steps = order.executed;
    // By the place of the thread: its steps, and how many of them are done.
    let mut own: Vec<Vec<usize>> = Vec::new();
    for step in 0..steps {
        let place = order.place[step];
        own.resize_with(own.len().max(place + 1), Vec::new);
        own[place].push(step);
    }
    let mut places: Vec<usize> = (0..own.len()).filter(|place| !own[*place].is_empty()).collect();
    places.sort_by_key(|place| order.events[own[*place][0]].thread());
    let mut done = vec![0_u32; own.len()];
    let next = |place: usize, done: &[u32]| own[place].get(done[place] as usize).copied();
    let is_ready = |place: usize, done: &[u32]| {
        next(place, done).is_some_and(|step| {
            let before = order.clock(step).iter().zip(done).enumerate();
            before.into_iter().all(|(other, (count, done))| other == place || count <= done)
        })
    };
    let (mut choices, mut switches, mut last) = (Vec::with_capacity(steps), 0, None);
    while choices.len() < steps {
        let same = last.filter(|place| is_ready(*place, &done));
        let place = same.or_else(|| places.iter().copied().find(|place| is_ready(*place, &done)));
        let Some((place, step)) = place.and_then(|place| Some((place, next(place, &done)?))) else { break };
        switches += usize::from(last.is_some_and(|last| last != place && next(last, &done).is_some()));
        choices.push(order.events[step].id);
        done[place] += 1;
        last = Some(place);
    }
    NormalForm { switches, steps, choices }
}
