//! One mark instead of many, on the states, by look-ahead.
//!
//! [`degeneralise`](super::degeneralise) counts the marks that were met, so an accepting state comes after
//! the edge that completes a round. Here a state predicts the marks that the run will meet, so an accepting
//! state comes before them, and its edges need to read only letters that fulfil the prediction. Neither
//! construction is always smaller: `FG a | GF b` needs three states if marks are counted, and two if they
//! are predicted, since the state that predicts b can also be the state that predicts a for ever.
//!
//! A copy (q, n) of a state of an accepting component predicts that the first n marks will be met before the
//! next accepting copy, the last of these n first; an accepting copy predicts all marks. It is the classical
//! construction (Gastin and Oddoux, CAV 2001) on the reversed automaton, except that a mark may also be met
//! without prediction; so a component can always be entered at n = 0.
//!
//! Promise: the same language; at most one mark; state-based.

use super::automaton::{Automaton, Edge, Marks, StateId};
use super::degeneralise::{Choice, advance, marks_with_levels};
use super::scc::Components;
use crate::bdd::Bdds;
use std::collections::BTreeSet;

/// The state-based Büchi automaton; `None` if no mark needs a level, where counting gives the same
/// automaton.
pub(super) fn degeneralise_ahead(
    bdds: &mut Bdds,
    automaton: &Automaton,
    choice: Choice,
) -> Option<Automaton> {
    let components = Components::of_automaton(automaton);
    let orders: Vec<Option<Vec<Marks>>> = (0..components.count() as u32)
        .map(|c| {
            components
                .is_accepting(c, automaton.all_marks())
                .then(|| marks_with_levels(automaton, &components, c))
        })
        .collect();
    let order = |state: StateId| {
        let component = components.of[state as usize];
        component.and_then(|c| orders[c as usize].as_ref())
    };
    let width = orders.iter().flatten().map(Vec::len).max().unwrap_or(0) + 1;
    if width == 1 {
        return None;
    }
    let copy = |state: StateId, level: usize| state * width as StateId + level as StateId;
    let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); automaton.state_count() * width];
    for (state, leaving) in automaton.edges.iter().enumerate() {
        let state = state as StateId;
        let on_a_cycle =
            components.of[state as usize].is_some_and(|c| components.marks[c as usize].is_some());
        for edge in leaving {
            let Some(order) = order(state) else {
                let marks = Marks::from(choice.transient_accepts && !on_a_cycle);
                edges[copy(state, 0) as usize].push(Edge { target: copy(edge.target, 0), marks, ..*edge });
                continue;
            };
            let inside = components.is_inner_edge(state, edge.target);
            for after in 0..=if inside { order.len() } else { 0 } {
                let own_level = if inside { advance(after, edge.marks, order) } else { order.len() };
                for level in BTreeSet::from([0, own_level]) {
                    let marks = Marks::from(level == order.len());
                    edges[copy(state, level) as usize].push(Edge {
                        target: copy(edge.target, after),
                        marks,
                        guard: edge.guard,
                    });
                }
            }
        }
    }
    let mut result = Automaton { edges, initial: copy(automaton.initial, 0), mark_count: 1 };
    result.merge_parallel(bdds);
    Some(result.reachable())
}

#[cfg(test)]
mod tests {
    use crate::buchi::Translator;
    use crate::letter::Alphabet;

    #[track_caller]
    fn check(formula: &str, states: usize) {
        let mut translator = Translator::default();
        let numbered =
            Alphabet::default().number(&formula.parse().expect("a formula")).expect("few propositions");
        let formula = translator.arena.formula(&numbered);
        let automaton = translator.translate_state_based(formula).expect("small");
        assert!(automaton.is_state_based());
        assert_eq!(automaton.state_count(), states);
    }

    #[test]
    fn predicting_marks_saves_states_for_persistence_or_recurrence() {
        check("F G a | G F b", 2);
        check("G F a & F G !b", 3);
        check("G F a -> G F b", 2);
    }
}
