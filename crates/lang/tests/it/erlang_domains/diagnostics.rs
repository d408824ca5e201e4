//! The diagnostics of domain files, and that no text makes their parser panic.

use super::{load, rendered};
use expect_test::{Expect, expect};
use selvedge_testkit::Random;

#[track_caller]
fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&rendered(&load(text).1));
}

const PARITY: &str = "domain d\nvalues even, odd\nalpha n % 2 = 0 -> even; otherwise -> odd\n";

#[test]
fn a_wrong_line_names_the_operation_and_its_numbers() {
    check(
        &format!("{PARITY}even + odd -> even"),
        &expect![[r#"
        error[domain::unsound]: `even + odd -> even` is wrong
         --> own.domain:4:1
          |
        4 | even + odd -> even
          | ^^^^^^^^^^^^^^^^^^ 0 + 1 is 1, which is `odd`
          |
          = help: add the result, or leave the line out: what has no line is computed
    "#]],
    );
    check(
        &format!("{PARITY}even div odd -> even"),
        &expect![[r#"
        error[domain::unsound]: `even div odd -> even` is wrong
         --> own.domain:4:1
          |
        4 | even div odd -> even
          | ^^^^^^^^^^^^^^^^^^^^ 4 div 3 is 1, which is `odd`
          |
          = help: add the result, or leave the line out: what has no line is computed
    "#]],
    );
    check(
        &format!("{PARITY}odd rem even -> odd"),
        &expect![[r#"
        error[domain::unsound]: `odd rem even -> odd` is wrong
         --> own.domain:4:1
          |
        4 | odd rem even -> odd
          | ^^^^^^^^^^^^^^^^^^^ 1 rem 0 is an error
          |
          = help: add the result, or leave the line out: what has no line is computed
    "#]],
    );
}

#[test]
fn wrong_signs_comparisons_and_errors_are_found() {
    check(
        &format!("{PARITY}- odd -> even\nbnot odd -> even\nabs odd -> odd"),
        &expect![[r#"
        error[domain::unsound]: `- odd -> even` is wrong
         --> own.domain:4:1
          |
        4 | - odd -> even
          | ^^^^^^^^^^^^^ - 1 is -1, which is `odd`
          |
          = help: add the result, or leave the line out: what has no line is computed
    "#]],
    );
    check(
        &format!("{PARITY}even = even -> true\neven < odd -> false"),
        &expect![[r#"
        error[domain::unsound]: `even = even -> true` is wrong
         --> own.domain:4:1
          |
        4 | even = even -> true
          | ^^^^^^^^^^^^^^^^^^^ 0 = 2 is false
          |
          = help: add the result, or leave the line out: what has no line is computed
        error[domain::unsound]: `even < odd -> false` is wrong
         --> own.domain:5:1
          |
        5 | even < odd -> false
          | ^^^^^^^^^^^^^^^^^^^ 0 < 1 is true
          |
          = help: add the result, or leave the line out: what has no line is computed
    "#]],
    );
    check(
        &format!("{PARITY}even * odd -> error"),
        &expect![[r#"
        error[domain::unsound]: `even * odd -> error` is wrong
         --> own.domain:4:1
          |
        4 | even * odd -> error
          | ^^^^^^^^^^^^^^^^^^^ 0 * 1 is 0, which is `even`
          |
          = help: add the result, or leave the line out: what has no line is computed
    "#]],
    );
}

#[test]
fn a_line_is_written_once() {
    check(
        &format!("{PARITY}even + odd -> odd\neven + odd -> odd"),
        &expect![[r#"
        error[domain::duplicate-row]: the result of this operation is written twice
         --> own.domain:5:1
          |
        4 | even + odd -> odd
          | ----------------- first here
        5 | even + odd -> odd
          | ^^^^^^^^^^^^^^^^^ again
          |
          = help: separate several results by commas
    "#]],
    );
}

#[test]
fn unknown_values_are_reported_with_the_nearest_name() {
    check(
        &format!("{PARITY}even + evne -> zero"),
        &expect![[r#"
        error[domain::unknown-value]: `evne` is not a value of this domain
         --> own.domain:4:8
          |
        4 | even + evne -> zero
          |        ^^^^ not declared
          |
          = help: did you mean `even`?
        error[domain::unknown-value]: `zero` is not a value of this domain
         --> own.domain:4:16
          |
        4 | even + evne -> zero
          |                ^^^^ not declared
    "#]],
    );
    check(
        "values even, odd, even\nalpha otherwise -> even",
        &expect![[r#"
        error[domain::values]: `even` is declared twice
         --> own.domain:1:19
          |
        1 | values even, odd, even
          |                   ^^^^
    "#]],
    );
    check(
        "values a, b, a\norder b < a\nalpha otherwise -> a",
        &expect![[r#"
        error[domain::values]: `a` is declared twice
         --> own.domain:1:14
          |
        1 | values a, b, a
          |              ^
    "#]],
    );
    check(
        "domain d",
        &expect![[r#"
        error[domain::values]: the domain has no values
         --> own.domain:1:1
          |
        1 | domain d
          | ^
          |
          = help: declare them: `values even, odd`
    "#]],
    );
}

#[test]
fn a_cycle_is_no_order() {
    check(
        "values a, b, c\norder a < b < c, c < a\nalpha otherwise -> a",
        &expect![[r#"
        error[domain::order]: `c` and `a` are each below the other
         --> own.domain:2:18
          |
        2 | order a < b < c, c < a
          |                  ^^^^^ with this, the order has a cycle
          |
          = help: the more precise value is the larger one: `?int < even`
    "#]],
    );
    check(
        "values a\norder a < a\nalpha otherwise -> a",
        &expect![[r#"
        error[domain::order]: `a` is below itself
         --> own.domain:2:7
          |
        2 | order a < a
          |       ^^^^^ with this, the order has a cycle
          |
          = help: the more precise value is the larger one: `?int < even`
    "#]],
    );
    check(
        "values a\norder a < ?int\nalpha otherwise -> a",
        &expect![[r#"
        error[domain::order]: `a` and `?int` are each below the other
         --> own.domain:2:7
          |
        2 | order a < ?int
          |       ^^^^^^^^ with this, the order has a cycle
          |
          = help: the more precise value is the larger one: `?int < even`
    "#]],
    );
}

#[test]
fn alpha_has_one_value_for_each_number() {
    check(
        "values a, b\nalpha n < 0 -> a; n > 0 -> b",
        &expect![[r#"
        error[domain::alpha]: `alpha` has no value for 0
         --> own.domain:2:7
          |
        2 | alpha n < 0 -> a; n > 0 -> b
          |       ^^^^^^^^^^^^^^^^^^^^^^
          |
          = help: end with `otherwise -> …`
    "#]],
    );
    check(
        "values a, b\nalpha n < 3 -> a; n in -4..2 -> b; otherwise -> b",
        &expect![[r#"
        warning[domain::alpha]: no number reaches this line of `alpha`
         --> own.domain:2:19
          |
        2 | alpha n < 3 -> a; n in -4..2 -> b; otherwise -> b
          |                   ^^^^^^^^^^^^^^^ earlier lines have them all
    "#]],
    );
    check(
        "values a\nalpha n % 1000 = 0 -> a; otherwise -> ?int",
        &expect![[r#"
        error[domain::alpha]: `alpha` distinguishes more than 256 sets of integers
         --> own.domain:2:7
          |
        2 | alpha n % 1000 = 0 -> a; otherwise -> ?int
          |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
          |
          = help: use fewer constants, or remainders by smaller numbers
    "#]],
    );
    check(
        "values a\nalpha n % 0 = 0 -> a",
        &expect![[r#"
        error[domain::number]: there is no such remainder
         --> own.domain:2:11
          |
        2 | alpha n % 0 = 0 -> a
          |           ^
    "#]],
    );
    check(
        "values a\nalpha n in 3..2 -> a",
        &expect![[r#"
        error[domain::number]: the range has no numbers
         --> own.domain:2:12
          |
        2 | alpha n in 3..2 -> a
          |            ^^^^
    "#]],
    );
    check(
        "values a",
        &expect![[r#"
        error[domain::alpha]: `alpha` has no value for 0
         --> own.domain:1:1
          |
        1 | values a
          | ^
          |
          = help: end with `otherwise -> …`
    "#]],
    );
}

#[test]
fn mistakes_in_the_syntax_cost_a_line_each() {
    check(
        "domain\nvalues a b\nalpha n & 2 -> a\notherwise -> a\na + -> a",
        &expect![[r#"
        error[domain::syntax]: `values` does not belong here
         --> own.domain:2:1
          |
        2 | values a b
          | ^^^^^^ expected the name of the domain
          |
          = help: a value with this name is written 'values'
        error[domain::syntax]: `alpha` does not belong here
         --> own.domain:3:1
          |
        3 | alpha n & 2 -> a
          | ^^^^^ expected an operator
        error[domain::syntax]: `->` does not belong here
         --> own.domain:5:5
          |
        5 | a + -> a
          |     ^^ expected a value
    "#]],
    );
    check(
        "values error\nalpha otherwise -> 'error'",
        &expect![[r#"
        error[domain::syntax]: `error` does not belong here
         --> own.domain:1:8
          |
        1 | values error
          |        ^^^^^ expected the name of a value
          |
          = help: a value with this name is written 'error'
    "#]],
    );
}

#[test]
fn deep_conditions_are_refused() {
    let text = format!("values a\nalpha {}n = 0 -> a", "(".repeat(100_000));
    assert!(rendered(&load(&text).1).contains("nested more than"));
    let text = format!("values a\nalpha {} n = 0 -> a", "not ".repeat(100_000));
    assert!(rendered(&load(&text).1).contains("nested more than"));
    let text = format!("values a\nalpha n = 0 {} -> a; otherwise -> ?int", "or n = 0 ".repeat(50_000));
    assert!(load(&text).0.is_some());
}

#[test]
fn a_line_that_regions_do_not_prove_is_an_assumption() {
    // Three low bits change no number of more bits into one below 8; the bounds of regions do not show it.
    let text = "domain d\nvalues few, big\nalpha n in 3..7 -> few; n >= 8 -> big; otherwise -> ?int\n\
                few bxor big -> big\nfew + big -> big";
    let (domain, diagnostics) = load(text);
    assert_eq!(rendered(&diagnostics), "");
    expect!["`few bxor big -> big` (own.domain:4) is right: it is tested on numbers, and not proven"]
        .assert_eq(&domain.expect("a domain").assumptions().join("\n"));
}

#[test]
fn no_text_makes_the_parser_panic() {
    let words = [
        "domain",
        "values",
        "order",
        "alpha",
        "n",
        "otherwise",
        "a",
        "b",
        "?int",
        "0",
        "12",
        "%",
        "->",
        "=",
        "<",
        "<=",
        "in",
        "{",
        "}",
        "..",
        "(",
        ")",
        "not",
        "and",
        "or",
        ",",
        ";",
        "+",
        "-",
        "div",
        "error",
        "'",
        "'x y'",
        "\n",
        "//",
        "é",
        "\u{0}",
    ];
    let mut random = Random(11);
    let mut domains = 0;
    for _ in 0..20_000 {
        let prefix = if random.below(2) == 0 { "" } else { "values a, b\nalpha otherwise -> a\n" };
        let length = random.below(12);
        let rest: Vec<&str> = (0..length).map(|_| random.pick(&words)).collect();
        let (domain, diagnostics) = load(&format!("{prefix}{}", rest.join(" ")));
        rendered(&diagnostics);
        domains += usize::from(domain.is_some());
    }
    assert!(domains > 100, "{domains} texts were domains");
}
