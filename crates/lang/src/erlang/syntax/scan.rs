//! From the text of one file to its tokens, with what is wrong in them.

use super::SourceMap;
use super::preprocess::Files;
use super::report::Report;
use erl_tokenize::{Error, ErrorKind, Position, scan_token};
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::{Source, Span};
use std::sync::Arc;

/// Adds a file to the map and reads its tokens.
///
/// A quotation without its end ends the file's tokens; after other errors, reading goes on.
pub(super) fn scan(
    source: Source,
    sources: &mut SourceMap,
    files: &mut Files,
    report: &mut Report,
) -> erl_pp::Source {
    let name = source.name.clone();
    let mut text = source.text.clone();
    let base = sources.add(source);
    let mut tokens = Vec::new();
    let mut position = Position::new();
    loop {
        match scan_token(&text, position) {
            Ok(Some(token)) => {
                position = token.end();
                tokens.push(token);
            }
            Ok(None) => break,
            Err(error) => {
                report.add(message(&error, position, base, &text));
                files.errors.push(base + position.offset());
                // With blanks in its place, the next token is found where the bad one ends.
                let bad = position.offset()..end_of_mistake(error.kind, &text, position.offset());
                let blanks = " ".repeat(bad.len());
                text.replace_range(bad, &blanks);
            }
        }
    }
    let text: Arc<str> = text.into();
    files.bases.insert(text.as_ptr().addr(), base);
    erl_pp::Source::new(name, text, tokens)
}

/// Where the bad token ends: a number with its letters and digits, a quotation with the line or the text.
fn end_of_mistake(kind: ErrorKind, text: &str, start: usize) -> usize {
    let first = text[start..].chars().next().map_or(0, char::len_utf8);
    let is_inside = |c: char| match kind {
        ErrorKind::InvalidIntegerToken | ErrorKind::InvalidFloatToken => {
            c.is_alphanumeric() || matches!(c, '_' | '#')
        }
        ErrorKind::InvalidEscapedChar | ErrorKind::InvalidStringToken => c != '\n',
        ErrorKind::NoClosingQuotation => true,
        _ => false,
    };
    let rest = &text[start + first..];
    start + first + rest.find(|c| !is_inside(c)).unwrap_or(rest.len())
}

fn message(error: &Error, start: Position, base: usize, text: &str) -> Diagnostic {
    let offset = error.position.offset();
    let width = text[offset..].chars().next().map_or(0, char::len_utf8);
    let span = Span::new(base + offset, base + offset + width);
    let (sentence, help) = match error.kind {
        ErrorKind::NoClosingQuotation => ("a quotation has no end", "close it with the sign that opens it"),
        ErrorKind::InvalidEscapedChar => {
            ("this escape sequence means nothing", "a backslash is written `\\\\`")
        }
        ErrorKind::AdjacentStringLiterals => ("two strings touch", "put a blank between them"),
        ErrorKind::InvalidFloatToken => ("this number is too large or not well formed", ""),
        ErrorKind::InvalidIntegerToken => {
            ("this number is not well formed", "`16#ff` has a base from 2 to 36, and digits of it")
        }
        ErrorKind::InvalidStringToken => {
            ("this string is not well formed", "the text of a `\"\"\"` string begins on a line of its own")
        }
        ErrorKind::InvalidSigilStringToken => {
            ("this sigil is not well formed", "`~s\"…\"` and `~b\"…\"` are")
        }
        ErrorKind::InvalidCharToken => ("a character has to follow `$`", ""),
        _ => ("this character begins no token", ""),
    };
    let mut diagnostic = Diagnostic::error("erlang::token", sentence, span, "");
    if start.offset() < offset {
        diagnostic =
            diagnostic.context(Span::new(base + start.offset(), base + start.offset() + 1), "begins here");
    }
    if help.is_empty() { diagnostic } else { diagnostic.help(help) }
}
