//! Recorded runs as targets.

use crate::common::Session;
use selvedge_debug::protocol::{Command, Message};
use selvedge_debug::recording::RecordingTarget;
use selvedge_debug::snapshot::SearchOptions;
use selvedge_explore::Recording;

fn session(file: &str) -> Session {
    let path = format!("{}/../../docs/{file}", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    Session::new(RecordingTarget::new(file.to_owned(), Recording::from_bytes(&bytes).expect("a recording")))
}

#[test]
fn a_formula_finds_a_later_position_of_the_recording() {
    let mut session = session("lost-update.trace");
    assert_eq!((session.now.position, session.now.length), (0, 7));
    assert_eq!(session.length("F (atomic#1 = 1)", SearchOptions::default()), Some(4));
    assert_eq!((session.now.position, session.now.length, session.now.stack.len()), (4, 7, 1));
    assert_eq!(session.length("X exec(main)", SearchOptions::default()), Some(1));
    assert_eq!(session.now.position, 5);
    assert_eq!(session.length("X \"exec(thread 1)\"", SearchOptions::default()), None);
    assert_eq!(session.timeline().arrows, [], "the last load reads the store of its own thread");
}

#[test]
fn other_runs_need_the_program_and_the_command_is_named() {
    let mut session = session("lost-update.trace");
    for command in [Command::Backtrack, Command::Remove, Command::Move { number: 0 }] {
        let Message::Error { text } = session.engine.handle(&command, &mut ()) else { panic!("{command:?}") };
        assert!(
            text.contains("SELVEDGE_DEBUG=lost-update.trace cargo test increments_are_not_lost"),
            "{text}"
        );
    }
}

#[test]
fn the_verdict_on_a_monitored_path_is_that_of_its_monitor() {
    let mut session = session("exclusive.trace");
    let formula = "G !(critical(1) & critical(2))".to_owned();
    session.tell(&Command::Judge { formulas: vec![formula] });
    assert_eq!(session.now.strips[0].first_violation, Some(2));
    let unknown = Command::Step { formula: "F other".to_owned(), options: SearchOptions::default() };
    let Message::Error { text } = session.engine.handle(&unknown, &mut ()) else { panic!("refused") };
    assert!(text.contains("occurs nowhere in this recording"), "{text}");
}
