//! Operations on values: constructors, calls, built-in functions.

use super::bifs::Applied;
use super::matching::bind;
use super::{Activation, Evaluator, Focus, Next, Stop};
use crate::erlang::code::bif::{Bif, Sort};
use crate::erlang::code::{FunctionId, NodeId, Operation};
use crate::erlang::term::{Atom, Kind, Term, Value, atom};

impl Evaluator {
    pub(super) fn apply(
        &mut self,
        activation: &mut Activation,
        id: NodeId,
        operation: &Operation,
        mut values: Vec<Value>,
    ) -> Next {
        match operation {
            Operation::Tuple => self.give(activation, |this| this.make_tuple(&values)),
            Operation::Cons => self.give(activation, |this| this.cons(values[0], values[1])),
            Operation::Closure(function) => self.give(activation, |this| {
                let fun = Term::Fun { function: *function, captured: values.as_slice().into() };
                let fun = this.terms.intern(fun);
                this.abstraction(fun)
            }),
            Operation::Call(function) => self.call(activation, id, *function, values),
            Operation::CallFun => {
                let fun = values.pop().expect("a fun");
                self.call_fun(activation, id, fun, values)
            }
            Operation::CallNamed => {
                let (name, module) = (values.pop().expect("a name"), values.pop().expect("a module"));
                self.call_named(activation, id, (module, name), values)
            }
            Operation::ApplyNamed | Operation::ApplyFun => self.apply_list(activation, id, &values),
            Operation::Map => {
                let made = self.make_map(&values);
                self.go_on(activation, made)
            }
            Operation::MapUpdate(exact) => {
                let made = self.update_map(&values, exact);
                self.go_on(activation, made)
            }
            Operation::RecordField { size, index } => {
                let results = self.record_field(&values, *size, *index);
                self.go_on(activation, results)
            }
            Operation::Choose => {
                let results = values.into_iter().map(Applied::Value).collect();
                self.go_on(activation, results)
            }
            Operation::ElementAt(index) => {
                let results = self.element_at(values[0], *index);
                self.go_on(activation, results)
            }
            Operation::MakeExternal(arity) => {
                let results = self.make_external(&values, *arity);
                self.go_on(activation, results)
            }
            Operation::Bif(bif) => self.call_bif(activation, id, *bif, values),
        }
    }

    fn give(&mut self, activation: &mut Activation, make: impl FnOnce(&mut Self) -> Value) -> Next {
        activation.focus = Focus::Return(make(self));
        Next::Continue
    }

    /// Goes on with one of the results.
    fn go_on(&mut self, activation: &mut Activation, results: Vec<Applied>) -> Next {
        let branches = results.into_iter().map(|result| {
            let focus = match result {
                Applied::Value(value) => Focus::Return(value),
                Applied::Raise(class, reason) => Focus::Raise(class, reason),
            };
            Activation { focus, ..activation.clone() }
        });
        let branches = branches.collect();
        self.branch(activation, branches)
    }

    /// Calls a function of the program; a tail call keeps no frame.
    fn call(
        &mut self,
        activation: &mut Activation,
        id: NodeId,
        function: FunctionId,
        values: Vec<Value>,
    ) -> Next {
        if !self.domain.is_concrete()
            && self.code.functions[function as usize].is_recursive
            && !self.counts_steps
            && let Some(results) = self.tabulate(activation.pid, function, &values)
        {
            return self.go_on_tabulated(activation, results);
        }
        self.leave_caller(activation, id, function);
        self.enter(activation, function, values);
        Next::Continue
    }

    fn go_on_tabulated(&mut self, activation: &mut Activation, results: super::tabulate::Results) -> Next {
        if let Some(node) = results.diverges {
            if results.values.is_empty() {
                return Next::Stop(Stop::Diverge { node });
            }
            self.has_diverged = Some(node);
        }
        self.go_on(activation, results.values)
    }

    pub(super) fn enter(&mut self, activation: &mut Activation, function: FunctionId, values: Vec<Value>) {
        let code = self.code.clone();
        let function = &code.functions[function as usize];
        self.has_entered_endless |= !function.terminates;
        let mut environment = values;
        let captured = environment.split_off(function.arity);
        for (slot, value) in function.captured.iter().zip(captured) {
            bind(&mut environment, *slot, value);
        }
        activation.environment = environment;
        activation.focus = Focus::Evaluate(function.body);
    }

    /// Calls a fun.
    fn call_fun(
        &mut self,
        activation: &mut Activation,
        id: NodeId,
        fun: Value,
        mut values: Vec<Value>,
    ) -> Next {
        let code = self.code.clone();
        match self.terms.get(fun).clone() {
            Term::Fun { function, captured } => {
                let called = &code.functions[function as usize];
                if called.arity != values.len() {
                    return self.bad_arity(activation, fun, values);
                }
                values.extend(captured.iter().copied());
                if called.itself.is_none() {
                    return self.call(activation, id, function, values);
                }
                self.leave_caller(activation, id, function);
                self.enter(activation, function, values);
                if let Some(itself) = called.itself {
                    bind(&mut activation.environment, itself, fun);
                }
                Next::Continue
            }
            Term::External { module, name, arity } => {
                if arity as usize != values.len() {
                    return self.bad_arity(activation, fun, values);
                }
                let (module, name) = (self.terms.atom_value(module), self.terms.atom_value(name));
                self.call_named(activation, id, (module, name), values)
            }
            Term::Top(Kind::Any | Kind::Fun) => {
                Next::Stop(Stop::Cut { bound: super::Bound::UnknownFun, node: id })
            }
            _ => {
                let tag = self.terms.atom_value(atom::BADFUN);
                let reason = self.make_tuple(&[tag, fun]);
                self.fail(activation, reason)
            }
        }
    }

    /// `fun M:F/A`
    fn make_external(&mut self, values: &[Value], written: Option<u32>) -> Vec<Applied> {
        let badarg = Applied::Raise(atom::ERROR, self.terms.atom_value(atom::BADARG));
        let arity = match (written, values.get(2).map(|value| self.terms.get(*value))) {
            (None, Some(Term::Integer(arity))) => u32::try_from(arity).ok().filter(|arity| *arity <= 255),
            _ => written,
        };
        match (self.terms.as_atom(values[0]), self.terms.as_atom(values[1]), arity) {
            (Some(module), Some(name), Some(arity)) => {
                vec![Applied::Value(self.terms.intern(Term::External { module, name, arity }))]
            }
            _ if values.iter().any(|value| self.terms.is_abstract(*value)) => {
                vec![Applied::Value(self.terms.top(Kind::Fun)), badarg]
            }
            _ => vec![badarg],
        }
    }

    fn bad_arity(&mut self, activation: &mut Activation, fun: Value, values: Vec<Value>) -> Next {
        let tag = self.terms.atom_value(atom::BADARITY);
        let arguments = self.terms.proper_list(values.into_iter());
        let call = self.make_tuple(&[fun, arguments]);
        let reason = self.make_tuple(&[tag, call]);
        self.fail(activation, reason)
    }

    pub(super) fn fail(&mut self, activation: &mut Activation, reason: Value) -> Next {
        activation.focus = Focus::Raise(atom::ERROR, reason);
        Next::Continue
    }

    fn bad_argument_list(&mut self, activation: &mut Activation, list: Value) -> Next {
        if self.terms.is_abstract(list) {
            let node = self.place(activation);
            return Next::Stop(Stop::Cut { bound: super::Bound::UnknownFun, node });
        }
        let reason = self.terms.atom_value(atom::BADARG);
        self.fail(activation, reason)
    }

    /// Calls `m:f(…)` with a module and a function that are values.
    fn call_named(
        &mut self,
        activation: &mut Activation,
        id: NodeId,
        (module, name): (Value, Value),
        values: Vec<Value>,
    ) -> Next {
        let (Some(module), Some(name)) = (self.terms.as_atom(module), self.terms.as_atom(name)) else {
            if self.terms.is_abstract(module) || self.terms.is_abstract(name) {
                return Next::Stop(Stop::Cut { bound: super::Bound::UnknownFun, node: id });
            }
            let reason = self.terms.atom_value(atom::BADARG);
            return self.fail(activation, reason);
        };
        match self.find_function(module, name, values.len()) {
            Callee::Apply => self.apply_list(activation, id, &values),
            Callee::Function(function) => self.call(activation, id, function, values),
            Callee::Bif(bif) => self.call_bif(activation, id, bif, values),
            Callee::Undefined => {
                let reason = self.terms.atom_value(atom::UNDEF);
                self.fail(activation, reason)
            }
        }
    }

    /// `apply/2` and `apply/3`
    fn apply_list(&mut self, activation: &mut Activation, id: NodeId, values: &[Value]) -> Next {
        let list = *values.last().expect("a list of arguments");
        match (values, self.terms.list_elements(list)) {
            (_, None) => self.bad_argument_list(activation, list),
            ([module, name, _], Some(arguments)) => {
                self.call_named(activation, id, (*module, *name), arguments)
            }
            (_, Some(arguments)) => self.call_fun(activation, id, values[0], arguments),
        }
    }

    fn find_function(&self, module: Atom, name: Atom, arity: usize) -> Callee {
        if (self.terms.name(module), self.terms.name(name)) == ("erlang", "apply") && matches!(arity, 2 | 3) {
            return Callee::Apply;
        }
        if let Some(bif) = Bif::find(self.terms.name(module), self.terms.name(name), arity as u32) {
            return Callee::Bif(bif);
        }
        match self.code.by_name.get(&(module, name, arity as u32)) {
            Some(function) => Callee::Function(*function),
            None => Callee::Undefined,
        }
    }

    /// Calls a fun with a list of arguments, as the first action of a process.
    pub(super) fn apply_fun(&mut self, activation: &mut Activation, fun: Value, arguments: Value) -> Next {
        match self.terms.list_elements(arguments) {
            // No variable of a caller is live.
            Some(arguments) => self.call_fun(activation, NO_CALLER, fun, arguments),
            None => self.bad_argument_list(activation, arguments),
        }
    }

    fn call_bif(&mut self, activation: &mut Activation, id: NodeId, bif: Bif, values: Vec<Value>) -> Next {
        match bif {
            Bif::SelfPid => {
                let pid = activation.pid;
                self.give(activation, |this| this.terms.pid(pid))
            }
            Bif::Choice => match self.terms.list_elements(values[0]) {
                Some(choices) if !choices.is_empty() => {
                    let results = choices.into_iter().map(Applied::Value).collect();
                    self.go_on(activation, results)
                }
                _ if self.terms.is_abstract(values[0]) => {
                    let (any, badarg) = (self.terms.top(Kind::Any), self.terms.atom_value(atom::BADARG));
                    self.go_on(activation, vec![Applied::Value(any), Applied::Raise(atom::ERROR, badarg)])
                }
                _ => {
                    let reason = self.terms.atom_value(atom::BADARG);
                    self.fail(activation, reason)
                }
            },
            Bif::Prop if !self.is_visible(values[0]) => {
                activation.focus = Focus::Return(values[0]);
                Next::Continue
            }
            Bif::Prop => {
                let stack = self.saved_stack(activation, id);
                Next::Stop(Stop::BeforeProp { node: id, value: values[0], stack })
            }
            _ if matches!(bif.sort(), Sort::Visible | Sort::Silent) => {
                let stack = self.saved_stack(activation, id);
                Next::Stop(Stop::Visible { bif, node: id, arguments: values, stack })
            }
            _ => {
                let results = self.bif(bif, &values);
                self.go_on(activation, results)
            }
        }
    }

    /// The stack to which the result of a visible step returns.
    fn saved_stack(&mut self, activation: &mut Activation, id: NodeId) -> super::Stack {
        self.save_environment(activation, id);
        self.intern_frames(activation.base, &activation.frames)
    }
}

/// A node after which nothing is live.
pub(super) const NO_CALLER: NodeId = 0;

/// What a name stands for.
enum Callee {
    /// `erlang:apply`
    Apply,
    Function(FunctionId),
    Bif(Bif),
    Undefined,
}
