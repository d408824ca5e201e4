//! Random signatures: operations of one to three accesses of two atomics.

use super::reference::{Op, Reference};
use selvedge::discover::Signature;
use selvedge::sync::atomic::{AtomicI64, Ordering};
use selvedge_testkit::Random;
use std::sync::Arc;

/// The shared state.
pub(crate) struct Cells([AtomicI64; 2]);

/// What cells hold.
pub(crate) type Contents = (i64, i64);

impl Cells {
    fn of(contents: &Contents) -> Cells {
        Cells([contents.0, contents.1].map(AtomicI64::new))
    }

    fn contents(&self) -> Contents {
        (self.0[0].load(Ordering::SeqCst), self.0[1].load(Ordering::SeqCst))
    }
}

/// What an access writes.
#[derive(Clone, Copy, Debug)]
enum Source {
    Constant(i64),
    /// What the last access read.
    Register,
    /// An argument, modulo the number of arguments.
    Argument(usize),
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Load,
    Store(Ordering),
    Add,
    Swap,
    /// Writes if the cell has this value.
    CompareExchange(i64),
}

#[derive(Clone, Copy, Debug)]
struct Access {
    cell: usize,
    kind: Kind,
    source: Source,
}

/// An operation: its accesses, and whether it returns what it read last.
#[derive(Clone, Debug)]
struct Operation {
    name: &'static str,
    arity: usize,
    returns: bool,
    accesses: Vec<Access>,
}

impl Operation {
    fn run(&self, cells: &Cells, arguments: &[i64]) -> i64 {
        let mut register = 0;
        for access in &self.accesses {
            let (cell, kind) = (&cells.0[access.cell], access.kind);
            let written = match access.source {
                Source::Constant(value) => value,
                Source::Register => register,
                Source::Argument(number) => {
                    arguments.get(number % arguments.len().max(1)).copied().unwrap_or(1)
                }
            };
            match kind {
                Kind::Load => register = cell.load(Ordering::SeqCst),
                Kind::Store(ordering) => cell.store(written, ordering),
                Kind::Add => register = cell.fetch_add(written, Ordering::SeqCst),
                Kind::Swap => register = cell.swap(written, Ordering::SeqCst),
                Kind::CompareExchange(old) => {
                    let result = cell.compare_exchange(old, written, Ordering::SeqCst, Ordering::SeqCst);
                    register = result.unwrap_or_else(|found| found);
                }
            }
        }
        register
    }
}

/// A random signature.
#[derive(Debug)]
pub(crate) struct Program {
    operations: Vec<Operation>,
    interferences: Vec<Operation>,
    is_parallel: bool,
}

/// The names of interferences.
const INTERFERENCES: [&str; 2] = ["first", "second"];

impl Program {
    /// Two or three operations, one or two interferences.
    pub(crate) fn draw(random: &mut Random) -> Program {
        let count = 2 + random.below(2);
        let operations = ["p", "q", "r"][..count].iter().map(|name| {
            let arity = random.pick(&[0, 0, 1, 2]);
            operation(random, name, arity, 3)
        });
        let operations = operations.collect();
        let count = 1 + random.below(2);
        let interferences = INTERFERENCES[..count].iter().map(|name| operation(random, name, 0, 2)).collect();
        Program { operations, interferences, is_parallel: random.below(3) == 0 }
    }

    /// For discovery.
    pub(crate) fn signature(&self) -> Signature<Cells, Contents, Contents> {
        let mut signature = Signature::new(Cells::of, |cells: &Cells, _seed| cells.contents())
            .back_to_seed(|cells: &Cells, _seed| cells.contents());
        for operation in &self.operations {
            signature = with_operation(signature, operation.clone());
        }
        for interference in &self.interferences {
            let (name, interference) = (interference.name, interference.clone());
            signature = signature
                .interfere(name, move |cells: &Cells, _seed| drop_result(interference.run(cells, &[])));
        }
        if self.is_parallel { signature.parallel() } else { signature }
    }

    /// For the naive search.
    pub(crate) fn reference(
        &self,
        seeds: Vec<Contents>,
        values: usize,
    ) -> Reference<Cells, Contents, Contents> {
        let op = |operation: &Operation| {
            let (name, arity, returns_integer) = (operation.name, operation.arity, operation.returns);
            let operation = operation.clone();
            let call =
                Arc::new(move |cells: &Cells, arguments: &[i64]| Some(operation.run(cells, arguments)));
            Op { name, arity, is_foreground: true, returns_integer, call }
        };
        let interference = |operation: &Operation| {
            let operation = operation.clone();
            let work = move |cells: &Cells, _seed: &Contents| drop_result(operation.run(cells, &[]));
            Arc::new(work) as super::reference::Interference<Cells, Contents>
        };
        Reference {
            make: Arc::new(Cells::of),
            observe: Arc::new(Cells::contents),
            ops: Arc::new(self.operations.iter().map(op).collect()),
            interferences: self.interferences.iter().map(interference).collect(),
            is_parallel: self.is_parallel,
            seeds,
            values,
        }
    }

    /// Each operation alone, and two pairs of them, one after the other and one beside the other.
    pub(crate) fn some_ground_terms(&self, random: &mut Random) -> Vec<String> {
        let calls: Vec<String> = self
            .operations
            .iter()
            .map(|operation| {
                let arguments = (0..operation.arity).map(|_| random.pick(&[" 0", " 1"]));
                operation.name.to_owned() + &arguments.collect::<String>()
            })
            .collect();
        let mut pick = || calls[random.below(calls.len())].clone();
        let pairs = [format!("{} >> {}", pick(), pick())];
        let beside = self.is_parallel.then(|| format!("{} ||| {}", pick(), pick()));
        calls.iter().cloned().chain(pairs).chain(beside).collect()
    }

    /// The names of what the runs are beside, none first.
    pub(crate) fn interference_names(&self) -> Vec<&'static str> {
        ["alone"].into_iter().chain(self.interferences.iter().map(|operation| operation.name)).collect()
    }
}

fn operation(random: &mut Random, name: &'static str, arity: usize, most: usize) -> Operation {
    let count = 1 + random.below(most);
    let accesses = (0..count).map(|_| access(random, arity)).collect();
    Operation { name, arity, returns: random.below(2) == 0, accesses }
}

fn access(random: &mut Random, arity: usize) -> Access {
    let store = Kind::Store(random.pick(&[Ordering::SeqCst, Ordering::Relaxed]));
    let kind =
        random.pick(&[Kind::Load, Kind::Load, store, store, Kind::Add, Kind::Swap, Kind::CompareExchange(0)]);
    let own = if arity > 0 { Source::Argument(random.below(2)) } else { Source::Register };
    let source = random.pick(&[Source::Constant(0), Source::Constant(1), Source::Register, own, own]);
    Access { cell: random.below(2), kind, source }
}

/// For operations that return nothing.
fn drop_result(_result: i64) {}

type CellsSignature = Signature<Cells, Contents, Contents>;

fn with_operation(signature: CellsSignature, operation: Operation) -> CellsSignature {
    let name = operation.name;
    match (operation.arity, operation.returns) {
        (0, true) => signature.op(name, move |cells: &Cells| operation.run(cells, &[])),
        (0, false) => signature.op(name, move |cells: &Cells| drop_result(operation.run(cells, &[]))),
        (1, true) => signature.op(name, move |cells: &Cells, x: i64| operation.run(cells, &[x])),
        (1, false) => {
            signature.op(name, move |cells: &Cells, x: i64| drop_result(operation.run(cells, &[x])))
        }
        (_, true) => signature.op(name, move |cells: &Cells, x: i64, y: i64| operation.run(cells, &[x, y])),
        (_, false) => signature
            .op(name, move |cells: &Cells, x: i64, y: i64| drop_result(operation.run(cells, &[x, y]))),
    }
}
