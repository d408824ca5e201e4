//! Atoms in the text of formulas: tests of fields, and `after(test, duration)`.

use super::atom::{Atom, Constant, FieldTest, Relation};
use super::duration::parse_duration;
use super::is_without_time;
use crate::watch::record::{FieldPath, Number};
use selvedge_ltl::Formula;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;
use selvedge_ltl::syntax::{Atoms, parse_range};

/// Operators of formulas that begin like comparisons.
const OPERATORS: [&str; 4] = ["<->", "<=>", "<>", "=>"];

/// Reads atoms.
pub(super) struct AtomReader {
    /// The variables of `forall`, which are no values.
    pub(super) variables: Vec<String>,
}

impl Atoms for AtomReader {
    type Atom = Atom;

    fn read(&self, text: &str, range: Span) -> Option<(Result<Atom, Diagnostic>, usize)> {
        let mut cursor = TextCursor::new(text, range.start, range.end);
        let atom = self.atom(&mut cursor)?;
        Some((atom, cursor.at))
    }

    fn knows(&self, word: &str) -> bool {
        word == "after"
    }
}

impl AtomReader {
    fn atom(&self, cursor: &mut TextCursor<'_>) -> Option<Result<Atom, Diagnostic>> {
        if cursor.word() == "after" && cursor.rest()["after".len()..].trim_start().starts_with('(') {
            return Some(self.after(cursor));
        }
        let start = cursor.at;
        if let Some(length) = number_length(cursor.rest()) {
            cursor.at += length;
            cursor.skip_space();
            let is_compared = cursor.relation().is_some();
            let span = Span::new(start, start + length);
            return is_compared.then(|| {
                let message = "the field stands on the left of a comparison";
                Err(Diagnostic::error("watch::test", message, span, "").help("write it as in `ms > 500`"))
            });
        }
        match cursor.field() {
            Err(error) => Some(Err(error)),
            Ok(field) => Some(self.test(field?, cursor)),
        }
    }

    fn test(&self, field: FieldPath, cursor: &mut TextCursor<'_>) -> Result<Atom, Diagnostic> {
        let end = cursor.at;
        cursor.skip_space();
        let start_of_relation = cursor.at;
        let Some(relation) = cursor.relation() else {
            cursor.at = end;
            let (relation, constant) = (Relation::Equal, Constant::Bool(true));
            return Ok(Atom::Test(FieldTest { field, relation, constant, is_bare: true }));
        };
        let span = Span::new(start_of_relation, cursor.at);
        cursor.skip_space();
        let constant = self.constant(&field, span, cursor)?;
        if relation.is_order() && matches!(constant, Constant::Bool(_) | Constant::Null) {
            let message = "truth values are compared by `=` and `!=`";
            return Err(Diagnostic::error("watch::test", message, span, "no order"));
        }
        Ok(Atom::Test(FieldTest { field, relation, constant, is_bare: false }))
    }

    fn constant(
        &self,
        field: &FieldPath,
        relation: Span,
        cursor: &mut TextCursor<'_>,
    ) -> Result<Constant, Diagnostic> {
        if cursor.peek() == Some('"') {
            return cursor.quoted().map(Constant::Text);
        }
        let span = cursor.value_span();
        let word = &cursor.text[span.range()];
        cursor.at = span.end;
        let begins_like_a_number = word.starts_with(|c: char| c == '-' || c.is_ascii_digit());
        match word {
            "" => Err(Diagnostic::error(
                "watch::test",
                format!("nothing to compare `{field}` with"),
                relation,
                "a value is expected after this",
            )
            .help("write a number, a text in quotes, `true`, `false` or `null`")),
            "true" => Ok(Constant::Bool(true)),
            "false" => Ok(Constant::Bool(false)),
            "null" => Ok(Constant::Null),
            _ if begins_like_a_number => match Number::parse(word.as_bytes()) {
                Some(number) => Ok(Constant::Number(number, word.to_owned())),
                None => {
                    let message = format!("`{word}` is not a number");
                    let error = Diagnostic::error("watch::test", message, span, "");
                    Err(error.help("a text that begins like a number stands in quotes"))
                }
            },
            _ if self.variables.iter().any(|variable| variable == word) => {
                let message = format!("`{word}` is a variable, and only names the slices");
                let error = Diagnostic::error("watch::test", message, span, "");
                Err(error.help(format!(
                    "a slice has only lines with its value; the text is \"{word}\", in quotes"
                )))
            }
            _ => Ok(Constant::Text(word.to_owned())),
        }
    }

    /// `after(test, duration)`; the test may have `!`, `&`, `|` and parentheses.
    fn after(&self, cursor: &mut TextCursor<'_>) -> Result<Atom, Diagnostic> {
        let start = cursor.at;
        let name = Span::new(start, start + "after".len());
        let open = start + cursor.rest().find('(').unwrap_or(0);
        let Some((comma, close)) = arguments(cursor.text, open, cursor.end) else {
            cursor.at = cursor.end;
            let error =
                Diagnostic::error("watch::after", "this `(` is never closed", Span::new(open, open + 1), "");
            return Err(error.help("write `after(kind = \"ask\", 500ms)`"));
        };
        cursor.at = close + 1;
        let Some(comma) = comma else {
            let error = Diagnostic::error("watch::after", "`after` lacks its time", name, "");
            return Err(error.help("write `after(kind = \"ask\", 500ms)`"));
        };
        let parsed = parse_range(cursor.text, Span::new(open + 1, comma), self).into_result();
        let condition = parsed.map_err(|mut mistakes| mistakes.remove(0))?;
        let condition = test_of_a_line(&condition).ok_or_else(|| {
            let span = Span::new(open + 1, comma);
            Diagnostic::error("watch::after", "`after` takes a test of one line", span, "")
                .help("leave operators of time, and `after`, out of it")
        })?;
        let text = cursor.text[comma + 1..close].trim();
        let duration_ns = parse_duration(text).ok_or_else(|| {
            let span = Span::new(comma + 1, close);
            Diagnostic::error("watch::after", format!("`{text}` is not a duration"), span, "")
                .help("write a positive number with a unit: ns, us, ms, s, min, h or d")
        })?;
        Ok(Atom::After { condition, duration_ns, duration_text: text.to_owned() })
    }
}

/// The condition of `after`; `None` if it is not about one line.
fn test_of_a_line(condition: &Formula<Atom>) -> Option<Formula<FieldTest>> {
    let mut is_test = is_without_time(condition);
    let tests = condition.substitute(&mut |atom| match atom {
        Atom::Test(test) => Formula::Prop(test.clone()),
        Atom::After { .. } => {
            is_test = false;
            Formula::TRUE
        }
    });
    is_test.then_some(tests)
}

/// The position of the last comma between the brackets that open here, if there is one, and the position
/// where they close.
fn arguments(text: &str, open: usize, end: usize) -> Option<(Option<usize>, usize)> {
    let (mut depth, mut comma, mut is_quoted, mut is_escaped) = (0_usize, None, false, false);
    for (offset, c) in text[open..end].char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            '(' => depth += 1,
            ')' => {
                depth -= 1;
                if depth == 0 {
                    return Some((comma, open + offset));
                }
            }
            ',' if depth == 1 => comma = Some(open + offset),
            _ => {}
        }
    }
    None
}

/// A position in a text; each read advances it.
pub(super) struct TextCursor<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    end: usize,
}

impl<'t> TextCursor<'t> {
    pub(super) fn new(text: &'t str, at: usize, end: usize) -> TextCursor<'t> {
        TextCursor { text, at, end }
    }

    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..self.end]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn skip_space(&mut self) {
        self.at = self.end - self.rest().trim_start().len();
    }

    /// The letters, digits and `_` that come next.
    pub(super) fn word(&self) -> &'t str {
        let rest = self.rest();
        let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        &rest[..length]
    }

    /// The place of that word; one character if there is none.
    pub(super) fn word_span(&self) -> Span {
        let length = self.word().len().max(self.peek().map_or(0, char::len_utf8).min(1));
        Span::new(self.at, self.at + length)
    }

    /// A name, or names with dots between; each may be in quotes.
    pub(super) fn field(&mut self) -> Result<Option<FieldPath>, Diagnostic> {
        let mut names = Vec::new();
        loop {
            match self.peek() {
                Some('"') => names.push(self.quoted()?),
                Some(c) if c.is_alphabetic() || c == '_' || c == '@' => names.push(self.plain_name()),
                _ if names.is_empty() => return Ok(None),
                _ => {
                    let span = self.word_span();
                    return Err(Diagnostic::error("watch::test", "expected the name of a field", span, ""));
                }
            }
            if self.peek() != Some('.') {
                return Ok(Some(FieldPath(names)));
            }
            self.at += 1;
        }
    }

    /// Letters, digits, `_`, `@`, and `-` where a letter or digit follows it.
    fn plain_name(&mut self) -> String {
        let start = self.at;
        let mut characters = self.rest().char_indices().peekable();
        let mut length = self.rest().len();
        while let Some((offset, c)) = characters.next() {
            let follower = characters.peek().map(|(_, next)| *next);
            let is_inside = match c {
                '-' => follower.is_some_and(|next| next.is_alphanumeric() || next == '_'),
                _ => c.is_alphanumeric() || c == '_' || c == '@',
            };
            if !is_inside {
                length = offset;
                break;
            }
        }
        self.at += length;
        self.text[start..self.at].to_owned()
    }

    /// A text in quotes; `\"` is a quote, `\\` a backslash.
    pub(super) fn quoted(&mut self) -> Result<String, Diagnostic> {
        let start = self.at;
        let mut characters = self.rest().char_indices().skip(1);
        let mut text = String::new();
        while let Some((offset, c)) = characters.next() {
            match c {
                '"' => {
                    self.at = start + offset + 1;
                    return Ok(text);
                }
                '\\' => text.extend(characters.next().map(|(_, c)| c)),
                _ => text.push(c),
            }
        }
        self.at = self.end;
        let span = Span::new(start, start + 1);
        Err(Diagnostic::error("watch::test", "this quotation never ends", span, "opened here"))
    }

    fn relation(&mut self) -> Option<Relation> {
        let rest = self.rest();
        if OPERATORS.iter().any(|operator| rest.starts_with(operator)) {
            return None;
        }
        let (spelling, relation) =
            Relation::SPELLINGS.iter().find(|(spelling, _)| rest.starts_with(spelling))?;
        self.at += spelling.len();
        Some(*relation)
    }

    /// A number, or a word: letters, digits, `_`, and `-`, `+`, `.`, `:`, `/` where a letter or digit
    /// follows.
    fn value_span(&self) -> Span {
        let mut characters = self.rest().char_indices().peekable();
        let mut length = 0;
        while let Some((offset, c)) = characters.next() {
            let follower = characters.peek().map(|(_, next)| *next);
            let is_inside = match c {
                '-' | '+' | '.' | ':' | '/' => follower.is_some_and(|next| next.is_alphanumeric()),
                _ => c.is_alphanumeric() || c == '_',
            };
            if !is_inside {
                break;
            }
            length = offset + c.len_utf8();
        }
        Span::new(self.at, self.at + length)
    }
}

/// The length of the number at the start of a text.
fn number_length(text: &str) -> Option<usize> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let count = digits.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(digits.len());
    digits.starts_with(|c: char| c.is_ascii_digit()).then_some(text.len() - digits.len() + count)
}
