//! From statements to flow graphs, with the labels of Gunter and Peled's Figure 4.
//!
//! The statements of a process are numbered from 1 in post-order, a test after what it guards. `at` names the node that was executed
//! last, so control is a pair: what was executed last, and what comes next. The second follows from the first, except
//! behind a test; so a place of control is an edge of the drawn flow graph, and the graph's nodes here are those edges.
//!
//! Promise: there are at most as many places of control as edges in the drawing, one for the start, and the unused node 0.

use super::ast::{Process, Statement, StatementKind};
use crate::flow::{Edge, Effect, FlowGraph, Guard, Node, NodeId, Place, Term, Variable};
use crate::parallel::ast::Name;
use crate::parallel::build::Names;
use crate::parallel::resolve::Resolver;
use rustc_hash::FxHashMap;
use selvedge_ltl::source::Span;

/// The graph of a process, and the numbers of its labels, the first that of "nothing yet".
pub(super) fn flow_graph(
    process: &Process,
    letters: &str,
    resolver: &mut Resolver<'_>,
) -> (FlowGraph, Vec<u32>) {
    let mut numbering = Numbering { resolver, letters, points: Vec::new() };
    let whole = numbering.statement(&process.body);
    let points = numbering.points;
    let labels = labels(&points, letters, resolver);
    let start = whole.entry;
    let graph = places(&process.name.text, start, &points, &labels, &resolver.scope.variables);
    (graph, labels)
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

/// A node of the drawing, by its place in the post-order, from 0.
type PointId = usize;

/// A node of the drawing.
struct Point {
    name: Name,
    action: Action,
    span: Span,
    /// What comes next, and for a test where it fails; `None` is the end.
    next: [Option<PointId>; 2],
}

enum Action {
    Assign(Place, Term),
    Wait(Term),
    /// The test of a `while` or of an `if`.
    Test(&'static str, Term),
    /// What could not be resolved; already reported.
    Broken,
}

/// A part of the graph: where it begins, and the ways out that lead nowhere yet.
struct Part {
    /// `None`: there is nothing to do.
    entry: Option<PointId>,
    exits: Vec<(PointId, usize)>,
}

const YES: usize = 0;
const NO: usize = 1;

struct Numbering<'r, 's> {
    resolver: &'r mut Resolver<'s>,
    letters: &'r str,
    points: Vec<Point>,
}

impl Numbering<'_, '_> {
    fn statement(&mut self, statement: &Statement) -> Part {
        match &statement.kind {
            StatementKind::Block(block) => self.block(block),
            StatementKind::Assign(place, value) => {
                let value = self.resolver.number(value);
                let action = match self.resolver.place(place) {
                    Some(place) => Action::Assign(place, value),
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
                let point = self.point(statement, action);
                self.lead(&body.exits, point);
                self.points[point].next[YES] = body.entry.or(Some(point));
                Part { entry: Some(point), exits: vec![(point, NO)] }
            }
            StatementKind::If(test, yes, no) => {
                let yes = self.statement(yes);
                let no = no.as_ref().map_or(Part::NOTHING, |no| self.statement(no));
                let action = Action::Test("if", self.resolver.test(test));
                let point = self.point(statement, action);
                let mut exits = Vec::new();
                for (branch, part) in [(YES, yes), (NO, no)] {
                    self.points[point].next[branch] = part.entry;
                    exits.extend(part.exits);
                    if part.entry.is_none() {
                        exits.push((point, branch));
                    }
                }
                Part { entry: Some(point), exits }
            }
        }
    }

    fn block(&mut self, block: &[Statement]) -> Part {
        let mut whole = Part::NOTHING;
        for statement in block {
            let part = self.statement(statement);
            let Some(entry) = part.entry else { continue };
            self.lead(&whole.exits, entry);
            whole = Part { entry: whole.entry.or(Some(entry)), exits: part.exits };
        }
        whole
    }

    fn simple(&mut self, statement: &Statement, action: Action) -> Part {
        let point = self.point(statement, action);
        Part { entry: Some(point), exits: vec![(point, YES)] }
    }

    fn point(&mut self, statement: &Statement, action: Action) -> PointId {
        let number = self.points.len() + 1;
        let automatic = || Name { text: format!("{}{number}", self.letters), span: statement.span };
        let name = statement.label.clone().unwrap_or_else(automatic);
        self.points.push(Point { name, action, span: statement.span, next: [None; 2] });
        number - 1
    }

    fn lead(&mut self, exits: &[(PointId, usize)], target: PointId) {
        for (point, branch) in exits {
            self.points[*point].next[*branch] = Some(target);
        }
    }
}

impl Part {
    const NOTHING: Part = Part { entry: None, exits: Vec::new() };
}

/// The numbers of `m0` and of the points' labels, which are to be different.
fn labels(points: &[Point], letters: &str, resolver: &mut Resolver<'_>) -> Vec<u32> {
    let mut names = Names::default();
    let zero = Name { text: format!("{letters}0"), span: Span::default() };
    let all = std::iter::once(&zero).chain(points.iter().map(|point| &point.name));
    all.map(|name| {
        names.add(name, resolver.diagnostics);
        let next = resolver.scope.statements.len() as u32;
        resolver.scope.statements.entry(name.text.clone()).or_insert((next, false)).0
    })
    .collect()
}

/// What was executed last, and what comes next.
type Control = (Option<PointId>, Option<PointId>);

/// The graph over the places of control.
fn places(
    name: &str,
    start: Option<PointId>,
    points: &[Point],
    labels: &[u32],
    variables: &[Variable],
) -> FlowGraph {
    let mut numbers: FxHashMap<Control, NodeId> = FxHashMap::default();
    let mut order: Vec<Control> = vec![(None, start)];
    numbers.insert(order[0], NodeId(1));
    let mut nodes = vec![Node { label: "end".to_owned(), ..Node::default() }];
    while nodes.len() <= order.len() {
        let (last, next) = order[nodes.len() - 1];
        let mut node = Node {
            label: next.map_or("end".to_owned(), |next| points[next].text(variables)),
            statements: vec![labels[last.map_or(0, |last| last + 1)]],
            edges: Vec::new(),
        };
        if let Some(next) = next {
            let mut number = |target: Option<PointId>| {
                let fresh = NodeId(order.len() as u32 + 1);
                let number = *numbers.entry((Some(next), target)).or_insert(fresh);
                if number == fresh {
                    order.push((Some(next), target));
                }
                number
            };
            node.edges = points[next].edges(&mut number, variables);
        }
        nodes.push(node);
    }
    FlowGraph::new(name.to_owned(), nodes, NodeId(1))
}

impl Point {
    /// The steps from here.
    fn edges(&self, number: &mut impl FnMut(Option<PointId>) -> NodeId, variables: &[Variable]) -> Vec<Edge> {
        let mut edge = |guard: Guard, effect: Effect, branch: usize, text: String| {
            let text = format!("{}: {text}", self.name.text);
            Edge { guard, effect, target: number(self.next[branch]), text, span: self.span }
        };
        match &self.action {
            Action::Assign(place, value) => {
                let effect = Effect::Assign(place.clone(), value.clone());
                vec![edge(Guard::Always, effect, YES, self.words(variables))]
            }
            Action::Wait(test) => {
                vec![edge(Guard::Holds(test.clone()), Effect::Nothing, YES, self.words(variables))]
            }
            Action::Test(_, test) => {
                let words = test.text(variables);
                vec![
                    edge(Guard::Holds(test.clone()), Effect::Nothing, YES, words.to_string()),
                    edge(Guard::Fails(test.clone()), Effect::Nothing, NO, format!("not ({words})")),
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
            Action::Assign(place, value) => {
                format!("{} := {}", place.text(variables), value.text(variables))
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
