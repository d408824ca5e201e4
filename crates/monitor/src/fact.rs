//! Propositions with data: a name and arguments, such as `ready` and `holds(3, "queue")`.
//!
//! Promise: the text of a [`Fact`] parses to the same fact.

use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;
use selvedge_ltl::syntax::{AtomText, Atoms, Names};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A proposition that is a name with data.
///
/// ```
/// use selvedge_monitor::Fact;
/// assert_eq!(Fact::from("ready").to_string(), "ready");
/// assert_eq!(Fact::from(("holds", 3, "queue")).to_string(), r#"holds(3, "queue")"#);
/// assert_eq!(Fact::from("(1,0)").to_string(), r#""(1,0)""#);
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Fact {
    name: Name,
    data: Data,
}

/// The name of a fact. A short one, the most frequent case, needs no allocation, and no count of its uses.
#[derive(Clone, Eq)]
enum Name {
    /// The length and the bytes; the rest is zero.
    Short(u8, [u8; MAX_SHORT]),
    Long(Arc<String>),
}

/// The greatest length of a short name.
const MAX_SHORT: usize = 14;

impl Name {
    #[inline]
    fn new(text: &str) -> Name {
        if text.len() > MAX_SHORT {
            return Name::Long(Arc::new(text.to_owned()));
        }
        let mut bytes = [0; MAX_SHORT];
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        Name::Short(text.len() as u8, bytes)
    }

    #[inline]
    fn as_str(&self) -> &str {
        match self {
            Name::Short(length, bytes) => {
                std::str::from_utf8(&bytes[..usize::from(*length)]).expect("the bytes of a text")
            }
            Name::Long(text) => text,
        }
    }
}

// Comparisons and hashes are short for the most frequent case, so that compilers put them where they are
// needed.

impl PartialEq for Name {
    #[inline]
    fn eq(&self, other: &Name) -> bool {
        match (self, other) {
            (Name::Short(length, bytes), Name::Short(other, other_bytes)) => {
                length == other && bytes == other_bytes
            }
            (Name::Long(text), Name::Long(other)) => text == other,
            _ => false,
        }
    }
}

impl Hash for Name {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Name::Short(_, bytes) => {
                let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]));
                state.write_u64(word(0));
                state.write_u64(word(MAX_SHORT - 8));
            }
            Name::Long(text) => hash_rest(&**text, state),
        }
    }
}

#[inline(never)]
fn hash_rest<H: Hasher>(value: &(impl Hash + ?Sized), state: &mut H) {
    value.hash(state);
}

/// The data of a fact; a single one, the most frequent case, needs no allocation.
#[derive(Clone, Eq)]
enum Data {
    None,
    One(Value),
    /// Two or more.
    Many(Arc<[Value]>),
}

impl Data {
    fn values(&self) -> &[Value] {
        match self {
            Data::None => &[],
            Data::One(value) => std::slice::from_ref(value),
            Data::Many(values) => values,
        }
    }

    #[inline(never)]
    fn has_same_values(&self, other: &Data) -> bool {
        self.values() == other.values()
    }
}

impl PartialEq for Data {
    #[inline]
    fn eq(&self, other: &Data) -> bool {
        match (self, other) {
            (Data::One(Value::Int(number)), Data::One(Value::Int(other))) => number == other,
            _ => self.has_same_values(other),
        }
    }
}

impl Hash for Data {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Data::None => {}
            Data::One(Value::Int(number)) => {
                state.write_u64(*number as u64 ^ ((*number >> 64) as u64).rotate_left(32));
            }
            Data::One(_) | Data::Many(_) => hash_rest(self.values(), state),
        }
    }
}

/// A datum of a [`Fact`].
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// A number.
    Int(i128),
    /// A text.
    Text(Arc<str>),
}

impl Fact {
    /// The fact with this name and these data.
    #[inline]
    pub fn new(name: impl AsRef<str>, data: impl IntoIterator<Item = Value>) -> Fact {
        let mut data = data.into_iter();
        let data = match (data.next(), data.next()) {
            (None, _) => Data::None,
            (Some(one), None) => Data::One(one),
            (Some(one), Some(other)) => Data::Many([one, other].into_iter().chain(data).collect()),
        };
        Fact { name: Name::new(name.as_ref()), data }
    }

    /// The name.
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    /// The data.
    pub fn data(&self) -> &[Value] {
        self.data.values()
    }
}

impl Ord for Fact {
    fn cmp(&self, other: &Fact) -> Ordering {
        (self.name(), self.data()).cmp(&(other.name(), other.data()))
    }
}

impl PartialOrd for Fact {
    fn partial_cmp(&self, other: &Fact) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl From<&str> for Fact {
    fn from(name: &str) -> Fact {
        Fact::new(name, [])
    }
}

impl From<String> for Fact {
    fn from(name: String) -> Fact {
        Fact::new(name, [])
    }
}

/// Facts from tuples: the name, then the data.
macro_rules! from_tuples {
    ($(($($datum:ident),+);)*) => { $(
        impl<N: AsRef<str>, $($datum: Into<Value>),+> From<(N, $($datum),+)> for Fact {
            #[inline]
            #[allow(non_snake_case)] // the type parameters name the data
            fn from((name, $($datum),+): (N, $($datum),+)) -> Fact {
                Fact::new(name, [$($datum.into()),+])
            }
        }
    )* };
}

from_tuples! { (A); (A, B); (A, B, C); (A, B, C, D); }

/// Values from types of numbers.
macro_rules! from_numbers {
    ($($number:ty)*) => { $(
        impl From<$number> for Value {
            #[inline]
            fn from(number: $number) -> Value {
                Value::Int(number as i128)
            }
        }
    )* };
}

from_numbers! { u8 u16 u32 u64 usize i8 i16 i32 i64 isize i128 }

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::Text(text.into())
    }
}

impl From<Arc<str>> for Value {
    fn from(text: Arc<str>) -> Value {
        Value::Text(text)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Int(number) => number.fmt(f),
            Value::Text(text) => write!(f, "\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
        }
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.data().is_empty() {
            let is_call = Call::parse(self.name()).is_some();
            return if is_call { fmt::Debug::fmt(self.name(), f) } else { self.name().write_atom(f) };
        }
        let data: Vec<String> = self.data().iter().map(Value::to_string).collect();
        write!(f, "{}({})", self.name(), data.join(", "))
    }
}

impl fmt::Debug for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Reads facts in the text of formulas: names, calls, and texts in quotes.
pub struct Facts;

impl Atoms for Facts {
    type Atom = Fact;

    fn read(&self, text: &str, range: Span) -> Option<(Result<Fact, Diagnostic>, usize)> {
        let (call, end) = Calls.read(text, range)?;
        Some((call.map(Call::into_fact), end))
    }
}

/// Reads calls in the text of formulas.
pub(crate) struct Calls;

impl Atoms for Calls {
    type Atom = Call;

    fn read(&self, text: &str, range: Span) -> Option<(Result<Call, Diagnostic>, usize)> {
        let is_quoted = text[range.range()].starts_with('"');
        let (atom, end) = Names.read(text, range)?;
        let whole = |name: String| Call { name, arguments: Vec::new() };
        let call = atom.map(|name| match Call::parse(&name).filter(|_| !is_quoted) {
            Some(call) => call,
            None => whole(name),
        });
        Some((call, end))
    }
}

/// A name with arguments, as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) arguments: Vec<Argument>,
}

/// An argument as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Argument {
    /// A word without quotes: a variable of a template, or else a text.
    Word(String),
    /// A number, or a text in quotes.
    Value(Value),
}

impl Call {
    /// A text of the form `name(argument, …)`.
    fn parse(text: &str) -> Option<Call> {
        let (name, rest) = text.split_once('(')?;
        let inner = rest.strip_suffix(')')?;
        let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-' || c == '.');
        if !is_name {
            return None;
        }
        let arguments: Option<Vec<Argument>> =
            split_arguments(inner).into_iter().map(Argument::parse).collect();
        Some(Call { name: name.to_owned(), arguments: arguments? })
    }

    fn into_fact(self) -> Fact {
        Fact::new(self.name, self.arguments.into_iter().map(Argument::into_value))
    }
}

impl Argument {
    fn parse(text: &str) -> Option<Argument> {
        let text = text.trim();
        if let Some(quoted) = text.strip_prefix('"') {
            let mut characters = quoted.strip_suffix('"')?.chars();
            let unescaped =
                || characters.next().and_then(|c| if c == '\\' { characters.next() } else { Some(c) });
            return Some(Argument::Value(Value::from(std::iter::from_fn(unescaped).collect::<String>())));
        }
        if let Ok(number) = text.parse() {
            return Some(Argument::Value(Value::Int(number)));
        }
        let is_word = !text.is_empty() && !text.contains(['(', ')', '[', ']', '{', '}', '"']);
        is_word.then(|| Argument::Word(text.to_owned()))
    }

    /// The value of an argument that is no variable.
    pub(crate) fn into_value(self) -> Value {
        match self {
            Argument::Word(text) => Value::from(text),
            Argument::Value(value) => value,
        }
    }
}

/// The parts between commas that are outside of quotes and brackets.
fn split_arguments(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth, mut quoted, mut escaped) = (Vec::new(), 0, 0_usize, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_ltl::syntax::parse;
    use std::hash::BuildHasher;

    #[track_caller]
    fn check(text: &str, expected: impl Into<Fact>) {
        let expected = expected.into();
        let formula = parse(text, &Facts).into_result().expect("a formula");
        assert_eq!(formula, selvedge_ltl::Formula::Prop(expected.clone()), "{text}");
        let again = parse(&expected.to_string(), &Facts).into_result().expect("a formula");
        assert_eq!(again, selvedge_ltl::Formula::Prop(expected.clone()), "{expected}");
    }

    #[test]
    fn the_text_of_a_fact_parses_to_the_same_fact() {
        check("ready", "ready");
        check("holds(3, \"queue\")", ("holds", 3, "queue"));
        check("holds(3,queue)", ("holds", 3, "queue"));
        check("holds(-3)", ("holds", -3));
        check("\"(1,0)\"", "(1,0)");
        check("\"holds(3)\"", "holds(3)");
        check("said(\"a, \\\"b\\\"\")", ("said", "a, \"b\""));
        check("turn = 1", "turn = 1");
    }

    #[test]
    fn facts_are_equal_if_names_of_any_length_and_data_are() {
        let names = (0..40).flat_map(|length| ["x".repeat(length), "é".repeat(length), "x\0".repeat(length)]);
        let names: Vec<String> = names.filter(|name| !name.is_empty()).collect();
        let data = [vec![], vec![Value::from(3)], vec![Value::from(-3)], vec![Value::from("3")]];
        let data = data.into_iter().chain([vec![Value::from(3), Value::from(3)]]);
        let facts: Vec<(String, Vec<Value>)> =
            data.flat_map(|data| names.iter().map(move |name| (name.clone(), data.clone()))).collect();
        let hash = |fact: &Fact| rustc_hash::FxBuildHasher.hash_one(fact);
        for one in &facts {
            let fact = Fact::new(&one.0, one.1.clone());
            assert_eq!((fact.name(), fact.data()), (&*one.0, &*one.1));
            for other in &facts {
                let other_fact = Fact::new(&other.0, other.1.clone());
                assert_eq!(fact == other_fact, one == other);
                assert!(one != other || hash(&fact) == hash(&other_fact));
            }
        }
    }
}
