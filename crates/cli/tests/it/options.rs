//! Options that cannot be: what is said of them names the option, what was given, and what would be right.

mod common;

use common::selvedge;
use expect_test::expect;

/// The command refuses the arguments, and its first line is this one.
#[track_caller]
fn refused(arguments: &str, message: &str) {
    let arguments: Vec<&str> = arguments.split(' ').collect();
    let ran = selvedge(&arguments);
    assert_eq!(ran.errors.lines().next(), Some(message));
    assert_eq!((ran.code, ran.output.as_str()), (2, ""));
}

const DEKKER: &str = "models/dekker.par";

/// Every option that takes a number, the command that it belongs to, and how it writes itself.
const POSITIVE: [(&str, &str); 7] = [
    ("check models/dekker.par", "--timeout <SECONDS>"),
    ("check models/dekker.par", "--max-states <N>"),
    ("check models/dekker.par", "--max-memory <MIB>"),
    ("check models/dekker.par --simulate pct", "--runs <N>"),
    ("graph models/dekker.par", "--max-nodes <N>"),
    ("graph models/dekker.par --of counterexample --property strong", "--timeout <SECONDS>"),
    ("ltl p", "--max-states <N>"),
];

#[test]
fn a_number_that_cannot_be_is_refused_by_name() {
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
fn a_number_beyond_its_bounds_is_told_them() {
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
fn a_setting_without_name_or_value_is_refused() {
    for given in ["N", "N=", "=5"] {
        refused(
            &format!("check {DEKKER} --set {given}"),
            &format!("error: invalid value '{given}' for '--set <NAME=VALUE>': write NAME=VALUE, as in N=5"),
        );
    }
}

#[test]
fn a_file_in_the_place_of_a_scheduler_is_told_where_files_stand() {
    let ran = selvedge(&["check", "--simulate", DEKKER]);
    expect![[r#"
        error: invalid value 'models/dekker.par' for '--simulate [<SCHEDULER>]'
          [possible values: uniform, pct, swarm, pos, round-robin, systematic]

          tip: files stand before --simulate, or after a scheduler: --simulate uniform models/dekker.par

        For more information, try '--help'.
    "#]]
    .assert_eq(&ran.errors);
    assert_eq!(ran.code, 2);
    // What is no file is misspelt.
    let ran = selvedge(&["check", DEKKER, "--simulate", "unifrom"]);
    assert!(ran.errors.contains("tip: a similar value exists: 'uniform'"), "{}", ran.errors);
    assert!(!ran.errors.contains("files stand"), "{}", ran.errors);
    // Both ways that the tip tells are right.
    for arguments in
        [["check", DEKKER, "--simulate", "--runs=2"], ["check", "--runs=2", "--simulate=uniform", DEKKER]]
    {
        assert!(selvedge(&arguments).output.contains("uniform, seed 0: 2 runs"));
    }
}
