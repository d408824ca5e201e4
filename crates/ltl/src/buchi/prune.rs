//! Removal of dead states, of marks outside accepting components, and of marks that other marks imply.

use super::automaton::{Automaton, Edge, Marks, StateId};
use super::scc::Components;
use crate::bdd::Bdds;

/// The marks of transient edges, which lie on no cycle. They do not change the language, but the result of
/// the reduction by simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TransientMarks {
    /// No mark.
    None,
    /// All marks.
    All,
}

/// Removes states from which no word is accepted, and needless marks.
pub(super) fn prune(bdds: &mut Bdds, automaton: &Automaton, transient: TransientMarks) -> Automaton {
    let components = Components::of_automaton(automaton);
    let alive = components.alive(automaton);
    let mut next = 0;
    let keep: Vec<Option<StateId>> = components
        .of
        .iter()
        .map(|component| {
            component.filter(|c| alive[*c as usize]).map(|_| {
                next += 1;
                next - 1
            })
        })
        .collect();
    let mut pruned = automaton.renumbered(&keep);
    clean_marks(&mut pruned, transient);
    pruned.merge_parallel(bdds);
    pruned.reachable()
}

/// Keeps marks on the edges of accepting components only, as few as each component needs.
fn clean_marks(automaton: &mut Automaton, transient: TransientMarks) {
    let components = Components::of_automaton(automaton);
    let all = automaton.all_marks();
    let needed: Vec<Vec<Marks>> = (0..components.count() as u32)
        .map(|component| {
            let accepting = components.is_accepting(component, all);
            if accepting { needed_marks(automaton, &components, component) } else { Vec::new() }
        })
        .collect();
    // Without any mark every cycle would be accepting: one mark stays if there is a rejecting cycle.
    let rejecting = |c: usize| components.marks[c].is_some() && !components.is_accepting(c as u32, all);
    let least = usize::from((0..components.count()).any(rejecting));
    automaton.mark_count = needed.iter().map(Vec::len).max().unwrap_or(0).max(least);
    let all_new = automaton.all_marks();
    for state in 0..automaton.state_count() {
        let Some(component) = components.of[state] else { continue };
        for edge in &mut automaton.edges[state] {
            let inside = components.is_inner_edge(state as StateId, edge.target);
            edge.marks = match transient {
                _ if inside && components.is_accepting(component, all) => {
                    renumbered_marks(edge.marks, &needed[component as usize], all_new)
                }
                TransientMarks::All if !inside => all_new,
                _ => 0,
            };
        }
    }
}

/// The marks of a component that no other mark implies: a mark on every edge is needless, and so is a mark
/// on all edges of another mark.
fn needed_marks(automaton: &Automaton, components: &Components, component: u32) -> Vec<Marks> {
    let inner: Vec<Marks> = (0..automaton.state_count())
        .filter(|state| components.of[*state] == Some(component))
        .flat_map(|state| automaton.edges[state].iter().map(move |edge| (state as StateId, edge)))
        .filter(|(state, edge)| components.is_inner_edge(*state, edge.target))
        .map(|(_, edge)| edge.marks)
        .collect();
    let includes =
        |big: Marks, small: Marks| inner.iter().all(|marks| marks & small == 0 || marks & big != 0);
    let mut needed: Vec<Marks> = Vec::new();
    for index in 0..automaton.mark_count {
        let mark = 1 << index;
        if inner.iter().all(|marks| marks & mark != 0) || needed.iter().any(|other| includes(mark, *other)) {
            continue;
        }
        needed.retain(|other| !includes(*other, mark));
        needed.push(mark);
    }
    needed
}

/// The needed marks with their new numbers; a number that the component does not need is on all its edges.
fn renumbered_marks(old: Marks, needed: &[Marks], all_new: Marks) -> Marks {
    let retained = needed.iter().enumerate().filter(|(_, mark)| old & **mark != 0);
    let unused = all_new & !crate::letter::mask(needed.len());
    retained.fold(unused, |marks, (index, _)| marks | 1 << index)
}

/// Is every component either accepting on all its cycles or on none?
pub fn is_weak(automaton: &Automaton) -> bool {
    let components = Components::of_automaton(automaton);
    let all = automaton.all_marks();
    (0..components.count() as u32).all(|component| {
        if !components.is_accepting(component, all) {
            return true;
        }
        // A rejecting cycle avoids some mark: it uses no edge with that mark.
        (0..automaton.mark_count)
            .all(|index| !has_cycle_without(automaton, &components, component, 1 << index))
    })
}

fn has_cycle_without(automaton: &Automaton, components: &Components, component: u32, mark: Marks) -> bool {
    let members: Vec<u32> = (0..automaton.state_count() as u32)
        .filter(|s| components.of[*s as usize] == Some(component))
        .collect();
    let stays =
        |edge: &&Edge| components.of[edge.target as usize] == Some(component) && edge.marks & mark == 0;
    let rest = Components::new(automaton.state_count(), members, |state| {
        automaton.edges[state as usize].iter().filter(stays).map(|edge| (edge.target, 0))
    });
    rest.marks.iter().any(Option::is_some)
}
