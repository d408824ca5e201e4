//! How far a search has come, as bytes, so that another process can go on from there.
//!
//! A search writes records. Its tables only grow, and its stacks change near their tops alone, so a record
//! has what changed since the record before: to write all of them costs about as much as to write the tables
//! once. To go on, a search reads its records in order. This crate gives and takes bytes; the caller keeps
//! them, in a file say ([`Checkpoint`]).
//!
//! Beside the records a search writes a snapshot now and then: of what can be made from the records, but
//! takes long. These are the slots of its tables.
//!
//! A command makes several searches, one after the other, and makes them in the same order every time. Where
//! the result of a finished search is short, it takes the place of the records.
//!
//! Promise: a search that goes on from its records has the verdict and the figures (but for bytes and time)
//! of one that was never stopped. Records that do not fit are refused: the search ends with
//! [`Limit::Checkpoint`]. Their caller answers for the rest: that they are whole,
//! and belong to this system, with the same words for the same states.

mod bytes;
mod tables;

pub use bytes::{Malformed, Reader, Writer};
pub(crate) use tables::{
    index_tables, read_pairs, read_states, read_stats, write_pairs, write_slots, write_states, write_stats,
};

use crate::search::{CHECK_PERIOD, Limit, Stats};
use crate::system::System;

/// Keeps the records of searches.
pub trait Checkpoint {
    /// A search begins, of this kind. Says what is known of it from another process.
    fn begin(&self, search: &str) -> Known;

    /// Reads the next record of the search that has begun; returns whether there is one.
    fn read(&self, record: &mut Vec<u8>) -> Result<bool, Refused>;

    /// The records of the search that has begun do not fit it, for this reason.
    fn refuse(&self, why: &str);

    /// Is it time to write a record?
    fn is_due(&self) -> bool;

    /// Keeps a record of the search that has begun.
    fn write(&self, record: &[u8]);

    /// Keeps a snapshot of the search that has begun, in place of the one before.
    fn write_snapshot(&self, _snapshot: &[u8]) {}

    /// Reads the last snapshot of the search that has begun, if one is kept; returns whether there is one.
    /// It is not younger than the last record.
    fn read_snapshot(&self, _snapshot: &mut Vec<u8>) -> Result<bool, Refused> {
        Ok(false)
    }

    /// The search has come to its end, with this result: its records are no longer needed.
    fn finish(&self, result: &[u8]);

    /// A limit has stopped the search. Another process goes on with it, so the searches after it are not
    /// kept.
    fn stop(&self);

    /// The number of states between two questions whether it is time to write; not more than
    /// [`CHECK_PERIOD`].
    fn period(&self) -> usize {
        CHECK_PERIOD
    }
}

/// What is known of a search from another process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Known {
    /// Nothing: it begins anew.
    Nothing,
    /// Its records, perhaps none, are to be [read](Checkpoint::read).
    Records,
    /// It has come to its end, with this result.
    Result(Vec<u8>),
    /// It was of another kind, or cannot be read: nothing is searched.
    Refused,
}

/// Records cannot be read. The caller knows why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused;

/// Begins a search that may have come to its end in another process, without finding anything. Returns its
/// figures if it has.
pub(crate) fn begin<S: System>(
    checkpoint: &dyn Checkpoint,
    kind: &str,
    system: &S,
) -> Result<Option<Stats>, Limit> {
    let result = match checkpoint.begin(kind) {
        Known::Nothing | Known::Records => return Ok(None),
        Known::Refused => return Err(Limit::Checkpoint),
        Known::Result(result) => result,
    };
    let mut reader = Reader::new(&result);
    match read_stats(&mut reader).and_then(|stats| Ok((stats, reader.word()?))) {
        Ok((stats, remembered)) => {
            system.remember(remembered);
            Ok(Some(stats))
        }
        Err(Malformed(why)) => {
            checkpoint.refuse(&why);
            Err(Limit::Checkpoint)
        }
    }
}

/// The search has come to its end, without finding anything.
pub(crate) fn finish<S: System>(checkpoint: &dyn Checkpoint, stats: &Stats, system: &S) {
    let mut result = Writer::default();
    write_stats(stats, &mut result);
    result.word(system.remembered());
    checkpoint.finish(result.bytes());
}

/// Reasons against records.
pub(crate) const TWICE: &str = "a state is there twice";
pub(crate) const OTHER_STATES: &str = "its states are not those of this program";

/// Refuses the records, for this reason, unless the condition holds.
pub(crate) fn refuse_unless(checkpoint: &dyn Checkpoint, condition: bool, why: &str) -> Result<(), Limit> {
    if condition {
        return Ok(());
    }
    checkpoint.refuse(why);
    Err(Limit::Checkpoint)
}

/// Reads all records of the search that has begun. Returns whether there was one.
pub(crate) fn read_all(
    checkpoint: &dyn Checkpoint,
    mut read: impl FnMut(&mut Reader<'_>) -> Result<(), Malformed>,
) -> Result<bool, Limit> {
    let (mut record, mut count) = (Vec::new(), 0_u64);
    while checkpoint.read(&mut record).map_err(|Refused| Limit::Checkpoint)? {
        count += 1;
        let mut reader = Reader::new(&record);
        if let Err(Malformed(why)) = read(&mut reader).and_then(|()| reader.end()) {
            checkpoint.refuse(&format!("record {count}: {why}"));
            return Err(Limit::Checkpoint);
        }
    }
    Ok(count > 0)
}
