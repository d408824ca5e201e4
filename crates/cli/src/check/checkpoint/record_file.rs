//! A file of records that is whole at every moment.
//!
//! ```text
//! selvedge-search        16 bytes
//! version                a number; all numbers have 8 bytes, the lowest first
//! length, sum, check     the length of the valid part, its checksum, and a checksum of these three numbers
//! kind, size, sum, check the head of a record: its sum is that of the valid part up to the record's end
//! bytes                  of the record; and so on
//! ```
//!
//! A record is added behind the valid part, and is on the disk before the length says so. What is behind the
//! valid part was being written when the process ended: it is overwritten. Where records are replaced, a new
//! file is renamed into place. The heads are checked when the file is opened, the bytes of a record when
//! they are read: the file is read once, and records that are not needed are never read.
//!
//! Promise: at every moment the file has all records up to some moment before. A file that is cut off, or
//! whose head, or the head of a record, was changed, is refused when it is opened; a record that was changed
//! is refused when it is read.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 16] = b"selvedge-search\n";
const VERSION: u64 = 3;
/// Where the length, the sum and their check are.
const COMMIT: u64 = 24;
/// Where the records begin.
const START: u64 = 48;
/// The length of the head of a record.
const HEAD: u64 = 32;

/// An open file.
#[derive(Debug)]
pub(super) struct RecordFile {
    path: PathBuf,
    file: File,
    end: RecordEnd,
}

/// The end of a record: its offset, and the checksum of everything before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RecordEnd {
    offset: u64,
    sum: u64,
}

/// A record of the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    pub(super) kind: u64,
    pub(super) size: u64,
    /// Where the record before it ends.
    start: RecordEnd,
    /// Where the record ends.
    pub(super) end: RecordEnd,
}

impl RecordFile {
    /// Creates the file with a first record, in place of another one.
    pub(super) fn create(path: &Path, kind: u64, bytes: &[u8]) -> io::Result<RecordFile> {
        let start = RecordEnd { offset: START, sum: VERSION };
        let (file, end) = replace(path, start, None, (kind, bytes))?;
        Ok(RecordFile { path: path.to_owned(), file, end })
    }

    /// Opens a file, and lists its records; `None` if there is none. The error says why it is refused.
    pub(super) fn open(path: &Path) -> Result<Option<(RecordFile, Vec<Record>)>, String> {
        let unreadable = |error: io::Error| format!("it cannot be read: {error}");
        let mut file = match File::options().read(true).write(true).open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unreadable(error)),
        };
        let mut header = [0; START as usize];
        let is_short = file.read_exact(&mut header).is_err();
        if is_short || header[..16] != *MAGIC {
            return Err("it is no checkpoint of `selvedge check`".to_owned());
        }
        let number = |index: usize| u64::from_le_bytes(header[index..index + 8].try_into().expect("eight"));
        if number(16) != VERSION {
            return Err(format!("it has version {}, and this is version {VERSION}", number(16)));
        }
        let end = RecordEnd { offset: number(24), sum: number(32) };
        let length = file.metadata().map_err(unreadable)?.len();
        if check_of(end) != number(40) || length < end.offset {
            return Err("it is damaged".to_owned());
        }
        match scan(&mut file, end).map_err(unreadable)? {
            Some(records) => Ok(Some((RecordFile { path: path.to_owned(), file, end }, records))),
            None => Err("it is damaged".to_owned()),
        }
    }

    /// The bytes of a record. The error says why it is refused.
    pub(super) fn read(&mut self, record: Record, bytes: &mut Vec<u8>) -> Result<(), String> {
        bytes.clear();
        // One byte more, so that the end is found without another allocation.
        bytes.reserve(record.size as usize + 1);
        let mut read = || {
            self.file.seek(SeekFrom::Start(record.start.offset + HEAD))?;
            (&self.file).take(record.size).read_to_end(bytes)
        };
        read().map_err(|error| format!("it cannot be read: {error}"))?;
        let is_whole = bytes.len() as u64 == record.size;
        if is_whole && record_at(record.start, record.kind, bytes).end == record.end {
            Ok(())
        } else {
            Err("it is damaged".to_owned())
        }
    }

    /// Adds a record.
    pub(super) fn add(&mut self, kind: u64, bytes: &[u8]) -> io::Result<Record> {
        let record = record_at(self.end, kind, bytes);
        self.file.seek(SeekFrom::Start(self.end.offset))?;
        self.file.write_all(&head_of(&record))?;
        self.file.write_all(bytes)?;
        self.file.sync_data()?;
        commit(&mut self.file, record.end)?;
        self.end = record.end;
        Ok(record)
    }

    /// Replaces all records behind a place by this one.
    pub(super) fn replace(&mut self, place: RecordEnd, kind: u64, bytes: &[u8]) -> io::Result<Record> {
        let (file, end) = replace(&self.path, place, Some(&mut self.file), (kind, bytes))?;
        (self.file, self.end) = (file, end);
        Ok(record_at(place, kind, bytes))
    }
}

/// Writes a file with the records of another one up to a place, and one more; renames it into place.
fn replace(
    path: &Path,
    place: RecordEnd,
    from: Option<&mut File>,
    (kind, bytes): (u64, &[u8]),
) -> io::Result<(File, RecordEnd)> {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let new = PathBuf::from(name);
    let write = || {
        let mut file = File::options().read(true).write(true).create(true).truncate(true).open(&new)?;
        file.write_all(MAGIC)?;
        file.write_all(&VERSION.to_le_bytes())?;
        file.write_all(&[0; 24])?;
        if let Some(from) = from {
            from.seek(SeekFrom::Start(START))?;
            io::copy(&mut from.take(place.offset - START), &mut file)?;
        }
        let record = record_at(place, kind, bytes);
        file.write_all(&head_of(&record))?;
        file.write_all(bytes)?;
        commit(&mut file, record.end)?;
        std::fs::rename(&new, path)?;
        Ok((file, record.end))
    };
    let result = write();
    if result.is_err() {
        let _ = std::fs::remove_file(&new);
    }
    result
}

/// Says that the file is valid up to here.
fn commit(file: &mut File, end: RecordEnd) -> io::Result<()> {
    let numbers = [end.offset, end.sum, check_of(end)].map(u64::to_le_bytes);
    file.seek(SeekFrom::Start(COMMIT))?;
    file.write_all(numbers.as_flattened())?;
    file.sync_data()
}

fn check_of(end: RecordEnd) -> u64 {
    [VERSION, end.offset, end.sum].into_iter().fold(0, mix)
}

/// The head of a record.
fn head_of(record: &Record) -> [u8; HEAD as usize] {
    let numbers = [record.kind, record.size, record.end.sum, check_of_head(record)].map(u64::to_le_bytes);
    numbers.as_flattened().try_into().expect("four numbers")
}

fn check_of_head(record: &Record) -> u64 {
    [record.start.offset, record.kind, record.size, record.end.sum].into_iter().fold(record.start.sum, mix)
}

/// The record with these bytes behind a place.
fn record_at(place: RecordEnd, kind: u64, bytes: &[u8]) -> Record {
    let size = bytes.len() as u64;
    let sum = checksum(mix(mix(place.sum, kind), size), bytes);
    Record { kind, size, start: place, end: RecordEnd { offset: place.offset + HEAD + size, sum } }
}

/// Lists the records of a file that is valid up to `end`, by their heads; `None` if it is damaged.
fn scan(file: &mut File, end: RecordEnd) -> io::Result<Option<Vec<Record>>> {
    let mut records = Vec::new();
    let mut place = RecordEnd { offset: START, sum: VERSION };
    while place.offset + HEAD <= end.offset {
        let mut head = [0; HEAD as usize];
        file.seek(SeekFrom::Start(place.offset))?;
        file.read_exact(&mut head)?;
        let number = |index: usize| u64::from_le_bytes(head[index..index + 8].try_into().expect("eight"));
        let (kind, size, sum) = (number(0), number(8), number(16));
        if size > end.offset - place.offset - HEAD {
            return Ok(None);
        }
        let behind = RecordEnd { offset: place.offset + HEAD + size, sum };
        let record = Record { kind, size, start: place, end: behind };
        if check_of_head(&record) != number(24) {
            return Ok(None);
        }
        records.push(record);
        place = behind;
    }
    Ok((place == end).then_some(records))
}

/// Sums of words that are [mixed](mix) side by side: a multiplication takes some cycles, and several can be
/// under way.
const LANES: usize = 4;

/// The checksum of more bytes.
pub(super) fn checksum(sum: u64, bytes: &[u8]) -> u64 {
    let (blocks, rest) = bytes.as_chunks::<{ 8 * LANES }>();
    let mut lanes = [sum; LANES];
    for block in blocks {
        let (words, _) = block.as_chunks::<8>();
        for (lane, word) in lanes.iter_mut().zip(words) {
            *lane = mix(*lane, u64::from_le_bytes(*word));
        }
    }
    let words = rest.chunks(8).map(|word| {
        let mut last = [0; 8];
        last[..word.len()].copy_from_slice(word);
        u64::from_le_bytes(last)
    });
    lanes.into_iter().chain(words).fold(sum, mix)
}

/// Each of both arguments can be found from the result and the other one, so no single change is lost.
fn mix(sum: u64, word: u64) -> u64 {
    let product = (sum ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    product ^ product >> 29
}

#[cfg(test)]
mod tests {
    use super::*;

    fn temporary(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("selvedge-{}-{name}", std::process::id()))
    }

    /// The kinds and bytes of all records.
    fn content(path: &Path) -> Result<Vec<(u64, Vec<u8>)>, String> {
        let (mut file, records) = RecordFile::open(path)?.ok_or("no file")?;
        let mut read = |record: &Record| {
            let mut bytes = Vec::new();
            file.read(*record, &mut bytes)?;
            Ok((record.kind, bytes))
        };
        records.iter().map(&mut read).collect()
    }

    #[test]
    fn records_are_read_as_they_were_written() {
        let path = temporary("records");
        let mut file = RecordFile::create(&path, 1, b"about").expect("a writable folder");
        let place = file.add(2, b"search").expect("room").end;
        file.add(3, &[7; 1000]).expect("room");
        assert_eq!(
            content(&path),
            Ok(vec![(1, b"about".to_vec()), (2, b"search".to_vec()), (3, vec![7; 1000])])
        );
        // What is behind the valid part is of no account.
        std::fs::OpenOptions::new()
            .append(true)
            .open(&path)
            .expect("the file")
            .write_all(b"rest")
            .expect("room");
        assert_eq!(content(&path).map(|records| records.len()), Ok(3));
        file.replace(place, 4, b"result").expect("room");
        file.add(2, b"next").expect("room");
        let kinds = content(&path).map(|records| records.iter().map(|record| record.0).collect::<Vec<_>>());
        assert_eq!(kinds, Ok(vec![1, 2, 4, 2]));
        std::fs::remove_file(&path).expect("the file");
        assert!(matches!(RecordFile::open(&path), Ok(None)));
    }

    #[test]
    fn a_file_that_is_cut_off_or_changed_anywhere_is_refused() {
        let path = temporary("damaged");
        let mut file = RecordFile::create(&path, 1, b"about this search").expect("a writable folder");
        file.add(3, &[1, 2, 3, 4, 5, 6, 7, 8, 9]).expect("room");
        file.add(3, &(0..100).collect::<Vec<u8>>()).expect("room");
        let whole = std::fs::read(&path).expect("the file");
        let (_, records) = RecordFile::open(&path).expect("a valid file").expect("a file");
        let head = |record: &Record| record.start.offset..record.start.offset + HEAD;
        let heads: Vec<_> = records.iter().map(head).chain(std::iter::once(0..START)).collect();
        for length in 0..whole.len() {
            std::fs::write(&path, &whole[..length]).expect("room");
            assert!(RecordFile::open(&path).is_err(), "{length} bytes");
        }
        for (index, bit) in (0..whole.len()).flat_map(|index| [(index, 1), (index, 128)]) {
            let mut changed = whole.clone();
            changed[index] ^= bit;
            std::fs::write(&path, &changed).expect("room");
            assert!(content(&path).is_err(), "byte {index}");
            let is_of_a_record = heads.iter().all(|head| !head.contains(&(index as u64)));
            assert!(is_of_a_record || RecordFile::open(&path).is_err(), "byte {index}");
        }
        std::fs::write(&path, &whole).expect("room");
        assert!(RecordFile::open(&path).is_ok());
        std::fs::remove_file(&path).expect("the file");
    }
}
