//! One execution: the runs of a program, on one thread of the operating system.
//!
//! The state is borrowed for moments only, never across a context switch, so that the threads of the program
//! and the driver can all reach it.
//!
//! All that changes during a run is in [`state`](super::state). How threads announce actions is in
//! [`schedule`](super::schedule), how they are stopped in [`teardown`](super::teardown), and what the
//! doubles of std ask for in [`interface`](super::interface).

#![allow(unsafe_code)]

use super::diagnose::{CrashReport, Heartbeat, Seat};
use super::exception::{self, Unwound};
use super::fiber::{self, Fiber, Suspender};
use super::memory::MemoryModel;
use super::object::{Known, ObjectKind, OutsideValues, Sync, Tag};
use super::progress;
use super::race::Raced;
use super::schedule::{FullHandoff, LightHandoff};
use super::state::{BodyEnd, State};
use super::teardown::Recycled;
use super::thread::SharedThreadTree;
use selvedge_explore::{ObjectId, ThreadId, Trace};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// The alternative of a store that goes to memory at once, past the buffer.
pub(crate) const AT_ONCE: u32 = u32::MAX;

/// The settings of an exploration, the same for all its runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// The size of a thread's stack.
    pub(crate) stack_bytes: usize,
    /// Can waits end spuriously?
    pub(crate) spurious: bool,
    /// Does a run go on until all threads have ended, after the body has returned?
    pub(crate) waits_for_all: bool,
    /// Are threads that are left at the end of a run forgotten, not unwound?
    pub(crate) forgets: bool,
    /// Does the scheduler need little stack, so that threads can ask it on their own stacks?
    pub(crate) asks_in_place: bool,
    /// Is the scheduler known not to panic and not to use explored objects?
    pub(crate) trusts_scheduler: bool,
    /// Does every step return to the driver?
    pub(crate) goes_one_by_one: bool,
    /// Are there other runs of the same body at the same time?
    pub(crate) has_company: bool,
    pub(crate) memory: MemoryModel,
}

impl Settings {
    /// Can a thread ask the scheduler on its own stack, without care?
    #[inline(always)]
    pub(in crate::control) fn has_fast_path(&self) -> bool {
        self.asks_in_place & self.trusts_scheduler
    }
}

/// Why a run ends before its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// A data race: in words, and its two accesses.
    Race(String, [Raced; 2]),
    /// A thread unwinds, and a destructor would have to wait.
    Stuck(String),
    /// The program does what cannot be explored; the message says what to write instead.
    Refused(String),
}

/// The runs of a program.
pub(crate) struct Execution {
    pub(crate) settings: Settings,
    pub(crate) state: RefCell<State>,
    /// The run so far. Not borrowed while a thread runs.
    pub(crate) trace: RefCell<Trace>,
    /// What the running thread does, for a watchdog.
    pub(crate) heartbeat: Arc<Heartbeat>,
    pub(in crate::control) crash_report: Box<dyn CrashReport>,
    /// The scheduler of runs in full, and of light runs.
    pub(in crate::control) handoff: FullHandoff,
    pub(in crate::control) light_handoff: LightHandoff,
    pub(in crate::control) seat: Seat,
    /// What all workers know of lazily initialised statics.
    pub(crate) outside_values: Arc<OutsideValues>,
    /// How often a thread may time out at one place.
    pub(crate) unroll_bound: Cell<u32>,
    /// In runs that begin now, do yields not wait for a change?
    pub(crate) spins_freely: Cell<bool>,
    /// Are deadlines fixed by steps of their own, because the clock is read?
    pub(crate) keeps_time: Cell<bool>,
    /// In runs that begin now, how often a thread may execute actions at one place after the return of the
    /// body; `None`: runs end there.
    pub(crate) daemon_bound: Cell<Option<u32>>,
}

/// Does an object carry state from one run to the next?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Persistence {
    /// It does, so that each run must make its own.
    KeepsState,
    /// It does, unless it is a `static`: then each run has its value anew.
    KeepsStateUnlessStatic,
    /// It is as good as new: a lock around nothing, say. Runs at the same time share it.
    Stateless,
    /// All its state is in the run: a condition variable, say. If it is a `static`, runs at the same time do
    /// not share it.
    InRun,
}

impl Persistence {
    /// What a container of such values carries.
    pub(crate) const fn of<T>() -> Persistence {
        if size_of::<T>() == 0 { Persistence::Stateless } else { Persistence::KeepsState }
    }

    /// Does it carry state, if it is no `static`?
    pub(crate) fn keeps_state(self) -> bool {
        matches!(self, Persistence::KeepsState | Persistence::KeepsStateUnlessStatic)
    }

    /// Does each run have it anew, if it is a `static`?
    fn is_renewed_if_static(self) -> bool {
        matches!(self, Persistence::KeepsStateUnlessStatic | Persistence::InRun)
    }
}

impl Execution {
    pub(crate) fn new(
        settings: Settings,
        heartbeat: Arc<Heartbeat>,
        crash_report: Box<dyn CrashReport>,
        outside_values: Arc<OutsideValues>,
        tree: SharedThreadTree,
    ) -> Execution {
        heartbeat.forget_stacks();
        #[cfg(unix)]
        heartbeat.attach();
        let recycled = Recycled::take(&settings, &heartbeat);
        let state = State::new(recycled.threads, recycled.objects, recycled.stacks, tree);
        Execution {
            settings,
            state: RefCell::new(state),
            trace: RefCell::new(recycled.trace),
            heartbeat,
            crash_report,
            handoff: FullHandoff::new(),
            light_handoff: LightHandoff::new(),
            seat: Seat::take(),
            outside_values,
            unroll_bound: Cell::new(progress::UNBOUNDED),
            spins_freely: Cell::new(false),
            keeps_time: Cell::new(false),
            daemon_bound: Cell::new(None),
        }
    }

    /// The object of a tag, which belongs to the run from now on.
    #[inline]
    pub(crate) fn object(
        &self,
        tag: &Tag,
        kind: ObjectKind,
        persistence: Persistence,
        first: impl FnOnce() -> Sync,
    ) -> ObjectId {
        match self.known(tag) {
            Some(object) => object,
            None => self.first_use(tag, kind, persistence, first),
        }
    }

    /// The run uses the object of a tag for the first time.
    fn first_use(
        &self,
        tag: &Tag,
        kind: ObjectKind,
        persistence: Persistence,
        first: impl FnOnce() -> Sync,
    ) -> ObjectId {
        let mut state = self.state.borrow_mut();
        let run = state.run;
        let refused = match tag.known(run) {
            Known::Static | Known::Never if persistence.is_renewed_if_static() && tag.is_static() => {
                tag.renew_in_each_run();
                return state.objects.add_static(tag, kind, first());
            }
            Known::InAnotherRun | Known::Static if persistence.keeps_state() => carried(tag, kind),
            Known::InAnotherRun | Known::Never if self.settings.has_company && !tag.claim(run) => {
                shared(tag, kind)
            }
            _ => return state.objects.add(run, tag, kind, first()),
        };
        drop(state);
        self.end_run(Stop::Refused(refused))
    }

    /// The object of a tag, if it belongs to the run.
    #[inline]
    pub(crate) fn known(&self, tag: &Tag) -> Option<ObjectId> {
        let state = self.state.borrow();
        match tag.known(state.run) {
            Known::InThisRun(object) => Some(object),
            Known::Static => state.objects.find_static(tag),
            Known::Never | Known::InAnotherRun => None,
        }
    }

    /// A thread that will run the function; it begins when the current step is done.
    ///
    /// # Safety
    /// All that the function borrows must live until the thread has ended, or until the end of the run, when
    /// every thread that is left is unwound, forgotten or leaked ([`Execution::tear_down`]).
    pub(crate) unsafe fn spawn(
        &self,
        name: Option<Arc<str>>,
        stack_bytes: usize,
        function: impl FnOnce(),
    ) -> ThreadId {
        let state = &mut *self.state.borrow_mut();
        let bytes = stack_bytes.max(self.settings.stack_bytes);
        let stack = state.threads.stacks.take(bytes, |bounds| self.heartbeat.add_stack(bounds));
        let parent = state.running;
        let slot = state.threads.allocate(parent);
        // SAFETY: the caller promises that the function's borrows outlive the thread.
        let fiber = unsafe {
            Fiber::new(stack, move |suspender| {
                fiber::with_current(|execution| execution.expect(INSIDE).run_thread(suspender, function));
            })
        };
        self.heartbeat.name(slot, state.threads.label(slot), name.as_ref());
        state.buffers.begin_thread(slot);
        state.threads.begin(slot, fiber, name);
        if slot != ThreadId::MAIN {
            state.threads.inherit_clock(parent, slot);
            state.step.spawning = Some(state.threads[parent].pending);
            state.step.spawned = Some(slot);
            state.threads.begin_later(slot);
        }
        slot
    }

    /// The first frame of a thread.
    fn run_thread(&self, suspender: Suspender, function: impl FnOnce()) {
        {
            let state = &mut *self.state.borrow_mut();
            state.threads[state.running].suspender = suspender;
        }
        if let Err(payload) = catch_unwind(AssertUnwindSafe(function)) {
            self.end_by_result(&*payload);
        }
        self.drop_locals();
    }

    /// A thread has ended, and its result, which no thread waited for, panics when it is dropped.
    #[cold]
    fn end_by_result(&self, payload: &(dyn Any + Send)) {
        if exception::is_stop(payload) {
            return;
        }
        let message = exception::message(payload);
        let note = format!(
            "{message} (in the destructor of what a thread returned, where a panic ends the process)"
        );
        let _stopped = catch_unwind(AssertUnwindSafe(|| self.end_run(Stop::Stuck(note))));
    }

    /// The body was unwound down to its first frame.
    #[cold]
    pub(crate) fn record_body_unwinding(&self, payload: &(dyn Any + Send)) {
        let state = &mut *self.state.borrow_mut();
        if !exception::is_stop(payload) && !state.conditions.is_stopping {
            state.threads[state.running].unwound = Some(Unwound::by(payload));
        }
    }

    /// The body has returned or panicked. If other threads are alive, the run may go on; its outcome is
    /// fixed now.
    pub(crate) fn end_body(&self) {
        let steps = self.trace.borrow().len() + 1;
        let state = &mut *self.state.borrow_mut();
        let goes_on = state.bound.daemon_bound.is_some() && !state.conditions.is_stopping;
        if goes_on && state.has_others(state.running) {
            state.conditions.is_body_over = true;
            state.end.body = Some(BodyEnd { failure: state.unobserved_failure(), steps });
        }
    }

    /// The running thread was unwound down to its first frame, which no other thread has observed.
    #[cold]
    pub(crate) fn record_unwinding(&self, payload: &(dyn Any + Send)) {
        self.record_body_unwinding(payload);
        let state = &mut *self.state.borrow_mut();
        let thread = &mut state.threads[state.running];
        thread.unobserved.clone_from(&thread.unwound);
        state.step.affects_outcome |= thread.unobserved.as_ref().is_some_and(Unwound::is_failure);
    }

    /// Executes work that copies the whole process, while no other thread holds a lock of the execution.
    #[cfg(unix)]
    pub(crate) fn while_unlocked<R>(&self, work: impl FnOnce() -> R) -> R {
        let tree = self.state.borrow().threads.tree();
        let _tree = tree.lock();
        self.heartbeat.while_unlocked(work)
    }

    /// The child that the running thread spawns next.
    pub(crate) fn next_child(&self) -> ThreadId {
        let state = &mut *self.state.borrow_mut();
        state.threads.next_child(state.running)
    }

    /// The running thread has joined another. If that is its child, its number can be used again.
    pub(crate) fn joined(&self, thread: ThreadId) {
        self.observe_end(thread);
        let state = &mut *self.state.borrow_mut();
        state.threads.joined(state.running, thread);
    }

    /// The running thread has observed the end of another, which a thread may still join.
    pub(crate) fn observe_end(&self, thread: ThreadId) {
        self.acquire_thread(thread);
        let state = &mut *self.state.borrow_mut();
        let thread = &mut state.threads[thread];
        let failure = thread.unobserved.take().filter(Unwound::is_failure);
        state.step.affects_outcome |= failure.is_some();
        thread.joined_by = Some(state.running);
    }
}

const INSIDE: &str = "a fiber runs inside of its execution";

/// The message for an object that outlives a run.
fn carried(tag: &Tag, kind: ObjectKind) -> String {
    let (kind, created_at) = (kind.text(), tag.created_at());
    let (noun, remedy) = if tag.is_static() {
        ("static ", "put its value into a `selvedge::sync::LazyLock`, which each run initialises anew")
    } else {
        (
            "",
            "make it inside of the explored body (a `static` can become a value in an `Arc` that the body makes)",
        )
    };
    format!(
        "this {noun}{kind}, made at {}:{}, carries its state from one run to the next, so that runs are not alike; {remedy}",
        created_at.file(),
        created_at.line()
    )
}

/// The message for an object that runs of several workers use.
fn shared(tag: &Tag, kind: ObjectKind) -> String {
    let (kind, created_at) = (kind.text(), tag.created_at());
    let (noun, remedy) = if tag.is_static() {
        ("static ", "put its value into a `selvedge::sync::LazyLock`, which each run initialises anew")
    } else {
        ("", "make it inside of the explored body")
    };
    format!(
        "this {noun}{kind}, made at {}:{}, is used by several runs, and with several workers these happen at the same time; \
         {remedy}, or explore with one worker",
        created_at.file(),
        created_at.line()
    )
}
