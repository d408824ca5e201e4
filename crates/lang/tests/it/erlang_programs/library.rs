//! The library under the checker, against OTP's own modules under `erl`.
//!
//! Random calls of `lists`, `maps` and `proplists` have the values and exceptions that they have under
//! `erl` (`tests/erlang/library/calls.erl` writes the program). Uses of servers, supervisors, links,
//! monitors and timers whose outcome no schedule changes (`uses.erl`) have this outcome in every run.
//!
//! Without `erl` (Debian's `erlang-base`) the tests say so and check nothing.

use super::verdict;
use crate::erlang_library::{compiled_library, crate_folder, evaluate, is_installed, is_long_run};
use selvedge_lang::erlang::{ErlangProgram, read};
use selvedge_lang::{Delivery, ErlangOptions, NoSources, ReadOptions};
use selvedge_ltl::source::Source;
use selvedge_model::Fairness;

/// Programs of random calls, and those of a long run.
const PROGRAMS: usize = 3;
const LONG_PROGRAMS: usize = 40;

/// Random calls of a program.
const CALLS: usize = 300;

/// Uses whose outcome depends on the order in which signals of several processes arrive.
const NEED_IMMEDIATE_DELIVERY: [&str; 1] = ["transient_child"];

fn read_program(name: &str, text: &str, options: &ErlangOptions) -> ErlangProgram {
    let source = Source::new(name, text);
    let (program, diagnostics) =
        read(&source, &ReadOptions { settings: &[], erlang: options, finder: &NoSources });
    let messages: Vec<String> = diagnostics.iter().map(|one| one.render(&source, false)).collect();
    program.unwrap_or_else(|| panic!("{}", messages.join("\n")))
}

#[test]
fn random_calls_of_the_library_are_as_under_erl() {
    if !is_installed("random_calls_of_the_library_are_as_under_erl") {
        return;
    }
    let folder = compiled_library("random_calls");
    let programs = if is_long_run() { LONG_PROGRAMS } else { PROGRAMS };
    for seed in 1..=programs {
        let text = evaluate(&folder, &format!("calls:main({seed}, {CALLS})."));
        let program = read_program("random_calls.erl", &text, &ErlangOptions::default());
        let found = verdict(&program, "F done", Fairness::None, false);
        assert_eq!(found, "holds", "`selvedge check --ltl 'F done'` says which call differs in\n{text}");
    }
}

#[test]
fn uses_of_servers_and_supervisors_end_as_under_erl() {
    if !is_installed("uses_of_servers_and_supervisors_end_as_under_erl") {
        return;
    }
    let folder = compiled_library("uses");
    let observed = evaluate(&folder, "uses:main().");
    assert!(observed.lines().count() >= 30, "{observed}");
    let path = crate_folder().join("tests/erlang/library/uses.erl");
    let text = std::fs::read_to_string(path).expect("a text file");
    for line in observed.lines() {
        let (name, outcome) = line.split_once(' ').expect("a name and an outcome");
        for delivery in [Delivery::Immediate, Delivery::Fifo] {
            if delivery == Delivery::Fifo && NEED_IMMEDIATE_DELIVERY.contains(&name) {
                continue;
            }
            let options = ErlangOptions { main: Some(name.to_owned()), delivery, ..ErlangOptions::default() };
            let program = read_program("uses.erl", &text, &options);
            for reduction in [false, true] {
                let found = verdict(&program, &format!("F {outcome}"), Fairness::None, reduction);
                assert_eq!(found, "holds", "{name}: {outcome}, reduction: {reduction}, {delivery:?}");
            }
        }
    }
}
