//! The steps of the rest of a program, each by its rule, with the rest of the program after it.

use super::ast::{Block, ChannelRef, Field, LoopDepth, Statement, Value, VariableRef};

/// The rest of a process's program, by number in a table of texts.
pub(crate) type Rest = usize;

/// What a statement does in one step, and the rest of the program after it.
pub(crate) struct Edge<R> {
    pub(crate) guard: Guard<R>,
    pub(crate) action: Action<R>,
    pub(crate) rest: R,
}

pub(crate) enum Guard<R> {
    Always,
    Is(Value, bool),
    Timeout,
    /// The process of this number is created.
    Created(usize),
    /// None of these can be taken.
    Else(Vec<Edge<R>>),
}

pub(crate) enum Action<R> {
    Nothing,
    Assign(Vec<(VariableRef, Value)>),
    Assert(Value),
    Create(&'static str, Vec<Value>),
    Send(ChannelRef, Vec<Value>),
    Receive(ChannelRef, Vec<Field>),
    Atomic(R),
}

impl<R> Edge<R> {
    /// The edge with the rest of the program given in another way.
    pub(crate) fn map<S>(self, other: &mut impl FnMut(R) -> S) -> Edge<S> {
        let guard = match self.guard {
            Guard::Always => Guard::Always,
            Guard::Is(test, is) => Guard::Is(test, is),
            Guard::Timeout => Guard::Timeout,
            Guard::Created(process) => Guard::Created(process),
            Guard::Else(edges) => Guard::Else(edges.into_iter().map(|edge| edge.map(other)).collect()),
        };
        let action = match self.action {
            Action::Nothing => Action::Nothing,
            Action::Assign(parts) => Action::Assign(parts),
            Action::Assert(test) => Action::Assert(test),
            Action::Create(name, arguments) => Action::Create(name, arguments),
            Action::Send(place, values) => Action::Send(place, values),
            Action::Receive(place, fields) => Action::Receive(place, fields),
            Action::Atomic(block) => Action::Atomic(other(block)),
        };
        Edge { guard, action, rest: other(self.rest) }
    }
}

/// The rest of a program with a statement at its beginning, or behind one label: a `for` is its bodies.
pub(crate) fn from_first_statement(mut rest: Block) -> Block {
    let mut label = None;
    loop {
        match rest.first() {
            Some(Statement::Bodies(bodies, depth)) => {
                let after = from_first_statement(rest[1..].to_vec());
                let end = depth.map(|_| Statement::EndOfFor(*depth));
                let bodies = bodies.iter().flat_map(|body| leaving_to(body, &after, *depth));
                rest = bodies.chain(end).chain(rest[1..].to_vec()).collect();
            }
            Some(Statement::EndOfFor(_)) => rest = rest[1..].to_vec(),
            Some(Statement::End) => {
                label = Some(Statement::End);
                rest = rest[1..].to_vec();
            }
            _ => return label.into_iter().chain(rest).collect(),
        }
    }
}

/// The body of a loop with what is behind the loop in each `break` out of it.
fn leaving_to(body: &[Statement], after: &[Statement], depth: LoopDepth) -> Block {
    let inside = |block: &Block| leaving_to(block, after, depth);
    let statement = |statement: &Statement| match statement {
        Statement::Break => Statement::Leave(after.to_vec()),
        Statement::If(test, yes, no) => Statement::If(test.clone(), inside(yes), inside(no)),
        Statement::Choose(branches) => Statement::Choose(branches.iter().map(inside).collect()),
        Statement::ChooseElse(branches, otherwise) => {
            Statement::ChooseElse(branches.iter().map(inside).collect(), inside(otherwise))
        }
        other => other.clone(),
    };
    if depth.is_none() { body.to_vec() } else { body.iter().map(statement).collect() }
}

/// The edges of the rest of a program, in the order of the text.
pub(crate) fn edges(whole: &[Statement]) -> Vec<Edge<Block>> {
    // A loop comes back to its label.
    let (_, behind) = behind_labels(whole);
    let Some((first, after)) = behind.split_first() else { return Vec::new() };
    let then = |block: &[Statement]| from_first_statement([block, after].concat());
    let (behind, after) = (after, from_first_statement(after.to_vec()));
    let again = |body: &[Statement], depth: LoopDepth| {
        from_first_statement([leaving_to(body, &after, depth), whole.to_vec()].concat())
    };
    let edge = |guard, action, rest| Edge { guard, action, rest };
    let always = |action: Action<Block>| vec![edge(Guard::Always, action, after.clone())];
    let branch =
        |test: &Value, is: bool, rest: Block| edge(Guard::Is(test.clone(), is), Action::Nothing, rest);
    match first {
        Statement::Assign(parts) => always(Action::Assign(parts.clone())),
        Statement::Assert(test) => always(Action::Assert(test.clone())),
        Statement::Print(_) | Statement::User(_, false) => always(Action::Nothing),
        Statement::User(_, true) => {
            let goes_on = edge(Guard::Always, Action::Nothing, whole.to_vec());
            vec![goes_on, edge(Guard::Always, Action::Nothing, after.clone())]
        }
        Statement::Send(place, values) => always(Action::Send(place.clone(), values.clone())),
        Statement::Receive(place, fields) => always(Action::Receive(place.clone(), fields.clone())),
        Statement::Create(name, arguments) => always(Action::Create(name, arguments.clone())),
        Statement::Atomic(block) => always(Action::Atomic(from_first_statement(block.clone()))),
        Statement::Await(test) => vec![branch(test, true, after.clone())],
        Statement::If(test, yes, no) => vec![branch(test, true, then(yes)), branch(test, false, then(no))],
        Statement::While(test, body, depth) => {
            vec![branch(test, true, again(body, *depth)), branch(test, false, after.clone())]
        }
        Statement::Repeat(body, depth) => vec![edge(Guard::Always, Action::Nothing, again(body, *depth))],
        Statement::Leave(to) => vec![edge(Guard::Always, Action::Nothing, to.clone())],
        Statement::Timeout => vec![edge(Guard::Timeout, Action::Nothing, after.clone())],
        Statement::AwaitCreation(process) => {
            vec![edge(Guard::Created(*process), Action::Nothing, after.clone())]
        }
        Statement::ChooseIn(place, data) => {
            let value = |datum| vec![(place.clone(), Value::Constant(datum))];
            data.iter().flat_map(|datum| always(Action::Assign(value(*datum)))).collect()
        }
        Statement::Choose(branches) => choice(branches, behind),
        Statement::ChooseElse(branches, otherwise) => {
            let none_of = Guard::Else(choice(branches, behind));
            let mut all = choice(branches, behind);
            all.push(edge(none_of, Action::Nothing, then(otherwise)));
            all
        }
        other => unreachable!("{other:?} is no step"),
    }
}

/// The first steps of all branches; one of a branch without steps is a step itself.
fn choice(branches: &[Block], after: &[Statement]) -> Vec<Edge<Block>> {
    let edges_of = |branch: &Block| {
        let whole = from_first_statement([branch, after].concat());
        if whole == from_first_statement(after.to_vec()) {
            return vec![Edge { guard: Guard::Always, action: Action::Nothing, rest: whole }];
        }
        edges(&whole)
    };
    branches.iter().flat_map(edges_of).collect()
}

/// Are there labels at the beginning; and what is behind them.
fn behind_labels(whole: &[Statement]) -> (bool, &[Statement]) {
    let labels = whole.iter().take_while(|statement| **statement == Statement::End).count();
    (labels > 0, &whole[labels..])
}

/// May a process with this rest wait for ever? It has ended, or is at a label.
pub(crate) fn may_wait(whole: &[Statement]) -> bool {
    let (has_label, rest) = behind_labels(whole);
    let Some((first, after)) = rest.split_first() else { return true };
    let is_label = |branch: &Block| {
        let whole = from_first_statement([branch.as_slice(), after].concat());
        whole != from_first_statement(after.to_vec()) && may_wait(&whole)
    };
    has_label
        || match first {
            Statement::Choose(branches) | Statement::ChooseElse(branches, _) => branches.iter().any(is_label),
            _ => false,
        }
}

/// The declared statements that a process with this rest is about to execute.
pub(crate) fn user_statements(whole: &[Statement]) -> Vec<&'static str> {
    let (_, rest) = behind_labels(whole);
    let Some((first, after)) = rest.split_first() else { return Vec::new() };
    let of_branch = |branch: &Block| {
        let whole = from_first_statement([branch.as_slice(), after].concat());
        if whole == from_first_statement(after.to_vec()) { Vec::new() } else { user_statements(&whole) }
    };
    match first {
        Statement::User(name, _) => vec![name],
        Statement::Choose(branches) | Statement::ChooseElse(branches, _) => {
            branches.iter().flat_map(of_branch).collect()
        }
        _ => Vec::new(),
    }
}
