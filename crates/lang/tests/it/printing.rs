//! Formulas about programs are printed so that they are read back as the same formulas.

use crate::common::generate::Random;
use crate::common::program;
use selvedge_lang::{Atom, Program};
use selvedge_ltl::{Binary, Formula, Unary};

const PROGRAM: &str = "\
memory x = 0, y = 0, a[3] = 0;
statement crit;
process 1: local r = 0; r := x; crit
process p(i) for i in 0..1: x := y; y := a[i]
";

/// One of each kind of proposition.
const ATOMS: [&str; 12] = [
    "at(1, crit)",
    "at(p(0), crit)",
    "exec(p(1))",
    "x = 1",
    "x != null",
    "x <= y + 1",
    "a[x + 1] < 2",
    "(x - y) * 2 >= -1",
    "-x > y % 2",
    "r@1 = 2",
    "x - (y - 1) = -(x)",
    "true = true",
];

/// How many formulas are printed.
const FORMULAS: usize = 5000;

fn random_formula(random: &mut Random, atoms: &[Formula<Atom>], depth: u64) -> Formula<Atom> {
    let smaller = |random: &mut Random| Box::new(random_formula(random, atoms, depth - 1));
    match if depth == 0 { 0 } else { random.below(6) } {
        0 => atoms[random.index(atoms.len())].clone(),
        1 => Formula::Unary(Unary::Not, smaller(random)),
        2 => Formula::Unary(Unary::ALL[random.index(Unary::ALL.len())], smaller(random)),
        _ => {
            let operator = Binary::ALL[random.index(Binary::ALL.len())];
            let left = smaller(random);
            Formula::Binary(operator, left, smaller(random))
        }
    }
}

#[test]
fn a_formula_is_read_back_as_it_was_printed() {
    let program = program(PROGRAM);
    let read = |text: &str| program.formula(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    let known: Vec<Formula<Atom>> = ATOMS.iter().filter_map(|text| program.formula(text).ok()).collect();
    assert_eq!(known.len(), ATOMS.len() - 1, "all are propositions but the comparison of truths");
    let mut random = Random(3);
    for _ in 0..FORMULAS {
        let formula = random_formula(&mut random, &known, 5);
        let printed = formula.to_string();
        assert_eq!(read(&printed), formula, "{printed}");
    }
}

#[test]
fn a_comparison_behind_a_negation_has_parentheses() {
    let program = program(PROGRAM);
    let check = |text: &str, printed: &str| {
        assert_eq!(program.formula(text).expect("a formula").to_string(), printed);
    };
    check("[] ~ x = 1", "G !(x = 1)");
    check("~ ~ (x + 1 < y)", "!!(x + 1 < y)");
    check("~ at(1, crit) /\\ <> x = 1", "!at(1, crit) & F x = 1");
}
