//! From statements to flow graphs.
//!
//! The control state of a process is the rest of its program as text (Meseguer's lecture on PARALLEL: a process is a pair of its
//! name and its program, and each rule rewrites the program). `skip` is the identity of `;`, which is associative, so a rest is a list
//! of statements without `skip`. Lists are hash-consed on the text alone: two places of the source with equal rests are one node. Each
//! rule of the lecture is one edge:
//!
//! ```text
//! U; R            =>  R                                    a user statement
//! L; R            =>  R  and  L; R                         one that may go on for ever
//! x := e; R       =>  R                                    with its reads
//! if t then P fi; R        =>  P; R  or  R
//! while t do P od; R       =>  P; while t do P od; R  or  R
//! repeat P forever; R      =>  P; repeat P forever; R
//! ```
//!
//! Promise: the number of nodes is linear in the text times its nesting, and at most [`MAX_NODES`].

mod words;

use super::ast::{Block, Printed, Statement, StatementKind};
use super::resolve::Resolver;
use crate::flow::{ChannelId, Edge, Effect, FlowGraph, Guard, Node, NodeId, Place, Term};
use crate::suggest;
use rustc_hash::FxHashMap;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;

/// The most nodes of one process.
pub const MAX_NODES: usize = 2_000_000;

/// The graph of one process; `None` if it has too many nodes, which is reported.
pub(crate) fn flow_graph(name: String, body: &Block, resolver: &mut Resolver<'_>) -> Option<FlowGraph> {
    let mut compiler = Compiler {
        resolver,
        texts: FxHashMap::default(),
        blocks: FxHashMap::default(),
        occurrences: Vec::new(),
        rests: vec![(0, EMPTY)],
        rest_ids: FxHashMap::default(),
        in_atomic: false,
    };
    let block = compiler.block(body);
    let start = compiler.join(&block, EMPTY);
    compiler.graph(name, start)
}

/// A statement's text by number.
type TextId = u32;
/// A block's text by number.
type BlockId = u32;
/// A statement where it stands, by number.
type OccurrenceId = u32;
/// The rest of a program, by number.
type RestId = u32;

/// The rest with nothing in it.
const EMPTY: RestId = 0;

/// The text of a statement; equal texts are equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Text {
    Assign(Place, Term),
    If(Term, BlockId, BlockId),
    While(Term, BlockId),
    Repeat(BlockId),
    User {
        statement: u32,
        name: String,
        looping: bool,
    },
    Await(Term),
    Choose(Vec<BlockId>),
    Atomic(BlockId),
    Assert(Term),
    Print(String, Vec<Term>),
    Send(ChannelId, Term),
    Receive(ChannelId, Place),
    /// Behind the statements of an `atomic`; not a statement.
    EndOfAtomic,
}

/// A statement where it stands: its text with its place, and the statements inside.
struct Occurrence {
    text: Text,
    id: TextId,
    span: Span,
    inside: Vec<Vec<OccurrenceId>>,
}

struct Compiler<'r, 's> {
    resolver: &'r mut Resolver<'s>,
    texts: FxHashMap<Text, TextId>,
    blocks: FxHashMap<Vec<TextId>, BlockId>,
    occurrences: Vec<Occurrence>,
    /// First statement and what follows it; the occurrence is the first one with that text.
    rests: Vec<(OccurrenceId, RestId)>,
    rest_ids: FxHashMap<(TextId, RestId), RestId>,
    in_atomic: bool,
}

/// Reading statements.
impl Compiler<'_, '_> {
    fn block(&mut self, block: &Block) -> Vec<OccurrenceId> {
        let mut out = Vec::with_capacity(block.len());
        for statement in block {
            match &statement.kind {
                StatementKind::Group(inner) => out.extend(self.block(inner)),
                // What is atomic already does not become more so.
                StatementKind::Atomic(inner) if self.in_atomic => out.extend(self.block(inner)),
                _ => out.extend(self.statement(statement)),
            }
        }
        out
    }

    fn statement(&mut self, statement: &Statement) -> Option<OccurrenceId> {
        let (text, inside) = match &statement.kind {
            StatementKind::Skip | StatementKind::Group(_) => return None,
            StatementKind::Assign(place, value) => {
                let value = self.resolver.number(value);
                (Text::Assign(self.resolver.place(place)?, value), Vec::new())
            }
            StatementKind::If(test, yes, no) => {
                let test = self.resolver.test(test);
                let inside = vec![self.block(yes), self.block(no)];
                (Text::If(test, self.block_id(&inside[0]), self.block_id(&inside[1])), inside)
            }
            StatementKind::While(test, body) => {
                let test = self.resolver.test(test);
                let body = self.block(body);
                (Text::While(test, self.block_id(&body)), vec![body])
            }
            StatementKind::Repeat(body) => {
                self.refuse_endless(statement.span);
                let body = self.block(body);
                (Text::Repeat(self.block_id(&body)), vec![body])
            }
            StatementKind::Choose(branches) => {
                let inside: Vec<_> = branches.iter().map(|branch| self.block(branch)).collect();
                (Text::Choose(inside.iter().map(|branch| self.block_id(branch)).collect()), inside)
            }
            StatementKind::Atomic(body) => {
                let outer = std::mem::replace(&mut self.in_atomic, true);
                let body = self.block(body);
                self.in_atomic = outer;
                (Text::Atomic(self.block_id(&body)), vec![body])
            }
            simple => (self.simple(simple)?, Vec::new()),
        };
        Some(self.occurrence(text, statement.span, inside))
    }

    /// Statements without statements inside.
    fn simple(&mut self, kind: &StatementKind) -> Option<Text> {
        Some(match kind {
            StatementKind::User(name) => {
                let Some(&(statement, looping)) = self.resolver.scope.statements.get(&name.text) else {
                    self.unknown_statement(&name.text, name.span);
                    return None;
                };
                Text::User { statement, name: name.text.clone(), looping }
            }
            StatementKind::Await(test) => Text::Await(self.resolver.test(test)),
            StatementKind::Assert(test) => Text::Assert(self.resolver.test(test)),
            StatementKind::Send(channel, value) => {
                let value = self.resolver.number(value);
                Text::Send(self.channel(&channel.text, channel.span)?, value)
            }
            StatementKind::Receive(channel, place) => {
                let place = self.resolver.place(place)?;
                Text::Receive(self.channel(&channel.text, channel.span)?, place)
            }
            StatementKind::Print(printed) => {
                let mut terms = Vec::new();
                let piece = |piece: &Printed| match piece {
                    Printed::Text(text) => format!("\"{text}\""),
                    Printed::Value(expr) => {
                        let term = self.resolver.number(expr);
                        let text = term.text(&self.resolver.scope.variables).to_string();
                        terms.push(term);
                        text
                    }
                };
                let pieces: Vec<String> = printed.iter().map(piece).collect();
                Text::Print(pieces.join(", "), terms)
            }
            _ => return None,
        })
    }

    fn channel(&mut self, name: &str, span: Span) -> Option<ChannelId> {
        let found = self.resolver.scope.channel_ids.get(name).copied();
        if found.is_none() {
            let message = format!("`{name}` is not a channel");
            let known = self.resolver.scope.channel_ids.keys().map(String::as_str);
            let help = match suggest::nearest(name, known) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("declare it: `channel {name}[1];`"),
            };
            let diagnostic = Diagnostic::error("par::unknown-channel", message, span, "").help(help);
            self.resolver.report(diagnostic);
        }
        found
    }

    fn unknown_statement(&mut self, name: &str, span: Span) {
        let known = self.resolver.scope.statements.keys().map(String::as_str);
        let help = match suggest::nearest(name, known) {
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

    fn occurrence(&mut self, text: Text, span: Span, inside: Vec<Vec<OccurrenceId>>) -> OccurrenceId {
        let next = self.texts.len() as TextId;
        let id = *self.texts.entry(text.clone()).or_insert(next);
        self.occurrences.push(Occurrence { text, id, span, inside });
        (self.occurrences.len() - 1) as OccurrenceId
    }
}

/// Making nodes.
impl Compiler<'_, '_> {
    /// The block, then the rest.
    fn join(&mut self, block: &[OccurrenceId], mut rest: RestId) -> RestId {
        for occurrence in block.iter().rev() {
            let key = (self.occurrences[*occurrence as usize].id, rest);
            let next = self.rests.len() as RestId;
            rest = *self.rest_ids.entry(key).or_insert(next);
            if rest == next {
                self.rests.push((*occurrence, key.1));
            }
        }
        rest
    }

    fn graph(mut self, name: String, start: RestId) -> Option<FlowGraph> {
        let mut maker = Maker { numbers: FxHashMap::default(), order: Vec::new() };
        maker.number(EMPTY);
        let start = maker.number(start);
        let mut nodes = vec![Node { label: "end".to_owned(), ..Node::default() }];
        while nodes.len() < maker.order.len() {
            if self.rests.len() > MAX_NODES {
                let message = format!("process `{name}` has more than {MAX_NODES} places of control");
                self.resolver.report(Diagnostic::error("par::too-large", message, Span::default(), ""));
                return None;
            }
            let rest = maker.order[nodes.len()];
            let mut node = Node { label: self.label(rest), ..Node::default() };
            self.fill(rest, &mut node, &mut maker);
            nodes.push(node);
        }
        Some(FlowGraph::new(name, nodes, start))
    }

    /// The steps of a rest, each by its rule.
    fn fill(&mut self, rest: RestId, node: &mut Node, maker: &mut Maker) {
        let (first, after) = self.rests[rest as usize];
        let Occurrence { text, span, inside, .. } = &self.occurrences[first as usize];
        let (text, span, inside) = (text.clone(), *span, inside.clone());
        let words = self.step_words(&text, &inside);
        let mut edge = |guard: Guard, effect: Effect, target: NodeId, text: String| {
            node.edges.push(Edge { guard, effect, target, text, span });
        };
        let next = maker.number(after);
        let simple = match text {
            Text::Assign(place, value) => Effect::Assign(place, value),
            Text::Assert(test) => Effect::Assert(test),
            Text::Print(_, terms) => Effect::Print(terms),
            Text::Send(channel, value) => Effect::Send(channel, value),
            Text::Receive(channel, place) => Effect::Receive(channel, place),
            Text::Await(test) => return edge(Guard::Holds(test), Effect::Nothing, next, words),
            Text::User { statement, looping, .. } => {
                if looping {
                    let again = maker.number(rest);
                    edge(Guard::Always, Effect::Nothing, again, format!("{words} goes on"));
                }
                edge(Guard::Always, Effect::Nothing, next, words);
                node.statements.push(statement);
                return;
            }
            Text::If(test, ..) => {
                let yes = maker.number(self.join(&inside[0], after));
                let no = maker.number(self.join(&inside[1], after));
                edge(Guard::Holds(test.clone()), Effect::Nothing, yes, words.clone());
                return edge(Guard::Fails(test), Effect::Nothing, no, format!("not ({words})"));
            }
            Text::While(test, _) => {
                let body = maker.number(self.join(&inside[0], rest));
                edge(Guard::Holds(test.clone()), Effect::Nothing, body, words.clone());
                return edge(Guard::Fails(test), Effect::Nothing, next, format!("not ({words})"));
            }
            Text::Repeat(_) => {
                let body = maker.number(self.join(&inside[0], rest));
                return edge(Guard::Always, Effect::Nothing, body, words);
            }
            Text::Choose(_) => return self.fill_choice(&inside, (after, span), node, maker),
            Text::EndOfAtomic => return,
            Text::Atomic(_) => {
                // The end is marked, so that no place inside is taken for one outside.
                let mark = self.occurrence(Text::EndOfAtomic, span, Vec::new());
                let end = self.join(&[mark], after);
                let start = self.join(&inside[0], end);
                Effect::Atomic(maker.number(start), maker.number(end))
            }
        };
        edge(Guard::Always, simple, next, words);
    }

    /// A choice takes the first step of one of its branches.
    fn fill_choice(
        &mut self,
        branches: &[Vec<OccurrenceId>],
        (after, span): (RestId, Span),
        node: &mut Node,
        maker: &mut Maker,
    ) {
        for branch in branches {
            if branch.is_empty() {
                let (target, text) = (maker.number(after), "skip".to_owned());
                node.edges.push(Edge { guard: Guard::Always, effect: Effect::Nothing, target, text, span });
            } else {
                let branch = self.join(branch, after);
                self.fill(branch, node, maker);
            }
        }
    }
}

/// Nodes in the order in which they are met.
struct Maker {
    numbers: FxHashMap<RestId, NodeId>,
    order: Vec<RestId>,
}

impl Maker {
    fn number(&mut self, rest: RestId) -> NodeId {
        let next = NodeId(self.order.len() as u32);
        let number = *self.numbers.entry(rest).or_insert(next);
        if number == next {
            self.order.push(rest);
        }
        number
    }
}
