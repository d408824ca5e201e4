//! `selvedge check` on the models of this repository, and on files that are no models.
//!
//! Each file of `models/` says which verdicts it expects. The command must agree, with partial-order
//! reduction and without, and the sizes of completely searched state spaces are pinned. The size of a search
//! that ends with a violation depends on the order of the search.

use crate::common::{CommandRun, root, selvedge, temporary_file};
use expect_test::{Expect, expect};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;

fn folder() -> PathBuf {
    root().join("models")
}

/// The path of a model.
fn model(name: &str) -> String {
    folder().join(name).to_str().expect("UTF-8").to_owned()
}

/// The names of all models, in order.
fn models() -> Vec<String> {
    let entries = std::fs::read_dir(folder()).expect("the folder of models");
    let names =
        entries.map(|entry| entry.expect("a readable folder").file_name().into_string().expect("UTF-8"));
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".par")).collect();
    names.sort();
    names
}

fn check(name: &str, options: &[&str]) -> CommandRun {
    let path = model(name);
    selvedge(&[&["check", path.as_str()], options].concat())
}

/// The object that the command prints.
fn json(ran: &CommandRun) -> Value {
    serde_json::from_str(&ran.output).unwrap_or_else(|error| panic!("{error}: {}{}", ran.output, ran.errors))
}

fn properties(object: &Value) -> &[Value] {
    object["properties"].as_array().expect("a list")
}

/// The options for an object that tells all deadlocks.
const ALL: [&str; 4] = ["--format", "json", "--max-deadlocks", "100"];

/// One line a property: its verdict and, if it holds, the number of its states; then those of the unreduced
/// search, if given.
fn table(object: &Value, whole: Option<&Value>) -> String {
    let mut table = String::new();
    for (index, property) in properties(object).iter().enumerate() {
        let (name, verdict) =
            (property["name"].as_str().expect("text"), property["verdict"].as_str().expect("text"));
        let sizes =
            [Some(object), whole].into_iter().flatten().map(|object| &properties(object)[index]["states"]);
        let sizes: Vec<String> = sizes.map(Value::to_string).collect();
        let size = if verdict == "holds" { sizes.join(" ") } else { String::new() };
        let line = format!("{name:24} {verdict:8} {size}");
        writeln!(table, "{}", line.trim_end()).expect("a string grows");
    }
    let deadlocks = object["deadlocks"].as_array().expect("a list");
    if !deadlocks.is_empty() {
        table.push_str("can deadlock\n");
    }
    table
}

/// A text report repeats the searches, so only the fast models are checked here; the test of JSON checks
/// all.
#[test]
fn a_report_shows_no_unexpected_verdict() {
    for name in ["alternating-bit.par", "dekker.par", "remote-agent.par", "thread-game.par"] {
        let ran = check(name, &[]);
        assert_eq!(ran.code, 0, "{name}: {}{}", ran.output, ran.errors);
        assert_eq!(ran.errors, "", "{name}");
        assert!(ran.output.contains("violated, as expected"), "{name}: {}", ran.output);
        for unexpected in ["VIOLATED", "HOLDS", "stopped"] {
            assert!(!ran.output.contains(unexpected), "{name}: {}", ran.output);
        }
    }
}

#[test]
fn every_property_of_a_model_says_what_it_expects() {
    for name in models() {
        let text = std::fs::read_to_string(model(&name)).expect("a text file");
        let starts = |word: &str| text.lines().filter(|line| line.starts_with(word)).count();
        let expected =
            text.lines().filter(|line| line.starts_with("property") && line.contains(" expect ")).count();
        assert!(starts("property") >= 2, "{name} has too few properties");
        assert_eq!(starts("property"), expected, "{name}");
    }
}

/// The verdicts of every model, and the numbers of states with reduction and without. A violated property
/// has no size.
static VERDICTS_AND_SIZES: Expect = expect![[r#"
    alternating-bit.par
      close                    holds    938 5940
      together                 violated
      delivery                 violated
      retries                  violated
      delivered                holds    2000 5940
    bakery.par
      mutex                    holds    1798 3144
      bounded                  holds    1798 3144
      ties                     violated
      unfair                   violated
      served                   holds    5943 5943
    bounded-buffer.par
      bounds                   holds    1935 15302
      full                     violated
      excluded                 holds    1935 15302
      counted                  holds    1935 15302
      flows                    holds    1935 15302
      served                   violated
    dekker.par
      mutex                    holds    117 152
      strong                   violated
      weak                     holds    263 263
    ewd840.par
      sound                    holds    14222 33264
      stays                    holds    14222 33264
      detected                 holds    14222 33264
      never-found              violated
      ends                     violated
    fast-mutex.par
      mutex                    holds    716 928
      entered                  violated
      unfair                   violated
      someone                  holds    1629 1629
      everyone                 violated
    go-back-n.par
      in-order                 holds    7510 63720
      window                   holds    14668 63720
      not-before               holds    9386 63720
      full                     violated
      delivered                holds    8687 60544
      ends                     holds    8050 63712
      no-loss                  violated
    leader-election.par
      one                      holds    666 5670
      greatest                 holds    666 5670
      elected                  holds    556 5193
      known                    holds    666 5670
      messages                 holds    666 5670
      worst                    violated
    msi.par
      one-writer               holds    22366 35512
      fresh                    holds    22366 35512
      no-old-load              holds    22366 35512
      never-shared-by-two      violated
      never-modified           violated
      bus-is-free              violated
    paxos.par
      agreement                holds    6203 31680
      validity                 holds    6203 31680
      stable                   holds    5488 31680
      can-decide               violated
      both                     violated
      decides                  holds    4463 28226
    peterson.par
      mutex                    holds    6954 28796
      entered                  violated
      someone                  holds    6954 28796
      everyone                 violated
    philosophers-ordered.par
      neighbours               holds    703 2240
      together                 violated
      goes-on                  holds    703 2240
      everyone                 violated
    philosophers.par
      neighbours               holds    97 465
      together                 violated
      goes-on                  violated
      someone                  violated
      can deadlock
    pipeline.par
      arrives                  holds    1291 8936
      stops                    holds    961 9032
      late                     holds    1363 9032
      close                    holds    1363 9032
      apart                    violated
      keeps-up                 violated
    readers-writers.par
      alone                    holds    120 784
      shared                   violated
      goes-on                  holds    120 784
      writer                   violated
      reader                   violated
    remote-agent.par
      missed                   violated
      first-works              violated
      second-works             violated
      ends-stuck               holds    164 243
      can deadlock
    sliding-window.par
      in-order                 holds    3656 40944
      window                   holds    6326 40944
      full                     violated
      delivery                 violated
      some-lost                violated
      delivered                holds    15266 40944
    snapshot.par
      complete                 holds    1920 6321
      moving                   violated
      finishes                 holds    1833 5605
      tokens-stay              holds    2070 6321
    szymanski.par
      mutex                    holds    419 756
      both-inside              violated
      unfair                   violated
      first                    holds    1397 1397
      second                   holds    1397 1397
    thread-game.par
      never                    violated
      positive                 holds    247592 247592
    two-phase-commit.par
      agreement                holds    405 1160
      validity                 holds    405 1160
      commits                  violated
      terminates               violated
      terminates-without-crash holds    180 1159
      stays                    holds    223 1160
      can deadlock
"#]];

#[test]
fn every_model_has_its_expected_verdicts() {
    let mut tables = String::new();
    for name in models() {
        let ran = check(&name, &ALL);
        assert_eq!(ran.code, 0, "{name}: {}{}", ran.output, ran.errors);
        assert_eq!(ran.errors, "", "{name}");
        let object = json(&ran);
        assert!(object["errors"].as_array().is_some_and(Vec::is_empty), "{name}");
        for property in properties(&object) {
            assert_eq!(property["as_expected"], true, "{name}: {property}");
        }
        let whole = json(&check(&name, &[&ALL[..], &["--no-reduction"]].concat()));
        assert_eq!(results(&object), results(&whole), "{name}");
        writeln!(tables, "{name}").expect("a string grows");
        for line in table(&object, Some(&whole)).lines() {
            writeln!(tables, "  {line}").expect("a string grows");
        }
    }
    VERDICTS_AND_SIZES.assert_eq(&tables);
}

/// The results that reduction must not change: verdicts, deadlocked states and errors.
fn results(object: &Value) -> (Vec<&Value>, BTreeSet<String>, BTreeSet<String>) {
    let verdicts = properties(object).iter().map(|property| &property["verdict"]).collect();
    let list = |name: &str| object[name].as_array().expect("a list").iter();
    let message = |found: &Value| format!("{} ({} states)", found["message"], found["states"]);
    let told = list("deadlocks").len() as u64;
    assert_eq!(Some(told), object["waiting_sets"].as_u64(), "not all deadlocks are told");
    (verdicts, list("deadlocks").map(message).collect(), list("errors").map(message).collect())
}

#[test]
fn flow_models_have_the_same_results_without_reduction() {
    for name in ["dekker.flow", "dekker-as-printed.flow"] {
        let [reduced, whole] = [&["--format", "json"][..], &["--format", "json", "--no-reduction"]]
            .map(|options| json(&check(name, options)));
        assert_eq!(results(&reduced), results(&whole), "{name}");
        let states = |object: &Value| properties(object)[0]["states"].as_u64().expect("a number");
        assert!(states(&reduced) < states(&whole), "{name}");
    }
}

#[test]
fn exact_models_have_the_verdicts_of_reduced_ones() {
    for name in ["dekker.par", "philosophers.par", "two-phase-commit.par", "alternating-bit.par"] {
        let [exact, reduced] = [&["--exact", "--format", "json"][..], &["--format", "json"]]
            .map(|options| json(&check(name, options)));
        let verdicts = |object: &Value| -> Vec<Value> {
            properties(object).iter().map(|property| property["verdict"].clone()).collect()
        };
        assert_eq!(verdicts(&exact), verdicts(&reduced), "{name}");
    }
}

#[test]
fn every_model_has_its_expected_verdicts_with_several_workers() {
    let mut tables = String::new();
    for name in models() {
        let [object, whole] = [&["--workers", "3"][..], &["--workers", "3", "--no-reduction"]]
            .map(|options| json(&check(&name, &[&ALL[..], options].concat())));
        assert_eq!(results(&object), results(&whole), "{name}");
        writeln!(tables, "{name}").expect("a string grows");
        for line in table(&object, Some(&whole)).lines() {
            writeln!(tables, "  {line}").expect("a string grows");
        }
    }
    VERDICTS_AND_SIZES.assert_eq(&tables);
}

#[test]
fn a_pass_by_all_cores_has_the_figures_of_one_worker() {
    // 216,993 states: all workers join.
    let pass = ["--set", "N=8", "--no-reduction", "--invariant", "eating <= 4", "--invariant", "eating < 4"];
    let figures = |options: &[&str]| -> Vec<_> {
        let object = json(&check("philosophers.par", &[&pass[..], &["--format", "json"], options].concat()));
        let figure = |property: &Value| {
            let length = property["counterexample"]["prefix"].as_array().map(Vec::len);
            (property["verdict"].clone(), length, property["states"].clone())
        };
        properties(&object).iter().map(figure).collect()
    };
    let [usual, one, three] = [&[][..], &["--workers", "1"], &["--workers", "3"]].map(figures);
    assert_eq!(usual[0], one[0]);
    assert_eq!(three[0], one[0]);
    // Of a violated one, several workers count the states of the whole level.
    assert_eq!([&usual[1].0, &usual[1].0], [&one[1].0, &three[1].0]);
    assert_eq!([usual[1].1, usual[1].1], [one[1].1, three[1].1]);
}

#[test]
fn a_formula_that_is_expected_to_hold_has_the_figures_of_one_worker() {
    // More than 100,000 states: all workers join.
    let search = ["--set", "N=8", "--no-reduction", "--property", "goes-on"];
    let figures = |options: &[&str]| {
        let options = [&search[..], &["--format", "json"], options].concat();
        let object = json(&check("philosophers-ordered.par", &options));
        let property = &properties(&object)[0];
        ["verdict", "states", "transitions", "product_states"].map(|figure| property[figure].clone())
    };
    let [usual, one, three] = [&[][..], &["--workers", "1"], &["--workers", "3"]].map(figures);
    assert_eq!((&one[0], one[1].as_u64() > Some(100_000)), (&"holds".into(), true));
    assert_eq!((&usual, &three), (&one, &one));
}

/// The verdicts of a model with other constants.
#[track_caller]
fn check_with(name: &str, settings: &[&str], expected: &Expect) {
    let mut options = vec!["--format", "json"];
    for setting in settings {
        options.extend(["--set", setting]);
    }
    expected.assert_eq(&table(&json(&check(name, &options)), None));
}

#[test]
fn four_to_nine_philosophers_can_deadlock() {
    check_with(
        "philosophers.par",
        &["N=4"],
        &expect![[r#"
            neighbours               holds    97
            together                 violated
            goes-on                  violated
            someone                  violated
            can deadlock
        "#]],
    );
    check_with(
        "philosophers.par",
        &["N=6"],
        &expect![[r#"
            neighbours               holds    725
            together                 violated
            goes-on                  violated
            someone                  violated
            can deadlock
        "#]],
    );
    check_with(
        "philosophers.par",
        &["N=8"],
        &expect![[r#"
            neighbours               holds    5217
            together                 violated
            goes-on                  violated
            someone                  violated
            can deadlock
        "#]],
    );
    check_with(
        "philosophers.par",
        &["N=9"],
        &expect![[r#"
            neighbours               holds    13810
            together                 violated
            goes-on                  violated
            someone                  violated
            can deadlock
        "#]],
    );
}

#[test]
fn philosophers_with_ordered_forks_cannot_deadlock() {
    check_with(
        "philosophers-ordered.par",
        &["N=5"],
        &expect![[r#"
            neighbours               holds    703
            together                 violated
            goes-on                  holds    703
            everyone                 violated
        "#]],
    );
    check_with(
        "philosophers-ordered.par",
        &["N=7"],
        &expect![[r#"
            neighbours               holds    9688
            together                 violated
            goes-on                  holds    9688
            everyone                 violated
        "#]],
    );
}

#[test]
fn a_deadlock_is_a_failure_when_asked_for() {
    let ran = check("philosophers.par", &["--deadlock"]);
    assert_eq!(ran.code, 1, "{}{}", ran.output, ran.errors);
    let ran = check("philosophers-ordered.par", &["--deadlock"]);
    assert_eq!(ran.code, 0, "{}{}", ran.output, ran.errors);
}

#[test]
fn the_bakery_needs_its_door() {
    check_with(
        "bakery.par",
        &["DOOR=0"],
        &expect![[r#"
            mutex                    violated
            bounded                  holds    1964
            ties                     violated
            unfair                   violated
            served                   holds    8102
        "#]],
    );
}

#[test]
fn a_window_as_wide_as_the_numbers_accepts_old_messages_as_new() {
    check_with(
        "sliding-window.par",
        &["NUMBERS=2"],
        &expect![[r#"
            in-order                 violated
            window                   holds    6746
            full                     violated
            delivery                 violated
            some-lost                violated
            delivered                holds    19842
        "#]],
    );
}

#[test]
fn each_protocol_has_a_broken_variant() {
    check_with(
        "go-back-n.par",
        &["BUG=1"],
        &expect![[r#"
        in-order                 violated
        window                   holds    14533
        not-before               holds    9253
        full                     violated
        delivered                holds    8447
        ends                     holds    7755
        no-loss                  violated
    "#]],
    );
    check_with(
        "paxos.par",
        &["BUG=1"],
        &expect![[r#"
        agreement                violated
        validity                 holds    6203
        stable                   holds    5488
        can-decide               violated
        both                     violated
        decides                  holds    4463
    "#]],
    );
    check_with(
        "snapshot.par",
        &["BUG=1"],
        &expect![[r#"
        complete                 violated
        moving                   violated
        finishes                 holds    4588
        tokens-stay              holds    5508
    "#]],
    );
}

#[test]
fn a_remote_agent_that_compares_and_waits_in_one_step_does_not_deadlock() {
    check_with(
        "remote-agent.par",
        &["SAFE=1"],
        &expect![[r#"
            missed                   holds    86
            first-works              holds    86
            second-works             holds    86
            ends-stuck               holds    86
        "#]],
    );
}

#[test]
fn caches_that_keep_shared_copies_are_not_coherent() {
    check_with(
        "msi.par",
        &["BUG=1"],
        &expect![[r#"
        one-writer               violated
        fresh                    violated
        no-old-load              violated
        never-shared-by-two      violated
        never-modified           violated
        bus-is-free              violated
    "#]],
    );
}

#[test]
fn a_ring_whose_nodes_stay_white_detects_termination_too_early() {
    check_with(
        "ewd840.par",
        &["BUG=1"],
        &expect![[r#"
        sound                    violated
        stays                    holds    7922
        detected                 holds    7922
        never-found              violated
        ends                     violated
    "#]],
    );
}

#[test]
fn in_the_opposite_direction_of_the_ring_there_are_fewer_candidacies() {
    let options = ["--set", "STEP=1", "--format", "json", "--ltl"];
    for (formula, verdict) in
        [("[] (candidacies <= 2 * N - 1)", "holds"), ("[] (candidacies < 2 * N - 1)", "violated")]
    {
        let object = json(&check("leader-election.par", &[&options[..], &[formula]].concat()));
        assert_eq!(properties(&object)[0]["verdict"], verdict, "{formula}");
    }
}

/// Each model with a kind of fairness, a formula and its verdict.
#[test]
fn fairness_decides_these_properties() {
    let rows = [
        ("peterson.par", "N=3", "weak", "[]<> at(p(3), crit)", "holds"),
        ("szymanski.par", "N=3", "weak", "[]<> ~ in-rem(3) -> []<> at(p(3), crit)", "holds"),
        ("fast-mutex.par", "N=3", "weak", "[]<> (inside = 1)", "holds"),
        ("fast-mutex.par", "N=3", "weak", "[]<> at(p(1), crit)", "violated"),
        ("fast-mutex.par", "N=2", "strong", "[]<> at(p(1), crit)", "violated"),
        ("philosophers-ordered.par", "N=5", "weak", "[]<> at(phil(1), eat)", "violated"),
        ("philosophers-ordered.par", "N=5", "strong", "[]<> at(phil(1), eat)", "holds"),
        ("readers-writers.par", "WRITERS=1", "strong", "[]<> (writing = 1)", "violated"),
        ("readers-writers.par", "WRITERS=1", "strong", "[]<> at(reader(1), read)", "holds"),
        ("readers-writers.par", "READERS=1", "strong", "[]<> (writing = 1)", "holds"),
        ("bounded-buffer.par", "SIZE=1", "weak", "[]<> at(consumer(1), consume)", "violated"),
        ("bounded-buffer.par", "SIZE=1", "strong", "[]<> at(consumer(1), consume)", "holds"),
    ];
    for (name, setting, fairness, formula, verdict) in rows {
        let options = ["--set", setting, "--fair", fairness, "--ltl", formula, "--format", "json"];
        let object = json(&check(name, &options));
        assert_eq!(properties(&object)[0]["verdict"], verdict, "{name}, {fairness}: {formula}");
    }
}

#[test]
fn exact_dekker_has_the_states_of_the_lecture() {
    for options in [&["--exact", "--format", "json"][..], &["--exact", "--no-reduction", "--format", "json"]]
    {
        let object = json(&check("dekker.par", options));
        let mutex = &properties(&object)[0];
        assert_eq!(mutex["verdict"], "holds");
        assert_eq!(mutex["states"], 263);
        assert_eq!(mutex["transitions"], 586);
    }
}

#[test]
fn the_object_has_the_documented_fields() {
    let ran = check("philosophers.par", &["--format", "json"]);
    let object = json(&ran);
    assert_eq!(object["file"], model("philosophers.par"));
    assert!(object["errors"].is_array());
    assert!(object["deadlocks"][0]["path"].is_array(), "{object}");
    for property in properties(&object) {
        for text in ["name", "formula", "verdict"] {
            assert!(property[text].is_string(), "{text}: {property}");
        }
        for count in ["states", "transitions", "product_states", "automaton_states"] {
            assert!(property[count].is_u64(), "{count}: {property}");
        }
        assert!(property["seconds"].is_f64());
        assert_eq!(property["counterexample"].is_null(), property["verdict"] == "holds", "{property}");
    }
}

#[test]
fn a_counterexample_begins_where_the_program_does() {
    let object = json(&check("philosophers.par", &["--property", "goes-on", "--format", "json"]));
    let run = &properties(&object)[0]["counterexample"];
    let prefix = run["prefix"].as_array().expect("a list");
    assert!(prefix[0]["process"].is_null());
    assert_eq!(prefix[0]["state"]["eating"], "0");
    for step in &prefix[1..] {
        assert!(step["process"].is_string(), "{step}");
        assert!(step["action"].is_string(), "{step}");
        assert!(step["state"].is_object(), "{step}");
    }
    // Every philosopher waits, so the run ends: it stutters.
    let cycle = run["cycle"].as_array().expect("a list");
    assert_eq!(cycle.len(), 1, "{run}");
    assert_eq!(cycle[0]["action"], "stutter");
}

#[test]
fn exit_codes_tell_the_outcomes_apart() {
    let code = |options: &[&str]| check("dekker.par", options).code;
    assert_eq!(code(&[]), 0);
    assert_eq!(code(&["--ltl", "[]<> enterCrit(1)"]), 1);
    assert_eq!(code(&["--ltl", "[]<> enterCrit("]), 2);
    assert_eq!(code(&["--property", "unheard-of"]), 2);
    assert_eq!(code(&["--no-such-option"]), 2);
    assert_eq!(code(&["--property", "mutex", "--max-states", "10"]), 3);
}

#[test]
fn a_stopped_search_reports_a_limit_and_not_that_a_property_holds() {
    let ran = check("dekker.par", &["--property", "mutex", "--max-states", "10", "--format", "json"]);
    assert_eq!(ran.code, 3);
    assert_eq!(properties(&json(&ran))[0]["verdict"], "limit");
}

/// Checks a file with this content.
fn check_text(name: &str, content: &[u8]) -> CommandRun {
    selvedge(&["check", &temporary_file(&format!("models-{name}"), content)])
}

/// The command refuses the content, and its message contains this text.
#[track_caller]
fn refused(name: &str, content: &[u8], message: &str) {
    let ran = check_text(name, content);
    assert_eq!(ran.code, 2, "{}{}", ran.output, ran.errors);
    assert!(ran.errors.contains(message), "{}", ran.errors);
}

#[test]
fn a_file_that_is_no_model_is_refused_with_a_message() {
    refused("empty.par", b"", "the file has no process");
    refused("latin1.par", b"memory x = 0;\nprocess 1: x := \xe9", "latin1.par:2:17: this is not UTF-8");
    refused("typo.par", b"memory x = 0;\nprocess 1: x = 1", "typo.par:2:");
}

#[test]
fn a_missing_file_is_a_message() {
    let ran = selvedge(&["check", "no-such-file.par"]);
    assert_eq!(ran.code, 2);
    assert!(ran.errors.contains("no-such-file.par"), "{}", ran.errors);
}

#[test]
fn deep_nesting_is_refused() {
    let nested = |before: &str, open: &str, inside: &str, close: &str| {
        const DEPTH: usize = 100_000;
        format!("memory x = 0;\nprocess 1: {before}{}{inside}{}", open.repeat(DEPTH), close.repeat(DEPTH))
    };
    let deep = "nested more than";
    refused("deep-if.par", nested("", "if x = 0 then ", "skip", " fi").as_bytes(), deep);
    refused("deep-group.par", nested("", "(", "skip", ")").as_bytes(), deep);
    refused("deep-sum.par", nested("x := ", "(", "1", ")").as_bytes(), deep);
    refused("deep-formula.par", nested("skip\nproperty p: ", "[] (", "x = 0", ")").as_bytes(), deep);
}

#[test]
fn five_megabytes_are_read_or_refused() {
    const SIZE: usize = 5_000_000;
    let repeated = |text: &str| text.repeat(SIZE / text.len());
    refused("noise.par", repeated("%$ ( ] then od ").as_bytes(), "expected a declaration");
    refused("comments.par", repeated("// nothing here\n").as_bytes(), "the file has no process");
    let tail = "x := 2\nproperty p: <> (x = 2) expect holds\n";
    let long = format!("memory x = 0;\nprocess 1:\n{}{tail}", repeated("x := x + 1 - 1 ;\n"));
    let ran = check_text("long.par", long.as_bytes());
    assert_eq!(ran.code, 0, "{}{}", ran.output, ran.errors);
}

#[test]
fn a_run_time_error_is_reported_with_its_path() {
    let ran = check_text("division.par", b"memory x = 1;\nprocess 1: x := x - 1 ; x := 1 / x\n");
    assert_eq!(ran.code, 1, "{}{}", ran.output, ran.errors);
    assert!(ran.output.contains("division"), "{}", ran.output);
}
