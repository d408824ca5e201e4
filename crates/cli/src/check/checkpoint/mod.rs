//! `--checkpoint FILE`: how far the searches of a command are, in a file from which the same command goes
//! on.
//!
//! The records are those of the searches ([`selvedge_model::checkpoint`]); the file also says which search
//! it is of: the version of Selvedge, the program, the options, the properties. Another
//! thread writes the records, a new one when the one before is on the disk: the search does not wait.
//!
//! Promise: the file is whole at every moment (see `record_file`). A file of another search, or a damaged
//! one, is refused, and left as it is. Where the file cannot be written, the search goes on without it.

mod record_file;
mod writer;

use crate::failure::Failure;
use crate::standard_error::print_note;
use record_file::{Record, RecordEnd, RecordFile, checksum};
use selvedge_model::{Checkpoint, Known, Refused};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use writer::Writer;

/// The kinds of records: what the file is about; a search begins; a record of a search; its result; a
/// snapshot of a search.
const ABOUT: u64 = 1;
const SEARCH: u64 = 2;
const RECORD: u64 = 3;
const RESULT: u64 = 4;
const SNAPSHOT: u64 = 5;

/// The least time between two records.
const INTERVAL: Duration = Duration::from_millis(25);

/// The file of a command.
#[derive(Debug)]
pub(crate) struct CheckpointFile {
    inner: RefCell<Inner>,
}

#[derive(Debug)]
struct Inner {
    path: PathBuf,
    writer: Writer,
    searches: Vec<Search>,
    /// The search that has begun, and the next of its records.
    current: Option<usize>,
    next_record: usize,
    /// When the last record was handed to the writer.
    handed_over: Instant,
    /// The file cannot be written, or a limit has stopped a search.
    is_closed: bool,
    /// The user was not told yet that the command goes on from the file.
    is_untold: bool,
    /// Why the file was refused.
    refused: Option<String>,
}

/// A search of the file.
#[derive(Debug)]
struct Search {
    kind: String,
    /// Where its records begin.
    start: RecordEnd,
    records: Vec<Record>,
    /// The last one.
    snapshot: Option<Record>,
    result: Option<Record>,
}

impl Search {
    fn new(kind: String, start: RecordEnd) -> Search {
        Search { kind, start, records: Vec::new(), snapshot: None, result: None }
    }
}

impl CheckpointFile {
    /// Opens the file, or creates it. `about` has a line for each thing that must be the same.
    pub(super) fn open(path: &Path, about: &str) -> Result<CheckpointFile, Failure> {
        let refuse = |why: &str| refusal(path, why);
        let opened = RecordFile::open(path).map_err(|why| refuse(&why))?;
        let is_untold = opened.is_some();
        let (file, searches) = match opened {
            Some((mut file, records)) => {
                let searches = list_searches(&mut file, &records, about).map_err(|why| refuse(&why))?;
                (file, searches)
            }
            None => {
                let created = RecordFile::create(path, ABOUT, about.as_bytes());
                let failed = |error| Failure::Usage(format!("{}: {error}", path.display()));
                (created.map_err(failed)?, Vec::new())
            }
        };
        let inner = Inner {
            path: path.to_owned(),
            writer: Writer::new(file),
            searches,
            current: None,
            next_record: 0,
            handed_over: Instant::now(),
            is_closed: false,
            is_untold,
            refused: None,
        };
        Ok(CheckpointFile { inner: RefCell::new(inner) })
    }

    /// The failure of a command whose checkpoint does not fit one of its searches.
    pub(super) fn refusal(&self) -> Result<(), Failure> {
        let inner = self.inner.borrow();
        inner.refused.as_ref().map_or(Ok(()), |why| Err(refusal(&inner.path, why)))
    }

    /// The command has ended. A file that is of no more use is removed.
    pub(super) fn end(&self, is_limited: bool) {
        let mut inner = self.inner.borrow_mut();
        // All records are written.
        drop(inner.writer.file());
        if let Some(error) = inner.writer.failure() {
            inner.close(&error);
        }
        if !is_limited && !inner.is_closed {
            let _ = std::fs::remove_file(&inner.path);
        } else {
            print_note(&format!("the same command goes on from the checkpoint {}", inner.path.display()));
        }
    }
}

fn refusal(path: &Path, why: &str) -> Failure {
    let file = path.display();
    Failure::Usage(format!(
        "cannot go on from the checkpoint {file}: {why}; the file is left as it is, move it away to begin anew"
    ))
}

/// The number that stands for a text, in the lines that must be the same.
pub(super) fn fingerprint(text: &str) -> String {
    format!("{:016x}", checksum(text.len() as u64, text.as_bytes()))
}

/// The searches of a file that is about the same, or why it is refused.
fn list_searches(file: &mut RecordFile, records: &[Record], about: &str) -> Result<Vec<Search>, String> {
    let mut text = |record: &Record| {
        let mut bytes = Vec::new();
        file.read(*record, &mut bytes)?;
        String::from_utf8(bytes).map_err(|_| "it is damaged".to_owned())
    };
    let Some((first, others)) = records.split_first().filter(|(first, _)| first.kind == ABOUT) else {
        return Err("it is damaged".to_owned());
    };
    let other = text(first)?;
    if other != about {
        let differs = other.lines().zip(about.lines()).find(|(other, own)| other != own);
        let (other, own) = differs.unwrap_or(("more", "less"));
        return Err(format!("it is of another search (its {other}; here {own})"));
    }
    let mut searches: Vec<Search> = Vec::new();
    for record in others {
        match (record.kind, searches.last_mut()) {
            (SEARCH, _) => searches.push(Search::new(text(record)?, record.end)),
            (RECORD, Some(search)) => search.records.push(*record),
            (SNAPSHOT, Some(search)) => search.snapshot = Some(*record),
            (RESULT, Some(search)) => search.result = Some(*record),
            _ => return Err("it is damaged".to_owned()),
        }
    }
    Ok(searches)
}

impl Inner {
    /// Is the search that has begun the last one of the file? Only that one is written.
    fn is_open(&self) -> bool {
        !self.is_closed && self.current.is_some_and(|current| current + 1 == self.searches.len())
    }

    /// Writes to the file, behind all records that were handed to the writer.
    fn write<T>(&mut self, write: impl FnOnce(&mut RecordFile) -> std::io::Result<T>) -> Option<T> {
        let result = write(&mut self.writer.file());
        result.map_err(|error| self.close(&error)).ok()
    }

    /// Hands a record to the writer.
    fn hand_over(&mut self, kind: u64, bytes: &[u8]) {
        self.writer.add(kind, bytes);
        self.handed_over = Instant::now();
    }

    /// Is it time for a record? Not before the one before is on the disk.
    fn is_due(&mut self) -> bool {
        if !self.is_open() || self.handed_over.elapsed() < INTERVAL || self.writer.is_busy() {
            return false;
        }
        match self.writer.failure() {
            Some(error) => {
                self.close(&error);
                false
            }
            None => true,
        }
    }

    /// The file cannot be written.
    fn close(&mut self, error: &std::io::Error) {
        self.is_closed = true;
        let path = self.path.display();
        print_note(&format!("the checkpoint {path} cannot be written: {error}; going on without it"));
    }

    fn begin(&mut self, kind: &str) -> Known {
        let index = self.current.map_or(0, |current| current + 1);
        (self.current, self.next_record) = (Some(index), 0);
        let Some(search) = self.searches.get(index) else {
            let begun =
                if self.is_closed { None } else { self.write(|file| file.add(SEARCH, kind.as_bytes())) };
            if let Some(record) = begun {
                self.searches.push(Search::new(kind.to_owned(), record.end));
            }
            self.tell();
            return Known::Nothing;
        };
        if search.kind != kind {
            self.refused = Some(format!("it is of another search (its {}; here {kind})", search.kind));
            return Known::Refused;
        }
        let Some(result) = search.result else { return Known::Records };
        let mut bytes = Vec::new();
        match self.read_bytes(result, &mut bytes) {
            Ok(()) => {
                self.tell();
                Known::Result(bytes)
            }
            Err(Refused) => Known::Refused,
        }
    }

    fn read(&mut self, bytes: &mut Vec<u8>) -> Result<bool, Refused> {
        let search = self.current.and_then(|current| self.searches.get(current));
        let record = search.and_then(|search| search.records.get(self.next_record)).copied();
        let Some(record) = record else {
            self.tell();
            return Ok(false);
        };
        self.next_record += 1;
        self.read_bytes(record, bytes)?;
        Ok(true)
    }

    fn read_snapshot(&mut self, bytes: &mut Vec<u8>) -> Result<bool, Refused> {
        let search = self.current.and_then(|current| self.searches.get(current));
        let Some(snapshot) = search.and_then(|search| search.snapshot) else { return Ok(false) };
        self.read_bytes(snapshot, bytes)?;
        Ok(true)
    }

    fn read_bytes(&mut self, record: Record, bytes: &mut Vec<u8>) -> Result<(), Refused> {
        let result = self.writer.file().read(record, bytes);
        result.map_err(|why| {
            self.refused = Some(why);
            Refused
        })
    }

    /// Tells once that the command goes on from the file, when the records of its first search were read.
    fn tell(&mut self) {
        if std::mem::take(&mut self.is_untold) {
            print_note(&format!("going on from the checkpoint {}", self.path.display()));
        }
    }
}

impl Checkpoint for CheckpointFile {
    fn begin(&self, search: &str) -> Known {
        self.inner.borrow_mut().begin(search)
    }

    fn read(&self, record: &mut Vec<u8>) -> Result<bool, Refused> {
        self.inner.borrow_mut().read(record)
    }

    fn refuse(&self, why: &str) {
        self.inner.borrow_mut().refused.get_or_insert_with(|| why.to_owned());
    }

    fn is_due(&self) -> bool {
        self.inner.borrow_mut().is_due()
    }

    fn write(&self, record: &[u8]) {
        let mut inner = self.inner.borrow_mut();
        if inner.is_open() {
            inner.hand_over(RECORD, record);
        }
    }

    fn write_snapshot(&self, snapshot: &[u8]) {
        let mut inner = self.inner.borrow_mut();
        if inner.is_open() {
            inner.hand_over(SNAPSHOT, snapshot);
        }
    }

    fn read_snapshot(&self, snapshot: &mut Vec<u8>) -> Result<bool, Refused> {
        self.inner.borrow_mut().read_snapshot(snapshot)
    }

    fn finish(&self, result: &[u8]) {
        let mut inner = self.inner.borrow_mut();
        if let Some(start) = inner.searches.last().map(|search| search.start)
            && inner.is_open()
        {
            inner.write(|file| file.replace(start, RESULT, result));
        }
    }

    fn stop(&self) {
        self.inner.borrow_mut().is_closed = true;
    }
}
