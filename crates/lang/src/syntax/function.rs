//! Definitions and quantifiers in expressions, which are unfolded.
//!
//! A definition whose text is an expression can be used in programs, and in the comparisons of formulas. Its
//! names are looked up where it is defined: it sees the memory, the constants and its parameters, so it
//! means the same wherever it is used. A parameter stands for its argument, whose names are looked up where
//! the definition is used. A quantifier is its test with each of the numbers, joined by `and` or by `or`.
//!
//! Promise: unfolding ends. A definition that uses itself is refused, and so is an expression that is too
//! large or too deep once it is unfolded. A message about an unfolded text has the place of its use.

use super::parser::{MAX_NESTING, Parser};
use super::quantifier::MAX_RANGE;
use super::record::Record;
use super::resolve::{Resolver, Unknown};
use super::token::{Lexer, Token};
use super::tree::{Define, Expr, ExprKind, Name, QuantifiedTest};
use super::unfold::MAX_FORMULA;
use crate::flow_graph::{Operator, Term};
use selvedge_ltl::diagnostic::{Diagnostic, Severity};
use selvedge_ltl::source::Span;
use std::sync::Arc;

/// The deepest term.
const MAX_DEPTH: usize = 2 * MAX_NESTING;

/// A longer chain of one operator is grouped by halves, as the parser groups it.
const LONGEST_FROM_THE_LEFT: usize = 100;

/// A definition as expressions use it.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    parameters: Vec<String>,
    /// `None` if the text of the definition is a formula and no expression.
    pub(super) body: Option<Expr>,
}

impl Function {
    /// The definition, read by this lexer at the beginning of its text.
    pub(super) fn new(
        define: &Define,
        lexer: Lexer<'_>,
        parser: impl Fn(Lexer<'_>) -> Parser<'_>,
    ) -> Function {
        let lexer = Lexer { at: define.formula.start, end: define.formula.end, ..lexer };
        let mut parser = parser(lexer);
        let body = parser.expression();
        let is_expression = parser.error_count() == 0 && parser.peek().0 == Token::End;
        let parameters = define.parameters.iter().map(|name| name.text.clone()).collect();
        Function { parameters, body: is_expression.then_some(body) }
    }
}

/// What a name stands for: the parameter of a family, the variable of a `for` or of a quantifier, the
/// parameter of a definition or of a procedure.
#[derive(Clone, Debug)]
pub(crate) enum Bound {
    Term(Term),
    /// A whole array, by its name in the scope.
    Whole(String),
    /// A record, by its name in the scope, with the index in an array.
    Record(Arc<Record>, String, Option<Term>),
}

impl Bound {
    pub(crate) fn number(value: i64) -> Bound {
        Bound::Term(Term::Int(value))
    }
}

/// What is being unfolded.
#[derive(Debug, Default)]
pub(crate) struct Unfolding {
    /// The uses of definitions and the calls of procedures around, outermost first.
    pub(crate) calls: Vec<Call>,
    /// How many expressions are around.
    depth: usize,
    /// How many quantifiers are around.
    quantifiers: usize,
    /// How many parts of the expression were unfolded so far.
    parts: usize,
    has_failed: bool,
}

/// A use of a definition, or a call of a procedure.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) span: Span,
}

impl Resolver<'_> {
    /// Notes that an expression begins; false if it is too deep or too large, which is reported.
    pub(super) fn enter(&mut self, span: Span) -> bool {
        if self.unfolding.depth == 0 {
            (self.unfolding.parts, self.unfolding.has_failed) = (0, false);
        }
        let is_unfolded = !self.unfolding.calls.is_empty() || self.unfolding.quantifiers > 0;
        self.unfolding.parts += usize::from(is_unfolded);
        let allowed = self.is_allowed(span);
        self.unfolding.depth += usize::from(allowed);
        allowed
    }

    /// Notes that an expression ends.
    pub(super) fn leave(&mut self) {
        self.unfolding.depth -= 1;
    }

    fn is_allowed(&mut self, span: Span) -> bool {
        let Unfolding { depth, parts, has_failed, .. } = self.unfolding;
        let (code, message) = if has_failed {
            return false;
        } else if depth > MAX_DEPTH {
            let message = format!("the expression is nested more than {MAX_DEPTH} deep once it is unfolded");
            (self.codes().too_deep, message)
        } else if parts > MAX_FORMULA {
            let message = format!("the expression has more than {MAX_FORMULA} parts once it is unfolded");
            (self.codes().formula_too_large, message)
        } else {
            return true;
        };
        self.unfolding.has_failed = true;
        self.report(Diagnostic::error(code, message, span, ""));
        false
    }

    /// The term that a name stands for, which is copied.
    pub(super) fn copy_bound(&mut self, bound: &Bound, (name, span): (&str, Span)) -> Term {
        match bound {
            Bound::Term(term) => {
                let (parts, depth) = measure(term);
                self.unfolding.parts += parts;
                self.unfolding.depth += depth;
                let allowed = self.is_allowed(span);
                self.unfolding.depth -= depth;
                if allowed { term.clone() } else { Term::Null }
            }
            Bound::Whole(_) => self.array_as_number(name, span),
            Bound::Record(record, ..) => self.record_as_value(name, record, span),
        }
    }

    /// What an argument stands for.
    pub(crate) fn bind(&mut self, argument: &Expr) -> Bound {
        if let ExprKind::Name(name) = &argument.kind
            && let Some(whole) = self.whole(name)
        {
            return Bound::Whole(whole);
        }
        if let Some((record, whole, index)) = self.record_place(argument) {
            return Bound::Record(record, whole, index);
        }
        Bound::Term(self.value(argument))
    }

    /// The name in the scope of an array.
    fn whole(&self, name: &str) -> Option<String> {
        match self.bound(name) {
            Some(Bound::Whole(whole)) => return Some(whole.clone()),
            Some(Bound::Term(_) | Bound::Record(..)) => return None,
            None => {}
        }
        if let Some((_, whole, true)) = self.record_variable(name) {
            return Some(whole);
        }
        let whole = self.name_in_scope(name)?;
        let var = self.scope.variable_ids[&whole];
        self.scope.variables[var.0 as usize].length.is_some().then_some(whole)
    }

    /// What a name stands for here, if it stands for something else.
    pub(super) fn bound(&self, name: &str) -> Option<&Bound> {
        self.parameters.iter().rfind(|(parameter, _)| parameter == name).map(|(_, bound)| bound)
    }

    /// A use of a definition, unfolded.
    pub(super) fn call(&mut self, name: &Name, arguments: &[Expr], span: Span) -> Term {
        let Some(function) = self.scope.functions.get(&name.text).cloned() else {
            self.unknown_function(name);
            return Term::Null;
        };
        if function.parameters.len() != arguments.len() {
            let shape = match function.parameters.as_slice() {
                [] => name.text.clone(),
                parameters => format!("{}({})", name.text, parameters.join(", ")),
            };
            self.wrong_arguments(name, &shape);
            return Term::Null;
        }
        let Some(body) = &function.body else {
            let message = format!("`{}` is a formula, and here is an expression", name.text);
            self.report(
                Diagnostic::error(self.codes().expected_test, message, span, "").help(
                    "a definition for programs is made of numbers, comparisons, `and`, `or`, `not` and quantifiers",
                ),
            );
            return Term::Null;
        };
        if self.is_recursive(name, ("the definition of", "uses", "definitions")) {
            return Term::Null;
        }
        let bound: Vec<Bound> = arguments.iter().map(|argument| self.bind(argument)).collect();
        let parameters = function.parameters.iter().cloned().zip(bound).collect();
        let outer = std::mem::replace(&mut self.parameters, parameters);
        let process = self.process.take();
        let unknown = std::mem::replace(&mut self.unknown, Unknown::Refuse);
        self.unfolding.calls.push(Call { name: name.text.clone(), span });
        let term = self.value(body);
        self.unfolding.calls.pop();
        (self.parameters, self.process, self.unknown) = (outer, process, unknown);
        term
    }

    /// Reports wrong arguments of a definition or a procedure.
    pub(crate) fn wrong_arguments(&mut self, name: &Name, shape: &str) {
        let message = format!("wrong arguments for `{}`", name.text);
        self.report(
            Diagnostic::error(self.codes().wrong_arguments, message, name.span, "")
                .help(format!("it is used as `{shape}`")),
        );
    }

    /// Is the definition or procedure already being unfolded? That is reported.
    pub(crate) fn is_recursive(&mut self, name: &Name, (what, verb, all): (&str, &str, &str)) -> bool {
        let calls = &self.unfolding.calls;
        let Some(first) = calls.iter().position(|call| call.name == name.text) else { return false };
        let path: Vec<&str> = calls[first..].iter().map(|call| call.name.as_str()).collect();
        let path = path.join(&format!("` {verb} `"));
        let message = format!("{what} `{}` {verb} itself", name.text);
        let help = format!("`{path}` {verb} `{}`; {all} are unfolded, so this has no end", name.text);
        self.report(
            Diagnostic::error(self.codes().recursive_definition, message, name.span, "here again").help(help),
        );
        true
    }

    fn unknown_function(&mut self, name: &Name) {
        let is_array = self.whole(&name.text).is_some();
        let known = self.scope.functions.keys().map(String::as_str);
        let help = match self.suggest(&name.text, (Severity::Error, name.span), known) {
            _ if is_array => "elements of arrays are written `a[i]`".to_owned(),
            _ if matches!(name.text.as_str(), "at" | "exec" | "enabled") => {
                format!("`{}` is a proposition, for formulas alone", name.text)
            }
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("define it: `define {}(x) = x + 1;`, say", name.text),
        };
        let message = format!("`{}(..)` is no number", name.text);
        self.report(Diagnostic::error(self.codes().expected_number, message, name.span, "").help(help));
    }

    /// The test for each of the numbers, joined.
    pub(super) fn quantified(&mut self, quantified: &QuantifiedTest) -> Term {
        let QuantifiedTest { joint, variable, first, last, test } = quantified;
        let place = first.span.to(last.span);
        let (Some(first), Some(last)) = (self.integer(first), self.integer(last)) else {
            return Term::Truth(true);
        };
        if last.saturating_sub(first) >= MAX_RANGE {
            let message = format!("a quantifier goes through at most {MAX_RANGE} numbers");
            let label = format!("these are {}", i128::from(last) - i128::from(first) + 1);
            self.report(Diagnostic::error(self.codes().range_too_long, message, place, label));
            return Term::Truth(true);
        }
        let mut tests = Vec::new();
        self.unfolding.quantifiers += 1;
        for number in first..=last {
            let before = self.diagnostics.len();
            self.parameters.push((variable.text.clone(), Bound::number(number)));
            tests.push(self.test(test));
            self.parameters.pop();
            // An error for one number is most often an error for all.
            if self.diagnostics.len() > before {
                break;
            }
        }
        self.unfolding.quantifiers -= 1;
        join(*joint, tests).unwrap_or(Term::Truth(*joint == Operator::And))
    }
}

/// A chain of tests, grouped as the parser groups it.
fn join(operator: Operator, mut tests: Vec<Term>) -> Option<Term> {
    let pair = |left: Term, right: Term| Term::Binary(operator, Box::new(left), Box::new(right));
    if tests.len() > LONGEST_FROM_THE_LEFT {
        let rest = tests.split_off(tests.len() / 2);
        return Some(pair(join(operator, tests)?, join(operator, rest)?));
    }
    tests.into_iter().reduce(pair)
}

/// How many parts a term has, and how deep it is.
fn measure(term: &Term) -> (usize, usize) {
    let (parts, depth) = match term {
        Term::Element(_, inner) | Term::Negative(inner) | Term::Not(inner) => measure(inner),
        Term::Binary(_, left, right) => {
            let (left, right) = (measure(left), measure(right));
            (left.0 + right.0, left.1.max(right.1))
        }
        _ => (0, 0),
    };
    (parts + 1, depth + 1)
}
