//! Which steps can come next, and what a switch costs.

use crate::event::{Event, Kind};
use crate::ids::ThreadId;
use crate::light::Candidate;
use crate::open::{Open, can_wait};
use crate::schedulers::History;
use crate::trace::{Switch, Trace};
use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Add;

/// What an order costs. Pre-emptions count first.
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

/// How far each thread is, and who ran last; threads are known by their places.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct State {
    done: Vec<u32>,
    last: Option<usize>,
}

impl State {
    /// How many steps are done.
    pub(super) fn count(&self) -> usize {
        self.done.iter().map(|done| *done as usize).sum()
    }
}

/// The steps of a run, and what must come before each.
pub(super) struct Moves {
    history: History,
    /// The steps of each thread.
    steps: Vec<Vec<usize>>,
    /// The number of each step in its thread, from 0.
    number: Vec<u32>,
    /// The places of phantoms, which commit stores.
    phantoms: Vec<usize>,
    /// The steps that concern each object; by its index.
    on_object: Vec<Vec<usize>>,
    /// The gifts of a token to each thread.
    unparks: HashMap<ThreadId, Vec<usize>>,
    /// Could each thread still go on when it was left for the last time?
    was_able: Vec<bool>,
    /// The step that ends the run.
    final_step: Option<usize>,
    looks: Cell<usize>,
}

impl Moves {
    pub(super) fn new(trace: &Trace, ends_by_last: bool) -> Moves {
        let history = History::of(trace);
        let mut steps: Vec<Vec<usize>> = Vec::new();
        let mut number = Vec::with_capacity(trace.len());
        let (mut on_object, mut unparks) = (Vec::<Vec<_>>::new(), HashMap::<_, Vec<_>>::new());
        for (step, event) in history.events().iter().enumerate() {
            let place = history.place(step);
            if steps.len() <= place {
                steps.resize(place + 1, Vec::new());
            }
            number.push(steps[place].len() as u32);
            steps[place].push(step);
            for object in [event.action.object, event.action.second].into_iter().flatten() {
                on_object.resize_with(on_object.len().max(object.index() + 1), Vec::new);
                on_object[object.index()].push(step);
            }
            if let (Kind::Unpark, Some(target)) = (event.action.kind, event.action.target) {
                unparks.entry(target).or_default().push(step);
            }
        }
        let is_phantom = |place: &usize| history.events()[steps[*place][0]].thread().is_phantom();
        let phantoms = (0..steps.len()).filter(is_phantom).collect();
        let was_able = steps.iter().map(|steps| was_able(trace, steps)).collect();
        let final_step = ends_by_last.then(|| trace.len().checked_sub(1)).flatten();
        let looks = Cell::new(0);
        Moves { history, steps, number, phantoms, on_object, unparks, was_able, final_step, looks }
    }

    /// How many threads there are, phantoms too.
    pub(super) fn width(&self) -> usize {
        self.steps.len()
    }

    /// How many steps were looked at, times the number of threads.
    pub(super) fn looks(&self) -> usize {
        self.looks.get()
    }

    /// Before the first step.
    pub(super) fn start(&self) -> State {
        State { done: vec![0; self.width()], last: None }
    }

    /// Is every step done?
    pub(super) fn is_end(&self, state: &State) -> bool {
        state.count() == self.number.len()
    }

    /// At least so many switches come after the state.
    pub(super) fn still_to_come(&self, state: &State) -> usize {
        let is_left = |place: &usize| Some(*place) != state.last && self.next(state, *place).is_some();
        (0..self.width()).filter(|place| !self.phantoms.contains(place)).filter(is_left).count()
    }

    /// What no order can beat.
    pub(super) fn least(&self) -> Cost {
        Cost { preemptions: 0, switches: self.still_to_come(&self.start()) }
    }

    /// What the run itself costs, estimated as other orders are.
    pub(super) fn cost_of_run(&self) -> Cost {
        let mut state = self.start();
        let mut cost = Cost::default();
        for step in 0..self.number.len() {
            let place = self.history.place(step);
            if !self.phantoms.contains(&place) {
                if state.last != Some(place) {
                    cost = cost + self.cost_of_switch(&state);
                }
                state.last = Some(place);
            }
            state.done[place] += 1;
        }
        cost
    }

    /// What it costs to leave who ran last.
    pub(super) fn cost_of_switch(&self, state: &State) -> Cost {
        let is_preempted = state.last.is_some_and(|last| {
            let before = state.done[last].checked_sub(1).map(|done| self.steps[last][done as usize]);
            let yielded = before.is_some_and(|step| self.history.events()[step].gives_way());
            !yielded && self.is_able(state, last)
        });
        Cost { preemptions: usize::from(is_preempted), switches: 1 }
    }

    /// Finds the stretches that a thread can run now, if it is not the one that ran last: as far as it can, and to each of its yields.
    pub(super) fn stretches(&self, state: &State, place: usize, found: &mut Vec<(Vec<usize>, State)>) {
        if state.last == Some(place) || self.phantoms.contains(&place) {
            return;
        }
        let ready = |state: &State| self.next(state, place).filter(|step| self.is_ready(state, *step));
        let Some(mut step) = ready(state) else { return };
        let mut state = State { last: Some(place), ..state.clone() };
        let mut steps = Vec::with_capacity(self.steps[place].len() - state.done[place] as usize);
        loop {
            self.take(&mut state, step, &mut steps);
            let Some(next) = ready(&state) else { break };
            if self.history.events()[step].gives_way() {
                found.push((steps.clone(), state.clone()));
            }
            step = next;
        }
        found.push((steps, state));
    }

    fn next(&self, state: &State, place: usize) -> Option<usize> {
        self.steps[place].get(state.done[place] as usize).copied()
    }

    /// Does a step, and all commits that can be done then. None of them can be in anybody's way.
    fn take(&self, state: &mut State, step: usize, steps: &mut Vec<usize>) {
        let mut next = Some(step);
        while let Some(step) = next {
            state.done[self.history.place(step)] += 1;
            steps.push(step);
            let mut commits = self.phantoms.iter().filter_map(|phantom| self.next(state, *phantom));
            next = commits.find(|commit| self.is_ready(state, *commit));
        }
    }

    /// Is all done that must come before the step?
    fn is_ready(&self, state: &State, step: usize) -> bool {
        self.looks.set(self.looks.get() + self.width());
        if self.final_step == Some(step) && state.count() + 1 < self.number.len() {
            return false;
        }
        let own = self.history.place(step);
        let clock = self.history.clock(step).iter().zip(&state.done).enumerate();
        clock.into_iter().all(|(place, (needed, done))| needed <= done || place == own && *needed == done + 1)
    }

    /// Could the thread go on, as far as the steps tell?
    fn is_able(&self, state: &State, place: usize) -> bool {
        let Some(step) = self.next(state, place) else { return self.was_able[place] };
        if self.is_ready(state, step) {
            return true;
        }
        let event = &self.history.events()[step];
        let is_undone = |phantom: &usize| self.history.clock(step)[*phantom] > state.done[*phantom];
        if event.action.drains && self.phantoms_of(event.thread()).any(|phantom| is_undone(&phantom)) {
            return false;
        }
        // What never waits would be done, and turn out differently.
        !can_wait(&event.action) || self.is_let_go(state, event)
    }

    fn phantoms_of(&self, owner: ThreadId) -> impl Iterator<Item = usize> {
        let thread = |place: usize| self.history.events()[self.steps[place][0]].thread();
        self.phantoms.iter().copied().filter(move |place| thread(*place).owner() == owner)
    }

    /// Would what an event waits for let it go on? The next step that concerns the same thing found it as it is now.
    fn is_let_go(&self, state: &State, event: &Event) -> bool {
        let all = match (event.action.kind, event.action.object) {
            (Kind::Return, _) => return true,
            (Kind::Park, _) => self.unparks.get(&event.thread()),
            (_, Some(object)) => self.on_object.get(object.index()),
            (_, None) => None,
        };
        let is_left = |step: &&usize| self.number[**step] >= state.done[self.history.place(**step)];
        let Some(next) = all.and_then(|steps| steps.iter().find(is_left)) else { return false };
        let found = &self.history.events()[*next];
        // Who gives a lock up to wait has it.
        let is_first = event.action.object == found.action.object || event.action.kind == Kind::Park;
        is_first && Open(found.effect.observed).allows(event.action.kind).unwrap_or(false)
    }
}

/// Could the thread of these steps go on when it was left for the last time?
fn was_able(trace: &Trace, steps: &[usize]) -> bool {
    let last = steps.last().map_or(0, |last| last + 1);
    let next = trace.steps()[last..].iter().find(|step| !step.event.thread().is_phantom());
    next.is_some_and(|step| matches!(step.switch, Switch::Preempt | Switch::Yielded))
}
