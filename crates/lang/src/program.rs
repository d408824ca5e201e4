//! What a command needs of a program, whichever language it is written in.
//!
//! A front end turns the text of a file into a [`Program`]: properties, a reader of further formulas, and,
//! for a list of propositions, a [`System`](selvedge_model::System) whose states are labelled with them.
//! Propositions and systems are associated types, so a language has its own representation of states and its
//! own atoms, and the searches are compiled for each. A command that works for every language is a
//! [`ProgramVisitor`](crate::ProgramVisitor).
//!
//! Promise: two programs made from the same text give the same systems, with their steps in the same order.

use crate::inspect::Inspector;
use crate::shown_run::ShownRun;
use selvedge_draw::Graph;
use selvedge_ltl::Formula;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;
use selvedge_ltl::syntax::AtomText;
use selvedge_model::{Budget, Counterexample, Fairness, System, Word};
use std::fmt::{Debug, Display};
use std::hash::Hash;

/// A file that was understood.
pub trait Program: 'static {
    /// A proposition about a state. Its text is read back by [`formula`](Program::formula).
    type Atom: AtomText + Clone + Debug + Display + Eq + Hash + Ord;

    /// The states and steps.
    type System: ProgramSystem;

    /// The file's properties, in its order.
    fn properties(&self) -> &[Property<Self::Atom>];

    /// Reads a formula about this program that is not part of its file; spans are places in `text`.
    fn formula(&self, text: &str) -> Result<Formula<Self::Atom>, Vec<Diagnostic>>;

    /// The text of a formula in one line, if it has definitions or quantifiers, which
    /// [`formula`](Program::formula) unfolds.
    fn written(&self, _text: &str) -> Option<String> {
        None
    }

    /// The states and steps, labelled with these propositions: the first is number 0 in a label.
    ///
    /// Refuses more propositions than a label has room for.
    fn system(&self, atoms: &[Self::Atom], options: SystemOptions) -> Result<Self::System, Diagnostic>;

    /// Has the [system](Program::system) with these propositions the same states as the system with none?
    ///
    /// If so, one search decides all properties over such propositions.
    fn has_same_states(&self, atoms: &[Self::Atom], options: SystemOptions) -> bool;

    /// Has the program a run that shows what this run of its system does? Asked where the system's
    /// [steps may not be real](System::has_real_steps).
    ///
    /// A search for such a run keeps the budget. The default has no other steps than the system's.
    fn confirm(
        &self,
        _system: &Self::System,
        _run: &Counterexample<<Self::System as System>::Action>,
        _suspicion: Suspicion<'_, Self::Atom>,
        _budget: Budget<'_>,
    ) -> Confirmation {
        Confirmation::Unknown("the program has no other steps than these".to_owned())
    }

    /// The instances of a formula that [`formula`](Program::formula) or a property has unfolded from one
    /// with quantifiers, each with its choice of processes (`i = @1, j = @2`): the formula is their
    /// conjunction. Empty for other formulas.
    fn instances(&self, _formula: &Formula<Self::Atom>) -> Vec<(String, Formula<Self::Atom>)> {
        Vec::new()
    }

    /// The program with its formulas over more processes, if searches met processes that their quantifiers
    /// do not range over: the formulas must be searched again.
    fn wider(&self) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }

    /// The names of the flow graphs, in the order of the file: the processes, if each has its own text; none
    /// if the language has no flow graphs.
    fn flow_graph_names(&self) -> Vec<&str>;

    /// Draws the flow graph that has this place in [`flow_graph_names`](Program::flow_graph_names).
    fn draw_flow_graph(&self, index: usize) -> Graph;

    /// What a debugger shows beyond the steps of the system, if the language has it.
    fn inspector(&self) -> Option<&dyn Inspector<Self::System>> {
        None
    }
}

/// The states and steps of a program, with what a command says about them beyond [`System`].
pub trait ProgramSystem: System {
    /// The text that [`System::show`] has in place of a value that no later step reads; `None` if all values
    /// are shown.
    const FORGOTTEN: Option<&'static str>;

    /// Do several workers make steps faster than one? Not where they wait for tables that they share.
    const IS_FASTER_IN_PARALLEL: bool;

    /// Can a run end in a run-time error, or a process crash?
    fn can_fail(&self) -> bool;

    /// Makes states equal that differ only in the process that moved last, if states have that.
    fn forget_last_mover(&self, _state: &mut [Word]) {}

    /// The assumptions under which the answers of a search of this system are true, asked after the search:
    /// `f/1 terminates`.
    fn assumptions(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Which states are distinguished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SystemOptions {
    /// States exactly as in the semantics of the language: the process that moved last is always part of a
    /// state, and an undefined variable is not null. Otherwise states that no property at hand distinguishes
    /// may be one state: the values of dead variables are forgotten.
    pub exact: bool,
    /// The real steps, even if the program was read under an abstract domain.
    pub concrete: bool,
    /// The system is asked for fair runs: each process has a number for which fairness is kept.
    pub fair: bool,
}

/// A named formula.
#[derive(Clone, Debug)]
pub struct Property<A> {
    /// Its name.
    pub name: String,
    /// The place of its formula.
    pub span: Span,
    /// The formula, definitions unfolded.
    pub formula: Formula<A>,
    /// The text of the formula, if it has definitions or quantifiers, which `formula` has unfolded.
    pub written: Option<String>,
    /// The verdict that the file expects.
    pub expect: Option<Expect>,
}

impl<A: AtomText> Property<A> {
    /// The formula as it is written, in one line.
    pub fn text(&self) -> String {
        self.written.clone().unwrap_or_else(|| self.formula.to_string())
    }
}

/// What a run seems to show, if its steps are real.
#[derive(Clone, Copy, Debug)]
pub enum Suspicion<'a, A> {
    /// It violates this formula; only fair runs count.
    Violation {
        /// The formula.
        formula: &'a Formula<A>,
        /// The runs that count.
        fairness: Fairness,
    },
    /// It ends in a deadlock.
    Deadlock,
    /// It ends in this run-time error.
    Error(&'a str),
    /// Its last step is this crash.
    Crash(&'a str),
    /// This process waits for ever in its last state.
    WaitsForEver(&'a str),
}

/// Whether the program has a run that shows the same.
#[derive(Clone, Debug)]
pub enum Confirmation {
    /// It has this one.
    Real {
        /// The run.
        run: ShownRun,
        /// Does it take the steps of the run that was asked about, or others?
        follows: bool,
    },
    /// No run of the program takes these steps, and a search of its real steps found no other run, as far as
    /// it came.
    Spurious {
        /// Was that search complete? Then no run of the program shows what this one seems to show.
        is_refuted: bool,
    },
    /// Not known, for this reason.
    Unknown(String),
}

/// The verdict that a property is expected to get.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expect {
    /// `expect holds`
    Holds,
    /// `expect violated`
    Violated,
    /// `expect may-be-violated`
    MayBeViolated,
}
