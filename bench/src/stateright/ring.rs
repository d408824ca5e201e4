//! A ring of processes: one enters while its neighbour does not want to enter (`models::ring`).

use stateright::{Model, Property};

#[derive(Clone)]
pub struct Ring {
    pub count: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Position {
    Outside,
    Want,
    Look,
    Retreat,
    Inside,
    Leave,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    positions: Vec<Position>,
    wants: Vec<bool>,
}

impl Model for Ring {
    type State = State;
    /// The process that takes its next step.
    type Action = usize;

    fn init_states(&self) -> Vec<State> {
        vec![State { positions: vec![Position::Outside; self.count], wants: vec![false; self.count] }]
    }

    fn actions(&self, _: &State, actions: &mut Vec<usize>) {
        actions.extend(0..self.count);
    }

    fn next_state(&self, state: &State, process: usize) -> Option<State> {
        let mut next = state.clone();
        let (position, want) = match state.positions[process] {
            Position::Outside => (Position::Want, None),
            Position::Want => (Position::Look, Some(true)),
            Position::Look if state.wants[(process + 1) % self.count] => (Position::Retreat, None),
            Position::Look => (Position::Inside, None),
            Position::Retreat => (Position::Want, Some(false)),
            Position::Inside => (Position::Leave, None),
            Position::Leave => (Position::Outside, Some(false)),
        };
        next.positions[process] = position;
        if let Some(want) = want {
            next.wants[process] = want;
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("not all inside", |_: &Ring, state: &State| {
            !state.positions.iter().all(|position| *position == Position::Inside)
        })]
    }
}
