//! Formulas over propositions, judged on every run of an exploration (Stolz and Huch, Runtime
//! Verification of Concurrent Haskell Programs, §2 to §4).

#![cfg(feature = "check")]

use crate::common::{MODELS, outcomes, verdicts};
use selvedge::cell::UnsafeCell;
use selvedge::sync::atomic::AtomicU32;
use selvedge::sync::atomic::Ordering::{Relaxed, SeqCst};
use selvedge::sync::{Arc, MVar, Mutex};
use selvedge::{Explorer, MemoryModel, Outcome, Report, Strategy, prop, thread};
use selvedge_testkit::{Random, is_long_run};
use std::collections::BTreeSet;
use std::fmt::Debug;

fn explore<T: Ord + Clone + Debug + Send + 'static>(
    strategy: Strategy,
    memory: MemoryModel,
    body: impl Fn() -> T + Send + Sync,
) -> Report<T> {
    Explorer::new().memory(memory).strategy(strategy).explore(body)
}

/// Explores the body by the reduction: it is complete, makes this many runs, and has these outcomes, which
/// are those of the exhaustive strategy.
#[track_caller]
fn check<T: Ord + Clone + Debug + Send + 'static>(
    runs: usize,
    expected: &[Outcome<T>],
    body: impl Fn() -> T + Send + Sync,
) {
    for memory in MODELS {
        let report = explore(Strategy::systematic(), memory, &body);
        let exhaustive = explore(Strategy::exhaustive(), memory, &body);
        assert_eq!(outcomes(&report), outcomes(&exhaustive), "under {memory:?}");
        assert_eq!(verdicts(&report), verdicts(&exhaustive), "under {memory:?}");
        assert_eq!(outcomes(&report), expected.iter().cloned().collect(), "under {memory:?}");
        assert!(report.is_complete(), "under {memory:?}: {report}");
        assert_eq!(report.executions(), runs, "under {memory:?}");
    }
}

fn violated<T>(name: &str) -> Outcome<T> {
    Outcome::Violated(name.to_owned())
}

/// The server and the clients of §2; each client sends one request. With an answer variable a request, or
/// one for all.
fn serve(has_own_answers: bool) {
    selvedge::check("P", "G (!\"(1,0)\" & !\"(0,1)\")");
    let requests = Arc::new(MVar::empty());
    let shared = Arc::new(MVar::empty());
    let clients = [0_u32, 1].map(|own| {
        let (requests, shared) = (requests.clone(), shared.clone());
        thread::spawn(move || {
            let answer = if has_own_answers { Arc::new(MVar::empty()) } else { shared };
            requests.put((own, answer.clone()));
            let (request, _count): (u32, u32) = answer.take();
            prop::pulse(format!("({own},{request})"));
        })
    });
    let mut count = 0;
    for _ in 0..2 {
        let (request, answer) = requests.take();
        answer.put((request, count));
        count += request;
    }
    clients.into_iter().for_each(|client| client.join().unwrap());
}

#[test]
fn a_client_that_takes_the_answer_of_another_violates_p() {
    let report = explore(Strategy::systematic(), MemoryModel::Sc, || serve(false));
    assert_eq!(outcomes(&report), [Outcome::Returned(()), violated("P")].into());
    assert!(report.is_complete());
    let table = report.outcomes()[&violated("P")].table().to_string();
    assert!(table.contains("pulse") && table.contains("\"(1,0)\""), "{table}");
}

#[test]
fn with_an_answer_variable_a_request_p_holds() {
    let report = explore(Strategy::systematic(), MemoryModel::Sc, || serve(true));
    assert_eq!(outcomes(&report), [Outcome::Returned(())].into());
    assert!(report.is_complete());
}

/// Two threads, each of which sets a proposition, and then another.
fn two_processes(formula: &'static str) -> impl Fn() + Send + Sync {
    move || {
        selvedge::check("formula", formula);
        let other = thread::spawn(|| {
            prop::set("p");
            prop::set("q");
        });
        prop::set("r");
        prop::set("s");
        other.join().unwrap();
    }
}

#[test]
fn changes_without_a_common_formula_are_independent() {
    // No formula mentions a proposition of each thread.
    check(1, &[Outcome::Returned(())], two_processes("F (p & q)"));
    // All four changes matter: six interleavings.
    check(6, &[Outcome::Returned(())], two_processes("F (p & q & r & s)"));
    // One change of each thread matters, and is ordered with the other.
    check(2, &[Outcome::Returned(()), violated("formula")], two_processes("!s W q"));
}

/// Stolz and Huch, §3.3, Figures 1 and 2: two processes that change propositions of their own have all
/// interleavings, and the next state of one is not the next state of both.
#[test]
fn exhaustive_search_makes_the_paths_of_two_processes_and_a_formula_with_next_differs_on_them() {
    use selvedge_ltl::semantics::holds;
    use selvedge_ltl::{Alphabet, Formula, Letter, Word};
    let paths = std::sync::Mutex::new(BTreeSet::new());
    let explorer = Explorer::new().strategy(Strategy::exhaustive());
    explorer.explore_visiting(two_processes("F (p & q & r & s)"), |_, trace| {
        let is_change = |number: &usize| trace.steps()[*number].event.action.kind.changes_proposition();
        let changes = (0..trace.len()).filter(is_change).map(|number| trace.values[number].clone());
        paths.lock().unwrap().insert(changes.collect::<Vec<String>>());
    });
    let paths = paths.into_inner().unwrap();
    assert_eq!(paths.len(), 6, "{paths:?}");
    let mut alphabet = Alphabet::default();
    let mut number = |text: &str| alphabet.number(&text.parse::<Formula<String>>().unwrap()).unwrap();
    let (next, until) = (number("F (!p & X (p & X q))"), number("F (!p & (!p U (p & (p U q))))"));
    let word = |path: &Vec<String>| {
        let bit = |name: &String| alphabet.find(name).map_or(0, |prop| prop.bit());
        let states = path.iter().scan(0, |state, name| {
            *state |= bit(name);
            Some(Letter::exactly(*state))
        });
        let states: Vec<Letter> = [Letter::exactly(0)].into_iter().chain(states).collect();
        Word::lasso(states.clone(), [*states.last().unwrap()])
    };
    let satisfied = |formula| paths.iter().filter(|path| holds(&word(path), formula)).count();
    // The other process makes a state between `p` and `q` in three of them.
    assert_eq!((satisfied(&next), satisfied(&until)), (3, 6));
}

#[test]
fn changes_that_no_formula_mentions_add_no_runs() {
    check(1, &[Outcome::Returned(())], || {
        let other = thread::spawn(|| (0..4).for_each(|number| prop::pulse(("other", number))));
        (0..4).for_each(|number| prop::pulse(("own", number)));
        other.join().unwrap();
    });
}

#[test]
fn setting_what_holds_only_reads() {
    check(1, &[Outcome::Returned(())], || {
        prop::set("p");
        selvedge::check("formula", "G p & G (q -> F p)");
        let other = thread::spawn(|| prop::set("p"));
        prop::set("p");
        other.join().unwrap();
    });
}

#[test]
fn the_last_state_stays_for_ever() {
    check(1, &[violated("answered")], || {
        selvedge::check("answered", "G (request -> F answer)");
        selvedge::check("quiet", "F G !request");
        prop::pulse("request");
    });
    check(1, &[violated("a, b")], || {
        selvedge::check("a", "F p");
        selvedge::check("b", "F q");
    });
}

#[test]
fn a_deadlock_violates_what_would_have_to_come() {
    check(1, &[violated("done")], || {
        selvedge::check("done", "F done");
        MVar::<()>::empty().take();
        prop::set("done");
    });
    check(1, &[Outcome::<()>::Deadlock], || {
        selvedge::check("safe", "G !done");
        MVar::<()>::empty().take();
        prop::set("done");
    });
}

/// What a spinning thread does after it gives up is part of the run.
#[test]
fn a_loop_that_gives_up_is_judged_at_the_end_of_its_run() {
    let body = |gives_up: bool| {
        move || {
            selvedge::check("done", "F done");
            let flag = AtomicU32::new(0);
            let mut rounds = 0;
            while flag.load(SeqCst) == 0 && (!gives_up || rounds < 3) {
                rounds += 1;
                thread::yield_now();
            }
            prop::set("done");
        }
    };
    for strategy in [Strategy::systematic, Strategy::exhaustive] {
        let report = explore(strategy(), MemoryModel::Sc, body(true));
        assert_eq!(outcomes(&report), [Outcome::Returned(())].into());
        assert!(!report.is_complete(), "runs in which it gives up earlier are not made");
        let report = explore(strategy(), MemoryModel::Sc, body(false));
        assert_eq!(outcomes(&report), [violated("done")].into());
    }
}

#[test]
fn a_panic_stays_a_panic() {
    check(1, &[Outcome::<()>::Panicked("as expected".to_owned())], || {
        selvedge::check("done", "F done");
        panic!("as expected");
    });
}

#[test]
fn changes_after_the_return_of_the_body_do_not_count() {
    check(2, &[Outcome::Returned(()), violated("done")], || {
        selvedge::check("done", "F done");
        thread::spawn(|| prop::set("done"));
    });
}

#[test]
fn a_formula_is_judged_from_where_it_is_added() {
    check(2, &[Outcome::Returned(()), violated("never")], || {
        let other = thread::spawn(|| prop::pulse("p"));
        selvedge::check("never", "G !p");
        other.join().unwrap();
    });
}

#[test]
fn a_change_that_waits_while_a_formula_is_added_is_mentioned_by_it() {
    // Both changes may be announced before the formula is added. If both are made before, their order
    // does not matter: five traces.
    check(5, &[Outcome::Returned(()), violated("order")], || {
        let threads = [thread::spawn(|| prop::set("p")), thread::spawn(|| prop::set("q"))];
        selvedge::check("order", "!q W p");
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn templates_are_judged_on_every_run() {
    check(6, &[Outcome::Returned(()), violated("exclusive")], || {
        selvedge::check("exclusive", "forall t1 != t2: G !(critical(t1) & critical(t2))");
        let enter = |number: u32| {
            prop::set(("critical", number));
            prop::release(("critical", number));
        };
        let other = thread::spawn(move || enter(1));
        enter(2);
        other.join().unwrap();
    });
    let lock = || {
        selvedge::check("exclusive", "forall t1 != t2: G !(critical(t1) & critical(t2))");
        let mutex = Arc::new(Mutex::new(()));
        let enter = |mutex: &Mutex<()>, number: u32| {
            let _guard = mutex.lock().unwrap();
            prop::set(("critical", number));
            prop::release(("critical", number));
        };
        let shared = mutex.clone();
        let other = thread::spawn(move || enter(&shared, 1));
        enter(&mutex, 2);
        other.join().unwrap();
    };
    check(2, &[Outcome::Returned(())], lock);
}

#[test]
fn a_change_drains_no_store_buffer_and_orders_no_access() {
    let body = || {
        let [x, y] = [(); 2].map(|()| Arc::new(AtomicU32::new(0)));
        let (x2, y2) = (x.clone(), y.clone());
        let other = thread::spawn(move || {
            y2.store(1, Relaxed);
            prop::set("p");
            x2.load(Relaxed)
        });
        x.store(1, Relaxed);
        prop::set("q");
        let found = y.load(Relaxed);
        (found, other.join().unwrap())
    };
    let report = explore(Strategy::systematic(), MemoryModel::Tso, body);
    assert!(report.values().any(|found| *found == (0, 0)), "{report}");
    let race = || {
        let cell = Arc::new(Shared(UnsafeCell::new(0)));
        let shared = cell.clone();
        selvedge::check("formula", "G (p -> F q)");
        let other = thread::spawn(move || {
            prop::pulse("p");
            shared.write(1);
        });
        cell.write(2);
        prop::pulse("q");
        other.join().unwrap();
    };
    let report = explore(Strategy::systematic(), MemoryModel::Sc, race);
    assert!(report.outcomes().keys().all(|outcome| matches!(outcome, Outcome::DataRace(_))), "{report}");
}

/// Data that threads write without synchronisation.
struct Shared(UnsafeCell<u32>);

// SAFETY: threads of an exploration do not run at the same time; the data race is found, not executed.
#[allow(unsafe_code)]
unsafe impl Sync for Shared {}

impl Shared {
    fn write(&self, value: u32) {
        // SAFETY: as above.
        #[allow(unsafe_code)]
        self.0.with_mut(|place| unsafe { *place = value });
    }
}

#[test]
fn a_formula_that_counts_states_is_refused() {
    let report = selvedge::explore(|| selvedge::check("next", "G (p -> X q)"));
    let messages: Vec<String> = report.outcomes().keys().map(ToString::to_string).collect();
    assert!(messages[0].contains("depends on how often a state is repeated"), "{messages:?}");
}

/// A step of a generated program.
#[derive(Clone, Copy, Debug)]
enum Op {
    Set(usize),
    Release(usize),
    Pulse(usize),
    Check(usize),
    Store(usize),
    /// Sets the first proposition if the atomic is set, and the second if not.
    Branch(usize, usize, usize),
    Lock,
    Fail,
}

const PROPS: [&str; 3] = ["p", "q", "r"];

const FORMULAS: [&str; 9] = [
    "G !(p & q)",
    "F (p & r)",
    "G (p -> F q)",
    "!r W p",
    "F G p",
    "G F q",
    "G (r -> O p)",
    "(p U q) | G !r",
    "F (p & F (!p & F p))",
];

impl Op {
    fn draw(random: &mut Random) -> Op {
        let mut below = |bound: usize| random.below(bound);
        match below(14) {
            0..4 => Op::Set(below(3)),
            4..6 => Op::Release(below(3)),
            6..8 => Op::Pulse(below(3)),
            8 => Op::Check(below(FORMULAS.len())),
            9 | 10 => Op::Store(below(2)),
            11 => Op::Branch(below(2), below(3), below(3)),
            12 => Op::Lock,
            _ if below(3) == 0 => Op::Fail,
            _ => Op::Set(below(3)),
        }
    }

    fn execute(self, atomics: &[AtomicU32; 2], mutex: &Mutex<()>) {
        match self {
            Op::Set(prop) => prop::set(PROPS[prop]),
            Op::Release(prop) => prop::release(PROPS[prop]),
            Op::Pulse(prop) => prop::pulse(PROPS[prop]),
            Op::Check(formula) => selvedge::check(FORMULAS[formula], FORMULAS[formula]),
            Op::Store(atomic) => atomics[atomic].store(1, Relaxed),
            Op::Branch(atomic, one, other) => {
                let chosen = if atomics[atomic].load(Relaxed) == 1 { one } else { other };
                prop::set(PROPS[chosen]);
            }
            Op::Lock => drop(mutex.lock()),
            Op::Fail => panic!("as drawn"),
        }
    }
}

/// Threads, the last of which is the body; whether it joins the others; and formulas at the start.
#[derive(Clone, Debug)]
struct Program {
    threads: Vec<Vec<Op>>,
    joins: bool,
    formulas: Vec<usize>,
}

impl Program {
    fn draw(random: &mut Random) -> Program {
        let count = 2 + random.below(2);
        let thread = |random: &mut Random| {
            let length = 1 + random.below(if count == 2 { 4 } else { 2 });
            (0..length).map(|_| Op::draw(random)).collect()
        };
        let threads = (0..count).map(|_| thread(random)).collect();
        let formulas = (0..random.below(3)).map(|_| random.below(FORMULAS.len())).collect();
        Program { threads, joins: random.below(3) != 0, formulas }
    }

    fn run(&self) -> usize {
        for formula in &self.formulas {
            selvedge::check(FORMULAS[*formula], FORMULAS[*formula]);
        }
        let shared = Arc::new(([AtomicU32::new(0), AtomicU32::new(0)], Mutex::new(())));
        let (body, others) = self.threads.split_last().expect("a body");
        let others: Vec<_> = others
            .iter()
            .map(|ops| {
                let (ops, shared) = (ops.clone(), shared.clone());
                thread::spawn(move || ops.iter().for_each(|op| op.execute(&shared.0, &shared.1)))
            })
            .collect();
        body.iter().for_each(|op| op.execute(&shared.0, &shared.1));
        if self.joins {
            others.into_iter().for_each(|thread| drop(thread.join()));
        }
        shared.0.iter().filter(|atomic| atomic.load(SeqCst) == 1).count()
    }
}

#[test]
fn generated_programs_with_formulas_have_the_outcomes_of_exhaustive_search() {
    let count = if is_long_run() { 20_000 } else { 2_000 };
    for (seed, memory) in (41..).zip(MODELS) {
        let mut random = Random(seed);
        let (mut compared, mut with_violations, mut with_both) = (0, 0, 0);
        for _ in 0..count {
            let program = Program::draw(&mut random);
            let exhaustive =
                Explorer::new().memory(memory).strategy(Strategy::exhaustive()).max_executions(3_000);
            let expected = exhaustive.explore(|| program.run());
            if expected.limit().is_some() {
                continue;
            }
            let report = explore(Strategy::systematic(), memory, || program.run());
            assert_eq!(outcomes(&report), outcomes(&expected), "under {memory:?}: {program:?}");
            assert_eq!(verdicts(&report), verdicts(&expected), "under {memory:?}: {program:?}");
            assert!(report.is_complete(), "under {memory:?}: {program:?}");
            compared += 1;
            with_both += usize::from(verdicts(&report).values().any(|verdicts| *verdicts == (true, true)));
            let is_violation = |outcome: &Outcome<usize>| matches!(outcome, Outcome::Violated(_));
            with_violations += usize::from(outcomes(&report).iter().any(is_violation));
        }
        assert!(compared > count * 3 / 4, "{compared} of {count} programs were compared");
        assert!(with_violations > count / 4, "{with_violations} of {count} programs have violations");
        assert!(with_both > count / 10, "{with_both} of {count} programs satisfy and violate a formula");
    }
}
