//! Propositions as text, in the syntax of Erlang where it has one.
//!
//! Promise: the text of a proposition in a formula is read back as the same proposition. So is the text of
//! the term alone, inside of another term.

use super::proposition::Proposition;
use super::reader::is_name_in_logic;
use super::term::{Template, TermReader};
use super::token::{Lexer, Token};
use crate::erlang::syntax::print::{atom_text, float_text, string_text};
use selvedge_ltl::source::Span;
use selvedge_ltl::syntax::AtomText;
use std::fmt::{self, Display, Formatter, Write};

/// The text of the term.
impl Display for Proposition {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Proposition::Atom(name) => f.write_str(&atom_text(name)),
            Proposition::Integer(value) => write!(f, "{value}"),
            Proposition::Float(value) => f.write_str(&float_text(value.get())),
            Proposition::Pid(pid) => write!(f, "@{pid}"),
            Proposition::Tuple(elements) => {
                write_all(f, "{", elements)?;
                f.write_char('}')
            }
            Proposition::List(elements, tail) => write_list(f, elements, tail.as_deref()),
            Proposition::Map(pairs) => {
                for (index, (key, value)) in pairs.iter().enumerate() {
                    write!(f, "{}{key} => {value}", if index == 0 { "#{" } else { "," })?;
                }
                f.write_str(if pairs.is_empty() { "#{}" } else { "}" })
            }
            Proposition::Binary(bytes) => {
                let bytes: Vec<String> = bytes.iter().map(u8::to_string).collect();
                write!(f, "<<{}>>", bytes.join(","))
            }
            Proposition::Abstract(name) if is_bare(name, false) => f.write_str(name),
            Proposition::Abstract(name) => write!(f, "?{}", string_text(name)),
        }
    }
}

/// The text in a formula: `prop(…)` where the logic has its own reading of the term.
impl AtomText for Proposition {
    fn write_atom(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let is_own = match self {
            Proposition::Atom(name) => atom_text(name) != **name || is_atom_in_logic(name),
            Proposition::Integer(value) => *value != 0.into() && *value != 1.into(),
            Proposition::List(elements, None) => !elements.is_empty() && printable(elements).is_none(),
            Proposition::Abstract(name) if !is_bare(name, true) => return out.write_str(&string_text(name)),
            _ => true,
        };
        if is_own { write!(out, "{self}") } else { write!(out, "prop({self})") }
    }

    fn is_comparison(&self) -> bool {
        matches!(self, Proposition::Abstract(name) if name.starts_with(['<', '>', '=']))
    }
}

/// Is a word that is an atom a proposition for the logic, too?
fn is_atom_in_logic(word: &str) -> bool {
    let first = word.split('@').next().unwrap_or(word);
    is_name_in_logic(first) && !matches!(word, "forall" | "exists" | "prop")
}

/// Is an abstract value of this name written without quotes?
fn is_bare(name: &str, is_operand: bool) -> bool {
    let whole = Span::new(0, name.len());
    let mut reader = TermReader { lexer: Lexer::new(name, whole), scope: &[], is_operand, nesting: 0 };
    let is_read = matches!(
        reader.term(),
        Ok(Template::Closed(Proposition::Abstract(read))) if *read == *name
    );
    is_read
        && reader.lexer.at == name.len()
        && reader.lexer.next().0 == Token::End
        && !name.starts_with("?\"")
}

fn write_all(f: &mut Formatter<'_>, open: &str, elements: &[Proposition]) -> fmt::Result {
    f.write_str(open)?;
    for (index, element) in elements.iter().enumerate() {
        write!(f, "{}{element}", if index == 0 { "" } else { "," })?;
    }
    Ok(())
}

fn write_list(f: &mut Formatter<'_>, elements: &[Proposition], tail: Option<&Proposition>) -> fmt::Result {
    if tail.is_none()
        && let Some(text) = printable(elements)
    {
        return f.write_str(&string_text(&text));
    }
    write_all(f, "[", elements)?;
    if let Some(tail) = tail {
        write!(f, "|{tail}")?;
    }
    f.write_char(']')
}

/// The text of a list of at least two printable characters.
fn printable(elements: &[Proposition]) -> Option<String> {
    let character = |element: &Proposition| match element {
        Proposition::Integer(value) => {
            u8::try_from(value).ok().map(char::from).filter(|c| matches!(c, ' '..='~'))
        }
        _ => None,
    };
    if elements.len() < 2 { None } else { elements.iter().map(character).collect() }
}
