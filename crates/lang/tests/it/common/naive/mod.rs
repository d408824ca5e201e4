//! A naive interpreter of the whole language: a state is what the text says it is, and all steps are made
//! again from the definition of the language.
//!
//! The rest of a process's program is a list of statements (its number in a table of such lists, so that
//! states are small); values are as they are written, messages are lists of values; nothing is packed,
//! forgotten or reduced. [`unfold`] replaces parameters by what they stand for, [`edges`] has a rule for
//! each statement, [`values`] the expressions, [`steps`] the steps of all processes, [`spell`] writes
//! programs down. [`super::messages`] and [`super::whole`] draw programs.

pub(crate) mod ast;
mod edges;
mod spell;
mod steps;
mod unfold;
mod values;

use ast::{Block, ChannelKind, Datum, Processes, Statement, Value};
use edges::{Edge, Rest, from_first_statement, may_wait, user_statements};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use unfold::{Instance, Unfolded, Unfolder};

/// What ends a run as an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Fault {
    Index,
    DivisionByZero,
    Assertion,
}

/// A state, as written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct State {
    /// The rest of each process's program.
    rest: Vec<Rest>,
    /// By variable and element.
    values: Vec<Datum>,
    /// By channel and element.
    messages: Vec<Vec<Vec<Datum>>>,
    /// By process, is it there?
    created: Vec<bool>,
    /// The processes that took the last step.
    movers: Vec<usize>,
    /// The process and the number of its edge, if that led to an error.
    error: Option<(usize, usize, Fault)>,
}

/// A program that is run.
pub(crate) struct Naive {
    program: Processes,
    channels: Vec<ChannelKind>,
    /// The first buffer of each channel.
    buffers: Vec<usize>,
    instances: Vec<Instance>,
    /// By variable its name, whether it is an array, and the first values of its elements.
    variables: Vec<(String, bool, Vec<Datum>)>,
    /// By the name of a variable, where its values begin, and how many there are.
    places: HashMap<String, (usize, usize)>,
    texts: RefCell<Texts>,
}

/// The rests of programs, each with its edges.
#[derive(Default)]
struct Texts {
    numbers: HashMap<Block, Rest>,
    blocks: Vec<Block>,
    edges: Vec<Option<Rc<Vec<Edge<Rest>>>>>,
}

/// All states, and the steps of each: the processes that take it, and the state that it leads to.
pub(crate) struct Space {
    pub(crate) states: Vec<State>,
    pub(crate) steps: Vec<Vec<(Vec<usize>, usize)>>,
}

impl Naive {
    pub(crate) fn new(program: &Processes) -> Naive {
        let Unfolded { instances, variables } = Unfolded::new(program);
        let (mut places, mut next) = (HashMap::new(), 0);
        for (name, _, elements) in &variables {
            places.insert(name.clone(), (next, elements.len()));
            next += elements.len();
        }
        let mut buffers = Vec::new();
        let mut next = 0;
        for channel in &program.channels {
            buffers.push(next);
            next += channel.length.unwrap_or(1);
        }
        let texts = RefCell::default();
        let channels = program.channels.clone();
        Naive { program: program.clone(), channels, buffers, instances, variables, places, texts }
    }

    /// The number of a rest.
    fn rest(&self, block: Block) -> Rest {
        let mut texts = self.texts.borrow_mut();
        if let Some(number) = texts.numbers.get(&block) {
            return *number;
        }
        let number = texts.blocks.len();
        texts.numbers.insert(block.clone(), number);
        texts.blocks.push(block);
        texts.edges.push(None);
        number
    }

    fn text(&self, rest: Rest) -> Block {
        self.texts.borrow().blocks[rest].clone()
    }

    fn edges(&self, rest: Rest) -> Rc<Vec<Edge<Rest>>> {
        if let Some(edges) = &self.texts.borrow().edges[rest] {
            return edges.clone();
        }
        let of_text = edges::edges(&self.text(rest));
        let edges = of_text.into_iter().map(|edge| edge.map(&mut |rest| self.rest(rest)));
        let edges: Rc<Vec<Edge<Rest>>> = Rc::new(edges.collect());
        self.texts.borrow_mut().edges[rest] = Some(edges.clone());
        edges
    }

    pub(crate) fn initial(&self) -> State {
        let body = |instance: &Instance| self.rest(from_first_statement(instance.body.clone()));
        State {
            rest: self.instances.iter().map(body).collect(),
            values: self.variables.iter().flat_map(|(_, _, elements)| elements.clone()).collect(),
            messages: vec![Vec::new(); self.channels.iter().map(|channel| channel.length.unwrap_or(1)).sum()],
            created: self.instances.iter().map(|instance| instance.created.is_none()).collect(),
            movers: Vec::new(),
            error: None,
        }
    }

    /// All states; `None` if there are more than `most`.
    pub(crate) fn explore(&self, most: usize) -> Option<Space> {
        let mut space = Space { states: vec![self.initial()], steps: Vec::new() };
        let mut numbers = HashMap::from([(self.initial(), 0)]);
        while space.steps.len() < space.states.len() {
            let mut steps = Vec::new();
            for next in self.successors(&space.states[space.steps.len()]) {
                let movers = next.movers.clone();
                let number = *numbers.entry(next).or_insert_with_key(|next| {
                    space.states.push(next.clone());
                    space.states.len() - 1
                });
                steps.push((movers, number));
            }
            space.steps.push(steps);
            if space.states.len() > most {
                return None;
            }
        }
        Some(space)
    }

    /// Has every process ended, or may it wait where it is?
    pub(crate) fn is_end(&self, state: &State) -> bool {
        let texts = &self.texts.borrow().blocks;
        state.rest.iter().all(|rest| may_wait(&texts[*rest]))
    }

    /// Has every process ended? A label is no statement.
    pub(crate) fn has_ended(&self, state: &State) -> bool {
        let texts = &self.texts.borrow().blocks;
        state.rest.iter().all(|rest| texts[*rest].iter().all(|statement| *statement == Statement::End))
    }

    /// Is the process about to execute this statement?
    pub(crate) fn is_at(&self, state: &State, process: usize, statement: &str) -> bool {
        user_statements(&self.texts.borrow().blocks[state.rest[process]]).contains(&statement)
    }

    /// The value of a test that is written outside of all processes: `None` if it has none.
    pub(crate) fn test(&self, state: &State, test: &Value) -> Option<bool> {
        self.holds(state, &Unfolder::global(&self.program).value(test)).ok()
    }

    /// The processes' names.
    pub(crate) fn names(&self) -> Vec<String> {
        self.instances.iter().map(|instance| instance.name.clone()).collect()
    }

    /// The values of all variables and the messages, as the machine shows them.
    pub(crate) fn shown(&self, state: &State) -> Vec<(String, String)> {
        let mut shown = Vec::new();
        for (name, is_array, elements) in &self.variables {
            let first = self.places[name].0;
            for index in 0..elements.len() {
                let cut = name.find(['.', '@']).unwrap_or(name.len());
                let name = match is_array {
                    true => format!("{}[{index}]{}", &name[..cut], &name[cut..]),
                    false => name.clone(),
                };
                shown.push((name, state.values[first + index].to_string()));
            }
        }
        for (process, instance) in self.instances.iter().enumerate() {
            if let Some((kind, _)) = &instance.created {
                let of_kind =
                    |other: &&Instance| other.created.as_ref().is_some_and(|(other, _)| other == kind);
                let number = self.instances[..process].iter().filter(of_kind).count();
                shown.push((
                    format!("created({kind})[{number}]"),
                    i64::from(state.created[process]).to_string(),
                ));
            }
        }
        let message = |message: &Vec<Datum>| {
            let fields: Vec<String> = message.iter().map(Datum::to_string).collect();
            if fields.len() == 1 { fields.concat() } else { format!("({})", fields.join(", ")) }
        };
        for (kind, first) in self.channels.iter().zip(&self.buffers).filter(|(kind, _)| kind.capacity > 0) {
            for index in 0..kind.length.unwrap_or(1) {
                let index_text = kind.length.map_or(String::new(), |_| format!("[{index}]"));
                let messages: Vec<String> = state.messages[first + index].iter().map(message).collect();
                shown.push((format!("{}{index_text}", kind.name), format!("[{}]", messages.join(", "))));
            }
        }
        shown
    }
}

impl State {
    /// Did two processes take the last step?
    pub(crate) fn has_met(&self) -> bool {
        self.movers.len() == 2
    }

    /// The processes that took the last step.
    pub(crate) fn movers(&self) -> &[usize] {
        &self.movers
    }

    /// The process that has led to an error, and what it is.
    pub(crate) fn error(&self) -> Option<(usize, Fault)> {
        self.error.map(|(process, _, fault)| (process, fault))
    }
}

impl Processes {
    /// Calls `visit` with each statement of all processes and procedures.
    pub(crate) fn visit(&self, visit: &mut impl FnMut(&Statement)) {
        fn visit_block(block: &[Statement], visit: &mut impl FnMut(&Statement)) {
            for statement in block {
                visit(statement);
                statement.blocks().into_iter().for_each(|inside| visit_block(inside, visit));
            }
        }
        self.processes.iter().for_each(|process| visit_block(&process.body, visit));
        self.procedures.iter().for_each(|procedure| visit_block(&procedure.body, visit));
    }
}
