//! The case studies without pruning; `MVar` against the naive search, too.

use super::reference::{Op, Reference};
use crate::cases::mvar::{M, mvar};
use crate::cases::semaphore::semaphore;
use crate::cases::stacks::{CasStack, LockStack, peeked_stack, stack, stack_with_wrong_push2};
use crate::consequences::{Consequences, Domains};
use selvedge::discover::{Limits, Pruning, Signature, Value, first_values};
use std::fmt::Debug;
use std::sync::Arc;

const SIZE: usize = 6;
const VALUES: usize = 3;

fn limits() -> Limits {
    Limits::size(SIZE).values(VALUES).seeds(4).workers(2).conditions(false).progress(false)
}

/// Whatever is a law without pruning follows from the laws with all of it, and with each part of it.
#[track_caller]
fn check<S, X, O>(signature: &Signature<S, X, O>)
where
    S: Send + Sync + 'static,
    X: Value,
    O: Ord + Clone + Debug + Send + Sync + 'static,
{
    let discover = |pruning: Pruning| signature.discover(limits().pruning(pruning));
    let all = discover(Pruning::NONE);
    assert!(all.is_complete() && !all.laws().is_empty(), "{all}");
    let alone = [
        Pruning::ALL,
        Pruning { neutral: true, ..Pruning::NONE },
        Pruning { consequences: true, ..Pruning::NONE },
        Pruning { most_general: true, ..Pruning::NONE },
        Pruning { congruent: true, ..Pruning::NONE },
    ];
    for pruning in alone {
        let pruned = discover(pruning);
        let consequences = Consequences::of(&pruned, &Domains::of(VALUES));
        for law in all.laws() {
            assert!(consequences.has(&law.statement), "{pruning:?}: {law} does not follow from\n{pruned}");
        }
    }
}

#[test]
fn every_law_of_the_mvar_follows_from_reported_laws() {
    check(&mvar());
}

#[test]
fn every_law_of_the_stacks_follows_from_reported_laws() {
    check(&stack::<LockStack>());
    check(&stack_with_wrong_push2::<CasStack>());
    check(&peeked_stack::<LockStack>());
}

#[test]
fn every_law_of_the_semaphore_follows_from_reported_laws() {
    check(&semaphore());
}

#[test]
fn every_law_of_the_mvar_that_the_naive_search_finds_follows() {
    let op = |name, arity, returns_integer, call: fn(&M, &[i64]) -> Option<i64>| Op {
        name,
        arity,
        is_foreground: name != "try_put",
        returns_integer,
        call: Arc::new(call),
    };
    let ops = vec![
        op("put", 1, false, |m, arguments| {
            m.put(arguments[0]);
            None
        }),
        op("take", 0, true, |m, _| Some(m.take())),
        op("read", 0, true, |m, _| Some(m.read())),
        op("try_put", 1, false, |m, arguments| {
            let _ = m.try_put(arguments[0]);
            None
        }),
    ];
    let reference = Reference {
        make: Arc::new(|x: &Option<i64>| x.map_or_else(M::empty, M::new)),
        observe: Arc::new(M::try_read),
        ops: Arc::new(ops),
        interferences: vec![Arc::new(|m: &M, _: &Option<i64>| m.put(42))],
        is_parallel: false,
        seeds: first_values(4),
        values: VALUES,
    };
    let laws = mvar().discover(limits());
    let count = reference.assert_all_follow(&laws, SIZE);
    assert!(count > laws.laws().len(), "{count}");
}
