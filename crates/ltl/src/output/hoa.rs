//! Automata in the Hanoi Omega-Automata format, version 1.
//!
//! The format is for infinite words. An automaton on finite words gets the header `Finite`. By the rules of
//! the format, tools must refuse an unknown header with a capital letter, so that no tool misreads the
//! automaton.

use super::{Acceptance, Listing};
use crate::letter::Cube;
use std::fmt::Write;

impl Listing {
    /// The automaton in the HOA format.
    pub fn to_hoa(&self) -> String {
        let mut hoa = String::new();
        // Writing to a string cannot fail.
        let _ = writeln!(hoa, "HOA: v1\nname: {}\nStates: {}", quoted(&self.title), self.states.len());
        for state in &self.initial {
            let _ = writeln!(hoa, "Start: {state}");
        }
        let props: String = self.props.iter().map(|prop| format!(" {}", quoted_once(prop))).collect();
        let _ = writeln!(hoa, "AP: {}{props}", self.props.len());
        let _ = writeln!(hoa, "{}\nproperties: {}\n--BODY--", self.acceptance_header(), self.properties());
        for (state, edges) in self.states.iter().enumerate() {
            let mark = if self.acceptance.accepts(state) { " {0}" } else { "" };
            let _ = writeln!(hoa, "State: {state}{mark}");
            for edge in edges {
                let guard: Vec<String> =
                    edge.guard.iter().map(|cube| hoa_cube(*cube, self.props.len())).collect();
                let _ =
                    writeln!(hoa, "[{}] {}{}", guard.join(" | "), edge.target, self.hoa_marks(edge.marks));
            }
        }
        hoa.push_str("--END--\n");
        hoa
    }

    fn acceptance_header(&self) -> String {
        match &self.acceptance {
            Acceptance::Final(_) => {
                "Finite: \"a word is accepted if its run ends in a marked state\"\nAcceptance: 1 Inf(0)"
                    .to_owned()
            }
            Acceptance::Buchi(_) | Acceptance::Generalised(1) => {
                "acc-name: Buchi\nAcceptance: 1 Inf(0)".to_owned()
            }
            Acceptance::Generalised(0) => "acc-name: all\nAcceptance: 0 t".to_owned(),
            Acceptance::Generalised(count) => {
                let all: Vec<String> = (0..*count).map(|mark| format!("Inf({mark})")).collect();
                format!("acc-name: generalized-Buchi {count}\nAcceptance: {count} {}", all.join("&"))
            }
        }
    }

    fn properties(&self) -> String {
        let by_states = !matches!(self.acceptance, Acceptance::Generalised(1..));
        let mut properties = vec!["trans-labels", "explicit-labels"];
        properties.push(if by_states { "state-acc" } else { "trans-acc" });
        if self.deterministic {
            properties.push("deterministic");
        }
        if self.weak && !matches!(self.acceptance, Acceptance::Final(_)) {
            properties.push("inherently-weak");
        }
        properties.join(" ")
    }

    fn hoa_marks(&self, marks: u64) -> String {
        match self.acceptance {
            Acceptance::Generalised(count) if marks != 0 => {
                let numbers: Vec<String> =
                    (0..count).filter(|mark| marks >> mark & 1 == 1).map(|mark| mark.to_string()).collect();
                format!(" {{{}}}", numbers.join(" "))
            }
            _ => String::new(),
        }
    }
}

fn hoa_cube(cube: Cube, props: usize) -> String {
    let literals: Vec<String> = (0..props)
        .filter_map(|index| {
            let bit = 1u64 << index;
            match (cube.positive & bit != 0, cube.negative & bit != 0) {
                (true, _) => Some(index.to_string()),
                (_, true) => Some(format!("!{index}")),
                _ => None,
            }
        })
        .collect();
    if literals.is_empty() { "t".to_owned() } else { literals.join("&") }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A proposition that is already in quotes is not quoted again.
fn quoted_once(text: &str) -> String {
    if text.starts_with('"') { text.to_owned() } else { quoted(text) }
}
