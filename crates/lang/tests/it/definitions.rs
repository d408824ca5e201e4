//! Definitions, procedures and quantifiers in programs: what they unfold to, and what is refused.

use crate::common::{outcomes, program, search, system};
use expect_test::{Expect, expect};
use selvedge_lang::Program;
use selvedge_lang::parallel::parse;
use selvedge_ltl::source::Source;
use selvedge_model::System;

/// Both programs have the same states, as text, and the same number of steps.
#[track_caller]
fn same(unfolded: &str, text: &str) {
    let [left, right] = [unfolded, text].map(|text| {
        let system = system(text, true);
        let space = search(&system, 100_000);
        let values = |state: &Vec<u64>| -> Vec<(String, String)> {
            let without_line = |value: String| value.split(" (line").next().unwrap_or("").to_owned();
            system.show(state).into_iter().map(|(name, value)| (name, without_line(value))).collect()
        };
        let mut states: Vec<_> = space.states.iter().map(values).collect();
        states.sort();
        (states, space.transitions)
    });
    assert_eq!(left, right, "{text}");
}

#[test]
fn a_definition_stands_for_its_expression() {
    same(
        "memory x = 0; process 1: while x < 2 * 2 do x := (x + 1) % 5 od process 2: await x + 1 = 3",
        "memory x = 0; process 1: while x < limit(2) do x := next(x) od process 2: await near(x, 3)
         define limit(n) = 2 * n
         define next(v) = (v + 1) % 5
         define near(v, w) = v + 1 = w",
    );
    // An argument is looked up where it is used, and a body where it is defined.
    let text = "memory x = 1, i = 7; define plus(v) = v + x + i; process p(i) for i in 1..1: local x = 5; x := plus(x + i)";
    assert_eq!(outcomes(text, &["x@p(1)"]), ["x@p(1)=14"]);
    // A definition without parameters, and one that uses another.
    let text = "const N = 3; memory x = 0; define last = N - 1; define pair(v) = v * last + last; process 1: x := pair(2)";
    assert_eq!(outcomes(text, &["x"]), ["x=6"]);
}

#[test]
fn a_definition_means_the_same_in_programs_and_formulas() {
    let program = program(
        "memory x = 0, a[3] = 0; define next(v) = (v + 1) % 3; define free(i) = a[i] = 0 and next(i) != x;
         process 1: await free(next(x)); a[next(x)] := next(next(x))",
    );
    let formula =
        |text: &str| program.formula(text).unwrap_or_else(|errors| panic!("{errors:?}")).to_string();
    assert_eq!(formula("[] next(x) = 1"), "G (x + 1) % 3 = 1");
    assert_eq!(formula("[] x < next(a[next(1)])"), "G x < (a[(1 + 1) % 3] + 1) % 3");
    assert_eq!(formula("free(2)"), "a[2] = 0 & (2 + 1) % 3 != x");
}

#[test]
fn quantifiers_in_tests_are_unfolded() {
    same(
        "memory a[3] = 0, x = 0; process 1: await a[0] = 0 and a[1] = 0 and a[2] = 0; x := 1
         process 2: a[1] := 1; if a[0] = 1 or a[1] = 1 then x := 2 fi",
        "const N = 2; memory a[N + 1] = 0, x = 0; process 1: await forall i in 0..N: a[i] = 0; x := 1
         process 2: a[1] := 1; if exists j in 0..N - 1: a[j] = 1 then x := 2 fi",
    );
    // The test extends as far as it can; over no numbers, `forall` is true and `exists` false.
    same(
        "memory x = 0; process 1: if x = 1 or x = 0 then x := 2 fi; await true; assert not false",
        "memory x = 0; process 1: if exists i in 1..1: x = i or x = 0 then x := 2 fi; await forall i in 1..0: x = i;
                                  assert not (exists i in 1..0: x = i)",
    );
    let text = "memory x = 0; process 1: if forall i in 1..2: exists j in i..3: i + j = 4 then x := 1 fi";
    assert_eq!(outcomes(text, &["x"]), ["x=1"]);
}

#[test]
fn a_call_stands_for_the_statements_of_its_procedure() {
    same(
        "memory x = 0, lock[2] = 0; statement crit;
         process 1: atomic await lock[1] = 0; lock[1] := 1 end; crit; x := x + 2; lock[1] := 0
         process 2: local l = 0; atomic await lock[l] = 0; lock[l] := 1 end; l := 5 + 1; if x = 0 then x := l fi",
        "memory x = 0, lock[2] = 0; statement crit;
         procedure acquire(l) = atomic await l = 0; l := 1 end
         procedure release(l) = l := 0;
         procedure work = crit; add(2)
         procedure add(n) = x := x + n
         procedure late(n) = l := n + 1; if x = 0 then x := l fi
         process 1: acquire(lock[1]); work; release(lock[1])
         process 2: local l = 0; acquire(lock[l]); late(5)",
    );
    // A whole array can be an argument; loops are the procedure's own.
    let text = "memory a[3] = 0, b[2] = 1, sum = 0;
         procedure add(c, n) = for i in 0..n - 1 do sum := sum + c[i]; if sum > 3 then break fi od
         process 1: for i in 0..1 do a[i] := 2; add(a, 3); add(b, 2) od";
    assert_eq!(outcomes(text, &["sum"]), ["sum=7"]);
}

fn rendered(text: &str) -> String {
    let source = Source::new("t.par", text);
    let (_, diagnostics) = parse(&source);
    diagnostics.iter().map(|diagnostic| diagnostic.render(&source, false) + "\n").collect()
}

#[track_caller]
fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&rendered(text));
}

/// The codes of all diagnostics, in order.
fn codes(text: &str) -> Vec<&'static str> {
    parse(&Source::new("t.par", text)).1.iter().map(|diagnostic| diagnostic.code).collect()
}

#[test]
fn a_message_about_an_unfolded_text_has_the_place_of_its_use() {
    check(
        "memory x = 0;\nprocedure p(v) = v := 1\nprocess 1: p(x + 1)",
        &expect![[r#"
        error[par::assigned-constant]: `v` stands for `x + 1`, which is no variable
         --> t.par:2:18
          |
        2 | procedure p(v) = v := 1
          |                  ^ it cannot be assigned
        3 | process 1: p(x + 1)
          |            -------- in this use of `p`
    "#]],
    );
    check(
        "memory x = 0;\ndefine next(v) = v + y;\nprocess 1: x := next(2)",
        &expect![[r#"
        error[par::unknown-name]: `y` is not declared
         --> t.par:2:22
          |
        2 | define next(v) = v + y;
          |                      ^ no variable has this name
        3 | process 1: x := next(2)
          |                 ------- in this use of `next`
          |
          = help: declare it: `memory y = 0;`
    "#]],
    );
    check(
        "memory x = 0;\nprocedure p = break\nprocess 1: while x = 0 do p od",
        &expect![[r#"
        error[par::no-loop]: `break` cannot leave a procedure
         --> t.par:2:15
          |
        2 | procedure p = break
          |               ^^^^^
        3 | process 1: while x = 0 do p od
          |                           - in this use of `p`
          |
          = help: `break` leaves the innermost `while`, `repeat` or `for` around it
    "#]],
    );
}

#[test]
fn what_unfolds_without_end_is_refused() {
    check(
        "memory x = 0;\nprocedure p(v) = v := 1; q(v)\nprocedure q(v) = p(v)\nprocess 1: p(x)",
        &expect![[r#"
        error[par::recursive-definition]: the procedure `p` calls itself
         --> t.par:3:18
          |
        2 | procedure p(v) = v := 1; q(v)
          |                          ---- in this use of `q`
        3 | procedure q(v) = p(v)
          |                  ^ here again
          |
          = help: `p` calls `q` calls `p`; procedures are unfolded, so this has no end
    "#]],
    );
    check(
        "memory x = 0;\ndefine f(v) = g(v) + 1; define g(v) = f(v);\nprocess 1: x := f(1)",
        &expect![[r#"
        error[par::recursive-definition]: the definition of `f` uses itself
         --> t.par:2:39
          |
        2 | define f(v) = g(v) + 1; define g(v) = f(v);
          |               ---- in this use of `g` ^ here again
          |
          = help: `f` uses `g` uses `f`; definitions are unfolded, so this has no end
    "#]],
    );
    let doubling: String =
        (1..40).map(|n| format!("define f{n}(v) = f{}(v) + f{}(v);\n", n - 1, n - 1)).collect();
    let text = format!("memory x = 0;\ndefine f0(v) = v;\n{doubling}process 1: x := f39(1)");
    assert_eq!(codes(&text), ["par::formula-too-large"]);
    let doubling: String = (1..40).map(|n| format!("procedure p{n} = p{}; p{}\n", n - 1, n - 1)).collect();
    let text = format!("memory x = 0;\nprocedure p0 = x := 1\n{doubling}process 1: p39");
    assert!(codes(&text).contains(&"par::too-large"), "{:?}", codes(&text));
    let deep = |n: usize| format!("define g{n}(v) = {}v{};\n", "-(".repeat(90), ")".repeat(90));
    let nested: String = (0..9).map(deep).collect();
    let text = format!("memory x = 0;\n{nested}process 1: x := g0(g1(g2(g3(g4(g5(x))))))");
    assert_eq!(codes(&text), ["par::too-deep"]);
    let deep = |n: usize| {
        format!("procedure q{n} = {}q{}{}\n", "if x = 1 then ".repeat(150), n + 1, " fi".repeat(150))
    };
    let nested: String = (0..9).map(deep).collect();
    assert_eq!(
        codes(&format!("memory x = 0;\n{nested}procedure q9 = skip\nprocess 1: q0")),
        ["par::too-large"]
    );
}

#[test]
fn uses_that_make_no_sense_are_refused() {
    check(
        "memory x = 0; procedure take(a) = a := 1 process 1: take(); tkae(x); x := nxt(1) define next(v) = v;",
        &expect![[r#"
        error[par::wrong-arguments]: wrong arguments for `take`
         --> t.par:1:53
          |
        1 | memory x = 0; procedure take(a) = a := 1 process 1: take(); tkae(x); x := nxt(1) define next(v) = v;
          |                                                     ^^^^
          |
          = help: it is used as `take(a)`
        error[par::unknown-procedure]: `tkae` is not a procedure
         --> t.par:1:61
          |
        1 | memory x = 0; procedure take(a) = a := 1 process 1: take(); tkae(x); x := nxt(1) define next(v) = v;
          |                                                             ^^^^
          |
          = help: did you mean `take`?
        error[par::expected-number]: `nxt(..)` is no number
         --> t.par:1:75
          |
        1 | memory x = 0; procedure take(a) = a := 1 process 1: take(); tkae(x); x := nxt(1) define next(v) = v;
          |                                                                           ^^^
          |
          = help: did you mean `next`?
    "#]],
    );
    for (text, code) in [
        ("define f(v) = v; process 1: x := f(1, 2)", "par::wrong-arguments"),
        ("define f = [] x = 0; process 1: if f then skip fi", "par::expected-test"),
        ("define f(i) = at(i, crit); statement crit; process 1: await f(1)", "par::expected-number"),
        ("statement crit; process 1: crit(1)", "par::unknown-procedure"),
        ("process 1: await forall i in 0..x: x = i", "par::expected-constant"),
        ("process 1: await exists i in 0..500: x = i", "par::range-too-long"),
        ("procedure p(v) = v[0] := 1 process 1: p(x)", "par::not-an-array"),
        ("memory a[2] = 0; procedure p(v) = v := 1 process 1: p(a)", "par::array-as-number"),
        ("procedure p(v) = v := 1 process q(i) for i in 1..2: p(i)", "par::assigned-constant"),
        ("procedure p = skip procedure p = skip process 1: p", "par::declared-twice"),
        ("procedure x = skip process 1: x", "par::declared-twice"),
    ] {
        let text = format!("memory x = 0; {text}");
        assert_eq!(codes(&text), [code], "{text}");
    }
}

#[test]
fn waits_and_errors_of_a_procedure_have_the_place_of_the_call() {
    let text = "memory x = 0;\nprocedure wait(n) =\n  await x = n\nprocedure divide = x := 1 / x\nprocess 1: skip;\n  wait(2)\nprocess 2:\n  divide";
    let found = outcomes(&text.replace("  divide", "  skip"), &["x"]);
    assert_eq!(found, ["x=0 1 waits: await x = 2 (line 3, called on line 6)"]);
    let found = outcomes(text, &["x"]);
    expect!["x=0 division by zero: process 2, line 4, called on line 8, `x := 1 / x`"]
        .assert_eq(&found.join("\n"));
}
