//! Loops that are left by `break`, and `for`, which is unfolded.
//!
//! A `break` goes on behind the innermost loop around it. In a continuation that loop is the first statement
//! with the depth of the `break`: a loop that comes before it is inside the same body, and so deeper. Only a
//! loop with a `break` has a depth, so that all others are equal where their texts are.
//!
//! Promise: a `for` takes no steps but those of its bodies; a `break` takes one.

use super::{Compiler, ContinuationId, EMPTY, NodeNumbers, OccurrenceId, StatementText};
use crate::flow_graph::{Cell, NodeId, Term};
use crate::parallel::MAX_NODES;
use crate::parallel::ast::{Block, Range};
use crate::syntax::MAX_RANGE;
use crate::syntax::function::Bound;
use crate::syntax::tree::Expr;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;

/// How many loops are around the statements of a loop, itself included.
pub(super) type LoopDepth = u32;

/// A statement, and the statements inside.
type WithInside = (StatementText, Vec<Vec<OccurrenceId>>);

/// Statements are interned.
impl Compiler<'_, '_> {
    /// Reads the body of a loop; with the loop's depth if the body has a `break` out of it.
    pub(super) fn in_loop<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> (T, Option<LoopDepth>) {
        self.loops.push(false);
        let body = body(self);
        let depth = self.loops.len() as LoopDepth;
        let has_break = self.loops.pop() == Some(true);
        (body, has_break.then_some(depth))
    }

    /// `break`, unless there is no loop to leave.
    pub(super) fn break_out(&mut self, span: Span) -> Option<StatementText> {
        if self.loops.len() > self.loop_floor
            && let Some(has_break) = self.loops.last_mut()
        {
            *has_break = true;
            return Some(StatementText::Break(self.loops.len() as LoopDepth));
        }
        let message = match (self.in_atomic, self.loops.is_empty()) {
            (true, true) => "`break` cannot leave an `atomic`",
            (_, false) => "`break` cannot leave a procedure",
            (false, true) => "`break` is in no loop",
        };
        let diagnostic = Diagnostic::error("par::no-loop", message, span, "")
            .help("`break` leaves the innermost `while`, `repeat` or `for` around it");
        self.resolver.report(diagnostic);
        None
    }

    /// The bodies of a `for`, one a number.
    pub(super) fn for_each(&mut self, range: &Range, body: &Block) -> Option<WithInside> {
        let (first, last) = self.range(&range.first, &range.last, "goes through")?;
        let place = range.first.span.to(range.last.span);
        let (bodies, depth) =
            self.in_loop(|compiler| compiler.bodies(&range.variable.text, first..=last, body));
        if self.occurrences.len() > MAX_NODES {
            let message = format!("this `for` makes more than {MAX_NODES} statements");
            self.resolver.report(Diagnostic::error("par::too-large", message, place, ""));
            return None;
        }
        let texts = bodies.iter().map(|body| self.block_id(body)).collect();
        Some((StatementText::For(texts, depth), bodies))
    }

    fn bodies(
        &mut self,
        variable: &str,
        numbers: std::ops::RangeInclusive<i64>,
        body: &Block,
    ) -> Vec<Vec<OccurrenceId>> {
        let mut bodies = Vec::new();
        for number in numbers {
            let before = self.resolver.diagnostics.len();
            self.resolver.parameters.push((variable.to_owned(), Bound::number(number)));
            bodies.push(self.block(body));
            self.resolver.parameters.pop();
            // An error for one number is most often an error for all.
            if self.resolver.diagnostics.len() > before || self.occurrences.len() > MAX_NODES {
                break;
            }
        }
        bodies
    }

    /// The values of `choose x in a..b`: numbers, names of one enumeration, or truth values.
    pub(super) fn chosen_values(&mut self, first: &Expr, last: &Expr) -> Option<Vec<Term>> {
        let bounds = [first, last].map(|bound| self.resolver.constant_term(bound, false));
        let [Some(from), Some(to)] = bounds else { return None };
        let numbers = match (&from, &to) {
            (Term::Name(names, from), Term::Name(others, to)) if names == others && from <= to => {
                return Some((*from..=*to).map(|value| Term::Name(names.clone(), value)).collect());
            }
            (Term::Truth(from), Term::Truth(to)) if from <= to => {
                return Some(
                    [false, true].into_iter().filter(|b| from <= b && b <= to).map(Term::Truth).collect(),
                );
            }
            _ => self.range(first, last, "is chosen from")?,
        };
        Some((numbers.0..=numbers.1).map(Term::Int).collect())
    }

    /// Constant bounds of a range that is not empty and not too long.
    pub(super) fn range(&mut self, first: &Expr, last: &Expr, verb: &str) -> Option<(i64, i64)> {
        let place = first.span.to(last.span);
        let bounds = (self.resolver.constant(first)?, self.resolver.constant(last)?);
        let (message, label) = match bounds {
            (Cell::Int(first), Cell::Int(last)) if first > last => {
                (format!("there is no number from {first} to {last}"), "an empty range".to_owned())
            }
            (Cell::Int(first), Cell::Int(last)) if last.saturating_sub(first) >= MAX_RANGE => {
                let count = i128::from(last) - i128::from(first) + 1;
                (format!("what {verb} is at most {MAX_RANGE} numbers"), format!("these are {count}"))
            }
            (Cell::Int(first), Cell::Int(last)) => return Some((first, last)),
            _ => ("expected an integer, found null".to_owned(), String::new()),
        };
        self.resolver.report(Diagnostic::error("par::bad-range", message, place, label));
        None
    }
}

/// Continuations become nodes.
impl Compiler<'_, '_> {
    /// The node of a continuation.
    pub(super) fn number(&mut self, numbers: &mut NodeNumbers, continuation: ContinuationId) -> NodeId {
        numbers.number(self.first_step(continuation))
    }

    /// The continuation with a step at its beginning, perhaps behind an `end` label: a `for` is unfolded,
    /// the mark behind one left out, and of several labels one is left. So a loop that comes back to its
    /// label comes back to itself.
    pub(super) fn first_step(&mut self, mut continuation: ContinuationId) -> ContinuationId {
        let mut label = None;
        while continuation != EMPTY {
            let (first, after) = self.continuations[continuation as usize];
            let occurrence = &self.occurrences[first as usize];
            continuation = match &occurrence.text {
                StatementText::EndOfFor(_) => after,
                StatementText::End => {
                    label.get_or_insert(first);
                    after
                }
                StatementText::For(_, depth) => {
                    let (depth, span, bodies) = (*depth, occurrence.span, occurrence.inside.clone());
                    self.unfolded(&bodies, (depth, span), after)
                }
                _ => break,
            };
        }
        label.map_or(continuation, |label| self.prepend(&[label], continuation))
    }

    /// The bodies of a `for`, one after the other, then its mark if one of them has a `break`.
    fn unfolded(
        &mut self,
        bodies: &[Vec<OccurrenceId>],
        (depth, span): (Option<LoopDepth>, Span),
        mut after: ContinuationId,
    ) -> ContinuationId {
        if let Some(depth) = depth {
            let mark = self.occurrence(StatementText::EndOfFor(depth), span, Vec::new());
            after = self.prepend(&[mark], after);
        }
        bodies.iter().rev().fold(after, |after, body| self.prepend(body, after))
    }

    /// What comes behind the loop of this depth.
    pub(super) fn after_loop(&self, mut continuation: ContinuationId, depth: LoopDepth) -> ContinuationId {
        loop {
            assert!(continuation != EMPTY, "a `break` is inside its loop");
            let (first, after) = self.continuations[continuation as usize];
            let found = match &self.occurrences[first as usize].text {
                StatementText::While(_, _, found) | StatementText::Repeat(_, found) => *found,
                StatementText::EndOfFor(found) => Some(*found),
                _ => None,
            };
            if found == Some(depth) {
                return after;
            }
            continuation = after;
        }
    }
}
