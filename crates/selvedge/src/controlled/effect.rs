//! Opaque effects: code that the exploration does not see into, as one step.

use crate::controlled::current;
use std::panic::Location;

/// Executes a function as one visible step of an exploration: a use of something that is not of `selvedge`,
/// such as a file, a log, or a lock of another crate.
///
/// The step depends on all other effects, so a complete exploration tries every order of effects, and no
/// other thread goes on during it. Without it, two explored threads that write to the same
/// `std::sync::Mutex<Vec<_>>` are run in one order only, because no step tells that the order matters.
///
/// ```
/// use selvedge::sync::Arc;
///
/// let report = selvedge::explore(|| {
///     let log = Arc::new(std::sync::Mutex::new(Vec::new()));
///     let threads = [1, 2].map(|number| {
///         let log = log.clone();
///         selvedge::thread::spawn(move || selvedge::effect(|| log.lock().unwrap().push(number)))
///     });
///     threads.into_iter().for_each(|thread| thread.join().unwrap());
///     selvedge::effect(|| log.lock().unwrap().clone())
/// });
/// assert_eq!(report.values().collect::<Vec<_>>(), [&[1, 2], &[2, 1]]);
/// ```
///
/// - Every run repeats it, and so does every replay: an effect on something that outlives the run (a file, a
///   `static`) meets there what earlier runs left. Make such things inside the body, or undo the effect.
/// - It must not wait for another explored thread, so a lock of another crate is taken and released inside
///   one effect. A visible action inside of it (a lock of `selvedge`, a spawn, a channel) is refused.
///   An effect inside of it is a part of it.
/// - Effects are ordered as if each of them took one lock that they all share: the stores of the thread are
///   in memory before, and everything before it happens before everything after a later effect.
/// - A panic inside of it is a panic of its thread, as everywhere else.
///
/// Outside of explorations, and without the feature `check`, this calls the function and nothing else.
#[track_caller]
pub fn effect<R>(function: impl FnOnce() -> R) -> R {
    match current() {
        Some(execution) => execution.effect(Location::caller(), function),
        None => function(),
    }
}
