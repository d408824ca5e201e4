//! A naive interpreter of processes with channels: a state is what the text says it is, and all steps are
//! made again from the definition of the language.
//!
//! The rest of a process's program is a list of statements; messages are lists of numbers; nothing is
//! packed, shared, reduced or remembered. [`super::messages`] draws programs and writes them down.

use std::collections::BTreeSet;

/// A program: shared variables `x`, `y` and `a[2]`, a local `l` of each process, and the channels.
#[derive(Clone, Debug)]
pub(crate) struct Processes {
    pub(crate) channels: Vec<ChannelKind>,
    pub(crate) processes: Vec<Vec<Statement>>,
    /// By process.
    pub(crate) priorities: Vec<i64>,
}

/// Channels of one name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChannelKind {
    pub(crate) name: &'static str,
    /// How many, if it is an array.
    pub(crate) length: Option<usize>,
    pub(crate) capacity: usize,
    pub(crate) fields: usize,
}

/// A channel, by number, and the index if it is an array.
pub(crate) type ChannelRef = (usize, Option<Value>);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Statement {
    Assign(Variable, Value),
    Await(Test),
    If(Test, Vec<Statement>, Vec<Statement>),
    While(Test, Vec<Statement>),
    Choose(Vec<Vec<Statement>>),
    Atomic(Vec<Statement>),
    Send(ChannelRef, Vec<Value>),
    Receive(ChannelRef, Vec<Field>),
    Timeout,
    /// `end:`, before a statement.
    End,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Variable {
    X,
    Y,
    Local,
    /// `a[e]`
    Element(Box<Value>),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Value {
    Number(i64),
    Variable(Variable),
    /// `(e + 1) % 3`
    Next(Box<Value>),
    Len(Box<ChannelRef>),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Test {
    Equal(Value, Value),
    Empty(ChannelRef),
    Full(ChannelRef),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Field {
    Match(i64),
    Store(Variable),
}

/// The only fault of these programs: an index that is out of bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OutOfBounds;

/// A state, as written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct State {
    /// The rest of each process's program.
    rest: Vec<Vec<Statement>>,
    x: i64,
    y: i64,
    a: [i64; 2],
    locals: Vec<i64>,
    /// By channel and element, the messages.
    messages: Vec<Vec<Vec<Vec<i64>>>>,
    /// The processes that took the last step.
    movers: Vec<usize>,
    /// The process and the number of its edge, if that led to an error.
    error: Option<(usize, usize)>,
}

/// What a statement does in one step, and the rest of the program after it.
struct Edge {
    guard: Guard,
    action: Action,
    rest: Vec<Statement>,
}

#[derive(PartialEq)]
enum Guard {
    Always,
    Is(Test, bool),
    Timeout,
}

enum Action {
    Nothing,
    Assign(Variable, Value),
    Send(ChannelRef, Vec<Value>),
    Receive(ChannelRef, Vec<Field>),
    Atomic(Vec<Statement>),
}

/// The edges of the rest of a program, in the order of the text.
fn edges(whole: &[Statement]) -> Vec<Edge> {
    // A loop comes back to its label.
    let labels = whole.iter().take_while(|statement| **statement == Statement::End).count();
    let Some((first, after)) = whole[labels..].split_first() else { return Vec::new() };
    let then = |block: &[Statement]| [block, after].concat();
    let always = |action: Action| vec![Edge { guard: Guard::Always, action, rest: after.to_vec() }];
    let branch = |test: &Test, is: bool, rest: Vec<Statement>| Edge {
        guard: Guard::Is(test.clone(), is),
        action: Action::Nothing,
        rest,
    };
    match first {
        Statement::Assign(variable, value) => always(Action::Assign(variable.clone(), value.clone())),
        Statement::Send(place, values) => always(Action::Send(place.clone(), values.clone())),
        Statement::Receive(place, fields) => always(Action::Receive(place.clone(), fields.clone())),
        Statement::Atomic(block) => always(Action::Atomic(block.clone())),
        Statement::Await(test) => vec![branch(test, true, after.to_vec())],
        Statement::If(test, yes, no) => vec![branch(test, true, then(yes)), branch(test, false, then(no))],
        Statement::While(test, body) => {
            vec![branch(test, true, [body, whole].concat()), branch(test, false, after.to_vec())]
        }
        Statement::Timeout => {
            vec![Edge { guard: Guard::Timeout, action: Action::Nothing, rest: after.to_vec() }]
        }
        Statement::End => unreachable!("labels are skipped"),
        Statement::Choose(branches) => {
            let edges_of = |branch: &Vec<Statement>| match branch.is_empty() {
                true => always(Action::Nothing),
                false => edges(&then(branch)),
            };
            branches.iter().flat_map(edges_of).collect()
        }
    }
}

/// May a process with this rest wait for ever? It has ended, or is at a label.
fn may_wait(rest: &[Statement]) -> bool {
    match rest.first() {
        None | Some(Statement::End) => true,
        Some(Statement::Choose(branches)) => {
            branches.iter().any(|branch| !branch.is_empty() && may_wait(branch))
        }
        Some(_) => false,
    }
}

impl State {
    pub(crate) fn initial(program: &Processes) -> State {
        let queues = |kind: &ChannelKind| vec![Vec::new(); kind.length.unwrap_or(1)];
        State {
            rest: program.processes.clone(),
            x: 0,
            y: 0,
            a: [0; 2],
            locals: vec![0; program.processes.len()],
            messages: program.channels.iter().map(queues).collect(),
            movers: Vec::new(),
            error: None,
        }
    }

    /// Has every process ended, or may it wait where it is?
    pub(crate) fn is_end(&self) -> bool {
        self.rest.iter().all(|rest| may_wait(rest))
    }

    /// Has every process ended?
    pub(crate) fn has_ended(&self) -> bool {
        self.rest.iter().all(Vec::is_empty)
    }

    /// Did two processes take the last step?
    pub(crate) fn has_met(&self) -> bool {
        self.movers.len() == 2
    }

    pub(crate) fn has_error(&self) -> bool {
        self.error.is_some()
    }

    /// The values of `x`, `y` and `a`, and the messages, as the machine shows them.
    pub(crate) fn shown(&self, program: &Processes) -> Vec<(String, String)> {
        let mut shown = vec![("x".to_owned(), self.x.to_string()), ("y".to_owned(), self.y.to_string())];
        shown.extend((0..2).map(|index| (format!("a[{index}]"), self.a[index].to_string())));
        let locals = self.locals.iter().enumerate();
        shown.extend(locals.map(|(process, value)| (format!("l@{}", process + 1), value.to_string())));
        let message = |message: &Vec<i64>| {
            let fields: Vec<String> = message.iter().map(i64::to_string).collect();
            if fields.len() == 1 { fields.concat() } else { format!("({})", fields.join(", ")) }
        };
        for (kind, queues) in
            program.channels.iter().zip(&self.messages).filter(|(kind, _)| kind.capacity > 0)
        {
            for (index, queue) in queues.iter().enumerate() {
                let name = match kind.length {
                    Some(_) => format!("{}[{index}]", kind.name),
                    None => kind.name.to_owned(),
                };
                let messages: Vec<String> = queue.iter().map(message).collect();
                shown.push((name, format!("[{}]", messages.join(", "))));
            }
        }
        shown
    }

    /// The states that one step leads to, a step that two ways lead to twice.
    /// Of timeouts only where there is no other, and of the highest priority.
    pub(crate) fn successors(&self, program: &Processes) -> Vec<State> {
        let steps_of = |is_timeout: bool| {
            let mut out = Vec::new();
            for process in 0..self.rest.len() {
                for (number, edge) in edges(&self.rest[process]).into_iter().enumerate() {
                    if (edge.guard == Guard::Timeout) == is_timeout {
                        self.take(program, process, (number, edge), &mut out);
                    }
                }
            }
            out
        };
        if self.error.is_some() {
            return Vec::new();
        }
        let steps = steps_of(false);
        let mut steps = if steps.is_empty() { steps_of(true) } else { steps };
        let priority = |step: &State| step.movers.iter().map(|mover| program.priorities[*mover]).max();
        let highest = steps.iter().map(priority).max();
        steps.retain(|step| Some(priority(step)) == highest);
        steps
    }

    fn take(&self, program: &Processes, process: usize, (number, edge): (usize, Edge), out: &mut Vec<State>) {
        let mut next = self.clone();
        next.movers = vec![process];
        match self.passes(program, process, &edge.guard) {
            Ok(true) => {}
            Ok(false) => return,
            // A test and its opposite fail once.
            Err(OutOfBounds) if matches!(edge.guard, Guard::Is(_, false)) => return,
            Err(OutOfBounds) => return out.push(self.failed(&[process], (process, number))),
        }
        if let Action::Send(place, values) = &edge.action
            && program.channels[place.0].capacity == 0
        {
            return self.meet(program, (process, number), (place, values, &edge.rest), out);
        }
        if let Action::Receive(place, _) = &edge.action
            && program.channels[place.0].capacity == 0
        {
            if self.element(program, process, place).is_err() {
                out.push(self.failed(&[process], (process, number)));
            }
            return;
        }
        if let Action::Atomic(block) = edge.action {
            let mut ends = Vec::new();
            next.run(program, process, &block, &mut ends);
            for end in ends {
                out.push(match end {
                    Ok(mut end) => {
                        end.rest[process].clone_from(&edge.rest);
                        end
                    }
                    Err(OutOfBounds) => self.failed(&[process], (process, number)),
                });
            }
            return;
        }
        match next.act(program, process, &edge.action) {
            Ok(true) => {
                next.rest[process] = edge.rest;
                out.push(next);
            }
            Ok(false) => {}
            Err(OutOfBounds) => out.push(self.failed(&[process], (process, number))),
        }
    }

    fn failed(&self, movers: &[usize], error: (usize, usize)) -> State {
        State { movers: movers.to_vec(), error: Some(error), ..self.clone() }
    }

    /// Every way through statements that are one step together.
    fn run(
        &self,
        program: &Processes,
        process: usize,
        rest: &[Statement],
        out: &mut Vec<Result<State, OutOfBounds>>,
    ) {
        if rest.is_empty() {
            return out.push(Ok(self.clone()));
        }
        for edge in edges(rest) {
            let mut next = self.clone();
            let done = match self.passes(program, process, &edge.guard) {
                Ok(true) => next.act(program, process, &edge.action),
                Ok(false) => continue,
                Err(OutOfBounds) if matches!(edge.guard, Guard::Is(_, false)) => continue,
                Err(error) => Err(error),
            };
            match done {
                Ok(true) => next.run(program, process, &edge.rest, out),
                Ok(false) => {}
                Err(error) => out.push(Err(error)),
            }
        }
    }

    fn passes(&self, program: &Processes, process: usize, guard: &Guard) -> Result<bool, OutOfBounds> {
        match guard {
            Guard::Always | Guard::Timeout => Ok(true),
            Guard::Is(test, is) => Ok(self.test(program, process, test)? == *is),
        }
    }

    /// Does what an action does; false if it has to wait.
    fn act(&mut self, program: &Processes, process: usize, action: &Action) -> Result<bool, OutOfBounds> {
        match action {
            Action::Nothing => {}
            Action::Assign(variable, value) => {
                let value = self.value(program, process, value)?;
                *self.place(program, process, variable)? = value;
            }
            Action::Send(place, values) => {
                let element = self.element(program, process, place)?;
                if self.messages[place.0][element].len() == program.channels[place.0].capacity {
                    return Ok(false);
                }
                let message = self.message(program, process, values)?;
                self.messages[place.0][element].push(message);
            }
            Action::Receive(place, fields) => {
                let element = self.element(program, process, place)?;
                let Some(message) = self.messages[place.0][element].first().cloned() else {
                    return Ok(false);
                };
                if !is_match(fields, &message) {
                    return Ok(false);
                }
                self.store(program, process, fields, &message)?;
                self.messages[place.0][element].remove(0);
            }
            Action::Atomic(block) => unreachable!("atomic inside of atomic: {block:?}"),
        }
        Ok(true)
    }

    /// The steps that a send takes together with a receive of another process.
    fn meet(
        &self,
        program: &Processes,
        (sender, number): (usize, usize),
        (place, values, rest): (&ChannelRef, &[Value], &[Statement]),
        out: &mut Vec<State>,
    ) {
        let Ok(element) = self.element(program, sender, place) else {
            return out.push(self.failed(&[sender], (sender, number)));
        };
        for receiver in (0..self.rest.len()).filter(|receiver| *receiver != sender) {
            for (accept, edge) in edges(&self.rest[receiver]).into_iter().enumerate() {
                let Action::Receive(other, fields) = &edge.action else { continue };
                if other.0 != place.0 || self.element(program, receiver, other) != Ok(element) {
                    continue;
                }
                let Ok(message) = self.message(program, sender, values) else {
                    return out.push(self.failed(&[sender], (sender, number)));
                };
                if !is_match(fields, &message) {
                    continue;
                }
                let mut next = self.clone();
                next.movers = vec![sender, receiver];
                out.push(match next.store(program, receiver, fields, &message) {
                    Ok(()) => {
                        next.rest[sender] = rest.to_vec();
                        next.rest[receiver] = edge.rest;
                        next
                    }
                    Err(OutOfBounds) => self.failed(&[sender, receiver], (receiver, accept)),
                });
            }
        }
    }

    fn message(
        &self,
        program: &Processes,
        process: usize,
        values: &[Value],
    ) -> Result<Vec<i64>, OutOfBounds> {
        values.iter().map(|value| self.value(program, process, value)).collect()
    }

    /// Assigns the fields; where they go is decided before.
    fn store(
        &mut self,
        program: &Processes,
        process: usize,
        fields: &[Field],
        message: &[i64],
    ) -> Result<(), OutOfBounds> {
        let before = self.clone();
        for (field, value) in fields.iter().zip(message) {
            let Field::Store(variable) = field else { continue };
            let variable = match variable {
                Variable::Element(index) => {
                    let index = before.value(program, process, index)?;
                    Variable::Element(Box::new(Value::Number(index)))
                }
                simple => simple.clone(),
            };
            *self.place(program, process, &variable)? = *value;
        }
        Ok(())
    }

    fn place(
        &mut self,
        program: &Processes,
        process: usize,
        variable: &Variable,
    ) -> Result<&mut i64, OutOfBounds> {
        Ok(match variable {
            Variable::X => &mut self.x,
            Variable::Y => &mut self.y,
            Variable::Local => &mut self.locals[process],
            Variable::Element(index) => {
                let index = self.value(program, process, index)?;
                self.a.get_mut(index as usize).ok_or(OutOfBounds)?
            }
        })
    }

    fn value(&self, program: &Processes, process: usize, value: &Value) -> Result<i64, OutOfBounds> {
        match value {
            Value::Number(number) => Ok(*number),
            Value::Variable(variable) => self.clone().place(program, process, variable).map(|place| *place),
            Value::Next(inner) => Ok((self.value(program, process, inner)? + 1) % 3),
            Value::Len(place) => {
                let element = self.element(program, process, place)?;
                Ok(self.messages[place.0][element].len() as i64)
            }
        }
    }

    fn test(&self, program: &Processes, process: usize, test: &Test) -> Result<bool, OutOfBounds> {
        let length = |place: &ChannelRef| self.value(program, process, &Value::Len(Box::new(place.clone())));
        Ok(match test {
            Test::Equal(left, right) => {
                self.value(program, process, left)? == self.value(program, process, right)?
            }
            Test::Empty(place) => length(place)? == 0,
            Test::Full(place) => length(place)? == program.channels[place.0].capacity as i64,
        })
    }

    /// The element of an array of channels; 0 of a single one.
    fn element(&self, program: &Processes, process: usize, place: &ChannelRef) -> Result<usize, OutOfBounds> {
        let Some(index) = &place.1 else { return Ok(0) };
        let index = self.value(program, process, index)? as usize;
        let length = program.channels[place.0].length.unwrap_or(1);
        if index < length { Ok(index) } else { Err(OutOfBounds) }
    }
}

fn is_match(fields: &[Field], message: &[i64]) -> bool {
    fields.iter().zip(message).all(|(field, value)| match field {
        Field::Match(expected) => expected == value,
        Field::Store(_) => true,
    })
}

/// All states and how many steps there are; `None` if there are more states than `most`.
pub(crate) fn explore_naively(program: &Processes, most: usize) -> Option<(BTreeSet<State>, usize)> {
    let mut seen = BTreeSet::from([State::initial(program)]);
    let mut todo: Vec<State> = seen.iter().cloned().collect();
    let mut transitions = 0;
    while let Some(state) = todo.pop() {
        for next in state.successors(program) {
            transitions += 1;
            if seen.insert(next.clone()) {
                todo.push(next);
            }
        }
        if seen.len() > most {
            return None;
        }
    }
    Some((seen, transitions))
}
