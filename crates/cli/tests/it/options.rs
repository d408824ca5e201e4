//! Invalid options: the message names the option, the given value and the valid values.

use crate::common::selvedge;
use expect_test::expect;

/// The command refuses the arguments, and this is the first line of its message.
#[track_caller]
fn refused(arguments: &str, message: &str) {
    let arguments: Vec<&str> = arguments.split(' ').collect();
    let ran = selvedge(&arguments);
    assert_eq!(ran.errors.lines().next(), Some(message));
    assert_eq!((ran.code, ran.output.as_str()), (2, ""));
}

const DEKKER: &str = "models/dekker.par";

/// Every option that takes a positive number, after its command, as messages spell it.
const POSITIVE: [(&str, &str); 13] = [
    ("check models/dekker.par", "--timeout <SECONDS>"),
    ("check models/dekker.par", "--max-states <N>"),
    ("check models/dekker.par", "--max-memory <MIB>"),
    ("check models/dekker.par", "--max-mailbox <N>"),
    ("check models/dekker.par", "--max-processes <N>"),
    ("check models/dekker.par", "--max-stack <N>"),
    ("check models/dekker.par", "--max-local <N>"),
    ("check models/dekker.par", "--frames <N>"),
    ("check models/dekker.par --simulate pct", "--runs <N>"),
    ("graph models/dekker.par", "--max-nodes <N>"),
    ("graph models/dekker.par --of counterexample --property strong", "--timeout <SECONDS>"),
    ("ltl p", "--max-states <N>"),
    ("watch --ltl p", "--max-slices <N>"),
];

#[test]
fn an_invalid_number_is_refused_with_the_name_of_its_option() {
    for (command, option) in POSITIVE {
        let name = option.split(' ').next().expect("a name");
        for given in ["0", "-3", "abc", "1.5", ""] {
            refused(
                &format!("{command} {name} {given}"),
                &format!("error: invalid value '{given}' for '{option}': expected a whole number, 1 or more"),
            );
        }
        refused(
            &format!("{command} {name} 99999999999999999999"),
            &format!(
                "error: invalid value '99999999999999999999' for '{option}': expected a whole number from 1 to \
                 18446744073709551615"
            ),
        );
    }
}

#[test]
fn the_refusal_of_a_number_names_its_bounds() {
    refused(
        &format!("check {DEKKER} --workers 65"),
        "error: invalid value '65' for '--workers <N>': expected a whole number from 1 to 64",
    );
    refused(
        &format!("check {DEKKER} --simulate --steps 1000001"),
        "error: invalid value '1000001' for '--steps <N>': expected a whole number from 1 to 1000000",
    );
    refused(
        &format!("check {DEKKER} --simulate --seed -1"),
        "error: invalid value '-1' for '--seed <N>': expected a whole number, 0 or more",
    );
}

#[test]
fn an_option_of_another_language_is_refused() {
    for (option, name) in
        [("--main start", "--main"), ("--domain parity", "--domain"), ("--crashes 0", "--crashes")]
    {
        for command in ["check", "check --simulate=pct", "graph"] {
            refused(
                &format!("{command} {DEKKER} {option}"),
                &format!("error: {name} is for Erlang programs, and {DEKKER} is read as PARALLEL"),
            );
        }
    }
    refused(
        &format!("check {DEKKER} --delivery lifo"),
        "error: invalid value 'lifo' for '--delivery <ORDER>'",
    );
}

#[test]
fn a_setting_without_name_or_value_is_refused() {
    for given in ["N", "N=", "=5"] {
        refused(
            &format!("check {DEKKER} --set {given}"),
            &format!("error: invalid value '{given}' for '--set <NAME=VALUE>': write NAME=VALUE, as in N=5"),
        );
    }
}

#[test]
fn the_refusal_of_a_file_in_the_place_of_a_scheduler_explains_where_files_stand() {
    let ran = selvedge(&["check", "--simulate", DEKKER]);
    expect![[r#"
        error: invalid value 'models/dekker.par' for '--simulate [<SCHEDULER>]'
          [possible values: uniform, mixed, pct, swarm, pos, round-robin, systematic]

          tip: files stand before --simulate, or after a scheduler: --simulate uniform models/dekker.par

        For more information, try '--help'.
    "#]]
    .assert_eq(&ran.errors);
    assert_eq!(ran.code, 2);
    // A text that is no file is a misspelt name.
    let ran = selvedge(&["check", DEKKER, "--simulate", "unifrom"]);
    assert!(ran.errors.contains("tip: a similar value exists: 'uniform'"), "{}", ran.errors);
    assert!(!ran.errors.contains("files stand"), "{}", ran.errors);
    // Both spellings of the tip are valid.
    for arguments in
        [["check", DEKKER, "--simulate", "--runs=2"], ["check", "--runs=2", "--simulate=uniform", DEKKER]]
    {
        assert!(selvedge(&arguments).output.contains("uniform, seed 0: 2 runs"));
    }
}
