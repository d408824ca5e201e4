//! Is an object a `static`?
//!
//! A constructor is a `const fn`, so it cannot tell whether it runs at compile time; the address of the
//! object can: the initial value of a `static` is part of the program's image. Every object of this crate
//! has a reference that is not null (see [`Tag`](super::Tag)), so a `static` with an initial value is in the
//! initialised, writable part of the image, and not in the part that is zero at first.
//!
//! Promise: every `static` of the program and of the libraries that are loaded when this is asked for the
//! first time is found, on systems that can list them; on others no object is a `static`. No object on a
//! heap or a stack is a `static`. An object that was made at run time in the memory of another `static`
//! (the content of a lazy value of `std`) counts as one, so no caller may conclude from the answer that the
//! object was made at compile time.

#![allow(unsafe_code)]

use std::ops::Range;
use std::sync::OnceLock;

/// The addresses of the program's image.
#[derive(Default)]
struct Image {
    /// The parts that are writable and have an initial content.
    initialised: Vec<Range<usize>>,
    /// All parts.
    all: Vec<Range<usize>>,
}

static IMAGE: OnceLock<Image> = OnceLock::new();

/// Is this the address of an object that is a `static`, or a part of one?
#[inline]
pub(super) fn is_static<T>(object: *const T) -> bool {
    let address = object.addr();
    IMAGE.get_or_init(Image::of_process).initialised.iter().any(|range| range.contains(&address))
}

/// Can this address be the value of a pointer that was made at compile time? Then it points into the image,
/// or to nothing.
pub(crate) fn is_constant_address(address: usize) -> bool {
    /// The alignment of no type is larger, so a dangling pointer to a value without size is below.
    const MAX_DANGLING: usize = 1 << 12;
    address <= MAX_DANGLING
        || IMAGE.get_or_init(Image::of_process).all.iter().any(|range| range.contains(&address))
}

#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
impl Image {
    fn of_process() -> Image {
        let mut image = Image::default();
        // SAFETY: `add_object` is called with descriptions of loaded objects and with this image, and with
        // nothing after the call has returned.
        unsafe { libc::dl_iterate_phdr(Some(add_object), (&raw mut image).cast()) };
        image
    }
}

/// Adds the parts of one loaded object to an [`Image`].
#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
unsafe extern "C" fn add_object(
    object: *mut libc::dl_phdr_info,
    _size: libc::size_t,
    image: *mut libc::c_void,
) -> libc::c_int {
    // SAFETY: `dl_iterate_phdr` passes a valid description, and the pointer that `of_process` gave to it, to
    // which there is no other reference meanwhile.
    let (object, image) = unsafe { (&*object, &mut *image.cast::<Image>()) };
    if object.dlpi_phdr.is_null() {
        return 0;
    }
    // SAFETY: the description has this many headers, which stay where they are while the object is loaded.
    let headers = unsafe { std::slice::from_raw_parts(object.dlpi_phdr, usize::from(object.dlpi_phnum)) };
    for header in headers.iter().filter(|header| header.p_type == libc::PT_LOAD) {
        let start = (object.dlpi_addr as usize).wrapping_add(header.p_vaddr as usize);
        image.all.push(start..start.wrapping_add(header.p_memsz as usize));
        if header.p_flags & libc::PF_W != 0 {
            image.initialised.push(start..start.wrapping_add(header.p_filesz as usize));
        }
    }
    0
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd")))]
impl Image {
    fn of_process() -> Image {
        Image::default()
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::sync::atomic::AtomicU8;
    use crate::sync::{LazyLock, Mutex};

    #[test]
    fn statics_are_told_from_other_objects() {
        static ATOMIC: AtomicU8 = AtomicU8::new(0);
        static LOCKS: [Mutex<Option<u8>>; 3] = [const { Mutex::new(None) }; 3];
        static LAZY: LazyLock<Vec<u8>> = LazyLock::new(Vec::new);
        static POINTED: &Mutex<Option<u8>> = &LOCKS[1];
        assert!(is_static(&raw const ATOMIC) && is_static(&raw const LOCKS[2]) && is_static(&raw const LAZY));
        assert!(is_static(&raw const *POINTED));
        assert!(!is_static(&raw const *Box::new(AtomicU8::new(0))));
        let own = AtomicU8::new(0);
        assert!(!is_static(&raw const own));
        std::thread_local! { static LOCAL: AtomicU8 = const { AtomicU8::new(0) }; }
        LOCAL.with(|local| assert!(!is_static(&raw const *local)));
    }

    #[test]
    fn a_pointer_to_a_static_or_to_nothing_can_be_constant() {
        static VALUE: u8 = 7;
        static ZERO: std::sync::atomic::AtomicU8 = std::sync::atomic::AtomicU8::new(0);
        let constants =
            [&raw const VALUE, ZERO.as_ptr().cast_const(), std::ptr::null(), std::ptr::dangling()];
        assert!(constants.into_iter().all(|pointer| is_constant_address(pointer.addr())));
        assert!(!is_constant_address((&raw const *Box::new(7_u8)).addr()));
    }
}
