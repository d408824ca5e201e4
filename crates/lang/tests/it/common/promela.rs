//! Generated programs and formulas as Promela, a step for a step; and Debian's `spin`, which checks them.
//!
//! `null` and the undefined are one value, since no test distinguishes them. Each occurrence of a user
//! statement has a label, so that `at` is a test of labels. `exec` has no counterpart, and a process of SPIN
//! ends with an extra step: so formulas have to be stutter-invariant.

use super::formulas::Observation;
use super::generate::{Block, Generated, Statement, Test, VARIABLES, Value};
use selvedge_ltl::Formula;
use selvedge_ltl::syntax::Dialect;
use std::cell::RefCell;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The number that stands for `null`.
const NULL: u64 = 3;

/// A test that holds, but not by SPIN's constant folding: SPIN refuses a loop that evidently does nothing.
const TRUE: &str = "x == x";

/// A test that never holds, but not by SPIN's constant folding.
const NOWHERE: &str = "(x == 9)";

/// The depth of SPIN's search; if that is not enough, the second one. A deeper stack takes longer to set up
/// than these searches take.
const DEPTHS: [usize; 2] = [10_000, 1_000_000];

/// Formulas that SPIN's translator takes longer for are left out.
const MAX_TRANSLATION: Duration = Duration::from_millis(1500);

/// A program with its formulas, to be written as Promela.
struct Writer {
    text: String,
    /// Labels so far: the process, the statement, the label.
    labels: Vec<(usize, String, String)>,
}

/// The program, with the formulas as `f0`, `f1` and so on.
pub(crate) fn promela(program: &Generated, formulas: &[Formula<Observation>]) -> String {
    // What is hidden is no part of a state.
    let mut writer = Writer { text: "hidden byte kept;\n".to_owned(), labels: Vec::new() };
    for (index, name) in VARIABLES.iter().enumerate() {
        let value = program.initial.get(index).copied().unwrap_or(NULL);
        writeln!(writer.text, "byte {name} = {value};").expect("a string");
    }
    for (process, block) in (1..).zip(&program.processes) {
        let body = writer.block(process, block);
        // A process that does nothing still needs a statement.
        let body = if body.is_empty() { "skip" } else { &body };
        writeln!(writer.text, "active proctype p{process}() {{ {body} }}").expect("a string");
    }
    for (number, formula) in formulas.iter().enumerate() {
        let formula = formula.for_tool(Dialect::Spin, &|observation| writer.observation(observation));
        writeln!(writer.text, "ltl f{number} {{ {} }}", formula.expect("only the future")).expect("a string");
    }
    writer.text
}

impl Writer {
    /// The statements except `skip`, which is no step.
    fn block(&mut self, process: usize, block: &Block) -> String {
        let parts = block.statements.iter().map(|statement| self.statement(process, statement));
        let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
        parts.join("; ")
    }

    fn statement(&mut self, process: usize, statement: &Statement) -> String {
        match statement {
            Statement::Skip => String::new(),
            Statement::Assign(variable, right) => format!("{} = {}", VARIABLES[*variable], value(*right)),
            Statement::User(number) => format!("{}: true", self.label(process, format!("u{number}"))),
            Statement::Looping(number) => {
                let label = self.label(process, format!("l{number}"));
                format!("{label}: do :: {TRUE} :: true -> break od")
            }
            Statement::Await(test) => equal(*test),
            Statement::If(test, body) => {
                format!("if :: {} :: else fi", guarded(&equal(*test), &self.block(process, body)))
            }
            Statement::While(test, body) => {
                format!("do :: {} :: else -> break od", guarded(&equal(*test), &self.block(process, body)))
            }
            Statement::Repeat(body) => format!("do :: {} od", guarded(TRUE, &self.block(process, body))),
            Statement::Group(body) => self.block(process, body),
            Statement::Swap(left, right) => {
                let (left, right) = (VARIABLES[*left], VARIABLES[*right]);
                // The `if` makes it a target of `break`.
                format!("if :: d_step {{ kept = {left}; {left} = {right}; {right} = kept }} fi")
            }
            Statement::Choose(branches, otherwise) => {
                let mut options = String::new();
                for (test, body) in branches {
                    let body = self.block(process, body);
                    write!(options, " :: {}", guarded(&equal(*test), &body)).expect("a string");
                }
                if let Some(body) = otherwise {
                    let body = self.block(process, body);
                    write!(options, " :: {}", guarded("else", &body)).expect("a string");
                }
                format!("if{options} fi")
            }
        }
    }

    fn label(&mut self, process: usize, name: String) -> String {
        let label = format!("{name}_{}", self.labels.len());
        self.labels.push((process, name, label.clone()));
        label
    }

    fn observation(&self, observation: &Observation) -> String {
        match observation {
            Observation::Exec(_) => panic!("`exec` has no counterpart"),
            Observation::Equal(test) => equal(*test),
            Observation::At(process, name) => {
                let here = self.labels.iter().filter(|(p, n, _)| (p, n.as_str()) == (process, name));
                let places: Vec<String> = here.map(|(_, _, label)| format!("(p{process}@{label})")).collect();
                if places.is_empty() { NOWHERE.to_owned() } else { format!("({})", places.join(" || ")) }
            }
        }
    }
}

fn guarded(guard: &str, body: &str) -> String {
    if body.is_empty() { guard.to_owned() } else { format!("{guard} -> {body}") }
}

fn equal((left, right): Test) -> String {
    format!("({} == {})", value(left), value(right))
}

fn value(value: Value) -> String {
    match value {
        Value::Null => NULL.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Variable(variable) => VARIABLES[variable].to_owned(),
    }
}

/// A verifier that SPIN generated from a text, in its own folder, which is removed with it.
pub(crate) struct Pan {
    folder: PathBuf,
}

impl Pan {
    /// Generates and compiles it; errors fail the test.
    pub(crate) fn new(folder: PathBuf, text: &str) -> Pan {
        fs::create_dir_all(&folder).expect("a folder");
        let pan = Pan { folder };
        fs::write(pan.folder.join("model.pml"), text).expect("a file");
        run(Command::new("spin").args(["-a", "model.pml"]), &pan.folder, text);
        // Compiling takes longer than searching, so the compiler does not optimise.
        run(Command::new("cc").args(["-O0", "-w", "-DNOREDUCE", "-o", "pan", "pan.c"]), &pan.folder, text);
        pan
    }

    /// SPIN's verdict on the formula of this number: does it hold of every run, or of every weakly fair
    /// run? `None` if its search was cut short.
    pub(crate) fn holds(&self, number: usize, is_fair: bool) -> Option<bool> {
        DEPTHS.iter().find_map(|depth| self.search(number, is_fair, *depth))
    }

    /// The verdict of a search of this depth; `None` if it was not deep enough.
    fn search(&self, number: usize, is_fair: bool, depth: usize) -> Option<bool> {
        let mut command = Command::new(self.folder.join("pan"));
        command.args(["-a", "-w16", &format!("-m{depth}"), "-N", &format!("f{number}")]);
        command.args(is_fair.then_some("-f"));
        let output = run(&mut command, &self.folder, "");
        let after = output.split_once("errors: ").unwrap_or_else(|| panic!("pan says {output}")).1;
        if after.split_whitespace().next() != Some("0") {
            return Some(false);
        }
        let is_cut = output.contains("max search depth") || depth_reached(&output) >= depth - 1;
        assert!(is_cut || !output.contains("not completed"), "pan gives up: {output}");
        (!is_cut).then_some(true)
    }
}

/// Does SPIN translate the negated formula to an automaton within [`MAX_TRANSLATION`]?
pub(crate) fn is_translated(formula: &Formula<Observation>) -> bool {
    let names = RefCell::new(Vec::new());
    let name = |observation: &Observation| {
        let mut names = names.borrow_mut();
        let text = observation.selvedge();
        let known = names.iter().position(|name| *name == text);
        let index = known.unwrap_or_else(|| {
            names.push(text);
            names.len() - 1
        });
        format!("p{index}")
    };
    let text = format!("!({})", formula.for_tool(Dialect::Spin, &name).expect("only the future"));
    let mut command = Command::new("spin");
    let child = command.args(["-f", &text]).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut child = child.expect("spin is installed");
    let start = Instant::now();
    while start.elapsed() < MAX_TRANSLATION {
        if let Some(status) = child.try_wait().expect("a child") {
            return status.success();
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().expect("a child that runs");
    child.wait().expect("a child that was ended");
    false
}

/// The depth that SPIN's search reports.
fn depth_reached(output: &str) -> usize {
    let after = output.split_once("depth reached ").unwrap_or_else(|| panic!("pan says {output}")).1;
    let digits = after.split(|c: char| !c.is_ascii_digit()).next();
    digits.and_then(|digits| digits.parse().ok()).unwrap_or_else(|| panic!("pan says {output}"))
}

impl Drop for Pan {
    fn drop(&mut self) {
        // A folder that could not be removed is overwritten by the next run.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn run(command: &mut Command, folder: &Path, text: &str) -> String {
    let output = command.current_dir(folder).output();
    let output = output.unwrap_or_else(|error| {
        panic!("{command:?} cannot be run ({error}): install SPIN and a C compiler (Debian: apt install spin gcc)")
    });
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?} fails: {printed}{complaints}\n{text}");
    printed + &complaints
}
