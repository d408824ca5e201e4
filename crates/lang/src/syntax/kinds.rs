//! Kinds of variables, channels and expressions.
//!
//! A variable has the kind that its declaration names, or that of its first value. If it has neither, it has
//! the kind of the first value that it is assigned or compared with (unification, as in Milner, A Theory of
//! Type Polymorphism in Programming, 1978, without polymorphism); and if there is none, it holds numbers.
//! `null` is of every kind.
//!
//! Promise: no value of another kind is ever in a variable, and no test compares values of different kinds.

use super::resolve::Resolver;
use super::tree::Expr;
use crate::flow_graph::{ChannelId, Enumeration, Kind, Lvalue, Operator, Term, VarId};
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;
use std::sync::Arc;

/// The kind of an expression, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    /// That of `null`.
    Any,
    /// Not known yet; by number.
    Free(usize),
    Known(Kind),
}

#[derive(Clone, Debug)]
enum Slot {
    Free,
    /// The same as another.
    Same(usize),
    Known(Kind),
}

/// The kinds of variables and channels.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kinds {
    slots: Vec<Slot>,
    variables: Vec<usize>,
    /// By channel and field.
    channels: Vec<Vec<usize>>,
}

impl Kinds {
    fn add(&mut self, kind: Option<Kind>) -> usize {
        self.slots.push(kind.map_or(Slot::Free, Slot::Known));
        self.slots.len() - 1
    }

    /// Adds the next variable, with its kind if that is known.
    pub(super) fn add_variable(&mut self, kind: Option<Kind>) {
        let slot = self.add(kind);
        self.variables.push(slot);
    }

    fn find(&self, mut slot: usize) -> Type {
        loop {
            match &self.slots[slot] {
                Slot::Free => return Type::Free(slot),
                Slot::Same(other) => slot = *other,
                Slot::Known(kind) => return Type::Known(kind.clone()),
            }
        }
    }

    fn variable(&self, var: VarId) -> Type {
        self.find(self.variables[var.0 as usize])
    }

    fn channel(&mut self, channel: ChannelId, field: usize) -> Type {
        let index = channel.0 as usize;
        self.channels.resize(self.channels.len().max(index + 1), Vec::new());
        while self.channels[index].len() <= field {
            let slot = self.add(None);
            self.channels[index].push(slot);
        }
        self.find(self.channels[index][field])
    }

    /// The kind of a variable, by number.
    pub(super) fn kind_of_variable(&self, var: usize) -> Kind {
        known(&self.find(self.variables[var]))
    }

    /// The kind of a field of a channel's messages, by numbers.
    pub(super) fn kind_of_field(&mut self, channel: usize, field: usize) -> Kind {
        known(&self.channel(ChannelId(channel as u32), field))
    }

    /// Makes two kinds one; false if they differ.
    fn unify(&mut self, left: &Type, right: &Type) -> bool {
        match (left, right) {
            (Type::Any, _) | (_, Type::Any) => true,
            (Type::Free(left), Type::Free(right)) => {
                if left != right {
                    self.slots[*left] = Slot::Same(*right);
                }
                true
            }
            (Type::Free(slot), Type::Known(kind)) | (Type::Known(kind), Type::Free(slot)) => {
                self.slots[*slot] = Slot::Known(kind.clone());
                true
            }
            (Type::Known(left), Type::Known(right)) => left == right,
        }
    }
}

/// The kind, or that of numbers if it is not known.
fn known(kind: &Type) -> Kind {
    if let Type::Known(kind) = kind { kind.clone() } else { Kind::Number }
}

impl Resolver<'_> {
    fn type_of(&self, term: &Term) -> Type {
        match term {
            Term::Null => Type::Any,
            Term::Var(var) | Term::Element(var, _) => self.scope.kinds.variable(*var),
            Term::Name(names, _) => Type::Known(Kind::Names(names.clone())),
            term if term.is_test() => Type::Known(Kind::Truth),
            _ => Type::Known(Kind::Number),
        }
    }

    /// Is the term of this kind? If its kind is not known yet, it becomes this one.
    pub(super) fn has_kind(&mut self, term: &Term, kind: &Kind) -> bool {
        let found = self.type_of(term);
        self.scope.kinds.unify(&found, &Type::Known(kind.clone()))
    }

    /// The term as a test, if it holds a truth value: `b` is `b = true`.
    pub(super) fn as_test(&mut self, term: Term) -> Result<Term, Term> {
        if term.is_test() {
            return Ok(term);
        }
        if matches!(term, Term::Null) || !self.has_kind(&term, &Kind::Truth) {
            return Err(term);
        }
        Ok(Term::Binary(Operator::Equal, Box::new(term), Box::new(Term::Truth(true))))
    }

    /// Is this a variable that holds truth values?
    pub(super) fn is_truth(&self, var: VarId) -> bool {
        self.scope.kinds.variable(var) == Type::Known(Kind::Truth)
    }

    /// A term that has to be of the kind of the l-value.
    pub(crate) fn fit(&mut self, lvalue: &Lvalue, term: &Term, span: Span) -> bool {
        let wanted = self.scope.kinds.variable(lvalue.variable());
        self.fit_type(&wanted, term, span)
    }

    /// A field of a channel's messages: sent, or, if it is the term of an l-value, received.
    pub(crate) fn fit_field(&mut self, channel: ChannelId, field: usize, term: &Term, span: Span) -> bool {
        let wanted = self.scope.kinds.channel(channel, field);
        self.fit_type(&wanted, term, span)
    }

    fn fit_type(&mut self, wanted: &Type, term: &Term, span: Span) -> bool {
        let found = self.type_of(term);
        let fits = self.scope.kinds.unify(wanted, &found);
        if !fits {
            let wanted = known(wanted);
            self.report_kind(&wanted, &describe(&wanted, &Term::Null), (term, span));
        }
        fits
    }

    /// An assignment: the l-value and the value, if they are of one kind.
    pub(crate) fn assignment(&mut self, lvalue: &Expr, value: &Expr) -> Option<(Lvalue, Term)> {
        let term = self.value(value);
        let lvalue = self.lvalue(lvalue)?;
        self.fit(&lvalue, &term, value.span).then_some((lvalue, term))
    }

    /// Reports operands of a comparison that are of different kinds.
    pub(super) fn compare_kinds(&mut self, left: &Term, right: &Term, span: Span) {
        let types = (self.type_of(left), self.type_of(right));
        if self.scope.kinds.unify(&types.0, &types.1) {
            return;
        }
        let (one, other) = (describe(&known(&types.0), left), describe(&known(&types.1), right));
        let message = format!("{one} is never equal to {other}");
        let mut diagnostic = Diagnostic::error(self.codes().other_kind, message, span, "");
        for kind in [types.0, types.1] {
            if let Type::Known(Kind::Names(names)) = kind {
                diagnostic = diagnostic.help(values_text(&names));
            }
        }
        self.report(diagnostic);
    }

    /// Reports a term of another kind than the wanted one.
    pub(super) fn report_kind(&mut self, wanted: &Kind, name: &str, (term, span): (&Term, Span)) {
        let kind = known(&self.type_of(term));
        let message = format!("expected {name}, found {}", describe(&kind, term));
        let (code, help) = match wanted {
            Kind::Number if matches!(kind, Kind::Names(_)) => {
                (self.codes().expected_number, "names are compared with `=` and `!=`, and no more".to_owned())
            }
            Kind::Number if term.is_test() => (
                self.codes().expected_number,
                "a test may stand behind `if`, `while` and `await`, and go to a variable that is a `bool`"
                    .to_owned(),
            ),
            Kind::Number => (self.codes().expected_number, String::new()),
            Kind::Truth => (self.codes().expected_test, "compare it with something: `x = 1`".to_owned()),
            Kind::Names(names) => (self.codes().other_kind, values_text(names)),
        };
        let diagnostic = Diagnostic::error(code, message, span, "");
        self.report(if help.is_empty() { diagnostic } else { diagnostic.help(help) });
    }
}

fn describe(kind: &Kind, term: &Term) -> String {
    match kind {
        Kind::Number => "a number".to_owned(),
        Kind::Truth if term.is_test() => "a test".to_owned(),
        Kind::Truth => "a `bool`".to_owned(),
        Kind::Names(names) => format!("a `{}`", names.name),
    }
}

fn values_text(names: &Arc<Enumeration>) -> String {
    let values: Vec<&str> = names.values.iter().map(String::as_str).collect();
    format!("the values of `{}` are {}", names.name, super::resolve::list_names(&values))
}
