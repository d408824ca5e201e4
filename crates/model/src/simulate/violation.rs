//! What a finite run tells about a formula.
//!
//! The run violates the formula as soon as the [`Progression`] is false: no continuation satisfies the
//! formula, and every run has a fair continuation. A run that has ended stutters, and so decides every
//! formula. Where a run returns to a state, repeating the cycle for ever is a run of the system too, which
//! counts if it is fair.
//!
//! Promise: a returned violation has been replayed, and is certain; a run is judged up to the first label
//! that leaves a proposition of the formula unknown. Some violations are missed: of the cycles that lead
//! back to a state, only those from its last and from its first visit are judged.

use crate::ltl::{Counterexample, Fairness, Step, satisfies};
use crate::system::System;
use rustc_hash::FxHashMap;
use selvedge_ltl::progression::{Progression, Status};
use selvedge_ltl::{Formula, Letter, Prop, Word};

/// The number of cycles of a run that are judged for each formula; the time for one grows with the run.
pub const MAX_CYCLES: usize = 100;

/// The part of the run that violates the formula, if there is one.
pub(super) fn violation<S: System>(
    system: &S,
    formula: &Formula<Prop>,
    run: &Counterexample<S::Action>,
    fairness: Fairness,
) -> Option<Counterexample<S::Action>> {
    let letters = known_letters(system, formula, &run.prefix);
    let (status, length) = progress(formula, &letters);
    // The formula may hold because of a later letter; a cycle before that letter may still be a violation.
    let bad_cycle = || bad_cycle(system, formula, &run.prefix[..length], &letters[..length], fairness);
    let violating = match status {
        Status::False => Some(Counterexample { prefix: run.prefix[..length].to_vec(), cycle: Vec::new() }),
        Status::True => bad_cycle(),
        Status::Open => bad_end(formula, run, &letters).or_else(bad_cycle),
    }?;
    let certain = violating.replay_violation(system, formula, fairness);
    assert!(certain, "replay: a violation whose labels were known is certain");
    Some(violating)
}

/// The labels up to the first that leaves a proposition of the formula unknown.
fn known_letters<S: System>(system: &S, formula: &Formula<Prop>, path: &[Step<S::Action>]) -> Vec<Letter> {
    let mut props = 0;
    formula.propositions(&mut |prop| props |= prop.bit());
    let is_known = |letter: &Letter| letter.may_true & letter.may_false & props == 0;
    path.iter().map(|step| system.label(&step.state)).take_while(is_known).collect()
}

/// The status after the fewest letters that decide, or after all; with their number.
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

/// The run up to a state that it visits twice, and the cycle between the visits, repeated for ever.
fn bad_cycle<S: System>(
    system: &S,
    formula: &Formula<Prop>,
    path: &[Step<S::Action>],
    letters: &[Letter],
    fairness: Fairness,
) -> Option<Counterexample<S::Action>> {
    // The first step of the cycle leaves the state of the first visit.
    let is_bad = |(before, now): &(usize, usize)| {
        let (prefix, cycle) = (letters[..=*before].to_vec(), letters[before + 1..=*now].to_vec());
        let moves = path[before + 1..=*now].iter();
        let moves = moves.map(|step| (step.action.map_or(0, |action| system.movers(action)), &*step.state));
        !satisfies(&Word { prefix, cycle }, formula) && fairness.admits(system, moves)
    };
    let (before, now) = cycles(path).take(MAX_CYCLES).find(is_bad)?;
    let (prefix, cycle) = (path[..=before].to_vec(), path[before + 1..=now].to_vec());
    Some(Counterexample { prefix, cycle }.shortened())
}

/// The cycles of the path, as index ranges: back to the last visit of a state, and to its first if that is
/// another.
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
