//! Each transition rule of Figures 4 (basic multithreading), 6 (`MVar`) and 7 (exceptions) of Walker's
//! thesis, by name. `sync/atomic_ref.rs` has the rules of Figure 5, `stm_rules` the rules of Figures 8 to
//! 11.
//!
//! Rust differs in one place: `spawn` and `join` synchronise. So a `spawn` waits until the stores of the
//! parent are in memory, and a `join` until the stores of the joined thread are.

#![cfg(feature = "check")]

use selvedge::runs::Kind;
use selvedge::sync::atomic::{AtomicU32, Ordering::Relaxed};
use selvedge::sync::{Arc, MVar};
use selvedge::{Bounds, Explorer, MemoryModel, Outcome, Report, Strategy, thread};
use std::collections::BTreeSet;
use std::num::NonZero;
use std::time::Duration;

use MemoryModel::{Pso, Sc, Tso};

type Values = Vec<u32>;

fn explore_with(explorer: Explorer, body: impl Fn() -> Values + Send + Sync + 'static) -> Report<Values> {
    // All bodies have the same type, so the engine is compiled once.
    let body: Box<dyn Fn() -> Values + Send + Sync> = Box::new(body);
    explorer.explore(body)
}

/// Under each memory model, the body has exactly these outcomes: the values and, if `deadlocks`, a deadlock.
#[track_caller]
fn check<const N: usize>(
    body: impl Fn() -> Values + Send + Sync + Clone + 'static,
    values: [&[u32]; N],
    deadlocks: bool,
) {
    let mut expected: BTreeSet<_> = values.map(|values| Outcome::Returned(values.to_vec())).into();
    expected.extend(deadlocks.then_some(Outcome::Deadlock));
    for memory in [Sc, Tso, Pso] {
        let explorer = Explorer::new().memory(memory).strategy(Strategy::exhaustive());
        let report = explore_with(explorer, body.clone());
        assert!(report.is_complete(), "{report}");
        assert_eq!(report.outcomes().keys().cloned().collect::<BTreeSet<_>>(), expected, "{memory:?}");
    }
}

/// The steps of a body with a single outcome.
#[track_caller]
fn kinds(body: impl Fn() -> Values + Send + Sync + 'static) -> Vec<Kind> {
    let report = explore_with(Explorer::new().memory(Sc), body);
    assert_eq!(report.outcomes().len(), 1, "{report}");
    let trace = report.outcomes().values().next().expect("one outcome");
    trace.steps().iter().map(|step| step.event.action.kind).collect()
}

/// The steps of work without a result.
#[track_caller]
fn kinds_of(work: fn()) -> Vec<Kind> {
    kinds(move || {
        work();
        Vec::new()
    })
}

/// Store buffering, with an operation between the store and the load of both threads, each on its own
/// variable. Does the operation guarantee that at least one load sees the other thread's store?
fn is_barrier<T: Send + 'static>(make: fn() -> T, between: fn(&T)) -> bool {
    let misses = |memory| {
        let report = explore_with(Explorer::new().memory(memory), move || {
            let (cells, own, other) = (Arc::new([AtomicU32::new(0), AtomicU32::new(0)]), make(), make());
            let theirs = cells.clone();
            let thread = thread::spawn(move || {
                theirs[0].store(1, Relaxed);
                between(&other);
                theirs[1].load(Relaxed)
            });
            cells[1].store(1, Relaxed);
            between(&own);
            vec![cells[0].load(Relaxed), thread.join().unwrap()]
        });
        assert!(report.is_complete(), "{report}");
        report.outcomes().contains_key(&Outcome::Returned(vec![0, 0]))
    };
    assert!(!misses(Sc));
    assert_eq!(misses(Tso), misses(Pso));
    !misses(Tso)
}

/// A thread waits for an operation of the other on one variable, and then loads what that thread stored
/// before. Returns the loaded values.
fn loads_after_wake(
    memory: MemoryModel,
    make: fn() -> MVar<u32>,
    waits: fn(&MVar<u32>),
    wakes: fn(&MVar<u32>),
) -> BTreeSet<Values> {
    let report = explore_with(Explorer::new().memory(memory), move || {
        let shared = Arc::new((AtomicU32::new(0), make()));
        let theirs = shared.clone();
        let thread = thread::spawn(move || {
            waits(&theirs.1);
            theirs.0.load(Relaxed)
        });
        shared.0.store(1, Relaxed);
        wakes(&shared.1);
        vec![thread.join().unwrap()]
    });
    report
        .outcomes()
        .keys()
        .map(|outcome| outcome.returned().expect("no thread waits for ever").clone())
        .collect()
}

/// The woken thread sees the earlier stores of the waking thread: both operations are barriers.
#[track_caller]
fn check_wake_is_barrier(make: fn() -> MVar<u32>, waits: fn(&MVar<u32>), wakes: fn(&MVar<u32>)) {
    for memory in [Sc, Tso, Pso] {
        assert_eq!(loads_after_wake(memory, make, waits, wakes), BTreeSet::from([vec![1]]), "{memory:?}");
    }
}

mod basic_multithreading {
    use super::*;

    #[test]
    fn a_fork_begins_a_thread_with_a_fresh_identity_beside_its_parent() {
        let identities = || {
            let [one, other] = [(); 2].map(|()| thread::spawn(|| thread::current().id()));
            let own = thread::current().id();
            let (one, other) = (one.join().unwrap(), other.join().unwrap());
            vec![u32::from(own != one), u32::from(own != other), u32::from(one != other)]
        };
        check(identities, [&[1, 1, 1]], false);
        let beside = || {
            let cell = Arc::new(AtomicU32::new(0));
            let theirs = cell.clone();
            let thread = thread::spawn(move || theirs.swap(1, Relaxed));
            let mine = cell.swap(2, Relaxed);
            vec![mine, thread.join().unwrap()]
        };
        check(beside, [&[0, 2], &[1, 0]], false);
        assert_eq!(kinds(|| vec![thread::spawn(|| 1).join().unwrap()]), [Kind::Spawn, Kind::Join]);
    }

    #[test]
    fn a_lift_is_no_step_and_its_result_is_the_threads_own() {
        let lifted = || {
            let cell = AtomicU32::new(1);
            let text: String = (0..100).map(|number| number.to_string()).collect();
            cell.store(text.len() as u32, Relaxed);
            let counted = std::sync::Mutex::new(cell.load(Relaxed));
            *counted.lock().unwrap() += 1;
            vec![counted.into_inner().unwrap()]
        };
        assert_eq!(kinds(lifted), [Kind::Store, Kind::Load]);
        check(lifted, [&[191]], false);
    }

    fn parallelism() -> u32 {
        thread::available_parallelism().unwrap().get() as u32
    }

    fn set_parallelism(threads: usize) {
        thread::set_available_parallelism(NonZero::new(threads).unwrap());
    }

    #[test]
    fn a_get_num_capabilities_returns_two_until_it_is_set() {
        check(|| vec![parallelism(), parallelism()], [&[2, 2]], false);
        assert_eq!(kinds(|| vec![parallelism()]), [Kind::Parallelism]);
        assert!(!is_barrier(|| (), |()| _ = parallelism()));
    }

    #[test]
    fn a_set_num_capabilities_is_seen_by_every_later_get() {
        let set_and_asked = || {
            let thread = thread::spawn(|| set_parallelism(4));
            let seen = vec![parallelism(), parallelism()];
            thread.join().unwrap();
            [seen, vec![parallelism()]].concat()
        };
        check(set_and_asked, [&[2, 2, 4], &[2, 4, 4], &[4, 4, 4]], false);
        let set_twice = || {
            let thread = thread::spawn(|| set_parallelism(4));
            set_parallelism(3);
            thread.join().unwrap();
            vec![parallelism()]
        };
        check(set_twice, [&[3], &[4]], false);
        assert_eq!(kinds_of(|| set_parallelism(3)), [Kind::SetParallelism]);
        assert!(!is_barrier(|| (), |()| set_parallelism(3)));
    }

    #[test]
    fn outside_of_explorations_the_parallelism_is_that_of_std() {
        let before = std::thread::available_parallelism().unwrap();
        set_parallelism(before.get() + 1);
        assert_eq!(thread::available_parallelism().unwrap(), before);
    }

    #[test]
    fn a_my_tid_is_the_threads_own_identity() {
        let own = || {
            let thread = thread::spawn(|| thread::current().id());
            let known = thread.thread().id();
            vec![u32::from(thread.join().unwrap() == known)]
        };
        check(own, [&[1]], false);
        // No other thread observes it, so it is no step.
        assert_eq!(kinds(|| vec![u32::from(thread::current().name().is_some())]), []);
    }

    /// The values of two loads without pre-emptions, with this operation between them.
    fn without_preemptions(between: fn()) -> BTreeSet<Values> {
        let no_preemptions = Bounds { preemptions: Some(0), ..Bounds::NONE };
        let explorer = Explorer::new().memory(Sc).strategy(Strategy::systematic().bounded(no_preemptions));
        let report = explore_with(explorer, move || {
            let cell = Arc::new(AtomicU32::new(0));
            let theirs = cell.clone();
            let thread = thread::spawn(move || theirs.store(1, Relaxed));
            let before = cell.load(Relaxed);
            // After loads alone, a yield would wait for a change; so there is an update.
            cell.fetch_add(0, Relaxed);
            between();
            let after = cell.load(Relaxed);
            thread.join().unwrap();
            vec![before, after]
        });
        let is_within = |outcome: &&Outcome<Values>| !report.beyond_bounds().any(|beyond| beyond == *outcome);
        let within = report.outcomes().keys().filter(is_within);
        within.map(|outcome| outcome.returned().expect("it ends").clone()).collect()
    }

    #[test]
    fn a_yield_changes_nothing_and_lets_other_threads_go_first() {
        assert_eq!(kinds_of(thread::yield_now), [Kind::Yield]);
        assert!(!without_preemptions(|| ()).contains(&vec![0, 1]));
        assert!(without_preemptions(thread::yield_now).is_superset(&[vec![0, 0], vec![0, 1]].into()));
        assert!(!is_barrier(|| (), |()| thread::yield_now()));
    }

    #[test]
    fn a_delay_changes_nothing_and_lets_other_threads_go_first() {
        let delay: fn() = || thread::sleep(Duration::from_secs(1));
        assert_eq!(kinds_of(delay), [Kind::Sleep]);
        assert!(without_preemptions(delay).contains(&vec![0, 1]));
        assert!(!is_barrier(|| (), |()| thread::sleep(Duration::from_secs(1))));
    }

    #[test]
    fn a_return_gives_its_value_to_the_continuation() {
        check(|| vec![thread::spawn(|| 7).join().unwrap()], [&[7]], false);
        assert_eq!(kinds(|| vec![std::convert::identity(7)]), []);
    }

    #[test]
    fn a_stop_ends_the_thread_and_a_stop_of_the_body_ends_all_threads() {
        let stopped = || {
            let thread = thread::spawn(|| 3);
            while !thread.is_finished() {
                thread::yield_now();
            }
            vec![thread.join().unwrap()]
        };
        check(stopped, [&[3]], false);
        // The other thread would wait for ever.
        let stops_others = || {
            let var = Arc::new(MVar::<u32>::empty());
            let theirs = var.clone();
            thread::spawn(move || theirs.take());
            vec![u32::from(var.try_read().is_some())]
        };
        check(stops_others, [&[0]], false);
    }
}

mod mvars {
    use super::*;

    fn full() -> MVar<u32> {
        MVar::new(1)
    }

    /// The result of an operation on a variable, and the value of the variable afterwards: 9 if it is empty.
    fn after(make: fn() -> MVar<u32>, work: fn(&MVar<u32>) -> u32) -> impl Fn() -> Values + Clone {
        move || {
            let var = make();
            vec![work(&var), var.try_take().unwrap_or(9)]
        }
    }

    #[test]
    fn a_new_mvar_is_fresh_and_empty() {
        let fresh = || {
            let (one, other) = (MVar::empty(), MVar::empty());
            one.put(1);
            vec![other.try_take().unwrap_or(9), one.take()]
        };
        check(fresh, [&[9, 1]], false);
        assert_eq!(kinds_of(|| drop(MVar::new(1))), []);
    }

    #[test]
    fn a_put_mvar_blocks_while_the_mvar_is_full() {
        let put = |var: &MVar<u32>| {
            var.put(2);
            0
        };
        check(after(full, put), [], true);
        check_wake_is_barrier(full, |var| var.put(2), |var| _ = var.take());
    }

    #[test]
    fn a_put_mvar_fills_an_empty_mvar_and_wakes_a_waiting_thread() {
        let put = |var: &MVar<u32>| {
            var.put(2);
            0
        };
        check(after(MVar::empty, put), [&[0, 2]], false);
        assert!(is_barrier(MVar::empty, |var| var.put(2)));
        check_wake_is_barrier(MVar::empty, |var| _ = var.take(), |var| var.put(2));
        check_wake_is_barrier(MVar::empty, |var| _ = var.read(), |var| var.put(2));
    }

    #[test]
    fn a_take_mvar_empties_a_full_mvar_and_wakes_a_waiting_thread() {
        check(after(full, MVar::take), [&[1, 9]], false);
        assert!(is_barrier(full, |var| _ = var.take()));
        check_wake_is_barrier(full, |var| var.put(2), |var| _ = var.take());
    }

    #[test]
    fn a_take_mvar_blocks_while_the_mvar_is_empty() {
        check(after(MVar::empty, MVar::take), [], true);
        check_wake_is_barrier(MVar::empty, |var| _ = var.take(), |var| var.put(2));
    }

    #[test]
    fn a_read_mvar_leaves_a_full_mvar_full() {
        check(after(full, MVar::read), [&[1, 1]], false);
        assert!(is_barrier(full, |var| _ = var.read()));
    }

    #[test]
    fn a_read_mvar_blocks_while_the_mvar_is_empty() {
        check(after(MVar::empty, MVar::read), [], true);
        check_wake_is_barrier(MVar::empty, |var| _ = var.read(), |var| var.put(2));
    }

    #[test]
    fn a_try_put_mvar_into_a_full_mvar_fails() {
        check(after(full, |var| var.try_put(2).is_ok().into()), [&[0, 1]], false);
        assert!(is_barrier(full, |var| assert!(var.try_put(2).is_err())));
    }

    #[test]
    fn a_try_put_mvar_fills_an_empty_mvar_and_wakes_a_waiting_thread() {
        check(after(MVar::empty, |var| var.try_put(2).is_ok().into()), [&[1, 2]], false);
        assert!(is_barrier(MVar::empty, |var| assert!(var.try_put(2).is_ok())));
        check_wake_is_barrier(MVar::empty, |var| _ = var.take(), |var| assert!(var.try_put(2).is_ok()));
    }

    #[test]
    fn a_try_take_mvar_empties_a_full_mvar_and_wakes_a_waiting_thread() {
        check(after(full, |var| var.try_take().unwrap_or(9)), [&[1, 9]], false);
        assert!(is_barrier(full, |var| assert!(var.try_take().is_some())));
        check_wake_is_barrier(full, |var| var.put(2), |var| assert!(var.try_take().is_some()));
    }

    #[test]
    fn a_try_take_mvar_from_an_empty_mvar_fails() {
        check(after(MVar::empty, |var| var.try_take().unwrap_or(8)), [&[8, 9]], false);
        assert!(is_barrier(MVar::<u32>::empty, |var| assert!(var.try_take().is_none())));
    }

    #[test]
    fn a_try_read_mvar_returns_the_value_if_there_is_a_value() {
        check(after(full, |var| var.try_read().unwrap_or(8)), [&[1, 1]], false);
        check(after(MVar::empty, |var| var.try_read().unwrap_or(8)), [&[8, 9]], false);
        assert!(is_barrier(full, |var| assert!(var.try_read().is_some())));
        assert!(is_barrier(MVar::<u32>::empty, |var| assert!(var.try_read().is_none())));
    }
}

mod exceptions {
    use super::*;
    use selvedge::interrupt::{self, Killed, Masking, Thrown};

    /// An exception.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    struct Oh(u32);

    /// The number of the exception that `work` throws, or 0.
    fn caught(work: impl FnOnce()) -> u32 {
        interrupt::catch::<Oh, _>(work).map_or_else(|oh| oh.0, |()| 0)
    }

    /// The number of the exception that ended a thread, or 0.
    fn ended_by(thread: thread::JoinHandle<()>) -> u32 {
        let thrown = |payload: Box<dyn std::any::Any + Send>| {
            payload.downcast::<Thrown>().ok()?.downcast_ref::<Oh>().map(|oh| oh.0)
        };
        thread.join().map_or_else(|payload| thrown(payload).expect("it was thrown"), |()| 0)
    }

    fn state() -> u32 {
        match interrupt::masking_state() {
            Masking::Unmasked => 0,
            Masking::Interruptible => 1,
            Masking::Uninterruptible => 2,
        }
    }

    #[test]
    fn a_throw_goes_to_the_nearest_handler_of_its_type_and_removes_the_handler() {
        let throws = || {
            let outer = caught(|| {
                let inner = caught(|| {
                    let _ = interrupt::catch::<Killed, ()>(|| interrupt::throw(Oh(1)));
                });
                interrupt::throw(Oh(inner + 1));
            });
            vec![outer]
        };
        check(throws, [&[2]], false);
        assert_eq!(kinds_of(|| _ = caught(|| interrupt::throw(Oh(1)))), []);
        assert!(!is_barrier(|| (), |()| _ = caught(|| interrupt::throw(Oh(1)))));
    }

    #[test]
    fn a_throw_without_a_handler_ends_the_thread() {
        let throws = || vec![ended_by(thread::spawn(|| interrupt::throw(Oh(1))))];
        check(throws, [&[1]], false);
        let report = explore_with(Explorer::new(), || interrupt::throw(Oh(2)));
        let outcomes: Vec<_> = report.outcomes().keys().cloned().collect();
        assert_eq!(outcomes, [Outcome::Interrupted("Oh(2)".to_owned())]);
    }

    /// Throws to a thread. Returns the result of `waits` on that thread, and the exception that ended the
    /// thread.
    fn throw_to_waiting(waits: fn() -> u32) -> Values {
        let seen = Arc::new(std::sync::Mutex::new(0));
        let theirs = seen.clone();
        let thread = interrupt::spawn(move || *theirs.lock().unwrap() = waits());
        interrupt::throw_to(thread.thread(), Oh(3));
        let ended = ended_by(thread);
        let seen = *seen.lock().unwrap();
        vec![seen, ended]
    }

    #[test]
    fn a_throw_to_an_interruptible_thread_with_a_handler_runs_the_handler() {
        let waits = || caught(|| MVar::empty().take());
        check(move || throw_to_waiting(waits), [&[3, 0]], false);
        assert!(is_barrier(|| interrupt::spawn(interrupt::park), |it| interrupt::kill(it.thread())));
    }

    #[test]
    fn a_throw_to_an_interruptible_thread_without_a_handler_ends_it() {
        check(|| throw_to_waiting(|| MVar::empty().take()), [&[0, 3]], false);
    }

    #[test]
    fn a_throw_to_a_thread_that_is_not_interruptible_blocks() {
        check(|| throw_to_waiting(|| interrupt::uninterruptible_mask(|_| MVar::empty().take())), [], true);
        // It blocks until the thread is interruptible.
        let until = || {
            let done = Arc::new(AtomicU32::new(0));
            let theirs = done.clone();
            let thread = interrupt::spawn(move || {
                interrupt::uninterruptible_mask(|_| {
                    interrupt::point();
                    theirs.store(1, Relaxed);
                });
                interrupt::park();
            });
            interrupt::throw_to(thread.thread(), Oh(3));
            vec![done.load(Relaxed), ended_by(thread)]
        };
        check(until, [&[1, 3]], false);
    }

    #[test]
    fn a_catching_puts_its_handler_before_the_outer_handlers() {
        let nested = || vec![caught(|| interrupt::throw(Oh(10 + caught(|| interrupt::throw(Oh(1))))))];
        check(nested, [&[11]], false);
        assert_eq!(kinds_of(|| _ = caught(|| ())), []);
        assert!(!is_barrier(|| (), |()| _ = caught(|| ())));
    }

    #[test]
    fn a_pop_catching_removes_the_handler() {
        let popped = || {
            let seen = caught(|| {
                assert_eq!(caught(|| ()), 0);
                interrupt::throw(Oh(4));
            });
            vec![seen]
        };
        check(popped, [&[4]], false);
        // A later exception has no handler.
        let after = || {
            vec![ended_by(thread::spawn(|| {
                caught(|| ());
                interrupt::throw(Oh(5));
            }))]
        };
        check(after, [&[5]], false);
    }

    #[test]
    fn a_masking_runs_in_the_new_state_and_can_restore_the_old_state() {
        let states = || {
            interrupt::mask(|restore| {
                let masked = state();
                let inner = interrupt::uninterruptible_mask(|back| vec![state(), back.run(state)]);
                let still = interrupt::uninterruptible_mask(|_| interrupt::mask(|_| state()));
                [vec![masked], inner, vec![still, restore.run(state), state()]].concat()
            })
        };
        check(states, [&[1, 2, 1, 2, 0, 1]], false);
        assert_eq!(kinds_of(|| interrupt::mask(|restore| restore.run(|| ()))), []);
        assert!(!is_barrier(|| (), |()| interrupt::uninterruptible_mask(|_| ())));
        // A masked thread is interrupted only while it waits.
        let waits = || {
            let variable = MVar::new(7);
            interrupt::mask(|_| {
                let seen = variable.take();
                caught(|| _ = variable.take()) + 10 * seen
            })
        };
        check(move || throw_to_waiting(waits), [&[73, 0]], false);
    }

    #[test]
    fn a_reset_mask_comes_at_the_end_of_the_masking_or_when_an_exception_leaves_it() {
        let states = || {
            interrupt::mask(|_| ());
            let returned = state();
            caught(|| interrupt::uninterruptible_mask(|_| interrupt::throw(Oh(1))));
            let thrown = state();
            let inside = interrupt::mask(|restore| {
                caught(|| restore.run(|| interrupt::throw(Oh(1))));
                state()
            });
            vec![returned, thrown, inside]
        };
        check(states, [&[0, 0, 1]], false);
        // From then on, the thread is interrupted where it does not wait.
        let after = || {
            interrupt::mask(|_| interrupt::point());
            caught(|| (0..2).for_each(|_| interrupt::point()))
        };
        check(move || throw_to_waiting(after), [&[0, 0], &[3, 0]], false);
    }

    #[test]
    fn a_fork_gives_its_masking_state_and_an_unmask_to_the_thread() {
        let states = || {
            let inherits = interrupt::mask(|_| interrupt::spawn(state));
            let unmasks = interrupt::uninterruptible_mask(|_| {
                interrupt::spawn_with_unmask(|unmask| 10 * state() + unmask.run(state))
            });
            vec![inherits.join().unwrap(), unmasks.join().unwrap(), interrupt::spawn(state).join().unwrap()]
        };
        check(states, [&[1, 20, 0]], false);
    }
}
