//! What could stand at a place of a formula that is being typed.

use super::Engine;
use crate::protocol::Message;
use crate::view::{Completion, CompletionKind};

/// At most so many completions at a time.
const MAX_ITEMS: usize = 50;

/// The operators, with what they say of a finite sequence.
const OPERATORS: [(&str, &str); 20] = [
    ("F ", "eventually"),
    ("G ", "always"),
    ("X ", "in the next state, which exists"),
    ("WX ", "in the next state, if it exists"),
    ("U ", "until: the right side comes"),
    ("W ", "weak until: or the left side for ever"),
    ("R ", "release"),
    ("M ", "strong release"),
    ("! ", "not"),
    ("& ", "and"),
    ("| ", "or"),
    ("-> ", "implies"),
    ("<-> ", "if and only if"),
    ("O ", "once, in the past"),
    ("H ", "always so far"),
    ("S ", "since"),
    ("T ", "triggered"),
    ("Y ", "in the previous state, which exists"),
    ("true", "holds"),
    ("false", "does not hold"),
];

impl Engine {
    /// The completions of the text before a place: those of the longest ending that begins one.
    pub(super) fn complete(&mut self, formula: &str, offset: usize) -> Message {
        let mut offset = offset.min(formula.len());
        while !formula.is_char_boundary(offset) {
            offset -= 1;
        }
        let mut all = self.target.completions();
        all.extend(OPERATORS.iter().map(|(text, detail)| Completion {
            text: (*text).to_owned(),
            kind: CompletionKind::Operator,
            detail: (*detail).to_owned(),
        }));
        let before = &formula[..offset];
        for start in starts(before) {
            let typed = before[start..].to_lowercase();
            let begins = |item: &&Completion| {
                item.text.len() > typed.len() && item.text.to_lowercase().starts_with(&typed)
            };
            let mut items: Vec<Completion> = all.iter().filter(begins).take(MAX_ITEMS).cloned().collect();
            if !items.is_empty() {
                items.dedup();
                return Message::Completions { start, end: offset, items };
            }
        }
        Message::Completions { start: offset, end: offset, items: Vec::new() }
    }
}

/// The places where the text of a completion may begin, the longest text first: after a bracket, an operator
/// or a blank. The empty text comes last.
fn starts(before: &str) -> Vec<usize> {
    const LONGEST: usize = 60;
    let is_break = |character: char| character.is_whitespace() || "()[]!&|<>~".contains(character);
    let after = before.char_indices().filter(|(_, it)| is_break(*it)).map(|(at, it)| at + it.len_utf8());
    let mut starts: Vec<usize> = std::iter::once(0).chain(after).collect();
    starts.push(before.len());
    starts.dedup();
    starts.retain(|start| before.len() - start <= LONGEST && !before[*start..].starts_with(' '));
    starts
}
