//! Positions in many files.
//!
//! Each file has a range of offsets of its own, one after the other, so that a [`Span`] alone says in which
//! file it is. The first file's offsets are those of its text.

use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::{Source, Span};
use std::fmt;

/// All files of a program.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<File>,
}

#[derive(Clone, Debug)]
struct File {
    source: Source,
    /// The offset of the file's first byte.
    base: usize,
    /// The offsets of the beginnings of lines, in the file.
    lines: Vec<usize>,
}

/// A place for people to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position<'a> {
    /// The file's name.
    pub file: &'a str,
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
}

impl fmt::Display for Position<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

impl SourceMap {
    /// Adds a file; the offset of its first byte.
    pub fn add(&mut self, source: Source) -> usize {
        // One offset between two files belongs to the end of the first.
        let base = self.files.last().map_or(0, |last| last.base + last.source.text.len() + 1);
        let newlines = source.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let lines = std::iter::once(0).chain(newlines.map(|(offset, _)| offset + 1)).collect();
        self.files.push(File { source, base, lines });
        base
    }

    /// The files, in the order in which they were read.
    pub fn files(&self) -> impl Iterator<Item = &Source> {
        self.files.iter().map(|file| &file.source)
    }

    /// The beginning of a span.
    ///
    /// # Panics
    ///
    /// If there are no files.
    pub fn position(&self, span: Span) -> Position<'_> {
        let file = self.file_at(span.start);
        let mut offset = (span.start - file.base).min(file.source.text.len());
        while !file.source.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = file.lines.partition_point(|start| *start <= offset);
        let column = file.source.text[file.lines[line - 1]..offset].chars().count() + 1;
        Position { file: &file.source.name, line, column }
    }

    /// The file of a span, and the span in that file.
    ///
    /// # Panics
    ///
    /// If there are no files.
    pub fn file(&self, span: Span) -> (&Source, Span) {
        let file = self.file_at(span.start);
        let end = span.end.saturating_sub(file.base).min(file.source.text.len());
        let start = (span.start - file.base).min(end);
        (&file.source, Span::new(start, end))
    }

    /// The text of a span.
    pub fn text(&self, span: Span) -> &str {
        let (source, span) = self.file(span);
        source.text.get(span.range()).unwrap_or_default()
    }

    /// The message as one about a single file: positions in other files become sentences.
    pub fn in_one_file(&self, diagnostic: &Diagnostic) -> (&Source, Diagnostic) {
        let (source, span) = self.file(diagnostic.primary.0);
        let mut local = Diagnostic { context: Vec::new(), ..diagnostic.clone() };
        local.primary.0 = span;
        for (span, label) in &diagnostic.context {
            let (other, place) = self.file(*span);
            if std::ptr::eq(other, source) {
                local.context.push((place, label.clone()));
            } else {
                local.help.push(format!("{label}: {}", self.position(*span)));
            }
        }
        (source, local)
    }

    /// The message with its position, as plain text or with terminal colours.
    pub fn render(&self, diagnostic: &Diagnostic, colours: bool) -> String {
        let (source, local) = self.in_one_file(diagnostic);
        local.render(source, colours)
    }

    fn file_at(&self, offset: usize) -> &File {
        let index = self.files.partition_point(|file| file.base <= offset);
        &self.files[index.checked_sub(1).expect("a file")]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map() -> SourceMap {
        let mut map = SourceMap::default();
        map.add(Source::new("a", "x\né y"));
        map.add(Source::new("b", ""));
        map.add(Source::new("c", "p\nq"));
        map
    }

    #[test]
    fn a_span_alone_says_its_file_line_and_column() {
        let map = map();
        let at = |offset| map.position(Span::new(offset, offset + 1)).to_string();
        assert_eq!(at(0), "a:1:1");
        assert_eq!(at("x\né ".len()), "a:2:3");
        assert_eq!(at(6), "a:2:4", "the end of a file belongs to it");
        assert_eq!(at(7), "b:1:1");
        assert_eq!(at(8), "c:1:1");
        assert_eq!(at(10), "c:2:1");
        assert_eq!(at(99), "c:2:2");
        assert_eq!(map.text(Span::new(10, 11)), "q");
    }

    #[test]
    fn a_position_in_another_file_becomes_a_sentence() {
        let map = map();
        let error = Diagnostic::error("e", "m", Span::new(8, 9), "here")
            .context(Span::new(10, 11), "there")
            .context(Span::new(0, 1), "elsewhere");
        let text = map.render(&error, false);
        assert!(text.contains("c:1:1") && text.contains("there"), "{text}");
        assert!(text.contains("= help: elsewhere: a:1:1"), "{text}");
    }
}
