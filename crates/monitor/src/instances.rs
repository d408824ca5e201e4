//! Instances: formulas over propositions of the monitor, each one number in the tables of its shape.
//!
//! What a step needs of an instance is its [`Progress`], sixteen bytes in a table of their own, so that very
//! many instances stay in the caches of a processor.
//!
//! Promise: a step of an instance reads and writes its [`Progress`] alone. The number of a freed instance is
//! given to another one only after the last mention of it is removed.

use crate::Value;
use crate::mentions::Mention;
use crate::propositions::PropId;
use crate::shapes::ShapeId;
use rustc_hash::FxHashMap;
use selvedge_ltl::progression::Cursor;

/// The number of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct InstanceId(pub(crate) u32);

/// A formula in progress.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub(crate) shape: ShapeId,
    pub(crate) cursor: Cursor,
    /// The values of its propositions in the last state, one bit each.
    pub(crate) letter: u64,
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
    progress: Vec<Progress>,
    /// By number, the rest of the instance; `None` if it is freed.
    others: Vec<Option<Others>>,
    /// The numbers of freed instances that nothing mentions.
    free: Vec<u32>,
    /// Freed instances with mentions that are still there, and how many these are.
    stale: FxHashMap<u32, u32>,
}

/// What a step needs of an instance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress {
    pub(crate) letter: u64,
    pub(crate) cursor: Cursor,
    /// The number of the shape; the highest bit says that this step touched the instance.
    shape: u32,
}

/// What reports and new instances need of an instance.
#[derive(Clone, Debug)]
struct Others {
    props: Box<[Option<PropId>]>,
    began: u64,
    decided: Option<u64>,
    origin: Origin,
    values: Option<Box<[Option<Value>]>>,
}

const TOUCHED: u32 = 1 << 31;
/// In place of the number of a shape: the instance is freed.
const FREED: u32 = !TOUCHED;

impl Progress {
    /// The shape, unless the instance is freed.
    #[inline]
    pub(crate) fn shape(&self) -> Option<ShapeId> {
        let shape = self.shape & !TOUCHED;
        (shape != FREED).then_some(ShapeId(shape))
    }

    /// The step changes a proposition; returns whether it is the first one that the step changes.
    #[inline]
    pub(crate) fn touch(&mut self, bit: u8) -> bool {
        self.letter ^= 1 << bit;
        let is_first = self.shape & TOUCHED == 0;
        self.shape |= TOUCHED;
        is_first
    }

    /// All changes of the step are applied.
    #[inline]
    pub(crate) fn untouch(&mut self) {
        self.shape &= !TOUCHED;
    }
}

impl Instances {
    pub(crate) fn add(&mut self, instance: Instance) -> InstanceId {
        let Instance { shape, cursor, letter, props, began, decided, origin, values } = instance;
        assert!(shape.0 < FREED, "fewer than 2^31 shapes");
        let progress = Progress { letter, cursor, shape: shape.0 };
        let others = Some(Others { props, began, decided, origin, values });
        if let Some(index) = self.free.pop() {
            self.progress[index as usize] = progress;
            self.others[index as usize] = others;
            return InstanceId(index);
        }
        self.progress.push(progress);
        self.others.push(others);
        InstanceId(u32::try_from(self.progress.len() - 1).expect("fewer than 2^32 instances"))
    }

    /// What a step needs of an instance, freed or not.
    #[inline]
    pub(crate) fn progress(&mut self, id: InstanceId) -> &mut Progress {
        &mut self.progress[id.0 as usize]
    }

    /// A part of what a step needs of the instance that mentions a proposition, if there is one alone.
    #[inline]
    pub(crate) fn look_ahead(&self, mention: Mention) -> u64 {
        mention.single().map_or(0, |(id, _)| self.progress[id.0 as usize].letter)
    }

    /// The instance, unless it is freed.
    pub(crate) fn get(&self, id: InstanceId) -> Option<Instance> {
        let Others { props, began, decided, origin, values } = self.others[id.0 as usize].clone()?;
        let Progress { letter, cursor, .. } = self.progress[id.0 as usize];
        let shape = self.progress[id.0 as usize].shape()?;
        Some(Instance { shape, cursor, letter, props, began, decided, origin, values })
    }

    /// Is it freed?
    pub(crate) fn is_freed(&self, id: InstanceId) -> bool {
        self.others[id.0 as usize].is_none()
    }

    /// The property that it belongs to, unless it is freed.
    pub(crate) fn origin(&self, id: InstanceId) -> Option<Origin> {
        self.others[id.0 as usize].as_ref().map(|others| others.origin)
    }

    /// A state decides an instance that stays.
    pub(crate) fn set_decided(&mut self, id: InstanceId, state: u64) {
        if let Some(others) = &mut self.others[id.0 as usize] {
            others.decided.get_or_insert(state);
        }
    }

    /// Frees an instance. Its number is not given to another one before [`reuse`](Self::reuse) is called.
    pub(crate) fn remove(&mut self, id: InstanceId) -> Option<Instance> {
        let instance = self.get(id)?;
        self.others[id.0 as usize] = None;
        self.progress[id.0 as usize].shape = FREED;
        Some(instance)
    }

    /// The number of a freed instance that is mentioned so many times can be given to another one, once
    /// these mentions are removed.
    pub(crate) fn reuse(&mut self, id: InstanceId, stale_mentions: u32) {
        if stale_mentions == 0 {
            self.free.push(id.0);
        } else {
            self.stale.insert(id.0, stale_mentions);
        }
    }

    /// A mention of a freed instance is removed.
    pub(crate) fn forget_mention(&mut self, id: InstanceId) {
        let Some(left) = self.stale.get_mut(&id.0) else { return };
        *left -= 1;
        if *left == 0 {
            self.stale.remove(&id.0);
            self.free.push(id.0);
        }
    }

    /// The numbers of all instances.
    pub(crate) fn ids(&self) -> impl Iterator<Item = InstanceId> + use<> {
        let ids: Vec<u32> =
            (0..).zip(&self.others).filter(|(_, others)| others.is_some()).map(|(id, _)| id).collect();
        ids.into_iter().map(InstanceId)
    }

    /// The cursors of all instances of a shape.
    pub(crate) fn cursors_of(&mut self, shape: ShapeId) -> impl Iterator<Item = &mut Cursor> {
        let of_shape = move |progress: &&mut Progress| progress.shape() == Some(shape);
        self.progress.iter_mut().filter(of_shape).map(|progress| &mut progress.cursor)
    }

    /// The number of instances.
    pub(crate) fn count(&self) -> usize {
        self.progress.len() - self.free.len() - self.stale.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::Shapes;

    fn new_instance() -> impl FnMut() -> Instance {
        let mut shapes = Shapes::default();
        let formula =
            selvedge_ltl::Alphabet::default().number(&"G p".parse().expect("a formula")).expect("few");
        let shape = shapes.intern(&formula).expect("stutter-invariant");
        let cursor = shapes.get(shape).start();
        move || Instance {
            shape,
            cursor,
            letter: 0,
            props: Box::new([]),
            began: 0,
            decided: None,
            origin: Origin::Property(0),
            values: None,
        }
    }

    #[test]
    fn the_number_of_a_freed_instance_is_used_again_after_its_last_mention() {
        let (mut new, mut instances) = (new_instance(), Instances::default());
        let first = instances.add(new());
        assert!(instances.remove(first).is_some());
        instances.reuse(first, 2);
        assert!(instances.get(first).is_none());
        assert!(instances.remove(first).is_none());
        instances.forget_mention(first);
        let second = instances.add(new());
        assert_ne!(first, second);
        instances.forget_mention(first);
        assert_eq!(instances.add(new()), first);
        assert_eq!(instances.count(), 2);
    }

    #[test]
    fn a_step_needs_sixteen_bytes_of_an_instance() {
        assert_eq!(size_of::<Progress>(), 16);
    }
}
