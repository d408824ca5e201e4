//! Atomic references: each transition rule of Figure 5 of Walker's thesis, by name (a `CRef` there is an
//! `AtomicRef` here), and the points that the figure leaves open: when values are dropped, and what a
//! modifying function may do.

use super::panic_of;
use selvedge::runs::Kind;
use selvedge::sync::{Arc, AtomicRef};
use selvedge::{Explorer, MemoryModel, Outcome, Report, Strategy, thread};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use MemoryModel::{Pso, Sc, Tso};

type Seen = BTreeSet<Vec<u32>>;
type Refs = [AtomicRef<u32>; 3];
type Work = fn(&Refs) -> Vec<u32>;

fn explore(memory: MemoryModel, body: impl Fn() -> Vec<u32> + Send + Sync + 'static) -> Report<Vec<u32>> {
    explore_by(Strategy::exhaustive(), memory, body)
}

fn explore_by(
    strategy: Strategy,
    memory: MemoryModel,
    body: impl Fn() -> Vec<u32> + Send + Sync + 'static,
) -> Report<Vec<u32>> {
    // One type of body, so that the engine is compiled once.
    let body: Box<dyn Fn() -> Vec<u32> + Send + Sync> = Box::new(body);
    let report = Explorer::new().memory(memory).strategy(strategy).explore(body);
    assert!(report.is_complete(), "{report}");
    report
}

fn seen(memory: MemoryModel, body: impl Fn() -> Vec<u32> + Send + Sync + 'static) -> Seen {
    let returned = |outcome: &Outcome<Vec<u32>>| outcome.returned().expect("a body that returns").clone();
    explore(memory, body).outcomes().keys().map(returned).collect()
}

fn refs() -> Arc<Refs> {
    Arc::new(std::array::from_fn(|_| AtomicRef::new(0)))
}

/// The observations of two threads that share three references to 0.
fn of_two(memory: MemoryModel, one: Work, other: Work) -> Seen {
    seen(memory, move || {
        let refs = refs();
        let theirs = refs.clone();
        let thread = thread::spawn(move || one(&theirs));
        let mine = other(&refs);
        [thread.join().unwrap(), mine].concat()
    })
}

/// Sets of observations, written as digits.
fn digits(text: &str) -> Seen {
    let digit = |digit: char| digit.to_digit(10).expect("a digit");
    text.split_whitespace().map(|word| word.chars().map(digit).collect()).collect()
}

#[track_caller]
fn check(one: Work, other: Work, [sc, tso, pso]: [&str; 3]) {
    for (memory, expected) in [(Sc, sc), (Tso, tso), (Pso, pso)] {
        assert_eq!(of_two(memory, one, other), digits(expected), "under {memory:?}");
    }
}

/// Store buffering, with an operation between the store and the load of both threads: is the reordering
/// ruled out?
fn is_barrier(between: fn(&AtomicRef<u32>)) -> bool {
    let both_miss = |memory| {
        let body = move || {
            let (refs, own) = (refs(), [AtomicRef::new(0), AtomicRef::new(0)]);
            let [mine, other] = own;
            let theirs = refs.clone();
            let thread = thread::spawn(move || {
                theirs[0].store(1);
                between(&other);
                *theirs[1].load()
            });
            refs[1].store(1);
            between(&mine);
            vec![*refs[0].load(), thread.join().unwrap()]
        };
        // There are many runs; other tests compare the reduction with all of them.
        let report = explore_by(Strategy::systematic(), memory, body);
        report.outcomes().contains_key(&Outcome::Returned(vec![0, 0]))
    };
    assert!(!both_miss(Sc));
    assert_eq!(both_miss(Tso), both_miss(Pso));
    !both_miss(Tso)
}

#[test]
fn a_new_cref_is_fresh_and_holds_its_value() {
    let made = || {
        let (one, other) = (AtomicRef::new(1), AtomicRef::from(2));
        one.store(3);
        vec![*one.load(), *other.load(), *AtomicRef::<u32>::default().load()]
    };
    assert_eq!(seen(Tso, made), digits("320"));
    // It is no step: no other thread can know the reference yet.
    let report = explore(Tso, || {
        drop(AtomicRef::new(1));
        vec![]
    });
    assert_eq!(report.outcomes()[&Outcome::Returned(vec![])].len(), 0);
}

#[test]
fn a_read_cref_sees_the_buffered_writes_of_its_own_thread_only() {
    let one = |refs: &Refs| {
        refs[0].store(1);
        vec![*refs[0].load(), *refs[1].load()]
    };
    let other = |refs: &Refs| {
        refs[1].store(1);
        vec![*refs[1].load(), *refs[0].load()]
    };
    check(one, other, ["1011 1110 1111", "1010 1011 1110 1111", "1010 1011 1110 1111"]);
    assert!(!is_barrier(|own| drop(own.load())));
}

#[test]
fn a_read_cref_cas_gives_a_ticket_of_the_value_that_its_thread_sees() {
    // The value of the ticket, whether it was still valid, the final value. A ticket of the thread's own
    // buffered store is valid once that store is committed, whatever the value before.
    let one = |refs: &Refs| {
        refs[0].store(1);
        let ticket = refs[0].ticket();
        let is_good = refs[0].compare_exchange(&ticket, 2).is_ok();
        vec![*ticket, u32::from(is_good)]
    };
    let other = |refs: &Refs| {
        refs[0].store(5);
        vec![]
    };
    for memory in [Sc, Tso, Pso] {
        assert_eq!(of_two(memory, one, other), digits("11 10 51"), "under {memory:?}");
    }
    assert!(!is_barrier(|own| drop(own.ticket())));
}

#[test]
fn a_write_cref_goes_to_memory_if_consistency_is_sequential() {
    let report = explore(Sc, || {
        let refs = refs();
        refs[0].store(1);
        vec![*refs[0].load()]
    });
    let trace = &report.outcomes()[&Outcome::Returned(vec![1])];
    let kinds: Vec<_> = trace.steps().iter().map(|step| step.event.action.kind).collect();
    assert_eq!((report.executions(), kinds), (1, vec![Kind::Store, Kind::Load]));
}

#[test]
fn a_write_cref_is_buffered_unless_consistency_is_sequential() {
    // Store buffering.
    let one = |refs: &Refs| {
        refs[0].store(1);
        vec![*refs[1].load()]
    };
    let other = |refs: &Refs| {
        refs[1].store(1);
        vec![*refs[0].load()]
    };
    check(one, other, ["01 10 11", "00 01 10 11", "00 01 10 11"]);
    assert!(!is_barrier(|own| own.store(1)));
}

#[test]
fn writes_to_two_crefs_are_seen_out_of_order_under_partial_store_order_only() {
    // Message passing.
    let one = |refs: &Refs| {
        refs[0].store(1);
        refs[1].store(1);
        vec![]
    };
    let other = |refs: &Refs| vec![*refs[1].load(), *refs[0].load()];
    check(one, other, ["00 01 11", "00 01 11", "00 01 10 11"]);
}

#[test]
fn a_mod_cref_drains_and_is_atomic() {
    let modify = |refs: &Refs| vec![refs[0].modify(|value| (value + 1, *value))];
    let store = |refs: &Refs| {
        refs[0].store(5);
        vec![refs[0].modify(|value| (value + 1, *value))]
    };
    check(modify, modify, ["01 10"; 3]);
    check(modify, store, ["05 56 65"; 3]);
    assert!(is_barrier(|own| own.modify(|value| (*value, ()))));
    assert!(is_barrier(|own| drop(own.swap(1))));
}

#[test]
fn a_mod_cref_cas_is_one_action_that_drains() {
    let modify = |refs: &Refs| vec![refs[0].modify_cas(|value| (value + 1, *value))];
    check(modify, modify, ["01 10"; 3]);
    assert!(is_barrier(|own| own.modify_cas(|value| (*value, ()))));
    let report = explore(Tso, || vec![refs()[0].modify_cas(|value| (value + 1, *value))]);
    let trace = &report.outcomes()[&Outcome::Returned(vec![0])];
    let kinds: Vec<_> = trace.steps().iter().map(|step| step.event.action.kind).collect();
    assert_eq!(kinds, [Kind::Update]);
}

#[test]
fn a_cas_cref_of_the_newest_version_drains_and_replaces_it() {
    let body = || {
        let reference = AtomicRef::new(0);
        let ticket = reference.ticket();
        let newer = reference.compare_exchange(&ticket, 1).expect("no change came between");
        let newest = reference.compare_exchange(&newer, 2).expect("a ticket of the new version");
        vec![*ticket, *newer, *newest, *reference.load()]
    };
    assert_eq!(seen(Tso, body), digits("0122"));
    assert!(is_barrier(|own| {
        let ticket = own.ticket();
        own.compare_exchange(&ticket, 1).expect("no change came between");
    }));
}

#[test]
fn a_cas_cref_of_an_older_version_drains_and_gives_a_newer_ticket() {
    let body = || {
        let reference = AtomicRef::new(0);
        let ticket = reference.ticket();
        reference.store(1);
        reference.store(0);
        // The value is the same, the version is not.
        let newer = reference.compare_exchange(&ticket, 2).expect_err("a change came between");
        let retried = reference.compare_exchange(&newer, 3).is_ok();
        vec![*newer, u32::from(retried), *reference.load()]
    };
    for memory in [Sc, Tso, Pso] {
        assert_eq!(seen(memory, body), digits("013"));
    }
    assert!(is_barrier(|own| {
        let ticket = own.ticket();
        own.swap(1);
        // The swap has drained before the store, which this exchange waits for.
        own.store(2);
        own.compare_exchange(&ticket, 3).expect_err("an old ticket");
    }));
}

#[test]
fn of_two_exchanges_with_tickets_of_one_version_one_succeeds() {
    let one = |refs: &Refs| {
        let ticket = refs[0].ticket();
        let result = refs[0].compare_exchange(&ticket, *ticket + 1);
        vec![result.map_or_else(|current| *current + 5, |new| *new)]
    };
    // A failed exchange finds 1, the other thread's value.
    check(one, one, ["12 21 16 61"; 3]);
}

#[test]
fn a_commit_brings_the_oldest_write_to_memory_as_a_new_version() {
    let one = |refs: &Refs| {
        refs[0].store(1);
        refs[0].store(2);
        vec![]
    };
    let other = |refs: &Refs| vec![*refs[0].load(), *refs[0].load()];
    check(one, other, ["00 01 02 11 12 22"; 3]);
    // Then a ticket of the value before is of an old version.
    let exchange = |refs: &Refs| {
        let ticket = refs[0].ticket();
        vec![*ticket, refs[0].compare_exchange(&ticket, 9).map_or_else(|current| *current, |new| *new)]
    };
    check(one, exchange, ["09 01 02 19 12 29"; 3]);
    let report = explore(Tso, || {
        let refs = refs();
        refs[0].store(1);
        vec![*refs[0].swap(2)]
    });
    let table = report.outcomes()[&Outcome::Returned(vec![1])].table().to_string();
    let words = table.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(" store, commit ref#1 ") && words.contains(" update ref#1 "), "{table}");
}

#[test]
fn a_ticket_of_another_reference_is_never_valid() {
    let body = || {
        let refs = refs();
        let ticket = refs[0].ticket();
        vec![u32::from(refs[1].compare_exchange(&ticket, 1).is_ok()), *refs[1].load()]
    };
    assert_eq!(seen(Tso, body), digits("00"));
    let refs = refs();
    let ticket = refs[0].ticket();
    assert!(refs[1].compare_exchange(&ticket, 1).is_err());
}

/// Counts the dropped values.
struct Counted(Arc<AtomicU32>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, SeqCst);
    }
}

#[test]
fn a_replaced_value_is_dropped_once() {
    let body = || {
        let dropped = Arc::new(AtomicU32::new(0));
        let new = || Counted(dropped.clone());
        let reference = AtomicRef::new(new());
        let mut seen = Vec::new();
        let mut record = || seen.push(dropped.load(SeqCst));
        reference.store(new());
        record();
        drop(reference.swap(new()));
        record();
        let ticket = reference.ticket();
        reference.modify(|_| (new(), ()));
        record();
        drop(ticket);
        record();
        drop(reference);
        record();
        seen
    };
    // A commit drops nothing: the replaced value is dropped by the next operation that is no plain store.
    let [at_once, later] = ["12234", "02234"].map(digits);
    assert_eq!([Sc, Tso, Pso].map(|memory| seen(memory, body)), [at_once.clone(), later.clone(), later]);
    assert_eq!(BTreeSet::from([body()]), at_once);
}

#[test]
fn a_swapped_out_value_belongs_to_the_caller() {
    let body = || {
        let reference = AtomicRef::new(1);
        let old = Arc::try_unwrap(reference.swap(2)).expect("the only owner");
        reference.store(3);
        let text = format!("{reference:?} {:?}", reference.ticket());
        assert_eq!(text, "AtomicRef(3) Ticket(3)");
        vec![old, Arc::try_unwrap(reference.into_inner()).unwrap_or(9)]
    };
    for memory in [Sc, Tso, Pso] {
        assert_eq!(seen(memory, body), digits("13"), "{memory:?}");
    }
    assert_eq!(body(), [1, 3]);
}

#[test]
fn a_modifying_function_must_not_take_visible_steps() {
    let impure = |body: fn() -> Vec<u32>| {
        let message = panic_of(|| explore(Sc, body)).expect("it is refused");
        assert!(message.contains("`modify` of an AtomicRef must only compute"), "{message}");
    };
    impure(|| {
        let (one, other) = (AtomicRef::new(0), AtomicRef::new(0));
        vec![one.modify(|value| (*other.load(), *value))]
    });
    impure(|| {
        let one = AtomicRef::new(0);
        vec![one.modify(|value| (*one.load(), *value))]
    });
    // A function that panics changes nothing.
    let panics = || {
        let one = AtomicRef::new(7);
        let function = || one.modify(|_| -> (u32, u32) { std::panic::resume_unwind(Box::new(())) });
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(function));
        vec![u32::from(result.is_err()), *one.load()]
    };
    assert_eq!(seen(Tso, panics), digits("17"));
    assert_eq!(panics(), [1, 7]);
}

#[test]
fn a_reference_that_outlives_its_run_is_refused() {
    let shared = Arc::new(AtomicRef::new(0));
    let body = move || {
        let other = shared.clone();
        let thread = thread::spawn(move || other.store(1));
        shared.store(2);
        thread.join().unwrap();
        vec![]
    };
    let message = panic_of(|| explore(Tso, body)).expect("it is refused");
    assert!(message.starts_with("selvedge: this ref, made at "), "{message}");
}

#[test]
fn a_thread_that_polls_a_reference_spins_until_the_store_is_committed() {
    let one = |refs: &Refs| {
        refs[0].store(1);
        vec![]
    };
    let other = |refs: &Refs| {
        while *refs[0].load() == 0 {
            thread::yield_now();
        }
        vec![1]
    };
    check(one, other, ["1"; 3]);
}
