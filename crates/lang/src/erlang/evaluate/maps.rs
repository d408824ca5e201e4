//! Maps: pairs in the order of their keys. A map with an abstract key is `?map`.

use super::Evaluator;
use super::bifs::Applied;
use crate::erlang::code::bif::Bif;
use crate::erlang::term::{Atom, Kind, Term, Value, atom};

type Pairs = Vec<(Value, Value)>;

impl Evaluator {
    /// A map from keys and values in turn.
    pub(super) fn make_map(&mut self, values: &[Value]) -> Vec<Applied> {
        let mut pairs = Pairs::new();
        for pair in values.chunks_exact(2) {
            self.put(&mut pairs, pair[0], pair[1]);
        }
        let map = self.map_of(pairs);
        vec![Applied::Value(map)]
    }

    /// A map, then keys and values in turn; for each key whether it must be there.
    pub(super) fn update_map(&mut self, values: &[Value], exact: &[bool]) -> Vec<Applied> {
        let mut pairs = match self.terms.get(values[0]).clone() {
            Term::Map(pairs) => pairs.into_vec(),
            Term::Top(Kind::Map | Kind::Any) => {
                let (map, any) = (self.terms.top(Kind::Map), self.terms.top(Kind::Any));
                let is_certain = *self.terms.get(values[0]) == Term::Top(Kind::Map) && !exact.contains(&true);
                let mut results = vec![Applied::Value(map)];
                results.extend((!is_certain).then_some(Applied::Raise(atom::ERROR, any)));
                return results;
            }
            _ => return vec![self.tagged_error(atom::BADMAP, values[0])],
        };
        for (pair, is_exact) in values[1..].chunks_exact(2).zip(exact) {
            if *is_exact && self.find_key(&pairs, pair[0]).is_none() {
                if self.terms.is_abstract(pair[0]) {
                    let (map, any) = (self.terms.top(Kind::Map), self.terms.top(Kind::Any));
                    return vec![Applied::Value(map), Applied::Raise(atom::ERROR, any)];
                }
                return vec![self.tagged_error(atom::BADKEY, pair[0])];
            }
            self.put(&mut pairs, pair[0], pair[1]);
        }
        let map = self.map_of(pairs);
        vec![Applied::Value(map)]
    }

    pub(super) fn tagged_error(&mut self, tag: Atom, value: Value) -> Applied {
        let tag = self.terms.atom_value(tag);
        Applied::Raise(atom::ERROR, self.make_tuple(&[tag, value]))
    }

    fn put(&self, pairs: &mut Pairs, key: Value, value: Value) {
        match pairs.iter_mut().find(|pair| pair.0 == key) {
            Some(pair) => pair.1 = value,
            None => pairs.push((key, value)),
        }
    }

    fn map_of(&mut self, mut pairs: Pairs) -> Value {
        if pairs.iter().any(|pair| self.terms.is_abstract(pair.0)) {
            return self.terms.top(Kind::Map);
        }
        pairs.sort_by(|a, b| self.terms.key_order(a.0, b.0));
        let map = self.terms.intern(Term::Map(pairs.into()));
        self.abstraction(map)
    }

    /// The functions of maps: `None` if it is another function, `Some(None)` if the arguments are too
    /// abstract.
    #[allow(clippy::option_option, reason = "no function, and no single result, are different things")]
    pub(super) fn map_function(&mut self, bif: Bif, values: &[Value]) -> Option<Option<Result<Value, Atom>>> {
        let map_index = match bif {
            Bif::MapsNew => return Some(Some(Ok(self.terms.intern(Term::Map(Box::default()))))),
            Bif::MapsFromList => return Some(self.map_from_list(values[0])),
            Bif::IsMapKey
            | Bif::MapGet
            | Bif::MapsFind
            | Bif::MapsGet
            | Bif::MapsGetDefault
            | Bif::MapsIsKey
            | Bif::MapsRemove => 1,
            Bif::MapsPut => 2,
            Bif::MapsToList => 0,
            _ => return None,
        };
        let pairs = match self.terms.get(values[map_index]) {
            Term::Map(pairs) => pairs.to_vec(),
            Term::Top(Kind::Map | Kind::Any) => return Some(None),
            _ => return Some(Some(Err(atom::BADMAP))),
        };
        let key = values[0];
        if bif != Bif::MapsToList && self.terms.is_abstract(key) {
            return Some(None);
        }
        let found = self.find_key(&pairs, key);
        Some(Some(match bif {
            Bif::IsMapKey | Bif::MapsIsKey => Ok(self.terms.boolean(found.is_some())),
            Bif::MapGet | Bif::MapsGet => found.ok_or(atom::BADKEY),
            Bif::MapsGetDefault => Ok(found.unwrap_or(values[2])),
            Bif::MapsFind => Ok(match found {
                Some(value) => {
                    let ok = self.terms.atom_value(atom::OK);
                    self.make_tuple(&[ok, value])
                }
                None => self.terms.atom_value(atom::ERROR),
            }),
            Bif::MapsPut => {
                let mut pairs = pairs;
                self.put(&mut pairs, key, values[1]);
                Ok(self.map_of(pairs))
            }
            Bif::MapsRemove => {
                let rest = pairs.into_iter().filter(|pair| pair.0 != key).collect();
                Ok(self.map_of(rest))
            }
            _ => {
                let tuples: Vec<Value> =
                    pairs.iter().map(|(key, value)| self.terms.tuple(&[*key, *value])).collect();
                Ok(self.terms.proper_list(tuples.into_iter()))
            }
        }))
    }

    fn map_from_list(&mut self, list: Value) -> Option<Result<Value, Atom>> {
        let (elements, end) = self.terms.elements(list);
        if *self.terms.get(end) != Term::Nil {
            return if self.terms.is_abstract(end) { None } else { Some(Err(atom::BADARG)) };
        }
        let mut pairs = Pairs::new();
        for element in elements {
            match self.terms.get(element) {
                Term::Tuple(parts) if parts.len() == 2 => {
                    let (key, value) = (parts[0], parts[1]);
                    self.put(&mut pairs, key, value);
                }
                Term::Top(_) => return None,
                _ => return Some(Err(atom::BADARG)),
            }
        }
        Some(Ok(self.map_of(pairs)))
    }
}
