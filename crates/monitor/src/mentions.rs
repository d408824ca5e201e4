//! Which instances mention a proposition.
//!
//! Most propositions with data are mentioned by one instance, which is found without a detour: a [`Mention`]
//! is a part of the proposition's record. The others have a list. A freed instance is removed from short
//! lists at once, and from long ones when half of a list is about freed instances, so that freeing takes
//! constant time on average.

use crate::instances::{InstanceId, Instances};

/// The instance that mentions a proposition, or the number of the list of several such.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mention {
    pub(crate) number: u32,
    /// The bit of the instance's letter that stands for the proposition; or [`NONE`] or [`LIST`].
    pub(crate) bit: u8,
}

const NONE: u8 = 0xff;
const LIST: u8 = 0xfe;

/// The lists of all propositions that several instances mention.
#[derive(Debug, Default)]
pub(crate) struct Mentions {
    lists: Vec<List>,
    free: Vec<u32>,
}

#[derive(Debug, Default)]
struct List {
    /// Instances, each with the bit of its letter; freed ones among them, if the list is long.
    entries: Vec<(InstanceId, u8)>,
    /// How many are freed.
    stale: usize,
}

/// A freed instance is removed from lists up to this length at once.
const SHORT: usize = 8;

impl Mention {
    /// No instance mentions the proposition.
    pub(crate) const NONE: Mention = Mention { number: 0, bit: NONE };

    /// The instance, and the bit of its letter, if it is the only one.
    #[inline]
    pub(crate) fn single(self) -> Option<(InstanceId, u8)> {
        (self.bit < LIST).then_some((InstanceId(self.number), self.bit))
    }

    /// Does no instance mention it?
    pub(crate) fn is_none(self) -> bool {
        self.bit == NONE
    }
}

impl Mentions {
    /// Calls `visit` with each instance and its bit; some may be freed.
    #[inline]
    pub(crate) fn visit(&self, mention: Mention, mut visit: impl FnMut(InstanceId, u8)) {
        match mention.bit {
            NONE => {}
            LIST => self.lists[mention.number as usize].entries.iter().for_each(|(id, bit)| visit(*id, *bit)),
            bit => visit(InstanceId(mention.number), bit),
        }
    }

    /// One more instance mentions the proposition.
    pub(crate) fn add(&mut self, mention: &mut Mention, instance: InstanceId, bit: u8) {
        match mention.bit {
            NONE => *mention = Mention { number: instance.0, bit },
            LIST => self.lists[mention.number as usize].entries.push((instance, bit)),
            first => {
                let number = self.free.pop().unwrap_or_else(|| {
                    self.lists.push(List::default());
                    self.lists.len() as u32 - 1
                });
                let entries = &mut self.lists[number as usize].entries;
                entries.extend([(InstanceId(mention.number), first), (instance, bit)]);
                *mention = Mention { number, bit: LIST };
            }
        }
    }

    /// Removes a mention by a freed instance, now or later; returns whether it is later. Then
    /// [`Instances::forget_mention`] is called at that time.
    pub(crate) fn remove(&mut self, mention: &mut Mention, instance: InstanceId) -> bool {
        if mention.bit != LIST {
            // A proposition that stands for two bits was removed with the first of them.
            *mention = Mention::NONE;
            return false;
        }
        let list = &mut self.lists[mention.number as usize];
        if list.entries.len() > SHORT {
            list.stale += 1;
            return true;
        }
        list.entries.retain(|(id, _)| *id != instance);
        self.drop_if_short(mention);
        false
    }

    /// Removes all freed instances from the list of a proposition, if they are many.
    pub(crate) fn purge(&mut self, mention: &mut Mention, instances: &mut Instances) {
        if mention.bit != LIST {
            return;
        }
        let list = &mut self.lists[mention.number as usize];
        if 2 * list.stale <= list.entries.len() {
            return;
        }
        list.stale = 0;
        list.entries.retain(|(id, _)| {
            let is_freed = instances.is_freed(*id);
            if is_freed {
                instances.forget_mention(*id);
            }
            !is_freed
        });
        self.drop_if_short(mention);
    }

    /// A list with fewer than two instances is none. Nothing in it is freed.
    fn drop_if_short(&mut self, mention: &mut Mention) {
        let number = mention.number;
        *mention = match self.lists[number as usize].entries[..] {
            [] => Mention::NONE,
            [(instance, bit)] => Mention { number: instance.0, bit },
            _ => return,
        };
        self.lists[number as usize] = List::default();
        self.free.push(number);
    }
}
