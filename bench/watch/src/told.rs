//! Which programs are told to be able to deadlock, by each contestant.
//!
//! `deloxide` writes to standard output when it starts, so its programs run in a process of their own.

use crate::mutexes::{Deloxide, Lock, Ours, TracingMutex, start_deloxide};
use crate::scenarios;
use selvedge_bench_harness::Table;
use std::process::Command;

/// The argument for that process.
pub(crate) const DELOXIDE: &str = "deloxide";

/// Before each row of that process.
const MARK: &str = "told ";

/// Runs the programs with `deloxide`, and prints a row for each.
pub(crate) fn print_deloxide() {
    start_deloxide();
    for scenario in scenarios::all::<Deloxide>() {
        println!("{MARK}{}", scenario.is_told());
    }
}

fn deloxide() -> Vec<bool> {
    let program = std::env::current_exe().expect("a program knows where it is");
    let output = Command::new(program).arg(DELOXIDE).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().filter_map(|line| line.strip_prefix(MARK)).map(|row| row == "true").collect()
}

/// The table of all programs, and those on which ours is wrong.
pub(crate) fn table() -> (Table, Vec<&'static str>) {
    // `tracing-mutex` tells a cycle by a panic.
    std::panic::set_hook(Box::new(|_| ()));
    let peers = deloxide();
    let columns = ["program", "can deadlock", Ours::NAME, TracingMutex::NAME, Deloxide::NAME];
    let (mut table, mut wrong) = (Table::new("told", &columns), Vec::new());
    let rows = scenarios::all::<Ours>().into_iter().zip(scenarios::all::<TracingMutex>()).zip(peers);
    for ((ours, tracing), deloxide) in rows {
        let can_deadlock = ours.can_deadlock;
        let told = |is_told: bool| match (is_told, can_deadlock) {
            (true, true) => "told",
            (true, false) => "**told**",
            (false, true) => "**not told**",
            (false, false) => "not told",
        };
        let (name, yes) = (ours.name, if can_deadlock { "yes" } else { "no" });
        let answers = [ours.is_told(), tracing.is_told(), deloxide];
        if answers[0] != can_deadlock {
            wrong.push(name);
        }
        let cells = [name, yes].into_iter().chain(answers.map(told));
        table.row(cells.map(str::to_owned).collect());
    }
    let _ = std::panic::take_hook();
    (table, wrong)
}
