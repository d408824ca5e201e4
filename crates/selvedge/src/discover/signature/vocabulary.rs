//! What terms are made of, without the types of Rust: operations, functions, constants and types by number.
//!
//! With two signatures there is one vocabulary for both; each operation belongs to one of them.

use super::op::PureCall;
use super::{Datum, NO_INTERFERENCE, NamedPredicate, Signature, Type, Value};
use std::any::TypeId;

/// The number of a type.
pub(crate) type TypeIndex = u8;

/// An operation.
#[derive(Clone)]
pub(crate) struct OpInfo {
    pub(crate) name: String,
    pub(crate) parameters: Vec<TypeIndex>,
    /// The type of its result, if an argument can have it.
    pub(crate) result: Option<TypeIndex>,
    /// The type of its result.
    pub(crate) result_id: TypeId,
    pub(crate) is_foreground: bool,
    /// The signature that it belongs to, and its number there.
    pub(crate) world: usize,
    pub(crate) index: usize,
}

/// A pure function.
#[derive(Clone)]
pub(crate) struct PureInfo {
    pub(crate) name: String,
    pub(crate) parameters: Vec<TypeIndex>,
    pub(crate) result: TypeIndex,
    pub(crate) is_commutative: bool,
    pub(crate) call: PureCall,
    /// The signatures that have it, by their numbers as bits.
    pub(crate) worlds: u8,
}

/// A constant.
#[derive(Clone)]
pub(crate) struct Constant {
    pub(crate) name: String,
    pub(crate) value: Datum,
    pub(crate) of: TypeIndex,
    /// The signatures that have it, by their numbers as bits.
    pub(crate) worlds: u8,
}

/// A predicate on variables of one type.
#[derive(Clone)]
pub(crate) struct Predicate {
    pub(crate) named: NamedPredicate,
    pub(crate) of: TypeIndex,
}

/// What terms are made of.
#[derive(Clone, Default)]
pub(crate) struct Vocabulary {
    pub(crate) types: Vec<Type>,
    pub(crate) ops: Vec<OpInfo>,
    pub(crate) pures: Vec<PureInfo>,
    pub(crate) constants: Vec<Constant>,
    pub(crate) predicates: Vec<Predicate>,
    pub(crate) seed_predicates: Vec<NamedPredicate>,
    /// The signatures with `|||`, by their numbers as bits.
    pub(crate) parallel_worlds: u8,
    /// What runs are made beside: nothing first, then each interference.
    pub(crate) interferences: Vec<String>,
    /// How many signatures there are.
    pub(crate) worlds: usize,
}

impl Vocabulary {
    /// Adds a signature.
    ///
    /// # Panics
    /// If its interferences have other names than those of the signatures before.
    pub(crate) fn add<S: 'static, X: Value, O>(&mut self, signature: &Signature<S, X, O>) {
        let world = self.worlds;
        self.worlds += 1;
        let bit = 1_u8 << world;
        let names = signature.interferences.iter().map(|(name, _)| name.clone());
        let names: Vec<String> = [NO_INTERFERENCE.to_owned()].into_iter().chain(names).collect();
        assert!(
            world == 0 || self.interferences == names,
            "selvedge: the signatures to compare have different interferences: {:?} and {names:?}",
            self.interferences
        );
        self.interferences = names;
        for (index, op) in signature.ops.iter().enumerate() {
            let parameters = op.op.parameters.iter().map(|of| self.type_index(*of)).collect();
            let (name, is_foreground, result_id) = (op.name.clone(), op.is_foreground, op.op.result);
            self.ops.push(OpInfo { name, parameters, result: None, result_id, is_foreground, world, index });
        }
        for (name, value, of) in &signature.values {
            let (value, of) = (value.clone(), self.type_index(*of));
            let found = self.constants.iter_mut().find(|known| known.name == *name && known.value == value);
            match found {
                Some(known) => known.worlds |= bit,
                None => self.constants.push(Constant { name: name.clone(), value, of, worlds: bit }),
            }
        }
        for named in &signature.pures {
            let parameters: Vec<_> = named.pure.parameters.iter().map(|of| self.type_index(*of)).collect();
            let (name, result) = (named.name.clone(), self.type_index(named.pure.result));
            let is_commutative = named.is_commutative;
            let call = named.pure.call.clone();
            self.pures.push(PureInfo { name, parameters, result, is_commutative, call, worlds: bit });
        }
        for named in &signature.predicates {
            if let Some(of) = self.find_type(named.type_id) {
                self.predicates.push(Predicate { named: named.clone(), of });
            }
        }
        self.seed_predicates.extend(signature.seed_predicates.iter().cloned());
        self.parallel_worlds |= if signature.is_parallel { bit } else { 0 };
        for index in 0..self.ops.len() {
            self.ops[index].result = self.find_type(self.ops[index].result_id);
        }
    }

    fn type_index(&mut self, of: Type) -> TypeIndex {
        self.find_type(of.id).unwrap_or_else(|| {
            self.types.push(of);
            TypeIndex::try_from(self.types.len() - 1).expect("a signature has at most 256 types")
        })
    }

    pub(crate) fn find_type(&self, id: TypeId) -> Option<TypeIndex> {
        let index = self.types.iter().position(|known| known.id == id)?;
        Some(index as TypeIndex)
    }

    /// Whether this signature has `|||`.
    pub(crate) fn is_parallel(&self, world: usize) -> bool {
        self.parallel_worlds >> world & 1 == 1
    }
}
