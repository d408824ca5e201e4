//! The engine: the stack, the current position, and what each command does to them.
//!
//! The thread that owns the target owns the engine. A search tells a [`Listener`] how far it is, and asks it
//! whether to go on.

use crate::protocol::{Command, Message};
use crate::snapshot::{InitialChoice, Snapshot};
use crate::target::{Move, StateId, Target, TargetError};
use crate::view::{MoveView, StateView};

/// How far a search is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// States visited so far.
    pub visited: u64,
    /// The length of the current path.
    pub depth: usize,
    /// Alternatives found so far.
    pub found: usize,
}

/// Hears how far a search is, at every state that it visits, and says whether to go on.
pub trait Listener {
    /// Returns false to cancel the search.
    fn progress(&mut self, progress: Progress) -> bool;
}

/// A listener that never cancels.
impl Listener for () {
    fn progress(&mut self, _progress: Progress) -> bool {
        true
    }
}

/// A session.
pub struct Engine {
    target: Box<dyn Target>,
    initial: Vec<StateId>,
    run: Vec<StateId>,
    moves: Vec<u32>,
    position: usize,
    revision: u64,
}

impl Engine {
    /// A session at its beginning: in the first initial state, or at the start of the target's given run.
    ///
    /// # Errors
    /// If the target has no state to begin in.
    pub fn new(mut target: Box<dyn Target>) -> Result<Engine, TargetError> {
        let initial = target.initial()?;
        let first = *initial.first().ok_or_else(|| TargetError("there is no initial state".to_owned()))?;
        Ok(Engine { target, initial, run: vec![first], moves: Vec::new(), position: 0, revision: 0 })
    }

    /// The messages that a session begins with: `program` and `snapshot`.
    pub fn open(&mut self) -> [Message; 2] {
        [Message::Program { program: Box::new(self.target.program()) }, self.snapshot()]
    }

    /// Carries a command out.
    pub fn handle(&mut self, command: &Command, _listener: &mut dyn Listener) -> Message {
        match command {
            Command::Look { position } => {
                self.position = (*position).min(self.moves.len());
                self.snapshot()
            }
            _ => Message::Error { text: "this command is not known yet".to_owned() },
        }
    }

    fn snapshot(&mut self) -> Message {
        let state = self.run[self.position];
        let snapshot = Snapshot {
            revision: self.revision,
            length: self.moves.len(),
            position: self.position,
            state: self.state_view(state),
            initial: InitialChoice { count: self.initial.len(), chosen: 0 },
            ..Snapshot::default()
        };
        Message::Snapshot { snapshot: Box::new(snapshot) }
    }

    fn state_view(&mut self, state: StateId) -> StateView {
        let mut view = self.target.view(state);
        let mut moves: Vec<Move> = Vec::new();
        if self.target.moves(state, &mut moves).is_ok() {
            for number in 0..moves.len() as u32 {
                let made: MoveView = self.target.describe(state, number);
                if let Some(row) = made.process.and_then(|process| view.processes.get_mut(process as usize)) {
                    row.moves.push(made);
                }
            }
        }
        view
    }
}
