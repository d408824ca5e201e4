//! Formulas of linear temporal logic, as they are written.
//!
//! [`Formula`] is the syntax tree of the written formula, generic in its propositions as the `LTL a` of
//! Stolz and Huch (Runtime Verification of Concurrent Haskell Programs, §3.2). Nothing is rewritten here:
//! the algorithms work on the interned normal form of [`crate::nnf`].
//!
//! ```
//! use selvedge_ltl::Formula;
//! let formula = Formula::prop("request").implies(Formula::prop("grant").eventually()).always();
//! assert_eq!(formula.to_string(), "G (request -> F grant)");
//! ```

use std::ops::{BitAnd, BitOr, Not};

/// A formula over propositions of type `P`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Formula<P> {
    /// `true` or `false`.
    Const(bool),
    /// A proposition.
    Prop(P),
    /// An operator before one formula.
    Unary(Unary, Box<Formula<P>>),
    /// An operator between two formulas.
    Binary(Binary, Box<Formula<P>>, Box<Formula<P>>),
}

/// The operators that take one formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unary {
    /// `!`
    Not,
    /// `X`: there is a next state, and the formula holds in it.
    Next,
    /// `WX`: if there is a next state, the formula holds in it.
    WeakNext,
    /// `F`, `<>`
    Eventually,
    /// `G`, `[]`
    Always,
    /// `Y`: there is a previous state, and the formula held in it.
    Previous,
    /// `WY`, `Z`: if there is a previous state, the formula held in it.
    WeakPrevious,
    /// `O`: now or earlier.
    Once,
    /// `H`: now and always before.
    Historically,
}

/// The operators that take two formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Binary {
    /// `&`
    And,
    /// `|`
    Or,
    /// `->`
    Implies,
    /// `<->`
    Iff,
    /// `a U b`: b holds eventually, and a holds until then.
    Until,
    /// `a R b`, `a V b`: b holds up to and including the state where a does; for ever if a never does.
    Release,
    /// `a W b`: `a U b`, or a for ever.
    WeakUntil,
    /// `a M b`: `a R b`, and a holds eventually.
    StrongRelease,
    /// `a S b`: b held once, and a ever since.
    Since,
    /// `a T b`: b held always, or since a did (then included).
    Triggered,
}

impl Unary {
    /// Every operator, for tables and generators.
    pub const ALL: [Unary; 9] = [
        Unary::Not,
        Unary::Next,
        Unary::WeakNext,
        Unary::Eventually,
        Unary::Always,
        Unary::Previous,
        Unary::WeakPrevious,
        Unary::Once,
        Unary::Historically,
    ];

    /// Is it a past operator?
    pub fn is_past(self) -> bool {
        matches!(self, Unary::Previous | Unary::WeakPrevious | Unary::Once | Unary::Historically)
    }
}

impl Binary {
    /// Every operator, for tables and generators.
    pub const ALL: [Binary; 10] = [
        Binary::And,
        Binary::Or,
        Binary::Implies,
        Binary::Iff,
        Binary::Until,
        Binary::Release,
        Binary::WeakUntil,
        Binary::StrongRelease,
        Binary::Since,
        Binary::Triggered,
    ];

    /// Is it a past operator?
    pub fn is_past(self) -> bool {
        matches!(self, Binary::Since | Binary::Triggered)
    }
}

/// Methods named after the operators; each takes the formula as its (left) operand.
macro_rules! operators {
    ($($method:ident $operator:expr;)*) => { $(
        #[doc = concat!("`", stringify!($operator), "` of this formula.")]
        #[must_use]
        pub fn $method(self) -> Self { Formula::Unary($operator, Box::new(self)) }
    )* };
    (binary $($method:ident $operator:expr;)*) => { $(
        #[doc = concat!("`", stringify!($operator), "` of this formula and another.")]
        #[must_use]
        pub fn $method(self, right: Self) -> Self {
            Formula::Binary($operator, Box::new(self), Box::new(right))
        }
    )* };
}

impl<P> Formula<P> {
    /// The formula that always holds.
    pub const TRUE: Formula<P> = Formula::Const(true);
    /// The formula that never holds.
    pub const FALSE: Formula<P> = Formula::Const(false);

    /// A proposition.
    pub fn prop(proposition: P) -> Self {
        Formula::Prop(proposition)
    }

    operators! {
        next Unary::Next;
        weak_next Unary::WeakNext;
        eventually Unary::Eventually;
        always Unary::Always;
        previous Unary::Previous;
        weak_previous Unary::WeakPrevious;
        once Unary::Once;
        historically Unary::Historically;
    }
    operators! { binary
        and Binary::And;
        or Binary::Or;
        implies Binary::Implies;
        iff Binary::Iff;
        until Binary::Until;
        release Binary::Release;
        weak_until Binary::WeakUntil;
        strong_release Binary::StrongRelease;
        since Binary::Since;
        triggered Binary::Triggered;
    }

    /// The operands, left to right.
    pub fn children(&self) -> impl Iterator<Item = &Formula<P>> {
        let (left, right) = match self {
            Formula::Const(_) | Formula::Prop(_) => (None, None),
            Formula::Unary(_, inner) => (Some(&**inner), None),
            Formula::Binary(_, left, right) => (Some(&**left), Some(&**right)),
        };
        left.into_iter().chain(right)
    }

    /// The number of operators, propositions and constants.
    pub fn size(&self) -> usize {
        1 + self.children().map(Formula::size).sum::<usize>()
    }

    /// The length of the longest path from the root to a leaf, in nodes.
    pub fn depth(&self) -> usize {
        1 + self.children().map(Formula::depth).max().unwrap_or(0)
    }

    /// Does a past operator occur?
    pub fn has_past(&self) -> bool {
        let here = match self {
            Formula::Unary(operator, _) => operator.is_past(),
            Formula::Binary(operator, ..) => operator.is_past(),
            Formula::Const(_) | Formula::Prop(_) => false,
        };
        here || self.children().any(Formula::has_past)
    }

    /// Calls `visit` with each proposition, in the order of the text, as often as it occurs.
    pub fn propositions<'a>(&'a self, visit: &mut impl FnMut(&'a P)) {
        if let Formula::Prop(proposition) = self {
            visit(proposition);
        }
        for child in self.children() {
            child.propositions(visit);
        }
    }

    /// The same formula over other propositions.
    pub fn map<Q>(&self, rename: &mut impl FnMut(&P) -> Q) -> Formula<Q> {
        self.substitute(&mut |proposition| Formula::Prop(rename(proposition)))
    }

    /// The formula with another in the place of each proposition.
    pub fn substitute<Q>(&self, replace: &mut impl FnMut(&P) -> Formula<Q>) -> Formula<Q> {
        match self {
            Formula::Const(value) => Formula::Const(*value),
            Formula::Prop(proposition) => replace(proposition),
            Formula::Unary(operator, inner) => Formula::Unary(*operator, Box::new(inner.substitute(replace))),
            Formula::Binary(operator, left, right) => {
                let left = left.substitute(replace);
                Formula::Binary(*operator, Box::new(left), Box::new(right.substitute(replace)))
            }
        }
    }
}

impl<P> Not for Formula<P> {
    type Output = Self;
    fn not(self) -> Self {
        Formula::Unary(Unary::Not, Box::new(self))
    }
}

impl<P> BitAnd for Formula<P> {
    type Output = Self;
    fn bitand(self, right: Self) -> Self {
        self.and(right)
    }
}

impl<P> BitOr for Formula<P> {
    type Output = Self;
    fn bitor(self, right: Self) -> Self {
        self.or(right)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(name: &str) -> Formula<&str> {
        Formula::prop(name)
    }

    #[test]
    fn size_counts_every_node() {
        assert_eq!((p("a") & !p("b")).until(Formula::TRUE).size(), 6);
    }

    #[test]
    fn past_operators_below_future_operators_are_found() {
        assert!(p("a").once().always().has_past());
        assert!(!p("a").until(p("b")).has_past());
    }

    #[test]
    fn substitution_reaches_every_occurrence() {
        let formula = p("a").until(p("a").next());
        assert_eq!(formula.substitute(&mut |_| !p("b")), (!p("b")).until((!p("b")).next()));
    }
}
