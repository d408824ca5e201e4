//! Propositions in the text of a formula.
//!
//! The grammar of formulas does not depend on programs: wherever an operand may stand, the parser calls its
//! [`Atoms`], which each front end implements. [`Names`] is the implementation for formulas without a
//! program.

use super::{mistakes, token};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// Reads propositions for the parser of formulas.
pub trait Atoms {
    /// The parsed proposition.
    type Atom;

    /// Reads one proposition at the start of `text[range]`; `None` if none starts there.
    ///
    /// The second part of the result is its end, as an offset into `text`. An error is reported, and parsing
    /// continues after that end. The parser calls it before it takes `(` as grouping, so that a front end
    /// may read `(x + 1) = 2`, but after it has tried the operators.
    fn read(&self, text: &str, range: Span) -> Option<(Result<Self::Atom, Diagnostic>, usize)>;

    /// Is this whole word a name, even if it could be read as glued operators (`GFx`)?
    fn knows(&self, _word: &str) -> bool {
        false
    }

    /// How a proposition is written whose name is an operator, for messages.
    fn quoted(&self, word: &str) -> String {
        format!("\"{word}\", in quotes")
    }
}

/// Propositions that stand for themselves: `p`, `enterCrit(1)`, `turn = 1`, `c0 <= 3`, `P0 at m2`,
/// `P0.at.m2`, `{value, @1}`, `"any text"`.
///
/// White space inside does not matter (`turn=1` is `turn = 1`), except between quotes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Names;

impl Atoms for Names {
    type Atom = String;

    fn read(&self, text: &str, range: Span) -> Option<(Result<String, Diagnostic>, usize)> {
        let mut cursor = Cursor { text: &text[..range.end], at: range.start };
        let first = cursor.peek()?;
        let atom = match first {
            '"' => cursor.quoted(),
            '{' => cursor.bracketed(),
            _ => cursor.comparison()?,
        };
        Some((atom, cursor.at))
    }
}

impl Names {
    /// The spelling that parses to this proposition: the name itself, or in quotes where the name would be
    /// parsed differently.
    pub(super) fn spell(atom: &str) -> String {
        let whole = Names.read(atom, Span::new(0, atom.len()));
        let plain = matches!(whole, Some((Ok(read), end)) if read == atom && end == atom.len());
        let quoted = atom.starts_with('"');
        // A comparison may begin with a digit that is a constant when it stands alone.
        let operator = token::operator(atom).is_some_and(|_| !atom.starts_with(['0', '1']));
        if plain && !quoted && !operator {
            return atom.to_owned();
        }
        format!("\"{}\"", atom.replace('\\', "\\\\").replace('"', "\\\""))
    }
}

fn starts_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

/// A position in the text; each read advances it.
struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn quoted(&mut self) -> Result<String, Diagnostic> {
        let start = self.at;
        let Some(length) = quotation_length(self.rest()) else {
            self.at = self.text.len();
            return Err(unclosed_quote(start));
        };
        self.at += length;
        let mut characters = self.text[start + 1..self.at - 1].chars();
        let unescaped =
            || characters.next().and_then(|c| if c == '\\' { characters.next() } else { Some(c) });
        Ok(std::iter::from_fn(unescaped).collect())
    }

    /// A term in brackets with arbitrary contents, as long as the brackets match.
    ///
    /// White space is kept where it separates two words, and in quotations.
    fn bracketed(&mut self) -> Result<String, Diagnostic> {
        let start = self.at;
        let mut expected = Vec::new();
        let mut value = String::new();
        while let Some(c) = self.peek() {
            let start_of_item = self.at;
            let length = if c == '"' { quotation_length(self.rest()) } else { Some(c.len_utf8()) };
            self.at = length.map_or(self.text.len(), |length| start_of_item + length);
            match c {
                '(' => expected.push(')'),
                '[' => expected.push(']'),
                '{' => expected.push('}'),
                ')' | ']' | '}' if expected.pop() != Some(c) => {
                    return Err(wrong_bracket(start, start_of_item, c));
                }
                '"' if length.is_none() => return Err(unclosed_quote(start_of_item)),
                _ => {}
            }
            match c {
                ',' => value.push_str(", "),
                _ if c.is_whitespace() => {
                    self.skip_space();
                    if value.ends_with(in_word) && self.peek().is_some_and(in_word) {
                        value.push(' ');
                    }
                }
                _ => value.push_str(&self.text[start_of_item..self.at]),
            }
            if expected.is_empty() {
                return Ok(value);
            }
        }
        Err(unclosed_bracket(start, &self.text[start..]))
    }

    /// `term`, or `term = term` with any comparison, or `term at name`.
    fn comparison(&mut self) -> Option<Result<String, Diagnostic>> {
        let left = match self.term()? {
            Ok(left) => left,
            Err(error) => return Some(Err(error)),
        };
        let end_of_left = self.at;
        self.skip_space();
        let start_of_relation = self.at;
        let Some(relation) = self.relation() else {
            self.at = end_of_left;
            // A number is no proposition; `1` and `0` alone are constants.
            return left.starts_with(starts_name).then_some(Ok(left));
        };
        let span = Span::new(start_of_relation, self.at);
        self.skip_space();
        Some(match self.term() {
            Some(right) => right.map(|right| format!("{left} {relation} {right}")),
            None => {
                self.at = span.end;
                Err(incomplete_comparison(&left, relation, span))
            }
        })
    }

    fn relation(&mut self) -> Option<&'static str> {
        const RELATIONS: [(&str, &str); 7] =
            [("<=", "<="), (">=", ">="), ("!=", "!="), ("==", "="), ("=", "="), ("<", "<"), (">", ">")];
        const OPERATORS: [&str; 4] = ["<->", "<=>", "<>", "=>"];
        let rest = self.rest();
        if OPERATORS.iter().any(|operator| rest.starts_with(operator)) {
            return None;
        }
        if token::word(rest) == "at" {
            self.at += 2;
            return Some("at");
        }
        let (spelling, name) = RELATIONS.iter().find(|(spelling, _)| rest.starts_with(spelling))?;
        self.at += spelling.len();
        Some(name)
    }

    /// A number, or a name with its arguments: `-3`, `turn`, `in-rem(1)`, `a[0]`, `P0.at.m2`.
    fn term(&mut self) -> Option<Result<String, Diagnostic>> {
        let rest = self.rest();
        let length = number_length(rest).or_else(|| name_length(rest))?;
        let mut value = rest[..length].to_owned();
        let name = Span::new(self.at, self.at + length);
        self.at += length;
        while value.starts_with(starts_name) && matches!(self.peek(), Some('(' | '[')) {
            if self.rest().starts_with("[]") {
                break;
            }
            match self.bracketed() {
                Ok(arguments) => value.push_str(&arguments),
                Err(error) => return Some(Err(error)),
            }
            if is_formula(&rest[..length], &self.text[name.end..self.at]) {
                return Some(Err(mistakes::foreign(&rest[..length], name)));
            }
        }
        Some(Ok(value))
    }
}

/// Is it not a proposition with arguments, but a formula in another notation: `always(p)`, `AG(p)`,
/// `A[p U q]`?
fn is_formula(name: &str, arguments: &str) -> bool {
    let has_until = || arguments.split_whitespace().any(|word| matches!(word, "U" | "R" | "W"));
    match name {
        "always" | "globally" | "eventually" | "finally" => true,
        "A" | "E" => has_until(),
        _ => mistakes::is_quantified(name),
    }
}

fn unclosed_quote(at: usize) -> Diagnostic {
    let span = Span::new(at, at + 1);
    Diagnostic::error("ltl::unclosed-quote", "this quotation never ends", span, "opened here")
        .help("close it with `\"`; inside, write `\\\"` for a quotation mark")
}

fn unclosed_bracket(at: usize, text: &str) -> Diagnostic {
    let (open, close) = match text.chars().next() {
        Some('{') => ('{', '}'),
        Some('[') => ('[', ']'),
        _ => ('(', ')'),
    };
    let message = format!("the proposition's `{open}` is never closed");
    Diagnostic::error("ltl::unclosed-bracket", message, Span::new(at, at + 1), "opened here")
        .help(format!("write `{close}` where it ends"))
}

fn wrong_bracket(start: usize, at: usize, found: char) -> Diagnostic {
    let message = format!("`{found}` closes nothing in this proposition");
    Diagnostic::error("ltl::unclosed-bracket", message, Span::new(at, at + 1), "another bracket is open")
        .context(Span::new(start, start + 1), "the proposition's brackets begin here")
}

fn incomplete_comparison(left: &str, relation: &str, span: Span) -> Diagnostic {
    let code = "ltl::incomplete-comparison";
    if relation == "at" {
        let label = "the name of a place is expected after this";
        return Diagnostic::error(code, format!("`{left} at` lacks its place"), span, label)
            .help("write it as in `P0 at m2`");
    }
    let label = "a name or a number is expected after this";
    Diagnostic::error(code, format!("nothing to compare `{left}` with"), span, label)
        .help("comparisons stand between names and numbers; implication is written `->`, equivalence `<->`")
}

/// The length of the quotation at the start of `text`, with its quotes; `None` if it does not end.
pub(crate) fn quotation_length(text: &str) -> Option<usize> {
    let mut escaped = false;
    let last = text.char_indices().skip(1).find(|(_, c)| {
        let ends = *c == '"' && !escaped;
        escaped = *c == '\\' && !escaped;
        ends
    });
    last.map(|(offset, _)| offset + 1)
}

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn number_length(text: &str) -> Option<usize> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let count = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    (count > 0).then_some(text.len() - digits.len() + count)
}

/// Letters, digits, `_`, `.`, `'`, and `-` where a letter follows it.
fn name_length(text: &str) -> Option<usize> {
    let mut characters = text.char_indices().peekable();
    let (_, first) = characters.next()?;
    if !starts_name(first) {
        return None;
    }
    while let Some((offset, c)) = characters.next() {
        let follower = characters.peek().map(|(_, next)| *next);
        let inside = match c {
            '.' | '-' => follower.is_some_and(|next| next.is_alphanumeric() || next == '_'),
            _ => c.is_alphanumeric() || c == '_' || c == '\'',
        };
        if !inside {
            return Some(offset);
        }
    }
    Some(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, atom: &str, rest: &str) {
        let (read, end) = Names.read(text, Span::new(0, text.len())).expect("an atom");
        assert_eq!((read.expect("no error").as_str(), &text[end..]), (atom, rest));
    }

    #[test]
    fn every_form_of_proposition_is_parsed() {
        check("enterCrit(1) /\\ q", "enterCrit(1)", " /\\ q");
        check("in-rem(1)->q", "in-rem(1)", "->q");
        check("turn=1 U x", "turn = 1", " U x");
        check("turn == 1", "turn = 1", "");
        check("c0 <= 3", "c0 <= 3", "");
        check("P0 at m2 & q", "P0 at m2", " & q");
        check("P0.at.m2", "P0.at.m2", "");
        check("{value , @1} | q", "{value, @1}", " | q");
        check("\"say \\\"hi\\\"\" & q", "say \"hi\"", " & q");
        check("0 < x", "0 < x", "");
    }

    #[test]
    fn operators_that_begin_like_comparisons_stay_operators() {
        for rest in [" <-> q", " <=> q", " => q", " -> q", "<>q", "[]q"] {
            check(&format!("p{rest}"), "p", rest);
        }
    }

    #[test]
    fn a_number_alone_is_no_proposition() {
        assert!(Names.read("1", Span::new(0, 1)).is_none());
    }

    #[test]
    fn names_that_would_be_parsed_differently_are_quoted() {
        for (atom, spelling) in [
            ("p", "p"),
            ("turn = 1", "turn = 1"),
            ("turn=1", "\"turn=1\""),
            ("G", "\"G\""),
            ("Xa", "\"Xa\""),
            ("two words", "\"two words\""),
            ("", "\"\""),
            ("a\"b\\", "\"a\\\"b\\\\\""),
        ] {
            assert_eq!(Names::spell(atom), spelling);
        }
    }
}
