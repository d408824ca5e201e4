//! Signals: messages, exits, and what they do to the process that they reach ("Processes", Erlang Reference
//! Manual).
//!
//! With immediate delivery a signal arrives in the step that sends it. With fifo delivery it travels in the
//! channel of its pair of processes, from which the delivery of the oldest is a step of its own.

use super::Core;
use super::config::{CHANNELS, Config, Process};
use crate::erlang::intern::Pids;
use crate::erlang::term::{Pid, Term, Value, atom};

/// A signal on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Signal {
    pub(super) from: Pid,
    pub(super) to: Pid,
    pub(super) kind: SignalKind,
    /// The message, or the reason of an exit.
    pub(super) value: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum SignalKind {
    Message,
    /// A linked process has ended.
    LinkExit,
    /// `exit/2`
    Exit,
}

const KINDS: [SignalKind; 3] = [SignalKind::Message, SignalKind::LinkExit, SignalKind::Exit];

/// The mailbox of a process would be longer than allowed.
pub(super) struct MailboxFull;

impl Core {
    /// Sends a signal.
    pub(super) fn signal(&mut self, config: &mut Config, signal: Signal) -> Result<(), MailboxFull> {
        if self.options.is_fifo && signal.from != signal.to {
            let mut signals = self.signals_of(config);
            let pair = (signal.from, signal.to);
            if signals.iter().filter(|other| (other.from, other.to) == pair).count()
                >= self.options.max_mailbox
            {
                return Err(MailboxFull);
            }
            signals.push(signal);
            self.set_signals(config, signals);
            return Ok(());
        }
        self.arrive(config, signal)
    }

    /// A signal reaches its process.
    pub(super) fn arrive(&mut self, config: &mut Config, signal: Signal) -> Result<(), MailboxFull> {
        let Some(process) = self.process_of(config, signal.to) else { return Ok(()) };
        if signal.kind == SignalKind::Message {
            return self.put_message(config, process, signal.value);
        }
        let relations = self.relations_of(process.relations);
        let reason = self.evaluator.terms.as_atom(signal.value);
        if signal.kind == SignalKind::LinkExit {
            // The link is gone whatever the process does about it.
            if relations.links & signal.from.bit() == 0 {
                return Ok(());
            }
            self.relate(config, signal.to, |relations| relations.links &= !signal.from.bit());
        }
        if signal.kind == SignalKind::Exit && reason == Some(atom::KILL) {
            let killed = self.evaluator.terms.atom_value(atom::KILLED);
            return self.end(config, signal.to, killed);
        }
        if relations.traps_exits {
            let (tag, from) =
                (self.evaluator.terms.atom_value(atom::EXIT_SIGNAL), self.evaluator.terms.pid(signal.from));
            let message = self.tuple(&[tag, from, signal.value]);
            let process = self.process_of(config, signal.to).expect("a live process");
            return self.put_message(config, process, message);
        }
        let is_own = signal.kind == SignalKind::Exit && signal.from == signal.to;
        if reason == Some(atom::NORMAL) && !is_own {
            return Ok(());
        }
        self.end(config, signal.to, signal.value)
    }

    fn put_message(
        &mut self,
        config: &mut Config,
        process: Process,
        message: Value,
    ) -> Result<(), MailboxFull> {
        let process = self.end_alias(config, process, message);
        let mut messages = self.mailboxes.get(process.mailbox).to_vec();
        if messages.len() >= self.options.max_mailbox {
            return Err(MailboxFull);
        }
        messages.push(message.0);
        let mailbox = self.intern_mailbox(&messages);
        self.put(config, Process { mailbox, ..process });
        Ok(())
    }

    /// The `'DOWN'` of a monitor ends its alias.
    fn end_alias(&mut self, config: &mut Config, process: Process, message: Value) -> Process {
        let Term::Tuple(parts) = self.evaluator.terms.get(message) else { return process };
        let relations = self.relations_of(process.relations);
        let is_down = parts.len() == 5 && self.evaluator.terms.as_atom(parts[0]) == Some(atom::DOWN);
        if !is_down || !relations.aliases.contains(&parts[1]) {
            return process;
        }
        let reference = parts[1];
        self.relate(config, process.pid, |relations| relations.aliases.retain(|alias| *alias != reference));
        self.process_of(config, process.pid).expect("a live process")
    }

    /// A process ends, for a reason: its links and monitors are told.
    pub(super) fn end(&mut self, config: &mut Config, pid: Pid, reason: Value) -> Result<(), MailboxFull> {
        let Some(position) = self.position(config, pid) else { return Ok(()) };
        let process = self.process(config[position]);
        let relations = self.relations_of(process.relations);
        config.remove(position);
        let names = self.registered(config);
        if names.iter().any(|pair| pair.1 == pid) {
            self.set_registered(config, names.into_iter().filter(|pair| pair.1 != pid).collect());
        }
        let own = self.evaluator.terms.pid(pid);
        let timers = self.timers_of(config);
        if timers.iter().any(|timer| timer.to == own) {
            self.set_timers(config, timers.into_iter().filter(|timer| timer.to != own).collect());
        }
        self.forget_monitors_of(config, pid);
        for linked in Pid::of(relations.links) {
            let signal = Signal { from: pid, to: linked, kind: SignalKind::LinkExit, value: reason };
            self.signal(config, signal)?;
        }
        for (watcher, reference) in relations.monitors {
            let message = self.down_message(reference, own, reason);
            let signal = Signal { from: pid, to: watcher, kind: SignalKind::Message, value: message };
            self.signal(config, signal)?;
        }
        Ok(())
    }

    /// A process that has ended monitors no other.
    fn forget_monitors_of(&mut self, config: &mut Config, watcher: Pid) {
        for other in Pid::of(self.live_pids(config)) {
            let process = self.process_of(config, other).expect("a live process");
            let relations = self.relations_of(process.relations);
            if relations.monitors.iter().any(|monitor| monitor.0 == watcher) {
                self.relate(config, other, |relations| {
                    relations.monitors.retain(|monitor| monitor.0 != watcher);
                });
            }
        }
    }

    /// `{'DOWN', Ref, process, Pid, Reason}`
    pub(super) fn down_message(&mut self, reference: Value, object: Value, reason: Value) -> Value {
        let terms = &mut self.evaluator.terms;
        let (down, process) = (terms.atom_value(atom::DOWN), terms.atom_value(atom::PROCESS));
        self.tuple(&[down, reference, process, object, reason])
    }

    /// A tuple, as the domain can express it.
    pub(super) fn tuple(&mut self, elements: &[Value]) -> Value {
        let tuple = self.evaluator.terms.tuple(elements);
        self.evaluator.abstraction(tuple)
    }

    pub(super) fn signals_of(&self, config: &[u32]) -> Vec<Signal> {
        let signal = |words: &[u32]| Signal {
            from: Pid(words[0] as u8),
            to: Pid(words[1] as u8),
            kind: KINDS[words[2] as usize],
            value: Value(words[3]),
        };
        self.channels.get(config[CHANNELS]).chunks_exact(4).map(signal).collect()
    }

    pub(super) fn set_signals(&mut self, config: &mut Config, mut signals: Vec<Signal>) {
        // Only the order within a channel counts; the sort is stable.
        signals.sort_by_key(|signal| (signal.from, signal.to));
        let words: Vec<u32> = signals
            .iter()
            .flat_map(|signal| {
                [u32::from(signal.from.0), u32::from(signal.to.0), signal.kind as u32, signal.value.0]
            })
            .collect();
        let terms = &self.evaluator.terms;
        let pids: Pids = signals
            .iter()
            .fold(0, |pids, signal| pids | signal.from.bit() | signal.to.bit() | terms.pids(signal.value));
        config[CHANNELS] = self.channels.intern(&words, || pids);
    }

    /// The reason with which a process ends whose evaluation gave this.
    pub(super) fn exit_reason(&mut self, class: crate::erlang::term::Atom, reason: Value) -> Value {
        match class {
            atom::ERROR => self.evaluator.with_stack(reason),
            atom::THROW => {
                let tag = self.evaluator.terms.atom_value(atom::NOCATCH);
                let reason = self.tuple(&[tag, reason]);
                self.evaluator.with_stack(reason)
            }
            _ => reason,
        }
    }

    /// Does a process that ends for this reason end as it should?
    pub(super) fn is_normal(&self, reason: Value) -> bool {
        let terms = &self.evaluator.terms;
        let is_named =
            |value: Value, name: &str| terms.as_atom(value).is_some_and(|atom| terms.name(atom) == name);
        let is_shutdown = match terms.get(reason) {
            Term::Tuple(parts) => parts.len() == 2 && is_named(parts[0], "shutdown"),
            _ => is_named(reason, "normal") || is_named(reason, "shutdown"),
        };
        is_shutdown
            || self.options.normal.iter().any(|name| terms.show(reason, &self.evaluator.domain) == *name)
    }
}
