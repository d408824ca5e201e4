//! The syntax tree of Erlang: modules, functions, expressions and patterns.
//!
//! The kinds and their names follow the reference manual's abstract format (ERTS User's Guide, "The
//! Abstract Format"), with these differences. A list is one node with all its elements, however long.
//! Patterns have a type of their own. `andalso`, `orelse` and `!` are no [`BinaryOperator`]s, since they
//! are not evaluated like the others. What the grammar merely abbreviates is written out: adjacent strings
//! are one string, a sigil is the string or binary that it stands for, `"ab" ++ T` in a pattern is the list
//! `[$a, $b | T]`, and arithmetic on literals in a pattern is its result. Parentheses leave no trace. Types
//! of specifications are in [`types`](super::types).
//!
//! Promise: each node has a span, and the nesting of a parsed tree is at most
//! [`MAX_NESTING`](super::MAX_NESTING), so that recursive functions over trees do not overflow the stack.
//! Equality is that of the syntax: spans do not count.

pub use super::types::*;
use selvedge_ltl::source::Span;
use std::sync::Arc;

/// A name, or the text of a string: cheap to copy.
pub type Name = Arc<str>;

/// A part of the tree and its position in the [`SourceMap`](super::SourceMap).
///
/// What comes from a macro has the position of the macro's call.
#[derive(Clone, Debug)]
pub struct Node<K> {
    /// The position.
    pub span: Span,
    /// What is there.
    pub kind: K,
}

impl<K> Node<K> {
    /// A part at a position.
    pub fn new(span: Span, kind: K) -> Self {
        Node { span, kind }
    }
}

impl<K: PartialEq> PartialEq for Node<K> {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

/// A name with its position: of a function, a record, a field, an attribute.
pub type Identifier = Node<Name>;

/// A parsed file.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// The name by `-module`; without one, the file's name without directories and ending.
    pub name: Identifier,
    /// Attributes, declarations and functions in the order of the text, those of included files too.
    pub forms: Vec<Form>,
}

/// A declaration, up to its full stop.
pub type Form = Node<FormKind>;

/// The kinds of [`Form`]s.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)] // a module has few forms beside its functions
pub enum FormKind {
    /// `-module(m).`
    Module(Name),
    /// `-export([f/1, g/0]).`
    Export(Vec<FunctionName>),
    /// `-export_type([t/0]).`
    ExportType(Vec<FunctionName>),
    /// `-import(lists, [map/2]).`
    Import {
        /// The module of the functions.
        module: Name,
        /// The functions.
        functions: Vec<FunctionName>,
    },
    /// `-record(r, {a, b = 1 :: integer()}).`
    Record(RecordDefinition),
    /// `-type t(A) :: [A].`, `-opaque`, `-nominal`
    Type(TypeDefinition),
    /// `-spec f(integer()) -> ok.`, `-callback`
    Spec(Specification),
    /// Any other attribute, `-behaviour(gen_server).` or `-property({mutex, "…"}).`, say.
    Attribute(Attribute),
    /// A function.
    Function(Function),
}

/// `f/1`
pub type FunctionName = Node<NameArity>;

/// A function's name with the number of its parameters.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NameArity {
    /// The name.
    pub name: Name,
    /// The number of parameters.
    pub arity: usize,
}

/// `-name(value).`
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// The attribute's name.
    pub name: Identifier,
    /// Its values, of which most attributes have one.
    ///
    /// Each is a constant: literals, lists, tuples, maps and binaries of them, numbers with a sign, and
    /// `f/n`, a quotient for the grammar ([`Expr::as_name_arity`]).
    pub values: Vec<Expr>,
}

/// `-record(name, {field, …}).`
#[derive(Clone, Debug, PartialEq)]
pub struct RecordDefinition {
    /// The record's name.
    pub name: Identifier,
    /// The fields in their order.
    pub fields: Vec<FieldDefinition>,
}

/// `name = default :: type`
#[derive(Clone, Debug, PartialEq)]
pub struct FieldDefinition {
    /// The field's name.
    pub name: Identifier,
    /// The value where none is given; without one, the atom `undefined`.
    pub default: Option<Expr>,
    /// The declared type.
    pub field_type: Option<Type>,
}

/// All clauses of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// The function's name.
    pub name: Identifier,
    /// The number of patterns of each clause.
    pub arity: usize,
    /// At least one.
    pub clauses: Vec<Clause>,
}

/// A clause of a function, of a fun, of `case`, `receive`, `try … of`, `else` or `if`.
pub type Clause = Node<ClauseKind>;

/// `patterns when guard -> body`
#[derive(Clone, Debug, PartialEq)]
pub struct ClauseKind {
    /// One each parameter; one for `case`, `receive`, `of` and `else`; none for `if`.
    pub patterns: Vec<Pattern>,
    /// The condition.
    pub guard: Guard,
    /// At least one expression.
    pub body: Vec<Expr>,
}

/// Alternatives (`;`) of conjunctions (`,`): true if all tests of one alternative are `true`.
///
/// Without an alternative there is no guard, and the clause applies.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Guard(pub Vec<Vec<Expr>>);

/// A clause of `try … catch`.
pub type CatchClause = Node<CatchClauseKind>;

/// `class:reason:stacktrace when guard -> body`
#[derive(Clone, Debug, PartialEq)]
pub struct CatchClauseKind {
    /// An atom or a variable; without a written class, the atom `throw`.
    pub class: Pattern,
    /// What the exception's value has to match.
    pub reason: Pattern,
    /// A variable for the stack trace.
    pub stacktrace: Option<Identifier>,
    /// The condition.
    pub guard: Guard,
    /// At least one expression.
    pub body: Vec<Expr>,
}

/// An expression.
pub type Expr = Node<ExprKind>;

/// The kinds of [`Expr`]essions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// `ok`
    Atom(Name),
    /// `42`, `16#2a`
    Integer(Integer),
    /// `1.0e3`
    Float(f64),
    /// `$a`: an integer.
    Char(char),
    /// `"abc"`: a list of characters.
    String(Name),
    /// `X`; `_` too, which has a meaning in patterns alone.
    Variable(Name),
    /// `[]`
    Nil,
    /// `[a, b | Tail]`
    List {
        /// At least one.
        elements: Vec<Expr>,
        /// What follows `|`; without it, `[]`.
        tail: Option<Box<Expr>>,
    },
    /// `{a, b}`
    Tuple(Vec<Expr>),
    /// `#{k => v}`
    Map(Vec<MapField>),
    /// `M#{k => v, l := w}`
    MapUpdate {
        /// The map.
        map: Box<Expr>,
        /// What is put (`=>`) or replaced (`:=`).
        fields: Vec<MapField>,
    },
    /// `#r{a = 1, _ = 2}`
    Record {
        /// The record's name.
        name: Identifier,
        /// The values of the named fields.
        fields: Vec<RecordField<Expr>>,
        /// `_ = e`: the value of all fields that are not named.
        others: Option<Box<Expr>>,
    },
    /// `R#r{a = 1}`
    RecordUpdate {
        /// The record.
        record: Box<Expr>,
        /// The record's name.
        name: Identifier,
        /// The new values.
        fields: Vec<RecordField<Expr>>,
    },
    /// `R#r.a`
    RecordAccess {
        /// The record.
        record: Box<Expr>,
        /// The record's name.
        name: Identifier,
        /// The field's name.
        field: Identifier,
    },
    /// `#r.a`: the field's position in the tuple, from 2.
    RecordIndex {
        /// The record's name.
        name: Identifier,
        /// The field's name.
        field: Identifier,
    },
    /// `<<X:8/little, Rest/binary>>`
    Binary(Vec<Segment<Expr>>),
    /// `pattern = value`
    Match {
        /// What the value has to match.
        pattern: Pattern,
        /// The value.
        value: Box<Expr>,
    },
    /// `pattern ?= value`, in the body of `maybe` alone.
    MaybeMatch {
        /// What the value has to match for the body to go on.
        pattern: Pattern,
        /// The value.
        value: Box<Expr>,
    },
    /// `not X`, `-X`
    UnaryOp {
        /// The operator.
        operator: UnaryOperator,
        /// Its operand.
        operand: Box<Expr>,
    },
    /// `X + Y`: both operands are evaluated, from the left.
    BinaryOp {
        /// The operator.
        operator: BinaryOperator,
        /// The left operand.
        left: Box<Expr>,
        /// The right operand.
        right: Box<Expr>,
    },
    /// `X andalso Y`
    AndAlso(Box<Expr>, Box<Expr>),
    /// `X orelse Y`
    OrElse(Box<Expr>, Box<Expr>),
    /// `Pid ! Message`
    Send(Box<Expr>, Box<Expr>),
    /// `f(X)`, `m:f(X)`, `F(X)`
    Call {
        /// What is called.
        target: CallTarget,
        /// The arguments.
        arguments: Vec<Expr>,
    },
    /// `begin X, Y end`
    Block(Vec<Expr>),
    /// `if X > 0 -> a; true -> b end`
    If(Vec<Clause>),
    /// `case X of a -> b end`
    Case {
        /// What is matched.
        argument: Box<Expr>,
        /// At least one.
        clauses: Vec<Clause>,
    },
    /// `receive a -> b after 10 -> c end`
    Receive {
        /// None only if there is an `after`.
        clauses: Vec<Clause>,
        /// The timeout.
        after: Option<Box<After>>,
    },
    /// `try X of a -> b catch error:R -> c after d end`
    Try {
        /// The protected expressions, at least one.
        body: Vec<Expr>,
        /// The clauses of `of`; if there are none, the body's value is that of the whole.
        clauses: Vec<Clause>,
        /// The clauses of `catch`.
        catch: Vec<CatchClause>,
        /// The expressions of `after`, or none.
        after: Vec<Expr>,
    },
    /// `maybe {ok, X} ?= f(), X else error -> none end`
    Maybe {
        /// At least one expression.
        body: Vec<Expr>,
        /// The clauses of `else`, or none.
        clauses: Vec<Clause>,
    },
    /// `catch X`
    Catch(Box<Expr>),
    /// `fun (X) -> X end`, `fun Loop(X) -> Loop(X) end`
    Fun {
        /// The fun's own name, a variable that is bound inside of it.
        name: Option<Identifier>,
        /// At least one, all with the same number of patterns.
        clauses: Vec<Clause>,
    },
    /// `fun f/1`
    FunLocal(NameArity),
    /// `fun m:f/1`, `fun M:F/A`
    FunRemote {
        /// An atom or a variable.
        module: Box<Expr>,
        /// An atom or a variable.
        function: Box<Expr>,
        /// An integer or a variable.
        arity: Box<Expr>,
    },
    /// `[X || X <- L, X > 0]`
    ListComprehension {
        /// The element for each choice of the generators.
        template: Box<Expr>,
        /// Generators and filters, at least one.
        qualifiers: Vec<Qualifier>,
    },
    /// `<< <<X>> || X <- L >>`
    BinaryComprehension {
        /// The bits for each choice of the generators.
        template: Box<Expr>,
        /// Generators and filters, at least one.
        qualifiers: Vec<Qualifier>,
    },
    /// `#{K => V || K := V <- M}`
    MapComprehension {
        /// The key for each choice of the generators.
        key: Box<Expr>,
        /// The key's value.
        value: Box<Expr>,
        /// Generators and filters, at least one.
        qualifiers: Vec<Qualifier>,
    },
}

/// What is called.
#[derive(Clone, Debug, PartialEq)]
pub enum CallTarget {
    /// `f(…)`: a function of this module, an imported or a predefined one.
    Local(Identifier),
    /// `m:f(…)`, `M:F(…)`
    Remote {
        /// The module.
        module: Box<Expr>,
        /// The function's name.
        function: Box<Expr>,
    },
    /// `F(…)`, `(fun () -> ok end)()`: a fun.
    Fun(Box<Expr>),
}

/// `after timeout -> body`
#[derive(Clone, Debug, PartialEq)]
pub struct After {
    /// Milliseconds, or `infinity`.
    pub timeout: Expr,
    /// At least one expression.
    pub body: Vec<Expr>,
}

/// `key => value` or `key := value` of a map.
pub type MapField = Node<MapFieldKind>;

/// An association of a map.
#[derive(Clone, Debug, PartialEq)]
pub struct MapFieldKind {
    /// `:=`: the key has to be in the map already.
    pub exact: bool,
    /// The key.
    pub key: Expr,
    /// The value.
    pub value: Expr,
}

/// `field = value` of a record, the value an [`Expr`] or a [`Pattern`].
#[derive(Clone, Debug, PartialEq)]
pub struct RecordField<V> {
    /// The field's name.
    pub name: Identifier,
    /// The value.
    pub value: V,
}

/// A segment of a binary, its value an [`Expr`] or a [`Pattern`].
pub type Segment<V> = Node<SegmentKind<V>>;

/// `value:size/type-sign-endianness-unit:n`; what is not written is `None`.
#[derive(Clone, Debug, PartialEq)]
pub struct SegmentKind<V> {
    /// The value.
    pub value: V,
    /// The number of units.
    pub size: Option<Box<Expr>>,
    /// How the bits are read; without it, `integer`.
    pub segment_type: Option<SegmentType>,
    /// `signed` or `unsigned`.
    pub signed: Option<bool>,
    /// The order of bytes.
    pub endianness: Option<Endianness>,
    /// The bits of a unit of the size.
    pub unit: Option<u16>,
}

/// How the bits of a segment are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SegmentType {
    /// `integer`
    Integer,
    /// `float`
    Float,
    /// `binary`, `bytes`
    Binary,
    /// `bitstring`, `bits`
    Bitstring,
    /// `utf8`
    Utf8,
    /// `utf16`
    Utf16,
    /// `utf32`
    Utf32,
}

/// The order of bytes in a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Endianness {
    /// `big`
    Big,
    /// `little`
    Little,
    /// `native`
    Native,
}

/// A generator or a filter of a comprehension.
pub type Qualifier = Node<QualifierKind>;

/// The kinds of [`Qualifier`]s.
#[derive(Clone, Debug, PartialEq)]
pub enum QualifierKind {
    /// `pattern <- list`
    Generate {
        /// What the element has to match.
        pattern: Pattern,
        /// The list.
        list: Expr,
        /// `<:-`: an element that does not match is an error instead of skipped.
        strict: bool,
    },
    /// `<<X>> <= binary`
    BinaryGenerate {
        /// A binary.
        pattern: Pattern,
        /// The binary.
        binary: Expr,
        /// `<:=`: bits that do not match are an error instead of the end.
        strict: bool,
    },
    /// `K := V <- map`
    MapGenerate {
        /// What the key has to match.
        key: Pattern,
        /// What the value has to match.
        value: Pattern,
        /// The map.
        map: Expr,
        /// `<:-`: an association that does not match is an error instead of skipped.
        strict: bool,
    },
    /// Generators that advance together: `X <- L && Y <- M`.
    Zip(Vec<Qualifier>),
    /// A condition.
    Filter(Expr),
}

/// A pattern.
pub type Pattern = Node<PatternKind>;

/// The kinds of [`Pattern`]s.
#[derive(Clone, Debug, PartialEq)]
pub enum PatternKind {
    /// `_`
    Wildcard,
    /// `X`: binds, or compares if it is bound already.
    Variable(Name),
    /// `ok`
    Atom(Name),
    /// `42`, `-1`, `2 + 3`
    Integer(Integer),
    /// `1.0`, `-1.0`
    Float(f64),
    /// `$a`: an integer.
    Char(char),
    /// `"abc"`
    String(Name),
    /// Arithmetic on literals whose result is no integer of 128 bits, `1 bsl 500` or `1.0 + 2`, say.
    Constant(Box<Expr>),
    /// `[]`
    Nil,
    /// `[a, B | Tail]`
    List {
        /// At least one.
        elements: Vec<Pattern>,
        /// What follows `|`; without it, `[]`.
        tail: Option<Box<Pattern>>,
    },
    /// `{a, B}`
    Tuple(Vec<Pattern>),
    /// `#{k := V}`: the map has the keys, and may have others.
    Map(Vec<MapPatternField>),
    /// `#r{a = X, _ = Y}`
    Record {
        /// The record's name.
        name: Identifier,
        /// The patterns of the named fields.
        fields: Vec<RecordField<Pattern>>,
        /// `_ = p`: the pattern of all fields that are not named; without it, any value.
        others: Option<Box<Pattern>>,
    },
    /// `#r.a`: an integer.
    RecordIndex {
        /// The record's name.
        name: Identifier,
        /// The field's name.
        field: Identifier,
    },
    /// `<<X:8, Rest/binary>>`
    Binary(Vec<Segment<Pattern>>),
    /// `pattern = pattern`: both match.
    Match(Box<Pattern>, Box<Pattern>),
}

/// `key := pattern`
#[derive(Clone, Debug, PartialEq)]
pub struct MapPatternField {
    /// An expression of the kind that guards allow; its variables are bound already.
    pub key: Expr,
    /// What the key's value has to match.
    pub value: Pattern,
}

/// An integer of any size.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Integer {
    /// One of at most 128 bits.
    Small(i128),
    /// The digits of a literal that is larger: lower case, no `_`, no leading zero. Never negative.
    Large {
        /// From 2 to 36.
        radix: u32,
        /// The digits.
        digits: Name,
    },
}

/// An operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOperator {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `not`
    Not,
    /// `bnot`
    BitNot,
}

/// An operator with two operands that evaluates both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOperator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`: the result is a float.
    Divide,
    /// `div`
    Div,
    /// `rem`
    Rem,
    /// `band`
    BitAnd,
    /// `bor`
    BitOr,
    /// `bxor`
    BitXor,
    /// `bsl`
    ShiftLeft,
    /// `bsr`
    ShiftRight,
    /// `and`
    And,
    /// `or`
    Or,
    /// `xor`
    Xor,
    /// `++`
    Append,
    /// `--`
    Remove,
    /// `==`
    Equal,
    /// `/=`
    NotEqual,
    /// `=<`
    LessEqual,
    /// `<`
    Less,
    /// `>=`
    GreaterEqual,
    /// `>`
    Greater,
    /// `=:=`
    ExactlyEqual,
    /// `=/=`
    NotExactlyEqual,
}

impl Module {
    /// The functions in the order of the text.
    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        self.forms.iter().filter_map(|form| match &form.kind {
            FormKind::Function(function) => Some(function),
            _ => None,
        })
    }

    /// The definitions of records in the order of the text.
    pub fn records(&self) -> impl Iterator<Item = &RecordDefinition> {
        self.forms.iter().filter_map(|form| match &form.kind {
            FormKind::Record(record) => Some(record),
            _ => None,
        })
    }

    /// The attributes of a name, `property` say, in the order of the text.
    pub fn attributes(&self, name: &str) -> impl Iterator<Item = &Attribute> {
        self.forms.iter().filter_map(move |form| match &form.kind {
            FormKind::Attribute(attribute) if *attribute.name.kind == *name => Some(attribute),
            _ => None,
        })
    }
}

impl Expr {
    /// The text of a string.
    pub fn as_string(&self) -> Option<&Name> {
        if let ExprKind::String(text) = &self.kind { Some(text) } else { None }
    }

    /// The name of an atom.
    pub fn as_atom(&self) -> Option<&Name> {
        if let ExprKind::Atom(name) = &self.kind { Some(name) } else { None }
    }

    /// `f/1` of an attribute.
    pub fn as_name_arity(&self) -> Option<NameArity> {
        let ExprKind::BinaryOp { operator: BinaryOperator::Divide, left, right } = &self.kind else {
            return None;
        };
        let (ExprKind::Atom(name), ExprKind::Integer(Integer::Small(arity))) = (&left.kind, &right.kind)
        else {
            return None;
        };
        Some(NameArity { name: name.clone(), arity: usize::try_from(*arity).ok()? })
    }
}
