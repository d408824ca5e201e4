//! Guards: expressions without steps, evaluated at once. An exception in a guard makes its alternative
//! false.

use super::Evaluator;
use super::bifs::Applied;
use crate::erlang::code::bif::Bif;
use crate::erlang::code::{Guard, Node, NodeId, Operation};
use crate::erlang::domain::Truth;
use crate::erlang::term::{Term, Value, atom};

impl Evaluator {
    /// Is one alternative true?
    pub(super) fn guard_truth(&mut self, guard: &Guard, environment: &[Value]) -> Truth {
        let mut all = Truth::False;
        for alternative in guard {
            let mut truth = Truth::True;
            for test in alternative {
                truth = truth.and(self.test(*test, environment));
                if truth == Truth::False {
                    break;
                }
            }
            all = all.or(truth);
            if all == Truth::True {
                break;
            }
        }
        all
    }

    fn test(&mut self, test: NodeId, environment: &[Value]) -> Truth {
        let values = self.guard_values(test, environment);
        let mut may = (false, false);
        for value in values {
            match value.map(|value| self.truths(value)) {
                Some(truths) => {
                    may.0 |= truths.contains(&Some(true));
                    may.1 |= truths.iter().any(|truth| *truth != Some(true));
                }
                None => may.1 = true,
            }
        }
        match may {
            (true, true) => Truth::Unknown,
            (is_true, _) => Truth::is(is_true),
        }
    }

    /// The values that a guard expression may have; `None` for an exception.
    pub(super) fn guard_values(&mut self, id: NodeId, environment: &[Value]) -> Vec<Option<Value>> {
        let code = self.code.clone();
        match code.node(id) {
            Node::Value(value) => vec![Some(self.abstraction(*value))],
            Node::Slot(slot) => vec![Some(environment[*slot as usize])],
            Node::AndAlso(first, second) => self.guard_choice(*first, (*second, false), environment),
            Node::OrElse(first, second) => self.guard_choice(*first, (*second, true), environment),
            Node::Apply(operation, arguments) => {
                let mut lists: Vec<Vec<Value>> = vec![Vec::new()];
                let mut results = Vec::new();
                for argument in arguments {
                    let values = self.guard_values(*argument, environment);
                    if values.contains(&None) {
                        results.push(None);
                    }
                    lists = lists
                        .iter()
                        .flat_map(|list| values.iter().flatten().map(|v| [&list[..], &[*v]].concat()))
                        .collect();
                }
                for list in lists {
                    results.extend(self.guard_apply(operation, &list));
                }
                results.sort_unstable();
                results.dedup();
                results
            }
            _ => vec![None],
        }
    }

    fn guard_apply(&mut self, operation: &Operation, arguments: &[Value]) -> Vec<Option<Value>> {
        let applied = match operation {
            Operation::Tuple => vec![Applied::Value(self.make_tuple(arguments))],
            Operation::Cons => vec![Applied::Value(self.cons(arguments[0], arguments[1]))],
            Operation::Map => self.make_map(arguments),
            Operation::RecordField { size, index } => self.record_field(arguments, *size, *index),
            Operation::ElementAt(index) => self.element_at(arguments[0], *index),
            Operation::Bif(Bif::SelfPid) => vec![Applied::Value(self.terms.pid(self.process))],
            Operation::Bif(bif) => self.bif(*bif, arguments),
            _ => return vec![None],
        };
        let value = |applied| if let Applied::Value(value) = applied { Some(value) } else { None };
        applied.into_iter().map(value).collect()
    }

    fn guard_choice(
        &mut self,
        first: NodeId,
        (second, is_or): (NodeId, bool),
        environment: &[Value],
    ) -> Vec<Option<Value>> {
        let mut results = Vec::new();
        for value in self.guard_values(first, environment) {
            let Some(value) = value else {
                results.push(None);
                continue;
            };
            for truth in self.truths(value) {
                match truth {
                    Some(truth) if truth != is_or => results.extend(self.guard_values(second, environment)),
                    Some(truth) => results.push(Some(self.terms.boolean(truth))),
                    None => results.push(None),
                }
            }
        }
        results.sort_unstable();
        results.dedup();
        results
    }

    /// A cons, as the domain can express it.
    pub(super) fn cons(&mut self, head: Value, tail: Value) -> Value {
        let cons = self.terms.intern(Term::Cons(head, tail));
        self.abstraction(cons)
    }

    /// The atom of a truth value.
    pub(super) fn truth_values(&mut self, truth: Truth) -> Vec<Applied> {
        let (yes, no) = (self.terms.atom_value(atom::TRUE), self.terms.atom_value(atom::FALSE));
        match truth {
            Truth::True => vec![Applied::Value(yes)],
            Truth::False => vec![Applied::Value(no)],
            Truth::Unknown => vec![Applied::Value(yes), Applied::Value(no)],
        }
    }
}
