//! The grammar against its documented table, the printer against the parser, and extreme texts.
//!
//! `messages.rs` checks the parser's messages; bugs that `fuzz.rs` found are here, under *regressions*.

use crate::generators::{self, Operators, formula};
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;
use selvedge_ltl::syntax::{Atoms, Names, parse};
use selvedge_ltl::word::parse_word;
use selvedge_ltl::{Alphabet, Binary, Formula, Unary};
use selvedge_testkit::Random;
use std::cell::Cell;

const UNARY: &[(Unary, &[&str])] = &[
    (Unary::Not, &["!", "~", "not", "¬"]),
    (Unary::Next, &["X", "○"]),
    (Unary::WeakNext, &["WX"]),
    (Unary::Eventually, &["F", "<>", "◇"]),
    (Unary::Always, &["G", "[]", "□"]),
    (Unary::Previous, &["Y"]),
    (Unary::WeakPrevious, &["WY", "Z"]),
    (Unary::Once, &["O"]),
    (Unary::Historically, &["H"]),
];

/// Each operator with its row in the table of precedence, counted from the loosest, and whether it groups to
/// the right.
const BINARY: &[(Binary, u8, bool, &[&str])] = &[
    (Binary::Until, 5, true, &["U"]),
    (Binary::Release, 5, true, &["R", "V"]),
    (Binary::WeakUntil, 5, true, &["W"]),
    (Binary::StrongRelease, 5, true, &["M"]),
    (Binary::Since, 5, true, &["S"]),
    (Binary::Triggered, 5, true, &["T"]),
    (Binary::And, 4, false, &["&", "&&", "/\\", "and", "∧"]),
    (Binary::Or, 3, false, &["|", "||", "\\/", "or", "∨"]),
    (Binary::Implies, 2, true, &["->", "=>", "implies", "→"]),
    (Binary::Iff, 1, true, &["<->", "<=>", "iff", "↔"]),
];

fn prop(name: &str) -> Formula<String> {
    Formula::Prop(name.to_owned())
}

fn unary(operator: Unary, inner: Formula<String>) -> Formula<String> {
    Formula::Unary(operator, Box::new(inner))
}

fn binary(operator: Binary, left: Formula<String>, right: Formula<String>) -> Formula<String> {
    Formula::Binary(operator, Box::new(left), Box::new(right))
}

#[track_caller]
fn check(text: &str, expected: &Formula<String>) {
    assert_eq!(text.parse().as_ref(), Ok(expected), "{text}");
}

#[test]
fn every_spelling_is_its_operator() {
    for (operator, spellings) in UNARY {
        for spelling in *spellings {
            check(&format!("{spelling} a"), &unary(*operator, prop("a")));
            check(&format!("{spelling}(a)"), &unary(*operator, prop("a")));
        }
    }
    for (operator, _, _, spellings) in BINARY {
        for spelling in *spellings {
            check(&format!("a {spelling} b"), &binary(*operator, prop("a"), prop("b")));
            check(&format!("(a){spelling}(b)"), &binary(*operator, prop("a"), prop("b")));
        }
    }
    for (spelling, value) in [("true", true), ("1", true), ("false", false), ("0", false)] {
        check(spelling, &Formula::Const(value));
    }
}

/// The table in the module's documentation has the spellings of the tables above, no more and no fewer.
#[test]
fn the_documented_table_lists_the_tested_spellings() {
    let rows = include_str!("../../src/syntax/mod.rs").lines().filter_map(|line| line.strip_prefix("//! | "));
    let mut documented: Vec<String> = rows
        .map(|row| row.replace("\\|", "\u{0}"))
        .filter_map(|row| row.split('|').nth(1).map(str::to_owned))
        .flat_map(|cell| {
            cell.split('`').skip(1).step_by(2).map(|code| code.replace('\0', "|")).collect::<Vec<_>>()
        })
        .collect();
    let unary = UNARY.iter().flat_map(|(_, spellings)| *spellings);
    let mut tested: Vec<&str> = unary.chain(BINARY.iter().flat_map(|row| row.3)).copied().collect();
    documented.sort();
    tested.sort_unstable();
    assert_eq!(documented, tested);
    assert_eq!((UNARY.len(), BINARY.len()), (Unary::ALL.len(), Binary::ALL.len()));
}

#[test]
fn each_operator_groups_with_each_other_as_documented() {
    let [a, b, c] = ["a", "b", "c"].map(prop);
    for (first, first_row, to_the_right, first_spelling) in BINARY {
        for (second, second_row, _, second_spelling) in BINARY {
            let text = format!("a {} b {} c", first_spelling[0], second_spelling[0]);
            let left_first = first_row > second_row || (first_row == second_row && !to_the_right);
            let expected = if left_first {
                binary(*second, binary(*first, a.clone(), b.clone()), c.clone())
            } else {
                binary(*first, a.clone(), binary(*second, b.clone(), c.clone()))
            };
            check(&text, &expected);
        }
        for (prefix, spelling) in UNARY {
            let text = format!("{} a {} {} b", spelling[0], first_spelling[0], spelling[0]);
            check(&text, &binary(*first, unary(*prefix, a.clone()), unary(*prefix, b.clone())));
        }
    }
}

#[rustfmt::skip]
const NASTY: &[&str] = &[
    "p", "G", "Xa", "GFp", "U", "two words", "a\"b", "a\\", "turn = 1", "turn=1", "enterCrit(1)",
    "enterCrit( 1 )", "1", "0", "", " ", "true", "not", "0 < x", "-1 < x", "-1", "P0 at m2", "at", "at at at",
    "{value, @1}", "{a b}", "{\"a b\"}", "{", "f(", "f(x", "//", "a//b", "a -> b", "(p)", "AG", "AG(p)",
    "A[p U q]", "always", "until", "always(p)", "cycle", "cycle{", "a;b", "{a;b}", "é", "漢字", "\n", "\0",
    "\u{9b}", "in-rem(1)", "a-", "a.", "x'", "x''",
];

#[test]
fn printed_formulas_parse_to_the_same_formula() {
    let mut random = Random(7);
    for round in 0..100_000 {
        let size = 1 + random.below(40);
        let shape = formula(&mut random, size, 4, Operators::All);
        let names: [&str; 4] = std::array::from_fn(|_| random.pick(NASTY));
        let written = shape.map(&mut |prop| names[prop.0 as usize].to_owned());
        let printed = written.to_string();
        assert_eq!(printed.parse().as_ref(), Ok(&written), "round {round}: {printed}");
    }
}

#[test]
fn printed_words_parse_to_the_same_word() {
    let mut random = Random(8);
    for round in 0..20_000 {
        let mut alphabet: Alphabet<String> = Alphabet::default();
        for _ in 0..3 {
            alphabet.intern(&random.pick(NASTY).to_owned()).expect("few propositions");
        }
        let infinite = random.below(2) == 0;
        let word = generators::word(&mut random, alphabet.len(), infinite);
        let shown = word.display(&alphabet).to_string();
        let mut fresh = Alphabet::default();
        assert_eq!(parse_word(&shown, &Names, &mut fresh).as_ref(), Ok(&word), "round {round}: {shown}");
        assert_eq!(fresh, alphabet, "round {round}: {shown}");
    }
}

const MANY: usize = 100_000;

/// The work of a parser is linear: [`Atoms`] get each byte of the text at most this often.
const MAX_READS_PER_BYTE: usize = 2;

/// [`Names`], with a count of the bytes that they got.
#[derive(Default)]
struct CountingNames {
    bytes: Cell<usize>,
}

impl CountingNames {
    fn count(&self, bytes: usize) {
        self.bytes.set(self.bytes.get() + bytes);
    }

    #[track_caller]
    fn assert_linear(&self, text: &str) {
        let reads = self.bytes.get();
        assert!(reads <= MAX_READS_PER_BYTE * text.len(), "{reads} bytes were read of {}", text.len());
    }
}

impl Atoms for CountingNames {
    type Atom = String;

    fn read(&self, text: &str, range: Span) -> Option<(Result<String, Diagnostic>, usize)> {
        let result = Names.read(text, range);
        self.count(result.as_ref().map_or(1, |(_, end)| end - range.start));
        result
    }

    fn knows(&self, word: &str) -> bool {
        self.count(word.len());
        Names.knows(word)
    }
}

/// Parses, prints and drops in this thread, on the test's stack. Checks the first code, if there is one, and
/// the work of both parsers.
#[track_caller]
fn check_long(text: &str, code: Option<&str>) {
    let names = CountingNames::default();
    let parsed = parse(text, &names);
    names.assert_linear(text);
    let codes: Vec<&str> = parsed.diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
    assert_eq!(codes.first().copied(), code, "{codes:?}");
    let printed = parsed.formula.to_string();
    assert_eq!(printed.parse().as_ref(), Ok(&parsed.formula));
    drop(parsed);
    // As a word, the text is a step like any other, or it is refused like any other.
    let names = CountingNames::default();
    let _ = parse_word(text, &names, &mut Alphabet::default());
    names.assert_linear(text);
}

#[test]
fn any_nesting_takes_linear_work_without_stack_overflow() {
    let too_deep = Some("ltl::too-deep");
    check_long(&format!("{}a{}", "(".repeat(MANY), ")".repeat(MANY)), too_deep);
    check_long(&"(".repeat(MANY), too_deep);
    check_long(&")".repeat(MANY), Some("ltl::expected-formula"));
    check_long(&"()".repeat(MANY), Some("ltl::expected-formula"));
    check_long(&")(".repeat(MANY), Some("ltl::expected-formula"));
    check_long(&format!("{}a", "!".repeat(MANY)), too_deep);
    check_long(&"!".repeat(MANY), too_deep);
    check_long(&format!("{}a", "X".repeat(MANY)), too_deep);
    check_long(&format!("{}a", "X ".repeat(MANY)), too_deep);
    check_long(&format!("{}a", "GF!".repeat(MANY)), too_deep);
    check_long(&format!("{}a", "a & ".repeat(MANY)), too_deep);
    check_long(&format!("{}a", "a U ".repeat(MANY)), too_deep);
    check_long(&"(a U ".repeat(MANY), too_deep);
    check_long(&"a ".repeat(MANY), Some("ltl::expected-operator"));
    check_long(&"U ".repeat(MANY), Some("ltl::expected-formula"));
}

#[test]
fn any_proposition_takes_linear_work() {
    let (bracket, quote) = (Some("ltl::unclosed-bracket"), Some("ltl::unclosed-quote"));
    check_long(&"a".repeat(MANY), None);
    check_long(&"a-".repeat(MANY), Some("ltl::unexpected-character"));
    check_long(&"9".repeat(MANY), Some("ltl::unexpected-number"));
    check_long(&format!("{}{}", "{".repeat(MANY), "}".repeat(MANY)), None);
    check_long(&format!("{{a{}}}", " ".repeat(MANY)), None);
    check_long(&format!("{}{}", "f(".repeat(MANY), ")".repeat(MANY)), None);
    check_long(&format!("f{}", "[1]".repeat(MANY)), None);
    check_long(&"{".repeat(MANY), bracket);
    check_long(&"f(]".repeat(MANY), bracket);
    check_long(&"f(".repeat(MANY), bracket);
    check_long(&"\"".repeat(MANY + 1), Some("ltl::expected-operator"));
    check_long(&format!("\"{}", "\\\"".repeat(MANY)), quote);
    check_long(&"#".repeat(MANY), Some("ltl::unexpected-character"));
    check_long(&"a = ".repeat(MANY), Some("ltl::unexpected-character"));
    check_long(&"a at ".repeat(MANY), Some("ltl::expected-operator"));
    check_long(&" ".repeat(MANY), Some("ltl::expected-formula"));
    check_long(&"//\n".repeat(MANY), Some("ltl::expected-formula"));
    check_long(&"p;".repeat(MANY), Some("ltl::unexpected-character"));
    check_long(&"cycle{".repeat(MANY), Some("ltl::expected-operator"));
}

#[test]
fn a_formula_may_have_the_maximal_depth() {
    let deepest = format!("{}a", "! ".repeat(selvedge_ltl::syntax::MAX_DEPTH - 1));
    check_long(&deepest, None);
    check_long(&format!("!{deepest}"), Some("ltl::too-deep"));
    let most = selvedge_ltl::syntax::MAX_DEPTH;
    check_long(&format!("{}a{}", "(".repeat(most), ")".repeat(most)), None);
}

/// Regressions, each with its smallest text and the way in which it was found.
mod regressions {
    use super::*;
    use selvedge_ltl::source::Source;

    #[track_caller]
    fn check_word(text: &str, shown: &str) {
        let mut alphabet = Alphabet::default();
        let word = parse_word(text, &Names, &mut alphabet).expect("a word");
        assert_eq!(word.display(&alphabet).to_string(), shown);
        assert_eq!(parse_word(shown, &Names, &mut alphabet), Ok(word));
    }

    /// Fuzzing: the message on the unclosed parenthesis came last, though the parenthesis stands first.
    #[test]
    fn messages_come_in_the_order_of_the_text() {
        let diagnostics = parse("!(", &Names).diagnostics;
        assert!(diagnostics.is_sorted_by_key(|diagnostic| diagnostic.primary.0.start), "{diagnostics:?}");
    }

    /// Fuzzing: U+0080 to U+009F went to the terminal unchanged, and U+009B begins a control sequence there.
    #[test]
    fn no_control_character_is_shown_raw() {
        let text = "!\u{85}\u{9b}31m";
        let parsed = parse(text, &Names);
        let shown = parsed.diagnostics[0].render(&Source::new("f", text), false);
        assert!(shown.chars().all(|c| c == '\n' || !c.is_control()), "{shown:?}");
    }

    /// Fuzzing: the first `cycle` was taken for the keyword, or hid the keyword, at any position.
    #[test]
    fn a_proposition_may_be_called_cycle() {
        check_word("\"cycle{\"", "\"cycle{\"");
        check_word("cycle; cycle{!cycle}", "cycle; cycle{!cycle}");
        check_word("bicycle & cycle; cycle {cycle}", "bicycle & cycle; cycle{!bicycle & cycle}");
    }

    /// Code review: semicolons split a step inside its brackets and comments.
    #[test]
    fn a_semicolon_in_brackets_or_comments_ends_no_step() {
        check_word("{a;b}; p", "{a;b} & !p; !{a;b} & p");
        check_word("p // one; \"two\n; q", "p & !q; !p & q");
        check_word("cycle{p // }\n}", "cycle{p}");
    }

    /// Code review: white space was dropped even between words, and quotes in brackets were ignored.
    #[test]
    fn words_in_brackets_stay_apart() {
        check("{ a  b ,c }", &prop("{a b, c}"));
        check("{\"a  }\"}", &prop("{\"a  }\"}"));
    }

    /// Code review: each letter of a long word was read once for every operator before it.
    #[test]
    fn glued_operators_take_linear_work() {
        check_long(&format!("{}a", "X".repeat(10 * MANY)), Some("ltl::too-deep"));
    }

    /// Code review: a comparison that begins with a constant was printed in quotes, and one that begins with
    /// a minus sign was not parsed.
    #[test]
    fn a_comparison_may_begin_with_a_number() {
        for text in ["0 < x", "1 = x", "-1 <= x"] {
            check(text, &prop(text));
            assert_eq!(prop(text).to_string(), text);
        }
    }
}
