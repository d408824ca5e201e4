//! Threads in a build without the feature `watch`: outside of explorations they tell nothing.

/// A thread that is about to be spawned.
pub(crate) struct Child;

/// A child that runs its function.
pub(crate) struct Running;

/// What the thread that joins a child needs: nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChildTicket;

#[inline(always)]
pub(crate) fn spawn(_name: Option<&str>) -> (Child, ChildTicket) {
    (Child, ChildTicket)
}

impl Child {
    #[inline(always)]
    pub(crate) fn begin(self) -> Running {
        Running
    }
}

impl ChildTicket {
    #[inline(always)]
    pub(crate) fn join<R>(self, _is_finished: bool, block: impl FnOnce() -> R) -> R {
        block()
    }
}

/// The children of a scope: nothing is known of them.
#[derive(Debug)]
pub(crate) struct ScopeTickets;

impl ScopeTickets {
    #[inline(always)]
    pub(crate) fn new() -> ScopeTickets {
        ScopeTickets
    }

    #[inline(always)]
    pub(crate) fn begin(&mut self, _address: usize) {}

    #[inline(always)]
    pub(crate) fn add(_address: usize, _ticket: &ChildTicket) {}

    #[inline(always)]
    pub(crate) fn end(self) {}
}
