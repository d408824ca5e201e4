//! Propositions and formulas of the whole program: changes go to the exploration that the calling thread
//! belongs to, or else to the monitor of the process.

#[cfg(feature = "watch")]
mod delivery;
#[cfg(feature = "watch")]
mod event;
#[cfg(feature = "watch")]
mod global;
#[cfg(feature = "watch")]
mod interest;
pub(crate) mod locks;
pub mod prop;
#[cfg(feature = "watch")]
mod ring;
#[cfg(all(test, feature = "watch"))]
mod ring_tests;
pub(crate) mod threads;

#[cfg(feature = "watch")]
pub use delivery::{Delivery, WhenFull, deliver};
#[cfg(feature = "watch")]
pub use global::{global, watch_lock_order};

use selvedge_monitor::{CheckError, Fact, IntoProperty, Property};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

/// How a proposition changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// It holds from now on.
    Set,
    /// It does not hold any more.
    Release,
    /// It holds in one state.
    Pulse,
}

/// The calling thread does something that changes no proposition: a recorded path shows a state. If none is
/// recorded, this costs one load.
#[cfg(feature = "watch")]
#[inline]
pub(crate) fn step() {
    if interest::INTEREST.steps() && !crate::door::is_exploring() {
        global::step();
    }
}

/// The same in a build without the feature `watch`: nothing.
#[cfg(not(feature = "watch"))]
#[inline(always)]
pub(crate) fn step() {}

/// Checks a formula from the present state on, such as `G !(critical(1) & critical(2))`.
///
/// The formula is text, or a formula over [`Fact`]s. Propositions are changed by [`prop`].
///
/// - In an exploration (feature `check`), the formula is judged on every run. A run that ends and violates
///   it has the outcome `Violated`: at the return of the body or in a deadlock, the last state stays for
///   ever, so every formula is decided. A run that is cut short is not judged.
/// - Outside of explorations, with the feature `watch`, the monitor of the process checks it. That monitor
///   keeps propositions from the first `check`, or the first `monitor::global`, on.
/// - Otherwise this does nothing.
///
/// # Panics
/// If the formula has mistakes, or depends on how often a state is repeated (`X`): the message says where.
#[track_caller]
pub fn check(name: &str, formula: impl IntoProperty<Fact>) {
    match prepared(formula) {
        Ok(property) => hand_over(name, &property, std::panic::Location::caller()),
        Err(error) => panic!("the formula `{name}` cannot be checked:\n{error}"),
    }
}

thread_local! {
    /// The formulas that were parsed and found to be stutter-invariant: every run of an exploration adds the
    /// same ones.
    static KNOWN: RefCell<HashMap<String, Arc<Property<Fact>>>> = RefCell::default();
}

/// The property, if it can be checked.
fn prepared(formula: impl IntoProperty<Fact>) -> Result<Arc<Property<Fact>>, CheckError> {
    let text = formula.text().map(str::to_owned);
    let known = text.as_ref().and_then(|text| KNOWN.with_borrow(|known| known.get(text).cloned()));
    if let Some(known) = known {
        return Ok(known);
    }
    let property = formula.into_property()?;
    property.validate()?;
    let property = Arc::new(property);
    if let Some(text) = text {
        KNOWN.with_borrow_mut(|known| known.insert(text, property.clone()));
    }
    Ok(property)
}

#[cfg(feature = "check")]
fn hand_over(name: &str, property: &Arc<Property<Fact>>, place: &'static std::panic::Location<'static>) {
    let is_explored = crate::control::with_current(|execution| match execution {
        Some(execution) => {
            execution.check_formula(name, property.clone(), place);
            true
        }
        None => false,
    });
    if !is_explored {
        check_globally(name, property);
    }
}

#[cfg(not(feature = "check"))]
fn hand_over(name: &str, property: &Arc<Property<Fact>>, _place: &'static std::panic::Location<'static>) {
    check_globally(name, property);
}

#[cfg(feature = "watch")]
fn check_globally(name: &str, property: &Property<Fact>) {
    global::check(name, property);
}

#[cfg(not(feature = "watch"))]
fn check_globally(_name: &str, _property: &Property<Fact>) {}
