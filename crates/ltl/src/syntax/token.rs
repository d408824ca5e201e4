//! The spellings of operators, and their distinction from names.
//!
//! Promise: [`operator`] reads the text once, allocates nothing, and prefers the longest spelling.

use crate::formula::{Binary, Unary};

/// The meaning of a spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Unary(Unary),
    /// Several prefix operators, one letter each.
    Glued,
    Binary(Binary),
    Const(bool),
    Open,
    Close,
}

/// Spellings of signs, each before its own prefixes.
const SIGNS: &[(&str, Token)] = &[
    ("<->", Token::Binary(Binary::Iff)),
    ("<=>", Token::Binary(Binary::Iff)),
    ("↔", Token::Binary(Binary::Iff)),
    ("->", Token::Binary(Binary::Implies)),
    ("=>", Token::Binary(Binary::Implies)),
    ("→", Token::Binary(Binary::Implies)),
    ("||", Token::Binary(Binary::Or)),
    ("|", Token::Binary(Binary::Or)),
    ("\\/", Token::Binary(Binary::Or)),
    ("∨", Token::Binary(Binary::Or)),
    ("&&", Token::Binary(Binary::And)),
    ("&", Token::Binary(Binary::And)),
    ("/\\", Token::Binary(Binary::And)),
    ("∧", Token::Binary(Binary::And)),
    ("[]", Token::Unary(Unary::Always)),
    ("□", Token::Unary(Unary::Always)),
    ("<>", Token::Unary(Unary::Eventually)),
    ("◇", Token::Unary(Unary::Eventually)),
    ("○", Token::Unary(Unary::Next)),
    ("!", Token::Unary(Unary::Not)),
    ("~", Token::Unary(Unary::Not)),
    ("¬", Token::Unary(Unary::Not)),
    ("(", Token::Open),
    (")", Token::Close),
];

/// Spellings of letters.
const WORDS: &[(&str, Token)] = &[
    ("X", Token::Unary(Unary::Next)),
    ("WX", Token::Unary(Unary::WeakNext)),
    ("F", Token::Unary(Unary::Eventually)),
    ("G", Token::Unary(Unary::Always)),
    ("Y", Token::Unary(Unary::Previous)),
    ("WY", Token::Unary(Unary::WeakPrevious)),
    ("Z", Token::Unary(Unary::WeakPrevious)),
    ("O", Token::Unary(Unary::Once)),
    ("H", Token::Unary(Unary::Historically)),
    ("not", Token::Unary(Unary::Not)),
    ("U", Token::Binary(Binary::Until)),
    ("R", Token::Binary(Binary::Release)),
    ("V", Token::Binary(Binary::Release)),
    ("W", Token::Binary(Binary::WeakUntil)),
    ("M", Token::Binary(Binary::StrongRelease)),
    ("S", Token::Binary(Binary::Since)),
    ("T", Token::Binary(Binary::Triggered)),
    ("and", Token::Binary(Binary::And)),
    ("or", Token::Binary(Binary::Or)),
    ("implies", Token::Binary(Binary::Implies)),
    ("iff", Token::Binary(Binary::Iff)),
    ("true", Token::Const(true)),
    ("false", Token::Const(false)),
    ("1", Token::Const(true)),
    ("0", Token::Const(false)),
];

/// The operator, constant or parenthesis at the start of `text`, and the length of its spelling.
pub(super) fn operator(text: &str) -> Option<(Token, usize)> {
    if let Some((spelling, token)) = SIGNS.iter().find(|(spelling, _)| text.starts_with(spelling)) {
        return Some((*token, spelling.len()));
    }
    let word = word(text);
    keyword(word).map(|token| (token, word.len())).or_else(|| glued(word))
}

/// The longest run of letters, digits and underscores at the start of `text`.
pub(super) fn word(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
    &text[..end]
}

/// The token of a keyword; `None` if the word is a name.
pub(super) fn keyword(word: &str) -> Option<Token> {
    WORDS.iter().find(|(spelling, _)| *spelling == word).map(|(_, token)| *token)
}

/// Prefix operators written without spaces between them and the name: `GF`, `XXp`, `GFready`, `Xa`, `Fp1`.
///
/// One operator letter before a longer word (`Free`, `Good`) is a part of a name. A word in capitals is a
/// name (`GX1`), unless all its letters are operators.
fn glued(word: &str) -> Option<(Token, usize)> {
    let operators = word.bytes().take_while(|byte| matches!(byte, b'G' | b'F' | b'X')).count();
    let mut rest = word[operators..].chars();
    let glued = match rest.next() {
        None => operators >= 2,
        Some(first) if first.is_lowercase() => {
            operators >= 2 || (operators == 1 && rest.all(|c| c.is_ascii_digit()))
        }
        Some(_) => false,
    };
    glued.then_some((Token::Glued, operators))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sign_is_preferred_to_its_prefixes() {
        for (spelling, token) in SIGNS {
            assert_eq!(operator(spelling), Some((*token, spelling.len())), "{spelling}");
        }
    }

    #[test]
    fn glued_prefixes_are_operators_and_words_are_names() {
        for text in ["GFp", "XXX", "Xa", "Fp1", "GFready", "FG!p"] {
            assert!(matches!(operator(text), Some((Token::Glued, _))), "{text}");
        }
        for text in ["Free", "Good", "Xylophone", "GX1", "F_x", "p", "Untrue", "trueish", "_G"] {
            assert_eq!(operator(text), None, "{text}");
        }
    }
}
