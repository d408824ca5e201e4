//! Automata as plain text, one line for each edge.

use super::{Acceptance, Listing, marks_text};
use std::fmt::Write;

impl Listing {
    /// The automaton as text.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", self.summary());
        for (state, edges) in self.states.iter().enumerate() {
            let _ = writeln!(text, "{}", self.state_line(state));
            let guards: Vec<String> = edges.iter().map(|edge| self.guard_text(&edge.guard)).collect();
            let width = guards.iter().map(|guard| guard.chars().count()).max().unwrap_or(0).min(40);
            for (edge, guard) in edges.iter().zip(guards) {
                let marks = match self.acceptance {
                    Acceptance::Generalised(1..) if edge.marks != 0 => {
                        format!("  {}", marks_text(edge.marks))
                    }
                    _ => String::new(),
                };
                let _ = writeln!(text, "    {guard:width$}  -> {}{marks}", edge.target);
            }
        }
        text
    }

    /// `3 states, 5 edges, deterministic`
    pub fn summary(&self) -> String {
        let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let mut parts = vec![count(self.states.len(), "state"), count(self.edge_count(), "edge")];
        parts.push(match &self.acceptance {
            Acceptance::Final(_) => "finite words".to_owned(),
            Acceptance::Buchi(_) => "Büchi, by states".to_owned(),
            Acceptance::Generalised(0) => "every run accepted".to_owned(),
            Acceptance::Generalised(marks) => format!("{} infinitely often", count(*marks, "mark")),
        });
        if self.deterministic {
            parts.push("deterministic".to_owned());
        }
        if self.weak {
            parts.push("weak".to_owned());
        }
        parts.join(", ")
    }

    fn state_line(&self, state: usize) -> String {
        let initial = self.initial.contains(&(state as u32));
        let mut line = format!("{} {state}", if initial { ">" } else { " " });
        if self.acceptance.accepts(state) {
            line.push_str("  accepting");
        }
        line
    }
}
