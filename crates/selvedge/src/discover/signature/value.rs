//! How the values of a type are enumerated.
//!
//! A type has tiers, as in LeanCheck (Braquehais, 2017): a tier is a finite list of values of one size, and
//! the tiers together have every value. The sizes of products add up, so that small values come first
//! however types are nested.
//!
//! Promise: [`first_values`] returns distinct tiers in order, and stops at types with few values.

use super::datum::Datum;
use std::any::{TypeId, type_name};
use std::cell::Cell;
use std::fmt::Debug;

/// A type of which discovery makes values: for variables, and for seeds.
///
/// ```
/// use selvedge::discover::{Value, first_values};
///
/// assert_eq!(first_values::<i64>(5), [0, 1, -1, 2, -2]);
/// assert_eq!(first_values::<Option<u8>>(3), [None, Some(0), Some(1)]);
/// assert_eq!(bool::count(), Some(2));
/// ```
///
/// The macro [`value!`](crate::discover::value!) implements it for structs and enums.
pub trait Value: Ord + Clone + Debug + Send + Sync + 'static {
    /// What variables of this type are called in laws; the second one is called the same with a 1.
    const VARIABLE: &'static str;

    /// The values of this size.
    fn tier(size: usize) -> Vec<Self>;

    /// How many values the type has; `None` if there is no bound, or if it is too large to matter.
    fn count() -> Option<usize>;
}

/// After so many empty tiers there are no more values.
const MAX_EMPTY_TIERS: usize = 64;

/// The first values of a type, at most so many.
pub fn first_values<T: Value>(wanted: usize) -> Vec<T> {
    let (mut values, mut empty, wanted) = (Vec::new(), 0, wanted.min(T::count().unwrap_or(usize::MAX)));
    for size in 0.. {
        let tier = T::tier(size);
        empty = if tier.is_empty() { empty + 1 } else { 0 };
        values.extend(tier);
        if values.len() >= wanted || empty > MAX_EMPTY_TIERS {
            break;
        }
    }
    values.truncate(wanted);
    values
}

/// The number of values of a type that may contain itself: such a type has no bound.
#[doc(hidden)]
pub fn count_unless_nested(count: impl FnOnce() -> Option<usize>) -> Option<usize> {
    thread_local! {
        static DEPTH: Cell<usize> = const { Cell::new(0) };
    }
    let depth = DEPTH.replace(DEPTH.get() + 1);
    let count = if depth < MAX_NESTED_TYPES { count() } else { None };
    DEPTH.set(depth);
    count
}

/// A type that is nested more deeply contains itself, or is too large to matter.
const MAX_NESTED_TYPES: usize = 32;

/// A type as signatures know it.
#[derive(Clone, Copy)]
pub(crate) struct Type {
    pub(crate) id: TypeId,
    pub(crate) name: &'static str,
    /// What its variables are called.
    pub(crate) variable: &'static str,
    /// The first values, at most so many.
    pub(crate) values: fn(usize) -> Vec<Datum>,
    pub(crate) count: fn() -> Option<usize>,
}

impl Type {
    pub(crate) fn of<T: Value>() -> Type {
        let values = |wanted| first_values::<T>(wanted).into_iter().map(Datum::new).collect();
        let name = type_name::<T>();
        Type { id: TypeId::of::<T>(), name, variable: T::VARIABLE, values, count: T::count }
    }
}

macro_rules! signed {
    ($($type:ty)*) => {$(
        impl Value for $type {
            const VARIABLE: &'static str = "x";

            fn tier(size: usize) -> Vec<$type> {
                // The least value has no opposite.
                let half = size.div_ceil(2) as i128;
                <$type>::try_from(if size.is_multiple_of(2) { -half } else { half }).into_iter().collect()
            }

            fn count() -> Option<usize> {
                (size_of::<$type>() == 1).then_some(1 << 8)
            }
        }
    )*};
}

macro_rules! unsigned {
    ($($type:ty)*) => {$(
        impl Value for $type {
            const VARIABLE: &'static str = "n";

            fn tier(size: usize) -> Vec<$type> {
                <$type>::try_from(size).into_iter().collect()
            }

            fn count() -> Option<usize> {
                (size_of::<$type>() == 1).then_some(1 << 8)
            }
        }
    )*};
}

signed!(i8 i16 i32 i64 i128 isize);
unsigned!(u8 u16 u32 u64 u128 usize);

impl Value for () {
    const VARIABLE: &'static str = "u";

    fn tier(size: usize) -> Vec<()> {
        if size == 0 { vec![()] } else { Vec::new() }
    }

    fn count() -> Option<usize> {
        Some(1)
    }
}

impl Value for bool {
    const VARIABLE: &'static str = "b";

    fn tier(size: usize) -> Vec<bool> {
        [false, true].get(size).copied().into_iter().collect()
    }

    fn count() -> Option<usize> {
        Some(2)
    }
}

impl Value for char {
    const VARIABLE: &'static str = "c";

    fn tier(size: usize) -> Vec<char> {
        let letter = |size: usize| u32::try_from(size).ok().and_then(|size| char::from_u32(97 + size));
        letter(size).into_iter().collect()
    }

    fn count() -> Option<usize> {
        None
    }
}

impl Value for String {
    const VARIABLE: &'static str = "s";

    fn tier(size: usize) -> Vec<String> {
        Vec::<char>::tier(size).into_iter().map(|chars| chars.into_iter().collect()).collect()
    }

    fn count() -> Option<usize> {
        None
    }
}

impl<T: Value> Value for Option<T> {
    const VARIABLE: &'static str = "m";

    fn tier(size: usize) -> Vec<Option<T>> {
        match size.checked_sub(1) {
            None => vec![None],
            Some(size) => T::tier(size).into_iter().map(Some).collect(),
        }
    }

    fn count() -> Option<usize> {
        T::count()?.checked_add(1)
    }
}

impl<T: Value, E: Value> Value for Result<T, E> {
    const VARIABLE: &'static str = "r";

    fn tier(size: usize) -> Vec<Result<T, E>> {
        let values = T::tier(size).into_iter().map(Ok);
        values.chain(E::tier(size).into_iter().map(Err)).collect()
    }

    fn count() -> Option<usize> {
        T::count()?.checked_add(E::count()?)
    }
}

impl<T: Value> Value for Box<T> {
    const VARIABLE: &'static str = T::VARIABLE;

    fn tier(size: usize) -> Vec<Box<T>> {
        T::tier(size).into_iter().map(Box::new).collect()
    }

    fn count() -> Option<usize> {
        T::count()
    }
}

impl<T: Value> Value for Vec<T> {
    const VARIABLE: &'static str = "xs";

    fn tier(size: usize) -> Vec<Vec<T>> {
        let Some(size) = size.checked_sub(1) else { return vec![Vec::new()] };
        let joined = |(first, rest): (T, Vec<T>)| [vec![first], rest].concat();
        pairs::<T, Vec<T>>(size).into_iter().map(joined).collect()
    }

    fn count() -> Option<usize> {
        None
    }
}

/// The pairs whose sizes add up to this one; values of the first type that are smaller come first.
fn pairs<A: Value, B: Value>(size: usize) -> Vec<(A, B)> {
    let mut all = Vec::new();
    for of_first in 0..=size {
        let seconds = B::tier(size - of_first);
        for first in A::tier(of_first) {
            all.extend(seconds.iter().map(|second| (first.clone(), second.clone())));
        }
    }
    all
}

/// Implements [`Value`] for tuples.
macro_rules! tuples {
    ($($first:ident $($rest:ident)+;)*) => {$(
        impl<$first: Value, $($rest: Value),+> Value for ($first, $($rest),+) {
            const VARIABLE: &'static str = "t";

            fn tier(size: usize) -> Vec<Self> {
                let mut all = Vec::new();
                for of_first in 0..=size {
                    #[allow(unused_parens)] // the rest may be one type
                    let rests = <($($rest),+)>::tier(size - of_first);
                    for first in $first::tier(of_first) {
                        all.extend(rests.iter().map(|rest| {
                            #[allow(non_snake_case, unused_parens)] // types give their names to values
                            let ($($rest),+) = rest.clone();
                            (first.clone(), $($rest),+)
                        }));
                    }
                }
                all
            }

            fn count() -> Option<usize> {
                let count = $first::count()?;
                $(let count = count.checked_mul($rest::count()?)?;)+
                Some(count)
            }
        }
    )*};
}

tuples! {
    A B;
    A B C;
    A B C D;
}

/// Implements [`Value`](crate::discover::Value) for a struct or an enum: the name of its variables, and its
/// constructors with the types of their fields.
///
/// ```
/// use selvedge::discover::{first_values, value};
///
/// #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
/// enum Shape { Point, Square(u8), Rectangle { width: u8, height: u8 } }
/// value!(Shape as "shape": Shape::Point, Shape::Square(u8), Shape::Rectangle { width: u8, height: u8 });
///
/// assert_eq!(first_values::<Shape>(2), [Shape::Point, Shape::Square(0)]);
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! discover_value {
    ($type:ty as $variable:literal: $($constructors:tt)+) => {
        impl $crate::discover::Value for $type {
            const VARIABLE: &'static str = $variable;

            fn tier(size: usize) -> ::std::vec::Vec<Self> {
                #[allow(unused_mut)]
                let mut all = ::std::vec::Vec::new();
                $crate::discover_value!(@tier all size $($constructors)+);
                all
            }

            fn count() -> ::std::option::Option<usize> {
                $crate::discover::count_unless_nested(|| {
                    let count = 0_usize;
                    $crate::discover_value!(@count count $($constructors)+);
                    ::std::option::Option::Some(count)
                })
            }
        }
    };

    (@tier $all:ident $size:ident $($name:ident)::+ ($($field:ty),* $(,)?) $(, $($rest:tt)*)?) => {
        $crate::discover_value!(@fields $all $size ($($name)::+) [] [a b c d e f g h] $($field,)*);
        $($crate::discover_value!(@tier $all $size $($rest)*);)?
    };
    (@tier $all:ident $size:ident $($name:ident)::+ { $($field:ident: $of:ty),* $(,)? } $(, $($rest:tt)*)?) => {
        if let ::std::option::Option::Some(size) = $size.checked_sub(1) {
            type Fields = $crate::discover_value!(@nested $($of,)*);
            for $crate::discover_value!(@pattern $($field,)*) in
                <Fields as $crate::discover::Value>::tier(size)
            {
                $all.push($($name)::+ { $($field),* });
            }
        }
        $($crate::discover_value!(@tier $all $size $($rest)*);)?
    };
    (@tier $all:ident $size:ident $($name:ident)::+ $(, $($rest:tt)*)?) => {
        if $size == 0 {
            $all.push($($name)::+);
        }
        $($crate::discover_value!(@tier $all $size $($rest)*);)?
    };
    (@tier $all:ident $size:ident) => {};

    // Gives the fields of a tuple their names.
    (@fields $all:ident $size:ident ($($name:ident)::+) [$($field:ident: $of:ty,)*] [$next:ident $($more:ident)*] $type:ty, $($rest:ty,)*) => {
        $crate::discover_value!(@fields $all $size ($($name)::+) [$($field: $of,)* $next: $type,] [$($more)*] $($rest,)*);
    };
    (@fields $all:ident $size:ident ($($name:ident)::+) [$($field:ident: $of:ty,)*] [$($more:ident)*]) => {
        if let ::std::option::Option::Some(size) = $size.checked_sub(1) {
            type Fields = $crate::discover_value!(@nested $($of,)*);
            for $crate::discover_value!(@pattern $($field,)*) in
                <Fields as $crate::discover::Value>::tier(size)
            {
                $all.push($($name)::+($($field),*));
            }
        }
    };

    // Fields as nested pairs that end with the unit: any number of them.
    (@nested) => { () };
    (@nested $first:ty, $($rest:ty,)*) => { ($first, $crate::discover_value!(@nested $($rest,)*)) };
    (@pattern) => { () };
    (@pattern $first:ident, $($rest:ident,)*) => { ($first, $crate::discover_value!(@pattern $($rest,)*)) };

    (@count $count:ident $($name:ident)::+ ($($field:ty),* $(,)?) $(, $($rest:tt)*)?) => {
        let $count = $count.checked_add(1 $(* <$field as $crate::discover::Value>::count()?)*)?;
        $($crate::discover_value!(@count $count $($rest)*);)?
    };
    (@count $count:ident $($name:ident)::+ { $($field:ident: $of:ty),* $(,)? } $(, $($rest:tt)*)?) => {
        let $count = $count.checked_add(1 $(* <$of as $crate::discover::Value>::count()?)*)?;
        $($crate::discover_value!(@count $count $($rest)*);)?
    };
    (@count $count:ident $($name:ident)::+ $(, $($rest:tt)*)?) => {
        let $count = $count.checked_add(1)?;
        $($crate::discover_value!(@count $count $($rest)*);)?
    };
    (@count $count:ident) => {};
}
