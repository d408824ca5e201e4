//! The text format of trace files.
//!
//! The first line names the format and its version. Lines `about KEY VALUE` follow (the test and its
//! outcome), then the names, then one line for each step, from left to right: thread, alternative, action,
//! object, second object, target thread, place in the source. `-` means none; lines that begin with `#` are
//! comments. The thread of a commit is a phantom: `c0` commits the stores of thread 0, `c0.1` the stores of
//! its buffer 1. Threads are numbered in the order of their paths ([`RunThreads`]), as the spawns among the
//! steps show them, so that a replay in another process finds them again. In version 1 they were numbered in
//! the order of spawns.
//!
//! ```text
//! selvedge-trace 2
//! about outcome Deadlock
//! thread 0 main
//! object 1 mutex#1 (src/queue.rs:14)
//! step 0 0 lock 1 - - src/queue.rs:20
//! ```
//!
//! Promise: a recording that is written and parsed again is unchanged; a file of version 1 is read, and
//! one of a later version is refused by its version, never misread. A [`RecordingWriter`] does not
//! allocate; it may number threads in any order, since a parser numbers them anew.

use super::Trace;
use crate::event::{Event, Kind};
use crate::ids::{EventId, MAX_BUFFERS, MAX_OWNERS, ObjectId, ThreadId};
use crate::thread_tree::RunThreads;
use std::fmt::{self, Write};

/// The version of written files. Older versions stay readable.
pub const VERSION: u32 = 2;

const MAGIC: &str = "selvedge-trace";

/// A trace as a file holds it: enough to replay the run, and to detect where a replay differs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// The test and its outcome, by key.
    pub about: Vec<(String, String)>,
    /// The threads' names by number. Threads are numbered in the order of their paths.
    pub threads: Vec<String>,
    /// The objects' names by number.
    pub objects: Vec<String>,
    /// The steps.
    pub steps: Vec<RecordedStep>,
}

/// A step as a file holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedStep {
    /// The thread, and the number of its alternative.
    pub id: EventId,
    /// The kind of the action.
    pub kind: Kind,
    /// The object.
    pub object: Option<ObjectId>,
    /// The second object.
    pub second: Option<ObjectId>,
    /// The thread that the action is applied to.
    pub target: Option<ThreadId>,
    /// The place in the source, as `file:line`.
    pub site: String,
}

impl RecordedStep {
    /// Does the pending event match the recorded step? Places in the source may move and are not compared.
    /// In version 1 a spawn that ended the process has no target.
    pub fn matches(&self, event: &Event) -> bool {
        let action = &event.action;
        self.id == event.id
            && self.kind == action.kind
            && self.object == action.object
            && self.second == action.second
            && (self.target == action.target || self.kind == Kind::Spawn && self.target.is_none())
    }
}

/// Writes a trace file line by line. It does not allocate, so a signal handler can write the run in the
/// middle of which a process dies.
pub struct RecordingWriter<'w> {
    out: &'w mut dyn Write,
}

impl<'w> RecordingWriter<'w> {
    /// Writes the first line.
    ///
    /// # Errors
    /// If the output fails; so do all functions of the writer.
    pub fn begin(out: &'w mut dyn Write) -> Result<RecordingWriter<'w>, fmt::Error> {
        writeln!(out, "{MAGIC} {VERSION}")?;
        Ok(RecordingWriter { out })
    }

    /// Writes what is known of the run: the test, its outcome.
    ///
    /// # Errors
    /// See [`RecordingWriter::begin`].
    pub fn about(&mut self, key: &str, value: &dyn fmt::Display) -> fmt::Result {
        self.line(format_args!("about {key} {value}"))
    }

    /// Writes the name of the thread of this number, from 0, in order.
    ///
    /// # Errors
    /// See [`RecordingWriter::begin`].
    pub fn thread(&mut self, number: usize, name: &dyn fmt::Display) -> fmt::Result {
        self.line(format_args!("thread {number} {name}"))
    }

    /// Writes the name of the object of this number, from 1, in order.
    ///
    /// # Errors
    /// See [`RecordingWriter::begin`].
    pub fn object(&mut self, number: usize, name: &dyn fmt::Display) -> fmt::Result {
        self.line(format_args!("object {number} {name}"))
    }

    /// Writes a step, in order.
    ///
    /// # Errors
    /// See [`RecordingWriter::begin`].
    pub fn step(&mut self, event: &Event) -> fmt::Result {
        let Event { id, action, site, .. } = event;
        self.step_of(*id, action.kind, [action.object, action.second], action.target, site)
    }

    fn step_of(
        &mut self,
        id: EventId,
        kind: Kind,
        objects: [Option<ObjectId>; 2],
        target: Option<ThreadId>,
        site: &dyn fmt::Display,
    ) -> fmt::Result {
        write!(self.out, "step {} {} {}", id.thread, id.alternative, kind.text())?;
        for object in objects {
            match object {
                Some(object) => write!(self.out, " {}", object.number())?,
                None => write!(self.out, " -")?,
            }
        }
        match target {
            Some(thread) => write!(self.out, " {thread}")?,
            None => write!(self.out, " -")?,
        }
        writeln!(self.out, " {site}")
    }

    /// Replaces control characters: names come from programs and may contain line breaks.
    fn line(&mut self, text: fmt::Arguments<'_>) -> fmt::Result {
        struct OneLine<'w>(&'w mut dyn Write);
        impl Write for OneLine<'_> {
            fn write_str(&mut self, text: &str) -> fmt::Result {
                text.chars().try_for_each(|char| self.0.write_char(without_control(char)))
            }
        }
        OneLine(self.out).write_fmt(text)?;
        writeln!(self.out)
    }
}

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

impl Trace {
    /// The trace as a recording, with the test and its outcome.
    pub fn recording(&self, about: &[(&str, &str)]) -> Recording {
        let step = |step: &super::Step| {
            let Event { id, action, site, .. } = step.event;
            let (object, second, target) = (action.object, action.second, action.target);
            RecordedStep { id, kind: action.kind, object, second, target, site: site.to_string() }
        };
        let mut recording = Recording {
            about: about.iter().map(|(key, value)| ((*key).to_owned(), one_line(value))).collect(),
            threads: self.threads.iter().map(|name| one_line(name)).collect(),
            objects: self.objects.iter().map(|name| one_line(name)).collect(),
            steps: self.steps().iter().map(step).collect(),
        };
        recording.renumber_threads();
        recording
    }
}

impl Recording {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.about.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    /// The threads of the run, as its spawns show them.
    pub fn run_threads(&self) -> RunThreads {
        let spawns = self.steps.iter().filter(|step| step.kind == Kind::Spawn);
        RunThreads::of(spawns.filter_map(|step| Some((step.id.thread, step.target?))))
    }

    /// Numbers the threads in the order of their paths.
    fn renumber_threads(&mut self) {
        let canonical = self.run_threads().canonical();
        for step in &mut self.steps {
            step.id.thread = canonical(step.id.thread);
            step.target = step.target.map(&canonical);
        }
        let names = std::mem::take(&mut self.threads);
        for (number, name) in names.into_iter().enumerate() {
            let number = canonical(ThreadId(number as u32)).index();
            // A number without a name belongs to another run.
            if !name.is_empty() {
                self.threads.resize(self.threads.len().max(number + 1), String::new());
                self.threads[number] = name;
            }
        }
    }

    /// Parses the text that [`Display`](fmt::Display) writes.
    pub fn parse(text: &str) -> Result<Recording, FormatError> {
        let mut lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));
        let first = lines.next().map_or("", |(_, line)| line);
        let version = first.strip_prefix(MAGIC).map(str::trim);
        let error = |line: usize, message: String| FormatError { line, message };
        match version.map(str::parse::<u32>) {
            Some(Ok(1..=VERSION)) => {}
            Some(Ok(other)) => {
                let message =
                    format!("a trace of version {other}; this program reads versions up to {VERSION}");
                return Err(error(1, message));
            }
            _ => return Err(error(1, format!("not a trace: the first line is `{MAGIC} {VERSION}` in one"))),
        }
        let mut recording = Recording::default();
        for (number, line) in lines {
            recording.read_line(line).map_err(|message| error(number, message))?;
        }
        recording.renumber_threads();
        Ok(recording)
    }

    fn read_line(&mut self, line: &str) -> Result<(), String> {
        if line.trim().is_empty() || line.starts_with('#') {
            return Ok(());
        }
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let named = |rest: &str| {
            let (number, name) = rest.split_once(' ').unwrap_or((rest, ""));
            Ok::<_, String>((read_number(number, "a number")? as usize, name.to_owned()))
        };
        match word {
            "about" => {
                let (key, value) = rest.split_once(' ').unwrap_or((rest, ""));
                self.about.push((key.to_owned(), value.to_owned()));
            }
            "thread" => add_name(&mut self.threads, named(rest)?, 0)?,
            "object" => add_name(&mut self.objects, named(rest)?, 1)?,
            "step" => self.steps.push(read_step(rest)?),
            other => return Err(format!("`{other}` is not one of about, thread, object, step")),
        }
        Ok(())
    }
}

fn add_name(names: &mut Vec<String>, (number, name): (usize, String), first: usize) -> Result<(), String> {
    let expected = names.len() + first;
    if number != expected {
        return Err(format!("the next name is number {expected}, not {number}"));
    }
    names.push(name);
    Ok(())
}

fn read_number(text: &str, what: &str) -> Result<u32, String> {
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

fn read_step(rest: &str) -> Result<RecordedStep, String> {
    let mut words = rest.splitn(7, ' ');
    let mut next = |what: &str| words.next().ok_or_else(|| format!("a step without {what}"));
    let thread = read_thread(next("its thread")?)?;
    let alternative = read_number(next("its alternative")?, "an alternative")?;
    let kind = next("its action")?;
    let kind = Kind::named(kind).ok_or_else(|| format!("`{kind}` is not an action"))?;
    let object = |text: &str| match text {
        "-" => Ok(None),
        text => match read_number(text, "an object's number")? {
            0 => Err("objects are numbered from 1".to_owned()),
            number => Ok(Some(ObjectId::at(number as usize - 1))),
        },
    };
    let (first, second) = (object(next("its object")?)?, object(next("its second object")?)?);
    let target = match next("the thread that it is done to")? {
        "-" => None,
        text => Some(read_thread(text)?),
    };
    let site = next("its place")?.to_owned();
    Ok(RecordedStep { id: EventId { thread, alternative }, kind, object: first, second, target, site })
}

fn one_line(text: &str) -> String {
    text.chars().map(without_control).collect()
}

fn without_control(char: char) -> char {
    if char.is_control() { ' ' } else { char }
}

impl fmt::Display for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut writer = RecordingWriter::begin(f)?;
        self.about.iter().try_for_each(|(key, value)| writer.about(key, value))?;
        let mut threads = self.threads.iter().enumerate();
        threads.try_for_each(|(number, name)| writer.thread(number, name))?;
        let mut objects = self.objects.iter().enumerate();
        objects.try_for_each(|(index, name)| writer.object(index + 1, name))?;
        self.steps.iter().try_for_each(|step| {
            let RecordedStep { id, kind, object, second, target, site } = step;
            writer.step_of(*id, *kind, [*object, *second], *target, site)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Action, Site};
    use crate::random::Random;
    use crate::trace::Switch;

    fn some_trace(random: &mut Random) -> Trace {
        let mut trace = Trace { threads: vec!["main".into(), "a b".into()], ..Trace::default() };
        trace.objects = vec!["mutex#1 (src/x.rs:3)".into(), String::new()];
        for _ in 0..random.below(20).unwrap_or(0) {
            let thread = ThreadId(random.below(2).unwrap_or(0) as u32);
            let thread = match random.below(3) {
                Some(buffer @ 1..) => ThreadId::phantom(thread, buffer - 1),
                _ => thread,
            };
            let id = EventId { thread, alternative: random.below(3).unwrap_or(0) as u32 };
            let kind = Kind::ALL[random.below(Kind::ALL.len()).unwrap_or(0)];
            let mut object = || random.below(3).and_then(|index| index.checked_sub(1)).map(ObjectId::at);
            let action = Action { object: object(), second: object(), ..Action::new(kind) };
            trace.push(Event::pending(id, action, Site::Line(7)), Switch::Start);
        }
        trace
    }

    #[test]
    fn a_recording_that_is_written_and_parsed_is_unchanged() {
        let mut random = Random(5);
        for _ in 0..1000 {
            let trace = some_trace(&mut random);
            let recording = trace.recording(&[("outcome", "Panicked: two\nlines"), ("seed", "7")]);
            assert_eq!(Recording::parse(&recording.to_string()), Ok(recording.clone()));
            assert_eq!(recording.get("outcome"), Some("Panicked: two lines"));
            assert!(recording.steps.iter().zip(trace.steps()).all(|(one, other)| one.matches(&other.event)));
        }
    }

    #[track_caller]
    fn check_refused(text: &str, message: &str) {
        assert_eq!(Recording::parse(text).map_err(|error| error.to_string()), Err(message.to_owned()));
    }

    #[test]
    fn malformed_text_is_refused_with_its_line() {
        check_refused("", "line 1: not a trace: the first line is `selvedge-trace 2` in one");
        check_refused(
            "selvedge-trace 9\n",
            "line 1: a trace of version 9; this program reads versions up to 2",
        );
        check_refused("selvedge-trace 1\nfoo", "line 2: `foo` is not one of about, thread, object, step");
        check_refused("selvedge-trace 1\n\nstep 0 0 dance - - - x", "line 3: `dance` is not an action");
        check_refused("selvedge-trace 1\nstep 0 0 lock 0 - - x", "line 2: objects are numbered from 1");
        check_refused("selvedge-trace 1\nstep 0 0 lock", "line 2: a step without its object");
        check_refused("selvedge-trace 1\nstep c 0 commit 1 - - x", "line 2: `` is not a thread's number");
        check_refused("selvedge-trace 1\nstep c0.x 0 commit 1 - - x", "line 2: `x` is not a buffer's number");
        check_refused(
            "selvedge-trace 1\nstep c0.40000 0 commit 1 - - x",
            "line 2: `c0.40000`: there are not so many buffers",
        );
        check_refused(
            "selvedge-trace 1\nstep 2147483648 0 load 1 - - x",
            "line 2: `2147483648` is not a thread's number",
        );
        check_refused("selvedge-trace 1\nthread 1 a", "line 2: the next name is number 0, not 1");
    }

    fn spawn(thread: u32, target: u32) -> Event {
        let id = EventId { thread: ThreadId(thread), alternative: 0 };
        Event::pending(id, Action::to(Kind::Spawn, ThreadId(target)), Site::Unknown)
    }

    /// In an exploration, thread 3 is `1.1`, and thread 1 is main's first child; another run has thread 4.
    #[test]
    fn threads_are_recorded_in_the_order_of_their_paths() {
        let threads = ["main", "one", "two", "grandchild", ""].map(str::to_owned).to_vec();
        let mut trace = Trace { threads, ..Trace::default() };
        for event in [spawn(0, 1), spawn(0, 2), spawn(1, 3)] {
            trace.push(event, Switch::Start);
        }
        assert_eq!(trace.short().to_string(), "S0-S0-S1-");
        let recording = trace.recording(&[]);
        assert_eq!(recording.threads, ["main", "one", "grandchild", "two"]);
        let targets: Vec<_> = recording.steps.iter().map(|step| step.target).collect();
        assert_eq!(targets, [1, 3, 2].map(|number| Some(ThreadId(number))));
        let parents: Vec<_> = recording.run_threads().tree().parents().collect();
        assert_eq!(parents, [0, 1, 0].map(ThreadId));
        assert_eq!(Recording::parse(&recording.to_string()), Ok(recording));
    }

    #[test]
    fn threads_of_version_1_are_numbered_anew() {
        let text = "thread 0 main\nthread 1 one\nthread 2 two\nthread 3 grandchild\n\
                    step 0 0 spawn - - 1 a\nstep 0 0 spawn - - 2 b\nstep 1 0 spawn - - 3 c\n\
                    step c3 0 commit 1 - - d\n";
        let recording = Recording::parse(&format!("selvedge-trace 1\n{text}")).expect("it is readable");
        assert_eq!(recording.threads, ["main", "one", "grandchild", "two"]);
        assert_eq!(recording.steps[3].id.thread, ThreadId::phantom(ThreadId(2), 0));
    }
}
