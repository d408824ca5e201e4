//! `receive`: a message against its clauses, and its timeout.

use super::{Activation, Control, Evaluator, Focus, Match};
use crate::erlang::code::Node;
use crate::erlang::code::NodeId;
use crate::erlang::syntax::tree::Name;
use crate::erlang::term::{Pid, Value};
use std::sync::Arc;

impl Evaluator {
    /// The controls after a message is taken, and whether a clause matches it.
    pub(crate) fn receive(&mut self, pid: Pid, control: Control, message: Value) -> (Arc<[Control]>, Match) {
        let (environment, base) = self.waiting_environment(control);
        let code = self.code.clone();
        let Node::Receive { clauses, .. } = code.node(self.control_node(control)) else {
            unreachable!("the control of a receive")
        };
        self.process = pid;
        let (selected, matched) = self.receive_clauses(clauses, message, &environment);
        let activations = selected.into_iter().map(|(environment, focus)| Activation {
            pid,
            focus,
            environment,
            frames: Vec::new(),
            base,
            raised: 0,
        });
        let activations = activations.collect();
        (self.run_all(activations), matched)
    }

    /// The controls after the timeout has expired.
    pub(crate) fn time_out(&mut self, pid: Pid, control: Control) -> Arc<[Control]> {
        let (environment, base) = self.waiting_environment(control);
        let Node::Receive { after: Some(after), .. } = self.code.node(self.control_node(control)) else {
            unreachable!("the control of a receive with a timeout")
        };
        let focus = Focus::Evaluate(*after);
        self.run(Activation { pid, focus, environment, frames: Vec::new(), base, raised: 0 })
    }

    fn waiting_environment(&self, control: Control) -> (Vec<Value>, super::Stack) {
        let Node::Receive { timeout, .. } = self.code.node(self.control_node(control)) else {
            unreachable!("the control of a receive")
        };
        let values = self.payload(control);
        (self.restore(*timeout, &values[1..]), self.stack_of(control))
    }

    /// The names of the variables that the control of a `receive` keeps, in its order.
    pub(crate) fn receive_variables(&self, node: NodeId) -> Vec<Option<Name>> {
        let Node::Receive { timeout, .. } = self.code.node(node) else { return Vec::new() };
        let function = &self.code.functions[self.code.owners[node as usize] as usize];
        let slots = self.code.live_after[*timeout as usize].iter();
        slots.map(|slot| function.names.get(*slot as usize).cloned().flatten()).collect()
    }
}
