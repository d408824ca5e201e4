//! The layer: spans and events become changes of propositions.
//!
//! Promise: every span that is entered is left once, by the thread that leaves it or when it is closed.

use crate::facts::Values;
use crate::sink::{Change, Sink};
use selvedge_monitor::{Fact, Monitor};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tracing_core::span::{Attributes, Id, Record};
use tracing_core::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::{LookupSpan, SpanRef};

/// A layer of `tracing-subscriber` whose spans and events are the propositions of a monitor: see the
/// [crate's page](crate).
#[derive(Debug)]
pub struct MonitorLayer {
    /// Tells the layers of a subscriber apart.
    number: usize,
    sink: Sink,
    /// The fields that become data, in this order.
    fields: Option<Vec<String>>,
    /// Do spans hold while they are open, entered or not?
    is_while_open: bool,
}

/// What the layers know of a span, each with its number.
struct Knowns(Vec<(usize, Known)>);

impl Knowns {
    fn get(&mut self, layer: usize) -> Option<&mut Known> {
        self.0.iter_mut().find(|(number, _)| *number == layer).map(|(_, known)| known)
    }
}

/// What a layer knows of a span.
struct Known {
    values: Values,
    fact: Fact,
    /// The number of times that it is entered.
    entered: usize,
}

impl MonitorLayer {
    /// Calls a function with each change, in the order of the changes.
    pub fn new(function: impl Fn(Change, &Fact) + Send + Sync + 'static) -> MonitorLayer {
        MonitorLayer::with(Sink::new(function))
    }

    /// Each change is a state of this monitor.
    pub fn of(monitor: Arc<Mutex<Monitor<Fact>>>) -> MonitorLayer {
        MonitorLayer::with(Sink::of(monitor))
    }

    fn with(sink: Sink) -> MonitorLayer {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        MonitorLayer { number, sink, fields: None, is_while_open: false }
    }

    /// Only these fields become data, in this order: by default all fields do, in the order in which they
    /// are declared.
    #[must_use]
    pub fn fields<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> MonitorLayer {
        self.fields = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// A span holds from its creation until it is closed, whether it is entered or not.
    #[must_use]
    pub fn while_open(mut self) -> MonitorLayer {
        self.is_while_open = true;
        self
    }

    /// Calls a function with what this layer knows of a span.
    fn with_known<S, R>(&self, span: &SpanRef<'_, S>, work: impl FnOnce(&mut Known) -> R) -> Option<R>
    where
        S: for<'a> LookupSpan<'a>,
    {
        Some(work(span.extensions_mut().get_mut::<Knowns>()?.get(self.number)?))
    }

    /// A span is entered once more.
    fn enter<S>(&self, id: &Id, context: &Context<'_, S>)
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        let (Some(mut changes), Some(span)) = (self.sink.lock(), context.span(id)) else { return };
        let fact = self.with_known(&span, |known| {
            known.entered += 1;
            known.fact.clone()
        });
        fact.into_iter().for_each(|fact| changes.enter(&fact, 1));
    }
}

impl<S> Layer<S> for MonitorLayer
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut values = Values::new(attributes.metadata(), self.fields.as_deref());
        attributes.record(&mut values);
        let fact = values.fact(attributes.metadata().name());
        let known = Known { values, fact, entered: 0 };
        let mut extensions = span.extensions_mut();
        match extensions.get_mut::<Knowns>() {
            Some(knowns) => knowns.0.push((self.number, known)),
            None => extensions.insert(Knowns(vec![(self.number, known)])),
        }
        drop(extensions);
        if self.is_while_open {
            self.enter(id, &context);
        }
    }

    fn on_record(&self, id: &Id, record: &Record<'_>, context: Context<'_, S>) {
        let (Some(mut changes), Some(span)) = (self.sink.lock(), context.span(id)) else { return };
        let moved = self.with_known(&span, |known| {
            record.record(&mut known.values);
            let new = known.values.fact(span.name());
            (std::mem::replace(&mut known.fact, new.clone()), new, known.entered)
        });
        if let Some((old, new, entered)) = moved
            && old != new
            && entered > 0
        {
            changes.enter(&new, entered);
            changes.leave(&old, entered);
        }
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let Some(fact) = Values::of_event(event, self.fields.as_deref()) else { return };
        self.sink.lock().into_iter().for_each(|mut changes| changes.pulse(&fact));
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        if !self.is_while_open {
            self.enter(id, &context);
        }
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        if self.is_while_open {
            return;
        }
        let (Some(mut changes), Some(span)) = (self.sink.lock(), context.span(id)) else { return };
        let fact = self.with_known(&span, |known| {
            // A span that was entered while this thread handled a violation is not left.
            known.entered = known.entered.checked_sub(1)?;
            Some(known.fact.clone())
        });
        fact.flatten().into_iter().for_each(|fact| changes.leave(&fact, 1));
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let (Some(mut changes), Some(span)) = (self.sink.lock(), context.span(&id)) else { return };
        let left = self.with_known(&span, |known| (known.fact.clone(), std::mem::take(&mut known.entered)));
        if let Some((fact, entered)) = left
            && entered > 0
        {
            changes.leave(&fact, entered);
        }
    }
}
