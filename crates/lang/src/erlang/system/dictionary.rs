//! Silent steps: what depends on the configuration, and no other process can see.
//!
//! A new reference is one that no value of the configuration has, and the process dictionary (`put/2`,
//! `get/1`, `erase/1`) is part of its process. Such a step belongs to the visible step before it, as local
//! evaluation does. A process that takes silent steps for ever diverges.
//!
//! Under a domain a key that is not known makes the whole dictionary unknown: it then has one entry, from
//! any key to any value.

use super::config::Config;
use super::step::EnabledSteps;
use super::{Action, Core, CutKind};
use crate::erlang::code::bif::Bif;
use crate::erlang::evaluate::{Control, ControlKind, Stop};
use crate::erlang::term::{Kind, Pid, Term, Value, atom};
use rustc_hash::FxHashSet;

/// The entries of a process dictionary, in the order of their keys' numbers.
pub(super) type Dictionary = Vec<(Value, Value)>;

/// A configuration on the path of silent steps, and the configurations after it.
type Level = (Config, std::vec::IntoIter<Config>);

impl Core {
    /// Adds the step that leads to this control, and past silent steps.
    pub(super) fn settle(
        &mut self,
        mut config: Config,
        pid: Pid,
        control: Control,
        action: Action,
        found: &mut EnabledSteps,
    ) {
        self.set_control(&mut config, pid, control);
        if self.silent_bif(control).is_none() {
            return found.steps.push((action, config));
        }
        let mut visited = FxHashSet::default();
        let mut on_path = FxHashSet::default();
        let mut path: Vec<Level> = Vec::new();
        let mut entered = Some(config);
        loop {
            if let Some(config) = entered.take() {
                let next = self.silent_steps(&config, pid);
                on_path.insert(config.clone());
                path.push((config, next.into_iter()));
            }
            let Some((_, next)) = path.last_mut() else { return };
            let Some(next) = next.next() else {
                let (config, _) = path.pop().expect("a level");
                on_path.remove(&config);
                continue;
            };
            let control = self.process_of(&next, pid).expect("a live process").control;
            let node = self.evaluator.control_node(control);
            if self.silent_bif(control).is_none() {
                found.steps.push((action, next));
            } else if on_path.contains(&next) {
                let diverges = self.evaluator.control(&Stop::Diverge { node });
                let mut next = next;
                self.set_control(&mut next, pid, diverges);
                found.steps.push((action, next));
            } else if path.len() >= self.evaluator.limits.local {
                self.cut(CutKind::Local, node, pid, found);
            } else if visited.insert(next.clone()) {
                entered = Some(next);
            }
        }
    }

    /// The function of a control that is a silent step.
    fn silent_bif(&self, control: Control) -> Option<Bif> {
        match self.evaluator.kind(control) {
            ControlKind::Visible(bif) if bif.sort() == crate::erlang::code::bif::Sort::Silent => Some(bif),
            _ => None,
        }
    }

    /// The configurations after the silent step of a process.
    fn silent_steps(&mut self, config: &Config, pid: Pid) -> Vec<Config> {
        let process = self.process_of(config, pid).expect("a live process");
        let bif = self.silent_bif(process.control).expect("a silent step");
        let values = self.evaluator.payload(process.control);
        let mut after = Vec::new();
        let results = match bif {
            Bif::MakeRef => vec![(self.new_reference(config, pid, &[]), None)],
            _ => {
                let dictionary = self.relations_of(process.relations).dictionary;
                self.use_dictionary(bif, &values, &dictionary)
            }
        };
        for (value, dictionary) in results {
            let mut next = config.clone();
            if let Some(mut dictionary) = dictionary {
                dictionary.sort_unstable();
                self.relate(&mut next, pid, |relations| relations.dictionary = dictionary);
            }
            for control in &*self.evaluator.resume(pid, process.control, value) {
                let mut next = next.clone();
                self.set_control(&mut next, pid, *control);
                after.push(next);
            }
        }
        after
    }

    /// The possible results of a function on a dictionary, each with the dictionary after it if that is
    /// another.
    fn use_dictionary(
        &mut self,
        bif: Bif,
        values: &[Value],
        dictionary: &Dictionary,
    ) -> Vec<(Value, Option<Dictionary>)> {
        let any = self.evaluator.terms.top(Kind::Any);
        let undefined = self.evaluator.terms.atom_value(atom::UNDEFINED);
        let is_unknown = dictionary.iter().any(|entry| entry.0 == any);
        let has_key = matches!(bif, Bif::Put | Bif::Get | Bif::Erase);
        let has_unknown_key = has_key && self.evaluator.terms.is_abstract(values[0]);
        if is_unknown || has_unknown_key {
            let list = self.evaluator.terms.top(Kind::List);
            let everything = (!is_unknown && bif != Bif::Get).then(|| vec![(any, any)]);
            return match bif {
                Bif::Put | Bif::Get | Bif::Erase => vec![(any, everything)],
                Bif::EraseAll => vec![(list, Some(Vec::new()))],
                _ => vec![(list, None)],
            };
        }
        let found = |key: Value| dictionary.iter().find(|entry| entry.0 == key).map(|entry| entry.1);
        let without = |key: Value| dictionary.iter().copied().filter(|entry| entry.0 != key).collect();
        let (value, after) = match bif {
            Bif::Get => (found(values[0]).unwrap_or(undefined), None),
            Bif::Put => {
                let mut after: Dictionary = without(values[0]);
                after.push((values[0], values[1]));
                (found(values[0]).unwrap_or(undefined), Some(after))
            }
            Bif::Erase => (found(values[0]).unwrap_or(undefined), Some(without(values[0]))),
            Bif::GetAll => (self.entries(dictionary), None),
            Bif::EraseAll => (self.entries(dictionary), Some(Vec::new())),
            Bif::GetKeys => (self.keys(dictionary, |_| true), None),
            Bif::GetKeysOf if self.evaluator.terms.is_abstract(values[0]) => {
                (self.evaluator.terms.top(Kind::List), None)
            }
            Bif::GetKeysOf => (self.keys(dictionary, |value| value == values[0]), None),
            _ => unreachable!("`{}` is no silent step", bif.name()),
        };
        vec![(value, after)]
    }

    fn entries(&mut self, dictionary: &Dictionary) -> Value {
        let sorted = self.in_key_order(dictionary.clone());
        let pairs: Vec<Value> = sorted.into_iter().map(|(key, value)| self.tuple(&[key, value])).collect();
        self.list(pairs)
    }

    fn keys(&mut self, dictionary: &Dictionary, is_wanted: impl Fn(Value) -> bool) -> Value {
        let wanted = dictionary.iter().copied().filter(|entry| is_wanted(entry.1)).collect();
        let keys = self.in_key_order(wanted).into_iter().map(|entry| entry.0).collect();
        self.list(keys)
    }

    fn in_key_order(&self, mut dictionary: Dictionary) -> Dictionary {
        dictionary.sort_by(|one, other| self.evaluator.terms.key_order(one.0, other.0));
        dictionary
    }

    /// A list, as the domain can express it.
    fn list(&mut self, elements: Vec<Value>) -> Value {
        let end = self.evaluator.terms.intern(Term::Nil);
        let list = self.evaluator.terms.list(elements.into_iter(), end);
        self.evaluator.abstraction(list)
    }
}
