//! A signature: functions over a shared state, and how the state is made, observed and interfered with.
//!
//! Walker's thesis, §7.2 (Listing 69). The engine sees a signature without its types: a [`Vocabulary`] to
//! make terms of, and a [`World`](crate::discover::behaviour::World) that runs them.

pub(crate) mod datum;
mod op;
mod value;
mod vocabulary;

pub(crate) use datum::Datum;
pub use op::{IntoOp, IntoPure, Op, Pure};
pub(crate) use value::Type;
pub use value::{Value, count_unless_nested, first_values};
pub(crate) use vocabulary::{PureInfo, TypeIndex, Vocabulary};

use std::any::TypeId;
use std::fmt::{self, Debug};
use std::sync::Arc;

/// A function of the state and the seed.
pub(crate) type OfState<S, X, R> = Arc<dyn Fn(&S, &X) -> R + Send + Sync>;

/// A predicate on values of one type, with the text that shows it.
#[derive(Clone)]
pub(crate) struct NamedPredicate {
    pub(crate) text: String,
    pub(crate) type_id: TypeId,
    pub(crate) variable: &'static str,
    pub(crate) holds: Arc<dyn Fn(&Datum) -> bool + Send + Sync>,
}

/// An operation with its name.
pub(crate) struct NamedOp<S> {
    pub(crate) name: String,
    pub(crate) op: Op<S>,
    /// Whether laws are about it: it is not a helper.
    pub(crate) is_foreground: bool,
}

/// A pure function with its name.
#[derive(Clone)]
pub(crate) struct NamedPure {
    pub(crate) name: String,
    pub(crate) pure: Pure,
    pub(crate) is_commutative: bool,
}

/// Functions over a shared state of type `S`, which is made from a seed of type `X` and observed as an `O`.
///
/// ```
/// use selvedge::discover::{Limits, Signature};
/// use selvedge::sync::MVar;
///
/// type M = MVar<i64>;
/// let mvar = Signature::new(|x: &Option<i64>| x.map_or_else(M::empty, M::new), |m: &M, _seed| m.try_read())
///     .op("take", |m: &M| m.take())
///     .op("read", |m: &M| m.read())
///     .interfere("put 42", |m: &M, _seed| m.put(42));
/// let laws = mvar.discover(Limits::size(5));
/// assert!(laws.has("take === read >> take"));
/// ```
///
/// Operations and interferences use the types of this crate (`sync`, `thread`, …), so that explorations
/// control them.
#[must_use = "nothing is discovered before `discover` is called"]
pub struct Signature<S, X, O> {
    pub(crate) name: Option<String>,
    pub(crate) make: Arc<dyn Fn(&X) -> S + Send + Sync>,
    pub(crate) observe: OfState<S, X, O>,
    pub(crate) back_to_seed: Option<OfState<S, X, Datum>>,
    pub(crate) ops: Vec<NamedOp<S>>,
    pub(crate) values: Vec<(String, Datum, Type)>,
    pub(crate) pures: Vec<NamedPure>,
    pub(crate) is_parallel: bool,
    pub(crate) predicates: Vec<NamedPredicate>,
    pub(crate) seed_predicates: Vec<NamedPredicate>,
    pub(crate) interferences: Vec<(String, OfState<S, X, ()>)>,
}

impl<S, X, O> Clone for Signature<S, X, O> {
    fn clone(&self) -> Signature<S, X, O> {
        let copy = |named: &NamedOp<S>| NamedOp {
            name: named.name.clone(),
            op: named.op.clone(),
            is_foreground: named.is_foreground,
        };
        Signature {
            name: self.name.clone(),
            make: self.make.clone(),
            observe: self.observe.clone(),
            back_to_seed: self.back_to_seed.clone(),
            ops: self.ops.iter().map(copy).collect(),
            values: self.values.clone(),
            pures: self.pures.clone(),
            is_parallel: self.is_parallel,
            predicates: self.predicates.clone(),
            seed_predicates: self.seed_predicates.clone(),
            interferences: self.interferences.clone(),
        }
    }
}

impl<S, X, O> Debug for Signature<S, X, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ops: Vec<&String> = self.ops.iter().map(|op| &op.name).collect();
        f.debug_struct("Signature").field("name", &self.name).field("ops", &ops).finish_non_exhaustive()
    }
}

impl<S, X, O> Signature<S, X, O>
where
    S: Send + Sync + 'static,
    X: Value,
    O: Ord + Clone + Debug + Send + Sync + 'static,
{
    /// A signature without operations: how the state is made of a seed, and how it is observed at the end
    /// of a term. The observation runs alone. It must not wait: a run that cannot be observed is left out,
    /// and counted.
    pub fn new(
        make: impl Fn(&X) -> S + Send + Sync + 'static,
        observe: impl Fn(&S, &X) -> O + Send + Sync + 'static,
    ) -> Signature<S, X, O> {
        Signature {
            name: None,
            make: Arc::new(make),
            observe: Arc::new(observe),
            back_to_seed: None,
            ops: Vec::new(),
            values: Vec::new(),
            pures: Vec::new(),
            is_parallel: false,
            predicates: Vec::new(),
            seed_predicates: Vec::new(),
            interferences: Vec::new(),
        }
    }

    /// Names the signature in reports.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Adds an operation that laws are about.
    ///
    /// # Panics
    /// If the name is taken, or is not a word of letters, digits and `_`.
    pub fn op<F>(self, name: &str, op: impl IntoOp<S, F>) -> Self {
        self.with_op(name, op.into_op(), true)
    }

    /// Adds an operation that may occur in laws. Each side of a law has another one beside it.
    ///
    /// # Panics
    /// As [`Signature::op`].
    pub fn helper<F>(self, name: &str, op: impl IntoOp<S, F>) -> Self {
        self.with_op(name, op.into_op(), false)
    }

    fn with_op(mut self, name: &str, op: Op<S>, is_foreground: bool) -> Self {
        assert!(
            is_word(name),
            "selvedge: `{name}` is not a name for an operation: use letters, digits and `_`"
        );
        self.assert_free(name);
        self.ops.push(NamedOp { name: name.to_owned(), op, is_foreground });
        self
    }

    /// Adds a constant.
    ///
    /// # Panics
    /// If the name is taken, or is neither a word nor a number.
    pub fn value<T: Value>(mut self, name: &str, value: T) -> Self {
        let is_name =
            !name.is_empty() && name.chars().all(|char| char.is_alphanumeric() || "_.".contains(char));
        assert!(is_name, "selvedge: `{name}` is not a name for a constant: use letters, digits, `_` and `.`");
        self.assert_free(name);
        self.values.push((name.to_owned(), Datum::new(value), Type::of::<T>()));
        self
    }

    /// Adds a function without effects, for arguments. A name of signs, like `+`, stands between its two
    /// arguments.
    ///
    /// # Panics
    /// If the name is taken, or is neither a word nor made of signs.
    pub fn pure<F>(mut self, name: &str, function: impl IntoPure<F>) -> Self {
        let pure = function.into_pure();
        let is_name = is_word(name) || is_infix(name) && pure.parameters.len() == 2;
        assert!(
            is_name,
            "selvedge: `{name}` is not a name for a function: use a word, or signs for a function of two"
        );
        self.assert_free(name);
        self.pures.push(NamedPure { name: name.to_owned(), pure, is_commutative: false });
        self
    }

    /// Declares that the arguments of a function can be exchanged: one order of them is enough.
    ///
    /// # Panics
    /// If there is no such function, or if its arguments are not two of one type.
    pub fn commutative(mut self, name: &str) -> Self {
        let found = self.pures.iter_mut().find(|pure| pure.name == name);
        let named = found.unwrap_or_else(|| panic!("selvedge: no pure function is called `{name}`"));
        let is_binary = matches!(&named.pure.parameters[..], [first, second] if first.id == second.id);
        assert!(is_binary, "selvedge: `{name}` does not have two arguments of one type");
        named.is_commutative = true;
        self
    }

    /// Allows `a ||| b`, which runs both beside each other and waits for both.
    pub fn parallel(mut self) -> Self {
        self.is_parallel = true;
        self
    }

    /// Adds a condition for conditional laws. The text has the variable as the type calls it
    /// ([`Value::VARIABLE`]): `x` for integers.
    pub fn when<T: Value>(mut self, text: &str, holds: impl Fn(&T) -> bool + Send + Sync + 'static) -> Self {
        self.predicates.push(named_predicate(text, holds));
        self
    }

    /// Adds a condition on seeds for conditional laws.
    pub fn when_seed(mut self, text: &str, holds: impl Fn(&X) -> bool + Send + Sync + 'static) -> Self {
        self.seed_predicates.push(named_predicate(text, holds));
        self
    }

    /// Says how the whole state is seen, to know whether an operation has changed it, and whether two
    /// operations do the same. Without it no operation is left out of larger terms.
    pub fn back_to_seed<B>(mut self, state: impl Fn(&S, &X) -> B + Send + Sync + 'static) -> Self
    where
        B: Ord + Debug + Send + Sync + 'static,
    {
        self.back_to_seed = Some(Arc::new(move |of, seed| Datum::new(state(of, seed))));
        self
    }

    /// Adds an interference: what another thread does beside the terms. Each one is tried by itself, and
    /// terms are also run without.
    ///
    /// # Panics
    /// If the name is taken, or contains a bracket or a comma.
    pub fn interfere(mut self, name: &str, other: impl Fn(&S, &X) + Send + Sync + 'static) -> Self {
        let is_name = !name.trim().is_empty() && name.trim() == name && !name.contains(['[', ']', ',']);
        assert!(
            is_name,
            "selvedge: `{name}` is not a name for an interference: leave out brackets and commas"
        );
        let is_free = self.interferences.iter().all(|(taken, _)| taken != name) && name != NO_INTERFERENCE;
        assert!(is_free, "selvedge: two interferences are called `{name}`");
        self.interferences.push((name.to_owned(), Arc::new(other)));
        self
    }

    fn assert_free(&self, name: &str) {
        let mut names = self.ops.iter().map(|op| &op.name);
        let is_taken = names.any(|taken| taken == name)
            || self.values.iter().any(|(taken, ..)| taken == name)
            || self.pures.iter().any(|pure| pure.name == name);
        assert!(!is_taken && name != PARALLEL, "selvedge: the name `{name}` is taken");
    }
}

/// How runs without interference are called.
pub(crate) const NO_INTERFERENCE: &str = "alone";

/// The parallel composition.
pub(crate) const PARALLEL: &str = "|||";

fn named_predicate<T: Value>(
    text: &str,
    holds: impl Fn(&T) -> bool + Send + Sync + 'static,
) -> NamedPredicate {
    NamedPredicate {
        text: text.trim().to_owned(),
        type_id: TypeId::of::<T>(),
        variable: T::VARIABLE,
        holds: Arc::new(move |value: &Datum| holds(value.get())),
    }
}

fn is_word(name: &str) -> bool {
    name.chars().all(|char| char.is_alphanumeric() || char == '_')
        && name.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// Whether a function of this name stands between its arguments. The signs of laws are not names.
pub(crate) fn is_infix(name: &str) -> bool {
    let taken = [">>", ">>=", PARALLEL, "->", "===", "->-", "-<-", "==>", "\\"];
    !name.is_empty() && name.chars().all(|char| "+-*/%<>=&|^!~".contains(char)) && !taken.contains(&name)
}
