//! Comprehensions as functions: each generator is a function over its list.
//!
//! `[T || P <- L, F]` is a call of `go(L)` with `go([P | R]) -> case F of true -> [T | go(R)]; false ->
//! go(R) end; go([_ | R]) -> go(R); go([]) -> [].` A further generator is a comprehension of its own,
//! whose list goes in front of `go(R)`.

use super::Lowering;
use super::scope::Scope;
use crate::erlang::code::bif::Bif;
use crate::erlang::code::{Clause, Node, NodeId, Operation, Otherwise, Pattern, Slot};
use crate::erlang::syntax::tree::{self, Expr, PatternKind, Qualifier, QualifierKind};
use selvedge_ltl::source::Span;

/// What follows the elements so far.
#[derive(Clone, Copy)]
enum Rest {
    Nil,
    /// The generator goes on with the list in this slot.
    GoOn(Slot),
}

impl Lowering<'_> {
    pub(super) fn list_comprehension(
        &mut self,
        span: Span,
        template: &Expr,
        qualifiers: &[Qualifier],
    ) -> NodeId {
        self.qualifiers(span, template, qualifiers, Rest::Nil)
    }

    fn rest(&mut self, span: Span, rest: Rest) -> NodeId {
        match rest {
            Rest::Nil => {
                let nil = self.nil();
                self.value(span, nil)
            }
            Rest::GoOn(slot) => {
                let list = self.push(span, Node::Slot(slot));
                // The function and what it captures are known in the end.
                let call = self.apply(span, Operation::Call(0), vec![list]);
                self.scope().self_calls.push(call);
                call
            }
        }
    }

    fn qualifiers(&mut self, span: Span, template: &Expr, qualifiers: &[Qualifier], rest: Rest) -> NodeId {
        let Some((first, more)) = qualifiers.split_first() else {
            let head = self.expression(template);
            let tail = self.rest(span, rest);
            return self.apply(span, Operation::Cons, vec![head, tail]);
        };
        match (&first.kind, rest) {
            (QualifierKind::Filter(filter), _) => self.filter(span, (filter, template, more), rest),
            (_, Rest::GoOn(_)) => {
                let inner = self.qualifiers(span, template, qualifiers, Rest::Nil);
                let tail = self.rest(span, rest);
                self.bif(span, Bif::Append, vec![inner, tail])
            }
            (QualifierKind::Generate { pattern, list, strict }, Rest::Nil) => {
                let list = self.expression(list);
                self.generator(span, (pattern, *strict), list, (template, more))
            }
            (QualifierKind::MapGenerate { key, value, map, strict }, Rest::Nil) => {
                let map = self.expression(map);
                let list = self.bif(span, Bif::MapsToList, vec![map]);
                let pair = PatternKind::Tuple(vec![key.clone(), value.clone()]);
                let pattern = tree::Pattern::new(first.span, pair);
                self.generator(span, (&pattern, *strict), list, (template, more))
            }
            (QualifierKind::BinaryGenerate { .. }, _) => {
                self.unsupported(first.span, "a generator of binaries")
            }
            (QualifierKind::Zip(_), _) => self.unsupported(first.span, "generators joined by `&&`"),
        }
    }

    fn filter(
        &mut self,
        span: Span,
        (filter, template, more): (&Expr, &Expr, &[Qualifier]),
        rest: Rest,
    ) -> NodeId {
        let test = self.expression(filter);
        let kept = self.qualifiers(span, template, more, rest);
        let skipped = self.rest(span, rest);
        let (yes, no) = (self.atom("true"), self.atom("false"));
        let clause = |pattern, body| Clause { patterns: [pattern].into(), guard: Box::default(), body };
        if self.is_guard(test) {
            // A test that fails with an exception is false, as in a guard.
            let subject = self.value(span, yes);
            let first = Clause { patterns: [Pattern::Any].into(), guard: [[test].into()].into(), body: kept };
            let clauses = [first, clause(Pattern::Any, skipped)].into();
            return self.push(span, Node::Case { subject, clauses, otherwise: Otherwise::BadFilter });
        }
        let clauses = [clause(Pattern::Value(yes), kept), clause(Pattern::Value(no), skipped)].into();
        self.push(span, Node::Case { subject: test, clauses, otherwise: Otherwise::BadFilter })
    }

    fn generator(
        &mut self,
        span: Span,
        (pattern, is_strict): (&tree::Pattern, bool),
        list: NodeId,
        (template, more): (&Expr, &[Qualifier]),
    ) -> NodeId {
        let id = self.new_function(1);
        self.scopes.push(Scope::default());
        self.scope().reserve(1);
        let element = self.pattern(pattern, true);
        let tail = self.scope().fresh();
        let cons = |head| Pattern::Cons(Box::new(head), Box::new(Pattern::Bind(tail)));
        let clause = |pattern, body| Clause { patterns: [pattern].into(), guard: Box::default(), body };
        let matched = self.qualifiers(span, template, more, Rest::GoOn(tail));
        let mut clauses = vec![clause(cons(element), matched)];
        if !is_strict {
            let skipped = self.rest(span, Rest::GoOn(tail));
            clauses.push(clause(cons(Pattern::Any), skipped));
        }
        let nil = self.nil();
        let end = self.value(span, nil);
        clauses.push(clause(Pattern::Value(nil), end));
        let subject = self.push(span, Node::Slot(0));
        let body = Node::Case { subject, clauses: clauses.into(), otherwise: Otherwise::BadGenerator };
        let body = self.push(span, body);
        let scope = self.scopes.pop().expect("the generator's scope");
        for call in &scope.self_calls {
            let Node::Apply(_, arguments) = self.code.node(*call) else { unreachable!("a call") };
            let mut arguments = arguments.to_vec();
            for slot in scope.captured_slots() {
                arguments.push(self.push(span, Node::Slot(slot)));
            }
            self.code.nodes[*call as usize] = Node::Apply(Operation::Call(id), arguments.into());
        }
        let captured = scope.captured_names();
        self.finish(id, (scope, body));
        let mut arguments = vec![list];
        arguments.extend(self.slots_of(span, &captured));
        self.apply(span, Operation::Call(id), arguments)
    }
}
