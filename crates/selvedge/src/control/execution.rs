//! One run of a program: its threads, what they share, and who is running.
//!
//! All of it lives on one thread of the operating system. The state is borrowed for moments only, never across a
//! switch, so that the threads of the program and the driver can all come to it.
//!
//! What changes during a run is in [`state`](super::state); how threads act, in [`announce`](super::announce); how they are stopped, in
//! [`stopping`](super::stopping).

use crate::control::diagnose::CrashReport;
use crate::control::diagnose::Heartbeat;
use crate::control::diagnose::Seat;
use crate::control::exception;
use crate::control::fiber::{Fiber, Suspender};
use crate::control::memory::MemoryModel;
use crate::control::object::{Known, Sort, Sync, Tag};
use crate::control::progress;
use crate::control::race::Raced;
use crate::control::schedule::{FullHandoff, LightHandoff};
use crate::control::state::State;
use crate::control::teardown::Recycled;
use selvedge_explore::{ObjectId, ThreadId, Trace};
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// The alternative of a store that goes to memory at once, past the buffer.
pub(crate) const AT_ONCE: u32 = u32::MAX;

/// What is the same for all runs of an exploration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// The bytes of a thread's stack.
    pub(crate) stack_bytes: usize,
    /// May waits end for no reason?
    pub(crate) spurious: bool,
    /// Does a run go on until all threads have ended, after the body has returned?
    pub(crate) waits_for_all: bool,
    /// Are threads that are left at the end of a run forgotten, not unwound?
    pub(crate) forgets: bool,
    /// Does the scheduler take little stack, so that threads can ask it on their own?
    pub(crate) asks_in_place: bool,
    /// Is the scheduler one that neither panics nor uses what is explored?
    pub(crate) trusts_scheduler: bool,
    /// Does every step come back to the driver?
    pub(crate) goes_one_by_one: bool,
    /// Do other runs of the same body happen at the same time?
    pub(crate) has_company: bool,
    /// How does memory behave?
    pub(crate) memory: MemoryModel,
}

impl Settings {
    /// Can a thread ask the scheduler where it stands, without care?
    #[inline(always)]
    pub(in crate::control) fn has_fast_path(&self) -> bool {
        self.asks_in_place & self.trusts_scheduler
    }
}

/// Why a run ends before its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Two accesses of which neither happened before the other: in words, and as they came.
    Race(String, [Raced; 2]),
    /// A thread unwinds, and a destructor would have to wait.
    Stuck(String),
    /// Something is not possible in an exploration; the message says what to write instead.
    Refused(String),
}

/// One run.
pub(crate) struct Execution {
    pub(crate) settings: Settings,
    pub(crate) state: RefCell<State>,
    /// The run so far. Not borrowed while a thread runs.
    pub(crate) trace: RefCell<Trace>,
    /// What the running thread is doing, for others.
    pub(crate) heartbeat: Arc<Heartbeat>,
    pub(in crate::control) crash_report: Box<dyn CrashReport>,
    /// Whose turn it is, in runs that are told in full, and in light.
    pub(in crate::control) handoff: FullHandoff,
    pub(in crate::control) light_handoff: LightHandoff,
    pub(in crate::control) seat: Seat,
    /// How often a thread may go on late at one place.
    pub(crate) unroll_bound: Cell<u32>,
    /// Need yields not wait until something changes, in runs that begin now?
    pub(crate) spins_freely: Cell<bool>,
}

/// Does an object remember anything from one run to the next?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carries {
    /// It does, so it must be made anew in each run.
    State,
    /// It is as good as new: a lock around nothing, say.
    Nothing,
}

impl Carries {
    /// What a container of such values carries.
    pub(crate) const fn of<T>() -> Carries {
        if size_of::<T>() == 0 { Carries::Nothing } else { Carries::State }
    }
}

impl Execution {
    pub(crate) fn new(
        settings: Settings,
        heartbeat: Arc<Heartbeat>,
        crash_report: Box<dyn CrashReport>,
    ) -> Execution {
        heartbeat.forget_stacks();
        let kept = Recycled::take(&settings, &heartbeat);
        let state = State::new(kept.threads, kept.objects, kept.stacks);
        let trace = RefCell::new(kept.trace);
        Execution {
            settings,
            state: RefCell::new(state),
            trace,
            heartbeat,
            crash_report,
            handoff: FullHandoff::new(),
            light_handoff: LightHandoff::new(),
            seat: Seat::take(),
            unroll_bound: Cell::new(progress::ANY),
            spins_freely: Cell::new(false),
        }
    }

    /// The object of a tag, known from now on.
    #[inline]
    pub(crate) fn object(
        &self,
        tag: &Tag,
        sort: Sort,
        carries: Carries,
        first: impl FnOnce() -> Sync,
    ) -> ObjectId {
        let mut state = self.state.borrow_mut();
        match tag.known(state.run) {
            Known::As(object) => object,
            Known::Before if carries == Carries::State => {
                drop(state);
                self.end_run(Stop::Refused(carried(tag, sort)))
            }
            Known::Before | Known::New if self.settings.has_company && !tag.claim(state.run) => {
                drop(state);
                self.end_run(Stop::Refused(shared(tag, sort)))
            }
            _ => state.meet(tag, sort, first()),
        }
    }

    /// The object of a tag, if it is known.
    #[inline]
    pub(crate) fn known(&self, tag: &Tag) -> Option<ObjectId> {
        match tag.known(self.state.borrow().run) {
            Known::As(object) => Some(object),
            Known::New | Known::Before => None,
        }
    }

    /// Looks at the state of an object, or changes it, for the running thread. No code of the program's may run in it.
    pub(crate) fn with_sync<R>(&self, object: ObjectId, work: impl FnOnce(&mut Sync, ThreadId) -> R) -> R {
        let mut state = self.state.borrow_mut();
        let running = state.running;
        work(&mut state.objects[object.index()].sync, running)
    }

    /// The action at hand changed nothing.
    pub(crate) fn read_only(&self) {
        self.state.borrow_mut().read_only = true;
    }

    /// The atomic of the action at hand had this value.
    #[inline]
    pub(crate) fn found(&self, value: u64) {
        self.state.borrow_mut().found = value;
    }

    /// Is the run over, and what is left being unwound?
    pub(crate) fn is_stopping(&self) -> bool {
        self.state.borrow().unusual.is_stopping
    }

    /// A thread that will run the function; it begins when the step at hand is done.
    ///
    /// What the function borrows must live until the thread has ended: see [`Fiber::new`].
    pub(crate) fn spawn(
        &self,
        name: Option<Arc<str>>,
        stack_bytes: usize,
        function: impl FnOnce(),
    ) -> ThreadId {
        let mut state = self.state.borrow_mut();
        let stack = state.stack(stack_bytes.max(self.settings.stack_bytes), &self.heartbeat);
        let slot = state.free_slot();
        let parent = state.running;
        let fiber = Fiber::new(stack, move |suspender| {
            let execution = crate::control::fiber::current().expect("a fiber runs inside of its execution");
            execution.begin(suspender);
            if let Err(payload) = catch_unwind(AssertUnwindSafe(function)) {
                execution.panicked_at_end(&*payload);
            }
            execution.drop_locals();
        });
        self.heartbeat.name(slot, name.as_ref());
        state.begin_thread(slot, fiber, name);
        if slot != ThreadId::MAIN {
            state.inherit_clock(parent, slot);
            state.spawning = state.threads[parent.index()].pending;
            state.fresh.push(slot);
            state.spawned = Some(slot);
        }
        slot
    }

    /// A thread has ended, and what it returned, which nobody waited for, panics when it is dropped.
    #[cold]
    fn panicked_at_end(&self, payload: &(dyn std::any::Any + Send)) {
        if exception::is_stop(payload) {
            return;
        }
        let message = exception::message(payload);
        let note = format!(
            "{message} (in the destructor of what a thread returned, where a panic ends the process)"
        );
        let _stopped = catch_unwind(AssertUnwindSafe(|| self.end_run(Stop::Stuck(note))));
    }

    fn begin(&self, suspender: Suspender) {
        let mut state = self.state.borrow_mut();
        let running = state.running.index();
        state.threads[running].suspender = suspender;
    }

    /// Are other threads alive that the end of the running one would stop?
    pub(crate) fn has_others(&self) -> bool {
        let state = self.state.borrow();
        state.has_others(state.running)
    }

    /// The running thread was unwound from its end to its beginning.
    #[cold]
    pub(crate) fn fell(&self, payload: &(dyn std::any::Any + Send)) {
        let mut state = self.state.borrow_mut();
        if !exception::is_stop(payload) && !state.unusual.is_stopping {
            let running = state.running.index();
            state.threads[running].fell = Some(exception::Unwound::by(payload));
        }
    }

    /// The running thread has waited for the end of another, whose number can be used again.
    pub(crate) fn joined(&self, thread: ThreadId) {
        self.heard(thread);
        self.state.borrow_mut().free.push(thread);
    }

    /// The running thread has waited for the end of another, and somebody else may still do so.
    pub(crate) fn heard(&self, thread: ThreadId) {
        self.acquire_thread(thread);
        let mut state = self.state.borrow_mut();
        let running = state.running;
        let thread = &mut state.threads[thread.index()];
        thread.unwound = None;
        thread.joined_by = Some(running);
    }
}

/// The message for an object that outlives a run.
fn carried(tag: &Tag, sort: Sort) -> String {
    let sort = sort.text();
    let made = tag.made().map_or(String::new(), |made| format!(", made at {}:{},", made.file(), made.line()));
    format!(
        "this {sort}{made} carries its state from one run to the next, so that runs are not alike; \
         make it inside of the explored body (a `static` can become a value in an `Arc` that the body makes)"
    )
}

/// The message for an object that runs of several workers use.
fn shared(tag: &Tag, sort: Sort) -> String {
    let sort = sort.text();
    let made = tag.made().map_or(String::new(), |made| format!(", made at {}:{},", made.file(), made.line()));
    format!(
        "this {sort}{made} is used by several runs, and with several workers these happen at the same time; \
         make it inside of the explored body, or explore with one worker"
    )
}
