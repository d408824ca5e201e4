//! Saved runs: the file has all that the message of the failing test shows, and how the run was made; a
//! violated formula is marked at the step where its verdict fell.
#![cfg(feature = "check")]

use selvedge::cell::UnsafeCell;
use selvedge::private::{TestOptions, run_test};
use selvedge::runs::trace::VerdictPlace;
use selvedge::runs::{Kind, Recording, Trace};
use selvedge::sync::atomic::AtomicU32;
use selvedge::sync::atomic::Ordering::{Relaxed, SeqCst};
use selvedge::sync::{Arc, Mutex};
use selvedge::{Explorer, Outcome, Strategy, hint, prop, thread};
use selvedge_testkit::Random;

/// The message of a failing test, and the file that it has saved.
fn fail(name: &str, options: TestOptions, body: fn()) -> (String, Recording) {
    let payload = std::panic::catch_unwind(|| run_test(name, options, body)).expect_err("it should fail");
    let text = payload.downcast_ref::<String>().cloned().expect("a text");
    let path = text.lines().find_map(|line| line.trim().strip_prefix("saved as ")).expect("a path");
    let saved = std::fs::read(path).expect("a file");
    let recording = Recording::from_bytes(&saved).unwrap_or_else(|error| panic!("{path}: {error}"));
    (text, recording)
}

/// The message has the endings, the schedule and the table of the file.
#[track_caller]
fn check_message(name: &str, options: TestOptions, body: fn()) -> (String, Recording) {
    let (text, file) = fail(name, options, body);
    let schedule = file.abridged_schedule().expect("a schedule");
    let shown = format!("\n{}  schedule  {schedule}\n\n{}\n", file.endings_text(), file.table());
    assert!(!file.endings.is_empty() && text.contains(&shown), "{shown}\n{text}");
    let overview = file.overview().to_string();
    assert!(overview.ends_with(&format!("\n  schedule  {schedule}\n\n{}", file.table())), "{overview}");
    (text, file)
}

fn options() -> TestOptions {
    TestOptions { seconds: Some(3600), ..TestOptions::default() }
}

fn deadlock() {
    let locks = Arc::new([Mutex::new(0), Mutex::new(0)]);
    let same = locks.clone();
    let thread = thread::spawn(move || drop((same[1].lock().unwrap(), same[0].lock().unwrap())));
    drop((locks[0].lock().unwrap(), locks[1].lock().unwrap()));
    thread.join().unwrap();
}

fn lose_an_update() {
    let counter = Arc::new(AtomicU32::new(0));
    let same = counter.clone();
    let increment = |counter: &AtomicU32| counter.store(counter.load(Relaxed) + 1, Relaxed);
    let thread = thread::Builder::new().name("two\nlines".to_owned()).spawn(move || {
        thread::spawn(|| ()).join().unwrap();
        increment(&same);
    });
    increment(&counter);
    thread.unwrap().join().unwrap();
    assert_eq!(counter.load(SeqCst), 2, "an update\nis lost");
}

struct Shared(UnsafeCell<i32>);

// SAFETY: the exploration ends a run before two threads access the cell at once.
#[allow(unsafe_code)]
unsafe impl Sync for Shared {}

impl Shared {
    fn increment(&self) {
        // SAFETY: no other access is under way: the exploration ends a run that has a data race.
        #[allow(unsafe_code)]
        self.0.with_mut(|value| unsafe { *value += 1 });
    }
}

fn race() {
    let cell = Arc::new(Shared(UnsafeCell::new(0)));
    let same = cell.clone();
    let thread = thread::spawn(move || same.increment());
    cell.increment();
    thread.join().unwrap();
}

fn spin_for_ever() {
    let flag = AtomicU32::new(0);
    while flag.load(SeqCst) == 0 {
        hint::spin_loop();
    }
}

fn repeat_for_ever() {
    let flag = AtomicU32::new(0);
    while flag.load(SeqCst) == 0 {}
}

fn meet() {
    selvedge::check("exclusive", "forall t1 != t2: G !(critical(t1) & critical(t2))");
    let enter = |number: u32| {
        prop::set(("critical", number));
        prop::release(("critical", number));
    };
    let other = thread::spawn(move || enter(1));
    enter(2);
    other.join().unwrap();
}

#[test]
fn the_table_of_a_message_is_that_of_its_file() {
    let memory = |memory| TestOptions { memory: Some(memory), ..options() };
    check_message("files::deadlock", options(), deadlock);
    for model in ["sc", "tso", "pso"] {
        let (text, file) = check_message("files::lost_update", memory(model), lose_an_update);
        assert_eq!(file.get("memory"), Some(model));
        assert_eq!(file.steps.iter().any(|step| step.action.is_buffered), model != "sc", "{text}");
        assert!(text.contains("  two lines  ") && text.contains("store"), "{text}");
    }
    let (text, file) = check_message("files::race", options(), race);
    assert_eq!(file.accesses.len(), 2, "{text}");
    check_message("files::livelock", options(), spin_for_ever);
    check_message("files::step_limit", TestOptions { steps: Some(42), ..options() }, repeat_for_ever);
}

#[test]
fn a_file_says_how_its_run_was_made() {
    let (text, file) = check_message("files::systematic", options(), lose_an_update);
    let number: u64 = file.get("run").and_then(|number| number.parse().ok()).expect("a number");
    assert!(text.contains(&format!("found after {number} runs by systematic")), "{text}");
    assert_eq!((file.get("strategy"), file.get("seed")), (Some("systematic"), None));
    assert_eq!((file.get("memory"), file.get("spurious")), (Some("tso"), None));
    assert_eq!(file.get("test"), Some("files::systematic"));
    assert_eq!(file.get("outcome").map(|outcome| outcome.starts_with("panicked: ")), Some(true));
}

/// The seed and the number give the run.
#[test]
fn the_run_of_a_random_strategy_has_its_number() {
    let mut later = 0;
    for seed in 0..60 {
        let (strategy, runs) = (Some("random"), Some(500));
        let options = TestOptions { strategy, runs, seed: Some(seed), ..options() };
        let (_, file) = check_message("files::random", options, deadlock);
        let number: u64 = file.get("run").and_then(|number| number.parse().ok()).expect("a number");
        assert_eq!(file.get("seed"), Some(&*seed.to_string()));
        assert_eq!(file.get("strategy"), Some(&*format!("random({seed}, 500)")));
        let deadlocks = |runs| {
            let report = Explorer::new().strategy(Strategy::random(seed, runs)).explore(deadlock);
            report.outcomes().contains_key(&Outcome::Deadlock)
        };
        let is_first = number == 1 || !deadlocks(number - 1);
        assert!(deadlocks(number) && is_first, "seed {seed}, run {number}");
        later += u64::from(number > 1);
    }
    assert!(later > 2, "{later} of the seeds need several runs");
}

#[test]
fn a_violated_formula_is_marked_at_its_step() {
    let (text, file) = check_message("files::violated", options(), meet);
    let formula = &file.formulas[0];
    assert_eq!(formula.text, "forall t1 != t2: G !(critical(t1) & critical(t2))");
    let Some(VerdictPlace::At(step)) = formula.violated else { panic!("{formula:?}") };
    let step = &file.steps[step as usize];
    assert_eq!(step.action.kind, Kind::SetProp);
    let row = text.lines().position(|line| line.trim() == "^ violates `exclusive`").expect("a mark");
    let above = text.lines().nth(row - 1).expect("a row");
    assert!(above.contains("set") && above.contains(&step.value) && step.value.starts_with("critical("));
    assert!(formula.binding.as_deref().is_some_and(|binding| binding.starts_with("t1 = ")), "{formula:?}");
}

/// The steps of the only run of a body, and where its formula is violated.
fn judged(body: fn()) -> (Vec<Kind>, Option<VerdictPlace>) {
    let report = Explorer::new().explore(body);
    let (_, trace) = report.outcomes().first_key_value().expect("an outcome");
    let kinds = trace.steps().iter().map(|step| step.event.action.kind).collect();
    (kinds, trace.formulas[0].violated)
}

#[test]
fn a_verdict_falls_at_a_step_or_at_the_end() {
    let at = |step| Some(VerdictPlace::At(step));
    let (kinds, violated) = judged(|| {
        selvedge::check("never", "G !(a & b)");
        prop::set("a");
        prop::set("a");
        prop::set("b");
        prop::release("a");
    });
    assert_eq!((kinds[3], violated), (Kind::SetProp, at(3)));
    let at_once = || {
        prop::set("a");
        prop::set("b");
        selvedge::check("never", "G !a");
    };
    assert_eq!(judged(at_once).1, at(2), "the state that a formula begins with violates it");
    let pulse = || {
        selvedge::check("stays", "G (a -> G a)");
        prop::pulse("b");
        prop::pulse("a");
    };
    assert_eq!(judged(pulse).1, at(2), "a pulse ends with its step");
    assert_eq!(judged(|| selvedge::check("answered", "F a")).1, Some(VerdictPlace::End));
    assert_eq!(judged(|| selvedge::check("never", "G !a")).1, None);
}

/// The first step of a recording after which both propositions hold, by the changes of the file alone.
fn first_meeting(file: &Recording) -> Option<VerdictPlace> {
    let mut holds = [false; 2];
    for (number, step) in file.steps.iter().enumerate() {
        let Some(which) = ["a", "b"].iter().position(|name| *name == step.value) else { continue };
        match step.action.kind {
            Kind::SetProp => holds[which] = true,
            Kind::ReleaseProp => holds[which] = false,
            Kind::PulseProp if holds[1 - which] => return Some(VerdictPlace::At(number as u64)),
            Kind::PulseProp => holds[which] = false,
            _ => {}
        }
        if holds == [true; 2] {
            return Some(VerdictPlace::At(number as u64));
        }
    }
    None
}

#[test]
fn the_verdict_falls_where_the_changes_of_the_file_meet() {
    let mut random = Random(3);
    let (mut violated, mut held) = (0, 0);
    for _ in 0..150 {
        let plan: [[(usize, usize); 3]; 2] =
            std::array::from_fn(|_| std::array::from_fn(|_| (random.below(3), random.below(3))));
        let report = Explorer::new().explore(|| {
            selvedge::check("never", "G !(a & b)");
            let run = |thread: usize| {
                for (change, which) in plan[thread] {
                    let name = ["a", "b", "c"][which];
                    [prop::set, prop::release, prop::pulse][change](name);
                }
            };
            thread::scope(|scope| {
                scope.spawn(|| run(1));
                run(0);
            });
        });
        for (outcome, trace) in report.outcomes() {
            let text = Trace::recording(trace, &[]).to_string();
            let file = Recording::parse(&text).expect("it was written");
            let place = first_meeting(&file);
            assert_eq!(file.formulas[0].violated, place, "{plan:?}\n{}", file.table());
            assert_eq!(outcome.is_returned(), place.is_none());
            *(if place.is_some() { &mut violated } else { &mut held }) += 1;
        }
    }
    assert!(violated > 50 && held > 100, "{violated} violated, {held} held");
}
