//! One run of a program: its threads, what they share, and who is running.
//!
//! All of it lives on one thread of the operating system. The state is borrowed for moments only, never across a
//! switch, so that the threads of the program and the driver can all come to it.
//!
//! A panic count belongs to a thread of the operating system, which all coroutines share. So nothing switches while
//! a thread unwinds: what a destructor does then happens at once, and where it would have to wait, the run ends.

use super::buffers::Buffers;
use super::enabled::Concerns;
use super::fiber::{Fiber, Stack, Suspender};
use super::kept::Kept;
use super::last_words::LastWords;
use super::memory::{self, MemoryModel};
use super::object::{Known, Object, Sort, Sync, Tag};
use super::panics;
use super::pulse::Pulse;
use super::shadow::Shadows;
use super::thread::{Manner, Pending, Short, Status, Thread, display_name};
use super::turn::{Announced, Turn};
use selvedge_explore::{Action, Event, EventId, Kind, ObjectId, Site, ThreadId, Trace};
use std::cell::{RefCell, RefMut};
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::sync::Arc;

/// A thread that catches what stops it and goes on is stopped again, so often at most.
pub(super) const MAX_STOPS: usize = 1000;

/// The alternative of a store that goes to memory at once, past the buffer.
pub(crate) const AT_ONCE: u32 = u32::MAX;

/// The choice before the first one of a run.
pub(super) const NOBODY: EventId = EventId { thread: ThreadId::MAIN, alternative: u32::MAX };

/// From so many threads on, the numbers of those that have ended and were joined are used again.
const REUSE_FROM: usize = 1024;

/// How many threads run at once, as long as nobody says otherwise.
const PARALLELISM: NonZero<usize> = NonZero::new(2).expect("not zero");

/// What is the same for all runs of an exploration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// The bytes of a thread's stack.
    pub(crate) stack_bytes: usize,
    /// May waits end for no reason?
    pub(crate) spurious: bool,
    /// Does a run go on until all threads have ended, after the body has returned?
    pub(crate) waits_for_all: bool,
    /// Does the scheduler take little stack, so that threads can ask it on their own?
    pub(crate) asks_in_place: bool,
    /// Does every step come back to the driver?
    pub(crate) goes_one_by_one: bool,
    /// Do other runs of the same body happen at the same time?
    pub(crate) has_company: bool,
    /// How does memory behave?
    pub(crate) memory: MemoryModel,
}

/// Why a run ends before its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Two accesses of which neither happened before the other.
    Race(String),
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
    pub(crate) pulse: Arc<Pulse>,
    pub(super) last_words: Box<dyn LastWords>,
    pub(super) turn: Turn,
}

/// What changes during a run.
pub(crate) struct State {
    /// The number of the run, different from those of all other runs of the program.
    pub(crate) run: u64,
    pub(crate) running: ThreadId,
    /// Who was chosen for the step at hand, and for which of its alternatives.
    pub(crate) chosen: EventId,
    /// What the last thread that spawned another did then.
    pub(crate) spawning: Pending,
    /// The action at hand only looked.
    pub(crate) only_looked: bool,
    /// What the object of the action at hand was like before.
    pub(crate) found: u64,
    /// The last thread that was spawned.
    pub(crate) spawned: Option<ThreadId>,
    /// The threads of the run; slots beyond the count are kept for later runs.
    pub(crate) threads: Vec<Thread>,
    pub(crate) thread_count: usize,
    /// How many of them have begun and not ended.
    pub(crate) live_count: usize,
    /// How many threads have been born.
    pub(crate) births: u64,
    /// How many of them, when it was last listed what can be done.
    pub(crate) births_listed: u64,
    /// The scopes whose threads may borrow from the frame of the one who waits, by their addresses.
    pub(crate) scopes: Vec<usize>,
    /// Numbers that can be used again.
    pub(crate) free: Vec<ThreadId>,
    /// Threads that have been spawned in the step at hand and have not begun.
    pub(crate) fresh: Vec<ThreadId>,
    /// What the threads share; as with threads, slots beyond the count are kept for later runs.
    pub(crate) objects: Vec<Object>,
    pub(crate) object_count: usize,
    /// What threads have stored and others do not see yet.
    pub(crate) buffers: Buffers,
    pub(crate) shadows: Shadows,
    pub(crate) stacks: Vec<Stack>,
    /// The run is over: who is left is unwound.
    pub(crate) is_stopping: bool,
    pub(crate) stop: Option<Stop>,
    /// Something was done while unwinding, where others could have gone first.
    pub(crate) went_past: bool,
    /// The running thread is inside of a transaction, where nothing else may be visible.
    pub(crate) in_transaction: bool,
    /// Has somebody thrown something to another thread, or tried to? Whether that is possible depends on all that its target does.
    pub(crate) has_throwers: bool,
    /// Something was thrown to a thread that has not raised it yet.
    pub(crate) has_arriving: bool,
    /// Something was done while unwinding since the last look at what can be done.
    pub(crate) is_stale: bool,
    /// Did somebody wait at a yield until something changes, when that look was taken?
    pub(crate) has_spinners: bool,
    /// How often the thread that is being unwound was stopped.
    pub(crate) stops: usize,
    /// Why the first stack that could not be unwound could not.
    pub(crate) lost: Option<String>,
    /// How the run ended, as a word.
    pub(crate) ended_as: &'static str,
    /// A stack is left in the middle of unwinding: this thread of the operating system must not be used any more.
    pub(crate) is_broken: bool,
    /// A thread that waits for the end of a part of the run, and the first thread of that part.
    pub(crate) contained: Option<(ThreadId, ThreadId)>,
    /// The virtual clock, in nanoseconds since the run began.
    pub(crate) now: u64,
    /// How many threads run at once, for a program that asks.
    pub(crate) parallelism: NonZero<usize>,
    /// The message of the panic that is under way, and where it came from.
    pub(crate) message: Option<String>,
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

/// Thrown through a thread that is stopped; nobody's panic.
pub(crate) struct Stopped;

impl Execution {
    pub(crate) fn new(settings: Settings, pulse: Arc<Pulse>, last_words: Box<dyn LastWords>) -> Execution {
        pulse.forget_stacks();
        let kept = Kept::take(&settings, &pulse);
        let state = State {
            run: 0,
            running: ThreadId::MAIN,
            chosen: NOBODY,
            spawning: Pending::new(Action::new(Kind::Spawn), Site::Unknown),
            only_looked: false,
            found: 0,
            spawned: None,
            threads: kept.threads,
            thread_count: 0,
            live_count: 0,
            births: 0,
            births_listed: 0,
            scopes: Vec::new(),
            free: Vec::new(),
            fresh: Vec::new(),
            objects: kept.objects,
            object_count: 0,
            buffers: Buffers::default(),
            shadows: Shadows::default(),
            stacks: kept.stacks,
            is_stopping: false,
            stop: None,
            went_past: false,
            in_transaction: false,
            has_throwers: false,
            has_arriving: false,
            is_stale: false,
            has_spinners: false,
            stops: 0,
            lost: None,
            ended_as: "",
            is_broken: false,
            contained: None,
            now: 0,
            parallelism: PARALLELISM,
            message: None,
        };
        let trace = RefCell::new(kept.trace);
        Execution { settings, state: RefCell::new(state), trace, pulse, last_words, turn: Turn::new() }
    }

    /// A thread announces what it is about to do, and waits until it is chosen. Returns the alternative that it was
    /// chosen for.
    #[inline(always)]
    pub(crate) fn visible(&self, pending: Pending) -> u32 {
        // What most actions consist of fits into registers: written to memory and read back at once, it costs more than a switch.
        match pending.site {
            Site::Rust(place) if pending.is_short() => {
                let Action { kind, object, target, .. } = pending.action;
                self.visible_short(Manner::of(kind), object, target, place)
            }
            _ => self.visible_in_full(pending),
        }
    }

    /// The same for an action that goes one way and is told in few words.
    pub(crate) fn visible_short(
        &self,
        manner: Manner,
        object: Option<ObjectId>,
        target: Option<ThreadId>,
        place: &'static Location<'static>,
    ) -> u32 {
        self.announce_short(Short { manner, object, target, place, expected: None })
    }

    /// The same for an exchange, which looks for a value.
    pub(crate) fn visible_exchange(
        &self,
        object: ObjectId,
        expected: u64,
        place: &'static Location<'static>,
    ) -> u32 {
        let (manner, expected) = (Manner::at_once(Kind::Update), Some(expected));
        self.announce_short(Short { manner, object: Some(object), target: None, place, expected })
    }

    #[inline(always)]
    fn announce_short(&self, mut short: Short) -> u32 {
        let Manner { kind, never_waits, .. } = short.manner;
        short.manner.drains |= self.has_buffers() && memory::drains(kind);
        let drains = short.manner.drains;
        if std::thread::panicking() {
            return self.while_unwinding(short.pending());
        }
        let (suspender, may_ask) = {
            let mut state = self.state(|| short.pending());
            let running = state.running;
            let slot = &mut state.threads[running.index()];
            short.write(&mut slot.pending);
            let suspender = slot.suspender;
            if self.begins_in_place(&state) {
                drop(state);
                self.begin_in_place(running);
                state = self.state.borrow_mut();
            }
            let state = &mut *state;
            let never_waits = never_waits || !kind.may_wait();
            let must_drain = drains && state.buffers.has_stores();
            let announced = Announced { kind, is_plain: true, never_waits: never_waits && !must_drain };
            (suspender, self.may_ask(state, announced, |event| short.write_event(event)))
        };
        self.go_on_when_chosen(suspender, may_ask, drains)
    }

    #[inline(never)]
    fn visible_in_full(&self, mut pending: Pending) -> u32 {
        if self.has_buffers() {
            pending.action.drains |= memory::drains(pending.action.kind);
            pending.may_wait |= pending.action.drains;
        }
        if std::thread::panicking() {
            return self.while_unwinding(pending);
        }
        let (suspender, may_ask) = {
            let mut state = self.state(|| pending);
            let running = state.running;
            let slot = &mut state.threads[running.index()];
            slot.pending = pending;
            let suspender = slot.suspender;
            if self.begins_in_place(&state) {
                drop(state);
                self.begin_in_place(running);
                state = self.state.borrow_mut();
            }
            let state = &mut *state;
            let (kind, is_plain) = (pending.action.kind, pending.is_plain());
            let announced = Announced { kind, is_plain, never_waits: false };
            let write = |event: &mut Event| (event.action, event.site) = (pending.action, pending.site);
            (suspender, self.may_ask(state, announced, write))
        };
        self.go_on_when_chosen(suspender, may_ask, pending.action.drains)
    }

    /// The state of a run that goes on, for a thread that is about to do this. Where the run is over, the thread is unwound.
    #[inline(always)]
    fn state(&self, pending: impl Fn() -> Pending) -> RefMut<'_, State> {
        let state = self.state.borrow_mut();
        if state.is_stopping || state.in_transaction {
            drop(state);
            self.goes_no_further(&pending());
        }
        state
    }

    /// Returns when the running thread is chosen, which has announced something, and may be the one to ask.
    #[inline(always)]
    fn go_on_when_chosen(&self, suspender: Suspender, may_ask: bool, drains: bool) -> u32 {
        let asked = if may_ask { self.asks(suspender) } else { None };
        let alternative = asked.unwrap_or_else(|| self.wait(suspender));
        if drains {
            let state = &mut *self.state.borrow_mut();
            state.buffers.drained(state.running);
        }
        alternative
    }

    /// Waits until the running thread is chosen.
    fn wait(&self, suspender: Suspender) -> u32 {
        suspender.suspend();
        let state = self.state.borrow();
        if state.is_stopping {
            drop(state);
            self.stop_running();
        }
        let alternative = state.chosen.alternative;
        if state.has_arriving {
            drop(state);
            self.raise_arriving();
        }
        alternative
    }

    /// The run is over, or this is no place for something that others can notice.
    #[cold]
    fn goes_no_further(&self, pending: &Pending) -> ! {
        let state = self.state.borrow();
        if state.is_stopping {
            drop(state);
            self.stop_running();
        }
        let what = state.describe(pending);
        drop(state);
        self.end_run(Stop::Refused(format!(
            "a transaction had to {what}: inside of `atomically` there is nothing that other threads can notice but \
             its variables, since it may be done any number of times; do that before or after it"
        )))
    }

    /// The same from a destructor that runs while its thread unwinds: at once, or never.
    #[cold]
    #[inline(never)]
    fn while_unwinding(&self, pending: Pending) -> u32 {
        let pending = &pending;
        let mut state = self.state.borrow_mut();
        let running = state.running;
        state.is_stale = true;
        // Nobody can come between here, so stores go to memory at once.
        state.flush(running);
        let others = state.live().any(|thread| thread != running);
        state.went_past |= others && !state.is_stopping;
        if pending.action.kind == Kind::Yield || state.can_do(running, pending) {
            state.touch(&pending.action);
            return if pending.action.is_buffered { AT_ONCE } else { 0 };
        }
        if pending.has_timeout {
            return super::enabled::TIME_OUT;
        }
        let name = display_name(state.threads[running.index()].name.as_deref(), running);
        let what = state.describe(pending);
        let cause = state.message.clone().unwrap_or_default();
        let note = format!(
            "{cause} (and then, while `{name}` unwound, a destructor had to {what}; nothing can wait there)"
        );
        if state.is_stopping {
            let note = format!("when `{name}` was stopped at the end of a run, a destructor had to {what}");
            state.lost.get_or_insert(note);
        } else {
            state.stop = Some(Stop::Stuck(note.trim_start().to_owned()));
        }
        drop(state);
        self.stay_here()
    }

    /// The running thread unwinds, and must not go on: its stack is left as it is, and this thread of the operating
    /// system with it.
    fn stay_here(&self) -> ! {
        let mut state = self.state.borrow_mut();
        state.is_broken = true;
        let suspender = state.threads[state.running.index()].suspender;
        drop(state);
        suspender.suspend();
        // The run is over, and fibers of broken runs are leaked, not resumed.
        std::process::abort()
    }

    /// Unwinds the running thread, because the run is over. One that catches this again and again is left where it is.
    #[cold]
    fn stop_running(&self) -> ! {
        let mut state = self.state.borrow_mut();
        state.stops += 1;
        if state.stops <= MAX_STOPS {
            drop(state);
            stop_here();
        }
        let name = state.thread_name(state.running);
        let note = format!("`{name}` went on when it was stopped at the end of a run, {MAX_STOPS} times");
        state.lost.get_or_insert(note);
        let suspender = state.threads[state.running.index()].suspender;
        drop(state);
        suspender.suspend();
        // `teardown` does not resume who was stopped too often.
        std::process::abort()
    }

    /// A destructor waits for a thread that was stopped, and has no result. Whatever is returned, many a program would
    /// panic, and abort, because this thread unwinds.
    pub(crate) fn has_no_result(&self, joined: ThreadId) -> ! {
        let mut state = self.state.borrow_mut();
        let (name, other) = (state.thread_name(state.running), state.thread_name(joined));
        let note = format!(
            "when `{name}` was stopped at the end of a run, a destructor joined `{other}`, which had been stopped too"
        );
        state.lost.get_or_insert(note);
        drop(state);
        self.stay_here()
    }

    /// Ends the run here: the thread that finds out something final goes no further.
    pub(crate) fn end_run(&self, stop: Stop) -> ! {
        let mut state = self.state.borrow_mut();
        state.stop.get_or_insert(stop);
        if state.in_transaction {
            // This may be the stack of another thread, which tries the transaction.
            drop(state);
            stop_here();
        }
        let suspender = state.threads[state.running.index()].suspender;
        if std::thread::panicking() {
            // It cannot be unwound from here.
            state.is_broken = true;
        }
        drop(state);
        suspender.suspend();
        self.stop_running()
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
    pub(crate) fn only_looked(&self) {
        self.state.borrow_mut().only_looked = true;
    }

    /// The atomic of the action at hand had this value.
    #[inline]
    pub(crate) fn found(&self, value: u64) {
        self.state.borrow_mut().found = value;
    }

    /// Is the run over, and what is left being unwound?
    pub(crate) fn is_stopping(&self) -> bool {
        self.state.borrow().is_stopping
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
        let stack = state.stack(stack_bytes.max(self.settings.stack_bytes), &self.pulse);
        let slot = state.free_slot();
        let parent = state.running;
        let fiber = Fiber::new(stack, move |suspender| {
            let execution = super::context::current().expect("a fiber runs inside of its execution");
            execution.begin(suspender);
            if let Err(payload) = catch_unwind(AssertUnwindSafe(function)) {
                execution.panicked_at_end(&*payload);
            }
            execution.drop_locals();
        });
        self.pulse.name(slot, name.as_ref());
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
        if panics::is_stop(payload) {
            return;
        }
        let message = panics::message(payload);
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

#[cold]
fn new_stack(bytes: usize, pulse: &Pulse) -> Stack {
    let stack = Stack::new(bytes);
    pulse.add_stack(stack.bounds());
    stack
}

/// Unwinds the thread, quietly.
fn stop_here() -> ! {
    resume_unwind(Box::new(Stopped))
}

impl State {
    /// Ready for another run.
    pub(crate) fn clear(&mut self, run: u64) {
        self.run = run;
        self.running = ThreadId::MAIN;
        self.chosen = NOBODY;
        self.thread_count = 0;
        self.live_count = 0;
        self.births = 0;
        self.births_listed = 0;
        self.scopes.clear();
        self.free.clear();
        self.fresh.clear();
        self.object_count = 0;
        self.buffers.clear();
        self.shadows.clear();
        self.is_stopping = false;
        self.stop = None;
        self.went_past = false;
        self.in_transaction = false;
        self.has_throwers = false;
        self.has_arriving = false;
        self.is_stale = false;
        self.lost = None;
        self.ended_as = "";
        self.contained = None;
        self.now = 0;
        self.parallelism = PARALLELISM;
        self.message = None;
    }

    /// Are threads alive that the end of this one would stop?
    pub(crate) fn has_others(&self, than: ThreadId) -> bool {
        if self.live_count <= 1 {
            return false;
        }
        let outer = self.contained.map(|(outer, _)| outer);
        self.live().any(|thread| thread != than && Some(thread) != outer)
    }

    /// The threads that have begun and not ended.
    pub(crate) fn live(&self) -> impl Iterator<Item = ThreadId> {
        let is_live = |index: &usize| self.threads[*index].status == Status::Live;
        (0..self.thread_count).filter(is_live).map(|index| ThreadId(index as u32))
    }

    /// A stack of at least so many bytes.
    fn stack(&mut self, bytes: usize, pulse: &Pulse) -> Stack {
        if let Some(fitting) = self.stacks.iter().rposition(|stack| stack.bytes() >= bytes) {
            return self.stacks.swap_remove(fitting);
        }
        new_stack(bytes, pulse)
    }

    fn free_slot(&mut self) -> ThreadId {
        if self.thread_count >= REUSE_FROM
            && let Some(free) = self.free.iter().rposition(|free| self.has_seen_the_end_of(*free))
        {
            return self.free.swap_remove(free);
        }
        let slot = ThreadId(self.thread_count as u32);
        self.thread_count += 1;
        if self.threads.len() < self.thread_count {
            self.threads.push(Thread::new());
        }
        slot
    }

    /// Does the end of this thread happen before what the running one does now? Only then the number goes to a child
    /// of the running one: its count goes on from where the clocks of all who know it have left it.
    fn has_seen_the_end_of(&self, ended: ThreadId) -> bool {
        let known = self.threads[self.running.index()].clock.get(ended.index());
        known >= self.threads[ended.index()].clock.get(ended.index())
    }

    fn begin_thread(&mut self, slot: ThreadId, fiber: Fiber, name: Option<Arc<str>>) {
        self.births += 1;
        self.live_count += 1;
        self.buffers.begin(slot);
        self.threads[slot.index()].begin(fiber, name, self.births);
    }

    /// A new object of the run.
    fn meet(&mut self, tag: &Tag, sort: Sort, sync: Sync) -> ObjectId {
        let object = ObjectId::at(self.object_count);
        self.object_count += 1;
        match self.objects.get_mut(object.index()) {
            Some(slot) => slot.begin(sort, sync, tag.made()),
            None => self.objects.push(Object::new(sort, sync, tag.made())),
        }
        tag.remember(self.run, object);
        object
    }

    /// What a thread is about to do, in words: `lock mutex#3 (src/queue.rs:14)`.
    pub(crate) fn describe(&self, pending: &Pending) -> String {
        let action = &pending.action;
        let mut text = action.kind.text().replace('_', " ");
        if let Some(object) = action.object {
            text = format!("{text} {}", self.objects[object.index()].display_name(object));
        }
        if let Some(target) = action.target {
            let name = self.threads.get(target.index()).and_then(|thread| thread.name.as_deref());
            text = format!("{text} `{}`", display_name(name, target));
        }
        text
    }
}
