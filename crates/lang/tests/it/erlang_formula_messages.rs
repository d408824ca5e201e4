//! The messages about formulas of Erlang programs.

use expect_test::{Expect, expect};
use selvedge_lang::erlang::formula::parse;
use selvedge_ltl::source::{Source, Span};

/// The messages about a formula that stands behind a word in its source.
#[track_caller]
fn check(text: &str, expect: &Expect) {
    let source = Source::new("f", format!("ltl {text}"));
    let errors = parse(text, Span::new(4, 4 + text.len())).expect_err("no formula");
    let shown: Vec<String> = errors.iter().map(|error| error.render(&source, false)).collect();
    expect.assert_eq(&shown.join("\n"));
}

#[test]
fn a_variable_that_nothing_binds_is_an_error() {
    check(
        "F {a, X}",
        &expect![[r#"
        error[erlang::variable]: `X` is a variable, which nothing binds here
         --> f:1:11
          |
        1 | ltl F {a, X}
          |           ^ not bound
          |
          = help: operators of the logic stand between terms, not inside of them
          = help: the atom is written `'X'`; a process is named by its number, `@1`, or by `forall i:`"#]],
    );
    check(
        "F Done",
        &expect![[r#"
        error[erlang::variable]: `Done` is a variable, which nothing binds here
         --> f:1:7
          |
        1 | ltl F Done
          |       ^^^^ not bound
          |
          = help: the atom is written `'Done'`; a process is named by its number, `@1`, or by `forall i:`"#]],
    );
    check(
        "G {_, 1}",
        &expect![[r#"
            error[erlang::variable]: `_` is a variable, which nothing binds here
             --> f:1:8
              |
            1 | ltl G {_, 1}
              |        ^ not bound
              |
              = help: a proposition is one term; under a domain, any value is written `?`"#]],
    );
}

#[test]
fn operators_of_other_notations_are_named() {
    check(
        "AG done",
        &expect![[r#"
        error[ltl::path-quantifier]: `AG` is an operator of CTL, not of LTL
         --> f:1:5
          |
        1 | ltl AG done
          |     ^^ quantifies over runs
          |
          = help: a formula of LTL speaks of every run by itself: leave out the `A`"#]],
    );
    check(
        "always done",
        &expect![[r#"
        error[ltl::expected-operator]: `always` is not an operator here
         --> f:1:5
          |
        1 | ltl always done
          |     ^^^^^^ write `G`"#]],
    );
    check(
        "a until b",
        &expect![[r#"
        error[ltl::expected-operator]: `until` is not an operator here
         --> f:1:7
          |
        1 | ltl a until b
          |       ^^^^^ write `U`"#]],
    );
}

#[test]
fn an_operator_without_a_formula_is_an_error_with_the_atom() {
    check(
        "F U b",
        &expect![[r#"
        error[ltl::expected-formula]: expected a formula, found `U`
         --> f:1:7
          |
        1 | ltl F U b
          |     - ^ `U` needs a formula before it
          |     |
          |     this operator needs a formula after it
          |
          = help: a proposition of that name is written `'U'`, in single quotes"#]],
    );
}

#[test]
fn a_reserved_word_needs_quotes() {
    check(
        "F end",
        &expect![[r#"
        error[erlang::term]: `end` is a reserved word of Erlang
         --> f:1:7
          |
        1 | ltl F end
          |       ^^^
          |
          = help: the atom is written `'end'`"#]],
    );
    check(
        "F {a, and}",
        &expect![[r#"
        error[erlang::term]: `and` is a reserved word of Erlang
         --> f:1:11
          |
        1 | ltl F {a, and}
          |           ^^^
          |
          = help: the atom is written `'and'`"#]],
    );
}

#[test]
fn calls_comparisons_and_records_are_no_terms() {
    check(
        "F enter(1)",
        &expect![[r#"
        error[erlang::term]: `enter(…)` is a call, not a term
         --> f:1:7
          |
        1 | ltl F enter(1)
          |       ^^^^^
          |
          = help: a tuple is written `{enter,…}`; the term of a call of `prop/1` is written `prop(…)`"#]],
    );
    check(
        "F {a, b(1)}",
        &expect![[r#"
        error[erlang::term]: `b(…)` is a call, not a term
         --> f:1:11
          |
        1 | ltl F {a, b(1)}
          |           ^
          |
          = help: a tuple is written `{b,…}`; the term of a call of `prop/1` is written `prop(…)`"#]],
    );
    check(
        "G x = 1",
        &expect![[r#"
            error[erlang::comparison]: a proposition is a term, and `=` compares
             --> f:1:9
              |
            1 | ltl G x = 1
              |         ^
              |
              = help: a proposition is what the program calls `prop/1` with: let it be a tuple, as in `{x,1}`"#]],
    );
    check(
        "G {x} /= y & done",
        &expect![[r#"
            error[erlang::comparison]: a proposition is a term, and `/=` compares
             --> f:1:11
              |
            1 | ltl G {x} /= y & done
              |           ^^
              |
              = help: a proposition is what the program calls `prop/1` with: let it be a tuple, as in `{{x},y}`"#]],
    );
    check(
        "F #state{a = 1}",
        &expect![[r#"
            error[erlang::term]: expected a term, found `#`
             --> f:1:7
              |
            1 | ltl F #state{a = 1}
              |       ^
              |
              = help: a record is written as the tuple that it is, `{name,field}`; a map is written `#{key => value}`"#]],
    );
}

#[test]
fn brackets_and_quotations_have_to_be_closed() {
    check(
        "F {a, b",
        &expect![[r#"
        error[erlang::term]: `{` is never closed
         --> f:1:7
          |
        1 | ltl F {a, b
          |       ^ opened here
          |
          = help: write `}` where it ends"#]],
    );
    check(
        "F {a b} & [c",
        &expect![[r#"
        error[erlang::term]: expected `}`, found `b`
         --> f:1:10
          |
        1 | ltl F {a b} & [c
          |       -  ^
          |       |
          |       opened here
        error[erlang::term]: `[` is never closed
         --> f:1:15
          |
        1 | ltl F {a b} & [c
          |               ^ opened here
          |
          = help: write `]` where it ends"#]],
    );
    check(
        "F 'abc",
        &expect![[r#"
        error[erlang::token]: this quotation is not well formed
         --> f:1:7
          |
        1 | ltl F 'abc
          |       ^ opened here
          |
          = help: close it with `'`; inside, write `\'` for the sign and `\\` for a backslash"#]],
    );
    check(
        "F {\"abc}",
        &expect![[r#"
        error[erlang::token]: this quotation is not well formed
         --> f:1:8
          |
        1 | ltl F {"abc}
          |        ^ opened here
          |
          = help: close it with `"`; inside, write `\"` for the sign and `\\` for a backslash"#]],
    );
}

#[test]
fn what_stands_between_brackets_is_a_term() {
    check(
        "F prop(a",
        &expect![[r#"
        error[erlang::term]: `(` is never closed
         --> f:1:11
          |
        1 | ltl F prop(a
          |           ^ opened here
          |
          = help: write `)` where it ends"#]],
    );
    check(
        "F #{a, b}",
        &expect![[r#"
        error[erlang::term]: expected `=>`, found `,`
         --> f:1:10
          |
        1 | ltl F #{a, b}
          |       -- ^
          |       |
          |       opened here"#]],
    );
    check(
        "F {a,}",
        &expect![[r#"
        error[erlang::term]: expected a term, found `}`
         --> f:1:10
          |
        1 | ltl F {a,}
          |          ^
          |
          = help: a term is written as in Erlang: `done`, `42`, `{value,@1}`, `[a,b]`"#]],
    );
    check(
        "F {(a)}",
        &expect![[r#"
        error[erlang::term]: expected a term, found `(`
         --> f:1:8
          |
        1 | ltl F {(a)}
          |        ^
          |
          = help: formulas are grouped by parentheses, terms are not"#]],
    );
}

#[test]
fn processes_have_small_numbers() {
    check(
        "F {a,@64} & @1000",
        &expect![[r#"
        error[erlang::pid]: there are at most 64 processes
         --> f:1:10
          |
        1 | ltl F {a,@64} & @1000
          |          ^^^ the last one is `@63`
        error[erlang::pid]: there are at most 64 processes
         --> f:1:17
          |
        1 | ltl F {a,@64} & @1000
          |                 ^^^^^ the last one is `@63`"#]],
    );
    check(
        "F {@1, @}",
        &expect![[r#"
        error[erlang::pid]: `@` has the number of a process behind it
         --> f:1:12
          |
        1 | ltl F {@1, @}
          |            ^
          |
          = help: `@0` is the initial process; others count up as they are spawned"#]],
    );
    check(
        "F @x",
        &expect![[r#"
        error[erlang::pid]: `@` has the number of a process behind it
         --> f:1:7
          |
        1 | ltl F @x
          |       ^
          |
          = help: `@0` is the initial process; others count up as they are spawned"#]],
    );
    check(
        "forall i: F {a, @i}",
        &expect![[r#"
        error[erlang::pid]: `@` has the number of a process behind it
         --> f:1:21
          |
        1 | ltl forall i: F {a, @i}
          |                     ^^
          |
          = help: the variable stands for the process alone: write `i`"#]],
    );
}

#[test]
fn numbers_and_names_of_abstract_values_are_checked() {
    check(
        "F 99#1",
        &expect![[r#"
        error[erlang::token]: this number is not well formed
         --> f:1:7
          |
        1 | ltl F 99#1
          |       ^
          |
          = help: `16#ff` has a base from 2 to 36, and digits of it; `1.5e3` has digits on both sides of the full stop"#]],
    );
    check(
        "F <x",
        &expect![[r#"
        error[erlang::term]: expected an integer
         --> f:1:8
          |
        1 | ltl F <x
          |       -^
          |       |
          |       behind this
          |
          = help: `<0` and `1..5` are names of abstract values; another name is written in quotes, behind a question mark: `?"name"`"#]],
    );
    check(
        "F 1..x",
        &expect![[r#"
        error[erlang::term]: expected an integer
         --> f:1:10
          |
        1 | ltl F 1..x
          |       -  ^
          |       |
          |       behind this
          |
          = help: `<0` and `1..5` are names of abstract values; another name is written in quotes, behind a question mark: `?"name"`"#]],
    );
    check(
        "F {even & {a}}",
        &expect![[r#"
            error[erlang::term]: expected a name, found `{`
             --> f:1:15
              |
            1 | ltl F {even & {a}}
              |               ^
              |
              = help: inside of a term, `&` joins the names of abstract values: `even&pos`"#]],
    );
}

#[test]
fn binaries_are_bytes_and_atoms_have_letters_of_latin_1() {
    check(
        "F <<256>>",
        &expect![[r#"
        error[erlang::term]: a binary is made of bytes, from 0 to 255, and strings of them
         --> f:1:9
          |
        1 | ltl F <<256>>
          |         ^^^"#]],
    );
    check(
        "F {λ}",
        &expect![[r#"
        error[erlang::term]: expected a term, found `λ`
         --> f:1:8
          |
        1 | ltl F {λ}
          |        ^
          |
          = help: an atom that begins with such a letter is written in single quotes"#]],
    );
}

#[test]
fn a_quantifier_binds_new_variables_before_a_colon() {
    check(
        "forall : a",
        &expect![[r#"
        error[erlang::quantifier]: expected a variable of `forall`, found `:`
         --> f:1:12
          |
        1 | ltl forall : a
          |            ^
          |
          = help: a quantifier is written `forall i: …`, `forall i, j: …` or `forall i /= j: …`; the atom is written `'forall'`"#]],
    );
    check(
        "forall i in 1..3: {i}",
        &expect![[r#"
        error[erlang::quantifier]: expected `:` behind the variables of `forall`, found `in`
         --> f:1:14
          |
        1 | ltl forall i in 1..3: {i}
          |              ^^
          |
          = help: variables range over the processes: `forall i: …`"#]],
    );
    check(
        "forall i {i}",
        &expect![[r#"
        error[erlang::quantifier]: expected `:` behind the variables of `forall`, found `{`
         --> f:1:14
          |
        1 | ltl forall i {i}
          |              ^
          |
          = help: a quantifier is written `forall i: …`, `forall i, j: …` or `forall i /= j: …`; the atom is written `'forall'`"#]],
    );
    check(
        "forall i",
        &expect![[r#"
        error[erlang::quantifier]: expected `:` behind the variables of `forall`, found the end
         --> f:1:13
          |
        1 | ltl forall i
          |             ^
          |
          = help: a quantifier is written `forall i: …`, `forall i, j: …` or `forall i /= j: …`; the atom is written `'forall'`"#]],
    );
    check(
        "F forall",
        &expect![[r#"
        error[erlang::quantifier]: expected a variable of `forall`, found the end
         --> f:1:13
          |
        1 | ltl F forall
          |             ^
          |
          = help: a quantifier is written `forall i: …`, `forall i, j: …` or `forall i /= j: …`; the atom is written `'forall'`"#]],
    );
}

#[test]
fn a_quantifier_needs_a_formula() {
    check(
        "forall i: ",
        &expect![[r#"
        error[ltl::expected-formula]: the formula is empty
         --> f:1:14
          |
        1 | ltl forall i: 
          |              ^ nothing is written here
          |
          = help: write `true` for the formula that always holds"#]],
    );
}

#[test]
fn a_variable_is_bound_once() {
    check(
        "forall i: exists i: {i}",
        &expect![[r#"
        error[erlang::quantifier]: `i` is bound already
         --> f:1:22
          |
        1 | ltl forall i: exists i: {i}
          |            -         ^ bound again
          |            |
          |            bound here
          |
          = help: use another name; to bind a variable for another process, write `j /= i`"#]],
    );
    check(
        "forall i, i: {i}",
        &expect![[r#"
        error[erlang::quantifier]: `i` is bound already
         --> f:1:15
          |
        1 | ltl forall i, i: {i}
          |            -  ^ bound again
          |            |
          |            bound here
          |
          = help: use another name; to bind a variable for another process, write `j /= i`"#]],
    );
    check(
        "forall i /= i: {i}",
        &expect![[r#"
        error[erlang::quantifier]: `i` never differs from itself
         --> f:1:17
          |
        1 | ltl forall i /= i: {i}
          |                 ^"#]],
    );
    check(
        "forall i /= j: forall i /= j: {i,j}",
        &expect![[r#"
        error[erlang::quantifier]: this `forall` binds no variable
         --> f:1:27
          |
        1 | ltl forall i /= j: forall i /= j: {i,j}
          |                    ------ ^^^^^^ all of these are bound already"#]],
    );
}

#[test]
fn a_variable_has_a_name_of_its_own() {
    check(
        "forall X: {X}",
        &expect![[r#"
            error[erlang::quantifier]: `X` cannot be a variable: it has a meaning of its own
             --> f:1:12
              |
            1 | ltl forall X: {X}
              |            ^
              |
              = help: use another name, `i` say"#]],
    );
    check(
        "forall true: a",
        &expect![[r#"
            error[erlang::quantifier]: `true` cannot be a variable: it has a meaning of its own
             --> f:1:12
              |
            1 | ltl forall true: a
              |            ^^^^
              |
              = help: use another name, `i` say"#]],
    );
    check(
        "exists end: a",
        &expect![[r#"
            error[erlang::quantifier]: `end` cannot be a variable: it has a meaning of its own
             --> f:1:12
              |
            1 | ltl exists end: a
              |            ^^^
              |
              = help: use another name, `i` say"#]],
    );
    check(
        "forall i: {i, j, Done}",
        &expect![[r#"
            error[erlang::variable]: `Done` is a variable, which nothing binds here
             --> f:1:22
              |
            1 | ltl forall i: {i, j, Done}
              |                      ^^^^ not bound
              |
              = help: the atom is written `'Done'`; a process is named by its number, `@1`, or by `forall i:`"#]],
    );
}

#[test]
fn several_mistakes_are_told_at_once() {
    check(
        "F {a,X} & G {b,Y} | end -> done",
        &expect![[r#"
        error[erlang::variable]: `X` is a variable, which nothing binds here
         --> f:1:10
          |
        1 | ltl F {a,X} & G {b,Y} | end -> done
          |          ^ not bound
          |
          = help: operators of the logic stand between terms, not inside of them
          = help: the atom is written `'X'`; a process is named by its number, `@1`, or by `forall i:`
        error[erlang::variable]: `Y` is a variable, which nothing binds here
         --> f:1:20
          |
        1 | ltl F {a,X} & G {b,Y} | end -> done
          |                    ^ not bound
          |
          = help: operators of the logic stand between terms, not inside of them
          = help: the atom is written `'Y'`; a process is named by its number, `@1`, or by `forall i:`
        error[erlang::term]: `end` is a reserved word of Erlang
         --> f:1:25
          |
        1 | ltl F {a,X} & G {b,Y} | end -> done
          |                         ^^^
          |
          = help: the atom is written `'end'`"#]],
    );
}

#[test]
fn where_the_place_is_not_exact_the_whole_is_shown() {
    let source = Source::new("f.erl", r#"-property({p, "F {a, \"x\", Y}"})."#);
    let errors = parse(r#"F {a, "x", Y}"#, Span::new(14, 32)).expect_err("no formula");
    expect![[r#"
        error[erlang::variable]: `Y` is a variable, which nothing binds here
         --> f.erl:1:15
          |
        1 | -property({p, "F {a, \"x\", Y}"}).
          |               ^^^^^^^^^^^^^^^^^^ not bound
          |
          = help: operators of the logic stand between terms, not inside of them
          = help: the atom is written `'Y'`; a process is named by its number, `@1`, or by `forall i:`
          = help: that is column 12 of the formula's text, at `Y`"#]]
    .assert_eq(&errors[0].render(&source, false));
}

#[test]
fn a_formula_that_unfolds_to_too_much_is_refused() {
    let text = "forall a, b, c, d: G {a,b,c,d}";
    let formula = parse(text, Span::new(0, text.len())).expect("a formula");
    let all: Vec<u8> = (0..64).collect();
    let error = formula.unfold(&all).expect_err("too deep");
    expect![[r#"
        error[erlang::too-large]: over 64 processes the quantifiers stand for a formula of more than 1000 levels
         --> f:1:1
          |
        1 | forall a, b, c, d: G {a,b,c,d}
          | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
          |
          = help: use fewer variables, or name processes by number"#]].assert_eq(&error.render(&Source::new("f", text), false));
    let text = "forall a: F forall b: F forall c: {a,b,c}";
    let formula = parse(text, Span::new(0, text.len())).expect("a formula");
    let error = formula.unfold(&all).expect_err("too many parts");
    expect![[r#"
        error[erlang::too-large]: over 64 processes the quantifiers stand for a formula of more than 100000 parts
         --> f:1:1
          |
        1 | forall a: F forall b: F forall c: {a,b,c}
          | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
          |
          = help: use fewer variables, or name processes by number"#]].assert_eq(&error.render(&Source::new("f", text), false));
}

#[test]
fn deep_nesting_is_refused_and_does_not_overflow_the_stack() {
    let first = |text: &str| parse(text, Span::new(0, text.len())).expect_err("too deep")[0].message.clone();
    let mut shown: Vec<String> =
        ["{", "[", "#{a => ", "prop("].iter().map(|part| first(&part.repeat(100_000))).collect();
    let quantifiers: String = (0..100).map(|number| format!("forall v{number}: ")).collect();
    shown.push(first(&format!("{quantifiers} a")));
    let deep = format!("forall i: {}forall j: {} a", "! ".repeat(600), "! ".repeat(600));
    shown.push(first(&deep));
    expect![[r#"
        terms are inside of one another more than 100 deep
        terms are inside of one another more than 100 deep
        terms are inside of one another more than 100 deep
        `prop(…)` is a call, not a term
        quantifiers and the formulas in them are nested more than 50 deep
        quantifiers and the formulas in them are nested more than 1000 deep"#]]
    .assert_eq(&shown.join("\n"));
}
