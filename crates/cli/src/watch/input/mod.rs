//! The lines of a log: a file or standard input, finished or followed as it grows.
//!
//! Lines are read in large pieces, and handed out without copying. A row of a CSV file may have line ends in
//! quotes; it is one line here, with the number of its first one.

use super::arguments::InputFormat;
use super::plan::WatchPlan;
use crate::failure::Failure;
use crate::interruption;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::PathBuf;
use std::time::Duration;

/// The size of a piece.
const BUFFER_BYTES: usize = 1 << 20;
/// No line is longer.
const MAX_LINE_BYTES: usize = 1 << 28;
/// A followed file is looked at again after this time.
const POLL_EVERY: Duration = Duration::from_millis(50);

/// A line of a log.
pub(super) struct Line<'b> {
    /// Counted from 1.
    pub(super) number: u64,
    /// Without the line end.
    pub(super) bytes: &'b [u8],
}

/// Reads a log line by line.
pub(super) struct LineReader {
    input: Box<dyn Read>,
    /// The file to look at again, if it is followed.
    followed: Option<PathBuf>,
    name: String,
    is_csv: bool,
    is_followed: bool,
    buffer: Vec<u8>,
    /// What was read and not handed out yet, as a part of the buffer.
    start: usize,
    end: usize,
    /// The number of the next line.
    number: u64,
    /// The number of bytes that were read.
    position: u64,
    is_at_end: bool,
    /// Did a signal end the log?
    is_stopped: bool,
}

impl LineReader {
    pub(super) fn open(plan: &WatchPlan) -> Result<LineReader, Failure> {
        let input: Box<dyn Read> = match &plan.file {
            None => Box::new(std::io::stdin().lock()),
            Some(path) => Box::new(
                File::open(path).map_err(|error| Failure::Usage(format!("{}: {error}", plan.input_name)))?,
            ),
        };
        if plan.is_followed {
            interruption::note_signals();
        }
        Ok(LineReader {
            input,
            followed: plan.file.clone().filter(|_| plan.is_followed),
            name: plan.input_name.clone(),
            is_csv: plan.input_format == InputFormat::Csv,
            is_followed: plan.is_followed,
            buffer: vec![0; BUFFER_BYTES],
            start: 0,
            end: 0,
            number: 1,
            position: 0,
            is_at_end: false,
            is_stopped: false,
        })
    }

    /// The next line; `None` at the end.
    #[inline]
    pub(super) fn next_line(&mut self) -> Result<Option<Line<'_>>, Failure> {
        loop {
            let rest = &self.buffer[self.start..self.end];
            if let Some((length, newlines)) = end_of_line(rest, self.is_csv) {
                return Ok(Some(self.take(length, length + 1, newlines)));
            }
            if self.is_at_end {
                let length = self.end - self.start;
                // A line that is being written is no line yet.
                if length == 0 || self.is_stopped {
                    return Ok(None);
                }
                return Ok(Some(self.take(length, length, 0)));
            }
            self.fill()?;
        }
    }

    /// Does the log end in the middle of a line that was not handed out?
    pub(super) fn is_cut_short(&self) -> bool {
        self.is_stopped && self.start < self.end
    }

    #[inline]
    fn take(&mut self, length: usize, with_end: usize, newlines: u64) -> Line<'_> {
        let start = self.start;
        self.start += with_end;
        let number = self.number;
        self.number += newlines;
        Line { number, bytes: &self.buffer[start..start + length] }
    }

    /// Reads more.
    #[cold]
    fn fill(&mut self) -> Result<(), Failure> {
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        if self.end == self.buffer.len() {
            if self.buffer.len() >= MAX_LINE_BYTES {
                let (name, number) = (&self.name, self.number);
                return Err(Failure::Limit(format!(
                    "{name}:{number}: the line has no end in {MAX_LINE_BYTES} bytes"
                )));
            }
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        loop {
            if self.is_followed && interruption::is_asked_for() {
                (self.is_at_end, self.is_stopped) = (true, true);
                return Ok(());
            }
            match self.input.read(&mut self.buffer[self.end..]) {
                Ok(0) if self.followed.is_some() => self.wait()?,
                Ok(0) => {
                    self.is_at_end = true;
                    return Ok(());
                }
                Ok(count) => {
                    self.end += count;
                    self.skip_mark();
                    self.position += count as u64;
                    return Ok(());
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(Failure::Usage(format!("{}: {error}", self.name))),
            }
        }
    }

    /// The byte-order mark that some editors write is no part of the first line.
    fn skip_mark(&mut self) {
        if self.position == 0 && self.buffer[..self.end].starts_with(b"\xef\xbb\xbf") {
            self.start = 3;
        }
    }

    /// Waits for a followed file to grow.
    fn wait(&self) -> Result<(), Failure> {
        let length = self.followed.as_ref().and_then(|path| std::fs::metadata(path).ok());
        if length.is_some_and(|metadata| metadata.len() < self.position) {
            let name = &self.name;
            return Err(Failure::Usage(format!(
                "{name}: the file became shorter, so its lines are not known"
            )));
        }
        std::thread::sleep(POLL_EVERY);
        Ok(())
    }
}

/// The length of the first line, and the number of line ends with which it ends; `None` if it does not end.
#[inline]
fn end_of_line(bytes: &[u8], is_csv: bool) -> Option<(usize, u64)> {
    let length = memchr::memchr(b'\n', bytes)?;
    if is_csv { end_of_row(bytes) } else { Some((length, 1)) }
}

/// The same for a row: line ends in quotes do not count. Doubled quotes do not change whether the number of
/// quotes is odd.
fn end_of_row(bytes: &[u8]) -> Option<(usize, u64)> {
    let (mut from, mut quotes, mut newlines) = (0, 0, 0);
    loop {
        let end = from + memchr::memchr(b'\n', &bytes[from..])?;
        quotes += memchr::memchr_iter(b'"', &bytes[from..end]).count();
        newlines += 1;
        if quotes % 2 == 0 {
            return Some((end, newlines));
        }
        from = end + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that returns few bytes at a time.
    struct Dripping(Vec<u8>, usize);

    impl Read for Dripping {
        fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
            let count = self.1.min(self.0.len()).min(out.len());
            out[..count].copy_from_slice(&self.0[..count]);
            self.0.drain(..count);
            Ok(count)
        }
    }

    fn lines(text: &str, is_csv: bool, step: usize, buffer: usize) -> Vec<(u64, String)> {
        let mut reader = LineReader {
            input: Box::new(Dripping(text.as_bytes().to_vec(), step)),
            followed: None,
            name: "test".to_owned(),
            is_csv,
            is_followed: false,
            buffer: vec![0; buffer],
            start: 0,
            end: 0,
            number: 1,
            position: 0,
            is_at_end: false,
            is_stopped: false,
        };
        let mut found = Vec::new();
        while let Ok(Some(line)) = reader.next_line() {
            found.push((line.number, String::from_utf8_lossy(line.bytes).into_owned()));
        }
        found
    }

    #[test]
    fn lines_are_found_however_the_bytes_come() {
        let text = "\u{feff}one\n\nthree, and long\n\"four\nand\"\"five\",x\nlast";
        let line = |number, text: &str| (number, text.to_owned());
        for (step, buffer) in [(3, 4), (4, 8), (1000, 1000)] {
            let plain = lines(text, false, step, buffer);
            assert_eq!(plain[..3], [line(1, "one"), line(2, ""), line(3, "three, and long")]);
            assert_eq!(plain.last(), Some(&line(6, "last")));
            let rows = lines(text, true, step, buffer);
            assert_eq!(rows[3..], [line(4, "\"four\nand\"\"five\",x"), line(6, "last")]);
        }
        assert_eq!(lines("", false, 1, 4), []);
        assert_eq!(lines("a\n", false, 1, 4), [line(1, "a")]);
    }
}
