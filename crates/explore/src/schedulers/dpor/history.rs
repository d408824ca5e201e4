//! What happened before what in a run that somebody made, for others than the reduction.

use super::order::Order;
use crate::event::Event;
use crate::trace::Trace;

/// The steps of a run, and the order that all runs of its Mazurkiewicz trace have in common.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    order: Order,
}

impl History {
    /// The history of a run. Takes time by the square of its length.
    pub(crate) fn of(trace: &Trace) -> History {
        let mut order = Order::with_room(trace.len());
        for step in trace.steps() {
            // Who else could do something matters to races, which nobody asks for here.
            order.step(&step.event, &[]);
        }
        History { order }
    }

    /// The steps, in the order of the run.
    pub(crate) fn events(&self) -> &[Event] {
        &self.order.events
    }

    /// The place of a step's thread in its clocks.
    pub(crate) fn place(&self, step: usize) -> usize {
        self.order.place[step]
    }

    /// How many steps of each thread happen before this one, itself included.
    pub(crate) fn clock(&self, step: usize) -> &[u32] {
        self.order.clock(step)
    }
}
