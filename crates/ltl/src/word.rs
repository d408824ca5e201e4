//! Words: the labels of a run, letter by letter.
//!
//! A finite word is a prefix alone; a lasso is a prefix and a cycle that repeats for ever. As text,
//! `p; p & !q; cycle{!p}`: one step for each letter, each step a conjunction of literals; a proposition that
//! a step does not mention is false in it. (The notation is that of Spot's words, except that Spot leaves
//! unnamed propositions open.)

use crate::diagnostic::Diagnostic;
use crate::letter::{Alphabet, Letter, MAX_PROPS, Prop};
use crate::source::Span;
use crate::syntax::{self, AtomText, Atoms};
use crate::{Binary, Formula, Unary};
use std::fmt;

/// A non-empty word, finite or lasso-shaped.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Word {
    /// The letters that occur once.
    pub prefix: Vec<Letter>,
    /// The letters that repeat for ever; empty in a finite word.
    pub cycle: Vec<Letter>,
}

impl Word {
    /// A finite word.
    pub fn finite(letters: impl Into<Vec<Letter>>) -> Word {
        Word { prefix: letters.into(), cycle: Vec::new() }
    }

    /// An infinite word.
    pub fn lasso(prefix: impl Into<Vec<Letter>>, cycle: impl Into<Vec<Letter>>) -> Word {
        let word = Word { prefix: prefix.into(), cycle: cycle.into() };
        debug_assert!(!word.cycle.is_empty(), "a lasso has a cycle");
        word
    }

    /// Is it a lasso?
    pub fn is_infinite(&self) -> bool {
        !self.cycle.is_empty()
    }

    /// The number of letters in prefix and cycle.
    #[allow(clippy::len_without_is_empty)] // words are not empty
    pub fn len(&self) -> usize {
        self.prefix.len() + self.cycle.len()
    }

    /// The letter at a position.
    pub fn letter(&self, position: usize) -> Letter {
        *self.prefix.get(position).unwrap_or_else(|| &self.cycle[position - self.prefix.len()])
    }

    /// The next position: the following one, or the start of the cycle after the last; `None` at the end of
    /// a finite word.
    pub fn next(&self, position: usize) -> Option<usize> {
        let next = position + 1;
        if next < self.len() { Some(next) } else { self.is_infinite().then_some(self.prefix.len()) }
    }

    /// The same word with its cycle appended `times` times to the prefix.
    #[must_use]
    pub fn unrolled(&self, times: usize) -> Word {
        let mut prefix = self.prefix.clone();
        for _ in 0..times {
            prefix.extend_from_slice(&self.cycle);
        }
        Word { prefix, cycle: self.cycle.clone() }
    }

    /// The same word with the shortest cycle and, for that cycle, the shortest prefix.
    #[must_use]
    pub fn shortened(mut self) -> Word {
        let length = self.cycle.len();
        let periodic =
            |cycle: &[Letter], period: usize| (period..length).all(|i| cycle[i] == cycle[i - period]);
        if let Some(period) = (1..length).find(|p| length.is_multiple_of(*p) && periodic(&self.cycle, *p)) {
            self.cycle.truncate(period);
        }
        while self.is_infinite() && self.prefix.last().is_some_and(|last| Some(last) == self.cycle.last()) {
            self.prefix.pop();
            self.cycle.rotate_right(1);
        }
        self
    }

    /// The word as text, over these propositions.
    pub fn display<'a, P: AtomText>(&'a self, alphabet: &'a Alphabet<P>) -> impl fmt::Display + 'a {
        fmt::from_fn(move |f| {
            let steps = |letters: &[Letter]| {
                letters.iter().map(|letter| show_letter(*letter, alphabet)).collect::<Vec<_>>().join("; ")
            };
            f.write_str(&steps(&self.prefix))?;
            if self.is_infinite() {
                let separator = if self.prefix.is_empty() { "" } else { "; " };
                write!(f, "{separator}cycle{{{}}}", steps(&self.cycle))?;
            }
            Ok(())
        })
    }
}

/// Every proposition with its value, except unknown propositions.
fn show_letter<P: AtomText>(letter: Letter, alphabet: &Alphabet<P>) -> String {
    let literal = |index: usize| {
        let prop = Prop(index as u8);
        let name = Formula::Prop(alphabet.name(prop));
        letter.value(prop).map(|value| if value { name.to_string() } else { format!("!{name}") })
    };
    let literals: Vec<String> = (0..alphabet.len()).filter_map(literal).collect();
    if literals.is_empty() { "true".to_owned() } else { literals.join(" & ") }
}

/// Parses a word; new propositions are added to the alphabet.
pub fn parse_word<T: Atoms>(
    text: &str,
    atoms: &T,
    alphabet: &mut Alphabet<T::Atom>,
) -> Result<Word, Vec<Diagnostic>>
where
    T::Atom: Clone + PartialEq,
{
    let spans = StepSpans::of(text).map_err(|error| vec![error])?;
    let mut read = |steps: Vec<Span>| -> Result<Vec<Letter>, Vec<Diagnostic>> {
        steps.into_iter().map(|step| read_letter(text, step, atoms, alphabet)).collect()
    };
    let prefix = read(spans.prefix)?;
    let cycle = read(spans.cycle)?;
    if prefix.is_empty() && cycle.is_empty() {
        let span = Span::new(0, text.len());
        return Err(vec![
            Diagnostic::error("ltl::empty-word", "a word has at least one step", span, "")
                .help("write the steps with `;` between them, as in `p; p & q; cycle{!p}`"),
        ]);
    }
    Ok(Word { prefix, cycle })
}

/// The spans of a word's steps in its text.
#[derive(Default)]
struct StepSpans {
    prefix: Vec<Span>,
    cycle: Vec<Span>,
}

impl StepSpans {
    /// Splits at the semicolons and the braces of the cycle, except in quotes, brackets and comments.
    fn of(text: &str) -> Result<StepSpans, Diagnostic> {
        let mut spans = StepSpans::default();
        let mut at = 0;
        loop {
            let inside = after_cycle_open(text, at);
            if let Some(inside) = inside {
                let open = Span::new(skip_blank(text, at), inside);
                let end = spans.read_cycle(text, open)?;
                return if skip_blank(text, end) == text.len() {
                    Ok(spans)
                } else {
                    Err(after_cycle(text, end))
                };
            }
            let end = step_end(text, at);
            let last = end == text.len();
            // A semicolon may end the last step too.
            if !(last && skip_blank(text, at) == text.len()) {
                spans.prefix.push(trimmed(text, Span::new(at, end)));
            }
            if last {
                return Ok(spans);
            }
            at = end + 1;
        }
    }

    /// Reads the steps behind `cycle{`; returns the offset where the cycle ends.
    fn read_cycle(&mut self, text: &str, open: Span) -> Result<usize, Diagnostic> {
        let mut at = open.end;
        loop {
            let end = step_end(text, at);
            self.cycle.push(trimmed(text, Span::new(at, end)));
            match text.as_bytes().get(end) {
                Some(b';') => at = end + 1,
                Some(_) => return Ok(end + 1),
                None => {
                    let error =
                        Diagnostic::error("ltl::unclosed-cycle", "the cycle has no end", open, "opened here");
                    return Err(error.help("write `}` behind its last step"));
                }
            }
        }
    }
}

fn after_cycle(text: &str, end: usize) -> Diagnostic {
    let span = trimmed(text, Span::new(end, text.len()));
    Diagnostic::error("ltl::after-cycle", "nothing can come after the cycle", span, "never reached")
        .help("the cycle repeats for ever; steps that come once stand before it")
}

/// If `cycle{` is next: the offset behind it.
fn after_cycle_open(text: &str, at: usize) -> Option<usize> {
    let rest = text[skip_blank(text, at)..].strip_prefix("cycle")?.trim_start().strip_prefix('{')?;
    Some(text.len() - rest.len())
}

/// The next semicolon, or closing brace without its opening one; else the end.
fn step_end(text: &str, start: usize) -> usize {
    let (mut at, mut depth) = (start, 0_usize);
    while let Some(c) = text[at..].chars().next() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ';' | '}' if depth == 0 => return at,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at = match c {
            '"' => syntax::quotation_length(&text[at..]).map_or(text.len(), |length| at + length),
            '/' if depth == 0 && text[at..].starts_with("//") => comment_end(text, at),
            _ => at + c.len_utf8(),
        };
    }
    text.len()
}

fn comment_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |length| at + length)
}

/// The offset behind white space and comments.
fn skip_blank(text: &str, mut at: usize) -> usize {
    loop {
        at = text.len() - text[at..].trim_start().len();
        if !text[at..].starts_with("//") {
            return at;
        }
        at = comment_end(text, at);
    }
}

/// The span without white space around it.
fn trimmed(text: &str, span: Span) -> Span {
    let start = span.end - text[span.range()].trim_start().len();
    Span::new(start, start + text[start..span.end].trim_end().len())
}

fn read_letter<T: Atoms>(
    text: &str,
    step: Span,
    atoms: &T,
    alphabet: &mut Alphabet<T::Atom>,
) -> Result<Letter, Vec<Diagnostic>>
where
    T::Atom: Clone + PartialEq,
{
    if skip_blank(text, step.start) >= step.end {
        let error = Diagnostic::error("ltl::empty-step", "a step is empty", step, "nothing is written here");
        return Err(vec![error.help("write `true` for a state in which no proposition holds")]);
    }
    let formula = syntax::parse_range(text, step, atoms).into_result()?;
    let mut letter = (0, 0);
    collect_literals(&formula, true, alphabet, &mut letter).map_err(|refusal| vec![refusal.at(step)])?;
    if letter.0 & letter.1 != 0 {
        return Err(vec![Refusal::Contradiction.at(step)]);
    }
    Ok(Letter::exactly(letter.0))
}

/// The reason why a formula is no letter.
enum Refusal {
    Open,
    Contradiction,
    Temporal,
    TooManyProps,
}

impl Refusal {
    fn at(&self, step: Span) -> Diagnostic {
        let (code, message) = match self {
            Refusal::Open => ("ltl::not-a-letter", "this step leaves open which propositions hold"),
            Refusal::Contradiction => ("ltl::not-a-letter", "no state is like this step"),
            Refusal::Temporal => ("ltl::not-a-letter", "a step is one state, and cannot speak of others"),
            Refusal::TooManyProps => ("ltl::too-many-propositions", "the word has too many propositions"),
        };
        let help = match self {
            Refusal::TooManyProps => format!("at most {MAX_PROPS} different ones can be told apart"),
            _ => "write propositions and negated ones with `&` between them, or `true` if none holds"
                .to_owned(),
        };
        Diagnostic::error(code, message, step, "this step").help(help)
    }
}

/// Adds the literals of a conjunction to the masks of true and false propositions.
fn collect_literals<A: Clone + PartialEq>(
    formula: &Formula<A>,
    positive: bool,
    alphabet: &mut Alphabet<A>,
    masks: &mut (u64, u64),
) -> Result<(), Refusal> {
    match formula {
        Formula::Const(value) if *value == positive => Ok(()),
        Formula::Const(_) => Err(Refusal::Contradiction),
        Formula::Prop(name) => {
            let bit = alphabet.intern(name).map_err(|_| Refusal::TooManyProps)?.bit();
            *(if positive { &mut masks.0 } else { &mut masks.1 }) |= bit;
            Ok(())
        }
        Formula::Unary(Unary::Not, inner) => collect_literals(inner, !positive, alphabet, masks),
        Formula::Binary(Binary::And, left, right) if positive => {
            collect_literals(left, positive, alphabet, masks)?;
            collect_literals(right, positive, alphabet, masks)
        }
        Formula::Binary(Binary::And | Binary::Or | Binary::Implies | Binary::Iff, ..) => Err(Refusal::Open),
        Formula::Unary(..) | Formula::Binary(..) => Err(Refusal::Temporal),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::Names;

    #[track_caller]
    fn check(text: &str, shown: &str) {
        let mut alphabet = Alphabet::default();
        let word = parse_word(text, &Names, &mut alphabet).expect("a word");
        assert_eq!(word.display(&alphabet).to_string(), shown);
    }

    #[test]
    fn words_are_parsed_and_printed() {
        check("p; p&q; cycle{!p}", "p & !q; p & q; cycle{!p & !q}");
        check("p", "p");
        check("cycle{true; \"a;b\"}", "cycle{!\"a;b\"; \"a;b\"}");
    }

    #[test]
    fn invalid_words_are_refused_with_a_code() {
        for (text, code) in [
            ("", "ltl::empty-word"),
            ("p; p | q", "ltl::not-a-letter"),
            ("p & !p", "ltl::not-a-letter"),
            ("p; cycle{q", "ltl::unclosed-cycle"),
            ("p; ; q", "ltl::empty-step"),
            ("cycle{}", "ltl::empty-step"),
        ] {
            let errors = parse_word(text, &Names, &mut Alphabet::default()).expect_err(text);
            assert_eq!(errors[0].code, code, "{text}");
        }
    }

    #[test]
    fn a_shortened_word_is_the_same_word() {
        let [a, b] = [Letter::exactly(0), Letter::exactly(1)];
        let word = Word::lasso([b, a, b, a], [b, a, b, a]).shortened();
        assert_eq!(word, Word::lasso([], [b, a]));
    }
}
