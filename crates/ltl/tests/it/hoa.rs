//! The HOA output, parsed again, is an automaton that accepts the same words.
//!
//! The parser here supports just the part of the format that is written: explicit labels as sums of
//! products, Büchi or generalised Büchi acceptance on edges or states.

use crate::generators::{Operators, formula, word};
use selvedge_ltl::bdd::{Bdd, Bdds};
use selvedge_ltl::buchi::{Automaton, Edge, Translator, accepts};
use selvedge_ltl::output::Listing;
use selvedge_ltl::{Alphabet, letter};
use selvedge_testkit::Random;
use selvedge_testkit::ltl::show_letters;

/// The value of a header line.
fn header<'a>(hoa: &'a str, name: &str) -> &'a str {
    let prefix = format!("{name}: ");
    hoa.lines().find_map(|line| line.strip_prefix(&prefix)).unwrap_or_else(|| panic!("no {name} in\n{hoa}"))
}

fn read_label(bdds: &mut Bdds, label: &str) -> Bdd {
    label.split(" | ").fold(Bdd::FALSE, |sum, product| {
        let product =
            product.split('&').filter(|literal| *literal != "t").fold(Bdd::TRUE, |product, literal| {
                let (prop, positive) =
                    literal.strip_prefix('!').map_or((literal, true), |prop| (prop, false));
                let literal = bdds.literal(prop.parse().expect("a proposition"), positive);
                bdds.and(product, literal)
            });
        bdds.or(sum, product)
    })
}

/// `{0 2}` as a mask.
fn read_marks(text: &str) -> u64 {
    let inner = text.trim().trim_start_matches('{').trim_end_matches('}');
    inner.split_whitespace().fold(0, |marks, mark| marks | 1 << mark.parse::<u32>().expect("a mark"))
}

fn read_hoa(bdds: &mut Bdds, hoa: &str) -> Automaton {
    let states: usize = header(hoa, "States").parse().expect("a number");
    let (mark_count, condition) = header(hoa, "Acceptance").split_once(' ').expect("a condition");
    let mark_count: usize = mark_count.parse().expect("a number");
    let all: Vec<String> = (0..mark_count).map(|mark| format!("Inf({mark})")).collect();
    assert_eq!(condition, if all.is_empty() { "t".to_owned() } else { all.join("&") });
    let body = hoa.split_once("--BODY--\n").expect("a body").1.strip_suffix("--END--\n").expect("an end");
    let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); states];
    let (mut state, mut state_marks) = (0, 0);
    for line in body.lines() {
        if let Some(name) = line.strip_prefix("State: ") {
            let (number, marks) = name.split_once(' ').unwrap_or((name, ""));
            (state, state_marks) = (number.parse().expect("a state"), read_marks(marks));
        } else {
            let (label, rest) = line.strip_prefix('[').and_then(|l| l.split_once("] ")).expect("a label");
            let (target, marks) = rest.split_once(' ').unwrap_or((rest, ""));
            let guard = read_label(bdds, label);
            let edge = Edge {
                target: target.parse().expect("a state"),
                marks: read_marks(marks) | state_marks,
                guard,
            };
            edges[state].push(edge);
        }
    }
    Automaton { edges, initial: header(hoa, "Start").parse().expect("a state"), mark_count }
}

#[test]
fn hoa_output_parses_to_an_equivalent_automaton() {
    let mut random = Random(11);
    let mut alphabet = Alphabet::default();
    for name in ["a", "b", "c", "d"] {
        alphabet.intern(&name.to_owned()).expect("few propositions");
    }
    for _ in 0..300 {
        let size = 1 + random.below(14);
        let f = formula(&mut random, size, 4, Operators::Future);
        let mut translator = Translator::default();
        let nnf = translator.arena.formula(&f);
        let automata = [translator.translate(nnf), translator.translate_state_based(nnf)];
        for automaton in automata.map(|automaton| automaton.expect("a small automaton")) {
            let hoa =
                Listing::of_buchi(show_letters(&f), &alphabet, &mut translator.bdds, &automaton).to_hoa();
            assert!(hoa.starts_with("HOA: v1\n"), "{hoa}");
            let parsed = read_hoa(&mut translator.bdds, &hoa);
            assert_eq!(parsed.state_count(), automaton.state_count());
            assert!(parsed.all_marks() == letter::mask(parsed.mark_count));
            for _ in 0..20 {
                let w = word(&mut random, 4, true);
                let expected = accepts(&translator.bdds, &automaton, &w);
                assert_eq!(accepts(&translator.bdds, &parsed, &w), expected, "{}\n{hoa}", show_letters(&f));
            }
        }
    }
}
