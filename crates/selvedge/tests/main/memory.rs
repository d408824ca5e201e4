//! Store buffers as a program sees them: which actions drain them, what happens to atomics that are moved,
//! consumed or printed while stores to them are buffered, and what a trace shows.

#![cfg(feature = "check")]

use selvedge::runs::{Action, Event, EventId, Kind, Next, ReadsFrom, Scheduler, Trace};
use selvedge::sync::atomic::{AtomicBool, AtomicI8, AtomicPtr, AtomicU32, Ordering, fence};
use selvedge::sync::{Arc, AtomicRef, Barrier, Condvar, MVar, Mutex, Once, RwLock, mpsc};
use selvedge::thread::{self, Thread};
use selvedge::{Explorer, MemoryModel, Outcome, Report, Strategy};
use std::fmt::Debug;

use MemoryModel::{Pso, Sc, Tso};
use Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};

/// Explores all runs under a model; the reduction must find the same outcomes.
#[track_caller]
fn explore<T: Ord + Clone + Debug + Send + 'static>(
    model: MemoryModel,
    body: impl Fn() -> T + Send + Sync,
) -> Report<T> {
    let explore = |strategy| Explorer::new().memory(model).strategy(strategy).explore(&body);
    let (all, reduced) = (explore(Strategy::exhaustive()), explore(Strategy::systematic()));
    assert!(all.is_complete());
    assert!(all.outcomes().keys().eq(reduced.outcomes().keys()), "{all} {reduced}");
    all
}

#[track_caller]
fn check<T: Ord + Clone + Debug + Send + 'static>(
    model: MemoryModel,
    body: impl Fn() -> T + Send + Sync,
    expected: &[T],
) {
    let report = explore(model, body);
    let expected: Vec<Outcome<T>> = expected.iter().cloned().map(Outcome::Returned).collect();
    assert!(report.outcomes().keys().eq(expected.iter()), "{model:?}: {report}");
}

/// Store buffering with an action between store and load. Can both loads miss the other thread's store?
fn both_miss(model: MemoryModel, between: impl Fn() + Copy + Send + Sync + 'static) -> bool {
    both_miss_beside(model, move |_| between())
}

/// The same; the action is given a thread that has ended.
fn both_miss_beside(model: MemoryModel, between: impl Fn(&Thread) + Copy + Send + Sync + 'static) -> bool {
    let report = explore(model, move || {
        let memory = Arc::new([AtomicU32::new(0), AtomicU32::new(0)]);
        let shared = memory.clone();
        let ended = thread::spawn(|| ());
        let third = ended.thread().clone();
        ended.join().unwrap();
        let side = move |mine: usize, memory: &[AtomicU32; 2]| {
            memory[mine].store(1, Relaxed);
            between(&third);
            memory[1 - mine].load(Relaxed)
        };
        let same = side.clone();
        let other = thread::spawn(move || same(1, &shared));
        (side(0, &memory), other.join().unwrap())
    });
    report.outcomes().contains_key(&Outcome::Returned((0, 0)))
}

#[test]
fn the_draining_actions_of_the_table_drain_a_buffer() {
    let draining: [(&str, fn()); 21] = [
        ("fence(SeqCst)", || fence(SeqCst)),
        ("SeqCst store", || AtomicU32::new(0).store(1, SeqCst)),
        ("update", || _ = AtomicU32::new(0).fetch_add(1, Relaxed)),
        ("failed exchange", || _ = AtomicU32::new(0).compare_exchange(1, 2, Relaxed, Relaxed)),
        ("mutex", || drop(Mutex::new(0).lock())),
        ("try_lock", || drop(Mutex::new(0).try_lock())),
        ("rwlock", || drop(RwLock::new(0).read())),
        ("notify", || Condvar::new().notify_all()),
        ("once", || Once::new().call_once(|| ())),
        ("barrier", || _ = Barrier::new(1).wait()),
        ("send", || _ = mpsc::channel().0.send(1)),
        ("try_recv", || _ = mpsc::channel::<u32>().1.try_recv()),
        ("mvar", || _ = MVar::empty().try_put(1)),
        ("swap of a reference", || _ = AtomicRef::new(0).swap(1)),
        ("modify of a reference", || AtomicRef::new(0).modify(|value| (value + 1, ()))),
        ("unpark", || thread::current().unpark()),
        ("effect", || selvedge::effect(|| ())),
        ("spawn", || drop(thread::spawn(|| ()))),
        ("atomically", || selvedge::stm::atomically(|_| Ok(()))),
        ("point", selvedge::interrupt::point),
        ("park", || {
            thread::current().unpark();
            thread::park();
        }),
    ];
    for (name, between) in draining {
        assert!(!both_miss(Tso, between), "{name}");
        assert!(!both_miss(Pso, between), "{name}");
    }
}

#[test]
fn throwing_an_exception_to_a_thread_drains_a_buffer() {
    for model in [Tso, Pso] {
        assert!(both_miss_beside(model, |_| ()));
        assert!(!both_miss_beside(model, selvedge::interrupt::kill));
    }
}

#[test]
fn the_other_actions_of_the_table_do_not_drain_a_buffer() {
    let not_draining: [(&str, fn()); 13] = [
        ("nothing", || ()),
        ("fence(Release)", || fence(Release)),
        ("fence(Acquire)", || fence(Acquire)),
        ("fence(AcqRel)", || fence(AcqRel)),
        ("load", || _ = AtomicU32::new(0).load(SeqCst)),
        ("Release store", || AtomicU32::new(0).store(1, Release)),
        ("load of a reference", || _ = AtomicRef::new(0).load()),
        ("store to a reference", || AtomicRef::new(0).store(1)),
        ("parallelism", || _ = thread::available_parallelism()),
        ("yield", thread::yield_now),
        ("sleep", || thread::sleep(std::time::Duration::from_millis(1))),
        ("now", || _ = selvedge::time::Instant::now()),
        ("choose", || _ = selvedge::choose(2)),
    ];
    for (name, between) in not_draining {
        assert!(both_miss(Tso, between), "{name}");
        assert!(both_miss(Pso, between), "{name}");
        assert!(!both_miss(Sc, between), "{name}");
    }
}

#[test]
fn a_release_fence_orders_the_stores_around_it_and_no_others_under_pso() {
    let body = |fences: [bool; 2]| {
        move || {
            let memory = Arc::new([const { AtomicU32::new(0) }; 3]);
            let shared = memory.clone();
            let writer = thread::spawn(move || {
                for location in 0..3 {
                    shared[location].store(1, Relaxed);
                    if location < 2 && fences[location] {
                        fence(Release);
                    }
                }
            });
            let seen = [2, 1, 0].map(|location| memory[location].load(Relaxed));
            drop(writer);
            seen
        }
    };
    let sees =
        |fences, seen: [u32; 3]| explore(Pso, body(fences)).outcomes().contains_key(&Outcome::Returned(seen));
    // The last store is seen, the second and the first are not.
    assert!(sees([false, false], [1, 0, 0]));
    assert!(sees([true, false], [1, 0, 1]));
    assert!(!sees([true, false], [1, 0, 0]), "the first comes before the fence, the last after it");
    assert!(sees([false, true], [0, 1, 0]));
    assert!(!sees([false, true], [1, 0, 1]));
    assert!(!sees([true, true], [0, 1, 0]));
}

#[test]
fn a_thread_ends_when_its_stores_are_in_memory() {
    for model in [Tso, Pso] {
        let body = || {
            let flag = Arc::new(AtomicU32::new(0));
            let other = flag.clone();
            let thread = thread::spawn(move || other.store(1, Relaxed));
            let was_finished = thread.is_finished();
            let seen = flag.load(Relaxed);
            thread.join().unwrap();
            (was_finished, seen, flag.load(Relaxed))
        };
        check(model, body, &[(false, 0, 1), (false, 1, 1), (true, 1, 1)]);
    }
}

#[test]
fn stores_buffered_at_the_return_of_the_body_are_lost_and_cost_no_runs() {
    let body = || {
        let flag = AtomicU32::new(0);
        flag.store(1, Relaxed);
        flag.store(2, Relaxed);
        flag.load(Relaxed)
    };
    check(Tso, body, &[2]);
    assert_eq!(Explorer::new().explore(body).executions(), 1);
}

#[test]
fn an_atomic_may_be_moved_and_dropped_while_stores_to_it_are_buffered() {
    for model in [Tso, Pso] {
        let body = || {
            let flag = AtomicU32::new(0);
            flag.store(1, Relaxed);
            let moved = Box::new(flag);
            let seen = moved.load(Relaxed);
            moved.store(2, Relaxed);
            drop(moved);
            let other = AtomicU32::new(7);
            thread::yield_now();
            fence(SeqCst);
            (seen, other.load(Relaxed))
        };
        check(model, body, &[(1, 7)]);
    }
}

#[test]
fn the_sole_owner_of_an_atomic_reads_the_last_store_to_it() {
    for model in [Sc, Tso, Pso] {
        // The thread's own store, from the buffer or from memory.
        check(
            model,
            || {
                let mut one = AtomicI8::new(0);
                one.store(-1, Relaxed);
                let debug = format!("{one:?}");
                *one.get_mut() -= 1;
                let between = one.load(Relaxed);
                one.store(-3, Relaxed);
                (debug, between, one.into_inner())
            },
            &[("-1".to_owned(), -2, -3)],
        );
        // The stores of ended threads, in the order of their commits: 2+2W, read in every way.
        let body = |read: fn([AtomicU32; 2]) -> (u32, u32)| {
            move || {
                let memory = [AtomicU32::new(0), AtomicU32::new(0)];
                thread::scope(|scope| {
                    scope.spawn(|| {
                        memory[0].store(1, Relaxed);
                        memory[1].store(2, Relaxed);
                    });
                    memory[1].store(1, Relaxed);
                    memory[0].store(2, Relaxed);
                });
                read(memory)
            }
        };
        let expected: &[(u32, u32)] =
            if model == Pso { &[(1, 1), (1, 2), (2, 1), (2, 2)] } else { &[(1, 2), (2, 1), (2, 2)] };
        check(model, body(|[x, y]| (x.into_inner(), y.into_inner())), expected);
        check(model, body(|[mut x, mut y]| (*x.get_mut(), *y.get_mut())), expected);
        check(model, body(|[x, y]| (x.swap(0, Relaxed), y.fetch_max(0, Relaxed))), expected);
        check(
            model,
            body(|[x, y]| (format!("{x:?}").parse().unwrap(), format!("{y:?}").parse().unwrap())),
            expected,
        );
    }
}

#[test]
fn pointers_and_flags_pass_through_buffers_unchanged() {
    for model in [Tso, Pso] {
        check(
            model,
            || {
                let (mut one, mut two) = (1, 2);
                let pointer = AtomicPtr::new(&raw mut one);
                let flag = AtomicBool::new(false);
                pointer.store(&raw mut two, Relaxed);
                flag.store(true, Relaxed);
                let own = pointer.load(Relaxed) == &raw mut two;
                let printed = format!("{pointer:p}") == format!("{:p}", &raw mut two);
                fence(SeqCst);
                // From memory now.
                let same = pointer.load(Relaxed) == &raw mut two && flag.load(Relaxed);
                (own, printed, same, pointer.into_inner() == &raw mut two, flag.into_inner())
            },
            &[(true, true, true, true, true)],
        );
    }
}

#[test]
fn a_store_while_unwinding_goes_to_memory_with_the_stores_before_it() {
    struct Sets<'a>(&'a AtomicU32);
    impl Drop for Sets<'_> {
        fn drop(&mut self) {
            self.0.store(2, Relaxed);
        }
    }
    let body = || {
        let memory = [AtomicU32::new(0), AtomicU32::new(0)];
        let unwound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            memory[0].store(1, Relaxed);
            let _sets = Sets(&memory[1]);
            panic!("on purpose");
        }));
        let [x, y] = memory;
        (unwound.is_err(), x.into_inner(), y.into_inner())
    };
    check(Tso, body, &[(true, 1, 2)]);
    check(Pso, body, &[(true, 1, 2)]);
}

#[test]
fn orderings_that_std_refuses_are_refused() {
    let refuses = |body: fn()| {
        let report = explore(Tso, body);
        matches!(report.outcomes().keys().next(), Some(Outcome::Panicked(message)) if message.contains("no such thing"))
    };
    assert!(refuses(|| AtomicU32::new(0).store(1, Acquire)));
    assert!(refuses(|| AtomicU32::new(0).store(1, AcqRel)));
    assert!(refuses(|| {
        let flag = AtomicU32::new(0);
        flag.store(1, Relaxed);
        flag.load(Release);
    }));
}

/// A run of store buffering in which both loads miss the other thread's store.
fn trace_with_both_missed() -> Trace {
    let report = Explorer::new().memory(Tso).explore(store_buffering);
    report.outcomes()[&Outcome::Returned((0, 0))].clone()
}

fn store_buffering() -> (u32, u32) {
    let memory = Arc::new([AtomicU32::new(0), AtomicU32::new(0)]);
    let shared = memory.clone();
    let other = thread::spawn(move || {
        shared[1].store(1, Relaxed);
        shared[0].load(Relaxed)
    });
    memory[0].store(1, Relaxed);
    let seen = memory[1].load(Relaxed);
    (seen, other.join().unwrap())
}

#[test]
fn a_trace_shows_commits_and_is_replayed() {
    let trace = trace_with_both_missed();
    let commits = trace.steps().iter().filter(|step| step.event.action.kind == Kind::Commit);
    assert!(commits.clone().all(|step| step.event.thread().is_phantom()));
    assert!(trace.short().to_string().contains("c0"), "{}", trace.short());
    assert!(trace.table().to_string().contains("main's buffer"), "{}", trace.table());
    assert_eq!(trace.preemptions(), 0, "a commit is no pre-emption: {}", trace.short());
    let text = trace.recording(&[]).to_string();
    let recording = selvedge::runs::Recording::parse(&text).unwrap();
    let again = Explorer::new().memory(Tso).strategy(Strategy::replay(recording)).explore(store_buffering);
    assert!(again.notes().is_empty(), "{again}");
    assert_eq!(again.outcomes().keys().collect::<Vec<_>>(), [&Outcome::Returned((0, 0))]);
}

/// Commits a store only if no other event is enabled.
struct CommitLate;

impl Scheduler for CommitLate {
    fn choose(&mut self, enabled: &[Event]) -> Option<EventId> {
        // The events of phantom threads come last.
        enabled.first().map(|event| event.id)
    }

    fn finish(&mut self, _run: &Trace) -> Next {
        Next::Done
    }
}

#[test]
fn events_record_where_a_load_reads_from_and_the_value_in_memory() {
    let strategy = Strategy::custom(CommitLate);
    let report = Explorer::new().memory(Tso).strategy(strategy).explore(|| {
        let flag = AtomicU32::new(5);
        flag.load(Relaxed);
        flag.store(7, Relaxed);
        flag.load(Relaxed);
        fence(SeqCst);
        flag.load(Relaxed);
        _ = flag.compare_exchange(8, 9, Relaxed, Relaxed);
        flag.store(1, SeqCst);
        flag.load(Relaxed);
    });
    let trace = &report.outcomes()[&Outcome::Returned(())];
    let events: Vec<_> = trace
        .steps()
        .iter()
        .map(|step| {
            let Event { action, effect, .. } = step.event;
            let Action { kind, reads_from, is_buffered, drains, expected, .. } = action;
            (kind, reads_from, effect.observed, (is_buffered, drains, effect.read_only), expected)
        })
        .collect();
    let (no, memory) = ((false, false, false), ReadsFrom::Memory);
    assert_eq!(
        events,
        [
            (Kind::Load, memory, 5, no, None),
            (Kind::Store, memory, 5, (true, false, false), None),
            (Kind::Load, ReadsFrom::Buffer, 5, no, None),
            (Kind::Commit, memory, 5, no, None),
            (Kind::Fence, memory, 0, (false, true, false), None),
            (Kind::Load, ReadsFrom::Own, 7, no, None),
            (Kind::Update, memory, 7, (false, true, true), Some(8)),
            (Kind::Store, memory, 7, (false, true, false), None),
            (Kind::Load, ReadsFrom::Own, 1, no, None),
        ]
    );
}

#[test]
fn every_strategy_finds_delayed_stores() {
    for model in [Tso, Pso] {
        for strategy in [
            Strategy::random(1, 1000),
            Strategy::pct(3, 1, 1000),
            Strategy::swarm(1, 1000),
            Strategy::pos(1, 1000),
            Strategy::systematic(),
        ] {
            let name = strategy.to_string();
            let report = Explorer::new().memory(model).strategy(strategy).explore(store_buffering);
            let expected = [(0, 0), (0, 1), (1, 0), (1, 1)];
            assert!(report.values().eq(expected.iter()), "{name} under {model:?}: {report}");
        }
        let report = Explorer::new().memory(model).strategy(Strategy::round_robin()).explore(store_buffering);
        assert_eq!(report.executions(), 1);
        assert!(report.outcomes().keys().all(|outcome| outcome.returned().is_some()));
    }
}

#[test]
fn a_contained_part_commits_the_stores_of_its_body() {
    for model in [Tso, Pso] {
        let body = || {
            let memory = Arc::new([AtomicU32::new(0), AtomicU32::new(0)]);
            let inside = memory.clone();
            let outcome = selvedge::contained(|| {
                let shared = inside.clone();
                drop(thread::spawn(move || shared[1].store(1, Relaxed)));
                inside[0].store(1, Relaxed);
            });
            (outcome == Outcome::Returned(()), memory[0].load(Relaxed), memory[1].load(Relaxed))
        };
        check(model, body, &[(true, 1, 0), (true, 1, 1)]);
    }
}

#[test]
fn an_operation_that_waits_for_its_own_commits_may_precede_other_operations() {
    // The put waits for the commit, and the load precedes the commit. One reader sees the put value, the
    // other the empty variable before the put.
    let body = || {
        let shared = Arc::new((MVar::new(0_u32), AtomicRef::new(0_u32)));
        let (putter, one, other) = (shared.clone(), shared.clone(), shared);
        let putter = thread::spawn(move || {
            putter.0.take();
            putter.1.store(1);
            putter.0.put(1);
        });
        let one = thread::spawn(move || one.0.try_read());
        let other = thread::spawn(move || (other.0.try_read(), *other.1.load()));
        putter.join().unwrap();
        (one.join().unwrap(), other.join().unwrap())
    };
    for memory in [MemoryModel::Tso, MemoryModel::Pso] {
        let explore = |strategy| Explorer::new().memory(memory).strategy(strategy).explore(body);
        let (all, report) = (explore(Strategy::exhaustive()), explore(Strategy::systematic()));
        assert!(report.values().any(|seen| *seen == (Some(1), (None, 0))), "{report}");
        assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), all.outcomes().keys().collect::<Vec<_>>());
    }
}
