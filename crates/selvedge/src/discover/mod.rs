//! Discovery of laws: which small programs over a shared state do the same, and which do more?
//!
//! CoCo (Walker's thesis, ch. 7), for Rust. From a [`Signature`], functions over a state with a way to make
//! it, to observe it and to interfere with it, [`discover`] makes all small terms, explores their
//! behaviours, and reports equivalences (`===`) and strict refinements (`->-`).
//!
//! Promise: a law rests on complete explorations alone. It is a conjecture all the same: it was tried for
//! some seeds and some values of its variables, and the report says for how many.

mod behaviour;
mod check;
mod engine;
mod judge;
mod law;
mod limits;
mod names;
mod progress;
mod signature;
mod table;
mod term;

pub use crate::discover_value as value;
pub use behaviour::Failure;
pub use check::{Behaviour, CheckedLaw, Counterexample, IntoStatement};
pub use law::{Comparison, Evidence, Figures, Law, Laws, Witness};
pub use limits::{Limits, Pruning};
#[doc(hidden)]
pub use signature::count_unless_nested;
pub use signature::{IntoOp, IntoPure, Op, Pure, Signature, Value, first_values};
pub use term::named::{NamedArgument, Relation, Statement, Term};
pub use term::parse::ParseError;

use behaviour::{SharedSignature, World};
use engine::Engine;
use signature::{Datum, Vocabulary};
use std::fmt::Debug;
use std::sync::Arc;

/// Looks for the laws of a signature: [`Signature::discover`].
pub fn discover<S, X, O>(signature: &Signature<S, X, O>, limits: Limits) -> Laws
where
    S: Send + Sync + 'static,
    X: Value,
    O: Ord + Clone + Debug + Send + Sync + 'static,
{
    signature.discover(limits)
}

impl<S, X, O> Signature<S, X, O>
where
    S: Send + Sync + 'static,
    X: Value,
    O: Ord + Clone + Debug + Send + Sync + 'static,
{
    /// Looks for laws between terms up to a size.
    #[must_use]
    pub fn discover(&self, limits: Limits) -> Laws {
        let engine = self.engine(limits);
        let mut laws = engine.discover().swap_remove(0);
        laws.name.clone_from(&self.name);
        laws
    }

    /// Looks for the laws of two signatures, and for those between them. Their interferences have the same
    /// names.
    ///
    /// # Panics
    /// If the interferences of the signatures have different names.
    #[must_use]
    pub fn compare<T>(&self, other: &Signature<T, X, O>, limits: Limits) -> Comparison
    where
        T: Send + Sync + 'static,
    {
        let mut vocabulary = Vocabulary::default();
        vocabulary.add(self);
        vocabulary.add(other);
        let seeds = seeds::<X>(&limits);
        let engine = Engine::new(vocabulary, vec![self.world(), other.world()], seeds, limits);
        let mut lists = engine.discover().into_iter();
        let mut next = |name: &Option<String>| {
            let laws = lists.next().expect("there are three lists");
            Laws { name: name.clone(), ..laws }
        };
        let names = [&self.name, &other.name].map(|name| name.as_deref().unwrap_or("?"));
        let between = Some(format!("{} and {}", names[0], names[1]));
        Comparison { left: next(&self.name), right: next(&other.name), between: next(&between) }
    }

    /// The signature without its types.
    fn world(&self) -> Arc<dyn World> {
        Arc::new(SharedSignature(Arc::new(self.clone())))
    }

    fn engine(&self, limits: Limits) -> Engine {
        let mut vocabulary = Vocabulary::default();
        vocabulary.add(self);
        let seeds = seeds::<X>(&limits);
        Engine::new(vocabulary, vec![self.world()], seeds, limits)
    }
}

/// The seeds that are tried.
fn seeds<X: Value>(limits: &Limits) -> Vec<Datum> {
    first_values::<X>(limits.seeds).into_iter().map(Datum::new).collect()
}
