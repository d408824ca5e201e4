//! An Erlang program: a file and the modules that it uses, with its properties.

use super::code::Code;
use super::code::lower::{self, LoadedModule, Lowering};
use super::confirm::{AbstractRun, ConcreteFailures};
use super::declarations::{Declarations, DeclaredProperty, declarations, declared_functions};
use super::domain::{Domain, DomainText};
use super::evaluate::{Evaluator, Limits};
use super::formula::{self, Proposition, QuantifiedFormula};
use super::intern::Pids;
use super::library;
use super::options::{Delivery, ErlangOptions};
use super::ranges::{MAX_PROPOSITIONS, Ranges, WatchedPids};
use super::syntax::tree::{Module, NameArity};
use super::syntax::{self, Include, SourceMap};
use super::system::{Machine, Options};
use super::term::{Pid, Term, Terms, Value};
use crate::program::{Confirmation, Program, ProgramSystem, Property, Suspicion, SystemOptions};
use crate::read_options::{ReadOptions, SourceRequest};
use selvedge_draw::Graph;
use selvedge_ltl::diagnostic::{Diagnostic, Severity};
use selvedge_ltl::source::{Source, Span};
use selvedge_ltl::{Formula, Unary};
use selvedge_model::{Budget, Counterexample, System};
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// An Erlang program.
pub struct ErlangProgram {
    terms: Terms,
    code: Arc<Code>,
    /// The fun that the first process calls.
    main: Value,
    domain: Arc<Domain>,
    options: ErlangOptions,
    servers: Vec<u32>,
    sources: Arc<SourceMap>,
    /// The properties of the file, with their quantifiers and without.
    pub(super) declared: Arc<[DeclaredProperty]>,
    pub(super) properties: Vec<Property<Proposition>>,
    assumptions: Vec<String>,
    pub(super) ranges: Ranges,
    /// What a search with concrete values finds, made when the first failure under a domain is confirmed.
    pub(super) concrete_failures: OnceLock<ConcreteFailures>,
    /// Does a formula count steps? Then local steps do not merge.
    counts_steps: AtomicBool,
}

/// Reads a program.
pub fn read(source: &Source, options: &ReadOptions<'_>) -> (Option<ErlangProgram>, Vec<Diagnostic>) {
    let reader = Reader { options, sources: RefCell::default(), diagnostics: RefCell::default() };
    let program = reader.read(source);
    let sources = reader.sources.into_inner();
    let diagnostics = reader.diagnostics.into_inner();
    let has_errors = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    let local = diagnostics.iter().map(|diagnostic| in_its_file(&sources, diagnostic)).collect();
    (program.filter(|_| !has_errors), local)
}

/// The message with positions in its own file.
fn in_its_file(sources: &SourceMap, diagnostic: &Diagnostic) -> Diagnostic {
    if diagnostic.elsewhere.is_some() {
        return diagnostic.clone();
    }
    let main = sources.files().next().map(|source| source.name.clone());
    let (source, local) = sources.in_one_file(diagnostic);
    if main.as_deref() == Some(&*source.name) { local } else { local.elsewhere(Arc::new(source.clone())) }
}

struct Reader<'a> {
    options: &'a ReadOptions<'a>,
    sources: RefCell<SourceMap>,
    diagnostics: RefCell<Vec<Diagnostic>>,
}

impl Reader<'_> {
    fn read(&self, source: &Source) -> Option<ErlangProgram> {
        let module = self.parse(source.clone());
        let (module_name, main) = self.main(&module);
        let tree = match module_name {
            Some(name) if *name != *module.name.kind => self.module(&name)?,
            _ => module.clone(),
        };
        if !tree.functions().any(|function| *function.name.kind == *main && function.arity == 0) {
            let message = format!("there is no function `{main}/0` to begin with");
            let error = Diagnostic::error("erl::main", message, module.name.span, "")
                .help("name the first function with `--main f` or `--main m:f`");
            self.diagnostics.borrow_mut().push(error);
            return None;
        }
        // What `erlc` refuses is not lowered: the messages would be told twice.
        if self.has_errors() {
            return None;
        }
        let mut find = |name: &str| self.module(name);
        let (lowering, _) = lower::lower(tree.clone(), &main, Terms::new(), &mut find);
        self.diagnostics.borrow_mut().extend(lowering.diagnostics.iter().cloned());
        let servers = servers(&lowering);
        let assumptions = declared_assumptions(&lowering);
        let Lowering { mut terms, code, .. } = lowering;
        let (module_atom, name) = (terms.atom(&tree.name.kind), terms.atom(&main));
        let main = terms.intern(Term::External { module: module_atom, name, arity: 0 });
        let declarations = self.declarations(&module);
        let domain = self.domain(&declarations)?;
        let mut program = ErlangProgram {
            terms,
            code: Arc::new(code),
            main,
            domain: Arc::new(domain),
            options: self.options.erlang.clone(),
            servers,
            sources: Arc::new(self.sources.borrow().clone()),
            declared: declarations.properties.into(),
            properties: Vec::new(),
            assumptions,
            ranges: Ranges::default(),
            concrete_failures: OnceLock::new(),
            counts_steps: AtomicBool::new(false),
        };
        if !self.has_errors() {
            program.properties = self.properties(&program);
        }
        Some(program)
    }

    /// The module and name of the first function.
    fn main(&self, _module: &Module) -> (Option<String>, String) {
        match self.options.erlang.main.as_deref() {
            None => (None, "main".to_owned()),
            Some(text) => match text.split_once(':') {
                Some((module, name)) => (Some(module.to_owned()), name.to_owned()),
                None => (None, text.to_owned()),
            },
        }
    }

    fn parse(&self, source: Source) -> Module {
        let find_include = |include: &Include| {
            let request = if include.is_lib {
                SourceRequest::IncludeLib { path: &include.path, from: &include.from }
            } else {
                SourceRequest::Include { path: &include.path, from: &include.from }
            };
            self.options.finder.find(&request)
        };
        let defines = self.options.settings.iter();
        let defines = defines.map(|(name, value)| (name.clone(), value.to_string())).collect();
        let options = syntax::Options { defines, find_include: &find_include };
        let (module, mut diagnostics) = syntax::parse(source, &mut self.sources.borrow_mut(), &options);
        if diagnostics.iter().all(|diagnostic| diagnostic.severity != Severity::Error) {
            diagnostics.extend(syntax::lint::lint(&module));
        }
        self.diagnostics.borrow_mut().extend(diagnostics);
        module
    }

    /// Another module: one of ours, or one that the caller finds.
    fn module(&self, name: &str) -> Option<Module> {
        let source =
            library::find(name).or_else(|| self.options.finder.find(&SourceRequest::Module(name)).ok())?;
        Some(self.parse(source))
    }

    /// The product of the domains that the command line names; without any, those of the file.
    fn domain(&self, declarations: &Declarations) -> Option<Domain> {
        let mut texts: Vec<DomainText> =
            self.options.erlang.domains.iter().map(|text| DomainText::new("--domain", text)).collect();
        if texts.is_empty() {
            let sources = self.sources.borrow();
            texts =
                declarations.domains.iter().map(|(text, span)| domain_text(&sources, text, *span)).collect();
        }
        let find = |name: &str| self.options.finder.find(&SourceRequest::Domain(name));
        let (domain, diagnostics) = Domain::parse(&texts, &find);
        let diagnostics = diagnostics.into_iter();
        let diagnostics = diagnostics.map(|one| one.diagnostic.elsewhere(Arc::new(one.source)));
        self.diagnostics.borrow_mut().extend(diagnostics);
        domain
    }

    fn has_errors(&self) -> bool {
        self.diagnostics.borrow().iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    fn declarations(&self, module: &Module) -> Declarations {
        let (declarations, diagnostics) = declarations(module, &self.sources.borrow());
        self.diagnostics.borrow_mut().extend(diagnostics);
        declarations
    }

    fn properties(&self, program: &ErlangProgram) -> Vec<Property<Proposition>> {
        let mut properties = Vec::new();
        for DeclaredProperty { name, span, formula, expect, options, .. } in &*program.declared {
            if let Some(option) = options.first() {
                let message = "a property has no options beside its expected verdict";
                let error = Diagnostic::error("erl::property", message, option.span, "")
                    .help("fairness is an option of the command: `--fair weak`");
                self.diagnostics.borrow_mut().push(error);
            }
            match program.unfold(formula) {
                Ok(formula) => {
                    let name = name.to_string();
                    properties.push(Property { name, span: *span, formula, written: None, expect: *expect });
                }
                Err(diagnostic) => self.diagnostics.borrow_mut().push(diagnostic),
            }
        }
        properties
    }
}

/// A domain that a file names, with its place there; a text that is not written as it reads has none.
fn domain_text(sources: &SourceMap, text: &str, span: Span) -> DomainText {
    let (source, span) = sources.file(span);
    if source.text.get(span.range()) == Some(text) {
        DomainText { source: source.clone(), span }
    } else {
        DomainText::new("-domain", text)
    }
}

/// Has the formula an operator that tells a state from its repetition?
fn counts_steps(formula: &Formula<Proposition>) -> bool {
    let is_next = matches!(
        formula,
        Formula::Unary(Unary::Next | Unary::WeakNext | Unary::Previous | Unary::WeakPrevious, _)
    );
    is_next || formula.children().any(counts_steps)
}

/// The functions that `-server(f/n).` names.
fn servers(lowering: &Lowering<'_>) -> Vec<u32> {
    functions_of(lowering, "server").into_iter().map(|(_, id)| id).collect()
}

fn declared_assumptions(lowering: &Lowering<'_>) -> Vec<String> {
    let declared = functions_of(lowering, "terminating").into_iter();
    declared.map(|(name, _)| format!("{name} returns from every call, as `-terminating` says")).collect()
}

/// The functions that an attribute names, with their names.
fn functions_of(lowering: &Lowering<'_>, attribute: &str) -> Vec<(String, u32)> {
    let mut found = Vec::new();
    for (key, id) in &lowering.code.by_name {
        let (module, name) = (lowering.terms.name(key.0), lowering.terms.name(key.1));
        let is_declared = |loaded: &Arc<LoadedModule>| {
            let is_this = |other: &NameArity| (&*other.name, other.arity) == (name, key.2 as usize);
            *loaded.name == *module && declared_functions(&loaded.tree, attribute).iter().any(is_this)
        };
        if lowering.loaded().any(is_declared) {
            found.push((format!("{name}/{}", key.2), *id));
        }
    }
    found.sort_unstable();
    found
}

impl ErlangProgram {
    /// The formula over the pids that occur.
    pub(super) fn unfold(&self, formula: &QuantifiedFormula) -> Result<Formula<Proposition>, Diagnostic> {
        let unfolded = self.unfold_quantifiers(formula)?;
        if counts_steps(&unfolded) {
            self.counts_steps.store(true, Ordering::Relaxed);
        }
        Ok(unfolded)
    }

    /// The same program, its formulas over other ranges: without properties yet.
    pub(super) fn with_ranges(&self, ranges: Ranges) -> ErlangProgram {
        ErlangProgram {
            terms: self.terms.clone(),
            code: self.code.clone(),
            main: self.main,
            domain: self.domain.clone(),
            options: self.options.clone(),
            servers: self.servers.clone(),
            sources: self.sources.clone(),
            declared: self.declared.clone(),
            properties: Vec::new(),
            assumptions: self.assumptions.clone(),
            ranges,
            concrete_failures: OnceLock::new(),
            counts_steps: AtomicBool::new(false),
        }
    }

    /// The states and steps without labels.
    pub(super) fn machine_without_formulas(&self) -> Machine {
        let evaluator = self.evaluator(&[], false, false).expect("no propositions");
        self.machine(evaluator, Pids::MAX, WatchedPids::all(), false)
    }

    fn evaluator(
        &self,
        atoms: &[Proposition],
        is_concrete: bool,
        counts_steps: bool,
    ) -> Result<Evaluator, Diagnostic> {
        let limits = Limits { stack: self.options.max_stack, local: self.options.max_local };
        let mut evaluator =
            Evaluator::new(self.terms.clone(), self.code.clone(), self.domain.clone(), limits);
        evaluator.counts_steps = counts_steps;
        if let Some(most) = self.options.frames {
            evaluator.forget_frames_beyond(most, self.main);
        }
        for atom in atoms {
            let value = self.proposition(&mut evaluator, atom);
            if evaluator.abstraction(value) != value {
                return Err(self.inexact(atom));
            }
            evaluator.propositions.push(value);
        }
        if is_concrete {
            evaluator.evaluate_concretely();
        }
        Ok(evaluator)
    }

    fn inexact(&self, atom: &Proposition) -> Diagnostic {
        let message = format!("the domain cannot express `{atom}`: other values are abstracted to the same");
        let help = match &self.domain.integers {
            Some(integers) => {
                let names: Vec<&str> = integers.elements().map(|element| integers.name(element)).collect();
                format!("its integers are: {}", names.join(", "))
            }
            None => "use a proposition that the domain keeps".to_owned(),
        };
        Diagnostic::error("erl::inexact-proposition", message, Span::default(), "").help(help)
    }

    /// The term of a proposition; an atom that is the name of an abstract value stands for that value.
    fn proposition(&self, evaluator: &mut Evaluator, proposition: &Proposition) -> Value {
        let mut parts = |parts: &[Proposition]| -> Vec<Value> {
            parts.iter().map(|part| self.proposition(evaluator, part)).collect()
        };
        match proposition {
            Proposition::Atom(name) | Proposition::Abstract(name) => self.named(evaluator, name),
            Proposition::Integer(number) => evaluator.terms.integer(number.clone()),
            Proposition::Float(float) => evaluator.terms.intern(Term::Float((float.get() + 0.0).to_bits())),
            Proposition::Pid(pid) => evaluator.terms.pid(Pid(*pid)),
            Proposition::Tuple(elements) => {
                let elements = parts(elements);
                evaluator.terms.tuple(&elements)
            }
            Proposition::List(elements, tail) => {
                let elements = parts(elements);
                let tail = match tail {
                    Some(tail) => self.proposition(evaluator, tail),
                    None => evaluator.terms.intern(Term::Nil),
                };
                evaluator.terms.list(elements.into_iter(), tail)
            }
            Proposition::Map(pairs) => {
                let mut pairs: Vec<(Value, Value)> = pairs
                    .iter()
                    .map(|(key, value)| {
                        (self.proposition(evaluator, key), self.proposition(evaluator, value))
                    })
                    .collect();
                pairs.sort_by(|a, b| evaluator.terms.key_order(a.0, b.0));
                evaluator.terms.intern(Term::Map(pairs.into()))
            }
            Proposition::Binary(bytes) => evaluator.terms.intern(Term::Binary(bytes.as_slice().into())),
        }
    }

    fn named(&self, evaluator: &mut Evaluator, name: &str) -> Value {
        if let Some(element) = self.domain.integers.as_ref().and_then(|integers| integers.named(name)) {
            return evaluator.terms.intern(Term::Abstract(element));
        }
        if let Some(set) = self.domain.atoms.as_ref().and_then(|atoms| atoms.named(name)) {
            return evaluator.terms.intern(Term::Atoms(set));
        }
        if let Some(kind) = super::term::Kind::ALL.into_iter().find(|kind| kind.text() == name) {
            return evaluator.terms.top(kind);
        }
        let atom = evaluator.terms.atom(name);
        evaluator.terms.atom_value(atom)
    }

    fn machine(&self, evaluator: Evaluator, reserved: Pids, watched: WatchedPids, is_fair: bool) -> Machine {
        let options = Options {
            max_mailbox: self.options.max_mailbox,
            max_processes: self.options.max_processes.min(Pid::MAX_COUNT),
            long_timeout: self.options.long_timeout_ms,
            kills: self.options.crashes as u32,
            is_fifo: self.options.delivery == Delivery::Fifo,
            is_fair,
            normal: self.options.normal.clone(),
            servers: self.servers.clone(),
        };
        let mut machine =
            Machine::new(evaluator, self.main, options, (reserved, watched), self.sources.clone());
        machine.assumptions.clone_from(&self.assumptions);
        machine.assumptions.extend(self.domain.assumptions().iter().cloned());
        if self.domain.integers.is_some() && !machine.has_real_steps() {
            machine.assumptions.push("no integer has more than 4,194,303 bits".to_owned());
        }
        machine
    }
}

impl Program for ErlangProgram {
    type Atom = Proposition;
    type System = Machine;

    fn properties(&self) -> &[Property<Proposition>] {
        &self.properties
    }

    fn formula(&self, text: &str) -> Result<Formula<Proposition>, Vec<Diagnostic>> {
        let formula = formula::parse(text, Span::new(0, text.len()))?;
        self.unfold(&formula).map_err(|diagnostic| vec![diagnostic])
    }

    fn system(&self, atoms: &[Proposition], options: SystemOptions) -> Result<Machine, Diagnostic> {
        if atoms.len() > MAX_PROPOSITIONS {
            let count = atoms.len();
            let message =
                format!("a formula has at most {MAX_PROPOSITIONS} propositions, and this one has {count}");
            return Err(Diagnostic::error("erl::too-many-propositions", message, Span::default(), ""));
        }
        let counts_steps = options.exact || self.counts_steps.load(Ordering::Relaxed);
        let evaluator = self.evaluator(atoms, options.concrete, counts_steps)?;
        let mut mentioned = std::collections::BTreeSet::new();
        atoms.iter().for_each(|atom| atom.collect_pids(&mut mentioned));
        let reserved = mentioned.into_iter().fold(0, |pids: Pids, pid| pids | Pid(pid).bit());
        Ok(self.machine(evaluator, reserved, self.ranges.watched(), options.fair))
    }

    fn has_same_states(&self, atoms: &[Proposition], _options: SystemOptions) -> bool {
        atoms.is_empty()
    }

    fn confirm(
        &self,
        system: &Machine,
        run: &Counterexample<super::system::Action>,
        suspicion: Suspicion<'_, Proposition>,
        budget: Budget<'_>,
    ) -> Confirmation {
        self.confirm_concretely(&AbstractRun { system, run }, &suspicion, budget)
    }

    fn instances(&self, formula: &Formula<Proposition>) -> Vec<(String, Formula<Proposition>)> {
        self.ranges.instances(formula)
    }

    fn wider(&self) -> Option<ErlangProgram> {
        self.with_wider_ranges()
    }

    fn flow_graph_names(&self) -> Vec<&str> {
        Vec::new()
    }

    fn draw_flow_graph(&self, index: usize) -> Graph {
        unreachable!("an Erlang program has no flow graph {index}")
    }
}

impl ProgramSystem for Machine {
    const FORGOTTEN: Option<&'static str> = None;
    const IS_FASTER_IN_PARALLEL: bool = false;

    fn can_fail(&self) -> bool {
        true
    }

    fn assumptions(&self) -> Vec<String> {
        let mut assumptions = self.assumptions.clone();
        assumptions.extend(self.long_timeout_assumption());
        assumptions
    }
}
