//! Values of fields, as positions in a line and as parts of it.

use std::borrow::Cow;

/// The value of a field, as a position in its line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    kind: SlotKind,
    start: u32,
    end: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SlotKind {
    Missing,
    Null,
    True,
    False,
    Number,
    /// A JSON string without its quotes, and without escapes.
    Text,
    /// A JSON string without its quotes, with escapes.
    EscapedText,
    /// A JSON object or array.
    Composite,
    /// A cell of a CSV file.
    Cell,
    /// The same in quotes, which are left out, with doubled quotes inside.
    EscapedCell,
}

impl Slot {
    pub(super) const MISSING: Slot = Slot { kind: SlotKind::Missing, start: 0, end: 0 };

    #[inline]
    pub(super) fn new(kind: SlotKind, start: usize, end: usize) -> Slot {
        Slot { kind, start: start as u32, end: end as u32 }
    }

    #[inline]
    pub(super) fn is_missing(self) -> bool {
        self.kind == SlotKind::Missing
    }

    #[inline]
    pub(super) fn value(self, line: &[u8]) -> Value<'_> {
        let bytes = &line[self.start as usize..self.end as usize];
        match self.kind {
            SlotKind::Missing => Value::Missing,
            SlotKind::Null => Value::Null,
            SlotKind::True => Value::Bool(true),
            SlotKind::False => Value::Bool(false),
            SlotKind::Number => Value::Number(bytes),
            SlotKind::Text => Value::Text(Cow::Borrowed(bytes)),
            SlotKind::EscapedText => Value::Text(Cow::Owned(unescape(bytes))),
            SlotKind::Composite => Value::Composite,
            SlotKind::Cell => Value::Cell(Cow::Borrowed(bytes)),
            SlotKind::EscapedCell => Value::Cell(Cow::Owned(undouble(bytes))),
        }
    }
}

/// The value of a field in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::watch) enum Value<'l> {
    /// The line has no such field.
    Missing,
    Null,
    Bool(bool),
    /// A number as it is written.
    Number(&'l [u8]),
    Text(Cow<'l, [u8]>),
    /// An object or an array.
    Composite,
    /// A cell of a CSV file, which is a text, a number or a truth value as the formula wants it.
    Cell(Cow<'l, [u8]>),
}

impl Value<'_> {
    /// What it is, for messages.
    pub(in crate::watch) fn describe(&self) -> String {
        let quoted = |text: &[u8]| format!("\"{}\"", String::from_utf8_lossy(text));
        match self {
            Value::Missing => "missing".to_owned(),
            Value::Null => "null".to_owned(),
            Value::Bool(value) => value.to_string(),
            Value::Number(text) => format!("the number {}", String::from_utf8_lossy(text)),
            Value::Text(text) => format!("the text {}", quoted(text)),
            Value::Composite => "an object or an array".to_owned(),
            Value::Cell(text) => quoted(text),
        }
    }
}

/// The text of a valid JSON string.
pub(super) fn unescape(bytes: &[u8]) -> Vec<u8> {
    let quoted = [b"\"", bytes, b"\""].concat();
    // The scanner has accepted the string, so the text is there.
    serde_json::from_slice::<String>(&quoted).map(String::into_bytes).unwrap_or_default()
}

/// The text of a cell in quotes.
fn undouble(bytes: &[u8]) -> Vec<u8> {
    String::from_utf8_lossy(bytes).replace("\"\"", "\"").into_bytes()
}
