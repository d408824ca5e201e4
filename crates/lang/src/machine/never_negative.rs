//! Variables and fields of messages that are never negative, and never null.
//!
//! They are so at first, and all that is assigned to them is a sum, a product, a quotient or a remainder of
//! such values. That holds for counters, too, which have no bound: `n % 3` of a counter has three values.
//! It is the sign domain of Cousot and Cousot 1977, without regard to where a process is.
//!
//! Promise: no run of the program gives such a variable or field a value below 0, or null.

use crate::flow_graph::{Cell, Effect, FlowGraphs, Operator, Pattern, Term};

/// The most passes over the program; if values still change then, nothing is known.
const MAX_PASSES: usize = 64;

/// Which variables and fields are never negative.
#[derive(Clone, Debug)]
pub(super) struct NeverNegative {
    variables: Vec<bool>,
    /// By channel and field; all channels of an array together.
    channels: Vec<Vec<bool>>,
}

impl NeverNegative {
    /// The largest sets that are closed under the program's steps.
    pub(super) fn new(program: &FlowGraphs) -> NeverNegative {
        let is_natural = |cell: Cell| matches!(cell, Cell::Int(0..));
        let initial = program.variables.iter().map(|variable| {
            (0..variable.length.unwrap_or(1)).all(|index| is_natural(variable.initial_of(index)))
        });
        let channels = program.channels.iter().map(|channel| vec![true; channel.fields.len()]);
        let mut known = NeverNegative { variables: initial.collect(), channels: channels.collect() };
        for _ in 0..MAX_PASSES {
            if !known.pass(program) {
                return known;
            }
        }
        known.variables.fill(false);
        known
    }

    /// Is the value of the term never negative, faults aside?
    pub(super) fn term(&self, term: &Term) -> bool {
        match term {
            Term::Int(value) | Term::Name(_, value) => *value >= 0,
            Term::Truth(_) | Term::Not(_) => true,
            Term::Null | Term::Negative(_) => false,
            Term::Var(var) | Term::Element(var, _) => self.variables[var.0 as usize],
            Term::Binary(operator, ..) if operator.is_test() => true,
            Term::Binary(Operator::Subtract, ..) => false,
            Term::Binary(_, left, right) => self.term(left) && self.term(right),
        }
    }

    /// Looks at every step once; true if a variable or a field is found to be negative.
    fn pass(&mut self, program: &FlowGraphs) -> bool {
        let mut changed = false;
        for edge in program.graphs.iter().flat_map(|graph| &graph.nodes).flat_map(|node| &node.edges) {
            match &edge.effect {
                Effect::Assign(target, value) => {
                    let holds = self.term(value);
                    changed |= restrict(&mut self.variables[target.variable().0 as usize], holds);
                }
                Effect::AssignAll(parts) => {
                    for (target, value) in parts {
                        let holds = self.term(value);
                        changed |= restrict(&mut self.variables[target.variable().0 as usize], holds);
                    }
                }
                Effect::Send(place, values) => {
                    for (field, value) in values.iter().enumerate() {
                        let holds = self.term(value);
                        changed |= restrict(&mut self.channels[place.channel.0 as usize][field], holds);
                    }
                }
                Effect::Receive(place, patterns) => {
                    let fields = &self.channels[place.channel.0 as usize];
                    for (holds, var) in fields.iter().zip(patterns.iter().map(Pattern::variable)) {
                        if let Some(var) = var {
                            changed |= restrict(&mut self.variables[var.0 as usize], *holds);
                        }
                    }
                }
                Effect::Nothing | Effect::Assert(_) | Effect::Print(_) | Effect::Atomic(..) => {}
            }
        }
        changed
    }
}

/// Takes the property away unless it holds; true if it was there before.
fn restrict(known: &mut bool, holds: bool) -> bool {
    let changed = *known && !holds;
    *known &= holds;
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_ltl::source::Source;

    /// Is the first variable never negative?
    #[track_caller]
    fn check(text: &str, expected: bool) {
        let (program, diagnostics) = crate::parallel::parse(&Source::new("t.par", text));
        let program = program.unwrap_or_else(|| panic!("{diagnostics:?}"));
        assert_eq!(NeverNegative::new(&program.flow_graphs).variables[0], expected, "{text}");
    }

    #[test]
    fn sums_and_remainders_of_natural_numbers_are_never_negative() {
        check("memory x = 0; process 1: repeat x := (x + 1) * 2 % 7 forever", true);
        check("memory x = 0, a[2] = {3, 4}; process 1: x := a[1] / 2", true);
        check("memory x = 1, y = 0; process 1: x := y process 2: y := x", true);
        check("memory x = 1, y = 0; channel c[1]; process 1: send c, y process 2: receive c, x", true);
    }

    #[test]
    fn differences_null_and_what_depends_on_them_can_be_negative() {
        check("memory x; process 1: x := 1", false);
        check("memory x = -1; process 1: x := 1", false);
        check("memory x = 1; process 1: x := x - 1", false);
        check("memory x = 1; process 1: x := null", false);
        check("memory x = 0, a[2] = {3, -4}; process 1: x := a[1]", false);
        check("memory x = 1, y = 0; process 1: x := y + 1 process 2: y := -y", false);
        check("memory x = 1, y = 0; channel c[1]; process 1: send c, 0 - y process 2: receive c, x", false);
    }
}
