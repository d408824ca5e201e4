//! Terms of Erlang, concrete and abstract, each stored once.
//!
//! An abstract term is a term in which integers, atoms or deeper parts stand for many: an integer is an
//! element of the domain of integers, a part that the domain cuts off is a *typed top* (`?list` is any
//! proper list). With a bare `?` alone nothing could be proved about lists: an unknown list would never
//! end.
//!
//! Promise: equal terms have equal numbers. Two values are the same term if and only if their numbers are.

pub(crate) mod compare;
mod print;

use super::domain::{AtomSet, Element};
use super::intern::{HashIndex, Id, Pids};
use num_bigint::BigInt;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The name of an atom, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Atom(pub(crate) u32);

macro_rules! known_atoms {
    ($($name:ident $text:literal),* $(,)?) => {
        /// The atoms that the evaluator itself mentions.
        pub(crate) mod atom {
            use super::Atom;
            #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
            enum Number { $($name),* }
            $(pub(crate) const $name: Atom = Atom(Number::$name as u32);)*
            pub(super) const TEXTS: &[&str] = &[$($text),*];
        }
    };
}

known_atoms! {
    TRUE "true", FALSE "false", OK "ok", ERROR "error", EXIT "exit", THROW "throw", NORMAL "normal",
    KILL "kill", KILLED "killed", INFINITY "infinity", UNDEFINED "undefined", BADMATCH "badmatch",
    CASE_CLAUSE "case_clause", FUNCTION_CLAUSE "function_clause", IF_CLAUSE "if_clause",
    TRY_CLAUSE "try_clause", ELSE_CLAUSE "else_clause", BADARG "badarg", BADARITH "badarith", BADFUN "badfun",
    BADARITY "badarity", BADKEY "badkey", BADMAP "badmap", BADRECORD "badrecord", BADGENERATOR "bad_generator",
    BADFILTER "bad_filter",
    UNDEF "undef", NOCATCH "nocatch", NOPROC "noproc", EXIT_SIGNAL "EXIT",
    DOWN "DOWN", PROCESS "process", TRAP_EXIT "trap_exit", FLUSH "flush", TIMEOUT "timeout",
 SYSTEM_LIMIT "system_limit",
}

/// A term, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Value(pub(crate) u32);

impl Value {
    /// In place of the value of a variable that is not bound, or that no later step reads.
    pub(crate) const DEAD: Value = Value(0);
}

/// The number of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Pid(pub(crate) u8);

impl Pid {
    /// The most processes, since a set of pids is a word.
    pub(crate) const MAX_COUNT: usize = 64;

    pub(crate) fn bit(self) -> Pids {
        1 << self.0
    }

    /// The pids of a set.
    pub(crate) fn of(mut set: Pids) -> impl Iterator<Item = Pid> {
        std::iter::from_fn(move || {
            (set != 0).then(|| {
                let pid = Pid(set.trailing_zeros() as u8);
                set &= set - 1;
                pid
            })
        })
    }
}

/// The kind of values that a top stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// `?`: any value.
    Any,
    /// `?int`, where integers have no domain of their own.
    Integer,
    /// `?float`
    Float,
    /// `?atom`
    Atom,
    /// `?ref`
    Ref,
    /// `?pid`
    Pid,
    /// `?tuple`
    Tuple,
    /// `?map`
    Map,
    /// `?list`: a proper list.
    List,
    /// `?cons`: a proper list that is not empty.
    Cons,
    /// `?binary`
    Binary,
    /// `?fun`
    Fun,
}

/// A term. Its parts are terms by their numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Term {
    /// See [`Value::DEAD`].
    Dead,
    Integer(BigInt),
    /// The bits of a float; no NaN, and no negative zero, which equals the other.
    Float(u64),
    Atom(Atom),
    /// A reference: the process that made it, and the smallest number that none of its live references has.
    Ref {
        maker: Pid,
        number: u32,
    },
    /// A fun of the program, with the values of its free variables.
    Fun {
        function: u32,
        captured: Box<[Value]>,
    },
    /// `fun m:f/1`
    External {
        module: Atom,
        name: Atom,
        arity: u32,
    },
    Pid(Pid),
    Tuple(Box<[Value]>),
    /// Keys in their order.
    Map(Box<[(Value, Value)]>),
    Nil,
    Cons(Value, Value),
    Binary(Box<[u8]>),
    /// An element of the domain of integers.
    Abstract(Element),
    /// A set of the domain of atoms.
    Atoms(AtomSet),
    /// Any value of a kind.
    Top(Kind),
}

/// All terms of a program and its states.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    terms: Vec<Term>,
    pids: Vec<Pids>,
    /// Has the term abstract parts?
    is_abstract: Vec<bool>,
    /// Has the term references?
    has_refs: Vec<bool>,
    index: HashIndex,
    atoms: FxHashMap<Arc<str>, Atom>,
    names: Vec<Arc<str>>,
    bytes: usize,
}

impl Terms {
    pub(crate) fn new() -> Terms {
        let mut terms = Terms {
            terms: Vec::new(),
            pids: Vec::new(),
            is_abstract: Vec::new(),
            has_refs: Vec::new(),
            index: HashIndex::default(),
            atoms: FxHashMap::default(),
            names: Vec::new(),
            bytes: 0,
        };
        terms.intern(Term::Dead);
        for text in atom::TEXTS {
            terms.atom(text);
        }
        terms
    }

    /// The number of an atom's name.
    pub(crate) fn atom(&mut self, name: &str) -> Atom {
        if let Some(atom) = self.atoms.get(name) {
            return *atom;
        }
        let atom = Atom(self.names.len() as u32);
        let name: Arc<str> = name.into();
        self.names.push(name.clone());
        self.atoms.insert(name, atom);
        atom
    }

    /// The name of an atom.
    pub(crate) fn name(&self, atom: Atom) -> &str {
        &self.names[atom.0 as usize]
    }

    /// The number of a term.
    pub(crate) fn intern(&mut self, term: Term) -> Value {
        let hash = hash(&term);
        if let Some(id) = self.index.find(hash, |id| self.terms[id as usize] == term) {
            return Value(id);
        }
        let id = self.terms.len() as Id;
        let parts = Parts::of(&term);
        self.pids.push(parts.fold(own_pids(&term), |pids, part| pids | self.pids[part.0 as usize]));
        let is_abstract = matches!(term, Term::Abstract(_) | Term::Atoms(_) | Term::Top(_));
        self.is_abstract.push(is_abstract || Parts::of(&term).any(|part| self.is_abstract(part)));
        let is_ref = matches!(term, Term::Ref { .. });
        self.has_refs.push(is_ref || Parts::of(&term).any(|part| self.has_refs(part)));
        self.bytes += size_of::<Term>() + 16 + Parts::of(&term).count() * size_of::<Value>();
        self.terms.push(term);
        let terms = &self.terms;
        self.index.insert(hash, id, |id| self::hash(&terms[id as usize]));
        Value(id)
    }

    /// The term with this number.
    #[inline]
    pub(crate) fn get(&self, value: Value) -> &Term {
        &self.terms[value.0 as usize]
    }

    /// The pids that occur in the term.
    pub(crate) fn pids(&self, value: Value) -> Pids {
        self.pids[value.0 as usize]
    }

    /// Does the term stand for more than one?
    pub(crate) fn is_abstract(&self, value: Value) -> bool {
        self.is_abstract[value.0 as usize]
    }

    /// Do references occur in the term?
    pub(crate) fn has_refs(&self, value: Value) -> bool {
        self.has_refs[value.0 as usize]
    }

    /// Collects the numbers of the references of this maker that occur in the term.
    pub(crate) fn refs_of(&self, value: Value, of: Pid, out: &mut Vec<u32>) {
        if !self.has_refs(value) {
            return;
        }
        if let Term::Ref { maker, number } = *self.get(value)
            && maker == of
        {
            out.push(number);
        }
        for part in Parts::of(self.get(value)) {
            self.refs_of(part, of, out);
        }
    }

    /// A term of other tables.
    pub(crate) fn copy(&mut self, other: &Terms, value: Value) -> Value {
        let term = match other.get(value) {
            Term::Atom(atom) => Term::Atom(self.atom(other.name(*atom))),
            Term::External { module, name, arity } => Term::External {
                module: self.atom(other.name(*module)),
                name: self.atom(other.name(*name)),
                arity: *arity,
            },
            Term::Fun { function, captured } => {
                let captured = captured.iter().map(|part| self.copy(other, *part)).collect();
                Term::Fun { function: *function, captured }
            }
            Term::Tuple(parts) => Term::Tuple(parts.iter().map(|part| self.copy(other, *part)).collect()),
            Term::Map(pairs) => {
                let copied =
                    pairs.iter().map(|(key, value)| (self.copy(other, *key), self.copy(other, *value)));
                Term::Map(copied.collect())
            }
            Term::Cons(..) => {
                let (elements, end) = other.elements(value);
                let elements: Vec<Value> =
                    elements.into_iter().map(|element| self.copy(other, element)).collect();
                let end = self.copy(other, end);
                return self.list(elements.into_iter(), end);
            }
            term => term.clone(),
        };
        self.intern(term)
    }

    /// The bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes + self.index.bytes()
    }
}

/// Terms by their shape.
impl Terms {
    pub(crate) fn atom_value(&mut self, atom: Atom) -> Value {
        self.intern(Term::Atom(atom))
    }

    pub(crate) fn boolean(&mut self, truth: bool) -> Value {
        self.intern(Term::Atom(if truth { atom::TRUE } else { atom::FALSE }))
    }

    pub(crate) fn integer(&mut self, number: impl Into<BigInt>) -> Value {
        self.intern(Term::Integer(number.into()))
    }

    pub(crate) fn tuple(&mut self, elements: &[Value]) -> Value {
        self.intern(Term::Tuple(elements.into()))
    }

    pub(crate) fn pid(&mut self, pid: Pid) -> Value {
        self.intern(Term::Pid(pid))
    }

    pub(crate) fn top(&mut self, kind: Kind) -> Value {
        self.intern(Term::Top(kind))
    }

    pub(crate) fn list(&mut self, elements: impl DoubleEndedIterator<Item = Value>, tail: Value) -> Value {
        elements.rev().fold(tail, |tail, head| self.intern(Term::Cons(head, tail)))
    }

    pub(crate) fn proper_list(&mut self, elements: impl DoubleEndedIterator<Item = Value>) -> Value {
        let nil = self.intern(Term::Nil);
        self.list(elements, nil)
    }

    /// The elements of a list, and what follows its last cons: `[]` for a proper list.
    pub(crate) fn elements(&self, mut list: Value) -> (Vec<Value>, Value) {
        let mut elements = Vec::new();
        while let Term::Cons(head, tail) = *self.get(list) {
            elements.push(head);
            list = tail;
        }
        (elements, list)
    }

    /// The elements of a proper list.
    pub(crate) fn list_elements(&self, list: Value) -> Option<Vec<Value>> {
        let (elements, end) = self.elements(list);
        (*self.get(end) == Term::Nil).then_some(elements)
    }

    /// The atom that the term is.
    pub(crate) fn as_atom(&self, value: Value) -> Option<Atom> {
        if let Term::Atom(atom) = *self.get(value) { Some(atom) } else { None }
    }

    pub(crate) fn as_pid(&self, value: Value) -> Option<Pid> {
        if let Term::Pid(pid) = *self.get(value) { Some(pid) } else { None }
    }
}

/// The terms that a term is made of.
struct Parts<'t> {
    term: &'t Term,
    next: usize,
}

impl<'t> Parts<'t> {
    fn of(term: &'t Term) -> Self {
        Parts { term, next: 0 }
    }
}

impl Iterator for Parts<'_> {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        let index = self.next;
        self.next += 1;
        match self.term {
            Term::Tuple(parts) | Term::Fun { captured: parts, .. } => parts.get(index).copied(),
            Term::Map(pairs) => {
                pairs.get(index / 2).map(|(key, value)| if index.is_multiple_of(2) { *key } else { *value })
            }
            Term::Cons(head, tail) => [*head, *tail].get(index).copied(),
            _ => None,
        }
    }
}

fn own_pids(term: &Term) -> Pids {
    match term {
        Term::Pid(pid) | Term::Ref { maker: pid, .. } => pid.bit(),
        _ => 0,
    }
}

fn hash(term: &Term) -> u64 {
    let mut hasher = FxHasher::default();
    term.hash(&mut hasher);
    hasher.finish()
}
