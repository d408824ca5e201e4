//! Laws as the source of tests.

use super::{Law, Laws};
use std::collections::BTreeSet;
use std::fmt::Write;

impl Laws {
    /// The source of a test for each law, which checks it. The expression makes the signature: `mvar()`; it
    /// has to be in scope. Tests are named after their laws, and formatted.
    #[must_use]
    pub fn to_tests(&self, signature: &str) -> String {
        let (mut text, mut taken) = (String::new(), BTreeSet::new());
        for law in &self.laws {
            let statement = law.statement.to_string();
            let literal = if statement.contains(['\\', '"']) {
                format!("r#\"{statement}\"#")
            } else {
                format!("\"{statement}\"")
            };
            let literal = if statement.contains('"') { literal } else { literal.replace('#', "") };
            let name = test_name(law, &mut taken);
            let separator = if text.is_empty() { "" } else { "\n" };
            let _ = write!(
                text,
                "{separator}#[test]\nfn {name}() {{\n    let law = {literal};\n    {signature}.check(law).assert();\n}}\n"
            );
        }
        text
    }
}

/// The law as a name: `read_equals_read_then_read`.
fn test_name(law: &Law, taken: &mut BTreeSet<String>) -> String {
    let statement = law.statement.to_string().replace(['(', ')', '[', ']', ',', '"'], " ");
    let words: Vec<String> = statement.replace('\\', " \\ ").split_whitespace().filter_map(word).collect();
    let stem = words.join("_").to_lowercase();
    let numbered = |number: usize| if number == 1 { stem.clone() } else { format!("{stem}_{number}") };
    let name = (1..).map(numbered).find(|name| !taken.contains(name)).expect("numbers do not end");
    taken.insert(name.clone());
    name
}

fn word(token: &str) -> Option<String> {
    let word = match token {
        "===" => "equals",
        "->-" => "refines",
        "-<-" => "is_refined_by",
        "==>" => "implies",
        ">>" => "then",
        ">>=" => "binds",
        "|||" => "beside",
        "&&" => "and",
        ">=" => "at_least",
        "<=" => "at_most",
        ">" => "above",
        "<" => "below",
        "==" => "is",
        "!=" => "is_not",
        "+" => "plus",
        "-" => "minus",
        "*" => "times",
        "\\" | "->" => return None,
        other => {
            let plain: String = other.chars().filter(|char| char.is_alphanumeric() || *char == '_').collect();
            return Some(if plain.is_empty() { "sign".to_owned() } else { plain });
        }
    };
    Some(word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn law(text: &str) -> Law {
        let statement = text.parse().expect("a law");
        Law { statement, under: Vec::new(), evidence: super::super::Evidence::default(), witness: None }
    }

    #[test]
    fn tests_are_named_after_their_laws() {
        let mut taken = BTreeSet::new();
        let name = test_name(&law(r"read ->- take >>= \x -> put x"), &mut taken);
        assert_eq!(name, "read_refines_take_binds_x_put_x");
        let law = law("x >= 0 ==> signal x === wait (0 - x)");
        assert_eq!(test_name(&law, &mut taken), "x_at_least_0_implies_signal_x_equals_wait_0_minus_x");
        assert_eq!(test_name(&law, &mut taken), "x_at_least_0_implies_signal_x_equals_wait_0_minus_x_2");
    }
}
