//! Programs written down: in our language, and those of channels as Promela.

use super::ast::{
    ChannelKind, ChannelRef, Datum, Field, Head, Processes, RecordValue, Statement, Type, Value, Variable,
    VariableRef,
};
use std::fmt;

impl Processes {
    /// The program in our language.
    pub(crate) fn selvedge(&self) -> String {
        let spelling = Spelling { program: self, is_promela: false };
        let mut text = String::new();
        for declared in &self.types {
            text += &match declared {
                Type::Enumeration(name, values) => format!("type {name} = {{{}}};\n", values.join(", ")),
                Type::Record(name, fields) => {
                    let fields: Vec<String> =
                        fields.iter().map(|(name, kind)| format!("{name}: {kind}")).collect();
                    format!("type {name} = {{{}}};\n", fields.join(", "))
                }
            };
        }
        text += &spelling.variables("memory", &self.variables);
        for ChannelKind { name, length, capacity, fields } in &self.channels {
            let length = length.map_or(String::new(), |length| format!("[{length}]"));
            let names = if *fields == 2 { " of (kind, value)" } else { "" };
            text += &format!("channel {name}{length}[{capacity}]{names};\n");
        }
        for (name, is_looping) in &self.statements {
            text += &format!("{}statement {name};\n", if *is_looping { "looping " } else { "" });
        }
        let head = |name: &str, parameters: &[&str]| match parameters {
            [] => name.to_owned(),
            _ => format!("{name}({})", parameters.join(", ")),
        };
        for definition in &self.definitions {
            let head = head(definition.name, definition.parameters);
            text += &format!("define {head} = {}\n", spelling.value(&definition.body));
        }
        for procedure in &self.procedures {
            let head = head(procedure.name, procedure.parameters);
            text += &format!("procedure {head} = {}\n", spelling.block(&procedure.body));
        }
        for process in &self.processes {
            let priority =
                if process.priority == 0 { String::new() } else { format!(" priority {}", process.priority) };
            let locals = spelling.variables("local", &process.locals);
            text +=
                &format!("process {}{priority}: {locals}{}\n", process.head, spelling.block(&process.body));
        }
        text
    }

    /// The program as Promela, with formulas as `f0`, `f1` and so on.
    pub(crate) fn promela(&self, formulas: &[String]) -> String {
        let spelling = Spelling { program: self, is_promela: true };
        let mut text = "byte x = 0, y = 0, a[2];\n".to_owned();
        for ChannelKind { name, length, capacity, fields } in &self.channels {
            let length = length.map_or(String::new(), |length| format!("[{length}]"));
            let types = if *fields == 2 { "byte, byte" } else { "byte" };
            text += &format!("chan {name}{length} = [{capacity}] of {{ {types} }};\n");
        }
        for (number, process) in (1..).zip(&self.processes) {
            let body = spelling.block(&process.body);
            text += &format!("active proctype p{number}() {{ byte l = 0; {body} }}\n");
        }
        for (number, formula) in formulas.iter().enumerate() {
            text += &format!("ltl f{number} {{ {formula} }}\n");
        }
        text
    }

    /// An expression in our language.
    pub(crate) fn selvedge_value(&self, value: &Value) -> String {
        Spelling { program: self, is_promela: false }.bare(value)
    }

    /// An expression as Promela.
    pub(crate) fn promela_value(&self, value: &Value) -> String {
        Spelling { program: self, is_promela: true }.value(value)
    }
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Head::Single(name) => write!(f, "{name}"),
            Head::Family(name, ranges) => {
                let names: Vec<&str> = ranges.iter().map(|(name, ..)| *name).collect();
                let range = |(name, first, last): &(&str, i64, i64)| format!("{name} in {first}..{last}");
                let ranges: Vec<String> = ranges.iter().map(range).collect();
                write!(f, "{name}({}) for {}", names.join(", "), ranges.join(", "))
            }
            Head::Created(name, parameters, most) => {
                let list = if parameters.is_empty() {
                    String::new()
                } else {
                    format!("({})", parameters.join(", "))
                };
                write!(f, "{name}{list} max {most}")
            }
        }
    }
}

/// A value of an unfolded program, in a few words.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let none = Processes::default();
        f.write_str(&Spelling { program: &none, is_promela: false }.bare(self))
    }
}

#[derive(Clone, Copy)]
struct Spelling<'p> {
    program: &'p Processes,
    is_promela: bool,
}

impl Spelling<'_> {
    fn variables(self, keyword: &str, variables: &[Variable]) -> String {
        let variable = |variable: &Variable| {
            let Variable { name, length, kind, initial } = variable;
            let length = length.map_or(String::new(), |length| format!("[{length}]"));
            let is_record = kind.is_some_and(|kind| self.program.fields_of(kind).is_some());
            let kind = kind.map_or(String::new(), |kind| format!(": {kind}"));
            let values: Vec<String> = initial.iter().map(|value| self.value(value)).collect();
            let initial = match values.as_slice() {
                [] => String::new(),
                [only] if !is_record => format!(" = {only}"),
                all => format!(" = {{{}}}", all.join(", ")),
            };
            format!("{name}{length}{kind}{initial}")
        };
        let all: Vec<String> = variables.iter().map(variable).collect();
        if all.is_empty() { String::new() } else { format!("{keyword} {};\n", all.join(", ")) }
    }

    fn block(self, block: &[Statement]) -> String {
        let mut text = String::new();
        for statement in block {
            if !text.is_empty() && !text.ends_with(": ") {
                text += "; ";
            }
            text += &self.statement(statement);
        }
        if text.is_empty() || text.ends_with(": ") { text + "skip" } else { text }
    }

    fn statement(self, statement: &Statement) -> String {
        if self.is_promela
            && let Some(text) = self.promela_statement(statement)
        {
            return text;
        }
        let values =
            |values: &[Value]| values.iter().map(|value| self.value(value)).collect::<Vec<_>>().join(", ");
        let blocks = |blocks: &[Vec<Statement>]| {
            let blocks: Vec<String> = blocks.iter().map(|block| self.block(block)).collect();
            blocks.join(" | ")
        };
        match statement {
            Statement::Skip => "skip".to_owned(),
            Statement::Assign(parts) => {
                let places: Vec<String> = parts.iter().map(|(place, _)| self.place(place)).collect();
                let all: Vec<String> = parts.iter().map(|(_, value)| self.value(value)).collect();
                format!("{} := {}", places.join(", "), all.join(", "))
            }
            Statement::AssignRecord(to, _, RecordValue::Braces(all)) => {
                format!("{} := {{{}}}", self.place(to), values(all))
            }
            Statement::AssignRecord(to, _, RecordValue::Other(from)) => {
                format!("{} := {}", self.place(to), self.place(from))
            }
            Statement::User(name, _) => (*name).to_owned(),
            Statement::Await(test) => format!("await {}", self.value(test)),
            Statement::Assert(test) => format!("assert {}", self.value(test)),
            Statement::Print(value) => format!("print \"v\", {}", self.value(value)),
            Statement::If(..) => format!("{} fi", self.conditional("if", statement)),
            Statement::While(test, body, _) => {
                format!("while {} do {} od", self.value(test), self.block(body))
            }
            Statement::Repeat(body, _) => format!("repeat {} forever", self.block(body)),
            Statement::For(name, first, last, body) => {
                format!("for {name} in {first}..{last} do {} od", self.block(body))
            }
            Statement::Break => "break".to_owned(),
            Statement::Choose(branches) => format!("choose {} end", blocks(branches)),
            Statement::ChooseElse(branches, otherwise) => {
                format!("choose {} else {} end", blocks(branches), self.block(otherwise))
            }
            Statement::ChooseIn(place, data) => {
                format!("choose {} in {}..{}", self.place(place), data[0], data[data.len() - 1])
            }
            Statement::Timeout => "timeout".to_owned(),
            Statement::End => "end: ".to_owned(),
            Statement::Atomic(block) => format!("atomic {} end", self.block(block)),
            Statement::Call(name, arguments) => format!("{name}({})", values(arguments)),
            Statement::Create(name, arguments) if arguments.is_empty() => format!("create {name}"),
            Statement::Create(name, arguments) => format!("create {name}({})", values(arguments)),
            Statement::Send(place, all) => self.message(place, "!", &self.each(all)),
            Statement::Receive(place, fields) => self.message(place, "?", &self.fields(fields)),
            other => unreachable!("{other:?} is of unfolded programs alone"),
        }
    }

    fn each(self, values: &[Value]) -> Vec<String> {
        values.iter().map(|value| self.value(value)).collect()
    }

    fn fields(self, fields: &[Field]) -> Vec<String> {
        let field = |field: &Field| match field {
            Field::Match(datum) => datum.to_string(),
            Field::Store(place) => self.place(place),
        };
        fields.iter().map(field).collect()
    }

    /// A branch, without its end: one that is another test alone is written `elif`.
    fn conditional(self, word: &str, statement: &Statement) -> String {
        let Statement::If(test, yes, no) = statement else { unreachable!("a conditional") };
        let text = format!("{word} {} then {}", self.value(test), self.block(yes));
        match no.as_slice() {
            [] => text,
            [other @ Statement::If(..)] => format!("{text} {}", self.conditional("elif", other)),
            _ => format!("{text} else {}", self.block(no)),
        }
    }

    /// What reads otherwise in Promela.
    fn promela_statement(self, statement: &Statement) -> Option<String> {
        Some(match statement {
            Statement::Assign(parts) => format!("{} = {}", self.place(&parts[0].0), self.value(&parts[0].1)),
            Statement::Await(test) => self.value(test),
            Statement::If(test, yes, no) => {
                format!("if :: {} -> {} :: else -> {} fi", self.value(test), self.block(yes), self.block(no))
            }
            Statement::While(test, body, _) => {
                format!("do :: {} -> {} :: else -> break od", self.value(test), self.block(body))
            }
            Statement::Choose(branches) => {
                let branches: Vec<String> = branches.iter().map(|branch| self.block(branch)).collect();
                format!("if :: {} fi", branches.join(" :: "))
            }
            _ => return None,
        })
    }

    fn message(self, place: &ChannelRef, sign: &str, fields: &[String]) -> String {
        let place = self.channel(place);
        match fields {
            // SPIN takes a parenthesis behind `!` for that of a message.
            _ if self.is_promela && sign == "!" => format!("{place}!0 + {}", fields.join(", 0 + ")),
            _ if self.is_promela => format!("{place}{sign}{}", fields.join(", ")),
            [only] if sign == "!" => format!("send {place}, {only}"),
            [only] => format!("receive {place}, {only}"),
            _ => format!("{place}{sign}({})", fields.join(", ")),
        }
    }

    fn channel(self, (channel, index): &ChannelRef) -> String {
        let name = self.program.channels.get(*channel).map_or("?", |channel| channel.name);
        match index {
            Some(index) => format!("{name}[{}]", self.value(index)),
            None => name.to_owned(),
        }
    }

    fn place(self, place: &VariableRef) -> String {
        let index = place.index.as_ref().map_or(String::new(), |index| format!("[{}]", self.value(index)));
        let field = place.field.map_or(String::new(), |field| format!(".{field}"));
        format!("{}{index}{field}", place.name)
    }

    /// With parentheses, wherever it may stand.
    fn value(self, value: &Value) -> String {
        match value {
            Value::Binary(..) | Value::Quantified(..) => format!("({})", self.bare(value)),
            Value::Empty(_) | Value::Full(_) if self.is_promela => format!("({})", self.bare(value)),
            _ => self.bare(value),
        }
    }

    fn bare(self, value: &Value) -> String {
        match value {
            Value::Constant(Datum::Number(number)) if *number < 0 => format!("({number})"),
            Value::Constant(datum) => datum.to_string(),
            Value::Of(place) => self.place(place),
            Value::Binary(operator, left, right) => {
                let operator = if self.is_promela && *operator == "=" { "==" } else { operator };
                format!("{} {operator} {}", self.value(left), self.value(right))
            }
            Value::Not(test) => format!("not {}", self.value(test)),
            Value::Len(place) => format!("len({})", self.channel(place)),
            Value::Empty(place) if self.is_promela => format!("len({}) == 0", self.channel(place)),
            Value::Full(place) if self.is_promela => {
                format!("len({}) == {}", self.channel(place), self.program.channels[place.0].capacity)
            }
            Value::Empty(place) => format!("empty({})", self.channel(place)),
            Value::Full(place) => format!("full({})", self.channel(place)),
            Value::Quantified(is_forall, name, (first, last), test) => {
                let word = if *is_forall { "forall" } else { "exists" };
                format!("{word} {name} in {first}..{last}: {}", self.bare(test))
            }
            Value::Use(name, arguments) if arguments.is_empty() => (*name).to_owned(),
            Value::Use(name, arguments) => format!("{name}({})", self.each(arguments).join(", ")),
        }
    }
}
