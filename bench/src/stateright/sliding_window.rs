//! A sliding window, go-back-n: `models/sliding-window.par`.

use stateright::{Model, Property};
use std::collections::VecDeque;

#[derive(Clone)]
pub struct SlidingWindow {
    pub window: u8,
    pub numbers: u8,
    pub capacity: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sender {
    Begin,
    Choose,
    Answered,
    Adjust,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Receiver {
    Begin,
    Receive,
    IsInSequence,
    IsExpected,
    Wrong,
    Deliver,
    Advance,
    Forget,
    Answer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Thief {
    Begin,
    Choose,
    Steal,
    Forget,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    sender: Sender,
    first: u8,
    sent: u8,
    last: u8,
    receiver: Receiver,
    message: u8,
    expected: u8,
    thief: Thief,
    data: VecDeque<u8>,
    answers: VecDeque<u8>,
    is_wrong: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Send,
    ReceiveAnswer,
    TimeOut,
    /// Another step of the sender.
    Sender,
    Receiver,
    StealData,
    StealAnswer,
    /// Another step of the thief.
    Thief,
}

impl SlidingWindow {
    /// The sender reads the answer in `last`.
    fn adjust(&self, state: &mut State) {
        let behind = (state.last + self.numbers - state.first % self.numbers) % self.numbers;
        if behind < self.window {
            state.first = (state.first + behind + 1) % (2 * self.numbers);
            state.sent = if behind < state.sent { state.sent - behind - 1 } else { 0 };
        }
        state.last = 0;
    }

    /// The next position of the receiver. A message that is not read again is forgotten at once, so that
    /// there are fewer states.
    fn receive(&self, state: &mut State) -> Option<Receiver> {
        let is_in_sequence = state.message % self.numbers == state.expected % self.numbers;
        let next = match state.receiver {
            Receiver::Begin => Receiver::Receive,
            Receiver::Receive => {
                state.message = state.data.pop_front()?;
                Receiver::IsInSequence
            }
            Receiver::IsInSequence if is_in_sequence => Receiver::IsExpected,
            Receiver::IsInSequence => Receiver::Forget,
            Receiver::IsExpected if state.message == state.expected => Receiver::Deliver,
            Receiver::IsExpected => Receiver::Wrong,
            Receiver::Wrong => {
                state.is_wrong = true;
                Receiver::Deliver
            }
            Receiver::Deliver => Receiver::Advance,
            Receiver::Advance => {
                state.expected = (state.expected + 1) % (2 * self.numbers);
                Receiver::Forget
            }
            Receiver::Forget => Receiver::Answer,
            Receiver::Answer => {
                let answer = (state.expected + self.numbers - 1) % self.numbers;
                state.answers.push_back(answer);
                Receiver::Begin
            }
        };
        if !matches!(next, Receiver::IsInSequence | Receiver::IsExpected) {
            state.message = 0;
        }
        Some(next)
    }
}

impl Model for SlidingWindow {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            sender: Sender::Begin,
            first: 0,
            sent: 0,
            last: 0,
            receiver: Receiver::Begin,
            message: 0,
            expected: 0,
            thief: Thief::Begin,
            data: VecDeque::new(),
            answers: VecDeque::new(),
            is_wrong: false,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        let mut offer = |action: Action, is_enabled: bool| {
            if is_enabled {
                actions.push(action);
            }
        };
        let (has_data, has_answers) = (!state.data.is_empty(), !state.answers.is_empty());
        let is_choosing = state.sender == Sender::Choose;
        let is_open = state.sent < self.window && state.data.len() < self.capacity;
        offer(Action::Send, is_choosing && is_open);
        offer(Action::ReceiveAnswer, is_choosing && has_answers);
        offer(Action::TimeOut, is_choosing && state.sent > 0);
        offer(Action::Sender, !is_choosing);
        let can_receive = match state.receiver {
            Receiver::Receive => has_data,
            Receiver::Answer => state.answers.len() < self.capacity,
            _ => true,
        };
        offer(Action::Receiver, can_receive);
        offer(Action::StealData, state.thief == Thief::Choose && has_data);
        offer(Action::StealAnswer, state.thief == Thief::Choose && has_answers);
        offer(Action::Thief, state.thief != Thief::Choose);
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        match action {
            Action::Send => {
                state.data.push_back((state.first + state.sent) % (2 * self.numbers));
                state.sent += 1;
                state.sender = Sender::Begin;
            }
            Action::ReceiveAnswer => {
                state.last = state.answers.pop_front()?;
                state.sender = Sender::Answered;
            }
            Action::TimeOut => (state.sent, state.sender) = (0, Sender::Begin),
            Action::Sender => {
                state.sender = match state.sender {
                    Sender::Begin => Sender::Choose,
                    Sender::Answered => Sender::Adjust,
                    Sender::Adjust | Sender::Choose => {
                        self.adjust(&mut state);
                        Sender::Begin
                    }
                }
            }
            Action::Receiver => state.receiver = self.receive(&mut state)?,
            Action::StealData => {
                state.data.pop_front()?;
                state.thief = Thief::Steal;
            }
            Action::StealAnswer => {
                state.answers.pop_front()?;
                state.thief = Thief::Steal;
            }
            Action::Thief => {
                state.thief = match state.thief {
                    Thief::Begin => Thief::Choose,
                    Thief::Steal => Thief::Forget,
                    Thief::Forget | Thief::Choose => Thief::Begin,
                }
            }
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("in order", |_: &SlidingWindow, state: &State| !state.is_wrong)]
    }
}
