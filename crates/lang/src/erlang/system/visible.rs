//! The steps that other processes can see: sends, new processes, links, monitors, names, timers.

use super::config::{Config, Process, Timer};
use super::describe::TransitionKind;
use super::signals::{MailboxFull, Signal, SignalKind};
use super::step::{EnabledSteps, Expiry};
use super::unknown::Readings;
use super::{Action, Core, CutKind};
use crate::erlang::code::bif::Bif;
use crate::erlang::evaluate::Control;
use crate::erlang::term::{Atom, Kind, Pid, Term, Value, atom};

/// What a name or pid in a program stands for.
enum Target {
    Process(Pid),
    /// A process that has ended, or none.
    Lost,
    /// No pid and no registered name.
    Bad,
}

/// The caller of a step: its configuration, the process, and the action.
struct Caller<'c> {
    config: &'c Config,
    pid: Pid,
    control: Control,
    action: Action,
}

/// How a new process is tied to its maker.
#[derive(Clone, Copy, Debug, Default)]
struct Ties {
    is_linked: bool,
    is_monitored: bool,
}

impl Ties {
    fn of(bif: Bif) -> Ties {
        Ties {
            is_linked: matches!(bif, Bif::SpawnLink | Bif::SpawnLinkNamed),
            is_monitored: matches!(bif, Bif::SpawnMonitor | Bif::SpawnMonitorNamed),
        }
    }
}

/// The options of `spawn_opt` that change nothing here, each with a value.
const SPAWN_OPTIONS: [&str; 7] = [
    "priority",
    "fullsweep_after",
    "min_heap_size",
    "min_bin_vheap_size",
    "max_heap_size",
    "message_queue_data",
    "async_dist",
];

impl Core {
    pub(super) fn visible_steps(
        &mut self,
        config: &Config,
        process: Process,
        bif: Bif,
        found: &mut EnabledSteps,
    ) {
        let Process { pid, control, .. } = process;
        let node = self.evaluator.control_node(control);
        let values = self.evaluator.payload(control);
        let action = self.action(Some(pid), TransitionKind::Call(bif), node, &values);
        let caller = Caller { config, pid, control, action };
        match self.readings(config, pid, bif, &values) {
            Some(Readings::Inexpressible) => return self.cut_at(&caller, CutKind::UnknownArgument, found),
            Some(Readings::Also(index, readings)) => {
                for reading in readings {
                    let mut values = values.clone();
                    values[index] = reading;
                    self.call(&caller, bif, &values, found);
                }
            }
            None => {}
        }
        self.call(&caller, bif, &values, found);
    }

    /// The steps of a call with these arguments.
    fn call(&mut self, caller: &Caller<'_>, bif: Bif, values: &[Value], found: &mut EnabledSteps) {
        match bif {
            Bif::Send | Bif::SendFunction | Bif::SendOptions => {
                self.send(caller, values[0], values[1], found);
            }
            Bif::Spawn | Bif::SpawnLink | Bif::SpawnMonitor => {
                let nil = self.evaluator.terms.intern(Term::Nil);
                self.spawn(caller, Ties::of(bif), values[0], nil, found);
            }
            Bif::SpawnNamed | Bif::SpawnLinkNamed | Bif::SpawnMonitorNamed => {
                self.spawn_named(caller, Ties::of(bif), values, found);
            }
            Bif::SpawnOptions | Bif::SpawnOptionsNamed => self.spawn_with_options(caller, values, found),
            Bif::Link => self.link(caller, values[0], found),
            Bif::Unlink => self.unlink(caller, values[0], found),
            Bif::Monitor => self.monitor(caller, values[1], false, found),
            Bif::MonitorOptions => self.monitor_with_options(caller, values[1], values[2], found),
            Bif::Demonitor => self.demonitor(caller, values[0], false, found),
            Bif::DemonitorOptions => {
                let options = self.evaluator.terms.list_elements(values[1]).unwrap_or_default();
                let flush = self.evaluator.terms.atom_value(atom::FLUSH);
                self.demonitor(caller, values[0], options.contains(&flush), found);
            }
            Bif::ExitProcess => self.exit_process(caller, values[0], values[1], found),
            Bif::Register => self.register(caller, values[0], values[1], found),
            Bif::Unregister => self.unregister(caller, values[0], found),
            Bif::WhereIs => self.find_registered(caller, values[0], found),
            Bif::ProcessFlag => self.process_flag(caller, values[0], values[1], found),
            Bif::IsProcessAlive => match self.evaluator.terms.as_pid(values[0]) {
                Some(other) => {
                    let is_alive = self.position(caller.config, other).is_some();
                    let truth = if is_alive { atom::TRUE } else { atom::FALSE };
                    self.give_atom(caller, caller.config, truth, found);
                }
                None => self.give_or_fail(caller, values[0], atom::FALSE, found),
            },
            Bif::SendAfter | Bif::StartTimer => self.start_timer(caller, bif, values, found),
            Bif::CancelTimer => self.cancel_timer(caller, values[0], found),
            _ => unreachable!("`{}` is no visible step", bif.name()),
        }
    }

    /// A call whose argument is of the wrong kind fails; one whose argument is unknown may also give this.
    fn give_or_fail(&mut self, caller: &Caller<'_>, argument: Value, value: Atom, found: &mut EnabledSteps) {
        if self.is_unknown(argument) {
            self.give_atom(caller, caller.config, value, found);
        }
        self.fail(caller, atom::BADARG, found);
    }

    fn unlink(&mut self, caller: &Caller<'_>, other: Value, found: &mut EnabledSteps) {
        let Some(pid) = self.evaluator.terms.as_pid(other) else {
            return self.give_or_fail(caller, other, atom::TRUE, found);
        };
        let mut next = caller.config.clone();
        self.relate(&mut next, caller.pid, |relations| relations.links &= !pid.bit());
        if self.position(&next, pid).is_some() {
            self.relate(&mut next, pid, |relations| relations.links &= !caller.pid.bit());
        }
        self.give_atom(caller, &next, atom::TRUE, found);
    }

    fn find_registered(&mut self, caller: &Caller<'_>, name: Value, found: &mut EnabledSteps) {
        let Some(atom) = self.evaluator.terms.as_atom(name) else {
            return self.give_or_fail(caller, name, atom::UNDEFINED, found);
        };
        match self.whereis(caller.config, atom) {
            Some(other) => {
                let value = self.evaluator.terms.pid(other);
                self.give(caller, caller.config, value, found);
            }
            None => self.give_atom(caller, caller.config, atom::UNDEFINED, found),
        }
    }

    /// The step gives a value to the caller.
    fn give(&mut self, caller: &Caller<'_>, config: &Config, value: Value, found: &mut EnabledSteps) {
        let next = self.evaluator.resume(caller.pid, caller.control, value);
        self.go_on(config, caller.pid, &next, caller.action, found);
    }

    fn give_atom(&mut self, caller: &Caller<'_>, config: &Config, value: Atom, found: &mut EnabledSteps) {
        let value = self.evaluator.terms.atom_value(value);
        self.give(caller, config, value, found);
    }

    /// The step raises an error in the caller.
    fn fail(&mut self, caller: &Caller<'_>, reason: Atom, found: &mut EnabledSteps) {
        let reason = self.evaluator.terms.atom_value(reason);
        let next = self.evaluator.raise(caller.pid, caller.control, atom::ERROR, reason);
        self.go_on(caller.config, caller.pid, &next, caller.action, found);
    }

    /// The processes that a pid or a name may stand for.
    fn targets(&mut self, config: &Config, to: Value) -> Vec<Target> {
        let live = |this: &Self, pid| {
            if this.position(config, pid).is_some() { Target::Process(pid) } else { Target::Lost }
        };
        match self.evaluator.terms.get(to).clone() {
            Term::Pid(pid) => vec![live(self, pid)],
            Term::Atom(name) => match self.whereis(config, name) {
                Some(pid) => vec![Target::Process(pid)],
                None => vec![Target::Bad],
            },
            // An alias, as long as it is active.
            Term::Ref { maker, .. } => {
                let process = self.process_of(config, maker);
                let relations = process.map(|process| self.relations_of(process.relations));
                let is_active = relations.is_some_and(|relations| relations.aliases.contains(&to));
                vec![if is_active { Target::Process(maker) } else { Target::Lost }]
            }
            Term::Top(kind @ (Kind::Any | Kind::Pid)) => {
                let mut targets: Vec<Target> = Pid::of(self.live_pids(config)).map(Target::Process).collect();
                targets.push(Target::Lost);
                targets.extend((kind == Kind::Any).then_some(Target::Bad));
                targets
            }
            Term::Top(Kind::Atom) | Term::Atoms(_) => {
                let registered = self.registered(config).into_iter();
                registered.map(|pair| Target::Process(pair.1)).chain([Target::Bad]).collect()
            }
            // `{Name, Node}`: there is one node.
            Term::Tuple(parts) if parts.len() == 2 => match self.evaluator.terms.as_atom(parts[0]) {
                Some(name) => match self.whereis(config, name) {
                    Some(pid) => vec![Target::Process(pid)],
                    None => vec![Target::Lost],
                },
                None => vec![Target::Bad],
            },
            _ => vec![Target::Bad],
        }
    }

    fn send(&mut self, caller: &Caller<'_>, to: Value, message: Value, found: &mut EnabledSteps) {
        for target in self.targets(caller.config, to) {
            match target {
                Target::Process(to) => {
                    let mut next = caller.config.clone();
                    let signal = Signal { from: caller.pid, to, kind: SignalKind::Message, value: message };
                    match self.signal(&mut next, signal) {
                        Ok(()) => self.give(caller, &next, message, found),
                        Err(MailboxFull) => self.cut_at(caller, CutKind::Mailbox, found),
                    }
                }
                Target::Lost => self.give(caller, caller.config, message, found),
                Target::Bad => self.fail(caller, atom::BADARG, found),
            }
        }
    }

    fn cut_at(&mut self, caller: &Caller<'_>, kind: CutKind, found: &mut EnabledSteps) {
        let node = self.evaluator.control_node(caller.control);
        self.cut(kind, node, caller.pid, found);
    }

    fn spawn_named(&mut self, caller: &Caller<'_>, ties: Ties, values: &[Value], found: &mut EnabledSteps) {
        let terms = &mut self.evaluator.terms;
        let names = (terms.as_atom(values[0]), terms.as_atom(values[1]));
        match (names, terms.list_elements(values[2])) {
            ((Some(module), Some(name)), Some(arguments)) => {
                let arity = arguments.len() as u32;
                let fun = terms.intern(Term::External { module, name, arity });
                self.spawn(caller, ties, fun, values[2], found);
            }
            _ if values.iter().any(|value| terms.is_abstract(*value)) => {
                self.cut_at(caller, CutKind::UnknownFun, found);
            }
            _ => self.fail(caller, atom::BADARG, found),
        }
    }

    /// `spawn_opt(Fun, Options)`, `spawn_opt(M, F, Args, Options)`: options of memory and priority change
    /// nothing here.
    fn spawn_with_options(&mut self, caller: &Caller<'_>, values: &[Value], found: &mut EnabledSteps) {
        let terms = &self.evaluator.terms;
        let (options, callee) = values.split_last().expect("options come last");
        let mut ties = Ties::default();
        if terms.is_abstract(*options) {
            return self.cut_at(caller, CutKind::UnknownArgument, found);
        }
        let Some(options) = terms.list_elements(*options) else {
            return self.fail(caller, atom::BADARG, found);
        };
        for option in options {
            let is_pair = matches!(terms.get(option), Term::Tuple(parts) if parts.len() == 2);
            let name = match terms.get(option) {
                Term::Tuple(parts) if is_pair => terms.as_atom(parts[0]),
                _ => terms.as_atom(option),
            };
            match (name.map(|name| terms.name(name)), is_pair) {
                (Some("link"), false) => ties.is_linked = true,
                (Some("monitor"), false) => ties.is_monitored = true,
                (Some("monitor"), true) => return self.cut_at(caller, CutKind::Unsupported, found),
                (Some(name), true) if SPAWN_OPTIONS.contains(&name) => {}
                _ => return self.fail(caller, atom::BADARG, found),
            }
        }
        match callee {
            [fun] => {
                let nil = self.evaluator.terms.intern(Term::Nil);
                self.spawn(caller, ties, *fun, nil, found);
            }
            _ => self.spawn_named(caller, ties, callee, found),
        }
    }

    fn spawn(
        &mut self,
        caller: &Caller<'_>,
        ties: Ties,
        fun: Value,
        arguments: Value,
        found: &mut EnabledSteps,
    ) {
        let Some(child) = self.free_pid(caller.config) else {
            return self.cut_at(caller, CutKind::Processes, found);
        };
        if !self.watched.admits(child) {
            return self.cut_at(caller, CutKind::NewPid, found);
        }
        let child_value = self.evaluator.terms.pid(child);
        let values = [child_value];
        let action = self.action(
            Some(caller.pid),
            TransitionKind::Spawn,
            self.evaluator.control_node(caller.control),
            &values,
        );
        for control in &*self.evaluator.start(child, fun, arguments) {
            self.note_start(*control);
            let mut next = caller.config.clone();
            self.take_pid(&mut next, child);
            let mailbox = self.intern_mailbox(&[]);
            let relations = self.intern_relations(&super::config::Relations::default());
            self.insert(&mut next, Process { pid: child, control: *control, mailbox, relations });
            let mut result = child_value;
            if ties.is_linked {
                self.relate(&mut next, child, |relations| relations.links |= caller.pid.bit());
                self.relate(&mut next, caller.pid, |relations| relations.links |= child.bit());
            }
            if ties.is_monitored {
                let reference = self.new_reference(&next, caller.pid, &[]);
                self.relate(&mut next, child, |relations| relations.monitors.push((caller.pid, reference)));
                result = self.tuple(&[child_value, reference]);
            }
            // The child may begin with a new reference of its own.
            let mut begun = EnabledSteps::default();
            self.go_on(&next, child, &[*control], action, &mut begun);
            let controls = self.evaluator.resume(caller.pid, caller.control, result);
            for (_, next) in begun.steps {
                self.go_on(&next, caller.pid, &controls, action, found);
            }
        }
    }

    fn link(&mut self, caller: &Caller<'_>, other: Value, found: &mut EnabledSteps) {
        let pid = caller.pid;
        match self.evaluator.terms.as_pid(other) {
            Some(other) if other == pid => self.give_atom(caller, caller.config, atom::TRUE, found),
            Some(other) if self.position(caller.config, other).is_some() => {
                let mut next = caller.config.clone();
                self.relate(&mut next, pid, |relations| relations.links |= other.bit());
                self.relate(&mut next, other, |relations| relations.links |= pid.bit());
                self.give_atom(caller, &next, atom::TRUE, found);
            }
            Some(_) => self.link_to_none(caller, other, found),
            None => {
                if self.is_unknown(other) {
                    self.link_to_none(caller, other, found);
                }
                self.fail(caller, atom::BADARG, found);
            }
        }
    }

    /// A link to a process that has ended.
    fn link_to_none(&mut self, caller: &Caller<'_>, other: Value, found: &mut EnabledSteps) {
        let process = self.process_of(caller.config, caller.pid).expect("a live process");
        if !self.relations_of(process.relations).traps_exits {
            return self.fail(caller, atom::NOPROC, found);
        }
        let terms = &mut self.evaluator.terms;
        let (tag, reason) = (terms.atom_value(atom::EXIT_SIGNAL), terms.atom_value(atom::NOPROC));
        let message = self.tuple(&[tag, other, reason]);
        self.deliver_and_give(caller, message, atom::TRUE, found);
    }

    /// Puts a message into the caller's own mailbox.
    fn deliver_and_give(
        &mut self,
        caller: &Caller<'_>,
        message: Value,
        result: Atom,
        found: &mut EnabledSteps,
    ) {
        let mut next = caller.config.clone();
        let signal = Signal { from: caller.pid, to: caller.pid, kind: SignalKind::Message, value: message };
        match self.arrive(&mut next, signal) {
            Ok(()) => self.give_atom(caller, &next, result, found),
            Err(MailboxFull) => self.cut_at(caller, CutKind::Mailbox, found),
        }
    }

    /// `monitor(process, P, [{alias, demonitor}])`
    fn monitor_with_options(
        &mut self,
        caller: &Caller<'_>,
        object: Value,
        options: Value,
        found: &mut EnabledSteps,
    ) {
        let terms = &mut self.evaluator.terms;
        let (alias, demonitor) = (terms.atom("alias"), terms.atom("demonitor"));
        let known = [terms.atom_value(alias), terms.atom_value(demonitor)];
        let known = terms.tuple(&known);
        match terms.list_elements(options).as_deref() {
            Some([]) => self.monitor(caller, object, false, found),
            Some([option]) if *option == known => self.monitor(caller, object, true, found),
            _ => self.cut_at(caller, CutKind::Unsupported, found),
        }
    }

    fn monitor(&mut self, caller: &Caller<'_>, object: Value, is_alias: bool, found: &mut EnabledSteps) {
        for target in self.targets(caller.config, object) {
            let mut next = caller.config.clone();
            let reference = self.new_reference(&next, caller.pid, &[]);
            let is_name = self.evaluator.terms.as_atom(object).is_some();
            if is_alias {
                self.relate(&mut next, caller.pid, |relations| relations.aliases.push(reference));
            }
            match target {
                Target::Process(other) => {
                    self.relate(&mut next, other, |relations| {
                        relations.monitors.push((caller.pid, reference));
                    });
                    self.give(caller, &next, reference, found);
                }
                Target::Bad if !is_name => self.fail(caller, atom::BADARG, found),
                Target::Lost | Target::Bad => {
                    let noproc = self.evaluator.terms.atom_value(atom::NOPROC);
                    let object = self.monitored_object(object);
                    let message = self.down_message(reference, object, noproc);
                    let kind = SignalKind::Message;
                    let signal = Signal { from: caller.pid, to: caller.pid, kind, value: message };
                    match self.arrive(&mut next, signal) {
                        Ok(()) => self.give(caller, &next, reference, found),
                        Err(MailboxFull) => self.cut_at(caller, CutKind::Mailbox, found),
                    }
                }
            }
        }
    }

    /// A process that was monitored by its name is called `{Name, Node}`.
    fn monitored_object(&mut self, object: Value) -> Value {
        if self.evaluator.terms.as_atom(object).is_none() {
            return object;
        }
        let node = self.evaluator.terms.atom("nonode@nohost");
        let node = self.evaluator.terms.atom_value(node);
        self.tuple(&[object, node])
    }

    fn demonitor(&mut self, caller: &Caller<'_>, reference: Value, flushes: bool, found: &mut EnabledSteps) {
        if !matches!(self.evaluator.terms.get(reference), Term::Ref { .. }) {
            return self.give_or_fail(caller, reference, atom::TRUE, found);
        }
        let mut next = caller.config.clone();
        for other in Pid::of(self.live_pids(&next)) {
            let process = self.process_of(&next, other).expect("a live process");
            let is_monitor = |monitor: &(Pid, Value)| *monitor == (caller.pid, reference);
            if self.relations_of(process.relations).monitors.iter().any(is_monitor) {
                self.relate(&mut next, other, |relations| {
                    relations.monitors.retain(|monitor| !is_monitor(monitor));
                });
            }
        }
        self.relate(&mut next, caller.pid, |relations| relations.aliases.retain(|alias| *alias != reference));
        let is_down = |this: &Self, message: Value| match this.evaluator.terms.get(message) {
            Term::Tuple(parts) => {
                parts.len() == 5
                    && parts[1] == reference
                    && this.evaluator.terms.as_atom(parts[0]) == Some(atom::DOWN)
            }
            _ => false,
        };
        let signals = self.signals_of(&next);
        if signals.iter().any(|signal| signal.to == caller.pid && is_down(self, signal.value)) {
            let rest = signals.into_iter();
            let rest =
                rest.filter(|signal| signal.to != caller.pid || !is_down(self, signal.value)).collect();
            self.set_signals(&mut next, rest);
        }
        if flushes {
            let process = self.process_of(&next, caller.pid).expect("a live process");
            let messages = self.mailboxes.get(process.mailbox).to_vec();
            let rest: Vec<u32> =
                messages.iter().copied().filter(|message| !is_down(self, Value(*message))).collect();
            let mailbox = self.intern_mailbox(&rest);
            self.put(&mut next, Process { mailbox, ..process });
        }
        self.give_atom(caller, &next, atom::TRUE, found);
    }

    fn exit_process(&mut self, caller: &Caller<'_>, to: Value, reason: Value, found: &mut EnabledSteps) {
        for target in self.targets(caller.config, to) {
            let mut next = caller.config.clone();
            let Target::Process(to) = target else {
                match target {
                    Target::Bad => self.fail(caller, atom::BADARG, found),
                    _ => self.give_atom(caller, &next, atom::TRUE, found),
                }
                continue;
            };
            let signal = Signal { from: caller.pid, to, kind: SignalKind::Exit, value: reason };
            match self.signal(&mut next, signal) {
                // The process may have ended itself.
                Ok(()) if self.position(&next, caller.pid).is_none() => {
                    found.steps.push((caller.action, next));
                }
                Ok(()) => self.give_atom(caller, &next, atom::TRUE, found),
                Err(MailboxFull) => self.cut_at(caller, CutKind::Mailbox, found),
            }
        }
    }

    fn register(&mut self, caller: &Caller<'_>, name: Value, pid: Value, found: &mut EnabledSteps) {
        let names = (self.evaluator.terms.as_atom(name), self.evaluator.terms.as_pid(pid));
        let mut registered = self.registered(caller.config);
        match names {
            (Some(name), Some(pid))
                if name != atom::UNDEFINED
                    && self.position(caller.config, pid).is_some()
                    && !registered.iter().any(|pair| pair.0 == name || pair.1 == pid) =>
            {
                registered.push((name, pid));
                let mut next = caller.config.clone();
                self.set_registered(&mut next, registered);
                self.give_atom(caller, &next, atom::TRUE, found);
            }
            _ => self.fail(caller, atom::BADARG, found),
        }
    }

    fn unregister(&mut self, caller: &Caller<'_>, name: Value, found: &mut EnabledSteps) {
        let registered = self.registered(caller.config);
        let name = self.evaluator.terms.as_atom(name);
        if !registered.iter().any(|pair| Some(pair.0) == name) {
            return self.fail(caller, atom::BADARG, found);
        }
        let mut next = caller.config.clone();
        self.set_registered(&mut next, registered.into_iter().filter(|pair| Some(pair.0) != name).collect());
        self.give_atom(caller, &next, atom::TRUE, found);
    }

    fn process_flag(&mut self, caller: &Caller<'_>, flag: Value, value: Value, found: &mut EnabledSteps) {
        let terms = &self.evaluator.terms;
        let setting = match (terms.as_atom(flag), terms.as_atom(value)) {
            (Some(atom::TRAP_EXIT), Some(atom::TRUE)) => true,
            (Some(atom::TRAP_EXIT), Some(atom::FALSE)) => false,
            _ => return self.fail(caller, atom::BADARG, found),
        };
        let process = self.process_of(caller.config, caller.pid).expect("a live process");
        let before = self.relations_of(process.relations).traps_exits;
        let mut next = caller.config.clone();
        self.relate(&mut next, caller.pid, |relations| relations.traps_exits = setting);
        self.give_atom(caller, &next, if before { atom::TRUE } else { atom::FALSE }, found);
    }

    /// `send_after(Time, To, Message)`, `start_timer(Time, To, Message)`
    fn start_timer(&mut self, caller: &Caller<'_>, bif: Bif, values: &[Value], found: &mut EnabledSteps) {
        let is_long = match self.expiry(values[0]) {
            Expiry::Never => return self.fail(caller, atom::BADARG, found),
            Expiry::Long => true,
            Expiry::Now | Expiry::Short | Expiry::Unknown => false,
        };
        if self.is_unknown(values[0]) {
            self.fail(caller, atom::BADARG, found);
        }
        let mut next = caller.config.clone();
        let reference = self.new_reference(&next, caller.pid, &[]);
        let message = if bif == Bif::StartTimer {
            let tag = self.evaluator.terms.atom_value(atom::TIMEOUT);
            self.tuple(&[tag, reference, values[2]])
        } else {
            values[2]
        };
        let mut timers = self.timers_of(&next);
        timers.push(Timer { reference, to: values[1], message, is_long, maker: caller.pid });
        self.set_timers(&mut next, timers);
        self.give(caller, &next, reference, found);
    }

    /// The time that was left is not known; 0 stands for it.
    fn cancel_timer(&mut self, caller: &Caller<'_>, reference: Value, found: &mut EnabledSteps) {
        if !matches!(self.evaluator.terms.get(reference), Term::Ref { .. }) {
            return self.give_or_fail(caller, reference, atom::FALSE, found);
        }
        let timers = self.timers_of(caller.config);
        if !timers.iter().any(|timer| timer.reference == reference) {
            return self.give_atom(caller, caller.config, atom::FALSE, found);
        }
        let mut next = caller.config.clone();
        self.set_timers(&mut next, timers.into_iter().filter(|timer| timer.reference != reference).collect());
        let zero = self.evaluator.terms.integer(0);
        self.give(caller, &next, zero, found);
    }
}
