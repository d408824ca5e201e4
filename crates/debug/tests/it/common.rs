//! Models of the repository as targets, and a session that is driven by commands.

use selvedge_debug::model::Reading;
use selvedge_debug::protocol::{Command, Message};
use selvedge_debug::snapshot::{Answer, SearchOptions, Snapshot, Timeline};
use selvedge_debug::view::ProgramView;
use selvedge_debug::{Engine, Model, ModelTarget};
use selvedge_lang::{GraphProgram, Inspector, Program, ProgramSystem, SystemOptions, machine::Machine};
use selvedge_ltl::Alphabet;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Source;
use selvedge_model::Word;

const EXACT: SystemOptions = SystemOptions { exact: true, concrete: false, fair: false };

pub(crate) struct FileModel(GraphProgram);

impl Model for FileModel {
    type System = Machine;

    fn read(&self, text: &str) -> Result<Reading<Machine>, Vec<Diagnostic>> {
        let mut alphabet = Alphabet::default();
        let formula = alphabet.number(&self.0.formula(text)?).expect("few propositions");
        let system = self.0.system(alphabet.names(), EXACT).map_err(|error| vec![error])?;
        let propositions = alphabet.names().iter().map(ToString::to_string).collect();
        Ok(Reading { formula, propositions, system, shares_states: true })
    }

    fn program(&self) -> ProgramView {
        ProgramView { title: "a model".to_owned(), ..ProgramView::default() }
    }

    fn forget_last_mover(&self, system: &Machine, state: &mut [Word]) {
        system.forget_last_mover(state);
    }

    fn evaluate(&self, system: &Machine, text: &str, state: &[Word]) -> Result<String, String> {
        let value = self.0.evaluate(system, text, state);
        value.map_err(|diagnostics| diagnostics[0].message.clone())
    }
}

/// A model of the repository, with the values of constants.
pub(crate) fn target(file: &str, settings: &[(String, i64)]) -> ModelTarget<FileModel> {
    let path = format!("{}/../../models/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    text_target(file, &text, settings)
}

/// A model given as text; its name decides the language.
pub(crate) fn text_target(file: &str, text: &str, settings: &[(String, i64)]) -> ModelTarget<FileModel> {
    let source = Source::new(file, text);
    let (program, diagnostics) = match file.ends_with(".flow") {
        true => selvedge_lang::flow::parse_with(&source, settings),
        false => selvedge_lang::parallel::parse_with(&source, settings),
    };
    let program = program.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let system = program.system(&[], EXACT).expect("a system");
    ModelTarget::new(FileModel(program), system)
}

/// A session, with its last snapshot.
pub(crate) struct Session {
    pub(crate) engine: Engine,
    pub(crate) now: Snapshot,
}

impl Session {
    pub(crate) fn new(target: impl selvedge_debug::Target + 'static) -> Session {
        let mut engine = Engine::new(Box::new(target)).expect("an initial state");
        let [_, snapshot] = engine.open();
        let Message::Snapshot { snapshot } = snapshot else { panic!("a session opens with a snapshot") };
        Session { engine, now: *snapshot }
    }

    /// Carries a command out that answers with a snapshot.
    #[track_caller]
    pub(crate) fn tell(&mut self, command: &Command) -> Option<Answer> {
        match self.engine.handle(command, &mut ()) {
            Message::Snapshot { snapshot } => self.now = *snapshot,
            other => panic!("{command:?}: {other:?}"),
        }
        self.now.answer.clone()
    }

    /// Searches a step.
    #[track_caller]
    pub(crate) fn step(&mut self, formula: &str, options: SearchOptions) -> Option<Answer> {
        self.tell(&Command::Step { formula: formula.to_owned(), options })
    }

    /// Searches a step, and returns its length; `None` if there is none at all.
    #[track_caller]
    pub(crate) fn length(&mut self, formula: &str, options: SearchOptions) -> Option<usize> {
        match self.step(formula, options) {
            Some(Answer::FoundStep { length, .. }) => Some(length),
            Some(Answer::None { .. }) => None,
            other => panic!("{formula}: {other:?}"),
        }
    }

    /// The value of an expression in the state that is looked at.
    #[track_caller]
    pub(crate) fn value(&mut self, text: &str) -> String {
        self.tell(&Command::Expressions { texts: vec![text.to_owned()] });
        self.now.expressions[0].value.clone()
    }

    /// The whole run.
    pub(crate) fn timeline(&mut self) -> Timeline {
        let command = Command::Timeline { from: 0, to: self.now.length };
        match self.engine.handle(&command, &mut ()) {
            Message::Timeline { timeline } => timeline,
            other => panic!("{other:?}"),
        }
    }
}
