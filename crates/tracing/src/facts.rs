//! The fact of a span or an event: its name, and the values of its fields as data.
//!
//! Promise: the data are in the order in which the fields are declared, or in the order that the user asked
//! for, whatever the order in which they are recorded.

use selvedge_monitor::{Fact, Value};
use std::fmt::{self, Debug};
use std::sync::Arc;
use tracing_core::field::{Field, Visit};
use tracing_core::{Event, Metadata};

/// The field with the text of an event.
const MESSAGE: &str = "message";
/// The names of events begin so unless they have one of their own.
const NAMELESS: &str = "event ";

/// The values of fields, and the places of the fields among the data.
#[derive(Debug)]
pub(crate) struct Values {
    /// By place, the field; each span has its own callsite, so its fields are told apart by name.
    fields: Vec<&'static str>,
    values: Vec<Option<Value>>,
    message: Option<Arc<str>>,
}

impl Values {
    /// No values yet, for the fields of a span or an event; `chosen` are the fields that become data.
    pub(crate) fn new(metadata: &'static Metadata<'static>, chosen: Option<&[String]>) -> Values {
        let declared = metadata.fields().iter().map(|field| field.name());
        let fields: Vec<&'static str> = match chosen {
            None => declared.filter(|name| *name != MESSAGE).collect(),
            Some(chosen) => {
                let declared: Vec<&'static str> = declared.collect();
                let found =
                    |name: &String| declared.iter().copied().find(|declared| *declared == name.as_str());
                chosen.iter().filter_map(found).collect()
            }
        };
        let values = vec![None; fields.len()];
        Values { fields, values, message: None }
    }

    /// The fact of a span with these values.
    pub(crate) fn fact(&self, name: impl AsRef<str>) -> Fact {
        Fact::new(name, self.values.iter().flatten().cloned())
    }

    /// The fact of an event; `None` if it has neither a name nor a message.
    pub(crate) fn of_event(event: &Event<'_>, chosen: Option<&[String]>) -> Option<Fact> {
        let mut values = Values::new(event.metadata(), chosen);
        event.record(&mut values);
        let own_name = Some(event.metadata().name()).filter(|name| !name.starts_with(NAMELESS));
        let name = own_name.or(values.message.as_deref())?;
        Some(values.fact(name))
    }

    fn set(&mut self, field: &Field, value: impl FnOnce() -> Value) {
        if let Some(place) = self.fields.iter().position(|name| *name == field.name()) {
            self.values[place] = Some(value());
        }
    }
}

impl Visit for Values {
    fn record_i64(&mut self, field: &Field, value: i64) {
        self.set(field, || value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.set(field, || value.into());
    }

    fn record_i128(&mut self, field: &Field, value: i128) {
        self.set(field, || value.into());
    }

    fn record_u128(&mut self, field: &Field, value: u128) {
        self.set(field, || match i128::try_from(value) {
            Ok(number) => number.into(),
            Err(_) => value.to_string().into(),
        });
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == MESSAGE {
            self.message = Some(value.into());
        }
        self.set(field, || value.into());
    }

    fn record_error(&mut self, field: &Field, value: &(dyn std::error::Error + 'static)) {
        self.set(field, || value.to_string().into());
    }

    // Truth values, numbers with a fraction and bytes come here, too, as texts.
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == MESSAGE {
            self.message = Some(Text(value).to_string().into());
        }
        self.set(field, || Text(value).to_string().into());
    }
}

/// A value as `tracing` shows it.
struct Text<'v>(&'v dyn Debug);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
