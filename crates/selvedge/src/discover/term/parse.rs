//! The parser of terms and laws.
//!
//! A sequence goes as far to the right as it can; `|||` binds its neighbours more strongly than `>>`, and a
//! call binds most strongly. Pure functions of signs stand between their arguments, in parentheses.

use super::named::{NamedArgument, Relation, Statement, Term};
use crate::discover::signature::{PARALLEL, is_infix};
use std::fmt;
use std::str::FromStr;

/// Why a text is not a law: the text, the place, and what is wrong there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    pub(crate) text: String,
    /// The byte in the text.
    pub(crate) at: usize,
    pub(crate) message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column = self.text[..self.at].chars().count();
        writeln!(f, "error[law::syntax]: {}", self.message)?;
        writeln!(f, "  | {}", self.text)?;
        write!(f, "  | {:column$}^", "")
    }
}

impl std::error::Error for ParseError {}

impl FromStr for Term {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Term, ParseError> {
        let mut parser = Parser::new(text)?;
        let term = parser.sequence()?;
        parser.end()?;
        Ok(term)
    }
}

impl FromStr for Statement {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Statement, ParseError> {
        let (under, rest_at) = interferences(text)?;
        let (when, term_at) = match text[rest_at..].find("==>") {
            Some(end) => {
                let conditions = text[rest_at..rest_at + end].split("&&").map(|when| when.trim().to_owned());
                (conditions.collect(), rest_at + end + "==>".len())
            }
            None => (Vec::new(), rest_at),
        };
        let mut parser = Parser::from(text, term_at)?;
        let left = parser.sequence()?;
        let relation = parser.relation()?;
        let right = parser.sequence()?;
        parser.end()?;
        Ok(Statement { under, when, left, relation, right })
    }
}

/// The interferences in brackets, and where the text goes on.
fn interferences(text: &str) -> Result<(Vec<String>, usize), ParseError> {
    let start = text.len() - text.trim_start().len();
    if !text[start..].starts_with('[') {
        return Ok((Vec::new(), start));
    }
    let error = |message: &str| ParseError { text: text.to_owned(), at: start, message: message.to_owned() };
    let end = text.find(']').ok_or_else(|| error("the bracket is not closed"))?;
    let names: Vec<String> = text[start + 1..end].split(',').map(|name| name.trim().to_owned()).collect();
    Ok((names, end + 1))
}

/// The deepest nesting of parentheses.
const MAX_DEPTH: usize = 100;

struct Parser<'t> {
    text: &'t str,
    /// The tokens, each with its place.
    tokens: Vec<(&'t str, usize)>,
    next: usize,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Result<Parser<'t>, ParseError> {
        Parser::from(text, 0)
    }

    fn from(text: &'t str, start: usize) -> Result<Parser<'t>, ParseError> {
        let (mut tokens, mut at) = (Vec::new(), start);
        while let Some(first) = text[at..].chars().next() {
            let is_word = |char: char| char.is_alphanumeric() || "_.@".contains(char);
            let is_sign = |char: char| "+-*/%<>=&|^!~".contains(char);
            let length_of = |is_part: &dyn Fn(char) -> bool| {
                text[at..].find(|char| !is_part(char)).unwrap_or(text.len() - at)
            };
            let length = match first {
                char if char.is_whitespace() => {
                    at += char.len_utf8();
                    continue;
                }
                '(' | ')' | '\\' => 1,
                char if is_word(char) => length_of(&is_word),
                char if is_sign(char) => length_of(&is_sign),
                char => {
                    let message = format!("`{char}` has no meaning here");
                    return Err(ParseError { text: text.to_owned(), at, message });
                }
            };
            tokens.push((&text[at..at + length], at));
            at += length;
        }
        // The state is not written in laws; CoCo's `@` is read over.
        tokens.retain(|(token, _)| *token != "@");
        Ok(Parser { text, tokens, next: 0, depth: 0 })
    }

    fn peek(&self) -> Option<&'t str> {
        self.tokens.get(self.next).map(|(token, _)| *token)
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T, ParseError> {
        let at = self.tokens.get(self.next).map_or(self.text.len(), |(_, at)| *at);
        Err(ParseError { text: self.text.to_owned(), at, message: message.into() })
    }

    fn take_if(&mut self, token: &str) -> bool {
        let is_next = self.peek() == Some(token);
        self.next += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, token: &str) -> Result<(), ParseError> {
        if self.take_if(token) { Ok(()) } else { self.error(format!("expected `{token}`")) }
    }

    fn end(&self) -> Result<(), ParseError> {
        if self.next == self.tokens.len() { Ok(()) } else { self.error("the law should end here") }
    }

    fn relation(&mut self) -> Result<Relation, ParseError> {
        let relations = [Relation::Equal, Relation::Refines, Relation::Refined];
        match relations.into_iter().find(|relation| self.peek() == Some(relation.sign())) {
            Some(relation) => {
                self.next += 1;
                Ok(relation)
            }
            None => self.error("expected `===`, `->-` or `-<-`"),
        }
    }

    fn name(&mut self) -> Result<String, ParseError> {
        match self.peek() {
            Some(token) if is_name(token) => {
                self.next += 1;
                Ok(token.to_owned())
            }
            _ => self.error("expected a name"),
        }
    }

    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T, ParseError>) -> Result<T, ParseError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.error("the term is nested too deeply");
        }
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    fn sequence(&mut self) -> Result<Term, ParseError> {
        let first = self.parallel()?;
        if self.take_if(">>") {
            return Ok(first.then(self.deeper(Self::sequence)?));
        }
        if self.take_if(">>=") {
            self.expect("\\")?;
            let variable = self.name()?;
            self.expect("->")?;
            return Ok(first.bind(&variable, self.deeper(Self::sequence)?));
        }
        Ok(first)
    }

    fn parallel(&mut self) -> Result<Term, ParseError> {
        let mut left = self.primary()?;
        while self.take_if(PARALLEL) {
            left = left.beside(self.primary()?);
        }
        Ok(left)
    }

    fn primary(&mut self) -> Result<Term, ParseError> {
        if self.take_if("(") {
            let term = self.deeper(Self::sequence)?;
            self.expect(")")?;
            return Ok(term);
        }
        let (name, mut arguments) = (self.name()?, Vec::new());
        while let Some(token) = self.peek()
            && (token == "(" || is_name(token))
        {
            arguments.push(self.argument()?);
        }
        Ok(Term::Call(name, arguments))
    }

    fn argument(&mut self) -> Result<NamedArgument, ParseError> {
        if !self.take_if("(") {
            return Ok(NamedArgument::Name(self.name()?));
        }
        let argument = self.deeper(Self::application)?;
        self.expect(")")?;
        Ok(argument)
    }

    /// `f a b`, `a + b`, or one argument in more parentheses.
    fn application(&mut self) -> Result<NamedArgument, ParseError> {
        let first = self.argument()?;
        match self.peek() {
            Some(sign) if is_infix(sign) => {
                self.next += 1;
                let second = self.argument()?;
                Ok(NamedArgument::Apply(sign.to_owned(), vec![first, second]))
            }
            Some(")") => Ok(first),
            _ => match first {
                NamedArgument::Name(function) => {
                    let mut arguments = Vec::new();
                    while self.peek().is_some_and(|token| token != ")") {
                        arguments.push(self.argument()?);
                    }
                    Ok(NamedArgument::Apply(function, arguments))
                }
                NamedArgument::Apply(..) => self.error("expected a function of two arguments or `)`"),
            },
        }
    }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|char: char| char.is_alphanumeric() || char == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str) {
        assert_eq!(text.parse::<Statement>().map(|law| law.to_string()), Ok(text.to_owned()));
    }

    #[test]
    fn laws_are_printed_as_they_are_parsed() {
        check("read === read >> read");
        check(r"read ->- take >>= \x -> put x");
        check("[put 42] take === read >> take");
        check("x >= 0 && x1 > x ==> signal (x + x1) === signal x ||| signal x1");
        check("signal (abs x) === wait (negate (abs x))");
        check("(a >> b) ||| c -<- a >> (b ||| c) >> d");
    }

    #[test]
    fn sequences_are_nested_to_the_right() {
        let left: Term = "(a >> b) >> c".parse().unwrap();
        assert_eq!(Ok(left), "a >> (b >> c)".parse());
    }

    #[test]
    fn errors_point_at_their_place() {
        let error = "put x = read".parse::<Statement>().unwrap_err().to_string();
        assert_eq!(
            error,
            "error[law::syntax]: expected `===`, `->-` or `-<-`\n  | put x = read\n  |       ^"
        );
        let error = "put x === ".parse::<Statement>().unwrap_err().to_string();
        assert!(error.contains("expected a name"), "{error}");
        assert!("put (((x".parse::<Term>().is_err());
        assert!(format!("{}a{}", "(".repeat(5000), ")".repeat(5000)).parse::<Term>().is_err());
    }
}
