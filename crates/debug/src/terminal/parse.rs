//! Lines of the terminal.

use crate::protocol::Command;
use crate::snapshot::{Mode, Paths, SearchOptions, SearchOrder, Snapshot};
use crate::view::ProgramView;

/// What a line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line {
    Nothing,
    Quit,
    Help,
    Options,
    Set(String, String),
    State,
    Stack,
    Path,
    /// A formula to judge along the run, or none.
    Judge(Option<String>),
    /// A formula, and the mode if it is not that of the options.
    Step(String, Option<Mode>),
    Command(Command),
}

pub(super) const HELP: &str = "\
FORMULA             a step that satisfies the formula, with the options at hand
min FORMULA         a minimal step: no proper prefix satisfies the formula
max FORMULA         a maximal step: no longer one satisfies it; or one that goes on for ever
every FORMULA       a step to each state where a satisfying sequence ends
back                another way to satisfy the formula of the last step
remove              takes the last step away; `back` then goes on with the one below
clear [N]           no steps; with N, begin in this initial state
do P                a step of the process P
move N              the move with this number
state               the state, and what each process can do there
stack, path         the steps; the moves of the whole run
look N, next, prev  looks at another position of the run
alternatives [N]    the first N alternatives of the last step
choose K            takes one of them
judge [FORMULA]     judges a formula along the run; without one, no more
value EXPRESSION    a value in this state
last FORMULA        the last position before this one where the formula holds
changed NAME        the last move that changed a value
certain FORMULA     the point of no return: from where on every run satisfies the formula
set NAME VALUE      order: breadth-first, depth-first, memoryless; mode: minimal, maximal, every-end;
                    paths: subset, all; limit N; states N; same-end yes|no; same-sequence yes|no
options             the options
export FORMAT       the run as json, dot or svg
help, quit
";

/// The names of commands.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    const NAMES: &str = "min max every back remove clear do move state stack path look next prev alternatives \
                         choose judge value last changed certain set options export help quit";
    NAMES.split_whitespace()
}

/// A line; `#` begins a remark.
pub(super) fn parse(line: &str, program: &ProgramView, now: &Snapshot) -> Result<Line, String> {
    let line = line.split_once(" #").map_or(line, |(line, _)| line).trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(Line::Nothing);
    }
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let needed = |what: &str| match rest.is_empty() {
        true => Err(format!("`{name}` needs {what}")),
        false => Ok(rest.to_owned()),
    };
    let alone = |line: Line| match rest.is_empty() {
        true => Ok(line),
        false => Err(format!("`{name}` stands alone; `{rest}` is too much")),
    };
    let step = |mode| Ok(Line::Step(needed("a formula")?, Some(mode)));
    let position = |position: usize| Ok(Line::Command(Command::Look { position }));
    match name {
        "min" => step(Mode::Minimal),
        "max" => step(Mode::Maximal),
        "every" => step(Mode::EveryEnd),
        "back" => alone(Line::Command(Command::Backtrack)),
        "remove" => alone(Line::Command(Command::Remove)),
        "clear" => {
            let initial = if rest.is_empty() { None } else { Some(number(rest)?) };
            Ok(Line::Command(Command::Clear { initial }))
        }
        "do" => Ok(Line::Command(Command::Simple { process: process(&needed("a process")?, program)? })),
        "move" => Ok(Line::Command(Command::Move { number: number(&needed("a number")?)? as u32 })),
        "look" => position(number(&needed("a position")?)?),
        "next" => position(now.position + 1),
        "prev" => position(now.position.saturating_sub(1)),
        "alternatives" => {
            let count = if rest.is_empty() { 10 } else { number(rest)? };
            Ok(Line::Command(Command::Alternatives { first: 1, count }))
        }
        "choose" => Ok(Line::Command(Command::Choose { alternative: number(&needed("a number")?)? })),
        "judge" => Ok(Line::Judge(Some(rest.to_owned()).filter(|formula| !formula.is_empty()))),
        "value" => Ok(Line::Command(Command::Expressions { texts: vec![needed("an expression")?] })),
        "last" => Ok(Line::Command(Command::LastState { formula: needed("a formula")? })),
        "changed" => Ok(Line::Command(Command::LastChange { path: needed("a name")? })),
        "certain" => Ok(Line::Command(Command::NoReturn { formula: needed("a formula")? })),
        "export" => Ok(Line::Command(Command::Export { format: needed("a format")? })),
        "set" => {
            let (name, value) = rest.split_once(' ').ok_or("`set` needs a name and a value")?;
            Ok(Line::Set(name.to_owned(), value.trim().to_owned()))
        }
        "state" => alone(Line::State),
        "stack" => alone(Line::Stack),
        "path" => alone(Line::Path),
        "options" => alone(Line::Options),
        "help" => alone(Line::Help),
        "quit" => alone(Line::Quit),
        _ => Ok(Line::Step(line.to_owned(), None)),
    }
}

/// Sets an option.
pub(super) fn set(options: &mut SearchOptions, name: &str, value: &str) -> Result<(), String> {
    let refuse = |known: &str| Err(format!("{name} is one of {known}, not `{value}`"));
    let yes = match value {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    };
    match (name, value, yes) {
        ("order", "breadth-first", _) => options.order = SearchOrder::BreadthFirst,
        ("order", "depth-first", _) => options.order = SearchOrder::DepthFirst,
        ("order", "memoryless", _) => options.order = SearchOrder::Memoryless,
        ("order", ..) => return refuse("breadth-first, depth-first, memoryless"),
        ("mode", "minimal", _) => options.mode = Mode::Minimal,
        ("mode", "maximal", _) => options.mode = Mode::Maximal,
        ("mode", "every-end", _) => options.mode = Mode::EveryEnd,
        ("mode", ..) => return refuse("minimal, maximal, every-end"),
        ("paths", "subset", _) => options.paths = Paths::Subset,
        ("paths", "all", _) => options.paths = Paths::All,
        ("paths", ..) => return refuse("subset, all"),
        ("limit", ..) => options.limit = number(value)?,
        ("states", ..) => options.states = number(value)? as u64,
        ("same-end", _, Some(yes)) => options.same_end = yes,
        ("same-sequence", _, Some(yes)) => options.same_sequence = yes,
        ("same-end" | "same-sequence", ..) => return refuse("yes, no"),
        _ => return Err(format!("there is no option `{name}`; `help` lists them")),
    }
    Ok(())
}

fn number(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| format!("`{text}` is no number"))
}

fn process(name: &str, program: &ProgramView) -> Result<u32, String> {
    let place = program.processes.iter().position(|process| process.name == name);
    place.map(|place| place as u32).ok_or_else(|| {
        let known: Vec<&str> = program.processes.iter().map(|process| process.name.as_str()).collect();
        format!("there is no process `{name}`; there are {}", known.join(", "))
    })
}
