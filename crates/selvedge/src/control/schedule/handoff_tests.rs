//! One stepping path and one fast path, compared.
//!
//! A run makes its steps in one of three ways: each step returns to the driver (the stepping path), threads
//! ask the scheduler in place with care, or they ask it in place on the fast path; in full or light. The
//! same scheduler must be asked about the same events in all of them, and the runs must be the same. In
//! tests, a list of enabled events that was updated in place is also compared with the list that is computed
//! anew, at every step.

use crate::control::diagnose::Heartbeat;
use crate::control::{Driver, Execution, MemoryModel, Settings, SharedThreadTree};
use crate::explorer::body_result;
use crate::sync::atomic::{AtomicUsize, Ordering::*, fence};
use crate::sync::{Arc, Condvar, Mutex, RwLock, mpsc};
use crate::{choose, thread};
use selvedge_explore::schedulers::Uniform;
use selvedge_explore::{
    Event, EventId, LightEvent, Next, Random, Scheduler, Stepper, ThreadScheduler, Trace, run, run_light,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// The stepping path: every step returns to the driver.
struct SteppingPath<S>(S);

impl<S: Stepper> Stepper for SteppingPath<S> {
    fn enabled(&self) -> &[Event] {
        self.0.enabled()
    }

    fn step(&mut self, chosen: EventId) -> Event {
        self.0.step(chosen)
    }

    fn stopped(&self) -> &[Event] {
        self.0.stopped()
    }

    fn give_up(&mut self) {
        self.0.give_up();
    }

    fn restart(&mut self) {
        self.0.restart();
    }
}

#[derive(Debug, PartialEq)]
enum Question {
    Enabled(Vec<Event>),
    Stopped(Vec<Event>),
}

/// Chooses at random, and records the events that it was asked about.
struct Recorder {
    scheduler: Uniform,
    /// The enabled events, or the stopped ones.
    questions: Vec<Question>,
}

impl Scheduler for Recorder {
    fn begin(&mut self) {
        self.scheduler.begin();
    }

    fn choose(&mut self, enabled: &[Event]) -> Option<EventId> {
        self.questions.push(Question::Enabled(enabled.to_vec()));
        self.scheduler.choose(enabled)
    }

    fn stopped(&mut self, left: &[Event]) {
        self.questions.push(Question::Stopped(left.to_vec()));
    }

    fn finish(&mut self, run: &Trace) -> Next {
        self.scheduler.finish(run)
    }
}

/// The same for light events.
struct LightRecorder {
    scheduler: Uniform,
    questions: Vec<Vec<LightEvent>>,
}

impl Scheduler for LightRecorder {
    fn begin(&mut self) {
        self.scheduler.begin();
    }

    fn choose(&mut self, _enabled: &[Event]) -> Option<EventId> {
        unreachable!("its runs are light")
    }

    fn finish(&mut self, run: &Trace) -> Next {
        self.scheduler.finish(run)
    }
}

impl ThreadScheduler for LightRecorder {
    fn pick(&mut self, enabled: &[LightEvent]) -> Option<usize> {
        self.questions.push(enabled.to_vec());
        self.scheduler.pick(enabled)
    }
}

struct Silent;

impl crate::control::diagnose::CrashReport for Silent {
    fn begin_panic(&self) {}

    fn report_abort(&self, _why: &str, _trace: &Trace, _went_past: bool) {}

    #[cfg(unix)]
    fn report_death(&self, _run: &crate::control::diagnose::DyingRun<'_>) {}
}

/// How a run makes its steps.
#[derive(Clone, Copy, Debug)]
struct Stepping {
    memory: MemoryModel,
    asks_in_place: bool,
    returns_to_driver: bool,
}

/// Makes 200 runs, each by a function that gets the driver.
fn observe(program: &dyn Fn(), stepping: Stepping, mut make: impl FnMut(&mut dyn Stepper)) {
    let Stepping { memory, asks_in_place, returns_to_driver } = stepping;
    let settings = Settings {
        memory,
        stack_bytes: 256 * 1024,
        // A wait has one alternative, or several.
        spurious: memory != MemoryModel::Sc,
        waits_for_all: false,
        forgets: false,
        asks_in_place,
        trusts_scheduler: asks_in_place,
        goes_one_by_one: false,
        has_company: false,
    };
    let heartbeat = std::sync::Arc::new(Heartbeat::default());
    let tree = SharedThreadTree::default();
    let execution = Execution::new(settings, heartbeat, Box::new(Silent), std::sync::Arc::default(), tree);
    let mut driver = Driver::new(&execution, |execution: &Execution| {
        // SAFETY: the program outlives all runs: `tear_down` below ends the last one.
        #[allow(unsafe_code)]
        unsafe {
            execution.spawn(None, 0, || drop(body_result(program)));
        }
    });
    for _ in 0..200 {
        driver.restart();
        if returns_to_driver {
            let mut stepper = SteppingPath(driver);
            make(&mut stepper);
            driver = stepper.0;
        } else {
            make(&mut driver);
        }
    }
    execution.tear_down();
}

/// The recorded questions, and the runs.
fn observe_in_full(program: &dyn Fn(), stepping: Stepping) -> (Vec<Question>, Vec<Trace>) {
    let mut scheduler = Recorder { scheduler: Uniform::new(7, u64::MAX), questions: Vec::new() };
    let mut traces = Vec::new();
    observe(program, stepping, |stepper| {
        let mut trace = Trace::default();
        run(stepper, &mut scheduler, 1000, &mut trace);
        scheduler.finish(&trace);
        traces.push(trace);
    });
    (scheduler.questions, traces)
}

/// The same for light runs; of the runs, their shapes.
fn observe_light(program: &dyn Fn(), stepping: Stepping) -> (Vec<Vec<LightEvent>>, Vec<Shape>) {
    let mut scheduler = LightRecorder { scheduler: Uniform::new(7, u64::MAX), questions: Vec::new() };
    let mut shapes = Vec::new();
    observe(program, stepping, |stepper| {
        let mut trace = Trace::default();
        run_light(stepper, &mut scheduler, 1000, &mut trace);
        scheduler.finish(&trace);
        assert!(trace.is_light() || trace.is_empty());
        shapes.push(shape(&trace));
    });
    (scheduler.questions, shapes)
}

/// The choices of a run, its weight and its switches.
type Shape = (Vec<EventId>, (usize, usize), usize);

fn shape(trace: &Trace) -> Shape {
    (trace.choices().collect(), trace.weight(), trace.switches())
}

/// Compares all ways to make steps, by 200 runs of the program for each memory model.
#[track_caller]
pub(super) fn check(program: impl Fn()) {
    crate::control::exception::install_hook();
    for memory in [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso] {
        let stepping = Stepping { memory, asks_in_place: false, returns_to_driver: true };
        let expected = observe_in_full(&program, stepping);
        assert!(!expected.0.is_empty(), "the scheduler is asked");
        let (asked, runs) = &expected;
        let light = |question: &Question| match question {
            Question::Enabled(events) => Some(events.iter().map(|event| LightEvent::from(*event)).collect()),
            Question::Stopped(_) => None,
        };
        let asked: Vec<Vec<LightEvent>> = asked.iter().filter_map(light).collect();
        let shapes: Vec<Shape> = runs.iter().map(shape).collect();
        for (asks_in_place, returns_to_driver) in [(false, true), (false, false), (true, false)] {
            let stepping = Stepping { memory, asks_in_place, returns_to_driver };
            assert!(observe_in_full(&program, stepping) == expected, "{stepping:?}");
            let found = observe_light(&program, stepping);
            assert_eq!(found.1, shapes, "{stepping:?}");
            assert_eq!(found.0, asked, "{stepping:?}");
        }
    }
}

/// The shared objects of a random program.
struct Shared {
    locks: [Mutex<()>; 2],
    both: RwLock<()>,
    number: AtomicUsize,
}

/// Some steps, chosen by the generator alone; spawned threads have generators of their own.
fn some_steps(shared: &Arc<Shared>, mut random: Random, depth: usize) {
    let mut children = Vec::new();
    for _ in 0..2 + random.below(3).unwrap_or(0) {
        let lock = &shared.locks[random.below(2).unwrap_or(0)];
        let order = if random.word().is_multiple_of(2) { SeqCst } else { Relaxed };
        match random.below(9) {
            Some(0) => drop(lock.lock()),
            Some(1) => drop(lock.try_lock()),
            Some(2) => drop(shared.both.read()),
            Some(3) => drop((shared.both.write(), shared.number.load(order))),
            Some(4) => shared.number.store(1, order),
            Some(5) => drop((lock.lock(), shared.both.try_read(), shared.number.fetch_add(1, order))),
            Some(6) if depth > 1 => thread::yield_now(),
            Some(_) if depth < 2 => {
                let (shared, random) = (shared.clone(), Random(random.word()));
                let is_idle = random.0.is_multiple_of(4);
                children.push(thread::spawn(move || {
                    if !is_idle {
                        some_steps(&shared, random, depth + 1);
                    }
                }));
            }
            _ => drop(shared.number.compare_exchange(0, 2, order, order)),
        }
    }
    // Some threads are joined by their parent.
    children.truncate(random.below(4).unwrap_or(0));
    children.into_iter().for_each(|thread| drop(thread.join()));
}

#[test]
fn random_programs_step_the_same_on_both_paths() {
    for seed in 0..25 {
        check(|| {
            let locks = [Mutex::new(()), Mutex::new(())];
            let shared = Shared { locks, both: RwLock::new(()), number: AtomicUsize::new(0) };
            some_steps(&Arc::new(shared), Random(seed), 0);
        });
    }
}

#[test]
fn store_buffers_step_the_same_on_both_paths() {
    check(|| {
        let memory = Arc::new([const { AtomicUsize::new(0) }; 3]);
        let works = |mine: usize| {
            let memory = memory.clone();
            thread::spawn(move || {
                memory[mine].store(1, Relaxed);
                memory[2].store(mine, Release);
                memory[mine].load(Relaxed);
                memory[2].load(Relaxed);
                memory[1 - mine].load(Acquire);
                fence(if mine == 0 { Release } else { SeqCst });
                memory[2].load(Relaxed);
                memory[2].store(7, Relaxed);
                let _ = memory[2].compare_exchange(7, 8, Relaxed, Relaxed);
                memory[2].load(Relaxed);
            })
        };
        let threads = [works(0), works(1)];
        memory[2].fetch_add(1, Relaxed);
        memory[2].load(Relaxed);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        memory[2].load(Relaxed);
    });
}

#[test]
fn spin_loops_step_the_same_on_both_paths() {
    check(|| {
        let flags = Arc::new([const { AtomicUsize::new(0) }; 2]);
        let other = flags.clone();
        let thread = thread::spawn(move || {
            while other[0].load(Acquire) == 0 {
                thread::yield_now();
            }
            other[1].store(1, Release);
            other[1].load(Relaxed);
        });
        flags[1].load(Relaxed);
        flags[0].store(1, if choose(2) == 0 { SeqCst } else { Relaxed });
        while flags[1].load(Acquire) == 0 && !thread.is_finished() {
            crate::hint::spin_loop();
        }
        thread.join().unwrap();
    });
}

#[test]
fn atomics_and_joins_step_the_same_on_both_paths() {
    check(|| {
        let sum = Arc::new(AtomicUsize::new(0));
        let adds = |sum: &Arc<AtomicUsize>| {
            let sum = sum.clone();
            thread::spawn(move || {
                let seen = sum.load(SeqCst);
                let _ = sum.compare_exchange(seen, seen + 1, SeqCst, SeqCst);
                thread::yield_now();
                sum.store(choose(3), SeqCst);
            })
        };
        let threads = [adds(&sum), adds(&sum), adds(&sum)];
        sum.fetch_add(1, SeqCst);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        sum.load(SeqCst);
    });
}

#[test]
fn locks_with_many_waiters_step_the_same_on_both_paths() {
    check(|| {
        let locks = Arc::new((Mutex::new(0), RwLock::new(0)));
        // Each of six threads starts another one, so the order of paths is not that of the numbers.
        let uses = |number: usize, locks: &Arc<(Mutex<usize>, RwLock<usize>)>| {
            let locks = locks.clone();
            thread::spawn(move || {
                *locks.0.lock().unwrap() += 1;
                match number % 3 {
                    0 => *locks.1.write().unwrap() += 1,
                    _ => drop((locks.1.read(), locks.0.lock())),
                }
            })
        };
        let threads: Vec<_> = (0..6)
            .map(|number| {
                let locks = locks.clone();
                thread::spawn(move || {
                    let child = uses(number, &locks);
                    drop(locks.0.lock());
                    child.join().unwrap();
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn unlocks_while_unwinding_step_the_same_on_both_paths() {
    check(|| {
        let lock = Arc::new(Mutex::new(0));
        let flag = Arc::new(AtomicUsize::new(0));
        let other = lock.clone();
        let waits = thread::spawn(move || drop(other.lock()));
        let (other, seen) = (lock, flag.clone());
        let panics = thread::spawn(move || {
            let _ = catch_unwind(AssertUnwindSafe(|| {
                let _guard = other.lock();
                // An access of an atomic; after it the guard is dropped without an announcement.
                assert_eq!(seen.load(SeqCst), 7, "panics");
            }));
            seen.store(1, SeqCst);
            seen.store(2, SeqCst);
        });
        flag.load(SeqCst);
        let _ = (waits.join(), panics.join());
    });
}

#[test]
fn timed_waits_and_messages_step_the_same_on_both_paths() {
    check(|| {
        let pair = Arc::new((Mutex::new(false), Condvar::new()));
        let (sender, receiver) = mpsc::channel();
        let other = pair.clone();
        let waits = thread::spawn(move || {
            let guard = other.0.lock().unwrap();
            let (guard, _) = other.1.wait_timeout(guard, Duration::from_millis(1)).unwrap();
            sender.send(*guard).unwrap();
        });
        *pair.0.lock().unwrap() = true;
        pair.1.notify_one();
        let _ = receiver.recv_timeout(Duration::from_millis(1));
        thread::scope(|scope| {
            scope.spawn(|| pair.0.lock().is_ok());
            scope.spawn(|| pair.0.try_lock().is_ok());
        });
        waits.join().unwrap();
    });
}

#[test]
fn contained_parts_step_the_same_on_both_paths() {
    check(|| {
        let lock = Arc::new(Mutex::new(0));
        let flag = Arc::new(AtomicUsize::new(0));
        let outcome = crate::contained(|| {
            let (other, seen) = (lock.clone(), flag.clone());
            let thread = thread::spawn(move || {
                let _guard = other.lock();
                seen.store(1, SeqCst);
            });
            let _guard = lock.lock();
            if flag.load(SeqCst) == 0 {
                thread.join().unwrap();
            }
        });
        flag.store(usize::from(outcome == crate::Outcome::Deadlock), SeqCst);
        flag.load(SeqCst);
    });
}
