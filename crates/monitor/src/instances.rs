//! Instances: formulas over propositions of the monitor, each one number in the tables of its shape.
//!
//! Promise: an instance costs a few words beside its shape; the number of a freed instance is never taken
//! for that of a later one.

use crate::Value;
use crate::propositions::PropId;
use crate::shapes::ShapeId;
use selvedge_ltl::progression::Cursor;

/// The number of an instance, with the number of times that its place was used before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct InstanceId {
    index: u32,
    generation: u32,
}

/// A formula in progress.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub(crate) shape: ShapeId,
    pub(crate) cursor: Cursor,
    /// The values of its propositions in the last state, one bit each.
    pub(crate) letter: u64,
    /// The last step at which a proposition of it changed.
    pub(crate) touched: u64,
    /// By bit of the letter, the proposition; `None` if no value of a template's variable makes it yet.
    pub(crate) props: Box<[Option<PropId>]>,
    /// The first state that it was judged on.
    pub(crate) began: u64,
    /// The state that decided it, if it stays although it is decided: partial instances do.
    pub(crate) decided: Option<u64>,
    pub(crate) origin: Origin,
    /// The values of a template's variables, if the propositions do not show them: two are the same.
    pub(crate) values: Option<Box<[Option<Value>]>>,
}

/// The property that an instance belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The property itself, or an instance of its template.
    Property(u32),
    /// An instance of a template with a variable that has no value yet, from which complete ones are made.
    Partial(u32),
    /// Says that an antecedent of the property, by its number, has not happened.
    Vacuity(u32, u32),
}

/// All instances.
#[derive(Debug, Default)]
pub(crate) struct Instances {
    slots: Vec<Slot>,
    free: Vec<u32>,
}

#[derive(Debug, Default)]
struct Slot {
    generation: u32,
    instance: Option<Instance>,
}

impl Instances {
    pub(crate) fn add(&mut self, instance: Instance) -> InstanceId {
        let index = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            u32::try_from(self.slots.len() - 1).expect("fewer than 2^32 instances")
        });
        let slot = &mut self.slots[index as usize];
        slot.instance = Some(instance);
        InstanceId { index, generation: slot.generation }
    }

    /// The instance, unless it is freed.
    #[inline]
    pub(crate) fn get(&self, id: InstanceId) -> Option<&Instance> {
        let slot = &self.slots[id.index as usize];
        slot.instance.as_ref().filter(|_| slot.generation == id.generation)
    }

    /// The instance, unless it is freed.
    #[inline]
    pub(crate) fn get_mut(&mut self, id: InstanceId) -> Option<&mut Instance> {
        let slot = &mut self.slots[id.index as usize];
        slot.instance.as_mut().filter(|_| slot.generation == id.generation)
    }

    /// Frees an instance.
    pub(crate) fn remove(&mut self, id: InstanceId) -> Option<Instance> {
        let slot = &mut self.slots[id.index as usize];
        if slot.generation != id.generation {
            return None;
        }
        let instance = slot.instance.take()?;
        slot.generation = slot.generation.wrapping_add(1);
        self.free.push(id.index);
        Some(instance)
    }

    /// All instances, in the order of their places.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Instance> {
        self.slots.iter().filter_map(|slot| slot.instance.as_ref())
    }

    /// All instances.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Instance> {
        self.slots.iter_mut().filter_map(|slot| slot.instance.as_mut())
    }

    /// The number of instances.
    pub(crate) fn count(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::Shapes;

    #[test]
    fn a_freed_instance_is_not_found_by_its_old_number() {
        let mut shapes = Shapes::default();
        let formula =
            selvedge_ltl::Alphabet::default().number(&"G p".parse().expect("a formula")).expect("few");
        let shape = shapes.intern(&formula).expect("stutter-invariant");
        let cursor = shapes.get(shape).start();
        let new = || Instance {
            shape,
            cursor,
            letter: 0,
            touched: 0,
            props: Box::new([]),
            began: 0,
            decided: None,
            origin: Origin::Property(0),
            values: None,
        };
        let mut instances = Instances::default();
        let first = instances.add(new());
        assert!(instances.remove(first).is_some());
        let second = instances.add(new());
        assert!(instances.get(first).is_none());
        assert!(instances.get(second).is_some());
        assert!(instances.remove(first).is_none());
        assert_eq!(instances.count(), 1);
    }
}
