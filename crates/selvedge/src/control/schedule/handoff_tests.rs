//! Going on in place against going step by step: the same scheduler must be asked about the same events. While tests run, a list that
//! was changed in place is also compared with a look at all threads, at every step.

use crate::control::diagnose::Heartbeat;
use crate::control::{Driver, Execution, MemoryModel, Settings};
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

/// Steps one by one: what can go on in place does not.
struct OneByOne<S>(S);

impl<S: Stepper> Stepper for OneByOne<S> {
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
enum About {
    Enabled(Vec<Event>),
    Stopped(Vec<Event>),
}

/// Chooses by chance, and writes down what it was asked about.
struct Asked {
    scheduler: Uniform,
    /// What could be done, or what was stopped.
    about: Vec<About>,
}

impl Scheduler for Asked {
    fn begin(&mut self) {
        self.scheduler.begin();
    }

    fn choose(&mut self, enabled: &[Event]) -> Option<EventId> {
        self.about.push(About::Enabled(enabled.to_vec()));
        self.scheduler.choose(enabled)
    }

    fn stopped(&mut self, left: &[Event]) {
        self.about.push(About::Stopped(left.to_vec()));
    }

    fn finish(&mut self, run: &Trace) -> Next {
        self.scheduler.finish(run)
    }
}

/// Chooses as the scheduler does, and writes down what it was asked about, in light.
struct AskedInBrief {
    scheduler: Uniform,
    about: Vec<Vec<LightEvent>>,
}

impl Scheduler for AskedInBrief {
    fn begin(&mut self) {
        self.scheduler.begin();
    }

    fn choose(&mut self, _enabled: &[Event]) -> Option<EventId> {
        unreachable!("it is asked in brief")
    }

    fn finish(&mut self, run: &Trace) -> Next {
        self.scheduler.finish(run)
    }
}

impl ThreadScheduler for AskedInBrief {
    fn pick(&mut self, enabled: &[LightEvent]) -> Option<usize> {
        self.about.push(enabled.to_vec());
        self.scheduler.pick(enabled)
    }
}

struct Silent;

impl crate::control::diagnose::CrashReport for Silent {
    fn panics(&self) {}

    fn tell(&self, _why: &str, _trace: &Trace, _went_past: bool) {}

    fn overflows(&self, _what: &dyn std::fmt::Display) -> bool {
        false
    }
}

/// How runs are made.
#[derive(Clone, Copy, Debug)]
struct Way {
    memory: MemoryModel,
    asks_in_place: bool,
    one_by_one: bool,
}

/// Makes so many runs, each by a function that is given the driver.
fn observe(program: &dyn Fn(), way: Way, mut make: impl FnMut(&mut dyn Stepper)) {
    let Way { memory, asks_in_place, one_by_one } = way;
    let settings = Settings {
        memory,
        stack_bytes: 256 * 1024,
        spurious: true,
        waits_for_all: false,
        forgets: false,
        asks_in_place,
        trusts_scheduler: asks_in_place,
        goes_one_by_one: false,
        has_company: false,
    };
    let execution = Execution::new(settings, std::sync::Arc::new(Heartbeat::default()), Box::new(Silent));
    let mut driver = Driver::new(&execution, |execution: &Execution| {
        execution.spawn(None, 0, || drop(body_result(program)));
    });
    for _ in 0..200 {
        driver.restart();
        if one_by_one {
            let mut stepper = OneByOne(driver);
            make(&mut stepper);
            driver = stepper.0;
        } else {
            make(&mut driver);
        }
    }
    execution.tear_down();
}

/// What was asked in so many runs, and the runs.
fn observe_in_full(program: &dyn Fn(), way: Way) -> (Vec<About>, Vec<Trace>) {
    let mut scheduler = Asked { scheduler: Uniform::new(7, u64::MAX), about: Vec::new() };
    let mut traces = Vec::new();
    observe(program, way, |stepper| {
        let mut trace = Trace::default();
        run(stepper, &mut scheduler, 1000, &mut trace);
        scheduler.finish(&trace);
        traces.push(trace);
    });
    (scheduler.about, traces)
}

/// The same in brief; of the runs, their choices and how simple they are.
fn observe_light(program: &dyn Fn(), way: Way) -> (Vec<Vec<LightEvent>>, Vec<Shape>) {
    let mut scheduler = AskedInBrief { scheduler: Uniform::new(7, u64::MAX), about: Vec::new() };
    let mut shapes = Vec::new();
    observe(program, way, |stepper| {
        let mut trace = Trace::default();
        run_light(stepper, &mut scheduler, 1000, &mut trace);
        scheduler.finish(&trace);
        assert!(trace.is_light() || trace.is_empty());
        shapes.push(shape(&trace));
    });
    (scheduler.about, shapes)
}

/// The choices of a run, its weight and its switches.
type Shape = (Vec<EventId>, (usize, usize), usize);

fn shape(trace: &Trace) -> Shape {
    (trace.choices().collect(), trace.weight(), trace.switches())
}

#[track_caller]
fn check(program: impl Fn()) {
    crate::control::exception::install_hook();
    for memory in [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso] {
        let way = Way { memory, asks_in_place: false, one_by_one: true };
        let expected = observe_in_full(&program, way);
        assert!(!expected.0.is_empty(), "somebody is asked");
        let (asked, runs) = &expected;
        let briefly = |about: &About| match about {
            About::Enabled(events) => Some(events.iter().map(|event| LightEvent::from(*event)).collect()),
            About::Stopped(_) => None,
        };
        let asked: Vec<Vec<LightEvent>> = asked.iter().filter_map(briefly).collect();
        let shapes: Vec<Shape> = runs.iter().map(shape).collect();
        for (asks_in_place, one_by_one) in [(false, true), (false, false), (true, false)] {
            let way = Way { memory, asks_in_place, one_by_one };
            assert!(observe_in_full(&program, way) == expected, "{way:?}");
            let found = observe_light(&program, way);
            assert_eq!(found.1, shapes, "{way:?}");
            assert_eq!(found.0, asked, "{way:?}");
        }
    }
}

/// What the threads of a random program share.
struct Shared {
    locks: [Mutex<()>; 2],
    both: RwLock<()>,
    number: AtomicUsize,
}

/// Some steps, chosen by the generator alone; threads that are spawned have a generator of their own.
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
    // Some are waited for, by the one who spawned them.
    children.truncate(random.below(4).unwrap_or(0));
    children.into_iter().for_each(|thread| drop(thread.join()));
}

#[test]
fn random_programs() {
    for seed in 0..25 {
        check(|| {
            let locks = [Mutex::new(()), Mutex::new(())];
            let shared = Shared { locks, both: RwLock::new(()), number: AtomicUsize::new(0) };
            some_steps(&Arc::new(shared), Random(seed), 0);
        });
    }
}

#[test]
fn store_buffers() {
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
fn loops_that_wait() {
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
fn atomics_and_joins() {
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
fn locks_that_are_given_back_while_unwinding() {
    check(|| {
        let lock = Arc::new(Mutex::new(0));
        let flag = Arc::new(AtomicUsize::new(0));
        let other = lock.clone();
        let waits = thread::spawn(move || drop(other.lock()));
        let (other, seen) = (lock, flag.clone());
        let panics = thread::spawn(move || {
            let _ = catch_unwind(AssertUnwindSafe(|| {
                let _guard = other.lock();
                // An access of an atomic, after which the guard is dropped without an announcement.
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
fn waits_with_timeouts_and_messages() {
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
fn parts_that_are_run_to_their_ends() {
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
