//! Quantified formulas: templates in text, `forall t1 != t2, a != b: …`, indexed by data.
//!
//! The values of a variable are those that occur in its places in propositions that were set. Each
//! combination of values is an *instance*, checked as if it had been there since the template was. Its
//! propositions that were not set yet were false all the time. So the progress of a new instance is known
//! without looking back: it is that of the *partial* instance in which the variable with the new value had
//! no value, and all propositions with that variable were false. Partial instances are progressed with the
//! others (compare Chen and Roşu, Parametric Trace Slicing and Monitoring, TACAS 2009, where a new instance
//! takes the state of the most informative one before it).
//!
//! Promise: the number of combinations that are considered is the number of those of values; an instance
//! is added in constant time for each of its propositions.

use crate::fact::{Argument, Call, Calls, Fact, Value};
use crate::instances::InstanceId;
use rustc_hash::FxHashSet;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;
use selvedge_ltl::syntax::parse_range;
use selvedge_ltl::{Alphabet, Formula, Prop};
use std::fmt;
use std::sync::Arc;

/// A formula for all values of some variables.
#[derive(Clone, Debug)]
pub struct Quantified<P> {
    pub(crate) text: Arc<str>,
    pub(crate) variables: Vec<String>,
    /// Pairs of variables whose values differ.
    pub(crate) unequal: Vec<(usize, usize)>,
    /// By number of a proposition of the formula, its pattern,
    pub(crate) patterns: Vec<Arc<dyn Pattern<P>>>,
    /// and its text.
    pub(crate) atoms: Vec<String>,
    pub(crate) formula: Formula<Prop>,
    pub(crate) is_from_now: bool,
}

/// A set of propositions that differ in the values of variables.
pub trait Pattern<P>: fmt::Debug + Send + Sync {
    /// The variables, by number, with their values in this proposition; `None` if it is not in the set.
    fn matches(&self, prop: &P) -> Option<Vec<(usize, Value)>>;

    /// The proposition with these values; `None` if a variable of it has none.
    fn instantiate(&self, values: &[Option<Value>]) -> Option<P>;
}

impl<P> Quantified<P> {
    /// The same, with instances that are checked from the state on in which they are made.
    #[must_use]
    pub fn from_now(mut self) -> Quantified<P> {
        self.is_from_now = true;
        self
    }

    /// Whether a pattern may match a proposition with this name. False only if none does.
    pub(crate) fn may_mention(&self, name: &str) -> bool {
        // Other names may be written with quotes and escapes.
        let is_word = name.chars().all(|c| c.is_alphanumeric() || c == '_');
        !is_word || self.atoms.iter().any(|atom| atom.contains(name))
    }

    /// May these values stand together?
    pub(crate) fn allows(&self, values: &[Option<Value>]) -> bool {
        self.unequal.iter().all(|(one, other)| match (&values[*one], &values[*other]) {
            (Some(one), Some(other)) => one != other,
            _ => true,
        })
    }

    /// The values as text: `t1 = 3, a = "queue"`.
    pub(crate) fn binding(&self, values: &[Option<Value>]) -> String {
        let parts = self.variables.iter().zip(values);
        let parts = parts.filter_map(|(name, value)| Some(format!("{name} = {}", value.as_ref()?)));
        parts.collect::<Vec<_>>().join(", ")
    }
}

/// The values and partial instances of a quantified formula.
#[derive(Debug)]
pub(crate) struct Expansion {
    domains: Vec<FxHashSet<Value>>,
    pub(crate) partials: Vec<Partial>,
    /// The number of combinations of values for all variables that were considered.
    pub(crate) combinations: u64,
}

/// A combination with a variable that has no value.
#[derive(Clone, Debug)]
pub(crate) struct Partial {
    pub(crate) values: Box<[Option<Value>]>,
    pub(crate) instance: InstanceId,
}

/// A combination that is to be made of a partial one.
#[derive(Debug)]
pub(crate) struct Combination {
    pub(crate) parent: InstanceId,
    pub(crate) values: Box<[Option<Value>]>,
}

impl Combination {
    /// Has every variable a value?
    pub(crate) fn is_complete(&self) -> bool {
        self.values.iter().all(Option::is_some)
    }
}

impl Expansion {
    pub(crate) fn new(variable_count: usize) -> Expansion {
        Expansion {
            domains: vec![FxHashSet::default(); variable_count],
            partials: Vec::new(),
            combinations: 0,
        }
    }

    /// The values that a new proposition gives to variables, without values that are known.
    pub(crate) fn new_values<P>(&self, quantified: &Quantified<P>, prop: &P) -> Vec<(usize, Value)> {
        let mut found: Vec<(usize, Value)> =
            quantified.patterns.iter().filter_map(|pattern| pattern.matches(prop)).flatten().collect();
        found.retain(|(variable, value)| !self.domains[*variable].contains(value));
        found.sort();
        found.dedup();
        found
    }

    /// Forgets that a variable has had this value.
    pub(crate) fn forget_value(&mut self, variable: usize, value: &Value) {
        self.domains[variable].remove(value);
    }

    /// Adds a value; returns the combinations that it makes of the partial ones.
    pub(crate) fn add_value<P>(
        &mut self,
        quantified: &Quantified<P>,
        variable: usize,
        value: &Value,
    ) -> Vec<Combination> {
        self.domains[variable].insert(value.clone());
        let mut made = Vec::new();
        for partial in self.partials.iter().filter(|partial| partial.values[variable].is_none()) {
            let mut values = partial.values.clone();
            values[variable] = Some(value.clone());
            if values.iter().all(Option::is_some) {
                self.combinations += 1;
            }
            if quantified.allows(&values) {
                made.push(Combination { parent: partial.instance, values });
            }
        }
        made
    }
}

/// The word that begins a quantified formula.
const FORALL: &str = "forall";

/// Does the text begin with `forall`?
pub(crate) fn is_quantified(text: &str) -> bool {
    text.trim_start().strip_prefix(FORALL).is_some_and(|rest| rest.starts_with(|c: char| c.is_whitespace()))
}

/// The propositions with a name and some arguments, of which some are variables.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FactPattern {
    name: Arc<str>,
    arguments: Vec<PatternArgument>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum PatternArgument {
    Variable(usize),
    Value(Value),
}

impl FactPattern {
    fn text(&self, variables: &[String]) -> String {
        let arguments = self.arguments.iter().map(|argument| match argument {
            PatternArgument::Variable(variable) => variables[*variable].clone(),
            PatternArgument::Value(value) => value.to_string(),
        });
        match arguments.collect::<Vec<_>>().join(", ") {
            none if none.is_empty() => self.name.to_string(),
            some => format!("{}({some})", self.name),
        }
    }
}

impl Pattern<Fact> for FactPattern {
    fn matches(&self, prop: &Fact) -> Option<Vec<(usize, Value)>> {
        if *self.name != *prop.name() || self.arguments.len() != prop.data().len() {
            return None;
        }
        let mut values: Vec<(usize, Value)> = Vec::new();
        for (argument, value) in self.arguments.iter().zip(prop.data()) {
            match argument {
                PatternArgument::Value(expected) if expected == value => {}
                PatternArgument::Value(_) => return None,
                PatternArgument::Variable(variable) => {
                    let differs = |(other, known): &(usize, Value)| other == variable && known != value;
                    if values.iter().any(differs) {
                        return None;
                    }
                    values.push((*variable, value.clone()));
                }
            }
        }
        Some(values)
    }

    fn instantiate(&self, values: &[Option<Value>]) -> Option<Fact> {
        let data = self.arguments.iter().map(|argument| match argument {
            PatternArgument::Variable(variable) => values[*variable].clone(),
            PatternArgument::Value(value) => Some(value.clone()),
        });
        Some(Fact::new(self.name.clone(), data.collect::<Option<Vec<Value>>>()?))
    }
}

/// Parses `forall x, y != z: formula`.
pub(crate) fn parse_quantified(text: &str) -> Result<Quantified<Fact>, Vec<Diagnostic>> {
    let start = text.len() - text.trim_start().len() + FORALL.len();
    let Some(colon) = text[start..].find(':').map(|at| start + at) else {
        let span = Span::new(start - FORALL.len(), start);
        let error = Diagnostic::error("ltl::forall", "no formula follows the variables", span, "");
        return Err(vec![error.help("write `forall x, y: formula`")]);
    };
    let mut variables = Variables::default();
    variables.read(text, Span::new(start, colon))?;
    let body = Span::new(colon + 1, text.len());
    let written = parse_range(text, body, &Calls).into_result()?;
    let mut used = vec![false; variables.names.len()];
    let mut alphabet: Alphabet<FactPattern> = Alphabet::default();
    let patterns = written.map(&mut |call| variables.pattern(call, &mut used));
    let formula = alphabet.number(&patterns).map_err(|error| {
        vec![Diagnostic::error("ltl::too-many-propositions", error.to_string(), body, "")]
    })?;
    if let Some(unused) = used.iter().position(|used| !used) {
        return Err(vec![variables.unused(unused)]);
    }
    let atoms = alphabet.names().iter().map(|pattern| pattern.text(&variables.names)).collect();
    let patterns = alphabet.names().iter().cloned();
    Ok(Quantified {
        text: text.trim().into(),
        atoms,
        variables: variables.names,
        unequal: variables.unequal,
        patterns: patterns.map(|pattern| Arc::new(pattern) as Arc<dyn Pattern<Fact>>).collect(),
        formula,
        is_from_now: false,
    })
}

/// The variables behind `forall`.
#[derive(Default)]
struct Variables {
    names: Vec<String>,
    spans: Vec<Span>,
    unequal: Vec<(usize, usize)>,
}

impl Variables {
    fn read(&mut self, text: &str, range: Span) -> Result<(), Vec<Diagnostic>> {
        let mut at = range.start;
        for part in text[range.range()].split(',') {
            let mut previous = None;
            for name in part.split("!=") {
                let start = at + name.len() - name.trim_start().len();
                let span = Span::new(start, start + name.trim().len());
                let variable = self.variable(name.trim(), span)?;
                if let Some(previous) = previous {
                    self.unequal.push((previous, variable));
                }
                previous = Some(variable);
                at += name.len() + "!=".len();
            }
            at -= "!=".len();
            at += ",".len();
        }
        Ok(())
    }

    /// The number of a variable; a new name is a new variable.
    fn variable(&mut self, name: &str, span: Span) -> Result<usize, Vec<Diagnostic>> {
        let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if !is_name {
            let error =
                Diagnostic::error("ltl::forall", "expected the name of a variable", span, "not a name");
            return Err(vec![error.help("write `forall x, y != z: formula`")]);
        }
        if let Some(known) = self.names.iter().position(|known| known == name) {
            return Ok(known);
        }
        self.names.push(name.to_owned());
        self.spans.push(span);
        Ok(self.names.len() - 1)
    }

    fn pattern(&self, call: &Call, used: &mut [bool]) -> FactPattern {
        let arguments = call.arguments.iter().map(|argument| {
            let word = match argument {
                Argument::Word(word) => self.names.iter().position(|name| name == word),
                Argument::Value(_) => None,
            };
            match word {
                Some(variable) => {
                    used[variable] = true;
                    PatternArgument::Variable(variable)
                }
                None => PatternArgument::Value(argument.clone().into_value()),
            }
        });
        FactPattern { name: call.name.as_str().into(), arguments: arguments.collect() }
    }

    fn unused(&self, variable: usize) -> Diagnostic {
        let name = &self.names[variable];
        let message = format!("the variable `{name}` does not occur in the formula");
        let error = Diagnostic::error("ltl::forall", message, self.spans[variable], "declared here");
        error.help("a variable is an argument of a proposition, as in `holds(x)`")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_matched_by_their_places() {
        let text = "forall t1 != t2, a: G !(holds(t1, a) & holds(t2, a) & open)";
        let quantified = parse_quantified(text).expect("a template");
        assert_eq!(quantified.variables, ["t1", "t2", "a"]);
        assert_eq!(quantified.unequal, [(0, 1)]);
        let found = quantified.patterns[1].matches(&Fact::from(("holds", 3, "queue")));
        assert_eq!(found, Some(vec![(1, Value::from(3)), (2, Value::from("queue"))]));
        assert_eq!(quantified.patterns[1].matches(&Fact::from(("holds", 3))), None);
        assert_eq!(quantified.patterns[2].matches(&Fact::from("open")), Some(Vec::new()));
    }

    #[track_caller]
    fn check_error(text: &str, message: &str, place: &str) {
        let errors = parse_quantified(text).map(|_| ()).expect_err("an error");
        assert_eq!(errors[0].message, message);
        assert_eq!(&text[errors[0].primary.0.range()], place);
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        check_error("forall x G p(x)", "no formula follows the variables", "forall");
        check_error("forall x, 3: G p(x)", "expected the name of a variable", "3");
        check_error("forall x != y: G p(x)", "the variable `y` does not occur in the formula", "y");
    }
}
