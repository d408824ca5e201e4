//! Searches that must not look at everything, or not at once.

use crate::common::{Session, target};
use selvedge_debug::explicit::Explicit;
use selvedge_debug::protocol::{Command, Message};
use selvedge_debug::snapshot::{Answer, Paths, SearchOptions, SearchOrder};
use selvedge_debug::{Engine, Listener, Progress};

/// Figure 2: each rung has two ways to the next, so there are 2 to the power of the rungs sequences.
fn ladder(rungs: usize) -> Explicit {
    let mut graph = Explicit::new(2);
    let mut last = graph.node("");
    for rung in 1..=rungs {
        let (left, right) = (graph.node(""), graph.node(""));
        let next = graph.node(if rung == rungs { "top" } else { "" });
        for (process, side) in [(0, left), (1, right)] {
            graph.arc(last, process, side);
            graph.arc(side, process, next);
        }
        last = next;
    }
    graph
}

/// Counts how often a search asked whether to go on.
struct Counter(u64);

impl Listener for Counter {
    fn progress(&mut self, _progress: Progress) -> bool {
        self.0 += 1;
        true
    }
}

#[test]
fn on_the_ladder_of_figure_2_the_subset_has_one_sequence() {
    for order in [SearchOrder::BreadthFirst, SearchOrder::DepthFirst] {
        let mut session = Session::new(ladder(40));
        let options = SearchOptions { order, ..SearchOptions::default() };
        assert_eq!(session.length("F top", options), Some(80));
        let Some(Answer::None { found_before: 1, visited, .. }) = session.tell(&Command::Backtrack) else {
            panic!("one sequence")
        };
        assert_eq!(visited, 121, "each state once");
    }
}

#[test]
fn on_the_ladder_all_paths_come_one_by_one() {
    for order in [SearchOrder::BreadthFirst, SearchOrder::DepthFirst] {
        let mut session = Session::new(ladder(40));
        let options = SearchOptions { order, paths: Paths::All, ..SearchOptions::default() };
        assert_eq!(session.length("F top", options), Some(80));
        let mut counter = Counter(0);
        for _ in 1..1000 {
            session.engine.handle(&Command::Backtrack, &mut counter);
        }
        let Message::Snapshot { snapshot } = session.engine.handle(&Command::Look { position: 0 }, &mut ())
        else {
            panic!("a snapshot")
        };
        assert_eq!(snapshot.stack[0].alternative, 1000);
        // Twenty moves at the end of the ladder tell a thousand paths apart: each takes a few steps of the
        // search, and none is begun at the bottom.
        assert!(counter.0 < 20_000, "{} steps", counter.0);
    }
}

#[test]
fn an_eating_philosopher_of_ten_is_found_after_at_most_a_thousand_states() {
    let mut session = Session::new(target("philosophers.par", &[("N".to_owned(), 10)]));
    let answer = session.step("F (eating = 1)", SearchOptions::default());
    let Some(Answer::FoundStep { visited, .. }) = answer else { panic!("{answer:?}") };
    assert!(visited <= 1000, "{visited} states");
}

#[test]
fn a_run_of_ten_thousand_states_is_sent_by_windows() {
    let mut graph = Explicit::new(1);
    let nodes: Vec<_> =
        (0..=10_000).map(|number| graph.node(if number == 10_000 { "end" } else { "" })).collect();
    nodes.windows(2).for_each(|pair| graph.arc(pair[0], 0, pair[1]));
    let mut engine = Engine::new(Box::new(graph)).expect("an engine");
    let step = Command::Step { formula: "F end".to_owned(), options: SearchOptions::default() };
    let snapshot = serde_json::to_string(&engine.handle(&step, &mut ())).expect("JSON");
    assert!(snapshot.contains("\"length\":10000") && snapshot.len() < 4000, "{}", snapshot.len());
    let Message::Timeline { timeline } =
        engine.handle(&Command::Timeline { from: 9_000, to: 9_100 }, &mut ())
    else {
        panic!("a window")
    };
    assert_eq!((timeline.from, timeline.to, timeline.events.len()), (9_000, 9_100, 100));
}

#[test]
fn a_search_ends_at_the_limit_of_states_and_when_it_is_cancelled() {
    struct Impatient(u64);
    impl Listener for Impatient {
        fn progress(&mut self, _progress: Progress) -> bool {
            self.0 -= 1;
            self.0 > 0
        }
    }
    let mut session = Session::new(target("philosophers.par", &[("N".to_owned(), 10)]));
    let options = SearchOptions { states: 500, ..SearchOptions::default() };
    let answer = session.step("F (eating = 11)", options);
    assert!(matches!(answer, Some(Answer::Limit { visited: 500, .. })), "{answer:?}");
    let step = Command::Step { formula: "F (eating = 11)".to_owned(), options: SearchOptions::default() };
    let Message::Snapshot { snapshot } = session.engine.handle(&step, &mut Impatient(300)) else {
        panic!("a snapshot")
    };
    assert!(matches!(snapshot.answer, Some(Answer::Cancelled { .. })), "{:?}", snapshot.answer);
}
