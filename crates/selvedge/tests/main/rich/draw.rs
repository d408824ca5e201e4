//! Random programs, and smaller variants of a program.

use super::{OBJECTS, Op, Program};
use selvedge_explore::Random;

/// The sorts of operations in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flavour {
    /// `MVar` operations and exceptions.
    Exceptions,
    /// All operations.
    Mixed,
}

impl Program {
    /// A program of 2 or 3 threads. `max_ops` limits the operations of each thread, for 2 and for 3 threads.
    pub(crate) fn draw(random: &mut Random, flavour: Flavour, max_ops: [usize; 2]) -> Program {
        let mut below = |bound: usize| random.below(bound).unwrap_or(0);
        let threads = below(2) + 2;
        let is_full = [(); OBJECTS].map(|()| below(2) == 0);
        let begins_masked = below(6) == 0;
        let generator = Generator { flavour, objects: below(OBJECTS) + 1, threads };
        let max_ops = max_ops[threads - 2];
        let threads = (0..threads).map(|_| generator.draw_thread(random, max_ops)).collect();
        Program { threads, is_full, begins_masked }
    }
}

/// The choices for the operations of a program.
#[derive(Clone, Copy)]
struct Generator {
    flavour: Flavour,
    objects: usize,
    threads: usize,
}

impl Generator {
    fn draw_thread(self, random: &mut Random, max_ops: usize) -> Vec<Op> {
        let length = random.below(max_ops).unwrap_or(0) + 1;
        let ops = self.draw_ops(random, length, 2);
        // Some threads catch the exceptions thrown to them, so that steps follow an exception.
        match random.below(4) {
            Some(0) => vec![Op::CatchAlarm(ops)],
            Some(1) => vec![Op::CatchKilled(ops)],
            _ => ops,
        }
    }

    fn draw_ops(self, random: &mut Random, length: usize, depth: usize) -> Vec<Op> {
        (0..length).map(|_| self.draw_op(random, depth)).collect()
    }

    fn draw_op(self, random: &mut Random, depth: usize) -> Op {
        let mut below = |bound: usize| random.below(bound).unwrap_or(0);
        let scopes = if depth == 0 { 0 } else { 5 };
        let exceptions = 5;
        let objects = if self.flavour == Flavour::Exceptions { 7 } else { 16 };
        match below(scopes + exceptions + objects) {
            choice if choice < scopes => self.draw_scope(random, choice, depth),
            choice if choice < scopes + exceptions => self.draw_exception(random),
            _ => self.draw_object_op(random),
        }
    }

    /// A scope of one or two operations.
    fn draw_scope(self, random: &mut Random, choice: usize, depth: usize) -> Op {
        let length = random.below(2).unwrap_or(0) + 1;
        let ops = self.draw_ops(random, length, depth - 1);
        match choice {
            0 => Op::CatchAlarm(ops),
            1 => Op::CatchKilled(ops),
            2 => Op::Mask(ops),
            3 => Op::Uninterruptible(ops),
            _ => Op::Restore(ops),
        }
    }

    fn draw_exception(self, random: &mut Random) -> Op {
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

    fn draw_object_op(self, random: &mut Random) -> Op {
        let mut below = |bound: usize| random.below(bound).unwrap_or(0);
        let (at, other, value) = (below(self.objects), below(self.objects), below(2) as u32 + 1);
        match below(if self.flavour == Flavour::Exceptions { 12 } else { 26 }) {
            0..=2 => Op::Put(at, value),
            3..=5 => Op::Take(at),
            6..=7 => Op::Read(at),
            8 => Op::TryPut(at, value),
            9 => Op::TryTake(at),
            10 => Op::TryRead(at),
            11 => Op::With(at, Box::new(self.draw_op(random, 0))),
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

/// All lists with one operation removed, with one scope replaced by its operations, or with one smaller
/// scope.
pub(super) fn smaller(ops: &[Op]) -> Vec<Vec<Op>> {
    let mut all = Vec::new();
    for (at, op) in ops.iter().enumerate() {
        let mut replace_with = |new: Vec<Op>| all.push([&ops[..at], &new, &ops[at + 1..]].concat());
        replace_with(Vec::new());
        let Some((inner, make)) = split_scope(op) else { continue };
        replace_with(inner.clone());
        smaller(&inner).into_iter().for_each(|fewer| replace_with(vec![make(fewer)]));
    }
    all
}

/// Makes a scope of operations.
type MakeScope = fn(Vec<Op>) -> Op;

/// The operations of a scope, and the constructor of the scope.
fn split_scope(op: &Op) -> Option<(Vec<Op>, MakeScope)> {
    match op {
        Op::CatchAlarm(ops) => Some((ops.clone(), Op::CatchAlarm)),
        Op::CatchKilled(ops) => Some((ops.clone(), Op::CatchKilled)),
        Op::Mask(ops) => Some((ops.clone(), Op::Mask)),
        Op::Uninterruptible(ops) => Some((ops.clone(), Op::Uninterruptible)),
        Op::Restore(ops) => Some((ops.clone(), Op::Restore)),
        _ => None,
    }
}
