//! A program given by a list of its steps, for tests of what no file of PARALLEL or flow shows: steps that
//! may not be real, steps that are cut off, crashes, endless waits, assumptions.

use super::Arguments;
use super::plan::CheckPlan;
use clap::Parser;
use selvedge_draw::Graph;
use selvedge_lang::{
    Confirmation, Expect, Program, ProgramSystem, Property, ShownRun, ShownStep, Suspicion, SystemOptions,
};
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;
use selvedge_ltl::{Formula, Letter};
use selvedge_model::{Budget, Counterexample, Cut, ProcessId, States, Steps, System, Word};

/// The number in arcs of steps that no process takes.
const NO_PROCESS: u32 = 9;

/// A program with one proposition, `p`, which holds in some nodes. Runs begin in node 0.
#[derive(Clone, Default)]
pub(crate) struct Toy {
    /// From, process, to.
    pub(crate) arcs: Vec<(u32, u32, u32)>,
    pub(crate) p: Vec<u32>,
    pub(crate) properties: Vec<Property<String>>,
    /// What the program says of runs; without it, steps are real.
    pub(crate) confirmation: Option<Confirmation>,
    /// The steps to this node are cut off.
    pub(crate) cut_off: Option<u32>,
    /// The step of this process to this node is a crash.
    pub(crate) crash: Option<(u32, u32)>,
    /// Process 1 waits for ever in this node.
    pub(crate) wait: Option<u32>,
    pub(crate) assumptions: Vec<String>,
}

impl Toy {
    pub(crate) fn new(arcs: &[(u32, u32, u32)], p: &[u32]) -> Toy {
        Toy { arcs: arcs.to_vec(), p: p.to_vec(), ..Toy::default() }
    }

    /// The arc of a step that no process takes.
    pub(crate) fn stutter(node: u32) -> (u32, u32, u32) {
        (node, NO_PROCESS, node)
    }

    pub(crate) fn with_property(mut self, text: &str, expect: Option<Expect>) -> Toy {
        let formula = self.formula(text).expect("a formula");
        self.properties.push(Property {
            name: "claim".to_owned(),
            span: Span::default(),
            formula,
            written: None,
            expect,
        });
        self
    }
}

#[derive(Parser)]
struct Command {
    #[command(flatten)]
    arguments: Arguments,
}

/// The plan of `selvedge check toy.erl` with these options.
pub(super) fn plan(options: &[&str]) -> CheckPlan {
    let arguments = Command::parse_from([&["check", "toy.erl"], options].concat()).arguments;
    CheckPlan::new(arguments).expect("a plan")
}

/// A run of one step, as a program shows one.
pub(crate) fn real_run() -> ShownRun {
    let step = |action: Option<&str>, node: &str| ShownStep {
        process: action.map(|_| "@0".to_owned()),
        place: action.map(|_| "other.erl:7".to_owned()),
        action: action.map(str::to_owned),
        state: vec![("node".to_owned(), node.to_owned())],
        ..ShownStep::default()
    };
    ShownRun {
        prefix: vec![step(None, "start"), step(Some("goes"), "goal")],
        cycle: vec![step(None, "goal")],
    }
}

impl Program for Toy {
    type Atom = String;
    type System = Toy;

    fn properties(&self) -> &[Property<String>] {
        &self.properties
    }

    fn formula(&self, text: &str) -> Result<Formula<String>, Vec<Diagnostic>> {
        Ok(text.parse().expect("a formula"))
    }

    fn system(&self, _atoms: &[String], options: SystemOptions) -> Result<Toy, Diagnostic> {
        let confirmation = self.confirmation.clone().filter(|_| !options.concrete);
        Ok(Toy { confirmation, ..self.clone() })
    }

    fn has_same_states(&self, _atoms: &[String], _options: SystemOptions) -> bool {
        true
    }

    fn confirm(
        &self,
        _system: &Toy,
        _run: &Counterexample<(u32, u32)>,
        _suspicion: Suspicion<'_, String>,
        _budget: Budget<'_>,
    ) -> Confirmation {
        self.confirmation.clone().expect("only runs that may not be real are asked about")
    }

    fn flow_graph_names(&self) -> Vec<&str> {
        Vec::new()
    }

    fn draw_flow_graph(&self, _index: usize) -> Graph {
        Graph::new("")
    }
}

impl ProgramSystem for Toy {
    const FORGOTTEN: Option<&'static str> = None;
    const IS_FASTER_IN_PARALLEL: bool = true;

    fn can_fail(&self) -> bool {
        true
    }

    fn assumptions(&self) -> Vec<String> {
        self.assumptions.clone()
    }
}

impl System for Toy {
    type Action = (u32, u32);

    fn words(&self) -> usize {
        1
    }

    fn processes(&self) -> usize {
        2
    }

    fn initial(&self, out: &mut States) {
        out.push(&[0]);
    }

    fn successors(&self, state: &[Word], out: &mut Steps<(u32, u32)>) {
        for (from, process, to) in &self.arcs {
            if u64::from(*from) == state[0] && self.cut_off != Some(*to) {
                out.push((*process, *to), state)[0] = u64::from(*to);
            }
        }
    }

    fn label(&self, state: &[Word]) -> Letter {
        Letter::exactly(u64::from(self.p.iter().any(|node| u64::from(*node) == state[0])))
    }

    fn process(&self, action: (u32, u32)) -> Option<ProcessId> {
        (action.0 != NO_PROCESS).then_some(ProcessId(action.0))
    }

    fn has_real_steps(&self) -> bool {
        self.confirmation.is_none()
    }

    fn first_cut(&self) -> Option<Cut> {
        let node = self.cut_off?;
        let text = format!("node {node} is too far away");
        Some(Cut { bound: "distance", file: None, line: Some(12), text })
    }

    fn is_cut(&self, state: &[Word]) -> bool {
        let is_cut = |arc: &(u32, u32, u32)| u64::from(arc.0) == state[0] && self.cut_off == Some(arc.2);
        self.arcs.iter().any(is_cut)
    }

    fn is_end(&self, _state: &[Word]) -> bool {
        false
    }

    fn crash(&self, action: (u32, u32)) -> Option<String> {
        (self.crash == Some(action)).then(|| format!("{} exits with badarith, line 3", action.0))
    }

    fn waits_for_ever(&self, state: &[Word]) -> Vec<(String, String)> {
        let is_here = self.wait.is_some_and(|node| u64::from(node) == state[0]);
        is_here.then(|| ("@1".to_owned(), "{reply, _}".to_owned())).into_iter().collect()
    }

    fn describe(&self, action: (u32, u32)) -> String {
        if action.0 == NO_PROCESS { "no process moves".to_owned() } else { format!("go to {}", action.1) }
    }

    fn show(&self, state: &[Word]) -> Vec<(String, String)> {
        vec![("node".to_owned(), state[0].to_string())]
    }
}
