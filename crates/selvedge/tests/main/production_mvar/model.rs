//! Small programs over one `MVar`, and their outcomes by a naive search: a state, the steps of each thread,
//! and all interleavings.
//!
//! The rules are the rules of docs/interrupts.md, without a queue, a lock or a mailbox: an enabled operation
//! is one step, and a disabled operation waits.

use std::collections::BTreeSet;

/// An operation of a thread.
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

/// The same states as `interrupt::Masking`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mask {
    Unmasked,
    Interruptible,
    Uninterruptible,
}

pub(crate) const MASKS: [Mask; 3] = [Mask::Unmasked, Mask::Interruptible, Mask::Uninterruptible];

/// A program: whether the variable is full at first, and the masking state and operations of each thread.
/// Thread 0 is the body.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) is_full: bool,
    pub(crate) threads: Vec<(Mask, Vec<Op>)>,
}

/// The initial value of a full variable.
pub(crate) const FIRST: u8 = 99;
/// The result of a failed `try` operation.
pub(crate) const NOTHING: u8 = 100;
/// The last result of an interrupted thread.
pub(crate) const INTERRUPTED: u8 = 101;
/// The result of an operation that returns nothing.
pub(crate) const DONE: u8 = 102;

/// The value that a thread puts in this step, different for each operation.
pub(crate) fn value_of(thread: usize, step: usize) -> u8 {
    (10 * (thread + 1) + step) as u8
}

/// The results of the threads, and the final value; `None` for a deadlock.
pub(crate) type End = Option<(Vec<Vec<u8>>, Option<u8>)>;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    value: Option<u8>,
    threads: Vec<Thread>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Thread {
    results: Vec<u8>,
    has_ended: bool,
    /// It has thrown, and waits until the exception is delivered.
    is_sending: bool,
    /// The threads that have thrown to it, in order.
    pending: Vec<usize>,
}

/// All outcomes of a program.
pub(crate) fn ends(program: &Program) -> BTreeSet<End> {
    let thread = Thread { results: Vec::new(), has_ended: false, is_sending: false, pending: Vec::new() };
    let first =
        State { value: program.is_full.then_some(FIRST), threads: vec![thread; program.threads.len()] };
    let (mut seen, mut todo, mut ends) = (BTreeSet::from([first.clone()]), vec![first], BTreeSet::new());
    while let Some(state) = todo.pop() {
        let next: Vec<State> =
            (0..state.threads.len()).filter_map(|thread| step(program, &state, thread)).collect();
        if next.is_empty() {
            let all_ended = state.threads.iter().all(|thread| thread.has_ended);
            let results = state.threads.iter().map(|thread| thread.results.clone()).collect();
            ends.insert(all_ended.then_some((results, state.value)));
        }
        todo.extend(next.into_iter().filter(|state| seen.insert(state.clone())));
    }
    ends
}

/// The state after the only step of a thread; `None` if the thread is blocked or has ended.
fn step(program: &Program, state: &State, index: usize) -> Option<State> {
    let (mask, ops) = &program.threads[index];
    let thread = &state.threads[index];
    if thread.has_ended {
        return None;
    }
    let mut state = state.clone();
    if thread.results.len() == ops.len() {
        state.end(index);
        return Some(state);
    }
    let op = ops[thread.results.len()];
    let is_point = !matches!(op, Op::Throw(_));
    let has_pending = !thread.pending.is_empty();
    if has_pending && is_point && *mask == Mask::Unmasked {
        state.interrupt(index);
        return Some(state);
    }
    if state.perform(index, op) {
        return Some(state);
    }
    if has_pending && *mask != Mask::Uninterruptible {
        state.interrupt(index);
        return Some(state);
    }
    None
}

impl State {
    /// Executes the operation if it is enabled. Returns whether it is.
    fn perform(&mut self, index: usize, op: Op) -> bool {
        let mine = value_of(index, self.threads[index].results.len());
        let result = match (op, self.value) {
            (Op::Throw(to), _) => return self.throw(index, to),
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
        self.threads[index].results.push(result);
        true
    }

    fn throw(&mut self, index: usize, to: usize) -> bool {
        if self.threads[index].is_sending {
            return false;
        }
        // At its end the body waits for the other threads, so it has not ended: an exception for it stays
        // pending then.
        if to != 0 && self.threads[to].has_ended {
            self.threads[index].results.push(DONE);
        } else {
            self.threads[index].is_sending = true;
            self.threads[to].pending.push(index);
        }
        true
    }

    /// Delivers the first pending exception to the thread, which ends.
    fn interrupt(&mut self, index: usize) {
        let from = self.threads[index].pending.remove(0);
        self.mark_delivered(from);
        // The exceptions that the thread has thrown itself are withdrawn.
        self.threads.iter_mut().for_each(|other| other.pending.retain(|from| *from != index));
        self.threads[index].results.push(INTERRUPTED);
        self.end(index);
    }

    fn mark_delivered(&mut self, from: usize) {
        self.threads[from].is_sending = false;
        self.threads[from].results.push(DONE);
    }

    fn end(&mut self, index: usize) {
        self.threads[index].has_ended = true;
        self.threads[index].is_sending = false;
        if index != 0 {
            let pending = std::mem::take(&mut self.threads[index].pending);
            pending.into_iter().for_each(|from| self.mark_delivered(from));
        }
    }
}
