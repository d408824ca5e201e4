//! Standard output, whose reader may close the pipe: `selvedge check models/*.par | head -1`.
//!
//! From then on all output is dropped. The command goes on to its end: the exit code does not depend on the
//! reader.

use std::io::{self, ErrorKind, Write};

/// Writes to the inner writer until its pipe is closed, and drops everything afterwards.
pub(crate) struct Output<W> {
    /// `None` once the pipe is closed.
    inner: Option<W>,
}

impl<W: Write> Output<W> {
    pub(crate) fn new(inner: W) -> Output<W> {
        Output { inner: Some(inner) }
    }

    /// The result of the operation; `if_closed` if the pipe is closed already, or turns out to be.
    fn unless_closed<T>(
        &mut self,
        if_closed: T,
        operation: impl FnOnce(&mut W) -> io::Result<T>,
    ) -> io::Result<T> {
        let Some(inner) = &mut self.inner else { return Ok(if_closed) };
        match operation(inner) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.inner = None;
                Ok(if_closed)
            }
            result => result,
        }
    }
}

impl<W: Write> Write for Output<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unless_closed(bytes.len(), |inner| inner.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.unless_closed((), Write::flush)
    }
}
