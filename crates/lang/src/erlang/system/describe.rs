//! Steps and states for readers.

use super::config::{CHANNELS, HEADER, KILLS, TIMERS};
use super::signals::Signal;
use super::{Action, Core, CutKind, NO_PROCESS};
use crate::erlang::code::bif::Bif;
use crate::erlang::code::{Node, NodeId};
use crate::erlang::evaluate::{Control, ControlKind};
use crate::erlang::intern::Id;
use crate::erlang::term::{Pid, Value};
use selvedge_ltl::source::Span;
use selvedge_model::ltl::MAX_FAIR_PROCESSES;
use selvedge_model::system::Cut;

/// What a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TransitionKind {
    Prop,
    LeaveProp,
    Local,
    Diverge,
    End,
    Crash,
    Receive,
    Timeout,
    Spawn,
    Timer,
    Deliver,
    Kill,
    Stutter,
    Call(Bif),
}

/// All kinds but calls, in the order of their numbers.
const KINDS: [TransitionKind; 13] = [
    TransitionKind::Prop,
    TransitionKind::LeaveProp,
    TransitionKind::Local,
    TransitionKind::Diverge,
    TransitionKind::End,
    TransitionKind::Crash,
    TransitionKind::Receive,
    TransitionKind::Timeout,
    TransitionKind::Spawn,
    TransitionKind::Timer,
    TransitionKind::Deliver,
    TransitionKind::Kill,
    TransitionKind::Stutter,
];

/// Numbers from here on are calls.
const FIRST_CALL: u32 = 32;

impl Core {
    /// The action of a step: `[kind, node, values…]`.
    pub(super) fn action(
        &mut self,
        mover: Option<Pid>,
        kind: TransitionKind,
        node: NodeId,
        values: &[Value],
    ) -> Action {
        let number = match kind {
            TransitionKind::Call(bif) => FIRST_CALL + bif as u32,
            _ => KINDS.iter().position(|other| *other == kind).expect("a kind") as u32,
        };
        let mut words = vec![number, node];
        words.extend(values.iter().map(|value| value.0));
        let transition = self.transitions.intern(&words, || 0);
        Action { transition, mover: mover.map_or(NO_PROCESS, |pid| u16::from(pid.0)) }
    }

    /// The delivery of a signal. Its channel is as fair as a process, with a number of its own; `None` if
    /// there are too many for fairness.
    pub(super) fn channel_action(&mut self, signal: Signal, values: &[Value]) -> Option<Action> {
        let action = self.action(None, TransitionKind::Deliver, 0, values);
        let count = self.options.max_processes;
        let number = match self.options.is_fair {
            true => self.fair_channel(signal.from, signal.to)?,
            false => count + usize::from(signal.from.0) * count + usize::from(signal.to.0),
        };
        Some(Action { mover: number as u16, ..action })
    }

    /// The number of a channel, from the last one down as channels come to be used; pids count up.
    fn fair_channel(&mut self, from: Pid, to: Pid) -> Option<usize> {
        let known = self.fair_channels.iter().position(|channel| *channel == (from, to));
        let place = known.unwrap_or(self.fair_channels.len());
        let number = MAX_FAIR_PROCESSES.checked_sub(place + 1)?;
        if known.is_none() {
            if number <= usize::from(self.highest_pid.0) {
                return None;
            }
            self.fair_channels.push((from, to));
        }
        Some(number)
    }

    /// `@1`, or `@1 to @2` for a channel.
    pub(super) fn mover_name(&self, number: usize) -> String {
        if self.options.is_fair {
            let place = MAX_FAIR_PROCESSES.checked_sub(number + 1);
            return match place.and_then(|place| self.fair_channels.get(place)) {
                Some((from, to)) => format!("@{} to @{}", from.0, to.0),
                None => format!("@{number}"),
            };
        }
        let count = self.options.max_processes;
        match number.checked_sub(count) {
            Some(channel) => format!("@{} to @{}", channel / count, channel % count),
            None => format!("@{number}"),
        }
    }

    pub(super) fn transition(&self, action: Action) -> (TransitionKind, NodeId, Vec<Value>) {
        let words = self.transitions.get(action.transition);
        let kind = match words[0].checked_sub(FIRST_CALL) {
            Some(bif) => TransitionKind::Call(Bif::from_number(bif)),
            None => KINDS[words[0] as usize],
        };
        (kind, words[1], words[2..].iter().map(|word| Value(*word)).collect())
    }

    pub(super) fn text(&self, value: Value) -> String {
        self.evaluator.terms.show(value, &self.evaluator.domain)
    }

    pub(super) fn describe(&self, action: Action) -> String {
        let (kind, _, values) = self.transition(action);
        let texts: Vec<String> = values.iter().map(|value| self.text(*value)).collect();
        match kind {
            TransitionKind::Prop => format!("prop({})", texts[0]),
            TransitionKind::LeaveProp => format!("goes on from prop({})", texts[0]),
            TransitionKind::Local => "evaluates".to_owned(),
            TransitionKind::Diverge => "evaluates for ever".to_owned(),
            TransitionKind::End => format!("ends: {}", texts[0]),
            TransitionKind::Crash => format!("crashes: {}", texts[0]),
            TransitionKind::Receive => format!("receives {}", texts[0]),
            TransitionKind::Timeout => format!("times out after {} ms", texts[0]),
            TransitionKind::Spawn => format!("spawns {}", texts[0]),
            TransitionKind::Timer => format!("a timer sends {} ! {}", texts[0], texts[1]),
            TransitionKind::Deliver => format!("{} arrives", texts[2]),
            TransitionKind::Kill => format!("{} is killed", texts[0]),
            TransitionKind::Stutter => "no process moves".to_owned(),
            TransitionKind::Call(Bif::Send | Bif::SendFunction) => format!("{} ! {}", texts[0], texts[1]),
            TransitionKind::Call(bif) => format!("{}({})", bif.name(), texts.join(", ")),
        }
    }

    pub(super) fn crash(&self, action: Action) -> Option<String> {
        let (kind, node, values) = self.transition(action);
        if kind != TransitionKind::Crash {
            return None;
        }
        let place = self.place_of(node).map_or(String::new(), |(file, line)| match file {
            Some(file) => format!(", raised at {file}:{line}"),
            None => format!(", raised in line {line}"),
        });
        Some(format!("@{} crashes with {}{place}", action.mover, self.text(values[0])))
    }

    /// The file, if it is another than the program's own, and the line of a step.
    pub(super) fn place(&self, action: Action) -> Option<(Option<String>, usize)> {
        let (_, node, _) = self.transition(action);
        self.place_of(node)
    }

    fn place_of(&self, node: NodeId) -> Option<(Option<String>, usize)> {
        if node == 0 || node as usize >= self.evaluator.code.spans.len() {
            return None;
        }
        Some(self.place_of_span(self.evaluator.code.spans[node as usize]))
    }

    fn place_of_span(&self, span: Span) -> (Option<String>, usize) {
        let position = self.sources.position(span);
        let main = self.sources.files().next().map(|source| source.name.as_str());
        ((main != Some(position.file)).then(|| position.file.to_owned()), position.line)
    }

    pub(super) fn cut_text(&self) -> Option<Cut> {
        let (kind, node) = self.first_cut?;
        let options = &self.options;
        let (bound, text) = match kind {
            CutKind::Stack => {
                let most = self.evaluator.limits.stack;
                ("stack", format!("a process would have more than {most} frames"))
            }
            CutKind::Local => {
                let most = self.evaluator.limits.local;
                (
                    "local",
                    format!("a process evaluates more than {most} steps without one that others can see"),
                )
            }
            CutKind::Mailbox => {
                ("mailbox", format!("a mailbox would have more than {} messages", options.max_mailbox))
            }
            CutKind::Processes => {
                ("processes", format!("there would be more than {} processes", options.max_processes))
            }
            CutKind::Channels => {
                let text = format!(
                    "there would be more than {MAX_FAIR_PROCESSES} processes and channels, for which fairness is kept"
                );
                ("processes", text)
            }
            CutKind::Unsupported => {
                let what = match self.evaluator.code.node(node) {
                    Node::Unsupported(what) => what,
                    _ => "this call",
                };
                ("support", format!("{what} is not supported"))
            }
            CutKind::UnknownFun => {
                ("domain", "the called function is not known under this domain".to_owned())
            }
            CutKind::UnknownArgument => {
                ("domain", "an argument of this call is not known under this domain".to_owned())
            }
            CutKind::NewPid => {
                ("processes", "the quantifiers of the formula do not range over this process".to_owned())
            }
        };
        let (file, line) = self.place_of(node).map_or((None, None), |(file, line)| (file, Some(line)));
        Some(Cut { bound, file, line, text })
    }

    /// Each process with what it is about to do; with mailboxes and variables if all is wanted.
    pub(super) fn show(&self, config: &[u32], wants_all: bool) -> Vec<(String, String)> {
        let mut shown: Vec<(String, String)> = config[HEADER..]
            .iter()
            .map(|id| {
                let process = self.process(*id);
                let mut text = self.control_text(process.control, wants_all);
                let messages = self.mailboxes.get(process.mailbox);
                if !messages.is_empty() {
                    let messages: Vec<String> = messages.iter().map(|word| self.text(Value(*word))).collect();
                    text += &format!(", mailbox [{}]", messages.join(", "));
                }
                (Core::pid_name(process.pid), text)
            })
            .collect();
        for (name, pid) in self.registered(config) {
            shown.push((self.evaluator.terms.quoted(name), Core::pid_name(pid)));
        }
        if !self.timers.get(config[TIMERS]).is_empty() {
            let timers = self.timers_of(config).into_iter();
            let timers =
                timers.map(|timer| format!("{} ! {}", self.text(timer.to), self.text(timer.message)));
            shown.push(("timers".to_owned(), timers.collect::<Vec<_>>().join(", ")));
        }
        if !self.channels.get(config[CHANNELS]).is_empty() {
            let signals = self.signals_of(config).into_iter();
            let signals = signals.map(|s| format!("@{} to @{}: {}", s.from.0, s.to.0, self.text(s.value)));
            shown.push(("on the way".to_owned(), signals.collect::<Vec<_>>().join(", ")));
        }
        if self.options.kills > 0 {
            shown.push(("killed".to_owned(), config[KILLS].to_string()));
        }
        shown
    }

    /// What a process is about to do.
    fn control_text(&self, control: Control, wants_all: bool) -> String {
        let node = self.evaluator.control_node(control);
        let payload = || self.evaluator.payload(control);
        let text = match self.evaluator.kind(control) {
            ControlKind::BeforeProp => format!("before prop({})", self.text(payload()[0])),
            ControlKind::AtProp => format!("prop({})", self.text(payload()[0])),
            ControlKind::Receive => "receive".to_owned() + &self.bindings(control, wants_all),
            ControlKind::End => format!("ends: {}", self.text(payload()[1])),
            ControlKind::Diverge => "evaluates for ever".to_owned(),
            ControlKind::Cut => "beyond a bound".to_owned(),
            ControlKind::Local => return "evaluates".to_owned(),
            ControlKind::Visible(bif) => {
                let values: Vec<String> = payload().iter().map(|value| self.text(*value)).collect();
                match bif {
                    Bif::Send | Bif::SendFunction => format!("{} ! {}", values[0], values[1]),
                    _ => format!("{}({})", bif.name(), values.join(", ")),
                }
            }
        };
        match self.place_of(node) {
            Some((None, line)) => format!("{text} (line {line})"),
            Some((Some(file), line)) => format!("{text} ({file}:{line})"),
            None => text,
        }
    }

    /// The variables that are live in a `receive`.
    fn bindings(&self, control: Control, wants_all: bool) -> String {
        if !wants_all {
            return String::new();
        }
        let values = self.evaluator.payload(control);
        let names = self.evaluator.receive_variables(self.evaluator.control_node(control));
        let bound = names.iter().zip(&values[1..]);
        let bound = bound.filter(|(name, value)| name.is_some() && **value != Value::DEAD);
        let texts: Vec<String> = bound
            .map(|(name, value)| format!("{} = {}", name.as_deref().unwrap_or(""), self.text(*value)))
            .collect();
        if texts.is_empty() { String::new() } else { format!(" with {}", texts.join(", ")) }
    }

    pub(super) fn waiting_text(&self, id: Id) -> (String, String) {
        let process = self.process(id);
        (Core::pid_name(process.pid), self.control_text(process.control, false))
    }

    /// The processes that are blocked.
    pub(super) fn waiting(&self, config: &[u32]) -> Vec<(String, String)> {
        let is_waiting = |id: &&Id| self.evaluator.kind(self.process(**id).control) == ControlKind::Receive;
        config[HEADER..].iter().filter(is_waiting).map(|id| self.waiting_text(*id)).collect()
    }
}
