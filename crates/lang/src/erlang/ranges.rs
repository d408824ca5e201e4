//! The processes that the quantifiers of a program's formulas range over.
//!
//! A formula is unfolded before its search, so the range must be known before: it is the pids of the first
//! states that a search without formulas finds. A search for a formula that meets another process cuts that
//! step off, and notes its pid ([`WatchedPids`]); then the program's formulas are unfolded over more
//! processes, and searched again ([`ErlangProgram::with_wider_ranges`]).
//!
//! Promise: a search without a cut has met no process that the quantifiers do not range over.

use super::formula::{Instance, Proposition, QuantifiedFormula};
use super::intern::Pids;
use super::program::ErlangProgram;
use super::term::Pid;
use crate::program::Property;
use selvedge_ltl::Formula;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_model::{Steps, System};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// So many states are searched for the pids that occur; so many times as many in each wider range.
const FIRST_STATES: usize = 20_000;
const MORE_STATES: usize = 8;

/// The most propositions that a label has room for.
pub(super) const MAX_PROPOSITIONS: usize = 64;

/// The range of quantifiers, and what was unfolded over it.
pub(super) struct Ranges {
    /// The pids of earlier, narrower ranges, and those that searches met beyond them.
    known: Pids,
    /// So many states are searched for others.
    max_states: usize,
    /// The range, found when the first quantifier is unfolded.
    pids: OnceLock<Pids>,
    has_quantifiers: AtomicBool,
    /// The pids that searches have met beyond the range.
    new_pids: Arc<AtomicU64>,
    /// The formulas that were unfolded from quantified ones, with their instances.
    instances: Mutex<Vec<(Formula<Proposition>, Vec<Instance>)>>,
}

impl Default for Ranges {
    fn default() -> Ranges {
        Ranges::beginning_with(0, FIRST_STATES)
    }
}

impl Ranges {
    fn beginning_with(known: Pids, max_states: usize) -> Ranges {
        Ranges {
            known,
            max_states,
            pids: OnceLock::new(),
            has_quantifiers: AtomicBool::new(false),
            new_pids: Arc::default(),
            instances: Mutex::default(),
        }
    }

    /// The pids that processes may have in a search, and where it tells of others.
    pub(super) fn watched(&self) -> WatchedPids {
        let pids = self.pids.get().filter(|_| self.has_quantifiers.load(Ordering::Relaxed));
        WatchedPids { pids: pids.copied().unwrap_or(Pids::MAX), others: self.new_pids.clone() }
    }

    /// The instances of a formula that was unfolded from a quantified one.
    pub(super) fn instances(&self, formula: &Formula<Proposition>) -> Vec<(String, Formula<Proposition>)> {
        let unfolded = self.instances.lock().unwrap_or_else(PoisonError::into_inner);
        let found = unfolded.iter().find(|(whole, _)| whole == formula);
        let instances = found.map_or(&[] as &[Instance], |(_, instances)| instances);
        instances.iter().map(|one| (one.bindings.clone(), one.formula.clone())).collect()
    }

    /// The range for the next searches, if the last ones met processes beyond this one.
    fn wider(&self) -> Option<Ranges> {
        let new = self.new_pids.load(Ordering::Relaxed);
        let known = *self.pids.get()? | new;
        (new != 0).then(|| Ranges::beginning_with(known, self.max_states.saturating_mul(MORE_STATES)))
    }
}

/// The pids that the formulas of a search are about.
#[derive(Clone, Debug)]
pub(crate) struct WatchedPids {
    pub(super) pids: Pids,
    /// Gets those of other processes that would start.
    pub(super) others: Arc<AtomicU64>,
}

impl WatchedPids {
    pub(super) fn all() -> WatchedPids {
        WatchedPids { pids: Pids::MAX, others: Arc::default() }
    }

    /// Whether a process may have this pid. If not, that is noted.
    pub(super) fn admits(&self, pid: Pid) -> bool {
        let is_watched = self.pids & pid.bit() != 0;
        if !is_watched {
            self.others.fetch_or(pid.bit(), Ordering::Relaxed);
        }
        is_watched
    }
}

impl ErlangProgram {
    /// The formula over the range.
    pub(super) fn unfold_quantifiers(
        &self,
        formula: &QuantifiedFormula,
    ) -> Result<Formula<Proposition>, Diagnostic> {
        if !formula.has_quantifiers() {
            return Ok(formula.unfold(&[])?.formula);
        }
        self.ranges.has_quantifiers.store(true, Ordering::Relaxed);
        let pids = *self.ranges.pids.get_or_init(|| self.ranges.known | self.occurring_pids());
        let pids: Vec<u8> = Pid::of(pids).map(|pid| pid.0).collect();
        let unfolded = formula.unfold(&pids)?;
        let mut instances = self.ranges.instances.lock().unwrap_or_else(PoisonError::into_inner);
        instances.push((unfolded.formula.clone(), unfolded.instances));
        Ok(unfolded.formula)
    }

    /// The pids of the first states that a search without formulas finds.
    fn occurring_pids(&self) -> Pids {
        let machine = self.machine_without_formulas();
        let (mut found, mut seen) = (0, rustc_hash::FxHashSet::default());
        let mut initial = selvedge_model::States::new(1);
        machine.initial(&mut initial);
        let mut pending: VecDeque<u64> = initial.iter().map(|state| state[0]).collect();
        let mut steps = Steps::new(1);
        while let Some(state) = pending.pop_front() {
            if seen.len() >= self.ranges.max_states {
                break;
            }
            if !seen.insert(state) {
                continue;
            }
            found |= machine.live_pids(state);
            steps.clear();
            machine.successors(&[state], &mut steps);
            pending.extend(steps.iter().map(|(_, next)| next[0]));
        }
        found
    }

    /// The program with its formulas over more processes, if searches met some beyond the range, and the
    /// formulas over them are not too large.
    pub(super) fn with_wider_ranges(&self) -> Option<ErlangProgram> {
        let mut wider = self.with_ranges(self.ranges.wider()?);
        for declared in &*self.declared {
            let formula = wider.unfold(&declared.formula).ok()?;
            let mut propositions = std::collections::BTreeSet::new();
            formula.propositions(&mut |proposition| _ = propositions.insert(proposition));
            if propositions.len() > MAX_PROPOSITIONS {
                return None;
            }
            let (name, expect) = (declared.name.to_string(), declared.expect);
            wider.properties.push(Property { name, span: declared.span, formula, written: None, expect });
        }
        Some(wider)
    }
}
