//! Configurations: the processes of a state and what lies between them, as interned words.
//!
//! A configuration is `[registry, timers, channels, kills, taken pids, process…]`, its processes in the
//! order of their pids; a process is `[pid, control, mailbox, relations]`, its dictionary being part of the
//! relations. A process that has ended is not part of it: what is sent to its pid is lost, and the pid is
//! free again when neither the configuration nor the formula mentions it.

use super::Core;
use super::dictionary::Dictionary;
use crate::erlang::evaluate::Control;
use crate::erlang::intern::{Id, Pids};
use crate::erlang::term::{Atom, Pid, Term, Value};

/// A configuration that is being changed.
pub(super) type Config = Vec<u32>;

pub(super) const REGISTRY: usize = 0;
pub(super) const TIMERS: usize = 1;
pub(super) const CHANNELS: usize = 2;
pub(super) const KILLS: usize = 3;
/// Two words: the pids of the formula that have been given to a process, which no other process gets.
pub(super) const TAKEN: usize = 4;
/// The words before the first process.
pub(super) const HEADER: usize = 6;

/// A process of a configuration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Process {
    pub(super) pid: Pid,
    pub(super) control: Control,
    pub(super) mailbox: Id,
    pub(super) relations: Id,
}

/// What ties a process to others.
#[derive(Clone, Debug, Default)]
pub(super) struct Relations {
    pub(super) traps_exits: bool,
    pub(super) links: Pids,
    /// The processes that monitor this one, each with its reference.
    pub(super) monitors: Vec<(Pid, Value)>,
    /// The references of the process to which messages for it can be sent.
    pub(super) aliases: Vec<Value>,
    /// The process dictionary.
    pub(super) dictionary: Dictionary,
}

/// A message that is sent when its time has come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timer {
    pub(super) reference: Value,
    pub(super) to: Value,
    pub(super) message: Value,
    /// Does it expire only where no process can move?
    pub(super) is_long: bool,
    pub(super) maker: Pid,
}

impl Core {
    pub(super) fn process(&self, id: Id) -> Process {
        let words = self.processes.get(id);
        Process { pid: Pid(words[0] as u8), control: words[1], mailbox: words[2], relations: words[3] }
    }

    pub(super) fn process_of(&self, config: &[u32], pid: Pid) -> Option<Process> {
        self.position(config, pid).map(|position| self.process(config[position]))
    }

    /// The place of a live process in the configuration.
    pub(super) fn position(&self, config: &[u32], pid: Pid) -> Option<usize> {
        let is_wanted = |id: &Id| self.processes.get(*id)[0] == u32::from(pid.0);
        config[HEADER..].iter().position(is_wanted).map(|position| position + HEADER)
    }

    pub(super) fn live_pids(&self, config: &[u32]) -> Pids {
        config[HEADER..].iter().fold(0, |pids, id| pids | 1 << self.processes.get(*id)[0])
    }

    pub(super) fn intern_process(&mut self, process: Process) -> Id {
        let Process { pid, control, mailbox, relations } = process;
        let pids = self.evaluator.controls.pids(control)
            | self.mailboxes.pids(mailbox)
            | self.relations.pids(relations)
            | pid.bit();
        self.processes.intern(&[u32::from(pid.0), control, mailbox, relations], || pids)
    }

    /// Replaces a live process.
    pub(super) fn put(&mut self, config: &mut Config, process: Process) {
        let position = self.position(config, process.pid).expect("a live process");
        config[position] = self.intern_process(process);
    }

    pub(super) fn set_control(&mut self, config: &mut Config, pid: Pid, control: Control) {
        let process = self.process_of(config, pid).expect("a live process");
        self.put(config, Process { control, ..process });
    }

    /// Adds a new process, in the order of pids.
    pub(super) fn insert(&mut self, config: &mut Config, process: Process) {
        let id = self.intern_process(process);
        let before = |other: &&Id| self.processes.get(**other)[0] < u32::from(process.pid.0);
        let position = config[HEADER..].iter().take_while(before).count() + HEADER;
        config.insert(position, id);
    }

    pub(super) fn intern_mailbox(&mut self, messages: &[u32]) -> Id {
        let terms = &self.evaluator.terms;
        self.mailboxes
            .intern(messages, || messages.iter().fold(0, |pids, word| pids | terms.pids(Value(*word))))
    }

    pub(super) fn relations_of(&self, id: Id) -> Relations {
        let words = self.relations.get(id);
        let links = u64::from(words[1]) | u64::from(words[2]) << 32;
        let (monitors, rest) = words[5..].split_at(2 * words[3] as usize);
        let (aliases, dictionary) = rest.split_at(words[4] as usize);
        let monitors = monitors.chunks_exact(2).map(|pair| (Pid(pair[0] as u8), Value(pair[1]))).collect();
        let aliases = aliases.iter().map(|word| Value(*word)).collect();
        let dictionary = dictionary.chunks_exact(2).map(|pair| (Value(pair[0]), Value(pair[1]))).collect();
        Relations { traps_exits: words[0] != 0, links, monitors, aliases, dictionary }
    }

    pub(super) fn intern_relations(&mut self, relations: &Relations) -> Id {
        let Relations { traps_exits, links, mut monitors, mut aliases, dictionary } = relations.clone();
        monitors.sort_unstable();
        aliases.sort_unstable();
        let mut words = vec![u32::from(traps_exits), links as u32, (links >> 32) as u32];
        words.extend([monitors.len() as u32, aliases.len() as u32]);
        words.extend(monitors.iter().flat_map(|(pid, reference)| [u32::from(pid.0), reference.0]));
        words.extend(aliases.iter().map(|alias| alias.0));
        words.extend(dictionary.iter().flat_map(|(key, value)| [key.0, value.0]));
        let terms = &self.evaluator.terms;
        let mentioned =
            monitors.iter().fold(links, |pids, (pid, reference)| pids | pid.bit() | terms.pids(*reference));
        let entries = dictionary.iter();
        let mentioned =
            entries.fold(mentioned, |pids, (key, value)| pids | terms.pids(*key) | terms.pids(*value));
        self.relations.intern(&words, || mentioned)
    }

    /// Changes the relations of a live process.
    pub(super) fn relate(&mut self, config: &mut Config, pid: Pid, change: impl FnOnce(&mut Relations)) {
        let process = self.process_of(config, pid).expect("a live process");
        let mut relations = self.relations_of(process.relations);
        change(&mut relations);
        let relations = self.intern_relations(&relations);
        self.put(config, Process { relations, ..process });
    }

    pub(super) fn registered(&self, config: &[u32]) -> Vec<(Atom, Pid)> {
        let pairs = self.registries.get(config[REGISTRY]).chunks_exact(2);
        pairs.map(|pair| (Atom(pair[0]), Pid(pair[1] as u8))).collect()
    }

    pub(super) fn set_registered(&mut self, config: &mut Config, mut pairs: Vec<(Atom, Pid)>) {
        pairs.sort_unstable();
        let words: Vec<u32> = pairs.iter().flat_map(|(name, pid)| [name.0, u32::from(pid.0)]).collect();
        config[REGISTRY] =
            self.registries.intern(&words, || pairs.iter().fold(0, |pids, pair| pids | pair.1.bit()));
    }

    pub(super) fn whereis(&self, config: &[u32], name: Atom) -> Option<Pid> {
        self.registered(config).into_iter().find(|pair| pair.0 == name).map(|pair| pair.1)
    }

    pub(super) fn timers_of(&self, config: &[u32]) -> Vec<Timer> {
        let timer = |words: &[u32]| Timer {
            reference: Value(words[0]),
            to: Value(words[1]),
            message: Value(words[2]),
            is_long: words[3] != 0,
            maker: Pid(words[4] as u8),
        };
        self.timers.get(config[TIMERS]).chunks_exact(5).map(timer).collect()
    }

    pub(super) fn set_timers(&mut self, config: &mut Config, mut timers: Vec<Timer>) {
        timers.sort_unstable_by_key(|timer| (timer.reference, timer.to, timer.message));
        let words: Vec<u32> = timers
            .iter()
            .flat_map(|timer| {
                let Timer { reference, to, message, is_long, maker } = *timer;
                [reference.0, to.0, message.0, u32::from(is_long), u32::from(maker.0)]
            })
            .collect();
        let terms = &self.evaluator.terms;
        let pids = timers.iter().fold(0, |pids, timer| {
            pids | terms.pids(timer.reference) | terms.pids(timer.to) | terms.pids(timer.message)
        });
        config[TIMERS] = self.timers.intern(&words, || pids);
    }

    /// The pids that the configuration mentions.
    pub(super) fn mentioned_pids(&self, config: &[u32]) -> Pids {
        config[HEADER..].iter().fold(
            self.registries.pids(config[REGISTRY])
                | self.timers.pids(config[TIMERS])
                | self.channels.pids(config[CHANNELS]),
            |pids, id| pids | self.processes.pids(*id),
        )
    }

    /// The smallest pid that neither the configuration nor the formula mentions.
    pub(super) fn free_pid(&self, config: &[u32]) -> Option<Pid> {
        let taken = u64::from(config[TAKEN]) | u64::from(config[TAKEN + 1]) << 32;
        let used = self.mentioned_pids(config) | taken;
        let pid = Pid((!used).trailing_zeros() as u8);
        let most = self.options.max_processes.min(Pid::MAX_COUNT - self.fair_channels.len());
        (usize::from(pid.0) < most).then_some(pid)
    }

    /// May the end of a process change which pid the next one gets?
    pub(super) fn reuses_pids(&self, config: &[u32]) -> bool {
        config[TAKEN] as u64 & super::FRESH_PIDS == super::FRESH_PIDS
    }

    /// Notes that a pid is given to a process.
    pub(super) fn take_pid(&mut self, config: &mut Config, pid: Pid) {
        self.highest_pid = self.highest_pid.max(pid);
        let taken = pid.bit() & self.reserved;
        config[TAKEN] |= taken as u32;
        config[TAKEN + 1] |= (taken >> 32) as u32;
    }

    /// A new reference: the smallest number that no live reference of its maker has.
    pub(super) fn new_reference(&mut self, config: &[u32], maker: Pid, also: &[Value]) -> Value {
        let mut used = Vec::new();
        self.for_each_value(config, &mut |terms, value| terms.refs_of(value, maker, &mut used));
        also.iter().for_each(|value| self.evaluator.terms.refs_of(*value, maker, &mut used));
        let number = (0..).find(|number| !used.contains(number)).expect("a free number");
        self.evaluator.terms.intern(Term::Ref { maker, number })
    }

    /// Every value that the configuration mentions.
    fn for_each_value(&self, config: &[u32], visit: &mut dyn FnMut(&crate::erlang::term::Terms, Value)) {
        let terms = &self.evaluator.terms;
        for id in &config[HEADER..] {
            let process = self.process(*id);
            self.evaluator.mentioned(process.control, &mut |value| visit(terms, value));
            self.mailboxes.get(process.mailbox).iter().for_each(|word| visit(terms, Value(*word)));
            let relations = self.relations_of(process.relations);
            let references = relations.monitors.into_iter().map(|monitor| monitor.1);
            references.chain(relations.aliases).for_each(|reference| visit(terms, reference));
            relations.dictionary.into_iter().for_each(|(key, value)| {
                visit(terms, key);
                visit(terms, value);
            });
        }
        for timer in self.timers_of(config) {
            [timer.reference, timer.to, timer.message].into_iter().for_each(|value| visit(terms, value));
        }
        for signal in self.signals_of(config) {
            visit(terms, signal.value);
        }
    }
}
