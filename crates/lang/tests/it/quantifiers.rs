//! `forall` and `exists` in formulas: their expansions, and refused quantifiers.

use crate::common::program;
use expect_test::{Expect, expect};
use selvedge_lang::Program;
use selvedge_lang::parallel::parse;
use selvedge_ltl::source::Source;

const PROGRAM: &str = "\
const N = 3;
memory a[4] = 0, x = 0;
statement crit;
define near(i, v) = forall j in i - 1..i: a[j] = v;
define some(f) = exists k in 1..2: f /\\ a[k] = k;
process p(i) for i in 1..N: crit; a[i] := x
";

/// The formula and its expansion are equal.
#[track_caller]
fn check(text: &str, meant: &str) {
    let program = program(PROGRAM);
    let formula = |text: &str| program.formula(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    assert_eq!(formula(text).to_string(), meant);
    assert_eq!(formula(text), formula(meant));
}

#[test]
fn a_quantifier_joins_its_formula_for_each_number() {
    check("forall i in 1..N: a[i] = 0", "a[1] = 0 & a[2] = 0 & a[3] = 0");
    check("exists i in 1..N - 1: at(p(i), crit)", "at(p(1), crit) | at(p(2), crit)");
    check("forall i in N..N: <> exec(p(i))", "F exec(p(3))");
    check("[] exists i in 2..3: x = i", "G (x = 2 | x = 3)");
}

#[test]
fn a_quantifier_extends_as_far_as_it_can() {
    check("forall i in 1..2: a[i] = 0 \\/ x = 0", "(a[1] = 0 | x = 0) & (a[2] = 0 | x = 0)");
    check("(forall i in 1..2: a[i] = 0) \\/ x = 0", "a[1] = 0 & a[2] = 0 | x = 0");
    check("x = 1 /\\ forall i in 1..2: [] a[i] = 0", "x = 1 & (G a[1] = 0 & G a[2] = 0)");
    check("forall i in 1..2: [] (a[i] = 0) /\\ x = 1", "G a[1] = 0 & x = 1 & (G a[2] = 0 & x = 1)");
}

#[test]
fn quantifiers_can_be_nested_and_used_in_definitions_and_arguments() {
    check("exists i in 1..2: forall j in i..2: a[j] = i", "a[1] = 1 & a[2] = 1 | a[2] = 2");
    check("near(2, x)", "a[1] = x & a[2] = x");
    check("forall i in 1..2: near(i + 1, i)", "a[1] = 1 & a[2] = 1 & (a[2] = 2 & a[3] = 2)");
    check("some(forall j in 1..2: x = j)", "x = 1 & x = 2 & a[1] = 1 | x = 1 & x = 2 & a[2] = 2");
    check("forall i in 1..2: exists i in 3..3: a[i] = 0", "a[3] = 0 & a[3] = 0");
}

#[test]
fn over_no_numbers_forall_is_true_and_exists_false() {
    check("forall i in 2..1: x = i", "true");
    check("exists i in 1..0: x = i", "false");
}

#[track_caller]
fn refused(property: &str, expected: &Expect) {
    let source =
        Source::new("t.par", format!("memory x = 0, a[4] = 0; process 1: x := 1\nproperty p: {property}\n"));
    let (program, diagnostics) = parse(&source);
    assert!(program.is_none(), "{property} is accepted");
    let rendered: String = diagnostics.iter().map(|d| d.render(&source, false) + "\n").collect();
    expected.assert_eq(&rendered);
}

#[test]
fn errors_in_quantifiers_have_their_places() {
    refused(
        "forall i in 1..x: a[i] = 0",
        &expect![[r#"
        error[par::expected-constant]: expected a constant
         --> t.par:2:28
          |
        2 | property p: forall i in 1..x: a[i] = 0
          |                            ^ this is known only at run time
          |
          = help: numbers, `const`s and arithmetic that does not overflow may stand here
    "#]],
    );
    refused(
        "forall i in 1..100000: x = i",
        &expect![[r#"
        error[par::range-too-long]: a quantifier goes through at most 500 numbers
         --> t.par:2:25
          |
        2 | property p: forall i in 1..100000: x = i
          |                         ^^^^^^^^^ these are 100000
    "#]],
    );
    refused(
        "forall i in 1..2 a[i] = 0",
        &expect![[r#"
        error[par::unexpected]: expected `:`, found `a`
         --> t.par:2:30
          |
        2 | property p: forall i in 1..2 a[i] = 0
          |                              ^ before the formula of the quantifier
    "#]],
    );
    refused(
        "forall i in 1: a[i] = 0",
        &expect![[r#"
        error[par::unexpected]: expected `..`, found `:`
         --> t.par:2:26
          |
        2 | property p: forall i in 1: a[i] = 0
          |                          ^ between the first and the last number
    "#]],
    );
    refused(
        "[] (exists i in 1..3: b[i] = 0)",
        &expect![[r#"
        error[par::not-an-array]: `b` is not an array
         --> t.par:2:35
          |
        2 | property p: [] (exists i in 1..3: b[i] = 0)
          |                                   ^ only arrays have elements
          |
          = help: declare it: `memory b[5] = 0;`
    "#]],
    );
    refused(
        "forall i in 1..3:",
        &expect![[r#"
        error[ltl::expected-formula]: the formula is empty
         --> t.par:2:30
          |
        2 | property p: forall i in 1..3:
          |                              ^ nothing is written here
          |
          = help: write `true` for the formula that always holds
    "#]],
    );
}

#[test]
fn deep_nesting_of_quantifiers_and_arguments_is_refused() {
    let quantifiers = "forall i in 1..2: ".repeat(20_000) + "x = 1";
    let arguments = "n(".repeat(50_000) + "x = 1" + &")".repeat(50_000);
    for formula in [quantifiers, arguments] {
        let text = format!("memory x = 0; process 1: x := 1\ndefine n(f) = ~ f;\nproperty p: {formula}\n");
        let (program, diagnostics) = parse(&Source::new("t.par", text));
        assert!(program.is_none(), "it is accepted");
        assert_eq!(diagnostics[0].code, "par::too-deep");
    }
}
