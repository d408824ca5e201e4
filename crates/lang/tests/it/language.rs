//! Each construct of PARALLEL by the exact set of outcomes of a small program.

use crate::common::{outcomes, program, search, system};
use selvedge_lang::parallel::parse_with;
use selvedge_lang::{Program, SystemOptions};
use selvedge_ltl::source::Source;
use selvedge_model::{ProcessId, Steps, System};

#[track_caller]
fn check(text: &str, names: &[&str], expected: &[&str]) {
    assert_eq!(outcomes(text, names), expected);
}

#[test]
fn an_assignment_is_one_step_with_its_reads() {
    let text = "memory x = 0; process 1: x := x + 1 process 2: x := x + 1";
    check(text, &["x"], &["x=2"]);
}

#[test]
fn reading_and_writing_in_two_steps_loses_an_update() {
    let text = "memory x = 0; process 1: local t = 0; t := x; x := t + 1
                process 2: local t = 0; t := x; x := t + 1";
    check(text, &["x", "t@1"], &["x=1 t@1=0", "x=2 t@1=0", "x=2 t@1=1"]);
}

#[test]
fn arithmetic_has_the_usual_precedence() {
    let text = "memory x = 0, y = 0; process 1: x := 1 + 2 * 3 - 8 / 3 % 2; y := -(x - 10) * -2";
    check(text, &["x", "y"], &["x=7 y=-6"]);
}

#[test]
fn null_is_a_value_and_spreads_through_arithmetic() {
    let text = "memory x = null, y = 1, z = 0;
                process 1: y := x + 1; if y = null then z := 1 fi; if y <= 3 then z := 2 fi";
    check(text, &["x", "y", "z"], &["x=null y=null z=1"]);
}

#[test]
fn tests_compare_and_combine() {
    let text = "memory a = 1, b = 2, r = 0; process 1:
                if a < b and not a = b then r := r + 1 fi;
                if a >= b or b != 2 then r := r + 10 fi;
                if (a + 1) = b then r := r + 100 else r := -1 fi;
                while r > 1 and true do r := r - 100 od";
    check(text, &["r"], &["r=1"]);
}

#[test]
fn await_blocks_until_its_test_holds() {
    let text = "memory go = 0, x = 0; process 1: await go = 1; x := 1 process 2: go := 1";
    check(text, &["x"], &["x=1"]);
    let stuck = "memory go = 0, x = 0; process 1: await go = 1; x := 1 process 2: skip";
    check(stuck, &["x"], &["x=0 1 waits: await go = 1 (line 1)"]);
}

#[test]
fn a_choice_takes_a_branch_that_can_begin() {
    check("memory x = 0; process 1: choose x := 1 | x := 2 | skip end", &["x"], &["x=0", "x=1", "x=2"]);
    let guarded = "memory x = 0; process 1: choose await x = 1; x := 5 | await x = 0; x := 6 end";
    check(guarded, &["x"], &["x=6"]);
}

#[test]
fn an_atomic_statement_is_one_step() {
    let text = "memory x = 0; process 1: atomic x := 1; x := x + 1 end process 2: x := 10";
    check(text, &["x"], &["x=10", "x=2"]);
    assert_eq!(search(&system(text, false), 100).states.len(), 5);
}

#[test]
fn an_atomic_that_would_block_does_not_begin() {
    let text = "memory x = 0; process 1: atomic x := 1; await x = 2 end";
    check(text, &["x"], &["x=0 1 waits: atomic x := 1; await x = 2 end (line 1)"]);
    let ways = "memory x = 0; process 1: atomic choose x := 1 | x := 2 end; x := x + 10; await x > 11 end";
    check(ways, &["x"], &["x=12"]);
}

#[test]
fn an_atomic_that_loops_for_ever_is_an_error() {
    let text = "memory x = 0; process 1: atomic while x = 0 do skip od end";
    check(
        text,
        &["x"],
        &["x=0 the atomic statement does not end: process 1, line 1, `atomic while x = 0 do .. od end`"],
    );
}

#[test]
fn arrays_have_elements_and_bounds() {
    let text = "const N = 3; memory a[N] = 0, i = 0;
                process 1: while i < N do a[i] := i * i; i := i + 1 od";
    check(text, &["a[0]", "a[1]", "a[2]"], &["a[0]=0 a[1]=1 a[2]=4"]);
    let outside = "memory a[2] = 0, i = 2; process 1: a[i] := 1";
    let error = "a[0]=0 the index is outside of the array: process 1, line 1, `a[i] := 1`";
    check(outside, &["a[0]"], &[error]);
}

#[test]
fn a_family_has_a_process_for_each_number() {
    let text = "const N = 3; memory a[N] = 0; process p(i) for i in 1..N: a[i - 1] := i";
    check(text, &["a[0]", "a[1]", "a[2]"], &["a[0]=1 a[1]=2 a[2]=3"]);
    let names: Vec<String> = program(text).flow_graph_names().into_iter().map(str::to_owned).collect();
    assert_eq!(names, ["p(1)", "p(2)", "p(3)"]);
}

#[test]
fn constants_can_be_set_from_the_command_line() {
    let source = Source::new("n.par", "const N = 3; memory x = 0; process p(i) for i in 1..N: x := i");
    let (program, diagnostics) = parse_with(&source, &[("N".to_owned(), 5)]);
    assert!(diagnostics.is_empty());
    assert_eq!(program.expect("a program").flow_graph_names().len(), 5);
    let (none, diagnostics) = parse_with(&source, &[("M".to_owned(), 5)]);
    assert!(none.is_none());
    assert_eq!(diagnostics[0].code, "par::unknown-constant");
}

#[test]
fn channels_keep_order_and_block_when_full_or_empty() {
    let text = "channel c[2]; memory x = 0, y = 0, z = 0;
                process 1: send c, 1; send c, 2; send c, 3
                process 2: receive c, x; receive c, y; receive c, z";
    check(text, &["x", "y", "z", "c"], &["x=1 y=2 z=3 c=[]"]);
    let full = "channel c[1]; process 1: send c, 1; send c, 2";
    check(full, &["c"], &["c=[1] 1 waits: send c, 2 (line 1)"]);
    let empty = "channel c[1]; memory x = 0; process 1: receive c, x";
    check(empty, &["x"], &["x=0 1 waits: receive c, x (line 1)"]);
}

#[test]
fn free_slots_of_a_channel_make_no_different_states() {
    let text = "channel c[3]; memory x = 0;
                process 1: repeat choose send c, 1 | send c, 2 | receive c, x end forever";
    let system = system(text, false);
    // 15 contents, at `repeat` and at `choose`; x is never read, so its value is forgotten.
    let space = search(&system, 1000);
    assert_eq!(space.states.len(), 15 * 2);
}

#[test]
fn a_failed_assertion_is_an_error_with_its_place() {
    let text = "memory x = 0;\nprocess 1:\n  x := 1;\n  assert x = 0;\n  x := 2";
    check(text, &["x"], &["x=1 the assertion does not hold: process 1, line 4, `assert x = 0`"]);
}

#[test]
fn overflow_and_division_by_zero_are_errors() {
    let text = "memory x = 1; process 1: while true do x := x * 2 od";
    let found = outcomes(text, &[]);
    assert_eq!(found, ["the result does not fit into 64 bits: process 1, line 1, `x := x * 2`"]);
    let text = "memory x = 1, y = 0; process 1: if x / y = 0 then skip fi";
    check(text, &["x"], &["x=1 division by zero: process 1, line 1, `x / y = 0`"]);
}

#[test]
fn printing_is_a_step_that_changes_nothing() {
    let text = "memory x = 3; process 1: print \"x is\", x + 1";
    check(text, &["x"], &["x=3"]);
    let system = system(text, false);
    let mut steps = Steps::new(system.words());
    system.successors(&search(&system, 10).states[0], &mut steps);
    assert_eq!(system.describe(steps.get(0).0), "print \"x is\", x + 1");
}

#[test]
fn undefined_differs_from_null_in_exact_mode_only() {
    // x is undefined, then null; the processes are at their ends in both.
    let text = "process 1: if x = null then y := x else y := 1 fi";
    let exact = search(&system(text, true), 100);
    let merged = search(&system(text, false), 100);
    assert_eq!((exact.states.len(), merged.states.len()), (3, 3));
    let text = "process 1: repeat x := null forever";
    let exact = search(&system(text, true), 100).states.len();
    let merged = search(&system(text, false), 100).states.len();
    assert_eq!((exact, merged), (4, 2));
}

#[test]
fn a_process_is_enabled_exactly_where_it_has_a_step() {
    let text = "channel c[1]; memory x = 0, a[2] = 0; statement s; looping statement l;
        process 1: repeat send c, x; await x < 2; x := x + 1; s forever
        process 2: repeat receive c, a[1]; atomic await x = a[1] + 1; a[0] := 1 end; l forever
        process 3: while x != 2 do choose await a[0] = 1; a[0] := 0 | await x = 1 end od; assert x = 1";
    let system = system(text, false);
    let space = search(&system, 10_000);
    let mut steps = Steps::new(system.words());
    for state in &space.states {
        steps.clear();
        system.successors(state, &mut steps);
        for process in (0..3).map(ProcessId) {
            let moves = steps.iter().any(|(action, _)| system.process(action) == Some(process));
            assert_eq!(system.is_enabled(state, process), moves, "{:?}", system.show(state));
        }
    }
    assert!(space.states.len() > 100);
}

#[test]
fn steps_have_their_lines() {
    let text = "memory x = 0;\nprocess 1:\n  if x = 0 then x := 1 fi;\n  if x = 1 then x := 1 fi";
    let system = system(text, false);
    let mut steps = Steps::new(system.words());
    let mut state = search(&system, 10).states[0].clone();
    let mut story = Vec::new();
    loop {
        steps.clear();
        system.successors(&state, &mut steps);
        let Some((action, next)) = steps.iter().next() else { break };
        story.push((system.source_line(action).unwrap_or(0), system.describe(action)));
        state = next.to_vec();
    }
    let expected = [(3, "x = 0"), (3, "x := 1"), (4, "x = 1"), (4, "x := 1")];
    assert_eq!(story, expected.map(|(line, text)| (line, text.to_owned())));
}

#[test]
fn formulas_have_locals_and_members_of_families() {
    let program = program(
        "const N = 2; statement crit; memory a[N] = 0;
         process p(i) for i in 1..N: local t = 0; t := i; crit
         property one: <> t@p(1) = 1 /\\ <> at(p(N), crit) /\\ [] a[0] + 1 <= 2 * (N - 1)",
    );
    let text = program.properties()[0].formula.to_string();
    assert_eq!(text, "F t@p(1) = 1 & F at(p(2), crit) & G a[0] + 1 <= 2 * (2 - 1)");
    assert_eq!(program.formula(&text).expect("reads back").to_string(), text);
}

#[test]
fn definitions_take_formulas_and_come_in_any_order() {
    let program = program(
        "memory x = 0; statement crit; process 1: crit; x := 1
         property answered: leads(at(1, crit), done)
         define done = is(x, 1);
         define leads(p, q) = [] (p -> <> q);
         define is(v, n) = v = n",
    );
    assert_eq!(program.properties()[0].formula.to_string(), "G (at(1, crit) -> F x = 1)");
    let extra = program.formula("leads(done, x = 2 \\/ (x + 1) > 1)").expect("a formula");
    assert_eq!(extra.to_string(), "G (x = 1 -> F (x = 2 | x + 1 > 1))");
}

#[test]
fn labels_follow_the_propositions_in_order() {
    let program = program("memory x = 0; process 1: x := 1; x := 7 / (x - 1)");
    let mut atoms = Vec::new();
    for text in ["x = 1", "exec(1)", "x < 1", "1 / x = 1"] {
        let formula = program.formula(text).expect("a formula");
        formula.propositions(&mut |atom| atoms.push(atom.clone()));
    }
    let system = program.system(&atoms, SystemOptions::default()).expect("a system");
    let space = search(&system, 10);
    let labels: Vec<(u64, u64)> = space
        .states
        .iter()
        .map(|state| (system.label(state).may_true & 0b1111, system.label(state).may_false & 0b1111))
        .collect();
    // Where x is 0, the value of `1 / x = 1` is unknown.
    assert_eq!(labels, [(0b1100, 0b1011), (0b1011, 0b0100), (0b1011, 0b0100)]);
}
