//! One property, for other commands.

use super::verdict::{Decided, decide};
use super::{Arguments, progress};
use crate::failure::Failure;
use crate::model_file::Fair;
use clap::Parser;
use selvedge_lang::{Program, Property};

/// The options of `selvedge check`, all as they are if nobody gives them.
#[derive(Parser)]
struct Defaults {
    #[command(flatten)]
    arguments: Arguments,
}

/// Decides a property exactly as `selvedge check` does, so that both show the same run.
pub(crate) fn check_one<P: Program>(
    program: &P,
    property: &Property<P::Atom>,
    fair: Fair,
    exact: bool,
    timeout: Option<u64>,
) -> Result<Decided<P::System>, Failure> {
    let Defaults { arguments } = Defaults::parse_from(["check", "-"]);
    let arguments = Arguments { fair, exact, timeout, ..arguments };
    let decided = decide(program, &property.name, &property.formula, &arguments);
    progress::clear();
    decided
}
