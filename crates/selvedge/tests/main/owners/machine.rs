//! The naive reference: a machine with counts, and a search that stores states; sequentially consistent.
//!
//! Written from the documentation of `sync::tracked`, not from the code of the library. A data race is
//! found by definition: a thread knows the accesses of the cell that happen before its present point, as a
//! set; to release is to add that set to the object's, and to acquire is to add the object's set to the
//! thread's.
//!
//! Promise: the outcomes are exactly those that the documentation permits.

use super::program::{Destructor, Op, Program, STORED, Seen, next_value};
use selvedge::Outcome;
use std::collections::{BTreeSet, HashSet};

/// The outcomes of a program; a data race without its places.
pub(super) fn judge(program: &Program) -> BTreeSet<Outcome<Seen>> {
    let race = || Outcome::DataRace(String::new());
    let (mut visited, mut ends) = (HashSet::new(), BTreeSet::new());
    let mut first = State::first(program);
    let mut pending = Vec::new();
    match first.advance(program, BODY) {
        Ok(()) => pending.push(first),
        Err(Race) => _ = ends.insert(race()),
    }
    while let Some(state) = pending.pop() {
        if state.threads[BODY].is_finished() {
            ends.insert(Outcome::Returned(state.seen()));
            continue;
        }
        for thread in 0..state.threads.len() {
            let mut next = state.clone();
            match next.step(program, thread) {
                Some(Ok(())) if visited.insert(next.clone()) => pending.push(next),
                Some(Err(Race)) => _ = ends.insert(race()),
                _ => {}
            }
        }
    }
    ends
}

/// The number of the body; the threads come after it.
const BODY: usize = 0;

/// A data race ends the run.
struct Race;

/// Accesses of the cell, as bits: eight for each thread.
type Accesses = u64;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    threads: Vec<Thread>,
    values: Vec<Value>,
    atomic: u32,
    /// What the atomic releases.
    atomic_released: Accesses,
    cell: u32,
    reads: Accesses,
    writes: Accesses,
}

/// A value with owners.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Value {
    strong: u32,
    weak: u32,
    released: Accesses,
    weak_released: Accesses,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Thread {
    has_begun: bool,
    next_op: usize,
    /// What is left of the current operation, the next last.
    todo: Vec<Act>,
    /// The values that it owns, the newest last.
    strong: Vec<usize>,
    weak: Vec<usize>,
    seen: Vec<u32>,
    known: Accesses,
    access_count: u32,
    has_ended: bool,
}

impl Thread {
    fn is_finished(&self) -> bool {
        self.has_ended && self.todo.is_empty()
    }
}

/// An action on the value with this number, or another action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Act {
    Clone(usize),
    Drop(usize),
    Downgrade(usize),
    CloneWeak(usize),
    DropWeak(usize),
    Upgrade(usize),
    StrongCount(usize),
    WeakCount(usize, ByWeak),
    GetMut(usize),
    TryUnwrap(usize),
    IntoInner(usize),
    MakeMut(usize),
    AddRelaxed,
    AddAcqRel,
    /// By a destructor, which sees nothing.
    AddQuietly,
    Store,
    Load,
    Spawn(usize),
    Join(usize),
    // Invisible: executed together with the action before.
    ReadCell,
    WriteCell(Option<usize>),
    Destroy,
    /// The body gives a new thread what it has just made.
    Give(usize),
    SeeNoOwners,
}

/// Is the count asked for by a weak reference?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct ByWeak(bool);

impl Act {
    fn is_visible(self) -> bool {
        use Act::{Destroy, Give, ReadCell, SeeNoOwners, WriteCell};
        !matches!(self, ReadCell | WriteCell(_) | Destroy | Give(_) | SeeNoOwners)
    }
}

impl State {
    fn first(program: &Program) -> State {
        let mut threads = vec![Thread::default(); program.threads.len() + 1];
        threads[BODY] = Thread { has_begun: true, strong: vec![0], ..Thread::default() };
        let value = Value { strong: 1, ..Value::default() };
        State { threads, values: vec![value], atomic: 0, atomic_released: 0, cell: 0, reads: 0, writes: 0 }
    }

    fn seen(&self) -> Seen {
        let mut seen: Seen = self.threads[1..].iter().map(|thread| thread.seen.clone()).collect();
        seen.push(self.threads[BODY].seen.clone());
        seen
    }

    /// One step of a thread, and what is invisible after it. `None` if it has to wait, or has ended.
    fn step(&mut self, program: &Program, me: usize) -> Option<Result<(), Race>> {
        if !self.threads[me].has_begun || self.threads[me].is_finished() {
            return None;
        }
        let act = *self.threads[me].todo.last()?;
        if let Act::Join(other) = act
            && !self.threads[other].is_finished()
        {
            return None;
        }
        self.threads[me].todo.pop();
        self.execute(program, me, act);
        Some(self.begin_and_advance(program, me, act))
    }

    fn begin_and_advance(&mut self, program: &Program, me: usize, act: Act) -> Result<(), Race> {
        self.advance(program, me)?;
        if let Act::Spawn(other) = act { self.advance(program, other) } else { Ok(()) }
    }

    /// Executes all that is invisible before the next step of a thread.
    fn advance(&mut self, program: &Program, me: usize) -> Result<(), Race> {
        loop {
            match self.threads[me].todo.last().copied() {
                Some(act) if act.is_visible() => return Ok(()),
                Some(act) => {
                    self.threads[me].todo.pop();
                    self.execute_quietly(program, me, act)?;
                }
                None if self.threads[me].has_ended => return Ok(()),
                None => self.begin_op(program, me),
            }
        }
    }

    /// The actions of the next operation.
    fn begin_op(&mut self, program: &Program, me: usize) {
        let mut acts = if me == BODY {
            self.threads[BODY].has_ended = true;
            body_acts(program)
        } else {
            let thread = &mut self.threads[me];
            match program.threads[me - 1].get(thread.next_op) {
                Some(op) => {
                    thread.next_op += 1;
                    op_acts(*op, thread, me)
                }
                None => {
                    thread.has_ended = true;
                    let owners = thread.strong.iter().rev().map(|value| Act::Drop(*value));
                    owners.chain(thread.weak.iter().rev().map(|value| Act::DropWeak(*value))).collect()
                }
            }
        };
        acts.reverse();
        self.threads[me].todo = acts;
    }

    fn execute(&mut self, program: &Program, me: usize, act: Act) {
        let State { threads, values, .. } = self;
        match act {
            Act::Clone(value) => {
                values[value].strong += 1;
                threads[me].strong.push(value);
            }
            Act::Drop(value) | Act::IntoInner(value) => self.remove_owner(me, value, act),
            Act::Downgrade(value) | Act::CloneWeak(value) => {
                values[value].weak += 1;
                threads[me].weak.push(value);
            }
            Act::DropWeak(value) => {
                values[value].weak -= 1;
                values[value].weak_released |= threads[me].known;
                threads[me].weak.pop();
            }
            Act::Upgrade(value) => {
                let is_alive = values[value].strong > 0;
                threads[me].seen.push(u32::from(is_alive));
                if is_alive {
                    values[value].strong += 1;
                    threads[me].strong.push(value);
                    threads[me].known |= values[value].released;
                }
            }
            Act::StrongCount(value) => threads[me].seen.push(values[value].strong),
            Act::WeakCount(value, ByWeak(by_weak)) => {
                let is_gone = by_weak && values[value].strong == 0;
                threads[me].seen.push(if is_gone { 0 } else { values[value].weak });
                threads[me].known |= if by_weak { values[value].weak_released } else { 0 };
            }
            Act::GetMut(value) | Act::TryUnwrap(value) | Act::MakeMut(value) => self.look(me, value, act),
            _ => self.execute_other(program, me, act),
        }
    }

    fn remove_owner(&mut self, me: usize, value: usize, act: Act) {
        let State { threads, values, .. } = self;
        let (thread, value) = (&mut threads[me], &mut values[value]);
        value.strong -= 1;
        value.released |= thread.known;
        thread.strong.pop();
        let is_last = value.strong == 0;
        if matches!(act, Act::IntoInner(_)) {
            thread.seen.push(u32::from(is_last));
        }
        if is_last {
            thread.known |= value.released;
            thread.todo.push(Act::Destroy);
        }
    }

    /// Actions that succeed if the thread is the only owner.
    fn look(&mut self, me: usize, number: usize, act: Act) {
        let State { threads, values, .. } = self;
        let (thread, value) = (&mut threads[me], &mut values[number]);
        let is_only = value.strong == 1;
        match act {
            Act::GetMut(_) => {
                thread.seen.push(u32::from(is_only && value.weak == 0));
                if value.weak == 0 {
                    thread.known |= value.released | value.weak_released;
                }
            }
            Act::TryUnwrap(_) => {
                thread.seen.push(u32::from(is_only));
                if is_only {
                    value.strong = 0;
                    thread.known |= value.released;
                    thread.strong.pop();
                    thread.todo.push(Act::Destroy);
                }
            }
            _ if is_only => {
                thread.known |= value.released;
                if value.weak > 0 {
                    // The value moves to another place, where it has no weak references.
                    value.strong = 0;
                    thread.strong.pop();
                    thread.strong.push(values.len());
                    values.push(Value { strong: 1, ..Value::default() });
                }
            }
            _ => {
                // A copy takes the place of this owner, which is dropped: `Drop` removes the newest.
                let at = thread.strong.len() - 1;
                thread.strong.insert(at, values.len());
                values.push(Value { strong: 1, ..Value::default() });
                thread.todo.push(Act::Drop(number));
            }
        }
    }

    fn execute_other(&mut self, program: &Program, me: usize, act: Act) {
        let thread = &mut self.threads[me];
        match act {
            Act::AddRelaxed | Act::AddAcqRel | Act::AddQuietly => {
                if act != Act::AddQuietly {
                    thread.seen.push(self.atomic);
                }
                self.atomic += 1;
                if act == Act::AddAcqRel {
                    thread.known |= self.atomic_released;
                    self.atomic_released |= thread.known;
                }
            }
            Act::Store => (self.atomic, self.atomic_released) = (STORED, 0),
            Act::Load if me == BODY => thread.seen.push(self.atomic),
            Act::Load => {
                thread.seen.push(self.atomic);
                thread.known |= self.atomic_released;
            }
            Act::Spawn(other) => {
                let known = thread.known;
                self.threads[other].known = known;
                self.threads[other].has_begun = true;
            }
            Act::Join(other) => {
                let known = self.threads[other].known;
                self.threads[me].known |= known;
            }
            _ => unreachable!("{act:?} of {program:?}"),
        }
    }

    fn execute_quietly(&mut self, program: &Program, me: usize, act: Act) -> Result<(), Race> {
        match act {
            Act::ReadCell => {
                self.access(me, false)?;
                self.threads[me].seen.push(self.cell);
            }
            Act::WriteCell(writer) => {
                self.access(me, true)?;
                self.cell = next_value(self.cell, writer);
            }
            Act::Destroy => {
                let writes = matches!(program.destructor, Destructor::WritesCell | Destructor::Both);
                let adds = matches!(program.destructor, Destructor::Adds | Destructor::Both);
                self.threads[me].todo.extend(adds.then_some(Act::AddQuietly));
                self.threads[me].todo.extend(writes.then_some(Act::WriteCell(None)));
            }
            Act::Give(other) => {
                let [body, rest @ ..] = &mut self.threads[..] else { unreachable!("there is a body") };
                match program.starts_weak[other - 1] {
                    true => rest[other - 1].weak.extend(body.weak.pop()),
                    false => rest[other - 1].strong.extend(body.strong.pop()),
                }
            }
            _ => self.threads[me].seen.push(0),
        }
        Ok(())
    }

    /// A thread accesses the cell: a conflicting access of another thread must happen before.
    fn access(&mut self, me: usize, is_write: bool) -> Result<(), Race> {
        let conflicting = if is_write { self.reads | self.writes } else { self.writes };
        let thread = &mut self.threads[me];
        let own: Accesses = 0xff << (8 * me);
        if conflicting & !own & !thread.known != 0 {
            return Err(Race);
        }
        let access = 1 << (8 * me as u32 + thread.access_count);
        thread.access_count += 1;
        assert!(thread.access_count <= 8, "small programs");
        thread.known |= access;
        *if is_write { &mut self.writes } else { &mut self.reads } |= access;
        Ok(())
    }
}

fn body_acts(program: &Program) -> Vec<Act> {
    let mut acts = Vec::new();
    for (number, starts_weak) in (1..).zip(&program.starts_weak) {
        acts.push(if *starts_weak { Act::Downgrade(0) } else { Act::Clone(0) });
        acts.extend([Act::Give(number), Act::Spawn(number)]);
    }
    let joins = (1..=program.threads.len()).map(Act::Join);
    if program.body_drops_first {
        acts.push(Act::Drop(0));
        acts.extend(joins);
        acts.push(Act::SeeNoOwners);
    } else {
        acts.extend(joins);
        acts.extend([Act::StrongCount(0), Act::Drop(0)]);
    }
    acts.extend([Act::Load, Act::ReadCell]);
    acts
}

fn op_acts(op: Op, thread: &Thread, me: usize) -> Vec<Act> {
    let strong = |act: fn(usize) -> Act| thread.strong.last().map(|value| act(*value));
    let weak = |act: fn(usize) -> Act| thread.weak.last().map(|value| act(*value));
    let act = match op {
        Op::Clone => strong(Act::Clone),
        Op::Drop => strong(Act::Drop),
        Op::Downgrade => strong(Act::Downgrade),
        Op::CloneWeak => weak(Act::CloneWeak),
        Op::DropWeak => weak(Act::DropWeak),
        Op::Upgrade => weak(Act::Upgrade),
        Op::StrongCount => strong(Act::StrongCount).or(weak(Act::StrongCount)),
        Op::WeakCount => strong(|value| Act::WeakCount(value, ByWeak(false)))
            .or(weak(|value| Act::WeakCount(value, ByWeak(true)))),
        Op::GetMut => strong(Act::GetMut),
        Op::TryUnwrap => strong(Act::TryUnwrap),
        Op::IntoInner => strong(Act::IntoInner),
        Op::MakeMut => strong(Act::MakeMut),
        Op::ReadCell => Some(Act::ReadCell),
        Op::WriteCell => Some(Act::WriteCell(Some(me - 1))),
        Op::AddRelaxed => Some(Act::AddRelaxed),
        Op::AddAcqRel => Some(Act::AddAcqRel),
        Op::Store => Some(Act::Store),
        Op::Load => Some(Act::Load),
        Op::Yield => unreachable!("not known to the reference"),
    };
    act.into_iter().collect()
}
