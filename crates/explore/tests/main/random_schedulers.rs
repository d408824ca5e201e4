//! The promises of the random schedulers, on tiny programs with known probabilities.

use crate::toy::{Toy, runs};
use selvedge_explore::event::Footprint;
use selvedge_explore::schedulers::{Exhaustive, Mixed, Pct, Pos, RoundRobin, Swarm, Uniform};
use selvedge_explore::{Action, Scheduler};
use std::collections::{BTreeMap, BTreeSet};

/// A run: threads and their alternatives.
type Run = Vec<(u32, u32)>;

fn step(reads: u64, writes: u64) -> (Action, u32) {
    (Action::step(Footprint { reads, writes }), 1)
}

fn programs() -> Vec<Toy> {
    let choice = (Action::step(Footprint { reads: 1, writes: 2 }), 3);
    vec![
        Toy::of_lengths(&[2, 3]),
        Toy::of_lengths(&[1, 2, 1, 1]),
        Toy::new(vec![vec![step(1, 2), choice], vec![step(2, 1)], vec![], vec![choice]]),
    ]
}

fn every_scheduler(seed: u64, runs: u64) -> Vec<Box<dyn Scheduler>> {
    vec![
        Box::new(Uniform::new(seed, runs)),
        Box::new(Pct::new(1, seed, runs)),
        Box::new(Pct::new(3, seed, runs)),
        Box::new(Swarm::new(seed, runs)),
        Box::new(Swarm::new(seed, runs).reuse(7).change_points(2).weights(1, 3)),
        Box::new(Pos::new(seed, runs)),
        Box::new(Mixed::new(seed, runs)),
    ]
}

#[test]
fn every_scheduler_executes_only_runs_of_the_program() {
    for mut toy in programs() {
        let all: BTreeSet<Run> = runs(&mut toy, &mut Exhaustive::new()).into_iter().collect();
        for mut scheduler in every_scheduler(3, 500) {
            let some = runs(&mut toy, &mut *scheduler);
            assert_eq!(some.len(), 500);
            assert!(some.iter().all(|run| all.contains(run)));
        }
        for quantum in 1..4 {
            let one = runs(&mut toy, &mut RoundRobin::new().quantum(quantum));
            assert!(one.len() == 1 && all.contains(&one[0]));
        }
    }
}

#[test]
fn every_random_scheduler_executes_every_run_in_the_end() {
    for mut toy in programs() {
        let all: BTreeSet<Run> = runs(&mut toy, &mut Exhaustive::new()).into_iter().collect();
        for mut scheduler in [
            Box::new(Swarm::new(1, 20_000)) as Box<dyn Scheduler>,
            Box::new(Pos::new(1, 20_000)),
            Box::new(Mixed::new(1, 20_000)),
            // As many change points as steps: every run.
            Box::new(Pct::new(6, 1, 200_000)),
        ] {
            let seen: BTreeSet<Run> = runs(&mut toy, &mut *scheduler).into_iter().collect();
            assert_eq!(seen.len(), all.len());
        }
    }
}

#[test]
fn a_seed_gives_the_same_runs_again_and_another_seed_gives_others() {
    let all = |seed: u64| -> Vec<Vec<Run>> {
        let mut toy = Toy::of_lengths(&[3, 3, 3]);
        every_scheduler(seed, 50).iter_mut().map(|scheduler| runs(&mut toy, &mut **scheduler)).collect()
    };
    let (first, again, other) = (all(7), all(7), all(8));
    assert_eq!(first, again);
    assert!(first.iter().zip(&other).all(|(one, another)| one != another));
}

/// The number of times that each run was executed.
fn frequencies(toy: &mut Toy, scheduler: &mut dyn Scheduler) -> BTreeMap<Run, usize> {
    let mut counts = BTreeMap::new();
    for run in runs(toy, scheduler) {
        *counts.entry(run).or_default() += 1;
    }
    counts
}

/// Is the count within five standard deviations of its expectation?
fn is_near(count: usize, total: usize, probability: f64) -> bool {
    let (count, total) = (count as f64, total as f64);
    (count - total * probability).abs() <= 5.0 * (total * probability * (1.0 - probability)).sqrt() + 1.0
}

/// A step: its thread, and its number in the thread.
type ThreadStep = (u32, usize);

/// All pairs of steps of different threads: the first before the second.
fn orderings(lengths: &[usize]) -> Vec<(ThreadStep, ThreadStep)> {
    let steps = || (0_u32..).zip(lengths).flat_map(|(thread, length)| (0..*length).map(move |i| (thread, i)));
    steps()
        .flat_map(|one| steps().map(move |other| (one, other)))
        .filter(|(one, other)| one.0 != other.0)
        .collect()
}

/// Does the run satisfy the ordering?
fn satisfies(run: &Run, (before, after): (ThreadStep, ThreadStep)) -> bool {
    let position = |(thread, index): ThreadStep| {
        let mut steps = run.iter().enumerate().filter(|(_, (other, _))| *other == thread);
        steps.nth(index).expect("a step of the run").0
    };
    position(before) < position(after)
}

/// PCT finds every bug that needs `depth` orderings at least as often as it guarantees.
fn check_pct(lengths: &[usize], depth: usize) {
    const RUNS: u64 = 200_000;
    let mut toy = Toy::of_lengths(lengths);
    let counts = frequencies(&mut toy, &mut Pct::new(depth, 11, RUNS));
    let every = runs(&mut toy, &mut Exhaustive::new());
    let (n, k) = (lengths.len() as f64, lengths.iter().sum::<usize>() as f64);
    let guaranteed = 1.0 / (n * k.powi(depth as i32 - 1));
    let least = RUNS as f64 * guaranteed - 5.0 * (RUNS as f64 * guaranteed).sqrt();
    let mut bugs = vec![Vec::new()];
    for ordering in orderings(lengths) {
        let with = bugs.iter().filter(|bug: &&Vec<_>| bug.len() < depth);
        let with: Vec<_> = with.map(|bug| [bug.as_slice(), &[ordering]].concat()).collect();
        bugs.extend(with);
    }
    let mut possible = 0;
    for bug in bugs.iter().filter(|bug| bug.len() == depth) {
        let shows = |run: &Run| bug.iter().all(|ordering| satisfies(run, *ordering));
        if every.iter().any(shows) {
            let found: usize = counts.iter().filter(|(run, _)| shows(run)).map(|(_, count)| count).sum();
            assert!(found as f64 >= least, "{lengths:?}, {bug:?}: {found} of {RUNS}, at least {least}");
            possible += 1;
        }
    }
    assert!(possible > 0, "no bug to find in {lengths:?}");
}

#[test]
fn pct_finds_every_bug_of_depth_one_as_often_as_guaranteed() {
    check_pct(&[2, 3], 1);
    check_pct(&[1, 1, 1, 1], 1);
}

#[test]
fn pct_finds_every_bug_of_depth_two_as_often_as_guaranteed() {
    check_pct(&[3, 3], 2);
    check_pct(&[2, 1, 2], 2);
}

#[test]
fn pct_finds_every_bug_of_depth_three_as_often_as_guaranteed() {
    check_pct(&[2, 2], 3);
    check_pct(&[3, 2], 3);
    check_pct(&[1, 2, 1], 3);
    check_pct(&[2, 1, 2], 3);
}

#[test]
fn pct_of_depth_one_runs_one_thread_after_the_other_in_each_order() {
    let counts = frequencies(&mut Toy::of_lengths(&[2, 1, 2]), &mut Pct::new(1, 5, 60_000));
    assert_eq!(counts.len(), 6);
    assert!(counts.values().all(|count| is_near(*count, 60_000, 1.0 / 6.0)), "{counts:?}");
}

#[test]
fn swarm_with_equal_weights_is_uniform() {
    let uniform = frequencies(&mut Toy::of_lengths(&[2, 1]), &mut Swarm::new(1, 80_000).weights(7, 7));
    // S0--S1-, S0-P1-S0-, S1-S0--
    let expected = [(vec![0, 0, 1], 0.25), (vec![0, 1, 0], 0.25), (vec![1, 0, 0], 0.5)];
    for (threads, probability) in expected {
        let run: Run = threads.into_iter().map(|thread| (thread, 0)).collect();
        assert!(is_near(uniform[&run], 80_000, probability), "{uniform:?}");
    }
}

/// For a group of runs of two threads with the same weights, each 1 or 2: the pairs of weights that explain
/// how often thread 0 ran first, and how often it ran again after that.
fn explained_by(counts: &[&Run], changed: bool) -> Vec<(u32, u32)> {
    let firsts: Vec<_> = counts.iter().filter(|run| run[0].0 == 0).collect();
    let seconds = firsts.iter().filter(|run| run[1].0 == 0).count();
    let share = |mine: u32, other: u32| f64::from(mine) / f64::from(mine + other);
    let explains = |(mine, other): &(u32, u32)| {
        let redrawn = (share(1, *other) + share(2, *other)) / 2.0;
        let second = if changed { redrawn } else { share(*mine, *other) };
        is_near(firsts.len(), counts.len(), share(*mine, *other)) && is_near(seconds, firsts.len(), second)
    };
    [(1, 1), (1, 2), (2, 1), (2, 2)].into_iter().filter(explains).collect()
}

#[test]
fn swarm_chooses_by_weights_that_a_group_of_runs_shares() {
    const GROUP: usize = 10_000;
    for changes in [0, 1] {
        let mut swarm = Swarm::new(9, 20 * GROUP as u64).weights(1, 2).reuse(GROUP as u64);
        // The single change point comes after the first step.
        swarm = swarm.change_points(changes).steps(1);
        let all = runs(&mut Toy::of_lengths(&[3, 3]), &mut swarm);
        let mut shares = BTreeSet::new();
        for group in all.chunks(GROUP) {
            let weights = explained_by(&group.iter().collect::<Vec<_>>(), changes == 1);
            assert!(!weights.is_empty(), "no weights explain a group");
            shares.insert((weights[0].0 * 6) / (weights[0].0 + weights[0].1));
        }
        // One half, one third, two thirds: different groups have different weights.
        assert_eq!(shares, BTreeSet::from([2, 3, 4]));
    }
}

#[test]
fn swarm_draws_new_weights_for_each_run_by_default() {
    // Over all weights the two threads are alike; but blocks of one thread are more frequent than by uniform
    // choice.
    let counts = frequencies(&mut Toy::of_lengths(&[2, 2]), &mut Swarm::new(4, 100_000));
    let weights =
        || (1..=50).flat_map(|one| (1..=50).map(move |other| f64::from(one) / f64::from(one + other)));
    let squares: f64 = weights().map(|share| share * share).sum::<f64>() / 2500.0;
    let run: Run = [0, 0, 1, 1].into_iter().map(|thread| (thread, 0)).collect();
    assert!(is_near(counts[&run], 100_000, squares), "{} {squares}", counts[&run]);
    assert!(squares > 0.28);
}

/// The algorithm of partial-order sampling as in the paper, on lists; the priorities are drawn in order.
fn sample(threads: &[Vec<(Action, u32)>], mut draw: impl FnMut() -> usize) -> Vec<u32> {
    let are_dependent = |one: &Action, other: &Action| {
        let (a, b) = (one.footprint, other.footprint);
        a.writes & (b.reads | b.writes) != 0 || a.reads & b.writes != 0
    };
    let mut done = vec![0; threads.len()];
    let mut priorities: BTreeMap<ThreadStep, usize> = BTreeMap::new();
    let mut run = Vec::new();
    loop {
        let enabled: Vec<ThreadStep> = (0..threads.len())
            .filter(|thread| done[*thread] < threads[*thread].len())
            .map(|thread| (thread as u32, done[thread]))
            .collect();
        for event in &enabled {
            priorities.entry(*event).or_insert_with(&mut draw);
        }
        let Some(chosen) = enabled.iter().max_by_key(|event| priorities[*event]) else { return run };
        let action = |event: &ThreadStep| threads[event.0 as usize][event.1].0;
        for event in enabled.iter().filter(|event| *event != chosen) {
            if are_dependent(&action(event), &action(chosen)) {
                priorities.remove(event);
            }
        }
        run.push(chosen.0);
        done[chosen.0 as usize] += 1;
    }
}

/// All permutations of so many numbers.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    let Some(last) = count.checked_sub(1) else { return vec![Vec::new()] };
    let insert =
        |order: Vec<usize>| (0..count).map(move |index| [&order[..index], &[last], &order[index..]].concat());
    permutations(last).into_iter().flat_map(insert).collect()
}

/// The exact probability of each run. Independent random numbers have each order with the same probability,
/// so the algorithm runs for each order of enough numbers.
fn exact(threads: &[Vec<(Action, u32)>], draws: usize) -> BTreeMap<Vec<u32>, f64> {
    let orders = permutations(draws);
    let mut probabilities = BTreeMap::new();
    for order in &orders {
        let mut numbers = order.iter();
        let run = sample(threads, || *numbers.next().expect("enough numbers"));
        *probabilities.entry(run).or_default() += 1.0 / orders.len() as f64;
    }
    probabilities
}

#[track_caller]
fn check_pos(threads: Vec<Vec<(Action, u32)>>, draws: usize) {
    const RUNS: usize = 100_000;
    let expected = exact(&threads, draws);
    let counts = frequencies(&mut Toy::new(threads), &mut Pos::new(2, RUNS as u64));
    for (run, probability) in &expected {
        let choices: Run = run.iter().map(|thread| (*thread, 0)).collect();
        let count = counts.get(&choices).copied().unwrap_or(0);
        assert!(is_near(count, RUNS, *probability), "{run:?}: {count} of {RUNS}, expected {probability}");
    }
    assert_eq!(counts.len(), expected.len());
}

#[test]
fn pos_orders_independent_steps_by_one_priority_each() {
    check_pos(vec![vec![step(0, 1); 3], vec![step(0, 2); 2]], 5);
    check_pos(vec![vec![step(0, 1)], vec![step(0, 2); 2], vec![step(0, 4)]], 4);
}

#[test]
fn pos_draws_a_new_priority_for_a_step_that_races() {
    check_pos(vec![vec![step(0, 1); 2], vec![step(0, 1); 2]], 7);
    check_pos(vec![vec![step(1, 2), step(0, 4)], vec![step(0, 1), step(4, 1)]], 7);
    check_pos(vec![vec![step(0, 1)], vec![step(1, 0)], vec![step(1, 2), step(2, 0)]], 8);
}

#[test]
fn pos_is_uniform_if_every_two_steps_race() {
    let mut toy = Toy::new(vec![vec![step(0, 1); 2], vec![step(0, 1); 1]]);
    let counts = frequencies(&mut toy, &mut Pos::new(1, 80_000));
    let expected = frequencies(&mut toy, &mut Uniform::new(1, 80_000));
    for (run, count) in &counts {
        assert!(count.abs_diff(expected[run]) < 1000, "{counts:?} {expected:?}");
    }
}

#[test]
fn round_robin_gives_each_thread_its_turn() {
    let threads = |quantum: u64| -> Vec<u32> {
        let all = runs(&mut Toy::of_lengths(&[3, 1, 2]), &mut RoundRobin::new().quantum(quantum));
        all[0].iter().map(|(thread, _)| *thread).collect()
    };
    assert_eq!(threads(1), [0, 1, 2, 0, 2, 0]);
    assert_eq!(threads(2), [0, 0, 1, 2, 2, 0]);
    assert_eq!(threads(9), [0, 0, 0, 1, 2, 2]);
}

#[test]
fn round_robin_takes_the_alternatives_in_turn() {
    let choice = (Action::step(Footprint::default()), 3);
    let all = runs(&mut Toy::new(vec![vec![choice; 4]]), &mut RoundRobin::new());
    assert_eq!(all, [[(0, 0), (0, 1), (0, 2), (0, 0)]]);
}
