//! An Erlang program as a system: states of one word, which stand for interned configurations.
//!
//! Huch, Model Checking Erlang Programs: LTL-Propositions and Abstract Interpretation, 2001, with the
//! parts of Erlang that the paper leaves out. Local evaluation is memoised, so that a step of the search
//! is a few lookups in tables: a process in front of the same step with the same message goes on in the
//! same way.
//!
//! - `config`: processes and what lies between them; `signals`: messages, exits;
//! - `step`, `visible`: the steps; `dictionary`: silent ones; `unknown`: arguments that stand for many;
//! - `pending`: which steps are dependent; `reduce`: partial-order reduction;
//! - `label`: propositions and ends; `describe`: texts.
//!
//! Promise: equal states have equal words. Under a domain every concrete run has its image among the runs.

mod config;
mod describe;
mod dictionary;
mod label;
mod pending;
mod reduce;
mod signals;
mod step;
mod unknown;
mod visible;

use super::code::NodeId;
use super::evaluate::{Control, Evaluator, Match};
use super::intern::{Id, Interner, Pids};
use super::ranges::WatchedPids;
use super::syntax::SourceMap;
use super::term::{Pid, Value};
use config::{Config, HEADER};
use describe::TransitionKind;
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ltl::Letter;
use selvedge_model::ltl::MAX_FAIR_PROCESSES;
use selvedge_model::reduce::Preserve;
use selvedge_model::system::Cut;
use selvedge_model::{Pending, ProcessId, States, Steps, System, Word};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use step::EnabledSteps;

/// The options of a system.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) max_mailbox: usize,
    pub(crate) max_processes: usize,
    /// Timeouts of so many milliseconds or more expire only where no process can move.
    pub(crate) long_timeout: u64,
    /// How often in a run a process is killed.
    pub(crate) kills: u32,
    pub(crate) is_fifo: bool,
    /// Do channels get numbers among those for which fairness is kept?
    pub(crate) is_fair: bool,
    /// Reasons with which a process may end, beside `normal` and `shutdown`.
    pub(crate) normal: Vec<String>,
    /// Functions in which a process waits as it is meant to.
    pub(crate) servers: Vec<u32>,
}

/// A step: the number of its description, and the process or channel that takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    transition: Id,
    mover: u16,
}

/// The steps of the run that is followed before a search.
const PROBE_STEPS: usize = 1_000;

/// A search cannot say `holds` once a step was cut off. It goes on for so many states to find violations.
const MAX_STATES_AFTER_CUT: usize = 100_000;

/// The first pids are given to one process each, so that processes are numbered in the order in which
/// they begin, also where one has ended before the next begins.
const FRESH_PIDS: Pids = 0xff;

/// No process takes the step.
const NO_PROCESS: u16 = u16::MAX;

impl Action {
    /// The mover's bit, if fairness keeps one for it.
    fn mover_bit(self) -> Pids {
        if self.mover < 64 { 1 << self.mover } else { 0 }
    }
}

/// The bound that cut a step off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CutKind {
    Stack,
    Local,
    Mailbox,
    Processes,
    /// Processes and channels together are more than fairness is kept for.
    Channels,
    Unsupported,
    UnknownFun,
    /// An argument of a step that the domain does not know, where the result cannot be expressed.
    UnknownArgument,
    /// A process whose pid the formula's quantifiers do not range over.
    NewPid,
}

/// The tables of a system.
pub(crate) struct Core {
    pub(crate) evaluator: Evaluator,
    options: Options,
    mailboxes: Interner,
    relations: Interner,
    registries: Interner,
    timers: Interner,
    channels: Interner,
    processes: Interner,
    states: Interner,
    transitions: Interner,
    received: FxHashMap<(Pid, Control, Value), Arc<Received>>,
    /// Pids that only one process of a run gets: those that the formula mentions, and the first ones.
    reserved: Pids,
    /// The pids that the quantifiers of the formula range over.
    watched: WatchedPids,
    /// The channels that have numbers for which fairness is kept, in the order of their first signals: the
    /// last number, the one before it, and so on.
    fair_channels: Vec<(Pid, Pid)>,
    /// The largest pid that a process has had.
    highest_pid: Pid,
    first_cut: Option<(CutKind, NodeId)>,
    /// Can an exit signal reach a process without links?
    has_exit_calls: bool,
    /// Was a long timeout met that may not expire while another process can move?
    has_long_timeouts: bool,
    cut_states: FxHashSet<Id>,
    /// The states that have been expanded, and how many since a step was cut off.
    is_expanded: Vec<bool>,
    expanded_since_cut: usize,
    /// The `receive`s that are the first action of a process.
    first_receives: FxHashSet<u32>,
    initial: Vec<Id>,
    sources: Arc<SourceMap>,
}

/// A message and the clauses of a `receive`.
struct Received {
    controls: Arc<[Control]>,
    matched: Match,
}

/// An Erlang program as a system.
pub struct Machine {
    core: Mutex<Core>,
    /// Processes and, where messages travel, channels: each moves for itself.
    movers: usize,
    has_real_steps: bool,
    pub(super) assumptions: Vec<String>,
}

impl Machine {
    /// The system whose first process calls the fun, labelled with the evaluator's propositions.
    pub(crate) fn new(
        evaluator: Evaluator,
        main: Value,
        options: Options,
        (reserved, watched): (Pids, WatchedPids),
        sources: Arc<SourceMap>,
    ) -> Machine {
        let count = options.max_processes;
        let movers = match options.is_fifo {
            true if options.is_fair => MAX_FAIR_PROCESSES,
            true => count + count * count,
            false => count,
        };
        let has_real_steps = evaluator.is_exact();
        let has_exit_calls = Core::calls_exit(&evaluator.code);
        let mut core = Core {
            evaluator,
            options,
            mailboxes: Interner::default(),
            relations: Interner::default(),
            registries: Interner::default(),
            timers: Interner::default(),
            channels: Interner::default(),
            processes: Interner::default(),
            states: Interner::without_pids(),
            transitions: Interner::without_pids(),
            received: FxHashMap::default(),
            reserved: reserved | FRESH_PIDS,
            watched,
            fair_channels: Vec::new(),
            highest_pid: Pid(0),
            first_cut: None,
            has_exit_calls,
            has_long_timeouts: false,
            cut_states: FxHashSet::default(),
            is_expanded: Vec::new(),
            expanded_since_cut: 0,
            first_receives: FxHashSet::default(),
            initial: Vec::new(),
            sources,
        };
        core.start(main);
        core.probe();
        Machine { core: Mutex::new(core), movers, has_real_steps, assumptions: Vec::new() }
    }

    /// The assumption that long timeouts make, if there were any.
    pub(crate) fn long_timeout_assumption(&self) -> Option<String> {
        let core = self.core();
        let least = core.options.long_timeout;
        core.has_long_timeouts
            .then(|| format!("timeouts of {least} ms or more expire only where no other process can move"))
    }

    /// The pids of the live processes of a state.
    pub(crate) fn live_pids(&self, state: Word) -> Pids {
        let core = self.core();
        core.live_pids(core.states.get(state as Id))
    }

    /// Is the step one of no process, where every process may be blocked?
    pub(crate) fn is_stutter(&self, action: Action) -> bool {
        self.core().transition(action).0 == TransitionKind::Stutter
    }

    /// Does the step begin or end a proposition?
    pub(crate) fn is_proposition(&self, action: Action) -> bool {
        matches!(self.core().transition(action).0, TransitionKind::Prop | TransitionKind::LeaveProp)
    }

    /// Does an action of this system stand for an action of another one, which has concrete values: the same
    /// process takes the same step, with values for which those of the action stand?
    pub(crate) fn stands_for(&self, action: Action, concrete: &Machine, other: Action) -> bool {
        let mut core = self.core();
        let (kind, node, values) = core.transition(action);
        let concrete = concrete.core();
        let (other_kind, other_node, other_values) = concrete.transition(other);
        // Channels have other numbers in another system; the values name them.
        let is_same_mover = kind == TransitionKind::Deliver || action.mover == other.mover;
        if (kind, node, values.len()) != (other_kind, other_node, other_values.len()) || !is_same_mover {
            return false;
        }
        let mut pairs = values.into_iter().zip(other_values);
        pairs.all(|(value, other)| core.evaluator.stands_for(value, &concrete.evaluator.terms, other))
    }

    /// A worker that panics leaves tables that are whole.
    pub(crate) fn core(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Core {
    fn start(&mut self, main: Value) {
        let header: Config = vec![
            self.registries.intern(&[], || 0),
            self.timers.intern(&[], || 0),
            self.channels.intern(&[], || 0),
            0,
            0,
            0,
        ];
        debug_assert_eq!(header.len(), HEADER);
        let nil = self.evaluator.terms.intern(super::term::Term::Nil);
        let action = self.action(Some(Pid(0)), TransitionKind::Local, 0, &[]);
        let mut found = EnabledSteps::default();
        for control in &*self.evaluator.start(Pid(0), main, nil) {
            let mut config = header.clone();
            self.take_pid(&mut config, Pid(0));
            let mailbox = self.intern_mailbox(&[]);
            let relations = self.intern_relations(&config::Relations::default());
            self.insert(&mut config, config::Process { pid: Pid(0), control: *control, mailbox, relations });
            self.note_start(*control);
            self.go_on(&config, Pid(0), &[*control], action, &mut found);
        }
        for (_, config) in found.steps {
            let id = self.intern_state(&config);
            if !self.initial.contains(&id) {
                self.initial.push(id);
            }
        }
    }

    /// Notes the `receive` that is the first action of a process.
    fn note_start(&mut self, control: Control) {
        if self.evaluator.kind(control) == super::evaluate::ControlKind::Receive {
            self.first_receives.insert(self.evaluator.control_node(control));
        }
    }

    fn intern_state(&mut self, config: &Config) -> Id {
        self.states.intern(config, || 0)
    }

    /// A message against the clauses of a process's `receive`.
    fn received(&mut self, pid: Pid, control: Control, message: Value) -> Arc<Received> {
        if let Some(known) = self.received.get(&(pid, control, message)) {
            return known.clone();
        }
        let (controls, matched) = self.evaluator.receive(pid, control, message);
        let received = Arc::new(Received { controls, matched });
        self.received.insert((pid, control, message), received.clone());
        received
    }

    /// Follows one run, the newest process first, to meet bounds of the language early: a program that makes
    /// processes for ever has too many states for a breadth-first search to come to the bound.
    fn probe(&mut self) {
        let Some(mut state) = self.initial.last().copied() else { return };
        for _ in 0..PROBE_STEPS {
            let config = self.states.get(state).to_vec();
            let found = self.steps(&config);
            let Some((_, next)) = found.steps.into_iter().next_back().filter(|_| found.cut == 0) else {
                return;
            };
            state = self.intern_state(&next);
        }
    }

    /// May the search go on from this state? A state that was expanded once always is.
    fn may_expand(&mut self, state: Id) -> bool {
        if self.is_expanded.len() <= state as usize {
            self.is_expanded.resize(state as usize + 1, false);
        }
        if self.is_expanded[state as usize] {
            return true;
        }
        self.expanded_since_cut += usize::from(self.first_cut.is_some());
        let may_expand = self.expanded_since_cut <= MAX_STATES_AFTER_CUT;
        self.is_expanded[state as usize] = may_expand;
        may_expand
    }

    fn successors(&mut self, state: Id, reduces: bool, out: &mut Steps<Action>) {
        if !self.may_expand(state) {
            self.cut_states.insert(state);
            return;
        }
        let config = self.states.get(state).to_vec();
        let found = if reduces { self.reduced_steps(&config) } else { self.steps(&config) };
        if found.cut != 0 {
            self.cut_states.insert(state);
        }
        for (action, next) in found.steps {
            let next = self.intern_state(&next);
            out.push(action, &[Word::from(next)]);
        }
    }

    fn bytes(&self) -> usize {
        let tables = [
            &self.mailboxes,
            &self.relations,
            &self.registries,
            &self.timers,
            &self.channels,
            &self.processes,
            &self.states,
            &self.transitions,
        ];
        let memo = self.received.len() * (size_of::<((Pid, Control, Value), Arc<Received>)>() + 48);
        tables.iter().map(|table| table.bytes()).sum::<usize>() + self.evaluator.bytes() + memo
    }
}

impl System for Machine {
    type Action = Action;

    fn words(&self) -> usize {
        1
    }

    fn processes(&self) -> usize {
        self.movers
    }

    fn initial(&self, out: &mut States) {
        for id in &self.core().initial {
            out.push(&[Word::from(*id)]);
        }
    }

    fn successors(&self, state: &[Word], out: &mut Steps<Action>) {
        self.core().successors(state[0] as Id, false, out);
    }

    fn reduced_successors(&self, _preserve: Preserve, state: &[Word], out: &mut Steps<Action>) {
        self.core().successors(state[0] as Id, true, out);
    }

    fn label(&self, state: &[Word]) -> Letter {
        self.core().label(state[0] as Id)
    }

    fn process(&self, action: Action) -> Option<ProcessId> {
        (action.mover != NO_PROCESS).then(|| ProcessId(u32::from(action.mover)))
    }

    fn certainly_enabled(&self, state: &[Word], _steps: &Steps<Action>) -> u64 {
        let mut core = self.core();
        let config = core.states.get(state[0] as Id).to_vec();
        core.steps(&config).certain
    }

    fn has_real_steps(&self) -> bool {
        self.has_real_steps
    }

    fn first_cut(&self) -> Option<Cut> {
        self.core().cut_text()
    }

    fn is_cut(&self, state: &[Word]) -> bool {
        self.core().cut_states.contains(&(state[0] as Id))
    }

    fn table_bytes(&self) -> usize {
        self.core().bytes()
    }

    fn pending(&self, state: &[Word], process: ProcessId) -> Option<Pending> {
        let pid = Pid(u8::try_from(process.0).ok().filter(|number| usize::from(*number) < Pid::MAX_COUNT)?);
        let mut core = self.core();
        let config = core.states.get(state[0] as Id).to_vec();
        core.pending(&config, pid)
    }

    fn is_end(&self, state: &[Word]) -> bool {
        let core = self.core();
        let config = core.states.get(state[0] as Id);
        config.len() == HEADER || core.is_idle(config)
    }

    fn is_idle(&self, state: &[Word]) -> bool {
        let core = self.core();
        let config = core.states.get(state[0] as Id);
        config.len() > HEADER && core.is_idle(config)
    }

    fn crash(&self, action: Action) -> Option<String> {
        self.core().crash(action)
    }

    fn waits_for_ever(&self, state: &[Word]) -> Vec<(String, String)> {
        let mut core = self.core();
        let config = core.states.get(state[0] as Id).to_vec();
        core.waits_for_ever(&config)
    }

    fn process_name(&self, process: ProcessId) -> String {
        self.core().mover_name(process.0 as usize)
    }

    fn describe(&self, action: Action) -> String {
        self.core().describe(action)
    }

    fn source_line(&self, action: Action) -> Option<usize> {
        self.core().place(action).map(|(_, line)| line)
    }

    fn source_file(&self, action: Action) -> Option<String> {
        self.core().place(action).and_then(|(file, _)| file)
    }

    fn show(&self, state: &[Word]) -> Vec<(String, String)> {
        let core = self.core();
        core.show(core.states.get(state[0] as Id), true)
    }

    fn show_briefly(&self, state: &[Word]) -> Vec<(String, String)> {
        let core = self.core();
        core.show(core.states.get(state[0] as Id), false)
    }

    fn waiting(&self, state: &[Word]) -> Vec<(String, String)> {
        let core = self.core();
        core.waiting(core.states.get(state[0] as Id))
    }
}
