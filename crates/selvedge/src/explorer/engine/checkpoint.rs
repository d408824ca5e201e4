//! A long exploration in a file, from which another process resumes.
//!
//! The remaining work is the text that the strategies save. Values of the program cannot be written, so the
//! file has for each outcome the choices of its run, which is made once more when the exploration resumes.
//! The last line has a checksum of all lines before it.
//!
//! ```text
//! selvedge-checkpoint 4
//! about strategy systematic
//! threads 0 0 1                  the parents of the threads 1, 2, 3 of all runs
//! executions 1200 0 1 - - - -    runs, given up, nothing was cut off, statistics of finished parts
//! outcome 1 0 12 0 700 returned 3    is it shown, weight and number of its run, how many runs, in words
//! trace 0 0 1 1 0
//! form 0 0 0 1 1
//! order 0 1                      the threads of the form, in the order of their paths
//! formula 900 300 0 exclusive    how many runs satisfy it, violate it, have no verdict; its name
//! state
//! ...
//! end 17463512340981
//! ```
//!
//! Promise: at every moment the file is whole, the old one or the new one (it is renamed into place). A file
//! of another program, strategy or version, or a damaged one, is refused and left as it is.

use super::findings::{Findings, Rank};
use super::notes::one_line;
use crate::control::SharedThreadTree;
use crate::explorer::api::{FormulaRuns, Options, Strategy};
use selvedge_explore::checkpoint::{read_id, write_id};
use selvedge_explore::schedulers::Figures;
use selvedge_explore::{EventId, ThreadId, ThreadTree};
use std::ffi::OsString;
use std::fmt::{Debug, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The environment variable that names a directory for the checkpoints of tests.
const CHECKPOINT: &str = "SELVEDGE_CHECKPOINT";

const MAGIC: &str = "selvedge-checkpoint";
const VERSION: u32 = 4;

/// The file of an exploration.
pub(super) struct Checkpoint {
    path: PathBuf,
    /// What identifies the exploration.
    about: Vec<(&'static str, String)>,
    /// The numbers of threads.
    threads: SharedThreadTree,
    /// Why the last attempt to write it failed, if it did.
    error: Mutex<Option<String>>,
}

/// The content of the file.
#[derive(Debug, Default, PartialEq)]
pub(super) struct SavedExploration {
    pub(super) executions: usize,
    pub(super) given_up: usize,
    pub(super) is_complete: bool,
    pub(super) figures: Option<Figures>,
    pub(super) notes: Vec<String>,
    pub(super) threads: ThreadTree,
    pub(super) outcomes: Vec<SavedOutcome>,
    /// Formulas by their names, with their numbers of runs.
    pub(super) formulas: Vec<(String, FormulaRuns)>,
    /// The remaining work, as the strategies saved it.
    pub(super) state: String,
}

/// An outcome and its witness.
#[derive(Debug, Default, PartialEq)]
pub(super) struct SavedOutcome {
    pub(super) is_shown: bool,
    pub(super) rank: Rank,
    /// How many runs have the outcome.
    pub(super) runs: usize,
    /// The outcome in words, on one line.
    pub(super) text: String,
    pub(super) choices: Vec<EventId>,
}

impl Checkpoint {
    /// Whether the options or the environment ask for a checkpoint.
    pub(super) fn is_wanted(options: &Options) -> bool {
        options.checkpoint.is_some() || directory(options).is_some()
    }

    /// The checkpoint of an exploration, if the options or the environment ask for one.
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
        Some(Checkpoint { path, about, threads: options.threads.clone(), error: Mutex::new(None) })
    }

    /// The content of the file, if it exists.
    ///
    /// # Panics
    /// If the file belongs to another exploration, or is damaged.
    pub(super) fn read(&self) -> Option<SavedExploration> {
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

    /// Refuses the file.
    ///
    /// # Panics
    /// Always.
    pub(super) fn refuse(&self, why: &str) -> ! {
        panic!(
            "selvedge: cannot go on from the checkpoint {}: {why}\n  = help: the file is left as it is; move it away to begin anew",
            self.path.display()
        )
    }

    /// Writes the remaining work and the findings of all workers.
    pub(super) fn write(&self, work: &[&Strategy], findings: &[&Findings]) {
        let result = match Strategy::save(work) {
            Some(state) => self.replace(&self.text(&state, findings)),
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

    /// Removes the file: the exploration has ended, and no process resumes from it.
    pub(super) fn remove(&self) {
        // The file may not exist.
        let _ = std::fs::remove_file(&self.path);
    }

    /// A note for the report: where the checkpoint was written, or why it was not.
    pub(super) fn note(&self) -> String {
        match &*self.error.lock().unwrap_or_else(PoisonError::into_inner) {
            None => format!("the checkpoint {} goes on from here", self.path.display()),
            Some(error) => format!("the checkpoint {} could not be written: {error}", self.path.display()),
        }
    }

    fn text(&self, state: &str, findings: &[&Findings]) -> String {
        let mut text = format!("{MAGIC} {VERSION}\n");
        for (key, value) in &self.about {
            let _ = writeln!(text, "about {key} {value}");
        }
        let _ = writeln!(text, "threads{}", numbers(self.threads.lock().parents()));
        let executions: usize = findings.iter().map(|findings| findings.executions).sum();
        let given_up: usize = findings.iter().map(|findings| findings.given_up).sum();
        let is_complete = u8::from(findings.iter().all(|findings| findings.is_complete));
        let _ = write!(text, "executions {executions} {given_up} {is_complete}");
        let figures = findings.iter().filter_map(|findings| findings.figures).reduce(|mut one, other| {
            one += other;
            one
        });
        let words =
            figures.map_or(["-"; 5].map(str::to_owned), |all| all.numbers().map(|one| one.to_string()));
        let _ = writeln!(text, " {}", words.join(" "));
        for note in findings.iter().flat_map(|findings| &findings.notes) {
            let _ = writeln!(text, "note {}", one_line(&note.to_string()));
        }
        for (outcome, witness) in findings.iter().flat_map(|findings| &findings.outcomes) {
            let Rank { weight: (first, second), number, form, threads } = &witness.rank;
            let (shown, runs) = (u8::from(witness.is_shown), witness.runs);
            let words = one_line(&outcome.to_string());
            let _ = writeln!(text, "outcome {shown} {first} {second} {number} {runs} {words}");
            let _ = writeln!(text, "trace{}", ids(witness.trace.choices()));
            let _ = writeln!(text, "form{}", ids(form.iter().copied()));
            let _ = writeln!(text, "order{}", numbers(threads.iter().copied()));
        }
        for (name, runs) in findings.iter().flat_map(|findings| &findings.verdicts.0) {
            let FormulaRuns { held, violated, undecided } = runs;
            let _ = writeln!(text, "formula {held} {violated} {undecided} {}", escaped(name));
        }
        let _ = write!(text, "state\n{state}");
        let checksum = checksum(&text);
        let _ = writeln!(text, "end {checksum}");
        text
    }

    fn parse(&self, text: &str) -> Result<SavedExploration, String> {
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
        if last.strip_prefix("end ").and_then(|word| word.parse().ok()) != Some(checksum(before)) {
            return Err("it is damaged: the sum in its last line is not that of the others".to_owned());
        }
        let (head, state) =
            before.split_once("\nstate\n").ok_or("it is damaged: nothing is left to be done")?;
        let mut saved = SavedExploration { state: state.to_owned(), ..SavedExploration::default() };
        for line in head.lines().skip(1) {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            self.parse_line(&mut saved, word, rest)?;
        }
        Ok(saved)
    }

    fn parse_line(&self, saved: &mut SavedExploration, word: &str, rest: &str) -> Result<(), String> {
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
            "formula" => saved.formulas.push(parse_formula(rest).ok_or_else(damaged)?),
            "threads" => {
                let parents = parse_numbers(rest).ok_or_else(damaged)?;
                saved.threads = ThreadTree::with_parents(parents).ok_or_else(damaged)?;
            }
            "order" => {
                let outcome = saved.outcomes.last_mut().ok_or_else(damaged)?;
                outcome.rank.threads = parse_numbers(rest).ok_or_else(damaged)?;
            }
            "trace" | "form" => {
                let choices = rest.split_ascii_whitespace().map(read_id).collect::<Result<Vec<_>, _>>()?;
                let outcome = saved.outcomes.last_mut().ok_or_else(damaged)?;
                let target = if word == "trace" { &mut outcome.choices } else { &mut outcome.rank.form };
                *target = choices;
            }
            _ => return Err(damaged()),
        }
        Ok(())
    }
}

impl SavedExploration {
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
        let mut words = rest.splitn(6, ' ');
        let mut number = || words.next()?.parse::<u64>().ok();
        let (is_shown, first, second, number) = (number()? == 1, number()?, number()?, number()?);
        let runs = words.next()?.parse().ok()?;
        let weight = (usize::try_from(first).ok()?, usize::try_from(second).ok()?);
        let rank = Rank { weight, number, ..Rank::default() };
        Some(SavedOutcome { is_shown, rank, runs, text: words.next()?.to_owned(), choices: Vec::new() })
    }
}

fn parse_formula(rest: &str) -> Option<(String, FormulaRuns)> {
    let mut words = rest.splitn(4, ' ');
    let mut number = || words.next()?.parse().ok();
    let runs = FormulaRuns { held: number()?, violated: number()?, undecided: number()? };
    Some((unescaped(words.next()?), runs))
}

/// The text on one line.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r")
}

/// The text of an escaped one.
fn unescaped(text: &str) -> String {
    let mut chars = text.chars();
    let next = || {
        Some(match chars.next()? {
            '\\' => match chars.next()? {
                'n' => '\n',
                'r' => '\r',
                other => other,
            },
            other => other,
        })
    };
    std::iter::from_fn(next).collect()
}

/// The directory for the checkpoints of tests.
fn directory(options: &Options) -> Option<OsString> {
    std::env::var_os(CHECKPOINT).filter(|_| options.name.is_some())
}

fn ids(choices: impl Iterator<Item = EventId>) -> String {
    choices.fold(String::new(), |text, id| text + " " + &write_id(id))
}

fn numbers(threads: impl Iterator<Item = ThreadId>) -> String {
    threads.fold(String::new(), |text, thread| text + &format!(" {}", thread.0))
}

fn parse_numbers(words: &str) -> Option<Vec<ThreadId>> {
    words.split_ascii_whitespace().map(|word| word.parse().ok().map(ThreadId)).collect()
}

/// The FNV-1a hash of the text.
fn checksum(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
