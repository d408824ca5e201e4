//! `selvedge check --simulate`: reports, messages and exit codes.

use crate::common::{CommandRun, selvedge, temporary_file};
use expect_test::{Expect, expect};
use serde_json::Value;

/// Runs the command on a model in a file of its own, named after the test.
fn simulate(name: &str, text: &str, options: &[&str]) -> CommandRun {
    let path = temporary_file(&format!("simulate-{name}.par"), text.as_bytes());
    let ran = selvedge(&[&["check", path.as_str()], options].concat());
    CommandRun { output: ran.output.replace(&path, "model.par"), ..ran }
}

#[track_caller]
fn check(name: &str, text: &str, options: &[&str], code: i32, printed: &Expect) {
    let ran = simulate(name, text, options);
    printed.assert_eq(&(ran.output + &ran.errors));
    assert_eq!(ran.code, code);
}

const COUNTER: &str = "\
memory x = 0;
process 1:
  x := x + 1;
  print \"x is\", x;
  x := x + 1
process 2: print \"hello\"
property small: [] x <= 1
property grows: <> x = 2
";

#[test]
fn a_single_run_is_shown_with_its_prints_and_its_failure() {
    check(
        "counter",
        COUNTER,
        &["--simulate", "round-robin"],
        1,
        &expect![[r#"
            model.par
              round-robin: 1 run, 4 steps, 5 distinct states; 1 ended
              small  VIOLATED by the run
              grows  no violation in 1 run of at most 1000 steps

            the run:
                step  process  line  does                state                                                       true
                0                    starts              1 = x := x + 1 (line 3), 2 = print "hello" (line 6), x = 0  x <= 1
                1     1        3     x := x + 1          1 = print "x is", x (line 4), x = 1                         x <= 1
                2     2        6     print "hello"       2 = end                                                     x <= 1
                3     1        4     print "x is", x: 1  1 = x := x + 1 (line 5)                                     x <= 1
                4     1        5     x := x + 1          1 = end, x = 2                                              x = 2
                the run ends here

            small: G x <= 1
              is violated by the run:
                step  process  line  does                state                                                       true
                0                    starts              1 = x := x + 1 (line 3), 2 = print "hello" (line 6), x = 0  x <= 1
                1     1        3     x := x + 1          1 = print "x is", x (line 4), x = 1                         x <= 1
                2     2        6     print "hello"       2 = end                                                     x <= 1
                3     1        4     print "x is", x: 1  1 = x := x + 1 (line 5)                                     x <= 1
                4     1        5     x := x + 1          1 = end, x = 2
        "#]],
    );
}

const PHILOSOPHERS: &str = "\
memory left = 0, right = 0;
statement eat;
process 1: await left = 0; left := 1; await right = 0; right := 1; eat; left := 0; right := 0
process 2: await right = 0; right := 1; await left = 0; left := 1; eat; left := 0; right := 0
property both: <> at(1, eat) /\\ <> at(2, eat) expect violated
property forks: [] left <= 1
";

#[test]
fn several_runs_are_counted_and_the_first_of_each_failure_is_shown() {
    check(
        "philosophers",
        PHILOSOPHERS,
        &["--simulate", "--runs", "50"],
        3,
        &expect![[r#"
            model.par
              uniform, seed 0: 50 runs, 520 steps, 62 distinct states; 32 ended; 18 deadlocked
              both   violated, as expected, by run 1
              forks  no violation in 50 runs of at most 1000 steps

            both: F at(1, eat) & F at(2, eat)
              is violated by run 1:
                step  process  line  does             state                                                                 true
                0                    starts           1 = await left = 0 (line 3), 2 = await right = 0 (line 4), left = 0,
                                                      right = 0
                1     1        3     await left = 0   1 = left := 1 (line 3)
                2     2        4     await right = 0  2 = right := 1 (line 4)
                3     1        3     left := 1        1 = await right = 0 (line 3), left = 1
                4     2        4     right := 1       2 = await left = 0 (line 4), right = 1
                the run ends here

            deadlock: 1 waits for await right = 0 (line 3); 2 waits for await left = 0 (line 4), in run 1:
                step  process  line  does             state                                                       true
                0                    starts           1 = await left = 0 (line 3), 2 = await right = 0 (line 4),  left <= 1
                                                      left = 0, right = 0
                1     1        3     await left = 0   1 = left := 1 (line 3)                                      left <= 1
                2     2        4     await right = 0  2 = right := 1 (line 4)                                     left <= 1
                3     1        3     left := 1        1 = await right = 0 (line 3), left = 1                      left <= 1
                4     2        4     right := 1       2 = await left = 0 (line 4), right = 1                      left <= 1
                the run ends here
            stopped by a limit: some runs are not all runs; nothing went wrong on these
        "#]],
    );
    let ran = simulate("philosophers-deadlock", PHILOSOPHERS, &["--simulate", "--runs", "50", "--deadlock"]);
    assert_eq!(ran.code, 1, "{}", ran.output);
}

#[test]
fn a_long_run_is_shown_by_its_beginning_its_end_and_its_prints() {
    let text = "\
memory x = 0;
process 1: while x < 60 do x := x + 1; if x = 25 then print x fi od
";
    check(
        "long",
        text,
        &["--simulate", "round-robin"],
        3,
        &expect![[r#"
            model.par
              round-robin: 1 run, 182 steps, 183 distinct states; 1 ended

            the run:
                step  process  line  does          state                              true
                0                    starts        1 = while x < 60 (line 2), x = 0
                1     1        2     x < 60        1 = x := x + 1 (line 2)
                2     1        2     x := x + 1    1 = if x = 25 (line 2), x = 1
                3     1        2     not (x = 25)  1 = while x < 60 (line 2)
                4     1        2     x < 60        1 = x := x + 1 (line 2)
                5     1        2     x := x + 1    1 = if x = 25 (line 2), x = 2
                6     1        2     not (x = 25)  1 = while x < 60 (line 2)
                7     1        2     x < 60        1 = x := x + 1 (line 2)
                8     1        2     x := x + 1    1 = if x = 25 (line 2), x = 3
                9     1        2     not (x = 25)  1 = while x < 60 (line 2)
                10    1        2     x < 60        1 = x := x + 1 (line 2)
                11    1        2     x := x + 1    1 = if x = 25 (line 2), x = 4
                12    1        2     not (x = 25)  1 = while x < 60 (line 2)
                13    1        2     x < 60        1 = x := x + 1 (line 2)
                14    1        2     x := x + 1    1 = if x = 25 (line 2), x = 5
                15    1        2     not (x = 25)  1 = while x < 60 (line 2)
                16    1        2     x < 60        1 = x := x + 1 (line 2)
                17    1        2     x := x + 1    1 = if x = 25 (line 2), x = 6
                18    1        2     not (x = 25)  1 = while x < 60 (line 2)
                19    1        2     x < 60        1 = x := x + 1 (line 2)
                ... 56 steps
                76    1        2     print x: 25   1 = while x < 60 (line 2), x = 25
                ... 87 steps
                164   1        2     x < 60        1 = x := x + 1 (line 2), x = 54
                165   1        2     x := x + 1    1 = if x = 25 (line 2), x = 55
                166   1        2     not (x = 25)  1 = while x < 60 (line 2)
                167   1        2     x < 60        1 = x := x + 1 (line 2)
                168   1        2     x := x + 1    1 = if x = 25 (line 2), x = 56
                169   1        2     not (x = 25)  1 = while x < 60 (line 2)
                170   1        2     x < 60        1 = x := x + 1 (line 2)
                171   1        2     x := x + 1    1 = if x = 25 (line 2), x = 57
                172   1        2     not (x = 25)  1 = while x < 60 (line 2)
                173   1        2     x < 60        1 = x := x + 1 (line 2)
                174   1        2     x := x + 1    1 = if x = 25 (line 2), x = 58
                175   1        2     not (x = 25)  1 = while x < 60 (line 2)
                176   1        2     x < 60        1 = x := x + 1 (line 2)
                177   1        2     x := x + 1    1 = if x = 25 (line 2), x = 59
                178   1        2     not (x = 25)  1 = while x < 60 (line 2)
                179   1        2     x < 60        1 = x := x + 1 (line 2)
                180   1        2     x := x + 1    1 = if x = 25 (line 2), x = 60
                181   1        2     not (x = 25)  1 = while x < 60 (line 2)
                182   1        2     not (x < 60)  1 = end
                the run ends here
            stopped by a limit: some runs are not all runs; nothing went wrong on these
        "#]],
    );
}

#[test]
fn a_reached_error_is_a_failure() {
    let text = "memory x = 0; process 1: x := 1 / x property p: [] x = 0";
    check(
        "error",
        text,
        &["--simulate", "pos", "--runs", "2"],
        1,
        &expect![[r#"
            model.par
              pos, seed 0: 2 runs, 2 steps, 2 distinct states; 2 went wrong
              p  no violation in 2 runs of at most 1000 steps

            division by zero: process 1, line 1, `x := 1 / x`, in run 1:
                step  process  line  does        state                           true
                0                    starts      1 = x := 1 / x (line 1), x = 0  x = 0
                1     1        1     x := 1 / x                                  x = 0
                the run ends here
        "#]],
    );
}

#[test]
fn a_run_that_returns_to_a_state_can_repeat_for_ever_if_that_is_fair() {
    let text = "\
memory x = 0;
process 1: while x = 0 do skip od
process 2: x := 1
property ends: <> x = 1
";
    let options = ["--simulate", "swarm", "--runs", "20"];
    check(
        "round",
        text,
        &options,
        1,
        &expect![[r#"
                model.par
                  swarm, seed 0: 20 runs, 70 steps, 3 distinct states; 20 ended
                  ends  VIOLATED by run 1

                ends: F x = 1
                  is violated by going round in run 1:
                    step  process  line  does    state                                                 true
                    0                    starts  1 = while x = 0 (line 2), 2 = x := 1 (line 3), x = 0
                    and then, again and again:
                    1     1        2     x = 0
        "#]],
    );
    let fair = simulate("round-fair", text, &[&options[..], &["--fair", "weak"]].concat());
    assert_eq!((fair.code, fair.output.contains("VIOLATED")), (3, false), "{}", fair.output);
}

#[test]
fn the_same_seed_gives_the_same_runs_and_another_seed_others() {
    for scheduler in ["uniform", "mixed", "pct", "swarm", "pos"] {
        let run = |seed| {
            let options = ["--simulate", scheduler, "--seed", seed, "--steps", "50"];
            selvedge(&[&["check", "models/dekker.par"], &options[..]].concat()).output
        };
        assert_eq!(run("1"), run("1"), "{scheduler}");
        assert_ne!(run("1").replace("seed 1", ""), run("2").replace("seed 2", ""), "{scheduler}");
    }
    assert_eq!(selvedge(&["check", "models/dekker.par", "--simulate", "round-robin"]).code, 3);
}

#[test]
fn json_has_the_figures_the_verdicts_and_the_runs() {
    let json = |options: &[&str]| -> Value {
        let ran = simulate("json", PHILOSOPHERS, &[&["--simulate", "--format", "json"], options].concat());
        assert_eq!(ran.code, 3, "{}", ran.errors);
        serde_json::from_str(&ran.output).expect("one object")
    };
    let many = json(&["--runs", "50", "--seed", "3"]);
    let figures = &many["simulation"];
    assert_eq!((&figures["scheduler"], &figures["seed"]), (&"uniform".into(), &3.into()));
    assert_eq!((&figures["runs"], &figures["max_steps"]), (&50.into(), &1000.into()));
    let count = |name: &str| figures[name].as_u64().expect("a number");
    assert_eq!(count("ended") + count("deadlocks"), 50);
    assert!(count("deadlocks") > 0 && count("states") > 20 && count("steps") >= 50 * 4, "{figures}");
    assert_eq!(
        (&figures["errors"], &figures["limit"], &many["path"]),
        (&0.into(), &Value::Null, &Value::Null)
    );
    let [both, forks] = many["properties"].as_array().expect("a list").as_slice() else { panic!("two") };
    assert_eq!((&both["verdict"], &both["as_expected"]), (&"violated".into(), &true.into()));
    assert!(both["counterexample"]["prefix"].as_array().expect("a list").len() > 3);
    assert_eq!((&forks["verdict"], &forks["as_expected"]), (&"no-violation".into(), &Value::Null));
    assert!(many["deadlocks"][0]["message"].as_str().expect("text").starts_with("deadlock: "));
    assert_eq!(many["errors"], Value::Array(Vec::new()));
    let one = json(&["--steps", "2"]);
    assert_eq!(one["path"].as_array().expect("a list").len(), 3);
}

#[test]
fn systematic_makes_every_distinct_run_and_lists_the_final_states() {
    check(
        "systematic",
        "\
memory x = 0, y = 0;
process 1: local a = 0; x := 1; a := y
process 2: local b = 0; y := 1; b := x
process 3: await x = 1 and y = 0; assert x = y
",
        &["--simulate", "systematic"],
        1,
        &expect![[r#"
            model.par
              systematic: 8 runs, 38 steps, 25 distinct states; 2 ended; 4 deadlocked; 2 went wrong; complete

            2 distinct ends finished:
                1 = end, 2 = end, 3 = end, x = 1, y = 1, a@1 = 0, b@2 = 1
                1 = end, 2 = end, 3 = end, x = 1, y = 1, a@1 = 1, b@2 = 1

            3 distinct ends deadlocked:
                1 = end, 2 = end, 3 = await x = 1 and y = 0 (line 4), x = 1, y = 1, a@1 = 1, b@2 = 1
                1 = end, 2 = end, 3 = await x = 1 and y = 0 (line 4), x = 1, y = 1, a@1 = 0, b@2 = 1
                1 = end, 2 = end, 3 = await x = 1 and y = 0 (line 4), x = 1, y = 1, a@1 = 1, b@2 = 0

            the assertion does not hold: process 3, line 4, `assert x = y`, in run 4:
                step  process  line  does                   state                                                               true
                0                    starts                 1 = x := 1 (line 2), 2 = y := 1 (line 3),
                                                            3 = await x = 1 and y = 0 (line 4), x = 0, y = 0, a@1 = -, b@2 = -
                1     1        2     x := 1                 1 = a@1 := y (line 2), x = 1
                2     1        2     a@1 := y               1 = end, a@1 = 0
                3     3        4     await x = 1 and y = 0  3 = assert x = y (line 4)
                4     3        4     assert x = y
                the run ends here
                (`-` is a value that does not matter: no step reads it before it is assigned; --exact keeps it)

            deadlock: 3 waits for await x = 1 and y = 0 (line 4), in run 1:
                step  process  line  does      state                                                                          true
                0                    starts    1 = x := 1 (line 2), 2 = y := 1 (line 3), 3 = await x = 1 and y = 0 (line 4),
                                               x = 0, y = 0, a@1 = -, b@2 = -
                1     1        2     x := 1    1 = a@1 := y (line 2), x = 1
                2     2        3     y := 1    2 = b@2 := x (line 3), y = 1
                3     1        2     a@1 := y  1 = end, a@1 = 1
                4     2        3     b@2 := x  2 = end, b@2 = 1
                the run ends here
                (`-` is a value that does not matter: no step reads it before it is assigned; --exact keeps it)
        "#]],
    );
}

#[test]
fn a_systematic_simulation_says_whether_it_is_complete() {
    check(
        "ends",
        "memory x = 0; process 1: x := x + 1 process 2: x := 2",
        &["--simulate", "systematic"],
        0,
        &expect![[r#"
            model.par
              systematic: 2 runs, 4 steps, 5 distinct states; 2 ended; complete

            2 distinct ends finished:
                1 = end, 2 = end, x = 2
                1 = end, 2 = end, x = 3
        "#]],
    );
    let text = "memory x = 0; process 1: while x = 0 do skip od process 2: repeat x := 2 - x forever";
    check(
        "loops",
        text,
        &["--simulate", "systematic", "--steps", "3", "--runs", "9"],
        3,
        &expect![[r#"
        model.par
          systematic: 1 run, 3 steps, 4 distinct states; 1 cut off; not complete: there are more runs, or longer ones

        the run:
            step  process  line  does         state                                                 true
            0                    starts       1 = while x = 0 (line 1), 2 = repeat (line 1), x = 0
            1     2        1     repeat       2 = x := 2 - x (line 1)
            2     2        1     x := 2 - x   2 = repeat (line 1), x = 2
            3     1        1     not (x = 0)  1 = end
        stopped by a limit: some runs are not all runs; nothing went wrong on these
    "#]],
    );
}

#[test]
fn json_lists_the_final_states_of_a_systematic_simulation() {
    let ran = simulate("ends-json", PHILOSOPHERS, &["--simulate", "systematic", "--format", "json"]);
    assert_eq!(ran.code, 3, "properties are not decided: {}", ran.errors);
    let all: Value = serde_json::from_str(&ran.output).expect("one object");
    assert_eq!((&all["simulation"]["complete"], &all["simulation"]["seed"]), (&true.into(), &Value::Null));
    let ends = all["ends"].as_array().expect("a list");
    let kinds: Vec<&str> = ends.iter().filter_map(|end| end["kind"].as_str()).collect();
    let count = |kind: &str| kinds.iter().filter(|known| **known == kind).count();
    assert!(
        count("finished") > 0 && count("deadlock") > 0 && count("finished") + count("deadlock") == ends.len()
    );
    assert!(ends.iter().any(|end| end["state"]["left"] == "1" && end["state"]["right"] == "1"), "{ends:?}");
}

#[test]
fn options_that_do_not_fit_together_are_refused() {
    let refused: [&[&str]; 9] = [
        &["--simulate", "systematic", "--seed", "2"],
        &["--runs", "3"],
        &["--seed", "3"],
        &["--steps", "3"],
        &["--simulate", "--max-states", "3"],
        &["--simulate", "--no-reduction"],
        &["--simulate", "round-robin", "--runs", "2"],
        &["--simulate", "--steps", "0"],
        &["--simulate", "never-heard-of"],
    ];
    for options in refused {
        let ran = simulate("refused", COUNTER, options);
        assert_eq!((ran.code, ran.output.as_str()), (2, ""), "{options:?}");
        assert!(ran.errors.starts_with("error: "), "{options:?}: {}", ran.errors);
    }
}

#[test]
fn a_limit_on_time_ends_runs_in_the_middle() {
    let text = "memory x = 0; process 1: repeat x := 1 - x forever process 2: repeat x := x forever";
    let options = ["--simulate", "--runs", "1000000000", "--steps", "1000000", "--timeout", "1"];
    let ran = simulate("time", text, &options);
    assert_eq!(ran.code, 3);
    assert!(ran.output.contains("; stopped by the limit of time"), "{}", ran.output);
}
