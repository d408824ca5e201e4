//! Definitions unfolded, and the names of a formula looked up.
//!
//! A definition's arguments are numbers, names or whole formulas, put in the place of its parameters.
//!
//! Promise: unfolding ends: a definition that uses itself is refused, and so is a formula of more than [`MAX_FORMULA`] parts.

use super::Atom;
use super::ast::{Expr, ExprKind, Name};
use super::formula::{Argument, Definitions, Raw};
use super::parse::MAX_NESTING;
use super::resolve::{Resolver, listed};
use crate::suggest;
use rustc_hash::FxHashMap;
use selvedge_ltl::Formula;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;
use selvedge_ltl::syntax::MAX_DEPTH;

/// The largest formula that definitions may unfold to.
pub const MAX_FORMULA: usize = 100_000;

/// Looks names up and unfolds definitions.
pub(crate) struct Unfolder<'u, 's> {
    pub(crate) resolver: Resolver<'s>,
    pub(crate) definitions: &'u Definitions,
    /// The definitions that are being unfolded.
    pub(crate) stack: Vec<String>,
    /// Where the whole formula stands.
    pub(crate) place: Span,
    pub(crate) size: usize,
    pub(crate) failed: bool,
}

pub(crate) type Environment = FxHashMap<String, Argument>;

impl Unfolder<'_, '_> {
    /// The formula over propositions that are looked up.
    pub(crate) fn unfold(&mut self, formula: &Formula<Raw>, environment: &Environment) -> Formula<Atom> {
        self.size += formula.size();
        if self.size > MAX_FORMULA && !self.failed {
            self.failed = true;
            let message =
                format!("the formula has more than {MAX_FORMULA} parts once definitions are unfolded");
            self.resolver.report(Diagnostic::error("par::formula-too-large", message, self.place, ""));
        }
        if self.failed {
            return Formula::TRUE;
        }
        let unfolded = formula.substitute(&mut |raw| self.atom(raw, environment));
        if unfolded.depth() > MAX_DEPTH {
            self.failed = true;
            let message =
                format!("the formula is nested more than {MAX_DEPTH} deep once definitions are unfolded");
            self.resolver.report(Diagnostic::error("par::formula-too-large", message, self.place, ""));
            return Formula::TRUE;
        }
        unfolded
    }

    fn atom(&mut self, raw: &Raw, environment: &Environment) -> Formula<Atom> {
        match raw {
            Raw::Test(expr) => self.test(&substitute(expr, environment)),
            Raw::Quantified(quantified) => self.quantified(quantified, environment),
            Raw::Use(name, arguments) => {
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
                    _ => self.use_of(name, arguments, environment),
                }
            }
        }
    }

    /// A parameter where a formula is needed.
    fn parameter(&mut self, argument: &Argument) -> Formula<Atom> {
        match argument {
            Argument::Unfolded(formula) => {
                self.size += formula.size();
                if self.size > MAX_FORMULA { Formula::TRUE } else { formula.clone() }
            }
            Argument::Expr(Expr { kind: ExprKind::Name(name), span }) => {
                let name = Name { text: name.clone(), span: *span };
                self.atom(&Raw::Use(name, Vec::new()), &Environment::default())
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

    /// `at(i, name)`
    fn at(&mut self, name: &Name, arguments: &[Argument], environment: &Environment) -> Formula<Atom> {
        let in_flow = self.resolver.scope.nodes.is_some();
        let shape = if in_flow { "`P0 at m1`" } else { "`at(1, crit)`" };
        let shape = format!("{shape}: a process and a statement");
        let [Argument::Expr(process), Argument::Expr(statement)] = arguments else {
            return self.wrong_arguments(name, &shape);
        };
        let process_expr = substitute(process, environment);
        let statement = substitute(statement, environment);
        let process = self.resolver.process(&process_expr);
        let ExprKind::Name(wanted) = &statement.kind else {
            return self.wrong_arguments(name, &shape);
        };
        if in_flow {
            return process.map_or(Formula::TRUE, |process| self.at_node(process, wanted, statement.span));
        }
        let Some(&(id, _)) = self.resolver.scope.statements.get(wanted) else {
            return self.unknown_statement(wanted, statement.span);
        };
        let Some(process) = process else { return Formula::TRUE };
        let text = format!("at({}, {wanted})", self.process_name(process));
        Formula::Prop(Atom::At { process, statement: id, text })
    }

    /// `exec(i)`
    fn exec(&mut self, name: &Name, arguments: &[Argument], environment: &Environment) -> Formula<Atom> {
        let [Argument::Expr(process)] = arguments else {
            return self.wrong_arguments(name, "`exec(1)`: a process");
        };
        let process = substitute(process, environment);
        let Some(process) = self.resolver.process(&process) else { return Formula::TRUE };
        let text = format!("exec({})", self.process_name(process));
        Formula::Prop(Atom::Exec { process, text })
    }

    pub(crate) fn process_name(&self, process: u32) -> String {
        self.resolver.scope.process_names[process as usize].clone()
    }

    /// A definition, unfolded.
    fn use_of(&mut self, name: &Name, arguments: &[Argument], environment: &Environment) -> Formula<Atom> {
        let Some(definition) = self.definitions.get(&name.text) else {
            return match self.glued_at(name) {
                Some(place) => self.at(name, &place, environment),
                None => self.unknown(name),
            };
        };
        if definition.parameters.len() != arguments.len() {
            let shape = format!("{}({})", name.text, definition.parameters.join(", "));
            return self.wrong_arguments(name, &format!("`{shape}`"));
        }
        if self.stack.contains(&name.text) {
            self.failed = true;
            let path = self.stack.join("` uses `");
            let message = format!("the definition of `{}` uses itself", name.text);
            self.resolver.report(
                Diagnostic::error("par::recursive-definition", message, name.span, "here again").help(
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

    fn wrong_arguments(&mut self, name: &Name, shape: &str) -> Formula<Atom> {
        let message = format!("wrong arguments for `{}`", name.text);
        self.resolver.report(
            Diagnostic::error("par::wrong-arguments", message, name.span, "")
                .help(format!("it is used as {shape}")),
        );
        Formula::TRUE
    }

    fn unknown_statement(&mut self, wanted: &str, span: Span) -> Formula<Atom> {
        let mut known: Vec<&str> = self.resolver.scope.statements.keys().map(String::as_str).collect();
        known.sort_unstable();
        let help = match suggest::nearest(wanted, known.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None if known.is_empty() => format!("declare it: `statement {wanted};`"),
            None => format!("the statements are {}", listed(&known)),
        };
        let message = format!("`{wanted}` is not a statement");
        self.resolver.report(Diagnostic::error("par::unknown-statement", message, span, "").help(help));
        Formula::TRUE
    }

    fn unknown(&mut self, name: &Name) -> Formula<Atom> {
        let scope = &self.resolver.scope;
        let mut diagnostic = Diagnostic::error(
            "par::unknown-proposition",
            format!("`{}` is not a proposition of this program", name.text),
            name.span,
            "nothing defines it",
        );
        let known = self.definitions.keys().map(String::as_str).chain(["at", "exec"]);
        let at = if scope.nodes.is_some() { "P0 at m1" } else { "at(1, name)" };
        if scope.variable_ids.contains_key(&name.text) {
            diagnostic = diagnostic.help(format!("compare the variable with something: `{} = 1`", name.text));
        } else if scope.statements.contains_key(&name.text) {
            let (open, close) = if scope.nodes.is_some() { ("P0 at ", "") } else { ("at(1, ", ")") };
            diagnostic = diagnostic.help(format!("write `{open}{}{close}`, with a process", name.text));
        } else if let Some(meant) = suggest::nearest(&name.text, known) {
            diagnostic = diagnostic.help(format!("did you mean `{meant}`?"));
        } else {
            diagnostic =
                diagnostic.help(format!("`{at}`, `exec(1)`, comparisons, and what `define` names are"));
        }
        self.resolver.report(diagnostic);
        Formula::TRUE
    }
}

/// The expression with arguments in the place of parameters.
pub(super) fn substitute(expr: &Expr, environment: &Environment) -> Expr {
    if environment.is_empty() {
        return expr.clone();
    }
    let replaced = replace(expr, environment);
    let allowed = depth(&replaced) <= 2 * MAX_NESTING;
    if allowed { replaced } else { Expr { kind: ExprKind::Broken, span: expr.span } }
}

fn replace(expr: &Expr, environment: &Environment) -> Expr {
    let inside = |inner: &Expr| Box::new(replace(inner, environment));
    let kind = match &expr.kind {
        ExprKind::Name(name) => match environment.get(name) {
            Some(Argument::Expr(argument)) => return argument.clone(),
            _ => ExprKind::Name(name.clone()),
        },
        ExprKind::Element(name, index) => ExprKind::Element(name.clone(), inside(index)),
        ExprKind::Member(name, index) => ExprKind::Member(name.clone(), inside(index)),
        ExprKind::Of(variable, process) => ExprKind::Of(inside(variable), inside(process)),
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
        | ExprKind::Member(_, inner)
        | ExprKind::Negative(inner)
        | ExprKind::Not(inner) => depth(inner),
        ExprKind::Of(left, right) | ExprKind::Binary(_, left, right) => depth(left).max(depth(right)),
        _ => 0,
    }
}
