//! When a search by one worker gives way to several: with so many states, and if several pay.
//!
//! Promise: a search that does not give way then never does.

/// When to give way, and the nodes from which several workers go on then.
pub(crate) struct GiveWay<'a> {
    states: usize,
    /// Do several workers pay?
    pays: Box<dyn Fn() -> bool + 'a>,
    /// When it has given way, the nodes to which edges lead that it did not follow.
    pub(super) frontier: Option<Vec<u32>>,
}

impl<'a> GiveWay<'a> {
    pub(crate) fn new(states: usize, pays: impl Fn() -> bool + 'a) -> GiveWay<'a> {
        GiveWay { states, pays: Box::new(pays), frontier: None }
    }

    /// Is it time to decide, with so many states?
    #[inline]
    pub(super) fn is_due(&self, states: usize) -> bool {
        states >= self.states
    }

    pub(super) fn pays(&self) -> bool {
        (self.pays)()
    }
}
