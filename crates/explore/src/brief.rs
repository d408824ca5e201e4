//! What can be done next, in brief: whose it is, its kind, what it is done to, and where.
//!
//! A scheduler that goes by threads alone, as those by chance do, need not know how an event turned out, nor what it depends on.
//! Runs for such a scheduler are written down in brief, and faster for that; whoever wants to know more of one makes it again, by its
//! choices.
//!
//! Promise: a run in brief is the one that the same scheduler would have made in full.

use crate::event::{Action, Event, Kind, Site};
use crate::ids::{EventId, ObjectId, ThreadId};
use crate::run::Scheduler;

/// An event in brief.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Brief {
    /// Whose, and which alternative.
    pub id: EventId,
    /// Where.
    pub site: Site,
    /// The thread that it is done to, as far as that is known before it is done.
    pub target: Option<ThreadId>,
    /// What it is done to.
    pub object: Option<ObjectId>,
    /// What is done.
    pub kind: Kind,
}

impl From<Event> for Brief {
    fn from(event: Event) -> Brief {
        let Event { id, action, site } = event;
        Brief { id, site, target: action.target, object: action.object, kind: action.kind }
    }
}

impl Brief {
    /// The event, as far as it is known.
    pub fn event(&self) -> Event {
        let Brief { id, site, target, object, kind } = *self;
        Event { id, action: Action { target, object, ..Action::new(kind) }, site }
    }
}

/// What schedulers choose from: events, in full or in brief.
pub trait Candidate {
    /// Whose, and which alternative.
    fn id(&self) -> EventId;

    /// What is done.
    fn kind(&self) -> Kind;

    /// In brief.
    fn brief(&self) -> Brief;

    /// The thread whose it is.
    #[inline]
    fn thread(&self) -> ThreadId {
        self.id().thread
    }

    /// Does the thread let others go first by it?
    #[inline]
    fn gives_way(&self) -> bool {
        matches!(self.kind(), Kind::Yield | Kind::Sleep)
    }
}

impl Candidate for Event {
    #[inline]
    fn id(&self) -> EventId {
        self.id
    }

    #[inline]
    fn kind(&self) -> Kind {
        self.action.kind
    }

    #[inline]
    fn brief(&self) -> Brief {
        Brief::from(*self)
    }
}

impl Candidate for Brief {
    #[inline]
    fn id(&self) -> EventId {
        self.id
    }

    #[inline]
    fn kind(&self) -> Kind {
        self.kind
    }

    #[inline]
    fn brief(&self) -> Brief {
        *self
    }
}

/// A scheduler that needs no more than that.
pub trait Picks: Scheduler {
    /// The place of what is done next, of these; there is at least one. `None` gives the run up.
    fn pick(&mut self, enabled: &[Brief]) -> Option<usize>;

    /// This was picked, and is done before anything else is asked.
    fn picked(&mut self, _brief: &Brief) {}
}
