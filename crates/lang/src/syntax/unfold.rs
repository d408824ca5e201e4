//! Unfolding of definitions, and name resolution in formulas.
//!
//! The arguments of a definition are numbers, names or whole formulas, which replace its parameters.
//!
//! Promise: unfolding ends: a definition that uses itself is refused, and so is a formula of more than
//! [`MAX_FORMULA`] parts.

use super::atom::Atom;
use super::dialect::{AtMeaning, Codes};
use super::formula::{Argument, Definitions, RawAtom};
use super::parser::MAX_NESTING;
use super::resolve::Resolver;
use super::tree::{Expr, ExprKind, Name};
use rustc_hash::FxHashMap;
use selvedge_ltl::Formula;
use selvedge_ltl::diagnostic::{Diagnostic, Severity};
use selvedge_ltl::source::Span;
use selvedge_ltl::syntax::MAX_DEPTH;

/// The largest formula that definitions may unfold to.
pub const MAX_FORMULA: usize = 100_000;

/// The formula with its names looked up and its definitions unfolded; `span` is its place.
pub(crate) fn unfold(
    (raw, span): (&Formula<RawAtom>, Span),
    resolver: Resolver<'_>,
    definitions: &Definitions,
) -> Formula<Atom> {
    let mut unfolder =
        Unfolder { resolver, definitions, stack: Vec::new(), span, size: 0, has_failed: false };
    unfolder.unfold(raw, &Environment::default())
}

/// Looks up names and unfolds definitions.
pub(super) struct Unfolder<'u, 's> {
    pub(super) resolver: Resolver<'s>,
    definitions: &'u Definitions,
    /// The definitions that are being unfolded.
    stack: Vec<String>,
    /// The place of the whole formula.
    span: Span,
    /// How many parts were unfolded so far.
    size: usize,
    pub(super) has_failed: bool,
}

/// The arguments by parameter.
pub(super) type Environment = FxHashMap<String, Argument>;

impl Unfolder<'_, '_> {
    /// The formula over atoms whose names are looked up.
    pub(super) fn unfold(&mut self, formula: &Formula<RawAtom>, environment: &Environment) -> Formula<Atom> {
        self.size += formula.size();
        if self.size > MAX_FORMULA && !self.has_failed {
            self.has_failed = true;
            let message =
                format!("the formula has more than {MAX_FORMULA} parts once definitions are unfolded");
            self.resolver.report(Diagnostic::error(self.codes().formula_too_large, message, self.span, ""));
        }
        if self.has_failed {
            return Formula::TRUE;
        }
        let unfolded = formula.substitute(&mut |raw| self.atom(raw, environment));
        if unfolded.depth() > MAX_DEPTH {
            self.has_failed = true;
            let message =
                format!("the formula is nested more than {MAX_DEPTH} deep once definitions are unfolded");
            self.resolver.report(Diagnostic::error(self.codes().formula_too_large, message, self.span, ""));
            return Formula::TRUE;
        }
        unfolded
    }

    fn atom(&mut self, raw: &RawAtom, environment: &Environment) -> Formula<Atom> {
        match raw {
            RawAtom::Test(expr) => self.test(&substitute(expr, environment)),
            RawAtom::Quantified(quantified) => self.quantified(quantified, environment),
            RawAtom::Use(name, arguments) => {
                if arguments.is_empty()
                    && let Some(argument) = environment.get(&name.text)
                {
                    return self.parameter(argument);
                }
                match (name.text.as_str(), arguments.len()) {
                    ("at", _) if !self.definitions.contains_key("at") => {
                        self.at(name, arguments, environment)
                    }
                    ("exec", _) if !self.definitions.contains_key("exec") => {
                        self.exec(name, arguments, environment)
                    }
                    ("enabled", _) if !self.definitions.contains_key("enabled") => {
                        self.enabled(name, arguments, environment)
                    }
                    ("empty" | "full", 1) if !self.definitions.contains_key(&name.text) => {
                        self.channel_test(name, arguments, environment)
                    }
                    ("deadlock", 0) if !self.definitions.contains_key("deadlock") => {
                        Formula::Prop(Atom::Deadlock)
                    }
                    ("ended", 0) if !self.definitions.contains_key("ended") => Formula::Prop(Atom::Ended),
                    _ => self.definition(name, arguments, environment),
                }
            }
        }
    }

    /// The argument of a parameter that stands for a formula.
    fn parameter(&mut self, argument: &Argument) -> Formula<Atom> {
        match argument {
            Argument::Unfolded(formula) => {
                self.size += formula.size();
                if self.size > MAX_FORMULA { Formula::TRUE } else { formula.clone() }
            }
            Argument::Expr(Expr { kind: ExprKind::Name(name), span }) => {
                let name = Name { text: name.clone(), span: *span };
                self.atom(&RawAtom::Use(name, Vec::new()), &Environment::default())
            }
            Argument::Expr(Expr { kind: ExprKind::Member(name, arguments), .. }) => {
                let arguments = arguments.iter().cloned().map(Argument::Expr).collect();
                self.atom(&RawAtom::Use(name.clone(), arguments), &Environment::default())
            }
            Argument::Expr(expr) => self.test(expr),
            Argument::Formula(formula) => self.unfold(formula, &Environment::default()),
        }
    }

    fn test(&mut self, expr: &Expr) -> Formula<Atom> {
        let test = self.resolver.test(expr);
        let text = test.text(&self.resolver.scope.variables).to_string();
        Formula::Prop(Atom::Test { test, text })
    }

    /// `empty(c)`, `full(c)`
    fn channel_test(
        &mut self,
        name: &Name,
        arguments: &[Argument],
        environment: &Environment,
    ) -> Formula<Atom> {
        let [Argument::Expr(channel)] = arguments else {
            return self.wrong_arguments(name, &format!("`{}(c)`: a channel", name.text));
        };
        let span = name.span.to(channel.span);
        let channel = substitute(channel, environment);
        self.test(&Expr { kind: ExprKind::Member(name.clone(), vec![channel]), span })
    }

    /// `exec(i)`
    fn exec(&mut self, name: &Name, arguments: &[Argument], environment: &Environment) -> Formula<Atom> {
        self.of_process(name, arguments, environment, |process, text| Atom::Exec { process, text })
    }

    /// `enabled(i)`
    fn enabled(&mut self, name: &Name, arguments: &[Argument], environment: &Environment) -> Formula<Atom> {
        self.of_process(name, arguments, environment, |process, text| Atom::Enabled { process, text })
    }

    /// A proposition about a process.
    fn of_process(
        &mut self,
        name: &Name,
        arguments: &[Argument],
        environment: &Environment,
        atom: fn(u32, String) -> Atom,
    ) -> Formula<Atom> {
        let [Argument::Expr(process)] = arguments else {
            return self.wrong_arguments(name, &format!("`{}(1)`: a process", name.text));
        };
        let process = substitute(process, environment);
        let Some(process) = self.resolver.process(&process) else { return Formula::TRUE };
        let text = format!("{}({})", name.text, self.process_name(process));
        Formula::Prop(atom(process, text))
    }

    pub(super) fn codes(&self) -> &'static Codes {
        self.resolver.codes()
    }

    pub(super) fn process_name(&self, process: u32) -> String {
        self.resolver.scope.process_names[process as usize].clone()
    }

    /// A use of a definition, unfolded.
    fn definition(
        &mut self,
        name: &Name,
        arguments: &[Argument],
        environment: &Environment,
    ) -> Formula<Atom> {
        let Some(definition) = self.definitions.get(&name.text) else {
            return match self.glued_at(name) {
                Some(arguments) => self.at(name, &arguments, environment),
                None if arguments.is_empty() && self.is_truth_value(&name.text) => {
                    self.test(&Expr { kind: ExprKind::Name(name.text.clone()), span: name.span })
                }
                None => self.unknown_proposition(name),
            };
        };
        if definition.parameters.len() != arguments.len() {
            let shape = format!("{}({})", name.text, definition.parameters.join(", "));
            return self.wrong_arguments(name, &format!("`{shape}`"));
        }
        if self.stack.contains(&name.text) {
            self.has_failed = true;
            let path = self.stack.join("` uses `");
            let message = format!("the definition of `{}` uses itself", name.text);
            self.resolver.report(
                Diagnostic::error(self.codes().recursive_definition, message, name.span, "here again").help(
                    format!("`{path}` uses `{}`; definitions are unfolded, so this has no end", name.text),
                ),
            );
            return Formula::TRUE;
        }
        let mut inner = Environment::default();
        for (parameter, argument) in definition.parameters.iter().zip(arguments) {
            inner.insert(parameter.clone(), self.argument(argument, environment));
        }
        self.stack.push(name.text.clone());
        let unfolded = self.unfold(&definition.formula, &inner);
        self.stack.pop();
        unfolded
    }

    /// Is this a variable that holds truth values?
    fn is_truth_value(&self, name: &str) -> bool {
        self.resolver.known(name).is_some_and(|var| self.resolver.is_truth(var))
    }

    fn argument(&mut self, argument: &Argument, environment: &Environment) -> Argument {
        match argument {
            Argument::Expr(Expr { kind: ExprKind::Name(name), .. }) if environment.contains_key(name) => {
                environment[name].clone()
            }
            Argument::Expr(expr) => Argument::Expr(substitute(expr, environment)),
            Argument::Formula(formula) => Argument::Unfolded(self.unfold(formula, environment)),
            Argument::Unfolded(formula) => Argument::Unfolded(formula.clone()),
        }
    }

    pub(super) fn wrong_arguments(&mut self, name: &Name, shape: &str) -> Formula<Atom> {
        let message = format!("wrong arguments for `{}`", name.text);
        self.resolver.report(
            Diagnostic::error(self.codes().wrong_arguments, message, name.span, "")
                .help(format!("it is used as {shape}")),
        );
        Formula::TRUE
    }

    fn unknown_proposition(&mut self, name: &Name) -> Formula<Atom> {
        let scope = &self.resolver.scope;
        let mut diagnostic = Diagnostic::error(
            self.codes().unknown_proposition,
            format!("`{}` is not a proposition of this program", name.text),
            name.span,
            "nothing defines it",
        );
        let known = self.definitions.keys().map(String::as_str).chain(["at", "exec"]);
        if scope.variable_ids.contains_key(&name.text) {
            diagnostic = diagnostic.help(format!("compare the variable with something: `{} = 1`", name.text));
        } else if scope.labels.contains_key(&name.text) {
            let at = scope.dialect.at.spell(&name.text);
            diagnostic = diagnostic.help(format!("write `{at}`, with a process"));
        } else if let Some(meant) = self.resolver.suggest(&name.text, (Severity::Error, name.span), known) {
            diagnostic = diagnostic.help(format!("did you mean `{meant}`?"));
        } else {
            let at = match scope.dialect.at {
                AtMeaning::NextStatement => scope.dialect.at.spell("name"),
                AtMeaning::LastNode => scope.dialect.at.spell("m1"),
            };
            diagnostic =
                diagnostic.help(format!("`{at}`, `exec(1)`, comparisons, and what `define` names are"));
        }
        self.resolver.report(diagnostic);
        Formula::TRUE
    }
}

/// The expression with parameters replaced by their arguments.
pub(super) fn substitute(expr: &Expr, environment: &Environment) -> Expr {
    if environment.is_empty() {
        return expr.clone();
    }
    let replaced = replace(expr, environment);
    let is_allowed = depth(&replaced) <= 2 * MAX_NESTING;
    if is_allowed { replaced } else { Expr { kind: ExprKind::Broken, span: expr.span } }
}

fn replace(expr: &Expr, environment: &Environment) -> Expr {
    let inside = |inner: &Expr| Box::new(replace(inner, environment));
    let kind = match &expr.kind {
        ExprKind::Name(name) => match environment.get(name) {
            Some(Argument::Expr(argument)) => return argument.clone(),
            _ => ExprKind::Name(name.clone()),
        },
        ExprKind::Element(name, index) => ExprKind::Element(name.clone(), inside(index)),
        ExprKind::Member(name, arguments) => {
            let arguments = arguments.iter().map(|argument| replace(argument, environment)).collect();
            ExprKind::Member(name.clone(), arguments)
        }
        ExprKind::Of(variable, process) => ExprKind::Of(inside(variable), inside(process)),
        ExprKind::Field(base, field) => ExprKind::Field(inside(base), field.clone()),
        ExprKind::Negative(inner) => ExprKind::Negative(inside(inner)),
        ExprKind::Not(inner) => ExprKind::Not(inside(inner)),
        ExprKind::Binary(operator, left, right) => ExprKind::Binary(*operator, inside(left), inside(right)),
        leaf => leaf.clone(),
    };
    Expr { kind, span: expr.span }
}

fn depth(expr: &Expr) -> usize {
    1 + match &expr.kind {
        ExprKind::Element(_, inner)
        | ExprKind::Field(inner, _)
        | ExprKind::Negative(inner)
        | ExprKind::Not(inner) => depth(inner),
        ExprKind::Member(_, arguments) => arguments.iter().map(depth).max().unwrap_or(0),
        ExprKind::Of(left, right) | ExprKind::Binary(_, left, right) => depth(left).max(depth(right)),
        _ => 0,
    }
}
