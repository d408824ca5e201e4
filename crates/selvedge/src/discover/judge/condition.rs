//! Conditions of laws: the user's predicates, comparisons with constants, and comparisons of two variables.
//!
//! Conditions that hold for the same values are one condition. The weakest come first, so a law with a
//! stronger condition follows from that with a weaker one, and is not reported.

use crate::discover::engine::Engine;
use crate::discover::signature::{Datum, NamedPredicate, TypeIndex, Vocabulary};
use std::cmp::Ordering;
use std::sync::Arc;

/// A comparison of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    Different,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparison {
    /// Of those that say the same, the first is shown.
    const ALL: [Comparison; 6] = [
        Comparison::Equal,
        Comparison::Different,
        Comparison::GreaterOrEqual,
        Comparison::LessOrEqual,
        Comparison::Greater,
        Comparison::Less,
    ];

    /// As it is written.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Comparison::Equal => "==",
            Comparison::Different => "!=",
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
        }
    }

    pub(crate) fn of_sign(sign: &str) -> Option<Comparison> {
        Comparison::ALL.into_iter().find(|comparison| comparison.sign() == sign)
    }

    pub(crate) fn holds(self, left: &Datum, right: &Datum) -> bool {
        let order = left.cmp(right);
        match self {
            Comparison::Equal => order == Ordering::Equal,
            Comparison::Different => order != Ordering::Equal,
            Comparison::Less => order == Ordering::Less,
            Comparison::LessOrEqual => order != Ordering::Greater,
            Comparison::Greater => order == Ordering::Greater,
            Comparison::GreaterOrEqual => order != Ordering::Less,
        }
    }
}

/// A condition without the variables that it is about.
#[derive(Clone, Debug)]
pub(crate) enum Restraint {
    /// A variable of this type has one of these values, by their places.
    Values { of: TypeIndex, places: Vec<usize>, text: Text },
    /// Two variables of this type have one of these pairs of values.
    Pairs { of: TypeIndex, pairs: Vec<(usize, usize)>, comparison: Comparison },
    /// The seed is one of these, by their places.
    Seeds { seeds: Vec<usize>, text: String },
}

/// How a condition on one variable is written.
#[derive(Clone, Debug)]
pub(crate) enum Text {
    /// A comparison with a constant.
    Constant(Comparison, String),
    /// A predicate of the user, and the name of the variable in it.
    Predicate(String, &'static str),
}

impl Text {
    /// The text about this variable.
    pub(crate) fn about(&self, variable: &str) -> String {
        match self {
            Text::Constant(comparison, constant) => format!("{variable} {} {constant}", comparison.sign()),
            Text::Predicate(text, name) => with_variable(text, name, variable),
        }
    }
}

/// The text of a predicate about another variable: the word is replaced wherever it stands alone.
pub(crate) fn with_variable(text: &str, name: &str, variable: &str) -> String {
    let mut result = String::new();
    let mut word = String::new();
    for char in text.chars().chain(['\n']) {
        if char.is_alphanumeric() || char == '_' {
            word.push(char);
            continue;
        }
        result.push_str(if word == name { variable } else { &word });
        word.clear();
        result.push(char);
    }
    result.pop();
    result
}

impl Restraint {
    fn weight(&self) -> f64 {
        match self {
            Restraint::Values { places, .. } => places.len() as f64 * 10.0,
            Restraint::Pairs { pairs, .. } => pairs.len() as f64,
            Restraint::Seeds { seeds, .. } => seeds.len() as f64,
        }
    }

    /// The variables of a term that it may be about: one at a time, and all of the type.
    pub(crate) fn choices(&self, types: &[TypeIndex]) -> Vec<Vec<usize>> {
        let of_type = |of: &TypeIndex| -> Vec<usize> {
            (0..types.len()).filter(|variable| types[*variable] == *of).collect()
        };
        match self {
            Restraint::Values { of, .. } => {
                let variables = of_type(of);
                let all = (variables.len() > 1).then(|| variables.clone());
                variables.into_iter().map(|variable| vec![variable]).chain(all).collect()
            }
            Restraint::Pairs { of, .. } => {
                let variables = of_type(of);
                let pairs =
                    variables.iter().flat_map(|one| variables.iter().map(move |other| vec![*one, *other]));
                pairs.filter(|pair| pair[0] != pair[1]).collect()
            }
            Restraint::Seeds { .. } => Vec::new(),
        }
    }

    /// All conditions on values of the vocabulary's types, the weakest first.
    pub(crate) fn all(engine: &Engine) -> Vec<Restraint> {
        let mut all = Vec::new();
        for of in 0..engine.vocabulary.types.len() as TypeIndex {
            let values: Vec<Datum> = engine.domains[usize::from(of)]
                .iter()
                .map(|value| engine.values.get(*value).clone())
                .collect();
            all.extend(on_values(&engine.vocabulary, of, &values));
            all.extend(on_pairs(of, &values));
        }
        all.sort_by(|one, other| other.weight().total_cmp(&one.weight()));
        all
    }

    /// All conditions on seeds, the weakest first.
    pub(crate) fn on_seeds(engine: &Engine) -> Vec<Restraint> {
        let restraint = |predicate: &NamedPredicate| {
            let all = 0..engine.seeds.len();
            let seeds: Vec<usize> = all.filter(|seed| (predicate.holds)(&engine.seeds[*seed])).collect();
            Restraint::Seeds { seeds, text: predicate.text.clone() }
        };
        let mut all: Vec<Restraint> = engine.vocabulary.seed_predicates.iter().map(restraint).collect();
        all.retain(|restraint| restraint.weight() > 0.0);
        all.sort_by(|one, other| other.weight().total_cmp(&one.weight()));
        all
    }
}

/// Conditions on one variable: some values satisfy them, and some do not.
fn on_values(vocabulary: &Vocabulary, of: TypeIndex, values: &[Datum]) -> Vec<Restraint> {
    let mut all: Vec<Restraint> = Vec::new();
    let mut add = |holds: &dyn Fn(&Datum) -> bool, text: Text| {
        let satisfied: Vec<usize> = (0..values.len()).filter(|place| holds(&values[*place])).collect();
        let is_trivial = satisfied.is_empty() || satisfied.len() == values.len();
        let is_known = all.iter().any(|known| {
            let Restraint::Values { places, .. } = known else { return false };
            *places == satisfied
        });
        if !is_trivial && !is_known {
            all.push(Restraint::Values { of, places: satisfied, text });
        }
    };
    for predicate in vocabulary.predicates.iter().filter(|predicate| predicate.of == of) {
        let named = &predicate.named;
        add(&|value| (named.holds)(value), Text::Predicate(named.text.clone(), named.variable));
    }
    let mut constants: Vec<(String, Datum)> = vocabulary
        .constants
        .iter()
        .filter(|constant| constant.of == of)
        .map(|constant| (constant.name.clone(), constant.value.clone()))
        .collect();
    // The least value stands for a constant, even if the signature has none.
    if let Some(first) = values.first()
        && constants.iter().all(|(_, value)| value != first)
    {
        constants.push((format!("{first:?}"), first.clone()));
    }
    for (name, constant) in &constants {
        for comparison in Comparison::ALL {
            add(&|value| comparison.holds(value, constant), Text::Constant(comparison, name.clone()));
        }
    }
    all
}

/// Comparisons of two variables. Equal variables are one variable.
fn on_pairs(of: TypeIndex, values: &[Datum]) -> Vec<Restraint> {
    let comparisons = [Comparison::Different, Comparison::LessOrEqual, Comparison::Less];
    let pairs = |comparison: Comparison| {
        let places = 0..values.len();
        let all = places.clone().flat_map(|one| places.clone().map(move |other| (one, other)));
        all.filter(|(one, other)| comparison.holds(&values[*one], &values[*other])).collect()
    };
    let all = comparisons.map(|comparison| Restraint::Pairs { of, pairs: pairs(comparison), comparison });
    all.into_iter().filter(|restraint| restraint.weight() > 0.0).collect()
}

/// The condition of a law.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    pub(crate) restraint: Arc<Restraint>,
    /// The variables of the law that it is about.
    pub(crate) on: Vec<usize>,
}

impl Condition {
    /// Whether it holds for values at these places.
    pub(crate) fn admits(&self, places: &[usize]) -> bool {
        match &*self.restraint {
            Restraint::Values { places: satisfied, .. } => {
                self.on.iter().all(|variable| satisfied.contains(&places[*variable]))
            }
            Restraint::Pairs { pairs, .. } => pairs.contains(&(places[self.on[0]], places[self.on[1]])),
            Restraint::Seeds { .. } => true,
        }
    }

    /// Its parts as text, with these names of variables.
    pub(crate) fn texts(&self, names: &[String]) -> Vec<String> {
        match &*self.restraint {
            Restraint::Values { text, .. } => {
                self.on.iter().map(|variable| text.about(&names[*variable])).collect()
            }
            Restraint::Pairs { comparison, .. } => {
                vec![format!("{} {} {}", names[self.on[0]], comparison.sign(), names[self.on[1]])]
            }
            Restraint::Seeds { text, .. } => vec![text.clone()],
        }
    }

    /// Whether it is about this seed, by its place.
    pub(crate) fn admits_seed(&self, seed: usize) -> bool {
        match &*self.restraint {
            Restraint::Seeds { seeds, .. } => seeds.contains(&seed),
            _ => true,
        }
    }

    /// Whether it is about seeds.
    pub(crate) fn is_on_seeds(&self) -> bool {
        matches!(*self.restraint, Restraint::Seeds { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predicates_are_written_about_other_variables() {
        assert_eq!(with_variable("x > 0", "x", "x1"), "x1 > 0");
        assert_eq!(with_variable("max x y == x", "x", "z"), "max z y == z");
        assert_eq!(with_variable("xs", "x", "z"), "xs");
    }
}
