//! PARALLEL: shared memory, processes, and statements of which each is one step.
//!
//! The language of José Meseguer's lecture on the verification of concurrent imperative programs (Program Verification, Lecture 25),
//! with its constructs and its granularity: one rewrite rule is one step. Beyond it, what models need: arithmetic and
//! comparisons, `else`, arrays, locals, families of processes, constants, `await`, `choose`, `atomic`, `assert`, `print` and channels.
//!
//! ```text
//! file      = { declaration }
//! declaration = "memory" variable { "," variable } ";"
//!           | "const" name "=" expression { "," name "=" expression } ";"
//!           | "channel" name "[" expression "]" { "," .. } ";"
//!           | [ "looping" ] "statement" name { "," name } ";"
//!           | "define" name [ "(" name { "," name } ")" ] "=" formula [ ";" ]
//!           | "process" id ":" { "local" variable { "," variable } ";" } statements
//!           | "property" name ":" formula [ "expect" ( "holds" | "violated" ) ]
//! variable  = name [ "[" expression "]" ] [ "=" expression ]
//! id        = number | name | name "(" name ")" "for" name "in" expression ".." expression
//! statements = statement { ";" statement } [ ";" ]
//! statement = "skip" | place ":=" expression | name | "(" statements ")"
//!           | "if" test "then" statements [ "else" statements ] "fi"
//!           | "while" test "do" statements "od" | "repeat" statements "forever"
//!           | "await" test | "choose" statements { "|" statements } "end" | "atomic" statements "end"
//!           | "assert" test | "print" printed { "," printed }
//!           | "send" name "," expression | "receive" name "," place
//! place     = name [ "[" expression "]" ]
//! ```
//!
//! Expressions have `+ - * / %`, comparisons `= != < <= > >=`, `and`, `or`, `not`, `true`, `false`, `null`. Comments run
//! from `//` to the end of the line. Formulas have `forall i in 1..3: formula` and `exists ..` too. A formula ends at `expect`, at `;`, or where a line begins with a declaration.
//!
//! Promise: a text of any kind gives a program or messages, never a panic; what is not understood is refused.

pub(crate) mod ast;
pub(crate) mod build;
pub(crate) mod compile;
pub(crate) mod expression;
pub(crate) mod formula;
pub(crate) mod parse;
pub(crate) mod quantifier;
pub(crate) mod resolve;
pub(crate) mod statement;
pub(crate) mod token;
pub(crate) mod unfold;

pub use build::{MAX_LENGTH, MAX_PROCESSES, parse, parse_with};
pub use compile::MAX_NODES;
pub use parse::{MAX_DIAGNOSTICS, MAX_NESTING};
pub use quantifier::MAX_RANGE;
pub use unfold::MAX_FORMULA;

use crate::flow::{FlowGraph, FlowProgram, Term};
use crate::machine::{Domains, Machine, Observed, Options, infer};
use formula::Definitions;
use resolve::{Resolver, Scope, Unknown};
use selvedge_ltl::Formula;
use selvedge_ltl::diagnostic::{Diagnostic, Severity};
use selvedge_ltl::source::Span;
use selvedge_ltl::syntax::AtomText;
use std::fmt;
use std::sync::{Arc, OnceLock};
use unfold::{Environment, Unfolder};

/// What a property is expected to turn out as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expect {
    /// `expect holds`
    Holds,
    /// `expect violated`
    Violated,
}

/// A named formula of a file.
#[derive(Clone, Debug)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// Where its formula stands.
    pub span: Span,
    /// The formula, definitions unfolded.
    pub formula: Formula<Atom>,
    /// The verdict that the file foresees.
    pub expect: Option<Expect>,
}

/// A proposition about a state. Its text is how it is read back.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Atom {
    /// `at(i, name)`: the process is about to execute the statement; in flow, the node is what it executed last.
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
}

impl Atom {
    /// The proposition as text.
    pub fn text(&self) -> &str {
        match self {
            Atom::At { text, .. } | Atom::Exec { text, .. } | Atom::Test { text, .. } => text,
        }
    }

    fn observed(&self) -> Observed {
        match self {
            Atom::At { process, statement, .. } => Observed::At(*process, *statement),
            Atom::Exec { process, .. } => Observed::Exec(*process),
            Atom::Test { test, .. } => Observed::Test(test.clone()),
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
        matches!(self, Atom::Test { test: Term::Binary(..), .. })
    }
}

/// A file that was understood, in PARALLEL or in flow.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) scope: Scope,
    pub(crate) definitions: Definitions,
    pub(crate) flow: Arc<FlowProgram>,
    pub(crate) properties: Vec<Property>,
    pub(crate) hyphenated: Vec<String>,
    pub(crate) line_starts: Vec<usize>,
    /// The values of the variables, found out when the first system is made; all others use them too.
    pub(crate) domains: OnceLock<Domains>,
}

/// The states and steps of a PARALLEL program.
pub type ParallelSystem = Machine;

impl Program {
    /// The processes' names, in the order of the file.
    pub fn processes(&self) -> impl Iterator<Item = &str> {
        self.flow.graphs.iter().map(|graph| graph.name.as_str())
    }

    /// The file's properties, in its order.
    pub fn properties(&self) -> &[Property] {
        &self.properties
    }

    /// One flow graph a process, for drawing.
    pub fn flow_graphs(&self) -> &[FlowGraph] {
        &self.flow.graphs
    }

    /// Variables, channels and graphs.
    pub fn flow(&self) -> &FlowProgram {
        &self.flow
    }

    /// A formula about this program that stands outside of its file; spans are those of `text`.
    pub fn formula(&self, text: &str) -> Result<Formula<Atom>, Vec<Diagnostic>> {
        let mut diagnostics = Vec::new();
        let hyphenated = self.hyphenated.iter().map(String::as_str).collect();
        let knows = |word: &str| self.knows(word);
        let raw = formula::read(text, Span::new(0, text.len()), &hyphenated, &knows, &mut diagnostics);
        let mut scope = self.scope.clone();
        let unfolded =
            unfold((&raw, Span::new(0, text.len())), &mut scope, &self.definitions, &mut diagnostics);
        let failed = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
        if self.scope.nodes.is_some() {
            crate::flowlang::recode(&mut diagnostics);
        }
        if failed { Err(diagnostics) } else { Ok(unfolded) }
    }

    fn knows(&self, word: &str) -> bool {
        self.scope.knows(word) || self.definitions.contains_key(word)
    }

    /// The program's states and steps, labelled with these propositions, of which there may be 64.
    pub fn system(&self, atoms: &[Atom], options: Options) -> Result<ParallelSystem, Diagnostic> {
        let observed: Vec<Observed> = atoms.iter().map(Atom::observed).collect();
        let domains = self.domains.get_or_init(|| infer(&self.flow));
        Machine::new((self.flow.clone(), domains), &observed, options, self.line_starts.clone())
    }
}

impl Program {
    /// Has the [system](Program::system) with these propositions the same states as the one with none?
    ///
    /// If so, one search serves all who ask for such propositions.
    pub fn leaves_states(&self, atoms: &[Atom], options: Options) -> bool {
        let observed: Vec<Observed> = atoms.iter().map(Atom::observed).collect();
        crate::machine::leaves_states(&self.flow, &observed, options)
    }
}

/// The formula with its names looked up.
fn unfold(
    (raw, place): (&Formula<formula::Raw>, Span),
    scope: &mut Scope,
    definitions: &Definitions,
    diagnostics: &mut Vec<Diagnostic>,
) -> Formula<Atom> {
    let resolver = Resolver { scope, diagnostics, unknown: Unknown::Refuse, process: None, parameter: None };
    let mut unfolder = Unfolder { resolver, definitions, stack: Vec::new(), place, size: 0, failed: false };
    unfolder.unfold(raw, &Environment::default())
}
