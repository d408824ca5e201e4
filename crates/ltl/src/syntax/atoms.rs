//! Propositions in the text of a formula.
//!
//! The grammar of formulas knows nothing of programs: wherever an operand may stand it asks its [`Atoms`], which
//! each front end provides. [`Names`] is the one for formulas that stand alone.

use super::token;
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// Reads propositions for the parser of formulas.
pub trait Atoms {
    /// What a proposition becomes.
    type Atom;

    /// Reads one proposition at the start of `text[range]`; `None` if none starts there.
    ///
    /// The second part of the answer is where it ends, as an offset into `text`. An error is reported, and parsing
    /// goes on after that end. It is asked before `(` is taken as grouping, so that a front end may read
    /// `(x + 1) = 2`, but after the operators.
    fn read(&self, text: &str, range: Span) -> Option<(Result<Self::Atom, Diagnostic>, usize)>;

    /// Is this whole word a name here, even where it could be read as glued operators (`GFx`)?
    fn knows(&self, _word: &str) -> bool {
        false
    }
}

/// Propositions that stand for themselves: `p`, `enterCrit(1)`, `turn = 1`, `c0 <= 3`, `P0 at m2`, `P0.at.m2`,
/// `{value, @1}`, `"any text"`.
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
            _ if starts_name(first) || first.is_ascii_digit() => cursor.comparison()?,
            _ => return None,
        };
        Some((atom, cursor.at))
    }
}

impl Names {
    /// The text by which this proposition is read back: itself, or quoted where that would be read otherwise.
    pub(super) fn spell(atom: &str) -> String {
        let whole = Names.read(atom, Span::new(0, atom.len()));
        let plain = matches!(whole, Some((Ok(read), end)) if read == atom && end == atom.len());
        let quoted = atom.starts_with('"');
        if plain && !quoted && token::operator(atom).is_none() {
            return atom.to_owned();
        }
        format!("\"{}\"", atom.replace('\\', "\\\\").replace('"', "\\\""))
    }
}

fn starts_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

/// A place in the text, moved forward by what is read.
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
        let mut escaped = false;
        let mut value = String::new();
        for (offset, c) in self.rest().char_indices().skip(1) {
            match c {
                '"' if !escaped => {
                    self.at = start + offset + 1;
                    return Ok(value);
                }
                '\\' if !escaped => escaped = true,
                _ => {
                    value.push(c);
                    escaped = false;
                }
            }
        }
        self.at = self.text.len();
        let place = Span::new(start, start + 1);
        Err(Diagnostic::error("ltl::unclosed-quote", "this quotation never ends", place, "opened here")
            .help("close it with `\"`; inside, write `\\\"` for a quotation mark"))
    }

    /// A term in brackets, with whatever stands in it, as long as the brackets match.
    fn bracketed(&mut self) -> Result<String, Diagnostic> {
        let start = self.at;
        let mut expected = Vec::new();
        let mut value = String::new();
        for (offset, c) in self.rest().char_indices() {
            match c {
                '(' => expected.push(')'),
                '[' => expected.push(']'),
                '{' => expected.push('}'),
                ')' | ']' | '}' if expected.pop() != Some(c) => break,
                _ => {}
            }
            match c {
                ',' => value.push_str(", "),
                _ if !c.is_whitespace() => value.push(c),
                _ => {}
            }
            if expected.is_empty() {
                self.at = start + offset + c.len_utf8();
                return Ok(value);
            }
        }
        self.at = self.text.len();
        let place = Span::new(start, start + 1);
        Err(Diagnostic::error("ltl::unclosed-bracket", "this bracket is never closed", place, "opened here"))
    }

    /// `term`, or `term = term` with any comparison, or `term at name`.
    fn comparison(&mut self) -> Option<Result<String, Diagnostic>> {
        let left = match self.term()? {
            Ok(left) => left,
            Err(error) => return Some(Err(error)),
        };
        let end_of_left = self.at;
        self.skip_space();
        let Some(relation) = self.relation() else {
            self.at = end_of_left;
            // A number is no proposition; `1` and `0` alone are constants of the logic.
            return (!left.starts_with(|c: char| c.is_ascii_digit())).then_some(Ok(left));
        };
        self.skip_space();
        Some(match self.term() {
            Some(right) => right.map(|right| format!("{left} {relation} {right}")),
            None => {
                let place = Span::new(end_of_left, self.at.max(end_of_left));
                Err(Diagnostic::error(
                    "ltl::incomplete-comparison",
                    format!("nothing to compare `{left}` with"),
                    place,
                    "a name or a number is expected after this",
                ))
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
        self.at += length;
        while value.starts_with(starts_name) && matches!(self.peek(), Some('(' | '[')) {
            if self.rest().starts_with("[]") {
                break;
            }
            match self.bracketed() {
                Ok(arguments) => value.push_str(&arguments),
                Err(error) => return Some(Err(error)),
            }
        }
        Some(Ok(value))
    }
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
    fn the_propositions_of_the_five_seeds_are_read() {
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
    fn names_that_would_be_read_otherwise_are_quoted() {
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
