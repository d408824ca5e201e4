//! Small random programs that share owners of a value.

#![allow(unsafe_code)]

use selvedge::cell::UnsafeCell;
use selvedge::sync::atomic::{AtomicU32, Ordering};
use selvedge::sync::tracked::{Arc, Weak};
use selvedge::{MemoryModel, thread};
use selvedge_explore::Random;

/// An operation of a thread, on its newest owner or weak reference. If it has none, the operation is
/// nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Clone,
    Drop,
    Downgrade,
    CloneWeak,
    DropWeak,
    Upgrade,
    StrongCount,
    WeakCount,
    GetMut,
    TryUnwrap,
    IntoInner,
    MakeMut,
    ReadCell,
    WriteCell,
    AddRelaxed,
    AddAcqRel,
    Store,
    Load,
    /// Not known to the reference: waits for a change of what the thread has read since its last yield.
    Yield,
}

impl Op {
    pub(super) const ALL: [Op; 18] = [
        Op::Clone,
        Op::Drop,
        Op::Downgrade,
        Op::CloneWeak,
        Op::DropWeak,
        Op::Upgrade,
        Op::StrongCount,
        Op::WeakCount,
        Op::GetMut,
        Op::TryUnwrap,
        Op::IntoInner,
        Op::MakeMut,
        Op::ReadCell,
        Op::WriteCell,
        Op::AddRelaxed,
        Op::AddAcqRel,
        Op::Store,
        Op::Load,
    ];
}

/// What the destructor of the value does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Destructor {
    Nothing,
    WritesCell,
    /// Adds to the atomic: a step of the thread that drops the last owner.
    Adds,
    Both,
}

/// A program.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) threads: Vec<Vec<Op>>,
    /// Which threads begin with a weak reference instead of an owner.
    pub(super) starts_weak: Vec<bool>,
    pub(super) destructor: Destructor,
    /// Does the body drop its own owner before it joins the threads?
    pub(super) body_drops_first: bool,
}

/// What the threads have seen; then the body: the number of owners, the value of the atomic and of the cell.
pub(super) type Seen = Vec<Vec<u32>>;

/// How the cell changes: by a thread of this number, or by a destructor.
pub(super) fn next_value(value: u32, writer: Option<usize>) -> u32 {
    (value * 5 + writer.map_or(1, |thread| thread as u32 + 2)) % 251
}

/// The value of a store to the atomic.
pub(super) const STORED: u32 = 100;

impl Program {
    pub(super) fn draw(random: &mut Random) -> Program {
        let mut below = |bound: usize| random.below(bound).unwrap_or(0);
        let count = 2 + usize::from(below(3) == 0);
        let max_ops = if count == 2 { 3 } else { 2 };
        let threads =
            (0..count).map(|_| (0..=below(max_ops)).map(|_| Op::ALL[below(18)]).collect()).collect();
        let starts_weak = (0..count).map(|_| below(4) == 0).collect();
        let destructors = [Destructor::Nothing, Destructor::WritesCell, Destructor::Adds, Destructor::Both];
        let destructor = destructors[below(4)];
        Program { threads, starts_weak, destructor, body_drops_first: below(3) > 0 }
    }

    /// The same with yields, which wait for a change of the counts that the thread has looked at.
    pub(super) fn draw_with_yields(random: &mut Random) -> Program {
        let mut program = Program::draw(random);
        for ops in &mut program.threads {
            let at = random.below(ops.len() + 1).unwrap_or(0);
            ops.insert(at, Op::Yield);
        }
        program
    }

    /// Does the reference know all operations, under this memory model? It has no store buffers.
    pub(super) fn is_known_to_reference(&self, memory: MemoryModel) -> bool {
        let has = |wanted: Op| self.threads.iter().flatten().any(|op| *op == wanted);
        !has(Op::Yield) && (memory == MemoryModel::Sc || !has(Op::Store))
    }

    /// All programs with one operation or one thread less.
    pub(super) fn smaller(&self) -> Vec<Program> {
        let mut all = Vec::new();
        for (thread, ops) in self.threads.iter().enumerate() {
            for op in 0..ops.len() {
                let mut smaller = self.clone();
                smaller.threads[thread].remove(op);
                all.push(smaller);
            }
            if self.threads.len() > 1 {
                let mut smaller = self.clone();
                smaller.threads.remove(thread);
                smaller.starts_weak.remove(thread);
                all.push(smaller);
            }
        }
        all
    }

    /// Runs the program.
    pub(super) fn run(&self) -> Seen {
        let data = std::sync::Arc::new(Data { cell: UnsafeCell::new(0), atomic: AtomicU32::new(0) });
        let arc = Arc::new(Owner { data: data.clone(), destructor: self.destructor });
        let mut handles = Vec::new();
        for (number, (ops, starts_weak)) in self.threads.iter().zip(&self.starts_weak).enumerate() {
            let (mut strong, mut weak) = (Vec::new(), Vec::new());
            match starts_weak {
                true => weak.push(Arc::downgrade(&arc)),
                false => strong.push(arc.clone()),
            }
            let (ops, data) = (ops.clone(), data.clone());
            let owners = Owners { number, strong, weak, seen: Vec::new() };
            handles.push(thread::spawn(move || owners.execute(&ops, &data)));
        }
        let mut arc = Some(arc);
        if self.body_drops_first {
            drop(arc.take());
        }
        let mut seen: Seen = handles.into_iter().map(|handle| handle.join().expect("no panics")).collect();
        let owners = arc.as_ref().map_or(0, |arc| Arc::strong_count(arc) as u32);
        drop(arc);
        seen.push(vec![owners, data.atomic.load(Ordering::Relaxed), data.read()]);
        seen
    }
}

/// What all threads and destructors access.
struct Data {
    cell: UnsafeCell<u32>,
    atomic: AtomicU32,
}

// SAFETY: the explorer checks that accesses of the cell are ordered; if they are not, the run ends before
// the second access.
unsafe impl Sync for Data {}

impl Data {
    fn read(&self) -> u32 {
        // SAFETY: the pointer is valid during the access.
        self.cell.with(|value| unsafe { *value })
    }

    fn write(&self, writer: Option<usize>) {
        // SAFETY: the pointer is valid during the access.
        self.cell.with_mut(|value| unsafe { *value = next_value(*value, writer) });
    }
}

/// The value that has owners.
#[derive(Clone)]
struct Owner {
    data: std::sync::Arc<Data>,
    destructor: Destructor,
}

impl Drop for Owner {
    fn drop(&mut self) {
        if matches!(self.destructor, Destructor::WritesCell | Destructor::Both) {
            self.data.write(None);
        }
        if matches!(self.destructor, Destructor::Adds | Destructor::Both) {
            self.data.atomic.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// What a thread owns and has seen.
struct Owners {
    number: usize,
    strong: Vec<Arc<Owner>>,
    weak: Vec<Weak<Owner>>,
    seen: Vec<u32>,
}

impl Owners {
    /// Executes the operations, and drops what is left: the newest first, owners first.
    fn execute(mut self, ops: &[Op], data: &Data) -> Vec<u32> {
        ops.iter().for_each(|op| self.execute_op(*op, data));
        while let Some(arc) = self.strong.pop() {
            drop(arc);
        }
        while let Some(weak) = self.weak.pop() {
            drop(weak);
        }
        self.seen
    }

    fn execute_op(&mut self, op: Op, data: &Data) {
        let Owners { number, strong, weak, seen } = self;
        match op {
            Op::Clone => strong.extend(strong.last().cloned()),
            Op::Drop => drop(strong.pop()),
            Op::Downgrade => weak.extend(strong.last().map(Arc::downgrade)),
            Op::CloneWeak => weak.extend(weak.last().cloned()),
            Op::DropWeak => drop(weak.pop()),
            Op::Upgrade => {
                let upgraded = weak.last().map(Weak::upgrade);
                seen.extend(upgraded.iter().map(|arc| u32::from(arc.is_some())));
                strong.extend(upgraded.flatten());
            }
            Op::StrongCount => match (strong.last(), weak.last()) {
                (Some(arc), _) => seen.push(Arc::strong_count(arc) as u32),
                (None, weak) => seen.extend(weak.map(|weak| weak.strong_count() as u32)),
            },
            Op::WeakCount => match (strong.last(), weak.last()) {
                (Some(arc), _) => seen.push(Arc::weak_count(arc) as u32),
                (None, weak) => seen.extend(weak.map(|weak| weak.weak_count() as u32)),
            },
            Op::GetMut => seen.extend(strong.last_mut().map(|arc| u32::from(Arc::get_mut(arc).is_some()))),
            Op::TryUnwrap => match strong.pop().map(Arc::try_unwrap) {
                Some(Ok(value)) => {
                    seen.push(1);
                    drop(value);
                }
                Some(Err(arc)) => {
                    seen.push(0);
                    strong.push(arc);
                }
                None => {}
            },
            Op::IntoInner => {
                let value = strong.pop().map(Arc::into_inner);
                seen.extend(value.iter().map(|value| u32::from(value.is_some())));
            }
            Op::MakeMut => strong.last_mut().map_or((), |arc| _ = Arc::make_mut(arc)),
            Op::ReadCell => seen.push(data.read()),
            Op::WriteCell => data.write(Some(*number)),
            Op::AddRelaxed => seen.push(data.atomic.fetch_add(1, Ordering::Relaxed)),
            Op::AddAcqRel => seen.push(data.atomic.fetch_add(1, Ordering::AcqRel)),
            Op::Store => data.atomic.store(STORED, Ordering::Relaxed),
            Op::Load => seen.push(data.atomic.load(Ordering::Acquire)),
            Op::Yield => thread::yield_now(),
        }
    }
}
