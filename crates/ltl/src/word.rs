//! Words: what a run says, letter by letter.
//!
//! A finite word is a prefix alone; a lasso is a prefix and a cycle that repeats for ever. As text, `p; p & !q;
//! cycle{!p}`: a step a letter, each a conjunction of literals; propositions that a step does not name are false in
//! it. (The notation is that of Spot's words, except that Spot leaves unnamed propositions open.)

use crate::diagnostic::Diagnostic;
use crate::letter::{Alphabet, Letter, Prop};
use crate::source::Span;
use crate::syntax::{self, AtomText, Atoms};
use crate::{Binary, Formula, Unary};
use std::fmt;

/// A non-empty word, finite or lasso-shaped.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Word {
    /// The letters that come once.
    pub prefix: Vec<Letter>,
    /// The letters that repeat for ever; none in a finite word.
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

    /// Does it go on for ever?
    pub fn is_infinite(&self) -> bool {
        !self.cycle.is_empty()
    }

    /// The number of positions that are written down.
    #[allow(clippy::len_without_is_empty)] // words are not empty
    pub fn len(&self) -> usize {
        self.prefix.len() + self.cycle.len()
    }

    /// The letter at a position.
    pub fn letter(&self, position: usize) -> Letter {
        *self.prefix.get(position).unwrap_or_else(|| &self.cycle[position - self.prefix.len()])
    }

    /// The position after this one: the next, back to the start of the cycle, or none.
    pub fn next(&self, position: usize) -> Option<usize> {
        let next = position + 1;
        if next < self.len() { Some(next) } else { self.is_infinite().then_some(self.prefix.len()) }
    }

    /// The same word with its cycle written out `times` more often in the prefix.
    #[must_use]
    pub fn unrolled(&self, times: usize) -> Word {
        let mut prefix = self.prefix.clone();
        for _ in 0..times {
            prefix.extend_from_slice(&self.cycle);
        }
        Word { prefix, cycle: self.cycle.clone() }
    }

    /// The same word, written as shortly as possible: the cycle repeats nothing, and the prefix does not end in it.
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

/// Every proposition with its value; unknown ones are left out.
fn show_letter<P: AtomText>(letter: Letter, alphabet: &Alphabet<P>) -> String {
    let literal = |index: usize| {
        let prop = Prop(index as u8);
        let name = Formula::Prop(alphabet.name(prop));
        letter.value(prop).map(|value| if value { name.to_string() } else { format!("!{name}") })
    };
    let literals: Vec<String> = (0..alphabet.len()).filter_map(literal).collect();
    if literals.is_empty() { "true".to_owned() } else { literals.join(" & ") }
}

/// Reads a word; propositions that are new are added to the alphabet.
pub fn parse_word<T: Atoms>(
    text: &str,
    atoms: &T,
    alphabet: &mut Alphabet<T::Atom>,
) -> Result<Word, Vec<Diagnostic>>
where
    T::Atom: Clone + PartialEq,
{
    let (prefix_range, cycle_range) = split_cycle(text)?;
    let mut read = |range: Span, last_may_be_blank: bool| {
        let steps = split_steps(text, range);
        let count = steps.len();
        let mut letters = Vec::new();
        for (index, step) in steps.into_iter().enumerate() {
            let blank = text[step.range()].trim().is_empty();
            if blank && index + 1 == count && last_may_be_blank {
                break;
            }
            letters.push(read_letter(text, step, atoms, alphabet)?);
        }
        Ok::<_, Vec<Diagnostic>>(letters)
    };
    let prefix = read(prefix_range, true)?;
    let cycle = cycle_range.map(|range| read(range, false)).transpose()?.unwrap_or_default();
    if prefix.is_empty() && cycle.is_empty() {
        let place = Span::new(0, text.len());
        return Err(vec![
            Diagnostic::error("ltl::empty-word", "a word has at least one step", place, "")
                .help("write the steps with `;` between them, as in `p; p & q; cycle{!p}`"),
        ]);
    }
    Ok(Word { prefix, cycle })
}

/// The range before `cycle{`, and the one inside it.
fn split_cycle(text: &str) -> Result<(Span, Option<Span>), Vec<Diagnostic>> {
    let Some(start) = text.find("cycle").filter(|at| text[at + 5..].trim_start().starts_with('{')) else {
        return Ok((Span::new(0, text.len()), None));
    };
    let open = start + text[start..].find('{').unwrap_or(0);
    match text.rfind('}') {
        Some(close) if close > open && text[close + 1..].trim().is_empty() => {
            Ok((Span::new(0, start), Some(Span::new(open + 1, close))))
        }
        _ => Err(vec![
            Diagnostic::error(
                "ltl::unclosed-cycle",
                "the cycle has no end",
                Span::new(start, open + 1),
                "opened here",
            )
            .help("the word ends with `}`, the end of its cycle"),
        ]),
    }
}

/// The ranges between semicolons that stand outside quotes.
fn split_steps(text: &str, range: Span) -> Vec<Span> {
    let mut steps = Vec::new();
    let (mut start, mut quoted, mut escaped) = (range.start, false, false);
    for (offset, c) in text[range.range()].char_indices() {
        let at = range.start + offset;
        match c {
            '"' if !escaped => quoted = !quoted,
            ';' if !quoted => {
                steps.push(Span::new(start, at));
                start = at + 1;
            }
            _ => {}
        }
        escaped = c == '\\' && !escaped;
    }
    steps.push(Span::new(start, range.end));
    steps
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
    let formula = syntax::parse_range(text, step, atoms).into_result()?;
    let mut letter = (0, 0);
    let refuse = |message: &str| {
        vec![
            Diagnostic::error("ltl::not-a-letter", message, step, "this step")
                .help("write a conjunction of propositions and negated ones, or `true`"),
        ]
    };
    collect_literals(&formula, true, alphabet, &mut letter).map_err(refuse)?;
    if letter.0 & letter.1 != 0 {
        return Err(refuse("a step cannot have a proposition both true and false"));
    }
    Ok(Letter::exactly(letter.0))
}

/// Adds the literals of a conjunction to the masks of true and false propositions.
fn collect_literals<A: Clone + PartialEq>(
    formula: &Formula<A>,
    positive: bool,
    alphabet: &mut Alphabet<A>,
    masks: &mut (u64, u64),
) -> Result<(), &'static str> {
    match formula {
        Formula::Const(value) if *value == positive => Ok(()),
        Formula::Prop(name) => {
            let bit = alphabet.intern(name).map_err(|_| "too many propositions")?.bit();
            *(if positive { &mut masks.0 } else { &mut masks.1 }) |= bit;
            Ok(())
        }
        Formula::Unary(Unary::Not, inner) => collect_literals(inner, !positive, alphabet, masks),
        Formula::Binary(Binary::And, left, right) if positive => {
            collect_literals(left, positive, alphabet, masks)?;
            collect_literals(right, positive, alphabet, masks)
        }
        _ => Err("a step of a word is one state, not a formula about several"),
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
    fn words_are_read_and_shown() {
        check("p; p&q; cycle{!p}", "p & !q; p & q; cycle{!p & !q}");
        check("p", "p");
        check("cycle{true; \"a;b\"}", "cycle{!\"a;b\"; \"a;b\"}");
    }

    #[test]
    fn what_is_no_word_is_refused_with_its_place() {
        for (text, code) in [
            ("", "ltl::empty-word"),
            ("p; p | q", "ltl::not-a-letter"),
            ("p & !p", "ltl::not-a-letter"),
            ("p; cycle{q", "ltl::unclosed-cycle"),
            ("p; ; q", "ltl::expected-formula"),
            ("cycle{}", "ltl::expected-formula"),
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
