//! The formulas of Dwyer's patterns, derived from pattern and scope.
//!
//! Dwyer, Avrunin and Corbett give each pattern in five scopes. For the patterns about single states the
//! formulas are built here from the two, with `p`, `s` for the pattern and `q`, `r` for the scope, and must
//! be equivalent to the formulas of the list, which names its propositions in the order of their occurrence.

use selvedge_ltl::buchi::Translator;
use selvedge_ltl::{Alphabet, Formula};
use selvedge_testkit::ltl::StandardSet;

/// The formulas of a pattern for the scopes, in the order of the list.
fn scopes(pattern: &str) -> [String; 5] {
    // `ends` holds where the scope ends; it is `false` for an unbounded scope.
    let body = |ends: &str| match pattern {
        "absence" => "!p".to_owned(),
        "universality" => "p".to_owned(),
        "response" if ends == "false" => "p -> F s".to_owned(),
        "response" => format!("p -> (!({ends}) U (s & !({ends})))"),
        _ => unreachable!("not a pattern of states"),
    };
    [
        format!("G ({})", body("false")),
        format!("F r -> (({}) U r)", body("r")),
        format!("G (q -> G ({}))", body("false")),
        format!("G (q & !r & F r -> (({}) U r))", body("r")),
        format!("G (q & !r -> (({}) W r))", body("r")),
    ]
}

/// The same for patterns that depend on the scope's end: an event occurs before the scope ends.
fn arrival_scopes(pattern: &str) -> [String; 5] {
    match pattern {
        "existence" => [
            "F p".to_owned(),
            "!r W (p & !r)".to_owned(),
            "G !q | F (q & F p)".to_owned(),
            "G (q & !r -> (!r W (p & !r)))".to_owned(),
            "G (q & !r -> (!r U (p & !r)))".to_owned(),
        ],
        "precedence" => [
            "!p W s".to_owned(),
            "F r -> (!p U (s | r))".to_owned(),
            "G !q | F (q & (!p W s))".to_owned(),
            "G (q & !r & F r -> (!p U (s | r)))".to_owned(),
            "G (q & !r -> (!p W (s | r)))".to_owned(),
        ],
        _ => unreachable!("not a pattern of arrival"),
    }
}

/// The formulas of the list under a pattern's name, in the order of their scopes.
fn listed(pattern: &str) -> Vec<&'static str> {
    let lines: Vec<&str> = StandardSet::DWYER.text.lines().collect();
    let heading = format!("# {pattern}: ");
    let pairs = lines.windows(2).filter(|pair| pair[0].starts_with(&heading));
    pairs.map(|pair| pair[1]).collect()
}

/// All permutations of the names.
fn renamings(names: &[String]) -> Vec<Vec<String>> {
    if names.is_empty() {
        return vec![Vec::new()];
    }
    let first = |index: usize| {
        let mut rest = names.to_vec();
        let name = rest.remove(index);
        renamings(&rest).into_iter().map(move |mut others| {
            others.insert(0, name.clone());
            others
        })
    };
    (0..names.len()).flat_map(first).collect()
}

fn are_equivalent_up_to_names(one: &str, other: &str) -> bool {
    let (one, other): (Formula<String>, Formula<String>) =
        (one.parse().expect("a formula"), other.parse().expect("a formula"));
    let mut alphabet = Alphabet::default();
    let numbered = alphabet.number(&one).expect("few propositions");
    let mut own = Alphabet::default();
    own.number(&other).expect("few propositions");
    renamings(alphabet.names()).into_iter().any(|names| {
        let renamed = other.map(&mut |prop| {
            let index = own.find(prop).expect("its own proposition").0 as usize;
            names.get(index).cloned().unwrap_or_default()
        });
        let mut translator = Translator::default();
        let renamed = alphabet.clone().number(&renamed).expect("few propositions");
        let (one, other) = (translator.arena.formula(&numbered), translator.arena.formula(&renamed));
        translator.difference(one, other).expect("small automata").is_none()
    })
}

#[test]
fn the_listed_formulas_are_derived_from_patterns_and_scopes() {
    for pattern in ["absence", "existence", "universality", "precedence", "response"] {
        let derived = match pattern {
            "existence" | "precedence" => arrival_scopes(pattern),
            _ => scopes(pattern),
        };
        let listed = listed(pattern);
        assert_eq!(listed.len(), derived.len(), "{pattern}");
        for (list, own) in listed.iter().zip(&derived) {
            assert!(are_equivalent_up_to_names(list, own), "{pattern}: {list} is not {own}");
        }
    }
}
