//! What processes are about to do, for schedulers: which steps are dependent.
//!
//! Two sends to one mailbox are dependent, and so are a send and the receive of its message; a send and a
//! receive that has its match are not (Aronis, Jonsson, Lång and Sagonas, 2018). A receive that may time
//! out depends on all sends to its process. Steps that concern links, monitors, names or timers depend on
//! everything.

use super::Core;
use super::config::{Config, REGISTRY};
use super::step::Expiry;
use crate::erlang::code::bif::Bif;
use crate::erlang::evaluate::{ControlKind, Match};
use crate::erlang::term::{Pid, Value};
use selvedge_explore::event::Footprint;
use selvedge_model::{Communication, Pending, ProcessId};

/// Processes share the bits of mailboxes and of lives, which only adds dependencies.
const SHARED: u8 = 8;

/// The label of the state may change.
const LABEL: u64 = 1 << 62;

/// Which pids are free may change.
const PIDS: u64 = 1 << 63;

fn mailbox(pid: Pid) -> u64 {
    1 << (pid.0 % SHARED)
}

fn life(pid: Pid) -> u64 {
    1 << (SHARED + pid.0 % SHARED)
}

impl Core {
    /// The next action of a process; `None` if it has ended.
    pub(super) fn pending(&mut self, config: &Config, pid: Pid) -> Option<Pending> {
        let process = self.process_of(config, pid)?;
        let is_simple = self.evaluator.is_exact()
            && !self.options.is_fifo
            && self.options.kills == 0
            && self.timers.get(config[super::config::TIMERS]).is_empty();
        if !is_simple {
            return Some(Pending::ANYTHING);
        }
        let action = |writes: u64, communication: Communication| Pending {
            footprint: Footprint { reads: life(pid), writes },
            alternatives: 1,
            is_plural: true,
            is_guarded: false,
            communication,
        };
        Some(match self.evaluator.kind(process.control) {
            ControlKind::BeforeProp | ControlKind::AtProp => action(LABEL, Communication::None),
            ControlKind::Local => action(0, Communication::None),
            ControlKind::Visible(Bif::Send | Bif::SendFunction) => {
                let to = self.evaluator.terms.as_pid(self.evaluator.first_value(process.control));
                match to.map(|to| (to, self.position(config, to).is_some())) {
                    Some((to, true)) => action(mailbox(to), Communication::Send(ProcessId(u32::from(to.0)))),
                    Some((_, false)) => action(0, Communication::None),
                    None => Pending::ANYTHING,
                }
            }
            ControlKind::Visible(Bif::Spawn | Bif::SpawnNamed) => match self.free_pid(config) {
                Some(child) => {
                    action(PIDS | life(child), Communication::Spawn(ProcessId(u32::from(child.0))))
                }
                None => Pending::ANYTHING,
            },
            // Ends commute with each other, and not with a spawn that may use their pids again.
            ControlKind::End if self.is_alone(config, pid) => Pending {
                footprint: Footprint {
                    reads: life(pid) | if self.reuses_pids(config) { PIDS } else { 0 },
                    writes: 0,
                },
                ..action(0, Communication::None)
            },
            ControlKind::Receive => self.pending_receive(config, pid),
            _ => Pending::ANYTHING,
        })
    }

    /// Has a process neither links nor monitors nor a name?
    fn is_alone(&self, config: &Config, pid: Pid) -> bool {
        let process = self.process_of(config, pid).expect("a live process");
        let relations = self.relations_of(process.relations);
        relations.links == 0
            && relations.monitors.is_empty()
            && self.registries.pids(config[REGISTRY]) & pid.bit() == 0
    }

    fn pending_receive(&mut self, config: &Config, pid: Pid) -> Pending {
        let process = self.process_of(config, pid).expect("a live process");
        let messages = self.mailboxes.get(process.mailbox).to_vec();
        let matches =
            |message: &u32| self.received(pid, process.control, Value(*message)).matched != Match::No;
        let position = messages.iter().position(matches);
        let may_time_out = self.expiry(self.evaluator.first_value(process.control)) != Expiry::Never;
        Pending {
            footprint: Footprint {
                reads: life(pid) | if may_time_out || position.is_none() { mailbox(pid) } else { 0 },
                writes: 0,
            },
            alternatives: 1,
            is_plural: true,
            is_guarded: true,
            communication: position.map_or(Communication::None, Communication::Receive),
        }
    }
}
