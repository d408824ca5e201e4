//! Formulas about Erlang programs, generated: what is printed is read back, quantifiers mean what their
//! definition says, and no text makes the parser panic.

use num_bigint::BigInt;
use selvedge_lang::erlang::formula::{Float, Proposition, Unfolded, parse};
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::letter::{Alphabet, Letter};
use selvedge_ltl::semantics::holds;
use selvedge_ltl::source::Span;
use selvedge_ltl::word::Word;
use selvedge_ltl::{Binary, Formula, Unary};
use selvedge_testkit::Random;

fn read(text: &str, pids: &[u8]) -> Result<Unfolded, Vec<Diagnostic>> {
    let formula = parse(text, Span::new(0, text.len()))?;
    Ok(formula.unfold(pids).expect("a small formula"))
}

const ATOMS: [&str; 26] = [
    "a",
    "ok",
    "true",
    "false",
    "G",
    "U",
    "forall",
    "exists",
    "prop",
    "implies",
    "iff",
    "and",
    "end",
    "maybe",
    "two words",
    "",
    "é",
    "λ",
    "it's\n\\",
    "a@b",
    "true@x",
    "not@x",
    "X1",
    "_",
    "always",
    "\u{0}\u{7f}\u{85}",
];

const ABSTRACT: [&str; 26] = [
    "?",
    "?int",
    "?a@b",
    "<0",
    ">=-10",
    "=<5",
    "<-1",
    "0..9",
    "-3..-1",
    "even&pos",
    "even&?int&>=3",
    "even",
    "0",
    "two words",
    "",
    "?\"",
    "a\"b\\",
    "1.5",
    "G",
    "{a}",
    "a&",
    "&",
    "..",
    "//x",
    "a\nb",
    "λ&1..2",
];

fn number(random: &mut Random) -> BigInt {
    match random.below(4) {
        0 => BigInt::from(random.below(3)),
        1 => BigInt::from(random.next() as i64),
        2 => BigInt::from(random.next()) * BigInt::from(random.next()) * -7,
        _ => BigInt::from(32 + random.below(96)),
    }
}

fn proposition(random: &mut Random, depth: usize) -> Proposition {
    let kinds = if depth == 0 { 6 } else { 10 };
    let some = |random: &mut Random| -> Vec<Proposition> {
        (0..random.below(4)).map(|_| proposition(random, depth - 1)).collect()
    };
    match random.below(kinds) {
        0 | 1 => Proposition::atom(random.pick(&ATOMS)),
        2 => Proposition::Integer(number(random)),
        3 => Float::new(f64::from_bits(random.next())).map_or(Proposition::Pid(63), Proposition::Float),
        4 => Proposition::Pid(random.below(64) as u8),
        5 => Proposition::Abstract(random.pick(&ABSTRACT).into()),
        6 => Proposition::Tuple(some(random)),
        7 => {
            let elements = some(random);
            let tail = (random.below(3) == 0).then(|| proposition(random, depth - 1));
            Proposition::list(elements, tail)
        }
        8 => Proposition::Map(some(random).into_iter().zip(some(random)).collect()),
        _ => Proposition::Binary((0..random.below(4)).map(|_| random.next() as u8).collect()),
    }
}

fn formula(random: &mut Random, depth: usize) -> Formula<Proposition> {
    if depth == 0 || random.below(4) == 0 {
        return match random.below(12) {
            0 => Formula::Const(random.below(2) == 0),
            _ => Formula::Prop(proposition(random, 3)),
        };
    }
    let inner = formula(random, depth - 1);
    if random.below(2) == 0 {
        return Formula::Unary(random.pick(&Unary::ALL), Box::new(inner));
    }
    let right = formula(random, depth - 1);
    Formula::Binary(random.pick(&Binary::ALL), Box::new(inner), Box::new(right))
}

#[test]
fn a_printed_formula_is_read_back() {
    let mut random = Random(18);
    for _ in 0..20_000 {
        let formula = formula(&mut random, 4);
        let text = formula.to_string();
        let unfolded = read(&text, &[]).unwrap_or_else(|errors| panic!("{text}\n{errors:?}"));
        assert_eq!(unfolded.formula, formula, "{text}");
    }
}

#[test]
fn a_printed_term_is_read_back_inside_of_another_and_of_prop() {
    let mut random = Random(19);
    for _ in 0..20_000 {
        let term = proposition(&mut random, 4);
        let expected = [term.clone(), Proposition::Tuple(vec![term.clone()])].map(Formula::Prop);
        for (text, expected) in [format!("prop({term})"), format!("{{{term}}}")].iter().zip(expected) {
            let unfolded = read(text, &[]).unwrap_or_else(|errors| panic!("{text}\n{errors:?}"));
            assert_eq!(unfolded.formula, expected, "{text}");
        }
    }
}

/// A quantified formula, as its definition needs it.
enum Quantified {
    /// A tuple of variables.
    Term(Vec<String>),
    Unary(Unary, Box<Quantified>),
    Binary(Binary, Box<Quantified>, Box<Quantified>),
    /// For all, or for some, values of the variable that differ from those of the others.
    Quantifier {
        is_forall: bool,
        variable: String,
        others: Vec<String>,
        formula: Box<Quantified>,
    },
}

fn quantified(random: &mut Random, depth: usize, scope: &mut Vec<String>) -> Quantified {
    if depth == 0 || (scope.len() > 1 && random.below(5) == 0) {
        return Quantified::Term(scope.iter().filter(|_| random.below(2) == 0).cloned().collect());
    }
    match random.below(4) {
        0 => {
            let operators = [Unary::Always, Unary::WeakNext, Unary::Next, Unary::Not, Unary::Historically];
            Quantified::Unary(random.pick(&operators), Box::new(quantified(random, depth - 1, scope)))
        }
        1 => {
            let operator =
                random.pick(&[Binary::And, Binary::And, Binary::Or, Binary::Until, Binary::Implies]);
            let left = quantified(random, depth - 1, scope);
            Quantified::Binary(operator, Box::new(left), Box::new(quantified(random, depth - 1, scope)))
        }
        _ => {
            let variable = format!("v{}", scope.len());
            let others = scope.iter().filter(|_| random.below(3) == 0).cloned().collect();
            scope.push(variable.clone());
            let formula = Box::new(quantified(random, depth - 1, scope));
            scope.pop();
            Quantified::Quantifier { is_forall: random.below(3) > 0, variable, others, formula }
        }
    }
}

impl Quantified {
    fn text(&self) -> String {
        match self {
            Quantified::Term(variables) => format!("{{{}}}", variables.join(", ")),
            Quantified::Unary(operator, inner) => {
                let sign = Formula::Unary(*operator, Box::new(Formula::prop("p"))).to_string();
                format!("{}({})", sign.trim_end_matches('p'), inner.text())
            }
            Quantified::Binary(operator, left, right) => {
                let [p, q] = ["p", "q"].map(|name| Box::new(Formula::prop(name)));
                let sign = Formula::Binary(*operator, p, q).to_string();
                format!("({}) {} ({})", left.text(), sign.trim_matches(['p', 'q']), right.text())
            }
            Quantified::Quantifier { is_forall, variable, others, formula } => {
                let word = if *is_forall { "forall" } else { "exists" };
                // Variables of one group differ from each other: one group each.
                let groups: Vec<String> =
                    others.iter().map(|other| format!("{variable} /= {other}")).collect();
                let groups = if groups.is_empty() { variable.clone() } else { groups.join(", ") };
                format!("{word} {groups}: {}", formula.text())
            }
        }
    }

    /// The definition: every choice in its order, joined to the left.
    fn unfold(&self, values: &[(String, u8)], pids: &[u8]) -> Formula<Proposition> {
        let value = |name: &String| values.iter().find(|(known, _)| known == name).expect("bound").1;
        match self {
            Quantified::Term(variables) => Formula::Prop(Proposition::Tuple(
                variables.iter().map(|variable| Proposition::Pid(value(variable))).collect(),
            )),
            Quantified::Unary(operator, inner) => {
                Formula::Unary(*operator, Box::new(inner.unfold(values, pids)))
            }
            Quantified::Binary(operator, left, right) => Formula::Binary(
                *operator,
                Box::new(left.unfold(values, pids)),
                Box::new(right.unfold(values, pids)),
            ),
            Quantified::Quantifier { is_forall, variable, others, formula } => {
                let choices = pids.iter().filter(|pid| others.iter().all(|other| value(other) != **pid));
                let unfolded = choices.map(|pid| {
                    let values = [values, &[(variable.clone(), *pid)]].concat();
                    formula.unfold(&values, pids)
                });
                let join =
                    |left: Formula<Proposition>, right| if *is_forall { left & right } else { left | right };
                unfolded.reduce(join).unwrap_or(Formula::Const(*is_forall))
            }
        }
    }
}

#[test]
fn quantifiers_are_what_their_definition_says_and_instances_are_equivalent() {
    let mut random = Random(20);
    let mut compared = 0;
    for _ in 0..4_000 {
        let quantified = quantified(&mut random, 5, &mut Vec::new());
        let pids: &[u8] = random.pick(&[&[][..], &[4], &[0, 2], &[0, 1, 2]]);
        let text = quantified.text();
        let unfolded = read(&text, pids).unwrap_or_else(|errors| panic!("{text}\n{errors:?}"));
        assert_eq!(unfolded.formula, quantified.unfold(&[], pids), "{text}");
        let mut alphabet = Alphabet::default();
        let Ok(whole) = alphabet.number(&unfolded.formula) else { continue };
        if whole.size() > 300 {
            continue;
        }
        let instances: Vec<_> = unfolded
            .instances
            .iter()
            .map(|instance| alphabet.number(&instance.formula).expect("no others"))
            .collect();
        for _ in 0..10 {
            let mut letters = |least: usize| -> Vec<Letter> {
                (0..least + random.below(3))
                    .map(|_| Letter::exactly(random.next() & alphabet.mask()))
                    .collect()
            };
            let word = if compared % 2 == 0 {
                Word::finite(letters(1))
            } else {
                Word::lasso(letters(0), letters(1))
            };
            let conjunction = instances.iter().all(|instance| holds(&word, instance));
            assert_eq!(holds(&word, &whole), conjunction, "{text} over {pids:?}");
            compared += 1;
        }
    }
    assert!(compared > 10_000, "{compared}");
}

#[test]
fn no_text_makes_the_parser_panic() {
    const PARTS: [&str; 60] = [
        "a", "'b c'", "\"s\"", "X", "G", "F", "U", "{", "}", "[", "]", "(", ")", "#{", "=>", "<<", ">>", ",",
        "|", "@", "@1", "@99", "?", "?int", "<", "<0", ">=", "..", "0", "1", "42", "1.5", "-", "&", "!",
        "->", "<->", "forall", "exists", "i", "j", ":", "/=", "i /= j", "prop", "prop(", " ", " ", "\n",
        "//", "'", "\"", "$", "#", "λ", "end", "=", "true", "\\", "_",
    ];
    let mut random = Random(21);
    let mut understood = 0;
    for _ in 0..60_000 {
        let text: String = (0..1 + random.below(14)).map(|_| random.pick(&PARTS)).collect();
        match read(&text, &[0, 1]) {
            Ok(unfolded) => {
                understood += 1;
                let printed = unfolded.formula.to_string();
                assert_eq!(read(&printed, &[]).expect("a formula").formula, unfolded.formula, "{text:?}");
            }
            Err(errors) => {
                assert!(!errors.is_empty());
                for error in errors {
                    let spans = error.context.iter().map(|(span, _)| *span).chain([error.primary.0]);
                    spans.for_each(|span| assert!(text.get(span.range()).is_some(), "{text:?}: {error:?}"));
                }
            }
        }
    }
    assert!(understood > 1_000, "{understood}");
}
