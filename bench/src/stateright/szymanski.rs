//! Szymanski's algorithm: `models/szymanski.par`.

use stateright::{Model, Property};

#[derive(Clone)]
pub struct Szymanski {
    pub count: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Position {
    Begin,
    Remainder,
    Want,
    EntryLoop,
    EntryTest,
    EntryNext,
    Door,
    ScanLoop,
    Scan,
    IsFound,
    WaitInside,
    ExitLoop,
    ExitNext,
    PassExit,
    OrderLoop,
    OrderTest,
    OrderNext,
    Enter,
    Critical,
    Leave,
    DrainLoop,
    DrainTest,
    DrainNext,
    Outside,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Process {
    position: Position,
    other: u8,
    is_found: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    processes: Vec<Process>,
    flags: Vec<u8>,
    inside: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The next step of a process.
    Step(usize),
    /// A process stays in its remainder.
    Stay(usize),
}

impl Szymanski {
    /// The position after a test, which changes nothing.
    fn tested(&self, state: &State, index: usize) -> Position {
        let Process { position, other, is_found } = state.processes[index];
        let (own, count) = (index as u8 + 1, self.count as u8);
        let flag = || state.flags[usize::from(other) - 1];
        let choose = |test: bool, yes: Position, no: Position| if test { yes } else { no };
        match position {
            Position::EntryLoop => choose(other <= count, Position::EntryTest, Position::Door),
            Position::EntryTest => choose(flag() < 3, Position::EntryNext, Position::EntryLoop),
            Position::ScanLoop => choose(other <= count && !is_found, Position::Scan, Position::IsFound),
            Position::IsFound => choose(is_found, Position::WaitInside, Position::PassExit),
            Position::ExitLoop => choose(flag() != 4, Position::ExitNext, Position::PassExit),
            Position::OrderLoop => choose(other < own, Position::OrderTest, Position::Enter),
            Position::OrderTest => choose(flag() < 2, Position::OrderNext, Position::OrderLoop),
            Position::DrainLoop => choose(other <= count, Position::DrainTest, Position::Outside),
            Position::DrainTest => {
                choose(flag() < 2 || flag() == 4, Position::DrainNext, Position::DrainLoop)
            }
            Position::Begin => Position::Remainder,
            Position::Remainder => Position::Want,
            Position::Critical => Position::Leave,
            other => unreachable!("{other:?} changes the state"),
        }
    }
}

impl Model for Szymanski {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let process = Process { position: Position::Begin, other: 0, is_found: false };
        vec![State { processes: vec![process; self.count], flags: vec![0; self.count], inside: 0 }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for (index, process) in state.processes.iter().enumerate() {
            actions.push(Action::Step(index));
            if process.position == Position::Remainder {
                actions.push(Action::Stay(index));
            }
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        let Action::Step(index) = action else { return Some(state) };
        let (own, count) = (index as u8 + 1, self.count as u8);
        let process = &mut state.processes[index];
        process.position = match process.position {
            Position::Want => {
                (state.flags[index], process.other) = (1, 1);
                Position::EntryLoop
            }
            Position::EntryNext | Position::OrderNext | Position::DrainNext => {
                process.other += 1;
                match process.position {
                    Position::EntryNext => Position::EntryLoop,
                    Position::OrderNext => Position::OrderLoop,
                    _ => Position::DrainLoop,
                }
            }
            Position::Door => {
                (state.flags[index], process.other, process.is_found) = (3, 1, false);
                Position::ScanLoop
            }
            Position::Scan => {
                process.is_found = state.flags[usize::from(process.other) - 1] == 1;
                process.other += 1;
                Position::ScanLoop
            }
            Position::WaitInside => {
                (state.flags[index], process.other) = (2, 1);
                Position::ExitLoop
            }
            Position::ExitNext => {
                process.other = process.other % count + 1;
                Position::ExitLoop
            }
            Position::PassExit => {
                (state.flags[index], process.other, process.is_found) = (4, 1, false);
                Position::OrderLoop
            }
            Position::Enter => {
                state.inside += 1;
                Position::Critical
            }
            Position::Leave => {
                state.inside -= 1;
                process.other = own + 1;
                Position::DrainLoop
            }
            Position::Outside => {
                (state.flags[index], process.other) = (0, 0);
                Position::Begin
            }
            _ => {
                let position = self.tested(last, index);
                // Values that are not read again are forgotten, so that there are fewer states.
                match position {
                    Position::IsFound => process.other = 0,
                    Position::WaitInside => process.is_found = false,
                    Position::PassExit => (process.other, process.is_found) = (0, false),
                    _ => {}
                }
                position
            }
        };
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("mutual exclusion", |_: &Szymanski, state: &State| state.inside <= 1)]
    }
}
