//! A line as a record: the values of the fields that formulas mention, and of no others.
//!
//! Values are kept as positions in the line, so that a record is read into the same memory line after line,
//! without allocation.

mod csv;
mod fields;
mod json;
mod number;
mod value;

pub(super) use csv::CsvHeader;
pub(super) use fields::{FieldId, FieldPath, Fields};
pub(super) use json::JsonScanner;
pub(super) use number::Number;
pub(super) use value::Value;

use value::Slot;

/// Why a line is not a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BadRecord {
    /// The position in the line, in bytes, if the message is about one.
    pub(super) at: Option<usize>,
    pub(super) message: String,
}

impl BadRecord {
    pub(super) fn new(message: impl Into<String>) -> BadRecord {
        BadRecord { at: None, message: message.into() }
    }
}

/// The values of the mentioned fields in one line.
#[derive(Debug, Default)]
pub(super) struct Record {
    slots: Vec<Slot>,
}

impl Record {
    /// A record of so many fields, all of them missing.
    pub(super) fn new(field_count: usize) -> Record {
        Record { slots: vec![Slot::MISSING; field_count] }
    }

    /// All fields are missing.
    #[inline]
    fn clear(&mut self) {
        self.slots.fill(Slot::MISSING);
    }

    /// The value of a field; `line` is the line that was read.
    #[inline]
    pub(super) fn value<'l>(&self, field: FieldId, line: &'l [u8]) -> Value<'l> {
        self.slots[field.0].value(line)
    }

    #[inline]
    pub(super) fn has(&self, field: FieldId) -> bool {
        !self.slots[field.0].is_missing()
    }
}
