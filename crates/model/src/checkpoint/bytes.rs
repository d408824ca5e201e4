//! Numbers and texts as bytes, and back.
//!
//! Promise: a reader gives what was written, in the same order; bytes that end too early, or say something
//! impossible, are an error and no panic.

use crate::system::Word;
use std::fmt;

/// The reason why bytes cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed(pub String);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Malformed {
    /// An error with this reason, unless the condition holds.
    pub(crate) fn unless(condition: bool, why: &str) -> Result<(), Malformed> {
        if condition { Ok(()) } else { Err(Malformed(why.to_owned())) }
    }
}

/// Collects bytes.
#[derive(Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// What was written.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Writes a word.
    pub fn word(&mut self, word: u64) {
        self.bytes.extend_from_slice(&word.to_le_bytes());
    }

    /// Writes a number.
    pub fn number(&mut self, number: usize) {
        self.word(number as u64);
    }

    /// Writes half a word.
    pub fn half(&mut self, half: u32) {
        self.bytes.extend_from_slice(&half.to_le_bytes());
    }

    /// Writes words, without their number.
    pub fn words(&mut self, words: &[Word]) {
        let start = self.bytes.len();
        self.bytes.resize(start + size_of_val(words), 0);
        let (places, _) = self.bytes[start..].as_chunks_mut();
        places.iter_mut().zip(words).for_each(|(place, word)| *place = word.to_le_bytes());
    }

    /// Writes half words, without their number.
    pub(crate) fn halves(&mut self, halves: impl ExactSizeIterator<Item = u32>) {
        let start = self.bytes.len();
        self.bytes.resize(start + halves.len() * size_of::<u32>(), 0);
        let (places, _) = self.bytes[start..].as_chunks_mut();
        places.iter_mut().zip(halves).for_each(|(place, half)| *place = half.to_le_bytes());
    }

    /// Writes a text, or other bytes, with their number.
    pub fn block(&mut self, bytes: &[u8]) {
        self.number(bytes.len());
        self.bytes.extend_from_slice(bytes);
    }
}

/// Reads what a [`Writer`] wrote.
#[derive(Debug)]
pub struct Reader<'b> {
    bytes: &'b [u8],
}

impl<'b> Reader<'b> {
    /// A reader of these bytes.
    pub fn new(bytes: &'b [u8]) -> Reader<'b> {
        Reader { bytes }
    }

    /// The next bytes, so many.
    pub(crate) fn take(&mut self, count: usize) -> Result<&'b [u8], Malformed> {
        let (taken, rest) =
            self.bytes.split_at_checked(count).ok_or_else(|| Malformed("it ends too early".to_owned()))?;
        self.bytes = rest;
        Ok(taken)
    }

    /// Reads a word.
    pub fn word(&mut self) -> Result<u64, Malformed> {
        Ok(u64::from_le_bytes(self.take(8)?.try_into().expect("eight bytes")))
    }

    /// Reads a number that is not above `most`.
    pub fn number(&mut self, most: usize) -> Result<usize, Malformed> {
        let number = self.word()?;
        let in_range = usize::try_from(number).ok().filter(|number| *number <= most);
        in_range.ok_or_else(|| Malformed(format!("{number} is above {most}")))
    }

    /// Reads half a word.
    pub fn half(&mut self) -> Result<u32, Malformed> {
        Ok(u32::from_le_bytes(self.take(4)?.try_into().expect("four bytes")))
    }

    /// Reads so many words.
    pub fn words(&mut self, count: usize, into: &mut Vec<Word>) -> Result<(), Malformed> {
        into.clear();
        into.extend(self.raw_words(count)?.iter().map(|word| u64::from_le_bytes(*word)));
        Ok(())
    }

    /// Reads so many words as their bytes.
    pub(crate) fn raw_words(&mut self, count: usize) -> Result<&'b [[u8; 8]], Malformed> {
        let bytes = self.take(count.checked_mul(8).ok_or_else(|| Malformed("too many words".to_owned()))?)?;
        Ok(bytes.as_chunks().0)
    }

    /// Reads a list of half words, so many.
    pub(crate) fn halves(&mut self, count: usize) -> Result<impl Iterator<Item = u32> + 'b, Malformed> {
        let bytes = self.take(count.checked_mul(4).ok_or_else(|| Malformed("too many".to_owned()))?)?;
        Ok(bytes.chunks_exact(4).map(|half| u32::from_le_bytes(half.try_into().expect("four bytes"))))
    }

    /// Reads bytes that were written with their number.
    pub fn block(&mut self) -> Result<&'b [u8], Malformed> {
        let count = self.number(self.bytes.len())?;
        self.take(count)
    }

    /// Reads a text.
    pub fn text(&mut self) -> Result<String, Malformed> {
        String::from_utf8(self.block()?.to_vec()).map_err(|_| Malformed("it is not UTF-8".to_owned()))
    }

    /// Nothing may be left.
    pub fn end(&self) -> Result<(), Malformed> {
        Malformed::unless(self.bytes.is_empty(), "it goes on behind its end")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_gives_what_was_written() {
        let mut writer = Writer::default();
        writer.word(u64::MAX);
        writer.number(7);
        writer.half(9);
        writer.words(&[1, 2, 3]);
        writer.block("text".as_bytes());
        writer.halves([4, 5].into_iter());
        let mut reader = Reader::new(writer.bytes());
        assert_eq!(reader.word(), Ok(u64::MAX));
        assert_eq!(reader.number(7), Ok(7));
        assert_eq!(reader.half(), Ok(9));
        let mut words = Vec::new();
        assert_eq!(reader.words(3, &mut words), Ok(()));
        assert_eq!(words, [1, 2, 3]);
        assert_eq!(reader.text().as_deref(), Ok("text"));
        assert!(reader.end().is_err());
        assert_eq!(reader.halves(2).map(Iterator::collect), Ok(vec![4, 5]));
        assert_eq!(reader.end(), Ok(()));
        assert!(reader.half().is_err());
    }

    #[test]
    fn impossible_numbers_are_refused() {
        let mut writer = Writer::default();
        writer.number(8);
        assert!(Reader::new(writer.bytes()).number(7).is_err());
        assert!(Reader::new(writer.bytes()).block().is_err());
        assert!(Reader::new(writer.bytes()).words(usize::MAX, &mut Vec::new()).is_err());
    }
}
