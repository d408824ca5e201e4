//! The messages about text that is no term and no quantifier.
//!
//! Each function builds one kind of message from its place; the readers decide when to report it.

use super::proposition::MAX_PID;
use super::quantifier::Bound;
use super::reader::is_name_in_logic;
use super::token::Token;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;

/// Something else stands in the position of a term.
pub(super) fn expected_term(found: &Token<'_>, span: Span, text: &str) -> Diagnostic {
    let (message, label) = match found {
        Token::End => ("expected a term, found the end".to_owned(), "a term is missing here"),
        Token::Bad => return bad_literal(span, text),
        _ => (format!("expected a term, found `{}`", &text[span.range()]), ""),
    };
    let diagnostic = Diagnostic::error("erlang::term", message, span, label);
    match found {
        Token::Sign("(") => diagnostic.help("formulas are grouped by parentheses, terms are not"),
        Token::Other('#') => diagnostic.help(
            "a record is written as the tuple that it is, `{name,field}`; a map is written `#{key => value}`",
        ),
        Token::Other(c) if c.is_alphabetic() => {
            diagnostic.help("an atom that begins with such a letter is written in single quotes")
        }
        _ => diagnostic.help("a term is written as in Erlang: `done`, `42`, `{value,@1}`, `[a,b]`"),
    }
}

/// Something else stands in the position of a name behind `&`.
pub(super) fn expected_name(found: &Token<'_>, span: Span, text: &str) -> Diagnostic {
    let message = format!("expected a name, found {}", shown(found, span, text));
    Diagnostic::error("erlang::term", message, span, "")
        .help("inside of a term, `&` joins the names of abstract values: `even&pos`")
}

/// A quotation without its end, or a number that is none.
fn bad_literal(span: Span, text: &str) -> Diagnostic {
    let code = "erlang::token";
    match text[span.range()].chars().next() {
        Some(quote @ ('\'' | '"')) => {
            Diagnostic::error(code, "this quotation is not well formed", span, "opened here")
                .help(format!("close it with `{quote}`; inside, write `\\{quote}` for the sign and `\\\\` for a backslash"))
        }
        Some('$') => Diagnostic::error(code, "a character has to follow `$`", span, ""),
        _ => Diagnostic::error(code, "this number is not well formed", span, "")
            .help("`16#ff` has a base from 2 to 36, and digits of it; `1.5e3` has digits on both sides of the full stop"),
    }
}

/// A bracket that is not closed where it should be.
pub(super) fn expected_close(
    open: Span,
    found: &Token<'_>,
    span: Span,
    close: &str,
    text: &str,
) -> Diagnostic {
    if *found == Token::Bad {
        return bad_literal(span, text);
    }
    let opening = &text[open.range()];
    if *found == Token::End {
        let message = format!("`{opening}` is never closed");
        return Diagnostic::error("erlang::term", message, open, "opened here")
            .help(format!("write `{close}` where it ends"));
    }
    let message = format!("expected `{close}`, found `{}`", &text[span.range()]);
    let diagnostic = Diagnostic::error("erlang::term", message, span, "").context(open, "opened here");
    if *found == Token::Sign("(") {
        return diagnostic.help("a formula has no calls: a proposition is a value");
    }
    diagnostic
}

/// A word in capitals that no quantifier binds.
pub(super) fn variable(word: &str, span: Span, is_inside_term: bool) -> Diagnostic {
    let message = format!("`{word}` is a variable, which nothing binds here");
    let mut diagnostic = Diagnostic::error("erlang::variable", message, span, "not bound");
    if word.starts_with('_') {
        return diagnostic.help("a proposition is one term; under a domain, any value is written `?`");
    }
    if is_inside_term && !is_name_in_logic(word) {
        diagnostic = diagnostic.help("operators of the logic stand between terms, not inside of them");
    }
    diagnostic.help(format!(
        "the atom is written `'{word}'`; a process is named by its number, `@1`, or by `forall i:`"
    ))
}

/// A reserved word of Erlang.
pub(super) fn reserved(word: &str, span: Span) -> Diagnostic {
    Diagnostic::error("erlang::term", format!("`{word}` is a reserved word of Erlang"), span, "")
        .help(format!("the atom is written `'{word}'`"))
}

/// `f(x)`
pub(super) fn call(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("erlang::term", format!("`{name}(…)` is a call, not a term"), span, "").help(format!(
        "a tuple is written `{{{name},…}}`; the term of a call of `prop/1` is written `prop(…)`"
    ))
}

/// `@` without a number.
pub(super) fn expected_pid(span: Span, variable: Option<&str>) -> Diagnostic {
    let diagnostic = Diagnostic::error("erlang::pid", "`@` has the number of a process behind it", span, "");
    match variable {
        Some(variable) => {
            diagnostic.help(format!("the variable stands for the process alone: write `{variable}`"))
        }
        None => diagnostic.help("`@0` is the initial process; others count up as they are spawned"),
    }
}

/// A process that cannot be.
pub(super) fn large_pid(span: Span) -> Diagnostic {
    let message = format!("there are at most {} processes", usize::from(MAX_PID) + 1);
    Diagnostic::error("erlang::pid", message, span, format!("the last one is `@{MAX_PID}`"))
}

/// `<x`, or `1..x`
pub(super) fn expected_integer(span: Span, before: Span) -> Diagnostic {
    Diagnostic::error("erlang::term", "expected an integer", span, "").context(before, "behind this").help(
        "`<0` and `1..5` are names of abstract values; another name is written in quotes, behind a question mark: `?\"name\"`",
    )
}

/// `a = b`
pub(super) fn comparison(sign: Span, left: &str, right: &str, text: &str) -> Diagnostic {
    let message = format!("a proposition is a term, and `{}` compares", &text[sign.range()]);
    Diagnostic::error("erlang::comparison", message, sign, "").help(format!(
        "a proposition is what the program calls `prop/1` with: let it be a tuple, as in `{{{left},{right}}}`"
    ))
}

/// A number that a binary cannot have.
pub(super) fn byte(span: Span) -> Diagnostic {
    Diagnostic::error(
        "erlang::term",
        "a binary is made of bytes, from 0 to 255, and strings of them",
        span,
        "",
    )
}

/// Terms that are nested too deeply.
pub(super) fn deep_term(span: Span, most: usize) -> Diagnostic {
    let message = format!("terms are inside of one another more than {most} deep");
    Diagnostic::error("erlang::too-deep", message, span, "this goes too far")
}

/// Quantifiers that are nested too deeply, or a formula inside of one that is.
pub(super) fn deep_quantifier(span: Span, most: usize) -> Diagnostic {
    let message = format!("quantifiers and the formulas in them are nested more than {most} deep");
    Diagnostic::error("erlang::too-deep", message, span, "this goes too far")
}

/// Something else stands in the position of a quantifier's variable.
pub(super) fn expected_variable(quantifier: &str, found: &Token<'_>, span: Span, text: &str) -> Diagnostic {
    let message = format!("expected a variable of `{quantifier}`, found {}", shown(found, span, text));
    Diagnostic::error("erlang::quantifier", message, span, "").help(shape(quantifier))
}

/// Something else stands behind the variables of a quantifier.
pub(super) fn expected_colon(quantifier: &str, found: &Token<'_>, span: Span, text: &str) -> Diagnostic {
    let found_text = shown(found, span, text);
    let message = format!("expected `:` behind the variables of `{quantifier}`, found {found_text}");
    let diagnostic = Diagnostic::error("erlang::quantifier", message, span, "");
    if *found == Token::Word("in") {
        return diagnostic.help(format!("variables range over the processes: `{quantifier} i: …`"));
    }
    diagnostic.help(shape(quantifier))
}

/// A token as it reads in a message.
fn shown(found: &Token<'_>, span: Span, text: &str) -> String {
    if *found == Token::End { "the end".to_owned() } else { format!("`{}`", &text[span.range()]) }
}

fn shape(quantifier: &str) -> String {
    format!(
        "a quantifier is written `{quantifier} i: …`, `{quantifier} i, j: …` or `{quantifier} i /= j: …`; \
         the atom is written `'{quantifier}'`"
    )
}

/// A variable with the name of an operator, of `prop`, or of a reserved word.
pub(super) fn taken_name(word: &str, span: Span) -> Diagnostic {
    let message = format!("`{word}` cannot be a variable: it has a meaning of its own");
    Diagnostic::error("erlang::quantifier", message, span, "").help("use another name, `i` say")
}

/// A variable that is bound already.
pub(super) fn bound_twice(bound: &Bound, span: Span) -> Diagnostic {
    let message = format!("`{}` is bound already", bound.name);
    Diagnostic::error("erlang::quantifier", message, span, "bound again")
        .context(bound.span, "bound here")
        .help("use another name; to bind a variable for another process, write `j /= i`")
}

/// `i /= i`
pub(super) fn never_distinct(name: &str, span: Span) -> Diagnostic {
    let message = format!("`{name}` never differs from itself");
    Diagnostic::error("erlang::quantifier", message, span, "")
}

/// A quantifier of which all variables are bound already.
pub(super) fn binds_nothing(quantifier: &str, span: Span) -> Diagnostic {
    let message = format!("this `{quantifier}` binds no variable");
    Diagnostic::error("erlang::quantifier", message, span, "all of these are bound already")
}

/// An unfolded formula that is too large.
pub(super) fn too_large(span: Span, processes: usize, reason: &str) -> Diagnostic {
    let message =
        format!("over {processes} processes the quantifiers stand for a formula of more than {reason}");
    Diagnostic::error("erlang::too-large", message, span, "")
        .help("use fewer variables, or name processes by number")
}
