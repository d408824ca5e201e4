//! From files to tokens: macros expanded, files included, branches of conditions chosen.
//!
//! `erl_pp` keeps the table of macros and the stack of conditions, and asks for everything else: this
//! driver answers with included files, with the values of `-if` and with the macros whose value depends on
//! the place. A token of a macro's body has the position of the outermost macro call, as in OTP's `epp`; a
//! token of an argument has its own.
//!
//! Promise: ends on every input. Includes nest at most [`MAX_INCLUDES`] deep, and of a file that expands to
//! more than [`MAX_TOKENS`] tokens the rest is not read.

use super::conditional::is_true;
use super::macro_graph::MacroGraph;
use super::parser::Parser;
use super::print::{atom_text, string_text};
use super::report::Report;
use super::scan::scan;
use super::token::{Lexeme, Names, Token};
use super::tree::Name;
use super::{Include, Options, SourceMap};
use erl_pp::{Branch, Conditional, Event, IncludeKind, MacroCall, Origin, SourceId, SourceSpan, SourceToken};
use erl_tokenize::{Keyword, Symbol, TokenKind};
use rustc_hash::FxHashMap;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::{Source, Span};

/// The deepest nesting of included files.
pub(super) const MAX_INCLUDES: usize = 32;

/// The largest number of tokens of a file with its includes and macros.
pub(super) const MAX_TOKENS: usize = 2_000_000;

const TOO_LARGE: &str = "macros expand to too many tokens";

/// The release of OTP whose language is read, the value of `?OTP_RELEASE`.
const OTP_RELEASE: u32 = 28;

/// The tokens of a file, form by form.
pub(super) struct Preprocessed {
    pub(super) forms: Vec<TokenForm>,
}

/// The tokens of a form, without its full stop.
pub(super) struct TokenForm {
    pub(super) lexemes: Vec<Lexeme>,
    /// The position of the full stop.
    pub(super) end: Span,
    /// An error was reported already, so that the grammar's would only repeat it.
    pub(super) is_broken: bool,
}

/// Reads a file and all that it includes.
pub(super) fn preprocess(
    source: Source,
    sources: &mut SourceMap,
    options: &Options<'_>,
    report: &mut Report,
) -> Preprocessed {
    let mut files = Files::default();
    let main = scan(source, sources, &mut files, report);
    let seed = scan(seed(options), sources, &mut files, report);
    let mut driver = Driver {
        machine: erl_pp::Preprocessor::new([seed, main]),
        sources,
        files,
        bases: FxHashMap::default(),
        options,
        report,
        names: Names::default(),
        forms: Vec::new(),
        lexemes: Vec::new(),
        is_broken: false,
        module: None,
        has_maybe: true,
        defined: FxHashMap::default(),
        graph: MacroGraph::default(),
        token_count: 0,
        here: Span::new(0, 0),
    };
    driver.run();
    Preprocessed { forms: driver.forms }
}

/// The macros that are there from the beginning.
fn seed(options: &Options<'_>) -> Source {
    let mut text = format!("-define(MACHINE, 'BEAM').\n-define(OTP_RELEASE, {OTP_RELEASE}).\n");
    for (name, value) in &options.defines {
        text.push_str(&format!("-define({name}, {value}).\n"));
    }
    Source::new("<command line>", text)
}

/// The files that were read.
#[derive(Default)]
pub(super) struct Files {
    /// The offset of each file's first byte, by the address of its text.
    pub(super) bases: FxHashMap<usize, usize>,
    /// The offsets of bad tokens.
    pub(super) errors: Vec<usize>,
}

struct Driver<'a> {
    machine: erl_pp::Preprocessor,
    sources: &'a mut SourceMap,
    files: Files,
    /// The same by the machine's identifiers; expansions have none.
    bases: FxHashMap<SourceId, Option<usize>>,
    options: &'a Options<'a>,
    report: &'a mut Report,
    names: Names,
    forms: Vec<TokenForm>,
    /// The tokens of the form that is being read.
    lexemes: Vec<Lexeme>,
    is_broken: bool,
    /// The module's name once `-module` is read.
    module: Option<Name>,
    /// Are `maybe` and `else` reserved?
    has_maybe: bool,
    /// The macros with the positions of their definitions.
    defined: FxHashMap<(String, Option<usize>), Span>,
    graph: MacroGraph,
    token_count: usize,
    /// The position of the last token.
    here: Span,
}

impl Driver<'_> {
    fn run(&mut self) {
        // The only error is a step while the machine waits for an answer, and each wait is answered at once.
        while let Ok(event) = self.machine.step() {
            match event {
                Event::Token(token) => {
                    self.token_count += cost(token.origin());
                    if self.token_count > MAX_TOKENS {
                        return self.error("erlang::macro", TOO_LARGE, self.here);
                    }
                    self.token(&token);
                }
                Event::AwaitingInclude(directive) => self.include(&directive),
                Event::AwaitingConditional(conditional) => self.conditional(conditional),
                Event::AwaitingMacroExpansion(call) => self.expand(&call),
                Event::Diagnostic(diagnostic) => self.user_diagnostic(&diagnostic),
                Event::PreprocessError(error) => self.preprocess_error(&error),
                Event::MacroDefined(definition) => {
                    if self.graph.define(&definition, MAX_TOKENS) {
                        let span = self.place_of(definition.name_span);
                        return self.error("erlang::macro", TOO_LARGE, span);
                    }
                    self.defined(definition);
                }
                Event::MacroUndefined(undefined) => {
                    self.graph.undefine(undefined.name.as_str());
                    self.defined.retain(|(name, _), _| name != undefined.name.as_str());
                }
                Event::BranchBoundary(_) => {}
                Event::Complete => break,
            }
        }
        if !self.lexemes.is_empty() && self.files.errors.is_empty() {
            let message = "the last form has no full stop";
            let error = Diagnostic::error("erlang::syntax", message, self.here, "the file ends here");
            self.report.add(error.help("a form ends with `.` and a blank or a new line"));
        }
    }

    fn token(&mut self, token: &SourceToken) {
        let span = self.place(token.source_span(), token.origin());
        self.here = span;
        if token.token().kind() == TokenKind::Symbol(Symbol::Dot) && is_full_stop(token) {
            return self.end_of_form(span);
        }
        let Some(mut lexeme) = self.names.token(token.value(), token.text()) else { return };
        if let Token::Keyword(keyword @ (Keyword::Maybe | Keyword::Else)) = lexeme
            && !self.has_maybe
        {
            lexeme = Token::Atom(keyword.as_str().into());
        }
        self.lexemes.push(Lexeme { token: lexeme, span });
    }

    fn end_of_form(&mut self, end: Span) {
        let lexemes = std::mem::take(&mut self.lexemes);
        let tokens: Vec<&Token> = lexemes.iter().take(7).map(|lexeme| &lexeme.token).collect();
        if let [Token::Symbol(Symbol::Hyphen), Token::Atom(name), _, Token::Atom(value), rest @ ..] =
            &tokens[..]
        {
            match (&**name, &**value, rest) {
                ("module", _, _) => self.module = Some(value.clone()),
                ("feature", "maybe_expr", [_, Token::Atom(state), ..]) => {
                    self.has_maybe = &**state == "enable";
                }
                _ => {}
            }
        }
        let start = lexemes.first().map_or(end.start, |lexeme| lexeme.span.start);
        let has_bad_token = self.files.errors.iter().any(|error| (start..end.end).contains(error));
        let is_broken = std::mem::take(&mut self.is_broken) || has_bad_token;
        self.forms.push(TokenForm { lexemes, end, is_broken });
    }

    /// The position of a token: where it is written, or the outermost call of the macro that it comes from.
    fn place(&mut self, written: SourceSpan, origin: &Origin) -> Span {
        let mut place = written;
        let mut origin = origin;
        loop {
            origin = match origin {
                Origin::Source | Origin::Include { .. } => break,
                Origin::MacroArgument { parent, .. } => parent,
                Origin::MacroBody { parent, call_site, .. }
                | Origin::Stringification { parent, call_site, .. }
                | Origin::SourceInfo { parent, call_site, .. }
                | Origin::CallerExpansion { parent, call_site, .. } => {
                    place = *call_site;
                    parent
                }
            };
        }
        self.span(place).unwrap_or(self.here)
    }

    /// A position in a file; expansions have none.
    fn span(&mut self, span: SourceSpan) -> Option<Span> {
        let (machine, files) = (&self.machine, &self.files);
        let base = *self.bases.entry(span.source_id).or_insert_with(|| {
            let address = machine.sources().get(span.source_id).text().as_ptr().addr();
            files.bases.get(&address).copied()
        });
        base.map(|base| Span::new(base + span.start.offset(), base + span.end.offset()))
    }

    fn place_of(&mut self, span: SourceSpan) -> Span {
        self.span(span).unwrap_or(self.here)
    }

    fn error(&mut self, code: &'static str, message: impl Into<String>, span: Span) {
        self.report.add(Diagnostic::error(code, message, span, ""));
    }

    fn include(&mut self, directive: &erl_pp::IncludeDirective) {
        let span = self.place_of(directive.directive_span);
        let include = Include {
            path: directive.path.as_str().to_owned(),
            is_lib: directive.kind == IncludeKind::IncludeLib,
            from: self.sources.file(span).0.name.clone(),
        };
        let found = if include_depth(&directive.parent_origin) >= MAX_INCLUDES {
            Err(format!("files include each other more than {MAX_INCLUDES} deep"))
        } else {
            (self.options.find_include)(&include)
        };
        let source = match found {
            Ok(source) => scan(source, self.sources, &mut self.files, self.report),
            Err(why) => {
                let message = format!("cannot include `{}`", include.path);
                self.report.add(Diagnostic::error("erlang::include", message, span, why));
                empty_source()
            }
        };
        self.machine.resume_include(source).expect("the machine waits for an include");
    }

    fn conditional(&mut self, conditional: Conditional) {
        let branch = match conditional {
            Conditional::Ifdef(test) | Conditional::Ifndef(test) => test.recommended,
            Conditional::If(test) | Conditional::Elif(test) => self.evaluate(&test),
        };
        self.machine.resume_conditional(branch).expect("the machine waits for a branch");
    }

    fn evaluate(&mut self, test: &erl_pp::ExpressionConditional) -> Branch {
        let end = self.place_of(test.directive_span);
        let mut lexemes = Vec::new();
        for token in &test.condition_tokens {
            let span = self.place(token.source_span(), token.origin());
            if let Some(token) = self.names.token(token.value(), token.text()) {
                lexemes.push(Lexeme { token, span });
            }
        }
        let macros = self.machine.macros();
        let condition = Parser::new(&lexemes, end).whole_expression();
        match condition.and_then(|condition| is_true(&condition, &|name| macros.is_defined(name))) {
            Ok(true) => Branch::Then,
            Ok(false) => Branch::Else,
            Err(error) => {
                self.report.add(*error);
                Branch::Else
            }
        }
    }

    /// `epp` refuses a second definition, which would leave it open which of the two is meant.
    fn defined(&mut self, definition: erl_pp::MacroDefinition) {
        let span = self.place_of(definition.name_span);
        let message = format!("the macro `?{}` is defined already", definition.name);
        if let Some(first) = self.defined.insert((definition.name, definition.arity), span) {
            let error =
                Diagnostic::error("erlang::macro", message, span, "").context(first, "defined here first");
            self.report.add(error.help("`-ifndef` before a definition keeps the first, `-undef` the second"));
        }
    }

    /// Macros that `erl_pp` does not know.
    fn expand(&mut self, call: &MacroCall) {
        let value = match (call.name.as_str(), call.arity) {
            ("FEATURE_AVAILABLE" | "FEATURE_ENABLED", Some(1)) => {
                let name = argument_text(&call.arguments[0]);
                Some((name.trim() == "maybe_expr" && self.has_maybe).to_string())
            }
            // A macro without parameters leaves what looks like its arguments alone.
            (name, arguments) => self.value_here(name).map(|value| match arguments {
                None => value,
                Some(_) => {
                    let arguments: Vec<String> =
                        call.arguments.iter().map(|argument| argument_text(argument)).collect();
                    format!("{value}({})", arguments.join(","))
                }
            }),
        };
        let text = value.unwrap_or_else(|| {
            self.undefined_macro(call);
            "undefined".to_owned()
        });
        let source = erl_pp::Source::from_text("<macro>", text).unwrap_or_else(|_| empty_source());
        self.machine.resume_macro_expansion(source).expect("the machine waits for an expansion");
    }

    /// The value of a macro that depends on the module and the function.
    fn value_here(&self, name: &str) -> Option<String> {
        match name {
            "MODULE" => self.module.as_ref().map(|name| atom_text(name)),
            "MODULE_STRING" => self.module.as_ref().map(|name| string_text(name)),
            "FUNCTION_NAME" => self.function().map(|(name, _)| atom_text(&name)),
            "FUNCTION_ARITY" => self.function().map(|(_, arity)| arity.to_string()),
            _ => None,
        }
    }

    fn undefined_macro(&mut self, call: &MacroCall) {
        let span = self.span(call.call_site).unwrap_or(self.here);
        let name = call.name.as_str();
        self.is_broken = true;
        let error =
            Diagnostic::error("erlang::macro", format!("the macro `?{name}` is not defined here"), span, "");
        let mut known: Vec<&str> = self.machine.macros().iter().map(|known| known.name.as_str()).collect();
        known.sort_unstable();
        let help = match crate::syntax::suggest::nearest(name, known) {
            Some(near) => format!("did you mean `?{near}`?"),
            None => format!("define it: `-define({name}, …).`, or `--set {name}=…`"),
        };
        self.report.add(error.help(help));
    }

    /// The function whose clause is being read, by its tokens so far.
    fn function(&self) -> Option<(Name, usize)> {
        let mut tokens = self.lexemes.iter().map(|lexeme| &lexeme.token);
        let Some(Token::Atom(name)) = tokens.next() else { return None };
        let (mut depth, mut arity, mut is_empty) = (0_usize, 1, true);
        for token in tokens {
            match token {
                Token::Symbol(Symbol::OpenParen | Symbol::OpenBrace | Symbol::OpenSquare) => depth += 1,
                Token::Symbol(Symbol::DoubleLeftAngle) => depth += 1,
                Token::Symbol(Symbol::CloseParen) if depth == 1 => {
                    return Some((name.clone(), if is_empty { 0 } else { arity }));
                }
                Token::Symbol(Symbol::CloseParen | Symbol::CloseBrace | Symbol::CloseSquare) => depth -= 1,
                Token::Symbol(Symbol::DoubleRightAngle) => depth = depth.saturating_sub(1),
                Token::Symbol(Symbol::Comma) if depth == 1 => arity += 1,
                _ => is_empty = false,
            }
            if depth == 0 {
                return None;
            }
            is_empty &= depth == 1;
        }
        None
    }

    /// `-error(…)` and `-warning(…)` of the text.
    fn user_diagnostic(&mut self, diagnostic: &erl_pp::Diagnostic) {
        let span = self.place_of(diagnostic.directive_span);
        let text = self.place_of(diagnostic.arg_span);
        let text = self.sources.text(text);
        let message = if diagnostic.severity == erl_pp::Severity::Error {
            Diagnostic::error("erlang::error", format!("-error({text})"), span, "")
        } else {
            Diagnostic::warning("erlang::warning", format!("-warning({text})"), span, "")
        };
        self.report.add(message);
    }

    fn preprocess_error(&mut self, error: &erl_pp::PreprocessError) {
        let span = self.place_of(error.span());
        self.is_broken = true;
        self.error("erlang::macro", super::macro_error::sentence(error), span);
    }
}

/// Is the full stop followed by a blank, a comment or the end of the text?
fn is_full_stop(token: &SourceToken) -> bool {
    let text = &token.source().text()[token.token().end().offset()..];
    text.chars().next().is_none_or(|c| c.is_whitespace() || c == '%')
}

/// What a token counts: in arguments of macros inside of arguments, expansion takes longer for each level.
fn cost(origin: &Origin) -> usize {
    let mut depth = 0_usize;
    let mut origin = origin;
    loop {
        origin = match origin {
            Origin::Source | Origin::Include { .. } => return 1 << (depth / 4).min(10),
            Origin::MacroArgument { parent, .. } => {
                depth += 1;
                parent
            }
            Origin::MacroBody { parent, .. }
            | Origin::Stringification { parent, .. }
            | Origin::SourceInfo { parent, .. }
            | Origin::CallerExpansion { parent, .. } => parent,
        };
    }
}

fn include_depth(origin: &Origin) -> usize {
    let mut depth = 0;
    let mut origin = origin;
    while let Origin::Include { parent, .. } = origin {
        depth += 1;
        origin = parent;
    }
    depth
}

fn argument_text(argument: &[SourceToken]) -> String {
    argument.iter().map(SourceToken::text).collect()
}

fn empty_source() -> erl_pp::Source {
    erl_pp::Source::new("<nothing>", "", Vec::new())
}
