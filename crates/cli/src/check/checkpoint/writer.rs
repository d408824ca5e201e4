//! Writes the records of a search on a thread of its own, so that the search does not wait for the disk.
//!
//! A record is kept when the disk says so, which takes many milliseconds. Records are handed over one at a
//! time: a search asks whether the writer is [busy](Writer::is_busy) before it makes the next one. The
//! file is read only when all records are written.
//!
//! Promise: records are written in the order in which they were handed over, and all of them are written
//! when the writer is dropped. After a failure nothing more is written.

use super::record_file::RecordFile;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// A file of records, and the thread that adds to it.
#[derive(Debug)]
pub(super) struct Writer {
    shared: Arc<Shared>,
    /// `None` when the writer is dropped, or there is no thread: then records are written at once.
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    file: Mutex<RecordFile>,
    outcome: Mutex<Outcome>,
    /// The number of records that are handed over and not written yet.
    waiting: AtomicUsize,
}

/// Whether a record could not be written.
#[derive(Debug, Default)]
struct Outcome {
    /// Until it is told.
    failure: Option<io::Error>,
    has_failed: bool,
}

/// A record: its kind, and its bytes.
type Job = (u64, Vec<u8>);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Writer {
    pub(super) fn new(file: RecordFile) -> Writer {
        let outcome = Mutex::new(Outcome::default());
        let shared = Arc::new(Shared { file: Mutex::new(file), outcome, waiting: AtomicUsize::new(0) });
        let (jobs, waiting) = channel();
        let work = {
            let shared = shared.clone();
            move || shared.work(&waiting)
        };
        let thread = thread::Builder::new().name("checkpoint".to_owned()).spawn(work).ok();
        Writer { jobs: thread.is_some().then_some(jobs), shared, thread }
    }

    /// Hands a record over.
    pub(super) fn add(&self, kind: u64, bytes: &[u8]) {
        let Some(jobs) = &self.jobs else { return self.shared.write(kind, bytes) };
        self.shared.waiting.fetch_add(1, Ordering::AcqRel);
        // The thread ends after its last job alone.
        let _ = jobs.send((kind, bytes.to_vec()));
    }

    /// Is a record on its way to the disk?
    pub(super) fn is_busy(&self) -> bool {
        self.shared.waiting.load(Ordering::Acquire) > 0
    }

    /// The failure to write, told once.
    pub(super) fn failure(&self) -> Option<io::Error> {
        lock(&self.shared.outcome).failure.take()
    }

    /// Waits until all records are written, and gives access to the file.
    pub(super) fn file(&self) -> MutexGuard<'_, RecordFile> {
        let has_ended = || self.thread.as_ref().is_none_or(JoinHandle::is_finished);
        while self.is_busy() && !has_ended() {
            thread::sleep(PAUSE);
        }
        lock(&self.shared.file)
    }
}

/// The pause of a thread that waits for the writer.
const PAUSE: Duration = Duration::from_millis(1);

impl Shared {
    /// Writes records until no more can come.
    fn work(&self, jobs: &Receiver<Job>) {
        for (kind, bytes) in jobs {
            self.write(kind, &bytes);
            self.waiting.fetch_sub(1, Ordering::AcqRel);
        }
    }

    fn write(&self, kind: u64, bytes: &[u8]) {
        if lock(&self.outcome).has_failed {
            return;
        }
        if let Err(failure) = lock(&self.file).add(kind, bytes) {
            *lock(&self.outcome) = Outcome { failure: Some(failure), has_failed: true };
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_records_are_written_in_order() {
        let path = std::env::temp_dir().join(format!("selvedge-{}-writer", std::process::id()));
        let writer = Writer::new(RecordFile::create(&path, 1, b"about").expect("a writable folder"));
        for number in 0..50_u8 {
            writer.add(2, &vec![number; 1000]);
            if number == 20 {
                // What is written to the file meanwhile comes behind what was handed over.
                writer.file().add(3, b"between").expect("room");
                assert!(!writer.is_busy());
            }
        }
        drop(writer);
        let (mut file, records) = RecordFile::open(&path).expect("a valid file").expect("a file");
        assert_eq!(records.len(), 52);
        let numbers = (0..=20).chain([b'b']).chain(21..50);
        for (record, number) in records[1..].iter().zip(numbers) {
            let mut bytes = Vec::new();
            file.read(*record, &mut bytes).expect("a valid record");
            assert_eq!(bytes[0], number);
        }
        std::fs::remove_file(&path).expect("the file");
    }
}
