//! Tiny programs: each thread is a list of actions.

use selvedge_explore::event::Footprint;
use selvedge_explore::{
    Action, Event, EventId, Next, RunEnd, Scheduler, Site, Stepper, ThreadId, Trace, run,
};

/// Threads that execute their actions in order; an action may have several alternatives.
#[derive(Clone, Debug)]
pub(crate) struct Toy {
    threads: Vec<Vec<(Action, u32)>>,
    done: Vec<usize>,
    enabled: Vec<Event>,
}

impl Toy {
    /// Each thread's actions, each with its number of alternatives.
    pub(crate) fn new(threads: Vec<Vec<(Action, u32)>>) -> Toy {
        let done = vec![0; threads.len()];
        let mut toy = Toy { threads, done, enabled: Vec::new() };
        toy.update_enabled();
        toy
    }

    /// Threads of so many steps each, all independent.
    pub(crate) fn of_lengths(lengths: &[usize]) -> Toy {
        let step = (Action::step(Footprint::default()), 1);
        Toy::new(lengths.iter().map(|length| vec![step; *length]).collect())
    }

    fn update_enabled(&mut self) {
        self.enabled.clear();
        for (number, thread) in self.threads.iter().enumerate() {
            let Some((action, alternatives)) = thread.get(self.done[number]) else { continue };
            for alternative in 0..*alternatives {
                let id = EventId { thread: ThreadId(number as u32), alternative };
                self.enabled.push(Event::pending(id, *action, Site::Unknown));
            }
        }
    }
}

impl Stepper for Toy {
    fn enabled(&self) -> &[Event] {
        &self.enabled
    }

    fn step(&mut self, chosen: EventId) -> Event {
        let event = *self.enabled.iter().find(|event| event.id == chosen).expect("an enabled event");
        self.done[chosen.thread.index()] += 1;
        self.update_enabled();
        event
    }

    fn restart(&mut self) {
        self.done.fill(0);
        self.update_enabled();
    }
}

/// The choices of all runs of a scheduler.
pub(crate) fn runs(toy: &mut dyn Stepper, scheduler: &mut dyn Scheduler) -> Vec<Vec<(u32, u32)>> {
    let mut all = Vec::new();
    let mut trace = Trace::default();
    loop {
        toy.restart();
        assert_eq!(run(toy, scheduler, 1000, &mut trace), RunEnd::Finished);
        all.push(trace.choices().map(|id| (id.thread.0, id.alternative)).collect());
        if scheduler.finish(&trace) == Next::Done {
            return all;
        }
    }
}
