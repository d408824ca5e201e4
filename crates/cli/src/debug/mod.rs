//! `selvedge debug`: runs of a model, chosen formula by formula; recorded runs.
//!
//! The file decides the target: a trace file is a recording, any other file a model. The front end is the
//! terminal or the page; both speak the protocol of `selvedge-debug`.

mod arguments;
mod counterexample;
mod front_end;
mod line_editor;
mod page;
mod program_model;

pub(crate) use arguments::{Arguments, FrontEnd};
pub(crate) use counterexample::open_counterexample;
pub(crate) use page::PageOptions;

use crate::failure::{Failure, Outcome};
use crate::model_file::{self, ModelCommand, ReadPlan};
use selvedge_debug::recording::RecordingTarget;
use selvedge_debug::{Engine, Target, TargetError};
use selvedge_explore::Recording;
use selvedge_lang::Program;
use selvedge_ltl::source::Source;
use std::io::Write;

/// The first word of a trace file.
const TRACE_MARK: &[u8] = b"selvedge-trace";

/// Opens a session, and ends with it.
pub(crate) fn run(arguments: Arguments, output: &mut dyn Write) -> Result<Outcome, Failure> {
    let name = arguments.file.display().to_string();
    let front_end = arguments.front_end();
    let bytes = std::fs::read(&arguments.file).map_err(|error| Failure::Usage(format!("{name}: {error}")))?;
    let target: Box<dyn Target> = if bytes.starts_with(TRACE_MARK) {
        let recording = Recording::from_bytes(&bytes)
            .map_err(|error| Failure::Usage(format!("{name}:{}: {}", error.line, error.message)))?;
        Box::new(RecordingTarget::new(name, recording))
    } else {
        let source = model_file::decode(&name, bytes)?;
        let plan = ReadPlan { settings: arguments.settings, erlang: arguments.erlang.into() };
        model_file::with_program(&source, &plan, OpenModel { source: &source })?
    };
    open(target, &front_end, output)
}

/// Opens a session on a target.
fn open(target: Box<dyn Target>, front_end: &FrontEnd, output: &mut dyn Write) -> Result<Outcome, Failure> {
    let engine = Engine::new(target).map_err(refuse)?;
    front_end::run(engine, front_end, output)?;
    Ok(Outcome::Yes)
}

fn refuse(error: TargetError) -> Failure {
    Failure::Usage(error.0)
}

/// Makes a target of a model.
struct OpenModel<'s> {
    source: &'s Source,
}

impl ModelCommand for OpenModel<'_> {
    type Answer = Box<dyn Target>;

    fn run<P: Program>(self, program: P) -> Result<Box<dyn Target>, Failure> {
        Ok(Box::new(program_model::target(program, self.source)?))
    }
}
