//! The parts of an automaton in which a run can be accepted: its accepting components.
//!
//! A cycle of the product goes round a component of the automaton, so only nodes whose automaton state is in
//! an accepting component can lie on an accepted cycle. A part is *weak* if each of its cycles has all
//! marks: then every cycle of the product in it is accepted (Bloem, Ravi and Somenzi, Efficient Decision
//! Procedures for Model Checking of Linear Time Logic Properties, CAV'99).
//!
//! Promise: nodes outside of the parts, and edges that leave a part or enter it, are on no accepted cycle.

use selvedge_ltl::buchi::{Components, Marks, SearchAutomaton};

/// For each state of an automaton, its part.
#[derive(Clone, Debug)]
pub(crate) struct AcceptingParts {
    of: Vec<Option<Part>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    component: u32,
    is_weak: bool,
}

impl AcceptingParts {
    pub(crate) fn new(automaton: &SearchAutomaton) -> AcceptingParts {
        let count = automaton.state_count();
        let edges = |state| automaton.edges(state).iter().map(|edge| (edge.target, edge.marks));
        let components = Components::new(count, [automaton.initial], edges);
        let all = selvedge_ltl::letter::mask(automaton.mark_count);
        let part = |component: u32| {
            let is_accepting = components.is_accepting(component, all);
            let is_weak = || {
                (0..automaton.mark_count)
                    .all(|mark| !has_cycle_without(automaton, &components, component, 1 << mark))
            };
            is_accepting.then(|| Part { component, is_weak: is_weak() })
        };
        let parts: Vec<Option<Part>> = (0..components.count() as u32).map(part).collect();
        let of = components.of.iter().map(|component| parts[(*component)? as usize]).collect();
        AcceptingParts { of }
    }

    /// Is the state in a part?
    pub(crate) fn has(&self, state: u32) -> bool {
        self.of[state as usize].is_some()
    }

    /// Is the state in a part that is not weak?
    pub(crate) fn has_strong(&self, state: u32) -> bool {
        self.of[state as usize].is_some_and(|part| !part.is_weak)
    }

    /// Do both states belong to the same part?
    #[inline]
    pub(crate) fn is_inner(&self, from: u32, to: u32) -> bool {
        self.of[from as usize].is_some() && self.of[from as usize] == self.of[to as usize]
    }
}

/// Has the component a cycle without an edge with this mark?
fn has_cycle_without(
    automaton: &SearchAutomaton,
    components: &Components,
    component: u32,
    mark: Marks,
) -> bool {
    let is_inside = |state: u32| components.of[state as usize] == Some(component);
    let count = automaton.state_count();
    let members = (0..count as u32).filter(|state| is_inside(*state));
    let rest = Components::new(count, members, |state| {
        let edges = automaton.edges(state).iter();
        edges.filter(|edge| is_inside(edge.target) && edge.marks & mark == 0).map(|edge| (edge.target, 0))
    });
    rest.marks.iter().any(Option::is_some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ltl::Negation;
    use selvedge_ltl::{Formula, Prop};

    /// For the negation of a formula: the numbers of states, of those in a part, and of those in a part that
    /// is not weak; and whether the initial state is in a part.
    #[track_caller]
    fn check(formula: &Formula<Prop>, expected: (usize, usize, usize, bool)) {
        let automaton = Negation::of(formula).expect("a small formula").search_automaton();
        let parts = AcceptingParts::new(&automaton);
        let count = |is_counted: &dyn Fn(u32) -> bool| {
            (0..automaton.state_count() as u32).filter(|state| is_counted(*state)).count()
        };
        let found = (
            automaton.state_count(),
            count(&|state| parts.has(state)),
            count(&|state| parts.has_strong(state)),
            parts.has(automaton.initial),
        );
        assert_eq!(found, expected, "{formula:?}");
    }

    #[test]
    fn the_negations_of_recurrence_and_response_are_weak() {
        let [p, q] = [0, 1].map(|index| Formula::prop(Prop(index)));
        check(&p.clone().eventually().always(), (2, 1, 0, false));
        check(&p.implies(q.eventually()).always(), (2, 1, 0, false));
    }

    #[test]
    fn the_negations_of_persistence_and_reactivity_are_not() {
        let [p, q] = [0, 1].map(|index| Formula::prop(Prop(index)));
        check(&p.clone().always().eventually(), (1, 1, 1, true));
        let reactive = p.eventually().always().implies(q.eventually().always());
        check(&reactive, (2, 1, 1, false));
    }
}
