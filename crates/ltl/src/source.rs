//! Positions of text in its source.
//!
//! Every token, formula and message of the toolkit's languages carries a [`Span`]; a [`Source`] turns it
//! back into a line and a column for messages.

use std::ops::Range;

/// A range of bytes of one [`Source`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The bytes from `start` up to, and without, `end`.
    pub fn new(start: usize, end: usize) -> Self {
        debug_assert!(start <= end, "a span ends before it starts");
        Span { start, end }
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// As a range, for slicing.
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// A named text: a file, or an argument of the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The name in messages: a path, or `<formula>`.
    pub name: String,
    /// The text itself.
    pub text: String,
}

impl Source {
    /// A text under a name.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Source { name: name.into(), text: text.into() }
    }

    /// Line and column of a byte, both counted from 1, the column in characters.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &self.text[..offset];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters_from_one() {
        let source = Source::new("f", "ab\ncdé f");
        assert_eq!(source.position(0), (1, 1));
        assert_eq!(source.position(3), (2, 1));
        assert_eq!(source.position("ab\ncdé ".len()), (2, 5));
        assert_eq!(source.position(999), (2, 6));
    }

    #[test]
    fn a_position_inside_a_character_is_its_beginning() {
        assert_eq!(Source::new("f", "é").position(1), (1, 1));
    }
}
