//! The options of Erlang programs, which `selvedge check` and `selvedge graph` share.
//!
//! Promise: a file of another language is refused if such an option is given; the message names the option.

use crate::failure::Failure;
use crate::option_values::{parse_natural, parse_positive};
use clap::{Args, ValueEnum};
use selvedge_lang::{Delivery, ErlangOptions, Language};
use std::path::PathBuf;

/// The options of Erlang programs.
#[derive(Args, Clone)]
#[command(next_help_heading = "Erlang programs")]
pub(crate) struct ErlangArguments {
    /// The function that the initial process evaluates, without arguments: f, or m:f in another module
    /// [default: main]
    #[arg(long, value_name = "FUNCTION")]
    main: Option<String>,

    /// Search with the values of this abstract domain; several are their product
    #[arg(long, value_name = "DOMAIN")]
    domain: Vec<String>,

    /// Look for included files, other modules and domains here too, after the directory of the file; may be
    /// given several times
    #[arg(long, value_name = "DIR")]
    path: Vec<PathBuf>,

    /// How messages reach mailboxes [default: immediate]
    #[arg(long, value_name = "ORDER")]
    delivery: Option<DeliveryOption>,

    /// Cut a run off where a mailbox would have more messages [default: 32]
    #[arg(long, value_name = "N", value_parser = parse_positive::<usize>, allow_negative_numbers = true)]
    max_mailbox: Option<usize>,

    /// Cut a run off where more processes would live [default: 64]
    #[arg(long, value_name = "N", value_parser = parse_positive::<usize>, allow_negative_numbers = true)]
    max_processes: Option<usize>,

    /// Cut a run off where a process would have more frames on its stack [default: 1000]
    #[arg(long, value_name = "N", value_parser = parse_positive::<usize>, allow_negative_numbers = true)]
    max_stack: Option<usize>,

    /// Cut a run off where a process would make more local steps at once [default: 100000]
    #[arg(long, value_name = "N", value_parser = parse_positive::<usize>, allow_negative_numbers = true)]
    max_local: Option<usize>,

    /// Timeouts of so many milliseconds or more expire only where no other process can move [default: 5000]
    #[arg(long, value_name = "MS", value_parser = parse_natural::<u64>, allow_negative_numbers = true)]
    long_timeout: Option<u64>,

    /// Up to so many times in a run, some process is killed [default: 0]
    #[arg(long, value_name = "N", value_parser = parse_natural::<usize>, allow_negative_numbers = true)]
    crashes: Option<usize>,

    /// Forget all but so many frames of a stack: a return from a forgotten one goes to every call site
    #[arg(long, value_name = "N", value_parser = parse_positive::<usize>, allow_negative_numbers = true)]
    frames: Option<usize>,

    /// An exit with this reason is no crash, as with `normal` and `shutdown`; may be given several times
    #[arg(long, value_name = "REASON")]
    normal: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DeliveryOption {
    /// A message is in the mailbox as soon as it is sent
    Immediate,
    /// A message travels; only those of one process to another arrive in order
    Fifo,
}

/// The options of Erlang programs, validated.
pub(crate) struct ErlangPlan {
    pub(crate) options: ErlangOptions,
    /// The directories to look for other files in.
    pub(crate) paths: Vec<PathBuf>,
    /// The options that were given, by name.
    given: Vec<&'static str>,
}

impl ErlangPlan {
    /// Refuses a file of another language if an option of Erlang was given.
    pub(crate) fn refuse_other(&self, file: &str, language: Language) -> Result<(), Failure> {
        match self.given.first() {
            Some(option) if language != Language::Erlang => Err(Failure::Usage(format!(
                "{option} is for Erlang programs, and {file} is read as {}",
                language.name()
            ))),
            _ => Ok(()),
        }
    }
}

impl From<ErlangArguments> for ErlangPlan {
    fn from(arguments: ErlangArguments) -> ErlangPlan {
        let given = arguments.given();
        let default = ErlangOptions::default();
        let options = ErlangOptions {
            main: arguments.main,
            domains: arguments.domain,
            delivery: match arguments.delivery {
                None | Some(DeliveryOption::Immediate) => Delivery::Immediate,
                Some(DeliveryOption::Fifo) => Delivery::Fifo,
            },
            max_mailbox: arguments.max_mailbox.unwrap_or(default.max_mailbox),
            max_processes: arguments.max_processes.unwrap_or(default.max_processes),
            max_stack: arguments.max_stack.unwrap_or(default.max_stack),
            max_local: arguments.max_local.unwrap_or(default.max_local),
            long_timeout_ms: arguments.long_timeout.unwrap_or(default.long_timeout_ms),
            crashes: arguments.crashes.unwrap_or(default.crashes),
            frames: arguments.frames,
            normal: arguments.normal,
        };
        ErlangPlan { options, paths: arguments.path, given }
    }
}

impl ErlangArguments {
    fn given(&self) -> Vec<&'static str> {
        let options = [
            ("--main", self.main.is_some()),
            ("--domain", !self.domain.is_empty()),
            ("--path", !self.path.is_empty()),
            ("--delivery", self.delivery.is_some()),
            ("--max-mailbox", self.max_mailbox.is_some()),
            ("--max-processes", self.max_processes.is_some()),
            ("--max-stack", self.max_stack.is_some()),
            ("--max-local", self.max_local.is_some()),
            ("--long-timeout", self.long_timeout.is_some()),
            ("--crashes", self.crashes.is_some()),
            ("--frames", self.frames.is_some()),
            ("--normal", !self.normal.is_empty()),
        ];
        options.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Command, FromArgMatches};

    fn command() -> Command {
        ErlangArguments::augment_args(Command::new("selvedge"))
    }

    fn plan(arguments: &[&str]) -> ErlangPlan {
        let matches = command().get_matches_from([&["selvedge"], arguments].concat());
        ErlangArguments::from_arg_matches(&matches).expect("valid options").into()
    }

    #[test]
    fn without_options_the_plan_is_the_default() {
        let ErlangPlan { options, paths, given } = plan(&[]);
        assert_eq!((options, paths.len(), given.len()), (ErlangOptions::default(), 0, 0));
    }

    #[test]
    fn the_help_names_the_defaults() {
        let default = ErlangOptions::default();
        for (option, value) in [
            ("max_mailbox", default.max_mailbox as u64),
            ("max_processes", default.max_processes as u64),
            ("max_stack", default.max_stack as u64),
            ("max_local", default.max_local as u64),
            ("long_timeout", default.long_timeout_ms),
            ("crashes", default.crashes as u64),
        ] {
            let command = command();
            let argument = command.get_arguments().find(|argument| argument.get_id() == option);
            let help = argument.and_then(|argument| argument.get_help()).expect("a help text").to_string();
            assert!(help.ends_with(&format!("[default: {value}]")), "{help}");
        }
    }

    #[test]
    fn every_option_is_known_to_be_given() {
        let values = ["--domain=d", "--path=p", "--delivery=fifo", "--max-mailbox=1", "--max-processes=1"];
        let more = ["--main=f", "--max-stack=1", "--max-local=1", "--long-timeout=1", "--crashes=1"];
        let last = ["--frames=1", "--normal=killed"];
        let all = [values.as_slice(), more.as_slice(), last.as_slice()].concat();
        assert_eq!(all.len(), command().get_arguments().count());
        for option in all {
            let name = option.split('=').next().expect("a name");
            assert_eq!(plan(&[option]).given, [name]);
        }
    }

    #[test]
    fn a_file_of_another_language_is_refused() {
        let plan = plan(&["--domain", "parity"]);
        assert!(plan.refuse_other("a.erl", Language::Erlang).is_ok());
        let refused = plan.refuse_other("a.par", Language::Parallel).expect_err("PARALLEL has no domains");
        let text = "error: --domain is for Erlang programs, and a.par is read as PARALLEL\n";
        assert_eq!(refused.render(false), text);
    }
}
