//! Small programs over one `MVar`, and what they may come to, found naively: a state, the steps of each thread, and
//! all orders.
//!
//! The rules are those of docs/interrupts.md, with no queue, no lock and no mailbox: an operation that cannot be done
//! yet waits, one that can is one step.

use std::collections::BTreeSet;

/// What a thread does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Op {
    Put,
    Take,
    Read,
    TryPut,
    TryTake,
    TryRead,
    /// Throws to the thread of this number.
    Throw(usize),
}

pub(crate) const OPS: [Op; 6] = [Op::Put, Op::Take, Op::Read, Op::TryPut, Op::TryTake, Op::TryRead];

/// As `interrupt::Masking`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mask {
    Unmasked,
    Interruptible,
    Uninterruptible,
}

pub(crate) const MASKS: [Mask; 3] = [Mask::Unmasked, Mask::Interruptible, Mask::Uninterruptible];

/// A program: does the variable begin full, and what does each thread do, and in which state? Thread 0 is the body.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) is_full: bool,
    pub(crate) threads: Vec<(Mask, Vec<Op>)>,
}

/// The value that is there at first.
pub(crate) const FIRST: u8 = 99;
/// A try that came to nothing.
pub(crate) const NOTHING: u8 = 100;
/// The last that a thread says which was interrupted.
pub(crate) const INTERRUPTED: u8 = 101;
/// Something that has no result was done.
pub(crate) const DONE: u8 = 102;

/// What a thread puts, different for each operation.
pub(crate) fn value_of(thread: usize, step: usize) -> u8 {
    (10 * (thread + 1) + step) as u8
}

/// What the threads say, and the value that is left; nothing if all wait for ever.
pub(crate) type End = Option<(Vec<Vec<u8>>, Option<u8>)>;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    value: Option<u8>,
    threads: Vec<Thread>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Thread {
    said: Vec<u8>,
    has_ended: bool,
    /// It has thrown, and waits until that is delivered.
    is_sending: bool,
    /// Who has thrown to it, in order.
    letters: Vec<usize>,
}

/// All that a program may come to.
pub(crate) fn ends(program: &Program) -> BTreeSet<End> {
    let thread = Thread { said: Vec::new(), has_ended: false, is_sending: false, letters: Vec::new() };
    let first =
        State { value: program.is_full.then_some(FIRST), threads: vec![thread; program.threads.len()] };
    let (mut seen, mut todo, mut ends) = (BTreeSet::from([first.clone()]), vec![first], BTreeSet::new());
    while let Some(state) = todo.pop() {
        let next: Vec<State> = (0..state.threads.len()).filter_map(|it| step(program, &state, it)).collect();
        if next.is_empty() {
            let all = state.threads.iter().all(|thread| thread.has_ended);
            let said = state.threads.iter().map(|thread| thread.said.clone()).collect();
            ends.insert(all.then_some((said, state.value)));
        }
        todo.extend(next.into_iter().filter(|state| seen.insert(state.clone())));
    }
    ends
}

/// The one step that a thread can take, if it can.
fn step(program: &Program, state: &State, it: usize) -> Option<State> {
    let (mask, ops) = &program.threads[it];
    let thread = &state.threads[it];
    if thread.has_ended {
        return None;
    }
    let mut state = state.clone();
    if thread.said.len() == ops.len() {
        state.end(it);
        return Some(state);
    }
    let op = ops[thread.said.len()];
    let is_point = !matches!(op, Op::Throw(_));
    let has_letters = !thread.letters.is_empty();
    if has_letters && is_point && *mask == Mask::Unmasked {
        state.interrupt(it);
        return Some(state);
    }
    if state.perform(it, op) {
        return Some(state);
    }
    if has_letters && *mask != Mask::Uninterruptible {
        state.interrupt(it);
        return Some(state);
    }
    None
}

impl State {
    /// Does it if it can be done.
    fn perform(&mut self, it: usize, op: Op) -> bool {
        let mine = value_of(it, self.threads[it].said.len());
        let said = match (op, self.value) {
            (Op::Throw(to), _) => return self.throw(it, to),
            (Op::Put | Op::TryPut, None) => {
                self.value = Some(mine);
                DONE
            }
            (Op::Take | Op::TryTake, Some(value)) => {
                self.value = None;
                value
            }
            (Op::Read | Op::TryRead, Some(value)) => value,
            (Op::TryPut, Some(_)) | (Op::TryTake | Op::TryRead, None) => NOTHING,
            (Op::Put, Some(_)) | (Op::Take | Op::Read, None) => return false,
        };
        self.threads[it].said.push(said);
        true
    }

    fn throw(&mut self, it: usize, to: usize) -> bool {
        if self.threads[it].is_sending {
            return false;
        }
        // The body waits for the others when it is done, and so has not ended: nobody takes what is thrown to it then.
        if to != 0 && self.threads[to].has_ended {
            self.threads[it].said.push(DONE);
        } else {
            self.threads[it].is_sending = true;
            self.threads[to].letters.push(it);
        }
        true
    }

    /// The first who threw to the thread is told, and the thread ends.
    fn interrupt(&mut self, it: usize) {
        let from = self.threads[it].letters.remove(0);
        self.sent(from);
        // What it was about to throw itself is taken back.
        self.threads.iter_mut().for_each(|other| other.letters.retain(|from| *from != it));
        self.threads[it].said.push(INTERRUPTED);
        self.end(it);
    }

    fn sent(&mut self, from: usize) {
        self.threads[from].is_sending = false;
        self.threads[from].said.push(DONE);
    }

    fn end(&mut self, it: usize) {
        self.threads[it].has_ended = true;
        self.threads[it].is_sending = false;
        if it != 0 {
            let letters = std::mem::take(&mut self.threads[it].letters);
            letters.into_iter().for_each(|from| self.sent(from));
        }
    }
}
