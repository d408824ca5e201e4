//! Programs by chance, and smaller ones.

use super::{OBJECTS, Op, Program};
use selvedge_explore::Random;

/// Which sorts of operations a program is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flavour {
    /// Variables and exceptions.
    Exceptions,
    /// All.
    Mixed,
}

impl Program {
    /// A program of 2 or 3 threads, with at most so many operations for each of 2 and 3 threads.
    pub(crate) fn draw(random: &mut Random, flavour: Flavour, most: [usize; 2]) -> Program {
        let mut below = |bound: usize| random.below(bound).unwrap_or(0);
        let threads = below(2) + 2;
        let is_full = [(); OBJECTS].map(|()| below(2) == 0);
        let begins_masked = below(6) == 0;
        let drawing = Drawing { flavour, objects: below(OBJECTS) + 1, threads };
        let most = most[threads - 2];
        let threads = (0..threads).map(|_| drawing.thread(random, most)).collect();
        Program { threads, is_full, begins_masked }
    }
}

/// What the operations of a program are drawn from.
#[derive(Clone, Copy)]
struct Drawing {
    flavour: Flavour,
    objects: usize,
    threads: usize,
}

impl Drawing {
    fn thread(self, random: &mut Random, most: usize) -> Vec<Op> {
        let length = random.below(most).unwrap_or(0) + 1;
        let ops = self.some(random, length, 2);
        // Most threads catch what is thrown to them, so that something comes after it.
        match random.below(4) {
            Some(0) => vec![Op::CatchAlarm(ops)],
            Some(1) => vec![Op::CatchKilled(ops)],
            _ => ops,
        }
    }

    fn some(self, random: &mut Random, length: usize, depth: usize) -> Vec<Op> {
        (0..length).map(|_| self.op(random, depth)).collect()
    }

    fn op(self, random: &mut Random, depth: usize) -> Op {
        let mut below = |bound: usize| random.below(bound).unwrap_or(0);
        let around = if depth == 0 { 0 } else { 5 };
        let exceptions = 5;
        let objects = if self.flavour == Flavour::Exceptions { 7 } else { 16 };
        match below(around + exceptions + objects) {
            choice if choice < around => self.around(random, choice, depth),
            choice if choice < around + exceptions => self.exception(random),
            _ => self.object(random),
        }
    }

    /// An operation around one or two others.
    fn around(self, random: &mut Random, choice: usize, depth: usize) -> Op {
        let length = random.below(2).unwrap_or(0) + 1;
        let ops = self.some(random, length, depth - 1);
        match choice {
            0 => Op::CatchAlarm(ops),
            1 => Op::CatchKilled(ops),
            2 => Op::Mask(ops),
            3 => Op::Uninterruptible(ops),
            _ => Op::Restore(ops),
        }
    }

    fn exception(self, random: &mut Random) -> Op {
        let mut below = |bound: usize| random.below(bound).unwrap_or(0);
        let (thread, value) = (below(self.threads), below(2) as u32 + 1);
        match below(14) {
            0..=4 => Op::ThrowTo(thread, value),
            5..=9 => Op::Kill(thread),
            10 => Op::Throw(value),
            11 => Op::Point,
            12 => Op::Yield,
            _ => Op::Sleep,
        }
    }

    fn object(self, random: &mut Random) -> Op {
        let mut below = |bound: usize| random.below(bound).unwrap_or(0);
        let (at, other, value) = (below(self.objects), below(self.objects), below(2) as u32 + 1);
        match below(if self.flavour == Flavour::Exceptions { 12 } else { 26 }) {
            0..=2 => Op::Put(at, value),
            3..=5 => Op::Take(at),
            6..=7 => Op::Read(at),
            8 => Op::TryPut(at, value),
            9 => Op::TryTake(at),
            10 => Op::TryRead(at),
            11 => Op::With(at, Box::new(self.op(random, 0))),
            12..=13 => Op::Add(at),
            14..=15 => Op::TakeOne(at),
            16..=17 => Op::TakeEither(at, other),
            18 => Op::AddAndThrow(at),
            19 => Op::LoadRef(at),
            20..=21 => Op::StoreRef(at, value),
            22 => Op::SwapRef(at, value),
            23 => Op::ModifyRef(at),
            24 => Op::TakeTicket(at),
            _ => Op::ExchangeRef(at, value),
        }
    }
}

/// All lists with one operation less, or with what one does in its place, or with one that is smaller.
pub(super) fn smaller(ops: &[Op]) -> Vec<Vec<Op>> {
    let mut all = Vec::new();
    for (at, op) in ops.iter().enumerate() {
        let mut instead = |new: Vec<Op>| all.push([&ops[..at], &new, &ops[at + 1..]].concat());
        instead(Vec::new());
        let Some((inner, make)) = inside(op) else { continue };
        instead(inner.clone());
        smaller(&inner).into_iter().for_each(|fewer| instead(vec![make(fewer)]));
    }
    all
}

/// Makes an operation around others.
type Around = fn(Vec<Op>) -> Op;

/// What an operation is around, and how it is made around something else.
fn inside(op: &Op) -> Option<(Vec<Op>, Around)> {
    match op {
        Op::CatchAlarm(ops) => Some((ops.clone(), Op::CatchAlarm)),
        Op::CatchKilled(ops) => Some((ops.clone(), Op::CatchKilled)),
        Op::Mask(ops) => Some((ops.clone(), Op::Mask)),
        Op::Uninterruptible(ops) => Some((ops.clone(), Op::Uninterruptible)),
        Op::Restore(ops) => Some((ops.clone(), Op::Restore)),
        _ => None,
    }
}
