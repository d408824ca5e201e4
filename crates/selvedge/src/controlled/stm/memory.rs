//! The memory that a transaction reads and writes: shared with other threads, or its own for the length of
//! one step.
//!
//! Production's transactions read snapshots and validate them. A transaction of an exploration is one step
//! of a run: no other thread runs meanwhile, so its memory needs no versions and no locks.

use crate::control::fiber::outside;
use crate::production::stm::domain::{Domain, DomainId, GLOBAL};
use crate::production::stm::log::{EntryIndex, Log};
use crate::production::stm::run::{Patience, run};
use crate::production::stm::snapshot::Snapshot;
use crate::production::stm::variable::Variable;
use crate::production::stm::versioned_lock::Version;
use crate::production::stm::{Stm, Transaction};
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Where the values of variables come from and where commits write them.
pub(crate) enum TransactionMemory {
    /// Other threads use the same memory.
    Shared(Snapshot),
    /// The transaction is one step of a run.
    SingleStep,
}

impl TransactionMemory {
    /// Memory that other threads use, too.
    pub(crate) fn new(domain: DomainRef) -> TransactionMemory {
        TransactionMemory::Shared(Snapshot::new(domain))
    }

    /// See [`Snapshot::begin_attempt`].
    pub(crate) fn begin_attempt(&mut self, log: &Log, has_priority: bool) {
        match self {
            TransactionMemory::Shared(snapshot) => snapshot.begin_attempt(log, has_priority),
            TransactionMemory::SingleStep => {}
        }
    }

    /// See [`Snapshot::read`].
    #[inline]
    pub(crate) fn read<T: Send + Sync + 'static>(
        &mut self,
        log: &mut Log,
        variable: &Arc<Variable<T>>,
        entry: Option<EntryIndex>,
    ) -> Option<Arc<T>> {
        match self {
            TransactionMemory::Shared(snapshot) => snapshot.read(log, variable, entry),
            TransactionMemory::SingleStep => {
                let entry = entry.unwrap_or_else(|| log.add(variable));
                log.record_read(entry, Version::INITIAL);
                // The lock around the value is a controlled type, and must not be a step of the run.
                Some(outside(|| variable.read_unvalidated().1))
            }
        }
    }

    /// See [`Snapshot::prepare_write`].
    pub(crate) fn prepare_write<T: Send + Sync + 'static>(
        &self,
        log: &mut Log,
        variable: &Arc<Variable<T>>,
    ) -> EntryIndex {
        match self {
            TransactionMemory::Shared(snapshot) => snapshot.prepare_write(log, variable),
            TransactionMemory::SingleStep => log.add(variable),
        }
    }

    /// See [`Snapshot::commit`].
    pub(crate) fn commit(&mut self, log: &mut Log) -> bool {
        match self {
            TransactionMemory::Shared(snapshot) => snapshot.commit(log),
            TransactionMemory::SingleStep => {
                outside(|| log.entries.iter_mut().for_each(|entry| entry.publish(Version::INITIAL)));
                true
            }
        }
    }
}

/// The domain of a transaction.
#[derive(Clone)]
pub(crate) enum DomainRef {
    /// The domain of the program.
    Global,
    /// The domain of a test.
    OfTest(Arc<Domain>),
}

impl DomainRef {
    #[inline]
    pub(crate) fn global() -> DomainRef {
        DomainRef::Global
    }
}

impl Deref for DomainRef {
    type Target = Domain;

    #[inline]
    fn deref(&self) -> &Domain {
        match self {
            DomainRef::Global => &GLOBAL,
            DomainRef::OfTest(domain) => domain,
        }
    }
}

/// A domain for a test that explores the algorithm of [`crate::production::stm`] itself: each run makes a
/// new one, so all runs begin with the same version clock.
#[derive(Clone)]
pub struct TestDomain {
    domain: Arc<Domain>,
    /// From this contention intensity on transactions take turns.
    contention: u32,
}

/// The number of domains that tests have made.
static DOMAINS: AtomicU64 = AtomicU64::new(0);

impl TestDomain {
    /// A domain with a new clock.
    #[must_use]
    #[allow(clippy::new_without_default, reason = "for tests")]
    pub fn new() -> TestDomain {
        let id = DomainId(DOMAINS.fetch_add(1, Relaxed) + 1);
        TestDomain { domain: Arc::new(Domain::new(id)), contention: Patience::DEFAULT.contention }
    }

    /// The same, but all transactions take turns from the beginning, as if they had failed often.
    #[must_use]
    pub fn taking_turns(self) -> TestDomain {
        TestDomain { contention: 0, ..self }
    }

    /// Production's [`atomically`](crate::production::stm::atomically) in this domain. The transaction gets
    /// priority after `max_failures` failed attempts. A variable must be used in one domain only.
    pub fn atomically<T>(&self, max_failures: u32, body: impl Fn(&mut Transaction) -> Stm<T>) -> T {
        let patience = Patience { contention: self.contention, failures: max_failures };
        run(&DomainRef::OfTest(self.domain.clone()), patience, body)
    }
}
