//! The value that a body returned, without its type.
//!
//! The engine is compiled once, for this type, in this crate: not again for each type of value in each crate
//! that explores, where it might not even be optimised. A value is one box; a value of size zero takes no
//! memory.

use super::{Outcome, Report};
use std::any::Any;
use std::cmp::Ordering;
use std::fmt::{self, Debug};

/// The operations on values that the engine needs.
trait Returned: Any + Send {
    fn compare(&self, other: &dyn Returned) -> Ordering;
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
    fn duplicate(&self) -> Box<dyn Returned>;
    fn as_any(&self) -> &dyn Any;
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

/// All values of one exploration have one type.
const ONE_TYPE: &str = "the values of an exploration are of one type";

impl<T: Ord + Clone + Debug + Send + 'static> Returned for T {
    fn compare(&self, other: &dyn Returned) -> Ordering {
        self.cmp(other.as_any().downcast_ref().expect(ONE_TYPE))
    }

    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt(f)
    }

    fn duplicate(&self) -> Box<dyn Returned> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// A value that a body returned.
pub(crate) struct Value(Box<dyn Returned>);

impl Value {
    pub(in crate::explorer) fn new<T: Ord + Clone + Debug + Send + 'static>(value: T) -> Value {
        Value(Box::new(value))
    }

    fn get<T: 'static>(&self) -> &T {
        (*self.0).as_any().downcast_ref().expect(ONE_TYPE)
    }

    fn into_typed<T: 'static>(self) -> T {
        *self.0.into_any().downcast().expect(ONE_TYPE)
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Value {}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Value) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Value) -> Ordering {
        (*self.0).compare(&*other.0)
    }
}

impl Clone for Value {
    fn clone(&self) -> Value {
        Value((*self.0).duplicate())
    }
}

impl Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (*self.0).show(f)
    }
}

impl Outcome<Value> {
    /// The same outcome with the value's type.
    pub(super) fn to_typed<T: Clone + 'static>(&self) -> Outcome<T> {
        match self {
            Outcome::Returned(value) => Outcome::Returned(value.get::<T>().clone()),
            other => other.clone().into_typed(),
        }
    }

    fn into_typed<T: 'static>(self) -> Outcome<T> {
        match self {
            Outcome::Returned(value) => Outcome::Returned(value.into_typed()),
            Outcome::Deadlock => Outcome::Deadlock,
            Outcome::Panicked(message) => Outcome::Panicked(message),
            Outcome::Interrupted(what) => Outcome::Interrupted(what),
            Outcome::StepLimit => Outcome::StepLimit,
            Outcome::DataRace(what) => Outcome::DataRace(what),
            Outcome::Violated(name) => Outcome::Violated(name),
        }
    }
}

impl Report<Value> {
    /// The same report with the values' type.
    pub(super) fn into_typed<T: Ord + 'static>(self) -> Report<T> {
        let Report {
            outcomes,
            counts,
            formulas,
            executions,
            is_complete,
            is_complete_within_bounds,
            bounds,
            limit,
            strategy,
            setup,
            origins,
            notes,
            divergence,
            given_up,
            figures,
        } = self;
        let origins = origins.into_iter().map(|(outcome, origin)| (outcome.into_typed(), origin)).collect();
        let outcomes = outcomes.into_iter().map(|(outcome, trace)| (outcome.into_typed(), trace)).collect();
        let counts = counts.into_iter().map(|(outcome, runs)| (outcome.into_typed(), runs)).collect();
        Report {
            outcomes,
            counts,
            formulas,
            executions,
            is_complete,
            is_complete_within_bounds,
            bounds,
            limit,
            strategy,
            setup,
            origins,
            notes,
            divergence,
            given_up,
            figures,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_compared_copied_and_shown_as_their_types_say() {
        let [one, two] = [Value::new(vec![1]), Value::new(vec![1, 2])];
        assert!(one < two && one == one.clone() && one != two);
        assert_eq!(format!("{one:?} {two:?}"), "[1] [1, 2]");
        assert_eq!(two.into_typed::<Vec<i32>>(), [1, 2]);
    }

    #[test]
    fn typed_outcomes_keep_their_kind_and_their_words() {
        let outcomes = [
            Outcome::Returned(Value::new(7)),
            Outcome::Deadlock,
            Outcome::Panicked("a".to_owned()),
            Outcome::Interrupted("b".to_owned()),
            Outcome::StepLimit,
            Outcome::DataRace("c".to_owned()),
            Outcome::Violated("d".to_owned()),
        ];
        for outcome in outcomes {
            assert_eq!(outcome.to_string(), outcome.to_typed::<i32>().to_string());
            assert_eq!(outcome.to_typed::<i32>(), outcome.into_typed());
        }
    }
}
