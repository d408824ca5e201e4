//! What the parser says about mistakes, word for word, and that it survives all of them.

use super::generate::Generator;
use expect_test::{Expect, expect};
use selvedge_lang::erlang::syntax::{MAX_NESTING, Options, SourceMap, parse};
use selvedge_ltl::source::Source;
use selvedge_testkit::Random;

fn messages(text: &str) -> Vec<String> {
    let mut sources = SourceMap::default();
    let (_, diagnostics) = parse(Source::new("m.erl", text), &mut sources, &Options::default());
    diagnostics.iter().map(|diagnostic| sources.render(diagnostic, false)).collect()
}

#[track_caller]
fn check(text: &str, expect: &Expect) {
    expect.assert_eq(&messages(text).join("\n"));
}

#[test]
fn a_missing_arrow_is_named() {
    check(
        "f(X) when X > 1, ok.",
        &expect![[r#"
        error[erlang::syntax]: expected `->` after the clause's head
         --> m.erl:1:20
          |
        1 | f(X) when X > 1, ok.
          |                    ^ found the end of the form"#]],
    );
}

#[test]
fn a_function_without_its_full_stop_is_seen_at_the_next() {
    check(
        "f() -> ok\n\ng() -> ok.",
        &expect![[r#"
        error[erlang::syntax]: expected an operator, `,`, `;` or the form's full stop
         --> m.erl:3:1
          |
        3 | g() -> ok.
          | ^ found `g`
          |
          = help: a function ends with `.`, a clause with `;`, an expression with `,`"#]],
    );
}

#[test]
fn a_block_without_its_end_shows_where_it_begins() {
    check(
        "f(X) ->\n  case X of\n    a -> b\n.",
        &expect![[r#"
        error[erlang::syntax]: expected `end` to close the `case`
         --> m.erl:4:1
          |
        2 |   case X of
          |   ---- the `case` begins here
        3 |     a -> b
        4 | .
          | ^ found the end of the form"#]],
    );
}

#[test]
fn a_bracket_without_its_end_shows_where_it_begins() {
    check(
        "f(X) -> [a, {b, c].",
        &expect![[r#"
        error[erlang::syntax]: expected `,` or `}`
         --> m.erl:1:18
          |
        1 | f(X) -> [a, {b, c].
          |             -    ^ found `]`
          |             |
          |             opened here"#]],
    );
}

#[test]
fn clauses_of_two_functions_are_told_apart() {
    check(
        "f(X) -> X;\ng(X) -> X.\nh(1) -> 1;\nh(1, 2) -> 2.",
        &expect![[r#"
        error[erlang::head-mismatch]: a clause of `g/1` among those of `f/1`
         --> m.erl:2:1
          |
        1 | f(X) -> X;
          | - the first clause
        2 | g(X) -> X.
          | ^
          |
          = help: `;` goes on with the same function, `.` ends it
        error[erlang::head-mismatch]: a clause of `h/2` among those of `h/1`
         --> m.erl:4:1
          |
        3 | h(1) -> 1;
          | - the first clause
        4 | h(1, 2) -> 2.
          | ^
          |
          = help: `;` goes on with the same function, `.` ends it"#]],
    );
}

#[test]
fn what_is_no_pattern_is_pointed_at() {
    check(
        "f(g(X)) -> X.\nf(X) -> case X of {Y, X + 1} -> Y; #{a => b} -> c end.\nf(X ++ Y) -> X.",
        &expect![[r#"
            error[erlang::pattern]: this cannot be matched: it is no pattern
             --> m.erl:1:3
              |
            1 | f(g(X)) -> X.
              |   ^^^^ a call is no pattern
              |
              = help: bind its value to a variable before, and match that
            error[erlang::pattern]: this cannot be matched: it is no pattern
             --> m.erl:2:23
              |
            2 | f(X) -> case X of {Y, X + 1} -> Y; #{a => b} -> c end.
              |                       ^ a variable has no value here
            error[erlang::pattern]: in a pattern, a string stands before `++`
             --> m.erl:3:3
              |
            3 | f(X ++ Y) -> X.
              |   ^ this is no string"#]],
    );
}

#[test]
fn two_comparisons_in_a_row_are_refused() {
    check(
        "f(X) -> 1 < X < 3.",
        &expect![[r#"
        error[erlang::syntax]: a comparison cannot be compared without parentheses
         --> m.erl:1:15
          |
        1 | f(X) -> 1 < X < 3.
          |               ^
          |
          = help: `A < B, B < C` in a guard, `A < B andalso B < C` elsewhere"#]],
    );
}

#[test]
fn reserved_words_are_explained() {
    check(
        "f() -> else.\ng(maybe) -> ok.",
        &expect![[r#"
            error[erlang::syntax]: expected an expression
             --> m.erl:1:8
              |
            1 | f() -> else.
              |        ^^^^ found `else`
              |
              = help: `else` is reserved: the atom is written `'else'`
            error[erlang::syntax]: expected an expression
             --> m.erl:2:3
              |
            2 | g(maybe) -> ok.
              |   ^^^^^ found `maybe`
              |
              = help: `maybe` is reserved: the atom is written `'maybe'`"#]],
    );
}

#[test]
fn bad_tokens_are_named() {
    check(
        "f() -> 1a + 38#1.\ng() -> \"\\x{zz}\".\nh() -> `.\ni() -> \"open.\n",
        &expect![[r#"
            error[erlang::token]: this number is not well formed
             --> m.erl:1:8
              |
            1 | f() -> 1a + 38#1.
              |        ^
              |
              = help: `16#ff` has a base from 2 to 36, and digits of it
            error[erlang::token]: this number is not well formed
             --> m.erl:1:13
              |
            1 | f() -> 1a + 38#1.
              |             ^
              |
              = help: `16#ff` has a base from 2 to 36, and digits of it
            error[erlang::token]: this escape sequence means nothing
             --> m.erl:2:8
              |
            2 | g() -> "\x{zz}".
              |        ^
              |
              = help: a backslash is written `\\`
            error[erlang::token]: this character begins no token
             --> m.erl:3:8
              |
            3 | h() -> `.
              |        ^
            error[erlang::token]: a quotation has no end
             --> m.erl:4:8
              |
            4 | i() -> "open.
              |        ^
              |
              = help: close it with the sign that opens it"#]],
    );
}

#[test]
fn other_mistakes_have_their_sentences() {
    check(
        "f() -> m:g.\nf() -> g()().\n-record(r, [a]).\n-custom(f(x)).\n-type t() :: a + 1.\n\
         f() -> <<X/integer-float>>.\nf() -> [X || X <= L].\nf() -> ~x\"a\".\nf() -> ok",
        &expect![[r#"
            error[erlang::syntax]: expected `(` and the arguments of the remote call
             --> m.erl:1:11
              |
            1 | f() -> m:g.
              |           ^ found the end of the form
            error[erlang::syntax]: expected an operator, `,` or the end of the expression
             --> m.erl:2:11
              |
            2 | f() -> g()().
              |           ^ found `(`
              |
              = help: parentheses around a call make its result callable: `(f(X))(Y)`
            error[erlang::syntax]: expected `{` and the record's fields
             --> m.erl:3:12
              |
            3 | -record(r, [a]).
              |            ^ found `[`
            error[erlang::attribute]: the value of an attribute is a constant
             --> m.erl:4:9
              |
            4 | -custom(f(x)).
              |         ^^^^ this is none
            error[erlang::type]: an integer is expected in this type
             --> m.erl:5:14
              |
            5 | -type t() :: a + 1.
              |              ^
            error[erlang::syntax]: `float` contradicts what is written before it
             --> m.erl:6:20
              |
            6 | f() -> <<X/integer-float>>.
              |                    ^^^^^
            error[erlang::syntax]: a generator with `<=` takes a binary pattern
             --> m.erl:7:14
              |
            7 | f() -> [X || X <= L].
              |              ^
              |
              = help: less or equal is written `=<`
            error[erlang::syntax]: there is no sigil `~x`
             --> m.erl:8:8
              |
            8 | f() -> ~x"a".
              |        ^^^^^
              |
              = help: `~s` and `~S` are strings, `~`, `~b` and `~B` binaries
            error[erlang::syntax]: the last form has no full stop
             --> m.erl:9:8
              |
            9 | f() -> ok
              |        ^^ the file ends here
              |
              = help: a form ends with `.` and a blank or a new line"#]],
    );
}

#[test]
fn after_a_mistake_the_other_forms_are_read() {
    let text = "f() -> (.\ng() -> ok.\n";
    let (module, diagnostics) =
        parse(Source::new("m.erl", text), &mut SourceMap::default(), &Options::default());
    assert_eq!(diagnostics.len(), 1);
    assert_eq!(module.functions().map(|function| &*function.name.kind).collect::<Vec<_>>(), ["g"]);
}

#[test]
fn deep_nesting_is_refused_without_overflowing_the_stack() {
    let many = |text: &str| text.repeat(100_000);
    for text in [
        many("("),
        many("["),
        many("f("),
        many("- "),
        many("a + ") + "a",
        many("a ++ ") + "a",
        many("X = ") + "a",
        many("catch "),
        many("fun () -> "),
        many("begin "),
        many("case "),
        many("if "),
        many("try "),
        many("<<("),
        many("#{a => "),
        format!("X{}", many("#r.a")),
        format!("{}a{}", many("("), many(") + a")),
    ] {
        check_too_deep(&format!("f() -> {text}."));
    }
    for text in [many("["), many("a | ("), many("fun((a) -> "), many("X :: "), many("- "), many("1 + ") + "1"]
    {
        check_too_deep(&format!("-type t() :: {text}."));
    }
}

#[track_caller]
fn check_too_deep(text: &str) {
    let messages = messages(text);
    let expected = format!("this nests more than {MAX_NESTING} deep");
    let start: String = text.chars().take(40).collect();
    assert!(messages.len() == 1 && messages[0].contains(&expected), "{start}: {messages:?}");
}

#[test]
fn a_tree_of_the_greatest_depth_is_printed_and_compared() {
    let depth = MAX_NESTING - 3;
    for (open, close) in [("- ", ""), ("[", "]"), ("fun () -> ", " end"), ("f(", ")"), ("{", "}")] {
        let text = format!("f() -> {}a{}.", open.repeat(depth), close.repeat(depth));
        let (module, diagnostics) =
            parse(Source::new("m.erl", text), &mut SourceMap::default(), &Options::default());
        assert!(diagnostics.is_empty(), "{open}: {diagnostics:?}");
        let copy = module.clone();
        assert_eq!(module, copy);
        assert!(module.to_string().len() > depth);
    }
}

#[test]
fn long_chains_of_macros_and_long_lists_are_read() {
    let mut text = String::from("-define(M0, 1).\n");
    for i in 1..900 {
        text.push_str(&format!("-define(M{i}, ?M{}).\n", i - 1));
    }
    text.push_str("f() -> ?M899.\n");
    text.push_str(&format!("g() -> [{}1].\n", "1, ".repeat(50_000)));
    text.push_str(&format!("h() -> {} \"\".\n", "\"abc\" ".repeat(50_000)));
    assert_eq!(messages(&text), [""; 0]);
}

#[test]
fn macros_that_double_their_size_end_in_a_message() {
    let mut text = String::from("-define(M0, a, a).\n");
    for i in 1..60 {
        text.push_str(&format!("-define(M{i}, ?M{}, ?M{}).\n", i - 1, i - 1));
    }
    text.push_str("f() -> {?M59}.\n");
    let messages = messages(&text);
    assert!(messages[0].contains("macros expand to too many tokens"), "{messages:?}");
}

#[test]
fn macros_that_double_their_argument_end_in_a_message() {
    let text = format!("-define(D(X), X, X).\nf() -> {{{}a{}}}.\n", "?D(".repeat(60), ")".repeat(60));
    let messages = messages(&text);
    assert!(messages[0].contains("macros expand to too many tokens"), "{messages:?}");
}

#[test]
fn text_with_random_mistakes_is_read_to_its_end() {
    for seed in 0..2_000 {
        let mut random = Random(seed);
        let mut text = format!("{}\n", Generator::new(seed).form(1 + random.below(3)));
        for _ in 0..1 + random.below(3) {
            let places: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
            let (from, to) = (random.pick(&places), random.pick(&places));
            match random.below(3) {
                0 => text.replace_range(from..text.len().min(from.max(to)), ""),
                1 => text.insert_str(
                    from,
                    random.pick(&["(", ")", " end ", "\"", "?M", ",", ". ", "-", "<<", "#"]),
                ),
                _ => {
                    let again = text[to.min(from)..from].to_owned();
                    text.insert_str(from, &again);
                }
            }
        }
        let _ = messages(&text);
    }
}
