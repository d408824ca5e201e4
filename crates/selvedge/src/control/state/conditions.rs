//! Conditions that concern all threads, and atomic sections of the program.

/// Code of the program that is executed in one step, so that no other action may be visible in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum AtomicSection {
    /// None is under way.
    #[default]
    None,
    /// A transaction, which may be executed any number of times.
    Transaction,
    /// An opaque effect.
    Effect,
}

/// Conditions that concern all threads: mostly none of them holds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Conditions {
    /// The run is over: the threads that are left are unwound.
    pub(crate) is_stopping: bool,
    /// The atomic section that the running thread is inside of.
    pub(crate) section: AtomicSection,
    /// Has a thread thrown an exception to another, or tried to? Whether it can depends on all actions of
    /// its target.
    pub(crate) has_throwers: bool,
    /// An exception was thrown to a thread that has not raised it yet.
    pub(crate) has_arriving: bool,
    /// An unwinding thread has executed an action since the enabled events were last computed.
    pub(crate) is_stale: bool,
    /// Did a thread wait at a yield for a change when the enabled events were last computed?
    pub(crate) has_spinners: bool,
    /// Do yields not wait for a change?
    pub(crate) spins_freely: bool,
    /// The body has ended, and the run goes on with the threads that are left.
    pub(crate) is_body_over: bool,
}

impl Conditions {
    /// Does any condition hold?
    #[inline(always)]
    pub(in crate::control) fn has_any(self) -> bool {
        let Conditions {
            is_stopping,
            section,
            has_throwers,
            has_arriving,
            is_stale,
            has_spinners,
            spins_freely,
            is_body_over,
        } = self;
        // As one number: the processor reads all of them at once.
        let all =
            [is_stopping, has_throwers, has_arriving, is_stale, has_spinners, spins_freely, is_body_over];
        let [a, b, c, d, e, f, g] = all.map(u8::from);
        u64::from_ne_bytes([a, b, c, d, e, f, g, section as u8]) != 0
    }
}
