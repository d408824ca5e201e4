//! A normal form of a Mazurkiewicz trace: one linearisation, the same for all its interleavings.
//!
//! Foata's normal form orders independent events by levels; this one keeps context switches few instead. The
//! thread of the last step continues as long as no other event happens before its next event; then the first
//! thread continues with such an event. Happens-before is the same in all interleavings of the trace, so
//! this linearisation is, too.
//!
//! If the body has ended, only the events that happen before its end are in the normal form: no other event
//! decides the outcome. The return itself is left out, because it is a step only if other threads are alive.
//!
//! Promise of [`Past`]: two runs up to some step have the same normal form exactly if they are
//! interleavings of one trace. So they lead to the same state of the program.

use super::Dpor;
use super::happens_before::HappensBefore;
use crate::event::{Event, Kind};
use crate::ids::{EventId, ThreadId};
use crate::thread_tree::{RunThreads, as_spawn};

/// The choices of a trace's normal form, ordered by simplicity.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NormalForm {
    /// The number of context switches from a thread with events left.
    pub switches: usize,
    /// The number of steps.
    pub steps: usize,
    /// The choices.
    pub choices: Vec<EventId>,
}

impl Dpor {
    /// After a run, before [`Scheduler::finish`](crate::Scheduler::finish): the normal form of its trace.
    pub fn normal_form(&self, has_body_ended: bool) -> NormalForm {
        normal_form(&self.happens_before, has_body_ended)
    }
}

/// The past of a state: the happens-before relation of the run that led there. It grows step by step, and
/// goes back to an earlier state.
#[derive(Clone, Debug, Default)]
pub struct Past {
    order: HappensBefore,
}

impl Past {
    /// The next step of the run is executed.
    pub fn push(&mut self, event: &Event) {
        // Enabled threads matter to races only, which are not asked for.
        self.order.push_step(event, &[]);
    }

    /// Back to the state after the first so many steps.
    pub fn rewind(&mut self, steps: usize) {
        self.order.rewind(steps);
    }

    /// The events of the run.
    pub fn events(&self) -> &[Event] {
        self.order.events()
    }

    /// The normal form of the run so far.
    pub fn normal_form(&self) -> NormalForm {
        normal_form(&self.order, false)
    }
}

/// The steps that happen before the end of the body, including its last step unless that is a return.
fn steps_of_body(order: &HappensBefore) -> Vec<usize> {
    let is_body = |step: &usize| order.events[*step].thread() == ThreadId::MAIN;
    let Some(last) = (0..order.executed).rfind(is_body) else { return Vec::new() };
    let is_kept = |step: &usize| match *step == last {
        true => order.events[last].action.kind != Kind::Return,
        false => order.is_ordered(*step, last),
    };
    (0..=last).filter(is_kept).collect()
}

fn normal_form(order: &HappensBefore, has_body_ended: bool) -> NormalForm {
    let kept = if has_body_ended { steps_of_body(order) } else { (0..order.executed).collect() };
    let steps = kept.len();
    // By thread index: the steps of the thread, and the number of those that are placed.
    let mut own: Vec<Vec<usize>> = Vec::new();
    for step in kept {
        let thread = order.thread_of[step];
        own.resize_with(own.len().max(thread + 1), Vec::new);
        own[thread].push(step);
    }
    let mut threads: Vec<usize> = (0..own.len()).filter(|thread| !own[*thread].is_empty()).collect();
    let canonical = RunThreads::of(order.events[..order.executed].iter().filter_map(as_spawn)).canonical();
    threads.sort_by_cached_key(|thread| canonical(order.events[own[*thread][0]].thread()));
    let mut placed = vec![0_u32; own.len()];
    let next = |thread: usize, placed: &[u32]| own[thread].get(placed[thread] as usize).copied();
    let is_ready = |thread: usize, placed: &[u32]| {
        next(thread, placed).is_some_and(|step| {
            let entries = order.clock(step).iter().zip(placed).enumerate();
            entries.into_iter().all(|(other, (count, placed))| other == thread || count <= placed)
        })
    };
    let (mut choices, mut switches, mut last) = (Vec::with_capacity(steps), 0, None);
    while choices.len() < steps {
        let same = last.filter(|thread| is_ready(*thread, &placed));
        let thread = same.or_else(|| threads.iter().copied().find(|thread| is_ready(*thread, &placed)));
        let Some((thread, step)) = thread.and_then(|thread| Some((thread, next(thread, &placed)?))) else {
            break;
        };
        switches += usize::from(last.is_some_and(|last| last != thread && next(last, &placed).is_some()));
        choices.push(order.events[step].id);
        placed[thread] += 1;
        last = Some(thread);
    }
    NormalForm { switches, steps, choices }
}
