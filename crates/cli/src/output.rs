//! Standard output, whose reader may go away: `selvedge check models/*.par | head -1`.
//!
//! Then nobody is told any more, and what is left is the exit code, which is the same as if somebody had read to the end.

use std::io::{self, ErrorKind, Write};

/// Writes as long as there is a reader; from then on, into nothing.
pub(crate) struct Output<W> {
    inner: Option<W>,
}

impl<W: Write> Output<W> {
    pub(crate) fn new(inner: W) -> Output<W> {
        Output { inner: Some(inner) }
    }

    /// What the work answers; `instead` if there is no reader, or no longer one.
    fn or<T>(&mut self, instead: T, work: impl FnOnce(&mut W) -> io::Result<T>) -> io::Result<T> {
        let Some(inner) = &mut self.inner else { return Ok(instead) };
        match work(inner) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.inner = None;
                Ok(instead)
            }
            answer => answer,
        }
    }
}

impl<W: Write> Write for Output<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.or(bytes.len(), |inner| inner.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.or((), Write::flush)
    }
}
