//! A new language in under a hundred lines: Petri nets, checked, simulated and drawn through `System`.
//!
//! `cargo run -p selvedge-model --example own_language` checks a net of two machines that share a tool,
//! finds that a machine may starve unless runs are fair, and prints a random run. With a folder as its
//! argument, it writes the state space there as `states.svg`.

#![allow(clippy::print_stdout)]

use selvedge_explore::schedulers::Uniform;
use selvedge_ltl::{Alphabet, Letter};
use selvedge_model::{
    Fairness, Options, ProcessId, SimulationOptions, States, Steps, System, Verdict, Word, check, simulate,
    state_graph,
};

/// Places hold tokens; a transition takes one from each place before it and puts one on each place after it.
struct Net {
    places: Vec<&'static str>,
    marking: Vec<Word>,
    transitions: Vec<(&'static str, Vec<usize>, Vec<usize>)>,
}

impl System for Net {
    type Action = usize;

    fn words(&self) -> usize {
        self.places.len()
    }

    /// Each transition is a process of its own, so that fairness speaks of transitions.
    fn processes(&self) -> usize {
        self.transitions.len()
    }

    fn initial(&self, out: &mut States) {
        out.push(&self.marking);
    }

    fn successors(&self, state: &[Word], out: &mut Steps<usize>) {
        for (number, (_, before, after)) in self.transitions.iter().enumerate() {
            if before.iter().all(|place| state[*place] > 0) {
                let next = out.push(number, state);
                before.iter().for_each(|place| next[*place] -= 1);
                after.iter().for_each(|place| next[*place] += 1);
            }
        }
    }

    /// Proposition n: there is a token on place n.
    fn label(&self, state: &[Word]) -> Letter {
        let marked = state.iter().enumerate().filter(|(_, tokens)| **tokens > 0);
        Letter::exactly(marked.fold(0, |mask, (place, _)| mask | 1 << place))
    }

    fn process(&self, transition: usize) -> Option<ProcessId> {
        Some(ProcessId(transition as u32))
    }

    fn describe(&self, transition: usize) -> String {
        self.transitions[transition].0.to_owned()
    }

    fn show(&self, state: &[Word]) -> Vec<(String, String)> {
        self.places
            .iter()
            .zip(state)
            .map(|(place, tokens)| ((*place).to_owned(), tokens.to_string()))
            .collect()
    }
}

fn main() {
    let places = vec!["idle1", "busy1", "idle2", "busy2", "tool"];
    let net = Net {
        marking: vec![1, 0, 1, 0, 1],
        transitions: vec![
            ("take1", vec![0, 4], vec![1]),
            ("give1", vec![1], vec![0, 4]),
            ("take2", vec![2, 4], vec![3]),
            ("give2", vec![3], vec![2, 4]),
        ],
        places,
    };
    let mut alphabet = Alphabet::default();
    for place in &net.places {
        alphabet.intern(&(*place).to_owned()).expect("few propositions");
    }
    for text in ["G !(busy1 & busy2)", "G F busy1"] {
        let formula = alphabet.number(&text.parse().expect("a formula")).expect("few propositions");
        for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
            let report =
                check(&net, &formula, Options { fairness, ..Options::default() }).expect("a small automaton");
            let verdict = match report.verdict {
                Verdict::Holds => "holds".to_owned(),
                Verdict::Violated(run) => format!("violated, by a cycle of {} steps", run.cycle.len()),
                other => format!("{other:?}"),
            };
            println!("{text}, fairness {fairness:?}: {verdict} ({} states)", report.stats.states);
        }
    }
    let options = SimulationOptions { max_steps: 10, ..SimulationOptions::default() };
    let simulation = simulate(&net, &[], &mut Uniform::new(1, 1), options).expect("no fairness");
    let run = simulation.first.expect("a run");
    let actions: Vec<String> =
        run.prefix.iter().filter_map(|step| Some(net.describe(step.action?))).collect();
    assert_eq!(actions.len(), 10, "the tool always comes back");
    println!("one run: {} ({} states)", actions.join(", "), simulation.states.len());
    if let Some(folder) = std::env::args().nth(1) {
        let file = std::path::Path::new(&folder).join("states.svg");
        std::fs::write(file, state_graph(&net, "two machines and a tool", 100).to_svg())
            .expect("a writable folder");
    }
}
