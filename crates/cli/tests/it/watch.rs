//! `selvedge watch`: output, messages and exit codes.

use crate::common::{command, selvedge, selvedge_with_input, temporary_file};
use expect_test::{Expect, expect};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

const REQUESTS: &str = "examples/logs/requests.jsonl";
const JOBS: &str = "examples/logs/jobs.csv";

#[track_caller]
fn check(arguments: &[&str], code: i32, output: &Expect) {
    let ran = selvedge(&[&["watch"], arguments].concat());
    output.assert_eq(&(ran.output + &ran.errors));
    assert_eq!(ran.code, code);
}

/// Lines on standard input.
#[track_caller]
fn check_input(formula: &str, options: &[&str], input: &str, code: i32, output: &Expect) {
    let ran = selvedge_with_input(&[&["watch", "--ltl", formula], options].concat(), input);
    output.assert_eq(&(ran.output + &ran.errors));
    assert_eq!(ran.code, code);
}

#[test]
fn every_formula_has_a_verdict() {
    let formulas = [
        "--ltl",
        "kind = start & F kind = stop",
        "--ltl",
        "G (kind = answer & ms > 500 -> X kind = slow)",
        "--ltl",
        "G (kind = crash -> F kind = start)",
        "--ltl",
        "forall r in request.id: G (kind = ask -> F kind = answer)",
    ];
    check(
        &[&formulas[..], &[REQUESTS]].concat(),
        1,
        &expect![[r#"
        examples/logs/requests.jsonl: 10 lines
          proven            --ltl 1  kind = start & F kind = stop
          presumably true   --ltl 2  G (kind = answer & ms > 500 -> X kind = slow)
          presumably true   --ltl 3  G (kind = crash -> F kind = start)  (vacuous: `kind = "crash"` never happened)
          presumably false  --ltl 4  forall r in request.id: G (kind = ask -> F kind = answer)  [1 of 4 slices, such as r = 4]
                                     left: F kind = "answer" & G (!(kind = "ask") | F kind = "answer")
    "#]],
    );
}

#[test]
fn a_late_answer_is_told_with_its_line_and_slice() {
    let formula = "forall r in request.id: G (kind = ask -> !after(kind = ask, 500ms) U kind = answer)";
    check(
        &["--ltl", formula, REQUESTS],
        1,
        &expect![[r#"
        line 5, r = 2: violated: forall r in request.id: G (kind = ask -> !after(kind = ask, 500ms) U kind = answer)
            line 3: kind = "ask"
                left: !after(kind = "ask", 500ms) U kind = "answer" & G (!(kind = "ask") | !after(kind = "ask", 500ms) U kind = "answer")
            before line 5: kind = "ask", after(kind = "ask", 500ms)
                left: false
        examples/logs/requests.jsonl: 10 lines
          violated  --ltl  forall r in request.id: G (kind = ask -> !after(kind = ask, 500ms) U kind = answer)  [1 of 4 slices, such as r = 2]
    "#]],
    );
    check(
        &["--ltl", formula, "--format", "json", REQUESTS],
        1,
        &expect![[r#"
        {"event":"violation","formula":"forall r in request.id: G (kind = ask -> !after(kind = ask, 500ms) U kind = answer)","is_cut":false,"line":5,"name":"--ltl","slice":{"r":2},"steps":[{"cause":"line","holds":["kind = \"ask\""],"left":"!after(kind = \"ask\", 500ms) U kind = \"answer\" & G (!(kind = \"ask\") | !after(kind = \"ask\", 500ms) U kind = \"answer\")","line":3},{"cause":"clock","holds":["kind = \"ask\"","after(kind = \"ask\", 500ms)"],"left":"false","line":5}]}
        {"event":"report","file":"examples/logs/requests.jsonl","formulas":[{"count":1,"example":{"r":2},"formula":"forall r in request.id: G (kind = ask -> !after(kind = ask, 500ms) U kind = answer)","is_at_most":false,"left":null,"name":"--ltl","slices":4,"vacuous":null,"verdict":"violated"}],"limit":null,"lines":10,"skipped":0,"unknown":[]}
    "#]],
    );
}

#[test]
fn rows_of_a_csv_file_are_lines() {
    check(
        &["--ltl", "forall j in job: G (event = failed -> F event = done)", JOBS],
        0,
        &expect![[r#"
        examples/logs/jobs.csv: 8 lines
          presumably true  --ltl  forall j in job: G (event = failed -> F event = done)  [2 of 2 slices, such as j = "17"]
    "#]],
    );
    check(
        &[
            "--ltl",
            "forall j in job: G (event = started -> !after(event = started, 5s) U event = done)",
            JOBS,
        ],
        1,
        &expect![[r#"
            line 7, j = "18": violated: forall j in job: G (event = started -> !after(event = started, 5s) U event = done)
                line 5: event = "started"
                    left: !after(event = "started", 5s) U event = "done" & G (!(event = "started") | !after(event = "started", 5s) U event = "done")
                before line 7: event = "started", after(event = "started", 5s)
                    left: false
            examples/logs/jobs.csv: 8 lines
              violated  --ltl  forall j in job: G (event = started -> !after(event = started, 5s) U event = done)  [1 of 2 slices, such as j = "18"]
        "#]],
    );
    // Standard input has no extension.
    check_input(
        "G n < 3",
        &["--input", "csv"],
        "n\n1\n2\n3\n",
        1,
        &expect![[r#"
        line 4: violated: G n < 3
            line 4: no test holds
                left: false
        standard input: 3 lines
          violated  --ltl  G n < 3
    "#]],
    );
}

#[test]
fn a_line_is_a_state_so_next_is_allowed() {
    let input = "{\"p\":true}\n\n{\"p\":false,\"q\":true}\n{\"p\":true}\n{\"p\":true}\n";
    check_input(
        "G (p -> X q)",
        &[],
        input,
        1,
        &expect![[r#"
        line 5: violated: G (p -> X q)
            line 4: p
                left: q & G (!p | X q)
            line 5: p
                left: false
        standard input: 4 lines
          violated  --ltl  G (p -> X q)
    "#]],
    );
    check_input(
        "forall r in q: G (p -> X q)",
        &[],
        input,
        2,
        &expect![[r#"
        error: `forall r in q: G (p -> X q)` depends on how often a state is repeated: it holds on
            ({p} {q})^ω
        and not on
            {p} ({p} {p} {q})^ω
        Inside of `forall`, the lines of other slices lie between those of a slice. Use `U`, `F` or `G` in place of `X`.
    "#]],
    );
}

#[test]
fn slices_have_the_values_of_several_fields() {
    let input = "{\"u\":\"ann\",\"n\":1,\"ok\":true}\n{\"u\":\"ann\",\"n\":1.0,\"ok\":false}\n{\"u\":\"ann\"}\n\
                 {\"u\":\"a\\nb\",\"n\":2,\"ok\":true}\n";
    check_input(
        "forall user in u, number in n: G ok",
        &["--format", "json"],
        input,
        1,
        &expect![[r#"
        {"event":"violation","formula":"forall user in u, number in n: G ok","is_cut":false,"line":2,"name":"--ltl","slice":{"number":1,"user":"ann"},"steps":[{"cause":"line","holds":[],"left":"false","line":2}]}
        {"event":"report","file":"standard input","formulas":[{"count":1,"example":{"number":1,"user":"ann"},"formula":"forall user in u, number in n: G ok","is_at_most":false,"left":null,"name":"--ltl","slices":2,"vacuous":null,"verdict":"violated"}],"limit":null,"lines":4,"skipped":0,"unknown":[]}
    "#]],
    );
}

#[test]
fn a_line_that_cannot_be_read_is_told_with_its_place() {
    for (line, expected) in [
        (
            "{\"ms\": 3",
            expect![[r#"
            error: standard input:2:9: broken JSON: expected `,` or `}`
        "#]],
        ),
        (
            "[1, 2]",
            expect![[r#"
            error: standard input:2:1: broken JSON: a line is one object, from `{` to `}`
        "#]],
        ),
        (
            "{\"ms\": \"fast\"}",
            expect![[r#"
            error: standard input:2: the field `ms` is the text "fast": no number, as `ms < 500` wants it
        "#]],
        ),
        (
            "{\"ms\": 3, \"id\": [1]}",
            expect![[r#"
            error: standard input:2: the field `id` is an object or an array, which names no slice
        "#]],
        ),
    ] {
        let input = format!("{{\"ms\": 1, \"id\": 7}}\n{line}\n{{\"ms\": 900, \"id\": 7}}\n");
        check_input("forall r in id: G ms < 500", &[], &input, 2, &expected);
        let ran = selvedge_with_input(&["watch", "--ltl", "forall r in id: G ms < 500", "--lenient"], &input);
        assert!(ran.output.contains("standard input: 2 lines, 1 skipped"), "{}", ran.output);
        assert_eq!(ran.code, 1, "{line}");
    }
}

#[test]
fn a_field_that_no_line_has_is_an_error() {
    let input = "{\"kind\":\"ask\",\"n\":1}\n{\"kind\":\"answer\"}\n";
    check_input(
        "G (knid = ask -> F kind = answer)",
        &[],
        input,
        2,
        &expect![[r#"
        standard input: 2 lines
          presumably true  --ltl  G (knid = ask -> F kind = answer)  (vacuous: `knid = "ask"` never happened)
        error: standard input: no line has the field `knid`; the first line has: kind, n
    "#]],
    );
    check_input(
        "G (knid = ask -> F kind = answer)",
        &["--lenient"],
        input,
        0,
        &expect![[r#"
        standard input: 2 lines
          presumably true  --ltl  G (knid = ask -> F kind = answer)  (vacuous: `knid = "ask"` never happened)
        note: standard input: no line has the field `knid`; the first line has: kind, n
    "#]],
    );
    check_input(
        "G kidn",
        &["--input", "csv"],
        "kind,n\nask,1\n",
        2,
        &expect![[r#"
        line 2: violated: G kidn
            line 2: no test holds
                left: false
        standard input: 1 line
          violated  --ltl  G kidn
        error: standard input: no line has the field `kidn`; the first line has: kind, n
    "#]],
    );
    // In a log without lines no field is misspelt.
    check_input(
        "G kind = ask",
        &[],
        "",
        0,
        &expect![[r#"
        standard input: 0 lines
          no line  --ltl  G kind = ask
    "#]],
    );
}

#[test]
fn times_are_those_of_the_lines() {
    let log = |times: [&str; 3]| {
        let line = |(kind, time): (&str, &str)| format!("{{\"at\":{time},\"kind\":\"{kind}\"}}\n");
        ["ask", "other", "answer"].into_iter().zip(times).map(line).collect::<String>()
    };
    let formula = "G (kind = ask -> !after(kind = ask, 500ms) U kind = answer)";
    for (options, times, code) in [
        (&["--time", "at"][..], ["0", "0.2", "0.5"], 0),
        (&["--time", "at"], ["0", "0.2", "0.501"], 1),
        (&["--time", "at", "--time-unit", "ms"], ["0", "200", "500"], 0),
        (&["--time", "at", "--time-unit", "ms"], ["0", "501", "502"], 1),
        (
            &["--time", "at"],
            ["\"2026-01-01T00:00:00Z\"", "\"2026-01-01T01:00:00+01:00\"", "\"2026-01-01T00:00:00.5Z\""],
            0,
        ),
        (
            &["--time", "at"],
            ["\"2026-01-01T00:00:00Z\"", "\"2026-01-01T00:00:00.6Z\"", "\"2026-01-01T00:00:00.7Z\""],
            1,
        ),
        (&[], ["0", "1", "2"], 2),
    ] {
        let ran = selvedge_with_input(&[&["watch", "--ltl", formula], options].concat(), &log(times));
        assert_eq!(ran.code, code, "{times:?}: {}{}", ran.output, ran.errors);
    }
    check_input(
        formula,
        &["--time", "at"],
        &log(["1", "0.75", "2"]),
        2,
        &expect![[r#"
        error: standard input:2: the time stamp goes back, by 0.25 s since line 1
    "#]],
    );
    check_input(
        formula,
        &["--time", "at"],
        &log(["1794918600123", "1", "2"]),
        2,
        &expect![[r#"
        error: standard input:1: the time stamp `at` is far in the future if it is in seconds; --time-unit says what its unit is
    "#]],
    );
    check_input(
        formula,
        &[],
        &log(["1", "2", "3"]),
        2,
        &expect![[r#"
        error: standard input:1: none of the time stamps `time`, `timestamp`, `ts`, and `after` needs one; --time names it
    "#]],
    );
}

#[test]
fn limits_are_told() {
    let input = "{\"id\":1}\n{\"id\":2}\n{\"id\":3}\n";
    check_input(
        "forall r in id: F id = 0",
        &["--max-slices", "2"],
        input,
        3,
        &expect![[r#"
        standard input: 3 lines
          presumably false  --ltl  forall r in id: F id = 0  [2 of 2 slices, such as r = 1]
                                   left: F id = 0
        stopped by a limit: more than 2 slices are open or decided; --max-slices raises it
    "#]],
    );
    check_input(
        "forall r in id: G id = 0",
        &["--show", "1"],
        input,
        1,
        &expect![[r#"
        line 1, r = 1: violated: forall r in id: G id = 0
            line 1: no test holds
                left: false
        standard input: 3 lines
          violated  --ltl  forall r in id: G id = 0  [3 of 3 slices, such as r = 1]
    "#]],
    );
}

#[test]
fn mistakes_in_formulas_are_told() {
    check_input(
        "G (ms > 500ms)",
        &[],
        "",
        2,
        &expect![[r#"
        error[watch::test]: `500ms` is not a number
         --> <formula>:1:9
          |
        1 | G (ms > 500ms)
          |         ^^^^^
          |
          = help: a text that begins like a number stands in quotes

    "#]],
    );
    check_input(
        "forall r in id: F parent = r",
        &[],
        "",
        2,
        &expect![[r#"
        error[watch::test]: `r` is a variable, and only names the slices
         --> <formula>:1:28
          |
        1 | forall r in id: F parent = r
          |                            ^
          |
          = help: a slice has only lines with its value; the text is "r", in quotes

    "#]],
    );
    check(
        &["--ltl", "p", "no-such-file"],
        2,
        &expect![[r#"
        error: no-such-file: No such file or directory (os error 2)
    "#]],
    );
    let ran = selvedge(&["watch", REQUESTS]);
    assert_eq!(ran.code, 2);
    assert!(ran.errors.contains("--ltl <FORMULA>"), "{}", ran.errors);
}

/// Ends the process as a user does.
#[cfg(unix)]
fn terminate(process: u32) {
    let ended = std::process::Command::new("kill").arg(process.to_string()).status();
    assert!(ended.expect("the command kill").success());
}

#[cfg(unix)]
#[test]
fn a_log_is_followed_until_a_signal() {
    let name = temporary_file("watch-follow.jsonl", b"{\"p\":true}\n");
    let mut log = std::fs::OpenOptions::new().append(true).open(&name).expect("the log");
    let mut child = command()
        .args(["watch", "--follow", "--ltl", "G p", "--ltl", "F q", &name])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command was built");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    log.write_all(b"{\"p\":true,\"q\":false}\n{\"p\":false}\n{\"p\":").expect("the log grows");
    let mut first = String::new();
    output.read_line(&mut first).expect("a violation");
    assert_eq!(first, "line 3: violated: G p\n");
    terminate(child.id());
    let mut rest = String::new();
    output.read_to_string(&mut rest).expect("the verdicts");
    let done = child.wait_with_output().expect("it ends");
    assert_eq!(done.status.code(), Some(1));
    let rest = rest.replace(&name, "LOG") + &String::from_utf8_lossy(&done.stderr);
    expect![[r#"
            line 3: no test holds
                left: false
        LOG: 3 lines
          violated          --ltl 1  G p
          presumably false  --ltl 2  F q
                                     left: F q
        note: the last line is not complete, and is not judged
    "#]]
    .assert_eq(&rest);
}

#[test]
fn numbers_and_texts_are_found_in_any_spelling() {
    let line = r#" { "a" : { "\u0062" : [ 1 , { "x" : null } ] , "b" : 2.50e1 } , "t" : "caf\u00e9 \"x\"" , "n" : null } "#;
    for formula in
        ["a.b = 25", "t = \"café \\\"x\\\"\"", "n = null", "!(a.c = 1) & a.b >= 25.0", "\"a\".\"b\" != 24"]
    {
        let ran = selvedge_with_input(&["watch", "--lenient", "--ltl", formula], line);
        assert_eq!(ran.code, 0, "{formula}: {}{}", ran.output, ran.errors);
    }
}
