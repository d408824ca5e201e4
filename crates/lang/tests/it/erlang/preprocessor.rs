//! Macros, conditions and included files, and the positions that survive them.

use expect_test::{Expect, expect};
use selvedge_lang::erlang::syntax::tree::{Module, Pattern};
use selvedge_lang::erlang::syntax::{Include, Options, SourceMap, parse};
use selvedge_ltl::source::Source;

const HEADER: &str = "-define(TWICE(X), {X, X}).\n-record(r, {a}).\nincluded() -> [].\n";

fn find(include: &Include) -> Result<Source, String> {
    match include.path.as_str() {
        "h.hrl" => Ok(Source::new("include/h.hrl", HEADER)),
        "stdlib/include/x.hrl" if include.is_lib => Ok(Source::new("x.hrl", "-define(X, x).\n")),
        "loop.hrl" => Ok(Source::new("loop.hrl", "-include(\"loop.hrl\").\n")),
        _ => Err("no such file".to_owned()),
    }
}

fn read(text: &str) -> (Module, SourceMap, Vec<String>) {
    let mut sources = SourceMap::default();
    let defines = vec![("N".to_owned(), "4".to_owned()), ("PAIR".to_owned(), "{a, b}".to_owned())];
    let options = Options { defines, find_include: &find };
    let (module, diagnostics) = parse(Source::new("src/m.erl", text), &mut sources, &options);
    let messages = diagnostics.iter().map(|diagnostic| sources.render(diagnostic, false)).collect();
    (module, sources, messages)
}

/// The forms after `-module(m).`, printed, or the messages.
#[track_caller]
fn check(text: &str, expect: &Expect) {
    let (module, _, messages) = read(&format!("-module(m).\n{text}\n"));
    let forms: String = module.forms[1..].iter().map(|form| format!("{form}\n")).collect();
    expect.assert_eq(&if messages.is_empty() { forms } else { messages.join("\n") });
}

#[test]
fn macros_expand() {
    check(
        "-define(ADD(X, Y), X + Y).\n-define(ADD(X), ?ADD(X, 1)).\n-define(S(X), ??X).\n\
         f() -> {?N, ?PAIR, ?ADD(a, b), ?ADD(c), ?S(foo(1, X))}.\n-undef(ADD).\n-define(ADD, plus).\ng() -> ?ADD.",
        &expect![[r#"
            f() -> {4, {a, b}, a + b, c + 1, "foo ( 1 , X )"}.
            g() -> plus.
        "#]],
    );
}

#[test]
fn predefined_macros_have_the_values_of_their_place() {
    check(
        "-define(HERE, {?MODULE, ?FUNCTION_NAME, ?FUNCTION_ARITY, ?LINE}).\n\
         f({A, B}, [], <<1, 2>>) -> ?HERE;\nf(_, _, _) ->\n ?HERE.\n\
         g() -> ?FUNCTION_NAME(1, ?FUNCTION_ARITY).\nh() -> {?FILE, ?MODULE_STRING, ?MACHINE, ?MODULE:f()}.",
        &expect![[r#"
            f({A, B}, [], <<1, 2>>) -> {m, f, 3, 3};
            f(_, _, _) -> {m, f, 3, 5}.
            g() -> g(1, 0).
            h() -> {"src/m.erl", "m", 'BEAM', m:f()}.
        "#]],
    );
}

#[test]
fn conditions_choose_branches() {
    check(
        "-ifdef(N).\na() -> 1.\n-else.\na() -> 2.\n-endif.\n\
         -ifndef(N).\nb() -> 1.\n-endif.\n\
         -if(?N > 4 orelse defined(OTHER)).\nc() -> 1.\n-elif(?N =:= 4 andalso not defined(OTHER)).\nc() -> 2.\n\
         -else.\nc() -> 3.\n-endif.\n\
         -if(?OTP_RELEASE >= 21).\nd() -> new.\n-endif.\n\
         -if(?FEATURE_AVAILABLE(maybe_expr)).\ne() -> maybe a end.\n-endif.",
        &expect![[r#"
            a() -> 1.
            c() -> 2.
            d() -> new.
            e() -> maybe a end.
        "#]],
    );
}

#[test]
fn a_condition_that_cannot_be_decided_is_an_error() {
    check(
        "-if(foo(1)).\n-endif.",
        &expect![[r#"
            error[erlang::condition]: the condition of `-if` cannot be decided
             --> src/m.erl:2:5
              |
            2 | -if(foo(1)).
              |     ^^^^^^ conditions have integers, atoms, strings, operators and `defined`"#]],
    );
}

#[test]
fn files_are_included() {
    check(
        "-include(\"h.hrl\").\n-include_lib(\"stdlib/include/x.hrl\").\nf() -> ?TWICE(?X).",
        &expect![[r#"
            -record(r, {a}).
            included() -> [].
            f() -> {x, x}.
        "#]],
    );
}

#[test]
fn a_file_that_is_missing_is_an_error_at_its_directive() {
    check(
        "-include(\"none.hrl\").",
        &expect![[r#"
            error[erlang::include]: cannot include `none.hrl`
             --> src/m.erl:2:1
              |
            2 | -include("none.hrl").
              | ^^^^^^^^^^^^^^^^^^^^^ no such file"#]],
    );
}

#[test]
fn files_that_include_themselves_are_an_error() {
    let (_, _, messages) = read("-module(m).\n-include(\"loop.hrl\").\n");
    assert_eq!(messages.len(), 1);
    assert!(messages[0].contains("files include each other more than 32 deep"), "{}", messages[0]);
}

#[test]
fn mistakes_with_macros_are_errors() {
    check(
        "-define(MACRO(X), X).\nf() -> ?MACR.\ng() -> ?MACRO(1, 2).\n-define(N, 5).\n-define(L, ?L).\nh() -> ?L.\n\
         -error(\"stop here\").\n-ifdef(X).",
        &expect![[r#"
            error[erlang::macro]: the macro `?MACR` is not defined here
             --> src/m.erl:3:8
              |
            3 | f() -> ?MACR.
              |        ^^^^^
              |
              = help: did you mean `?MACRO`?
            error[erlang::macro]: the macro `?MACRO` is not defined here
             --> src/m.erl:4:8
              |
            4 | g() -> ?MACRO(1, 2).
              |        ^^^^^^^^^^^^
              |
              = help: did you mean `?MACRO`?
            error[erlang::macro]: the macro `?N` is defined already
             --> src/m.erl:5:9
              |
            5 | -define(N, 5).
              |         ^
              |
              = help: `-ifndef` before a definition keeps the first, `-undef` the second
              = help: defined here first: <command line>:3:9
            error[erlang::macro]: the macro expands to itself: ?L, ?L, ?L
             --> src/m.erl:7:8
              |
            7 | h() -> ?L.
              |        ^^
            error[erlang::error]: -error("stop here")
             --> src/m.erl:8:1
              |
            8 | -error("stop here").
              | ^^^^^^^^^^^^^^^^^^^^
            error[erlang::macro]: this condition has no `-endif`
             --> src/m.erl:9:1
              |
            9 | -ifdef(X).
              | ^^^^^^^^^^"#]],
    );
}

#[test]
fn positions_survive_macros_and_includes() {
    let text = "-module(m).\n-include(\"h.hrl\").\n-define(P(X), {x, X}).\nf(?P(Y), é, ?P(?N)) ->\n  ok.\n";
    let (module, sources, messages) = read(text);
    assert_eq!(messages, [""; 0]);
    let functions: Vec<_> = module.functions().collect();
    assert_eq!(sources.position(functions[0].name.span).to_string(), "include/h.hrl:3:1");
    let clause = &functions[1].clauses[0];
    assert_eq!(sources.position(clause.span).to_string(), "src/m.erl:4:1");
    let patterns = &clause.kind.patterns;
    let place = |pattern: &Pattern| sources.position(pattern.span).to_string();
    assert_eq!(place(&patterns[0]), "src/m.erl:4:3", "a macro's body is where the macro is used");
    assert_eq!(place(&patterns[1]), "src/m.erl:4:10", "columns count characters");
    assert_eq!(sources.text(patterns[2].span), "?P(?N)");
    assert_eq!(sources.position(clause.kind.body[0].span).to_string(), "src/m.erl:5:3");
}
