//! Does the running thread drop the last owner of a value that an `Arc` of `std` owns?
//!
//! The counts of `std`'s `Arc` are not seen, so the order that they make is not known: the destructor of the
//! value happens after all that the other owners did before they were dropped. An access of data in that
//! destructor is not judged by clocks that lack this order. `std` calls the destructor in a function of its
//! own that is never inlined, so the stack tells, as far as the program has symbols.
//!
//! Promise: asked only when a data race is found, so it may take milliseconds.

use std::backtrace::Backtrace;

/// The number of last owners, by `std`'s `Arc`, that are being dropped on the stack of the running thread.
#[cold]
pub(in crate::control) fn count_last_drops() -> usize {
    let stack = Backtrace::force_capture().to_string();
    let lines: Vec<&str> = stack.lines().map(str::trim).collect();
    let frames = lines.iter().enumerate().filter(|(_, line)| !line.starts_with("at "));
    // The place of a frame, if it is known, is in the line after its name.
    frames.filter(|(index, name)| is_last_drop(name, lines.get(index + 1).unwrap_or(&""))).count()
}

/// Is the function `Arc::drop_slow` of `alloc::sync`, whatever the types? Not that of `Rc`, nor one of the
/// program with that name. With tables of lines alone, a name has no path, and the place tells.
fn is_last_drop(name: &str, place: &str) -> bool {
    let is_place = || place.starts_with("at ") && place.replace('\\', "/").contains("/alloc/src/sync.rs:");
    name.contains("drop_slow") && (name.contains("alloc::sync::Arc<") || is_place())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;
    use std::sync::{Arc, Mutex};

    #[test]
    fn frames_are_recognised_by_both_ways_to_write_symbols() {
        let alloc = "at /rustc/59807616e1fa/library/alloc/src/sync.rs:1876:9";
        assert!(is_last_drop("7: alloc::sync::Arc<T,A>::drop_slow", ""));
        assert!(is_last_drop("7: <alloc::sync::Arc<alloc::vec::Vec<u8>>>::drop_slow", alloc));
        assert!(is_last_drop("7: drop_slow<alloc::vec::Vec<u8>, alloc::alloc::Global>", alloc));
        assert!(!is_last_drop("7: drop_slow<u8>", "at src/sync.rs:3:1"));
        assert!(!is_last_drop("7: drop_slow<u8>", "8: main"));
        assert!(!is_last_drop("7: alloc::rc::Rc<T,A>::drop_slow", "at /library/alloc/src/rc.rs:1:1"));
        assert!(!is_last_drop("7: alloc::sync::Arc<T,A>::new", alloc));
    }

    /// Counts last drops in its destructor.
    struct Counter(Arc<Mutex<Vec<usize>>>);

    impl Drop for Counter {
        fn drop(&mut self) {
            self.0.lock().unwrap().push(count_last_drops());
        }
    }

    #[test]
    fn the_stack_tells_how_many_last_owners_are_being_dropped() {
        let counts = Arc::new(Mutex::new(Vec::new()));
        let counter = || Counter(counts.clone());
        drop(counter());
        drop(Box::new(Rc::new(counter())));
        let shared = Arc::new(counter());
        drop(shared.clone());
        drop(shared);
        drop(Arc::new(Arc::new(counter())));
        let unwrapped = Arc::try_unwrap(Arc::new(counter()));
        drop(unwrapped);
        assert_eq!(*counts.lock().unwrap(), [0, 0, 1, 2, 0]);
    }
}
