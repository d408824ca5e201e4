//! flow: the labels and flow graphs of Gunter and Peled's Figures 3 and 4, and the session of their section
//! 6.

use crate::common::model;
use expect_test::{Expect, expect};
use selvedge_lang::flow::parse;
use selvedge_lang::machine::Machine;
use selvedge_lang::parallel::MAX_NESTING;
use selvedge_lang::{Atom, GraphProgram, Program, SystemOptions};
use selvedge_ltl::Alphabet;
use selvedge_ltl::diagnostic::Severity;
use selvedge_ltl::finite::{DEFAULT_LIMIT, Dfa, StateId};
use selvedge_ltl::nnf::FormulaArena;
use selvedge_ltl::source::Source;
use selvedge_model::{Options as Search, States, Steps, System, Verdict, Word};
use std::collections::{BTreeSet, HashSet, VecDeque};

const DEKKERS: [&str; 2] = ["dekker.flow", "dekker-as-printed.flow"];

#[track_caller]
fn program(text: &str) -> GraphProgram {
    let source = Source::new("test.flow", text);
    let (program, diagnostics) = parse(&source);
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    let rendered: Vec<String> = errors.map(|diagnostic| diagnostic.render(&source, false)).collect();
    assert!(rendered.is_empty(), "{}", rendered.join("\n"));
    program.expect("no errors, so a program")
}

/// The boxes and diamonds of a process's drawing, and its lines.
fn drawn(program: &GraphProgram, process: usize) -> String {
    let graph = program.flow_graphs()[process].to_graph();
    let label = |node: u32| graph.node_attributes(selvedge_draw::NodeId(node)).label.clone();
    let name = |node: u32| label(node).split(':').next().map(str::to_owned).unwrap_or_default();
    let mut lines: Vec<String> = (0..graph.node_count() as u32).map(label).collect();
    for edge in (0..graph.edge_count() as u32).map(selvedge_draw::EdgeId) {
        let (from, to) = graph.ends(edge);
        let text = &graph.edge_attributes(edge).label;
        let line = if text.is_empty() { "-".to_owned() } else { format!("-{text}-") };
        lines.push(format!("{} {line}> {}", name(from.0), name(to.0)));
    }
    lines.sort_by_key(|line| (line.contains('>'), name_order(line)));
    lines.join("\n") + "\n"
}

/// `m2` before `m10`.
fn name_order(line: &str) -> (usize, String) {
    let digits: String = line.chars().skip(1).take_while(char::is_ascii_digit).collect();
    (digits.parse().unwrap_or(usize::MAX), line.to_owned())
}

#[test]
fn the_nodes_and_edges_of_p0_are_those_of_figure_4() {
    expect![[r#"
        m1: c0 := 1
        m2: c0 := 0
        m3: c0 := 1
        m4: wait turn = 0
        m5: c0 := 0
        m6: if turn = 1
        m7: while c1 = 0
        m8: critical := 0
        m9: c0 := 1
        m10: turn := 1
        m11: while true
        end
        m1 -> m11
        m2 -> m7
        m3 -> m4
        m4 -> m5
        m5 -> m7
        m6 -no-> m7
        m6 -yes-> m3
        m7 -no-> m8
        m7 -yes-> m6
        m8 -> m9
        m9 -> m10
        m10 -> m11
        m11 -no-> end
        m11 -yes-> m2
    "#]]
    .assert_eq(&drawn(&program(&model("dekker.flow")), 0));
}

/// The text with 0 and 1 exchanged: `c0 := 1` of P0 is `c1 := 1` of P1, and `turn = 0` is `turn = 1`.
fn first_digit_swapped(text: &str) -> String {
    match text.find(['0', '1']) {
        Some(at) if text[at..].starts_with('0') => text.replacen('0', "1", 1),
        Some(_) => text.replacen('1', "0", 1),
        None => text.to_owned(),
    }
}

#[test]
fn p1_is_the_mirror_image_and_the_figure_as_printed_differs_in_the_waits_alone() {
    let right = program(&model("dekker.flow"));
    let printed = program(&model("dekker-as-printed.flow"));
    let mirror = |line: &str| match line.split_once(": ") {
        Some((label, text)) => {
            format!("{}: {}\n", label.replace('m', "n"), first_digit_swapped(text))
        }
        None => line.replace('m', "n") + "\n",
    };
    assert_eq!(drawn(&right, 1), drawn(&right, 0).lines().map(mirror).collect::<String>());
    for process in [0, 1] {
        let (right, printed) = (drawn(&right, process), drawn(&printed, process));
        let differing: Vec<&str> =
            right.lines().zip(printed.lines()).filter(|(r, p)| r != p).map(|(_, p)| p).collect();
        assert_eq!(differing, [["m4: wait turn = 1"], ["n4: wait turn = 0"]][process]);
    }
}

#[test]
fn mutual_exclusion_holds_in_both() {
    for file in DEKKERS {
        let program = program(&model(file));
        let mut alphabet: Alphabet<Atom> = Alphabet::default();
        for property in program.properties() {
            let formula = alphabet.number(&property.formula).expect("few propositions");
            let system = program.system(alphabet.names(), SystemOptions::default()).expect("a system");
            let report = selvedge_model::check(&system, &formula, Search::default()).expect("a verdict");
            let holds = matches!(report.verdict, Verdict::Holds);
            let expected = property.expect == Some(selvedge_lang::Expect::Holds);
            assert_eq!(holds, expected, "{file}: {}", property.name);
        }
    }
}

/// A session of the temporal debugger: the program, its state, and steps to the ends of finite paths.
struct Session {
    program: GraphProgram,
    state: Vec<Word>,
}

impl Session {
    fn new(file: &str) -> Session {
        let program = program(&model(file));
        let system = program.system(&[], SystemOptions::default()).expect("a system");
        let mut initial = States::new(system.words());
        system.initial(&mut initial);
        let state = initial.iter().next().expect("an initial state").to_vec();
        Session { program, state }
    }

    fn system(&self, formula: &str) -> (Machine, Dfa) {
        let formula = self.program.formula(formula).expect("a formula");
        let mut alphabet: Alphabet<Atom> = Alphabet::default();
        let formula = alphabet.number(&formula).expect("few propositions");
        let mut store = FormulaArena::default();
        let formula = store.formula(&formula);
        let automaton = Dfa::from_formula(&store, formula, DEFAULT_LIMIT).expect("a small automaton");
        (self.program.system(alphabet.names(), SystemOptions::default()).expect("a system"), automaton)
    }

    /// The last states of the finite paths from here that satisfy the formula, of shorter paths first.
    fn ends(&self, formula: &str) -> Vec<Vec<Word>> {
        let (system, automaton) = self.system(formula);
        let step = |from: StateId, state: &[Word]| automaton.step(from, system.label(state)).next();
        let mut todo = VecDeque::new();
        todo.extend(step(automaton.initial(), &self.state).map(|at| (self.state.clone(), at)));
        let mut seen: HashSet<(Vec<Word>, StateId)> = todo.iter().cloned().collect();
        let mut ends = Vec::new();
        let mut steps = Steps::new(system.words());
        while let Some((state, at)) = todo.pop_front() {
            if automaton.is_accepting(at) && !ends.contains(&state) {
                ends.push(state.clone());
            }
            steps.clear();
            system.successors(&state, &mut steps);
            for (_, next) in steps.iter() {
                let Some(after) = step(at, next) else { continue };
                if seen.insert((next.to_vec(), after)) {
                    todo.push_back((next.to_vec(), after));
                }
            }
        }
        ends
    }

    /// Moves to the end of a shortest path that satisfies the formula.
    #[track_caller]
    fn go(&mut self, formula: &str) {
        self.state = self.ends(formula).into_iter().next().expect("a path");
    }

    /// Does the formula hold here, on the path of this state alone?
    fn holds(&self, formula: &str) -> bool {
        let (system, automaton) = self.system(formula);
        let next = automaton.step(automaton.initial(), system.label(&self.state)).next();
        next.is_some_and(|next| automaton.is_accepting(next))
    }
}

#[test]
fn p0_enters_while_p1_does_not_try() {
    for file in DEKKERS {
        let mut session = Session::new(file);
        assert!(session.holds("P0.at.m0 & P1 at n0 & turn = 0"));
        session.go("<> (P0.at.m2 /\\ P1.at.n1)");
        assert!(session.holds("c0 = 0 & c1 = 1"), "{file}");
        assert!(!session.ends("[] P1.at.n1 /\\ <> P0.at.m8").is_empty(), "{file}");
    }
}

#[test]
fn while_both_try_p0_waits_for_p1_to_give_way_and_enters_first() {
    for file in DEKKERS {
        let mut session = Session::new(file);
        session.go("<> (P0_at_m2 /\\ P1_at_n2)");
        assert!(session.holds("turn = 0"), "{file}");
        assert!(session.ends("([] P1_at_n2) /\\ (<> P0_at_m8)").is_empty(), "{file}");
        let mut here = Session::new(file);
        let met: BTreeSet<usize> = session
            .ends("[] P1_at_n2")
            .into_iter()
            .flat_map(|state| {
                here.state = state;
                (0..=11).filter(|node| here.holds(&format!("P0 at m{node}"))).collect::<Vec<_>>()
            })
            .collect();
        assert_eq!(met, BTreeSet::from([2, 6, 7]), "{file}");
        assert!(!session.ends("<> P0_at_m8").is_empty(), "{file}");
        assert!(session.ends("!P1_at_n3 U P0_at_m8").is_empty(), "{file}: P1 has to set c1 = 1");
        assert!(session.ends("!P0_at_m8 U P1_at_n8").is_empty(), "{file}");
        assert!(!session.ends("!P1_at_n8 U P0_at_m8").is_empty(), "{file}");
    }
}

#[test]
fn a_test_comes_after_both_branches_and_own_labels_replace_numbers() {
    let program = program(
        "process A: begin if x = 1 then begin end else y := 2; try: while y < 3 do y := y + 1; wait x = 1 end.",
    );
    expect![[r#"
        m1: y := 2
        m2: if x = 1
        m3: y := y + 1
        m5: wait x = 1
        end
        try: while y < 3
        m1 -> try
        m2 -no-> m1
        m2 -yes-> try
        m3 -> try
        m5 -> end
        try -no-> m5
        try -yes-> m3
    "#]]
    .assert_eq(&drawn(&program, 0));
}

#[test]
fn a_process_that_has_ended_stays_at_its_last_node() {
    let program = program("var x = 1; process A: if x = 1 then x := 2. property p: <> [] A.at.m1");
    let mut alphabet: Alphabet<Atom> = Alphabet::default();
    let formula = alphabet.number(&program.properties()[0].formula).expect("one proposition");
    let system = program.system(alphabet.names(), SystemOptions::default()).expect("a system");
    let report = selvedge_model::check(&system, &formula, Search::default()).expect("a verdict");
    assert!(matches!(report.verdict, Verdict::Holds));
    assert!(selvedge_model::find_deadlocks(&system, Default::default()).deadlocks.is_empty());
}

#[test]
fn a_process_can_have_the_name_of_an_operator_and_definitions_take_nodes() {
    let program =
        program("process R: x := 1. define was(p, l) = p at l; property p: <> R.at.m1 /\\ was(R, m0)");
    assert_eq!(program.properties()[0].formula.to_string(), "F R.at.m1 & R.at.m0");
}

#[track_caller]
fn check_diagnostics(text: &str, expect: &Expect) {
    let (program, diagnostics) = parse(&Source::new("test.flow", text));
    let errors = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    assert_eq!(program.is_none(), errors);
    assert!(diagnostics.iter().all(|diagnostic| !diagnostic.code.starts_with("par::")));
    let line = |diagnostic: &selvedge_ltl::diagnostic::Diagnostic| {
        let place = &text[diagnostic.primary.0.range()];
        let help: Vec<String> = diagnostic.help.iter().map(|help| format!(" = {help}")).collect();
        format!("{diagnostic} @ {place:?}{}\n", help.concat())
    };
    expect.assert_eq(&diagnostics.iter().map(line).collect::<String>());
}

#[test]
fn the_parser_recovers_from_errors_and_reports_their_places() {
    check_diagnostics(
        "var turn = 0\nProcess P: begin x = 1; whlie; begin end y := 2 else; wait end.\nProcess Q: begin lab: begin end; q := (1; r := 1 end\nproces R: begin end.",
        &expect![[r#"
            error[flow::expected-assignment]: `=` compares and does not assign @ "=" = write `x := ..`
            error[flow::expected-statement]: `whlie` alone is no statement @ "whlie" = did you mean `while`?
            error[flow::expected-semicolon]: expected `;` before `y` @ "y" = statements are separated by `;`
            error[flow::expected-semicolon]: expected `;` before `else` @ "else" = `else` belongs to an `if` that is not yet ended by `;` or `end`
            error[flow::unexpected]: expected an expression, found `end` @ "end"
            error[flow::label-of-block]: `begin` is no node that could have a label @ "lab" = label a statement inside
            error[flow::unexpected]: expected `)`, found `;` @ ";"
            error[flow::unexpected]: expected `.`, found `proces` @ "proces" = a process is one statement and a full stop: `begin .. end.`
        "#]],
    );
}

#[test]
fn unknown_names_are_refused_with_help() {
    check_diagnostics(
        "Process P: begin c := a end.\nproperty one: P at n1\nproperty two: P.at.m2 /\\ Q_at_m1\nproperty three: <> Q.at.m1 /\\ at(P)\nproperty four: c",
        &expect![[r#"
            error[flow::unknown-node]: `n1` is not a node of process `P` @ "n1" = its nodes are `m0`, `m1`
            error[flow::unknown-node]: `m2` is not a node of process `P` @ "m2" = its nodes are `m0`, `m1`
            error[flow::unknown-proposition]: `Q_at_m1` is not a proposition of this program @ "Q_at_m1" = `P0 at m1`, `exec(1)`, comparisons, and what `define` names are
            error[flow::unknown-process]: there is no process `Q` @ "Q" = the processes are `P`
            error[flow::wrong-arguments]: wrong arguments for `at` @ "at" = it is used as `P0 at m1`: a process and a statement
            error[flow::unknown-proposition]: `c` is not a proposition of this program @ "c" = compare the variable with something: `c = 1`
            warning[flow::undeclared-variable]: `a` is not declared @ "a" = declare it: `var a = 0;`
        "#]],
    );
    check_diagnostics(
        "Process P: begin m2: x := 1; x := 2 end.",
        &expect![[r#"
        error[flow::declared-twice]: `m2` is declared twice @ "x := 2"
    "#]],
    );
    check_diagnostics(
        "",
        &expect![[r#"
        error[flow::no-process]: the file has no process @ "" = write `Process P0: begin x := 1 end.`, say
    "#]],
    );
    check_diagnostics(
        "var a[0];",
        &expect![[r#"
            error[flow::bad-length]: an array's length is from 1 to 65536, not 0 @ "0"
        "#]],
    );
}

#[test]
fn deep_nesting_is_an_error() {
    for (open, close) in [
        ("begin ", " end"),
        ("while x = 0 do ", ""),
        ("if x = 1 then ", ""),
        ("if x = 1 then x := 1 else ", ""),
        ("a: ", ""),
    ] {
        for depth in [MAX_NESTING + 2, 100_000] {
            let text = format!("Process P: {}x := 1{}.", open.repeat(depth), close.repeat(depth));
            let (program, diagnostics) = parse(&Source::new("deep.flow", text));
            assert!(program.is_none());
            assert_eq!(
                diagnostics.last().map(|diagnostic| diagnostic.code),
                Some("flow::too-deep"),
                "{open}"
            );
        }
        let text =
            format!("Process P: {}x := 1{}.", open.repeat(MAX_NESTING / 2), close.repeat(MAX_NESTING / 2));
        assert!(open == "a: " || parse(&Source::new("deep.flow", text)).0.is_some(), "{open}");
    }
}

#[test]
fn every_prefix_of_a_model_is_read_without_panic() {
    for file in DEKKERS {
        let text = model(file);
        let middles = (0..text.len()).filter(|at| text.is_char_boundary(*at));
        for at in middles {
            let (program, diagnostics) = parse(&Source::new("cut.flow", &text[..at]));
            assert!(program.is_some() || !diagnostics.is_empty());
        }
    }
}
