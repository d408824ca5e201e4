//! The options of `selvedge debug`.

use super::page::{PageOptions, SessionPlace};
use crate::erlang_arguments::ErlangArguments;
use crate::option_values::parse_setting;
use clap::Args;
use std::path::PathBuf;

/// Debug a model: runs are chosen by formulas; look at a recorded run.
#[derive(Args)]
#[command(after_help = "\
A formula asks for a finite sequence of states from the current one. What is found is a step; steps are a stack, which \
can be backtracked. The line `help` lists the commands of the terminal. Lines from a pipe or a file are a script: each is \
shown with its answer.

Without --terminal, the session is a page in the browser, served on loopback alone, at an address with a random token. Its links open places in Visual Studio \
Code; the variable SELVEDGE_EDITOR has the address of another editor, as in idea://open?file={file}&line={line}.

Beside the propositions of the language there are `deadlock`, `ended` and `enabled(P)`.

Exit codes:
  0  the session has ended
  2  bad input or usage

Examples:
  selvedge debug --terminal models/dekker.flow
  selvedge debug --terminal models/philosophers.par --set N=10
  selvedge debug --terminal docs/lost-update.trace")]
pub(crate) struct Arguments {
    /// The model, a `.par`, `.flow` or `.erl` file; or a trace file
    pub(super) file: PathBuf,

    /// In the terminal, line by line, instead of the browser
    #[arg(long)]
    terminal: bool,

    /// Print the address of the page, and open no browser
    #[arg(long, conflicts_with = "terminal")]
    no_browser: bool,

    /// The port of the page, on loopback; by default any that is free
    #[arg(
        long,
        value_name = "PORT",
        default_value_t = 0,
        hide_default_value = true,
        conflicts_with = "terminal"
    )]
    port: u16,

    /// Keep the commands of the session in this file; if it exists, go on where it ends [default: a
    /// temporary file]
    #[arg(long, value_name = "FILE", conflicts_with = "terminal")]
    session: Option<PathBuf>,

    /// Give a constant of the model another value, as in N=5; in Erlang, define the macro ?N
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_setting)]
    pub(super) settings: Vec<(String, i64)>,

    #[command(flatten)]
    pub(super) erlang: ErlangArguments,
}

/// Where a session is shown.
#[derive(Clone, Debug)]
pub(crate) enum FrontEnd {
    /// Line by line.
    Terminal,
    /// In the browser.
    Page(PageOptions),
}

impl Arguments {
    pub(super) fn front_end(&self) -> FrontEnd {
        if self.terminal {
            return FrontEnd::Terminal;
        }
        FrontEnd::Page(PageOptions {
            port: self.port,
            session: self.session.clone().map_or(SessionPlace::Temporary, SessionPlace::File),
            is_printed_only: self.no_browser,
        })
    }
}
