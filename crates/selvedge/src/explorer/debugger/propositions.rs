//! Propositions about a state of a run.
//!
//! | proposition | holds if |
//! |---|---|
//! | `at(t, "src/lib.rs:20")` | the next action of thread `t` is there |
//! | `holds(t, mutex#1)` | `t` has the lock; also by the name of `prop::name_lock` |
//! | `waits(t)`, `enabled(t)`, `ended(t)` | `t` is blocked, can go on, has ended |
//! | `exec(t)` | `t` made the last step |
//! | `atomic#1 = 3` | the atomic has this value in memory; also `!=`, `<`, `<=`, `>`, `>=` |
//! | `deadlock`, `failed`, `ended` | the run is over: no thread can go on; it failed; in any way |
//! | `in_critical(1)` | the program has set it by `selvedge::prop` |
//!
//! A thread is its path (`0` is main, `1.2` the second child of main's first child) or its name. A
//! proposition in quotes is always the program's own.
//!
//! Promise: a proposition with a wrong number of arguments is refused, with its place.

use super::state::RunState;
use crate::control::diagnose::{ThreadSnapshot, ThreadState};
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;
use selvedge_ltl::syntax::Atoms;
use selvedge_monitor::{Fact, Facts, Value};
use std::cmp::Ordering;
use std::fmt;

/// A proposition about a state of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RunAtom {
    /// A proposition of the program.
    Own(Fact),
    /// A proposition about the run; the program may have set one of this text, too.
    About(Fact),
    /// A comparison of an object's value.
    Compare(String, Relation, String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// The relations, each spelling before its own prefixes.
const RELATIONS: [(&str, Relation); 7] = [
    ("==", Relation::Equal),
    ("!=", Relation::Unequal),
    ("<=", Relation::AtMost),
    (">=", Relation::AtLeast),
    ("=", Relation::Equal),
    ("<", Relation::Less),
    (">", Relation::Greater),
];

/// The propositions about a run: the name, how many arguments it has, and what it says.
pub(super) const ABOUT_RUNS: [(&str, &[usize], &str); 8] = [
    ("at", &[2], "the next action of the thread is at this place"),
    ("holds", &[2], "the thread has the lock"),
    ("waits", &[1], "the thread is blocked"),
    ("enabled", &[1], "the thread can go on"),
    ("exec", &[1], "the thread made the last step"),
    ("ended", &[0, 1], "the thread has ended, or the run"),
    ("deadlock", &[0], "no thread can go on"),
    ("failed", &[0], "the run is over and failed"),
];

/// Reads propositions about runs.
pub(super) struct RunAtoms;

impl Atoms for RunAtoms {
    type Atom = RunAtom;

    fn read(&self, text: &str, range: Span) -> Option<(Result<RunAtom, Diagnostic>, usize)> {
        let rest = &text[range.range()];
        if let Some(length) = object_length(rest) {
            return Some(read_comparison(text, range, length));
        }
        let is_quoted = rest.starts_with('"');
        let (fact, end) = Facts.read(text, range)?;
        let span = Span::new(range.start, end);
        let about = |fact: Fact| if is_quoted { Ok(RunAtom::Own(fact)) } else { about_run(fact, span) };
        Some((fact.and_then(about), end))
    }
}

/// The length of an object's name: `atomic#1`.
fn object_length(text: &str) -> Option<usize> {
    let kind = text.find(|c: char| !c.is_ascii_lowercase()).filter(|length| *length > 0)?;
    let number = text[kind..].strip_prefix('#')?;
    let digits = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
    (digits > 0).then_some(kind + 1 + digits)
}

fn read_comparison(text: &str, range: Span, length: usize) -> (Result<RunAtom, Diagnostic>, usize) {
    let object = &text[range.start..range.start + length];
    let skip_space = |at: usize| at + text[at..range.end].len() - text[at..range.end].trim_start().len();
    let after_object = range.start + length;
    let relation_at = skip_space(after_object);
    let relation = RELATIONS.iter().find(|(spelling, _)| text[relation_at..range.end].starts_with(spelling));
    let is_operator = ["<->", "<=>", "<>", "=>"].iter().any(|it| text[relation_at..].starts_with(it));
    let Some((spelling, relation)) = relation.filter(|_| !is_operator) else {
        let (label, span) = ("a comparison is expected after this", Span::new(range.start, after_object));
        let message = format!("`{object}` is an object, not a proposition");
        let error = Diagnostic::error("debug::no-comparison", message, span, label);
        return (
            Err(error.help(format!("write `{object} = 1`, say, or `holds(1, {object})`"))),
            after_object,
        );
    };
    let value_at = skip_space(relation_at + spelling.len());
    let value = &text[value_at..range.end];
    let is_value = |(at, c): (usize, char)| c.is_alphanumeric() || at == 0 && c == '-';
    let end = value.char_indices().find(|it| !is_value(*it)).map_or(value.len(), |(at, _)| at);
    if end == 0 {
        let span = Span::new(relation_at, relation_at + spelling.len());
        let message = format!("nothing to compare `{object}` with");
        let error =
            Diagnostic::error("debug::no-value", message, span, "a number, `true` or `false` is expected");
        return (Err(error), span.end);
    }
    (Ok(RunAtom::Compare(object.to_owned(), *relation, value[..end].to_owned())), value_at + end)
}

fn about_run(fact: Fact, span: Span) -> Result<RunAtom, Diagnostic> {
    let Some((name, counts, _)) = ABOUT_RUNS.iter().find(|(name, ..)| *name == fact.name()) else {
        return Ok(RunAtom::Own(fact));
    };
    if counts.contains(&fact.data().len()) {
        return Ok(RunAtom::About(fact));
    }
    let label = "this has another number of arguments";
    let example = match *name {
        "at" => "at(1, \"src/lib.rs:20\")".to_owned(),
        "holds" => "holds(1, mutex#1)".to_owned(),
        name if counts.contains(&1) => format!("{name}(1)"),
        name => name.to_owned(),
    };
    let error =
        Diagnostic::error("debug::arguments", format!("`{name}` is written `{example}`"), span, label);
    Err(error.help("in quotes it is a proposition that the program sets"))
}

impl RunAtom {
    /// Does it hold in this state?
    pub(super) fn holds_in(&self, state: &RunState) -> bool {
        match self {
            RunAtom::Own(fact) => state.has_fact(fact),
            RunAtom::About(fact) => holds_about_run(fact, state) || state.has_fact(fact),
            RunAtom::Compare(object, relation, value) => {
                let object = state.snapshot.objects.iter().find(|known| known.name == *object);
                object.is_some_and(|object| relation.holds(&object.value, value))
            }
        }
    }
}

fn holds_about_run(fact: &Fact, state: &RunState) -> bool {
    match (fact.name(), fact.data()) {
        ("deadlock", _) => state.end.as_ref().is_some_and(|end| end.is_deadlock),
        ("failed", _) => state.end.as_ref().is_some_and(|end| end.is_failure),
        ("ended", []) => state.end.is_some(),
        (name, [thread, rest @ ..]) => {
            let is_meant = |known: &&ThreadSnapshot| names_thread(thread, known);
            let thread = state.snapshot.threads.iter().find(is_meant);
            thread.is_some_and(|thread| holds_about_thread(name, thread, rest, state))
        }
        _ => false,
    }
}

fn names_thread(value: &Value, thread: &ThreadSnapshot) -> bool {
    match value {
        Value::Int(number) => number.to_string() == thread.path,
        Value::Text(text) => **text == *thread.path || **text == *thread.name,
    }
}

fn holds_about_thread(name: &str, thread: &ThreadSnapshot, rest: &[Value], state: &RunState) -> bool {
    match (name, rest) {
        ("waits", _) => thread.state == ThreadState::Waiting,
        ("enabled", _) => thread.state == ThreadState::Ready,
        ("ended", _) => thread.state == ThreadState::Ended,
        ("exec", _) => state.last_mover == Some(thread.id),
        ("at", [Value::Text(place)]) => {
            let site = thread.site.to_string();
            site == **place || site.strip_suffix(&**place).is_some_and(|before| before.ends_with('/'))
        }
        ("holds", [lock]) => {
            let text = match lock {
                Value::Int(number) => number.to_string(),
                Value::Text(text) => text.to_string(),
            };
            let mut objects = state.snapshot.objects.iter();
            let is_lock = |name: &str, own: Option<&String>| name == text || own == Some(&text);
            objects.any(|object| {
                is_lock(&object.name, object.own_name.as_ref()) && object.holders.contains(&thread.id)
            })
        }
        _ => false,
    }
}

impl Relation {
    /// Does it hold between two values? Numbers are compared as numbers; other values are equal or not.
    fn holds(self, left: &str, right: &str) -> bool {
        let order = match (left.parse::<i128>(), right.parse::<i128>()) {
            (Ok(left), Ok(right)) => Some(left.cmp(&right)),
            _ => (left == right).then_some(Ordering::Equal),
        };
        match self {
            Relation::Equal => order == Some(Ordering::Equal),
            Relation::Unequal => order != Some(Ordering::Equal),
            Relation::Less => order == Some(Ordering::Less),
            Relation::AtMost => order.is_some_and(Ordering::is_le),
            Relation::Greater => order == Some(Ordering::Greater),
            Relation::AtLeast => order.is_some_and(Ordering::is_ge),
        }
    }

    fn text(self) -> &'static str {
        match self {
            Relation::Equal => "=",
            Relation::Unequal => "!=",
            Relation::Less => "<",
            Relation::AtMost => "<=",
            Relation::Greater => ">",
            Relation::AtLeast => ">=",
        }
    }
}

impl fmt::Display for RunAtom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunAtom::Own(fact) | RunAtom::About(fact) => write!(f, "{fact}"),
            RunAtom::Compare(object, relation, value) => write!(f, "{object} {} {value}", relation.text()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_ltl::Formula;
    use selvedge_ltl::syntax::parse;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let read = match parse(text, &RunAtoms).into_result() {
            Ok(Formula::Prop(atom)) => format!("{atom:?}"),
            Ok(other) => format!("{other:?}"),
            Err(errors) => errors.iter().map(|error| error.message.to_string()).collect(),
        };
        assert_eq!(read, expected, "{text}");
    }

    #[test]
    fn propositions_are_about_runs_or_the_programs_own() {
        check("in_critical(1)", "Own(in_critical(1))");
        check("at(1, \"src/lib.rs:20\")", "About(at(1, \"src/lib.rs:20\"))");
        check("holds(worker, mutex#1)", "About(holds(\"worker\", \"mutex#1\"))");
        check("\"deadlock\"", "Own(deadlock)");
        check("atomic#1 = 3", "Compare(\"atomic#1\", Equal, \"3\")");
        check("atomic#12>=-3", "Compare(\"atomic#12\", AtLeast, \"-3\")");
        check("atomic#1 != true", "Compare(\"atomic#1\", Unequal, \"true\")");
    }

    #[test]
    fn mistakes_are_named() {
        check("at(1)", "`at` is written `at(1, \"src/lib.rs:20\")`");
        check("deadlock(1)", "`deadlock` is written `deadlock`");
        check("mutex#1", "`mutex#1` is an object, not a proposition");
        check("atomic#1 =", "nothing to compare `atomic#1` with");
    }

    #[test]
    fn numbers_are_compared_as_numbers_and_other_values_are_equal_or_not() {
        assert!(Relation::Less.holds("9", "10") && Relation::AtLeast.holds("-1", "-1"));
        assert!(Relation::Equal.holds("true", "true") && Relation::Unequal.holds("true", "1"));
        assert!(!Relation::Less.holds("null", "0x10"));
    }
}
