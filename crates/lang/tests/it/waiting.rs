//! `end` labels, `timeout`, priorities, and families with several parameters, by exact outcomes.

use crate::common::{outcomes, program, search, system};
use selvedge_lang::parallel::parse;
use selvedge_lang::{Atom, Program, SystemOptions};
use selvedge_ltl::Alphabet;
use selvedge_ltl::source::Source;
use selvedge_model::{Steps, System, Verdict};

#[track_caller]
fn check(text: &str, names: &[&str], expected: &[&str]) {
    assert_eq!(outcomes(text, names), expected);
}

/// Does the formula hold? The same with reduction and without.
#[track_caller]
fn holds(text: &str, formula: &str) -> bool {
    let program = program(text);
    let formula = program.formula(formula).expect("a formula");
    let mut alphabet: Alphabet<Atom> = Alphabet::default();
    let numbered = alphabet.number(&formula).expect("few propositions");
    let system = program.system(alphabet.names(), SystemOptions::default()).expect("a system");
    let [reduced, whole] = [true, false].map(|reduction| {
        let options = selvedge_model::Options { reduction, ..Default::default() };
        selvedge_model::check(&system, &numbered, options).expect("an automaton").verdict
    });
    let holds = |verdict: &Verdict<_>| matches!(verdict, Verdict::Holds);
    assert_eq!(holds(&reduced), holds(&whole));
    holds(&whole)
}

#[test]
fn waiting_at_an_end_label_is_no_deadlock() {
    let server =
        "channel c[1]; memory x = 0; process 1: repeat end: receive c, x forever process 2: send c, 1";
    check(server, &["x"], &["x=1"]);
    assert!(holds(server, "[] ~ deadlock") && !holds(server, "<> ended"));
    let stuck = server.replace("end: ", "");
    check(&stuck, &["x"], &["x=1 1 waits: receive c, x (line 1)"]);
    assert!(!holds(&stuck, "[] ~ deadlock"));
    let other = "channel c[1]; memory x = 0; process 1: end: receive c, x process 2: await x = 1";
    let waiting = "x=0 1 waits: receive c, x (line 1) 2 waits: await x = 1 (line 1)";
    check(other, &["x"], &[waiting]);
}

#[test]
fn an_end_label_before_a_loop_or_a_choice_stays() {
    let choice = "channel c[1], d[1]; memory x = 0; statement work;
                  process 1: while true do end: choose receive c, x; work | receive d, x end od
                  process 2: send c, 1; send d, 2; send c, 3";
    check(choice, &["x"], &["x=2", "x=3"]);
    let round = "memory x = 0; process 1: end: while x < 3 do await x < 2; x := x + 1 od; x := 9";
    check(round, &["x"], &["x=2 1 waits: await x < 2 (line 1)"]);
    let branch = "memory x = 0; process 1: choose end: await x = 1 | await x = 2 end";
    check(branch, &["x"], &["x=0"]);
}

#[test]
fn an_idle_end_is_told_from_one_where_all_have_ended() {
    for (text, is_idle) in [("process 1: end: await false", true), ("process 1: skip", false)] {
        let system = system(text, false);
        let state = &search(&system, 10).states[0];
        assert!(system.is_end(state));
        assert_eq!(system.is_idle(state), is_idle, "{text}");
    }
}

#[test]
fn a_timeout_is_a_step_where_no_process_has_another() {
    check("memory x = 0; process 1: timeout; x := 1", &["x"], &["x=1"]);
    let other = "memory x = 0, y = 0; process 1: timeout; x := y process 2: y := 1; y := 2";
    check(other, &["x"], &["x=2"]);
    assert!(holds(other, "[] (x = 0 \\/ x = 2)") && holds(other, "<> x = 2"));
    let never = "memory x = 0; process 1: timeout; x := 1 process 2: repeat skip forever";
    assert!(holds(never, "[] x = 0"));
    let both = "memory x = 0; process 1: timeout; x := 1 process 2: timeout; x := 2";
    check(both, &["x"], &["x=1", "x=2"]);
    let choice =
        "memory x = 0; process 1: choose timeout; x := 1 | await x = 5; x := 2 end process 2: x := 4";
    check(choice, &["x"], &["x=1"]);
}

#[test]
fn a_declared_statement_may_be_called_timeout() {
    let text = "statement timeout; memory x = 0; process 1: timeout; x := 1 process 2: x := 2";
    check(text, &["x"], &["x=1", "x=2"]);
    assert!(holds(text, "<> ~ at(1, timeout)"));
}

#[test]
fn a_process_of_a_higher_priority_moves_first() {
    let text = "memory x = 0; process 1 priority 2: x := x + 1; x := x * 2 process 2: x := x + 10";
    check(text, &["x"], &["x=12"]);
    let waits =
        "memory x = 0, y = 0; process 1 priority 1: await x = 2; y := x process 2: x := 1; x := 2; x := 3";
    check(waits, &["x", "y"], &["x=3 y=2"]);
    let meeting = "channel c[0]; memory x = 0;
                   process 1: send c, 1 process 2 priority 2: receive c, x process 3 priority 1: x := 5";
    check(meeting, &["x"], &["x=5"]);
    let computed =
        "const N = 2; memory x = 0; process p(i) for i in 1..N priority N + 1: x := i process 2: x := 7";
    check(computed, &["x"], &["x=7"]);
    let own = "memory x = 0; process p(i) for i in 1..3 priority i: x := 10 * x + i";
    check(own, &["x"], &["x=321"]);
}

#[test]
fn only_processes_that_can_move_are_enabled() {
    let system =
        system("memory x = 0; process 1 priority 1: x := 1 process 2: timeout process 3: x := 2", false);
    let mut initial = selvedge_model::States::new(system.words());
    system.initial(&mut initial);
    let state = initial.iter().next().expect("a state");
    let enabled: Vec<bool> =
        (0..3).map(|process| system.is_enabled(state, selvedge_model::ProcessId(process))).collect();
    assert_eq!(enabled, [true, false, false]);
    let mut steps = Steps::new(system.words());
    system.successors(state, &mut steps);
    assert_eq!(steps.len(), 1);
}

#[test]
fn a_family_has_a_member_for_each_pair_of_numbers() {
    let text = "memory a[4] = 0; statement s;
                process p(i, j) for i in 0..1, j in 0..1: local l = 5; a[2 * i + j] := 10 * i + j; s";
    check(
        text,
        &["a[0]", "a[1]", "a[2]", "a[3]", "l@p(1, 0)"],
        &["a[0]=0 a[1]=1 a[2]=10 a[3]=11 l@p(1, 0)=5"],
    );
    assert!(holds(text, "<> at(p(1, 0), s)") && holds(text, "[] l@p(0, 1) = 5"));
    assert!(holds(text, "forall i in 0..1: <> (exec(p(i, 1)) \\/ a[2 * i + 1] = 10 * i + 1)"));
    let names: Vec<String> = program(text).flow_graph_names().into_iter().map(str::to_owned).collect();
    assert_eq!(names, ["p(0, 0)", "p(0, 1)", "p(1, 0)", "p(1, 1)"]);
}

#[test]
fn a_created_process_begins_with_its_parameters() {
    let text = "memory sum = 0; process 1: create w(1); create w(2)
                process w(n) max 2: local m = 10; sum := sum + n * m";
    check(text, &["sum", "n@w(1)", "n@w(2)"], &["sum=30 n@w(1)=1 n@w(2)=2"]);
    assert!(holds(text, "[] ~ deadlock") && holds(text, "[] sum <= 30") && holds(text, "<> sum = 30"));
    let once = "memory x = 0; process 1: choose create w | skip end process w max 1: x := 1";
    check(once, &["x"], &["x=0", "x=1"]);
}

#[test]
fn no_more_processes_are_created_than_declared() {
    let text = "memory x = 0; process 1: create w; create w process w max 1: x := x + 1";
    assert_eq!(outcomes(text, &["x"]).len(), 1);
    assert!(outcomes(text, &["x"])[0].starts_with("x=1 1 waits: "), "{:?}", outcomes(text, &["x"]));
    assert!(!holds(text, "[] ~ deadlock"));
    let chain = "memory x = 0; process 1: create w(3)
                 process w(n) max 3: x := x + 1; if n > 1 then create w(n - 1) fi";
    check(chain, &["x"], &["x=3"]);
}

#[test]
fn mistakes_are_told() {
    let rows = [
        ("process 1: atomic timeout end", "par::waits-in-atomic"),
        ("process 1: atomic end: await true end", "par::waits-in-atomic"),
        ("process 1: repeat end: forever", "par::expected-statement"),
        ("process p(i, j) for i in 1..2, k in 1..2: skip", "par::other-parameter"),
        ("process p(i, j) for i in 1..2: skip", "par::unexpected"),
        ("process p(i, j) for i in 1..200, j in 1..200: skip", "par::too-many-processes"),
        ("memory x = 1; process p priority x: skip", "par::expected-constant"),
        ("process 1: create w", "par::unknown-process"),
        ("process 1: create w(1) process w max 1: skip", "par::wrong-arguments"),
        ("process w max 0: skip", "par::bad-length"),
        ("process 1: repeat end: forever", "par::expected-statement"),
        ("process p(i, j) for i in 1..2, j in 2..1: skip", "par::no-process"),
        ("process p(i, j) for i in 1..2, j in 1..2: skip property q: exec(p(1))", "par::unknown-process"),
    ];
    for (text, code) in rows {
        let diagnostics = parse(&Source::new("t.par", text)).1;
        let codes: Vec<&str> = diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
        assert!(codes.contains(&code), "{text}: {codes:?}");
    }
}
