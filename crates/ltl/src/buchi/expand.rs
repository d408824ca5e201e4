//! From a formula to an automaton, one step of the formula at a time.
//!
//! Couvreur, On-the-Fly Verification of Linear Temporal Logic, FM 1999, in the form of Duret-Lutz, LTL
//! Translation Improvements in Spot 1.0, 2014: a state is a formula that the rest of the word must satisfy.
//! Its expansion is a Boolean function of the letter, of the formulas for the next state, and of promises:
//! `a U b` is `b`, or else `a`, `a U b` in the next state, and the promise of `b`. Each product of an
//! irredundant sum of the function is an edge; it carries the marks of all promises that it does not make,
//! so that a run that promises `b` for ever is not accepting. States with equal expansions are merged.
//! Directly below `G` an until need not be repeated in the next state, since `G` repeats it.
//!
//! Past operators are tracked deterministically (see [`past`](super::past)).
//!
//! Promise: the automaton accepts exactly the infinite words that satisfy the formula, or an error names the
//! limit that was exceeded.

use super::TranslateError;
use super::automaton::{Automaton, Edge, MAX_MARKS, Marks, StateId};
use super::past::{Memory, Past, starts_true};
use crate::bdd::{Bdd, Bdds, Var};
use crate::letter::{MAX_PROPS, mask};
use crate::nnf::{FormulaArena, Nnf, Node};
use rustc_hash::FxHashMap;

/// The limits of a translation.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The maximal number of states of an automaton during its construction.
    pub states: usize,
    /// The maximal number of edges.
    pub edges: usize,
    /// The maximal number of nodes of decision diagrams.
    pub nodes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { states: 10_000, edges: 200_000, nodes: 2_000_000 }
    }
}

/// The automaton of a formula, not yet reduced.
///
/// `held` says what each past operator remembers of the state before the first; `None` if the word begins
/// here.
pub(super) fn expand(
    arena: &mut FormulaArena,
    bdds: &mut Bdds,
    formula: Nnf,
    held: Option<&dyn Fn(Nnf) -> bool>,
    limits: Limits,
) -> Result<Automaton, TranslateError> {
    let past = Past::of(arena, formula)?;
    let memory = match held {
        Some(held) => past.memory(held),
        None => past.memory(|operator| starts_true(arena.node(operator))),
    };
    let mut expansion = Expansion {
        arena,
        bdds,
        past,
        limits,
        meanings: Vec::new(),
        next_vars: FxHashMap::default(),
        promise_vars: FxHashMap::default(),
        known: FxHashMap::default(),
        states: FxHashMap::default(),
        todo: Vec::new(),
        mark_count: 0,
    };
    expansion.run(formula, memory)
}

/// The meaning of a variable that is no proposition.
#[derive(Clone, Copy, Debug)]
enum Meaning {
    /// The formula holds in the next state.
    Next(Nnf),
    /// An until is postponed; the edge does not carry its mark.
    Promise(Marks),
}

struct Expansion<'t> {
    arena: &'t mut FormulaArena,
    bdds: &'t mut Bdds,
    past: Past,
    limits: Limits,
    /// The meanings of the variables from [`MAX_PROPS`] on.
    meanings: Vec<Meaning>,
    next_vars: FxHashMap<Nnf, Bdd>,
    promise_vars: FxHashMap<Nnf, Bdd>,
    /// Expansions by formula and by the memory of the past operators in it.
    known: FxHashMap<(Nnf, Memory), Bdd>,
    /// States by expansion and memory.
    states: FxHashMap<(Bdd, Memory), StateId>,
    /// For each state its expansion, its memory, and the past operators that occur in it.
    todo: Vec<(Bdd, Memory, Memory)>,
    mark_count: usize,
}

impl Expansion<'_> {
    fn run(&mut self, formula: Nnf, memory: Memory) -> Result<Automaton, TranslateError> {
        self.state(formula, memory)?;
        let mut edges: Vec<Vec<Edge>> = Vec::new();
        let mut edge_count = 0;
        while edges.len() < self.todo.len() {
            let (expansion, memory, occurring) = self.todo[edges.len()];
            let leaving = self.leaving(expansion, memory, occurring)?;
            edge_count += leaving.len();
            edges.push(leaving);
            self.check_limits(edge_count)?;
        }
        // So far `marks` are the promises that an edge makes; its marks are the promises that it does not
        // make.
        let all = mask(self.mark_count);
        for edge in edges.iter_mut().flatten() {
            edge.marks ^= all;
        }
        let mut automaton = Automaton { edges, initial: 0, mark_count: self.mark_count };
        automaton.merge_parallel(self.bdds);
        self.check_limits(edge_count)?;
        Ok(automaton)
    }

    fn check_limits(&self, edge_count: usize) -> Result<(), TranslateError> {
        let reached = [
            (self.todo.len() > self.limits.states, "states"),
            (edge_count > self.limits.edges, "edges"),
            (self.bdds.size() > self.limits.nodes || self.bdds.is_exhausted(), super::BDD_NODES),
        ];
        match reached.into_iter().find(|(reached, _)| *reached) {
            Some((_, what)) => Err(TranslateError::TooLarge(what)),
            None => Ok(()),
        }
    }

    /// The state of a formula; states with equal expansion and memory are one.
    fn state(&mut self, formula: Nnf, memory: Memory) -> Result<StateId, TranslateError> {
        let occurring = self.past.occurring(self.arena, formula);
        let memory = memory & occurring;
        let expansion = self.expansion(formula, memory)?;
        let todo = &mut self.todo;
        Ok(*self.states.entry((expansion, memory)).or_insert_with(|| {
            todo.push((expansion, memory, occurring));
            (todo.len() - 1) as StateId
        }))
    }

    /// The edges that leave a state, with the promises that they make as marks.
    fn leaving(
        &mut self,
        expansion: Bdd,
        memory: Memory,
        occurring: Memory,
    ) -> Result<Vec<Edge>, TranslateError> {
        let mut edges = Vec::new();
        for (letters, next_memory) in self.next_memories(memory, occurring)? {
            let function = self.bdds.and(expansion, letters);
            let cubes = self.bdds.cubes_up_to(function, self.limits.edges);
            for cube in cubes.ok_or(TranslateError::TooLarge("edges"))? {
                let (mut guard, mut promises, mut next) = (Bdd::TRUE, 0, Vec::new());
                for (var, positive) in cube {
                    match self.meaning(var) {
                        None => {
                            let literal = self.bdds.literal(var, positive);
                            guard = self.bdds.and(guard, literal);
                        }
                        Some(Meaning::Next(formula)) => next.push(formula),
                        Some(Meaning::Promise(mark)) => promises |= mark,
                    }
                }
                // Simplification would be unsound here: `F c & F (b & F c)` is `F (b & F c)`, but without
                // the first promise a run could for ever postpone each of the two untils while it fulfils
                // the other.
                let formula = self.arena.and(next);
                if formula != Nnf::FALSE {
                    let target = self.state(formula, next_memory)?;
                    edges.push(Edge { target, marks: promises, guard });
                }
            }
            self.check_limits(edges.len())?;
        }
        Ok(edges)
    }

    /// The partition of the letters by the memory after them.
    fn next_memories(
        &mut self,
        memory: Memory,
        occurring: Memory,
    ) -> Result<Vec<(Bdd, Memory)>, TranslateError> {
        let mut parts = vec![(Bdd::TRUE, 0)];
        for (bit, operator) in self.past.operators().to_vec().into_iter().enumerate() {
            if occurring >> bit & 1 == 0 {
                continue;
            }
            let remembered = match *self.arena.node(operator) {
                Node::Previous(a) | Node::WeakPrevious(a) => a,
                _ => operator,
            };
            let value = self.expansion(remembered, memory)?;
            let mut split = Vec::new();
            for (letters, known) in parts {
                let (yes, no) = (self.bdds.and(letters, value), self.bdds.and_not(letters, value));
                split.extend(
                    [(yes, known | 1 << bit), (no, known)].into_iter().filter(|(l, _)| *l != Bdd::FALSE),
                );
            }
            parts = split;
        }
        Ok(parts)
    }

    /// The formula as a function of the letter, of the formulas for the next state, and of promises.
    fn expansion(&mut self, formula: Nnf, memory: Memory) -> Result<Bdd, TranslateError> {
        if let Some(known) = self.known.get(&(formula, memory)) {
            return Ok(*known);
        }
        self.check_limits(0)?;
        let result = match self.arena.node(formula).clone() {
            Node::Const(value) => Bdd::constant(value),
            Node::Literal(prop, positive) => self.bdds.literal(Var::from(prop.0), positive),
            Node::And(parts) => self.junction(&parts, memory, true)?,
            Node::Or(parts) => self.junction(&parts, memory, false)?,
            Node::Next(a) | Node::WeakNext(a) => self.next(a),
            Node::Until([a, b]) => {
                let again = self.next(formula);
                self.until(a, b, again, memory)?
            }
            Node::Release([Nnf::FALSE, b]) => {
                let now = self.repeated(b, memory)?;
                let again = self.next(formula);
                self.bdds.and(now, again)
            }
            Node::Release([a, b]) => {
                let (a, b) = (self.expansion(a, memory)?, self.expansion(b, memory)?);
                let again = self.next(formula);
                let goes_on = self.bdds.or(a, again);
                self.bdds.and(b, goes_on)
            }
            Node::Previous(_) | Node::WeakPrevious(_) => Bdd::constant(self.past.remembered(formula, memory)),
            Node::Since([a, b]) => {
                let (a, b) = (self.expansion(a, memory)?, self.expansion(b, memory)?);
                if self.past.remembered(formula, memory) { self.bdds.or(a, b) } else { b }
            }
            Node::Triggered([a, b]) => {
                let (a, b) = (self.expansion(a, memory)?, self.expansion(b, memory)?);
                if self.past.remembered(formula, memory) { b } else { self.bdds.and(a, b) }
            }
        };
        self.known.insert((formula, memory), result);
        Ok(result)
    }

    fn junction(&mut self, parts: &[Nnf], memory: Memory, conjunction: bool) -> Result<Bdd, TranslateError> {
        let mut result = Bdd::constant(conjunction);
        for part in parts {
            let part = self.expansion(*part, memory)?;
            result = if conjunction { self.bdds.and(result, part) } else { self.bdds.or(result, part) };
        }
        Ok(result)
    }

    /// `a U b`, where `again` says that it holds in the next state.
    fn until(&mut self, a: Nnf, b: Nnf, again: Bdd, memory: Memory) -> Result<Bdd, TranslateError> {
        let (now, wait) = (self.expansion(b, memory)?, self.expansion(a, memory)?);
        let promise = self.promise(b)?;
        let wait = self.bdds.and(wait, again);
        let wait = self.bdds.and(wait, promise);
        Ok(self.bdds.or(now, wait))
    }

    /// The formula directly below `G`, which requires it in every later state: a postponed until needs no
    /// repetition.
    fn repeated(&mut self, formula: Nnf, memory: Memory) -> Result<Bdd, TranslateError> {
        match self.arena.node(formula).clone() {
            Node::And(parts) => {
                let mut result = Bdd::TRUE;
                for part in parts {
                    let part = self.repeated(part, memory)?;
                    result = self.bdds.and(result, part);
                }
                Ok(result)
            }
            Node::Until([a, b]) => self.until(a, b, Bdd::TRUE, memory),
            _ => self.expansion(formula, memory),
        }
    }

    /// The function that says that all parts of a formula hold in the next state.
    fn next(&mut self, formula: Nnf) -> Bdd {
        if let Node::And(parts) = self.arena.node(formula) {
            let parts = parts.to_vec();
            return parts.into_iter().fold(Bdd::TRUE, |all, part| {
                let part = self.next(part);
                self.bdds.and(all, part)
            });
        }
        match formula {
            Nnf::TRUE => Bdd::TRUE,
            Nnf::FALSE => Bdd::FALSE,
            _ => match self.next_vars.get(&formula) {
                Some(known) => *known,
                None => {
                    let var = self.variable(Meaning::Next(formula));
                    self.next_vars.insert(formula, var);
                    var
                }
            },
        }
    }

    /// The function that says that the right side of an until is promised.
    fn promise(&mut self, right: Nnf) -> Result<Bdd, TranslateError> {
        if let Some(known) = self.promise_vars.get(&right) {
            return Ok(*known);
        }
        if self.mark_count == MAX_MARKS {
            return Err(TranslateError::TooLarge("acceptance marks"));
        }
        let var = self.variable(Meaning::Promise(1 << self.mark_count));
        self.mark_count += 1;
        self.promise_vars.insert(right, var);
        Ok(var)
    }

    fn variable(&mut self, meaning: Meaning) -> Bdd {
        self.meanings.push(meaning);
        self.bdds.var((MAX_PROPS + self.meanings.len() - 1) as Var)
    }

    fn meaning(&self, var: Var) -> Option<Meaning> {
        (var as usize).checked_sub(MAX_PROPS).map(|index| self.meanings[index])
    }
}
