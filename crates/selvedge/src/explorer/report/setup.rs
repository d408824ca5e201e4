//! How the runs of an exploration are made, as trace files say it: strategy, seed, memory model and the
//! other options that decide how a run goes. A replay takes them from the file.

use crate::control::{MemoryModel, Settings};
use crate::explorer::api::Strategy;
use selvedge_explore::Trace;
use selvedge_explore::trace::Recording;
use std::fmt::{self, Display};
use std::sync::Arc;

/// How the runs of an exploration are made.
#[derive(Clone, Debug)]
pub(crate) struct RunSetup {
    pub(crate) strategy: Arc<str>,
    /// The seed of a random strategy.
    pub(crate) seed: Option<u64>,
    pub(crate) memory: MemoryModel,
    pub(crate) spurious: bool,
    pub(crate) waits_for_all: bool,
}

/// Where a run of a report comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RunOrigin {
    /// The number of the run with this outcome that was found, from 1; `None` if runs have no numbers.
    pub(crate) number: Option<u64>,
    /// Whether another order of independent steps is shown.
    pub(crate) is_rearranged: bool,
}

/// Receives a key and its value.
pub(super) type WriteAbout<'w> = dyn FnMut(&str, &dyn Display) -> fmt::Result + 'w;

impl RunSetup {
    pub(crate) fn of(strategy: &Strategy, settings: &Settings) -> RunSetup {
        RunSetup {
            strategy: strategy.origin_name().into(),
            seed: strategy.seed(),
            memory: settings.memory,
            spurious: settings.spurious,
            waits_for_all: settings.waits_for_all,
        }
    }

    /// A run as a file holds it; messages show the same.
    pub(crate) fn recording(&self, test: &str, outcome: &str, origin: RunOrigin, trace: &Trace) -> Recording {
        let mut about = vec![("test".to_owned(), test.to_owned())];
        about.push(("outcome".to_owned(), outcome.to_owned()));
        let written = self.write(origin, &mut |key, value| {
            about.push((key.to_owned(), value.to_string()));
            Ok(())
        });
        written.expect("a list takes all");
        let about: Vec<(&str, &str)> = about.iter().map(|(key, value)| (&**key, &**value)).collect();
        trace.recording(&about)
    }

    /// Writes all of it. Does not allocate.
    pub(super) fn write(&self, origin: RunOrigin, write: &mut WriteAbout<'_>) -> fmt::Result {
        write(STRATEGY, &self.strategy)?;
        if let Some(seed) = &self.seed {
            write(SEED, seed)?;
        }
        if let Some(number) = &origin.number {
            write(RUN, number)?;
        }
        let RunSetup { memory, spurious, waits_for_all, .. } = self;
        write(MEMORY, memory)?;
        let flags =
            [(SPURIOUS, *spurious), (WAIT_FOR_ALL, *waits_for_all), (REARRANGED, origin.is_rearranged)];
        flags.into_iter().filter(|(_, is_set)| *is_set).try_for_each(|(key, _)| write(key, &true))
    }
}

const STRATEGY: &str = "strategy";
const SEED: &str = "seed";
const RUN: &str = "run";
const MEMORY: &str = "memory";
const SPURIOUS: &str = "spurious";
const WAIT_FOR_ALL: &str = "wait_for_all";
const REARRANGED: &str = "rearranged";

/// What a recording says about its strategy: its name, its seed, and the run that it is of.
pub(crate) struct RecordedOrigin {
    pub(crate) strategy: String,
    pub(crate) seed: Option<u64>,
    pub(crate) run: RunOrigin,
}

/// How the run was found that a replay makes again.
pub(crate) fn recorded_origin(recording: &Recording) -> RecordedOrigin {
    let number = |key: &str| recording.get(key)?.parse().ok();
    let is_rearranged = recording.get(REARRANGED) == Some("true");
    RecordedOrigin {
        strategy: recording.get(STRATEGY).unwrap_or("replay").to_owned(),
        seed: number(SEED),
        run: RunOrigin { number: number(RUN), is_rearranged },
    }
}

/// Replaces the settings by those of the recording, if it has them. Returns a sentence for each setting that
/// was another one.
///
/// # Panics
/// If the recording has a memory model that there is not.
pub(crate) fn adopt(recording: &Recording, settings: &mut Settings) -> Vec<String> {
    // Older files have no settings.
    let Some(memory) = recording.get(MEMORY) else { return Vec::new() };
    let memory = MemoryModel::named(memory).unwrap_or_else(|| {
        panic!("selvedge: the trace has the memory model `{memory}`; there are sc, tso, pso")
    });
    let is_set = |key: &str| recording.get(key) == Some("true");
    let (spurious, waits_for_all) = (is_set(SPURIOUS), is_set(WAIT_FOR_ALL));
    let sentence = |key: &str, recorded: &dyn Display, wanted: &dyn Display| {
        format!(
            "the trace was made with {key} = {recorded}, and so is the replay; the test asks for {wanted}"
        )
    };
    let mut sentences = Vec::new();
    if memory != settings.memory {
        sentences.push(sentence(MEMORY, &memory, &settings.memory));
    }
    if spurious != settings.spurious {
        sentences.push(sentence(SPURIOUS, &spurious, &settings.spurious));
    }
    if waits_for_all != settings.waits_for_all {
        sentences.push(sentence(WAIT_FOR_ALL, &waits_for_all, &settings.waits_for_all));
    }
    *settings = Settings { memory, spurious, waits_for_all, ..*settings };
    sentences
}
