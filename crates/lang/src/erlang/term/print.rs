//! Terms as text, in the syntax of Erlang; what has no syntax there is `@1` (a pid), `#1.0` (a reference),
//! `?list` (a top).

use super::{Atom, Kind, Term, Terms, Value};
use crate::erlang::domain::Domain;
use crate::erlang::syntax::print::{atom_text, float_text};
use std::fmt::Write;

impl Terms {
    /// The term as text; abstract integers are called as the domain calls them.
    pub(crate) fn show(&self, value: Value, domain: &Domain) -> String {
        let mut text = String::new();
        self.write(value, domain, &mut text);
        text
    }

    fn write(&self, value: Value, domain: &Domain, out: &mut String) {
        match self.get(value) {
            Term::Dead => out.push('_'),
            Term::Integer(number) => write!(out, "{number}").expect("text"),
            Term::Float(bits) => out.push_str(&float_text(f64::from_bits(*bits))),
            Term::Atom(atom) => out.push_str(&self.quoted(*atom)),
            Term::Ref { maker, number } => write!(out, "#{}.{number}", maker.0).expect("text"),
            Term::Fun { function, captured } => {
                write!(out, "#Fun<{function}>").expect("text");
                if !captured.is_empty() {
                    self.write_all(captured, ("(", ")"), domain, out);
                }
            }
            Term::External { module, name, arity } => {
                let (module, name) = (self.quoted(*module), self.quoted(*name));
                write!(out, "fun {module}:{name}/{arity}").expect("text");
            }
            Term::Pid(pid) => write!(out, "@{}", pid.0).expect("text"),
            Term::Tuple(elements) => self.write_all(elements, ("{", "}"), domain, out),
            Term::Map(pairs) => {
                out.push_str("#{");
                for (index, (key, value)) in pairs.iter().enumerate() {
                    out.push_str(if index == 0 { "" } else { "," });
                    self.write(*key, domain, out);
                    out.push_str(" => ");
                    self.write(*value, domain, out);
                }
                out.push('}');
            }
            Term::Nil => out.push_str("[]"),
            Term::Cons(..) => self.write_list(value, domain, out),
            Term::Binary(bytes) => {
                let bytes: Vec<String> = bytes.iter().map(u8::to_string).collect();
                write!(out, "<<{}>>", bytes.join(",")).expect("text");
            }
            Term::Abstract(element) => {
                let integers = domain.integers.as_ref().expect("a domain of integers");
                out.push_str(integers.name(*element));
            }
            Term::Atoms(set) => {
                let atoms = domain.atoms.as_ref().expect("a domain of atoms");
                out.push_str(atoms.name(*set));
            }
            Term::Top(kind) => out.push_str(kind.text()),
        }
    }

    fn write_all(&self, values: &[Value], brackets: (&str, &str), domain: &Domain, out: &mut String) {
        out.push_str(brackets.0);
        for (index, value) in values.iter().enumerate() {
            out.push_str(if index == 0 { "" } else { "," });
            self.write(*value, domain, out);
        }
        out.push_str(brackets.1);
    }

    fn write_list(&self, list: Value, domain: &Domain, out: &mut String) {
        let (elements, end) = self.elements(list);
        if *self.get(end) == Term::Nil
            && let Some(text) = self.printable(&elements)
        {
            write!(out, "{text:?}").expect("text");
            return;
        }
        self.write_all(&elements, ("[", ""), domain, out);
        if *self.get(end) != Term::Nil {
            out.push('|');
            self.write(end, domain, out);
        }
        out.push(']');
    }

    /// The text of a list of at least two printable characters.
    fn printable(&self, elements: &[Value]) -> Option<String> {
        let character = |value: &Value| match self.get(*value) {
            Term::Integer(number) => {
                let code = u32::try_from(number).ok()?;
                char::from_u32(code).filter(|character| matches!(character, ' '..='~'))
            }
            _ => None,
        };
        if elements.len() < 2 { None } else { elements.iter().map(character).collect() }
    }

    /// The atom in the syntax of Erlang.
    pub(crate) fn quoted(&self, atom: Atom) -> String {
        atom_text(self.name(atom))
    }
}

impl Kind {
    pub(crate) const ALL: [Kind; 12] = [
        Kind::Any,
        Kind::Integer,
        Kind::Float,
        Kind::Atom,
        Kind::Ref,
        Kind::Pid,
        Kind::Tuple,
        Kind::Map,
        Kind::List,
        Kind::Cons,
        Kind::Binary,
        Kind::Fun,
    ];

    /// The top's name.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Kind::Any => "?",
            Kind::Integer => "?int",
            Kind::Float => "?float",
            Kind::Atom => "?atom",
            Kind::Ref => "?ref",
            Kind::Pid => "?pid",
            Kind::Tuple => "?tuple",
            Kind::Map => "?map",
            Kind::List => "?list",
            Kind::Cons => "?cons",
            Kind::Binary => "?binary",
            Kind::Fun => "?fun",
        }
    }
}
