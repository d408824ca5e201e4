//! From statements to flow graphs, with the labels of Gunter and Peled's Figure 4.
//!
//! The statements of a process are numbered from 1 in post-order, a test after the statements that it
//! guards. `at` names the node that was executed last, so a control location is a pair: the node that was
//! executed last, and the next one. The second follows from the first, except after a test; so a control
//! location is an edge of the drawn flow graph, and the nodes of the graph here are those edges.
//!
//! Promise: there are at most as many control locations as edges in the drawing, one for the start, and the
//! unused node 0.

use super::ast::{Process, Statement, StatementKind};
use crate::flow_graph::{Edge, Effect, FlowGraph, Guard, Lvalue, Node, NodeId, Term, Variable};
use crate::syntax::declare::UniqueNames;
use crate::syntax::resolve::Resolver;
use crate::syntax::tree::Name;
use crate::work::count_step;
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ltl::source::Span;

/// The graph of a process, and the numbers of its labels.
pub(super) fn flow_graph(
    process: &Process,
    letters: &str,
    resolver: &mut Resolver<'_>,
) -> (FlowGraph, FxHashSet<u32>) {
    let mut numbering = Numbering { resolver, letters, drawn: Vec::new() };
    let whole = numbering.statement(&process.body);
    let drawn = numbering.drawn;
    let labels = labels(&drawn, letters, resolver);
    let start = whole.entry;
    let graph = location_graph(&process.name.text, start, &drawn, &labels, &resolver.scope.variables);
    (graph, labels.into_iter().collect())
}

/// The letters before the numbers of a process's labels: `m`, `n`, .. `z`, `a`, .. `l`, `mm`, `mn`, ..
pub(super) fn letters(process: usize) -> String {
    let mut letters = Vec::new();
    let mut rest = process + 1;
    while rest > 0 {
        rest -= 1;
        letters.push(b'a' + ((rest + 12) % 26) as u8);
        rest /= 26;
    }
    letters.iter().rev().map(|letter| char::from(*letter)).collect()
}

/// A node of the drawing, by its number in the post-order, from 0.
type DrawnId = usize;

/// A node of the drawing.
struct DrawnNode {
    name: Name,
    action: Action,
    span: Span,
    /// By branch, the next node; `None` is the end.
    next: [Option<DrawnId>; 2],
}

enum Action {
    Assign(Lvalue, Term),
    Wait(Term),
    /// The test of a `while` or of an `if`.
    Test(&'static str, Term),
    /// A statement with an error, which is reported.
    Broken,
}

/// A part of the graph under construction: its entry, and the exits that have no target yet.
struct Fragment {
    /// `None`: it has no node.
    entry: Option<DrawnId>,
    exits: Vec<(DrawnId, Branch)>,
}

/// An outcome of a test; a node without a test has only the first.
#[derive(Clone, Copy)]
enum Branch {
    Yes,
    No,
}

struct Numbering<'r, 's> {
    resolver: &'r mut Resolver<'s>,
    letters: &'r str,
    drawn: Vec<DrawnNode>,
}

impl Numbering<'_, '_> {
    fn statement(&mut self, statement: &Statement) -> Fragment {
        match &statement.kind {
            StatementKind::Block(block) => self.block(block),
            StatementKind::Assign(lvalue, value) => {
                let value = self.resolver.number(value);
                let action = match self.resolver.lvalue(lvalue) {
                    Some(lvalue) => Action::Assign(lvalue, value),
                    None => Action::Broken,
                };
                self.simple(statement, action)
            }
            StatementKind::Wait(test) => {
                let action = Action::Wait(self.resolver.test(test));
                self.simple(statement, action)
            }
            StatementKind::While(test, body) => {
                let body = self.statement(body);
                let action = Action::Test("while", self.resolver.test(test));
                let node = self.node(statement, action);
                self.connect(&body.exits, node);
                self.drawn[node].next[Branch::Yes as usize] = body.entry.or(Some(node));
                Fragment { entry: Some(node), exits: vec![(node, Branch::No)] }
            }
            StatementKind::If(test, yes, no) => {
                let yes = self.statement(yes);
                let no = no.as_ref().map_or(Fragment::EMPTY, |no| self.statement(no));
                let action = Action::Test("if", self.resolver.test(test));
                let node = self.node(statement, action);
                let mut exits = Vec::new();
                for (branch, fragment) in [(Branch::Yes, yes), (Branch::No, no)] {
                    self.drawn[node].next[branch as usize] = fragment.entry;
                    exits.extend(fragment.exits);
                    if fragment.entry.is_none() {
                        exits.push((node, branch));
                    }
                }
                Fragment { entry: Some(node), exits }
            }
        }
    }

    fn block(&mut self, block: &[Statement]) -> Fragment {
        let mut whole = Fragment::EMPTY;
        for statement in block {
            let fragment = self.statement(statement);
            let Some(entry) = fragment.entry else { continue };
            self.connect(&whole.exits, entry);
            whole = Fragment { entry: whole.entry.or(Some(entry)), exits: fragment.exits };
        }
        whole
    }

    fn simple(&mut self, statement: &Statement, action: Action) -> Fragment {
        let node = self.node(statement, action);
        Fragment { entry: Some(node), exits: vec![(node, Branch::Yes)] }
    }

    fn node(&mut self, statement: &Statement, action: Action) -> DrawnId {
        count_step();
        let number = self.drawn.len() + 1;
        let automatic = || Name { text: format!("{}{number}", self.letters), span: statement.span };
        let name = statement.label.clone().unwrap_or_else(automatic);
        self.drawn.push(DrawnNode { name, action, span: statement.span, next: [None; 2] });
        number - 1
    }

    fn connect(&mut self, exits: &[(DrawnId, Branch)], target: DrawnId) {
        for (node, branch) in exits {
            count_step();
            self.drawn[*node].next[*branch as usize] = Some(target);
        }
    }
}

impl Fragment {
    const EMPTY: Fragment = Fragment { entry: None, exits: Vec::new() };
}

/// The numbers of the labels, which have to be different: first that of `m0`, before any node was executed.
fn labels(drawn: &[DrawnNode], letters: &str, resolver: &mut Resolver<'_>) -> Vec<u32> {
    let mut names = UniqueNames::default();
    let zero = Name { text: format!("{letters}0"), span: Span::default() };
    let all = std::iter::once(&zero).chain(drawn.iter().map(|node| &node.name));
    all.map(|name| {
        let repeated = names.add(name, resolver.codes());
        resolver.diagnostics.extend(repeated);
        let next = resolver.scope.labels.len() as u32;
        *resolver.scope.labels.entry(name.text.clone()).or_insert(next)
    })
    .collect()
}

/// The node that was executed last, and the next one.
type Location = (Option<DrawnId>, Option<DrawnId>);

/// The graph over the control locations.
fn location_graph(
    name: &str,
    start: Option<DrawnId>,
    drawn: &[DrawnNode],
    labels: &[u32],
    variables: &[Variable],
) -> FlowGraph {
    let mut numbers: FxHashMap<Location, NodeId> = FxHashMap::default();
    let mut order: Vec<Location> = vec![(None, start)];
    numbers.insert(order[0], NodeId(1));
    let mut nodes = vec![Node { label: "end".to_owned(), ..Node::default() }];
    while nodes.len() <= order.len() {
        let (last, next) = order[nodes.len() - 1];
        let mut node = Node {
            label: next.map_or("end".to_owned(), |next| drawn[next].text(variables)),
            statements: vec![labels[last.map_or(0, |last| last + 1)]],
            ..Node::default()
        };
        if let Some(next) = next {
            let mut number = |target: Option<DrawnId>| {
                let fresh = NodeId(order.len() as u32 + 1);
                let number = *numbers.entry((Some(next), target)).or_insert(fresh);
                if number == fresh {
                    order.push((Some(next), target));
                }
                number
            };
            node.edges = drawn[next].edges(&mut number, variables);
        }
        nodes.push(node);
    }
    FlowGraph::new(name.to_owned(), nodes, NodeId(1))
}

impl DrawnNode {
    /// The steps from here.
    fn edges(&self, number: &mut impl FnMut(Option<DrawnId>) -> NodeId, variables: &[Variable]) -> Vec<Edge> {
        let mut edge = |guard: Guard, effect: Effect, branch: Branch, text: String| {
            let text = format!("{}: {text}", self.name.text);
            Edge {
                guard,
                effect,
                target: number(self.next[branch as usize]),
                text,
                span: self.span,
                call: None,
            }
        };
        match &self.action {
            Action::Assign(lvalue, value) => {
                let effect = Effect::Assign(lvalue.clone(), value.clone());
                vec![edge(Guard::Always, effect, Branch::Yes, self.words(variables))]
            }
            Action::Wait(test) => {
                vec![edge(Guard::Holds(test.clone()), Effect::Nothing, Branch::Yes, self.words(variables))]
            }
            Action::Test(_, test) => {
                let words = test.text(variables);
                vec![
                    edge(Guard::Holds(test.clone()), Effect::Nothing, Branch::Yes, words.to_string()),
                    edge(Guard::Fails(test.clone()), Effect::Nothing, Branch::No, format!("not ({words})")),
                ]
            }
            Action::Broken => Vec::new(),
        }
    }

    /// The label and the statement.
    fn text(&self, variables: &[Variable]) -> String {
        format!("{}: {}", self.name.text, self.words(variables))
    }

    fn words(&self, variables: &[Variable]) -> String {
        match &self.action {
            Action::Assign(lvalue, value) => {
                format!("{} := {}", lvalue.text(variables), value.text(variables))
            }
            Action::Wait(test) => format!("wait {}", test.text(variables)),
            Action::Test(word, test) => format!("{word} {}", test.text(variables)),
            Action::Broken => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::letters;

    #[test]
    fn the_first_process_has_m_and_the_letters_go_round() {
        let all: Vec<String> = [0, 1, 13, 14, 25, 26, 27, 52].map(letters).into();
        assert_eq!(all, ["m", "n", "z", "a", "l", "mm", "mn", "nm"]);
    }
}
