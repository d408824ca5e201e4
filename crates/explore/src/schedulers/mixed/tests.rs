//! The promises of walks and estimates, on lists of events with known probabilities.

use super::estimates::Estimates;
use super::walk::Walk;
use crate::checkpoint::Reader;
use crate::event::{Action, Event, Kind, Site};
use crate::ids::{EventId, ObjectId, ThreadId};
use crate::random::Random;
use crate::trace::{Switch, Trace};
use std::collections::BTreeMap;

const RUNS: usize = 30_000;

/// The object of the events at these lines; other events have none.
const SHARED_LINES: [u32; 2] = [1, 2];

fn event(thread: u32, line: u32) -> Event {
    let id = EventId { thread: ThreadId(thread), alternative: 0 };
    let object = SHARED_LINES.contains(&line).then(|| ObjectId::at(0));
    Event::pending(id, Action { object, ..Action::new(Kind::Step) }, Site::Line(line))
}

fn spawn(thread: u32, child: u32) -> Event {
    let id = EventId { thread: ThreadId(thread), alternative: 0 };
    let action = Action { target: Some(ThreadId(child)), ..Action::new(Kind::Spawn) };
    Event::pending(id, action, Site::Unknown)
}

/// The events of each thread. A thread without a spawn is there from the beginning.
type Program = Vec<Vec<Event>>;

/// Runs the program as the walk chooses.
fn run(program: &Program, walk: &mut Walk, random: &mut Random) -> Vec<Event> {
    let is_spawned = |thread: usize, done: &[usize]| {
        let spawns =
            |other: &[Event]| other.iter().any(|event| event.action.target == Some(ThreadId(thread as u32)));
        let ran = |other: usize| spawns(&program[other][..done[other]]);
        !program.iter().any(|other| spawns(other)) || (0..program.len()).any(ran)
    };
    let (mut done, mut events) = (vec![0; program.len()], Vec::new());
    loop {
        let next = |thread: usize| program[thread].get(done[thread]).filter(|_| is_spawned(thread, &done));
        let enabled: Vec<Event> = (0..program.len()).filter_map(next).copied().collect();
        let Some(index) = walk.pick(&enabled, random) else { return events };
        walk.done(&enabled[index], random);
        done[enabled[index].thread().index()] += 1;
        events.push(enabled[index]);
    }
}

/// The program's events, one thread after the other.
fn counted(program: &Program) -> Estimates {
    let mut trace = Trace::default();
    program.iter().flatten().for_each(|event| trace.push(*event, Switch::Start));
    let mut estimates = Estimates::default();
    estimates.count(&trace);
    estimates
}

/// How often the walk orders the events in each way; of these events alone.
fn orders(program: &Program, plan: usize, is_shown: fn(&Event) -> bool) -> BTreeMap<Vec<u32>, usize> {
    let estimates = counted(program);
    let (mut walk, mut random, mut counts) = (Walk::default(), Random(1), BTreeMap::new());
    for number in 0..RUNS {
        walk.begin(&estimates.plans()[plan], number % 2 == 0);
        let events = run(program, &mut walk, &mut random);
        assert_eq!(events.len(), program.iter().map(Vec::len).sum::<usize>());
        let order = events.iter().filter(|event| is_shown(event)).map(|event| event.thread().0).collect();
        *counts.entry(order).or_default() += 1;
    }
    counts
}

/// Each of so many orders is equally likely, within five standard deviations.
fn check_uniform(counts: &BTreeMap<Vec<u32>, usize>, orders: usize) {
    assert_eq!(counts.len(), orders, "{counts:?}");
    let expected = RUNS as f64 / orders as f64;
    let is_near = |count: &usize| (*count as f64 - expected).abs() < 5.0 * expected.sqrt();
    assert!(counts.values().all(is_near), "{counts:?}");
}

fn is_on_object(event: &Event) -> bool {
    event.action.object.is_some()
}

#[test]
fn every_interleaving_of_a_walk_over_all_events_is_equally_likely() {
    let program = vec![vec![event(0, 9); 2], vec![event(1, 9); 3], vec![event(2, 9)]];
    check_uniform(&orders(&program, 0, |_| true), 60);
}

#[test]
fn the_events_of_a_thread_count_for_its_parent_until_it_starts() {
    let main = vec![spawn(0, 1), event(0, 9), spawn(0, 2), event(0, 9)];
    let program = vec![main, vec![event(1, 9); 2], vec![event(2, 9)]];
    // Main's order is fixed. Thread 2 comes after main's third event: of 3 + 2 + 1 places each.
    let mut all = BTreeMap::new();
    interleavings(&program, &mut vec![0; 3], &mut Vec::new(), &mut all);
    check_uniform(&orders(&program, 0, |_| true), all.len());
}

/// Every interleaving, the naive way.
fn interleavings(
    program: &Program,
    done: &mut Vec<usize>,
    events: &mut Vec<u32>,
    all: &mut BTreeMap<Vec<u32>, ()>,
) {
    if events.len() == program.iter().map(Vec::len).sum::<usize>() {
        all.insert(events.clone(), ());
        return;
    }
    for thread in 0..program.len() {
        let spawned_at = |event: &Event| event.action.target == Some(ThreadId(thread as u32));
        let is_there = thread == 0 || program[0][..done[0]].iter().any(spawned_at);
        if is_there && done[thread] < program[thread].len() {
            done[thread] += 1;
            events.push(thread as u32);
            interleavings(program, done, events, all);
            events.pop();
            done[thread] -= 1;
        }
    }
}

#[test]
fn every_order_of_selected_events_is_equally_likely_however_many_others_there_are() {
    let early = vec![event(0, 1), event(0, 2)];
    let late = [vec![event(1, 9); 7], vec![event(1, 2), event(1, 9), event(1, 1)]].concat();
    check_uniform(&orders(&vec![early, late], 1, is_on_object), 6);
}

#[test]
fn a_group_has_the_places_that_share_an_object_and_two_threads_at_least() {
    let estimates = counted(&vec![vec![event(0, 1), event(0, 9)], vec![event(1, 2)]]);
    let groups: Vec<&[u64]> = estimates.plans().iter().map(|plan| &plan.places[..]).collect();
    assert_eq!(groups, [&[][..], &[1, 2]]);
    let alone = counted(&vec![vec![event(0, 1), event(0, 2)], vec![event(1, 9)]]);
    assert_eq!(alone.plans().len(), 1);
}

#[test]
fn saved_estimates_are_read_again_and_damaged_ones_are_refused() {
    let main = vec![spawn(0, 1), event(0, 1), event(0, 9)];
    let text = counted(&vec![main, vec![event(1, 2), event(1, 1)]]).save();
    let loaded = Estimates::load(&mut Reader::new(&text)).expect("it was saved");
    assert_eq!(loaded.save(), text);
    assert_eq!(loaded.plans().len(), 2);
    let refused = |text: &str| Estimates::load(&mut Reader::new(text)).expect_err("it is damaged");
    assert_eq!(refused("runs 1 1\n"), "the estimates are missing");
    assert_eq!(refused("estimates\nplace 7 1\n"), "place 0 cannot be in the group of a later place, 1");
    assert_eq!(refused("estimates\nthread 0 1 2 0\n"), "thread 0 has an unknown parent or place");
    assert_eq!(refused("estimates\nthread 0 0\n"), "`thread 0 0` ends too early");
}
