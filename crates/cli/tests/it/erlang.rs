//! `selvedge check` on the Erlang models of this repository.
//!
//! Each file says which verdicts it expects; the command agrees, with partial-order reduction and
//! without, and the sizes of completely searched state spaces are pinned: reduced, and whole.

use crate::common::{CommandRun, root, selvedge, temporary_file};
use expect_test::{Expect, expect};
use serde_json::Value;
use std::fmt::Write;

fn model(name: &str) -> String {
    root().join("models/erlang").join(name).to_str().expect("UTF-8").to_owned()
}

/// The names of all models, in order.
fn models() -> Vec<String> {
    let entries = std::fs::read_dir(root().join("models/erlang")).expect("the folder of models");
    let names =
        entries.map(|entry| entry.expect("a readable folder").file_name().into_string().expect("UTF-8"));
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".erl")).collect();
    names.sort();
    names
}

fn check(name: &str, options: &[&str]) -> CommandRun {
    let path = model(name);
    selvedge(&[&["check", path.as_str(), "--format", "json"], options].concat())
}

fn json(ran: &CommandRun) -> Value {
    serde_json::from_str(&ran.output).unwrap_or_else(|error| panic!("{error}: {}{}", ran.output, ran.errors))
}

/// One line a property: its verdict, and the states of each search if it holds.
fn table(objects: &[Value]) -> String {
    let mut table = String::new();
    let properties = |object: &Value| object["properties"].as_array().expect("a list").clone();
    for (index, property) in properties(&objects[0]).iter().enumerate() {
        let (name, verdict) = (property["name"].as_str(), property["verdict"].as_str().expect("text"));
        let sizes = objects.iter().map(|object| properties(object)[index]["states"].to_string());
        let sizes = if verdict == "holds" { sizes.collect::<Vec<_>>().join(" ") } else { String::new() };
        let line = format!("{:15} {verdict:15} {sizes}", name.expect("text"));
        writeln!(table, "{}", line.trim_end()).expect("a string grows");
    }
    table
}

#[test]
fn every_model_turns_out_as_it_says() {
    let mut all = String::new();
    for name in models() {
        let (reduced, whole) = (check(&name, &[]), check(&name, &["--no-reduction"]));
        assert_eq!((reduced.code, whole.code), (0, 0), "{name}: {}{}", reduced.output, reduced.errors);
        write!(all, "{name}\n{}", table(&[json(&reduced), json(&whole)])).expect("a string grows");
    }
    MODELS.assert_eq(&all);
}

const MODELS: Expect = expect![[r#"
    alternating-bit.erl
    begins          holds           10 10
    after_0         holds           105 105
    after_1         holds           105 105
    after_2         holds           105 105
    delivery        violated
    retries         violated
    delivered       holds           133 133
    database-broken.erl
    exclusive       violated
    other_first     violated
    database-counting.erl
    exclusive       holds           3382 6125
    database.erl
    exclusive       holds           8397 12645
    served          holds           5748 10437
    looked_up       violated
    leader-election.erl
    elected         holds           285 519
    not_the_first   holds           385 784
    not_the_second  holds           385 784
    agreed          holds           383 784
    late            holds           397 812
    early           violated
    lock-server.erl
    mutex           holds           184 184
    goes_on         holds           184 184
    answered        violated
    locker-once.erl
    mutex           holds           110 240
    ends            holds           83 210
    first           violated
    locker.erl
    mutex           holds           30 42
    goes_on         holds           30 42
    answered        violated
    parity-division.erl
    even            may-be-violated
    never_even      violated
    parity-even.erl
    even            holds           2 2
    not_odd         holds           2 2
    never_even      violated
    parity-odd.erl
    even            violated
    never_even      may-be-violated
    philosophers-ordered.erl
    neighbours      holds           132 406
    first_eats      holds           78 193
    second_eats     holds           84 202
    philosophers.erl
    neighbours      holds           127 412
    eats            violated
    pool.erl
    exclusive       holds           452 452
    refused         violated
    ring.erl
    mutex           holds           23 88
    first           holds           19 76
    second          holds           19 68
    in_order        holds           23 88
    stays           violated
    supervised.erl
    recovers        holds           35 35
"#]];

/// The states of the only property of a search that does not reduce.
fn states(name: &str, options: &[&str]) -> (String, u64) {
    let ran = check(name, &[&["--no-reduction"], options].concat());
    let object = json(&ran);
    let property = &object["properties"][0];
    let verdict = property["verdict"].as_str().expect("text").to_owned();
    (verdict, property["states"].as_u64().expect("a number"))
}

#[test]
fn lockers_have_few_states() {
    for (clients, most) in [(2, 120), (3, 817), (4, 5_689)] {
        let (verdict, states) =
            states("locker.erl", &["--property", "mutex", "--set", &format!("N={clients}")]);
        assert_eq!(verdict, "holds");
        assert!(states <= most, "{clients} clients: {states} states");
        let fair = check("locker.erl", &["--property", "answered", "--fair", "weak"]);
        assert_eq!(json(&fair)["properties"][0]["verdict"], "holds");
    }
}

#[test]
fn the_database_of_the_paper_is_exclusive_concretely_and_under_depth_two() {
    let exclusive = ["--property", "exclusive"];
    let (verdict, found) = states("database.erl", &exclusive);
    assert_eq!(verdict, "holds");
    assert!(found <= 12_652, "{found} states");
    let (verdict, _) = states("database.erl", &[&exclusive[..], &["--domain", "depth(2)"]].concat());
    assert_eq!(verdict, "holds");
    let (verdict, found) = states("database-counting.erl", &exclusive);
    assert_eq!(verdict, "holds");
    assert!(found <= 36_000, "{found} states");
    let endless = ["--domain", "concrete", "--max-states", "20000"];
    let (verdict, _) = states("database-counting.erl", &[&exclusive[..], &endless].concat());
    assert_eq!(verdict, "limit");
}

#[test]
fn a_supervised_server_survives_a_crash() {
    let ran = check("supervised.erl", &["--crashes", "1"]);
    assert_eq!(json(&ran)["properties"][0]["verdict"], "holds", "{}", ran.output);
}

/// Without propositions, the distinct runs are those of the messages: two sends to a mailbox do not
/// commute, a send and a receive that has its match do.
#[test]
fn programs_that_end_have_few_distinct_runs() {
    let rows = [("locker-once.erl", [8, 180]), ("philosophers.erl", [5, 37])];
    for (name, runs) in rows {
        for (count, runs) in [2, 3].into_iter().zip(runs) {
            let path = model(name);
            let setting = format!("N={count}");
            let options = ["--simulate", "systematic", "--set", &setting, "--ltl", "F never"];
            let ran = selvedge(&[&["check", path.as_str()], &options[..]].concat());
            let expected = format!("systematic: {runs} runs, ");
            assert!(
                ran.output.contains(&expected) && ran.output.contains("; complete"),
                "{name}: {}",
                ran.output
            );
        }
    }
}

#[test]
fn a_run_under_a_domain_is_followed_with_concrete_values() {
    let object = json(&check("parity-division.erl", &[]));
    let property = |name: &str| {
        let properties = object["properties"].as_array().expect("a list");
        properties.iter().find(|property| property["name"] == name).expect("the property").clone()
    };
    assert_eq!(property("never_even")["replay"], "follows");
    let even = property("even");
    assert_eq!((&even["why"], &even["replay"]), (&"spurious".into(), &Value::Null));
    assert!(even["detail"].as_str().expect("text").starts_with("no concrete run follows it"), "{even}");
    let path = model("parity-division.erl");
    let text = selvedge(&["check", path.as_str()]).output;
    assert!(text.contains("is violated by this concrete run, which follows the abstract one:"), "{text}");
}

#[test]
fn instances_that_hold_vacuously_are_named() {
    let formula = "forall i: G ({enter,i} -> F {enter,i})";
    let object = json(&check("locker.erl", &["--ltl", formula]));
    let property = &object["properties"][0];
    assert_eq!((&property["verdict"], &property["vacuous"]), (&"holds".into(), &true.into()));
    let instances = property["vacuous_instances"].as_array().expect("a list");
    let found: Vec<_> = instances.iter().map(|one| (&one["instance"], &one["never"])).collect();
    assert_eq!(found, [(&"i = @0".into(), &"{enter,@0}".into())]);
    let path = model("locker.erl");
    let text = selvedge(&["check", path.as_str(), "--ltl", formula]).output;
    assert!(text.contains("warning: it holds vacuously for i = @0, since never `{enter,@0}`"), "{text}");
}

#[test]
fn a_formula_is_searched_again_for_a_process_that_starts_late() {
    let text = "-module(late).\n-export([main/0]).\n\
        main() -> wait(12000), spawn(fun() -> prop({begins, self()}), prop({ends, self()}) end).\n\
        wait(0) -> ok;\nwait(N) -> self() ! tick, receive tick -> wait(N - 1) end.\n";
    let file = temporary_file("late.erl", text.as_bytes());
    let formulas = ["forall i: G ({begins,i} -> F {ends,i})", "exists i: F {ends,i}"];
    for formula in formulas {
        let ran = selvedge(&["check", &file, "--ltl", formula, "--format", "json"]);
        let property = json(&ran)["properties"][0].clone();
        assert_eq!(property["verdict"], "holds", "{formula}: {property}");
    }
}

#[test]
fn fairness_with_messages_that_travel_needs_no_other_options() {
    let options = ["--property", "answered", "--delivery", "fifo", "--fair", "weak"];
    let property = json(&check("locker.erl", &options))["properties"][0].clone();
    assert_eq!(property["verdict"], "holds", "{property}");
}

#[test]
fn a_simulation_says_that_values_are_concrete() {
    let path = model("parity-even.erl");
    let ran = selvedge(&["check", path.as_str(), "--simulate", "uniform"]);
    assert!(ran.output.contains("values are concrete in simulated runs"), "{}{}", ran.output, ran.errors);
    let object = json(&check("parity-even.erl", &["--simulate", "uniform"]));
    assert_eq!(object["simulation"]["ignores_domain"], true);
    let object = json(&check("locker-once.erl", &["--simulate", "uniform"]));
    assert_eq!(object["simulation"]["ignores_domain"], false);
}

#[test]
fn forgotten_frames_are_an_abstraction() {
    let exclusive = ["--property", "mutex", "--frames", "1"];
    let property = json(&check("locker.erl", &exclusive))["properties"][0].clone();
    assert_eq!(property["verdict"], "holds", "{property}");
    let folder = root().join("crates/lang/tests/erlang/deep-recursion.erl");
    let path = folder.to_str().expect("UTF-8");
    let ran = selvedge(&["check", path, "--ltl", "G !never"]);
    assert_eq!(ran.code, 3, "{}", ran.output);
    let ran = selvedge(&["check", path, "--ltl", "G !never", "--frames", "1", "--domain", "parity"]);
    assert_eq!(ran.code, 0, "{}", ran.output);
}
