//! Trace simplification on tiny programs.

use crate::toy::Toy;
use selvedge_explore::event::Footprint;
use selvedge_explore::schedulers::{Follow, Uniform};
use selvedge_explore::{
    Action, Event, EventId, Kind, ObjectId, Random, RunEnd, Site, Stepper, Switch, ThreadId, Trace,
    dependent, run, simplify,
};

/// A random run, its simplified order, and the trace of that order.
fn simplified(toy: &mut Toy, seed: u64) -> (Trace, Option<Vec<usize>>, Trace) {
    let (mut was, mut is) = (Trace::default(), Trace::default());
    toy.restart();
    assert_eq!(run(toy, &mut Uniform::new(seed, 1), 10_000, &mut was), RunEnd::Finished);
    let order = simplify(&was, false);
    let choices = match &order {
        Some(order) => order.iter().map(|step| was.steps()[*step].event.id).collect(),
        None => was.choices().collect(),
    };
    toy.restart();
    assert_eq!(run(toy, &mut Follow::new(choices), 10_000, &mut is), RunEnd::Finished);
    (was, order, is)
}

#[test]
fn independent_threads_run_one_after_the_other() {
    let (was, _, is) = simplified(&mut Toy::of_lengths(&[10, 20, 30]), 1);
    assert!(was.preemptions() > 20, "{}", was.short());
    assert_eq!((is.preemptions(), is.switches()), (0, 3), "{}", is.short());
}

#[test]
fn simplified_runs_of_random_programs_keep_the_order_of_dependent_steps_and_are_simpler() {
    let mut random = Random(5);
    let (mut before, mut after) = (0, 0);
    for seed in 0..3_000 {
        let mut below = |bound: usize| random.below(bound).unwrap_or(0);
        let mut action = |variables: usize| {
            let bit = 1 << below(variables);
            let writes = if below(3) == 0 { bit } else { 0 };
            (Action::step(Footprint { reads: bit, writes }), 1 + below(8) as u32 / 7)
        };
        let threads = (0..2 + seed % 3).map(|_| (0..8).map(|_| action(4)).collect()).collect();
        let (was, order, is) = simplified(&mut Toy::new(threads), seed);
        let weight = |trace: &Trace| (trace.preemptions(), trace.switches());
        assert!(weight(&is) <= weight(&was), "{} became {}", was.short(), is.short());
        let order = order.unwrap_or_else(|| (0..was.len()).collect());
        for (at, step) in order.iter().enumerate() {
            for later in &order[at + 1..] {
                let [one, other] = [*step, *later].map(|step| &was.steps()[step].event);
                assert!(step < later || !dependent(one, other), "{one:?} {other:?}");
            }
        }
        before += was.preemptions();
        after += is.preemptions();
    }
    println!("{before} pre-emptions became {after}");
    assert!(after * 2 < before, "{before} pre-emptions became {after}");
}

#[test]
fn the_same_trace_is_simplified_in_the_same_way() {
    let toy = || Toy::new(vec![vec![(Action::on(Kind::Store, ObjectId::at(0)), 1); 10]; 3]);
    let [one, other] = [(); 2].map(|()| simplified(&mut toy(), 9).1);
    assert_eq!(one, other);
    let mixed = || Toy::of_lengths(&[5, 5, 5]);
    assert_eq!(simplified(&mut mixed(), 9).1, simplified(&mut mixed(), 9).1);
}

#[test]
fn a_long_trace_stays_as_it_is() {
    let (was, order, _) = simplified(&mut Toy::of_lengths(&[1_000, 1_000, 1_001]), 2);
    assert_eq!((was.len(), order), (3_001, None));
}

#[test]
fn a_long_trace_of_many_threads_is_simplified() {
    let (was, _, is) = simplified(&mut Toy::of_lengths(&[60; 50]), 3);
    assert!(was.switches() > 2_000, "{}", was.short());
    assert_eq!((is.preemptions(), is.switches()), (0, 50));
}

/// A trace of these steps. A thread with steps left is enabled.
fn trace_of(steps: &[(ThreadId, Action)]) -> Trace {
    let mut trace = Trace::default();
    for (at, (thread, action)) in steps.iter().enumerate() {
        let id = EventId { thread: *thread, alternative: 0 };
        let before = steps[..at].iter().rev().map(|(thread, _)| *thread).find(|thread| !thread.is_phantom());
        let is_enabled = before.is_some_and(|before| steps[at..].iter().any(|(thread, _)| *thread == before));
        let switch = match is_enabled {
            true if before == Some(*thread) => Switch::Same,
            true => Switch::Preempt,
            false => Switch::Start,
        };
        trace.push(Event::pending(id, *action, Site::Unknown), switch);
    }
    trace
}

#[test]
fn commits_come_just_after_their_stores_if_no_step_between_depends_on_them() {
    // Store buffering: each thread reads before the other's store is committed.
    let (zero, one) = (ThreadId(0), ThreadId(1));
    let [x, y] = [0, 1].map(ObjectId::at);
    let store = |object| Action { is_buffered: true, ..Action::on(Kind::Store, object) };
    let (load, commit) = (|object| Action::on(Kind::Load, object), |object| Action::on(Kind::Commit, object));
    let [of_zero, of_one] = [zero, one].map(|owner| ThreadId::phantom(owner, 0));
    let trace = trace_of(&[
        (zero, store(x)),
        (one, store(y)),
        (zero, load(y)),
        (one, load(x)),
        (of_one, commit(y)),
        (of_zero, commit(x)),
    ]);
    // The commit of the first thread comes after the load of the second, which depends on it.
    assert_eq!(simplify(&trace, false), Some(vec![0, 2, 1, 4, 3, 5]));
    assert_eq!(simplify(&trace, true), Some(vec![0, 2, 1, 4, 3, 5]));
}

#[test]
fn the_step_that_ends_the_run_stays_the_last_one() {
    let step = Action::step(Footprint::default());
    let [zero, one] = [0, 1].map(ThreadId);
    let trace = trace_of(&[(zero, step), (one, step), (zero, step), (one, step), (zero, step)]);
    assert_eq!(simplify(&trace, false), Some(vec![0, 2, 4, 1, 3]));
    let order = simplify(&trace, true).expect("something simpler");
    assert_eq!(order.last(), Some(&4), "{order:?}");
}
