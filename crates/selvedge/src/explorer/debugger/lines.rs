//! The lines of a session in the terminal, in a file, so that a process that ends loses none.
//!
//! A line is written before it is carried out, behind `> `, and `done` after it. The last line of a file
//! that is not done ended its process: it is told, and not carried out again.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

/// Stands before a line.
const BEGUN: &str = "> ";

/// Stands after a line that was carried out.
const DONE: &str = "done";

/// The lines of a session.
pub(super) struct LineLog {
    file: File,
    /// The line that ended the last process.
    pub(super) unfinished: Option<String>,
}

impl LineLog {
    /// Opens or makes the file. The second part of the result is the lines that were carried out.
    pub(super) fn open(path: &Path) -> io::Result<(LineLog, Vec<String>)> {
        let mut file = OpenOptions::new().create(true).append(true).read(true).open(path)?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        let (lines, unfinished) = read(&text);
        if unfinished.is_some() {
            // From now on it is a line that the session does not have.
            writeln!(file, "left out")?;
        }
        Ok((LineLog { file, unfinished }, lines))
    }

    /// Before a line is carried out.
    pub(super) fn begin(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.file, "{BEGUN}{line}")
    }

    /// After it.
    pub(super) fn end(&mut self) -> io::Result<()> {
        writeln!(self.file, "{DONE}")
    }
}

/// The lines that were carried out, and the last one if it was not.
fn read(text: &str) -> (Vec<String>, Option<String>) {
    let (mut lines, mut begun) = (Vec::new(), None);
    for line in text.lines() {
        match line.strip_prefix(BEGUN) {
            Some(line) => begun = Some(line.to_owned()),
            None if line == DONE => lines.extend(begun.take()),
            None => begun = None,
        }
    }
    (lines, begun)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_not_done_is_left_out_and_named() {
        let check = |text: &str, lines: &[&str], unfinished: Option<&str>| {
            let read = read(text);
            assert_eq!(
                (read.0.iter().map(String::as_str).collect::<Vec<_>>(), read.1.as_deref()),
                (lines.to_vec(), unfinished),
                "{text}"
            );
        };
        check("", &[], None);
        check("> F p\ndone\n> back\ndone\n", &["F p", "back"], None);
        check("> F p\ndone\n> F q\n", &["F p"], Some("F q"));
        check("> F p\ndone\n> F q\nleft out\n> state\ndone\n", &["F p", "state"], None);
    }
}
