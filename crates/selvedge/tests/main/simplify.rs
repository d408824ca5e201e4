//! Runs of every strategy are simplified: the same steps in an order that keeps dependent steps in order,
//! with the same outcome.

#![cfg(feature = "check")]

use crate::soundness::program;

use program::{Program, SMALL};
use selvedge::sync::atomic::{AtomicU32, Ordering::SeqCst};
use selvedge::sync::{Arc, MVar, Mutex};
use selvedge::{Bounds, Explorer, MemoryModel, Outcome, Report, Strategy, thread};
use selvedge_explore::schedulers::Follow;
use selvedge_explore::{Event, EventId, Kind, Random, ReadsFrom, Trace, dependent, simplify};
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::time::Duration;

/// Every program runs under each of these memory models.
const MODELS: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];

type Values = Vec<Vec<u32>>;

/// One of the random strategies. Their runs have many context switches.
fn strategy(number: usize, seed: u64) -> Strategy {
    match number % 4 {
        0 => Strategy::random(seed, 5),
        1 => Strategy::swarm(seed, 5),
        2 => Strategy::pos(seed, 5),
        _ => Strategy::pct(3, seed, 5),
    }
}

/// Counts of the judged traces and their simplifications.
#[derive(Debug, Default)]
struct Tally {
    traces: usize,
    suggested: usize,
    /// Simplified runs with another outcome.
    wrong: Vec<String>,
    simpler: usize,
    preemptions: usize,
    preemptions_left: usize,
}

fn weight(trace: &Trace) -> ((usize, usize), usize) {
    (trace.weight(), trace.switches())
}

fn judge(
    program: &Program,
    memory: MemoryModel,
    outcome: &Outcome<Values>,
    trace: &Trace,
    tally: &mut Tally,
) {
    tally.traces += 1;
    tally.preemptions += trace.preemptions();
    let ends_by_last = !matches!(outcome, Outcome::Deadlock | Outcome::StepLimit);
    let Some(order) = simplify(trace, ends_by_last) else {
        tally.preemptions_left += trace.preemptions();
        return;
    };
    tally.suggested += 1;
    let all: BTreeSet<usize> = order.iter().copied().collect();
    assert_eq!((order.len(), all.len()), (trace.len(), trace.len()), "each step once: {order:?}");
    let events: Vec<Event> = order.iter().map(|step| trace.steps()[*step].event).collect();
    for (at, later) in events.iter().enumerate() {
        for before in (0..at).filter(|before| order[*before] > order[at]) {
            let moved = &events[before];
            // A load of its own thread's store reads from the store buffer if it comes before the commit.
            let reads_own = moved.action.kind == Kind::Load
                && moved.action.reads_from != ReadsFrom::Memory
                && later.action.object == moved.action.object;
            assert!(reads_own || !dependent(moved, later), "{moved:?} {later:?}");
        }
    }
    let choices: Vec<EventId> = events.iter().map(|event| event.id).collect();
    let strategy = Strategy::custom(Follow::of_run(&trace.run_threads(), choices));
    let explorer = Explorer::new().spin_for_ever(true).memory(memory).strategy(strategy);
    let again = explorer.deadlines(program.needs_deadlines()).simplify(false).explore(|| program.run());
    let Some(replayed) = again.outcomes().get(outcome) else {
        tally.wrong.push(format!("{program:?}\n{outcome:?} {}\n{order:?}\n{again}", trace.short()));
        return;
    };
    let is_simpler = weight(replayed) < weight(trace);
    tally.simpler += usize::from(is_simpler);
    tally.preemptions_left += if is_simpler { replayed.preemptions() } else { trace.preemptions() };
}

#[test]
fn simplified_runs_keep_dependent_steps_in_order_and_have_the_same_outcome() {
    for memory in MODELS {
        let mut tally = Tally::default();
        let mut random = Random(11);
        for number in 0..1500 {
            let program = Program::draw(&mut random, SMALL);
            let strategy = strategy(number, random.word());
            let explorer =
                Explorer::new().spin_for_ever(true).memory(memory).strategy(strategy).simplify(false);
            // The runs are followed by a strategy that does not find out whether deadlines matter.
            let report = explorer.deadlines(program.needs_deadlines()).explore(|| program.run());
            for (outcome, trace) in report.outcomes() {
                judge(&program, memory, outcome, trace, &mut tally);
            }
        }
        println!("{memory:?}: {tally:?}");
        assert!(tally.wrong.is_empty(), "{}", tally.wrong[0]);
        assert!(tally.suggested > 1000, "{tally:?}");
        assert!(tally.simpler * 100 >= tally.suggested * 99, "most suggestions are simpler: {tally:?}");
        assert!(tally.preemptions_left * 2 < tally.preemptions, "{tally:?}");
    }
}

#[test]
fn reports_show_the_simpler_run_and_are_otherwise_the_same() {
    let mut random = Random(12);
    for number in 0..400 {
        let program = Program::draw(&mut random, SMALL);
        let seed = random.word();
        let explore = |simplifies: bool| {
            let strategy = if number % 5 == 4 { Strategy::systematic() } else { strategy(number, seed) };
            let explorer =
                Explorer::new().spin_for_ever(true).memory(MODELS[number % MODELS.len()]).strategy(strategy);
            explorer.max_executions(50).simplify(simplifies).explore(|| program.run())
        };
        let (plain, simple) = (explore(false), explore(true));
        assert_eq!(plain.executions(), simple.executions());
        assert_eq!(plain.notes(), simple.notes());
        assert_eq!(plain.outcomes().len(), simple.outcomes().len());
        for ((outcome, original), (same, simplified)) in plain.outcomes().iter().zip(simple.outcomes()) {
            assert_eq!(outcome, same);
            assert!(
                weight(simplified) <= weight(original),
                "{program:?}: {} became {}",
                original.short(),
                simplified.short()
            );
            assert_eq!(
                original.endings.len(),
                simplified.endings.len(),
                "a simplified run is described like others"
            );
        }
    }
}

/// The fewest pre-emptions with which the body can have this outcome.
fn fewest_preemptions<T: Ord + Clone + Debug + Send + 'static>(
    outcome: &Outcome<T>,
    body: impl Fn() -> T + Send + Sync,
) -> Option<usize> {
    (0..5).find(|most| {
        let bounds = Bounds { preemptions: Some(*most), ..Bounds::NONE };
        let strategy = Strategy::systematic().bounded(bounds);
        let report =
            Explorer::new().memory(MemoryModel::Sc).strategy(strategy).simplify(false).explore(&body);
        report.outcomes().contains_key(outcome)
    })
}

#[test]
fn a_simplified_run_of_independent_threads_has_no_preemptions() {
    let body = || {
        let workers: Vec<_> = (0..3)
            .map(|_| {
                thread::spawn(|| {
                    let own = AtomicU32::new(0);
                    (0..10).for_each(|number| own.store(number, SeqCst));
                })
            })
            .collect();
        workers.into_iter().for_each(|worker| worker.join().unwrap());
    };
    let explore = |simplifies| {
        let explorer = Explorer::new().memory(MemoryModel::Sc).strategy(Strategy::random(1, 1));
        explorer.simplify(simplifies).explore(body)
    };
    let (plain, simple) = (explore(false), explore(true));
    let trace = |report: &Report<()>| report.outcomes()[&Outcome::Returned(())].clone();
    assert!(trace(&plain).preemptions() > 10, "{plain}");
    assert_eq!((trace(&simple).preemptions(), trace(&simple).switches()), (0, 5), "{simple}");
}

/// The deadlock of auto-update (Walker's thesis, §5.8.1), as in the example of that name, beside an
/// independent thread.
fn auto_update() {
    thread::spawn(|| {
        let own = AtomicU32::new(0);
        (0..10).for_each(|number| own.store(number, SeqCst));
    });
    let current = Arc::new(Mutex::new(None));
    let (needs_running, last_value) = (Arc::new(MVar::empty()), Arc::new(MVar::empty()));
    let worker = (current.clone(), needs_running.clone(), last_value.clone());
    thread::spawn(move || {
        let (current, needs_running, last_value) = worker;
        loop {
            needs_running.take();
            *current.lock().unwrap() = Some(());
            last_value.try_take();
            last_value.put(());
            thread::sleep(Duration::from_secs(1));
            *current.lock().unwrap() = None;
            last_value.take();
        }
    });
    let update = *current.lock().unwrap();
    update.unwrap_or_else(|| {
        let _ = needs_running.try_put(());
        last_value.read();
    });
}

#[test]
fn a_deadlock_of_a_random_run_is_shown_with_the_fewest_preemptions() {
    let needed = fewest_preemptions(&Outcome::Deadlock, auto_update).expect("a deadlock");
    let (mut deadlocks, mut heaviest) = (0, 0);
    for seed in 0..1_000 {
        let run = |simplifies| {
            let explorer = Explorer::new().memory(MemoryModel::Sc).strategy(Strategy::swarm(seed, 1));
            explorer.simplify(simplifies).explore(auto_update).outcomes().get(&Outcome::Deadlock).cloned()
        };
        let (Some(original), Some(simplified)) = (run(false), run(true)) else { continue };
        deadlocks += 1;
        heaviest = heaviest.max(original.preemptions());
        assert_eq!(simplified.preemptions(), needed, "{} became {}", original.short(), simplified.short());
    }
    println!("{deadlocks} deadlocks, with up to {heaviest} pre-emptions; {needed} are needed");
    assert!(
        deadlocks > 5 && heaviest > 5 && needed == 0,
        "{deadlocks} deadlocks, with up to {heaviest} pre-emptions"
    );
}
