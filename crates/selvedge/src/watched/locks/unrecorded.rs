//! Locks in a build without the feature `watch`: outside of explorations they tell nothing.

use super::{Access, Watch};
use selvedge_monitor::Value;
use std::panic::Location;

/// Nothing is known of holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Holding;

impl Holding {
    pub(crate) const NONE: Holding = Holding;
}

/// Nothing is known of the thread that has taken the value of an `MVar`.
#[derive(Debug)]
pub(crate) struct Taker;

impl Taker {
    pub(crate) const fn new(_is_full: bool) -> Taker {
        Taker
    }

    #[inline(always)]
    pub(crate) fn begin_to_take(&self, _watch: &Watch, _at: &'static Location<'static>) {}

    #[inline(always)]
    pub(crate) fn take(&self, _watch: &Watch, _at: &'static Location<'static>) {}

    #[inline(always)]
    pub(crate) fn put(&self, _watch: &Watch) {}
}

#[inline(always)]
pub(crate) fn acquire<G>(
    _watch: &Watch,
    _access: Access,
    _at: &'static Location<'static>,
    _attempt: impl Fn() -> Option<G>,
    block: impl FnOnce() -> G,
) -> (G, Holding) {
    (block(), Holding)
}

#[inline(always)]
pub(crate) fn acquired(_watch: &Watch, _access: Access, _at: &'static Location<'static>) -> Holding {
    Holding
}

#[inline(always)]
pub(crate) fn reacquired(_watch: &Watch, _access: Access, _at: &'static Location<'static>) -> Holding {
    Holding
}

#[inline(always)]
pub(crate) fn release(_watch: &Watch, _holding: Holding) {}

/// The lock in propositions: its name, if it has one that was given outside of explorations.
pub(crate) fn lock_value(_watch: &Watch) -> Option<Value> {
    None
}

/// Names a lock: outside of explorations, its name is not used.
#[inline(always)]
pub(crate) fn name(_watch: &Watch, _name: &str) {}
