//! Text, JSON and exit codes where a run may not be real, a step is cut off, or a process crashes.

use super::toy::{Toy, plan, real_run};
use super::{FileSummary, check_program};
use expect_test::{Expect as Text, expect};
use selvedge_lang::{Confirmation, Expect};
use selvedge_ltl::source::Source;
use serde_json::Value;

fn run(toy: &Toy, options: &[&str]) -> (String, FileSummary) {
    let mut output = Vec::new();
    let summary = check_program(toy, &Source::new("toy.erl", ""), &plan(options), &mut output);
    (String::from_utf8(output).expect("text"), summary.unwrap_or_else(|failure| panic!("{failure:?}")))
}

/// The text without figures, and the exit code.
#[track_caller]
fn check_text(toy: &Toy, options: &[&str], code: u8, expected: &Text) {
    let (text, summary) = run(toy, options);
    let without_figures = |line: &str| match (line.find("  1 state, "), line.find(" states, ")) {
        (None, None) => line.to_owned(),
        (Some(at), _) => line[..at].trim_end().to_owned(),
        (_, Some(at)) => line[..line[..at].rfind(' ').unwrap_or(at)].trim_end().to_owned(),
    };
    let lines: Vec<String> = text.lines().map(without_figures).collect();
    expected.assert_eq(&lines.join("\n"));
    assert_eq!(exit_code(&summary), code);
}

fn exit_code(summary: &FileSummary) -> u8 {
    match (summary.is_as_expected, summary.is_limited) {
        (false, _) => 1,
        (true, true) => 3,
        (true, false) => 0,
    }
}

fn json(toy: &Toy) -> Value {
    serde_json::from_str(&run(toy, &["--format", "json"]).0).expect("JSON")
}

/// A step leads to node 1, where p holds, or to node 2; both go round.
fn fork() -> Toy {
    Toy::new(&[(0, 0, 1), (0, 1, 2), (1, 0, 1), (2, 0, 2)], &[1])
}

#[test]
fn a_cut_is_named_with_its_line_and_never_holds() {
    let toy = Toy { cut_off: Some(2), ..fork() }.with_property("F p", Some(Expect::Holds));
    check_text(
        &toy,
        &[],
        3,
        &expect![[r#"
            toy.erl
              claim  stopped by the limit of distance, no violation so far
                     line 12: node 2 is too far away (--max-distance raises the limit)
              not all failures may be listed: line 12: node 2 is too far away (--max-distance raises the limit)"#]],
    );
    let object = json(&toy);
    let property = &object["properties"][0];
    assert_eq!(property["verdict"], "limit");
    assert_eq!(property["why"], "distance");
    assert_eq!(property["line"], 12);
    assert_eq!(property["detail"], "line 12: node 2 is too far away");
    assert_eq!((&object["limit"], &object["detail"]), (&property["why"], &property["detail"]));
}

#[test]
fn a_violation_elsewhere_is_told_though_a_step_is_cut_off() {
    let toy = Toy { cut_off: Some(1), ..fork() }.with_property("F p", None);
    let object = json(&toy);
    assert_eq!(object["properties"][0]["verdict"], "violated");
    assert_eq!(object["properties"][0]["why"], Value::Null);
}

#[test]
fn a_spurious_run_may_be_a_violation() {
    let toy = Toy { confirmation: Some(Confirmation::Spurious { is_refuted: true }), ..fork() };
    check_text(
        &toy.clone().with_property("F p", None),
        &[],
        1,
        &expect![[r#"
            toy.erl
              claim  MAY-BE-VIOLATED (spurious)

            claim: F p
              may be violated by this run (no concrete run follows it, and no other one shows the same):
                step  process  line  does     state     true
                0                    starts   node = 0
                1     1              go to 2  node = 2
                and then, again and again:
                2     0              go to 2"#]],
    );
    let expected = toy.with_property("F p", Some(Expect::MayBeViolated));
    assert_eq!(exit_code(&run(&expected, &[]).1), 0);
    assert!(run(&expected, &[]).0.contains("may be violated, as expected"));
    let property = &json(&expected)["properties"][0];
    assert_eq!((&property["verdict"], &property["why"]), (&"may-be-violated".into(), &"spurious".into()));
    assert_eq!(property["as_expected"], true);
}

#[test]
fn a_run_that_nothing_confirms_may_be_a_violation() {
    let confirmation = Some(Confirmation::Unknown("the search of real steps took too long".to_owned()));
    let toy = Toy { confirmation, ..fork() }.with_property("F p", Some(Expect::Violated));
    assert_eq!(exit_code(&run(&toy, &[]).1), 1);
    let property = &json(&toy)["properties"][0];
    assert_eq!((&property["verdict"], &property["why"]), (&"may-be-violated".into(), &"unknown".into()));
    assert_eq!(property["detail"], "the search of real steps took too long");
}

#[test]
fn a_run_that_the_program_confirms_is_a_violation_and_the_real_run_is_shown() {
    let toy = Toy { confirmation: Some(Confirmation::Real { run: real_run(), follows: true }), ..fork() };
    check_text(
        &toy.with_property("F p", Some(Expect::Violated)),
        &[],
        0,
        &expect![[r#"
            toy.erl
              claim  violated, as expected

            claim: F p
              is violated by this concrete run, which follows the abstract one:
                step  process  line         does    state         true
                0                           starts  node = start
                1     @0       other.erl:7  goes    node = goal
                the run ends here"#]],
    );
}

#[test]
fn a_step_of_no_process_has_no_process() {
    let toy = Toy {
        confirmation: Some(Confirmation::Spurious { is_refuted: true }),
        ..Toy::new(&[(0, 0, 1), Toy::stutter(0)], &[1])
    };
    let object = json(&toy.with_property("F p", Some(Expect::MayBeViolated)));
    let step = &object["properties"][0]["counterexample"]["cycle"][0];
    assert_eq!((&step["process"], &step["action"]), (&Value::Null, &"no process moves".into()));
}

#[test]
fn a_property_that_holds_names_its_assumptions() {
    let assumptions = vec!["f/1 terminates".to_owned(), "no message is lost".to_owned()];
    let toy = Toy { assumptions, ..fork() }.with_property("G (p -> X p)", None);
    check_text(
        &toy,
        &[],
        0,
        &expect![[r#"
            toy.erl
              claim  holds
                     assuming: f/1 terminates
                     assuming: no message is lost"#]],
    );
    assert_eq!(json(&toy)["properties"][0]["assumptions"][1], "no message is lost");
    assert_eq!(
        json(&fork().with_property("F p", None))["properties"][0]["assumptions"],
        Value::Array(vec![])
    );
}

#[test]
fn a_crash_is_a_failure_and_an_endless_wait_one_if_that_is_asked() {
    let toy = Toy { crash: Some((1, 2)), wait: Some(1), ..fork() };
    check_text(
        &toy,
        &[],
        1,
        &expect![[r#"
            toy.erl
              no properties; 3 states
              1 endless wait (--deadlock makes this a failure)

            crash: 1 exits with badarith, line 3:
                step  process  line  does     state     true
                0                    starts   node = 0
                1     1              go to 2  node = 2

            @1 waits for ever for {reply, _}:
                step  process  line  does     state     true
                0                    starts   node = 0
                1     0              go to 1  node = 1"#]],
    );
    let object = json(&toy);
    assert_eq!(object["crashes"][0]["message"], "crash: 1 exits with badarith, line 3");
    assert_eq!(object["crashes"][0]["certain"], true);
    assert_eq!(object["crashes"][0]["path"].as_array().map(Vec::len), Some(2));
    assert_eq!(object["waits_for_ever"][0]["message"], "@1 waits for ever for {reply, _}");
    let only_waits = Toy { crash: None, ..toy };
    assert_eq!(exit_code(&run(&only_waits, &[]).1), 0);
    assert_eq!(exit_code(&run(&only_waits, &["--deadlock"]).1), 1);
}

#[test]
fn a_failure_on_a_run_that_may_not_be_real_is_one_unless_the_program_refutes_it() {
    let toy = |confirmation| Toy { crash: Some((1, 2)), confirmation: Some(confirmation), ..fork() };
    let unknown = toy(Confirmation::Unknown("nothing follows it so far".to_owned()));
    assert_eq!(exit_code(&run(&unknown, &[]).1), 1);
    assert!(run(&unknown, &[]).0.contains("possible: crash: 1 exits with badarith, line 3 (nothing follows"));
    assert_eq!(json(&unknown)["crashes"][0]["certain"], false);
    let open = toy(Confirmation::Spurious { is_refuted: false });
    assert_eq!(exit_code(&run(&open, &[]).1), 1, "another run may crash in the same way");
    let spurious = toy(Confirmation::Spurious { is_refuted: true });
    assert_eq!(exit_code(&run(&spurious, &[]).1), 0);
    assert_eq!(json(&spurious)["crashes"][0]["why"], "spurious");
    assert_eq!(exit_code(&run(&toy(Confirmation::Real { run: real_run(), follows: true }), &[]).1), 1);
    let deadlock = Toy {
        confirmation: Some(Confirmation::Spurious { is_refuted: true }),
        ..Toy::new(&[(0, 0, 1)], &[])
    };
    assert_eq!(exit_code(&run(&deadlock, &["--deadlock"]).1), 0);
    let deadlock = Toy { confirmation: None, ..deadlock };
    assert_eq!(exit_code(&run(&deadlock, &["--deadlock"]).1), 1);
}
