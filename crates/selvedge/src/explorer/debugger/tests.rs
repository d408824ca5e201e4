//! The target against a naive one: every interleaving of small generated programs, as a tree.

use super::runs::{Debugged, with_runs};
use super::state::RunState;
use super::target::TestTarget;
use super::{views, with_target};
use crate::control::MemoryModel;
use crate::explorer::api::{Options, Outcome, Value};
use crate::explorer::engine::SteppedSettings;
use crate::sync::atomic::{AtomicU32, Ordering::SeqCst};
use crate::sync::{Arc, Mutex};
use crate::{prop, thread};
use selvedge_debug::snapshot::{Answer, Mode, SearchOptions, SearchOrder};
use selvedge_debug::target::{Move, StateId, Target};
use selvedge_debug::{Command, Engine, Message};
use selvedge_explore::{EventId, Random};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What the engine takes as the value of a body that returns nothing.
fn value_of(body: &dyn Fn()) -> Value {
    body();
    Value::new(())
}

fn is_failure(outcome: &Outcome<Value>) -> bool {
    !outcome.is_returned()
}

fn options(memory: MemoryModel) -> Options {
    let mut options = Options::default();
    options.settings.memory = memory;
    options
}

/// Does the work with a target over this body.
fn over<R>(memory: MemoryModel, body: impl Fn() + Send + Sync, work: impl FnOnce(&mut TestTarget) -> R) -> R {
    let body = || value_of(&body);
    with_target(None, options(memory), &body, &is_failure, |mut target| work(&mut target))
}

/// The number of steps to the nearest state where the proposition holds, and the state.
fn nearest(target: &mut TestTarget, proposition: &str) -> Option<(usize, StateId)> {
    let question = target.question(proposition).expect("a proposition").id;
    let mut queue: VecDeque<(usize, StateId)> =
        target.initial().expect("a state").into_iter().map(|state| (0, state)).collect();
    let mut seen: BTreeSet<StateId> = queue.iter().map(|(_, state)| *state).collect();
    while let Some((depth, state)) = queue.pop_front() {
        if target.label(question, state).expect("a label").may_true == 1 {
            return Some((depth, state));
        }
        let mut moves: Vec<Move> = Vec::new();
        target.moves(state, &mut moves).expect("moves");
        queue.extend(moves.iter().filter(|made| seen.insert(made.to)).map(|made| (depth + 1, made.to)));
    }
    None
}

/// An operation of a generated thread.
#[derive(Clone, Copy, Debug)]
enum Operation {
    Store(usize, u32),
    Add(usize),
    Load(usize),
    Critical,
    Set(u32),
    Release(u32),
    Pulse(u32),
}

/// Two threads with so many operations each.
fn program(random: &mut Random, length: usize) -> [Vec<Operation>; 2] {
    let mut below = |bound: usize| random.below(bound).unwrap_or_default();
    let mut operation = |_| {
        let (kind, which, value) = (below(7), below(2), below(3) as u32);
        match kind {
            0 => Operation::Store(which, value),
            1 => Operation::Add(which),
            2 => Operation::Load(which),
            3 => Operation::Critical,
            4 => Operation::Set(which as u32),
            5 => Operation::Release(which as u32),
            _ => Operation::Pulse(which as u32),
        }
    };
    [(0..length).map(&mut operation).collect(), (0..length).map(&mut operation).collect()]
}

/// What the threads share. Its objects are numbered in the order of first use.
struct Shared {
    atomics: [AtomicU32; 2],
    lock: Mutex<u32>,
}

fn run(operations: &[Operation], shared: &Shared) {
    for operation in operations {
        match *operation {
            Operation::Store(atomic, value) => shared.atomics[atomic].store(value, SeqCst),
            Operation::Add(atomic) => _ = shared.atomics[atomic].fetch_add(1, SeqCst),
            Operation::Load(atomic) => _ = shared.atomics[atomic].load(SeqCst),
            Operation::Critical => *shared.lock.lock().unwrap() += 1,
            Operation::Set(name) => prop::set(("p", name)),
            Operation::Release(name) => prop::release(("p", name)),
            Operation::Pulse(name) => prop::pulse(("p", name)),
        }
    }
}

fn body([first, second]: &[Vec<Operation>; 2]) {
    let atomics = [AtomicU32::new(0), AtomicU32::new(0)];
    let shared = Arc::new(Shared { atomics, lock: Mutex::new(0) });
    let (other, second) = (shared.clone(), second.clone());
    let spawned = thread::spawn(move || run(&second, &other));
    run(first, &shared);
    spawned.join().unwrap();
}

/// Everything that a reader or a formula sees of a state.
fn shown(state: &RunState) -> String {
    let threads: Vec<_> = state.snapshot.threads.iter().map(|thread| thread.id).collect();
    let enabled: Vec<EventId> = state.enabled.iter().map(|event| event.id).collect();
    format!("{:?} {enabled:?} {:?}", views::state(state, &threads), state.last_mover)
}

/// The states at the ends of all prefixes of all runs, as they are shown, each with the number of its
/// prefixes.
fn naive_states(memory: MemoryModel, program: &[Vec<Operation>; 2]) -> BTreeMap<String, usize> {
    let (options, body) = (options(memory), || value_of(&|| body(program)));
    let settings = SteppedSettings { keeps_time: true, ..SteppedSettings::default() };
    let debugged = Debugged { options: &options, body: &body, settings: &settings, is_failure: &is_failure };
    with_runs(debugged, |runs| {
        let (mut found, mut left) = (BTreeMap::new(), vec![Vec::new()]);
        while let Some(choices) = left.pop() {
            let state = runs.state(choices.clone()).expect("a state").state;
            *found.entry(shown(&state)).or_default() += 1;
            let next = |event: &selvedge_explore::Event| choices.iter().copied().chain([event.id]).collect();
            left.extend(state.enabled.iter().map(next));
        }
        found
    })
}

/// The states of the target, as they are shown; the number of its states, of their classes, and of the
/// classes without moves.
fn target_states(
    memory: MemoryModel,
    program: &[Vec<Operation>; 2],
) -> (BTreeSet<String>, usize, usize, usize) {
    over(
        memory,
        || body(program),
        |target| {
            let (mut shown_states, mut classes, mut ends) =
                (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
            let mut seen = BTreeSet::from([StateId(0)]);
            let mut left = target.initial().expect("a state");
            while let Some(state) = left.pop() {
                shown_states.insert(shown(target.state(state)));
                classes.insert(target.class(state));
                let mut moves = Vec::new();
                target.moves(state, &mut moves).expect("moves");
                if moves.is_empty() {
                    ends.insert(target.class(state));
                }
                left.extend(moves.iter().map(|made| made.to).filter(|to| seen.insert(*to)));
            }
            (shown_states, seen.len(), classes.len(), ends.len())
        },
    )
}

#[test]
fn the_target_has_the_states_of_all_interleavings() {
    let mut random = Random::of_run(20, 0);
    let (mut prefixes, mut states) = (0, 0);
    let long = std::env::var_os("SELVEDGE_LONG").is_some();
    for case in 0..if long { 400 } else { 40 } {
        let memory = if case % 2 == 0 { MemoryModel::Sc } else { MemoryModel::Tso };
        let program = program(&mut random, 1 + case % 3);
        let naive = naive_states(memory, &program);
        let (found, numbers, classes, _) = target_states(memory, &program);
        let expected: BTreeSet<String> = naive.keys().cloned().collect();
        assert_eq!(found, expected, "{program:?} {memory:?}");
        assert!(classes <= numbers && numbers <= naive.values().sum(), "{program:?} {memory:?}");
        prefixes += naive.values().sum::<usize>();
        states += numbers;
    }
    assert!(2 * states < prefixes, "{states} states of {prefixes} prefixes: interleavings meet");
}

/// Two threads enter a critical section that nothing protects.
fn unprotected() {
    let enter = |thread: u32| {
        prop::set(("in_critical", thread));
        prop::release(("in_critical", thread));
    };
    let other = thread::spawn(move || enter(2));
    enter(1);
    other.join().unwrap();
}

#[test]
fn a_state_is_found_by_what_the_program_says() {
    over(MemoryModel::Sc, unprotected, |target| {
        let question = target.question("F (in_critical(1) & in_critical(2))").expect("a formula");
        assert_eq!(question.propositions, ["in_critical(1)", "in_critical(2)"]);
        // A spawn and the two entries.
        let (depth, _) = nearest(target, "in_critical(2)").expect("a state");
        assert_eq!(depth, 2);
    });
}

#[test]
fn a_state_is_found_by_its_threads_locks_and_values() {
    let first_line = line!();
    let body = || {
        let shared = Arc::new((Mutex::new(0), AtomicU32::new(7)));
        let other = shared.clone();
        let worker = thread::Builder::new().name("worker".to_owned()).spawn(move || {
            let _guard = other.0.lock().unwrap();
            other.1.store(3, SeqCst);
        });
        drop(shared.0.lock().unwrap());
        worker.unwrap().join().unwrap();
    };
    over(MemoryModel::Sc, body, |target| {
        let mut check = |proposition: &str, expected: Option<usize>| {
            let found = nearest(target, proposition).map(|(depth, _)| depth);
            assert_eq!(found, expected, "{proposition}");
        };
        check("holds(worker, mutex#1)", Some(2));
        check("holds(0, mutex#1)", Some(2));
        check("waits(main)", Some(2));
        check("waits(1)", Some(2));
        check("atomic#2 = 3", Some(3));
        check("atomic#2 = 7", Some(2));
        check("atomic#2 > 7", None);
        check("ended(worker)", Some(4));
        check("exec(worker)", Some(2));
        check(&format!("at(worker, \"{}:{}\")", file!(), first_line + 6), Some(2));
        check("at(worker, \"tests.rs:1\")", None);
        check("deadlock", None);
        check("failed", None);
        check("ended", Some(7));
    });
}

#[test]
fn a_deadlock_is_an_end() {
    let body = || {
        let locks = Arc::new((Mutex::new(()), Mutex::new(())));
        let other = locks.clone();
        let spawned = thread::spawn(move || {
            let _second = other.1.lock().unwrap();
            let _first = other.0.lock().unwrap();
        });
        {
            let _first = locks.0.lock().unwrap();
            let _second = locks.1.lock().unwrap();
        }
        spawned.join().unwrap();
    };
    over(MemoryModel::Sc, body, |target| {
        let (depth, state) = nearest(target, "deadlock").expect("a deadlock");
        let view = target.view(state);
        assert_eq!((depth, view.end.expect("an end").text.as_str()), (3, "deadlock"));
        assert_eq!(view.processes[0].holder, Some(1), "{:?}", view.processes);
        assert_eq!(view.processes[1].holder, Some(0), "{:?}", view.processes);
    });
}

#[test]
fn the_ends_of_all_runs_are_those_of_an_exploration() {
    let mut random = Random::of_run(3, 0);
    for case in 0..40 {
        let memory = if case % 2 == 0 { MemoryModel::Sc } else { MemoryModel::Tso };
        let mut program = program(&mut random, 1 + case % 4);
        // Changes of propositions that no formula mentions are independent, but make states differ.
        let is_change =
            |it: &Operation| matches!(it, Operation::Set(_) | Operation::Release(_) | Operation::Pulse(_));
        program.iter_mut().for_each(|thread| thread.retain(|operation| !is_change(operation)));
        let report = crate::Explorer::new().memory(memory).explore(|| body(&program));
        let ends = target_states(memory, &program).3;
        assert_eq!((ends, report.is_complete()), (report.executions(), true), "{program:?} {memory:?}");
    }
}

/// A session over this body.
fn session<R>(body: impl Fn() + Send + Sync, work: impl FnOnce(&mut Engine) -> R) -> R {
    let body = || value_of(&body);
    with_target(None, options(MemoryModel::Sc), &body, &is_failure, |target| {
        work(&mut Engine::new(Box::new(target)).expect("a session"))
    })
}

/// What a temporal step by this formula answers.
fn step(engine: &mut Engine, formula: &str, options: SearchOptions) -> Answer {
    let command = Command::Step { formula: formula.to_owned(), options };
    match engine.handle(&command, &mut ()) {
        Message::Snapshot { snapshot } => snapshot.answer.expect("an answer"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_formula_leads_into_both_critical_sections() {
    session(unprotected, |engine| {
        let both = "F (in_critical(1) & in_critical(2))";
        for order in [SearchOrder::BreadthFirst, SearchOrder::DepthFirst, SearchOrder::Memoryless] {
            let options = SearchOptions { order, ..SearchOptions::default() };
            let answer = step(engine, both, options);
            assert!(matches!(answer, Answer::FoundStep { length: 3, .. }), "{order:?} {answer:?}");
            engine.handle(&Command::Clear { initial: None }, &mut ());
        }
        let answer = step(engine, "F (in_critical(1) & in_critical(2) & deadlock)", SearchOptions::default());
        assert!(matches!(answer, Answer::None { is_unsatisfiable: false, .. }), "{answer:?}");
    });
}

#[test]
fn every_end_of_a_test_is_a_run_of_its_own() {
    let body = || {
        let counter = Arc::new(AtomicU32::new(0));
        let other = counter.clone();
        let spawned = thread::spawn(move || other.store(1, SeqCst));
        counter.store(2, SeqCst);
        spawned.join().unwrap();
    };
    session(body, |engine| {
        let options = SearchOptions { mode: Mode::EveryEnd, same_end: false, ..SearchOptions::default() };
        step(engine, "F ended", options);
        let Message::Alternatives { alternatives } =
            engine.handle(&Command::Alternatives { first: 1, count: 10 }, &mut ())
        else {
            panic!("no alternatives")
        };
        assert_eq!((alternatives.items.len(), alternatives.is_exhausted), (2, true), "{alternatives:?}");
    });
}

#[test]
fn a_run_is_exported_with_its_recording() {
    session(unprotected, |engine| {
        step(engine, "F (in_critical(1) & in_critical(2))", SearchOptions::default());
        let exported = engine.handle(&Command::Export { format: "rust".to_owned() }, &mut ());
        let Message::Exported { name, text, .. } = exported else { panic!("{exported:?}") };
        assert!(name.ends_with("_replayed.rs"), "{name}");
        assert!(text.contains("#[test]") && text.contains("selvedge::replay(recording, "), "{text}");
        let begin = text.find("selvedge-trace").expect("a recording");
        let recording = &text[begin..text.find("\"#;").expect("its end")];
        let explored = crate::replay(recording, || crate::explore(unprotected));
        assert_eq!((explored.executions(), explored.notes()), (1, &[][..]));
    });
}
