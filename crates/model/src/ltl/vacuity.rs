//! Does a formula hold only because an antecedent in it never happens?
//!
//! The antecedents are those of [`selvedge_ltl::vacuity`].
//!
//! Promise: a returned antecedent happens on no run (no fair run). Other kinds of vacuity are not detected.

use crate::check::{CheckError, Options, Verdict, check};
use crate::search::Budget;
use crate::system::System;
use selvedge_ltl::vacuity::antecedents;
use selvedge_ltl::{Formula, Prop};

/// The first antecedent in the formula that never happens; `None` if each happens on some run, or a limit
/// was reached before that was clear. For a formula that holds.
pub fn find_vacuity<S: System>(
    system: &S,
    formula: &Formula<Prop>,
    options: Options<'_>,
) -> Result<Option<Formula<Prop>>, CheckError> {
    // Most antecedents happen, and depth first finds out where soon.
    let budget = Budget { workers: 1, ..options.budget };
    let options = Options { budget, ..options };
    for part in antecedents(formula) {
        if check(system, &part.never, options)?.verdict == Verdict::Holds {
            return Ok(Some(part.antecedent));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explicit::Graph;
    use selvedge_ltl::{Alphabet, Letter};

    /// A run through p, then q, for ever.
    #[track_caller]
    fn check(formula: &str, expected: Option<&str>) {
        let mut alphabet = Alphabet::default();
        alphabet.number(&"p & q & r".parse().expect("a formula")).expect("few propositions");
        let formula = alphabet.number(&formula.parse().expect("a formula")).expect("few propositions");
        let graph = Graph::new(vec![Letter::exactly(1), Letter::exactly(2)], vec![(0, 0, 1), (1, 0, 0)], 1);
        let antecedent = find_vacuity(&graph, &formula, Options::default()).expect("a small formula");
        let antecedent =
            antecedent.map(|formula| formula.map(&mut |prop| alphabet.name(*prop).clone()).to_string());
        assert_eq!(antecedent.as_deref(), expected);
    }

    #[test]
    fn an_antecedent_that_never_happens_is_found() {
        check("G (r -> F q)", Some("r"));
        check("G (p -> F q) & G (q & p -> F q)", Some("q & p"));
        check("G F r -> G F p", Some("G F r"));
        check("G (p -> q -> p)", Some("q"));
    }

    #[test]
    fn antecedents_that_happen_are_not_reported() {
        check("G (p -> F q)", None);
        check("G F p -> G F q", None);
        check("F q", None);
    }
}
