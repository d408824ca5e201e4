//! The three slips of the printed algorithms (Gunter and Peled, §5), each with its smallest example.

use crate::common::Session;
use selvedge_debug::explicit::Explicit;
use selvedge_debug::protocol::Command;
use selvedge_debug::snapshot::{Answer, Mode, SearchOptions, SearchOrder};

const DEPTH_FIRST: SearchOptions = SearchOptions {
    order: SearchOrder::DepthFirst,
    mode: Mode::Minimal,
    paths: selvedge_debug::snapshot::Paths::Subset,
    limit: 100,
    same_end: true,
    same_sequence: false,
    states: 1000,
};

/// `DFS_min` tests `G(x) → L(s)`, the label of the pair that is left: a pair whose own label contradicts the
/// state is entered, and if its automaton state accepts, it is reported.
#[test]
fn the_label_is_that_of_the_pair_that_is_entered() {
    let mut graph = Explicit::new(1);
    let (first, second) = (graph.node(""), graph.node(""));
    graph.arc(first, 0, second);
    let mut session = Session::new(graph);
    // As printed: the first state fits `X p`'s first automaton state, and the accepting one is entered
    // although `p` does not hold in the second state.
    assert_eq!(session.length("X p", DEPTH_FIRST), None);
}

/// Pairs of a nondeterministic automaton: a prefix satisfies the formula by another pair than the one on the
/// path, so a step that is minimal by pairs has a satisfying prefix.
#[test]
fn minimal_is_by_states_and_not_by_pairs() {
    let mut graph = Explicit::new(1);
    let (first, second) = (graph.node("p"), graph.node("q"));
    graph.arc(first, 0, second);
    let mut session = Session::new(graph);
    // The tableau of `p | F q` has a node for `p`, which accepts in the first state, and one for `F q` with
    // `q` still to come, which does not: the pairs of the latter lead to the second state.
    let all = SearchOptions { paths: selvedge_debug::snapshot::Paths::All, ..DEPTH_FIRST };
    assert_eq!(session.length("p | F q", all), Some(0));
    assert!(matches!(session.tell(&Command::Backtrack), Some(Answer::None { found_before: 1, .. })));
}

/// `DFS_max` takes a sequence for maximal if nothing longer was found behind it, though the extension was
/// visited on another path before.
#[test]
fn a_sequence_is_not_maximal_if_its_extension_was_visited_elsewhere() {
    let mut graph = Explicit::new(1);
    let (start, long, short, end) = (graph.node("p"), graph.node("p"), graph.node("p"), graph.node("p"));
    graph.arc(start, 0, long);
    graph.arc(start, 0, short);
    graph.arc(long, 0, end);
    graph.arc(short, 0, end);
    let mut session = Session::new(graph);
    let maximal = SearchOptions { mode: Mode::Maximal, ..DEPTH_FIRST };
    assert_eq!(session.length("G p", maximal), Some(2));
    // As printed, `start short` would follow: `end` is not new to the search then.
    assert!(matches!(session.tell(&Command::Backtrack), Some(Answer::None { found_before: 1, .. })));
}

/// The same where the extension closes a cycle.
#[test]
fn a_sequence_is_not_maximal_if_its_extension_closes_a_cycle() {
    let mut graph = Explicit::new(1);
    let (start, next) = (graph.node("p"), graph.node("p"));
    graph.arc(start, 0, next);
    graph.arc(next, 0, start);
    let mut session = Session::new(graph);
    let maximal = SearchOptions { mode: Mode::Maximal, ..DEPTH_FIRST };
    // As printed, `start next` would be maximal: both of its successors are on the stack.
    assert_eq!(session.length("G p", maximal), Some(2));
    assert_eq!(session.now.cycle, Some(0), "it goes on for ever");
}
