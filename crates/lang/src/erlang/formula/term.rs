//! Terms from text, with the variables of quantifiers in them.
//!
//! Erlang's syntax of literals, lists, tuples, maps and binaries, and what it has no syntax for: `@1` is a
//! process, and abstract values stand by their names. Such a name is `?` or `?word`, a comparison with an
//! integer (`<0`), a range of integers (`1..5`), some of these or atoms joined by `&`, or any text as in
//! `?"text"`.
//!
//! Promise: a term is read completely, or there is one message; the nesting is at most [`MAX_NESTING`].

use super::mistakes;
use super::proposition::{Float, MAX_PID, Proposition};
use super::quantifier::Bound;
use super::token::{Lexer, Token};
use erl_tokenize::Keyword;
use num_bigint::BigInt;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;
use std::collections::BTreeSet;

/// The deepest nesting of a term that is accepted.
pub const MAX_NESTING: usize = 100;

/// A term with variables, by their numbers in the scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Template {
    Closed(Proposition),
    Variable(usize),
    Tuple(Vec<Template>),
    List(Vec<Template>, Option<Box<Template>>),
    /// Of two equal keys the later counts.
    Map(Vec<(Template, Template)>),
}

impl Template {
    /// The term with these processes for its variables.
    pub(super) fn instantiate(&self, bindings: &[u8]) -> Proposition {
        let all = |parts: &[Template]| parts.iter().map(|part| part.instantiate(bindings)).collect();
        match self {
            Template::Closed(proposition) => proposition.clone(),
            Template::Variable(number) => Proposition::Pid(bindings[*number]),
            Template::Tuple(elements) => Proposition::Tuple(all(elements)),
            Template::List(elements, tail) => {
                Proposition::list(all(elements), tail.as_ref().map(|tail| tail.instantiate(bindings)))
            }
            Template::Map(pairs) => {
                let pair = |(key, value): &(Template, Template)| {
                    (key.instantiate(bindings), value.instantiate(bindings))
                };
                Proposition::Map(pairs.iter().map(pair).collect())
            }
        }
    }

    /// Adds the numbers of the processes that occur.
    pub(super) fn collect_pids(&self, pids: &mut BTreeSet<u8>) {
        match self {
            Template::Closed(proposition) => proposition.collect_pids(pids),
            Template::Variable(_) => {}
            Template::Tuple(elements) => elements.iter().for_each(|element| element.collect_pids(pids)),
            Template::List(elements, tail) => {
                elements.iter().chain(tail.as_deref()).for_each(|element| element.collect_pids(pids));
            }
            Template::Map(pairs) => {
                pairs.iter().flat_map(|(key, value)| [key, value]).for_each(|part| part.collect_pids(pids));
            }
        }
    }

    fn has_variables(&self) -> bool {
        match self {
            Template::Closed(_) => false,
            Template::Variable(_) => true,
            Template::Tuple(elements) => elements.iter().any(Template::has_variables),
            Template::List(elements, tail) => {
                elements.iter().chain(tail.as_deref()).any(Template::has_variables)
            }
            Template::Map(pairs) => {
                pairs.iter().any(|(key, value)| key.has_variables() || value.has_variables())
            }
        }
    }

    /// The same; a term without variables is closed.
    fn closed(self) -> Template {
        if self.has_variables() { self } else { Template::Closed(self.instantiate(&[])) }
    }
}

/// Reads one term.
pub(super) struct TermReader<'t> {
    pub(super) lexer: Lexer<'t>,
    /// The variables that are bound.
    pub(super) scope: &'t [Bound],
    /// Is the term an operand of the logic? Otherwise, it is inside of another term or of `prop(…)`.
    pub(super) is_operand: bool,
    pub(super) nesting: usize,
}

impl<'t> TermReader<'t> {
    pub(super) fn term(&mut self) -> Result<Template, Diagnostic> {
        let (_, first) = self.lexer.peek();
        if self.nesting >= MAX_NESTING {
            return Err(mistakes::deep_term(first, MAX_NESTING));
        }
        let term = self.primary()?;
        let Some(mut name) = name_of(&term).filter(|_| !self.is_operand) else { return Ok(term.closed()) };
        let mut is_product = false;
        while self.lexer.take("&") {
            let (token, span) = self.lexer.peek();
            let part = self.primary()?;
            let part =
                name_of(&part).ok_or_else(|| mistakes::expected_name(&token, span, self.lexer.text))?;
            name = format!("{name}&{part}");
            is_product = true;
        }
        Ok(if is_product { Template::Closed(Proposition::Abstract(name.into())) } else { term })
    }

    fn primary(&mut self) -> Result<Template, Diagnostic> {
        let (token, span) = self.lexer.next();
        let closed = |proposition| Ok(Template::Closed(proposition));
        match token {
            Token::Word(word) => self.word(word, span),
            Token::Quoted(name) => closed(Proposition::Atom(name.into())),
            Token::Text(text) => closed(Proposition::string(&text)),
            Token::Char(c) => closed(Proposition::integer(u32::from(c))),
            Token::Integer(value) => self.range(value, span),
            Token::Float(value) => closed(float(value)),
            Token::Sign("-") => match self.lexer.next() {
                (Token::Integer(value), last) => self.range(-value, span.to(last)),
                (Token::Float(value), _) => closed(float(-value)),
                (_, place) => Err(mistakes::expected_integer(place, span)),
            },
            Token::Sign("@") => self.pid(span),
            Token::Sign("?") => self.abstract_name(span),
            Token::Sign(sign @ ("<" | "<=" | "=<" | ">" | ">=")) => {
                let value = self.integer(span)?;
                closed(Proposition::Abstract(format!("{sign}{value}").into()))
            }
            Token::Sign("{") => self.tuple(span),
            Token::Sign("[") => self.list(span),
            Token::Sign("#{") => self.map(span),
            Token::Sign("<<") => self.binary(span),
            _ => Err(mistakes::expected_term(&token, span, self.lexer.text)),
        }
    }

    /// An atom or a variable.
    fn word(&mut self, word: &'t str, span: Span) -> Result<Template, Diagnostic> {
        if let Some(number) = self.scope.iter().position(|bound| *bound.name == *word) {
            return Ok(Template::Variable(number));
        }
        if word.starts_with(|c: char| c.is_uppercase() || c == '_') {
            return Err(mistakes::variable(word, span, !self.is_operand));
        }
        if is_reserved(word) {
            return Err(mistakes::reserved(word, span));
        }
        let (token, next) = self.lexer.peek();
        if token == Token::Sign("(") && next.start == span.end {
            return Err(mistakes::call(word, span));
        }
        Ok(Template::Closed(Proposition::atom(word)))
    }

    /// An integer, or a range that begins with it.
    fn range(&mut self, first: BigInt, span: Span) -> Result<Template, Diagnostic> {
        if !self.lexer.rest().starts_with("..") {
            return Ok(Template::Closed(Proposition::Integer(first)));
        }
        self.lexer.take("..");
        let last = self.integer(span)?;
        Ok(Template::Closed(Proposition::Abstract(format!("{first}..{last}").into())))
    }

    /// An integer, perhaps with a sign, behind `before`.
    fn integer(&mut self, before: Span) -> Result<BigInt, Diagnostic> {
        let is_negative = self.lexer.take("-");
        match self.lexer.next() {
            (Token::Integer(value), _) => Ok(if is_negative { -value } else { value }),
            (_, span) => Err(mistakes::expected_integer(span, before)),
        }
    }

    /// A process, behind `@`.
    fn pid(&mut self, sign: Span) -> Result<Template, Diagnostic> {
        let (token, span) = self.lexer.next();
        let place = sign.to(span);
        if span.start != sign.end {
            return Err(mistakes::expected_pid(sign, None));
        }
        match token {
            Token::Integer(value) => match u8::try_from(value) {
                Ok(pid) if pid <= MAX_PID => Ok(Template::Closed(Proposition::Pid(pid))),
                _ => Err(mistakes::large_pid(place)),
            },
            Token::Word(word) if self.scope.iter().any(|bound| *bound.name == *word) => {
                Err(mistakes::expected_pid(place, Some(word)))
            }
            _ => Err(mistakes::expected_pid(sign, None)),
        }
    }

    /// The name of an abstract value, behind `?`.
    fn abstract_name(&mut self, sign: Span) -> Result<Template, Diagnostic> {
        let rest = self.lexer.rest();
        let name = if rest.starts_with('"') {
            match self.lexer.next() {
                (Token::Text(name), _) => name,
                (token, span) => return Err(mistakes::expected_term(&token, span, self.lexer.text)),
            }
        } else {
            let is_inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '@');
            self.lexer.at += rest.find(|c| !is_inside(c)).unwrap_or(rest.len());
            self.lexer.text[sign.start..self.lexer.at].to_owned()
        };
        Ok(Template::Closed(Proposition::Abstract(name.into())))
    }

    fn tuple(&mut self, open: Span) -> Result<Template, Diagnostic> {
        Ok(Template::Tuple(self.inside(open, "}", TermReader::term)?))
    }

    fn list(&mut self, open: Span) -> Result<Template, Diagnostic> {
        if self.lexer.take("]") {
            return Ok(Template::List(Vec::new(), None));
        }
        let mut elements = Vec::new();
        let mut tail = None;
        loop {
            elements.push(self.nested()?);
            if self.lexer.take("|") {
                tail = Some(Box::new(self.nested()?));
                break;
            }
            if !self.lexer.take(",") {
                break;
            }
        }
        self.close(open, "]")?;
        Ok(Template::List(elements, tail))
    }

    fn map(&mut self, open: Span) -> Result<Template, Diagnostic> {
        let pair = |reader: &mut Self| {
            let key = reader.term()?;
            if !reader.lexer.take("=>") {
                let (token, span) = reader.lexer.peek();
                return Err(mistakes::expected_close(open, &token, span, "=>", reader.lexer.text));
            }
            Ok((key, reader.term()?))
        };
        Ok(Template::Map(self.inside(open, "}", pair)?))
    }

    fn binary(&mut self, open: Span) -> Result<Template, Diagnostic> {
        let segment = |reader: &mut Self| {
            let (token, span) = reader.lexer.next();
            let bytes = match token {
                Token::Integer(value) => u8::try_from(value).ok().map(|byte| vec![byte]),
                Token::Char(c) => u8::try_from(c).ok().map(|byte| vec![byte]),
                Token::Text(text) => text.chars().map(|c| u8::try_from(c).ok()).collect(),
                _ => None,
            };
            bytes.ok_or_else(|| mistakes::byte(span))
        };
        let segments: Vec<Vec<u8>> = self.inside(open, ">>", segment)?;
        Ok(Template::Closed(Proposition::Binary(segments.concat())))
    }

    /// What stands between brackets, by commas.
    fn inside<T>(
        &mut self,
        open: Span,
        close: &'static str,
        read: impl Fn(&mut Self) -> Result<T, Diagnostic>,
    ) -> Result<Vec<T>, Diagnostic> {
        let mut parts = Vec::new();
        if self.lexer.take(close) {
            return Ok(parts);
        }
        loop {
            parts.push(self.below(&read)?);
            if !self.lexer.take(",") {
                break;
            }
        }
        self.close(open, close)?;
        Ok(parts)
    }

    fn nested(&mut self) -> Result<Template, Diagnostic> {
        self.below(&TermReader::term)
    }

    /// Reads inside of a term, one level deeper.
    fn below<T>(&mut self, read: &impl Fn(&mut Self) -> Result<T, Diagnostic>) -> Result<T, Diagnostic> {
        let mut inner =
            TermReader { lexer: self.lexer, scope: self.scope, is_operand: false, nesting: self.nesting + 1 };
        let result = read(&mut inner);
        self.lexer = inner.lexer;
        result
    }

    pub(super) fn close(&mut self, open: Span, close: &'static str) -> Result<(), Diagnostic> {
        if self.lexer.take(close) {
            return Ok(());
        }
        let (token, span) = self.lexer.peek();
        Err(mistakes::expected_close(open, &token, span, close, self.lexer.text))
    }
}

/// The name of a value, which a product of domains joins with others by `&`.
fn name_of(term: &Template) -> Option<String> {
    match term {
        Template::Closed(Proposition::Atom(name) | Proposition::Abstract(name)) => Some(name.to_string()),
        Template::Closed(Proposition::Integer(value)) => Some(value.to_string()),
        _ => None,
    }
}

fn float(value: f64) -> Proposition {
    Proposition::Float(Float::new(value).expect("a literal is finite"))
}

/// Is it a word that is no atom without quotes?
///
/// `maybe` and `else` are reserved only where a file asks for it.
pub(super) fn is_reserved(word: &str) -> bool {
    !matches!(word, "maybe" | "else") && Keyword::ALL.iter().any(|keyword| keyword.as_str() == word)
}
