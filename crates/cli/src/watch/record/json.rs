//! A line of JSON: checks that it is one object, and finds the mentioned fields in it.
//!
//! The scanner goes through the line once. It checks the grammar of RFC 8259 everywhere, also in values that
//! no formula mentions, and builds nothing. Texts are scanned eight bytes at a time.
//!
//! Promise: it accepts the lines that `serde_json` reads as an object, and finds the values that are there;
//! of a name that occurs twice in an object, the last value. One exception: a number that is too large for
//! floating point is refused only where a formula mentions it.

use super::fields::{FieldNode, Fields};
use super::value::{Slot, SlotKind, unescape};
use super::{BadRecord, Record};

/// Objects and arrays may be nested as deeply as this.
const MAX_DEPTH: usize = 127;

/// Reads lines of JSON.
#[derive(Debug)]
pub(in crate::watch) struct JsonScanner<'l> {
    line: &'l [u8],
    at: usize,
    depth: usize,
}

/// The place in the line, and the message.
type ScanError = (usize, &'static str);

impl<'l> JsonScanner<'l> {
    /// Reads the mentioned fields of a line.
    #[inline]
    pub(in crate::watch) fn read(
        line: &'l [u8],
        fields: &Fields,
        record: &mut Record,
    ) -> Result<(), BadRecord> {
        record.clear();
        let mut scanner = JsonScanner { line, at: 0, depth: 0 };
        scanner
            .line(fields, record)
            .map_err(|(at, message)| BadRecord { at: Some(at), message: format!("broken JSON: {message}") })
    }

    /// The names of the fields at the top of a line, for messages.
    pub(in crate::watch) fn names(line: &[u8]) -> Vec<String> {
        match serde_json::from_slice(line) {
            Ok(serde_json::Value::Object(object)) => object.keys().cloned().collect(),
            _ => Vec::new(),
        }
    }

    fn line(&mut self, fields: &Fields, record: &mut Record) -> Result<(), ScanError> {
        if let Err(error) = std::str::from_utf8(self.line) {
            return Err((error.valid_up_to(), "this is not UTF-8 text"));
        }
        self.skip_space();
        if self.peek() != Some(b'{') {
            return Err((self.at, "a line is one object, from `{` to `}`"));
        }
        self.object(Some(0), fields, record)?;
        self.skip_space();
        if self.at == self.line.len() { Ok(()) } else { Err((self.at, "more text follows the object")) }
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.line.get(self.at).copied()
    }

    #[inline]
    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    #[inline]
    fn enter(&mut self) -> Result<(), ScanError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH { Err((self.at, "nested too deeply")) } else { Ok(()) }
    }

    /// An object; `node` is its node in the tree of mentioned fields, if it has one.
    fn object(&mut self, node: Option<usize>, fields: &Fields, record: &mut Record) -> Result<(), ScanError> {
        self.enter()?;
        self.at += 1;
        self.skip_space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            self.depth -= 1;
            return Ok(());
        }
        loop {
            if self.peek() != Some(b'"') {
                return Err((self.at, "expected the name of a field in quotes"));
            }
            let (start, is_escaped) = (self.at + 1, self.string()?);
            let name = &self.line[start..self.at - 1];
            let child = node.and_then(|node| child(&fields.nodes[node], name, is_escaped));
            self.skip_space();
            if self.peek() != Some(b':') {
                return Err((self.at, "expected `:`"));
            }
            self.at += 1;
            self.skip_space();
            self.member(child, fields, record)?;
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                _ => return Err((self.at, "expected `,` or `}`")),
            }
            self.skip_space();
        }
        self.at += 1;
        self.depth -= 1;
        Ok(())
    }

    /// The value of a field; mentioned ones are put down.
    #[inline]
    fn member(
        &mut self,
        child: Option<usize>,
        fields: &Fields,
        record: &mut Record,
    ) -> Result<(), ScanError> {
        let Some(child) = child else {
            return self.value(None, fields, record).map(|_| ());
        };
        let node = &fields.nodes[child];
        if !node.children.is_empty() {
            // The last of several fields with one name counts.
            node.below.iter().for_each(|field| record.slots[field.0] = Slot::MISSING);
        }
        let start = self.at;
        let kind = self.value(Some(child), fields, record)?;
        if let Some(field) = node.field {
            let is_text = matches!(kind, SlotKind::Text | SlotKind::EscapedText);
            let quotes = usize::from(is_text);
            record.slots[field.0] = Slot::new(kind, start + quotes, self.at - quotes);
        }
        Ok(())
    }

    fn value(
        &mut self,
        node: Option<usize>,
        fields: &Fields,
        record: &mut Record,
    ) -> Result<SlotKind, ScanError> {
        match self.peek() {
            Some(b'"') => Ok(if self.string()? { SlotKind::EscapedText } else { SlotKind::Text }),
            Some(b'-' | b'0'..=b'9') => self.number().map(|()| SlotKind::Number),
            Some(b'{') => self.object(node, fields, record).map(|()| SlotKind::Composite),
            Some(b'[') => self.array(fields, record).map(|()| SlotKind::Composite),
            Some(b't') => self.word(b"true", SlotKind::True),
            Some(b'f') => self.word(b"false", SlotKind::False),
            Some(b'n') => self.word(b"null", SlotKind::Null),
            Some(_) => Err((self.at, "expected a value")),
            None => Err((self.at, "the line ends where a value is expected")),
        }
    }

    fn word(&mut self, word: &[u8], kind: SlotKind) -> Result<SlotKind, ScanError> {
        if !self.line[self.at..].starts_with(word) {
            return Err((self.at, "expected a value"));
        }
        self.at += word.len();
        Ok(kind)
    }

    fn array(&mut self, fields: &Fields, record: &mut Record) -> Result<(), ScanError> {
        self.enter()?;
        self.at += 1;
        self.skip_space();
        if self.peek() == Some(b']') {
            self.at += 1;
            self.depth -= 1;
            return Ok(());
        }
        loop {
            self.value(None, fields, record)?;
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => break,
                _ => return Err((self.at, "expected `,` or `]`")),
            }
            self.skip_space();
        }
        self.at += 1;
        self.depth -= 1;
        Ok(())
    }

    #[inline]
    fn number(&mut self) -> Result<(), ScanError> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits()?,
            _ => return Err((self.at, "expected a digit")),
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    #[inline]
    fn digits(&mut self) -> Result<(), ScanError> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        if self.at > start { Ok(()) } else { Err((self.at, "expected a digit")) }
    }

    /// Goes behind a text in quotes; returns whether it has escapes.
    #[inline]
    fn string(&mut self) -> Result<bool, ScanError> {
        self.at += 1;
        let mut is_escaped = false;
        loop {
            self.at = end_of_plain_text(self.line, self.at);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(is_escaped);
                }
                Some(b'\\') => {
                    is_escaped = true;
                    self.escape()?;
                }
                Some(_) => return Err((self.at, "a control character in a text")),
                None => return Err((self.at, "the line ends in a text")),
            }
        }
    }

    #[cold]
    fn escape(&mut self) -> Result<(), ScanError> {
        let start = self.at;
        self.at += 2;
        match self.line.get(start + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(()),
            Some(b'u') => self.unicode(start),
            _ => Err((start, "this escape does not exist")),
        }
    }

    /// The digits behind `\u`; surrogates come in pairs.
    fn unicode(&mut self, start: usize) -> Result<(), ScanError> {
        const LONE: &str = "half of a surrogate pair";
        match self.hexadecimal(start)? {
            0xdc00..=0xdfff => Err((start, LONE)),
            0xd800..=0xdbff => {
                let second = self.at;
                if !self.line[second..].starts_with(b"\\u") {
                    return Err((start, LONE));
                }
                self.at += 2;
                match self.hexadecimal(second)? {
                    0xdc00..=0xdfff => Ok(()),
                    _ => Err((start, LONE)),
                }
            }
            _ => Ok(()),
        }
    }

    fn hexadecimal(&mut self, start: usize) -> Result<u32, ScanError> {
        let digits = self.line.get(self.at..self.at + 4).ok_or((start, "the line ends in an escape"))?;
        self.at += 4;
        digits.iter().try_fold(0, |number, digit| {
            let digit = char::from(*digit).to_digit(16).ok_or((start, "expected four hexadecimal digits"))?;
            Ok(number * 16 + digit)
        })
    }
}

/// The node of the field with this name.
#[inline]
fn child(node: &FieldNode, name: &[u8], is_escaped: bool) -> Option<usize> {
    if is_escaped {
        let name = unescape(name);
        return node.children.iter().find(|(known, _)| **known == *name).map(|(_, child)| *child);
    }
    node.children.iter().find(|(known, _)| **known == *name).map(|(_, child)| *child)
}

/// The position of the next quote, backslash or control character; the end of the line if there is none.
#[inline]
fn end_of_plain_text(line: &[u8], mut at: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    // A byte is zero if subtracting one borrows; the lowest byte that is marked is exact, later ones may not
    // be, since a borrow goes on.
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & HIGHS;
    while let Some(chunk) = line[at..].first_chunk::<8>() {
        let word = u64::from_le_bytes(*chunk);
        let quotes = zeros(word ^ (ONES * u64::from(b'"')));
        let backslashes = zeros(word ^ (ONES * u64::from(b'\\')));
        let controls = word.wrapping_sub(ONES * 0x20) & !word & HIGHS;
        let marked = quotes | backslashes | controls;
        if marked != 0 {
            return at + marked.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let is_plain = |byte: &u8| !matches!(byte, b'"' | b'\\' | 0..=0x1f);
    at + line[at..].iter().position(|byte| !is_plain(byte)).unwrap_or(line.len() - at)
}

#[cfg(test)]
mod tests;
