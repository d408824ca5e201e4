//! The search of temporal steps: alternatives one after the other, on request.
//!
//! Gunter and Peled, Temporal Debugging for Concurrent Systems, §4 and §5. A search walks pairs of a system
//! state and the remainder of the formula ([`product`]). It is a state machine: [`Search::next`] goes on
//! until the next alternative, and can be called again later, whatever was done in between.
//!
//! As printed, the algorithms of the paper slip three times; `tests/it/slips.rs` has the smallest examples.
//! The label of the pair that is left is tested, not of the pair that is entered. A step is minimal by
//! pairs: with a nondeterministic automaton a prefix may satisfy the formula by other pairs. A step is taken
//! for maximal though an extension was visited elsewhere or closes a cycle. Here the automaton is
//! deterministic, a label is read when a pair is entered, and whether a satisfying extension exists is
//! asked of the product itself ([`product::Product::next_accepting`]).
//!
//! Promise: each alternative is a sequence that satisfies the formula, in the given mode and within the
//! limit. With all paths the alternatives are all of them; with the subset, some, and none only if there are
//! none. `Exhausted` says whether longer sequences were cut off.

mod breadth;
mod depth;
mod every_path;
mod filter;
mod memoryless;
mod path_walk;
mod product;
mod report;

use crate::engine::{Listener, Progress};
use crate::snapshot::{Mode, Paths, SearchOptions, SearchOrder};
use crate::target::{Question, StateId, Target, TargetError};
use filter::Filter;
use product::Product;
use selvedge_ltl::progression::SharedProgression;

/// A sequence of moves from the state where the search began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Path {
    /// The numbers of the moves, each among the moves of its state.
    pub(crate) moves: Vec<u32>,
    /// The number of moves before the state that the end leads back to, if the path goes on for ever.
    pub(crate) cycle: Option<usize>,
    /// Is it as long as the limit allows, so that a longer one may exist?
    pub(crate) is_at_limit: bool,
}

/// How a search went on.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// To this alternative.
    Alternative(Path),
    /// There are no more.
    Exhausted {
        /// Were sequences left out because of the limit of their length?
        is_cut: bool,
    },
    /// It was stopped, and can go on.
    Stopped(Stop),
}

/// Why a search was stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// By the limit of visited states.
    States,
    /// By the listener.
    Cancelled,
    /// The target has failed.
    Failed(TargetError),
}

/// What a search works with, lent for the time until the next alternative.
pub(crate) struct Context<'a> {
    pub(crate) target: &'a mut dyn Target,
    pub(crate) listener: &'a mut dyn Listener,
    /// States visited by this search.
    pub(crate) visited: u64,
    /// The search is stopped at this number of visited states.
    pub(crate) max_visited: u64,
    /// Pairs met again on other paths, since the last alternative.
    pub(crate) met_again: u64,
    pub(crate) found: usize,
}

impl Context<'_> {
    /// Counts a visited state.
    fn visit(&mut self, depth: usize) -> Result<(), Stop> {
        self.ask(depth)?;
        self.visited += 1;
        Ok(())
    }

    /// Counts a pair that is met on one more path.
    fn tick(&mut self, depth: usize) -> Result<(), Stop> {
        self.ask(depth)?;
        self.met_again += 1;
        Ok(())
    }

    fn ask(&mut self, depth: usize) -> Result<(), Stop> {
        if self.visited.saturating_add(self.met_again) >= self.max_visited {
            return Err(Stop::States);
        }
        let progress = Progress { visited: self.visited, depth, found: self.found };
        if self.listener.progress(progress) { Ok(()) } else { Err(Stop::Cancelled) }
    }
}

/// A search for the alternatives of one temporal step.
pub(crate) struct Search {
    /// States visited so far.
    pub(crate) visited: u64,
    pub(crate) found: usize,
    options: SearchOptions,
    filter: Filter,
    start: StateId,
    method: Method,
}

enum Method {
    Breadth(Product, breadth::BreadthFirst),
    Depth(Product, depth::DepthFirst),
    EveryPath(Product, every_path::EveryPath),
    Memoryless(memoryless::Memoryless),
    /// The moves of a state, each an alternative.
    Moves(Vec<u32>),
}

impl Search {
    /// A search from a state.
    pub(crate) fn new(question: &Question, start: StateId, options: SearchOptions) -> Search {
        let progression = SharedProgression::new(&question.formula);
        let product = || Product::new(question.id, progression.clone());
        let method = match (options.order, options.paths) {
            (SearchOrder::BreadthFirst, Paths::Subset) => {
                Method::Breadth(product(), breadth::BreadthFirst::default())
            }
            (SearchOrder::DepthFirst, Paths::Subset) => {
                Method::Depth(product(), depth::DepthFirst::default())
            }
            (SearchOrder::BreadthFirst | SearchOrder::DepthFirst, Paths::All) => {
                Method::EveryPath(product(), every_path::EveryPath::default())
            }
            (SearchOrder::Memoryless, _) => {
                Method::Memoryless(memoryless::Memoryless::new(question.id, progression))
            }
        };
        Search { visited: 0, found: 0, options, filter: Filter::new(&options), start, method }
    }

    /// The given moves of the start state, one after the other: those of one process.
    pub(crate) fn of_moves(start: StateId, mut moves: Vec<u32>) -> Search {
        moves.reverse();
        let options = SearchOptions { same_sequence: true, ..SearchOptions::default() };
        let method = Method::Moves(moves);
        Search { visited: 0, found: 0, options, filter: Filter::new(&options), start, method }
    }

    /// The next alternative.
    pub(crate) fn next(&mut self, target: &mut dyn Target, listener: &mut dyn Listener) -> Outcome {
        let max_visited = self.visited.saturating_add(self.options.states);
        let mut context =
            Context { target, listener, visited: self.visited, max_visited, met_again: 0, found: self.found };
        let outcome = self.advance(&mut context);
        self.visited = context.visited;
        match outcome {
            Ok(outcome) => {
                self.found += usize::from(matches!(outcome, Outcome::Alternative(_)));
                outcome
            }
            Err(stop) => Outcome::Stopped(stop),
        }
    }

    fn advance(&mut self, context: &mut Context<'_>) -> Result<Outcome, Stop> {
        let Search { options, filter, start, method, .. } = self;
        match method {
            Method::Breadth(product, search) => search.next(product, *start, options, filter, context),
            Method::Depth(product, search) => search.next(product, *start, options, filter, context),
            Method::EveryPath(product, search) => search.next(product, *start, options, filter, context),
            Method::Memoryless(search) => search.next(*start, options, filter, context),
            Method::Moves(moves) => Ok(match moves.pop() {
                Some(number) => Outcome::Alternative(Path { moves: vec![number], ..Path::default() }),
                None => Outcome::Exhausted { is_cut: false },
            }),
        }
    }
}

/// Does a search in this mode go on behind a pair that satisfies the formula?
fn goes_on_behind_accepting(mode: Mode) -> bool {
    mode != Mode::Minimal
}

/// The states along a path.
pub(crate) fn replay(
    target: &mut dyn Target,
    start: StateId,
    moves: &[u32],
) -> Result<Vec<StateId>, TargetError> {
    let mut states = vec![start];
    let mut here = Vec::new();
    for number in moves {
        here.clear();
        target.moves(states[states.len() - 1], &mut here)?;
        let made = here.get(*number as usize);
        let made = made.ok_or_else(|| {
            TargetError(format!("there is no move {number} after {} moves", states.len() - 1))
        })?;
        states.push(made.to);
    }
    Ok(states)
}

#[cfg(test)]
mod tests;
