//! Exhaustive, uniform and replaying schedulers on tiny programs.

use crate::toy::{Toy, runs};
use selvedge_explore::event::Footprint;
use selvedge_explore::schedulers::{Exhaustive, Replay, Uniform};
use selvedge_explore::{Action, Next, RunEnd, Scheduler, Stepper, Trace, run};
use std::collections::{BTreeMap, BTreeSet};

/// The number of interleavings: (sum of lengths)! / product of lengths!
fn interleavings(lengths: &[usize]) -> usize {
    let mut count = 1;
    let mut total = 0;
    for length in lengths {
        for k in 1..=*length {
            total += 1;
            count = count * total / k;
        }
    }
    count
}

#[test]
fn exhaustive_executes_each_interleaving_once() {
    for lengths in [&[3][..], &[1, 1], &[2, 2], &[3, 2, 1], &[2, 2, 2], &[1, 1, 1, 1, 1], &[0, 4, 3]] {
        let all = runs(&mut Toy::of_lengths(lengths), &mut Exhaustive::new());
        let distinct: BTreeSet<_> = all.iter().collect();
        assert_eq!((all.len(), distinct.len()), (interleavings(lengths), interleavings(lengths)));
    }
}

#[test]
fn exhaustive_takes_every_alternative() {
    let step = Action::step(Footprint::default());
    let mut toy = Toy::new(vec![vec![(step, 3)], vec![(step, 1), (step, 2)]]);
    // Three orders of the three steps, three and two alternatives.
    assert_eq!(runs(&mut toy, &mut Exhaustive::new()).len(), 3 * 3 * 2);
}

#[test]
fn uniform_chooses_each_thread_equally_often_whatever_its_alternatives() {
    let step = Action::step(Footprint::default());
    let mut toy = Toy::new(vec![vec![(step, 3)], vec![(step, 1)]]);
    let mut firsts: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    for choices in runs(&mut toy, &mut Uniform::new(1, 60_000)) {
        *firsts.entry(choices[0]).or_default() += 1;
    }
    let near = |count: usize, expected: usize| count.abs_diff(expected) < 600;
    assert!(near(firsts[&(1, 0)], 30_000), "{firsts:?}");
    assert!((0..3).all(|alternative| near(firsts[&(0, alternative)], 10_000)), "{firsts:?}");
}

#[test]
fn a_seed_gives_the_same_runs_again() {
    let mut toy = Toy::of_lengths(&[3, 3, 3]);
    let first = runs(&mut toy, &mut Uniform::new(7, 50));
    assert_eq!(first, runs(&mut toy, &mut Uniform::new(7, 50)));
    assert_ne!(first, runs(&mut toy, &mut Uniform::new(8, 50)));
}

#[test]
fn a_replay_executes_the_recorded_run() {
    let mut toy = Toy::of_lengths(&[2, 3]);
    for seed in 0..100 {
        let mut trace = Trace::default();
        toy.restart();
        run(&mut toy, &mut Uniform::new(seed, 1), 1000, &mut trace);
        let mut replay = Replay::new(trace.recording(&[]));
        assert_eq!(
            runs(&mut toy, &mut replay),
            [trace.choices().map(|id| (id.thread.0, id.alternative)).collect::<Vec<_>>()]
        );
        assert_eq!(replay.difference(), None);
    }
}

#[test]
fn a_replay_reports_the_first_step_that_differs() {
    let mut trace = Trace::default();
    run(&mut Toy::of_lengths(&[2, 2]), &mut Exhaustive::new(), 1000, &mut trace);
    let mut replay = Replay::new(trace.recording(&[]));
    let mut other = Toy::of_lengths(&[1, 3]);
    assert_eq!(run(&mut other, &mut replay, 1000, &mut trace), RunEnd::GivenUp);
    let difference = replay.difference().expect("a difference");
    assert_eq!((difference.step, difference.expected.id.thread.0, difference.found), (1, 0, None));
}

#[test]
fn the_short_form_distinguishes_switches_from_preemptions() {
    let mut trace = Trace::default();
    let mut exhaustive = Exhaustive::new();
    let mut forms = Vec::new();
    let mut toy = Toy::of_lengths(&[2, 1]);
    loop {
        toy.restart();
        run(&mut toy, &mut exhaustive, 1000, &mut trace);
        forms.push(trace.short().to_string());
        if exhaustive.finish(&trace) == Next::Done {
            break;
        }
    }
    assert_eq!(forms, ["S0--S1-", "S0-P1-S0-", "S1-S0--"]);
}

#[test]
fn a_run_stops_at_its_limit() {
    let mut trace = Trace::default();
    assert_eq!(run(&mut Toy::of_lengths(&[5]), &mut Exhaustive::new(), 3, &mut trace), RunEnd::StepLimit);
    assert_eq!(trace.len(), 3);
}
