//! Containers of plain values in statics: in each run a container that the run owns stands in for the
//! `static`.
//!
//! A value is plain if its type is on a list: numbers, `bool`, `char`, `()`, and options of them. Such a
//! value can be copied, whatever it was before; so each run can begin with the value that the `static` was
//! initialised with. Whether any other type is `Copy` cannot be asked on stable Rust; and it is not enough
//! that a type has no destructor, since an exclusive reference has none either.
//!
//! Promise: the initial value is copied before any thread can change it, in a run or outside. A stand-in is
//! used again, or freed, only if no reference to its content can be left.

#![allow(unsafe_code)]

use super::type_id::type_id;
use crate::control::object::{StandIn, ValuePlace};
use crate::control::{Execution, Tag};
use selvedge_explore::ObjectId;
use std::any::TypeId;
use std::cell::UnsafeCell;
use std::collections::HashMap;
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};
use std::sync::{LazyLock, Mutex, OnceLock, RwLock, TryLockError};

/// Room for the bytes of a plain value.
type Bytes = MaybeUninit<[u64; 2]>;

/// The value that a `static` was initialised with, if that is plain.
pub(super) struct InitialValue(OnceLock<Bytes>);

impl InitialValue {
    pub(super) const fn new() -> InitialValue {
        InitialValue(OnceLock::new())
    }

    /// Copies the value, unless that was done before. Does nothing if the object of the tag is no `static`,
    /// or if the value is not plain. `with_value` calls its argument with the value.
    ///
    /// Every use that can change the value must come after this call. So when the value is copied, no other
    /// thread uses it.
    #[inline]
    pub(super) fn keep<T: ?Sized>(&self, tag: &Tag, with_value: impl FnOnce(&mut dyn FnMut(&T))) {
        if self.0.get().is_none() && is_plain_static::<T>(tag) {
            self.0.get_or_init(|| {
                let mut bytes = Bytes::uninit();
                with_value(&mut |value| {
                    let (from, to) = (ptr::from_ref(value).cast::<u8>(), bytes.as_mut_ptr().cast::<u8>());
                    // SAFETY: a plain value has no more bytes than the room (`Plain::of`), and the bytes are
                    // copied whatever they are.
                    unsafe { ptr::copy_nonoverlapping(from, to, size_of_val(value)) }
                });
                bytes
            });
        }
    }
}

/// Is the object of the tag a `static` with a plain value of this type?
pub(super) fn is_plain_static<T: ?Sized>(tag: &Tag) -> bool {
    tag.is_static() && Plain::find::<T>().is_some()
}

/// The containers that can stand in for a `static`.
#[derive(Clone, Copy, Debug)]
pub(super) enum Container {
    Mutex,
    RwLock,
    Cell,
}

/// Gives the object of the tag, which is a `static` with a plain value of type `T`, a stand-in of type `C`
/// for this run, if it has none.
pub(super) fn stand_in_for<T: ?Sized, C: ?Sized>(
    execution: &Execution,
    (tag, object): (&Tag, ObjectId),
    initial: &InitialValue,
    container: Container,
) {
    if execution.value_place(object).is_some() {
        return;
    }
    let plain = Plain::find::<T>().expect("only a plain value has a stand-in");
    let initial = initial.0.get().expect("the initial value is copied at the first use");
    let make = match container {
        Container::Mutex => plain.mutex,
        Container::RwLock => plain.rwlock,
        Container::Cell => plain.cell,
    };
    let type_id = type_id::<C>();
    let pointer = execution.stand_in(tag, type_id, initial, make);
    execution.set_value_place(object, ValuePlace { type_id, pointer });
}

/// The stand-in of a `static`. It is never freed while a guard or a pointer from it is in use.
pub(super) fn stand_in<'a, C: ?Sized>(execution: &Execution, object: ObjectId) -> &'a C {
    let place = execution.value_place(object).expect("a static with a plain value has a stand-in");
    assert!(place.type_id == type_id::<C>(), "a static has one type");
    assert!(size_of::<*const C>() == size_of::<NonNull<()>>(), "a plain value has a size");
    // SAFETY: the pointer is to a value of type `C`, a type with a size, so that pointers to it are as
    // pointers to `()`. The caller is a use of the `static` in the run, so the stand-in was not freed yet;
    // nor is it later while the caller keeps a guard (`StandIn::is_unused`).
    unsafe { &*std::mem::transmute_copy::<NonNull<()>, *const C>(&place.pointer) }
}

/// A plain type: how its stand-ins are made.
#[derive(Clone, Copy)]
struct Plain {
    mutex: fn(&Bytes) -> Box<dyn StandIn>,
    rwlock: fn(&Bytes) -> Box<dyn StandIn>,
    cell: fn(&Bytes) -> Box<dyn StandIn>,
}

impl Plain {
    const fn of<P: Copy + 'static>() -> Plain {
        assert!(size_of::<P>() <= size_of::<Bytes>());
        Plain {
            mutex: |bytes| Box::new(Mutex::new(read::<P>(bytes))),
            rwlock: |bytes| Box::new(RwLock::new(read::<P>(bytes))),
            cell: |bytes| Box::new(UnsafeCell::new(read::<P>(bytes))),
        }
    }

    fn find<T: ?Sized>() -> Option<Plain> {
        PLAIN_TYPES.get(&type_id::<T>()).copied()
    }
}

macro_rules! plain_types {
    ($($plain:ty)*) => {
        HashMap::from([$(
            (TypeId::of::<$plain>(), const { Plain::of::<$plain>() }),
        )*])
    };
}

static PLAIN_TYPES: LazyLock<HashMap<TypeId, Plain>> = LazyLock::new(|| {
    plain_types! {
        () bool char f32 f64
        u8 u16 u32 u64 u128 usize
        i8 i16 i32 i64 i128 isize
        Option<bool> Option<char> Option<f32> Option<f64>
        Option<u8> Option<u16> Option<u32> Option<u64> Option<usize>
        Option<i8> Option<i16> Option<i32> Option<i64> Option<isize>
    }
});

/// The value of these bytes.
fn read<P: Copy>(bytes: &Bytes) -> P {
    // SAFETY: the bytes are a copy of a value of this type (`InitialValue::keep`), found by its identity.
    unsafe { bytes.as_ptr().cast::<P>().read_unaligned() }
}

impl<P: Copy + 'static> StandIn for Mutex<P> {
    fn pointer(&self) -> NonNull<()> {
        NonNull::from(self).cast()
    }

    fn is_unused(&self) -> bool {
        // A guard that was forgotten keeps the lock locked.
        !matches!(self.try_lock(), Err(TryLockError::WouldBlock))
    }

    fn renew(&mut self, initial: &Bytes) {
        *self = Mutex::new(read(initial));
    }
}

impl<P: Copy + 'static> StandIn for RwLock<P> {
    fn pointer(&self) -> NonNull<()> {
        NonNull::from(self).cast()
    }

    fn is_unused(&self) -> bool {
        !matches!(self.try_write(), Err(TryLockError::WouldBlock))
    }

    fn renew(&mut self, initial: &Bytes) {
        *self = RwLock::new(read(initial));
    }
}

impl<P: Copy + 'static> StandIn for UnsafeCell<P> {
    fn pointer(&self) -> NonNull<()> {
        NonNull::from(self).cast()
    }

    fn is_unused(&self) -> bool {
        // The program may have made references of the pointers that it got.
        false
    }

    fn renew(&mut self, initial: &Bytes) {
        *self.get_mut() = read(initial);
    }
}
