//! The machine of the reference: its states, and the transitions between them.
//!
//! Store buffers as in Sewell, Sarkar, Owens, Zappa Nardelli and Myreen, x86-TSO, CACM 2010;
//! `docs/memory.md` says which steps drain them, and when a yield waits. Time passes to deadlines by
//! transitions of its own, at any time (`docs/explore.md`). See [`super::reference`] for the search.

use super::looks::ReadHistory;
use super::program::Program;
use super::steps::{End, LockedValue, Step, Timeout, steps};
use selvedge::MemoryModel;
use selvedge::sync::atomic::Ordering;

/// A program as lists of steps, with its memory model.
pub(crate) struct Machine {
    /// The steps of each thread, the body's first.
    threads: Vec<Vec<Step>>,
    /// The number of steps of each thread before its last yield: reads after it do not matter.
    before_yield: Vec<usize>,
    program_threads: usize,
    joins: bool,
    room: usize,
    memory: MemoryModel,
    /// Do timed waits end by their deadlines, and not before? Otherwise they end at any step.
    has_deadlines: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct State {
    threads: Vec<Thread>,
    /// The values of the atomics.
    pub(crate) memory: [u8; 3],
    locks: [Lock; 3],
    rw_locks: [RwLock; 3],
    /// The threads that wait for each condition variable, and whether a notification has picked them. Sorted
    /// by thread: the order of arrival does not matter.
    waiters: [Vec<(u8, bool)>; 3],
    vars: [Option<u8>; 3],
    cells: [Cell; 3],
    channel: Channel,
    /// The clock, and the deadlines that it has not reached, each once, in order.
    now: u8,
    ahead: Vec<u8>,
    /// The number of effects so far.
    effects: u8,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Thread {
    has_begun: bool,
    /// The number of executed steps; inside a loop, the index of the next step.
    at: usize,
    /// The values that the thread has observed.
    seen: Vec<u8>,
    /// The stores that are not yet in memory, in program order.
    buffer: Vec<Store>,
    /// The number of buffered stores before the last release fence.
    fenced: usize,
    has_token: bool,
    was_late: bool,
    /// The deadline of the timed wait that the thread began last.
    deadline: u8,
    looks: ReadHistory,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Store {
    atomic: usize,
    value: u8,
    /// The number of earlier stores in the buffer that must be committed first, to whichever atomic.
    held_by: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Lock {
    is_held: bool,
    value: u8,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct RwLock {
    has_writer: bool,
    readers: u8,
    /// The threads that have begun to wait for the write lock since the lock was free, one bit each.
    waiting: u32,
    value: u8,
}

/// A value that is initialised once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Cell {
    is_being_initialised: bool,
    value: Option<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Channel {
    /// The messages. Without capacity, each has the number of the sender that waits until the message is
    /// received.
    queue: Vec<(u8, Option<usize>)>,
    senders: usize,
    has_receiver: bool,
    /// The receiver has arrived, and no sender has met it yet.
    receiver_waits: bool,
}

/// The effect of a step, as far as it matters to yields.
enum StepEffect {
    /// A look at the object with this number, and the value of an atomic.
    Read(usize, Option<u8>),
    /// A change of the object with this number.
    Write(usize),
    /// The same; the thread has begun to wait, and takes the step again.
    BeginsToWait(usize),
    /// A step with another effect.
    Other,
    /// A step that does not matter.
    Fence,
    Yield,
}

/// The object numbers. Condition variables have none: no step reads them.
const ATOMIC: usize = 0;
const LOCK: usize = 3;
const RW_LOCK: usize = 6;
const VAR: usize = 9;
const CHANNEL: usize = 12;
const CELL: usize = 13;

impl Machine {
    pub(crate) fn new(program: &Program, memory: MemoryModel, has_deadlines: bool) -> Machine {
        let threads = steps(program, has_deadlines);
        let last_yield =
            |steps: &Vec<Step>| steps.iter().rposition(|step| matches!(step, Step::Yield)).unwrap_or(0);
        Machine {
            before_yield: threads.iter().map(last_yield).collect(),
            threads,
            program_threads: program.threads.len(),
            joins: program.joins,
            room: program.room,
            memory,
            has_deadlines,
        }
    }

    pub(crate) fn first(&self) -> State {
        let mut threads = vec![Thread::default(); self.threads.len()];
        threads[0].has_begun = true;
        // A sender for the body, and a sender for each thread; a thread that needs none drops it.
        let senders = 1 + self.program_threads;
        State {
            threads,
            memory: [0; 3],
            locks: Default::default(),
            rw_locks: Default::default(),
            waiters: Default::default(),
            vars: [None; 3],
            cells: Default::default(),
            channel: Channel { queue: Vec::new(), senders, has_receiver: true, receiver_waits: false },
            now: 0,
            ahead: Vec::new(),
            effects: 0,
        }
    }

    /// Has the body returned? Later steps of the other threads do not matter.
    pub(crate) fn has_returned(&self, state: &State) -> bool {
        self.is_finished(state, 0)
    }

    /// The values that the body returns.
    pub(crate) fn seen(&self, state: &State) -> Vec<Vec<u32>> {
        let numbers = |seen: &[u8]| seen.iter().copied().map(u32::from).collect();
        if self.joins {
            let threads = &state.threads[1..=self.program_threads];
            threads.iter().map(|thread| numbers(&thread.seen)).collect()
        } else {
            // Earlier observations of the body are not returned.
            vec![numbers(state.threads[0].seen.last_chunk::<3>().expect("three loads at the end"))]
        }
    }

    fn is_finished(&self, state: &State, thread: usize) -> bool {
        state.threads[thread].has_begun && state.threads[thread].at == self.threads[thread].len()
    }

    /// Appends the states after one more step, or after one more commit.
    pub(crate) fn push_successors(&self, state: &State, out: &mut Vec<State>) {
        for me in 0..self.threads.len() {
            let thread = &state.threads[me];
            if thread.has_begun && !self.is_finished(state, me) {
                self.push_steps(state, me, out);
            }
            let can_commit = |at: &usize| match self.memory {
                MemoryModel::Pso => thread.can_commit_under_pso(*at),
                _ => *at == 0,
            };
            out.extend((0..thread.buffer.len()).filter(can_commit).map(|at| state.after_commit(me, at)));
        }
        // Time passes to the next deadline, whatever the threads do.
        if let [next, later @ ..] = state.ahead.as_slice() {
            out.push(State { now: *next, ahead: later.to_vec(), ..state.clone() });
        }
    }

    fn push_steps(&self, state: &State, me: usize, out: &mut Vec<State>) {
        let step = &self.threads[me][state.threads[me].at];
        if step.drains() && !state.threads[me].buffer.is_empty() {
            return;
        }
        for alternative in 0..state.alternative_count(step) {
            let mut next = state.clone();
            if let Some(effect) = self.execute(&mut next, me, step, alternative) {
                next.threads[me].at += usize::from(!matches!(effect, StepEffect::BeginsToWait(_)));
                self.record_effect(&mut next, me, step, &effect);
                self.do_silent_steps(&mut next, me);
                out.push(next);
            }
        }
    }

    /// Executes a step by one of its alternatives. Returns `None` if the step has to wait.
    fn execute(&self, state: &mut State, me: usize, step: &Step, alternative: usize) -> Option<StepEffect> {
        use Step::*;
        match step {
            Load(_) | Store(..) | Add(_) | Swap(..) | Exchange(..) | Fence(_) => {
                Some(self.access_memory(state, me, step))
            }
            Lock(_) | TryLock(..) | Unlock(_) => state.lock(me, step),
            ReadLock(_) | TryReadLock(..) | UnlockRead(_) | WriteLock(_) | TryWriteLock(..)
            | UnlockWrite(_) | Downgrade(_) => state.use_rw_lock(me, step),
            Wake(..) if alternative == 1 && !self.is_time_up(state, me) => None,
            Wait(_) | Wake(..) | NotifyOne(_) | NotifyAll(_) => state.use_condvar(me, step, alternative),
            Send(_) | TrySend(_) | Offer(_) | AwaitHandover => self.send(state, me, step),
            ReceiverArrives | Receive(_) | TryReceive | HangUp(_) => {
                self.receive(state, me, step, alternative)
            }
            Put(..) | Take(_) | ReadVar(_) | TryPut(..) | TryTake(_) => state.use_var(me, step),
            Begin(_) | Complete(..) | Look(_) => state.use_cell(me, step),
            _ => self.execute_thread_step(state, me, step, alternative),
        }
    }

    fn access_memory(&self, state: &mut State, me: usize, step: &Step) -> StepEffect {
        match *step {
            Step::Load(x) => {
                let own = state.threads[me].buffer.iter().rev().find(|store| store.atomic == x);
                let value = own.map_or(state.memory[x], |store| store.value);
                state.threads[me].seen.push(value);
                return StepEffect::Read(ATOMIC + x, Some(value));
            }
            Step::Store(x, value, order) => {
                if self.memory != MemoryModel::Sc && order != Ordering::SeqCst {
                    state.threads[me].buffer_store(x, value, order);
                    return StepEffect::Other;
                }
                state.memory[x] = value;
                return StepEffect::Write(ATOMIC + x);
            }
            Step::Fence(order) => {
                if matches!(order, Ordering::Release | Ordering::AcqRel) {
                    state.threads[me].fenced = state.threads[me].buffer.len();
                }
                return StepEffect::Fence;
            }
            _ => {}
        }
        let (Step::Add(x) | Step::Swap(x, _) | Step::Exchange(x, ..)) = *step else { unreachable!() };
        let old = state.memory[x];
        match *step {
            Step::Swap(_, value) => state.memory[x] = value,
            Step::Exchange(_, from, to) if old == from => state.memory[x] = to,
            Step::Exchange(..) => {
                state.threads[me].seen.push(old + 10);
                return StepEffect::Read(ATOMIC + x, Some(old));
            }
            _ => state.memory[x] += 1,
        }
        state.threads[me].seen.push(old);
        // An update that stores the old value counts as a read.
        match state.memory[x] == old {
            true => StepEffect::Read(ATOMIC + x, Some(old)),
            false => StepEffect::Write(ATOMIC + x),
        }
    }

    fn send(&self, state: &mut State, me: usize, step: &Step) -> Option<StepEffect> {
        let has_room = state.channel.queue.len() < self.room;
        let State { channel, threads, .. } = state;
        let seen = &mut threads[me].seen;
        let was_sent = match *step {
            Step::AwaitHandover => {
                let mine = channel.queue.iter().position(|(_, sender)| *sender == Some(me));
                if mine.is_some() && channel.has_receiver {
                    return None;
                }
                if let Some(mine) = mine {
                    channel.queue.remove(mine);
                    seen.push(0);
                    return Some(StepEffect::Read(CHANNEL, None));
                }
                true
            }
            Step::Send(_) if channel.has_receiver && !has_room => return None,
            Step::Offer(value) if channel.has_receiver && !channel.receiver_waits => {
                channel.queue.push((value, Some(me)));
                return Some(StepEffect::Write(CHANNEL));
            }
            Step::Send(value) | Step::TrySend(value) | Step::Offer(value) => {
                let can = channel.has_receiver && (has_room || channel.receiver_waits);
                if can {
                    channel.queue.push((value, None));
                    channel.receiver_waits = false;
                }
                can
            }
            _ => unreachable!("{step:?}"),
        };
        seen.push(u8::from(was_sent));
        if matches!(step, Step::Offer(_)) {
            threads[me].at += 1;
        }
        Some(if was_sent { StepEffect::Write(CHANNEL) } else { StepEffect::Read(CHANNEL, None) })
    }

    fn receive(&self, state: &mut State, me: usize, step: &Step, alternative: usize) -> Option<StepEffect> {
        let is_time_up = self.is_time_up(state, me);
        let channel = &mut state.channel;
        let can_receive = !channel.queue.is_empty() || channel.senders == 0;
        match *step {
            Step::HangUp(End::Sender) => {
                channel.senders -= 1;
                return Some(if channel.senders == 0 {
                    StepEffect::Write(CHANNEL)
                } else {
                    StepEffect::Other
                });
            }
            Step::HangUp(End::Receiver) => {
                channel.has_receiver = false;
                if self.room > 0 {
                    channel.queue.clear();
                }
                return Some(StepEffect::Write(CHANNEL));
            }
            Step::ReceiverArrives if !can_receive => {
                channel.receiver_waits = true;
                return Some(StepEffect::Write(CHANNEL));
            }
            // A receiver that can receive does not time out.
            Step::Receive(_) if can_receive != (alternative == 0) => return None,
            Step::Receive(_) if alternative == 1 && !is_time_up => return None,
            _ => {}
        }
        channel.receiver_waits = false;
        let message = (!channel.queue.is_empty()).then(|| channel.queue.remove(0).0);
        state.threads[me].seen.push(message.unwrap_or(9));
        if matches!(step, Step::ReceiverArrives) {
            state.threads[me].at += 1;
        }
        let has_changed = message.is_some() || alternative == 1;
        Some(if has_changed { StepEffect::Write(CHANNEL) } else { StepEffect::Read(CHANNEL, None) })
    }

    fn execute_thread_step(
        &self,
        state: &mut State,
        me: usize,
        step: &Step,
        alternative: usize,
    ) -> Option<StepEffect> {
        match *step {
            Step::Park(time) => {
                let was_unparked = std::mem::take(&mut state.threads[me].has_token);
                // A timeout and a token both consume the token.
                let is_late = time == Timeout::Short && self.is_time_up(state, me);
                (was_unparked || is_late).then_some(StepEffect::Other)
            }
            Step::Unpark(thread) => {
                state.threads[thread].has_token |= !self.is_finished(state, thread);
                Some(StepEffect::Other)
            }
            Step::Spawn(thread) => {
                state.threads[thread].has_begun = true;
                Some(StepEffect::Other)
            }
            Step::Join(thread) => {
                let joined = &state.threads[thread];
                if !self.is_finished(state, thread) || !joined.buffer.is_empty() {
                    return None;
                }
                if me > 0 {
                    let seen = joined.seen.clone();
                    state.threads[me].seen.extend(seen);
                }
                Some(StepEffect::Other)
            }
            Step::Yield => (!state.threads[me].looks.spins()).then_some(StepEffect::Yield),
            Step::Choose => {
                state.threads[me].seen.push(alternative as u8);
                Some(StepEffect::Other)
            }
            Step::Sleep => self.is_time_up(state, me).then_some(StepEffect::Other),
            Step::FixDeadline(time) => {
                state.fix_deadline(me, time);
                Some(StepEffect::Other)
            }
            Step::ReadClock => {
                state.threads[me].seen.push(state.now);
                Some(StepEffect::Other)
            }
            Step::Effect => {
                state.effects += 1;
                state.threads[me].seen.push(state.effects);
                Some(StepEffect::Other)
            }
            _ => unreachable!("{step:?}"),
        }
    }

    /// Records the effect of a step for the next yield of its thread, and for waiting yields of other
    /// threads.
    fn record_effect(&self, state: &mut State, me: usize, step: &Step, effect: &StepEffect) {
        if let StepEffect::Write(object) | StepEffect::BeginsToWait(object) = effect {
            state.has_changed(*object);
        }
        let needed = state.threads[me].at <= self.before_yield[me];
        let looks = &mut state.threads[me].looks;
        match effect {
            StepEffect::Read(object, value) if needed => looks.look(step, *object, *value),
            StepEffect::Read(..) | StepEffect::Fence => {}
            StepEffect::Write(_) | StepEffect::BeginsToWait(_) | StepEffect::Other => looks.change(needed),
            // After the last yield of a thread its looks do not matter.
            StepEffect::Yield if !needed => looks.change(false),
            StepEffect::Yield => looks.end_round(),
        }
    }

    /// Can a timed wait of this thread time out now?
    fn is_time_up(&self, state: &State, me: usize) -> bool {
        !self.has_deadlines || state.now >= state.threads[me].deadline
    }

    fn do_silent_steps(&self, state: &mut State, me: usize) {
        while let Some(step) = self.threads[me].get(state.threads[me].at)
            && step.is_silent()
        {
            state.threads[me].at += 1;
            state.execute_silent_step(me, step);
        }
    }
}

impl Thread {
    /// Under PSO: can this store of the buffer be committed?
    fn can_commit_under_pso(&self, at: usize) -> bool {
        let store = &self.buffer[at];
        store.held_by == 0 && self.buffer[..at].iter().all(|earlier| earlier.atomic != store.atomic)
    }

    /// Appends a store to the buffer.
    fn buffer_store(&mut self, atomic: usize, value: u8, order: Ordering) {
        let held_by = if order == Ordering::Release { self.buffer.len() } else { self.fenced };
        self.buffer.push(Store { atomic, value, held_by });
    }
}

impl State {
    /// The number of alternatives of a step, at most.
    fn alternative_count(&self, step: &Step) -> usize {
        match step {
            Step::Choose | Step::Wake(_, Timeout::Short) | Step::Receive(Timeout::Short) => 2,
            Step::NotifyOne(c) => self.waiters[*c].iter().filter(|(_, is_picked)| !is_picked).count().max(1),
            _ => 1,
        }
    }

    /// The state after the commit of this store of a thread's buffer.
    fn after_commit(&self, thread: usize, at: usize) -> State {
        let mut next = self.clone();
        let owner = thread;
        let thread = &mut next.threads[owner];
        let store = thread.buffer.remove(at);
        thread.fenced -= usize::from(at < thread.fenced);
        for later in &mut thread.buffer[at..] {
            later.held_by -= usize::from(at < later.held_by);
        }
        next.memory[store.atomic] = store.value;
        next.has_changed(ATOMIC + store.atomic);
        // The commit shows its own thread no new value: the thread has read the store from its buffer.
        next.threads[owner].looks.has_committed(ATOMIC + store.atomic);
        next
    }

    /// An object has changed: a thread that has read it need not wait, except a thread that reads its own
    /// buffered store there.
    fn has_changed(&mut self, object: usize) {
        let is_own = |store: &Store| ATOMIC + store.atomic == object;
        for thread in self.threads.iter_mut().filter(|thread| !thread.buffer.iter().any(is_own)) {
            thread.looks.has_changed(object);
        }
    }

    fn fix_deadline(&mut self, me: usize, time: u8) {
        let deadline = self.now + time;
        self.threads[me].deadline = deadline;
        if let Err(index) = self.ahead.binary_search(&deadline) {
            self.ahead.insert(index, deadline);
        }
    }

    fn fail_try(&mut self, me: usize, skip: usize) {
        self.threads[me].seen.push(99);
        self.threads[me].at += skip;
    }

    fn lock(&mut self, me: usize, step: &Step) -> Option<StepEffect> {
        let (Step::Lock(m) | Step::TryLock(m, _) | Step::Unlock(m)) = *step else { unreachable!() };
        match *step {
            Step::Lock(_) if self.locks[m].is_held => return None,
            Step::TryLock(_, skip) if self.locks[m].is_held => {
                self.fail_try(me, skip);
                return Some(StepEffect::Read(LOCK + m, None));
            }
            _ => self.locks[m].is_held = !matches!(step, Step::Unlock(_)),
        }
        Some(StepEffect::Write(LOCK + m))
    }

    fn use_rw_lock(&mut self, me: usize, step: &Step) -> Option<StepEffect> {
        use Step::*;
        let (ReadLock(b)
        | TryReadLock(b, _)
        | UnlockRead(b)
        | WriteLock(b)
        | TryWriteLock(b, _)
        | UnlockWrite(b)
        | Downgrade(b)) = *step
        else {
            unreachable!()
        };
        let rw_lock = &mut self.rw_locks[b];
        let is_free = match step {
            ReadLock(_) | TryReadLock(..) => !rw_lock.has_writer && rw_lock.waiting == 0,
            WriteLock(_) | TryWriteLock(..) => !rw_lock.has_writer && rw_lock.readers == 0,
            _ => true,
        };
        match *step {
            // A writer that waits already, or finds another writer, goes on when the lock is free.
            WriteLock(_) if !is_free && !rw_lock.has_writer && rw_lock.waiting >> me & 1 == 0 => {
                rw_lock.waiting |= 1 << me;
                return Some(StepEffect::BeginsToWait(RW_LOCK + b));
            }
            ReadLock(_) | WriteLock(_) if !is_free => return None,
            TryReadLock(_, skip) | TryWriteLock(_, skip) if !is_free => {
                self.fail_try(me, skip);
                return Some(StepEffect::Read(RW_LOCK + b, None));
            }
            ReadLock(_) | TryReadLock(..) => rw_lock.readers += 1,
            UnlockRead(_) => {
                rw_lock.readers -= 1;
                if rw_lock.readers == 0 {
                    rw_lock.waiting = 0;
                }
            }
            Downgrade(_) => (rw_lock.has_writer, rw_lock.readers) = (false, 1),
            _ => rw_lock.has_writer = !matches!(step, UnlockWrite(_)),
        }
        Some(StepEffect::Write(RW_LOCK + b))
    }

    fn use_condvar(&mut self, me: usize, step: &Step, alternative: usize) -> Option<StepEffect> {
        match *step {
            Step::Wait(c) => {
                self.locks[c].is_held = false;
                self.waiters[c].push((me as u8, false));
                self.waiters[c].sort_unstable();
                return Some(StepEffect::Write(LOCK + c));
            }
            Step::Wake(c, _) => {
                let waits = |waiter: &(u8, bool)| usize::from(waiter.0) == me;
                let at = self.waiters[c].iter().position(waits).expect("it waits");
                // The wait ends in time if it was notified, and by timeout if it was not.
                if self.waiters[c][at].1 != (alternative == 0) {
                    return None;
                }
                self.waiters[c].remove(at);
                self.threads[me].was_late = alternative == 1;
            }
            Step::NotifyOne(c) => {
                // Each alternative picks another waiter. Without a waiter, the notification has no effect.
                if let Some(waiter) = self.waiters[c].iter_mut().filter(|waiter| !waiter.1).nth(alternative) {
                    waiter.1 = true;
                }
            }
            Step::NotifyAll(c) => self.waiters[c].iter_mut().for_each(|waiter| waiter.1 = true),
            _ => unreachable!("{step:?}"),
        }
        Some(StepEffect::Other)
    }

    fn use_var(&mut self, me: usize, step: &Step) -> Option<StepEffect> {
        let State { vars, threads, .. } = self;
        let seen = &mut threads[me].seen;
        let (v, can) = match *step {
            Step::Put(v, _) | Step::TryPut(v, _) => (v, vars[v].is_none()),
            Step::Take(v) | Step::ReadVar(v) | Step::TryTake(v) => (v, vars[v].is_some()),
            _ => unreachable!("{step:?}"),
        };
        match *step {
            Step::TryPut(..) => seen.push(u8::from(can)),
            Step::TryTake(_) if !can => seen.push(99),
            _ if !can => return None,
            _ => {}
        }
        if !can {
            return Some(StepEffect::Read(VAR + v, None));
        }
        match *step {
            Step::Put(_, value) | Step::TryPut(_, value) => vars[v] = Some(value),
            Step::ReadVar(_) => {
                seen.extend(vars[v]);
                return Some(StepEffect::Read(VAR + v, None));
            }
            _ => seen.extend(vars[v].take()),
        }
        Some(StepEffect::Write(VAR + v))
    }

    fn use_cell(&mut self, me: usize, step: &Step) -> Option<StepEffect> {
        let State { cells, threads, .. } = self;
        let thread = &mut threads[me];
        let (Step::Begin(o) | Step::Complete(o, _) | Step::Look(o)) = *step else { unreachable!() };
        let cell = &mut cells[o];
        match *step {
            Step::Begin(_) if cell.is_being_initialised => return None,
            Step::Begin(_) if cell.value.is_none() => cell.is_being_initialised = true,
            Step::Complete(_, value) => {
                *cell = Cell { is_being_initialised: false, value: Some(value) };
                thread.seen.push(value);
            }
            _ => {
                thread.at += usize::from(matches!(step, Step::Begin(_)));
                thread.seen.push(cell.value.unwrap_or(99));
                return Some(StepEffect::Read(CELL + o, None));
            }
        }
        Some(StepEffect::Write(CELL + o))
    }

    fn execute_silent_step(&mut self, me: usize, step: &Step) {
        let (locks, rw_locks) = (&mut self.locks, &mut self.rw_locks);
        let thread = &mut self.threads[me];
        match step {
            Step::Count(LockedValue::Lock(m)) => locks[*m].value += 1,
            Step::Count(LockedValue::RwLock(b)) => rw_locks[*b].value += 1,
            Step::See(values) => {
                let value = |locked: &LockedValue| match *locked {
                    LockedValue::Lock(m) => locks[m].value,
                    LockedValue::RwLock(b) => rw_locks[b].value,
                };
                thread.seen.push(values.iter().map(value).sum());
            }
            Step::SeeInTime(m) => {
                let was_late = std::mem::take(&mut thread.was_late);
                thread.seen.push(locks[*m].value * 2 + u8::from(was_late));
            }
            Step::SkipUnlessZero(m, skip) if locks[*m].value != 0 => thread.at += skip,
            Step::Back(steps) => thread.at -= steps + 1,
            _ => {}
        }
    }
}
