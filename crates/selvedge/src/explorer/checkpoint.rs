//! A long exploration in a file, so that another process can go on from there.
//!
//! What is left to be done is the strategies' own text. Values of the program cannot be written down, so each outcome has the choices of its
//! run, which is made once more when the exploration goes on. The last line holds a sum over all before it.
//!
//! ```text
//! selvedge-checkpoint 1
//! about strategy systematic
//! executions 1200 0 1 - - - -    runs, given up, nothing was cut off, figures of parts that are done
//! outcome 1 0 12 0 returned 3    is it shown, weight and number of its run, in words
//! trace 0 0 1 1 0
//! form 0 0 0 1 1
//! state
//! ...
//! end 17463512340981
//! ```
//!
//! Promise: the file is whole at every moment, the old one or the new one (it is renamed into place); one of another program, strategy or
//! version, or a damaged one, is refused and left as it is.

use super::found::{Found, Rank};
use super::{Options, Strategy};
use selvedge_explore::checkpoint::{read_id, write_id};
use selvedge_explore::schedulers::Figures;
use selvedge_explore::{EventId, Trace};
use std::ffi::OsString;
use std::fmt::{Debug, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The environment variable that names a directory for the checkpoints of tests.
pub(super) const CHECKPOINT: &str = "SELVEDGE_CHECKPOINT";

const MAGIC: &str = "selvedge-checkpoint";
const VERSION: u32 = 1;

/// Where an exploration is written down, and what it is.
pub(super) struct Checkpoint {
    path: PathBuf,
    about: Vec<(&'static str, String)>,
    /// Why it could not be written, if that happened.
    error: Mutex<Option<String>>,
}

/// What was written down.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Saved {
    pub(super) executions: usize,
    pub(super) given_up: usize,
    pub(super) is_complete: bool,
    pub(super) figures: Option<Figures>,
    pub(super) notes: Vec<String>,
    pub(super) outcomes: Vec<SavedOutcome>,
    /// What is left to be done, as the strategy wrote it.
    pub(super) state: String,
}

/// An outcome, and the run that stands for it.
#[derive(Debug, Default, PartialEq)]
pub(super) struct SavedOutcome {
    pub(super) is_shown: bool,
    pub(super) rank: Rank,
    /// Of one line.
    pub(super) words: String,
    pub(super) choices: Vec<EventId>,
}

impl Checkpoint {
    /// May one be wanted?
    pub(super) fn is_wanted(options: &Options) -> bool {
        options.checkpoint.is_some() || directory(options).is_some()
    }

    /// The checkpoint of an exploration, if one is wanted.
    pub(super) fn of(options: &Options, name: &str, strategy: &str) -> Option<Checkpoint> {
        let path = options.checkpoint.clone().or_else(|| {
            let directory = directory(options)?;
            let plain = |char: char| if char.is_alphanumeric() || char == '_' { char } else { '-' };
            let stem: String = name.replace("::", "-").chars().map(plain).collect();
            Some(Path::new(&directory).join(format!("{stem}.checkpoint")))
        })?;
        let settings = &options.settings;
        let about = vec![
            ("name", one_line(name)),
            ("strategy", one_line(strategy)),
            ("memory", format!("{:?}", settings.memory)),
            ("steps", options.max_steps.to_string()),
            ("spurious", settings.spurious.to_string()),
            ("wait_for_all", settings.waits_for_all.to_string()),
        ];
        Some(Checkpoint { path, about, error: Mutex::new(None) })
    }

    /// What was written down before, if there is such a file.
    ///
    /// # Panics
    /// Where it is not of this exploration, or damaged.
    pub(super) fn read(&self) -> Option<Saved> {
        let text = match std::fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
            Err(error) => self.refuse(&format!("it cannot be read: {error}")),
        };
        match self.parse(&text) {
            Ok(saved) => Some(saved),
            Err(message) => self.refuse(&message),
        }
    }

    /// Says that nothing can be made of the file.
    ///
    /// # Panics
    /// Always.
    pub(super) fn refuse(&self, why: &str) -> ! {
        panic!(
            "selvedge: cannot go on from the checkpoint {}: {why}\n  = help: the file is left as it is; move it away to begin anew",
            self.path.display()
        )
    }

    /// Writes down what is left to be done, and what was found.
    pub(super) fn write<T: Debug>(&self, work: &[&Strategy], found: &[&Found<T>]) {
        let result = match Strategy::save(work) {
            Some(state) => self.replace(&self.text(&state, found)),
            None => Err("this strategy cannot be written down".to_owned()),
        };
        *self.error.lock().unwrap_or_else(PoisonError::into_inner) = result.err();
    }

    fn replace(&self, text: &str) -> Result<(), String> {
        let mut new = self.path.clone().into_os_string();
        new.push(format!(".{}.new", std::process::id()));
        if let Some(directory) = self.path.parent() {
            std::fs::create_dir_all(directory).map_err(|error| error.to_string())?;
        }
        let written = std::fs::write(&new, text).and_then(|()| std::fs::rename(&new, &self.path));
        written.map_err(|error| error.to_string())
    }

    /// The exploration has come to its end: nobody goes on from here.
    pub(super) fn remove(&self) {
        // It may never have been written.
        let _ = std::fs::remove_file(&self.path);
    }

    /// Where it was written, or why it was not, for the report.
    pub(super) fn note(&self) -> String {
        match &*self.error.lock().unwrap_or_else(PoisonError::into_inner) {
            None => format!("the checkpoint {} goes on from here", self.path.display()),
            Some(error) => format!("the checkpoint {} could not be written: {error}", self.path.display()),
        }
    }

    fn text<T: Debug>(&self, state: &str, found: &[&Found<T>]) -> String {
        let mut text = format!("{MAGIC} {VERSION}\n");
        for (key, value) in &self.about {
            let _ = writeln!(text, "about {key} {value}");
        }
        let executions: usize = found.iter().map(|found| found.executions).sum();
        let given_up: usize = found.iter().map(|found| found.given_up).sum();
        let is_complete = u8::from(found.iter().all(|found| found.is_complete));
        let _ = write!(text, "executions {executions} {given_up} {is_complete}");
        let figures = found.iter().filter_map(|found| found.figures).reduce(|mut one, other| {
            one += other;
            one
        });
        let words =
            figures.map_or(["-"; 5].map(str::to_owned), |all| all.numbers().map(|one| one.to_string()));
        let _ = writeln!(text, " {}", words.join(" "));
        for note in found.iter().flat_map(|found| &found.notes) {
            let _ = writeln!(text, "note {}", one_line(note));
        }
        for (outcome, kept) in found.iter().flat_map(|found| &found.outcomes) {
            let Rank { weight: (first, second), number, choices } = &kept.rank;
            let (shown, words) = (u8::from(kept.is_shown), one_line(&outcome.to_string()));
            let _ = writeln!(text, "outcome {shown} {first} {second} {number} {words}");
            let _ = writeln!(text, "trace{}", ids(choices_of(&kept.trace)));
            let _ = writeln!(text, "form{}", ids(choices.iter().copied()));
        }
        let _ = write!(text, "state\n{state}");
        let sum = sum(&text);
        let _ = writeln!(text, "end {sum}");
        text
    }

    fn parse(&self, text: &str) -> Result<Saved, String> {
        let version = text.lines().next().and_then(|line| line.strip_prefix(MAGIC)).map(str::trim);
        match version.map(str::parse::<u32>) {
            Some(Ok(VERSION)) => {}
            Some(Ok(other)) => {
                return Err(format!("it is of version {other}; this program reads version {VERSION}"));
            }
            _ => return Err("it is not a checkpoint".to_owned()),
        }
        let whole = text.trim_end_matches('\n');
        let (before, last) = whole.rsplit_once('\n').unwrap_or(("", whole));
        let before = &text[..(before.len() + 1).min(text.len())];
        if last.strip_prefix("end ").and_then(|word| word.parse().ok()) != Some(sum(before)) {
            return Err("it is damaged: the sum in its last line is not that of the others".to_owned());
        }
        let (head, state) =
            before.split_once("\nstate\n").ok_or("it is damaged: nothing is left to be done")?;
        let mut saved = Saved { state: state.to_owned(), ..Saved::default() };
        for line in head.lines().skip(1) {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            self.parse_line(&mut saved, word, rest)?;
        }
        Ok(saved)
    }

    fn parse_line(&self, saved: &mut Saved, word: &str, rest: &str) -> Result<(), String> {
        let damaged = || format!("it is damaged: `{word} {rest}`");
        match word {
            "about" => {
                let (key, value) = rest.split_once(' ').unwrap_or((rest, ""));
                let own = self.about.iter().find(|(known, _)| *known == key).map(|(_, value)| value.as_str());
                if own != Some(value) {
                    let own = own.unwrap_or("not known");
                    return Err(format!("its {key} is `{value}`, and that of this exploration is `{own}`"));
                }
            }
            "executions" => saved.parse_counts(rest).ok_or_else(damaged)?,
            "note" => saved.notes.push(rest.to_owned()),
            "outcome" => saved.outcomes.push(SavedOutcome::parse(rest).ok_or_else(damaged)?),
            "trace" | "form" => {
                let choices = rest.split_ascii_whitespace().map(read_id).collect::<Result<Vec<_>, _>>()?;
                let outcome = saved.outcomes.last_mut().ok_or_else(damaged)?;
                let place = if word == "trace" { &mut outcome.choices } else { &mut outcome.rank.choices };
                *place = choices;
            }
            _ => return Err(damaged()),
        }
        Ok(())
    }
}

impl Saved {
    fn parse_counts(&mut self, rest: &str) -> Option<()> {
        let words: Vec<&str> = rest.split_ascii_whitespace().collect();
        let (&[executions, given_up, is_complete], figures) = words.split_first_chunk()?;
        self.executions = executions.parse().ok()?;
        self.given_up = given_up.parse().ok()?;
        self.is_complete = is_complete == "1";
        let figures: &[&str; 5] = figures.try_into().ok()?;
        if figures != &["-"; 5] {
            let numbers: Vec<u64> = figures.iter().map(|word| word.parse()).collect::<Result<_, _>>().ok()?;
            self.figures = Some(Figures::of(numbers.try_into().ok()?));
        }
        Some(())
    }
}

impl SavedOutcome {
    fn parse(rest: &str) -> Option<SavedOutcome> {
        let mut words = rest.splitn(5, ' ');
        let mut number = || words.next()?.parse::<u64>().ok();
        let (is_shown, first, second, number) = (number()? == 1, number()?, number()?, number()?);
        let weight = (usize::try_from(first).ok()?, usize::try_from(second).ok()?);
        let rank = Rank { weight, number, choices: Vec::new() };
        Some(SavedOutcome { is_shown, rank, words: words.next()?.to_owned(), choices: Vec::new() })
    }
}

/// Where the checkpoints of tests are to be.
fn directory(options: &Options) -> Option<OsString> {
    std::env::var_os(CHECKPOINT).filter(|_| options.name.is_some())
}

fn choices_of(trace: &Trace) -> impl Iterator<Item = EventId> {
    trace.choices()
}

fn ids(choices: impl Iterator<Item = EventId>) -> String {
    choices.fold(String::new(), |text, id| text + " " + &write_id(id))
}

/// What a program says may hold anything.
pub(super) fn one_line(text: &str) -> String {
    text.chars().map(|char| if char.is_control() { ' ' } else { char }).collect()
}

/// A number that is different where the text is, but for one case in very many (FNV-1a).
fn sum(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}
