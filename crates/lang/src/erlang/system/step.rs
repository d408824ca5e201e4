//! The steps of a configuration.
//!
//! Each process takes the step of its control, and evaluates locally up to the next one: local steps merge
//! into the visible step before them. `prop(v)` is two steps, so that v does not hold yet when its process
//! comes to it, and does not hold any more when it goes on.

use super::config::{Config, KILLS, Process};
use super::describe::TransitionKind;
use super::signals::{MailboxFull, Signal};
use super::{Action, Core, CutKind};
use crate::erlang::code::NodeId;
use crate::erlang::evaluate::{Bound, Control, ControlKind, Match};
use crate::erlang::intern::Pids;
use crate::erlang::term::{Pid, Term, Value, atom};

/// The steps of a configuration, and which processes certainly have one.
#[derive(Default)]
pub(super) struct EnabledSteps {
    pub(super) steps: Vec<(Action, Config)>,
    /// The processes that certainly have a step.
    pub(super) certain: Pids,
    /// The processes that have a step which a bound of the language cut off.
    pub(super) cut: Pids,
}

/// When a timeout expires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expiry {
    Never,
    /// As soon as no message matches.
    Now,
    /// At any time.
    Short,
    /// Where no process can move otherwise.
    Long,
    /// The timeout is not known.
    Unknown,
}

impl Core {
    /// All steps of a configuration.
    pub(super) fn steps(&mut self, config: &Config) -> EnabledSteps {
        let mut found = EnabledSteps::default();
        for index in super::config::HEADER..config.len() {
            let process = self.process(config[index]);
            self.process_steps(config, process, &mut found);
        }
        self.deliveries(config, &mut found);
        self.expire_timers(config, false, &mut found);
        self.kills(config, &mut found);
        let can_move = found.cut != 0 || !found.steps.is_empty();
        let may_be_stuck = !self.evaluator.is_exact() && found.certain == 0 && found.cut == 0;
        if !can_move || may_be_stuck {
            self.expire_long(config, &mut found);
        }
        // Every process may be blocked: the run may end here.
        if may_be_stuck && found.certain == 0 && !found.steps.is_empty() {
            let action = self.action(None, TransitionKind::Stutter, 0, &[]);
            found.steps.push((action, config.clone()));
        }
        found
    }

    fn process_steps(&mut self, config: &Config, process: Process, found: &mut EnabledSteps) {
        let Process { pid, control, .. } = process;
        let node = self.evaluator.control_node(control);
        let kind = self.evaluator.kind(control);
        if kind != ControlKind::Receive {
            found.certain |= pid.bit();
        }
        match kind {
            ControlKind::BeforeProp => {
                let value = self.evaluator.first_value(control);
                let next = self.evaluator.at_prop(control);
                let action = self.action(Some(pid), TransitionKind::Prop, node, &[value]);
                self.go_on(config, pid, &[next], action, found);
            }
            ControlKind::AtProp => {
                let value = self.evaluator.first_value(control);
                let next = self.evaluator.resume(pid, control, value);
                let action = self.action(Some(pid), TransitionKind::LeaveProp, node, &[value]);
                self.go_on(config, pid, &next, action, found);
            }
            ControlKind::Local => {
                let next = self.evaluator.step_locally(pid, control);
                let action = self.action(Some(pid), TransitionKind::Local, node, &[]);
                self.go_on(config, pid, &next, action, found);
            }
            ControlKind::Diverge => {
                let action = self.action(Some(pid), TransitionKind::Diverge, node, &[]);
                found.steps.push((action, config.clone()));
            }
            ControlKind::Cut => {
                let kind = match self.evaluator.bound(control) {
                    Bound::Stack => CutKind::Stack,
                    Bound::Local => CutKind::Local,
                    Bound::Unsupported => CutKind::Unsupported,
                    Bound::UnknownFun => CutKind::UnknownFun,
                };
                self.cut(kind, node, pid, found);
            }
            ControlKind::End => self.end_step(config, pid, control, found),
            ControlKind::Receive => self.receive_steps(config, process, found),
            ControlKind::Visible(bif) => self.visible_steps(config, process, bif, found),
        }
    }

    /// Notes that a bound of the language cut a step of a process off.
    pub(super) fn cut(&mut self, kind: CutKind, node: NodeId, pid: Pid, found: &mut EnabledSteps) {
        found.cut |= pid.bit();
        found.certain |= pid.bit();
        self.first_cut.get_or_insert((kind, node));
    }

    /// Adds a step after which the process is at one of these controls.
    pub(super) fn go_on(
        &mut self,
        config: &Config,
        pid: Pid,
        controls: &[Control],
        action: Action,
        found: &mut EnabledSteps,
    ) {
        for control in controls {
            self.settle(config.clone(), pid, *control, action, found);
        }
    }

    pub(super) fn end_step(&mut self, config: &Config, pid: Pid, control: Control, found: &mut EnabledSteps) {
        let payload = self.evaluator.payload(control);
        let class = self.evaluator.terms.as_atom(payload[0]).expect("a class");
        let reason = self.exit_reason(class, payload[1]);
        self.end_with(config, pid, control, reason, found);
        // An unknown reason may be `normal`, which links ignore.
        if self.is_unknown(reason) {
            let normal = self.evaluator.terms.atom_value(atom::NORMAL);
            self.end_with(config, pid, control, normal, found);
        }
    }

    fn end_with(
        &mut self,
        config: &Config,
        pid: Pid,
        control: Control,
        reason: Value,
        found: &mut EnabledSteps,
    ) {
        let kind = if self.is_normal(reason) { TransitionKind::End } else { TransitionKind::Crash };
        let node = self.evaluator.control_node(control);
        let action = self.action(Some(pid), kind, node, &[reason]);
        let mut next = config.clone();
        match self.end(&mut next, pid, reason) {
            Ok(()) => found.steps.push((action, next)),
            Err(MailboxFull) => self.cut(CutKind::Mailbox, 0, pid, found),
        }
    }

    pub(super) fn receive_steps(&mut self, config: &Config, process: Process, found: &mut EnabledSteps) {
        let Process { pid, control, mailbox, .. } = process;
        let node = self.evaluator.control_node(control);
        let messages = self.mailboxes.get(mailbox).to_vec();
        for (index, message) in messages.iter().enumerate() {
            let received = self.received(pid, control, Value(*message));
            if received.matched == Match::No {
                continue;
            }
            let mut next = config.clone();
            let mut rest = messages.clone();
            rest.remove(index);
            let rest = self.intern_mailbox(&rest);
            self.put(&mut next, Process { mailbox: rest, ..process });
            let action = self.action(Some(pid), TransitionKind::Receive, node, &[Value(*message)]);
            let controls = received.controls.clone();
            self.go_on(&next, pid, &controls, action, found);
            if received.matched == Match::Yes {
                found.certain |= pid.bit();
                return;
            }
        }
        match self.expiry(self.evaluator.first_value(control)) {
            // Whether or not a message matches, the process has a step.
            Expiry::Now | Expiry::Short => {
                found.certain |= pid.bit();
                self.time_out(config, process, found);
            }
            Expiry::Unknown => self.time_out(config, process, found),
            Expiry::Long => self.has_long_timeouts = true,
            Expiry::Never => {}
        }
    }

    /// When the timeout of a `receive` expires.
    pub(super) fn expiry(&self, timeout: Value) -> Expiry {
        match self.evaluator.terms.get(timeout) {
            Term::Atom(atom::INFINITY) => Expiry::Never,
            Term::Integer(time) => match u64::try_from(time) {
                Ok(0) => Expiry::Now,
                Ok(time) if time < self.options.long_timeout => Expiry::Short,
                _ => Expiry::Long,
            },
            _ => Expiry::Unknown,
        }
    }

    fn time_out(&mut self, config: &Config, process: Process, found: &mut EnabledSteps) {
        let node = self.evaluator.control_node(process.control);
        let timeout = self.evaluator.first_value(process.control);
        let next = self.evaluator.time_out(process.pid, process.control);
        let action = self.action(Some(process.pid), TransitionKind::Timeout, node, &[timeout]);
        self.go_on(config, process.pid, &next, action, found);
    }

    /// Long timeouts, where no process can move otherwise.
    fn expire_long(&mut self, config: &Config, found: &mut EnabledSteps) {
        for index in super::config::HEADER..config.len() {
            let process = self.process(config[index]);
            if self.evaluator.kind(process.control) == ControlKind::Receive
                && self.expiry(self.evaluator.first_value(process.control)) == Expiry::Long
            {
                found.certain |= process.pid.bit();
                self.time_out(config, process, found);
            }
        }
        self.expire_timers(config, true, found);
    }

    fn expire_timers(&mut self, config: &Config, is_long: bool, found: &mut EnabledSteps) {
        let timers = self.timers_of(config);
        for (index, timer) in timers.iter().enumerate() {
            if timer.is_long != is_long {
                continue;
            }
            let mut rest = timers.clone();
            rest.remove(index);
            let mut next = config.clone();
            self.set_timers(&mut next, rest);
            let to = match *self.evaluator.terms.get(timer.to) {
                Term::Pid(pid) => Some(pid),
                Term::Atom(name) => self.whereis(config, name),
                _ => None,
            };
            let action = self.action(Some(timer.maker), TransitionKind::Timer, 0, &[timer.to, timer.message]);
            if let Some(to) = to {
                let kind = super::signals::SignalKind::Message;
                let signal = Signal { from: timer.maker, to, kind, value: timer.message };
                if self.arrive(&mut next, signal).is_err() {
                    self.cut(CutKind::Mailbox, 0, timer.maker, found);
                    continue;
                }
            }
            found.certain |= timer.maker.bit();
            found.steps.push((action, next));
        }
    }

    /// With fifo delivery: the oldest signal of each channel arrives.
    fn deliveries(&mut self, config: &Config, found: &mut EnabledSteps) {
        let signals = self.signals_of(config);
        for (index, signal) in signals.iter().enumerate() {
            let is_oldest =
                index == 0 || (signals[index - 1].from, signals[index - 1].to) != (signal.from, signal.to);
            if !is_oldest {
                continue;
            }
            let mut rest = signals.clone();
            rest.remove(index);
            let mut next = config.clone();
            self.set_signals(&mut next, rest);
            let (from, to) = (self.evaluator.terms.pid(signal.from), self.evaluator.terms.pid(signal.to));
            let Some(action) = self.channel_action(*signal, &[from, to, signal.value]) else {
                self.cut(CutKind::Channels, 0, signal.to, found);
                continue;
            };
            match self.arrive(&mut next, *signal) {
                Ok(()) => found.steps.push((action, next)),
                Err(MailboxFull) => self.cut(CutKind::Mailbox, 0, signal.to, found),
            }
            found.certain |= action.mover_bit();
        }
    }

    /// With `--crashes`: any process may be killed, so many times in a run.
    fn kills(&mut self, config: &Config, found: &mut EnabledSteps) {
        if config[KILLS] >= self.options.kills {
            return;
        }
        for pid in Pid::of(self.live_pids(config)) {
            let mut next = config.clone();
            next[KILLS] += 1;
            let killed = self.evaluator.terms.atom_value(atom::KILLED);
            let killed_pid = self.evaluator.terms.pid(pid);
            let action = self.action(None, TransitionKind::Kill, 0, &[killed_pid]);
            if self.end(&mut next, pid, killed).is_ok() {
                found.steps.push((action, next));
            }
        }
    }
}
