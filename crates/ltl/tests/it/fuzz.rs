//! Fuzzing of the two parsers, of formulas and of words, and of their messages.
//!
//! With bolero: under `cargo test` its inputs are random, and a failing input is shrunk;
//! `cargo bolero test <name>` runs the same targets with a coverage-guided engine. Each target interprets
//! its bytes in one of three ways: as the text itself, as a list of tokens, or as a list of edits of a valid
//! text.
//!
//! `SELVEDGE_FUZZ_SECONDS` sets the time for all targets together; the default is [`SECONDS`], in the long
//! run (`SELVEDGE_LONG=1`) [`LONG_SECONDS`]. `syntax.rs` has the smallest input of each bug that fuzzing
//! found; `BOLERO_RANDOM_SEED`, which a failure prints, runs its input again.

use selvedge_ltl::Alphabet;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::{Source, Span};
use selvedge_ltl::syntax::{MAX_DEPTH, MAX_DIAGNOSTICS, Names, parse, parse_range};
use selvedge_ltl::word::parse_word;
use selvedge_testkit::is_long_run;
use std::time::Duration;

/// The time for all targets together.
const SECONDS: f64 = 5.0;

/// The time for all targets together in the long run.
const LONG_SECONDS: f64 = 60.0;

/// The number of targets, which share the time.
const TARGETS: f64 = 6.0;

/// Short texts allow many runs and cover as much; repeated tokens make the long texts.
const MAX_BYTES: usize = 128;

#[test]
fn formulas_of_any_bytes() {
    bolero::check!()
        .with_test_time(target_time())
        .with_max_len(MAX_BYTES)
        .for_each(|bytes: &[u8]| check_formula(&String::from_utf8_lossy(bytes)));
}

#[test]
fn formulas_of_any_tokens() {
    bolero::check!()
        .with_test_time(target_time())
        .with_max_len(MAX_BYTES)
        .for_each(|bytes: &[u8]| check_formula(&token_text(bytes)));
}

#[test]
fn formulas_with_edits() {
    bolero::check!()
        .with_test_time(target_time())
        .with_max_len(MAX_EDIT_BYTES)
        .for_each(|bytes: &[u8]| check_formula(&edited(bytes, FORMULAS)));
}

#[test]
fn words_of_any_bytes() {
    bolero::check!()
        .with_test_time(target_time())
        .with_max_len(MAX_BYTES)
        .for_each(|bytes: &[u8]| check_word(&String::from_utf8_lossy(bytes)));
}

#[test]
fn words_of_any_tokens() {
    bolero::check!()
        .with_test_time(target_time())
        .with_max_len(MAX_BYTES)
        .for_each(|bytes: &[u8]| check_word(&token_text(bytes)));
}

#[test]
fn words_with_edits() {
    bolero::check!()
        .with_test_time(target_time())
        .with_max_len(MAX_EDIT_BYTES)
        .for_each(|bytes: &[u8]| check_word(&edited(bytes, WORDS)));
}

/// The time for one target.
fn target_time() -> Duration {
    let default = if is_long_run() { LONG_SECONDS } else { SECONDS };
    let seconds = std::env::var("SELVEDGE_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok());
    Duration::from_secs_f64(seconds.unwrap_or(default).max(0.0) / TARGETS)
}

/// The invariants of parsing any text as a formula.
fn check_formula(text: &str) {
    let whole = Span::new(0, text.len());
    let parsed = parse(text, &Names);
    check_diagnostics(text, whole, &parsed.diagnostics);
    assert!(parsed.formula.depth() <= MAX_DEPTH, "too deep a tree");
    // Even with errors, the result is a well-formed formula.
    let printed = parsed.formula.to_string();
    assert_eq!(parse(&printed, &Names).into_result().as_ref(), Ok(&parsed.formula), "printed as {printed}");
    check_part(text, part(text));
}

/// A part is parsed as if it stood alone, except for the spans.
fn check_part(text: &str, part: Span) {
    let inside = parse_range(text, part, &Names);
    inside.diagnostics.iter().for_each(|diagnostic| check_places(text, part, diagnostic));
    let alone = parse(&text[part.range()], &Names);
    assert_eq!(inside.formula, alone.formula);
    let moved = |span: Span| Span::new(span.start + part.start, span.end + part.start);
    let expected: Vec<Diagnostic> = alone
        .diagnostics
        .into_iter()
        .map(|mut diagnostic| {
            diagnostic.primary.0 = moved(diagnostic.primary.0);
            diagnostic.context.iter_mut().for_each(|(span, _)| *span = moved(*span));
            diagnostic
        })
        .collect();
    assert_eq!(inside.diagnostics, expected);
}

/// The invariants of parsing any text as a word.
fn check_word(text: &str) {
    let mut alphabet: Alphabet<String> = Alphabet::default();
    match parse_word(text, &Names, &mut alphabet) {
        Err(diagnostics) => {
            assert!(!diagnostics.is_empty(), "refused without a reason");
            check_diagnostics(text, Span::new(0, text.len()), &diagnostics);
        }
        Ok(word) => {
            assert!(word.len() > 0, "an empty word");
            let shown = word.display(&alphabet).to_string();
            let before = alphabet.clone();
            let again = parse_word(&shown, &Names, &mut alphabet);
            assert_eq!(again.as_ref(), Ok(&word), "shown as {shown}");
            assert_eq!(alphabet, before, "shown as {shown}");
        }
    }
}

/// Every message has its spans in `part`, in order, and can be rendered.
fn check_diagnostics(text: &str, part: Span, diagnostics: &[Diagnostic]) {
    assert!(diagnostics.len() <= MAX_DIAGNOSTICS, "too many messages");
    let source = Source::new("text", text);
    for diagnostic in diagnostics {
        check_places(text, part, diagnostic);
        let plain = diagnostic.render(&source, false);
        let hidden = plain.chars().find(|c| c.is_control() && *c != '\n');
        assert_eq!(hidden, None, "the terminal would obey {plain:?}");
        assert!(plain.contains(diagnostic.code), "no code in {plain}");
    }
    // Rendering takes most of the time; one message with colours is enough.
    if let Some(first) = diagnostics.first() {
        assert!(first.render(&source, true).contains(first.code), "no code in colours");
    }
    assert!(
        diagnostics.is_sorted_by_key(|diagnostic| diagnostic.primary.0.start),
        "not in order: {diagnostics:?}"
    );
}

fn check_places(text: &str, part: Span, diagnostic: &Diagnostic) {
    for (span, _) in std::iter::once(&diagnostic.primary).chain(&diagnostic.context) {
        assert!(part.start <= span.start, "{diagnostic:?} before its part {part:?}");
        assert!(span.start <= span.end, "{diagnostic:?} is inside out");
        assert!(span.end <= part.end, "{diagnostic:?} behind its part {part:?}");
        assert!(text.get(span.range()).is_some(), "{diagnostic:?} splits a character");
    }
}

/// The middle third, on borders of characters.
fn part(text: &str) -> Span {
    let border = |offset: usize| (offset..).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    Span::new(border(text.len() / 3), border(text.len() / 3 * 2))
}

const MAX_TOKENS: usize = 24;

/// Two bytes for each token: its index, and either the separator after it or the number of repetitions.
fn token_text(bytes: &[u8]) -> String {
    let mut text = String::new();
    for pair in bytes.chunks(2).take(MAX_TOKENS) {
        let token = TOKENS[pair[0] as usize % TOKENS.len()];
        match pair.get(1).copied().unwrap_or(0) {
            repeat @ 250.. => text.push_str(&token.repeat(usize::from(repeat - 248) * 100)),
            last => {
                text.push_str(token);
                text.push_str(if last % 3 == 0 { "" } else { " " });
            }
        }
    }
    text
}

/// With more edits nothing of the valid text would remain.
const MAX_EDIT_BYTES: usize = 40;

/// A valid text and its edits, three bytes each: the kind, the position, and the token or length.
fn edited(bytes: &[u8], good: &[&str]) -> String {
    let Some((first, edits)) = bytes.split_first() else { return String::new() };
    let mut text: Vec<char> = good[*first as usize % good.len()].chars().collect();
    for edit in edits.chunks_exact(3) {
        let [what, at, with] = [0, 1, 2].map(|index| edit[index] as usize);
        let at = at % (text.len() + 1);
        let end = (at + 1 + with % 8).min(text.len());
        match what % 5 {
            0 => drop(text.drain(at..end)),
            1 => drop(text.splice(at..at, TOKENS[with % TOKENS.len()].chars())),
            2 => drop(text.splice(at..end, TOKENS[with % TOKENS.len()].chars())),
            3 => text.extend_from_within(at..end),
            _ => drop(text.splice(at..at, good[with % good.len()].chars())),
        }
    }
    text.into_iter().collect()
}

const FORMULAS: &[&str] = &[
    "p",
    "G (request -> F grant)",
    "[]<> ~ in-rem(1) -> []<> c0<=3",
    "[] ~ (enterCrit(1) /\\ enterCrit(2))",
    "GFp && !q || X Y r <-> O H s",
    "(a U b) W (c M d) // the rest\n & \"two \\\" words\"",
    "P0 at m2 -> {value, @1} S a[0] T P1.at.m3",
    "□◇p ∧ ¬é ∨ → ↔ ○ true",
];

const WORDS: &[&str] = &[
    "p",
    "p; p & !q; cycle{!p}",
    "cycle{true; \"a;b\"}",
    "turn = 1; {value, @1} & f(x, y); cycle{P0 at m2; !\"cycle{\" & cycle}",
    "p; // one\n q",
];

/// The spellings of the grammar, valid and invalid propositions, and characters that neither language uses.
#[rustfmt::skip]
const TOKENS: &[&str] = &[
    "!", "~", "not", "¬", "X", "○", "WX", "F", "<>", "◇", "G", "[]", "□", "Y", "WY", "Z", "O", "H", "U", "R",
    "V", "W", "M", "S", "T", "&", "&&", "/\\", "and", "∧", "|", "||", "\\/", "or", "∨", "->", "=>", "implies",
    "→", "<->", "<=>", "iff", "↔", "(", ")", "true", "false", "1", "0", "//", "\n", ";", "cycle", "cycle{",
    "}", "{", "[", "]", "\"", "\\", "a", "b", "p", "GFp", "Xa", "Free", "GX1", "at", "=", "==", "!=", "<",
    "<=", ">", ">=", "-", ".", "'", ",", "@", "_", "-3", "99999999999999999999", "1x", "turn = 1",
    "enterCrit(1)", "in-rem", "P0 at m2", "P0.at.m2", "{value, @1}", "\"two words\"", "\"\"", "AG", "E",
    "until", "always", "\t", "\r\n", "\r", "\0", "\u{1b}[31m", "\u{7f}", "\u{85}", "\u{a0}", "\u{2028}",
    "\u{200b}", "\u{202e}", "\u{feff}", "é", "e\u{301}", "漢", "👩‍🔬", "Σ", "ǅ", "٣", "²", "\u{fffd}",
];
