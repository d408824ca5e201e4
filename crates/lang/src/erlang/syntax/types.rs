//! The syntax tree of types, as in `-spec`, `-type` and the fields of records.
//!
//! Types have no influence on the meaning of a program. They are parsed so that files with types are read,
//! and printed in messages.

use super::tree::{Expr, Identifier, Name, Node};

/// `-type name(A, B) :: body.`
#[derive(Clone, Debug, PartialEq)]
pub struct TypeDefinition {
    /// Which attribute it is.
    pub kind: TypeDefinitionKind,
    /// The type's name.
    pub name: Identifier,
    /// Variables, or `_`.
    pub parameters: Vec<Identifier>,
    /// What the name stands for.
    pub body: Type,
}

/// The attributes that define types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeDefinitionKind {
    /// `-type`
    Alias,
    /// `-opaque`
    Opaque,
    /// `-nominal`
    Nominal,
}

/// `-spec f(A) -> B; (C) -> D.`
#[derive(Clone, Debug, PartialEq)]
pub struct Specification {
    /// `-callback` instead of `-spec`.
    pub is_callback: bool,
    /// The module, if it is written.
    pub module: Option<Identifier>,
    /// The function's name.
    pub name: Identifier,
    /// The number of parameters of each clause.
    pub arity: usize,
    /// At least one.
    pub clauses: Vec<FunctionType>,
}

/// A function's type with its constraints.
pub type FunctionType = Node<FunctionTypeKind>;

/// `(A, B) -> C when A :: integer()`
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionTypeKind {
    /// The types of the parameters.
    pub parameters: Vec<Type>,
    /// The type of the result.
    pub result: Type,
    /// What follows `when`.
    pub constraints: Vec<Constraint>,
}

/// `A :: integer()`, also written `is_subtype(A, integer())`.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    /// The type variable.
    pub variable: Identifier,
    /// Its bound.
    pub bound: Type,
}

/// A type.
pub type Type = Node<TypeKind>;

/// The kinds of [`Type`]s.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// `A`, or `_`
    Variable(Name),
    /// `Name :: type`
    Annotated {
        /// A variable that only documents.
        name: Identifier,
        /// The type.
        annotated: Box<Type>,
    },
    /// An atom, an integer, a character, or arithmetic on integers: `ok`, `1 bsl 32 - 1`.
    Constant(Expr),
    /// `0..255`: both are constants.
    Range(Expr, Expr),
    /// `[]`
    Nil,
    /// `[T]`
    List(Box<Type>),
    /// `[T, ...]`
    NonEmptyList(Box<Type>),
    /// `{A, B}`
    Tuple(Vec<Type>),
    /// `#{k := v, l => w}`
    Map(Vec<MapFieldType>),
    /// `#r{a :: integer()}`
    Record {
        /// The record's name.
        name: Identifier,
        /// The fields with a type of their own.
        fields: Vec<(Identifier, Type)>,
    },
    /// `<<>>`, `<<_:M>>`, `<<_:_*N>>`, `<<_:M, _:_*N>>`
    Binary {
        /// `M`, the number of bits at the beginning.
        size: Option<Box<Expr>>,
        /// `N`, the number of bits of what follows any number of times.
        unit: Option<Box<Expr>>,
    },
    /// `fun()`
    AnyFun,
    /// `fun((A, B) -> C)`, and `fun((...) -> C)` without parameters.
    Fun {
        /// The types of the parameters; without them, any number of any type.
        parameters: Option<Vec<Type>>,
        /// The type of the result.
        result: Box<Type>,
    },
    /// `integer()`, `list(T)`, `m:t()`: predefined types too.
    Named {
        /// The module, if it is written.
        module: Option<Identifier>,
        /// The type's name.
        name: Identifier,
        /// Its arguments.
        arguments: Vec<Type>,
    },
    /// `A | B`: at least two, none of which is a union.
    Union(Vec<Type>),
}

/// `key := value` or `key => value` of a map's type.
#[derive(Clone, Debug, PartialEq)]
pub struct MapFieldType {
    /// `:=`: the key has to be there.
    pub mandatory: bool,
    /// The key.
    pub key: Type,
    /// The value.
    pub value: Type,
}
