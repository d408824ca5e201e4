//! Counts of owners: which actions on a reference-counted value commute, as those of `Arc` and `Weak`.
//!
//! An action concerns the strong count, the weak count, or both. It reads a count, adds an owner, removes
//! one, or sets the count. For the strong count:
//!
//! | | reads | adds | upgrades | removes | sets |
//! |---|---|---|---|---|---|
//! | reads | independent | dependent | dependent | dependent | dependent |
//! | adds | | independent | independent | independent | dependent |
//! | upgrades | | | independent | dependent | dependent |
//! | removes | | | | by the count | dependent |
//! | sets | | | | | dependent |
//!
//! *By the count*: two removals depend on each other if one of them is the last. The last one runs the
//! destructor of the value, and happens after all others. Let the count be `n` when both are enabled: if
//! `n` is 2, the later one is the last in either order, so they are dependent; if `n` is more, neither is
//! the last in either order, and the two orders lead to the same state. This is a dependency that is
//! conditional on the state (Katz and Peled, Defining Conditional Independence Using Collapses, TCS 101,
//! 1992).
//!
//! In a run the later of two events tells: it observed the count 1, or did not. Events that are enabled in
//! the same state, as those of a sleep set, are compared by `after`: as if one came right after the other.
//! The relation then fulfils what optimal reduction asks of happens-before (Abdulla et al., JACM 64(4),
//! 2017, §3): above all, an independent event between two dependent ones leaves them dependent. It could
//! only break that by adding an owner between the last two removals. But the thread that adds an owner has
//! one meanwhile, so there are three; and an upgrade, which needs none, depends on both removals.
//!
//! A clone and a removal are independent for the same reason: the removal is not the last in either order.
//! An upgrade happens after the removals before it (it acquires what they release), so it depends on them
//! even if none is the last.
//!
//! Promise: whether an event is the last removal, or fails, is the same after every event that is
//! independent of it.

use crate::event::{Event, Kind};

/// The owners of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Counts {
    /// The owners that keep the value alive. Actions on a value of which the counts are unknown have 0.
    pub strong: u32,
    /// The weak references.
    pub weak: u32,
}

impl Counts {
    /// The counts as an event observes them.
    pub fn to_bits(self) -> u64 {
        u64::from(self.weak) << 32 | u64::from(self.strong)
    }

    /// The counts that an event observed.
    pub fn from_bits(bits: u64) -> Counts {
        Counts { strong: bits as u32, weak: (bits >> 32) as u32 }
    }

    /// The counts after an event that found these.
    #[must_use]
    pub fn after(self, event: &Event) -> Counts {
        let (strong, weak) = change(event);
        Counts {
            strong: self.strong.saturating_add_signed(strong),
            weak: self.weak.saturating_add_signed(weak),
        }
    }
}

/// Does an action of this kind concern counts of owners?
#[inline]
pub fn concerns_counts(kind: Kind) -> bool {
    // The kinds stand side by side in their list.
    (Kind::CloneArc..=Kind::WeakCount).contains(&kind)
}

/// Do two actions on the same value depend on each other?
pub(crate) fn conflict(one: &Event, other: &Event) -> bool {
    let (strong, weak) = (use_of_strong(one), use_of_weak(one));
    let conflicts = match (strong, use_of_strong(other)) {
        (CountUse::Removes, CountUse::Removes) => is_last(one) || is_last(other),
        (one, other) => conflicts_with(one, other) || conflicts_with(other, one),
    };
    conflicts || conflicts_with(weak, use_of_weak(other)) || conflicts_with(use_of_weak(other), weak)
}

/// The event as it would be right after another one that is enabled in the same state: the other changes the
/// counts that the event observes.
#[inline]
#[must_use]
pub(crate) fn after(event: &Event, other: &Event) -> Event {
    let mut event = *event;
    if concerns_counts(event.action.kind) && event.action.object == other.action.object {
        event.effect.observed = Counts::from_bits(event.effect.observed).after(other).to_bits();
    }
    event
}

/// How an action uses a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CountUse {
    None,
    Reads,
    Adds,
    Upgrades,
    Removes,
    Sets,
}

fn use_of_strong(event: &Event) -> CountUse {
    match event.action.kind {
        Kind::CloneArc => CountUse::Adds,
        Kind::DropArc | Kind::IntoInner => CountUse::Removes,
        Kind::CloneWeak | Kind::DropWeak => CountUse::None,
        _ if event.effect.read_only => CountUse::Reads,
        Kind::Upgrade => CountUse::Upgrades,
        Kind::TryUnwrap | Kind::MakeMut | Kind::InitArc => CountUse::Sets,
        _ => CountUse::Reads,
    }
}

fn use_of_weak(event: &Event) -> CountUse {
    match event.action.kind {
        Kind::CloneWeak => CountUse::Adds,
        Kind::DropWeak => CountUse::Removes,
        Kind::WeakCount | Kind::GetMut | Kind::MakeMut => CountUse::Reads,
        _ => CountUse::None,
    }
}

/// One half of the table; two removals of a weak reference are independent.
fn conflicts_with(one: CountUse, other: CountUse) -> bool {
    use CountUse::{Adds, None, Reads, Removes, Sets, Upgrades};
    match (one, other) {
        (None, _) | (_, None) => false,
        (Sets, _) => true,
        (Reads, Adds | Removes | Upgrades) => true,
        (Upgrades, Removes) => true,
        _ => false,
    }
}

/// Does a removal remove the last owner? If the count is unknown, it may.
fn is_last(removal: &Event) -> bool {
    Counts::from_bits(removal.effect.observed).strong <= 1
}

/// How an event changes the strong and the weak count.
fn change(event: &Event) -> (i32, i32) {
    match event.action.kind {
        Kind::CloneArc | Kind::InitArc => (1, 0),
        Kind::DropArc | Kind::IntoInner => (-1, 0),
        Kind::CloneWeak => (0, 1),
        Kind::DropWeak => (0, -1),
        _ if event.effect.read_only => (0, 0),
        Kind::Upgrade => (1, 0),
        // The value is taken out of the allocation.
        Kind::TryUnwrap | Kind::MakeMut => (-1, 0),
        _ => (0, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dependency::dependent;
    use crate::enabledness::would_be_read_only;
    use crate::event::{Action, Effect, Site};
    use crate::ids::{EventId, ObjectId, ThreadId};

    const KINDS: [Kind; 12] = [
        Kind::CloneArc,
        Kind::DropArc,
        Kind::IntoInner,
        Kind::TryUnwrap,
        Kind::MakeMut,
        Kind::GetMut,
        Kind::InitArc,
        Kind::Upgrade,
        Kind::CloneWeak,
        Kind::DropWeak,
        Kind::StrongCount,
        Kind::WeakCount,
    ];

    /// The event that a thread executes in a state with these counts.
    fn event(thread: u32, kind: Kind, counts: Counts) -> Event {
        let id = EventId { thread: ThreadId(thread), alternative: 0 };
        let pending = Event::pending(id, Action::on(kind, ObjectId::at(0)), Site::Unknown);
        let read_only = would_be_read_only(&pending, counts.to_bits())
            || matches!(kind, Kind::GetMut | Kind::StrongCount | Kind::WeakCount);
        Event { effect: Effect { observed: counts.to_bits(), read_only, ..Effect::PENDING }, ..pending }
    }

    /// What the thread of an event sees of it, and what it acquires: the removals before it.
    fn sight(event: &Event, removed: u32) -> (bool, u32, u32, u32) {
        let Counts { strong, weak } = Counts::from_bits(event.effect.observed);
        let read_only = event.effect.read_only;
        match event.action.kind {
            Kind::DropArc | Kind::IntoInner => (strong == 1, 0, 0, if strong == 1 { removed } else { 0 }),
            Kind::Upgrade => (read_only, 0, 0, if read_only { 0 } else { removed }),
            Kind::TryUnwrap => (read_only, 0, 0, if read_only { 0 } else { removed }),
            Kind::MakeMut => (strong == 1, u32::from(weak > 0), 0, removed),
            Kind::GetMut => (strong == 1, u32::from(weak > 0), 0, removed),
            Kind::StrongCount => (false, strong, 0, removed),
            Kind::WeakCount => (false, 0, weak, 0),
            _ => (false, 0, 0, 0),
        }
    }

    /// How many owners and weak references a thread needs for an action.
    fn needs(kind: Kind) -> (u32, u32) {
        match kind {
            Kind::Upgrade | Kind::CloneWeak | Kind::DropWeak | Kind::InitArc => (0, 1),
            _ => (1, 0),
        }
    }

    fn removes(event: &Event) -> u32 {
        u32::from(matches!(event.action.kind, Kind::DropArc | Kind::IntoInner))
    }

    /// Both orders from a state in which both events are enabled lead to the same counts, and each thread
    /// sees the same, where the events are independent.
    #[test]
    fn independent_actions_commute_in_every_state_with_few_owners() {
        let mut independent = 0;
        for one in KINDS {
            for other in KINDS {
                let (a, b) = (needs(one), needs(other));
                for (strong, weak) in (0..5).flat_map(|strong| (0..4).map(move |weak| (strong, weak))) {
                    if strong < a.0 + b.0 || weak < a.1 + b.1 {
                        continue;
                    }
                    if (one == Kind::InitArc || other == Kind::InitArc) && strong > 0 {
                        continue;
                    }
                    let counts = Counts { strong, weak };
                    let first = event(1, one, counts);
                    let second = event(2, other, counts.after(&first));
                    let is_dependent = dependent(&first, &second);
                    let early = event(2, other, counts);
                    let late = event(1, one, counts.after(&early));
                    let here = format!("{one:?} and {other:?} at {counts:?}");
                    assert_eq!(is_dependent, dependent(&second, &first), "{here}: symmetric");
                    assert_eq!(is_dependent, dependent(&early, &late), "{here}: the same in both orders");
                    if is_dependent {
                        continue;
                    }
                    independent += 1;
                    assert!(!dependent(&after(&early, &first), &first), "{here}: by the same state");
                    assert_eq!(
                        counts.after(&first).after(&second),
                        counts.after(&early).after(&late),
                        "{here}: the same counts"
                    );
                    assert_eq!(sight(&first, 0), sight(&late, removes(&early)), "{here}: the first thread");
                    assert_eq!(sight(&early, 0), sight(&second, removes(&first)), "{here}: the second");
                }
            }
        }
        assert!(independent > 500, "{independent}");
    }

    #[test]
    fn two_drops_are_dependent_only_if_one_is_the_last() {
        let drop_at = |thread, strong| event(thread, Kind::DropArc, Counts { strong, weak: 0 });
        assert!(dependent(&drop_at(1, 2), &drop_at(2, 1)));
        assert!(!dependent(&drop_at(1, 3), &drop_at(2, 2)));
        // In the same state.
        assert!(dependent(&after(&drop_at(1, 2), &drop_at(2, 2)), &drop_at(2, 2)));
        assert!(!dependent(&after(&drop_at(1, 3), &drop_at(2, 3)), &drop_at(2, 3)));
        // Before it is executed, a drop may be the last.
        assert!(dependent(&drop_at(1, 0), &drop_at(2, 3)));
    }

    /// The last drop of three: an event that is independent of both others, between them, changes nothing.
    #[test]
    fn an_independent_action_between_two_dependent_ones_leaves_them_dependent() {
        for between in KINDS {
            let (strong, weak) = needs(between);
            let counts = Counts { strong: 2 + strong, weak };
            let first = event(1, Kind::DropArc, counts);
            let second = event(2, Kind::DropArc, counts.after(&first));
            if !dependent(&first, &second) {
                continue;
            }
            let middle = event(3, between, counts.after(&first));
            if dependent(&first, &middle) {
                continue;
            }
            let second = event(2, Kind::DropArc, counts.after(&first).after(&middle));
            assert!(dependent(&first, &second), "{between:?}");
        }
    }
}
