//! The memo tables of a progression: remainders, steps between them, and their diagrams.

use crate::bdd::{Bdd, Bdds, Var};
use crate::letter::Letter;
use crate::nnf::{FormulaArena, Nnf};
use rustc_hash::FxHashMap;

/// The number of a remainder with its memory.
pub(super) type StateId = u32;

/// A remainder, and for each past operator its value in the previous state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct State {
    pub(super) remainder: Bdd,
    pub(super) memory: Box<[Bdd]>,
}

/// The memo tables.
#[derive(Clone, Debug, Default)]
pub(super) struct Tables {
    pub(super) bdds: Bdds,
    pub(super) states: Vec<State>,
    pub(super) numbers: FxHashMap<State, StateId>,
    /// Steps by two-valued letters over few propositions: each state has a row with an entry for each
    /// letter.
    pub(super) rows: Vec<StateId>,
    /// All other steps.
    pub(super) steps: FxHashMap<(StateId, Letter), StateId>,
    /// The meaning of each variable: a formula for the next state, and whether that state must exist.
    pub(super) obligations: Vec<(Nnf, bool)>,
    pub(super) variables: FxHashMap<(Nnf, bool), Bdd>,
    /// The truth value on all continuations of a state (`None` if they differ), for states with a verdict.
    pub(super) definite: FxHashMap<StateId, Option<bool>>,
}

/// Up to this number of propositions, each state has a row of all letters.
pub(super) const MAX_ROW_PROPS: u32 = 6;
pub(super) const UNKNOWN: StateId = StateId::MAX;

/// The length of a row; `None` unless the propositions are few and the first ones.
#[inline]
pub(super) fn row_length(props: u64) -> Option<usize> {
    // Without a look at the number of ones, which takes many instructions on old processors.
    (props < 1 << MAX_ROW_PROPS && props & (props + 1) == 0).then_some(props as usize + 1)
}

impl Tables {
    /// The index of a step in the rows; `None` if the letter has no entry there.
    #[inline]
    pub(super) fn row_index(from: StateId, letter: Letter, props: u64) -> Option<usize> {
        let length = row_length(props)?;
        let two_valued = (letter.may_true ^ letter.may_false) & props == props;
        two_valued.then_some(from as usize * length + (letter.may_true & props) as usize)
    }

    #[inline]
    pub(super) fn known_step(&self, from: StateId, letter: Letter, props: u64) -> Option<StateId> {
        match Tables::row_index(from, letter, props) {
            Some(index) => self.rows.get(index).copied().filter(|to| *to != UNKNOWN),
            None => self.steps.get(&(from, letter.only(props))).copied(),
        }
    }

    pub(super) fn remember_step(&mut self, from: StateId, letter: Letter, props: u64, to: StateId) {
        match (Tables::row_index(from, letter, props), row_length(props)) {
            (Some(index), Some(length)) => {
                if index >= self.rows.len() {
                    self.rows.resize(self.states.len() * length, UNKNOWN);
                }
                self.rows[index] = to;
            }
            _ => {
                self.steps.insert((from, letter.only(props)), to);
            }
        }
    }

    /// The function that says that a formula holds in the next state; `strong` if that state must exist.
    pub(super) fn obligation(&mut self, formula: Nnf, strong: bool) -> Bdd {
        match formula {
            Nnf::FALSE if strong => return Bdd::FALSE,
            Nnf::TRUE if !strong => return Bdd::TRUE,
            _ => {}
        }
        if let Some(known) = self.variables.get(&(formula, strong)) {
            return *known;
        }
        let var = self.bdds.var(self.obligations.len() as Var);
        self.obligations.push((formula, strong));
        self.variables.insert((formula, strong), var);
        var
    }

    pub(super) fn number(&mut self, state: State) -> StateId {
        if let Some(known) = self.numbers.get(&state) {
            return *known;
        }
        let number = self.states.len() as StateId;
        self.states.push(state.clone());
        self.numbers.insert(state, number);
        number
    }

    /// A remainder as a formula.
    pub(super) fn formula(
        &self,
        arena: &mut FormulaArena,
        diagram: Bdd,
        known: &mut FxHashMap<Bdd, Nnf>,
    ) -> Nnf {
        if diagram.is_constant() {
            return Nnf::constant(diagram == Bdd::TRUE);
        }
        if let Some(formula) = known.get(&diagram) {
            return *formula;
        }
        let (low, high) = self.bdds.branches(diagram);
        let (low, high) = (self.formula(arena, low, known), self.formula(arena, high, known));
        let (obligation, _) = self.obligations[self.bdds.top(diagram) as usize];
        // Remainders are monotone in their obligations: no negation occurs in them.
        let with = arena.and([obligation, high]);
        let formula = arena.or([low, with]);
        known.insert(diagram, formula);
        formula
    }

    pub(super) fn copy(&self, diagram: Bdd, to: &mut Tables, known: &mut FxHashMap<Bdd, Bdd>) -> Bdd {
        if diagram.is_constant() {
            return diagram;
        }
        if let Some(copied) = known.get(&diagram) {
            return *copied;
        }
        let (low, high) = self.bdds.branches(diagram);
        let (low, high) = (self.copy(low, to, known), self.copy(high, to, known));
        let (formula, strong) = self.obligations[self.bdds.top(diagram) as usize];
        let var = to.obligation(formula, strong);
        let copied = to.bdds.if_then_else(var, high, low);
        known.insert(diagram, copied);
        copied
    }
}
