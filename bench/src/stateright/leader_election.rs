//! Leader election on a ring: `models/leader-election.par`.

use stateright::{Model, Property};

#[derive(Clone)]
pub struct LeaderElection {
    pub count: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Position {
    Start,
    Loop,
    Receive,
    IsOwn,
    Elect,
    IsGreater,
    IsCandidate,
    Forward,
    IsLast,
    Announce,
    Inform,
    Ended,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Process {
    position: Position,
    message: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    processes: Vec<Process>,
    /// The message before each process, 0 if there is none.
    mail: Vec<u8>,
    leaders: u8,
    leader: u8,
    informed: u8,
    candidacies: u8,
}

impl LeaderElection {
    /// Messages go to the process before this one.
    fn next(&self, index: usize) -> usize {
        (index + self.count - 1) % self.count
    }
}

impl Model for LeaderElection {
    type State = State;
    /// The process that takes its next step.
    type Action = usize;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            processes: vec![Process { position: Position::Start, message: 0 }; self.count],
            mail: vec![0; self.count],
            leaders: 0,
            leader: 0,
            informed: 0,
            candidacies: 0,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<usize>) {
        for (index, process) in state.processes.iter().enumerate() {
            let is_enabled = match process.position {
                Position::Start | Position::Forward | Position::Announce => state.mail[self.next(index)] == 0,
                Position::Receive => state.mail[index] != 0,
                Position::Ended => false,
                _ => true,
            };
            if is_enabled {
                actions.push(index);
            }
        }
    }

    fn next_state(&self, last: &State, index: usize) -> Option<State> {
        let mut state = last.clone();
        let (own, count, next) = (index as u8 + 1, self.count as u8, self.next(index));
        let Process { position, mut message } = state.processes[index];
        let position = match position {
            Position::Start => {
                state.mail[next] = own;
                state.candidacies += 1;
                Position::Loop
            }
            Position::Loop if message <= count => Position::Receive,
            Position::Loop => Position::Inform,
            Position::Receive => {
                message = std::mem::take(&mut state.mail[index]);
                Position::IsOwn
            }
            Position::IsOwn if message == own => Position::Elect,
            Position::IsOwn => Position::IsGreater,
            Position::Elect => {
                state.leaders += 1;
                state.leader = own;
                message = count + own;
                Position::IsGreater
            }
            Position::IsGreater if own < message => Position::IsCandidate,
            Position::IsGreater => Position::Loop,
            Position::IsCandidate if message <= count => Position::Forward,
            Position::IsCandidate => Position::IsLast,
            Position::Forward => {
                state.mail[next] = message;
                state.candidacies += 1;
                Position::Loop
            }
            Position::IsLast if message != count + next as u8 + 1 => Position::Announce,
            Position::IsLast => Position::Loop,
            Position::Announce => {
                state.mail[next] = message;
                Position::Loop
            }
            Position::Inform => {
                state.informed += 1;
                Position::Ended
            }
            Position::Ended => return None,
        };
        state.processes[index] = Process { position, message };
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("one leader", |_: &LeaderElection, state: &State| state.leaders <= 1)]
    }
}
