//! The messages on common mistakes in formulas, word for word, and the formula that the parser returns
//! nevertheless.
//!
//! `UPDATE_EXPECT=1 cargo test -p selvedge-ltl --test it messages` updates the expected texts; review them
//! before committing.

use expect_test::{Expect, expect};
use selvedge_ltl::source::Source;
use selvedge_ltl::syntax::{MAX_DIAGNOSTICS, Names, parse};

#[track_caller]
#[expect(clippy::needless_pass_by_value)] // so that a row reads `check(text, expect![..])`
fn check(text: &str, expect: Expect) {
    let source = Source::new("formula", text);
    let parsed = parse(text, &Names);
    let mut lines: Vec<String> = parsed.diagnostics.iter().map(|it| it.render(&source, false)).collect();
    lines.push(format!("=> {}", parsed.formula));
    expect.assert_eq(&lines.join("\n"));
}

#[test]
fn a_missing_operand_at_the_end() {
    check(
        "p &",
        expect![[r#"
        error[ltl::expected-formula]: expected a formula, found the end
         --> formula:1:4
          |
        1 | p &
          |   -^ something is missing here
          |   |
          |   this operator needs a formula after it
        => p & true"#]],
    );
}

#[test]
fn a_missing_operand_in_the_middle() {
    check(
        "p & | q",
        expect![[r#"
            error[ltl::expected-formula]: expected a formula, found `|`
             --> formula:1:5
              |
            1 | p & | q
              |   - ^ `|` needs a formula before it
              |   |
              |   this operator needs a formula after it
            => p & true | q"#]],
    );
}

#[test]
fn a_missing_operand_in_parentheses() {
    check(
        "G (p -> )",
        expect![[r#"
        error[ltl::expected-formula]: expected a formula, found `)`
         --> formula:1:9
          |
        1 | G (p -> )
          |      -- ^ something is missing before this
          |      |
          |      this operator needs a formula after it
        => G (p -> true)"#]],
    );
}

#[test]
fn empty_parentheses() {
    check(
        "G ()",
        expect![[r#"
        error[ltl::expected-formula]: expected a formula, found `)`
         --> formula:1:4
          |
        1 | G ()
          |    ^ something is missing before this
        => G true"#]],
    );
}

#[test]
fn a_missing_operand_before_an_until() {
    check(
        "U q",
        expect![[r#"
            error[ltl::expected-formula]: expected a formula, found `U`
             --> formula:1:1
              |
            1 | U q
              | ^ `U` needs a formula before it
              |
              = help: a proposition of that name is written "U", in quotes
            => true U q"#]],
    );
}

#[test]
fn an_empty_formula() {
    check(
        "",
        expect![[r#"
        error[ltl::expected-formula]: the formula is empty
         --> formula:1:1
          |
        1 |
          | ^ nothing is written here
          |
          = help: write `true` for the formula that always holds
        => true"#]],
    );
}

#[test]
fn a_formula_of_comments_only() {
    check(
        "// nothing yet\n",
        expect![[r#"
            error[ltl::expected-formula]: the formula is empty
             --> formula:1:1
              |
            1 | // nothing yet
              | ^ nothing is written here
              |
              = help: write `true` for the formula that always holds
            => true"#]],
    );
}

#[test]
fn a_missing_operator() {
    check(
        "G p q",
        expect![[r#"
        error[ltl::expected-operator]: expected an operator, found `q`
         --> formula:1:5
          |
        1 | G p q
          |     ^ two formulas need an operator between them
          |
          = help: the operators are `&`, `|`, `->`, `<->`, `U`, `R`, `W`, `M`, `S`, `T`
        => G p & q"#]],
    );
}

#[test]
fn a_missing_operator_before_a_group() {
    check(
        "p (q)",
        expect![[r#"
        error[ltl::expected-operator]: expected an operator, found `(`
         --> formula:1:3
          |
        1 | p (q)
          |   ^ two formulas need an operator between them
          |
          = help: the operators are `&`, `|`, `->`, `<->`, `U`, `R`, `W`, `M`, `S`, `T`
        => p & q"#]],
    );
}

#[test]
fn an_operator_doubled() {
    check(
        "p UU q",
        expect![[r#"
        error[ltl::expected-operator]: `UU` is not an operator here
         --> formula:1:3
          |
        1 | p UU q
          |   ^^ write `U`
        => p U q"#]],
    );
}

#[test]
fn an_unclosed_parenthesis() {
    check(
        "G (p -> F q",
        expect![[r#"
        error[ltl::unclosed-parenthesis]: `(` is never closed
         --> formula:1:3
          |
        1 | G (p -> F q
          |   ^ opened here
          |
          = help: write `)` where the group ends
        => G (p -> F q)"#]],
    );
}

#[test]
fn several_unclosed_parentheses() {
    check(
        "G ((p -> (F q",
        expect![[r#"
        error[ltl::unclosed-parenthesis]: 3 parentheses are never closed
         --> formula:1:3
          |
        1 | G ((p -> (F q
          |   ^-     - and here
          |   ||
          |   |and here
          |   opened here
          |
          = help: write `)` where the group ends
        => G (p -> F q)"#]],
    );
}

#[test]
fn an_unmatched_parenthesis() {
    check(
        "G (p -> q)) & r",
        expect![[r#"
        error[ltl::unmatched-parenthesis]: `)` without `(`
         --> formula:1:11
          |
        1 | G (p -> q)) & r
          |           ^ nothing is open here
          |
          = help: remove it, or write `(` where the group begins
        => G (p -> q) & r"#]],
    );
}

#[test]
fn an_unclosed_quote() {
    check(
        "G \"two words & q",
        expect![[r#"
        error[ltl::unclosed-quote]: this quotation never ends
         --> formula:1:3
          |
        1 | G "two words & q
          |   ^ opened here
          |
          = help: close it with `"`; inside, write `\"` for a quotation mark
        => G true"#]],
    );
}

#[test]
fn an_unclosed_bracket() {
    check(
        "G sent(1 & q",
        expect![[r#"
        error[ltl::unclosed-bracket]: the proposition's `(` is never closed
         --> formula:1:7
          |
        1 | G sent(1 & q
          |       ^ opened here
          |
          = help: write `)` where it ends
        => G true"#]],
    );
}

#[test]
fn a_wrong_bracket() {
    check(
        "G sent(1] & q",
        expect![[r#"
        error[ltl::unclosed-bracket]: `]` closes nothing in this proposition
         --> formula:1:9
          |
        1 | G sent(1] & q
          |       - ^ another bracket is open
          |       |
          |       the proposition's brackets begin here
        => G true & q"#]],
    );
}

#[test]
fn an_operator_of_ctl() {
    check(
        "AG p -> q",
        expect![[r#"
        error[ltl::path-quantifier]: `AG` is an operator of CTL, not of LTL
         --> formula:1:1
          |
        1 | AG p -> q
          | ^^ quantifies over runs
          |
          = help: a formula of LTL speaks of every run by itself: leave out the `A`
        => G p -> q"#]],
    );
}

#[test]
fn an_existential_operator_of_ctl() {
    check(
        "EF p",
        expect![[r#"
            error[ltl::path-quantifier]: `EF` is an operator of CTL, not of LTL
             --> formula:1:1
              |
            1 | EF p
              | ^^ quantifies over runs
              |
              = help: LTL speaks of every run; to find one with `F p`, check `!F p`: its counterexample is that run
            => F p"#]],
    );
}

#[test]
fn a_path_quantifier_apart() {
    check(
        "A G p",
        expect![[r#"
        error[ltl::path-quantifier]: `A` is an operator of CTL, not of LTL
         --> formula:1:1
          |
        1 | A G p
          | ^ quantifies over runs
          |
          = help: a formula of LTL speaks of every run by itself: leave out the `A`
        => G p"#]],
    );
}

#[test]
fn an_operator_of_ctl_before_a_parenthesis() {
    check(
        "AG(p -> q)",
        expect![[r#"
        error[ltl::path-quantifier]: `AG` is an operator of CTL, not of LTL
         --> formula:1:1
          |
        1 | AG(p -> q)
          | ^^ quantifies over runs
          |
          = help: a formula of LTL speaks of every run by itself: leave out the `A`
        => true"#]],
    );
}

#[test]
fn an_until_of_ctl() {
    check(
        "A[p U q]",
        expect![[r#"
        error[ltl::path-quantifier]: `A` is an operator of CTL, not of LTL
         --> formula:1:1
          |
        1 | A[p U q]
          | ^ quantifies over runs
          |
          = help: a formula of LTL speaks of every run by itself: leave out the `A`
        => true"#]],
    );
}

#[test]
fn operators_in_english() {
    check(
        "always p",
        expect![[r#"
        error[ltl::expected-operator]: `always` is not an operator here
         --> formula:1:1
          |
        1 | always p
          | ^^^^^^ write `G`
        => G p"#]],
    );
}

#[test]
fn operators_in_english_with_a_parenthesis() {
    check(
        "always(p)",
        expect![[r#"
        error[ltl::expected-operator]: `always` is not an operator here
         --> formula:1:1
          |
        1 | always(p)
          | ^^^^^^ write `G`
        => true"#]],
    );
}

#[test]
fn operators_in_english_between_formulas() {
    check(
        "p until q",
        expect![[r#"
        error[ltl::expected-operator]: `until` is not an operator here
         --> formula:1:3
          |
        1 | p until q
          |   ^^^^^ write `U`
        => p U q"#]],
    );
}

#[test]
fn capital_operators() {
    check(
        "p AND q",
        expect![[r#"
        error[ltl::expected-operator]: `AND` is not an operator here
         --> formula:1:3
          |
        1 | p AND q
          |   ^^^ write `&`
        => p & q"#]],
    );
}

#[test]
fn an_equals_sign_between_formulas() {
    check(
        "(p & q) = r",
        expect![[r#"
        error[ltl::unexpected-character]: `=` means nothing here
         --> formula:1:9
          |
        1 | (p & q) = r
          |         ^
          |
          = help: comparisons stand between names and numbers, as in `x <= 3`; for equivalence write `<->`
        => p & q & r"#]],
    );
}

#[test]
fn an_equals_sign_before_a_formula() {
    check(
        "p = (q & r)",
        expect![[r#"
        error[ltl::incomplete-comparison]: nothing to compare `p` with
         --> formula:1:3
          |
        1 | p = (q & r)
          |   ^ a name or a number is expected after this
          |
          = help: comparisons stand between names and numbers; implication is written `->`, equivalence `<->`
        => true & (q & r)"#]],
    );
}

#[test]
fn an_equals_sign_before_nothing() {
    check(
        "turn =",
        expect![[r#"
        error[ltl::incomplete-comparison]: nothing to compare `turn` with
         --> formula:1:6
          |
        1 | turn =
          |      ^ a name or a number is expected after this
          |
          = help: comparisons stand between names and numbers; implication is written `->`, equivalence `<->`
        => true"#]],
    );
}

#[test]
fn an_arrow_with_two_lines() {
    check(
        "p ==> q",
        expect![[r#"
        error[ltl::incomplete-comparison]: nothing to compare `p` with
         --> formula:1:3
          |
        1 | p ==> q
          |   ^^ a name or a number is expected after this
          |
          = help: comparisons stand between names and numbers; implication is written `->`, equivalence `<->`
        => true & q"#]],
    );
}

#[test]
fn an_at_without_a_place() {
    check(
        "G P0 at & q",
        expect![[r#"
            error[ltl::incomplete-comparison]: `P0 at` lacks its place
             --> formula:1:6
              |
            1 | G P0 at & q
              |      ^^ the name of a place is expected after this
              |
              = help: write it as in `P0 at m2`
            => G true & q"#]],
    );
}

#[test]
fn an_unknown_character() {
    check(
        "p # q",
        expect![[r#"
        error[ltl::unexpected-character]: `#` means nothing here
         --> formula:1:3
          |
        1 | p # q
          |   ^
          |
          = help: a proposition with such characters is written in quotes
        => p & q"#]],
    );
}

#[test]
fn a_comma_between_formulas() {
    check(
        "G p, F q",
        expect![[r#"
            error[ltl::unexpected-character]: `,` means nothing here
             --> formula:1:4
              |
            1 | G p, F q
              |    ^
              |
              = help: a formula ends without a sign; to ask for two at once, write `&` between them
            => G p & F q"#]],
    );
}

#[test]
fn a_semicolon_at_the_end() {
    check(
        "G p;",
        expect![[r#"
            error[ltl::unexpected-character]: `;` means nothing here
             --> formula:1:4
              |
            1 | G p;
              |    ^
              |
              = help: a formula ends without a sign; to ask for two at once, write `&` between them
            => G p"#]],
    );
}

#[test]
fn an_exclusive_or() {
    check(
        "p ^ q",
        expect![[r#"
        error[ltl::unexpected-character]: `^` means nothing here
         --> formula:1:3
          |
        1 | p ^ q
          |   ^
          |
          = help: for either `p` or `q` but not both, write `!(p <-> q)`
        => p & q"#]],
    );
}

#[test]
fn single_quotes() {
    check(
        "G 'two words'",
        expect![[r#"
            error[ltl::unexpected-character]: `'` means nothing here
             --> formula:1:3
              |
            1 | G 'two words'
              |   ^
              |
              = help: a text is put between `"` and `"`
            error[ltl::expected-operator]: expected an operator, found `words`
             --> formula:1:8
              |
            1 | G 'two words'
              |        ^^^^^ two formulas need an operator between them
              |
              = help: the operators are `&`, `|`, `->`, `<->`, `U`, `R`, `W`, `M`, `S`, `T`
            => G two & words'"#]],
    );
}

#[test]
fn a_number() {
    check(
        "G 12",
        expect![[r#"
            error[ltl::unexpected-number]: `12` is a number, not a formula
             --> formula:1:3
              |
            1 | G 12
              |   ^^
              |
              = help: compare it with something, as in `x = 12`
            => G true"#]],
    );
}

#[test]
fn a_name_that_begins_with_a_digit() {
    check(
        "2nd U p",
        expect![[r#"
            error[ltl::unexpected-number]: `2nd` is not a name
             --> formula:1:1
              |
            1 | 2nd U p
              | ^^^ begins with a digit
              |
              = help: as a proposition it is written "2nd", in quotes
            => true U p"#]],
    );
}

#[test]
fn arithmetic() {
    check(
        "x + 1 = 2",
        expect![[r#"
        error[ltl::unexpected-character]: `+` means nothing here
         --> formula:1:3
          |
        1 | x + 1 = 2
          |   ^
          |
          = help: a proposition with such characters is written in quotes
        => x & 1 = 2"#]],
    );
}

#[test]
fn several_errors_at_once() {
    check(
        "G (p q) & & (r",
        expect![[r#"
            error[ltl::expected-operator]: expected an operator, found `q`
             --> formula:1:6
              |
            1 | G (p q) & & (r
              |      ^ two formulas need an operator between them
              |
              = help: the operators are `&`, `|`, `->`, `<->`, `U`, `R`, `W`, `M`, `S`, `T`
            error[ltl::expected-formula]: expected a formula, found `&`
             --> formula:1:11
              |
            1 | G (p q) & & (r
              |         - ^ `&` needs a formula before it
              |         |
              |         this operator needs a formula after it
            error[ltl::unclosed-parenthesis]: `(` is never closed
             --> formula:1:13
              |
            1 | G (p q) & & (r
              |             ^ opened here
              |
              = help: write `)` where the group ends
            => G (p & q) & true & r"#]],
    );
}

#[test]
fn an_error_in_the_middle_of_many_lines() {
    check(
        "// mutual exclusion\nG (p -> q)\n& G (q r)\n& F r\n",
        expect![[r#"
        error[ltl::expected-operator]: expected an operator, found `r`
         --> formula:3:8
          |
        3 | & G (q r)
          |        ^ two formulas need an operator between them
          |
          = help: the operators are `&`, `|`, `->`, `<->`, `U`, `R`, `W`, `M`, `S`, `T`
        => G (p -> q) & G (q & r) & F r"#]],
    );
}

#[test]
fn a_tab_before_the_error() {
    check(
        "G\tp q",
        expect![[r#"
        error[ltl::expected-operator]: expected an operator, found `q`
         --> formula:1:5
          |
        1 | G    p q
          |        ^ two formulas need an operator between them
          |
          = help: the operators are `&`, `|`, `->`, `<->`, `U`, `R`, `W`, `M`, `S`, `T`
        => G p & q"#]],
    );
}

#[test]
fn wide_characters_before_the_error() {
    check(
        "\"漢字\" & é q",
        expect![[r#"
        error[ltl::expected-operator]: expected an operator, found `q`
         --> formula:1:10
          |
        1 | "漢字" & é q
          |            ^ two formulas need an operator between them
          |
          = help: the operators are `&`, `|`, `->`, `<->`, `U`, `R`, `W`, `M`, `S`, `T`
        => 漢字 & é & q"#]],
    );
}

#[test]
fn mistakes_beyond_the_limit_are_counted() {
    let diagnostics = parse(&"p & | ".repeat(MAX_DIAGNOSTICS + 5), &Names).diagnostics;
    assert_eq!(diagnostics.len(), MAX_DIAGNOSTICS);
    let help = diagnostics.last().map(|last| last.help.join("; "));
    assert_eq!(help.as_deref(), Some("6 more mistakes are not shown"));
}
