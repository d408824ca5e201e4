//! From the syntax tree to code: functions that can be reached from the first one, and no others.
//!
//! A function is lowered when something refers to it, so what is not supported is an error only where it
//! can be reached. Where a call's function is known at run time alone, the exported functions of all
//! modules count as reachable; a construct that is not supported is then a node that ends evaluation with
//! a limit.

mod comprehension;
mod expression;
mod pattern;
mod record;
mod scope;

use super::bif::Bif;
use super::{Code, Function, FunctionId, FunctionKey, Node, NodeId, Operation, live, termination};
use crate::erlang::declarations::declared_functions;
use crate::erlang::syntax::tree::{self, FormKind, Module, Name, NameArity};
use crate::erlang::term::{Atom, Term, Terms, Value};
use rustc_hash::FxHashMap;
use scope::Scope;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;
use std::sync::Arc;

/// Finds and parses a module by its name; diagnostics of its text are the finder's business.
pub(crate) type FindModule<'a> = &'a mut dyn FnMut(&str) -> Option<Module>;

/// What lowering works on.
pub(crate) struct Lowering<'a> {
    pub(crate) terms: Terms,
    pub(crate) code: Code,
    pub(crate) diagnostics: Vec<Diagnostic>,
    find_module: FindModule<'a>,
    modules: FxHashMap<Name, Option<Arc<LoadedModule>>>,
    /// The functions that are referred to and not lowered yet.
    queue: Vec<(FunctionKey, FunctionId)>,
    scopes: Vec<Scope>,
    module: Arc<LoadedModule>,
    /// The name of the function that is lowered, for those inside of it.
    name: String,
    /// Is the function reached by names in the text alone?
    is_static: bool,
    /// Is there a call whose function is known at run time alone?
    has_dynamic_calls: bool,
}

/// A module with its tables of names.
pub(crate) struct LoadedModule {
    pub(crate) name: Name,
    functions: FxHashMap<(Name, usize), tree::Function>,
    imports: FxHashMap<(Name, usize), Name>,
    records: FxHashMap<Name, tree::RecordDefinition>,
    exports: Vec<NameArity>,
    pub(crate) tree: Module,
}

impl LoadedModule {
    fn new(module: Module) -> LoadedModule {
        let mut loaded = LoadedModule {
            name: module.name.kind.clone(),
            functions: FxHashMap::default(),
            imports: FxHashMap::default(),
            records: FxHashMap::default(),
            exports: Vec::new(),
            tree: module,
        };
        for form in &loaded.tree.forms {
            match &form.kind {
                FormKind::Function(function) => {
                    let key = (function.name.kind.clone(), function.arity);
                    loaded.functions.insert(key, function.clone());
                }
                FormKind::Import { module, functions } => {
                    for function in functions {
                        let key = (function.kind.name.clone(), function.kind.arity);
                        loaded.imports.insert(key, module.clone());
                    }
                }
                FormKind::Record(record) => {
                    loaded.records.insert(record.name.kind.clone(), record.clone());
                }
                FormKind::Export(functions) => {
                    loaded.exports.extend(functions.iter().map(|function| function.kind.clone()));
                }
                _ => {}
            }
        }
        loaded
    }

    /// Has the module a function of this name and arity?
    pub(crate) fn defines(&self, name: &str, arity: usize) -> bool {
        self.functions.contains_key(&(Name::from(name), arity))
    }
}

/// Lowers the function `main` of a module, and all that can be reached from it.
pub(crate) fn lower<'a>(
    module: Module,
    main: &str,
    terms: Terms,
    find_module: FindModule<'a>,
) -> (Lowering<'a>, Option<FunctionId>) {
    let module = Arc::new(LoadedModule::new(module));
    let mut lowering = Lowering {
        terms,
        code: Code::default(),
        diagnostics: Vec::new(),
        find_module,
        modules: FxHashMap::from_iter([(module.name.clone(), Some(module.clone()))]),
        queue: Vec::new(),
        scopes: Vec::new(),
        module: module.clone(),
        name: String::new(),
        is_static: true,
        has_dynamic_calls: false,
    };
    // The node after which nothing is live.
    lowering.code.push(Span::default(), Node::Value(Value::DEAD));
    let main = lowering.reference(&module.name, main, 0);
    lowering.lower_queue();
    if lowering.has_dynamic_calls {
        lowering.lower_exports();
    }
    for function in 0..lowering.code.functions.len() {
        live::analyse(&mut lowering.code, function as FunctionId);
    }
    lowering.code.live_after.resize(lowering.code.nodes.len(), Box::default());
    let declared = lowering.declared_terminating();
    termination::analyse(&mut lowering.code, &declared);
    (lowering, main)
}

impl Lowering<'_> {
    /// The loaded modules.
    pub(crate) fn loaded(&self) -> impl Iterator<Item = &Arc<LoadedModule>> {
        self.modules.values().flatten()
    }

    /// The functions that `-terminating(f/n).` names.
    fn declared_terminating(&mut self) -> Vec<FunctionId> {
        let modules: Vec<Arc<LoadedModule>> = self.loaded().cloned().collect();
        let mut declared = Vec::new();
        for module in modules {
            for name in declared_functions(&module.tree, "terminating") {
                let key = self.key(&module.name, &name.name, name.arity);
                declared.extend(self.code.by_name.get(&key));
            }
        }
        declared
    }

    fn key(&mut self, module: &str, name: &str, arity: usize) -> FunctionKey {
        (self.terms.atom(module), self.terms.atom(name), arity as u32)
    }

    fn load(&mut self, name: &str) -> Option<Arc<LoadedModule>> {
        if let Some(known) = self.modules.get(name) {
            return known.clone();
        }
        let loaded = (self.find_module)(name).map(|module| Arc::new(LoadedModule::new(module)));
        self.modules.insert(name.into(), loaded.clone());
        loaded
    }

    /// The number of a function that the text refers to; it is lowered later.
    fn reference(&mut self, module: &str, name: &str, arity: usize) -> Option<FunctionId> {
        let key = self.key(module, name, arity);
        if let Some(known) = self.code.by_name.get(&key) {
            return Some(*known);
        }
        let loaded = self.load(module)?;
        if !loaded.defines(name, arity) {
            return None;
        }
        let id = self.code.functions.len() as FunctionId;
        self.code.functions.push(Function {
            name: format!("{module}:{name}/{arity}"),
            arity,
            captured: Vec::new(),
            itself: None,
            names: Vec::new(),
            body: 0,
            terminates: false,
            is_recursive: false,
        });
        self.code.by_name.insert(key, id);
        self.queue.push((key, id));
        Some(id)
    }

    fn lower_queue(&mut self) {
        while let Some((key, id)) = self.queue.pop() {
            let module = self.terms.name(key.0).to_owned();
            let name: Name = self.terms.name(key.1).into();
            let loaded = self.load(&module).expect("the module of a function that was found");
            let function = loaded.functions[&(name, key.2 as usize)].clone();
            self.module = loaded;
            self.name = self.code.functions[id as usize].name.clone();
            let scope =
                self.lower_clauses(Scope::default(), &function.clauses, function.arity, function.name.span);
            self.finish(id, scope);
        }
    }

    /// All exported functions of all modules, and of those that an atom of the program names.
    fn lower_exports(&mut self) {
        self.is_static = false;
        let mut done = 0;
        loop {
            let atoms: Vec<Atom> = self.code.nodes[done..]
                .iter()
                .filter_map(|node| match node {
                    Node::Value(value) => self.terms.as_atom(*value),
                    _ => None,
                })
                .collect();
            done = self.code.nodes.len();
            for atom in atoms {
                let name = self.terms.name(atom).to_owned();
                self.load(&name);
            }
            let modules: Vec<Arc<LoadedModule>> = self.loaded().cloned().collect();
            for module in modules {
                for function in &module.exports {
                    self.reference(&module.name, &function.name, function.arity);
                }
            }
            if self.queue.is_empty() {
                break;
            }
            self.lower_queue();
        }
    }

    /// Writes what was lowered into the function.
    fn finish(&mut self, id: FunctionId, (scope, body): (Scope, NodeId)) {
        let function = &mut self.code.functions[id as usize];
        function.names = scope.names();
        function.captured = scope.captured_slots();
        function.body = body;
    }

    /// Lowers clauses as the body of a function with its own scope.
    fn lower_clauses(
        &mut self,
        scope: Scope,
        clauses: &[tree::Clause],
        arity: usize,
        span: Span,
    ) -> (Scope, NodeId) {
        self.scopes.push(scope);
        self.scope().reserve(arity);
        let clauses = self.clauses(clauses, true);
        let body = self.code.push(span, Node::Clauses(clauses));
        (self.scopes.pop().expect("the function's scope"), body)
    }

    fn scope(&mut self) -> &mut Scope {
        self.scopes.last_mut().expect("a function's scope")
    }

    fn push(&mut self, span: Span, node: Node) -> NodeId {
        self.code.push(span, node)
    }

    fn value(&mut self, span: Span, value: Value) -> NodeId {
        self.push(span, Node::Value(value))
    }

    fn atom_node(&mut self, span: Span, name: &str) -> NodeId {
        let atom = self.terms.atom(name);
        let value = self.terms.atom_value(atom);
        self.value(span, value)
    }

    fn apply(&mut self, span: Span, operation: Operation, arguments: Vec<NodeId>) -> NodeId {
        self.push(span, Node::Apply(operation, arguments.into()))
    }

    fn bif(&mut self, span: Span, bif: Bif, arguments: Vec<NodeId>) -> NodeId {
        self.apply(span, Operation::Bif(bif), arguments)
    }

    /// A construct that is not supported: an error if it is reached by names of the text alone.
    fn unsupported(&mut self, span: Span, what: &str) -> NodeId {
        if self.is_static {
            let message = format!("{what} is not supported");
            let error =
                Diagnostic::error("erl::unsupported", message, span, "reached from the first function");
            self.diagnostics.push(error);
        }
        self.push(span, Node::Unsupported(what.into()))
    }

    fn nil(&mut self) -> Value {
        self.terms.intern(Term::Nil)
    }
}
