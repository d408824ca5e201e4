//! Looking back along a run, verdicts on it, and what else a session tells.

use crate::common::{Session, target, text_target};
use selvedge_debug::explicit::Explicit;
use selvedge_debug::protocol::{Command, Message};
use selvedge_debug::snapshot::{Answer, Mode, SearchOptions, SearchOrder, StripVerdict};
use selvedge_debug::view::{EndKind, ProcessStatus};

fn philosophers(count: i64) -> Session {
    Session::new(target("philosophers.par", &[("N".to_owned(), count)]))
}

#[test]
fn the_point_of_no_return_is_the_first_position_that_a_check_from_each_position_finds() {
    // The deadlock of three philosophers is certain once the last of them has its first fork.
    let mut session = philosophers(3);
    assert_eq!(session.length("F deadlock", SearchOptions::default()), Some(6));
    assert_eq!(session.now.state.end.as_ref().map(|end| end.kind), Some(EndKind::Deadlock));
    let answer = session.tell(&Command::NoReturn { formula: "F deadlock".to_owned() });
    assert!(matches!(answer, Some(Answer::Position { position: 6, .. })), "{answer:?}");
    // What the run has met is certain from there on, whatever comes later.
    let mut session = philosophers(3);
    session.length("F (eating = 1)", SearchOptions::default()).expect("a step");
    let eating = session.now.length;
    session.length("X (eating = 0)", SearchOptions { mode: Mode::Minimal, ..SearchOptions::default() });
    let answer = session.tell(&Command::NoReturn { formula: "F (eating = 1)".to_owned() });
    let Some(Answer::Position { position, .. }) = answer else { panic!("{answer:?}") };
    assert!(position <= eating, "{position}");
    assert_eq!(session.now.position, position);
    let answer = session.tell(&Command::NoReturn { formula: "F ended".to_owned() });
    assert!(matches!(answer, Some(Answer::Said { .. })), "{answer:?}");
}

#[test]
fn the_last_state_and_the_last_change_are_found() {
    let mut session = Session::new(target("dekker.flow", &[]));
    session.length("F P0 at m10", SearchOptions::default()).expect("a step");
    let end = session.now.length;
    let turn =
        session.timeline().events.iter().rposition(|event| event.changes.iter().any(|it| it.0 == "turn"));
    let answer = session.tell(&Command::LastChange { path: "turn".to_owned() });
    let Some(Answer::Position { position, text }) = answer else { panic!("{answer:?}") };
    assert_eq!((Some(position), session.now.position), (turn.map(|place| place + 1), position));
    assert!(text.starts_with("P0 changed turn from 0 to 1"), "{text}");
    session.tell(&Command::Look { position: end });
    let answer = session.tell(&Command::LastState { formula: "P0 at m2".to_owned() });
    assert!(matches!(answer, Some(Answer::Position { .. })), "{answer:?}");
    // Operators of the past and of the future see the run up to where one was.
    session.tell(&Command::Look { position: end });
    let answer = session.tell(&Command::LastState { formula: "H (turn = 0) & X (turn = 1)".to_owned() });
    assert!(matches!(answer, Some(Answer::Position { position, .. }) if position + 1 == end), "{answer:?}");
    let refused = session.engine.handle(&Command::LastChange { path: "nothing".to_owned() }, &mut ());
    assert!(matches!(refused, Message::Error { .. }), "{refused:?}");
}

#[test]
fn verdicts_along_the_run_say_where_a_formula_is_violated() {
    let mut graph = Explicit::new(1);
    let nodes = ["p", "p", "", "q"].map(|holding| graph.node(holding));
    nodes.windows(2).for_each(|pair| graph.arc(pair[0], 0, pair[1]));
    let mut session = Session::new(graph);
    assert_eq!(session.length("F q", SearchOptions::default()), Some(3));
    session.tell(&Command::Judge { formulas: vec!["G p".to_owned(), "F q".to_owned(), "p U q".to_owned()] });
    let heads: Vec<_> = session.now.strips.iter().map(|strip| (strip.first_violation, strip.holds)).collect();
    assert_eq!(heads, [(Some(2), false), (None, true), (Some(2), false)]);
    let strips = session.timeline().strips;
    use StripVerdict::{False, Holds, Open, True};
    assert_eq!(strips[0].verdicts, [Holds, Holds, False, False]);
    assert_eq!(strips[1].verdicts, [Open, Open, Open, True]);
    assert_eq!(strips[0].remainders[0], (0, "G p".to_owned()));
}

#[test]
fn a_waiting_process_names_what_it_waits_for_and_the_process_that_changed_it_last() {
    let text = "memory lock = 0;
        process a: await lock = 0; lock := 1; skip; lock := 0
        process b: await lock = 0; lock := 2; lock := 0";
    let mut session = Session::new(text_target("lock.par", text, &[]));
    session.length("F (lock = 1)", SearchOptions::default()).expect("a step");
    let rows = &session.now.state.processes;
    assert_eq!((rows[0].status, rows[1].status), (ProcessStatus::Ready, ProcessStatus::Waiting));
    assert!(rows[1].waits_for.as_ref().is_some_and(|text| text.contains("lock = 0")), "{rows:?}");
    assert_eq!(rows[1].holder, Some(0));
    let changed = session.now.state.values.iter().find(|value| value.name == "lock").expect("a value");
    assert_eq!((changed.value.as_str(), changed.old.as_deref()), ("1", Some("0")));
    assert_eq!(session.length("F (enabled(a) & !enabled(b) & lock = 1)", SearchOptions::default()), Some(0));
    session.length("F ended", SearchOptions::default()).expect("both end");
    assert_eq!(session.now.state.end.as_ref().map(|end| end.kind), Some(EndKind::Ended));
}

#[test]
fn a_memoryless_search_of_a_model_finds_the_same_steps() {
    let formulas = ["F (P0 at m2 & P1 at n1)", "X X X true", "G P0 at m0"];
    for formula in formulas {
        let mut lengths = Vec::new();
        for order in [SearchOrder::BreadthFirst, SearchOrder::Memoryless] {
            let mut session = Session::new(target("dekker.flow", &[]));
            let options = SearchOptions {
                order,
                limit: 5,
                paths: selvedge_debug::snapshot::Paths::All,
                ..Default::default()
            };
            let mut found = Vec::new();
            let mut answer = session.step(formula, options);
            while let Some(Answer::FoundStep { length, .. }) = answer {
                found.push((length, session.timeline().events));
                answer = session.tell(&Command::Backtrack);
            }
            found.sort_by_key(|(length, events)| (*length, format!("{events:?}")));
            lengths.push(found);
        }
        assert!(!lengths[0].is_empty(), "{formula}");
        assert_eq!(lengths[0], lengths[1], "{formula}");
    }
}

#[test]
fn a_formula_without_any_finite_word_is_said_to_have_none() {
    let mut session = Session::new(target("dekker.flow", &[]));
    let answer = session.step("G (turn = 0) & F !(turn = 0)", SearchOptions::default());
    assert!(matches!(answer, Some(Answer::None { is_unsatisfiable: true, .. })), "{answer:?}");
    let answer = session.step("F (turn = 7)", SearchOptions::default());
    assert!(matches!(answer, Some(Answer::None { is_unsatisfiable: false, .. })), "{answer:?}");
    let short = SearchOptions { limit: 2, ..SearchOptions::default() };
    let answer = session.step("F P0 at m8", short);
    assert!(matches!(answer, Some(Answer::Limit { .. })), "{answer:?}");
}

#[test]
fn removing_a_step_lets_the_search_of_the_step_below_go_on() {
    let mut session = Session::new(target("dekker.flow", &[]));
    let all = SearchOptions { paths: selvedge_debug::snapshot::Paths::All, ..SearchOptions::default() };
    session.length("F (P0 at m2 & P1 at n1)", all);
    session.tell(&Command::Backtrack);
    let second = session.timeline().events;
    session.length("F P1 at n2", SearchOptions::default());
    session.tell(&Command::Remove);
    assert_eq!(session.timeline().events, second);
    session.tell(&Command::Backtrack);
    assert_eq!(session.now.stack[0].alternative, 3);
    session.tell(&Command::Choose { alternative: 2 });
    assert_eq!(session.timeline().events, second);
}

#[test]
fn commands_that_cannot_be_carried_out_change_nothing() {
    let mut session = Session::new(target("dekker.flow", &[]));
    session.length("F P0 at m2", SearchOptions::default());
    let before = session.now.clone();
    let refused = [
        Command::Step { formula: "F (".to_owned(), options: SearchOptions::default() },
        Command::Move { number: 99 },
        Command::Clear { initial: Some(3) },
        Command::Choose { alternative: 9 },
        Command::Timeline { from: 100, to: 200 },
        Command::Export { format: "tiff".to_owned() },
        Command::Judge { formulas: vec!["nonsense at".to_owned()] },
    ];
    for command in refused {
        let message = session.engine.handle(&command, &mut ());
        assert!(matches!(message, Message::Error { .. }), "{command:?}: {message:?}");
    }
    session.tell(&Command::Look { position: before.position });
    assert_eq!((session.now.stack, session.now.state), (before.stack, before.state));
}
