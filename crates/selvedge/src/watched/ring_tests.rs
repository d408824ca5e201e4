//! The ring: explored by this crate itself under every memory model, and counted on real threads.
//!
//! The content of an event is a cell whose accesses explorations see: an event that reached the consumer
//! without happening before it would be a data race.

#![allow(unsafe_code)]

use super::ring::{Ring, ring};
use crate::cell::UnsafeCell;
use std::sync::Arc;

/// An event of a test.
struct Event {
    producer: u32,
    number: u32,
    /// The number of events that its producer dropped before.
    dropped: usize,
    content: UnsafeCell<u32>,
}

fn event(producer: u32, number: u32, dropped: usize) -> Box<Event> {
    let event = Box::new(Event { producer, number, dropped, content: UnsafeCell::new(0) });
    // An access that explorations see; they do not see the initial value.
    // SAFETY: this thread owns the event.
    event.content.with_mut(|content| unsafe { *content = content_of(producer, number) });
    event
}

fn content_of(producer: u32, number: u32) -> u32 {
    100 * producer + number
}

/// Which event this is, after its content was looked at.
fn read(event: &Event) -> (u32, u32) {
    // SAFETY: the consumer owns the event.
    let content = event.content.with(|content| unsafe { *content });
    assert_eq!(content, content_of(event.producer, event.number), "the content of another event");
    (event.producer, event.number)
}

/// What happens if the ring is full.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Full {
    Wait,
    Drop,
}

/// Makes events, and returns how many were dropped.
fn produce(ring: &Ring<Event>, full: Full, producer: u32, count: u32) -> usize {
    let mut dropped = 0;
    for number in 0..count {
        match full {
            Full::Wait => ring.push(event(producer, number, 0)),
            Full::Drop => dropped += usize::from(!ring.push_or_drop(event(producer, number, dropped))),
        }
    }
    dropped
}

/// Each producer's numbers ascend; returns how many events each has.
#[track_caller]
fn check_order(events: &[(u32, u32)], producers: u32) -> Vec<usize> {
    let of = |producer| events.iter().filter(move |event| event.0 == producer).map(|event| event.1);
    for producer in 0..producers {
        assert!(of(producer).is_sorted_by(|a, b| a < b), "out of order: {events:?}");
    }
    (0..producers).map(|producer| of(producer).count()).collect()
}

#[cfg(feature = "check")]
mod explored {
    use super::super::ring::Consumer;
    use super::*;
    use crate::sync::Mutex;
    use crate::{Explorer, MemoryModel, Outcome, Report, thread};

    const MODELS: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];

    /// The next event, once it is written.
    fn wait_for_event(consumer: &mut Consumer<Event>) -> Box<Event> {
        loop {
            match consumer.pop() {
                Some(event) => return event,
                None => crate::hint::spin_loop(),
            }
        }
    }

    /// Events as producers and numbers.
    type Events = Vec<(u32, u32)>;

    /// Explores the body completely; every run returns.
    #[track_caller]
    fn explore<T: Ord + Clone + std::fmt::Debug + Send + 'static>(
        model: MemoryModel,
        body: impl Fn() -> T + Send + Sync + 'static,
    ) -> Report<T> {
        let report = Explorer::new().memory(model).explore(body);
        assert!(report.is_complete(), "{model:?}: the exploration was cut short");
        for outcome in report.outcomes().keys() {
            assert!(matches!(outcome, Outcome::Returned(_)), "{model:?}: {outcome:?}");
        }
        report
    }

    /// A ring whose next tickets begin in the middle of a round.
    fn used_ring(capacity: usize, used: usize) -> (Arc<Ring<Event>>, Consumer<Event>) {
        let (ring, mut consumer) = ring(capacity);
        (0..used).for_each(|_| {
            ring.push(event(9, 9, 0));
            assert!(consumer.pop().is_some());
        });
        (ring, consumer)
    }

    /// Starts producers with these numbers of events.
    fn spawn(ring: &Arc<Ring<Event>>, full: Full, counts: &[u32]) -> Vec<thread::JoinHandle<usize>> {
        let spawn = |(producer, count): (u32, u32)| {
            let ring = ring.clone();
            thread::spawn(move || produce(&ring, full, producer, count))
        };
        (0..).zip(counts.iter().copied()).map(spawn).collect()
    }

    #[track_caller]
    fn check_complete(events: &[(u32, u32)], counts: &[u32]) {
        let expected: Vec<usize> = counts.iter().map(|count| *count as usize).collect();
        assert_eq!(check_order(events, counts.len() as u32), expected, "lost or doubled: {events:?}");
    }

    /// Producers that wait for a consumer, and a consumer that waits for them.
    fn deliver(counts: &[u32], capacity: usize) -> Events {
        let (ring, mut consumer) = ring(capacity);
        let threads = spawn(&ring, Full::Wait, counts);
        let events: Vec<_> = (0..counts.iter().sum()).map(|_| read(&wait_for_event(&mut consumer))).collect();
        threads.into_iter().for_each(|thread| assert_eq!(thread.join().unwrap(), 0));
        assert!(consumer.pop().is_none(), "an event was doubled");
        check_complete(&events, counts);
        events
    }

    /// The same where there is room for all events, so no thread waits: the consumer looks twice while the
    /// producers run.
    fn deliver_with_room(counts: &[u32], capacity: usize) -> Events {
        let (ring, mut consumer) = used_ring(capacity, capacity - 1);
        let threads = spawn(&ring, Full::Wait, counts);
        let mut events: Vec<_> = (0..2).filter_map(|_| consumer.pop()).collect();
        threads.into_iter().for_each(|thread| assert_eq!(thread.join().unwrap(), 0));
        events.extend(std::iter::from_fn(|| consumer.pop()));
        let events: Vec<_> = events.iter().map(|event| read(event)).collect();
        check_complete(&events, counts);
        events
    }

    /// All merges of the producers' sequences occur, and nothing else.
    #[track_caller]
    fn check(deliver: fn(&[u32], usize) -> Events, counts: &'static [u32], capacity: usize, merges: usize) {
        for model in MODELS {
            let report = explore(model, move || deliver(counts, capacity));
            assert_eq!(report.outcomes().len(), merges, "{model:?}");
        }
    }

    #[test]
    fn producers_that_wait_lose_and_double_nothing() {
        check(deliver, &[3], 1, 1);
        check(deliver, &[3], 2, 1);
        check(deliver, &[1, 1], 1, 2);
        check(deliver, &[1, 1], 2, 2);
        check(deliver, &[2, 1], 2, 3);
    }

    #[test]
    fn a_ring_that_wraps_around_keeps_the_order() {
        check(deliver_with_room, &[2, 1], 4, 3);
        check(deliver_with_room, &[2, 2], 4, 6);
    }

    #[test]
    fn three_producers_lose_and_double_nothing() {
        check(deliver_with_room, &[1, 1, 1], 4, 6);
    }

    /// Producers that drop, and a consumer that takes events out at the same time. Returns the events, and
    /// how many were dropped.
    fn deliver_or_drop(counts: &[u32], capacity: usize) -> (Events, usize) {
        let (ring, mut consumer) = ring(capacity);
        let threads = spawn(&ring, Full::Drop, counts);
        let mut events = Vec::new();
        let mut take = |consumer: &mut Consumer<Event>| match consumer.pop() {
            Some(event) => {
                assert!(ring.dropped() >= event.dropped, "a drop was told after an event that followed it");
                events.push(read(&event));
                true
            }
            None => false,
        };
        // One look while the producers run, and the rest when they have ended.
        take(&mut consumer);
        let counted: usize = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
        while take(&mut consumer) {}
        let dropped = ring.dropped();
        assert_eq!(dropped, counted);
        assert_eq!(events.len() + dropped, counts.iter().sum::<u32>() as usize, "an event is lost");
        assert!(events.len() >= capacity, "an event was dropped while there was room");
        check_order(&events, counts.len() as u32);
        (events, dropped)
    }

    #[test]
    fn dropped_events_are_counted_and_told_before_the_events_that_follow() {
        let cases: [(&[u32], usize); 4] = [(&[3], 1), (&[1, 1], 1), (&[2, 2], 1), (&[2, 2], 2)];
        for (counts, capacity) in cases {
            for model in MODELS {
                let report = explore(model, move || deliver_or_drop(counts, capacity));
                assert!(report.values().any(|(_, dropped)| *dropped > 0), "{model:?}: the ring was full");
            }
        }
    }

    /// A producer that waits (a formula is never dropped) beside producers that drop.
    #[test]
    fn an_event_that_waits_is_never_dropped() {
        for model in MODELS {
            explore(model, || {
                let (ring, mut consumer) = ring(1);
                let other = ring.clone();
                let thread = thread::spawn(move || produce(&other, Full::Drop, 0, 2));
                let waiting = thread::spawn(move || ring.push(event(1, 0, 0)));
                let mut events = Vec::new();
                while !events.contains(&(1, 0)) {
                    events.push(read(&wait_for_event(&mut consumer)));
                }
                waiting.join().unwrap();
                let dropped = thread.join().unwrap();
                while let Some(event) = consumer.pop() {
                    events.push(read(&event));
                }
                assert_eq!(events.len() + dropped, 3);
                check_order(&events, 2);
            });
        }
    }

    /// Events inside of a lock have the order in which the lock was taken.
    #[test]
    fn events_have_the_order_of_the_actions_that_they_belong_to() {
        for model in MODELS {
            explore(model, || {
                let (ring, mut consumer) = ring(1);
                let order = Arc::new(Mutex::new(Vec::new()));
                let threads = [0, 1].map(|producer| {
                    let (ring, order) = (ring.clone(), order.clone());
                    thread::spawn(move || {
                        let mut order = order.lock().unwrap();
                        ring.push(event(producer, 0, 0));
                        order.push((producer, 0));
                    })
                });
                let events = [(), ()].map(|()| read(&wait_for_event(&mut consumer)));
                threads.into_iter().for_each(|thread| thread.join().unwrap());
                assert_eq!(events.to_vec(), *order.lock().unwrap());
            });
        }
    }

    /// A cell without synchronisation.
    struct Racy(UnsafeCell<u32>);

    // SAFETY: explorations report unordered accesses before they happen.
    unsafe impl Sync for Racy {}

    /// What the second thread sees of the first one's write, if `first` follows the write and `second`
    /// comes before the read.
    fn race(first: impl FnOnce() + Send + 'static, second: impl FnOnce()) {
        let cell = Arc::new(Racy(UnsafeCell::new(0)));
        let other = cell.clone();
        let writer = thread::spawn(move || {
            // SAFETY: as above.
            other.0.with_mut(|cell| unsafe { *cell = 1 });
            first();
        });
        second();
        // SAFETY: as above.
        cell.0.with(|cell| unsafe { *cell });
        writer.join().unwrap();
    }

    /// The second event takes the slot of the first one in some runs, after the consumer has freed it. No
    /// run has an order of the two accesses.
    #[test]
    fn an_event_orders_no_access_of_the_program() {
        for model in MODELS {
            let report = Explorer::new().memory(model).explore(|| {
                let (ring, mut consumer) = ring(1);
                let reader = thread::spawn(move || {
                    (0..2).for_each(|_| {
                        wait_for_event(&mut consumer);
                    });
                });
                let other = ring.clone();
                race(move || other.push(event(0, 0, 0)), || ring.push(event(1, 0, 0)));
                reader.join().unwrap();
            });
            let is_race = |outcome: &Outcome<()>| matches!(outcome, Outcome::DataRace(_));
            assert!(report.outcomes().keys().all(is_race), "{model:?}: {:?}", report.outcomes().keys());
        }
        // A lock would order them in the runs in which the writer takes it first.
        let locked = crate::explore(|| {
            let lock = Arc::new(Mutex::new(()));
            let other = lock.clone();
            race(move || drop(other.lock().unwrap()), || drop(lock.lock().unwrap()));
        });
        assert!(locked.outcomes().contains_key(&Outcome::Returned(())));
    }
}

/// On real threads.
#[test]
fn many_producers_lose_and_double_nothing() {
    const PRODUCERS: u32 = 4;
    const EVENTS: u32 = 20_000;
    for (full, capacity) in [(Full::Wait, 1), (Full::Wait, 8), (Full::Wait, 1024), (Full::Drop, 8)] {
        let (ring, mut consumer) = ring(capacity);
        let threads: Vec<_> = (0..PRODUCERS)
            .map(|producer| {
                let ring = ring.clone();
                std::thread::spawn(move || produce(&ring, full, producer, EVENTS))
            })
            .collect();
        let mut events = Vec::new();
        loop {
            let is_last = threads.iter().all(std::thread::JoinHandle::is_finished);
            while let Some(event) = consumer.pop() {
                assert!(ring.dropped() >= event.dropped, "a drop was told after an event that followed it");
                events.push(read(&event));
            }
            if is_last {
                break;
            }
            std::thread::yield_now();
        }
        let dropped = ring.dropped();
        let counted: usize = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
        assert_eq!(dropped, counted);
        assert_eq!(consumer.popped(), events.len());
        assert_eq!(ring.tickets(), events.len(), "each ticket has its event");
        assert_eq!(events.len() + dropped, (PRODUCERS * EVENTS) as usize);
        let counts = check_order(&events, PRODUCERS);
        assert!(full == Full::Drop || counts == vec![EVENTS as usize; PRODUCERS as usize], "{counts:?}");
    }
}

#[test]
fn a_ring_that_is_dropped_frees_its_events() {
    let (ring, consumer) = ring(4);
    let content = Arc::new(());
    (0..3).for_each(|_| ring.push(Box::new((content.clone(), 0_u64))));
    drop(consumer);
    drop(ring);
    assert_eq!(Arc::strong_count(&content), 1);
}
