//! The state of an object, whatever primitive it is.

use super::arc::ArcState;
use super::barrier::BarrierState;
use super::channel::ChannelState;
use super::condvar::Waiters;
use super::mutex::MutexState;
use super::mvar::MVarState;
use super::once::OnceState;
use super::rwlock::{Role, RwLockState};
use crate::control::memory::AtomicState;
use crate::control::race::Accesses;
use selvedge_explore::{Kind, ThreadId};

/// The primitive that an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectKind {
    Atomic,
    Ref,
    Mutex,
    RwLock,
    Condvar,
    Once,
    Barrier,
    Channel,
    MVar,
    TVar,
    Arc,
    Cell,
}

impl ObjectKind {
    /// Its name in messages.
    pub(crate) fn text(self) -> &'static str {
        match self {
            ObjectKind::Atomic => "atomic",
            ObjectKind::Ref => "ref",
            ObjectKind::Mutex => "mutex",
            ObjectKind::RwLock => "rwlock",
            ObjectKind::Condvar => "condvar",
            ObjectKind::Once => "once",
            ObjectKind::Barrier => "barrier",
            ObjectKind::Channel => "channel",
            ObjectKind::MVar => "mvar",
            ObjectKind::TVar => "tvar",
            ObjectKind::Arc => "arc",
            ObjectKind::Cell => "cell",
        }
    }
}

/// The state of an object that decides which threads are enabled. The representation makes its kind a byte
/// that is read at once.
#[derive(Clone, Debug)]
#[repr(u8)]
pub(crate) enum Sync {
    /// An atomic: no thread ever waits for it. An atomic reference is an atomic of version numbers.
    Atomic(AtomicState),
    Mutex(MutexState),
    RwLock(RwLockState),
    Condvar(Waiters),
    Once(OnceState),
    Barrier(BarrierState),
    Channel(ChannelState),
    MVar(MVarState),
    /// A transactional variable: transactions know themselves whether they have to wait.
    TVar,
    /// A value with owners: no thread waits for them.
    Arc(ArcState),
    /// Data that is accessed without synchronisation.
    Cell(Accesses),
}

impl Sync {
    /// An object before its first use.
    pub(crate) fn first(kind: ObjectKind) -> Sync {
        match kind {
            ObjectKind::Atomic | ObjectKind::Ref => Sync::Atomic(AtomicState::default()),
            ObjectKind::Mutex => Sync::Mutex(MutexState::default()),
            ObjectKind::RwLock => Sync::RwLock(RwLockState::default()),
            ObjectKind::Condvar => Sync::Condvar(Waiters::default()),
            ObjectKind::Once => Sync::Once(OnceState::default()),
            ObjectKind::Barrier => Sync::Barrier(BarrierState::default()),
            ObjectKind::Channel => Sync::Channel(ChannelState::new(None)),
            ObjectKind::MVar => Sync::MVar(MVarState::default()),
            ObjectKind::TVar => Sync::TVar,
            ObjectKind::Arc => Sync::Arc(ArcState::default()),
            ObjectKind::Cell => Sync::Cell(Accesses::default()),
        }
    }

    /// Can the thread execute an action of this kind now? `since` is what it has seen of the object before.
    #[inline(always)]
    pub(in crate::control) fn allows(&self, kind: Kind, thread: ThreadId, since: u64) -> bool {
        match (kind, self) {
            (Kind::Lock, Sync::Mutex(mutex)) => mutex.is_free(),
            (Kind::ReadLock, Sync::RwLock(lock)) => lock.is_free_for(Role::Reader),
            (Kind::WriteLock, Sync::RwLock(lock)) => lock.admits_writer(thread),
            (Kind::Wake, Sync::Condvar(waiters)) => waiters.can_wake(thread),
            (Kind::Begin, Sync::Once(once)) => once.can_begin(),
            (Kind::Await, Sync::Once(once)) => once.can_await(since),
            (Kind::Send, Sync::Channel(channel)) => channel.can_send(since),
            (Kind::Receive, Sync::Channel(channel)) => channel.can_receive(),
            (Kind::Pass, Sync::Barrier(barrier)) => barrier.can_pass(since),
            (Kind::Put | Kind::Take | Kind::Read, Sync::MVar(mvar)) => mvar.allows(kind),
            _ => true,
        }
    }

    /// The kind of action that a thread executes now which has announced this kind: a writer that finds
    /// readers begins to wait.
    #[inline]
    pub(in crate::control) fn executed_kind(&self, announced: Kind) -> Kind {
        match self {
            Sync::RwLock(lock) if announced == Kind::WriteLock => lock.write_kind(),
            _ => announced,
        }
    }

    /// The enabled actions on the object, by any thread.
    #[inline(never)]
    pub(in crate::control) fn enabled_actions(&self) -> u64 {
        match self {
            Sync::Mutex(mutex) => mutex.enabled_actions(),
            Sync::RwLock(lock) => lock.enabled_actions(),
            Sync::Channel(channel) => channel.enabled_actions(),
            Sync::MVar(mvar) => mvar.enabled_actions(),
            Sync::Once(once) => once.enabled_actions(),
            Sync::Atomic(_) | Sync::Condvar(_) | Sync::Barrier(_) | Sync::Cell(_) => 0,
            Sync::Arc(_) | Sync::TVar => 0,
        }
    }

    /// The threads that hold the object, or compute its value.
    pub(in crate::control) fn holders(&self) -> Vec<ThreadId> {
        match self {
            Sync::Mutex(mutex) => mutex.holders(),
            Sync::RwLock(lock) => lock.holders(),
            Sync::Once(once) => once.holders(),
            _ => Vec::new(),
        }
    }

    /// What a thread waits for that is blocked at an action of this kind, in words.
    pub(in crate::control) fn awaited(
        &self,
        kind: Kind,
        object: &str,
        thread_name: impl Fn(ThreadId) -> String,
    ) -> String {
        let holders = self.holders();
        if !holders.is_empty() {
            let names: Vec<String> =
                holders.into_iter().map(|thread| format!("`{}`", thread_name(thread))).collect();
            let names = names.join(", ");
            return match self {
                Sync::RwLock(lock) => lock.awaited(kind, object, &names, thread_name),
                _ => format!("waits for {object}, held by {names}"),
            };
        }
        match self {
            Sync::Condvar(_) => format!("waits to be notified by {object}"),
            Sync::Channel(channel) => channel.awaited(kind, object),
            Sync::Barrier(_) => format!("waits for others at {object}"),
            Sync::MVar(_) => MVarState::awaited(kind, object),
            _ => format!("waits for {object}"),
        }
    }
}
