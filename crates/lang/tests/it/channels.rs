//! Channels of all kinds: small programs with their exact outcomes, and messages about mistakes.

use crate::common::{outcomes, program, search, system};
use selvedge_lang::parallel::parse;
use selvedge_lang::{Program, SystemOptions};
use selvedge_ltl::Alphabet;
use selvedge_ltl::source::Source;
use selvedge_model::{Budget, Fairness, ProcessId, Steps, System, Verdict};

#[track_caller]
fn check(text: &str, names: &[&str], expected: &[&str]) {
    assert_eq!(outcomes(text, names), expected);
}

#[test]
fn each_channel_of_an_array_is_a_queue_of_its_own() {
    let text = "channel c[2][2]; memory x = 0, y = 0;
                process 1: send c[0], 1; c[1]!2; c[0]!3
                process 2: receive c[1], y; c[0]?x; receive c[0], x";
    check(text, &["x", "y", "c[0]", "c[1]"], &["x=3 y=2 c[0]=[] c[1]=[]"]);
}

#[test]
fn a_message_of_several_fields_is_sent_and_received_as_one() {
    let text = "channel c[2] of (kind, value); memory x = 0, y = 0;
                process 1: c!(1, 7); send c, (2, 8)
                process 2: c?(x, y)";
    check(text, &["x", "y", "c"], &["x=1 y=7 c=[(2, 8)]"]);
}

#[test]
fn a_constant_field_has_to_match() {
    let text = "const ack = 1; channel c[1] of (kind, value); memory x = 0;
                process 1: choose c!(1, 7) | c!(2, 8) end
                process 2: choose c?(ack, x) | c?(2, x); x := -x end";
    check(text, &["x"], &["x=-8", "x=7"]);
    let stuck = "channel c[1]; process 1: send c, 2 process 2: receive c, 3";
    check(stuck, &["c"], &["c=[2] 2 waits: receive c, 3 (line 1)"]);
    check("channel c[1]; memory x; process 1: send c, x; receive c, null", &["c"], &["c=[]"]);
}

#[test]
fn indices_of_a_receive_are_those_before_it() {
    let text = "channel c[1] of (k, v); memory i = 0, a[2] = 0; process 1: c!(1, 5); c?(i, a[i])";
    check(text, &["i", "a[0]", "a[1]"], &["i=1 a[0]=5 a[1]=0"]);
}

#[test]
fn an_index_of_a_channel_out_of_bounds_is_an_error() {
    let text = "channel c[2][1]; memory i = 2; process 1: c[i]!1";
    let error = "the index is outside of the array: process 1, line 1, `send c[i], 1`";
    check(text, &["i"], &[&format!("i=2 {error}")]);
    let text = "channel c[2][0]; memory i = 2; process 1: c[i]?i";
    check(text, &["i"], &["i=2 the index is outside of the array: process 1, line 1, `receive c[i], i`"]);
}

#[test]
fn the_number_of_messages_can_be_read() {
    let text = "channel c[2], d[2][1]; memory x = 0, y = 0;
                process 1: send c, 5; x := len(c); if empty(c) or full(c) then y := 1 fi;
                  send c, 6; await full(c); d[1]!1; if full(d[1]) and empty(d[0]) then x := x + 10 fi";
    check(text, &["x", "y"], &["x=11 y=0"]);
}

#[test]
fn formulas_read_the_number_of_messages() {
    let text = "channel c[2], d[2][1] of (k, v); memory i = 0;
                define quiet(k) = empty(k);
                process 1: repeat send c, 1 forever
                process 2: local x = 0; repeat receive c, x; d[0]!(x, x); d[0]?(x, x) forever";
    let program = program(text);
    let holds = |formula: &str| {
        let formula = program.formula(formula).expect("a formula");
        let mut alphabet = Alphabet::default();
        let numbered = alphabet.number(&formula).expect("few propositions");
        let system = program.system(alphabet.names(), SystemOptions::default()).expect("a system");
        let verdict = |reduction| {
            let options = selvedge_model::Options { reduction, ..Default::default() };
            selvedge_model::check(&system, &numbered, options).expect("an automaton").verdict
                == Verdict::Holds
        };
        assert_eq!(verdict(true), verdict(false));
        verdict(true)
    };
    assert!(holds("[] len(c) <= 2") && !holds("[] len(c) < 2"));
    assert!(holds("[] quiet(d[1])") && !holds("[] quiet(d[i])") && !holds("[] empty(c)"));
    assert!(holds("<> full(c) \\/ []<> empty(c) \\/ []<> len(c) = 1") && !holds("<> full(c)"));
}

#[test]
fn a_rendezvous_is_one_step_of_two_processes() {
    let text = "channel c[0]; memory x = 0; process a: send c, 7 process b: receive c, x
                property p: [] (exec(a) <-> exec(b)) expect holds";
    check(text, &["x", "last mover"], &["x=7 last mover=a and b"]);
    let system = system(text, false);
    let space = search(&system, 10);
    assert_eq!((space.states.len(), space.transitions), (2, 1));
    let mut steps = Steps::new(system.words());
    system.successors(&space.states[0], &mut steps);
    let action = steps.get(0).0;
    assert_eq!(system.describe(action), "send c, 7 -> receive c, x (line 1)");
    assert_eq!(system.mover_names(action).as_deref(), Some("a and b"));
    assert!((0..2).all(|process| system.is_enabled(&space.states[0], ProcessId(process))));
}

#[test]
fn a_process_waits_for_its_partner() {
    check("channel c[0]; process 1: send c, 1", &[], &[" 1 waits: send c, 1 (line 1)"].map(str::trim_start));
    let own = "channel c[0]; memory x = 0; process 1: choose send c, 1 | receive c, x end";
    assert_eq!(outcomes(own, &["x"]).len(), 1);
    let others = "channel c[0] of (k, v); memory x = 0;
                  process 1: c!(1, 5) process 2: c?(2, x) process 3: c?(1, x)";
    check(others, &["x"], &["x=5 2 waits: receive c, (2, x) (line 2)"]);
}

#[test]
fn each_pair_of_processes_can_meet() {
    let text = "channel c[0]; memory x = 0, y = 0;
                process 1: send c, 1 process 2: send c, 2 process 3: receive c, x process 4: receive c, y";
    check(text, &["x", "y"], &["x=1 y=2", "x=2 y=1"]);
}

#[test]
fn the_receiver_of_a_rendezvous_moves_for_fairness() {
    // The receiver can also go on alone; if it does not, it still moves again and again.
    let text = "channel c[0]; statement own;
                process 1: repeat send c, 1 forever
                process 2: local x = 0; repeat choose receive c, x | own end forever";
    let program = program(text);
    let formula = program.formula("[]<> x@2 = 0").expect("a formula");
    let mut alphabet = Alphabet::default();
    let numbered = alphabet.number(&formula).expect("few propositions");
    let system = program.system(alphabet.names(), SystemOptions::default()).expect("a system");
    for (fairness, workers) in [(Fairness::Weak, 1), (Fairness::Strong, 1), (Fairness::Weak, 2)] {
        let budget = Budget { workers, ..Budget::default() };
        let options = selvedge_model::Options { fairness, budget, ..Default::default() };
        let checked = selvedge_model::check(&system, &numbered, options).expect("an automaton");
        assert!(matches!(checked.verdict, Verdict::Violated(_)), "{fairness:?}");
    }
}

#[test]
fn mistakes_with_channels_are_told() {
    let codes = |text: &str| -> Vec<&str> {
        parse(&Source::new("t.par", text)).1.iter().map(|diagnostic| diagnostic.code).collect()
    };
    let rows = [
        ("channel c[1] of (k, v); process 1: send c, 1", "par::wrong-fields"),
        ("channel c[1]; process 1: local x = 0; c?(x, x)", "par::wrong-fields"),
        ("channel c[2][1]; process 1: send c, 1", "par::channel-index"),
        ("channel c[1]; process 1: c[0]!1", "par::channel-index"),
        ("channel c[0]; process 1: atomic send c, 1 end", "par::rendezvous-in-atomic"),
        ("channel c[1]; memory x = 0; process 1: receive c, x + 1", "par::expected-variable"),
        ("channel c[1]; process 1: await empty(d)", "par::unknown-channel"),
        ("channel c[1]; process 1: await len(1) = 0", "par::unknown-channel"),
        ("channel c[1]; process 1: skip property p: [] full(d)", "par::unknown-channel"),
        ("channel c[1] of (k, k); process 1: skip", "par::declared-twice"),
        ("channel c[-1]; process 1: skip", "par::bad-length"),
        ("channel c[65536][65536]; process 1: skip", "par::too-large"),
        ("channel c[1]; process 1: await len(c)", "par::expected-test"),
        ("channel c[1]; memory x = 0; process 1: x := empty(c)", "par::expected-number"),
        ("channel c[1]; process 1: send c, (1, 2", "par::unexpected"),
    ];
    for (text, code) in rows {
        assert!(codes(text).contains(&code), "{text}: {:?}", codes(text));
    }
}
