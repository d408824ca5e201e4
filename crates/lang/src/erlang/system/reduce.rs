//! Partial-order reduction: a receive that nothing can disturb comes first.
//!
//! A process whose `receive` certainly takes a message that is already there, and that no exit signal can
//! reach, takes this message whatever other processes do first: they only add messages behind it. The
//! receive changes no proposition. So its steps alone stand for all steps of the state (an ample set;
//! Peled, All from one, one for all, 1993). The end of a process that no other knows of is such a step,
//! too. The condition on cycles is free: a cycle that receives also sends, one in which processes end
//! also spawns them, and sends and spawns never come first.

use super::Core;
use super::config::{Config, HEADER, KILLS};
use super::step::EnabledSteps;
use crate::erlang::code::bif::Bif;
use crate::erlang::code::{Node, Operation};
use crate::erlang::evaluate::{ControlKind, Match};
use crate::erlang::term::Value;

impl Core {
    /// The steps of one process if they stand for all, else all steps.
    pub(super) fn reduced_steps(&mut self, config: &Config) -> EnabledSteps {
        if config[KILLS] < self.options.kills || self.evaluator.counts_steps {
            return self.steps(config);
        }
        for index in HEADER..config.len() {
            let process = self.process(config[index]);
            if self.evaluator.kind(process.control) == ControlKind::End && self.ends_unseen(config, index) {
                let mut found = EnabledSteps::default();
                self.end_step(config, process.pid, process.control, &mut found);
                return found;
            }
            if self.evaluator.kind(process.control) != ControlKind::Receive
                || self.can_be_ended(process.relations)
            {
                continue;
            }
            // The first message that may match must certainly do so.
            let messages = self.mailboxes.get(process.mailbox).to_vec();
            let mut matches = messages
                .iter()
                .map(|message| self.received(process.pid, process.control, Value(*message)).matched);
            if matches.find(|matched| *matched != Match::No) == Some(Match::Yes) {
                let mut found = EnabledSteps::default();
                self.receive_steps(config, process, &mut found);
                return found;
            }
        }
        self.steps(config)
    }

    /// Is the process at its end one that no other process knows of, nor is linked to?
    fn ends_unseen(&self, config: &Config, index: usize) -> bool {
        let process = self.process(config[index]);
        let mut others = config.clone();
        others.remove(index);
        let relations = self.relations_of(process.relations);
        relations.links == 0
            && relations.monitors.is_empty()
            && self.mentioned_pids(&others) & process.pid.bit() == 0
    }

    /// Can an exit signal end the process, or change what is in front of the message?
    fn can_be_ended(&self, relations: u32) -> bool {
        self.relations_of(relations).links != 0 || self.has_exit_calls
    }

    /// Does the program call `exit/2`, or a function whose name is known at run time alone?
    pub(super) fn calls_exit(code: &crate::erlang::code::Code) -> bool {
        code.nodes.iter().any(|node| match node {
            Node::Apply(operation, _) => matches!(
                operation,
                Operation::Bif(Bif::ExitProcess) | Operation::CallNamed | Operation::ApplyNamed
            ),
            _ => false,
        })
    }
}
