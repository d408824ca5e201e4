//! The locks in hand of the calling thread's holder, where known orders cost a few instructions.
//!
//! While a holder is the one of the calling thread, its held locks are in a thread-local array, beside a
//! direct-mapped cache of the known steps of lock trees ([`known`](super::known)). To take a lock with
//! nothing in hand writes one entry; with others in hand it compares one step as well; to release the last
//! one compares one entry. Whatever else happens goes to the [`Holder`], to which the locks in hand are
//! moved for that time.
//!
//! The thread-local value has no destructor, and no pointer leads from it. So an access needs no test of its
//! state, and all of it is one or two lines of the cache.
//!
//! Promise: only a cache. What this module does not accept is done by the holder, and what it accepts has
//! the effect that it would have had there.

use super::holder::Holder;
use super::ids::{Access, HolderId, LockId, LockTag, PackedHold};
use super::known::Node;
use std::cell::Cell;
use std::panic::Location;
use std::sync::atomic::{AtomicU32, Ordering};

/// The most locks in hand; if there are more, the holder keeps them all.
const MAX_HELD: usize = 8;

/// In the place of a number of locks: they are with the holder, or there is no holder.
const ELSEWHERE: usize = usize::MAX;

/// The size of the cache: a power of two.
const STEPS: usize = 32;

/// A power of two.
const COUNTERS: usize = 64;

/// How often a lock of a holder was released by another one. Holders share a counter if the last bits of
/// their numbers are the same.
static RELEASES: [AtomicU32; COUNTERS] = [const { AtomicU32::new(0) }; COUNTERS];

thread_local! {
    static FAST: Fast = const { Fast::new() };
}

/// A lock that is held.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeldLock {
    pub(super) hold: PackedHold,
    /// The node of the lock tree for the locks before this one, once it is needed.
    pub(super) base: Option<Node>,
    pub(super) taken_at: &'static Location<'static>,
    pub(super) made_at: &'static Location<'static>,
}

impl HeldLock {
    const UNUSED: HeldLock = HeldLock {
        hold: PackedHold::UNUSED,
        base: None,
        taken_at: Location::caller(),
        made_at: Location::caller(),
    };

    pub(super) fn lock(&self) -> LockId {
        self.hold.unpacked().lock
    }
}

/// A step of a lock tree that was recorded in a segment: with the locks of `base` and then `top` in hand,
/// `wanted` is taken. `node` is the sequence that ends with `top`.
#[derive(Clone, Copy, Debug)]
pub(super) struct KnownStep {
    pub(super) base: Option<Node>,
    pub(super) top: Option<PackedHold>,
    pub(super) wanted: PackedHold,
    pub(super) node: Node,
    pub(super) segment: u32,
}

/// What the calling thread has at hand.
struct Fast {
    /// The number of locks in hand, or [`ELSEWHERE`].
    count: Cell<usize>,
    /// The holder whose locks these are.
    holder: Cell<Option<HolderId>>,
    /// The node of the holder's empty sequence of locks.
    root: Cell<Option<Node>>,
    /// The segment of the holder.
    segment: Cell<u32>,
    /// The counter of releases by other holders, as far as the holder has received them.
    received: Cell<u32>,
    held: [Cell<HeldLock>; MAX_HELD],
    steps: [Cell<Option<KnownStep>>; STEPS],
}

/// The holder whose locks are here, if they are.
#[inline]
pub(super) fn holder() -> Option<HolderId> {
    FAST.with(|fast| fast.holder.get())
}

/// The holder of the calling thread is about to take a lock, and counts as one that holds it from now on.
/// Returns false, without effect, if it has locks in hand, or if the holder itself is to be asked.
#[inline]
pub(super) fn take_first(lock: &LockTag, access: Access, at: &'static Location<'static>) -> bool {
    FAST.with(|fast| fast.take_first(lock, access, at))
}

/// The same with other locks in hand. If the order is to be checked, the step must be known.
#[inline]
pub(super) fn take_further(
    lock: &LockTag,
    access: Access,
    at: &'static Location<'static>,
    is_checked: bool,
) -> bool {
    FAST.with(|fast| fast.take_further(lock, access, at, is_checked).is_some())
}

/// The holder of the calling thread is about to release a lock that was taken by the holder `by`. Returns
/// false, without effect, if the holder itself is to be asked.
#[inline]
pub(super) fn release_last(lock: &LockTag, by: HolderId) -> bool {
    FAST.with(|fast| fast.release_last(lock, by))
}

/// The step needs no check.
pub(super) fn remember(step: KnownStep) {
    FAST.with(|fast| fast.steps[place_of(step.top, step.wanted)].set(Some(step)));
}

/// Gives the locks in hand to the holder of the thread.
pub(super) fn move_to(holder: &mut Holder) {
    FAST.with(|fast| fast.move_to(holder));
}

/// Takes the locks in hand from the holder of the thread.
pub(super) fn move_from(holder: &mut Holder) {
    FAST.with(|fast| fast.move_from(holder));
}

/// The thread has no holder any more.
pub(super) fn end() {
    FAST.with(|fast| fast.count.set(ELSEWHERE));
}

/// Another holder has released a lock of this one.
pub(super) fn tell_release(holder: HolderId) {
    counter(holder).fetch_add(1, Ordering::Release);
}

fn counter(holder: HolderId) -> &'static AtomicU32 {
    &RELEASES[holder.number() as usize & (COUNTERS - 1)]
}

fn place_of(top: Option<PackedHold>, wanted: PackedHold) -> usize {
    let top = top.map_or(0, PackedHold::number);
    top.wrapping_mul(3).wrapping_add(wanted.number()) as usize & (STEPS - 1)
}

impl Fast {
    const fn new() -> Fast {
        Fast {
            count: Cell::new(ELSEWHERE),
            holder: Cell::new(None),
            root: Cell::new(None),
            segment: Cell::new(0),
            received: Cell::new(0),
            held: [const { Cell::new(HeldLock::UNUSED) }; MAX_HELD],
            steps: [const { Cell::new(None) }; STEPS],
        }
    }

    /// Without locks in hand, there is none that another holder can have released.
    #[inline]
    fn take_first(&self, lock: &LockTag, access: Access, at: &'static Location<'static>) -> bool {
        let Some(id) = lock.known_id() else { return false };
        let is_accepted = self.count.get() == 0;
        if is_accepted {
            let (hold, base) = (PackedHold::new(id, access), self.root.get());
            self.held[0].set(HeldLock { hold, base, taken_at: at, made_at: lock.made_at() });
            self.count.set(1);
        }
        is_accepted
    }

    #[inline]
    fn take_further(
        &self,
        lock: &LockTag,
        access: Access,
        at: &'static Location<'static>,
        is_checked: bool,
    ) -> Option<()> {
        let count = self.count.get();
        let place = self.held.get(count)?;
        let holder = self.holder.get()?;
        let hold = PackedHold::new(lock.known_id()?, access);
        if counter(holder).load(Ordering::Acquire) != self.received.get() {
            return None;
        }
        let base = if is_checked { Some(self.node_before(count, hold)?) } else { None };
        place.set(HeldLock { hold, base, taken_at: at, made_at: lock.made_at() });
        self.count.set(count + 1);
        Some(())
    }

    /// The node of the locks in hand, if the step to a further one is known.
    fn node_before(&self, count: usize, wanted: PackedHold) -> Option<Node> {
        let (base, top) = match self.held.get(count.wrapping_sub(1)) {
            None => (self.root.get(), None),
            Some(top) => (top.get().base, Some(top.get().hold)),
        };
        let step = self.steps[place_of(top, wanted)].get()?;
        let is_same = step.top == top && step.wanted == wanted && step.base == base;
        (is_same && step.segment == self.segment.get()).then_some(step.node)
    }

    #[inline]
    fn release_last(&self, lock: &LockTag, by: HolderId) -> bool {
        let last = self.count.get().wrapping_sub(1);
        let Some(held) = self.held.get(last) else { return false };
        let is_own = self.holder.get() == Some(by) && lock.is_in(held.get().hold);
        if is_own {
            self.count.set(last);
        }
        is_own
    }

    fn move_to(&self, holder: &mut Holder) {
        let count = self.count.replace(ELSEWHERE);
        if count != ELSEWHERE {
            holder.held.extend(self.held[..count].iter().map(Cell::get));
        }
        holder.receive_releases();
    }

    fn move_from(&self, holder: &mut Holder) {
        // Before the releases are received: a later one changes the counter.
        self.received.set(counter(holder.id()).load(Ordering::Acquire));
        holder.receive_releases();
        if holder.held.len() > MAX_HELD {
            return;
        }
        self.count.set(holder.held.len());
        for (place, held) in self.held.iter().zip(holder.held.drain(..)) {
            place.set(held);
        }
        self.segment.set(holder.segment);
        self.root.set(Some(holder.root()));
        self.holder.set(Some(holder.id()));
    }
}
