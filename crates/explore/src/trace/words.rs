//! The words of trace files for what an event is beside its line: context switch, flags, numbers.
//!
//! One table for the writer and the reader. A word is written only if it is not the usual, so that files
//! stay readable.

use super::{Stall, Switch};
use crate::event::{Action, Effect, ReadsFrom};

/// The context switch from the step before.
pub(super) const SWITCHES: [(&str, Switch); 5] = [
    ("same", Switch::Same),
    ("start", Switch::Start),
    ("yielded", Switch::Yielded),
    ("preempt", Switch::Preempt),
    ("commit", Switch::Commit),
];

/// The store that a load reads from, unless it is in memory and of another thread.
pub(super) const READS_FROM: [(&str, ReadsFrom); 2] =
    [("own_store", ReadsFrom::Own), ("own_buffer", ReadsFrom::Buffer)];

/// Why a thread makes no progress.
const STALLS: [(&str, Option<Stall>); 3] =
    [("-", None), ("blocked", Some(Stall::Blocked)), ("spinning", Some(Stall::Spinning))];

/// The word of a value, if it has one.
pub(super) fn word_of<T: Copy + PartialEq>(table: &[(&'static str, T)], value: T) -> Option<&'static str> {
    table.iter().find(|(_, known)| *known == value).map(|(word, _)| *word)
}

/// The value of a word.
pub(super) fn value_of<T: Copy>(table: &[(&'static str, T)], word: &str) -> Option<T> {
    table.iter().find(|(known, _)| *known == word).map(|(_, value)| *value)
}

/// The word of a stall.
pub(super) fn stall_word(stall: Option<Stall>) -> &'static str {
    word_of(&STALLS, stall).unwrap_or("-")
}

/// The stall of a word.
pub(super) fn read_stall(word: &str) -> Result<Option<Stall>, String> {
    value_of(&STALLS, word).ok_or_else(|| format!("`{word}` is not one of blocked, spinning, -"))
}

/// A property of an event that it has or has not.
pub(super) struct Flag {
    pub(super) word: &'static str,
    pub(super) get: fn(&Action, &Effect) -> bool,
    pub(super) set: fn(&mut Action, &mut Effect),
}

macro_rules! flags {
    ($($word:literal $part:ident . $field:ident,)*) => {
        [$(flags!(@ $word $part $field),)*]
    };
    (@ $word:literal action $field:ident) => {
        Flag { word: $word, get: |action, _| action.$field, set: |action, _| action.$field = true }
    };
    (@ $word:literal effect $field:ident) => {
        Flag { word: $word, get: |_, effect| effect.$field, set: |_, effect| effect.$field = true }
    };
}

pub(super) const FLAGS: [Flag; 11] = flags! {
    "read_only" effect.read_only,
    "buffered" action.is_buffered,
    "drains" action.drains,
    "alternatives" action.has_alternatives,
    "waits_for_unknown" action.waits_for_unknown,
    "guarded" action.is_guarded,
    "final" action.is_final,
    "interruption_point" action.is_interruption_point,
    "wakes_no_waiter" effect.wakes_no_waiter,
    "ends_run" effect.ends_run,
    "affects_outcome" effect.affects_outcome,
};

/// A number of an event. It has no value where it is the usual.
pub(super) struct Number {
    pub(super) word: &'static str,
    pub(super) get: fn(&Action, &Effect) -> Option<u64>,
    /// Returns whether the number is small enough.
    pub(super) set: fn(&mut Action, &mut Effect, u64) -> bool,
}

/// A number, unless it is 0.
fn unless_zero(number: u64) -> Option<u64> {
    (number != 0).then_some(number)
}

/// A number that is 0 as a rule.
macro_rules! number {
    ($word:literal, |$action:ident, $effect:ident| $place:expr) => {
        Number {
            word: $word,
            get: |$action, $effect| unless_zero(u64::from($place)),
            set: |$action, $effect, number| number.try_into().map(|number| $place = number).is_ok(),
        }
    };
}

pub(super) const NUMBERS: [Number; 5] = [
    number!("preceding_stores", |action, _effect| action.preceding_stores),
    number!("reads", |action, _effect| action.footprint.reads),
    number!("writes", |action, _effect| action.footprint.writes),
    Number {
        word: "expected",
        get: |action, _| action.expected,
        set: |action, _, number| {
            action.expected = Some(number);
            true
        },
    },
    number!("observed", |_action, effect| effect.observed),
];
