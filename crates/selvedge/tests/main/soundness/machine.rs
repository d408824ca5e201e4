//! The machine of the reference: states, and the steps between them.
//!
//! Store buffers as in Sewell, Sarkar, Owens, Zappa Nardelli and Myreen, x86-TSO, CACM 2010; `docs/memory.md` says what drains
//! them, and when a yield waits. See [`super::reference`] for the search.

use super::program::Program;
use super::steps::{End, Place, Step, Time, steps};
use selvedge::MemoryModel;
use selvedge::sync::atomic::Ordering;

/// What the machine runs.
pub(crate) struct Machine {
    /// The steps of each thread, the body's first.
    threads: Vec<Vec<Step>>,
    /// How many of the first steps of each thread are followed by a yield: what it looks at later does not matter.
    before_yield: Vec<usize>,
    program_threads: usize,
    joins: bool,
    room: usize,
    memory: MemoryModel,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct State {
    threads: Vec<Thread>,
    /// The atomics.
    pub(crate) memory: [u8; 3],
    locks: [Lock; 3],
    books: [Book; 3],
    /// Who waits for each condition variable, and whether a notification has picked it. In the order of threads: who came first
    /// is no matter.
    waiters: [Vec<(u8, bool)>; 3],
    vars: [Option<u8>; 3],
    channel: Channel,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Thread {
    has_begun: bool,
    /// How many steps it has done; where it is in a loop, the number of its next step.
    at: usize,
    /// What it has seen.
    seen: Vec<u8>,
    /// Its stores that are not in memory, in the order in which they were made.
    buffer: Vec<Store>,
    /// So many of these were made before its last release fence.
    fenced: usize,
    has_token: bool,
    was_late: bool,
    /// The objects that it has looked at since its last yield, as bits, and those of them that have changed since.
    looked: u16,
    changed: u16,
    /// It has done something else since its last yield.
    is_busy: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Store {
    place: usize,
    value: u8,
    /// So many of the stores before it in its buffer must be committed first, whatever their place.
    held_by: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Lock {
    is_held: bool,
    value: u8,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Book {
    has_writer: bool,
    readers: u8,
    value: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Channel {
    /// Messages; and who waits until its own is received, where there is no room.
    queue: Vec<(u8, Option<usize>)>,
    senders: usize,
    has_receiver: bool,
    /// The receiver has come, and no sender has met it.
    receiver_waits: bool,
}

/// What a step was, for those who wait at a yield.
enum Did {
    /// Looked at an object of this number.
    Looked(usize),
    /// Changed it.
    Changed(usize),
    /// Something that no object of these shows.
    Else,
    /// Nothing that counts.
    Fence,
    Yield,
}

/// The numbers of objects. Nobody looks at a condition variable.
const ATOMIC: usize = 0;
const LOCK: usize = 3;
const BOOK: usize = 6;
const VAR: usize = 9;
const CHANNEL: usize = 12;

impl Machine {
    pub(crate) fn new(program: &Program, memory: MemoryModel) -> Machine {
        let threads = steps(program);
        let last_yield =
            |steps: &Vec<Step>| steps.iter().rposition(|step| matches!(step, Step::Yield)).unwrap_or(0);
        Machine {
            before_yield: threads.iter().map(last_yield).collect(),
            threads,
            program_threads: program.threads.len(),
            joins: program.joins,
            room: program.room,
            memory,
        }
    }

    pub(crate) fn first(&self) -> State {
        let mut threads = vec![Thread::default(); self.threads.len()];
        threads[0].has_begun = true;
        // One for the body, and one for each thread; those that need none let it go.
        let senders = 1 + self.program_threads;
        State {
            threads,
            memory: [0; 3],
            locks: Default::default(),
            books: Default::default(),
            waiters: Default::default(),
            vars: [None; 3],
            channel: Channel { queue: Vec::new(), senders, has_receiver: true, receiver_waits: false },
        }
    }

    /// Has the body returned? What others would still do does not matter then.
    pub(crate) fn has_returned(&self, state: &State) -> bool {
        self.has_done_all(state, 0)
    }

    /// What the body returns.
    pub(crate) fn seen(&self, state: &State) -> Vec<Vec<u32>> {
        let numbers = |seen: &[u8]| seen.iter().copied().map(u32::from).collect();
        if self.joins {
            let threads = &state.threads[1..=self.program_threads];
            threads.iter().map(|thread| numbers(&thread.seen)).collect()
        } else {
            // What it has seen before is of no use to it.
            vec![numbers(state.threads[0].seen.last_chunk::<3>().expect("three loads at the end"))]
        }
    }

    fn has_done_all(&self, state: &State, thread: usize) -> bool {
        state.threads[thread].has_begun && state.threads[thread].at == self.threads[thread].len()
    }

    /// Lists the states after one more step, or one more commit.
    pub(crate) fn list_next(&self, state: &State, out: &mut Vec<State>) {
        for me in 0..self.threads.len() {
            let thread = &state.threads[me];
            if thread.has_begun && !self.has_done_all(state, me) {
                self.list_steps(state, me, out);
            }
            let can_commit = |at: &usize| match self.memory {
                MemoryModel::Pso => thread.can_overtake(*at),
                _ => *at == 0,
            };
            out.extend((0..thread.buffer.len()).filter(can_commit).map(|at| state.after_commit(me, at)));
        }
    }

    fn list_steps(&self, state: &State, me: usize, out: &mut Vec<State>) {
        let step = &self.threads[me][state.threads[me].at];
        if step.drains() && !state.threads[me].buffer.is_empty() {
            return;
        }
        for way in 0..state.ways(step) {
            let mut next = state.clone();
            if let Some(did) = self.act(&mut next, me, step, way) {
                next.threads[me].at += 1;
                self.note(&mut next, me, &did);
                self.do_silent_steps(&mut next, me);
                out.push(next);
            }
        }
    }

    /// Does a step, in one of its ways; nothing where it has to wait.
    fn act(&self, state: &mut State, me: usize, step: &Step, way: usize) -> Option<Did> {
        use Step::*;
        match step {
            Load(_) | Store(..) | Add(_) | Swap(..) | Exchange(..) | Fence(_) => {
                Some(self.access(state, me, step))
            }
            Lock(_) | TryLock(..) | Unlock(_) => state.lock(me, step),
            ReadLock(_) | TryReadLock(..) | UnlockRead(_) | WriteLock(_) | TryWriteLock(..)
            | UnlockWrite(_) => state.open_book(me, step),
            Wait(_) | Wake(..) | NotifyOne(_) | NotifyAll(_) => state.signal(me, step, way),
            Send(_) | TrySend(_) | Offer(_) | Handed => self.send(state, me, step),
            Come | Receive(_) | TryReceive | HangUp(_) => self.receive(state, me, step, way),
            Put(..) | Take(_) | ReadVar(_) | TryPut(..) | TryTake(_) => state.use_var(me, step),
            _ => self.pause(state, me, step, way),
        }
    }

    fn access(&self, state: &mut State, me: usize, step: &Step) -> Did {
        match *step {
            Step::Load(x) => {
                let own = state.threads[me].buffer.iter().rev().find(|store| store.place == x);
                let value = own.map_or(state.memory[x], |store| store.value);
                state.threads[me].seen.push(value);
                return Did::Looked(ATOMIC + x);
            }
            Step::Store(x, value, order) => {
                if self.memory != MemoryModel::Sc && order != Ordering::SeqCst {
                    state.threads[me].put_off(x, value, order);
                    return Did::Else;
                }
                state.memory[x] = value;
                return Did::Changed(ATOMIC + x);
            }
            Step::Fence(order) => {
                if matches!(order, Ordering::Release | Ordering::AcqRel) {
                    state.threads[me].fenced = state.threads[me].buffer.len();
                }
                return Did::Fence;
            }
            _ => {}
        }
        let (Step::Add(x) | Step::Swap(x, _) | Step::Exchange(x, ..)) = *step else { unreachable!() };
        let found = state.memory[x];
        match *step {
            Step::Swap(_, value) => state.memory[x] = value,
            Step::Exchange(_, from, to) if found == from => state.memory[x] = to,
            Step::Exchange(..) => {
                state.threads[me].seen.push(found + 10);
                return Did::Looked(ATOMIC + x);
            }
            _ => state.memory[x] += 1,
        }
        state.threads[me].seen.push(found);
        // Who writes what was there changes nothing.
        if state.memory[x] == found { Did::Looked(ATOMIC + x) } else { Did::Changed(ATOMIC + x) }
    }

    fn send(&self, state: &mut State, me: usize, step: &Step) -> Option<Did> {
        let has_room = state.channel.queue.len() < self.room;
        let State { channel, threads, .. } = state;
        let seen = &mut threads[me].seen;
        let was_sent = match *step {
            Step::Handed => {
                let mine = channel.queue.iter().position(|(_, sender)| *sender == Some(me));
                if mine.is_some() && channel.has_receiver {
                    return None;
                }
                if let Some(mine) = mine {
                    channel.queue.remove(mine);
                    seen.push(0);
                    return Some(Did::Looked(CHANNEL));
                }
                true
            }
            Step::Send(_) if channel.has_receiver && !has_room => return None,
            Step::Offer(value) if channel.has_receiver && !channel.receiver_waits => {
                channel.queue.push((value, Some(me)));
                return Some(Did::Changed(CHANNEL));
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
        Some(if was_sent { Did::Changed(CHANNEL) } else { Did::Looked(CHANNEL) })
    }

    fn receive(&self, state: &mut State, me: usize, step: &Step, way: usize) -> Option<Did> {
        let channel = &mut state.channel;
        let can_receive = !channel.queue.is_empty() || channel.senders == 0;
        match *step {
            Step::HangUp(End::Sender) => {
                channel.senders -= 1;
                return Some(if channel.senders == 0 { Did::Changed(CHANNEL) } else { Did::Else });
            }
            Step::HangUp(End::Receiver) => {
                channel.has_receiver = false;
                if self.room > 0 {
                    channel.queue.clear();
                }
                return Some(Did::Changed(CHANNEL));
            }
            Step::Come if !can_receive => {
                channel.receiver_waits = true;
                return Some(Did::Changed(CHANNEL));
            }
            // Who can receive does, whatever the time.
            Step::Receive(_) if can_receive != (way == 0) => return None,
            _ => {}
        }
        channel.receiver_waits = false;
        let message = (!channel.queue.is_empty()).then(|| channel.queue.remove(0).0);
        state.threads[me].seen.push(message.unwrap_or(9));
        if matches!(step, Step::Come) {
            state.threads[me].at += 1;
        }
        let has_changed = message.is_some() || way == 1;
        Some(if has_changed { Did::Changed(CHANNEL) } else { Did::Looked(CHANNEL) })
    }

    fn pause(&self, state: &mut State, me: usize, step: &Step, way: usize) -> Option<Did> {
        match *step {
            Step::Park(time) => {
                let was_unparked = std::mem::take(&mut state.threads[me].has_token);
                // Whether it is the time or the token, the token is gone.
                (was_unparked || time == Time::Short).then_some(Did::Else)
            }
            Step::Unpark(thread) => {
                state.threads[thread].has_token |= !self.has_done_all(state, thread);
                Some(Did::Else)
            }
            Step::Spawn(thread) => {
                state.threads[thread].has_begun = true;
                Some(Did::Else)
            }
            Step::Join(thread) => {
                let joined = &state.threads[thread];
                if !self.has_done_all(state, thread) || !joined.buffer.is_empty() {
                    return None;
                }
                if me > 0 {
                    let seen = joined.seen.clone();
                    state.threads[me].seen.extend(seen);
                }
                Some(Did::Else)
            }
            Step::Yield => {
                let thread = &state.threads[me];
                let spins = thread.looked != 0 && thread.changed == 0;
                (!spins).then_some(Did::Yield)
            }
            Step::Choose => {
                state.threads[me].seen.push(way as u8);
                Some(Did::Else)
            }
            Step::Sleep => Some(Did::Else),
            _ => unreachable!("{step:?}"),
        }
    }

    /// What the step was matters to its thread's next yield, and to those who wait at theirs.
    fn note(&self, state: &mut State, me: usize, did: &Did) {
        if let Did::Changed(object) = did {
            state.has_changed(*object);
        }
        let needed = state.threads[me].at <= self.before_yield[me];
        let thread = &mut state.threads[me];
        match did {
            Did::Looked(object) if needed && !thread.is_busy => thread.looked |= 1 << object,
            Did::Looked(_) | Did::Fence => {}
            Did::Changed(_) | Did::Else => {
                (thread.looked, thread.changed, thread.is_busy) = (0, 0, needed);
            }
            Did::Yield => (thread.looked, thread.changed, thread.is_busy) = (0, 0, false),
        }
    }

    fn do_silent_steps(&self, state: &mut State, me: usize) {
        while let Some(step) = self.threads[me].get(state.threads[me].at)
            && step.is_silent()
        {
            state.threads[me].at += 1;
            state.compute(me, step);
        }
    }
}

impl Thread {
    /// Can this store of the buffer be committed, where each place has its own?
    fn can_overtake(&self, at: usize) -> bool {
        let store = &self.buffer[at];
        store.held_by == 0 && self.buffer[..at].iter().all(|earlier| earlier.place != store.place)
    }

    /// A store goes to the buffer.
    fn put_off(&mut self, place: usize, value: u8, order: Ordering) {
        let held_by = if order == Ordering::Release { self.buffer.len() } else { self.fenced };
        self.buffer.push(Store { place, value, held_by });
    }
}

impl State {
    /// How many ways a step can go, at most.
    fn ways(&self, step: &Step) -> usize {
        match step {
            Step::Choose | Step::Wake(_, Time::Short) | Step::Receive(Time::Short) => 2,
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
        next.memory[store.place] = store.value;
        next.has_changed(ATOMIC + store.place);
        // Since it was made, its thread has seen nothing else.
        next.threads[owner].changed &= !(1 << (ATOMIC + store.place));
        next
    }

    /// An object has changed: those who have looked at it need not wait, but who sees its own store there.
    fn has_changed(&mut self, object: usize) {
        let is_own = |store: &Store| ATOMIC + store.place == object;
        for thread in self.threads.iter_mut().filter(|thread| !thread.buffer.iter().any(is_own)) {
            thread.changed |= thread.looked & 1 << object;
        }
    }

    fn fail(&mut self, me: usize, past: usize) {
        self.threads[me].seen.push(99);
        self.threads[me].at += past;
    }

    fn lock(&mut self, me: usize, step: &Step) -> Option<Did> {
        let (Step::Lock(m) | Step::TryLock(m, _) | Step::Unlock(m)) = *step else { unreachable!() };
        match *step {
            Step::Lock(_) if self.locks[m].is_held => return None,
            Step::TryLock(_, past) if self.locks[m].is_held => {
                self.fail(me, past);
                return Some(Did::Looked(LOCK + m));
            }
            _ => self.locks[m].is_held = !matches!(step, Step::Unlock(_)),
        }
        Some(Did::Changed(LOCK + m))
    }

    fn open_book(&mut self, me: usize, step: &Step) -> Option<Did> {
        use Step::*;
        let (ReadLock(b)
        | TryReadLock(b, _)
        | UnlockRead(b)
        | WriteLock(b)
        | TryWriteLock(b, _)
        | UnlockWrite(b)) = *step
        else {
            unreachable!()
        };
        let book = &mut self.books[b];
        let is_free = match step {
            ReadLock(_) | TryReadLock(..) => !book.has_writer,
            WriteLock(_) | TryWriteLock(..) => !book.has_writer && book.readers == 0,
            _ => true,
        };
        match *step {
            ReadLock(_) | WriteLock(_) if !is_free => return None,
            TryReadLock(_, past) | TryWriteLock(_, past) if !is_free => {
                self.fail(me, past);
                return Some(Did::Looked(BOOK + b));
            }
            ReadLock(_) | TryReadLock(..) => book.readers += 1,
            UnlockRead(_) => book.readers -= 1,
            _ => book.has_writer = !matches!(step, UnlockWrite(_)),
        }
        Some(Did::Changed(BOOK + b))
    }

    fn signal(&mut self, me: usize, step: &Step, way: usize) -> Option<Did> {
        match *step {
            Step::Wait(c) => {
                self.locks[c].is_held = false;
                self.waiters[c].push((me as u8, false));
                self.waiters[c].sort_unstable();
                return Some(Did::Changed(LOCK + c));
            }
            Step::Wake(c, _) => {
                let waits = |waiter: &(u8, bool)| usize::from(waiter.0) == me;
                let at = self.waiters[c].iter().position(waits).expect("it waits");
                // In time it wakes up if it was picked, late if it was not.
                if self.waiters[c][at].1 != (way == 0) {
                    return None;
                }
                self.waiters[c].remove(at);
                self.threads[me].was_late = way == 1;
            }
            Step::NotifyOne(c) => {
                // Each way picks another one. Where nobody waits, nothing happens.
                if let Some(waiter) = self.waiters[c].iter_mut().filter(|waiter| !waiter.1).nth(way) {
                    waiter.1 = true;
                }
            }
            Step::NotifyAll(c) => self.waiters[c].iter_mut().for_each(|waiter| waiter.1 = true),
            _ => unreachable!("{step:?}"),
        }
        Some(Did::Else)
    }

    fn use_var(&mut self, me: usize, step: &Step) -> Option<Did> {
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
            return Some(Did::Looked(VAR + v));
        }
        match *step {
            Step::Put(_, value) | Step::TryPut(_, value) => vars[v] = Some(value),
            Step::ReadVar(_) => {
                seen.extend(vars[v]);
                return Some(Did::Looked(VAR + v));
            }
            _ => seen.extend(vars[v].take()),
        }
        Some(Did::Changed(VAR + v))
    }

    fn compute(&mut self, me: usize, step: &Step) {
        let (locks, books) = (&mut self.locks, &mut self.books);
        let thread = &mut self.threads[me];
        match step {
            Step::Count(Place::Lock(m)) => locks[*m].value += 1,
            Step::Count(Place::Book(b)) => books[*b].value += 1,
            Step::See(places) => {
                let value = |place: &Place| match *place {
                    Place::Lock(m) => locks[m].value,
                    Place::Book(b) => books[b].value,
                };
                thread.seen.push(places.iter().map(value).sum());
            }
            Step::SeeInTime(m) => {
                let was_late = std::mem::take(&mut thread.was_late);
                thread.seen.push(locks[*m].value * 2 + u8::from(was_late));
            }
            Step::PastUnlessZero(m, past) if locks[*m].value != 0 => thread.at += past,
            Step::Back(steps) => thread.at -= steps + 1,
            _ => {}
        }
    }
}
