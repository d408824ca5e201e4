//! A value without its type: arguments, results and observations.

use std::any::{Any, TypeId};
use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

/// The operations on values that discovery needs.
trait Dynamic: Any + Send + Sync {
    fn compare(&self, other: &dyn Dynamic) -> Ordering;
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
    fn as_any(&self) -> &dyn Any;
}

impl<T: Ord + fmt::Debug + Send + Sync + 'static> Dynamic for T {
    fn compare(&self, other: &dyn Dynamic) -> Ordering {
        match other.as_any().downcast_ref() {
            Some(other) => self.cmp(other),
            None => TypeId::of::<T>().cmp(&other.as_any().type_id()),
        }
    }

    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt(f)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A value without its type. Values of different types are not equal, and ordered somehow.
#[derive(Clone)]
pub(crate) struct Datum(Arc<dyn Dynamic>);

impl Datum {
    pub(crate) fn new<T: Ord + fmt::Debug + Send + Sync + 'static>(value: T) -> Datum {
        Datum(Arc::new(value))
    }

    /// The value.
    ///
    /// # Panics
    /// If it has another type.
    pub(crate) fn get<T: 'static>(&self) -> &T {
        (*self.0).as_any().downcast_ref().expect("terms are well typed")
    }
}

impl PartialEq for Datum {
    fn eq(&self, other: &Datum) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Datum {}

impl PartialOrd for Datum {
    fn partial_cmp(&self, other: &Datum) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Datum {
    fn cmp(&self, other: &Datum) -> Ordering {
        (*self.0).compare(&*other.0)
    }
}

impl fmt::Debug for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (*self.0).show(f)
    }
}
