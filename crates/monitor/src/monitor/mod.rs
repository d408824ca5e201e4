//! The monitor: changes, states, and the properties that are checked on them.

use crate::fact::Fact;
use crate::instances::{InstanceId, Instances, Origin};
use crate::path::{Path, Recording};
use crate::property::{CheckError, IntoProperty, mentions_name};
use crate::propositions::{PropId, Propositions};
use crate::quantified::{Expansion, Quantified};
use crate::report::Report;
use crate::shapes::{ShapeId, Shapes};
use crate::template::Instantiator;
use crate::violation::{OnViolation, Violation};
use rest::{DEFAULT_MAX_AT_REST, Freed, Freeing};
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ltl::Formula;
use selvedge_ltl::progression::Cursor;
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;

mod add;
mod batch;
pub(crate) mod describe;
mod instantiate;
mod judge;
mod progress;
mod rest;

/// The steps that are recorded unless the user says otherwise.
const DEFAULT_RECORDING: Recording = Recording::Last(10_000);
/// The instances of templates that are made unless the user says otherwise.
const DEFAULT_MAX_INSTANCES: usize = 1_000_000;

/// Checks formulas along the states of one run.
///
/// [`set`](Monitor::set) and [`release`](Monitor::release) change what holds, [`step`](Monitor::step)
/// makes a state of it. Every property that was given to [`check`](Monitor::check) is judged on each
/// state from the present one on.
#[derive(Debug)]
pub struct Monitor<P> {
    propositions: Propositions<P>,
    shapes: Shapes,
    instances: Instances,
    properties: Vec<Watched<P>>,
    path: Path,
    on_violation: OnViolation,
    violations: Vec<Violation>,
    /// The number of violations that were handled.
    told: usize,
    notes: Vec<String>,
    max_instances: usize,
    freeing: Freeing,
    /// The number of events that no step shows.
    dropped: u64,
    /// Work space: the changes of a step, and the instances that mention them.
    changed: Vec<PropId>,
    touched: Vec<InstanceId>,
    deferred: Vec<instantiate::Deferred>,
    /// What is known of remainders on a last state that stays for ever.
    forever: FxHashMap<(ShapeId, Cursor, u64), bool>,
}

/// A property that is checked.
#[derive(Debug)]
struct Watched<P> {
    name: Arc<str>,
    began: u64,
    kind: Kind<P>,
    /// Instances that are proven.
    proven: u64,
    /// Instances that are violated, and the first of them as text.
    violated: u64,
    example: Option<String>,
    antecedents: Vec<Antecedent>,
    /// Was it told that no more instances are made?
    is_limit_told: bool,
    /// The events that were dropped before it was decided; `None` as long as it is open.
    dropped: Option<u64>,
    /// Instances that need not be remembered.
    freed: Option<Freed>,
}

/// An antecedent of a formula, which says nothing without it.
#[derive(Debug)]
struct Antecedent {
    text: String,
    /// Did it happen? `None` if it has not, and may.
    has_happened: Option<bool>,
}

#[derive(Debug)]
enum Kind<P> {
    Formula(Formula<P>),
    Quantified { quantified: Arc<Quantified<P>>, shape: ShapeId, expansion: Expansion },
    Template { instantiator: Instantiator<P>, known: FxHashSet<(ShapeId, Box<[Option<PropId>]>)> },
}

/// Changes that make one state together.
pub struct Changes<'m, P> {
    propositions: &'m mut Propositions<P>,
}

impl<P: Clone + Eq + Hash> Changes<'_, P> {
    /// The proposition holds in the next state.
    pub fn set(&mut self, prop: &P) {
        set(self.propositions, prop);
    }

    /// The proposition does not hold in the next state.
    pub fn release(&mut self, prop: &P) {
        release(self.propositions, prop);
    }
}

#[inline]
fn set<P: Clone + Eq + Hash>(propositions: &mut Propositions<P>, prop: &P) {
    let id = propositions.intern(prop);
    propositions.change(id, true);
}

#[inline]
fn release<P: Clone + Eq + Hash>(propositions: &mut Propositions<P>, prop: &P) {
    if let Some(id) = propositions.find(prop) {
        propositions.change(id, false);
    }
}

impl<P: Ord + Hash + Clone + Debug> Default for Monitor<P> {
    fn default() -> Self {
        Monitor::new()
    }
}

impl<P: Ord + Hash + Clone + Debug> Monitor<P> {
    /// A monitor in a state in which no proposition holds.
    pub fn new() -> Monitor<P> {
        Monitor {
            propositions: Propositions::default(),
            shapes: Shapes::default(),
            instances: Instances::default(),
            properties: Vec::new(),
            path: Path::new(DEFAULT_RECORDING),
            on_violation: OnViolation::default(),
            violations: Vec::new(),
            told: 0,
            notes: Vec::new(),
            max_instances: DEFAULT_MAX_INSTANCES,
            dropped: 0,
            freeing: Freeing::new(DEFAULT_MAX_AT_REST),
            changed: Vec::new(),
            touched: Vec::new(),
            deferred: Vec::new(),
            forever: FxHashMap::default(),
        }
    }

    /// What to do about a violation: by default, it is written to standard error.
    pub fn on_violation(&mut self, action: OnViolation) -> &mut Self {
        self.on_violation = action;
        self
    }

    /// How much of the path to record: by default, the last 10,000 steps.
    pub fn record(&mut self, recording: Recording) -> &mut Self {
        self.path.record(recording);
        self
    }

    /// The greatest number of formulas that are checked at once; more instances of templates are not made,
    /// and [`finish`](Monitor::finish) tells it. By default, a million.
    pub fn max_instances(&mut self, count: usize) -> &mut Self {
        self.max_instances = count;
        self
    }

    /// Tells that events were dropped before the next step, so that propositions may hold, or may have held,
    /// other than they do here. All verdicts that fall from now on, violations among them, are told with
    /// the number of dropped events: they are of the steps that were seen.
    pub fn add_dropped(&mut self, events: u64) {
        self.dropped += events;
    }

    /// The number of events that were dropped so far.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// How much of the path is recorded.
    pub fn recording(&self) -> Recording {
        self.path.recording()
    }

    /// Adds a note to the report: something that was not checked, and why.
    pub fn add_note(&mut self, note: impl Into<String>) {
        self.note(note.into());
    }

    /// The number of formulas from which on instances at rest are freed. Such an instance is in the same
    /// state as a new one: an answered request of `forall r: G (request(r) -> F answer(r))`, say. When one
    /// of its propositions is set, it is made again, and a report counts it again. By default, 16,384.
    pub fn max_at_rest(&mut self, count: usize) -> &mut Self {
        self.freeing = Freeing { last: self.freeing.last, ..Freeing::new(count) };
        self
    }

    /// The proposition holds from the next state on.
    #[inline]
    pub fn set(&mut self, prop: &P) {
        set(&mut self.propositions, prop);
    }

    /// The proposition does not hold from the next state on. Releasing what is not set has no effect.
    #[inline]
    pub fn release(&mut self, prop: &P) {
        release(&mut self.propositions, prop);
    }

    /// [`set`](Monitor::set) or [`release`](Monitor::release).
    #[inline(always)]
    pub fn assign(&mut self, prop: &P, holds: bool) {
        self.propositions.assign(prop, holds);
    }

    /// Makes a state of what holds now.
    #[inline]
    pub fn step(&mut self) {
        self.advance(None);
    }

    /// Makes a state of what holds now; the path names this thread.
    pub fn step_by(&mut self, actor: &Arc<str>) {
        self.advance(Some(actor));
    }

    /// Sets the proposition, makes a state, and releases it: the next state does not show it (Stolz and
    /// Huch, §3.4, `stateProp`).
    #[inline]
    pub fn pulse(&mut self, prop: &P) {
        let id = self.propositions.intern(prop);
        self.pulse_id(id);
    }

    /// The number of a proposition, by which changes need not look it up each time. It belongs to this
    /// monitor alone.
    ///
    /// ```
    /// use selvedge_monitor::{Fact, Monitor};
    /// let mut monitor: Monitor<Fact> = Monitor::new();
    /// let ready = monitor.prop_id(&"ready".into());
    /// monitor.set_id(ready);
    /// monitor.step();
    /// assert!(monitor.holds(&"ready".into()));
    /// ```
    #[inline]
    pub fn prop_id(&mut self, prop: &P) -> PropId {
        let id = self.propositions.intern(prop);
        self.propositions.keep(id);
        id
    }

    /// [`set`](Monitor::set) by number.
    ///
    /// # Panics
    /// All methods by number panic if the monitor has no proposition with this number.
    #[inline]
    pub fn set_id(&mut self, prop: PropId) {
        self.propositions.change(prop, true);
    }

    /// [`release`](Monitor::release) by number.
    #[inline]
    pub fn release_id(&mut self, prop: PropId) {
        self.propositions.change(prop, false);
    }

    /// [`set`](Monitor::set) or [`release`](Monitor::release) by number.
    #[inline]
    pub fn assign_id(&mut self, prop: PropId, holds: bool) {
        self.propositions.change(prop, holds);
    }

    /// [`pulse`](Monitor::pulse) by number.
    #[inline]
    pub fn pulse_id(&mut self, prop: PropId) {
        self.set_id(prop);
        self.step();
        self.release_id(prop);
    }

    /// Several changes, and one state.
    pub fn update(&mut self, change: impl FnOnce(&mut Changes<'_, P>)) {
        change(&mut Changes { propositions: &mut self.propositions });
        self.step();
    }

    /// Does the proposition hold in the present state?
    pub fn holds(&self, prop: &P) -> bool {
        self.propositions.find(prop).is_some_and(|id| self.propositions.holds_in_state(id))
    }

    /// The number of states so far, without the one before the first step.
    pub fn state(&self) -> u64 {
        self.path.state()
    }

    /// Checks a property on all states from the present one on.
    ///
    /// # Errors
    /// If its text has mistakes, or it depends on how often a state is repeated.
    pub fn check(&mut self, name: &str, property: impl IntoProperty<P>) -> Result<(), CheckError> {
        self.check_since(name, property.into_property()?, self.path.state())
    }

    /// Checks a property on all recorded states, and on all later ones. Returns the number of the first
    /// state that it is judged on.
    ///
    /// # Errors
    /// As those of [`check`](Monitor::check).
    pub fn check_past(&mut self, name: &str, property: impl IntoProperty<P>) -> Result<u64, CheckError> {
        let since = self.path.known_since();
        self.check_since(name, property.into_property()?, since)?;
        Ok(since)
    }

    /// The formulas that are open, each with its remainder: what must hold from the next state on. Freed
    /// instances are not among them: see [`max_at_rest`](Monitor::max_at_rest).
    pub fn remainders(&mut self) -> Vec<(String, String)> {
        let mut remainders = Vec::new();
        for instance in self.instances.ids().filter_map(|id| self.instances.get(id)).collect::<Vec<_>>() {
            if let Origin::Property(index) = instance.origin {
                let text = self.remainder_text(instance.shape, instance.cursor, &instance.props);
                remainders.push((self.properties[index as usize].name.to_string(), text));
            }
        }
        remainders
    }

    /// The violations so far.
    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }

    /// The number of formulas that are checked at present, with partial instances of templates.
    pub fn instance_count(&self) -> usize {
        self.instances.count()
    }

    /// The number of propositions that are set, recorded, or mentioned by a formula, and of others that are
    /// not forgotten yet.
    pub fn proposition_count(&self) -> usize {
        self.propositions.count()
    }

    /// The number of combinations of propositions, or of values, that the template with this name was
    /// offered.
    pub fn combinations(&self, name: &str) -> u64 {
        let of = |watched: &Watched<P>| match &watched.kind {
            Kind::Formula(_) => 0,
            Kind::Quantified { expansion, .. } => expansion.combinations,
            Kind::Template { instantiator, .. } => instantiator.combinations,
        };
        self.properties.iter().filter(|watched| &*watched.name == name).map(of).sum()
    }

    /// The end of a run whose last state stays for ever: whether each property holds, with its name.
    /// Changes that no state shows yet make a last state. The path must be recorded as a whole, if a
    /// formula has past operators.
    pub fn finish_forever(&mut self) -> Vec<(String, bool)> {
        if self.propositions.has_changes() {
            self.step();
        }
        self.judge_forever()
    }

    /// Begins another run: no proposition holds, and no property is checked. The tables of formulas are
    /// kept.
    pub fn restart(&mut self) {
        let fresh = Monitor::new();
        let old = std::mem::replace(self, fresh);
        self.shapes = old.shapes;
        self.forever = old.forever;
        self.on_violation = old.on_violation;
        self.max_instances = old.max_instances;
        self.freeing = Freeing::new(old.freeing.max_at_rest);
        self.path = Path::new(old.path.recording());
    }

    /// The end of the run: changes that no state shows yet make a last state, and every property gets its
    /// verdict.
    pub fn finish(&mut self) -> Report {
        if self.propositions.has_changes() {
            self.step();
        }
        self.judge()
    }
}

impl Monitor<Fact> {
    /// Whether a property may mention a proposition with this name. False only if none does.
    pub fn may_mention(&self, name: &str) -> bool {
        self.properties.iter().any(|watched| match &watched.kind {
            Kind::Formula(formula) => mentions_name(formula, name),
            Kind::Quantified { quantified, .. } => quantified.may_mention(name),
            Kind::Template { .. } => true,
        })
    }
}
