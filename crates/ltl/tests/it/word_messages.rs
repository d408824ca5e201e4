//! The messages on common mistakes in words, word for word.

use expect_test::{Expect, expect};
use selvedge_ltl::Alphabet;
use selvedge_ltl::source::Source;
use selvedge_ltl::syntax::Names;
use selvedge_ltl::word::parse_word;

#[track_caller]
#[expect(clippy::needless_pass_by_value)] // so that a row reads `check_word(text, expect![..])`
fn check_word(text: &str, expect: Expect) {
    let source = Source::new("word", text);
    let diagnostics = parse_word(text, &Names, &mut Alphabet::default()).expect_err("no word");
    let lines: Vec<String> = diagnostics.iter().map(|it| it.render(&source, false)).collect();
    expect.assert_eq(&lines.join("\n"));
}

#[test]
fn an_empty_word() {
    check_word(
        "",
        expect![[r#"
        error[ltl::empty-word]: a word has at least one step
         --> word:1:1
          |
        1 |
          | ^
          |
          = help: write the steps with `;` between them, as in `p; p & q; cycle{!p}`"#]],
    );
}

#[test]
fn an_empty_step() {
    check_word(
        "p; ; q",
        expect![[r#"
            error[ltl::empty-step]: a step is empty
             --> word:1:4
              |
            1 | p; ; q
              |    ^ nothing is written here
              |
              = help: write `true` for a state in which no proposition holds"#]],
    );
}

#[test]
fn an_empty_cycle() {
    check_word(
        "p; cycle{}",
        expect![[r#"
            error[ltl::empty-step]: a step is empty
             --> word:1:10
              |
            1 | p; cycle{}
              |          ^ nothing is written here
              |
              = help: write `true` for a state in which no proposition holds"#]],
    );
}

#[test]
fn a_cycle_without_end() {
    check_word(
        "p; cycle{q; r",
        expect![[r#"
        error[ltl::unclosed-cycle]: the cycle has no end
         --> word:1:4
          |
        1 | p; cycle{q; r
          |    ^^^^^^ opened here
          |
          = help: write `}` behind its last step"#]],
    );
}

#[test]
fn a_step_after_the_cycle() {
    check_word(
        "cycle{p}; q",
        expect![[r#"
        error[ltl::after-cycle]: nothing can come after the cycle
         --> word:1:9
          |
        1 | cycle{p}; q
          |         ^^^ never reached
          |
          = help: the cycle repeats for ever; steps that come once stand before it"#]],
    );
}

#[test]
fn a_disjunction_as_a_step() {
    check_word(
        "p; q | r",
        expect![[r#"
        error[ltl::not-a-letter]: this step leaves open which propositions hold
         --> word:1:4
          |
        1 | p; q | r
          |    ^^^^^ this step
          |
          = help: write propositions and negated ones with `&` between them, or `true` if none holds"#]],
    );
}

#[test]
fn a_contradiction_as_a_step() {
    check_word(
        "p & !p",
        expect![[r#"
        error[ltl::not-a-letter]: no state is like this step
         --> word:1:1
          |
        1 | p & !p
          | ^^^^^^ this step
          |
          = help: write propositions and negated ones with `&` between them, or `true` if none holds"#]],
    );
}

#[test]
fn a_false_step() {
    check_word(
        "p; false",
        expect![[r#"
        error[ltl::not-a-letter]: no state is like this step
         --> word:1:4
          |
        1 | p; false
          |    ^^^^^ this step
          |
          = help: write propositions and negated ones with `&` between them, or `true` if none holds"#]],
    );
}

#[test]
fn a_temporal_step() {
    check_word(
        "p; X q",
        expect![[r#"
        error[ltl::not-a-letter]: a step is one state, and cannot speak of others
         --> word:1:4
          |
        1 | p; X q
          |    ^^^ this step
          |
          = help: write propositions and negated ones with `&` between them, or `true` if none holds"#]],
    );
}

#[test]
fn a_mistake_in_a_step() {
    check_word(
        "p; q r; s",
        expect![[r#"
        error[ltl::expected-operator]: expected an operator, found `r`
         --> word:1:6
          |
        1 | p; q r; s
          |      ^ two formulas need an operator between them
          |
          = help: the operators are `&`, `|`, `->`, `<->`, `U`, `R`, `W`, `M`, `S`, `T`"#]],
    );
}

#[test]
fn steps_with_commas() {
    check_word(
        "p, q",
        expect![[r#"
            error[ltl::unexpected-character]: `,` means nothing here
             --> word:1:2
              |
            1 | p, q
              |  ^
              |
              = help: a formula ends without a sign; to ask for two at once, write `&` between them"#]],
    );
}
