//! Expressions.

use super::Lowering;
use super::scope::Scope;
use crate::erlang::code::bif::{Bif, Sort};
use crate::erlang::code::{
    CatchClause, Clause, Function, FunctionId, Node, NodeId, Operation, Otherwise, Pattern,
};
use crate::erlang::syntax::tree::{
    self, BinaryOperator, CallTarget, Expr, ExprKind, Identifier, MapField, Name, UnaryOperator,
};
use crate::erlang::term::{Term, Value};
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;

impl Lowering<'_> {
    /// Expressions one after the other.
    pub(super) fn body(&mut self, expressions: &[Expr]) -> NodeId {
        let (first, rest) = expressions.split_first().expect("a body has an expression");
        let first_node = self.expression(first);
        if rest.is_empty() {
            return first_node;
        }
        let second = self.body(rest);
        self.push(first.span, Node::Sequence(first_node, second))
    }

    pub(super) fn expression(&mut self, expression: &Expr) -> NodeId {
        let span = expression.span;
        if let Some(value) = self.constant(expression) {
            return self.value(span, value);
        }
        match &expression.kind {
            ExprKind::Variable(name) => self.variable(span, name),
            ExprKind::List { elements, tail } => self.list(span, elements, tail.as_deref()),
            ExprKind::Tuple(elements) => {
                let parts = self.expressions(elements);
                self.apply(span, Operation::Tuple, parts)
            }
            ExprKind::Map(fields) => {
                let parts = self.map_fields(fields);
                self.apply(span, Operation::Map, parts)
            }
            ExprKind::MapUpdate { map, fields } => {
                let mut parts = vec![self.expression(map)];
                parts.extend(self.map_fields(fields));
                let exact = fields.iter().map(|field| field.kind.exact).collect();
                self.apply(span, Operation::MapUpdate(exact), parts)
            }
            ExprKind::Record { name, fields, others } => {
                self.record_expression(span, name, fields, others.as_deref())
            }
            ExprKind::RecordUpdate { record, name, fields } => self.record_update(span, record, name, fields),
            ExprKind::RecordAccess { record, name, field } => {
                let record = self.expression(record);
                self.record_access(span, record, name, field)
            }
            ExprKind::RecordIndex { name, field } => match self.record_index(name, field) {
                Some(index) => {
                    let index = self.terms.integer(index);
                    self.value(span, index)
                }
                None => self.unsupported(span, "an undefined field"),
            },
            ExprKind::Match { pattern, value } => {
                let value = self.expression(value);
                let pattern = self.pattern(pattern, false);
                self.push(span, Node::Match(pattern, value))
            }
            _ => self.operation(expression),
        }
    }

    /// Operators, calls, and choices among clauses.
    fn operation(&mut self, expression: &Expr) -> NodeId {
        let span = expression.span;
        match &expression.kind {
            ExprKind::UnaryOp { operator, operand } => {
                let operand = self.expression(operand);
                self.bif(span, unary(*operator), vec![operand])
            }
            ExprKind::BinaryOp { operator, left, right } => {
                let operands = vec![self.expression(left), self.expression(right)];
                self.bif(span, binary(*operator), operands)
            }
            ExprKind::AndAlso(first, second) => {
                let first = self.expression(first);
                let second = self.isolated(second);
                self.push(span, Node::AndAlso(first, second))
            }
            ExprKind::OrElse(first, second) => {
                let first = self.expression(first);
                let second = self.isolated(second);
                self.push(span, Node::OrElse(first, second))
            }
            ExprKind::Send(to, message) => {
                let operands = vec![self.expression(to), self.expression(message)];
                self.bif(span, Bif::Send, operands)
            }
            ExprKind::Call { target, arguments } => self.call(span, target, arguments),
            ExprKind::Block(body) => self.body(body),
            ExprKind::If(clauses) => {
                let subject = self.value(span, Value::DEAD);
                let mut clauses = self.clauses(clauses, false);
                clauses.iter_mut().for_each(|clause| clause.patterns = [Pattern::Any].into());
                self.push(span, Node::Case { subject, clauses, otherwise: Otherwise::IfClause })
            }
            ExprKind::Case { argument, clauses } => {
                let subject = self.expression(argument);
                let clauses = self.clauses(clauses, false);
                self.push(span, Node::Case { subject, clauses, otherwise: Otherwise::CaseClause })
            }
            _ => self.control(expression),
        }
    }

    /// What waits, catches, or makes functions.
    fn control(&mut self, expression: &Expr) -> NodeId {
        let span = expression.span;
        match &expression.kind {
            ExprKind::Receive { clauses, after } => self.receive(span, clauses, after.as_deref()),
            ExprKind::Try { body, clauses, catch, after } => {
                self.try_expression(span, body, clauses, catch, after)
            }
            ExprKind::Maybe { body, clauses } => self.maybe(span, body, clauses),
            ExprKind::Catch(body) => {
                let body = self.expression(body);
                self.push(span, Node::Catch(body))
            }
            ExprKind::Fun { name, clauses } => self.fun(span, name.as_ref(), clauses),
            ExprKind::FunLocal(function) => self.fun_local(span, &function.name, function.arity),
            ExprKind::FunRemote { module, function, arity } => {
                self.fun_remote(span, [&**module, &**function, &**arity])
            }
            ExprKind::ListComprehension { template, qualifiers } => {
                self.list_comprehension(span, template, qualifiers)
            }
            ExprKind::MapComprehension { key, value, qualifiers } => {
                let pair = Expr::new(span, ExprKind::Tuple(vec![(**key).clone(), (**value).clone()]));
                let list = self.list_comprehension(span, &pair, qualifiers);
                self.bif(span, Bif::MapsFromList, vec![list])
            }
            ExprKind::BinaryComprehension { .. } => self.unsupported(span, "a binary comprehension"),
            ExprKind::Binary(_) => self.unsupported(span, "a binary that is no literal"),
            ExprKind::MaybeMatch { .. } => self.unsupported(span, "`?=` outside of `maybe`"),
            _ => unreachable!("constants, constructors and operations are lowered elsewhere"),
        }
    }

    /// Bindings of the expression are not seen after it.
    fn isolated(&mut self, expression: &Expr) -> NodeId {
        let before = self.scope().bound.clone();
        let node = self.expression(expression);
        self.scope().bound = before;
        node
    }

    pub(super) fn expressions(&mut self, expressions: &[Expr]) -> Vec<NodeId> {
        expressions.iter().map(|expression| self.expression(expression)).collect()
    }

    /// The term of an expression without variables and calls.
    pub(super) fn constant(&mut self, expression: &Expr) -> Option<Value> {
        Some(match &expression.kind {
            ExprKind::Atom(name) => self.atom(name),
            ExprKind::Integer(integer) => self.integer(integer),
            ExprKind::Float(float) => self.float(*float),
            ExprKind::Char(character) => self.terms.integer(u32::from(*character)),
            ExprKind::String(text) => self.text(text),
            ExprKind::Nil => self.nil(),
            ExprKind::Binary(segments) => return self.binary_literal(segments),
            ExprKind::Tuple(elements) => {
                let elements: Vec<Value> =
                    elements.iter().map(|element| self.constant(element)).collect::<Option<_>>()?;
                self.terms.tuple(&elements)
            }
            ExprKind::List { elements, tail } => {
                let elements: Vec<Value> =
                    elements.iter().map(|element| self.constant(element)).collect::<Option<_>>()?;
                let tail = match tail {
                    Some(tail) => self.constant(tail)?,
                    None => self.nil(),
                };
                self.terms.list(elements.into_iter(), tail)
            }
            ExprKind::UnaryOp { operator: UnaryOperator::Minus, operand } => {
                match self.constant(operand).map(|value| self.terms.get(value).clone())? {
                    Term::Integer(number) => self.terms.integer(-number),
                    Term::Float(bits) => self.float(-f64::from_bits(bits)),
                    _ => return None,
                }
            }
            _ => return None,
        })
    }

    fn variable(&mut self, span: Span, name: &Name) -> NodeId {
        match self.resolve(self.scopes.len() - 1, name) {
            Some(slot) => self.push(span, Node::Slot(slot)),
            None => {
                let message = format!("variable `{name}` is unbound");
                self.diagnostics.push(Diagnostic::error("erl::unbound-variable", message, span, ""));
                self.push(span, Node::Unsupported("an unbound variable".into()))
            }
        }
    }

    fn list(&mut self, span: Span, elements: &[Expr], tail: Option<&Expr>) -> NodeId {
        let heads = self.expressions(elements);
        let nil = self.nil();
        let tail = match tail {
            Some(tail) => self.expression(tail),
            None => self.value(span, nil),
        };
        heads.into_iter().rev().fold(tail, |tail, head| self.apply(span, Operation::Cons, vec![head, tail]))
    }

    fn map_fields(&mut self, fields: &[MapField]) -> Vec<NodeId> {
        let parts = fields.iter().flat_map(|field| [&field.kind.key, &field.kind.value]);
        parts.map(|part| self.expression(part)).collect()
    }

    fn receive(&mut self, span: Span, clauses: &[tree::Clause], after: Option<&tree::After>) -> NodeId {
        let Some(after) = after else {
            let timeout = self.atom_node(span, "infinity");
            let clauses = self.clauses(clauses, false);
            return self.push(span, Node::Receive { clauses, timeout, after: None });
        };
        let timeout = self.expression(&after.timeout);
        let before = self.scope().bound.clone();
        let lowered = self.clauses(clauses, false);
        let mut exported = None;
        if !clauses.is_empty() {
            self.export(&mut exported);
        }
        self.scope().bound.clone_from(&before);
        let body = self.body(&after.body);
        self.export(&mut exported);
        self.scope().bound = exported.expect("two alternatives");
        self.push(span, Node::Receive { clauses: lowered, timeout, after: Some(body) })
    }

    fn try_expression(
        &mut self,
        span: Span,
        body: &[Expr],
        clauses: &[tree::Clause],
        catch: &[tree::CatchClause],
        after: &[Expr],
    ) -> NodeId {
        let before = self.scope().bound.clone();
        let body = self.body(body);
        let clauses = self.clauses(clauses, false);
        let mut catches = Vec::new();
        for clause in catch {
            self.scope().bound.clone_from(&before);
            let class = self.pattern(&clause.kind.class, false);
            let reason = self.pattern(&clause.kind.reason, false);
            let stack = clause.kind.stacktrace.as_ref().map(|name| self.scope().bind(&name.kind));
            let guard = self.guard(&clause.kind.guard);
            let body = self.body(&clause.kind.body);
            catches.push(CatchClause { class, reason, stack, guard, body });
        }
        self.scope().bound.clone_from(&before);
        let mut node = if clauses.is_empty() && catches.is_empty() {
            body
        } else {
            self.push(span, Node::Try { body, clauses, catches: catches.into() })
        };
        if !after.is_empty() {
            let last = self.body(after);
            node = self.push(span, Node::After(node, last));
        }
        self.scope().bound = before;
        node
    }

    /// Each `?=` is a `case` whose second clause goes to `else`.
    fn maybe(&mut self, span: Span, body: &[Expr], clauses: &[tree::Clause]) -> NodeId {
        let before = self.scope().bound.clone();
        let node = self.maybe_body(span, body, clauses);
        self.scope().bound = before;
        node
    }

    fn maybe_body(&mut self, span: Span, body: &[Expr], otherwise: &[tree::Clause]) -> NodeId {
        let (first, rest) = body.split_first().expect("a body has an expression");
        let ExprKind::MaybeMatch { pattern, value } = &first.kind else {
            let node = self.expression(first);
            if rest.is_empty() {
                return node;
            }
            let rest = self.maybe_body(span, rest, otherwise);
            return self.push(first.span, Node::Sequence(node, rest));
        };
        let subject = self.expression(value);
        let before = self.scope().bound.clone();
        let other = self.scope().fresh();
        let slot = self.push(first.span, Node::Slot(other));
        let failed = if otherwise.is_empty() {
            slot
        } else {
            let clauses = self.clauses(otherwise, false);
            self.push(span, Node::Case { subject: slot, clauses, otherwise: Otherwise::ElseClause })
        };
        self.scope().bound = before;
        let pattern = self.pattern(pattern, false);
        let matched = if rest.is_empty() {
            // The value of a match is the value that was matched.
            let whole = self.scope().fresh();
            let body = self.push(first.span, Node::Slot(whole));
            Clause {
                patterns: [Pattern::Both(Box::new(Pattern::Bind(whole)), Box::new(pattern))].into(),
                guard: Box::default(),
                body,
            }
        } else {
            Clause {
                patterns: [pattern].into(),
                guard: Box::default(),
                body: self.maybe_body(span, rest, otherwise),
            }
        };
        let failed = Clause { patterns: [Pattern::Bind(other)].into(), guard: Box::default(), body: failed };
        self.push(
            first.span,
            Node::Case { subject, clauses: [matched, failed].into(), otherwise: Otherwise::ElseClause },
        )
    }

    fn fun(&mut self, span: Span, name: Option<&Identifier>, clauses: &[tree::Clause]) -> NodeId {
        let arity = clauses[0].kind.patterns.len();
        let mut scope = Scope::default();
        scope.reserve(arity);
        if let Some(name) = name {
            let slot = scope.fresh();
            scope.itself = Some((name.kind.clone(), slot));
        }
        let id = self.new_function(arity);
        let (scope, body) = self.lower_clauses(scope, clauses, arity, span);
        let captured = scope.captured_names();
        self.code.functions[id as usize].itself = scope.itself.as_ref().map(|(_, slot)| *slot);
        self.finish(id, (scope, body));
        let captured = self.slots_of(span, &captured);
        self.apply(span, Operation::Closure(id), captured)
    }

    /// A function inside of the one that is lowered.
    pub(super) fn new_function(&mut self, arity: usize) -> FunctionId {
        let id = self.code.functions.len() as FunctionId;
        self.code.functions.push(Function {
            name: format!("a fun of {}", self.name),
            arity,
            captured: Vec::new(),
            itself: None,
            names: Vec::new(),
            body: 0,
            terminates: false,
            is_recursive: false,
        });
        id
    }

    /// The values of these variables in the present scope.
    pub(super) fn slots_of(&mut self, span: Span, names: &[Name]) -> Vec<NodeId> {
        let depth = self.scopes.len() - 1;
        let nodes = names.iter().map(|name| {
            let slot = self.resolve(depth, name).expect("a captured variable is bound outside");
            self.push(span, Node::Slot(slot))
        });
        nodes.collect()
    }

    fn fun_local(&mut self, span: Span, name: &Name, arity: usize) -> NodeId {
        let module = match self.module.imports.get(&(name.clone(), arity)) {
            Some(module) if !self.module.defines(name, arity) => module.clone(),
            _ => self.module.name.clone(),
        };
        let is_bif = !self.module.defines(name, arity) && Bif::find_automatic(name, arity as u32).is_some();
        let module = if is_bif { Name::from("erlang") } else { module };
        self.external(span, &module, name, arity)
    }

    fn external(&mut self, span: Span, module: &Name, name: &Name, arity: usize) -> NodeId {
        let is_known =
            Bif::find(module, name, arity as u32).is_some() || self.reference(module, name, arity).is_some();
        if !is_known {
            return self.undefined(span, module, name, arity);
        }
        let (module, name) = (self.terms.atom(module), self.terms.atom(name));
        let fun = self.terms.intern(Term::External { module, name, arity: arity as u32 });
        self.value(span, fun)
    }

    fn fun_remote(&mut self, span: Span, [module, name, arity]: [&Expr; 3]) -> NodeId {
        match (module.as_atom(), name.as_atom(), &arity.kind) {
            (Some(module), Some(name), ExprKind::Integer(tree::Integer::Small(arity))) => {
                self.external(span, module, name, *arity as usize)
            }
            (_, _, kind) => {
                self.has_dynamic_calls = true;
                let mut parts = vec![self.expression(module), self.expression(name)];
                // An arity that is written out is the same under every domain.
                let written = match kind {
                    ExprKind::Integer(tree::Integer::Small(arity)) => u32::try_from(*arity).ok(),
                    _ => None,
                };
                if written.is_none() {
                    parts.push(self.expression(arity));
                }
                self.apply(span, Operation::MakeExternal(written), parts)
            }
        }
    }

    fn undefined(&mut self, span: Span, module: &str, name: &str, arity: usize) -> NodeId {
        if self.is_static {
            let message = if self.load(module).is_some() {
                format!("function `{module}:{name}/{arity}` is not defined")
            } else {
                format!("module `{module}` was not found, for `{module}:{name}/{arity}`")
            };
            self.diagnostics.push(Diagnostic::error("erl::undefined-function", message, span, ""));
        }
        self.push(span, Node::Unsupported(format!("`{module}:{name}/{arity}`, which is not defined,").into()))
    }

    fn call(&mut self, span: Span, target: &CallTarget, arguments: &[Expr]) -> NodeId {
        if let Some(choices) = written_choices(target, arguments) {
            let choices = self.expressions(choices);
            return self.apply(span, Operation::Choose, choices);
        }
        let nodes = self.expressions(arguments);
        let arity = nodes.len();
        match target {
            CallTarget::Local(name) => self.call_local(span, &name.kind, nodes),
            CallTarget::Remote { module, function } => match (module.as_atom(), function.as_atom()) {
                (Some(module), Some(name)) => self.call_remote(span, module, name, nodes),
                _ => {
                    let mut nodes = nodes;
                    nodes.push(self.expression(module));
                    nodes.push(self.expression(function));
                    self.has_dynamic_calls = true;
                    self.apply(span, Operation::CallNamed, nodes)
                }
            },
            CallTarget::Fun(fun) => {
                let mut nodes = nodes;
                nodes.push(self.expression(fun));
                debug_assert_eq!(nodes.len(), arity + 1);
                self.apply(span, Operation::CallFun, nodes)
            }
        }
    }

    fn call_local(&mut self, span: Span, name: &Name, nodes: Vec<NodeId>) -> NodeId {
        let arity = nodes.len();
        // `prop` and `choice` are predefined, whatever the file defines to run under `erl`.
        if let Some(bif) = Bif::find("selvedge", name, arity as u32).filter(|bif| bif.sort() != Sort::Guard) {
            return self.bif(span, bif, nodes);
        }
        if self.module.defines(name, arity) {
            let module = self.module.name.clone();
            let id = self.reference(&module, name, arity).expect("a function of this module");
            return self.apply(span, Operation::Call(id), nodes);
        }
        if let Some(module) = self.module.imports.get(&(name.clone(), arity)).cloned() {
            return self.call_remote(span, &module, name, nodes);
        }
        let erlang = Name::from("erlang");
        if Bif::find_automatic(name, arity as u32).is_some() || (&**name == "apply" && matches!(arity, 2 | 3))
        {
            return self.call_remote(span, &erlang, name, nodes);
        }
        if is_unsupported_bif(name, arity) {
            return self.unsupported(span, &format!("`{name}/{arity}`"));
        }
        let module = self.module.name.clone();
        self.undefined(span, &module, name, arity)
    }

    fn call_remote(&mut self, span: Span, module: &Name, name: &Name, nodes: Vec<NodeId>) -> NodeId {
        let arity = nodes.len();
        match (&**module, &**name, arity) {
            ("erlang", "apply", 2) => return self.apply(span, Operation::ApplyFun, nodes),
            ("erlang", "apply", 3) => {
                self.has_dynamic_calls = true;
                return self.apply(span, Operation::ApplyNamed, nodes);
            }
            _ => {}
        }
        if let Some(bif) = Bif::find(module, name, arity as u32) {
            if bif == Bif::Element
                && let Some(index) = self.literal_index(nodes[0])
            {
                return self.apply(span, Operation::ElementAt(index), vec![nodes[1]]);
            }
            if matches!(
                bif,
                Bif::SpawnNamed | Bif::SpawnLinkNamed | Bif::SpawnMonitorNamed | Bif::SpawnOptionsNamed
            ) {
                self.note_spawned(span, &nodes);
            }
            return self.bif(span, bif, nodes);
        }
        if &**module == "erlang" {
            return self.unsupported(span, &format!("`erlang:{name}/{arity}`"));
        }
        match self.reference(module, name, arity) {
            Some(id) => self.apply(span, Operation::Call(id), nodes),
            None => self.undefined(span, module, name, arity),
        }
    }

    /// `spawn(m, f, [A, B])` refers to a function; with variables it may be any exported one.
    fn note_spawned(&mut self, span: Span, nodes: &[NodeId]) {
        let atom = |this: &Self, node: NodeId| match this.code.node(node) {
            Node::Value(value) => this.terms.as_atom(*value).map(|atom| this.terms.name(atom).to_owned()),
            _ => None,
        };
        let (module, name) = (atom(self, nodes[0]), atom(self, nodes[1]));
        match (module, name, self.list_length(nodes[2])) {
            (Some(module), Some(name), Some(arity)) => {
                if self.reference(&module, &name, arity).is_none() {
                    self.undefined(span, &module, &name, arity);
                }
            }
            _ => self.has_dynamic_calls = true,
        }
    }

    /// A position that is written out: the domain of integers does not change it.
    fn literal_index(&self, node: NodeId) -> Option<usize> {
        match self.code.node(node) {
            Node::Value(value) => match self.terms.get(*value) {
                Term::Integer(index) => usize::try_from(index).ok(),
                _ => None,
            },
            _ => None,
        }
    }

    /// The length of a list that is written out.
    fn list_length(&self, mut node: NodeId) -> Option<usize> {
        let mut length = 0;
        loop {
            match self.code.node(node) {
                Node::Value(value) => {
                    return self.terms.list_elements(*value).map(|elements| length + elements.len());
                }
                Node::Apply(Operation::Cons, parts) => {
                    length += 1;
                    node = parts[1];
                }
                _ => return None,
            }
        }
    }

    /// An expression of a guard: what guards do not allow is an error.
    pub(super) fn guard_expression(&mut self, expression: &Expr) -> NodeId {
        let node = self.expression(expression);
        if !self.is_guard(node) {
            return self.unsupported(expression.span, "this expression in a guard");
        }
        node
    }

    pub(super) fn is_guard(&self, node: NodeId) -> bool {
        match self.code.node(node) {
            Node::Value(_) | Node::Slot(_) => true,
            Node::AndAlso(first, second) | Node::OrElse(first, second) => {
                self.is_guard(*first) && self.is_guard(*second)
            }
            Node::Apply(operation, parts) => {
                let is_pure = match operation {
                    Operation::Tuple | Operation::Cons | Operation::Map => true,
                    Operation::RecordField { .. } | Operation::ElementAt(_) => true,
                    // `self()` is a constant of the process.
                    Operation::Bif(bif) => bif.sort() == Sort::Guard || *bif == Bif::SelfPid,
                    _ => false,
                };
                is_pure && parts.iter().all(|part| self.is_guard(*part))
            }
            _ => false,
        }
    }
}

/// The elements of `choice([a, b])`: a domain that cuts the list off leaves the choice what it is.
fn written_choices<'e>(target: &CallTarget, arguments: &'e [Expr]) -> Option<&'e [Expr]> {
    let is_choice = match target {
        CallTarget::Local(name) => &*name.kind == "choice",
        CallTarget::Remote { module, function } => {
            let is_named =
                |expression: &Expr, name: &str| expression.as_atom().is_some_and(|atom| &**atom == name);
            is_named(module, "selvedge") && is_named(function, "choice")
        }
        CallTarget::Fun(_) => false,
    };
    match arguments {
        [Expr { kind: ExprKind::List { elements, tail: None }, .. }] if is_choice => Some(elements),
        _ => None,
    }
}

/// Functions of `erlang` that are called without a module and not supported.
fn is_unsupported_bif(name: &str, arity: usize) -> bool {
    const NAMES: &[(&str, usize)] = &[
        ("processes", 0),
        ("process_info", 1),
        ("process_info", 2),
        ("registered", 0),
        ("now", 0),
        ("date", 0),
        ("time", 0),
        ("halt", 0),
        ("halt", 1),
        ("nodes", 0),
        ("binary_to_list", 1),
        ("list_to_binary", 1),
        ("term_to_binary", 1),
        ("binary_to_term", 1),
        ("atom_to_binary", 1),
        ("binary_to_atom", 1),
        ("integer_to_binary", 1),
        ("binary_to_integer", 1),
        ("float_to_list", 1),
        ("list_to_float", 1),
        ("iolist_to_binary", 1),
        ("open_port", 2),
        ("group_leader", 0),
        ("binary_part", 3),
        ("bit_size", 1),
        ("split_binary", 2),
        ("round", 1),
        ("is_port", 1),
        ("spawn", 2),
        ("spawn", 4),
        ("spawn_link", 2),
    ];
    NAMES.contains(&(name, arity))
}

fn unary(operator: UnaryOperator) -> Bif {
    match operator {
        UnaryOperator::Plus => Bif::Plus,
        UnaryOperator::Minus => Bif::Minus,
        UnaryOperator::Not => Bif::Not,
        UnaryOperator::BitNot => Bif::BitNot,
    }
}

fn binary(operator: BinaryOperator) -> Bif {
    match operator {
        BinaryOperator::Add => Bif::Add,
        BinaryOperator::Subtract => Bif::Subtract,
        BinaryOperator::Multiply => Bif::Multiply,
        BinaryOperator::Divide => Bif::Divide,
        BinaryOperator::Div => Bif::Div,
        BinaryOperator::Rem => Bif::Rem,
        BinaryOperator::BitAnd => Bif::BitAnd,
        BinaryOperator::BitOr => Bif::BitOr,
        BinaryOperator::BitXor => Bif::BitXor,
        BinaryOperator::ShiftLeft => Bif::ShiftLeft,
        BinaryOperator::ShiftRight => Bif::ShiftRight,
        BinaryOperator::And => Bif::And,
        BinaryOperator::Or => Bif::Or,
        BinaryOperator::Xor => Bif::Xor,
        BinaryOperator::Append => Bif::Append,
        BinaryOperator::Remove => Bif::Remove,
        BinaryOperator::Equal => Bif::Equal,
        BinaryOperator::NotEqual => Bif::NotEqual,
        BinaryOperator::LessEqual => Bif::LessEqual,
        BinaryOperator::Less => Bif::Less,
        BinaryOperator::GreaterEqual => Bif::GreaterEqual,
        BinaryOperator::Greater => Bif::Greater,
        BinaryOperator::ExactlyEqual => Bif::ExactlyEqual,
        BinaryOperator::NotExactlyEqual => Bif::NotExactlyEqual,
    }
}
