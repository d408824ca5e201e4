//! Recorded runs in the numbers of a session's threads.
//!
//! A recording numbers its threads in the order of their paths; a session numbers paths in the order in
//! which it meets them. So the session's tree of threads meets those of its recordings first.
//!
//! The crash report of a run that ended the process is a recording, too. Its last step is known to end the
//! process, and a session that is opened again does not execute it.

use crate::explorer::report::{TestName, crash_recordings};
use selvedge_explore::trace::Recording;
use selvedge_explore::{EventId, Kind, ThreadId, ThreadTree};
use std::collections::{HashMap, HashSet};

/// The recording with the numbers of the threads in this tree, which gets those that it lacks.
pub(super) fn renumbered(mut recording: Recording, tree: &mut ThreadTree) -> Recording {
    let mut numbers = HashMap::from([(ThreadId::MAIN, ThreadId::MAIN)]);
    let mut children: HashMap<ThreadId, usize> = HashMap::new();
    for step in &mut recording.steps {
        let owner = *numbers.get(&step.id.thread.owner()).unwrap_or(&step.id.thread.owner());
        step.id.thread = step.id.thread.buffer().map_or(owner, |buffer| ThreadId::phantom(owner, buffer));
        let Some(target) = step.action.target else { continue };
        if step.action.kind == Kind::Spawn && !numbers.contains_key(&target) {
            let index = children.entry(owner).or_default();
            numbers.insert(target, tree.child(owner, *index));
            *index += 1;
        }
        step.action.target = Some(*numbers.get(&target).unwrap_or(&target));
    }
    recording
}

/// The choices of the recording.
pub(super) fn choices(recording: &Recording) -> Vec<EventId> {
    recording.steps.iter().map(|step| step.id).collect()
}

/// The choices of the runs that ended the process, as this test program is built now.
pub(super) fn fatal_runs(test: &TestName, tree: &mut ThreadTree) -> HashSet<Vec<EventId>> {
    let recordings = crash_recordings(test).into_iter().filter(|recording| !recording.steps.is_empty());
    recordings.map(|recording| choices(&renumbered(recording, tree))).collect()
}
