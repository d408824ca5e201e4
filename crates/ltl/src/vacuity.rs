//! Antecedents: what must happen for a formula to say anything.
//!
//! Antecedent failure (Beer, Ben-David, Eisner and Rodeh, Efficient Detection of Vacuity in ACTL Formulas,
//! CAV'97, in its simplest form): `G (a -> b)` holds if a never happens, and then says nothing of b.
//! Implications are searched for below `G`, conjunctions and the right sides of other implications. Other
//! kinds of vacuity are not detected.

use crate::{Binary, Formula, Unary};

/// An antecedent of a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Antecedent<P> {
    /// The left side of an implication.
    pub antecedent: Formula<P>,
    /// The formula that says that it never happens where it would matter.
    pub never: Formula<P>,
}

/// The antecedents of a formula, in the order of the text.
///
/// ```
/// use selvedge_ltl::{Formula, vacuity::antecedents};
/// let formula: Formula<String> = "G (request -> F grant)".parse().unwrap();
/// assert_eq!(antecedents(&formula)[0].antecedent.to_string(), "request");
/// assert_eq!(antecedents(&formula)[0].never.to_string(), "G !request");
/// ```
pub fn antecedents<P: Clone>(formula: &Formula<P>) -> Vec<Antecedent<P>> {
    match formula {
        Formula::Binary(Binary::And, left, right) => {
            antecedents(left).into_iter().chain(antecedents(right)).collect()
        }
        Formula::Unary(Unary::Always, inner) => {
            let always = |below: Antecedent<P>| Antecedent { never: below.never.always(), ..below };
            antecedents(inner).into_iter().map(always).collect()
        }
        Formula::Binary(Binary::Implies, left, right) => {
            let own = Antecedent { antecedent: (**left).clone(), never: !(**left).clone() };
            let below =
                |below: Antecedent<P>| Antecedent { never: (**left).clone().implies(below.never), ..below };
            std::iter::once(own).chain(antecedents(right).into_iter().map(below)).collect()
        }
        _ => Vec::new(),
    }
}
