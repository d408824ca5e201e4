//! `tracked::Arc`: its counts are steps, and synchronise as `std`'s do. And `std`'s `Arc`, whose counts are
//! not seen: a race in the destructor of its last owner is a note.

#![allow(unsafe_code)]

use super::{explore, returns};
use selvedge::cell::UnsafeCell;
use selvedge::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use selvedge::sync::tracked::{self, Arc, Weak};
use selvedge::{Explorer, Outcome, Report, Strategy, thread};
use std::fmt::Debug;
use std::sync::Arc as StdArc;

/// Data that is written by the destructor.
struct Owner(Cell);

struct Cell(UnsafeCell<u32>);

// SAFETY: the explorer checks that accesses are ordered; if they are not, the run ends before the second
// access; and all threads of a run are on one thread of the operating system.
unsafe impl Sync for Cell {}

impl Cell {
    fn new() -> Cell {
        Cell(UnsafeCell::new(0))
    }

    fn read(&self) -> u32 {
        // SAFETY: the pointer is valid during the access.
        self.0.with(|data| unsafe { *data })
    }

    fn write(&self) {
        // SAFETY: the pointer is valid during the access.
        self.0.with_mut(|data| unsafe { *data += 1 });
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.0.write();
    }
}

fn systematic<T: Ord + Clone + Debug + Send + 'static>(body: impl Fn() -> T + Send + Sync) -> Report<T> {
    Explorer::new().strategy(Strategy::systematic()).explore(body)
}

#[track_caller]
fn is_race<T: Ord + Debug>(report: &Report<T>) {
    let has_race = report.outcomes().keys().any(|outcome| matches!(outcome, Outcome::DataRace(_)));
    assert!(has_race, "{:?} {:?}", report.outcomes().keys(), report.notes());
}

/// The body of a thread that shares an owner with another: both read, and the last one writes.
macro_rules! shares_an_owner {
    ($new:path) => {
        || {
            let one = $new(Owner(Cell::new()));
            let other = one.clone();
            let thread = thread::spawn(move || other.0.read());
            let read = one.0.read();
            drop(one);
            (read, thread.join().unwrap())
        }
    };
}

#[test]
fn a_destructor_that_writes_what_the_other_owner_read_is_no_race() {
    let report = systematic(shares_an_owner!(Arc::new));
    assert_eq!(report.values().collect::<Vec<_>>(), [&(0, 0)]);
    assert_eq!((report.outcomes().len(), report.is_complete()), (1, true));
    assert!(report.notes().is_empty(), "{:?}", report.notes());
    // Each of the two owners is the last one once.
    assert_eq!(report.executions(), 2);
}

#[test]
fn with_the_arc_of_std_that_race_is_a_note() {
    let report = systematic(shares_an_owner!(StdArc::new));
    assert_eq!(report.values().collect::<Vec<_>>(), [&(0, 0)]);
    assert_eq!((report.outcomes().len(), report.is_complete()), (1, true));
    let [note] = report.notes() else { panic!("{:?}", report.notes()) };
    assert!(note.starts_with("not judged: read at ") && note.contains("tracked::Arc"), "{note}");
}

/// A thread accesses the data after it has dropped its owner.
macro_rules! reads_too_late {
    ($new:path) => {
        || {
            let data = StdArc::new(Owner(Cell::new()));
            let one = $new(Writes(data.clone()));
            let other = one.clone();
            let thread = thread::spawn(move || {
                drop(other);
                thread::yield_now();
                data.0.read()
            });
            thread::yield_now();
            drop(one);
            thread.join().unwrap()
        }
    };
}

/// Writes the data of another object in its destructor.
struct Writes(StdArc<Owner>);

impl Drop for Writes {
    fn drop(&mut self) {
        self.0.0.write();
    }
}

#[test]
fn an_access_after_the_own_drop_races_with_the_destructor() {
    is_race(&systematic(reads_too_late!(Arc::new)));
}

/// If the read comes first, the write of the destructor is not judged; if the write comes first, the read
/// is not in a destructor, and the race is one.
#[test]
fn an_access_after_the_own_drop_of_an_arc_of_std_is_a_race_in_the_other_order() {
    is_race(&systematic(reads_too_late!(StdArc::new)));
}

#[test]
fn a_race_outside_of_last_drops_stays_a_failure_beside_an_arc_of_std() {
    let report = systematic(|| {
        let one = StdArc::new(Cell::new());
        let other = one.clone();
        let thread = thread::spawn(move || other.write());
        one.write();
        thread.join().unwrap();
    });
    is_race(&report);
    assert!(report.notes().is_empty(), "{:?}", report.notes());
}

/// The destructor runs while the value of a box is dropped, not the last owner of an `Arc`.
#[test]
fn a_race_of_a_destructor_that_no_arc_runs_stays_a_failure() {
    let report = systematic(|| {
        let data = StdArc::new(Owner(Cell::new()));
        let writes = Box::new(Writes(data.clone()));
        let thread = thread::spawn(move || data.0.read());
        drop(writes);
        thread.join().unwrap()
    });
    is_race(&report);
}

/// The other owner has not ended its access: no order of drops would help.
#[test]
fn an_overlap_with_a_last_drop_of_std_is_a_race() {
    let report = systematic(|| {
        let data = StdArc::new(Owner(Cell::new()));
        let (one, point) = (StdArc::new(Writes(data.clone())), StdArc::new(AtomicU32::new(0)));
        let shared = point.clone();
        let thread = thread::spawn(move || data.0.0.with(|_| shared.load(Ordering::Relaxed)));
        point.load(Ordering::Relaxed);
        drop(one);
        thread.join().unwrap()
    });
    is_race(&report);
}

#[test]
fn a_weak_reference_is_upgraded_before_or_after_the_last_owner_is_dropped() {
    let body = || {
        let arc = Arc::new(1);
        let weak = Arc::downgrade(&arc);
        let thread = thread::spawn(move || weak.upgrade().map(|arc| *arc));
        drop(arc);
        thread.join().unwrap()
    };
    returns(body, [None, Some(1)]);
    assert_eq!(systematic(body).values().collect::<Vec<_>>(), [&None, &Some(1)]);
}

#[test]
fn the_last_drop_may_be_that_of_an_upgraded_reference() {
    let body = || {
        let dropped_by = StdArc::new(AtomicU32::new(0));
        let arc = Arc::new(RecordsThread(dropped_by.clone()));
        let weak = Arc::downgrade(&arc);
        let thread = thread::Builder::new().name("other".to_owned());
        let thread = thread.spawn(move || weak.upgrade().is_some()).unwrap();
        drop(arc);
        (thread.join().unwrap(), dropped_by.load(Ordering::Relaxed))
    };
    returns(body, [(false, 1), (true, 1), (true, 2)]);
}

/// Records whether the body or another thread drops it.
struct RecordsThread(StdArc<AtomicU32>);

impl Drop for RecordsThread {
    fn drop(&mut self) {
        let is_other = thread::current().name() == Some("other");
        self.0.store(1 + u32::from(is_other), Ordering::Relaxed);
    }
}

#[test]
fn exactly_one_of_two_owners_gets_the_value_by_into_inner() {
    let body = || {
        let one = Arc::new(7);
        let other = one.clone();
        let thread = thread::spawn(move || Arc::into_inner(other));
        (Arc::into_inner(one), thread.join().unwrap())
    };
    returns(body, [(None, Some(7)), (Some(7), None)]);
}

#[test]
fn both_of_two_owners_may_fail_to_unwrap_the_value() {
    let body = || {
        let one = Arc::new(7);
        let other = one.clone();
        let thread = thread::spawn(move || Arc::try_unwrap(other).is_ok());
        let is_mine = Arc::try_unwrap(one).is_ok();
        (is_mine, thread.join().unwrap())
    };
    returns(body, [(false, false), (false, true), (true, false)]);
}

#[test]
fn a_count_of_owners_is_any_that_there_is() {
    let body = || {
        let one = Arc::new(());
        let other = one.clone();
        let thread = thread::spawn(move || drop([other.clone(), other]));
        let count = Arc::strong_count(&one);
        thread.join().unwrap();
        (count, Arc::strong_count(&one), Arc::weak_count(&one))
    };
    returns(body, [(1, 1, 0), (2, 1, 0), (3, 1, 0)]);
}

#[test]
fn an_owner_that_is_alone_gets_the_value_for_itself_and_has_seen_what_others_did() {
    let body = || {
        let mut one = Arc::new(Cell::new());
        let other = one.clone();
        let thread = thread::spawn(move || other.write());
        let is_alone = Arc::get_mut(&mut one).map(|data| data.write()).is_some();
        thread.join().unwrap();
        is_alone
    };
    returns(body, [false, true]);
}

/// `fence(Acquire)` after a relaxed look at the count, as in the `drop` of many reference counts.
#[test]
fn a_fence_after_a_look_at_the_count_acquires_what_drops_released() {
    let body = |fences: bool| {
        move || {
            let one = Arc::new(Cell::new());
            let other = one.clone();
            let thread = thread::spawn(move || other.write());
            let is_alone = Arc::strong_count(&one) == 1;
            if fences {
                selvedge::sync::atomic::fence(Ordering::Acquire);
            }
            if is_alone {
                one.write();
            }
            thread.join().unwrap();
            is_alone
        }
    };
    returns(body(true), [false, true]);
    is_race(&systematic(body(false)));
}

#[test]
fn a_failed_upgrade_acquires_nothing_and_a_successful_one_what_drops_released() {
    let body = || {
        let (one, data) = (Arc::new(()), StdArc::new(Cell::new()));
        let (other, weak, shared) = (one.clone(), Arc::downgrade(&one), data.clone());
        let thread = thread::spawn(move || {
            shared.write();
            drop(other);
        });
        let is_alone = Arc::strong_count(&one) == 1;
        let upgraded = weak.upgrade();
        if is_alone && upgraded.is_some() {
            data.write();
        }
        thread.join().unwrap();
    };
    returns(body, [()]);
}

#[test]
fn make_mut_copies_a_shared_value_and_leaves_weak_references_behind() {
    let body = || {
        let mut one = Arc::new(1);
        let other = one.clone();
        let thread = thread::spawn(move || *other);
        let before = Arc::as_ptr(&one);
        *Arc::make_mut(&mut one) += 1;
        let is_copy = Arc::as_ptr(&one) != before;
        (thread.join().unwrap(), *one, is_copy)
    };
    returns(body, [(1, 2, true), (1, 2, false)]);
    let body = || {
        let mut arc = Arc::new(1);
        let weak = Arc::downgrade(&arc);
        let thread = thread::spawn(move || weak.upgrade().map(|arc| *arc));
        *Arc::make_mut(&mut arc) += 1;
        (thread.join().unwrap(), *arc)
    };
    returns(body, [(None, 2), (Some(1), 2)]);
}

#[test]
fn a_value_that_refers_to_itself_has_no_owner_before_it_is_made() {
    let body = || {
        let mut handle = None;
        let arc = Arc::new_cyclic(|weak: &Weak<u32>| {
            assert!(weak.upgrade().is_none() && weak.strong_count() == 0);
            let weak = weak.clone();
            handle = Some(thread::spawn(move || weak.upgrade().map(|arc| *arc)));
            5
        });
        (handle.unwrap().join().unwrap(), *arc)
    };
    returns(body, [(None, 5), (Some(5), 5)]);
}

#[test]
fn a_thread_can_wait_until_it_is_the_only_owner() {
    let report = systematic(|| {
        let mut arc = Arc::new(Cell::new());
        let threads = [arc.clone(), arc.clone()].map(|arc| {
            thread::spawn(move || {
                arc.read();
            })
        });
        while Arc::get_mut(&mut arc).is_none() {
            thread::yield_now();
        }
        arc.write();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
    assert_eq!((report.outcomes().len(), report.is_complete()), (1, true), "{:?}", report.notes());
}

#[test]
fn owners_that_are_joined_before_the_last_drop_make_one_run() {
    let report = systematic(|| {
        let arc = Arc::new(Owner(Cell::new()));
        let threads: Vec<_> = (0..5)
            .map(|_| {
                let (arc, weak) = (arc.clone(), Arc::downgrade(&arc));
                thread::spawn(move || (arc.0.read(), weak.clone().ptr_eq(&weak)))
            })
            .collect();
        threads.into_iter().for_each(|thread| _ = thread.join().unwrap());
    });
    assert_eq!((report.executions(), report.is_complete()), (1, true));
}

#[test]
fn raw_pointers_carry_owners_from_thread_to_thread() {
    let body = || {
        let slot = StdArc::new(AtomicPtr::new(Arc::into_raw(Arc::new(3)).cast_mut()));
        let take = |slot: &AtomicPtr<i32>| {
            let pointer = slot.swap(std::ptr::null_mut(), Ordering::AcqRel);
            // SAFETY: the pointer is one of `into_raw`, and was taken out of its slot.
            (!pointer.is_null()).then(|| *unsafe { Arc::from_raw(pointer.cast_const()) })
        };
        let shared = slot.clone();
        let thread = thread::spawn(move || take(&shared));
        (take(&slot), thread.join().unwrap())
    };
    returns(body, [(None, Some(3)), (Some(3), None)]);
}

#[test]
fn owners_made_elsewhere_are_shared_by_runs_and_workers() {
    let outer = Arc::new(AtomicsOfARun);
    let body = || {
        let (one, other) = (outer.clone(), outer.clone());
        let thread = thread::spawn(move || one.is_there());
        (other.is_there(), thread.join().unwrap())
    };
    returns(body, [(true, true)]);
    let report = Explorer::new().workers(2).explore(body);
    assert!(report.is_complete(), "{:?}", report.notes());
    assert_eq!(Arc::strong_count(&outer), 1);
}

struct AtomicsOfARun;

impl AtomicsOfARun {
    fn is_there(&self) -> bool {
        AtomicU32::new(1).load(Ordering::Relaxed) == 1
    }
}

#[test]
fn a_trait_object_is_made_by_the_arc_of_std() {
    let body = || {
        let text: Arc<dyn Debug + Send + Sync> = tracked::from_std(StdArc::new(3));
        let other = text.clone();
        let thread = thread::spawn(move || format!("{other:?}"));
        let count = Arc::strong_count(&text);
        drop(tracked::into_std(text));
        (count, thread.join().unwrap())
    };
    returns(body, [(1, "3".to_owned()), (2, "3".to_owned())]);
}

#[test]
fn the_trace_shows_the_numbers_of_owners() {
    let report = explore(|| {
        let arc = Arc::new(());
        let weak = Arc::downgrade(&arc);
        drop(arc.clone());
        let count = Arc::strong_count(&arc);
        drop(arc);
        assert!(weak.upgrade().is_none());
        count
    });
    let trace = report.outcomes().values().next().expect("one run");
    let table = trace.table().to_string();
    let row = |action: &str| {
        let row = table.lines().find(|row| row.contains(action));
        row.unwrap_or_else(|| panic!("no {action} in\n{table}")).to_owned()
    };
    assert!(row(" clone ").contains("1 -> 2") && row(" drop ").contains("2 -> 1"), "{table}");
    assert!(row(" strong_count ").contains("arc#1") && row(" upgrade ").contains('0'), "{table}");
}

#[test]
fn a_thread_that_panics_drops_its_owners() {
    let report = explore(|| {
        let arc = Arc::new(());
        let other = arc.clone();
        let thread = thread::spawn(move || {
            let _owner = other;
            panic!("on purpose");
        });
        let has_panicked = thread.join().is_err();
        (has_panicked, Arc::strong_count(&arc))
    });
    assert_eq!(report.values().collect::<Vec<_>>(), [&(true, 1)]);
}

#[test]
fn owners_of_threads_that_are_stopped_are_dropped() {
    let report = explore(|| {
        let arc = Arc::new(CountsDrops);
        let other = arc.clone();
        thread::spawn(move || {
            thread::park();
            drop(other);
        });
        assert_eq!(Arc::strong_count(&arc), 2);
    });
    assert!(report.is_complete());
    assert_eq!(DROPPED.load(Ordering::Relaxed) as usize, report.executions());
}

static DROPPED: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);

struct CountsDrops;

impl Drop for CountsDrops {
    fn drop(&mut self) {
        DROPPED.fetch_add(1, Ordering::Relaxed);
    }
}
