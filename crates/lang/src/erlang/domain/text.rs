//! How domains are named: `parity`, `sign`, `intervals(0, 10)`, `depth(2)`, `atoms(a, b)`, `concrete`, or
//! the name of a file.
//!
//! Promise: each mistake is a diagnostic with the text that it is in, and no text makes the parser panic.

use super::atoms::AtomDomain;
use super::built_in::{self, MAX_CUT_POINTS};
use super::file::parse::{integer, unexpected};
use super::file::token::{Lexer, Token};
use super::integers::IntegerDomain;
use super::{Domain, file, product};
use crate::syntax::suggest::nearest;
use num_bigint::BigInt;
use selvedge_ltl::diagnostic::{Diagnostic, Severity};
use selvedge_ltl::source::{Source, Span};

/// The domains that need no file.
const BUILT_IN: [&str; 6] = ["parity", "sign", "intervals", "depth", "atoms", "concrete"];

/// One domain that is asked for: an argument of the command line, or a part of a program.
#[derive(Clone, Debug)]
pub struct DomainText {
    /// The text that names the domain.
    pub source: Source,
    /// Its place there.
    pub span: Span,
}

/// A diagnostic with the text that its positions are in.
#[derive(Clone, Debug)]
pub struct SourceDiagnostic {
    /// The file, or the argument.
    pub source: Source,
    /// The error or warning.
    pub diagnostic: Diagnostic,
}

impl DomainText {
    /// A whole text, under the name that messages have for it.
    pub fn new(name: &str, text: &str) -> DomainText {
        let source = Source::new(name, text);
        let span = Span::new(0, text.len());
        DomainText { source, span }
    }
}

impl Domain {
    /// The product of the domains that the texts name, unless there are errors; `find` reads the file with a
    /// name, and an error of it is a sentence.
    pub fn parse(
        texts: &[DomainText],
        find: &dyn Fn(&str) -> Result<Source, String>,
    ) -> (Option<Domain>, Vec<SourceDiagnostic>) {
        let mut reader =
            Reader { find, domain: Domain::default(), integers: Vec::new(), diagnostics: Vec::new() };
        for text in texts {
            if let Err(diagnostic) = reader.read(text, texts.len()) {
                reader.diagnostics.push(SourceDiagnostic { source: text.source.clone(), diagnostic });
            }
        }
        let Reader { mut domain, integers, mut diagnostics, .. } = reader;
        if diagnostics.iter().any(|one| one.diagnostic.severity == Severity::Error) {
            return (None, diagnostics);
        }
        if !integers.is_empty() {
            match product::product(integers) {
                Ok(integers) => domain.integers = Some(integers),
                Err(message) => {
                    let last = texts.last().expect("a domain was named");
                    let help = "use fewer domains, or coarser ones";
                    let diagnostic = Diagnostic::error("domain::product", message, last.span, "").help(help);
                    diagnostics.push(SourceDiagnostic { source: last.source.clone(), diagnostic });
                    return (None, diagnostics);
                }
            }
        }
        (Some(domain), diagnostics)
    }
}

struct Reader<'a> {
    find: &'a dyn Fn(&str) -> Result<Source, String>,
    domain: Domain,
    integers: Vec<IntegerDomain>,
    diagnostics: Vec<SourceDiagnostic>,
}

impl Reader<'_> {
    fn read(&mut self, text: &DomainText, count: usize) -> Result<(), Diagnostic> {
        let whole = text.source.text.get(text.span.range()).unwrap_or_default();
        let start = text.span.start + (whole.len() - whole.trim_start().len());
        let whole = whole.trim();
        let span = Span::new(start, start + whole.len());
        let (word, rest) = match whole.find('(') {
            Some(parenthesis) if whole.ends_with(')') => whole.split_at(parenthesis),
            _ => (whole, ""),
        };
        let word = word.trim_end();
        if !BUILT_IN.contains(&word) {
            return self.file(whole, span);
        }
        let no_arguments =
            || Diagnostic::error("domain::syntax", format!("`{word}` has no arguments"), span, "");
        let mut arguments = Arguments::new(&text.source.text[..span.end], span.end - rest.len(), span);
        match word {
            "parity" | "sign" | "concrete" if !rest.is_empty() => return Err(no_arguments()),
            "parity" => self.integers.push(built_in::parity()),
            "sign" => self.integers.push(built_in::sign()),
            "concrete" if count > 1 => {
                let message = "`concrete` abstracts nothing, and another domain does";
                return Err(Diagnostic::error("domain::concrete", message, span, "").help("leave it out"));
            }
            "concrete" => {}
            "intervals" => self.integers.push(built_in::intervals(&arguments.cut_points()?)),
            "depth" => self.domain.depth = self.domain.depth.max(Some(arguments.depth()?)),
            _ => arguments.atoms(self.domain.atoms.get_or_insert_default())?,
        }
        Ok(())
    }

    fn file(&mut self, name: &str, span: Span) -> Result<(), Diagnostic> {
        let source = (self.find)(name).map_err(|reason| {
            let message = format!("there is no domain `{name}`");
            let error = Diagnostic::error("domain::unknown", message, span, reason);
            match nearest(name, BUILT_IN) {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error.help(
                    "built in are `parity`, `sign`, `intervals(0, 10)`, `depth(2)`, `atoms(a, b)` and `concrete`",
                ),
            }
        })?;
        let (domain, diagnostics) = file::load(&source);
        self.integers.extend(domain);
        let with_source = |diagnostic| SourceDiagnostic { source: source.clone(), diagnostic };
        self.diagnostics.extend(diagnostics.into_iter().map(with_source));
        Ok(())
    }
}

/// The part between parentheses.
struct Arguments<'a> {
    lexer: Lexer<'a>,
    whole: Span,
}

impl<'a> Arguments<'a> {
    fn new(text: &'a str, start: usize, whole: Span) -> Arguments<'a> {
        Arguments { lexer: Lexer::new(text, start), whole }
    }

    /// Items with commas between them and parentheses around them.
    fn list(
        &mut self,
        wanted: &str,
        mut item: impl FnMut(&mut Self) -> Result<(), Diagnostic>,
    ) -> Result<(), Diagnostic> {
        if self.lexer.next().0 != Token::Sign("(") {
            return Err(
                Diagnostic::error("domain::syntax", "arguments are missing", self.whole, "").help(wanted)
            );
        }
        loop {
            item(self)?;
            match self.lexer.next() {
                (Token::Sign(","), _) => {}
                (Token::Sign(")"), _) => break,
                (token, span) => return Err(unexpected(token, span, "`,` or `)`")),
            }
        }
        match self.lexer.next() {
            (Token::End, _) => Ok(()),
            (token, span) => Err(unexpected(token, span, "nothing more")),
        }
    }

    /// An integer with its place.
    fn integer(&mut self) -> Result<(BigInt, Span), Diagnostic> {
        let start = self.lexer.peek().1;
        let mut after = self.lexer;
        let n = integer(&mut after)?;
        self.lexer = after;
        Ok((n, start))
    }

    fn cut_points(&mut self) -> Result<Vec<BigInt>, Diagnostic> {
        let mut cuts: Vec<BigInt> = Vec::new();
        self.list("name the numbers at which intervals begin: `intervals(0, 10)`", |arguments| {
            let (cut, span) = arguments.integer()?;
            if cuts.last().is_some_and(|last| *last >= cut) {
                let message = "the cut points do not ascend";
                return Err(Diagnostic::error(
                    "domain::cut-points",
                    message,
                    span,
                    "not larger than the last",
                ));
            }
            if cuts.len() == MAX_CUT_POINTS {
                let message = format!("there are more than {MAX_CUT_POINTS} cut points");
                return Err(Diagnostic::error("domain::cut-points", message, span, ""));
            }
            cuts.push(cut);
            Ok(())
        })?;
        Ok(cuts)
    }

    fn depth(&mut self) -> Result<usize, Diagnostic> {
        let mut depths = Vec::new();
        self.list("name the depth that is kept: `depth(2)`", |arguments| {
            depths.push(arguments.integer()?);
            Ok(())
        })?;
        let (depth, span) = &depths[0];
        match usize::try_from(depth) {
            Ok(depth) if depth >= 1 && depths.len() == 1 => Ok(depth),
            _ if depths.len() > 1 => {
                Err(Diagnostic::error("domain::depth", "`depth` has one argument", depths[1].1, ""))
            }
            _ => Err(Diagnostic::error("domain::depth", "a depth is at least 1", *span, "")),
        }
    }

    fn atoms(&mut self, domain: &mut AtomDomain) -> Result<(), Diagnostic> {
        self.list("name the atoms that are kept: `atoms(a, b, state = {idle, busy})`", |arguments| {
            let (atom, span) = arguments.atom()?;
            let taken = |atom: &str| {
                let message = format!("`{atom}` is named already");
                Diagnostic::error("domain::atoms", message, span, "an atom is kept, or in one set")
            };
            if arguments.lexer.peek().0 != Token::Sign("=") {
                return if domain.keep(&atom) { Ok(()) } else { Err(taken(&atom)) };
            }
            arguments.lexer.next();
            let members = arguments.atom_set()?;
            if members.len() < 2 {
                let message = format!("the set `{atom}` has one atom");
                let help = format!("keep the atom itself: `atoms({})`", members[0]);
                return Err(Diagnostic::error("domain::atoms", message, span, "").help(help));
            }
            domain.add_set(&atom, &members).map_err(|name| taken(&name))
        })
    }

    /// `{idle, busy}`
    fn atom_set(&mut self) -> Result<Vec<String>, Diagnostic> {
        let (token, span) = self.lexer.next();
        if token != Token::Sign("{") {
            return Err(unexpected(token, span, "`{`"));
        }
        let mut members = Vec::new();
        loop {
            members.push(self.atom()?.0);
            match self.lexer.next() {
                (Token::Sign(","), _) => {}
                (Token::Sign("}"), _) => return Ok(members),
                (token, span) => return Err(unexpected(token, span, "`,` or `}`")),
            }
        }
    }

    fn atom(&mut self) -> Result<(String, Span), Diagnostic> {
        match self.lexer.next() {
            (Token::Word(word), span) if word.starts_with(char::is_lowercase) => Ok((word.to_owned(), span)),
            (Token::Quoted(text), span) => Ok((text.to_owned(), span)),
            (token, span) => Err(unexpected(token, span, "an atom")),
        }
    }
}
