//! Built-in functions of their arguments, as the reference manual defines them ("ERTS Reference Manual,
//! erlang").
//!
//! On abstract arguments a function gives a set of results, errors included. A function without a rule of
//! its own gives any value of the kind of its results, or `badarg`.

use super::Evaluator;
use crate::erlang::code::bif::Bif;
use crate::erlang::domain::{AtomSet, Truth};
use crate::erlang::term::{Atom, Kind, Term, Value, atom};
use num_bigint::BigInt;

/// One possible result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Applied {
    Value(Value),
    Raise(Atom, Value),
}

/// The result of a function that has a single result for arguments that are not abstract.
type Single = Result<Value, Atom>;

impl Evaluator {
    /// The possible results of a function of its arguments.
    pub(super) fn bif(&mut self, bif: Bif, values: &[Value]) -> Vec<Applied> {
        if let Some(results) = self.test_or_comparison(bif, values) {
            return results;
        }
        if let Some(results) = self.arithmetic(bif, values) {
            return results;
        }
        match bif {
            Bif::Error | Bif::ErrorWith | Bif::ErrorOptions => {
                return vec![Applied::Raise(atom::ERROR, values[0])];
            }
            Bif::Exit => return vec![Applied::Raise(atom::EXIT, values[0])],
            Bif::Throw => return vec![Applied::Raise(atom::THROW, values[0])],
            Bif::Raise => {
                let class = self.terms.as_atom(values[0]);
                let class = class.filter(|class| [atom::ERROR, atom::EXIT, atom::THROW].contains(class));
                return vec![Applied::Raise(class.unwrap_or(atom::ERROR), values[1])];
            }
            Bif::And | Bif::Or | Bif::Xor | Bif::Not => return self.boolean(bif, values),
            Bif::FunctionExported => return self.function_exported(values),
            _ => {}
        }
        // A list of abstract elements is as good as any for many functions.
        let single = self.structural(bif, values);
        match single {
            Some(Ok(value)) => vec![Applied::Value(self.abstraction(value))],
            Some(Err(atom::BADKEY)) => vec![self.tagged_error(atom::BADKEY, values[0])],
            Some(Err(atom::BADMAP)) => {
                vec![self.tagged_error(atom::BADMAP, *values.last().expect("a map is the last argument"))]
            }
            Some(Err(reason)) => self.error(reason),
            None => self.unknown(bif),
        }
    }

    pub(super) fn error(&mut self, reason: Atom) -> Vec<Applied> {
        vec![Applied::Raise(atom::ERROR, self.terms.atom_value(reason))]
    }

    /// Any value of the kind of the function's results, or an error.
    fn unknown(&mut self, bif: Bif) -> Vec<Applied> {
        let value = match bif {
            Bif::Length
            | Bif::TupleSize
            | Bif::Size
            | Bif::MapSize
            | Bif::MapsSize
            | Bif::ByteSize
            | Bif::ListToInteger => self.any_integer(),
            Bif::Tail | Bif::Append | Bif::Remove => self.terms.top(Kind::Any),
            Bif::TupleToList | Bif::AtomToList | Bif::IntegerToList | Bif::MapsToList => {
                self.terms.top(Kind::List)
            }
            Bif::ListToTuple | Bif::SetElement | Bif::MakeTuple | Bif::AppendElement => {
                self.terms.top(Kind::Tuple)
            }
            Bif::ListToAtom | Bif::ListToExistingAtom => self.terms.top(Kind::Atom),
            Bif::MapsPut | Bif::MapsRemove | Bif::MapsFromList => self.terms.top(Kind::Map),
            _ => self.terms.top(Kind::Any),
        };
        let badarg = self.terms.atom_value(atom::BADARG);
        let mut results = vec![Applied::Value(value), Applied::Raise(atom::ERROR, badarg)];
        if matches!(bif, Bif::MapGet | Bif::MapsGet) {
            let any = self.terms.top(Kind::Any);
            results.push(Applied::Raise(atom::ERROR, any));
        }
        results
    }

    fn boolean(&mut self, bif: Bif, values: &[Value]) -> Vec<Applied> {
        let mut results = Vec::new();
        let firsts = self.truths(values[0]);
        let seconds = values.get(1).map_or(vec![Some(true)], |second| self.truths(*second));
        for first in &firsts {
            for second in &seconds {
                let result = match (first, second) {
                    (Some(first), Some(second)) => {
                        let truth = match bif {
                            Bif::And => *first && *second,
                            Bif::Or => *first || *second,
                            Bif::Xor => first != second,
                            _ => !first,
                        };
                        Applied::Value(self.terms.boolean(truth))
                    }
                    _ => Applied::Raise(atom::ERROR, self.terms.atom_value(atom::BADARG)),
                };
                if !results.contains(&result) {
                    results.push(result);
                }
            }
        }
        results
    }

    fn test_or_comparison(&mut self, bif: Bif, values: &[Value]) -> Option<Vec<Applied>> {
        let (terms, domain) = (&self.terms, &self.domain);
        let truth = match bif {
            Bif::Equal => terms.equals_as_numbers(values[0], values[1], domain),
            Bif::NotEqual => terms.equals_as_numbers(values[0], values[1], domain).not(),
            Bif::ExactlyEqual => terms.equals(values[0], values[1], domain),
            Bif::NotExactlyEqual => terms.equals(values[0], values[1], domain).not(),
            Bif::Less => terms.is_less(values[0], values[1], domain),
            Bif::Greater => terms.is_less(values[1], values[0], domain),
            Bif::LessEqual => terms.is_less(values[1], values[0], domain).not(),
            Bif::GreaterEqual => terms.is_less(values[0], values[1], domain).not(),
            Bif::Min | Bif::Max => {
                let (small, large) = match terms.is_less(values[1], values[0], domain) {
                    Truth::True => (vec![values[1]], vec![values[0]]),
                    Truth::False => (vec![values[0]], vec![values[1]]),
                    Truth::Unknown => (vec![values[0], values[1]], vec![values[0], values[1]]),
                };
                let results = if bif == Bif::Min { small } else { large };
                return Some(results.into_iter().map(Applied::Value).collect());
            }
            _ => self.type_test(bif, values)?,
        };
        Some(self.truth_values(truth))
    }

    fn type_test(&self, bif: Bif, values: &[Value]) -> Option<Truth> {
        let term = self.terms.get(*values.first()?);
        // For a top: may it be of the kind, and must it?
        let kinds = |wanted: &[Kind], is: bool| match term {
            Term::Top(kind) if wanted.contains(kind) => Truth::True,
            Term::Top(_) => {
                Truth::is(wanted.iter().any(|other| self.terms.may_be(term, *other))).and(Truth::Unknown)
            }
            _ => Truth::is(is),
        };
        Some(match bif {
            Bif::IsAtom => kinds(&[Kind::Atom], matches!(term, Term::Atom(_) | Term::Atoms(_))),
            Bif::IsBoolean => match term {
                Term::Top(Kind::Atom | Kind::Any) | Term::Atoms(AtomSet::ANY) => Truth::Unknown,
                _ => Truth::is(matches!(term, Term::Atom(atom::TRUE | atom::FALSE))),
            },
            Bif::IsInteger => kinds(&[Kind::Integer], matches!(term, Term::Integer(_) | Term::Abstract(_))),
            Bif::IsFloat => kinds(&[Kind::Float], matches!(term, Term::Float(_))),
            Bif::IsNumber => {
                let is = matches!(term, Term::Integer(_) | Term::Abstract(_) | Term::Float(_));
                kinds(&[Kind::Integer, Kind::Float], is)
            }
            Bif::IsList => kinds(&[Kind::List, Kind::Cons], matches!(term, Term::Nil | Term::Cons(..))),
            Bif::IsTuple => kinds(&[Kind::Tuple], matches!(term, Term::Tuple(_))),
            Bif::IsMap => kinds(&[Kind::Map], matches!(term, Term::Map(_))),
            Bif::IsPid => kinds(&[Kind::Pid], matches!(term, Term::Pid(_))),
            Bif::IsReference => kinds(&[Kind::Ref], matches!(term, Term::Ref { .. })),
            Bif::IsPort => Truth::is(false),
            Bif::IsBinary | Bif::IsBitstring => kinds(&[Kind::Binary], matches!(term, Term::Binary(_))),
            Bif::IsFunction => kinds(&[Kind::Fun], matches!(term, Term::Fun { .. } | Term::External { .. })),
            Bif::IsFunctionOfArity => self.is_function(term, values[1]),
            Bif::IsRecord => self.is_record(term, values[1], None),
            Bif::IsRecordOfSize => self.is_record(term, values[1], Some(values[2])),
            _ => return None,
        })
    }

    fn is_function(&self, term: &Term, arity: Value) -> Truth {
        let is = |actual: usize| match self.terms.get(arity) {
            Term::Integer(arity) => Truth::is(*arity == BigInt::from(actual)),
            _ => Truth::Unknown,
        };
        match term {
            Term::Fun { function, .. } => is(self.code.functions[*function as usize].arity),
            Term::External { arity, .. } => is(*arity as usize),
            Term::Top(Kind::Fun | Kind::Any) => Truth::Unknown,
            _ => Truth::False,
        }
    }

    fn is_record(&self, term: &Term, name: Value, size: Option<Value>) -> Truth {
        match term {
            Term::Tuple(parts) => match parts.first() {
                Some(first) => {
                    let same_size = size.map_or(Truth::True, |size| match self.terms.get(size) {
                        Term::Integer(size) => Truth::is(*size == BigInt::from(parts.len())),
                        _ => Truth::Unknown,
                    });
                    self.terms.equals(*first, name, &self.domain).and(same_size)
                }
                None => Truth::False,
            },
            Term::Top(Kind::Tuple | Kind::Any) => Truth::Unknown,
            _ => Truth::False,
        }
    }

    /// Functions on lists, tuples, maps and atoms; `None` if the arguments are too abstract.
    fn structural(&mut self, bif: Bif, values: &[Value]) -> Option<Single> {
        let term = values.first().map(|value| self.terms.get(*value).clone());
        if let Some(Term::Top(kind)) = term {
            return match (bif, kind) {
                (Bif::Head, Kind::Cons) => Some(Ok(self.terms.top(Kind::Any))),
                (Bif::Tail, Kind::Cons) => Some(Ok(self.terms.top(Kind::List))),
                (Bif::Append, Kind::List | Kind::Cons) => self.append_to_unknown(kind, values[1]),
                (Bif::TupleToList, Kind::Tuple) => Some(Ok(self.terms.top(Kind::List))),
                (Bif::ListToTuple, Kind::List | Kind::Cons) => Some(Ok(self.terms.top(Kind::Tuple))),
                (Bif::Length, Kind::List | Kind::Cons) => Some(Ok(self.any_integer())),
                (Bif::TupleSize, Kind::Tuple) | (Bif::MapSize, Kind::Map) => Some(Ok(self.any_integer())),
                (Bif::MapsPut, _) | (Bif::MapsGetDefault, _) | (Bif::Append, Kind::Any) => None,
                _ => None,
            };
        }
        match (bif, term) {
            (Bif::Node, _) => Some(Ok(self.atom_named("nonode@nohost"))),
            (Bif::Head, Some(Term::Cons(head, _))) => Some(Ok(head)),
            (Bif::Tail, Some(Term::Cons(_, tail))) => Some(Ok(tail)),
            (Bif::Length, _) => self.length(values[0]),
            (Bif::Append, _) => self.append(values[0], values[1]),
            (Bif::Remove, _) => self.remove_elements(values[0], values[1]),
            (Bif::ListToTuple, _) => {
                self.on_list(values[0], |this, elements| Ok(this.terms.tuple(&elements)))
            }
            (Bif::TupleToList, Some(Term::Tuple(parts))) => {
                Some(Ok(self.terms.proper_list(parts.iter().copied())))
            }
            (Bif::TupleSize | Bif::Size, Some(Term::Tuple(parts))) => {
                Some(Ok(self.terms.integer(parts.len())))
            }
            (Bif::ByteSize | Bif::Size, Some(Term::Binary(bytes))) => {
                Some(Ok(self.terms.integer(bytes.len())))
            }
            (Bif::MapSize | Bif::MapsSize, Some(Term::Map(pairs))) => {
                Some(Ok(self.terms.integer(pairs.len())))
            }
            (Bif::AppendElement, Some(Term::Tuple(parts))) => {
                Some(Ok(self.terms.tuple(&[&parts[..], &[values[1]]].concat())))
            }
            (Bif::Element | Bif::SetElement | Bif::MakeTuple, _) => self.indexed(bif, values),
            (Bif::AtomToList, Some(Term::Atom(atom))) => {
                let text = self.terms.name(atom).to_owned();
                Some(Ok(self.text(&text)))
            }
            (Bif::IntegerToList, Some(Term::Integer(number))) => {
                let text = number.to_string();
                Some(Ok(self.text(&text)))
            }
            (Bif::IntegerToList, Some(Term::Abstract(_))) => None,
            (Bif::ListToAtom | Bif::ListToExistingAtom | Bif::ListToInteger, _) => {
                self.read_text(bif, values[0])
            }
            _ => match self.map_function(bif, values) {
                Some(result) => result,
                None => Some(Err(atom::BADARG)),
            },
        }
    }

    /// Is there a function of this module, name and arity? Those that calls at run time can reach are
    /// lowered.
    fn function_exported(&mut self, values: &[Value]) -> Vec<Applied> {
        let arity = match self.terms.get(values[2]) {
            Term::Integer(arity) => u32::try_from(arity).ok(),
            _ => None,
        };
        let truth = match (self.terms.as_atom(values[0]), self.terms.as_atom(values[1]), arity) {
            (Some(module), Some(name), Some(arity)) => {
                Truth::is(self.code.by_name.contains_key(&(module, name, arity)))
            }
            _ => Truth::Unknown,
        };
        self.truth_values(truth)
    }

    /// The field of a record at a position of a tuple of this size.
    pub(super) fn record_field(&mut self, values: &[Value], size: usize, index: usize) -> Vec<Applied> {
        let (record, name) = (values[0], values[1]);
        let (is_record, field) = match self.terms.get(record) {
            Term::Tuple(parts) if parts.len() == size => {
                (self.terms.equals(parts[0], name, &self.domain), parts[index - 1])
            }
            Term::Top(Kind::Any | Kind::Tuple) => (Truth::Unknown, self.terms.top(Kind::Any)),
            _ => (Truth::False, record),
        };
        let tag = self.terms.atom_value(atom::BADRECORD);
        let failed = Applied::Raise(atom::ERROR, self.make_tuple(&[tag, record]));
        match is_record {
            Truth::True => vec![Applied::Value(field)],
            Truth::Unknown => vec![Applied::Value(field), failed],
            Truth::False => vec![failed],
        }
    }

    /// The element of a tuple at a position, from 1.
    pub(super) fn element_at(&mut self, tuple: Value, index: usize) -> Vec<Applied> {
        match self.terms.get(tuple) {
            Term::Tuple(parts) => match index.checked_sub(1).and_then(|index| parts.get(index)) {
                Some(part) => vec![Applied::Value(*part)],
                None => self.error(atom::BADARG),
            },
            Term::Top(Kind::Any | Kind::Tuple) => self.unknown(Bif::Element),
            _ => self.error(atom::BADARG),
        }
    }

    pub(super) fn atom_named(&mut self, name: &str) -> Value {
        let atom = self.terms.atom(name);
        self.terms.atom_value(atom)
    }

    /// A list of characters.
    pub(crate) fn text(&mut self, text: &str) -> Value {
        let characters: Vec<Value> = text.chars().map(|c| self.terms.integer(u32::from(c))).collect();
        self.terms.proper_list(characters.into_iter())
    }

    fn on_list(&mut self, list: Value, make: impl FnOnce(&mut Self, Vec<Value>) -> Single) -> Option<Single> {
        let (elements, end) = self.terms.elements(list);
        match self.terms.get(end) {
            Term::Nil => Some(make(self, elements)),
            Term::Top(_) => None,
            _ => Some(Err(atom::BADARG)),
        }
    }

    fn length(&mut self, list: Value) -> Option<Single> {
        let (elements, end) = self.terms.elements(list);
        match self.terms.get(end) {
            Term::Nil => Some(Ok(self.terms.integer(elements.len()))),
            Term::Top(Kind::List | Kind::Cons) => Some(Ok(self.any_integer())),
            Term::Top(Kind::Any) => None,
            _ => Some(Err(atom::BADARG)),
        }
    }

    fn append(&mut self, left: Value, right: Value) -> Option<Single> {
        let (elements, end) = self.terms.elements(left);
        match *self.terms.get(end) {
            Term::Nil => Some(Ok(self.terms.list(elements.into_iter(), right))),
            Term::Top(kind @ (Kind::List | Kind::Cons)) => {
                let tail = self.append_to_unknown(kind, right)?;
                Some(tail.map(|tail| self.terms.list(elements.into_iter(), tail)))
            }
            Term::Top(_) => None,
            _ => Some(Err(atom::BADARG)),
        }
    }

    /// `?list ++ Right`
    fn append_to_unknown(&mut self, left: Kind, right: Value) -> Option<Single> {
        let (elements, end) = self.terms.elements(right);
        Some(Ok(match *self.terms.get(end) {
            Term::Nil | Term::Top(Kind::List | Kind::Cons) => {
                let is_cons = left == Kind::Cons || !elements.is_empty();
                self.terms.top(if is_cons { Kind::Cons } else { Kind::List })
            }
            _ => self.terms.top(Kind::Any),
        }))
    }

    fn remove_elements(&mut self, left: Value, right: Value) -> Option<Single> {
        if self.terms.is_abstract(left) || self.terms.is_abstract(right) {
            return None;
        }
        let (Some(mut left), Some(right)) = (self.terms.list_elements(left), self.terms.list_elements(right))
        else {
            return Some(Err(atom::BADARG));
        };
        for element in right {
            if let Some(position) = left.iter().position(|other| *other == element) {
                left.remove(position);
            }
        }
        Some(Ok(self.terms.proper_list(left.into_iter())))
    }

    fn indexed(&mut self, bif: Bif, values: &[Value]) -> Option<Single> {
        let index = match self.terms.get(values[0]) {
            Term::Integer(index) => usize::try_from(index).ok(),
            Term::Abstract(element) => {
                let integers = self.domain.integers.as_ref()?;
                usize::try_from(integers.only_value(*element)?).ok()
            }
            _ => return Some(Err(atom::BADARG)),
        };
        if bif == Bif::MakeTuple {
            return Some(index.map(|size| self.terms.tuple(&vec![values[1]; size])).ok_or(atom::BADARG));
        }
        let parts = match self.terms.get(values[1]) {
            Term::Tuple(parts) => parts.clone(),
            Term::Top(Kind::Any | Kind::Tuple) => return None,
            _ => return Some(Err(atom::BADARG)),
        };
        let Some(index) = index.filter(|index| (1..=parts.len()).contains(index)) else {
            return Some(Err(atom::BADARG));
        };
        if bif == Bif::Element {
            return Some(Ok(parts[index - 1]));
        }
        let mut parts = parts.into_vec();
        parts[index - 1] = values[2];
        Some(Ok(self.terms.tuple(&parts)))
    }

    fn read_text(&mut self, bif: Bif, list: Value) -> Option<Single> {
        let (elements, end) = self.terms.elements(list);
        let is_unknown = |value: &Value| self.terms.is_abstract(*value);
        if elements.iter().any(is_unknown) || is_unknown(&end) {
            return None;
        }
        let character = |value: &Value| match self.terms.get(*value) {
            Term::Integer(code) => u32::try_from(code).ok().and_then(char::from_u32),
            _ => None,
        };
        let text: Option<String> = elements.iter().map(character).collect();
        let Some(text) = text.filter(|_| *self.terms.get(end) == Term::Nil) else {
            return Some(Err(atom::BADARG));
        };
        if bif == Bif::ListToInteger {
            return Some(text.parse::<BigInt>().map(|n| self.terms.integer(n)).map_err(|_| atom::BADARG));
        }
        Some(Ok(self.atom_named(&text)))
    }
}
