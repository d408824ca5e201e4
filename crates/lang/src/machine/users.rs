//! Which processes use a resource.

/// No process, one, or several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Users {
    None,
    One(u32),
    Several,
}

impl Users {
    /// Counts a use by the process.
    pub(super) fn add(&mut self, process: u32) {
        *self = match *self {
            Users::None => Users::One(process),
            Users::One(user) if user == process => Users::One(process),
            _ => Users::Several,
        };
    }
}
