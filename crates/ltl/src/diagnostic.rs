//! Messages that point, explain and offer.
//!
//! One type for every error and warning of the toolkit about a text: a code for reference, one sentence, the
//! positions, and offers of what to do next. Parsers return the parsed part *and* their diagnostics; this
//! module never prints. The layout is rustc's, by its own renderer (`annotate-snippets`).
//!
//! Promise: rendering never panics, whatever the spans, and a line of any length is cut to a screen's width.
//! No character of the text reaches the terminal as a control sequence.

use crate::source::{Source, Span};
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// Whether the input can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; the result stands.
    Warning,
    /// The input cannot be used as it is.
    Error,
}

/// One error or warning about a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// A stable name, `ltl::unknown-operator`, say.
    pub code: &'static str,
    /// One sentence, without a full stop.
    pub message: String,
    /// The position of the mistake, and a label below it.
    pub primary: (Span, String),
    /// Further positions that explain it, each with a label.
    pub context: Vec<(Span, String)>,
    /// What to do next, each a sentence.
    pub help: Vec<String>,
    /// The text that the positions are in, if it is not the one that was read: an included file.
    pub elsewhere: Option<Arc<Source>>,
}

impl Diagnostic {
    /// An error at `span`; `label` is shown below that position and may be empty.
    pub fn error(
        code: &'static str,
        message: impl Into<String>,
        span: Span,
        label: impl Into<String>,
    ) -> Self {
        Diagnostic {
            severity: Severity::Error,
            code,
            message: message.into(),
            primary: (span, label.into()),
            context: Vec::new(),
            help: Vec::new(),
            elsewhere: None,
        }
    }

    /// A warning at `span`.
    pub fn warning(
        code: &'static str,
        message: impl Into<String>,
        span: Span,
        label: impl Into<String>,
    ) -> Self {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, message, span, label) }
    }

    /// Adds a position that explains the mistake.
    #[must_use]
    pub fn context(mut self, span: Span, label: impl Into<String>) -> Self {
        self.context.push((span, label.into()));
        self
    }

    /// Adds a sentence that says what to do next.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// The same about another text than the one that was read.
    #[must_use]
    pub fn elsewhere(mut self, source: Arc<Source>) -> Self {
        self.elsewhere = Some(source);
        self
    }

    /// The message with its position, as plain text or with terminal colours.
    pub fn render(&self, source: &Source, colours: bool) -> String {
        let source = self.elsewhere.as_deref().unwrap_or(source);
        let level = match self.severity {
            Severity::Warning => Level::WARNING,
            Severity::Error => Level::ERROR,
        };
        let annotate = |kind: AnnotationKind, span: Span, label: &str| {
            let annotation = kind.span(on_boundaries(&source.text, span).range());
            if label.is_empty() { annotation } else { annotation.label(visible(label).into_owned()) }
        };
        let mut snippet = Snippet::source(visible_source(&source.text))
            .path(visible(&source.name))
            .annotation(annotate(AnnotationKind::Primary, self.primary.0, &self.primary.1));
        for (span, label) in &self.context {
            snippet = snippet.annotation(annotate(AnnotationKind::Context, *span, label));
        }
        let help = self.help.iter().map(|text| Level::HELP.message(visible(text)));
        let report =
            level.primary_title(visible(&self.message)).id(self.code).element(snippet).elements(help);
        let renderer = if colours { Renderer::styled() } else { Renderer::plain() };
        renderer.render(&[report])
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = if self.severity == Severity::Error { "error" } else { "warning" };
        write!(f, "{severity}[{}]: {}", self.code, self.message)
    }
}

impl std::error::Error for Diagnostic {}

/// The source with a dot for each control character that the renderer would print; the renderer replaces all
/// others.
///
/// A dot takes two bytes, as each of these characters does, so that every span stays valid.
fn visible_source(text: &str) -> Cow<'_, str> {
    dotted(text, |c| matches!(c, '\u{80}'..='\u{9f}'))
}

/// A sentence with a dot for each control character.
fn visible(text: &str) -> Cow<'_, str> {
    dotted(text, |c| c.is_control() && c != '\n')
}

fn dotted(text: &str, hidden: impl Fn(char) -> bool + Copy) -> Cow<'_, str> {
    if text.contains(hidden) { text.replace(hidden, "\u{b7}").into() } else { text.into() }
}

/// The span, clipped to the text and to borders of characters.
fn on_boundaries(text: &str, span: Span) -> Span {
    let floor = |mut offset: usize| {
        offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    };
    let start = floor(span.start);
    Span { start, end: floor(span.end).max(start) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn an_error_shows_code_position_label_and_help() {
        let source = Source::new("mutex.ltl", "// spec\nG !(crit0 & crit1)");
        let error = Diagnostic::error(
            "ltl::unknown-atom",
            "`crit1` is not a label of this program",
            Span::new(20, 25),
            "no process defines it",
        )
        .help("`mutex.par` defines `crit_1`");
        expect![[r#"
            error[ltl::unknown-atom]: `crit1` is not a label of this program
             --> mutex.ltl:2:13
              |
            2 | G !(crit0 & crit1)
              |             ^^^^^ no process defines it
              |
              = help: `mutex.par` defines `crit_1`"#]]
        .assert_eq(&error.render(&source, false));
    }

    #[test]
    fn a_message_about_another_text_names_it() {
        let main = Source::new("main.erl", "-include(\"lock.hrl\").");
        let included = Arc::new(Source::new("lock.hrl", "-record(lock, {owner}"));
        let error =
            Diagnostic::error("x", "the record does not end", Span::new(20, 21), "").elsewhere(included);
        expect![[r#"
            error[x]: the record does not end
             --> lock.hrl:1:21
              |
            1 | -record(lock, {owner}
              |                     ^"#]]
        .assert_eq(&error.render(&main, false));
    }

    #[test]
    fn spans_outside_the_text_are_clipped() {
        let source = Source::new("f", "é");
        for (start, end) in [(0, 1), (1, 2), (2, 2), (7, 9)] {
            let text = Diagnostic::error("x", "m", Span::new(start, end), "here").render(&source, false);
            assert!(text.contains("here"), "{text}");
        }
    }

    #[test]
    fn control_characters_never_reach_the_terminal() {
        let source = Source::new("f\u{9b}", "\u{1b}[31m\u{9b}31m\0p");
        let error = Diagnostic::error("x", "a\u{9b}b\u{1b}", Span::new(10, 11), "c\u{9b}\u{1b}")
            .help("d\u{9b}\u{1b}");
        let text = error.render(&source, false);
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    }

    #[test]
    fn a_very_long_line_is_cut() {
        let source = Source::new("f", "(".repeat(100_000));
        let text = Diagnostic::error("x", "m", Span::new(50_000, 50_001), "here").render(&source, false);
        assert!(text.len() < 2_000, "{} characters", text.len());
    }
}
