//! What the debugger exported, by the test in `main.rs`, which compares it.

use super::programs::increments_exclude_each_other;

/// The run `S0--P1-P0--P1--` of `increments_exclude_each_other`.
/// Its outcome: data race: write at crates/selvedge/tests/debug/programs.rs:27 and write at crates/selvedg
#[test]
#[ignore = "fails; run by another test"]
fn increments_exclude_each_other_replayed() {
    let recording = r#"selvedge-trace 2
about test debug::programs::increments_exclude_each_other
about outcome data race: write at crates/selvedge/tests/debug/programs.rs:27 and write at crates/selvedge/tests/debug/programs.rs:27 of the cell made at crates/selvedge/tests/debug/programs.rs:16: neither happened before the other
about strategy debugger
about memory tso
thread 0 main
thread 1 thread 1
object 1 atomic#1 (crates/selvedge/tests/debug/programs.rs:16)
object 2 cell#2 (crates/selvedge/tests/debug/programs.rs:16)
step 0 0 spawn - - 1 crates/selvedge/tests/debug/programs.rs:42
  how start drains
step 0 0 load 1 - - crates/selvedge/tests/debug/programs.rs:20
  how same
  value false
step 1 0 load 1 - - crates/selvedge/tests/debug/programs.rs:20
  how preempt
  value false
step 0 0 store 1 - - crates/selvedge/tests/debug/programs.rs:23
  how preempt drains
  value true
step 0 0 set - - - crates/selvedge/tests/debug/programs.rs:24
  how same expected=10164002018063081613
  value in_critical(2)
access 0 2 crates/selvedge/tests/debug/programs.rs:27
  action write
step 1 0 store 1 - - crates/selvedge/tests/debug/programs.rs:23
  how preempt drains observed=1
  value true
step 1 0 set - - - crates/selvedge/tests/debug/programs.rs:24
  how same ends_run expected=16632825613591909748
  value in_critical(1)
access 1 2 crates/selvedge/tests/debug/programs.rs:27
  action write
ending 0 - crates/selvedge/tests/debug/programs.rs:28
  state is about to release
ending 1 - crates/selvedge/tests/debug/programs.rs:27
  state was about to write cell#2 (crates/selvedge/tests/debug/programs.rs:16)
"#;
    selvedge::replay(recording, increments_exclude_each_other);
}
