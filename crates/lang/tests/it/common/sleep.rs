//! One run for each Mazurkiewicz trace, naively: at every step all enabled events are tried that are not
//! asleep.
//!
//! Sleep sets alone (Godefroid, Partial-Order Methods for the Verification of Concurrent Systems, 1996)
//! leave out no trace and make no trace twice; they only start many runs that are cut off. So the number of
//! runs that end is the number of traces.

use selvedge_explore::{Event, EventId, Next, Scheduler, Trace, dependent};

/// Depth-first search with sleep sets and no other reduction.
#[derive(Default)]
pub(crate) struct SleepSets {
    nodes: Vec<Node>,
    depth: usize,
    /// How many runs came to an end.
    pub(crate) runs: u64,
    is_asleep: bool,
}

struct Node {
    enabled: Vec<Event>,
    sleep: Vec<Event>,
    /// The event, as executed.
    chosen: Event,
}

impl Node {
    fn next(&self) -> Option<Event> {
        let is_awake = |event: &&Event| !self.sleep.iter().any(|asleep| asleep.id == event.id);
        self.enabled.iter().find(is_awake).copied()
    }
}

impl Scheduler for SleepSets {
    fn begin(&mut self) {
        self.depth = 0;
        self.is_asleep = false;
    }

    fn choose(&mut self, enabled: &[Event]) -> Option<EventId> {
        if self.depth == self.nodes.len() {
            let sleep = self.nodes.last().map_or_else(Vec::new, |before| {
                before.sleep.iter().filter(|event| !dependent(event, &before.chosen)).copied().collect()
            });
            let node = Node { enabled: enabled.to_vec(), sleep, chosen: enabled[0] };
            let Some(chosen) = node.next() else {
                self.is_asleep = true;
                return None;
            };
            self.nodes.push(Node { chosen, ..node });
        }
        Some(self.nodes[self.depth].chosen.id)
    }

    fn done(&mut self, event: &Event) {
        self.nodes[self.depth].chosen = *event;
        self.depth += 1;
    }

    fn finish(&mut self, _run: &Trace) -> Next {
        self.runs += u64::from(!self.is_asleep);
        while let Some(node) = self.nodes.last_mut() {
            node.sleep.push(node.chosen);
            if let Some(next) = node.next() {
                node.chosen = next;
                return Next::Another;
            }
            self.nodes.pop();
        }
        Next::Done
    }
}
