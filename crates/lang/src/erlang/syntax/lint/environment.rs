//! Which variables have a value.
//!
//! A variable that is bound in some branches only is unsafe after them: it may have a value, so that it can
//! neither be used nor bound again.

use super::super::tree::Name;
use rustc_hash::FxHashMap;
use selvedge_ltl::source::Span;

/// What is known of a variable that occurred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binding {
    Bound,
    /// Bound in a part of the construct that may not have been evaluated.
    Unsafe {
        construct: &'static str,
        span: Span,
    },
}

/// The variables that occurred so far.
#[derive(Clone, Default)]
pub(super) struct Environment {
    bindings: FxHashMap<Name, Binding>,
}

impl Environment {
    pub(super) fn get(&self, name: &str) -> Option<Binding> {
        self.bindings.get(name).copied()
    }

    pub(super) fn bind(&mut self, name: &Name) {
        self.bindings.insert(name.clone(), Binding::Bound);
    }

    /// Adds what parts bind that are evaluated in any order: all of them are.
    pub(super) fn add(&mut self, part: Environment) {
        for (name, binding) in part.bindings {
            match self.bindings.get(&name) {
                Some(Binding::Unsafe { .. }) => {}
                _ => {
                    self.bindings.insert(name, binding);
                }
            }
        }
    }

    /// Adds variables that hide those of the same name.
    pub(super) fn hide(&mut self, variables: Environment) {
        self.bindings.extend(variables.bindings);
    }

    /// Adds what a part binds that may not be evaluated, or not to its end.
    pub(super) fn add_unsafe(&mut self, part: Environment, construct: &'static str, span: Span) {
        for name in part.bindings.into_keys() {
            self.bindings.entry(name).or_insert(Binding::Unsafe { construct, span });
        }
    }

    /// Adds what branches bind, of which one is evaluated.
    pub(super) fn add_branches(&mut self, branches: Vec<Environment>, construct: &'static str, span: Span) {
        let mut counts: FxHashMap<Name, usize> = FxHashMap::default();
        let branch_count = branches.len();
        for branch in branches {
            for (name, binding) in branch.bindings {
                let count = counts.entry(name).or_default();
                *count += usize::from(binding == Binding::Bound);
            }
        }
        for (name, count) in counts {
            let binding =
                if count == branch_count { Binding::Bound } else { Binding::Unsafe { construct, span } };
            self.bindings.entry(name).or_insert(binding);
        }
    }
}
