//! Families, definitions, procedures, quantifiers and `for` unfolded: parameters are replaced by what they
//! stand for, and names by those of the memory.

use super::ast::{
    Block, ChannelRef, Datum, Field, Head, LoopDepth, Process, Processes, RecordValue, Statement, Type,
    Value, Variable, VariableRef,
};

/// A process of the unfolded program.
pub(crate) struct Instance {
    pub(crate) name: String,
    pub(crate) priority: i64,
    pub(crate) body: Block,
    /// The name of its kind, if it is created, and the names of its parameters in the memory.
    pub(crate) created: Option<(&'static str, Vec<String>)>,
}

/// A program without parameters: its processes, and all variables with their names and first values.
pub(crate) struct Unfolded {
    pub(crate) instances: Vec<Instance>,
    /// By variable its name, whether it is an array, and the first values of its elements.
    pub(crate) variables: Vec<(String, bool, Vec<Datum>)>,
}

/// What names stand for, inner ones last.
type Environment = Vec<(&'static str, Value)>;

impl Unfolded {
    pub(crate) fn new(program: &Processes) -> Unfolded {
        let mut unfolded = Unfolded { instances: Vec::new(), variables: Vec::new() };
        for variable in &program.variables {
            unfolded.declare(program, variable, &Unfolder::global(program));
        }
        for process in &program.processes {
            match &process.head {
                Head::Single(name) => unfolded.add(program, process, (*name).to_owned(), Vec::new(), None),
                Head::Family(name, ranges) => {
                    let mut members: Vec<Environment> = vec![Vec::new()];
                    for (parameter, first, last) in ranges {
                        let with = |member: &Environment, number: i64| {
                            [member.as_slice(), &[(*parameter, Value::number(number))]].concat()
                        };
                        members = members
                            .iter()
                            .flat_map(|member| (*first..=*last).map(move |number| with(member, number)))
                            .collect();
                    }
                    for member in members {
                        let numbers: Vec<String> =
                            member.iter().map(|(_, number)| number.to_string()).collect();
                        let name = format!("{name}({})", numbers.join(", "));
                        unfolded.add(program, process, name, member, None);
                    }
                }
                Head::Created(kind, parameters, most) => {
                    for number in 1..=*most {
                        let name = format!("{kind}({number})");
                        let own = parameters.iter().map(|parameter| format!("{parameter}@{name}")).collect();
                        unfolded.add(program, process, name, Vec::new(), Some((*kind, own)));
                    }
                }
            }
        }
        unfolded
    }

    fn add(
        &mut self,
        program: &Processes,
        process: &Process,
        name: String,
        environment: Environment,
        created: Option<(&'static str, Vec<String>)>,
    ) {
        let mut locals: Vec<&'static str> = process.locals.iter().map(|local| local.name).collect();
        if let Head::Created(_, parameters, _) = &process.head {
            for parameter in parameters {
                locals.push(parameter);
                self.variables.push((format!("{parameter}@{name}"), false, vec![Datum::Undefined]));
            }
        }
        let mut unfolder =
            Unfolder { program, owner: Some((name.clone(), locals)), environment, loops: Vec::new() };
        for local in &process.locals {
            self.declare(program, local, &unfolder);
        }
        let mut body = unfolder.block(&process.body);
        if created.is_some() {
            body.splice(0..0, [Statement::End, Statement::AwaitCreation(self.instances.len())]);
        }
        self.instances.push(Instance { name, priority: process.priority, body, created });
    }

    /// Declares a variable, or the fields of a record.
    fn declare(&mut self, program: &Processes, variable: &Variable, unfolder: &Unfolder<'_>) {
        let name = unfolder.name(variable.name);
        let constant = |value: &Value| match unfolder.value(value) {
            Value::Constant(datum) => datum,
            other => panic!("{other:?} is no constant"),
        };
        let initial: Vec<Datum> = variable.initial.iter().map(constant).collect();
        let (is_array, length) = (variable.length.is_some(), variable.length.unwrap_or(1));
        if let Some(fields) = variable.kind.and_then(|kind| program.fields_of(kind)) {
            for (number, (field, _)) in fields.iter().enumerate() {
                let first = initial.get(number).copied().unwrap_or(Datum::Undefined);
                self.variables.push((field_name(&name, field), is_array, vec![first; length]));
            }
            return;
        }
        let elements = match initial.as_slice() {
            [] => vec![Datum::Undefined; length],
            [only] => vec![*only; length],
            all => all.to_vec(),
        };
        self.variables.push((name, is_array, elements));
    }
}

impl Processes {
    /// The fields of a record type.
    pub(crate) fn fields_of(&self, kind: &str) -> Option<&'static [(&'static str, &'static str)]> {
        self.types.iter().find_map(|declared| match declared {
            Type::Record(name, fields) if *name == kind => Some(*fields),
            _ => None,
        })
    }
}

/// The name of a field's variable; of a local record, `n@1`, it is `n.colour@1`.
fn field_name(record: &str, field: &str) -> String {
    match record.split_once('@') {
        Some((name, process)) => format!("{name}.{field}@{process}"),
        None => format!("{record}.{field}"),
    }
}

/// Replaces names by what they stand for.
pub(crate) struct Unfolder<'p> {
    program: &'p Processes,
    /// The process that the text belongs to, and its local variables.
    owner: Option<(String, Vec<&'static str>)>,
    environment: Environment,
    /// For each loop around, has it a `break`?
    loops: Vec<bool>,
}

impl Unfolder<'_> {
    /// Of a text that belongs to no process.
    pub(crate) fn global(program: &Processes) -> Unfolder<'_> {
        Unfolder { program, owner: None, environment: Vec::new(), loops: Vec::new() }
    }

    fn name(&self, name: &str) -> String {
        match &self.owner {
            Some((process, locals)) if locals.contains(&name) => format!("{name}@{process}"),
            _ => name.to_owned(),
        }
    }

    pub(crate) fn value(&self, value: &Value) -> Value {
        let inner = |value: &Value| Box::new(self.value(value));
        match value {
            Value::Constant(datum) => Value::Constant(*datum),
            Value::Of(place) => self.place_or_value(place),
            Value::Binary(operator, left, right) => Value::Binary(operator, inner(left), inner(right)),
            Value::Not(test) => Value::Not(inner(test)),
            Value::Len(channel) => Value::Len(Box::new(self.channel(channel))),
            Value::Empty(channel) => self.has_length(channel, 0),
            Value::Full(channel) => self.has_length(channel, self.program.channels[channel.0].capacity),
            Value::Quantified(is_forall, name, (first, last), test) => {
                let with = |number: i64| self.with(&[(*name, Value::number(number))]).value(test);
                let joint = if *is_forall { "and" } else { "or" };
                let tests = (*first..=*last).map(with);
                tests.reduce(|one, other| Value::binary(joint, one, other)).expect("a range is not empty")
            }
            Value::Use(name, arguments) => {
                let definition = self.program.definitions.iter().find(|definition| definition.name == *name);
                let definition = definition.expect("a definition");
                let arguments = arguments.iter().map(|argument| self.value(argument));
                // A definition sees the memory and its parameters alone.
                let environment = definition.parameters.iter().copied().zip(arguments).collect();
                Unfolder { environment, ..Unfolder::global(self.program) }.value(&definition.body)
            }
        }
    }

    fn with(&self, more: &[(&'static str, Value)]) -> Unfolder<'_> {
        Unfolder {
            program: self.program,
            owner: self.owner.clone(),
            environment: [&self.environment, more].concat(),
            loops: Vec::new(),
        }
    }

    fn place_or_value(&self, place: &VariableRef) -> Value {
        let index = place.index.as_ref().map(|index| Box::new(self.value(index)));
        let bound = self.environment.iter().rfind(|(name, _)| **name == place.name).map(|(_, bound)| bound);
        let (name, index) = match (bound, index) {
            (None, index) => (self.name(&place.name), index),
            // The parameter stands for an array.
            (Some(Value::Of(array)), Some(index)) => (array.name.clone(), Some(index)),
            // It stands for a record, or for a value.
            (Some(Value::Of(record)), None) if place.field.is_some() => {
                (record.name.clone(), record.index.clone())
            }
            (Some(bound), None) => return bound.clone(),
            (Some(bound), Some(_)) => panic!("{bound:?} is no array"),
        };
        let name = place.field.map_or(name.clone(), |field| field_name(&name, field));
        Value::Of(VariableRef { name, index, field: None })
    }

    fn place(&self, place: &VariableRef) -> VariableRef {
        match self.place_or_value(place) {
            Value::Of(place) => place,
            other => panic!("{other:?} cannot be assigned"),
        }
    }

    /// `empty(c)` and `full(c)` are tests of `len(c)`.
    fn has_length(&self, channel: &ChannelRef, length: usize) -> Value {
        Value::binary("=", Value::Len(Box::new(self.channel(channel))), Value::number(length as i64))
    }

    fn channel(&self, (channel, index): &ChannelRef) -> ChannelRef {
        (*channel, index.as_ref().map(|index| self.value(index)))
    }

    pub(crate) fn block(&mut self, block: &[Statement]) -> Block {
        block.iter().flat_map(|statement| self.statement(statement)).collect()
    }

    /// The body of a loop, and its depth if it has a `break`.
    fn in_loop<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> (T, LoopDepth) {
        self.loops.push(false);
        let body = body(self);
        let depth = self.loops.len();
        let has_break = self.loops.pop() == Some(true);
        (body, has_break.then_some(depth))
    }

    fn statement(&mut self, statement: &Statement) -> Block {
        let one = match statement {
            Statement::Skip => return Vec::new(),
            Statement::Call(name, arguments) => return self.call(name, arguments),
            Statement::If(test, yes, no) => Statement::If(self.value(test), self.block(yes), self.block(no)),
            Statement::While(test, body, _) => {
                let (body, depth) = self.in_loop(|unfolder| unfolder.block(body));
                Statement::While(self.value(test), body, depth)
            }
            Statement::Repeat(body, _) => {
                let (body, depth) = self.in_loop(|unfolder| unfolder.block(body));
                Statement::Repeat(body, depth)
            }
            Statement::For(name, first, last, body) => {
                let (bodies, depth) = self.in_loop(|unfolder| {
                    let with = |number: i64| {
                        unfolder.environment.push((*name, Value::number(number)));
                        let body = unfolder.block(body);
                        unfolder.environment.pop();
                        body
                    };
                    (*first..=*last).map(with).collect()
                });
                Statement::Bodies(bodies, depth)
            }
            Statement::Break => {
                *self.loops.last_mut().expect("a loop around") = true;
                Statement::Break
            }
            Statement::Choose(branches) => {
                Statement::Choose(branches.iter().map(|branch| self.block(branch)).collect())
            }
            Statement::ChooseElse(branches, otherwise) => {
                let branches = branches.iter().map(|branch| self.block(branch)).collect();
                Statement::ChooseElse(branches, self.block(otherwise))
            }
            Statement::Atomic(body) => {
                let loops = std::mem::take(&mut self.loops);
                let body = self.block(body);
                self.loops = loops;
                Statement::Atomic(body)
            }
            simple => self.simple(simple),
        };
        vec![one]
    }

    /// A statement without statements inside.
    fn simple(&self, statement: &Statement) -> Statement {
        let values = |values: &[Value]| values.iter().map(|value| self.value(value)).collect();
        match statement {
            Statement::Assign(parts) => {
                let part = |(place, value): &(VariableRef, Value)| (self.place(place), self.value(value));
                Statement::Assign(parts.iter().map(part).collect())
            }
            Statement::AssignRecord(to, fields, value) => {
                let of = |place: &VariableRef, (field, _): &(&'static str, _)| VariableRef {
                    field: Some(field),
                    ..place.clone()
                };
                let values: Vec<Value> = match value {
                    RecordValue::Braces(values) => values.clone(),
                    RecordValue::Other(from) => {
                        fields.iter().map(|field| Value::Of(of(from, field))).collect()
                    }
                };
                let parts = fields.iter().map(|field| of(to, field)).zip(values);
                self.simple(&Statement::Assign(parts.collect()))
            }
            Statement::Await(test) => Statement::Await(self.value(test)),
            Statement::Assert(test) => Statement::Assert(self.value(test)),
            Statement::Print(value) => Statement::Print(self.value(value)),
            Statement::ChooseIn(place, data) => Statement::ChooseIn(self.place(place), data.clone()),
            Statement::Create(name, arguments) => Statement::Create(name, values(arguments)),
            Statement::Send(channel, message) => Statement::Send(self.channel(channel), values(message)),
            Statement::Receive(channel, fields) => {
                let field = |field: &Field| match field {
                    Field::Match(datum) => Field::Match(*datum),
                    Field::Store(place) => Field::Store(self.place(place)),
                };
                Statement::Receive(self.channel(channel), fields.iter().map(field).collect())
            }
            other => other.clone(),
        }
    }

    fn call(&mut self, name: &str, arguments: &[Value]) -> Block {
        let program = self.program;
        let procedure =
            program.procedures.iter().find(|procedure| procedure.name == name).expect("a procedure");
        let arguments: Vec<Value> = arguments.iter().map(|argument| self.value(argument)).collect();
        let outer = self.environment.len();
        self.environment.extend(procedure.parameters.iter().copied().zip(arguments));
        let body = self.block(&procedure.body);
        self.environment.truncate(outer);
        body
    }
}
