//! The same source with `std::sync::{Arc, Weak}` and with `selvedge::sync::tracked::{Arc, Weak}`: it
//! compiles, types have the same traits, and values are the same. This holds in both builds.
//!
//! What the language reserves for `std`'s type is not here: coercions to `Arc<dyn Trait>` and `Arc<[T]>`,
//! `self: Arc<Self>`, and `impl Wake`, whose method takes `std`'s `Arc`.

#![allow(unsafe_code)]

use std::marker::PhantomData;

/// Asks the compiler for a trait, as `surface.rs` does: the constant of the type itself, or of this trait.
trait Otherwise {
    const YES: bool = false;
}

impl<T: ?Sized> Otherwise for T {}

macro_rules! questions {
    ($($question:ident $bound:path;)*) => {
        $(
            struct $question<T: ?Sized>(PhantomData<T>);
                        impl<T: $bound> $question<T> {
                const YES: bool = true;
            }
        )*

        /// The list of traits of a type, as booleans.
        macro_rules! answers {
            ($type:ty) => {
                (stringify!($type), vec![$(<$question<$type>>::YES),*])
            };
        }
    };
}

questions! {
    HasSend Send;
    HasSync Sync;
    HasUnpin Unpin;
    HasUnwindSafe std::panic::UnwindSafe;
    HasRefUnwindSafe std::panic::RefUnwindSafe;
    HasClone Clone;
    HasDebug std::fmt::Debug;
    HasDisplay std::fmt::Display;
    HasPointer std::fmt::Pointer;
    HasDefault Default;
    HasEq Eq;
    HasOrd Ord;
    HasHash std::hash::Hash;
    HasError std::error::Error;
    HasDeref std::ops::Deref;
    HasFromByte From<u8>;
    HasRead std::io::Read;
    HasWrite std::io::Write;
    HasSeek std::io::Seek;
}

macro_rules! surface {
    ($name:ident, $($path:ident)::+) => {
        mod $name {
            use super::*;
            use std::any::Any;
            use std::borrow::{Borrow, Cow};
            use std::cell::Cell;
            use std::collections::{BTreeMap, HashMap};
            use std::ffi::{CStr, CString, OsStr, OsString};
            use std::fs::File;
            use std::mem::MaybeUninit;
            use std::path::{Path, PathBuf};
            use std::pin::Pin;
            use std::rc::Rc;
            use std::task::{Wake, Waker};
            use $($path)::+::{Arc, Weak};

            static NOTHING: Weak<u8> = Weak::new();

            pub(super) fn traits() -> Vec<(&'static str, Vec<bool>)> {
                vec![
                    answers!(Arc<u8>),
                    answers!(Arc<str>),
                    answers!(Arc<[u8]>),
                    answers!(Arc<Cell<u8>>),
                    answers!(Arc<Rc<u8>>),
                    answers!(Arc<&'static mut u8>),
                    answers!(Arc<File>),
                    answers!(Arc<std::fmt::Error>),
                    answers!(Arc<dyn Any + Send + Sync>),
                    answers!(Arc<std::sync::MutexGuard<'static, u8>>),
                    answers!(Weak<u8>),
                    answers!(Weak<str>),
                    answers!(Weak<Cell<u8>>),
                    answers!(Weak<Rc<u8>>),
                ]
            }

            /// Owners, counts, and taking the value out.
            pub(super) fn owners() -> Vec<String> {
                let mut arc = Arc::new(vec![1]);
                let other = Arc::clone(&arc);
                let mut out = vec![format!("{} {}", Arc::strong_count(&arc), Arc::weak_count(&arc))];
                out.push(format!("{:?}", Arc::get_mut(&mut arc)));
                out.push(Arc::ptr_eq(&arc, &other).to_string());
                Arc::make_mut(&mut arc).push(2);
                out.push(format!("{arc:?} {other:?}"));
                out.push(format!("{:?}", Arc::get_mut(&mut arc)));
                out.push(format!("{:?} {:?}", Arc::try_unwrap(other), Arc::into_inner(arc.clone())));
                out.push(format!("{:?} {:?}", Arc::unwrap_or_clone(arc.clone()), Arc::into_inner(arc)));
                let arc: Arc<Arc<u8>> = Arc::new(Arc::default());
                let refused: Result<Arc<u8>, Arc<Arc<u8>>> = { let _one = arc.clone(); Arc::try_unwrap(arc) };
                out.push(format!("{refused:?}"));
                let pinned: Pin<Arc<u8>> = Arc::pin(3);
                out.push(format!("{pinned:?} {:?}", pinned.clone()));
                out
            }

            pub(super) fn weak_references() -> Vec<String> {
                let mut arc = Arc::new(1);
                let weak: Weak<u8> = Arc::downgrade(&arc);
                let other = weak.clone();
                let mut out = vec![format!("{weak:?} {:?} {}", weak.upgrade(), weak.ptr_eq(&other))];
                out.push(format!("{} {} {}", weak.strong_count(), weak.weak_count(), Arc::weak_count(&arc)));
                out.push(format!("{}", weak.as_ptr() == Arc::as_ptr(&arc)));
                *Arc::make_mut(&mut arc) += 1;
                out.push(format!("{:?} {arc} {}", other.upgrade(), weak.strong_count()));
                let raw = Arc::downgrade(&arc).into_raw();
                // SAFETY: the pointer is one of `into_raw`.
                let weak = unsafe { Weak::from_raw(raw) };
                drop(arc);
                out.push(format!("{:?} {} {}", weak.upgrade(), weak.strong_count(), weak.weak_count()));
                let nothing = [NOTHING.clone(), Weak::default(), Weak::new()];
                out.push(format!("{:?} {}", nothing[0].upgrade(), nothing[1].ptr_eq(&nothing[2])));
                let own = Arc::new_cyclic(|weak: &Weak<(u8, Weak<u8>)>| {
                    assert!(weak.upgrade().is_none());
                    (weak.strong_count() as u8, Weak::new())
                });
                out.push(format!("{own:?}"));
                out
            }

            pub(super) fn pointers() -> Vec<u8> {
                let arc = Arc::new(5_u8);
                let raw = Arc::into_raw(arc.clone());
                // SAFETY: the pointer is one of `into_raw`, and each owner is removed once.
                unsafe {
                    Arc::increment_strong_count(raw);
                    let mut seen = vec![*raw, Arc::strong_count(&arc) as u8];
                    Arc::decrement_strong_count(raw);
                    seen.push(*Arc::from_raw(raw));
                    seen.push(Arc::strong_count(&arc) as u8);
                    let mut later: Arc<MaybeUninit<u8>> = Arc::new_uninit();
                    Arc::get_mut(&mut later).unwrap().write(9);
                    seen.push(*later.assume_init());
                    let mut later: Arc<[MaybeUninit<u8>]> = Arc::new_uninit_slice(2);
                    Arc::get_mut(&mut later).unwrap().iter_mut().for_each(|value| _ = value.write(8));
                    seen.extend(later.assume_init().iter());
                    let zero: Arc<MaybeUninit<u8>> = Arc::new_zeroed();
                    seen.push(*zero.assume_init());
                    let zeros: Arc<[MaybeUninit<u8>]> = Arc::<[u8]>::new_zeroed_slice(2);
                    seen.extend(zeros.assume_init().iter());
                    seen
                }
            }

            pub(super) fn conversions() -> Vec<String> {
                let mut texts: [Arc<str>; 3] = ["a".into(), String::from("b").into(), Cow::Borrowed("c").into()];
                Arc::make_mut(&mut texts[0]).make_ascii_uppercase();
                let bytes: Arc<[u8]> = texts[1].clone().into();
                let mut lists: Vec<Arc<[u8]>> = vec![vec![1].into(), [2].into(), (&[3][..]).into()];
                lists.extend([(&mut [4][..]).into(), (5..7).collect()]);
                lists.push(Box::<[u8]>::from([7]).into());
                Arc::make_mut(&mut lists[0])[0] += 10;
                let array: Result<Arc<[u8; 1]>, Arc<[u8]>> = lists[0].clone().try_into();
                let boxed: Arc<dyn Any + Send + Sync> = Arc::from(Box::new(8_u8) as Box<dyn Any + Send + Sync>);
                let wrong = boxed.clone().downcast::<u16>().is_err();
                let c: [Arc<CStr>; 3] = [CString::new("e").unwrap().into(), c"f".into(), Arc::default()];
                let os: [Arc<OsStr>; 2] = [OsString::from("g").into(), OsStr::new("h").into()];
                let paths: [Arc<Path>; 2] = [PathBuf::from("i").into(), Path::new("j").into()];
                let empty: (Arc<str>, Arc<[u8]>, Arc<u8>) = Default::default();
                let from: Arc<u8> = Arc::from(4);
                vec![
                    format!("{texts:?} {bytes:?} {lists:?} {array:?} {:?} {wrong}", boxed.downcast::<u8>()),
                    format!("{c:?} {os:?} {paths:?} {empty:?} {from}"),
                ]
            }

            pub(super) fn as_values() -> Vec<String> {
                let (one, two) = (Arc::new(1), Arc::new(2));
                let sorted = BTreeMap::from([(two.clone(), 'b'), (one.clone(), 'a')]);
                let by_text: HashMap<Arc<str>, u8> = HashMap::from([(Arc::from("key"), 1)]);
                let borrowed: &u8 = one.borrow();
                let plain: &u8 = two.as_ref();
                let mut out = vec![format!("{sorted:?} {:?} {borrowed} {plain}", by_text.get("key"))];
                out.push(format!("{:?} {} {}", one.partial_cmp(&two), one < two, one == two));
                out.push(format!("{}", format!("{one:p}") == format!("{:p}", Arc::as_ptr(&one))));
                let error: Arc<std::fmt::Error> = Arc::new(std::fmt::Error);
                let error: &dyn std::error::Error = &error;
                out.push(format!("{error} {}", error.source().is_none()));
                out
            }

            struct Nothing;

            impl Wake for Nothing {
                fn wake(self: std::sync::Arc<Self>) {}
            }

            pub(super) fn waker() -> bool {
                let waker: Waker = Arc::new(Nothing).into();
                waker.wake_by_ref();
                waker.will_wake(&waker.clone())
            }
        }
    };
}

surface! { with_std, std::sync }
surface! { with_selvedge, selvedge::sync::tracked }

#[test]
fn owners_have_the_same_traits() {
    let both = with_selvedge::traits().into_iter().zip(with_std::traits());
    let different: Vec<_> = both.filter(|(ours, theirs)| ours != theirs).collect();
    assert!(different.is_empty(), "ours and theirs: {different:#?}");
}

#[test]
fn owners_and_weak_references_behave_the_same() {
    assert_eq!(with_selvedge::owners(), with_std::owners());
    assert_eq!(with_selvedge::weak_references(), with_std::weak_references());
    assert_eq!(with_selvedge::pointers(), with_std::pointers());
    assert_eq!(with_selvedge::conversions(), with_std::conversions());
    assert_eq!(with_selvedge::as_values(), with_std::as_values());
    assert!(with_selvedge::waker() && with_std::waker());
}

/// The same inside an exploration, where every action is a step.
#[cfg(feature = "check")]
#[test]
fn owners_behave_the_same_inside_an_exploration() {
    let expected = (with_std::owners(), with_std::weak_references(), with_std::pointers());
    let report = selvedge::explore(|| {
        assert_eq!(with_selvedge::conversions(), with_std::conversions());
        assert_eq!(with_selvedge::as_values(), with_std::as_values());
        (with_selvedge::owners(), with_selvedge::weak_references(), with_selvedge::pointers())
    });
    assert_eq!(report.values().collect::<Vec<_>>(), [&expected]);
    assert_eq!((report.executions(), report.is_complete()), (1, true));
}
