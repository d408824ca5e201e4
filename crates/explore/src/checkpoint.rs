//! Checkpoints: the state of a scheduler as text, from which another process continues.
//!
//! A checkpoint consists of lines of words. It leaves out places in the source: they serve messages only,
//! and a new run supplies them again.
//!
//! Promise: reading a checkpoint gives the state that was written, except for places; malformed text is
//! refused with the offending line.

use crate::event::{Action, Effect, Event, Footprint, Kind, ReadsFrom, Site};
use crate::ids::{EventId, ObjectId, ThreadId};
use crate::trace::read_thread;
use std::fmt::Write;
use std::str::FromStr;

/// Reads a text line by line, and each line word by word.
pub(crate) struct Reader<'t> {
    lines: std::iter::Peekable<std::str::Lines<'t>>,
    line: &'t str,
    words: std::str::SplitAsciiWhitespace<'t>,
}

impl<'t> Reader<'t> {
    pub(crate) fn new(text: &'t str) -> Reader<'t> {
        Reader { lines: text.lines().peekable(), line: "", words: "".split_ascii_whitespace() }
    }

    /// Advances to the next line and returns its first word; `None` at the end of the text.
    pub(crate) fn next_line(&mut self) -> Option<&'t str> {
        self.line = self.lines.next()?;
        self.words = self.line.split_ascii_whitespace();
        Some(self.words.next().unwrap_or(""))
    }

    /// Advances to the next line if its first word is this one.
    pub(crate) fn advance_if(&mut self, word: &str) -> bool {
        let is_next =
            self.lines.peek().is_some_and(|line| line.split_ascii_whitespace().next() == Some(word));
        if is_next {
            self.next_line();
        }
        is_next
    }

    pub(crate) fn word(&mut self) -> Result<&'t str, String> {
        self.words.next().ok_or_else(|| format!("`{}` ends too early", self.line))
    }

    pub(crate) fn number<N: FromStr>(&mut self) -> Result<N, String> {
        let word = self.word()?;
        word.parse().map_err(|_| format!("`{word}` is not a number, in `{}`", self.line))
    }

    fn optional<T>(&mut self, read: impl FnOnce(&str) -> Result<T, String>) -> Result<Option<T>, String> {
        match self.word()? {
            "-" => Ok(None),
            word => read(word).map(Some),
        }
    }

    pub(crate) fn id(&mut self) -> Result<EventId, String> {
        read_id(self.word()?)
    }

    pub(crate) fn event(&mut self) -> Result<Event, String> {
        let id = self.id()?;
        let kind = self.word()?;
        let kind = Kind::named(kind).ok_or_else(|| format!("`{kind}` is not an action"))?;
        let flags: u16 = self.number()?;
        let [
            read_only,
            ends_run,
            is_buffered,
            drains,
            has_alternatives,
            waits_for_unknown,
            is_guarded,
            is_interruption_point,
            wakes_no_waiter,
            is_final,
            affects_outcome,
        ] = std::array::from_fn(|bit| flags >> bit & 1 == 1);
        let reads_from = match self.word()? {
            "memory" => ReadsFrom::Memory,
            "own" => ReadsFrom::Own,
            "buffer" => ReadsFrom::Buffer,
            other => return Err(format!("`{other}` is not where a load reads")),
        };
        let preceding_stores = self.number()?;
        let (object, second) = (self.optional(read_object)?, self.optional(read_object)?);
        let target = self.optional(read_thread)?;
        let footprint = Footprint { reads: self.number()?, writes: self.number()? };
        let number = |word: &str| word.parse().map_err(|_| format!("`{word}` is not a number"));
        let (expected, observed) = (self.optional(number)?, self.number()?);
        let action = Action {
            kind,
            is_buffered,
            drains,
            preceding_stores,
            reads_from,
            has_alternatives,
            waits_for_unknown,
            is_guarded,
            is_final,
            is_interruption_point,
            object,
            second,
            target,
            footprint,
            expected,
        };
        let effect = Effect { read_only, wakes_no_waiter, ends_run, affects_outcome, observed };
        Ok(Event { id, action, effect, site: Site::Unknown })
    }
}

fn read_object(word: &str) -> Result<ObjectId, String> {
    match word.parse::<u32>() {
        Ok(number) if number > 0 => Ok(ObjectId::at(number as usize - 1)),
        _ => Err(format!("`{word}` is not an object's number")),
    }
}

/// Reads an event identifier that [`write_id`] wrote.
pub fn read_id(word: &str) -> Result<EventId, String> {
    let (thread, alternative) = word.split_once(':').unwrap_or((word, "0"));
    let alternative = alternative.parse().map_err(|_| format!("`{word}` is not an event"))?;
    Ok(EventId { thread: read_thread(thread)?, alternative })
}

/// An event identifier as text: its thread and, if it is not the first, its alternative.
pub fn write_id(id: EventId) -> String {
    match id.alternative {
        0 => id.thread.to_string(),
        alternative => format!("{}:{alternative}", id.thread),
    }
}

/// Appends a space and the event.
pub(crate) fn write_event(text: &mut String, event: &Event) {
    let Event { action, effect, .. } = event;
    let flags = [
        effect.read_only,
        effect.ends_run,
        action.is_buffered,
        action.drains,
        action.has_alternatives,
        action.waits_for_unknown,
        action.is_guarded,
        action.is_interruption_point,
        effect.wakes_no_waiter,
        action.is_final,
        effect.affects_outcome,
    ];
    let flags = flags.into_iter().rev().fold(0, |bits: u16, flag| bits << 1 | u16::from(flag));
    let reads_from = match action.reads_from {
        ReadsFrom::Memory => "memory",
        ReadsFrom::Own => "own",
        ReadsFrom::Buffer => "buffer",
    };
    let object =
        |object: Option<ObjectId>| object.map_or("-".to_owned(), |object| object.number().to_string());
    let target = action.target.map_or("-".to_owned(), |target: ThreadId| target.to_string());
    let expected = action.expected.map_or("-".to_owned(), |expected| expected.to_string());
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        " {} {} {flags} {reads_from} {} {} {} {target} {} {} {expected} {}",
        write_id(event.id),
        action.kind.text(),
        action.preceding_stores,
        object(action.object),
        object(action.second),
        action.footprint.reads,
        action.footprint.writes,
        effect.observed
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn some_event(random: &mut Random) -> Event {
        let mut below = |bound: usize| random.below(bound).unwrap_or(0);
        let thread = ThreadId(below(5) as u32);
        let thread = if below(3) == 0 { ThreadId::phantom(thread, below(4)) } else { thread };
        let mut flag = || below(2) == 1;
        let [read_only, wakes_no_waiter, ends_run, affects_outcome] = [flag(), flag(), flag(), flag()];
        let action = Action {
            is_buffered: flag(),
            drains: flag(),
            has_alternatives: flag(),
            waits_for_unknown: flag(),
            is_guarded: flag(),
            is_final: flag(),
            is_interruption_point: flag(),
            ..Action::new(Kind::ALL[below(Kind::ALL.len())])
        };
        let action = Action {
            preceding_stores: below(9) as u32,
            reads_from: [ReadsFrom::Memory, ReadsFrom::Own, ReadsFrom::Buffer][below(3)],
            object: below(3).checked_sub(1).map(ObjectId::at),
            second: below(3).checked_sub(1).map(ObjectId::at),
            target: below(3).checked_sub(1).map(|target| ThreadId(target as u32)),
            footprint: Footprint { reads: below(99) as u64, writes: below(99) as u64 },
            expected: below(3).checked_sub(1).map(|value| value as u64),
            ..action
        };
        let observed = below(usize::MAX) as u64;
        let effect = Effect { read_only, wakes_no_waiter, ends_run, affects_outcome, observed };
        let id = EventId { thread, alternative: below(3) as u32 };
        Event { id, action, effect, site: Site::Unknown }
    }

    #[test]
    fn events_are_read_back_as_written() {
        let mut random = Random(11);
        for _ in 0..10_000 {
            let event = some_event(&mut random);
            let mut text = "x".to_owned();
            write_event(&mut text, &event);
            let mut reader = Reader::new(&text);
            assert_eq!(reader.next_line(), Some("x"));
            assert_eq!(reader.event(), Ok(event), "{text}");
            assert!(reader.word().is_err());
        }
    }
}
