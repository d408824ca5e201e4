//! Types without their lifetimes.
//!
//! [`TypeId::of`] asks for a type without borrows, and the types of this crate hold values of any type. The
//! trick is David Tolnay's (crate `typeid`): a trait object whose lifetime is extended answers for the
//! borrowed type, too.

#![allow(unsafe_code)]

use std::any::TypeId;
use std::marker::PhantomData;

/// The identity of a type. Types that differ in lifetimes only have the same one.
pub(super) fn type_id<T: ?Sized>() -> TypeId {
    trait WithoutLifetimes {
        fn type_id(&self) -> TypeId
        where
            Self: 'static;
    }

    impl<T: ?Sized> WithoutLifetimes for PhantomData<T> {
        fn type_id(&self) -> TypeId
        where
            Self: 'static,
        {
            TypeId::of::<T>()
        }
    }

    let phantom: &dyn WithoutLifetimes = &PhantomData::<T>;
    // SAFETY: only the lifetime of the object behind the reference changes, and that is an empty value: the
    // method reads nothing of it.
    let phantom: &(dyn WithoutLifetimes + 'static) = unsafe { std::mem::transmute(phantom) };
    phantom.type_id()
}

/// The same value as a function pointer, if its type is that: only such a function can be called twice.
pub(super) fn as_function<T, F: FnOnce() -> T>(function: &F) -> Option<fn() -> T> {
    if type_id::<F>() != type_id::<fn() -> T>() {
        return None;
    }
    // SAFETY: `F` is a pointer to a function without arguments, which are all `Copy`, and it returns `T`:
    // that is the type asked for, lifetimes included.
    Some(unsafe { std::mem::transmute_copy::<F, fn() -> T>(function) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_differ_and_lifetimes_do_not() {
        fn same<'a, 'b>(_: &'a str, _: &'b str) -> bool {
            type_id::<&'a str>() == type_id::<&'b str>()
        }
        assert!(same("a", &String::from("b")));
        assert_ne!(type_id::<&u8>(), type_id::<&i8>());
        assert_eq!(type_id::<[u8]>(), TypeId::of::<[u8]>());
    }

    #[test]
    fn a_function_pointer_is_told_from_a_closure() {
        let pointer: fn() -> u8 = || 7;
        assert_eq!(as_function(&pointer).map(|function| function()), Some(7));
        assert!(as_function(&(|| 7)).is_none());
    }
}
