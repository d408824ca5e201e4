//! Terms without variables: values in the place of arguments, and pure parts evaluated.
//!
//! `signal (x + x1)` with 1 and 2, `signal (1 + x)` with 2, and `signal 3` are one ground term, so its
//! behaviours are explored once. A ground term is a list of numbers in prefix order: a header for each
//! operator, operation and argument. `a ||| b` has the lesser list on the left.

use super::{Argument, Effect};
use crate::discover::signature::{Datum, PureInfo};
use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The number of a value.
pub(crate) type ValueId = u32;

/// Values, each with its number, and the results of pure functions on them.
#[derive(Default)]
pub(crate) struct Values {
    values: Vec<Datum>,
    numbers: BTreeMap<Datum, ValueId>,
    /// The results; `None` if the function panics.
    results: HashMap<(u16, Vec<ValueId>), Option<ValueId>>,
}

impl Values {
    pub(crate) fn number(&mut self, value: Datum) -> ValueId {
        let (next, values) = (self.values.len() as ValueId, &mut self.values);
        *self.numbers.entry(value).or_insert_with_key(|value| {
            values.push(value.clone());
            next
        })
    }

    pub(crate) fn get(&self, number: ValueId) -> &Datum {
        &self.values[number as usize]
    }

    /// The value of a function; `None` if it panics.
    fn apply(&mut self, function: u16, pure: &PureInfo, arguments: Vec<ValueId>) -> Option<ValueId> {
        let key = (function, arguments);
        if let Some(known) = self.results.get(&key) {
            return *known;
        }
        let arguments: Vec<Datum> = key.1.iter().map(|argument| self.get(*argument).clone()).collect();
        let result = catch_unwind(AssertUnwindSafe(|| (pure.call)(&arguments))).ok();
        let result = result.map(|value| self.number(value));
        self.results.insert(key, result);
        result
    }

    /// How many bytes they take, roughly.
    pub(crate) fn bytes(&self) -> usize {
        self.values.len() * 96 + self.results.len() * 64
    }
}

/// A term without variables.
pub(crate) type Code = Box<[u32]>;

/// The kinds of headers: the two lowest bits.
const CALL: u32 = 0;
const THEN: u32 = 1;
const BIND: u32 = 2;
const BESIDE: u32 = 3;
const VALUE: u32 = 0;
const BOUND: u32 = 1;
const APPLY: u32 = 2;

/// Makes ground terms.
pub(crate) struct Grounder<'v> {
    pub(crate) values: &'v mut Values,
    pub(crate) pures: &'v [PureInfo],
    /// The value of each constant.
    pub(crate) constants: &'v [ValueId],
}

impl Grounder<'_> {
    /// The term with these values of its variables.
    pub(crate) fn ground(&mut self, effect: &Effect, assignment: &[ValueId]) -> Code {
        let mut code = Vec::with_capacity(8);
        self.effect(effect, assignment, &mut code);
        code.into()
    }

    fn effect(&mut self, effect: &Effect, assignment: &[ValueId], code: &mut Vec<u32>) {
        let (header, first, second) = match effect {
            Effect::Call(op, arguments) => {
                code.push(u32::from(*op) << 2 | CALL);
                arguments.iter().for_each(|argument| self.argument(argument, assignment, code));
                return;
            }
            Effect::Then(first, second) => (THEN, first, second),
            Effect::Bind(first, second) => (BIND, first, second),
            Effect::Beside(left, right) => (BESIDE, left, right),
        };
        code.push(header);
        let first_at = code.len();
        self.effect(first, assignment, code);
        let second_at = code.len();
        self.effect(second, assignment, code);
        if header == BESIDE && code[second_at..] < code[first_at..second_at] {
            code[first_at..].rotate_left(second_at - first_at);
        }
    }

    fn argument(&mut self, argument: &Argument, assignment: &[ValueId], code: &mut Vec<u32>) {
        match argument {
            Argument::Constant(constant) => code.push(self.constants[usize::from(*constant)] << 2 | VALUE),
            Argument::Variable(variable) => code.push(assignment[usize::from(*variable)] << 2 | VALUE),
            Argument::Bound(index) => code.push(u32::from(*index) << 2 | BOUND),
            Argument::Apply(function, arguments) => {
                let at = code.len();
                code.push(u32::from(*function) << 2 | APPLY);
                arguments.iter().for_each(|argument| self.argument(argument, assignment, code));
                let values = &code[at + 1..];
                if values.len() == arguments.len() && values.iter().all(|value| value & 3 == VALUE) {
                    let arguments = values.iter().map(|value| value >> 2).collect();
                    let pure = &self.pures[usize::from(*function)];
                    if let Some(result) = self.values.apply(*function, pure, arguments) {
                        code.truncate(at);
                        code.push(result << 2 | VALUE);
                    }
                }
            }
        }
    }

    /// The value of an argument without bound results; `None` if a function panics.
    pub(crate) fn value(&mut self, argument: &Argument, assignment: &[ValueId]) -> Option<ValueId> {
        let mut code = Vec::new();
        self.argument(argument, assignment, &mut code);
        match code[..] {
            [value] if value & 3 == VALUE => Some(value >> 2),
            _ => None,
        }
    }
}

/// A ground term as it runs.
#[derive(Clone, Debug)]
pub(crate) enum Program {
    /// Does nothing, for comparison.
    Nothing,
    /// An operation, by its number in its signature.
    Call(usize, Vec<ProgramArgument>),
    Then(Box<Program>, Box<Program>),
    Bind(Box<Program>, Box<Program>),
    Beside(std::sync::Arc<Program>, Box<Program>),
}

/// An argument as it is evaluated in a run.
#[derive(Clone, Debug)]
pub(crate) enum ProgramArgument {
    Value(Datum),
    Bound(usize),
    Apply(usize, Vec<ProgramArgument>),
}

/// Reads ground terms.
pub(crate) struct CodeReader<'c> {
    pub(crate) code: &'c [u32],
    pub(crate) values: &'c Values,
    pub(crate) vocabulary: &'c crate::discover::signature::Vocabulary,
}

impl CodeReader<'_> {
    fn next(&mut self) -> u32 {
        let (first, rest) = self.code.split_first().expect("codes are whole");
        self.code = rest;
        *first
    }

    pub(crate) fn program(&mut self) -> Program {
        let header = self.next();
        if header & 3 == CALL {
            let op = &self.vocabulary.ops[(header >> 2) as usize];
            let arguments = (0..op.parameters.len()).map(|_| self.argument()).collect();
            return Program::Call(op.index, arguments);
        }
        let first = self.program();
        let second = self.program().into();
        match header & 3 {
            THEN => Program::Then(first.into(), second),
            BIND => Program::Bind(first.into(), second),
            _ => Program::Beside(first.into(), second),
        }
    }

    fn argument(&mut self) -> ProgramArgument {
        let header = self.next();
        let number = header >> 2;
        match header & 3 {
            VALUE => ProgramArgument::Value(self.values.get(number).clone()),
            BOUND => ProgramArgument::Bound(number as usize),
            _ => {
                let count = self.vocabulary.pures[number as usize].parameters.len();
                ProgramArgument::Apply(number as usize, (0..count).map(|_| self.argument()).collect())
            }
        }
    }
}

/// The signature that a ground term belongs to.
pub(crate) fn world_of(code: &[u32], vocabulary: &crate::discover::signature::Vocabulary) -> usize {
    let call = code.iter().find(|header| *header & 3 == CALL).expect("a term has a call");
    vocabulary.ops[(call >> 2) as usize].world
}
