//! What `erlc` refuses, word for word, and what it takes.

use super::module_of;
use expect_test::{Expect, expect};
use selvedge_lang::erlang::syntax::lint::lint;
use selvedge_lang::erlang::syntax::{Options, SourceMap, parse};
use selvedge_ltl::source::Source;

#[track_caller]
fn check(text: &str, expect: &Expect) {
    let mut sources = SourceMap::default();
    let (module, diagnostics) = parse(Source::new("m.erl", text), &mut sources, &Options::default());
    assert_eq!(diagnostics, []);
    let messages: Vec<String> = lint(&module).iter().map(|error| sources.render(error, false)).collect();
    expect.assert_eq(&messages.join("\n"));
}

/// One sentence for each mistake.
#[track_caller]
fn sentences(text: &str, expected: &[&str]) {
    let found: Vec<String> = lint(&module_of(text)).into_iter().map(|error| error.message).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn functions_have_to_be_defined_once() {
    check(
        "-module(m).\n-export([main/0, none/1]).\nmain() -> loop(1), spwan(fun other/0).\nloop() -> ok.\nloop() -> ok.\n",
        &expect![[r#"
            error[erlang::function]: the function `none/1` is exported, but not defined
             --> m.erl:2:18
              |
            2 | -export([main/0, none/1]).
              |                  ^^^^^^
            error[erlang::function]: the function `loop/1` is not defined
             --> m.erl:3:11
              |
            3 | main() -> loop(1), spwan(fun other/0).
              |           ^^^^
              |
              = help: `loop/0` is defined
            error[erlang::function]: the function `spwan/1` is not defined
             --> m.erl:3:20
              |
            3 | main() -> loop(1), spwan(fun other/0).
              |                    ^^^^^
              |
              = help: did you mean `spawn`?
            error[erlang::function]: the function `other/0` is not defined
             --> m.erl:3:26
              |
            3 | main() -> loop(1), spwan(fun other/0).
              |                          ^^^^^^^^^^^
            error[erlang::function]: the function `loop/0` is defined twice
             --> m.erl:5:1
              |
            4 | loop() -> ok.
              | ---- defined here first
            5 | loop() -> ok.
              | ^^^^ again
              |
              = help: clauses of one function have `;` between them"#]],
    );
}

#[test]
fn built_in_and_imported_functions_and_those_of_models_are_known() {
    sentences(
        "-module(m).\n-import(lists, [map/2]).\nf(X) -> prop(choice([X, self(), length(X)])), map(fun f/1, X), \
         record_info(size, X), spawn(m, f, [X]), m:none(), ?MODULE:none(), module_info().",
        &[],
    );
}

#[test]
fn records_and_their_fields_have_to_be_defined_before() {
    check(
        "-record(r, {a, b = 1}).\nf(X) -> #r{c = 1, a = 2, a = 3}, X#r.d, #s{}, #t{a = Y} = X, #r.a.\n-record(t, {a, a}).\n\
         -record(t, {}).\ng(#t{}) -> ok.\n",
        &expect![[r#"
            error[erlang::record]: the record `r` has no field `c`
             --> m.erl:2:12
              |
            1 | -record(r, {a, b = 1}).
              |         - the record's definition
            2 | f(X) -> #r{c = 1, a = 2, a = 3}, X#r.d, #s{}, #t{a = Y} = X, #r.a.
              |            ^
            error[erlang::record]: the field `a` is given twice
             --> m.erl:2:26
              |
            2 | f(X) -> #r{c = 1, a = 2, a = 3}, X#r.d, #s{}, #t{a = Y} = X, #r.a.
              |                          ^ again
            error[erlang::record]: the record `r` has no field `d`
             --> m.erl:2:38
              |
            1 | -record(r, {a, b = 1}).
              |         - the record's definition
            2 | f(X) -> #r{c = 1, a = 2, a = 3}, X#r.d, #s{}, #t{a = Y} = X, #r.a.
              |                                      ^
            error[erlang::record]: the record `s` is not defined before
             --> m.erl:2:42
              |
            2 | f(X) -> #r{c = 1, a = 2, a = 3}, X#r.d, #s{}, #t{a = Y} = X, #r.a.
              |                                          ^
            error[erlang::record]: the record `t` is not defined before
             --> m.erl:2:48
              |
            2 | f(X) -> #r{c = 1, a = 2, a = 3}, X#r.d, #s{}, #t{a = Y} = X, #r.a.
              |                                                ^
            error[erlang::record]: the field `a` is defined twice
             --> m.erl:3:16
              |
            3 | -record(t, {a, a}).
              |                ^ again
            error[erlang::record]: the record `t` is defined twice
             --> m.erl:4:9
              |
            3 | -record(t, {a, a}).
              |         - defined here first
            4 | -record(t, {}).
              |         ^ again"#]],
    );
}

#[test]
fn variables_without_a_value_are_pointed_at() {
    check(
        "f(X) ->\n  case X of\n    1 -> Y = 1;\n    _ -> Z = 2\n  end,\n  {Y, Z, W, _}.\n",
        &expect![[r#"
            error[erlang::variable]: the variable `Y` is unsafe: it may not have a value
             --> m.erl:6:4
              |
            2 | /   case X of
            3 | |     1 -> Y = 1;
            4 | |     _ -> Z = 2
            5 | |   end,
              | |_____- only a part of this `case` binds it
            6 |     {Y, Z, W, _}.
              |      ^
            error[erlang::variable]: the variable `Z` is unsafe: it may not have a value
             --> m.erl:6:7
              |
            2 | /   case X of
            3 | |     1 -> Y = 1;
            4 | |     _ -> Z = 2
            5 | |   end,
              | |_____- only a part of this `case` binds it
            6 |     {Y, Z, W, _}.
              |         ^
            error[erlang::variable]: the variable `W` is unbound
             --> m.erl:6:10
              |
            6 |   {Y, Z, W, _}.
              |          ^ nothing gives it a value before
            error[erlang::variable]: `_` has no value
             --> m.erl:6:13
              |
            6 |   {Y, Z, W, _}.
              |             ^ it stands in patterns alone"#]],
    );
}

#[test]
fn branches_that_all_bind_a_variable_export_it() {
    sentences("f(X) -> case X of 1 -> Y = a; Y -> ok end, Y.", &[]);
    sentences("f(X) -> if X -> Y = 1; true -> Y = 2 end, Y.", &[]);
    sentences("f() -> receive Y -> ok after 10 -> Y = 1 end, Y.", &[]);
    sentences("f() -> begin Y = 1 end, Y.", &[]);
}

const UNSAFE: &str = "the variable `Y` is unsafe: it may not have a value";
const UNBOUND: &str = "the variable `Y` is unbound";

#[test]
fn parts_that_may_not_be_evaluated_bind_nothing_for_sure() {
    sentences("f(X) -> X andalso (Y = 1), Y.", &[UNSAFE]);
    sentences("f(X) -> X orelse (Y = 1), Y.", &[UNSAFE]);
    sentences("f(X) -> catch Y = X, Y.", &[UNSAFE]);
    sentences("f(X) -> catch (Y = X), Y.", &[UNSAFE]);
    sentences("f(X) -> try Y = X catch _:_ -> ok end, Y.", &[UNSAFE]);
    sentences("f(X) -> try X catch Y -> Y end, Y.", &[UNSAFE]);
    sentences("f(X) -> try Y = X catch _ -> Y end.", &[UNSAFE]);
    sentences("f(X) -> try Y = X of _ -> Y after ok end.", &[]);
    sentences("f(X) -> try Y = X after Y end.", &[UNSAFE]);
    sentences("f(X) -> maybe {ok, Y} ?= X, Y end.", &[]);
    sentences("f(X) -> maybe {ok, Y} ?= X else _ -> Y end.", &[UNSAFE]);
    sentences("f(X) -> maybe {ok, Y} ?= X end, Y.", &[UNSAFE]);
    sentences("f(X) -> case X of 1 -> Y = 1; 2 -> 2 end, case X of Y -> 1 end.", &[UNSAFE]);
}

#[test]
fn parts_of_one_expression_see_the_same_variables() {
    sentences("f() -> {Y = 1, Y}.", &[UNBOUND]);
    sentences("f() -> [Y | Y = 1].", &[UNBOUND]);
    sentences("f() -> f(Y, Y = 1).\nf(A, B) -> {A, B}.", &[UNBOUND]);
    sentences("f() -> (Y = 1) + 1, Y.", &[]);
    sentences("f() -> Y = Y.", &[UNBOUND]);
    sentences("f() -> {Y, Y} = {1, 1}.", &[]);
    sentences("f(X) -> {Y, Y} = X, Y.", &[]);
}

#[test]
fn funs_and_generators_hide_and_export_nothing() {
    sentences("f(X) -> fun (X) -> Y = X, Y end, Y.", &[UNBOUND]);
    sentences("f(X) -> fun Y(0) -> 0; Y(N) -> Y(N - X) end.", &[]);
    sentences("f(X) -> fun Y() -> X end, Y.", &[UNBOUND]);
    sentences("f(X) -> [Y || Y <- X, Y > 1], Y.", &[UNBOUND]);
    sentences("f(X) -> [X || X <- X].", &[]);
    sentences("f(X) -> [Z || Z <- Y, Y <- X].", &[UNBOUND]);
    sentences("f(X) -> [{A, B} || A <- X && B <- Y].", &[UNBOUND]);
    sentences("f(X) -> #{K => V || K := V <- X}.", &[]);
    sentences("f(X) -> << <<B>> || <<N, B:N>> <= X >>.", &[]);
    sentences("f(X) -> case 1 of 1 -> fun (Y) -> Y end; _ -> Y = X end.", &[]);
}

#[test]
fn sizes_of_segments_see_the_segments_before() {
    sentences("f(<<N, B:N/binary>>) -> B.", &[]);
    sentences("f(<<B:Y/binary, Y>>) -> B.", &[UNBOUND]);
    sentences("f(N, <<B:N>>) -> B.", &["the variable `N` is unbound"]);
    sentences("f(K, #{K := V}) -> V.", &["the variable `K` is unbound"]);
    sentences("f(K, M) -> #{K := V} = M, V.", &[]);
}

#[test]
fn guards_call_built_in_tests_alone() {
    check(
        "f(X) when is_integer(X), X > abs(X); erlang:is_atom(X) -> X;\nf(X) when g(X), Y -> X;\n\
         f(X) when X =:= (fun g/1)(1) -> X;\nf(X) when lists:member(X, []) -> X.\ng(X) -> if spawn(X) -> 1 end.\n",
        &expect![[r#"
            error[erlang::guard]: this cannot stand in a guard
             --> m.erl:2:11
              |
            2 | f(X) when g(X), Y -> X;
              |           ^^^^ a guard calls built-in functions alone
              |
              = help: compute it before, and test the variable
            error[erlang::variable]: the variable `Y` is unbound
             --> m.erl:2:17
              |
            2 | f(X) when g(X), Y -> X;
              |                 ^ nothing gives it a value before
            error[erlang::guard]: this cannot stand in a guard
             --> m.erl:3:17
              |
            3 | f(X) when X =:= (fun g/1)(1) -> X;
              |                 ^^^^^^^^^^^^ a guard calls no funs
              |
              = help: compute it before, and test the variable
            error[erlang::guard]: this cannot stand in a guard
             --> m.erl:4:11
              |
            4 | f(X) when lists:member(X, []) -> X.
              |           ^^^^^^^^^^^^^^^^^^^ a guard calls built-in functions alone
              |
              = help: compute it before, and test the variable
            error[erlang::guard]: this cannot stand in a guard
             --> m.erl:5:12
              |
            5 | g(X) -> if spawn(X) -> 1 end.
              |            ^^^^^^^^ a guard calls built-in functions alone
              |
              = help: compute it before, and test the variable"#]],
    );
}

#[test]
fn attributes_stand_before_functions() {
    check(
        "f() -> ok.\n-property({a, \"G b\"}).\n-type t() :: a.\n-spec g() -> a.\n",
        &expect![[r#"
        error[erlang::attribute]: the attribute `-property` stands after the first function
         --> m.erl:2:1
          |
        1 | f() -> ok.
          | - the first function
        2 | -property({a, "G b"}).
          | ^^^^^^^^^^^^^^^^^^^^^
        error[erlang::function]: the function `g/0` is specified, but not defined
         --> m.erl:4:7
          |
        4 | -spec g() -> a.
          |       ^"#]],
    );
}

#[test]
fn files_of_the_models_have_no_mistakes() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/erlang");
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        if entry.path().extension().is_some_and(|extension| extension == "erl") {
            let text = std::fs::read_to_string(entry.path()).expect("a text");
            sentences(&text, &[]);
        }
    }
}
