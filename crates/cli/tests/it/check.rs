//! `selvedge check`: reports, messages and exit codes.

use crate::common::{CommandRun, selvedge, temporary_file, without_times};
use expect_test::{Expect, expect};

/// A model in a file of its own, named after the test.
fn model(name: &str, text: &str) -> String {
    temporary_file(&format!("check-{name}.par"), text.as_bytes())
}

/// Runs the command on a model. The path of the file and times are left out of the comparison.
#[track_caller]
fn check(name: &str, text: &str, options: &[&str], code: i32, printed: &Expect) {
    let file = model(name, text);
    let mut arguments = vec!["check", file.as_str()];
    arguments.extend(options);
    let ran = selvedge(&arguments);
    let all = (ran.output + &ran.errors).replace(&file, "model.par");
    printed.assert_eq(&without_times(&all));
    assert_eq!(ran.code, code);
}

/// Runs the command on a model.
fn run(name: &str, text: &str, options: &[&str]) -> CommandRun {
    let file = model(name, text);
    selvedge(&[&["check", file.as_str()], options].concat())
}

const PHILOSOPHERS: &str = "\
memory left = 0, right = 0;
statement eat;
process 1: await left = 0; left := 1; await right = 0; right := 1; eat; left := 0; right := 0
process 2: await right = 0; right := 1; await left = 0; left := 1; eat; left := 0; right := 0
property both: <> at(1, eat) /\\ <> at(2, eat)
";

const SEVERAL_DEADLOCKS: &str = "\
memory x = 0, y = 0;
process 1: choose x := 1; await x = 5 | x := 2; await x = 6 | x := 3; x := 4; await x = 7 | x := 4; await x = 8 end
process 2: choose y in 0..1; await y = 9
";

#[test]
fn deadlocks_are_told_once_for_each_set_of_places_that_wait() {
    check(
        "deadlock-sets",
        SEVERAL_DEADLOCKS,
        &["--max-deadlocks", "2"],
        0,
        &expect![[r#"
            model.par
              no properties; 14 states
              8 deadlocked states in 4 sets of waiting places, of which 2 are told (--max-deadlocks) (--deadlock makes this a failure)

            deadlock: 1 waits for await x = 5 (line 2); 2 waits for await y = 9 (line 3) (one of 2 such states):
                step  process  line  does    state                                                             true
                0                    starts  1 = choose (line 2), 2 = choose y in 0..1 (line 3), x = -, y = -
                1     1        2     x := 1  1 = await x = 5 (line 2), x = 1
                2     2        3     y := 0  2 = await y = 9 (line 3), y = 0
                (`-` is a value that does not matter: no step reads it before it is assigned; --exact keeps it)

            deadlock: 1 waits for await x = 6 (line 2); 2 waits for await y = 9 (line 3) (one of 2 such states):
                step  process  line  does    state                                                             true
                0                    starts  1 = choose (line 2), 2 = choose y in 0..1 (line 3), x = -, y = -
                1     1        2     x := 2  1 = await x = 6 (line 2), x = 2
                2     2        3     y := 0  2 = await y = 9 (line 3), y = 0
                (`-` is a value that does not matter: no step reads it before it is assigned; --exact keeps it)
        "#]],
    );
    let ran = run("deadlock-sets-json", SEVERAL_DEADLOCKS, &["--format", "json", "--max-deadlocks", "100"]);
    let object: serde_json::Value = serde_json::from_str(&ran.output).expect("JSON");
    assert_eq!((&object["deadlocked_states"], &object["waiting_sets"]), (&8.into(), &4.into()), "{object}");
    let told = object["deadlocks"].as_array().expect("a list");
    let sizes = told.iter().map(|found| (found["states"].as_u64(), found["path"].as_array().map(Vec::len)));
    let expected = [(2, 3), (2, 3), (2, 3), (2, 4)].map(|(states, steps)| (Some(states), Some(steps)));
    assert_eq!(sizes.collect::<Vec<_>>(), expected);
    for too_many in ["0", "101"] {
        let ran = run("deadlock-sets-refused", SEVERAL_DEADLOCKS, &["--max-deadlocks", too_many]);
        assert_eq!(ran.code, 2, "{}", ran.output);
    }
}

#[test]
fn a_run_as_json_has_lines_and_values() {
    let text = "type Kind = {req, ack};\nmemory k = req, b = false, x;\ndefine never(f) = [] ~ f;\nprocess 1:\n  \
                k, b, x := ack, true, 7\nproperty p: never(b)\n";
    let object: serde_json::Value =
        serde_json::from_str(&run("values", text, &["--format", "json"]).output).expect("JSON");
    let property = &object["properties"][0];
    assert_eq!((&property["formula"], &property["unfolded"]), (&"never(b)".into(), &"G !b".into()));
    let step = &property["counterexample"]["prefix"][1];
    assert_eq!((&step["line"], &step["state"]["x"]), (&5.into(), &"7".into()));
    assert_eq!(step["values"], serde_json::json!({"1": "end", "k": "ack", "b": true, "x": 7}));
}

#[test]
fn formulas_of_options_are_shown_as_they_are_written() {
    let text = "memory x = 0; define far = x > 2; process 1: x := 1; x := 3";
    let ran = run("as-written", text, &["--ltl", "[] ~ far", "--ltl", "[] x < 3", "--invariant", "~ far"]);
    let told: Vec<&str> = ran.output.lines().filter(|line| line.starts_with("--")).collect();
    assert_eq!(told, ["--ltl 1: [] ~ far", "--ltl 2: G x < 3", "--invariant: [] (~ far)"], "{}", ran.output);
}

#[test]
fn run_time_errors_are_counted_in_the_summary() {
    let text = "memory x = 0; process 1: x := 1 / x process 2: assert x = 1";
    let ran = run("errors-counted", text, &[]);
    assert!(ran.output.contains("\n  2 run-time errors\n"), "{}", ran.output);
}

#[test]
fn a_deadlock_is_reported_and_fails_only_with_its_option() {
    check(
        "deadlock",
        PHILOSOPHERS,
        &["--ltl", "[] left <= 1"],
        0,
        &expect![[r#"
            model.par
              --ltl  holds                  61 states, 78 transitions, automaton of 2, 0.00 s
        "#]],
    );
    check(
        "deadlock-fails",
        PHILOSOPHERS,
        &["--ltl", "[] left <= 1", "--deadlock"],
        1,
        &expect![[r#"
            model.par
              --ltl  holds                  61 states, 78 transitions, automaton of 2, 0.00 s
              1 deadlocked state

            deadlock: 1 waits for await right = 0 (line 3); 2 waits for await left = 0 (line 4):
                step  process  line  does             state                                                                 true
                0                    starts           1 = await left = 0 (line 3), 2 = await right = 0 (line 4), left = 0,
                                                      right = 0
                1     1        3     await left = 0   1 = left := 1 (line 3)
                2     1        3     left := 1        1 = await right = 0 (line 3), left = 1
                3     2        4     await right = 0  2 = right := 1 (line 4)
                4     2        4     right := 1       2 = await left = 0 (line 4), right = 1
        "#]],
    );
}

#[test]
fn a_violated_property_exits_with_one() {
    check(
        "violated",
        PHILOSOPHERS,
        &["--property", "both"],
        1,
        &expect![[r#"
            model.par
              both  VIOLATED               13 states, 13 transitions, automaton of 3, 0.00 s

            both: F at(1, eat) & F at(2, eat)
              is violated by this run:
                step  process  line  does             state                                                                 true
                0                    starts           1 = await left = 0 (line 3), 2 = await right = 0 (line 4), left = 0,
                                                      right = 0
                1     1        3     await left = 0   1 = left := 1 (line 3)
                2     1        3     left := 1        1 = await right = 0 (line 3), left = 1
                3     2        4     await right = 0  2 = right := 1 (line 4)
                4     2        4     right := 1       2 = await left = 0 (line 4), right = 1
                the run ends here
        "#]],
    );
}

#[test]
fn a_run_time_error_is_listed_with_its_path() {
    let text = "memory x = 2;\nprocess 1: x := x - 1; x := x - 1; x := 5 / x\nproperty p: <> x = 0\n";
    check(
        "error",
        text,
        &[],
        1,
        &expect![[r#"
            model.par
              p  holds                  3 states, 2 transitions, automaton of 1, 0.00 s
              1 run-time error

            division by zero: process 1, line 2, `x := 5 / x`:
                step  process  line  does        state                           true
                0                    starts      1 = x := x - 1 (line 2), x = 2
                1     1        2     x := x - 1  x = 1
                2     1        2     x := x - 1  1 = x := 5 / x (line 2), x = 0
                3     1        2     x := 5 / x
        "#]],
    );
}

#[test]
fn fairness_decides_which_processes_may_be_passed_over() {
    let text =
        "memory x = 0;\nprocess 1: repeat x := 1 - x forever\nprocess 2: x := 7\nproperty p: <> x = 7\n";
    check(
        "unfair",
        text,
        &[],
        1,
        &expect![[r#"
            model.par
              p  VIOLATED               5 states, 6 transitions, automaton of 1, 0.00 s

            p: F x = 7
              is violated by this run:
                step  process  line  does        state                                            true
                0                    starts      1 = repeat (line 2), 2 = x := 7 (line 3), x = 0
                and then, again and again:
                1     1        2     repeat      1 = x := 1 - x (line 2)
                2     1        2     x := 1 - x  1 = repeat (line 2), x = 1
                3     1        2     repeat      1 = x := 1 - x (line 2)
                4     1        2     x := 1 - x  1 = repeat (line 2), x = 0
        "#]],
    );
    check(
        "fair",
        text,
        &["--fair", "weak"],
        0,
        &expect![[r#"
        model.par
          p  holds                  5 states, 6 transitions, automaton of 1, 0.00 s
    "#]],
    );
}

#[test]
fn an_invariant_holds_in_every_state_or_is_violated_by_a_shortest_path() {
    let text = "memory x = 0;\nprocess 1: repeat x := (x + 1) % 4 forever\nproperty p: <> x = 7\n";
    check(
        "invariant",
        text,
        &["--invariant", "x < 4 /\\ (x = 2 -> ~ (x = 3))", "--invariant", "x < 2", "--ltl", "[]<> x = 3"],
        1,
        &expect![[r#"
            model.par
              --ltl          holds                  8 states, 8 transitions, automaton of 2, 0.00 s
              --invariant 1  holds                  8 states, 8 transitions, automaton of 2, 0.00 s
              --invariant 2  VIOLATED               5 states, 4 transitions, automaton of 2, 0.00 s

            --invariant 2: G x < 2
              is violated by this run:
                step  process  line  does              state                          true
                0                    starts            1 = repeat (line 2), x = 0     x < 2
                1     1        2     repeat            1 = x := (x + 1) % 4 (line 2)  x < 2
                2     1        2     x := (x + 1) % 4  1 = repeat (line 2), x = 1     x < 2
                3     1        2     repeat            1 = x := (x + 1) % 4 (line 2)  x < 2
                4     1        2     x := (x + 1) % 4  1 = repeat (line 2), x = 2
        "#]],
    );
}

#[test]
fn an_invariant_with_operators_of_time_is_refused() {
    let text = "memory x = 0;\nprocess 1: x := 1\n";
    check(
        "temporal-invariant",
        text,
        &["--invariant", "x = 0 \\/ <> x = 1"],
        2,
        &expect![[r#"
        error[check::temporal-invariant]: an invariant is about one state, and `F x = 1` speaks of several
         --> <invariant>:1:1
          |
        1 | x = 0 \/ <> x = 1
          | ^^^^^^^^^^^^^^^^^
          |
          = help: `--invariant p` is checked as `[] p`; give formulas with operators of time to `--ltl`

    "#]],
    );
    check(
        "broken-invariant",
        text,
        &["--invariant", "x = 0 \\/ y"],
        2,
        &expect![[r#"
        error[par::unknown-proposition]: `y` is not a proposition of this program
         --> <invariant>:1:10
          |
        1 | x = 0 \/ y
          |          ^ nothing defines it
          |
          = help: `at(1, name)`, `exec(1)`, comparisons, and what `define` names are

    "#]],
    );
}

#[test]
fn a_property_whose_condition_is_never_true_gets_a_warning() {
    let text = "memory x = 0;\nprocess 1: x := 1\nproperty p: [] (x = 2 -> <> x = 3)\nproperty q: [] (x = 0 -> <> x = 1)\n";
    check(
        "vacuous",
        text,
        &[],
        0,
        &expect![[r#"
            model.par
              p  holds                  2 states, 1 transition, automaton of 2, 0.00 s
                 warning: it holds vacuously, since never `x = 2`
              q  holds                  2 states, 1 transition, automaton of 2, 0.00 s
        "#]],
    );
}

#[test]
fn a_limit_never_says_holds() {
    let text = "memory x = 0;\nprocess 1: repeat x := (x + 1) % 1000 forever\nproperty p: [] x < 1000\n";
    let file = model("limit", text);
    let ran = selvedge(&["check", &file, "--max-states", "10"]);
    assert_eq!(ran.code, 3, "{}", ran.output);
    assert!(!ran.output.contains("holds"), "{}", ran.output);
}

#[test]
fn errors_of_a_model_are_underlined_and_exit_with_two() {
    check(
        "mistakes",
        "memory x = ;\nprocess 1: x = 1 od\n",
        &[],
        2,
        &expect![[r#"
        error[par::unexpected]: expected an expression, found `;`
         --> model.par:1:12
          |
        1 | memory x = ;
          |            ^ a number, a variable, `null`, or `(` may stand here

        error[par::expected-assignment]: `=` compares and does not assign
         --> model.par:2:14
          |
        2 | process 1: x = 1 od
          |              ^
          |
          = help: write `x := ..`

        error[par::unmatched]: `od` closes nothing
         --> model.par:2:18
          |
        2 | process 1: x = 1 od
          |                  ^^

    "#]],
    );
    check(
        "unknown",
        "process 1: skip\n",
        &["--ltl", "[] at(3, crit)"],
        2,
        &expect![[r#"
            error[par::unknown-process]: there is no process `3`
             --> <formula>:1:7
              |
            1 | [] at(3, crit)
              |       ^ no process has this name
              |
              = help: the processes are `1`

            error[par::unknown-statement]: `crit` is not a statement
             --> <formula>:1:10
              |
            1 | [] at(3, crit)
              |          ^^^^
              |
              = help: declare it: `statement crit;`

        "#]],
    );
    check(
        "no-such",
        "process 1: skip\n",
        &["--property", "p"],
        2,
        &expect![[r#"
        error: model.par has no property `p`; it has: none
    "#]],
    );
}

#[test]
fn a_value_that_does_not_fit_is_the_only_error() {
    let peterson = "const N = 3;\nmemory level[N + 1] = 0;\nprocess p(i) for i in 1..N: level[i] := 1\n";
    check(
        "does-not-fit",
        peterson,
        &["--set", "N=-3"],
        2,
        &expect![[r#"
            error[par::bad-length]: an array's length is from 1 to 65536, not -2
             --> model.par:2:14
              |
            2 | memory level[N + 1] = 0;
              |              ^^^^^

        "#]],
    );
    check(
        "nobody",
        peterson,
        &["--set", "N=0"],
        2,
        &expect![[r#"
            error[par::no-process]: there is no process, for there is no `i` from 1 to 0
             --> model.par:3:23
              |
            3 | process p(i) for i in 1..N: level[i] := 1
              |                       ^^^^ an empty range
              |
              = help: a range counts upwards: its last number is not below its first

        "#]],
    );
}

#[test]
fn an_atomic_step_is_described_and_lines_stay_within_120_columns() {
    let text = "\
memory first_long_name = 0, second_long_name = 0, third_long_name = 0, fourth_long_name = 0, fifth_long_name = 0;
process 1: atomic first_long_name := 1; second_long_name := 2; third_long_name := 3 end;
           atomic await first_long_name = 0 end
process 2: await first_long_name = 1; atomic skip end
";
    check(
        "atomic",
        text,
        &["--invariant", "third_long_name + fourth_long_name < 3"],
        1,
        &expect![[r#"
            model.par
              --invariant  VIOLATED               2 states, 1 transition, automaton of 2, 0.00 s

            --invariant: G third_long_name + fourth_long_name < 3
              is violated by this run:
                step  process  line  does                                 state                                    true
                0                    starts                               1 = atomic (line 2),                     third_long_name + fourth_long_name < 3
                                                                          2 = await first_long_name = 1 (line 4),
                                                                          first_long_name = 0,
                                                                          second_long_name = -,
                                                                          third_long_name = 0,
                                                                          fourth_long_name = 0,
                                                                          fifth_long_name = 0
                1     1        2     atomic first_long_name := 1; .. end  1 = atomic (line 3),
                                                                          first_long_name = 1,
                                                                          second_long_name = 2,
                                                                          third_long_name = 3
                (`-` is a value that does not matter: no step reads it before it is assigned; --exact keeps it)
        "#]],
    );
    let ran = selvedge(&["check", &model("atomic-width", text)]);
    let widest = ran.output.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(120), "{}", ran.output);
}

#[test]
fn a_value_that_does_not_matter_is_explained_where_it_is_shown() {
    let text = "memory c1 = 0, c2 = 5;\nprocess 1: c2 := 1; c1 := c2\n";
    check(
        "forgotten",
        text,
        &["--ltl", "[] c1 = 0"],
        1,
        &expect![[r#"
            model.par
              --ltl  VIOLATED               3 states, 2 transitions, automaton of 2, 0.00 s

            --ltl: G c1 = 0
              is violated by this run:
                step  process  line  does      state                                 true
                0                    starts    1 = c2 := 1 (line 2), c1 = 0, c2 = -  c1 = 0
                1     1        2     c2 := 1   1 = c1 := c2 (line 2), c2 = 1         c1 = 0
                2     1        2     c1 := c2  1 = end, c1 = 1
                (`-` is a value that does not matter: no step reads it before it is assigned; --exact keeps it)
        "#]],
    );
    check(
        "kept",
        text,
        &["--ltl", "[] c1 = 0", "--exact"],
        1,
        &expect![[r#"
            model.par
              --ltl  VIOLATED               3 states, 2 transitions, automaton of 2, 0.00 s

            --ltl: G c1 = 0
              is violated by this run:
                step  process  line  does      state                                                 true
                0                    starts    1 = c2 := 1 (line 2), c1 = 0, c2 = 5, last mover = 0  c1 = 0
                1     1        2     c2 := 1   1 = c1 := c2 (line 2), c2 = 1, last mover = 1         c1 = 0
                2     1        2     c1 := c2  1 = end, c1 = 1
        "#]],
    );
}

#[test]
fn a_stopped_search_says_that_nothing_unexpected_was_found() {
    check(
        "stopped",
        "memory x = 0;\nprocess 1: repeat x := (x + 1) % 50 forever\nproperty p: [] x < 1 expect violated\nproperty q: [] x < 50\n",
        &["--max-states", "9"],
        3,
        &expect![[r#"
            model.par
              p  violated, as expected  3 states, 2 transitions, automaton of 2, 0.00 s
              q  stopped by the limit of states, no violation so far  9 states, 9 transitions, automaton of 2, 0.00 s

            p: G x < 1
              is violated by this run:
                step  process  line  does               state                           true
                0                    starts             1 = repeat (line 2), x = 0      x < 1
                1     1        2     repeat             1 = x := (x + 1) % 50 (line 2)  x < 1
                2     1        2     x := (x + 1) % 50  1 = repeat (line 2), x = 1
            stopped by a limit: not every state was looked at; nothing unexpected so far
        "#]],
    );
}

#[test]
fn a_formula_that_reads_out_of_bounds_has_one_verdict_with_its_reason() {
    check(
        "out-of-bounds",
        "memory a[2] = 0, i = 0; process 1: i := 5",
        &["--ltl", "[] a[i] = 0"],
        1,
        &expect![[r#"
            model.par
              --ltl  MAY-BE-VIOLATED (unknown)  2 states, 1 transition, automaton of 2, 0.00 s

            --ltl: G a[i] = 0
              may be violated by this run (`a[i] = 0` has no value where the run marks it by `?`):
                step  process  line  does    state                                           true
                0                    starts  1 = i := 5 (line 1), a[0] = 0, a[1] = 0, i = 0  a[i] = 0
                1     1        1     i := 5  1 = end, i = 5                                  a[i] = 0?
        "#]],
    );
}

#[test]
fn fairness_for_too_many_processes_is_refused_before_any_search() {
    check(
        "too-many",
        "memory x[65] = 0; process p(i) for i in 0..64: repeat x[i] := 1 - x[i] forever\nproperty p: []<> x[0] = 1",
        &["--fair", "weak"],
        2,
        &expect![[r#"
            error: fairness is kept for at most 64 processes, and there are 65
        "#]],
    );
}

#[test]
fn a_rendezvous_is_shown_with_both_processes() {
    check(
        "rendezvous",
        "channel meet[0] of (kind, value);\nmemory last = 0;\nprocess giver: meet!(1, 7)\n\
         process taker: meet?(1, last)\nproperty low: [] last < 5\n",
        &[],
        1,
        &expect![[r#"
            model.par
              low  VIOLATED               2 states, 1 transition, automaton of 2, 0.00 s

            low: G last < 5
              is violated by this run:
                step  process          line  does                                                   state                                      true
                0                            starts                                                 giver = send meet, (1, 7) (line 3),        last < 5
                                                                                                    taker = receive meet, (1, last) (line 4),
                                                                                                    last = 0
                1     giver and taker  3     send meet, (1, 7) -> receive meet, (1, last) (line 4)  giver = end,
                                                                                                    taker = end, last = 7
        "#]],
    );
}

#[test]
fn an_end_label_makes_waiting_no_deadlock() {
    let server = "channel c[1];\nmemory x = 0;\nprocess server: repeat end: receive c, x forever\n\
                  process client: send c, 1\nproperty p: [] x < 2\n";
    check(
        "server",
        server,
        &["--deadlock"],
        0,
        &expect![[r#"
        model.par
          p  holds                  5 states, 4 transitions, automaton of 2, 0.00 s
    "#]],
    );
    let unmarked = server.replace("end: ", "");
    check(
        "unmarked-server",
        &unmarked,
        &["--deadlock"],
        1,
        &expect![[r#"
        model.par
          p  holds                  5 states, 4 transitions, automaton of 2, 0.00 s
          1 deadlocked state

        deadlock: server waits for receive c, x (line 3):
            step  process  line  does          state                                                                 true
            0                    starts        server = repeat (line 3), client = send c, 1 (line 4), x = -, c = []
            1     server   3     repeat        server = receive c, x (line 3)
            2     client   4     send c, 1     client = end, c = [1]
            3     server   3     receive c, x  server = repeat (line 3), c = []
            4     server   3     repeat        server = receive c, x (line 3)
            (`-` is a value that does not matter: no step reads it before it is assigned; --exact keeps it)
    "#]],
    );
}

#[test]
fn a_run_of_thousands_of_steps_is_shortened_in_text_and_whole_in_json() {
    const COUNTER: &str = "\
memory x = 0;
process p: while x < 1500 do x := x + 1 od
property small: <>[] (x < 1500)
";
    let ran = run("long-run", COUNTER, &["--no-reduction"]);
    let table: Vec<&str> = ran.output.lines().skip_while(|line| !line.contains("is violated by")).collect();
    assert!(table.len() < 60, "{}", ran.output);
    let told = |start: &str| table.iter().filter(|line| line.trim_start().starts_with(start)).count();
    assert_eq!((told("... 2"), told("the run ends here")), (1, 1), "{}", ran.output);
    let last = table.last().expect("a legend").trim();
    assert_eq!(last, "(shortened; --format json has the whole run, 3001 steps)");
    let ran = run("long-run-json", COUNTER, &["--no-reduction", "--format", "json"]);
    let object: serde_json::Value = serde_json::from_str(&ran.output).expect("JSON");
    let steps = |phase: &str| object["properties"][0]["counterexample"][phase].as_array().map(Vec::len);
    assert_eq!((steps("prefix"), steps("cycle")), (Some(3002), Some(1)));
}
