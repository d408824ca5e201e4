//! Propositions about a state of flow graphs.

use crate::flow_graph::Term;
use crate::machine::Observed;
use selvedge_ltl::syntax::AtomText;
use std::fmt;

/// A proposition about a state. Its text is read back as the same proposition.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Atom {
    /// `at(i, name)`: the process is about to execute the statement; in flow, the node is what it executed
    /// last.
    At {
        /// The process's number, from 0.
        process: u32,
        /// The statement's number.
        statement: u32,
        /// As text.
        text: String,
    },
    /// `exec(i)`: the process moved last.
    Exec {
        /// The process's number, from 0.
        process: u32,
        /// As text.
        text: String,
    },
    /// A test of variables.
    Test {
        /// The test.
        test: Term,
        /// As text.
        text: String,
    },
    /// `enabled(i)`: the process can take a step.
    Enabled {
        /// The process's number, from 0.
        process: u32,
        /// As text.
        text: String,
    },
    /// `deadlock`: no process can take a step, and not all have ended.
    Deadlock,
    /// `ended`: all processes have ended.
    Ended,
}

impl Atom {
    /// The proposition as text.
    pub fn text(&self) -> &str {
        match self {
            Atom::At { text, .. }
            | Atom::Exec { text, .. }
            | Atom::Test { text, .. }
            | Atom::Enabled { text, .. } => text,
            Atom::Deadlock => "deadlock",
            Atom::Ended => "ended",
        }
    }

    /// What the label of a state has to contain.
    pub(crate) fn observed(&self) -> Observed {
        match self {
            Atom::At { process, statement, .. } => Observed::At(*process, *statement),
            Atom::Exec { process, .. } => Observed::Exec(*process),
            Atom::Test { test, .. } => Observed::Test(test.clone()),
            Atom::Enabled { process, .. } => Observed::Enabled(*process),
            Atom::Deadlock => Observed::Deadlock,
            Atom::Ended => Observed::Ended,
        }
    }
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl AtomText for Atom {
    fn write_atom(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.text())
    }

    fn is_comparison(&self) -> bool {
        // `b = true` reads as `b`.
        match self {
            Atom::Test { test: Term::Binary(_, _, right), .. } => **right != Term::Truth(true),
            _ => false,
        }
    }
}
