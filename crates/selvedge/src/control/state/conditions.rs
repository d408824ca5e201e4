//! Conditions that concern all threads.

/// Conditions that concern all threads: mostly none of them holds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Conditions {
    /// The run is over: the threads that are left are unwound.
    pub(crate) is_stopping: bool,
    /// The running thread is inside of a transaction, where no other action may be visible.
    pub(crate) in_transaction: bool,
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
            in_transaction,
            has_throwers,
            has_arriving,
            is_stale,
            has_spinners,
            spins_freely,
            is_body_over,
        } = self;
        // As one number: the processor reads all of them at once.
        let all = [
            is_stopping,
            in_transaction,
            has_throwers,
            has_arriving,
            is_stale,
            has_spinners,
            spins_freely,
            is_body_over,
        ];
        u64::from_ne_bytes(all.map(u8::from)) != 0
    }
}
