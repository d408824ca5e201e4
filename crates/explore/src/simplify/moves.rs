//! The moves of the search: which blocks of steps can come next, and the cost of a context switch.

use crate::enabledness::{Enabledness, may_block};
use crate::event::{Event, Kind};
use crate::ids::ThreadId;
use crate::light::Candidate;
use crate::schedulers::HappensBefore;
use crate::trace::{Switch, Trace};
use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Add;

/// The cost of an order. Pre-emptions count first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cost {
    pub(super) preemptions: usize,
    pub(super) switches: usize,
}

impl Add for Cost {
    type Output = Cost;

    fn add(self, other: Cost) -> Cost {
        Cost { preemptions: self.preemptions + other.preemptions, switches: self.switches + other.switches }
    }
}

/// The number of executed steps of each thread, and the thread of the last block, by thread index.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct State {
    executed: Vec<u32>,
    last: Option<usize>,
}

impl State {
    /// The number of executed steps.
    pub(super) fn count(&self) -> usize {
        self.executed.iter().map(|executed| *executed as usize).sum()
    }
}

/// The steps of a run, and their happens-before relation.
pub(super) struct Moves {
    happens_before: HappensBefore,
    /// The steps of each thread.
    steps: Vec<Vec<usize>>,
    /// The number of each step in its thread, from 0.
    number: Vec<u32>,
    /// The thread indices of phantoms, which commit stores.
    phantoms: Vec<usize>,
    /// The steps on each object, by its index.
    on_object: Vec<Vec<usize>>,
    /// The steps that unpark each thread.
    unparks: HashMap<ThreadId, Vec<usize>>,
    /// Was each thread still enabled after its last step?
    was_enabled: Vec<bool>,
    /// The step that ends the run.
    final_step: Option<usize>,
    tests: Cell<usize>,
}

impl Moves {
    pub(super) fn new(trace: &Trace, ends_by_last: bool) -> Moves {
        let happens_before = HappensBefore::of_trace(trace);
        let mut steps: Vec<Vec<usize>> = Vec::new();
        let mut number = Vec::with_capacity(trace.len());
        let (mut on_object, mut unparks) = (Vec::<Vec<_>>::new(), HashMap::<_, Vec<_>>::new());
        for (step, event) in happens_before.events().iter().enumerate() {
            let thread = happens_before.thread_index(step);
            if steps.len() <= thread {
                steps.resize(thread + 1, Vec::new());
            }
            number.push(steps[thread].len() as u32);
            steps[thread].push(step);
            for object in [event.action.object, event.action.second].into_iter().flatten() {
                on_object.resize_with(on_object.len().max(object.index() + 1), Vec::new);
                on_object[object.index()].push(step);
            }
            if let (Kind::Unpark, Some(target)) = (event.action.kind, event.action.target) {
                unparks.entry(target).or_default().push(step);
            }
        }
        let is_phantom = |thread: &usize| happens_before.events()[steps[*thread][0]].thread().is_phantom();
        let phantoms = (0..steps.len()).filter(is_phantom).collect();
        let was_enabled = steps.iter().map(|steps| was_enabled(trace, steps)).collect();
        let final_step = ends_by_last.then(|| trace.len().checked_sub(1)).flatten();
        let tests = Cell::new(0);
        Moves { happens_before, steps, number, phantoms, on_object, unparks, was_enabled, final_step, tests }
    }

    /// The number of threads, including phantoms.
    pub(super) fn width(&self) -> usize {
        self.steps.len()
    }

    /// The number of readiness tests so far, times the number of threads.
    pub(super) fn tests(&self) -> usize {
        self.tests.get()
    }

    /// The state before the first step.
    pub(super) fn start(&self) -> State {
        State { executed: vec![0; self.width()], last: None }
    }

    /// Are all steps executed?
    pub(super) fn is_end(&self, state: &State) -> bool {
        state.count() == self.number.len()
    }

    /// A lower bound of the number of context switches after the state.
    pub(super) fn least_switches_after(&self, state: &State) -> usize {
        let has_steps = |thread: &usize| Some(*thread) != state.last && self.next(state, *thread).is_some();
        (0..self.width()).filter(|thread| !self.phantoms.contains(thread)).filter(has_steps).count()
    }

    /// A lower bound of the cost of every order.
    pub(super) fn least(&self) -> Cost {
        Cost { preemptions: 0, switches: self.least_switches_after(&self.start()) }
    }

    /// The cost of the run itself, estimated as for other orders.
    pub(super) fn cost_of_run(&self) -> Cost {
        let mut state = self.start();
        let mut cost = Cost::default();
        for step in 0..self.number.len() {
            let thread = self.happens_before.thread_index(step);
            if !self.phantoms.contains(&thread) {
                if state.last != Some(thread) {
                    cost = cost + self.cost_of_switch(&state);
                }
                state.last = Some(thread);
            }
            state.executed[thread] += 1;
        }
        cost
    }

    /// The cost of a context switch from the thread of the last block.
    pub(super) fn cost_of_switch(&self, state: &State) -> Cost {
        let is_preempted = state.last.is_some_and(|last| {
            let before =
                state.executed[last].checked_sub(1).map(|executed| self.steps[last][executed as usize]);
            let has_yielded = before.is_some_and(|step| self.happens_before.events()[step].counts_as_yield());
            !has_yielded && self.is_enabled(state, last)
        });
        Cost { preemptions: usize::from(is_preempted), switches: 1 }
    }

    /// Finds the next blocks of a thread other than that of the last block: as far as the thread is ready,
    /// and up to each of its yields.
    pub(super) fn find_blocks(&self, state: &State, thread: usize, blocks: &mut Vec<(Vec<usize>, State)>) {
        if state.last == Some(thread) || self.phantoms.contains(&thread) {
            return;
        }
        let ready = |state: &State| self.next(state, thread).filter(|step| self.is_ready(state, *step));
        let Some(mut step) = ready(state) else { return };
        let mut state = State { last: Some(thread), ..state.clone() };
        let mut steps = Vec::with_capacity(self.steps[thread].len() - state.executed[thread] as usize);
        loop {
            self.execute(&mut state, step, &mut steps);
            let Some(next) = ready(&state) else { break };
            if self.happens_before.events()[step].counts_as_yield() {
                blocks.push((steps.clone(), state.clone()));
            }
            step = next;
        }
        blocks.push((steps, state));
    }

    fn next(&self, state: &State, thread: usize) -> Option<usize> {
        self.steps[thread].get(state.executed[thread] as usize).copied()
    }

    /// Executes a step, and all commits that are ready then. A commit that is ready delays no other step.
    fn execute(&self, state: &mut State, step: usize, steps: &mut Vec<usize>) {
        let mut next = Some(step);
        while let Some(step) = next {
            state.executed[self.happens_before.thread_index(step)] += 1;
            steps.push(step);
            let mut commits = self.phantoms.iter().filter_map(|phantom| self.next(state, *phantom));
            next = commits.find(|commit| self.is_ready(state, *commit));
        }
    }

    /// Are all steps executed that happen before this step?
    fn is_ready(&self, state: &State, step: usize) -> bool {
        self.tests.set(self.tests.get() + self.width());
        if self.final_step == Some(step) && state.count() + 1 < self.number.len() {
            return false;
        }
        let own = self.happens_before.thread_index(step);
        let entries = self.happens_before.clock(step).iter().zip(&state.executed).enumerate();
        entries.into_iter().all(|(thread, (needed, executed))| {
            needed <= executed || thread == own && *needed == executed + 1
        })
    }

    /// Is the thread enabled, as far as the observations of the steps show?
    fn is_enabled(&self, state: &State, thread: usize) -> bool {
        let Some(step) = self.next(state, thread) else { return self.was_enabled[thread] };
        if self.is_ready(state, step) {
            return true;
        }
        let event = &self.happens_before.events()[step];
        let is_awaited =
            |phantom: &usize| self.happens_before.clock(step)[*phantom] > state.executed[*phantom];
        if event.action.drains && self.phantoms_of(event.thread()).any(|phantom| is_awaited(&phantom)) {
            return false;
        }
        // An action that never blocks is enabled, with another effect.
        !may_block(&event.action) || self.is_enabled_by_object(state, event)
    }

    fn phantoms_of(&self, owner: ThreadId) -> impl Iterator<Item = usize> {
        let thread = |index: usize| self.happens_before.events()[self.steps[index][0]].thread();
        self.phantoms.iter().copied().filter(move |index| thread(*index).owner() == owner)
    }

    /// Does the present state of the event's object enable it? The next step on the object observes that
    /// state.
    fn is_enabled_by_object(&self, state: &State, event: &Event) -> bool {
        let steps = match (event.action.kind, event.action.object) {
            (Kind::Return, _) => return true,
            (Kind::Park, _) => self.unparks.get(&event.thread()),
            (_, Some(object)) => self.on_object.get(object.index()),
            (_, None) => None,
        };
        let is_next =
            |step: &&usize| self.number[**step] >= state.executed[self.happens_before.thread_index(**step)];
        let Some(next) = steps.and_then(|steps| steps.iter().find(is_next)) else { return false };
        let observer = &self.happens_before.events()[*next];
        // A thread that releases a lock to wait holds that lock, so the lock enables no other thread.
        let observes_object =
            event.action.object == observer.action.object || event.action.kind == Kind::Park;
        observes_object && Enabledness(observer.effect.observed).enables(event.action.kind).unwrap_or(false)
    }
}

/// Was the thread of these steps still enabled after its last step?
fn was_enabled(trace: &Trace, steps: &[usize]) -> bool {
    let last = steps.last().map_or(0, |last| last + 1);
    let next = trace.steps()[last..].iter().find(|step| !step.event.thread().is_phantom());
    next.is_some_and(|step| matches!(step.switch, Switch::Preempt | Switch::Yielded))
}
