//! Propositions of states, and what a state without steps is.

use super::Core;
use super::config::{HEADER, REGISTRY};
use crate::erlang::evaluate::{ControlKind, Match};
use crate::erlang::intern::{Id, Pids};
use crate::erlang::term::{Pid, Value};
use selvedge_ltl::Letter;

impl Core {
    /// The propositions of all processes that are at a `prop`.
    pub(super) fn label(&self, state: Id) -> Letter {
        let (mut certain, mut possible) = (0, 0);
        for id in &self.states.get(state)[HEADER..] {
            let control = self.processes.get(*id)[1];
            if self.evaluator.kind(control) == ControlKind::AtProp {
                let (holds, may_hold) = self.evaluator.judged(self.evaluator.first_value(control));
                certain |= holds;
                possible |= may_hold;
            }
        }
        Letter::exactly(certain).forget(possible & !certain)
    }

    /// Does every process wait as it is meant to: without a message, in the `receive` that was its first
    /// action, or in a function that is declared a server?
    pub(super) fn is_idle(&self, config: &[u32]) -> bool {
        config[HEADER..].iter().all(|id| self.waits_as_meant(*id))
    }

    fn waits_as_meant(&self, id: Id) -> bool {
        let process = self.process(id);
        let control = process.control;
        let node = self.evaluator.control_node(control);
        self.evaluator.kind(control) == ControlKind::Receive
            && self.mailboxes.get(process.mailbox).is_empty()
            && (self.first_receives.contains(&node)
                || self.options.servers.contains(&self.evaluator.code.owners[node as usize]))
    }

    /// The processes that wait although others can move, and that no process can reach that moves, or
    /// that is reached by one: their pids are lost.
    pub(super) fn waits_for_ever(&mut self, config: &[u32]) -> Vec<(String, String)> {
        let config = config.to_vec();
        let blocked: Pids = config[HEADER..]
            .iter()
            .filter(|id| self.is_blocked(**id))
            .fold(0, |pids, id| pids | self.process(*id).pid.bit());
        let live = self.live_pids(&config);
        if blocked == 0 || blocked == live {
            return Vec::new();
        }
        let mut reached = (live & !blocked)
            | self.registries.pids(config[REGISTRY])
            | self.timers.pids(config[super::config::TIMERS])
            | self.channels.pids(config[super::config::CHANNELS]);
        loop {
            let mentioned = config[HEADER..]
                .iter()
                .filter(|id| reached & self.process(**id).pid.bit() != 0)
                .fold(reached, |pids, id| pids | self.processes.pids(*id));
            if mentioned == reached {
                break;
            }
            reached = mentioned;
        }
        let lost = blocked & !reached;
        let processes = config[HEADER..].iter().filter(|id| lost & self.process(**id).pid.bit() != 0);
        let processes = processes.filter(|id| !self.waits_as_meant(**id));
        processes.map(|id| self.waiting_text(*id)).collect()
    }

    /// Does the process wait for a message that is not there, without a timeout?
    fn is_blocked(&self, id: Id) -> bool {
        let process = self.process(id);
        if self.evaluator.kind(process.control) != ControlKind::Receive {
            return false;
        }
        let timeout = self.evaluator.first_value(process.control);
        let messages = self.mailboxes.get(process.mailbox);
        let is_known_not_to_match = |message: &u32| {
            let known = self.received.get(&(process.pid, process.control, Value(*message)));
            known.is_some_and(|received| received.matched == Match::No)
        };
        self.expiry(timeout) == super::step::Expiry::Never && messages.iter().all(is_known_not_to_match)
    }

    pub(super) fn pid_name(pid: Pid) -> String {
        format!("@{}", pid.0)
    }
}
