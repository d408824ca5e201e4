//! The children of scopes: the end of a scope joins all of them.

use super::ChildTicket;
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

/// By the address of a scope, while it exists.
static OPEN: LazyLock<Mutex<HashMap<usize, Vec<ChildTicket>>>> = LazyLock::new(Mutex::default);

fn open() -> MutexGuard<'static, HashMap<usize, Vec<ChildTicket>>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The children of a scope, which are joined at its end.
#[derive(Debug)]
pub(crate) struct ScopeTickets {
    address: Option<usize>,
}

impl ScopeTickets {
    pub(crate) fn new() -> ScopeTickets {
        ScopeTickets { address: None }
    }

    /// The scope of this address begins.
    pub(crate) fn begin(&mut self, address: usize) {
        self.address = Some(address);
    }

    /// A child was spawned in the scope.
    pub(crate) fn add(address: usize, ticket: &ChildTicket) {
        if ticket.is_known() {
            open().entry(address).or_default().push(ticket.clone());
        }
    }

    /// The scope has waited for all children.
    pub(crate) fn end(mut self) {
        for ticket in self.take() {
            ticket.joined();
        }
    }

    fn take(&mut self) -> Vec<ChildTicket> {
        self.address.take().and_then(|address| open().remove(&address)).unwrap_or_default()
    }
}

impl Drop for ScopeTickets {
    fn drop(&mut self) {
        // The scope unwinds. Its children have ended, but what they did orders nothing that follows.
        self.take();
    }
}
