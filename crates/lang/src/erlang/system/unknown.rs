//! Arguments of visible steps that the domain does not know.
//!
//! A step with an unknown pid, reference, name or exit reason is each step that the argument can stand for:
//! with each value that makes a difference in the configuration, and once as it is, which stands for all
//! others, errors among them. Where the result cannot be expressed (a name that is registered), the step is
//! cut off with its line.

use super::Core;
use super::config::Config;
use crate::erlang::code::bif::Bif;
use crate::erlang::term::{Kind, Pid, Term, Value, atom};

/// The values that an unknown argument may stand for, beside itself.
pub(super) enum Readings {
    /// The argument at this position is each of these.
    Also(usize, Vec<Value>),
    /// What the step does cannot be expressed.
    Inexpressible,
}

impl Core {
    /// Is the value one of which not even the constructor is known?
    pub(super) fn is_unknown(&self, value: Value) -> bool {
        matches!(self.evaluator.terms.get(value), Term::Top(_) | Term::Atoms(_))
    }

    /// May the value be of this kind, without being known?
    fn may_be(&self, value: Value, kind: Kind) -> bool {
        match self.evaluator.terms.get(value) {
            Term::Top(other) => *other == kind || *other == Kind::Any,
            Term::Atoms(_) => kind == Kind::Atom,
            _ => false,
        }
    }

    /// What the arguments of a call can stand for, if one of them is unknown.
    pub(super) fn readings(
        &mut self,
        config: &Config,
        pid: Pid,
        bif: Bif,
        values: &[Value],
    ) -> Option<Readings> {
        if self.evaluator.is_exact() || !values.iter().any(|value| self.is_unknown(*value)) {
            return None;
        }
        let unknown = |this: &Self, index: usize, kind: Kind| this.may_be(values[index], kind);
        Some(match bif {
            Bif::Link | Bif::Unlink | Bif::IsProcessAlive if unknown(self, 0, Kind::Pid) => {
                Readings::Also(0, self.live_values(config))
            }
            Bif::Register if self.is_unknown(values[0]) => Readings::Inexpressible,
            Bif::Register => Readings::Also(1, self.live_values(config)),
            Bif::WhereIs | Bif::Unregister if unknown(self, 0, Kind::Atom) => {
                let names = self.registered(config).into_iter();
                let names = names.map(|(name, _)| self.evaluator.terms.atom_value(name));
                Readings::Also(0, names.collect())
            }
            Bif::Demonitor | Bif::DemonitorOptions if unknown(self, 0, Kind::Ref) => {
                Readings::Also(0, self.monitor_references(config, pid))
            }
            Bif::DemonitorOptions if self.is_unknown(values[1]) => {
                let flush = self.evaluator.terms.atom_value(atom::FLUSH);
                let flush = self.evaluator.terms.proper_list([flush].into_iter());
                Readings::Also(1, vec![flush])
            }
            Bif::CancelTimer if unknown(self, 0, Kind::Ref) => {
                let timers = self.timers_of(config).into_iter();
                Readings::Also(0, timers.map(|timer| timer.reference).collect())
            }
            Bif::SendAfter | Bif::StartTimer if self.is_unknown(values[1]) => Readings::Inexpressible,
            Bif::ProcessFlag if self.is_unknown(values[0]) => Readings::Inexpressible,
            Bif::ProcessFlag if unknown(self, 1, Kind::Atom) => {
                let terms = &mut self.evaluator.terms;
                Readings::Also(1, vec![terms.boolean(true), terms.boolean(false)])
            }
            Bif::ExitProcess if unknown(self, 1, Kind::Atom) => {
                let terms = &mut self.evaluator.terms;
                Readings::Also(1, vec![terms.atom_value(atom::KILL), terms.atom_value(atom::NORMAL)])
            }
            _ => return None,
        })
    }

    fn live_values(&mut self, config: &Config) -> Vec<Value> {
        Pid::of(self.live_pids(config)).map(|pid| self.evaluator.terms.pid(pid)).collect()
    }

    /// The references by which a process monitors others, and its aliases.
    fn monitor_references(&self, config: &Config, pid: Pid) -> Vec<Value> {
        let mut references = Vec::new();
        for other in Pid::of(self.live_pids(config)) {
            let process = self.process_of(config, other).expect("a live process");
            let relations = self.relations_of(process.relations);
            let own = relations.monitors.into_iter().filter(|monitor| monitor.0 == pid);
            references.extend(own.map(|monitor| monitor.1));
            if other == pid {
                references.extend(relations.aliases);
            }
        }
        references
    }
}
