//! The messages of a run, each known by the step that sent it.
//!
//! Aronis, Jonsson, Lång and Sagonas, Optimal Dynamic Partial Order Reduction with Observers, TACAS 2018:
//! sends to one mailbox are dependent, and a receive depends on the send of its message, not on later
//! ones. A message is named after its sender and the number of messages that the sender sent before, so
//! that it has the same name in every run in which it is sent. The name is one bit of a footprint; names
//! that share a bit only add dependencies.

use super::walk::process_of;
use crate::ltl::Step;
use crate::system::{Communication, System};
use selvedge_explore::ThreadId;

/// The mailboxes of a run, by the names of messages.
#[derive(Clone, Debug, Default)]
pub(super) struct Messages {
    /// For each process the bits of the messages in its mailbox, oldest first.
    mailboxes: Vec<Vec<u64>>,
    /// For each process the number of messages that it has sent.
    sent: Vec<u64>,
}

impl Messages {
    /// The messages after the steps of a path.
    pub(super) fn of<S: System>(system: &S, path: &[Step<S::Action>]) -> Messages {
        let mut messages = Messages::default();
        for (from, step) in path.iter().zip(path.iter().skip(1)) {
            let (thread, pending) = process_of(system, &from.state, step);
            messages.pass(thread, pending.communication);
        }
        messages
    }

    /// The bit of the message that the next step of a process passes.
    pub(super) fn bit(&self, thread: ThreadId, communication: Communication) -> u64 {
        let index = thread.0 as usize;
        match communication {
            Communication::Send(_) => name(index as u64, self.sent.get(index).copied().unwrap_or(0)),
            Communication::Receive(position) => {
                let mailbox = self.mailboxes.get(index);
                mailbox.and_then(|mailbox| mailbox.get(position)).copied().unwrap_or(0)
            }
            Communication::None | Communication::Spawn(_) => 0,
        }
    }

    /// A process takes a step.
    pub(super) fn pass(&mut self, thread: ThreadId, communication: Communication) {
        let index = thread.0 as usize;
        let bit = self.bit(thread, communication);
        match communication {
            Communication::None => {}
            Communication::Send(to) => {
                at(&mut self.mailboxes, to.0 as usize).push(bit);
                *at(&mut self.sent, index) += 1;
            }
            Communication::Receive(position) => {
                let mailbox = at(&mut self.mailboxes, index);
                if position < mailbox.len() {
                    mailbox.remove(position);
                }
            }
            Communication::Spawn(child) => at(&mut self.mailboxes, child.0 as usize).clear(),
        }
    }
}

fn at<T: Default + Clone>(list: &mut Vec<T>, index: usize) -> &mut T {
    if list.len() <= index {
        list.resize(index + 1, T::default());
    }
    &mut list[index]
}

/// The bit of the message that a process sends after so many others.
fn name(process: u64, sent: u64) -> u64 {
    let bits = Communication::MESSAGE_BITS;
    let count = u64::from(bits.end - bits.start);
    // The first messages of the first processes have different bits.
    1 << (u64::from(bits.start) + (process * 6 + sent) % count)
}
