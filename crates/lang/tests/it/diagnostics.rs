//! The diagnostics of PARALLEL, and that no text makes its parser panic.

use expect_test::{Expect, expect};
use selvedge_lang::Program;
use selvedge_lang::parallel::{MAX_DIAGNOSTICS, parse};
use selvedge_ltl::source::Source;

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
fn an_undeclared_variable_is_a_warning_with_the_nearest_name() {
    check(
        "memory turn = 1; process 1: trun := 2",
        &expect![[r#"
        warning[par::undeclared-variable]: `trun` is not declared
         --> t.par:1:29
          |
        1 | memory turn = 1; process 1: trun := 2
          |                             ^^^^ it is undefined at first
          |
          = help: did you mean `turn`?
    "#]],
    );
}

#[test]
fn a_process_is_never_at_a_statement_inside_atomic() {
    check(
        "statement crit;\nprocess 1: repeat atomic crit; x := 1 end forever\nmemory x = 0;\nproperty p: [] ~ at(1, crit)",
        &expect![[r#"
            error[par::at-in-atomic]: process `1` is never at `crit` of line 2, which is inside `atomic`
             --> t.par:4:24
              |
            4 | property p: [] ~ at(1, crit)
              |                        ^^^^ an `atomic` is one step, and no state lies inside it
              |
              = help: write `crit` before the `atomic`, or behind it
        "#]],
    );
    let outside = "statement crit; process 1: crit process 2: atomic crit end property p: [] ~ at(1, crit)";
    assert_eq!(codes(outside), Vec::<&str>::new());
    let (program, _) = parse(&Source::new("t.par", outside));
    let refused = program.expect("a program").formula("<> at(2, crit)").expect_err("2 is never at `crit`");
    assert_eq!(refused[0].code, "par::at-in-atomic");
}

#[test]
fn loops_and_ranges_that_make_no_sense_are_refused() {
    for (body, code) in [
        ("break", "par::no-loop"),
        ("while x = 1 do atomic x := 2; break end od", "par::no-loop"),
        ("for i in 1..0 do x := i od", "par::bad-range"),
        ("for i in 1..501 do x := i od", "par::bad-range"),
        ("choose x in 2..1", "par::bad-range"),
        ("choose x in 1..x", "par::expected-constant"),
        ("for i in 1..2 do i := 1 od", "par::assigned-constant"),
        ("atomic repeat x := 1 forever end", "par::endless-atomic"),
    ] {
        let text = format!("memory x = 0; process 1: {body}");
        assert_eq!(codes(&text), [code], "{text}");
    }
    let leaves = "memory x = 0; process 1: atomic repeat x := x + 1; if x = 3 then break fi forever end";
    assert_eq!(codes(leaves), Vec::<&str>::new());
    let nested = "for i in 0..499 do ".repeat(4) + "x := i" + &" od".repeat(4);
    assert!(codes(&format!("memory x = 0; process 1: {nested}")).contains(&"par::too-large"));
}

#[test]
fn a_constant_that_overflows_says_so() {
    for (value, why) in [
        ("9223372036854775807 + 1", "the result does not fit into 64 bits"),
        ("1 / (2 - 2)", "division by zero"),
    ] {
        let shown = rendered(&format!("const N = {value}; process 1: skip"));
        assert!(shown.contains(why), "{shown}");
    }
}

#[test]
fn a_chain_of_one_operator_may_be_long() {
    let chain = |operator: &str, operand: &str| vec![operand; 5_000].join(operator);
    let sum = chain(" + ", "1");
    let tests = chain(" and ", "x = 5000");
    let text = format!("const N = {sum}; memory x = N; process 1: await {tests}; x := {sum}");
    let (program, diagnostics) = parse(&Source::new("t.par", &text));
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    assert!(program.is_some());
}

#[test]
fn several_errors_are_reported_at_once() {
    check(
        "memory x = ;\nprocess 1:\n  x = 1;\n  if x then skip fi;\n  while x = 1 do skip;\n  crti\nprocess 2: skip skip\nproperty p: [] y = 1 /\\ at(3, crit)",
        &expect![[r#"
            error[par::unexpected]: expected an expression, found `;`
             --> t.par:1:12
              |
            1 | memory x = ;
              |            ^ a number, a variable, `null`, or `(` may stand here
            error[par::expected-assignment]: `=` compares and does not assign
             --> t.par:3:5
              |
            3 |   x = 1;
              |     ^
              |
              = help: write `x := ..`
            error[par::expected-test]: expected a test, found a number
             --> t.par:4:6
              |
            4 |   if x then skip fi;
              |      ^
              |
              = help: compare it with something: `x = 1`
            error[par::unknown-statement]: `crti` is not a statement
             --> t.par:6:3
              |
            6 |   crti
              |   ^^^^ no statement of this name is declared
              |
              = help: declare it: `statement crti;`, or assign to it: `crti := ..`
            error[par::unclosed]: expected `od`, found `process`
             --> t.par:7:1
              |
            5 |   while x = 1 do skip;
              |   ----- to close this `while`
            6 |   crti
            7 | process 2: skip skip
              | ^^^^^^^
            error[par::expected-semicolon]: expected `;` before `skip`
             --> t.par:7:17
              |
            7 | process 2: skip skip
              |                 ^^^^
              |
              = help: statements are separated by `;`
            error[par::unknown-name]: `y` is not declared
             --> t.par:8:16
              |
            8 | property p: [] y = 1 /\ at(3, crit)
              |                ^ no variable has this name
              |
              = help: declare it: `memory y = 0;`
            error[par::unknown-process]: there is no process `3`
             --> t.par:8:28
              |
            8 | property p: [] y = 1 /\ at(3, crit)
              |                            ^ no process has this name
              |
              = help: the processes are `1`, `2`
            error[par::unknown-statement]: `crit` is not a statement
             --> t.par:8:31
              |
            8 | property p: [] y = 1 /\ at(3, crit)
              |                               ^^^^
              |
              = help: declare it: `statement crit;`
        "#]],
    );
}

#[test]
fn unknown_names_in_formulas_come_with_an_offer() {
    check(
        "memory turn = 1; statement crit;\ndefine enter(i) = at(i, crit);\nprocess 1: crit\n\
         property a: [] entr(1)\nproperty b: <> at(1, crt)\nproperty c: tun = 1\nproperty d: turn\nproperty e: exec(1, 2)",
        &expect![[r#"
            error[par::unknown-proposition]: `entr` is not a proposition of this program
             --> t.par:4:16
              |
            4 | property a: [] entr(1)
              |                ^^^^ nothing defines it
              |
              = help: did you mean `enter`?
            error[par::unknown-statement]: `crt` is not a statement
             --> t.par:5:22
              |
            5 | property b: <> at(1, crt)
              |                      ^^^
              |
              = help: did you mean `crit`?
            error[par::unknown-name]: `tun` is not declared
             --> t.par:6:13
              |
            6 | property c: tun = 1
              |             ^^^ no variable has this name
              |
              = help: did you mean `turn`?
            error[par::unknown-proposition]: `turn` is not a proposition of this program
             --> t.par:7:13
              |
            7 | property d: turn
              |             ^^^^ nothing defines it
              |
              = help: compare the variable with something: `turn = 1`
            error[par::wrong-arguments]: wrong arguments for `exec`
             --> t.par:8:13
              |
            8 | property e: exec(1, 2)
              |             ^^^^
              |
              = help: it is used as `exec(1)`: a process
        "#]],
    );
}

#[test]
fn a_definition_that_uses_itself_is_refused() {
    check(
        "process 1: skip\ndefine a = ! b;\ndefine b = X a;\nproperty p: a",
        &expect![[r#"
        error[par::recursive-definition]: the definition of `a` uses itself
         --> t.par:3:14
          |
        3 | define b = X a;
          |              ^ here again
          |
          = help: `a` uses `b` uses `a`; definitions are unfolded, so this has no end
    "#]],
    );
}

#[test]
fn a_definition_that_unfolds_to_a_huge_formula_is_refused() {
    let mut text = "memory x = 0; process 1: skip\ndefine d0 = x = 0;\n".to_owned();
    for level in 1..40 {
        let below = level - 1;
        text.push_str(&format!("define d{level} = d{below} /\\ X d{below};\n"));
    }
    text.push_str("property p: d39");
    assert_eq!(codes(&text), ["par::formula-too-large"]);
}

#[test]
fn a_name_that_is_declared_twice_is_refused() {
    assert_eq!(codes("memory x = 0, x = 1; process 1: skip process 1: skip"), ["par::declared-twice"; 2]);
}

#[test]
fn numbers_and_tests_are_not_mixed() {
    let text = "memory x = 0, a[2] = 0; channel c[1]; const N = 1;
                process 1: x := x = 1; if x + 1 then skip fi; x := a; x[0] := 1; N := 2; send x, 1;
                atomic repeat skip forever end";
    let expected = [
        "par::expected-number",
        "par::expected-test",
        "par::array-as-number",
        "par::not-an-array",
        "par::assigned-constant",
        "par::unknown-channel",
        "par::endless-atomic",
    ];
    assert_eq!(codes(text), expected);
}

#[test]
fn declarations_out_of_bounds_are_refused() {
    for (text, code) in [
        ("process 0: skip", "par::process-zero"),
        ("", "par::no-process"),
        ("memory a[0] = 0; process 1: skip", "par::bad-length"),
        ("channel c[-1]; process 1: skip", "par::bad-length"),
        ("process p(i) for i in 1..100000000000: skip", "par::too-many-processes"),
        ("memory x = 99999999999999999999; process 1: skip", "par::number-too-large"),
        ("memory x = y; process 1: skip", "par::unknown-name"),
        ("memory x = 1 / 0; process 1: skip", "par::expected-constant"),
        ("process 1: x := 1; local y = 0", "par::late-local"),
        ("process 1: x < 1 < 2", "par::expected-semicolon"),
        ("process 1: if 1 < 2 < 3 then skip fi", "par::chained-comparison"),
        ("process 1: skip fi", "par::unmatched"),
        ("process 1: x := 1;; x := 2", "par::expected-statement"),
        ("define p = true expect holds process 1: skip", "par::unexpected-expect"),
    ] {
        assert!(codes(text).contains(&code), "{text}: {:?}", codes(text));
    }
}

#[test]
fn a_file_without_processes_is_reported_only_without_other_errors() {
    assert_eq!(codes("memory x = 0;"), ["par::no-process"]);
    assert_eq!(
        codes("process p(i) for i in 1..0: skip process q(i) for i in 1..0: skip"),
        ["par::no-process"]
    );
    assert_eq!(codes("const N = -3; memory a[N] = 0; process p(i) for i in 1..N: skip"), ["par::bad-length"]);
    assert_eq!(codes("memory x = 0; proces 1: x := 1"), ["par::expected-declaration"]);
    // Some of the families may be empty.
    assert_eq!(codes("process p(i) for i in 1..0: skip process 1: skip"), [""; 0]);
}

#[test]
fn the_range_of_an_empty_family_is_reported() {
    let text = "const N = 0;\nprocess p(i) for i in 1..N: skip\n";
    expect![[r#"
        error[par::no-process]: there is no process, for there is no `i` from 1 to 0
         --> t.par:2:23
          |
        2 | process p(i) for i in 1..N: skip
          |                       ^^^^ an empty range
          |
          = help: a range counts upwards: its last number is not below its first
    "#]]
    .assert_eq(&rendered(text));
}

#[test]
fn deep_nesting_gets_a_message() {
    let many = 100_000;
    for text in [
        format!("process 1: x := {}1{}", "(".repeat(many), ")".repeat(many)),
        format!("process 1: x := {}1", "-".repeat(many)),
        format!("process 1: x := 1{}", " - 1".repeat(many)),
        format!("process 1: x := {}0{}", "a[".repeat(many), "]".repeat(many)),
        format!("process 1: {} skip", "if x = 1 then ".repeat(many)),
        format!("process 1: {} skip", "(".repeat(many)),
        format!("process 1: {} skip", "choose atomic ".repeat(many)),
        format!("process 1: await {} x = 1", "not ".repeat(many)),
    ] {
        assert!(codes(&text).contains(&"par::too-deep"), "{}: {:?}", &text[..30], codes(&text));
    }
    let formula = format!("process 1: skip\nproperty p: {}x = 1", "(".repeat(many));
    assert!(codes(&formula).contains(&"ltl::too-deep"), "{:?}", codes(&formula));
}

#[test]
fn no_text_makes_the_parser_panic() {
    let text = include_str!("../../../../models/dekker.par");
    for cut in (0..text.len()).step_by(3) {
        parse(&Source::new("cut.par", &text[..cut]));
        parse(&Source::new("cut.par", &text[cut..]));
        let twisted: String = text.chars().skip(cut % 7).step_by(1 + cut % 3).collect();
        let (_, diagnostics) = parse(&Source::new("twisted.par", twisted));
        assert!(diagnostics.len() <= MAX_DIAGNOSTICS);
    }
    for text in ["é := ü", "process 1: \u{0}", "\"", "process 1: print \"é", "property p: ((((", "define ="]
    {
        assert!(!rendered(text).is_empty(), "{text}");
    }
}

#[test]
fn a_file_of_five_megabytes_and_ten_thousand_processes_are_read() {
    let long = format!("memory x = 0; process 1: {} skip", "x := 1 ; ".repeat(5_000_000 / 9));
    let (program, _) = parse(&Source::new("long.par", long));
    assert!(program.is_some());
    let many = "memory x = 0; process p(i) for i in 1..10000: repeat x := i; x := 0 forever";
    let (program, _) = parse(&Source::new("many.par", many));
    assert!(program.expect("a program").system(&[], selvedge_lang::SystemOptions::default()).is_ok());
}
