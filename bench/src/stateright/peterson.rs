//! Peterson's filter lock: `models/peterson.par`.

use stateright::{Model, Property};

#[derive(Clone)]
pub struct Peterson {
    pub count: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Position {
    Remainder,
    FirstLevel,
    TestLevel,
    Announce,
    LetOthersPass,
    TestOther,
    Wait,
    NextOther,
    NextLevel,
    Enter,
    Critical,
    Leave,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Process {
    position: Position,
    level: u8,
    other: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    processes: Vec<Process>,
    /// The level of each process.
    levels: Vec<u8>,
    /// The last process that entered each level, from 1; 0 before the first.
    last: Vec<u8>,
    inside: u8,
}

impl Peterson {
    /// May a process go past the one that it looks at?
    fn may_pass(state: &State, index: usize) -> bool {
        let Process { level, other, .. } = state.processes[index];
        let own = index as u8 + 1;
        other == own || state.levels[usize::from(other) - 1] < level || state.last[usize::from(level)] != own
    }
}

impl Model for Peterson {
    type State = State;
    /// The process that takes its next step.
    type Action = usize;

    fn init_states(&self) -> Vec<State> {
        let process = Process { position: Position::Remainder, level: 0, other: 0 };
        vec![State {
            processes: vec![process; self.count],
            levels: vec![0; self.count],
            last: vec![0; self.count],
            inside: 0,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<usize>) {
        let is_enabled = |index: &usize| {
            state.processes[*index].position != Position::Wait || Self::may_pass(state, *index)
        };
        actions.extend((0..self.count).filter(is_enabled));
    }

    fn next_state(&self, last: &State, index: usize) -> Option<State> {
        let mut state = last.clone();
        let mut process = state.processes[index];
        process.position = match process.position {
            Position::Remainder => Position::FirstLevel,
            Position::FirstLevel => {
                process.level = 1;
                Position::TestLevel
            }
            Position::TestLevel if usize::from(process.level) < self.count => Position::Announce,
            Position::TestLevel => Position::Enter,
            Position::Announce => {
                state.levels[index] = process.level;
                Position::LetOthersPass
            }
            Position::LetOthersPass => {
                state.last[usize::from(process.level)] = index as u8 + 1;
                process.other = 1;
                Position::TestOther
            }
            Position::TestOther if usize::from(process.other) <= self.count => Position::Wait,
            Position::TestOther => Position::NextLevel,
            Position::Wait => Position::NextOther,
            Position::NextOther => {
                process.other += 1;
                Position::TestOther
            }
            Position::NextLevel => {
                process.level += 1;
                Position::TestLevel
            }
            Position::Enter => {
                state.inside += 1;
                Position::Critical
            }
            Position::Critical => Position::Leave,
            Position::Leave => {
                state.inside -= 1;
                state.levels[index] = 0;
                (process.level, process.other) = (0, 0);
                Position::Remainder
            }
        };
        state.processes[index] = process;
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("mutual exclusion", |_: &Peterson, state: &State| state.inside <= 1)]
    }
}
