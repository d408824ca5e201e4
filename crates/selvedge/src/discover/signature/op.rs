//! Functions as operations: the closure says how many arguments there are, and of which types.

use super::datum::Datum;
use super::value::{Type, Value};
use std::any::TypeId;
use std::fmt::Debug;
use std::sync::Arc;

/// A function of a state and values without their types.
pub(crate) type OpCall<S> = Arc<dyn Fn(&S, &[Datum]) -> Datum + Send + Sync>;

/// A function of values without their types.
pub(crate) type PureCall = Arc<dyn Fn(&[Datum]) -> Datum + Send + Sync>;

/// An operation on a state of type `S`, without the types of its arguments.
pub struct Op<S> {
    pub(crate) parameters: Vec<Type>,
    pub(crate) result: TypeId,
    pub(crate) call: OpCall<S>,
}

impl<S> Clone for Op<S> {
    fn clone(&self) -> Op<S> {
        Op { parameters: self.parameters.clone(), result: self.result, call: self.call.clone() }
    }
}

/// A function without a state, without the types of its arguments.
#[derive(Clone)]
pub struct Pure {
    pub(crate) parameters: Vec<Type>,
    pub(crate) result: Type,
    pub(crate) call: PureCall,
}

/// A function that is an operation on a state of type `S`: `Fn(&S) -> R` to `Fn(&S, A, B, C) -> R`. The
/// types of the arguments stand in the closure. `F` is `fn(A, B) -> R`, and is inferred.
#[diagnostic::on_unimplemented(
    message = "this is not an operation on `{S}`",
    label = "an operation is a function of `&{S}` and at most three arguments whose types stand in it, `|s: &S, x: i64| …`",
    note = "arguments need `selvedge::discover::Value`, results `Ord`, `Debug`, `Send` and `Sync`"
)]
pub trait IntoOp<S, F> {
    /// The operation.
    fn into_op(self) -> Op<S>;
}

/// A function of one to three arguments, whose types stand in the closure, and whose result is a [`Value`].
#[diagnostic::on_unimplemented(
    message = "this is not a function of values",
    label = "a pure function has one to three arguments whose types stand in it, `|x: i64, y: i64| …`"
)]
pub trait IntoPure<F> {
    /// The function.
    fn into_pure(self) -> Pure;
}

macro_rules! functions {
    ($($($argument:ident $place:tt)*;)*) => {$(
        impl<S, R, Function, $($argument),*> IntoOp<S, fn($($argument),*) -> R> for Function
        where
            S: 'static,
            R: Ord + Debug + Send + Sync + 'static,
            Function: Fn(&S, $($argument),*) -> R + Send + Sync + 'static,
            $($argument: Value,)*
        {
            fn into_op(self) -> Op<S> {
                Op {
                    parameters: vec![$(Type::of::<$argument>()),*],
                    result: TypeId::of::<R>(),
                    call: Arc::new(move |state: &S, _arguments: &[Datum]| {
                        Datum::new(self(state, $(_arguments[$place].get::<$argument>().clone()),*))
                    }),
                }
            }
        }
    )*};
}

functions! {
    ;
    A 0;
    A 0 B 1;
    A 0 B 1 C 2;
}

macro_rules! pure_functions {
    ($($($argument:ident $place:tt)*;)*) => {$(
        impl<R, Function, $($argument),*> IntoPure<fn($($argument),*) -> R> for Function
        where
            R: Value,
            Function: Fn($($argument),*) -> R + Send + Sync + 'static,
            $($argument: Value,)*
        {
            fn into_pure(self) -> Pure {
                Pure {
                    parameters: vec![$(Type::of::<$argument>()),*],
                    result: Type::of::<R>(),
                    call: Arc::new(move |arguments: &[Datum]| {
                        Datum::new(self($(arguments[$place].get::<$argument>().clone()),*))
                    }),
                }
            }
        }
    )*};
}

pure_functions! {
    A 0;
    A 0 B 1;
    A 0 B 1 C 2;
}
