//! Laws as text, aligned by their relations as in Walker's thesis (Listing 70).

use super::{Comparison, Laws};
use crate::discover::signature::NO_INTERFERENCE;
use crate::discover::term::named::{NamedArgument, Relation, Statement, Term};
use std::fmt;

impl fmt::Display for Laws {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = &self.name {
            writeln!(f, "{name}")?;
        }
        let lefts: Vec<String> =
            self.laws.iter().map(|law| format!("{}{}", law.statement.prefix(), law.statement.left)).collect();
        let width = lefts.iter().map(|left| left.chars().count()).max().unwrap_or(0);
        for (law, left) in self.laws.iter().zip(lefts) {
            write!(f, "{left:>width$} {} {}", law.statement.relation, law.statement.right)?;
            let others: Vec<String> = law
                .under
                .iter()
                .filter(|(_, relation)| *relation != law.statement.relation)
                .map(|(interference, relation)| format!("{relation} under {interference}"))
                .map(|text| text.replace(&format!("under {NO_INTERFERENCE}"), NO_INTERFERENCE))
                .collect();
            if !others.is_empty() {
                write!(f, "  ({})", others.join(", "))?;
            }
            writeln!(f)?;
        }
        for note in &self.notes {
            writeln!(f, "  note: {note}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}\n{}", self.left, self.right, self.between)
    }
}

/// The statement with its variables numbered in the order of their appearance, and that of the same law
/// with its sides exchanged.
pub(crate) fn normal_forms(statement: &Statement) -> Vec<Statement> {
    let exchanged = Statement {
        left: statement.right.clone(),
        relation: statement.relation.reversed(),
        right: statement.left.clone(),
        ..statement.clone()
    };
    [statement, &exchanged].map(numbered).into()
}

fn numbered(statement: &Statement) -> Statement {
    let mut known = Vec::new();
    let [left, right] = [&statement.left, &statement.right].map(|term| numbered_term(term, &mut known));
    let when = statement.when.iter().map(|when| numbered_condition(when, &known)).collect();
    Statement { under: statement.under.clone(), when, left, relation: statement.relation, right }
}

fn numbered_condition(condition: &str, known: &[String]) -> String {
    let word = |word: &str| known.iter().position(|name| name == word).map(|number| format!("?{number}"));
    let words = condition.split_whitespace().map(|text| word(text).unwrap_or_else(|| text.to_owned()));
    words.collect::<Vec<_>>().join(" ")
}

fn numbered_term(term: &Term, known: &mut Vec<String>) -> Term {
    match term {
        Term::Call(name, arguments) => {
            let arguments = arguments.iter().map(|argument| numbered_argument(argument, known)).collect();
            Term::Call(name.clone(), arguments)
        }
        Term::Then(first, second) => {
            let first = numbered_term(first, known);
            Term::Then(first.into(), numbered_term(second, known).into())
        }
        Term::Bind(first, variable, second) => {
            let first = numbered_term(first, known);
            // A bound variable has a name that no other variable has.
            known.push(variable.clone());
            let place = known.len() - 1;
            let second = numbered_term(second, known);
            known[place] = String::new();
            Term::Bind(first.into(), format!("?{place}"), second.into())
        }
        Term::Beside(left, right) => {
            let left = numbered_term(left, known);
            Term::Beside(left.into(), numbered_term(right, known).into())
        }
    }
}

/// Words that are not variables are constants; both are numbered alike, except numbers.
fn numbered_argument(argument: &NamedArgument, known: &mut Vec<String>) -> NamedArgument {
    match argument {
        NamedArgument::Name(name) if name.starts_with(|first: char| first.is_alphabetic()) => {
            let place = known.iter().rposition(|other| other == name).unwrap_or_else(|| {
                known.push(name.clone());
                known.len() - 1
            });
            NamedArgument::Name(format!("?{place}"))
        }
        NamedArgument::Name(name) => NamedArgument::Name(name.clone()),
        NamedArgument::Apply(function, arguments) => {
            let arguments = arguments.iter().map(|argument| numbered_argument(argument, known)).collect();
            NamedArgument::Apply(function.clone(), arguments)
        }
    }
}

/// The relation of a law that holds under some interferences only is told for each.
impl Laws {
    /// A table of the relations: a line for each law, a column for `alone` and for each interference.
    #[must_use]
    pub fn table(&self) -> String {
        let Some(first) = self.laws.first() else { return String::new() };
        let columns: Vec<&str> = first.under.iter().map(|(name, _)| &**name).collect();
        let laws: Vec<String> = self
            .laws
            .iter()
            .map(|law| {
                format!("{}{}  ?  {}", law.statement.prefix(), law.statement.left, law.statement.right)
            })
            .collect();
        let width = laws.iter().map(|law| law.chars().count()).max().unwrap_or(0);
        let mut text = format!("{:width$}  {}\n", "", columns.join("  "));
        for (law, shown) in self.laws.iter().zip(laws) {
            text.push_str(&format!("{shown:width$}"));
            for ((_, relation), column) in law.under.iter().zip(&columns) {
                let width = column.chars().count();
                text.push_str(&format!("  {:width$}", Relation::sign(*relation)));
            }
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
        text
    }
}
