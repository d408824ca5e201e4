//! Rows of a CSV file (RFC 4180): a header with the names of the columns, cells between commas, perhaps in
//! quotes, in which a quote is doubled and line ends may stand.
//!
//! A cell that is empty and not in quotes is a field that is missing.

use super::fields::{FieldId, Fields};
use super::value::{Slot, SlotKind};
use super::{BadRecord, Record};

/// The columns of a file.
#[derive(Debug)]
pub(in crate::watch) struct CsvHeader {
    names: Vec<String>,
    /// By column, the mentioned field that it is.
    fields: Vec<Option<FieldId>>,
}

impl CsvHeader {
    /// Reads the first row.
    pub(in crate::watch) fn read(row: &[u8], fields: &Fields) -> Result<CsvHeader, BadRecord> {
        let mut names = Vec::new();
        for_each_cell(row, |_, slot| {
            let text = match slot.value(row) {
                super::Value::Cell(text) => String::from_utf8_lossy(&text).trim().to_owned(),
                _ => String::new(),
            };
            names.push(text);
        })?;
        let column = |name: &String| fields.ids().find(|field| fields.path(*field).column() == *name);
        let fields = names.iter().map(column).collect();
        Ok(CsvHeader { names, fields })
    }

    /// The names of the columns.
    pub(in crate::watch) fn names(&self) -> &[String] {
        &self.names
    }

    /// Is there a column for the field?
    pub(in crate::watch) fn has(&self, field: FieldId) -> bool {
        self.fields.contains(&Some(field))
    }

    /// Reads the mentioned fields of a row.
    pub(in crate::watch) fn read_row(&self, row: &[u8], record: &mut Record) -> Result<(), BadRecord> {
        record.clear();
        let count = for_each_cell(row, |index, slot| {
            if let Some(Some(field)) = self.fields.get(index) {
                record.slots[field.0] = slot;
            }
        })?;
        if count == self.fields.len() {
            return Ok(());
        }
        let message = format!("the row has {count} cells, and the header {}", self.fields.len());
        Err(BadRecord::new(message))
    }
}

/// Calls the function for each cell of a row, with its number; returns how many there are.
fn for_each_cell(row: &[u8], mut visit: impl FnMut(usize, Slot)) -> Result<usize, BadRecord> {
    if let Err(error) = std::str::from_utf8(row) {
        let message = "this is not UTF-8 text".to_owned();
        return Err(BadRecord { at: Some(error.valid_up_to()), message });
    }
    let row = row.strip_suffix(b"\r").unwrap_or(row);
    let (mut at, mut count) = (0, 0);
    loop {
        let end = if row.get(at) == Some(&b'"') {
            let (slot, end) = quoted_cell(row, at)?;
            visit(count, slot);
            end
        } else {
            let end = memchr::memchr(b',', &row[at..]).map_or(row.len(), |comma| at + comma);
            let kind = if end > at { SlotKind::Cell } else { SlotKind::Missing };
            visit(count, Slot::new(kind, at, end));
            end
        };
        count += 1;
        match row.get(end) {
            None => return Ok(count),
            Some(b',') => at = end + 1,
            Some(_) => {
                return Err(BadRecord { at: Some(end), message: "expected `,` behind the quote".to_owned() });
            }
        }
    }
}

/// The cell in quotes that begins here, and the position behind it.
fn quoted_cell(row: &[u8], start: usize) -> Result<(Slot, usize), BadRecord> {
    let (mut at, mut kind) = (start + 1, SlotKind::Cell);
    loop {
        let Some(quote) = memchr::memchr(b'"', &row[at..]).map(|quote| at + quote) else {
            return Err(BadRecord { at: Some(start), message: "this quotation never ends".to_owned() });
        };
        if row.get(quote + 1) != Some(&b'"') {
            return Ok((Slot::new(kind, start + 1, quote), quote + 1));
        }
        (at, kind) = (quote + 2, SlotKind::EscapedCell);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::record::{FieldPath, Value};

    #[test]
    fn cells_are_found_by_the_names_of_their_columns() {
        let mut fields = Fields::default();
        let [b, c] = ["b", "c"].map(|name| fields.intern(&FieldPath::top(name)));
        let header = CsvHeader::read(b"a,\"b\", c \r", &fields).expect("a header");
        let mut record = Record::new(2);
        let cell = |text: &'static str| Value::Cell(text.as_bytes().into());
        for (row, of_b, of_c) in [
            ("1,2,3", cell("2"), cell("3")),
            ("1,,\"\"", Value::Missing, cell("")),
            ("\"x,y\",\"say \"\"hi\"\"\",\"two\nlines\"\r", cell("say \"hi\""), cell("two\nlines")),
        ] {
            header.read_row(row.as_bytes(), &mut record).expect("a row");
            assert_eq!(record.value(b, row.as_bytes()), of_b, "{row}");
            assert_eq!(record.value(c, row.as_bytes()), of_c, "{row}");
        }
        for (row, message) in [
            ("1,2", "the row has 2 cells, and the header 3"),
            ("1,2,\"3", "this quotation never ends"),
            ("1,\"2\"x,3", "expected `,` behind the quote"),
        ] {
            assert_eq!(header.read_row(row.as_bytes(), &mut record).unwrap_err().message, message);
        }
    }
}
