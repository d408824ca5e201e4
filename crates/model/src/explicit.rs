//! A system given by a list of its steps; its states are numbers.
//!
//! For tests and small examples; also the shortest complete implementation of [`System`].
//!
//! ```
//! use selvedge_ltl::{Formula, Letter, Prop};
//! use selvedge_model::{Options, Verdict, check, explicit::Graph};
//!
//! // Process 0 moves from state 0 to state 1, where proposition 0 holds; process 1 only ever waits.
//! let graph = Graph::new(vec![Letter::exactly(0), Letter::exactly(1)], vec![(0, 0, 1), (0, 1, 0)], 2);
//! let report = check(&graph, &Formula::prop(Prop(0)).eventually(), Options::default())?;
//! let Verdict::Violated(run) = report.verdict else { panic!("process 1 may wait for ever") };
//! assert_eq!(run.cycle.len(), 1);
//! # Ok::<(), selvedge_model::CheckError>(())
//! ```

use crate::system::{ProcessId, States, Steps, System, Word};
use selvedge_ltl::Letter;

/// A graph whose nodes are labelled and whose arcs belong to processes. Runs begin in node 0.
#[derive(Clone, Debug)]
pub struct Graph {
    labels: Vec<Letter>,
    /// From, process, to; sorted by from.
    arcs: Vec<(u32, u32, u32)>,
    processes: usize,
    /// Is a node an end if it has no arcs? Otherwise it is a deadlock.
    ends: Vec<bool>,
}

impl Graph {
    /// A graph with these labels of its nodes and these arcs: from, process, to.
    pub fn new(labels: Vec<Letter>, mut arcs: Vec<(u32, u32, u32)>, processes: usize) -> Graph {
        arcs.sort_unstable();
        arcs.dedup();
        let ends = vec![true; labels.len()];
        Graph { labels, arcs, processes, ends }
    }

    /// The same graph, in which this node is not an end, even if it has no arcs.
    #[must_use]
    pub fn with_unfinished(mut self, node: usize) -> Graph {
        self.ends[node] = false;
        self
    }

    /// The arcs: from, process, to.
    pub fn arcs(&self) -> &[(u32, u32, u32)] {
        &self.arcs
    }

    /// The labels of the nodes.
    pub fn labels(&self) -> &[Letter] {
        &self.labels
    }

    /// The arcs that leave a node.
    pub fn arcs_from(&self, node: u32) -> &[(u32, u32, u32)] {
        let first = self.arcs.partition_point(|arc| arc.0 < node);
        let end = self.arcs.partition_point(|arc| arc.0 <= node);
        &self.arcs[first..end]
    }
}

impl System for Graph {
    /// Process and target.
    type Action = (u32, u32);

    fn words(&self) -> usize {
        1
    }

    fn processes(&self) -> usize {
        self.processes
    }

    fn initial(&self, out: &mut States) {
        out.push(&[0]);
    }

    fn successors(&self, state: &[Word], out: &mut Steps<Self::Action>) {
        for (_, process, target) in self.arcs_from(state[0] as u32) {
            out.push((*process, *target), state)[0] = u64::from(*target);
        }
    }

    fn label(&self, state: &[Word]) -> Letter {
        self.labels[state[0] as usize]
    }

    fn process(&self, action: Self::Action) -> Option<ProcessId> {
        Some(ProcessId(action.0))
    }

    fn is_end(&self, state: &[Word]) -> bool {
        self.ends[state[0] as usize]
    }

    fn describe(&self, action: Self::Action) -> String {
        format!("go to {}", action.1)
    }

    fn show(&self, state: &[Word]) -> Vec<(String, String)> {
        vec![("node".to_owned(), state[0].to_string())]
    }
}
