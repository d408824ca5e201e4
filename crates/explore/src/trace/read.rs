//! Reads trace files, of this version and of older ones. `docs/trace.md` describes the format.
//!
//! A line is an item; a line that begins with a space says more about the item above it. In version 1
//! threads are numbered in the order of spawns; all files are numbered anew, by the paths of the threads.
//!
//! Promise: a recording that is written and read again is unchanged; a file of a later version is refused by
//! its version, never misread. What is not of the format is refused with its line. Reading never panics.

use super::recording::{
    PropositionChange, RecordedAccess, RecordedEnding, RecordedFormula, RecordedState, RecordedStep,
    Recording, VerdictPlace, one_line,
};
use super::words::{FLAGS, NUMBERS, READS_FROM, SWITCHES, read_stall, value_of};
use super::{MAGIC, VERSION};
use crate::event::{Action, Effect, Kind};
use crate::ids::{EventId, MAX_BUFFERS, MAX_OWNERS, ObjectId, ThreadId};
use std::fmt;

/// An error in a trace file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatError {
    /// The line, from 1.
    pub line: usize,
    /// The error.
    pub message: String,
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for FormatError {}

impl Recording {
    /// Reads the text that [`Display`](fmt::Display) writes.
    ///
    /// # Errors
    /// The first line that is not of the format.
    pub fn parse(text: &str) -> Result<Recording, FormatError> {
        let mut lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));
        check_version(lines.next().map_or("", |(_, line)| line))?;
        let mut reader = Reader::default();
        for (number, line) in lines {
            reader.read_line(&one_line(line)).map_err(|message| FormatError { line: number, message })?;
        }
        let mut recording = reader.recording;
        recording.renumber_threads();
        Ok(recording)
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// The first line that is not of the format, or no text.
    pub fn from_bytes(bytes: &[u8]) -> Result<Recording, FormatError> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Recording::parse(text),
            Err(error) => {
                let before = &bytes[..error.valid_up_to()];
                let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
                Err(FormatError { line, message: "this is not UTF-8 text".to_owned() })
            }
        }
    }
}

fn check_version(first: &str) -> Result<(), FormatError> {
    let version = first.strip_prefix(MAGIC).map(str::trim);
    let message = match version.map(str::parse::<u32>) {
        Some(Ok(1..=VERSION)) => return Ok(()),
        Some(Ok(other)) => {
            format!("a trace of version {other}; this program reads versions up to {VERSION}")
        }
        _ => format!("not a trace: the first line is `{MAGIC} {VERSION}` in one"),
    };
    Err(FormatError { line: 1, message })
}

/// The recording so far, and the item that a line with more about it belongs to.
#[derive(Default)]
struct Reader {
    recording: Recording,
    item: Item,
    /// The details of the item so far that may be there once.
    details: Vec<&'static str>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Item {
    /// None, or one that has no details.
    #[default]
    Plain,
    Step,
    Access,
    Ending,
    State,
    Formula,
}

impl Reader {
    fn read_line(&mut self, line: &str) -> Result<(), String> {
        if line.trim().is_empty() || line.starts_with('#') {
            return Ok(());
        }
        if let Some(detail) = line.strip_prefix(' ') {
            let (word, rest) = split(detail.trim_start());
            return self.read_detail(word, rest);
        }
        let (word, rest) = split(line);
        self.details.clear();
        let recording = &mut self.recording;
        self.item = match word {
            "about" => {
                let (key, value) = split(rest);
                recording.about.push((key.to_owned(), value.to_owned()));
                Item::Plain
            }
            "thread" => add_name(&mut recording.threads, rest, 0).map(|()| Item::Plain)?,
            "object" => add_name(&mut recording.objects, rest, 1).map(|()| Item::Plain)?,
            "step" => {
                recording.steps.push(read_step(rest)?);
                Item::Step
            }
            "access" => {
                recording.accesses.push(read_access(rest, recording.steps.len())?);
                Item::Access
            }
            "ending" => {
                recording.endings.push(read_ending(rest)?);
                Item::Ending
            }
            "state" => {
                let state = read_state(rest, recording.states.last())?;
                recording.states.push(state);
                Item::State
            }
            "formula" => {
                recording.formulas.push(read_formula(rest, recording.formulas.len() + 1)?);
                Item::Formula
            }
            other => return Err(format!("`{other}` is not one of {ITEMS}")),
        };
        Ok(())
    }

    /// Reads a line about the last item.
    fn read_detail(&mut self, word: &str, rest: &str) -> Result<(), String> {
        let recording = &mut self.recording;
        let missing = || format!("`{word}` says more about the line above it, and there is none");
        match self.item {
            Item::Plain => return Err(missing()),
            Item::Step => {
                let step = recording.steps.last_mut().ok_or_else(missing)?;
                match once(&mut self.details, word, &["how", "value"])? {
                    "how" => read_how(rest, step)?,
                    _ => rest.clone_into(&mut step.value),
                }
            }
            Item::Access => {
                let access = recording.accesses.last_mut().ok_or_else(missing)?;
                once(&mut self.details, word, &["action"])?;
                rest.clone_into(&mut access.action);
            }
            Item::Ending => {
                let ending = recording.endings.last_mut().ok_or_else(missing)?;
                once(&mut self.details, word, &["state"])?;
                rest.clone_into(&mut ending.state);
            }
            Item::State => {
                let state = recording.states.last_mut().ok_or_else(missing)?;
                match word {
                    "set" | "release" => {
                        let (holds, proposition) = (word == "set", rest.to_owned());
                        state.changes.push(PropositionChange { holds, proposition });
                    }
                    _ => {
                        once(&mut self.details, word, &["left"])?;
                        state.remainder = Some(rest.to_owned());
                    }
                }
            }
            Item::Formula => self.read_formula_detail(word, rest)?,
        }
        Ok(())
    }

    fn read_formula_detail(&mut self, word: &str, rest: &str) -> Result<(), String> {
        let Recording { formulas, steps, states, .. } = &mut self.recording;
        let Some(formula) = formulas.last_mut() else { return Ok(()) };
        match once(&mut self.details, word, &["text", "for", "began", "violated"])? {
            "text" => rest.clone_into(&mut formula.text),
            "for" => formula.binding = Some(rest.to_owned()),
            "began" => formula.began = Some(read_long(rest, "a state's number")?),
            _ if rest == "end" => formula.violated = Some(VerdictPlace::End),
            _ => {
                let number = read_long(rest, "a number, or `end`")?;
                // A path may have forgotten the state.
                let is_known =
                    number < steps.len() as u64 || states.last().is_some_and(|last| number <= last.number);
                if !is_known {
                    return Err(format!("there is no step or state {number} above"));
                }
                formula.violated = Some(VerdictPlace::At(number));
            }
        }
        Ok(())
    }
}

/// The words that a line begins with.
const ITEMS: &str = "about, thread, object, step, access, state, ending, formula";

/// The first word of a line, and the rest.
fn split(line: &str) -> (&str, &str) {
    line.split_once(' ').unwrap_or((line, ""))
}

/// The word, if it is one of these and was not read before.
fn once(read: &mut Vec<&'static str>, word: &str, known: &[&'static str]) -> Result<&'static str, String> {
    let Some(found) = known.iter().find(|known| **known == word) else {
        return Err(format!("`{word}` is not one of {}, which the line above can have", known.join(", ")));
    };
    if read.contains(found) {
        return Err(format!("a second `{word}`"));
    }
    read.push(found);
    Ok(found)
}

/// Reads a name with its number.
fn add_name(names: &mut Vec<String>, rest: &str, first: usize) -> Result<(), String> {
    let (number, name) = split(rest);
    names.push(expect_number(number, names.len() + first).map(|()| name.to_owned())?);
    Ok(())
}

fn expect_number(text: &str, expected: usize) -> Result<(), String> {
    match read_number(text, "a number")? as usize {
        number if number == expected => Ok(()),
        number => Err(format!("the next name is number {expected}, not {number}")),
    }
}

fn read_number(text: &str, what: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("`{text}` is not {what}"))
}

fn read_long(text: &str, what: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("`{text}` is not {what}"))
}

/// Reads a thread, or a phantom: `c0`, `c0.1`.
pub(crate) fn read_thread(text: &str) -> Result<ThreadId, String> {
    let number = |text: &str| read_number(text, "a thread's number");
    let Some(phantom) = text.strip_prefix('c') else {
        let thread = ThreadId(number(text)?);
        return if thread.is_phantom() {
            Err(format!("`{text}` is not a thread's number"))
        } else {
            Ok(thread)
        };
    };
    let (owner, buffer) = phantom.split_once('.').unwrap_or((phantom, "0"));
    let (owner, buffer) = (number(owner)?, read_number(buffer, "a buffer's number")?);
    if owner >= MAX_OWNERS || buffer >= MAX_BUFFERS {
        return Err(format!("`{text}`: there are not so many buffers"));
    }
    Ok(ThreadId::phantom(ThreadId(owner), buffer as usize))
}

/// The words of a line, from left to right; the last one has the rest of the line.
struct Words<'l> {
    rest: Option<&'l str>,
    what: &'static str,
}

impl<'l> Words<'l> {
    fn of(what: &'static str, rest: &'l str) -> Words<'l> {
        Words { rest: Some(rest), what }
    }

    fn next(&mut self, part: &str) -> Result<&'l str, String> {
        let rest = self.rest.ok_or_else(|| format!("{} without {part}", self.what))?;
        let (word, rest) = rest.split_once(' ').map_or((rest, None), |(word, rest)| (word, Some(rest)));
        self.rest = rest;
        Ok(word)
    }

    fn last(&mut self, part: &str) -> Result<&'l str, String> {
        self.rest.take().ok_or_else(|| format!("{} without {part}", self.what))
    }

    fn thread(&mut self, part: &str) -> Result<ThreadId, String> {
        let word = self.next(part)?;
        let thread = read_thread(word)?;
        if thread.owner().0 >= MAX_OWNERS {
            return Err(format!("`{word}`: there are not so many threads"));
        }
        Ok(thread)
    }

    fn thread_or_dash(&mut self, part: &str) -> Result<Option<ThreadId>, String> {
        match self.rest {
            Some(rest) if split(rest).0 == "-" => self.next(part).map(|_| None),
            _ => self.thread(part).map(Some),
        }
    }

    fn object(&mut self, part: &str) -> Result<Option<ObjectId>, String> {
        match self.next(part)? {
            "-" => Ok(None),
            text => match read_number(text, "an object's number")? {
                0 => Err("objects are numbered from 1".to_owned()),
                number => Ok(Some(ObjectId::at(number as usize - 1))),
            },
        }
    }
}

fn read_step(rest: &str) -> Result<RecordedStep, String> {
    let mut words = Words::of("a step", rest);
    let thread = words.thread("its thread")?;
    let alternative = read_number(words.next("its alternative")?, "an alternative")?;
    let kind = words.next("its action")?;
    let kind = Kind::named(kind).ok_or_else(|| format!("`{kind}` is not an action"))?;
    let (object, second) = (words.object("its object")?, words.object("its second object")?);
    let target = words.thread_or_dash("the thread that it is done to")?;
    let site = words.last("its place")?.to_owned();
    let (id, action) =
        (EventId { thread, alternative }, Action { object, second, target, ..Action::new(kind) });
    Ok(RecordedStep { id, action, effect: Effect::PENDING, switch: None, value: String::new(), site })
}

/// Reads the rest of a step's event.
fn read_how(rest: &str, step: &mut RecordedStep) -> Result<(), String> {
    let RecordedStep { action, effect, switch, .. } = step;
    for word in rest.split(' ').filter(|word| !word.is_empty()) {
        if let Some(known) = value_of(&SWITCHES, word) {
            *switch = Some(known);
        } else if let Some(known) = value_of(&READS_FROM, word) {
            action.reads_from = known;
        } else if let Some(flag) = FLAGS.iter().find(|flag| flag.word == word) {
            (flag.set)(action, effect);
        } else if let Some((name, value)) = word.split_once('=')
            && let Some(number) = NUMBERS.iter().find(|number| number.word == name)
        {
            let value = read_long(value, "a number")?;
            if !(number.set)(action, effect, value) {
                return Err(format!("`{word}`: the number is too large"));
            }
        } else {
            return Err(format!("`{word}` says nothing about a step"));
        }
    }
    Ok(())
}

fn read_access(rest: &str, after: usize) -> Result<RecordedAccess, String> {
    let mut words = Words::of("an access", rest);
    let thread = words.thread("its thread")?;
    let object = words.object("its object")?.ok_or("an access without its object")?;
    let site = words.last("its place")?.to_owned();
    Ok(RecordedAccess { after, thread, object, action: String::new(), site })
}

fn read_ending(rest: &str) -> Result<RecordedEnding, String> {
    let mut words = Words::of("an ending", rest);
    let thread = words.thread("its thread")?;
    let stall = read_stall(words.next("why the thread waits")?)?;
    let site = words.last("its place")?.to_owned();
    Ok(RecordedEnding { thread, state: String::new(), site, stall })
}

fn read_state(rest: &str, last: Option<&RecordedState>) -> Result<RecordedState, String> {
    let mut words = Words::of("a state", rest);
    let number = read_long(words.next("its number")?, "a state's number")?;
    if let Some(last) = last.filter(|last| last.number >= number) {
        return Err(format!("state {number} after state {}", last.number));
    }
    let thread = words.thread_or_dash("its thread")?;
    Ok(RecordedState { number, thread, ..RecordedState::default() })
}

fn read_formula(rest: &str, expected: usize) -> Result<RecordedFormula, String> {
    let (number, name) = split(rest);
    expect_number(number, expected)?;
    Ok(RecordedFormula { name: name.to_owned(), ..RecordedFormula::default() })
}
