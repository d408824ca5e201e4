//! From statements to flow graphs.
//!
//! The control location of a process is its continuation: the rest of its program as text (Meseguer's
//! lecture on PARALLEL: a process is a pair of its name and its program, and each rule rewrites the
//! program). `skip` is the identity of `;`, which is associative, so a continuation is a list of statements
//! without `skip`. Lists are hash-consed on the text alone: two places of the source with equal
//! continuations are one node. Each rule of the lecture is one edge:
//!
//! ```text
//! U; R            =>  R                                    a user statement
//! L; R            =>  R  and  L; R                         a looping user statement
//! x := e; R       =>  R                                    with its reads
//! if t then P fi; R        =>  P; R  or  R
//! while t do P od; R       =>  P; while t do P od; R  or  R
//! repeat P forever; R      =>  P; repeat P forever; R
//! break; .. while t do .. od; R    =>  R                   the loop around
//! choose x in a..b; R      =>  R                           one edge a number
//! ```
//!
//! `for i in a..b do P od` is P with each of the numbers for `i`, one after the other; it is no step itself.
//!
//! A call of a procedure is the procedure's statements ([`call`]).
//!
//! Promise: the number of nodes is linear in the text times its nesting, and at most [`MAX_NODES`].

mod call;
mod channels;
mod describe;
mod loops;
mod together;
mod waiting;

pub(super) use call::Procedures;

use super::ast::{Block, Printed, Statement, StatementKind};
use super::build::LoopingStatements;
use crate::flow_graph::{ChannelPlace, Edge, Effect, FlowGraph, Guard, Lvalue, Node, NodeId, Pattern, Term};
use crate::syntax::resolve::Resolver;
use crate::work::count_step;
use loops::LoopDepth;
use rustc_hash::FxHashMap;
use selvedge_ltl::diagnostic::{Diagnostic, Severity};
use selvedge_ltl::source::Span;
use together::SourcePlace;

/// The most nodes of one process.
pub const MAX_NODES: usize = 2_000_000;

/// The graph of one process; `None` if it has too many nodes, which is reported.
pub(super) fn flow_graph(
    (process, name): (u32, String),
    body: &Block,
    resolver: &mut Resolver<'_>,
    (looping, procedures): (&LoopingStatements, &Procedures<'_>),
) -> Option<FlowGraph> {
    let mut compiler = Compiler {
        process,
        resolver,
        looping,
        procedures,
        texts: FxHashMap::default(),
        blocks: FxHashMap::default(),
        occurrences: Vec::new(),
        continuations: vec![(0, EMPTY)],
        continuation_ids: FxHashMap::default(),
        in_atomic: false,
        loops: Vec::new(),
        loop_floor: 0,
        nesting: 0,
    };
    let block = compiler.block(body);
    let start = compiler.prepend(&block, EMPTY);
    compiler.graph(name, start)
}

/// A statement's text by number.
type TextId = u32;
/// A block's text by number.
type BlockId = u32;
/// An occurrence of a statement in the source, by number.
type OccurrenceId = u32;
/// The rest of a process's program, by number.
type ContinuationId = u32;

/// The continuation of a process at its end.
const EMPTY: ContinuationId = 0;

/// A statement without its place in the source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum StatementText {
    Assign(Lvalue, Term),
    AssignAll(Vec<(Lvalue, Term)>),
    If(Term, BlockId, BlockId),
    While(Term, BlockId, Option<LoopDepth>),
    Repeat(BlockId, Option<LoopDepth>),
    /// The bodies of a `for`, one a number, which are no steps of its own.
    For(Vec<BlockId>, Option<LoopDepth>),
    Break(LoopDepth),
    /// A mark behind the bodies of a `for` with a `break`, which is no statement.
    EndOfFor(LoopDepth),
    ChooseIn(Lvalue, Vec<Term>),
    User {
        label: u32,
        name: String,
        looping: bool,
    },
    Await(Term),
    Choose(Vec<BlockId>),
    /// The last one is the `else`.
    ChooseElse(Vec<BlockId>),
    Atomic(BlockId),
    Assert(Term),
    Print(String, Vec<Term>),
    Send(ChannelPlace, Vec<Term>),
    Receive(ChannelPlace, Vec<Pattern>),
    Timeout,
    /// A mark before a statement where the process may wait for ever, which is no statement.
    End,
    /// A mark behind the statements of an `atomic`, which is no statement.
    EndOfAtomic,
}

/// An occurrence of a statement in the source, with the statements inside.
struct Occurrence {
    text: StatementText,
    id: TextId,
    span: Span,
    /// The call that it was unfolded from.
    call: Option<Span>,
    inside: Vec<Vec<OccurrenceId>>,
}

struct Compiler<'r, 's> {
    /// The process's number.
    process: u32,
    resolver: &'r mut Resolver<'s>,
    looping: &'r LoopingStatements,
    procedures: &'r Procedures<'r>,
    texts: FxHashMap<StatementText, TextId>,
    blocks: FxHashMap<Vec<TextId>, BlockId>,
    occurrences: Vec<Occurrence>,
    /// The first statement and the continuation after it; the occurrence is the first one with that text.
    continuations: Vec<(OccurrenceId, ContinuationId)>,
    continuation_ids: FxHashMap<(TextId, ContinuationId), ContinuationId>,
    in_atomic: bool,
    /// For each loop around, outermost first: has it a `break`? Inside `atomic`, the loops inside it.
    loops: Vec<bool>,
    /// How many of them are outside of the procedure that is unfolded, and cannot be left.
    loop_floor: usize,
    /// How many blocks are around.
    nesting: usize,
}

/// Statements are interned.
impl Compiler<'_, '_> {
    fn block(&mut self, block: &Block) -> Vec<OccurrenceId> {
        let mut out = Vec::with_capacity(block.len());
        self.nesting += 1;
        for statement in block {
            match &statement.kind {
                StatementKind::Group(inner) => out.extend(self.block(inner)),
                // An `atomic` inside of an `atomic` adds nothing.
                StatementKind::Atomic(inner) if self.in_atomic => out.extend(self.block(inner)),
                StatementKind::Call(name, arguments) => {
                    out.extend(self.call(name, arguments, statement.span));
                }
                StatementKind::User(name) if self.procedures.contains_key(name.text.as_str()) => {
                    out.extend(self.call(name, &[], statement.span));
                }
                _ => out.extend(self.statement(statement)),
            }
        }
        self.nesting -= 1;
        out
    }

    fn statement(&mut self, statement: &Statement) -> Option<OccurrenceId> {
        let (text, inside) = match &statement.kind {
            StatementKind::Skip | StatementKind::Group(_) | StatementKind::Call(..) => return None,
            StatementKind::Assign(lvalue, value) => (self.assign(lvalue, value, statement.span)?, Vec::new()),
            StatementKind::AssignAll(parts) => (self.assign_all(parts, statement.span)?, Vec::new()),
            StatementKind::If(test, yes, no) => {
                let test = self.resolver.test(test);
                let inside = vec![self.block(yes), self.block(no)];
                (StatementText::If(test, self.block_id(&inside[0]), self.block_id(&inside[1])), inside)
            }
            StatementKind::While(test, body) => {
                let test = self.resolver.test(test);
                let (body, depth) = self.in_loop(|compiler| compiler.block(body));
                (StatementText::While(test, self.block_id(&body), depth), vec![body])
            }
            StatementKind::Repeat(body) => {
                let (body, depth) = self.in_loop(|compiler| compiler.block(body));
                if depth.is_none() {
                    self.refuse_endless(statement.span);
                }
                (StatementText::Repeat(self.block_id(&body), depth), vec![body])
            }
            StatementKind::For(range, body) => self.for_each(range, body)?,
            StatementKind::Choose(branches) => {
                let inside: Vec<_> = branches.iter().map(|branch| self.block(branch)).collect();
                (StatementText::Choose(inside.iter().map(|branch| self.block_id(branch)).collect()), inside)
            }
            StatementKind::ChooseElse(branches, otherwise) => {
                let all = branches.iter().chain([otherwise]);
                let inside: Vec<_> = all.map(|branch| self.block(branch)).collect();
                let texts = inside.iter().map(|branch| self.block_id(branch)).collect();
                (StatementText::ChooseElse(texts), inside)
            }
            StatementKind::Atomic(body) => {
                let outer = std::mem::replace(&mut self.in_atomic, true);
                let loops = (std::mem::take(&mut self.loops), std::mem::take(&mut self.loop_floor));
                let body = self.block(body);
                (self.in_atomic, (self.loops, self.loop_floor)) = (outer, loops);
                (StatementText::Atomic(self.block_id(&body)), vec![body])
            }
            StatementKind::Break => (self.break_out(statement.span)?, Vec::new()),
            StatementKind::End => (self.end_label(statement.span)?, Vec::new()),
            StatementKind::Create(name, arguments) => {
                let choice = self.create(name, arguments, statement.span)?;
                return self.statement(&choice);
            }
            simple => (self.simple(simple)?, Vec::new()),
        };
        Some(self.occurrence(text, statement.span, inside))
    }

    /// Statements without statements inside.
    fn simple(&mut self, kind: &StatementKind) -> Option<StatementText> {
        Some(match kind {
            StatementKind::User(name) if self.is_timeout(&name.text) => self.timeout(name.span)?,
            StatementKind::User(name) => {
                let Some(&label) = self.resolver.scope.labels.get(&name.text) else {
                    self.unknown_statement(&name.text, name.span);
                    return None;
                };
                let looping = self.looping.contains(&name.text);
                if self.in_atomic {
                    self.resolver.scope.labels_in_atomic.insert((self.process, label), name.span);
                }
                StatementText::User { label, name: name.text.clone(), looping }
            }
            StatementKind::ChooseIn(lvalue, first, last) => {
                let values = self.chosen_values(first, last)?;
                let place = first.span.to(last.span);
                let lvalue = self.resolver.lvalue(lvalue)?;
                if !self.resolver.fit(&lvalue, &values[0], place) {
                    return None;
                }
                StatementText::ChooseIn(lvalue, values)
            }
            StatementKind::Await(test) => StatementText::Await(self.resolver.test(test)),
            StatementKind::Assert(test) => StatementText::Assert(self.resolver.test(test)),
            StatementKind::Send(channel, fields) => self.send(channel, fields)?,
            StatementKind::Receive(channel, fields) => self.receive(channel, fields)?,
            StatementKind::Print(printed) => {
                let mut terms = Vec::new();
                let piece = |piece: &Printed| match piece {
                    Printed::Text(text) => format!("\"{text}\""),
                    Printed::Value(expr) => {
                        let term = self.resolver.value(expr);
                        let text = term.text(&self.resolver.scope.variables).to_string();
                        terms.push(term);
                        text
                    }
                };
                let pieces: Vec<String> = printed.iter().map(piece).collect();
                StatementText::Print(pieces.join(", "), terms)
            }
            _ => return None,
        })
    }

    fn unknown_statement(&mut self, name: &str, span: Span) {
        let labels = self.resolver.scope.labels.keys().map(String::as_str);
        let known = labels.chain(self.procedures.keys().copied());
        let help = match self.resolver.suggest(name, (Severity::Error, span), known) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("declare it: `statement {name};`, or assign to it: `{name} := ..`"),
        };
        let message = format!("`{name}` is not a statement");
        let label = "no statement of this name is declared";
        let diagnostic = Diagnostic::error("par::unknown-statement", message, span, label).help(help);
        self.resolver.report(diagnostic);
    }

    fn refuse_endless(&mut self, span: Span) {
        if self.in_atomic {
            let message = "`repeat` inside `atomic` never ends";
            let diagnostic = Diagnostic::error("par::endless-atomic", message, span, "")
                .help("put `atomic` inside of `repeat`");
            self.resolver.report(diagnostic);
        }
    }

    fn block_id(&mut self, block: &[OccurrenceId]) -> BlockId {
        let texts = block.iter().map(|occurrence| self.occurrences[*occurrence as usize].id).collect();
        let next = self.blocks.len() as BlockId;
        *self.blocks.entry(texts).or_insert(next)
    }

    fn occurrence(
        &mut self,
        text: StatementText,
        span: Span,
        inside: Vec<Vec<OccurrenceId>>,
    ) -> OccurrenceId {
        let next = self.texts.len() as TextId;
        let id = *self.texts.entry(text.clone()).or_insert(next);
        let call = self.outermost_call();
        self.occurrences.push(Occurrence { text, id, span, call, inside });
        (self.occurrences.len() - 1) as OccurrenceId
    }
}

/// Continuations become nodes.
impl Compiler<'_, '_> {
    /// The block, then the continuation.
    fn prepend(&mut self, block: &[OccurrenceId], mut continuation: ContinuationId) -> ContinuationId {
        for occurrence in block.iter().rev() {
            count_step();
            let key = (self.occurrences[*occurrence as usize].id, continuation);
            let next = self.continuations.len() as ContinuationId;
            continuation = *self.continuation_ids.entry(key).or_insert(next);
            if continuation == next {
                self.continuations.push((*occurrence, key.1));
            }
        }
        continuation
    }

    fn graph(mut self, name: String, start: ContinuationId) -> Option<FlowGraph> {
        let mut numbers = NodeNumbers { numbers: FxHashMap::default(), order: Vec::new() };
        numbers.number(EMPTY);
        let start = self.number(&mut numbers, start);
        let mut nodes = vec![Node { label: "end".to_owned(), ..Node::default() }];
        while nodes.len() < numbers.order.len() {
            if self.continuations.len() > MAX_NODES {
                let message = format!("process `{name}` has more than {MAX_NODES} places of control");
                self.resolver.report(Diagnostic::error("par::too-large", message, Span::default(), ""));
                return None;
            }
            let continuation = numbers.order[nodes.len()];
            let mut node = Node { label: self.location_text(continuation), ..Node::default() };
            self.add_edges(continuation, &mut node, &mut numbers);
            nodes.push(node);
        }
        Some(FlowGraph::new(name, nodes, start))
    }

    /// Adds the steps of a continuation, each by its rule.
    fn add_edges(&mut self, continuation: ContinuationId, node: &mut Node, numbers: &mut NodeNumbers) {
        count_step();
        // What loops come back to: an `end` label stays before its loop.
        let (whole, continuation) = (continuation, self.behind_end_labels(continuation, node));
        if continuation == EMPTY {
            return;
        }
        let (first, after) = self.continuations[continuation as usize];
        let Occurrence { text, span, call, inside, .. } = &self.occurrences[first as usize];
        let (statement, span, call, inside) = (text.clone(), *span, *call, inside.clone());
        let text = self.step_text(&statement, &inside);
        let mut edge = |guard: Guard, effect: Effect, target: NodeId, text: String| {
            node.edges.push(Edge { guard, effect, target, text, span, call });
        };
        let next = self.number(numbers, after);
        let simple = match statement {
            StatementText::Assign(lvalue, value) => Effect::Assign(lvalue, value),
            StatementText::AssignAll(parts) => Effect::AssignAll(parts),
            StatementText::Assert(test) => Effect::Assert(test),
            StatementText::Print(_, terms) => Effect::Print(terms),
            StatementText::Send(channel, values) => Effect::Send(channel, values),
            StatementText::Receive(channel, patterns) => Effect::Receive(channel, patterns),
            StatementText::Await(test) => return edge(Guard::Holds(test), Effect::Nothing, next, text),
            StatementText::User { label, looping, .. } => {
                if looping {
                    let again = self.number(numbers, whole);
                    edge(Guard::Always, Effect::Nothing, again, format!("{text} goes on"));
                }
                edge(Guard::Always, Effect::Nothing, next, text);
                node.statements.push(label);
                return;
            }
            StatementText::If(test, ..) | StatementText::While(test, ..) => {
                // A loop has no block for where its test fails.
                let no = inside.get(1).map_or(after, |no| self.prepend(no, after));
                let yes = self.prepend(&inside[0], if inside.len() > 1 { after } else { whole });
                let (yes, no) = (self.number(numbers, yes), self.number(numbers, no));
                edge(Guard::Holds(test.clone()), Effect::Nothing, yes, text.clone());
                return edge(Guard::Fails(test), Effect::Nothing, no, format!("not ({text})"));
            }
            StatementText::Repeat(..) => {
                let body = self.prepend(&inside[0], whole);
                let body = self.number(numbers, body);
                return edge(Guard::Always, Effect::Nothing, body, text);
            }
            StatementText::Choose(_) => {
                return self.add_choice_edges(&inside, (after, (span, call)), node, numbers);
            }
            StatementText::ChooseElse(_) => {
                return self.add_else_edges(&inside, (after, (span, call)), node, numbers);
            }
            StatementText::ChooseIn(lvalue, values) => {
                return self.add_value_edges((&lvalue, values), (next, (span, call)), node);
            }
            StatementText::Break(depth) => {
                let target = self.after_loop(after, depth);
                let target = self.number(numbers, target);
                return edge(Guard::Always, Effect::Nothing, target, text);
            }
            StatementText::Timeout => return edge(Guard::Timeout, Effect::Nothing, next, text),
            // Other statements are put in the place of these, or of the marks.
            StatementText::EndOfAtomic
            | StatementText::EndOfFor(_)
            | StatementText::For(..)
            | StatementText::End => return,
            StatementText::Atomic(_) => self.atomic(&inside[0], (after, span), numbers),
        };
        edge(Guard::Always, simple, next, text);
    }

    /// The effect of an `atomic`.
    fn atomic(
        &mut self,
        inside: &[OccurrenceId],
        (after, span): (ContinuationId, Span),
        numbers: &mut NodeNumbers,
    ) -> Effect {
        // The mark keeps continuations inside apart from equal ones outside.
        let mark = self.occurrence(StatementText::EndOfAtomic, span, Vec::new());
        let end = self.prepend(&[mark], after);
        let start = self.prepend(inside, end);
        Effect::Atomic(self.number(numbers, start), self.number(numbers, end))
    }

    /// A choice takes the first step of one of its branches.
    fn add_choice_edges(
        &mut self,
        branches: &[Vec<OccurrenceId>],
        (after, (span, call)): (ContinuationId, SourcePlace),
        node: &mut Node,
        numbers: &mut NodeNumbers,
    ) {
        let next = self.first_step(after);
        for branch in branches {
            // Before the mark of a `for`, if one ends here: a `break` in the branch leaves that loop.
            let branch = self.prepend(branch, after);
            let branch = self.first_step(branch);
            if branch == next {
                let (target, text) = (numbers.number(next), "skip".to_owned());
                let (guard, effect) = (Guard::Always, Effect::Nothing);
                node.edges.push(Edge { guard, effect, target, text, span, call });
            } else {
                self.add_edges(branch, node, numbers);
            }
        }
    }
}

/// The numbers of nodes, in the order in which they are reached.
struct NodeNumbers {
    numbers: FxHashMap<ContinuationId, NodeId>,
    order: Vec<ContinuationId>,
}

impl NodeNumbers {
    fn number(&mut self, continuation: ContinuationId) -> NodeId {
        let next = NodeId(self.order.len() as u32);
        let number = *self.numbers.entry(continuation).or_insert(next);
        if number == next {
            self.order.push(continuation);
        }
        number
    }
}
