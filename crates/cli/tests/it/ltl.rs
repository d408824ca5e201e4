//! `selvedge ltl`: output, messages and exit codes.

use crate::common::{selvedge, selvedge_with_input};
use expect_test::{Expect, expect};

#[track_caller]
fn check(arguments: &[&str], code: i32, output: &Expect) {
    let ran = selvedge(arguments);
    output.assert_eq(&(ran.output + &ran.errors));
    assert_eq!(ran.code, code);
}

#[test]
fn a_formula_is_described() {
    check(
        &["ltl", "a U b"],
        0,
        &expect![[r#"
            formula            a U b
            normal form        a U b
            simplified         a U b
            class              guarantee
            stutter-invariant  yes
            satisfiable        yes, by  !a & b; cycle{!a & !b}
            valid              no, not on  cycle{a & !b}
            automaton          2 states (--automaton buchi shows it)
        "#]],
    );
    check(
        &["ltl", "F p & G !p"],
        0,
        &expect![[r#"
            formula            F p & G !p
            normal form        F p & G !p
            simplified         false
            class              safety and guarantee
            stutter-invariant  yes
            satisfiable        no
            valid              no, not on  cycle{!p}
            automaton          1 state (--automaton buchi shows it)
        "#]],
    );
    check(
        &["ltl", "--finite", "X p | G q"],
        0,
        &expect![[r#"
            formula            X p | G q
            normal form        X p | G q
            simplified         X p | G q
            class              neither safety nor guarantee
            stutter-invariant  no
            satisfiable        yes, by  !p & q
            valid              no, not on  !p & !q
            automaton          6 states (--automaton finite shows it)
        "#]],
    );
    check(
        &["ltl", "G (grant -> O request)"],
        0,
        &expect![[r#"
            formula            G (grant -> O request)
            normal form        G (!grant | O request)
            simplified         G (!grant | O request)
            class              safety
            stutter-invariant  yes
            satisfiable        yes, by  cycle{!grant & !request}
            valid              no, not on  grant & !request; cycle{!grant & !request}
            automaton          2 states (--automaton buchi shows it)
        "#]],
    );
}

#[test]
fn a_description_can_be_read_by_programs() {
    check(
        &["ltl", "G p", "--format", "json"],
        0,
        &expect![[r#"
        {"class":"safety","countermodel":"cycle{!p}","formula":"G p","model":"cycle{p}","normal_form":"G p","reading":"infinite","satisfiable":true,"simplified":"G p","stutter_invariant":true,"valid":false}
    "#]],
    );
}

#[test]
fn automata_are_printed_in_each_format() {
    check(
        &["ltl", "G F p & F G q", "--automaton", "buchi"],
        0,
        &expect![[r#"
        2 states, 4 edges, 1 mark infinitely often
        > 0
            true  -> 0
            q     -> 1
          1
            !p & q  -> 1
            p & q   -> 1  {0}
    "#]],
    );
    check(
        &["ltl", "G F p & F G q", "--automaton", "buchi", "--state-based"],
        0,
        &expect![[r#"
        3 states, 6 edges, Büchi, by states
        > 0
            true  -> 0
            q     -> 1
          1
            !p & q  -> 1
            p & q   -> 2
          2  accepting
            !p & q  -> 1
            p & q   -> 2
    "#]],
    );
}

#[test]
fn automata_are_printed_for_other_tools() {
    check(
        &["ltl", "p U q", "--automaton", "buchi", "--format", "hoa"],
        0,
        &expect![[r#"
        HOA: v1
        name: "p U q"
        States: 2
        Start: 0
        AP: 2 "p" "q"
        acc-name: Buchi
        Acceptance: 1 Inf(0)
        properties: trans-labels explicit-labels state-acc deterministic inherently-weak
        --BODY--
        State: 0
        [0&!1] 0
        [1] 1
        State: 1 {0}
        [t] 1
        --END--
    "#]],
    );
}

#[test]
fn automata_on_finite_words_are_printed_and_drawn() {
    check(
        &["ltl", "p U q", "--automaton", "finite"],
        0,
        &expect![[r#"
        3 states, 5 edges, finite words, deterministic
        > 0
            !p & !q  -> 1
            q        -> 2
            p & !q   -> 0
          1
            true  -> 1
          2  accepting
            true  -> 2
    "#]],
    );
    check(
        &["ltl", "X \"two words\"", "--automaton", "finite", "--format", "hoa"],
        0,
        &expect![[r#"
        HOA: v1
        name: "X \"two words\""
        States: 4
        Start: 0
        AP: 1 "two words"
        Finite: "a word is accepted if its run ends in a marked state"
        Acceptance: 1 Inf(0)
        properties: trans-labels explicit-labels state-acc deterministic
        --BODY--
        State: 0
        [t] 1
        State: 1
        [!0] 2
        [0] 3
        State: 2
        [t] 2
        State: 3 {0}
        [t] 3
        --END--
    "#]],
    );
    check(
        &["ltl", "p U q", "--automaton", "buchi", "--format", "dot"],
        0,
        &expect![[r#"
        digraph "p U q" {
          rankdir=LR;
          node [fontname="monospace", fontsize=13];
          edge [fontname="monospace", fontsize=12];
          n0 [label="0", shape=circle];
          n1 [label="1", shape=doublecircle];
          i0 [shape=point, style=invis];
          i0 -> n0;
          n0 -> n0 [label="p & !q"];
          n0 -> n1 [label="q"];
          n1 -> n1 [label="true"];
        }
    "#]],
    );
    let svg = selvedge(&["ltl", "p U q", "--automaton", "buchi", "--format", "svg"]);
    assert_eq!(svg.code, 0);
    assert!(svg.output.starts_with("<svg ") && svg.output.trim_end().ends_with("</svg>"), "{}", svg.output);
}

#[test]
fn equivalence_is_decided_with_an_exit_code() {
    check(
        &["ltl", "G F p", "--equals", "G F (p & F p)"],
        0,
        &expect![[r#"
        equivalent
    "#]],
    );
    check(
        &["ltl", "G F p", "--equals", "F G p"],
        1,
        &expect![[r#"
        not equivalent: they differ on
          cycle{!p; p}
          satisfies  G F p
          violates   F G p
    "#]],
    );
    check(
        &["ltl", "--finite", "G F p", "--equals", "F G p"],
        0,
        &expect![[r#"
        equivalent
    "#]],
    );
    check(
        &["ltl", "--finite", "!X p", "--equals", "X !p"],
        1,
        &expect![[r#"
        not equivalent: they differ on
          !p
          satisfies  !X p
          violates   X !p
    "#]],
    );
}

#[test]
fn a_word_is_followed_step_by_step() {
    check(
        &["ltl", "G (p -> F q)", "--trace", "p; cycle{p & q; p}"],
        0,
        &expect![[r#"
        step           0 |1  2   (from | on, for ever)
        p              T |T  T
        q              . |T  .
        F q            T |T  T
        p -> F q       T |T  T
        G (p -> F q)   T |T  T

        the word satisfies the formula
    "#]],
    );
    check(
        &["ltl", "--finite", "G X p", "--trace", "p; p"],
        1,
        &expect![[r#"
        step    0  1
        p       T  T
        X p     T  .
        G X p   .  .

        the word violates the formula
    "#]],
    );
    check(
        &["ltl", "F (p & Y q)", "--trace", "cycle{q; p}"],
        0,
        &expect![[r#"
        step          0  1 |2  3   (from | on, for ever)
        p             .  T |.  T
        q             T  . |T  .
        Y q           .  T |.  T
        p & Y q       .  T |.  T
        F (p & Y q)   T  T |T  T

        the word satisfies the formula
    "#]],
    );
}

#[test]
fn the_numbers_of_steps_stand_above_their_columns() {
    check(
        &["ltl", "p", "--trace", "p; p; true; p; p; p; p; p; p; p"],
        0,
        &expect![[r#"
            step   0  1  2  3  4  5  6  7  8  9
            p      T  T  .  T  T  T  T  T  T  T

            the word satisfies the formula
        "#]],
    );
    check(
        &["ltl", "p", "--trace", "p; p; true; p; p; p; p; p; p; p; cycle{p}"],
        0,
        &expect![[r#"
            step    0   1   2   3   4   5   6   7   8   9 |10   (from | on, for ever)
            p       T   T   .   T   T   T   T   T   T   T | T

            the word satisfies the formula
        "#]],
    );
}

#[test]
fn propositions_that_only_the_formula_or_only_the_word_names_are_listed_in_a_note() {
    check(
        &["ltl", "F grant", "--trace", "grnat; cycle{!other}"],
        1,
        &expect![[r#"
            step      0 |1   (from | on, for ever)
            grant     . |.
            F grant   . |.

            the word violates the formula
            note: not named in the word, so false in every step: `grant`
            note: not named in the formula, so of no consequence: `grnat`, `other`
        "#]],
    );
    // With JSON, notes go to standard error only.
    let ran = selvedge(&["ltl", "p & q", "--trace", "p & !q", "--format", "json"]);
    assert_eq!(ran.errors, "");
    let ran = selvedge(&["ltl", "p & q", "--trace", "p", "--format", "json"]);
    assert!(ran.output.starts_with('{') && ran.errors.starts_with("note: "), "{}{}", ran.output, ran.errors);
}

#[test]
fn errors_of_a_formula_are_underlined_and_exit_with_two() {
    check(
        &["ltl", "G (p -> "],
        2,
        &expect![[r#"
            error[ltl::unclosed-parenthesis]: `(` is never closed
             --> <formula>:1:3
              |
            1 | G (p -> 
              |   ^ opened here
              |
              = help: write `)` where the group ends

            error[ltl::expected-formula]: expected a formula, found the end
             --> <formula>:1:8
              |
            1 | G (p -> 
              |      --^ something is missing here
              |      |
              |      this operator needs a formula after it

        "#]],
    );
    check(
        &["ltl", "p U q", "--trace", "p; p | q"],
        2,
        &expect![[r#"
            error[ltl::not-a-letter]: this step leaves open which propositions hold
             --> <word>:1:4
              |
            1 | p; p | q
              |    ^^^^^ this step
              |
              = help: write propositions and negated ones with `&` between them, or `true` if none holds

        "#]],
    );
    check(
        &["ltl", "p", "--equals", "q &"],
        2,
        &expect![[r#"
            error[ltl::expected-formula]: expected a formula, found the end
             --> <other>:1:4
              |
            1 | q &
              |   -^ something is missing here
              |   |
              |   this operator needs a formula after it

        "#]],
    );
}

#[test]
fn contradictory_options_are_refused_and_exit_with_two() {
    check(
        &["ltl", "p", "--format", "dot"],
        2,
        &expect![[r#"
        error: --format dot, hoa or svg needs --automaton finite or buchi
    "#]],
    );
    check(
        &["ltl", "O F p", "--automaton", "buchi"],
        2,
        &expect![[r#"
        error: an operator of the future stands below one of the past; automata are made only where past operators speak of the past alone
    "#]],
    );
    check(
        &["ltl", "p", "--finite", "--trace", "cycle{p}"],
        2,
        &expect![[r#"
        error: --finite reads finite words: leave the cycle out
    "#]],
    );
    check(
        &["ltl", "p", "--finite", "--automaton", "buchi"],
        2,
        &expect![[r#"
            error: --finite reads finite words, and --automaton buchi infinite ones; take --automaton finite
        "#]],
    );
    assert_eq!(selvedge(&["ltl"]).code, 2);
    assert_eq!(selvedge(&["weave"]).code, 2);
}

#[test]
fn a_formula_with_a_huge_automaton_stops_at_a_limit_with_a_message() {
    let ring: Vec<String> = (0..12).map(|i| format!("(p{i} U X X X p{})", (i + 1) % 12)).collect();
    let formula = ring.join(" & ");
    check(
        &["ltl", &formula, "--automaton", "buchi", "--max-states", "1000"],
        3,
        &expect![[r#"
            stopped by a limit: the automaton has too many nodes of decision diagrams
        "#]],
    );
}

#[test]
fn a_formula_can_come_from_standard_input() {
    let ran = selvedge_with_input(&["ltl", "-", "--equals", "G p"], "[] p // always\n");
    assert_eq!((ran.output.as_str(), ran.code), ("equivalent\n", 0));
}
