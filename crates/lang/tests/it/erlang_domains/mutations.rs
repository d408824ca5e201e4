//! Wrong lines of a file are found: every table is written out, each line is changed, and the file must load
//! exactly if enumeration of numbers finds the changed line right.

use super::enumeration::Reference;
use super::{integers, load, loaded, rendered};
use expect_test::{Expect, expect};
use selvedge_lang::erlang::domain::{BinaryOperation, IntegerDomain, Outcome};

/// The name of an element in a file.
fn quoted(domain: &IntegerDomain, outcome: Outcome) -> String {
    match outcome {
        Outcome::Integer(element) => format!("'{}'", domain.name(element)),
        Outcome::Error => "error".to_owned(),
    }
}

fn row(
    domain: &IntegerDomain,
    operation: BinaryOperation,
    operands: [usize; 2],
    outcomes: &[Outcome],
) -> String {
    let elements: Vec<_> = domain.elements().collect();
    let [a, b] = operands.map(|index| quoted(domain, Outcome::Integer(elements[index])));
    let outcomes: Vec<String> = outcomes.iter().map(|outcome| quoted(domain, *outcome)).collect();
    format!("{a} {operation} {b} -> {}\n", outcomes.join(", "))
}

/// Every single outcome, with an error and without.
fn mutants(domain: &IntegerDomain) -> Vec<Vec<Outcome>> {
    let integers = domain.elements().map(Outcome::Integer);
    integers
        .flat_map(|outcome| [vec![outcome], vec![outcome, Outcome::Error]])
        .chain([vec![Outcome::Error]])
        .collect()
}

/// Compares the loader with enumeration; how many mutants there are, and how many are refused.
fn check(name: &str, expected: &Expect) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/erlang/domains/");
    let text = std::fs::read_to_string(format!("{folder}{name}")).expect("a domain");
    // The head of the file, without its own lines about operations.
    let head = text.split("\n\n").next().expect("a head").to_owned() + "\n";
    let domain = loaded(&head);
    let reference = Reference::new(&domain);
    let (mut count, mut refused) = (0, 0);
    for operation in BinaryOperation::ALL {
        let images = reference.images(operation);
        for (i, a) in domain.elements().enumerate() {
            for (j, b) in domain.elements().enumerate() {
                let required = reference.required(&images, a, b);
                for outcomes in mutants(&domain) {
                    let row = row(&domain, operation, [i, j], &outcomes);
                    let (loaded, diagnostics) = load(&format!("{head}{row}"));
                    let is_right = reference.covers(&outcomes, &required);
                    assert_eq!(loaded.is_some(), is_right, "{row}{}", rendered(&diagnostics));
                    let codes: Vec<&str> = diagnostics.iter().map(|one| one.diagnostic.code).collect();
                    assert_eq!(codes.contains(&"domain::unsound"), !is_right);
                    count += 1;
                    refused += usize::from(!is_right);
                }
            }
        }
    }
    expected.assert_eq(&format!("{count} lines, {refused} refused"));
}

#[test]
fn every_wrong_line_is_refused_and_every_right_one_is_taken() {
    check("even-odd.domain", &expect!["630 lines, 400 refused"]);
    check("overlapping-with-zero.domain", &expect!["1440 lines, 838 refused"]);
    check("at-most.domain", &expect!["630 lines, 445 refused"]);
    check("empty-zero.domain", &expect!["1440 lines, 567 refused"]);
}

#[test]
fn a_table_that_is_written_out_is_the_computed_one() {
    let computed = integers(&["overlapping-with-zero.domain"]);
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/erlang/domains/");
    let mut text =
        std::fs::read_to_string(format!("{folder}overlapping-with-zero.domain")).expect("a domain");
    for operation in BinaryOperation::ALL {
        for (i, a) in computed.elements().enumerate() {
            for (j, b) in computed.elements().enumerate() {
                text += &row(&computed, operation, [i, j], computed.binary(operation, a, b));
            }
        }
    }
    let written = loaded(&text);
    assert_eq!(written.assumptions(), &[] as &[String]);
    for operation in BinaryOperation::ALL {
        for (a, b) in computed.elements().flat_map(|a| computed.elements().map(move |b| (a, b))) {
            assert_eq!(written.binary(operation, a, b), computed.binary(operation, a, b));
        }
    }
}
