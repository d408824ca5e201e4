//! What a finite run says of a formula.
//!
//! It violates it as soon as the [`Progression`] is false: whatever comes, the formula does not hold, and something fair can always
//! come. A run that has ended stutters, and so decides every formula. Where a run comes back to a state that it has been in, going
//! round for ever is a run of the system too, which counts if it is fair.
//!
//! Promise: what is returned has been replayed, and is certain; a run is judged no further than where a label does not know a
//! proposition of the formula. Not every violation that the run's states allow is found: of the cycles that lead back to a
//! state, only the one from its last visit and the one from its first are judged.

use crate::counterexample::{Counterexample, Step};
use crate::fairness::Fairness;
use crate::system::System;
use crate::truth::satisfies;
use rustc_hash::FxHashMap;
use selvedge_ltl::progression::{Progression, Status};
use selvedge_ltl::{Formula, Letter, Prop, Word};

/// In one run, so many cycles are judged for each formula; the time for one grows with the run.
pub const MAX_CYCLES: usize = 100;

/// The part of the run that violates the formula, if one does.
pub(super) fn violation<S: System>(
    system: &S,
    formula: &Formula<Prop>,
    run: &Counterexample<S::Action>,
    fairness: Fairness,
) -> Option<Counterexample<S::Action>> {
    let letters = known_letters(system, formula, &run.prefix);
    let (status, length) = progress(formula, &letters);
    // Whatever comes after the letters that decide, going round before them may still be a violation.
    let bad_cycle = || bad_cycle(system, formula, &run.prefix[..length], &letters[..length], fairness);
    let found = match status {
        Status::False => Some(Counterexample { prefix: run.prefix[..length].to_vec(), cycle: Vec::new() }),
        Status::True => bad_cycle(),
        Status::Open => bad_end(formula, run, &letters).or_else(bad_cycle),
    }?;
    let certain = found.replay_violation(system, formula, fairness);
    assert!(certain, "replay: a violation whose labels were known is certain");
    Some(found)
}

/// The labels up to the first that does not know a proposition of the formula.
fn known_letters<S: System>(system: &S, formula: &Formula<Prop>, path: &[Step<S::Action>]) -> Vec<Letter> {
    let mut props = 0;
    formula.propositions(&mut |prop| props |= prop.bit());
    let is_known = |letter: &Letter| letter.may_true & letter.may_false & props == 0;
    path.iter().map(|step| system.label(&step.state)).take_while(is_known).collect()
}

/// What is known after how many letters: the fewest that decide, or all.
fn progress(formula: &Formula<Prop>, letters: &[Letter]) -> (Status, usize) {
    let mut progression = Progression::new(formula);
    for (index, letter) in letters.iter().enumerate() {
        let status = progression.step(*letter);
        if status != Status::Open {
            return (status, index + 1);
        }
    }
    (Status::Open, letters.len())
}

/// The run itself, if it has ended and stutters against the formula.
fn bad_end<A: Copy + Eq>(
    formula: &Formula<Prop>,
    run: &Counterexample<A>,
    letters: &[Letter],
) -> Option<Counterexample<A>> {
    let is_known = run.ends() && letters.len() == run.prefix.len();
    let last = letters.last().filter(|_| is_known)?;
    let word = Word { prefix: letters.to_vec(), cycle: vec![*last] };
    (!satisfies(&word, formula)).then(|| run.clone())
}

/// The run up to a state where it has been before, round and round from there.
fn bad_cycle<S: System>(
    system: &S,
    formula: &Formula<Prop>,
    path: &[Step<S::Action>],
    letters: &[Letter],
    fairness: Fairness,
) -> Option<Counterexample<S::Action>> {
    // The cycle's first step is the one that leaves the state where it begins.
    let is_bad = |(before, now): &(usize, usize)| {
        let (prefix, cycle) = (letters[..=*before].to_vec(), letters[before + 1..=*now].to_vec());
        let moves = path[before + 1..=*now].iter();
        let moves = moves.map(|step| (step.action.map(|action| system.process(action)), &*step.state));
        !satisfies(&Word { prefix, cycle }, formula) && fairness.admits(system, moves)
    };
    let (before, now) = cycles(path).take(MAX_CYCLES).find(is_bad)?;
    let (prefix, cycle) = (path[..=before].to_vec(), path[before + 1..=now].to_vec());
    Some(Counterexample { prefix, cycle }.shortened())
}

/// Where the path comes back to a state: since its last visit, and since its first if that is another.
fn cycles<A>(path: &[Step<A>]) -> impl Iterator<Item = (usize, usize)> {
    let mut visits: FxHashMap<&[u64], (usize, usize)> = FxHashMap::default();
    path.iter().enumerate().flat_map(move |(now, step)| {
        let known = visits.get(&*step.state).copied();
        let first = known.map_or(now, |(first, _)| first);
        visits.insert(&step.state, (first, now));
        let last = known.map(|(_, last)| (last, now));
        let whole = known.filter(|(first, last)| first < last).map(|(first, _)| (first, now));
        last.into_iter().chain(whole)
    })
}
