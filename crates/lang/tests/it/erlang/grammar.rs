//! The grammar: precedences, abbreviations, and each kind of form and expression.

use super::{expr_of, module_of};
use selvedge_lang::erlang::syntax::tree::{ExprKind, FormKind};

/// The two texts are one tree.
#[track_caller]
fn same(left: &str, right: &str) {
    assert_eq!(expr_of(left), expr_of(right), "{left} reads as {}", expr_of(left));
}

#[test]
fn operators_bind_as_in_the_reference_manual() {
    for (text, meaning) in [
        ("catch X = a ! b", "catch (X = (a ! b))"),
        ("X = Y = Z", "X = (Y = Z)"),
        ("A ! B ! C", "A ! (B ! C)"),
        ("A ! X = B", "A ! (X = B)"),
        ("X = A orelse B", "X = (A orelse B)"),
        ("A orelse B andalso C", "A orelse (B andalso C)"),
        ("A orelse B orelse C", "A orelse (B orelse C)"),
        ("A andalso B == C", "A andalso (B == C)"),
        ("A =:= B ++ C", "A =:= (B ++ C)"),
        ("A ++ B -- C ++ D", "A ++ (B -- (C ++ D))"),
        ("A ++ B + C", "A ++ (B + C)"),
        ("A - B - C", "(A - B) - C"),
        ("A - B bor C", "(A - B) bor C"),
        ("A + B * C", "A + (B * C)"),
        ("A div B rem C", "(A div B) rem C"),
        ("A or B and C", "A or (B and C)"),
        ("- A + B", "(-A) + B"),
        ("not A == B", "(not A) == B"),
        ("- - A", "-(-A)"),
        ("bnot A band B", "(bnot A) band B"),
        ("-A#r.f", "-(A#r.f)"),
        ("A#r.f#s.g", "(A#r.f)#s.g"),
        ("A#r{f = 1}#r.g", "(A#r{f = 1})#r.g"),
        ("M#{a => 1}#{b => 2}", "(M#{a => 1})#{b => 2}"),
        ("-m:f(X)", "-(m:f(X))"),
        ("m:f(X) + 1", "(m:f(X)) + 1"),
        ("1 + catch f() + 2", "1 + (catch (f() + 2))"),
        ("A < B + 1 andalso C", "(A < (B + 1)) andalso C"),
    ] {
        same(text, meaning);
    }
}

#[test]
fn what_the_grammar_abbreviates_is_written_out() {
    for (text, meaning) in [
        (r#""a" "b" "c""#, r#""abc""#),
        (r#"~s"abc""#, r#""abc""#),
        (r#"~"abc""#, r#"<<"abc"/utf8>>"#),
        (r#"~B"a\nb""#, r#"<<"a\\nb"/utf8>>"#),
        ("\"\"\"\n  one\n   two\n  \"\"\"", r#""one\n two""#),
        ("[a | [] ]", "[a]"),
        (r#""ab" ++ T = X"#, "[$a, $b | T] = X"),
        (r#""ab" ++ "cd" ++ T = X"#, "[$a, $b, $c, $d | T] = X"),
        (r#""ab" ++ "cd" = X"#, r#""abcd" = X"#),
        ("[$a, 1] ++ T = X", "[$a, 1 | T] = X"),
        ("2 * 3 + $a = X", "103 = X"),
        ("-(1 bsl 3) = X", "-8 = X"),
        ("- -1.5 = X", "- -1.5 = X"),
        ("16#FF", "255"),
        ("1_000", "1000"),
        ("2#101", "5"),
        ("$\\n", "$\n"),
        ("$\\x{41}", "$A"),
        ("(((X)))", "X"),
        ("try f() catch x -> y end", "try f() catch throw:x -> y end"),
    ] {
        if text.starts_with("\"ab\" ++ \"cd\" ++") {
            // The tail of the first string is a list itself.
            same(text, "[$a, $b | [$c, $d | T]] = X");
        } else {
            same(text, meaning);
        }
    }
}

#[test]
fn every_kind_of_expression_is_printed_as_it_is_written() {
    for text in [
        "begin a, b end",
        "if X > 0, Y; true -> a; true -> b end",
        "case X of {a, Y} when Y > 1 -> Y; _ -> b end",
        "receive {P, M} -> P ! M; stop -> ok after 10 -> late end",
        "receive after infinity -> ok end",
        "try f() of a -> b catch error:R:S when is_atom(R) -> S; throw:X -> X; _:_ -> c after d, e end",
        "maybe {ok, A} ?= f(), B = g(A), B else {error, E} -> E end",
        "fun (0) -> 1; (N) when N > 0 -> N end",
        "fun Loop(0) -> ok; Loop(N) -> Loop(N - 1) end",
        "fun f/1",
        "fun m:f/2",
        "fun M:F/A",
        "f(X, Y)",
        "m:f()",
        "M:F(X)",
        "F(X)",
        "(fun f/0)()",
        "[X || {X, _} <- L, X > 0, Y <:- M]",
        "[X || X <- L && Y <- M]",
        "<< <<X:8>> || <<X>> <= B, <<Y>> <:= C >>",
        "#{K => V || K := V <- M, K /= a}",
        "[X || K := X <:- M]",
        "{}",
        "{a, 1, 2.5, $c, \"s\", 'two words'}",
        "[a, b | T]",
        "#{}",
        "#{a => 1, \"b\" => #{}}",
        "M#{a := 1, b => 2}",
        "#r{}",
        "#r{a = 1, _ = 2}",
        "R#r{a = 1}",
        "R#r.a",
        "#r.a",
        "<<>>",
        "<<1, X:4/integer-signed-little-unit:8, \"abc\"/utf8, Rest/binary>>",
        "<<-1:(N * 8)>>",
        "catch exit(a)",
        "P ! {self(), hello}",
        "X = Y",
        "A == B",
        "not A",
    ] {
        assert_eq!(expr_of(text).to_string(), text);
    }
}

#[test]
fn every_kind_of_form_is_printed_as_it_is_written() {
    for text in [
        "-export([f/0, 'G'/3]).",
        "-export_type([t/0]).",
        "-import(lists, [map/2]).",
        "-record(r, {a, b = 1, c :: integer(), d = [] :: [atom()]}).",
        "-type t(A, B) :: {A, B} | undefined.",
        "-opaque t() :: 1 | -1 | 1..1 bsl 8 - 1 | $a..$z.",
        "-nominal metres() :: number().",
        "-spec f(A, [B, ...]) -> X :: C when A :: term(), C :: m:t(B); (atom(), []) -> none().",
        "-spec m:f() -> fun() | fun((...) -> ok) | fun((A, B) -> C).",
        "-callback init(Args :: term()) -> {ok, #state{a :: integer()}} | #{k := v, atom() => _}.",
        "-type b() :: <<>> | <<_:8>>.",
        "-behaviour(gen_server).",
        "-compile([export_all, {inline, [f/1]}]).",
        "-property({mutex, \"G !(a & b)\"}).",
        "-property({live, \"F done\", violated}).",
        "-domain(\"depth(2)\").",
        "-server(loop/1).",
        "-terminating(f/2).",
        "-doc(#{since => <<\"27\"/utf8>>}).",
        "-file(\"x.yrl\", -1).",
        "f() -> ok.",
        "f(0, _) -> 0;\nf(X, [Y | _]) when X > Y; X == 1 -> X, Y.",
    ] {
        let module = module_of(&format!("-module(m).\n{text}\n"));
        assert_eq!(module.forms[1].to_string(), text);
    }
}

#[test]
fn older_ways_to_write_forms_are_read() {
    for (text, meaning) in [
        ("-spec(f(A) -> A when is_subtype(A, atom())).", "-spec f(A) -> A when A :: atom()."),
        ("-type(t() :: ok).", "-type t() :: ok."),
        ("-record(r, {}).", "-record(r, {})."),
        ("-behaviour gen_server.", "-behaviour(gen_server)."),
        ("-doc \"\"\"\n  Text.\n  \"\"\".", "-doc(\"Text.\")."),
        ("-type b() :: <<_:16, _:_*8>>.", "-type b() :: <<_:16, _:_*(8)>>."),
        ("-type t() :: a | (b | c) | (X :: d | e).", "-type t() :: a | b | c | (X :: d | e)."),
    ] {
        let module = module_of(&format!("-module(m).\n{text}\n"));
        assert_eq!(module.forms[1].to_string(), meaning);
    }
}

#[test]
fn attributes_give_their_values() {
    let text = "-module(m).\n-property({mutex, \"G a\"}).\n-property({live, \"F b\"}).\n-server(loop/1).\n";
    let module = module_of(text);
    let formulas: Vec<String> = module
        .attributes("property")
        .map(|attribute| match &attribute.values[0].kind {
            ExprKind::Tuple(parts) => {
                format!("{} {}", parts[0].as_atom().expect("a name"), parts[1].as_string().expect("a text"))
            }
            _ => panic!("no tuple"),
        })
        .collect();
    assert_eq!(formulas, ["mutex G a", "live F b"]);
    let server = module.attributes("server").next().expect("an attribute");
    assert_eq!(server.values[0].as_name_arity().expect("a name").to_string(), "loop/1");
}

#[test]
fn a_full_stop_ends_a_form_only_before_a_blank() {
    let module = module_of("-module(m).\nf(R) -> R#r.a. g() -> 1.5.%\nh() -> $..");
    let names: Vec<&str> = module.functions().map(|function| &*function.name.kind).collect();
    assert_eq!(names, ["f", "g", "h"]);
}

#[test]
fn the_module_without_a_name_has_its_files() {
    assert_eq!(&*module_of("f() -> ok.").name.kind, "m");
}

#[test]
fn maybe_is_a_name_where_its_feature_is_off() {
    let module = module_of("-module(m).\n-feature(maybe_expr, disable).\nf(maybe) -> else.\n");
    let Some(FormKind::Function(function)) = module.forms.last().map(|form| &form.kind) else { panic!() };
    assert_eq!(function.clauses[0].kind.body[0].to_string(), "'else'");
}
