//! Programs as the text has them: what the generators draw, the speller writes down and the naive
//! interpreter runs.

/// A whole program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Processes {
    pub(crate) types: Vec<Type>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) channels: Vec<ChannelKind>,
    /// Names of statements, and whether they may loop.
    pub(crate) statements: Vec<(&'static str, bool)>,
    pub(crate) definitions: Vec<Definition<Value>>,
    pub(crate) procedures: Vec<Definition<Block>>,
    pub(crate) processes: Vec<Process>,
}

#[derive(Clone, Debug)]
pub(crate) enum Type {
    Enumeration(&'static str, &'static [&'static str]),
    /// The fields, each with the name of its type.
    Record(&'static str, &'static [(&'static str, &'static str)]),
}

/// A variable, shared or local.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: &'static str,
    /// How many elements, if it is an array.
    pub(crate) length: Option<usize>,
    pub(crate) kind: Option<&'static str>,
    /// One value for all elements, or one each; of a record, one a field. None if it is undefined at first.
    pub(crate) initial: Vec<Value>,
}

/// A definition or a procedure.
#[derive(Clone, Debug)]
pub(crate) struct Definition<T> {
    pub(crate) name: &'static str,
    pub(crate) parameters: &'static [&'static str],
    pub(crate) body: T,
}

/// Channels of one name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChannelKind {
    pub(crate) name: &'static str,
    /// How many, if it is an array.
    pub(crate) length: Option<usize>,
    pub(crate) capacity: usize,
    pub(crate) fields: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct Process {
    pub(crate) head: Head,
    pub(crate) priority: i64,
    pub(crate) locals: Vec<Variable>,
    pub(crate) body: Block,
}

#[derive(Clone, Debug)]
pub(crate) enum Head {
    Single(&'static str),
    /// The parameters, each with its first and last number.
    Family(&'static str, Vec<(&'static str, i64, i64)>),
    /// The parameters, and how many processes are created at most.
    Created(&'static str, Vec<&'static str>, usize),
}

pub(crate) type Block = Vec<Statement>;

/// A channel, by number, and the index if it is an array.
pub(crate) type ChannelRef = (usize, Option<Value>);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Statement {
    Skip,
    /// `x := e`, and `x, y := e, f`.
    Assign(Vec<(VariableRef, Value)>),
    /// `n := {e, f}`, or `n := m`: a record as a whole, with the names of its fields.
    AssignRecord(VariableRef, &'static [(&'static str, &'static str)], RecordValue),
    /// A name that is declared by `statement`, and whether it may loop.
    User(&'static str, bool),
    Await(Value),
    Assert(Value),
    Print(Value),
    If(Value, Block, Block),
    While(Value, Block, LoopDepth),
    Repeat(Block, LoopDepth),
    For(&'static str, i64, i64, Block),
    /// Leaves the innermost loop around it.
    Break,
    Choose(Vec<Block>),
    ChooseElse(Vec<Block>, Block),
    /// Any of these values.
    ChooseIn(VariableRef, Vec<Datum>),
    Atomic(Block),
    Call(&'static str, Vec<Value>),
    Create(&'static str, Vec<Value>),
    Send(ChannelRef, Vec<Value>),
    Receive(ChannelRef, Vec<Field>),
    Timeout,
    /// `end:`, before a statement.
    End,
    /// Of unfolded programs alone: the bodies of a `for`, one a number.
    Bodies(Vec<Block>, LoopDepth),
    /// Of unfolded programs alone: the end of a `for` that has a `break`.
    EndOfFor(LoopDepth),
    /// Of unfolded programs alone: a `break`, with what is behind its loop.
    Leave(Block),
    /// Of unfolded programs alone: waits until the process of this number is created.
    AwaitCreation(usize),
}

/// In unfolded programs, how many loops there are around the body of a loop with a `break`. The language
/// tells such loops apart, and all others by their text alone.
pub(crate) type LoopDepth = Option<usize>;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RecordValue {
    Braces(Vec<Value>),
    Other(VariableRef),
}

/// A variable, an element or a field. In unfolded programs names are those of the memory: a local variable
/// of process 1 is `l@1`, a field is `n.colour`, an array of fields too.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct VariableRef {
    pub(crate) name: String,
    pub(crate) index: Option<Box<Value>>,
    pub(crate) field: Option<&'static str>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Value {
    Constant(Datum),
    /// A variable or a parameter.
    Of(VariableRef),
    Binary(&'static str, Box<Value>, Box<Value>),
    Not(Box<Value>),
    Len(Box<ChannelRef>),
    Empty(Box<ChannelRef>),
    Full(Box<ChannelRef>),
    /// `forall i in a..b: t`, or else `exists`.
    Quantified(bool, &'static str, (i64, i64), Box<Value>),
    /// A use of a definition.
    Use(&'static str, Vec<Value>),
}

/// What a variable holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Datum {
    Undefined,
    Null,
    Number(i64),
    Truth(bool),
    Name(&'static str),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Field {
    Match(Datum),
    Store(VariableRef),
}

impl VariableRef {
    pub(crate) fn variable(name: &str) -> VariableRef {
        VariableRef { name: name.to_owned(), index: None, field: None }
    }

    pub(crate) fn element(name: &str, index: Value) -> VariableRef {
        VariableRef { name: name.to_owned(), index: Some(Box::new(index)), field: None }
    }
}

impl Value {
    pub(crate) fn number(number: i64) -> Value {
        Value::Constant(Datum::Number(number))
    }

    pub(crate) fn variable(name: &str) -> Value {
        Value::Of(VariableRef::variable(name))
    }

    pub(crate) fn binary(operator: &'static str, left: Value, right: Value) -> Value {
        Value::Binary(operator, Box::new(left), Box::new(right))
    }

    /// `(e + 1) % 3`
    pub(crate) fn next(value: Value) -> Value {
        Value::binary("%", Value::binary("+", value, Value::number(1)), Value::number(3))
    }
}

impl Statement {
    /// The blocks inside.
    pub(crate) fn blocks(&self) -> Vec<&Block> {
        match self {
            Statement::If(_, yes, no) => vec![yes, no],
            Statement::While(_, body, _)
            | Statement::Repeat(body, _)
            | Statement::For(_, _, _, body)
            | Statement::Atomic(body) => vec![body],
            Statement::Choose(branches) | Statement::Bodies(branches, _) => branches.iter().collect(),
            Statement::ChooseElse(branches, otherwise) => branches.iter().chain([otherwise]).collect(),
            _ => Vec::new(),
        }
    }
}

impl Process {
    /// A process that is there from the beginning, without parameters.
    pub(crate) fn single(name: &'static str, priority: i64, locals: Vec<Variable>, body: Block) -> Process {
        Process { head: Head::Single(name), priority, locals, body }
    }
}

impl Variable {
    /// A variable of numbers with this first value.
    pub(crate) fn number(name: &'static str, initial: i64) -> Variable {
        Variable { name, length: None, kind: None, initial: vec![Value::number(initial)] }
    }
}
