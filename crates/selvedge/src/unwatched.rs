//! Propositions and formulas in a build without the features `check` and `watch`: nothing happens.

/// Checks a formula from the present state on. In this build, without the features `check` and `watch`, it
/// does nothing.
#[inline(always)]
pub fn check<F>(_name: &str, _formula: F) {}

pub mod prop {
    //! Propositions: what holds now. In this build, without the features `check` and `watch`, changes do
    //! nothing.

    /// The proposition holds from now on.
    #[inline(always)]
    pub fn set<P>(_prop: P) {}

    /// The proposition does not hold any more.
    #[inline(always)]
    pub fn release<P>(_prop: P) {}

    /// The proposition holds in one state, and in the next it does not.
    #[inline(always)]
    pub fn pulse<P>(_prop: P) {}

    /// Gives a lock a name.
    #[inline(always)]
    pub fn name_lock<L: ?Sized>(_lock: &L, _name: &str) {}
}
