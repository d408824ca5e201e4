//! Several events at once: what they need of the memory is loaded before the first of them.
//!
//! With very many propositions, an event waits for the memory of the index, then for that of the
//! proposition, then for that of the instance, as each address is in what was loaded before. The waits of
//! different events do not depend on each other: the same loads of a group of events are made together, and
//! a processor waits once for all of them (Chen, Ailamaki, Gibbons and Mowry, Improving hash join
//! performance through prefetching, 2004).
//!
//! Promise: looking ahead changes nothing but the caches of the processor.

use super::Monitor;
use crate::propositions::GROUP;
use std::fmt::Debug;
use std::hash::Hash;

impl<P: Ord + Hash + Clone + Debug> Monitor<P> {
    /// [Pulses](Monitor::pulse) propositions one after the other. With very many instances, this takes less
    /// time than as many calls of `pulse`. Up to 32 propositions are taken from the iterator before the
    /// first of them is pulsed; if a handler of a violation panics, the others of them are not pulsed.
    ///
    /// ```
    /// use selvedge_monitor::{Fact, Monitor};
    /// let mut monitor: Monitor<Fact> = Monitor::new();
    /// monitor.check("answered", "forall r: G (request(r) -> F answer(r))")?;
    /// monitor.pulse_all((0..1_000).map(|id| Fact::from(("request", id))));
    /// assert_eq!((monitor.state(), monitor.violations().len()), (1_000, 0));
    /// # Ok::<(), selvedge_monitor::CheckError>(())
    /// ```
    pub fn pulse_all(&mut self, props: impl IntoIterator<Item = P>) {
        let mut props = props.into_iter();
        let mut group = Vec::with_capacity(GROUP);
        loop {
            group.extend(props.by_ref().take(GROUP));
            if group.is_empty() {
                return;
            }
            self.propositions.look_ahead(&group, &self.instances);
            group.iter().for_each(|prop| self.pulse(prop));
            group.clear();
        }
    }
}
