//! The messages about text that is no formula.
//!
//! Each function builds one kind of message from a span and its text; the parser decides when to report it.
//! The tables here contain the words of other notations, so that the message on `always p` or `AG p` shows
//! Selvedge's notation. `tests/it/messages.rs` pins the messages.

use super::parse::MAX_DEPTH;
use super::print;
use super::token::{self, Token};
use crate::diagnostic::Diagnostic;
use crate::formula::{Binary, Unary};
use crate::source::Span;

/// The text has only white space and comments.
pub(super) fn empty(span: Span) -> Diagnostic {
    Diagnostic::error("ltl::expected-formula", "the formula is empty", span, "nothing is written here")
        .help("write `true` for the formula that always holds")
}

/// `found` stands in the position of a formula; it is empty at the end of the text. `operator` lacks that
/// formula. `quoted` is how `found` is written as a proposition.
pub(super) fn missing_operand(found: &str, span: Span, operator: Option<Span>, quoted: &str) -> Diagnostic {
    let (found_text, label) = match found {
        "" => ("the end".to_owned(), "something is missing here".to_owned()),
        ")" => ("`)`".to_owned(), "something is missing before this".to_owned()),
        _ => (format!("`{found}`"), format!("`{found}` needs a formula before it")),
    };
    let message = format!("expected a formula, found {found_text}");
    let mut diagnostic = Diagnostic::error("ltl::expected-formula", message, span, label);
    if let Some(operator) = operator {
        diagnostic = diagnostic.context(operator, "this operator needs a formula after it");
    }
    if token::word(found).is_empty() {
        return diagnostic;
    }
    diagnostic.help(format!("a proposition of that name is written {quoted}"))
}

/// `found` stands in the position of an operator.
pub(super) fn missing_operator(found: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        "ltl::expected-operator",
        format!("expected an operator, found `{found}`"),
        span,
        "two formulas need an operator between them",
    )
    .help("the operators are `&`, `|`, `->`, `<->`, `U`, `R`, `W`, `M`, `S`, `T`")
}

/// A word of another notation; `meant` is Selvedge's spelling.
pub(super) fn foreign_word(word: &str, span: Span, meant: &str) -> Diagnostic {
    let message = format!("`{word}` is not an operator here");
    Diagnostic::error("ltl::expected-operator", message, span, format!("write `{meant}`"))
}

/// `AG` and the other operators of CTL, which quantify over the runs from a state.
pub(super) fn path_quantifier(word: &str, span: Span) -> Diagnostic {
    let message = format!("`{word}` is an operator of CTL, not of LTL");
    let help = if let Some(operator) = word.strip_prefix('E') {
        let meant = format!("{operator} p");
        let meant = meant.trim();
        format!(
            "LTL speaks of every run; to find one with `{meant}`, check `!{meant}`: its counterexample is that run"
        )
    } else {
        "a formula of LTL speaks of every run by itself: leave out the `A`".to_owned()
    };
    Diagnostic::error("ltl::path-quantifier", message, span, "quantifies over runs").help(help)
}

/// Characters that occur in no formula, or a number in the position of a formula.
pub(super) fn unexpected(found: &str, span: Span) -> Diagnostic {
    if found.starts_with(|c: char| c.is_ascii_digit()) {
        return number(found, span);
    }
    let printable = |c: char| matches!(c, '\'' | '"' | '\\');
    let escaped: String = found
        .chars()
        .map(|c| if printable(c) { c.to_string() } else { c.escape_debug().to_string() })
        .collect();
    let message = format!("`{escaped}` means nothing here");
    let known = FOREIGN_SIGNS.iter().find(|(signs, _)| signs.contains(found));
    let help = known.map_or("a proposition with such characters is written in quotes", |(_, help)| help);
    Diagnostic::error("ltl::unexpected-character", message, span, "").help(help)
}

fn number(found: &str, span: Span) -> Diagnostic {
    let code = "ltl::unexpected-number";
    if found.bytes().all(|byte| byte.is_ascii_digit()) {
        return Diagnostic::error(code, format!("`{found}` is a number, not a formula"), span, "")
            .help(format!("compare it with something, as in `x = {found}`"));
    }
    Diagnostic::error(code, format!("`{found}` is not a name"), span, "begins with a digit")
        .help(format!("as a proposition it is written \"{found}\", in quotes"))
}

/// Signs of other notations, each with its help text.
const FOREIGN_SIGNS: &[(&str, &str)] = &[
    (";,.", "a formula ends without a sign; to ask for two at once, write `&` between them"),
    ("=≤≥≠<>", "comparisons stand between names and numbers, as in `x <= 3`; for equivalence write `<->`"),
    ("'`“”‘’«»", "a text is put between `\"` and `\"`"),
    ("^⊕", "for either `p` or `q` but not both, write `!(p <-> q)`"),
    ("⇒⟶⟹⊃", "implication is written `->`"),
    ("⇔⟷⟺≡", "equivalence is written `<->`"),
    ("]}", "formulas are grouped by `(` and `)`"),
    ("[", "formulas are grouped by `(` and `)`; always is written `[]` or `G`"),
    ("\\/", "and is written `/\\` or `&`; or is written `\\/` or `|`; a comment begins with `//`"),
    ("-", "implication is written `->`"),
];

/// Unclosed parentheses, in the order of the text.
pub(super) fn unclosed(spans: &[Span]) -> Option<Diagnostic> {
    const SHOWN: usize = 3;
    let (first, others) = spans.split_first()?;
    let message = match others.len() {
        0 => "`(` is never closed".to_owned(),
        more => format!("{} parentheses are never closed", more + 1),
    };
    let error = Diagnostic::error("ltl::unclosed-parenthesis", message, *first, "opened here");
    let error = others.iter().take(SHOWN).fold(error, |error, span| error.context(*span, "and here"));
    Some(error.help("write `)` where the group ends"))
}

/// A parenthesis that closes nothing.
pub(super) fn unmatched(span: Span) -> Diagnostic {
    Diagnostic::error("ltl::unmatched-parenthesis", "`)` without `(`", span, "nothing is open here")
        .help("remove it, or write `(` where the group begins")
}

/// The nesting exceeds [`MAX_DEPTH`].
pub(super) fn too_deep(span: Span) -> Diagnostic {
    let message = format!("the formula is nested more than {MAX_DEPTH} deep");
    Diagnostic::error("ltl::too-deep", message, span, "this goes too far")
        .help("split it into several formulas")
}

/// Is this word, with `next` after it, a prefix operator of another notation?
pub(super) fn is_prefix(word: &str, next: &str) -> bool {
    let temporal = || matches!(token::operator(next), Some((Token::Unary(_) | Token::Glued, _)));
    prefix(word).is_some() || (matches!(word, "A" | "E") && temporal())
}

/// The prefix operator that this word denotes in another notation.
pub(super) fn prefix(word: &str) -> Option<Unary> {
    match word {
        "AG" | "EG" => return Some(Unary::Always),
        "AF" | "EF" => return Some(Unary::Eventually),
        "AX" | "EX" => return Some(Unary::Next),
        _ => {}
    }
    Some(match word.to_ascii_lowercase().as_str() {
        "always" | "globally" | "henceforth" => Unary::Always,
        "eventually" | "finally" | "sometime" => Unary::Eventually,
        "next" => Unary::Next,
        "previous" | "previously" | "yesterday" => Unary::Previous,
        "once" => Unary::Once,
        "historically" => Unary::Historically,
        "not" => Unary::Not,
        _ => return None,
    })
}

/// The infix operator that this word denotes in another notation.
pub(super) fn infix(word: &str) -> Option<Binary> {
    Some(match word.to_ascii_lowercase().as_str() {
        "until" | "uu" => Binary::Until,
        "release" | "releases" => Binary::Release,
        "unless" | "weakuntil" | "weak_until" => Binary::WeakUntil,
        "since" => Binary::Since,
        "triggered" => Binary::Triggered,
        "and" => Binary::And,
        "or" => Binary::Or,
        "implies" => Binary::Implies,
        "iff" | "equiv" => Binary::Iff,
        _ => return None,
    })
}

/// The message for such a word in prefix or infix position.
pub(super) fn foreign(word: &str, span: Span) -> Diagnostic {
    let meant = prefix(word).map(print::unary).or_else(|| infix(word).map(print::binary));
    match meant {
        Some(meant) if !is_quantified(word) => foreign_word(word, span, meant),
        _ => path_quantifier(word, span),
    }
}

/// The message for a word that is an operator in another notation: `Always`, `AG`. For front ends whose
/// propositions are never such words.
pub fn foreign_operator(word: &str, span: Span) -> Option<Diagnostic> {
    (prefix(word).is_some() || infix(word).is_some()).then(|| foreign(word, span))
}

/// Is it an operator of CTL, a quantifier with a temporal operator?
pub(super) fn is_quantified(word: &str) -> bool {
    matches!(word, "AG" | "AF" | "AX" | "EG" | "EF" | "EX")
}
