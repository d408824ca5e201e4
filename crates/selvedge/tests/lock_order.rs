//! Lock orders of real threads, by the watched types. A binary of its own: there is one recorder, and once
//! it is asked for, it stays.

#![cfg(feature = "watch")]

use selvedge::monitor::lock_order::{Cycle, LockOrder, Suppressed};
use selvedge::monitor::{Reaction, watch_lock_order};
use selvedge::prop::name_lock;
use selvedge::sync::{Condvar, MVar, Mutex, RwLock};
use selvedge::thread;
use std::sync::{Arc, Condvar as StdCondvar, Mutex as StdMutex, mpsc};

/// The recorder of the process, which all tests share: each looks for its own names.
fn order() -> &'static LockOrder {
    let order = watch_lock_order();
    order.on_finding(Reaction::Keep);
    order
}

/// A lock whose name contains the name of the test.
fn lock(test: &str, name: &str) -> Arc<Mutex<u32>> {
    let lock = Arc::new(Mutex::new(0));
    name_lock(&*lock, &format!("{test}.{name}"));
    lock
}

fn locks<const N: usize>(test: &str, names: [&str; N]) -> [Arc<Mutex<u32>>; N] {
    order();
    names.map(|name| lock(test, name))
}

/// The cycles with locks of this test.
fn cycles(test: &str) -> Vec<Cycle> {
    let is_own = |cycle: &Cycle| cycle.steps.iter().any(|step| step.wants.text.contains(test));
    order().cycles().into_iter().filter(is_own).collect()
}

fn suppressed(test: &str) -> Vec<Suppressed> {
    let is_own = |suppressed: &Suppressed| suppressed.cycle.to_string().contains(test);
    order().suppressed().into_iter().filter(is_own).collect()
}

/// A step of a thread.
type Act = Box<dyn FnOnce() + Send>;

fn act(action: impl FnOnce() + Send + 'static) -> Act {
    Box::new(action)
}

/// Runs each action in a thread of its own, one after the other. All threads live until the last action is
/// done.
fn in_turn(actions: Vec<Act>) {
    let (turn, last) = (Arc::new((StdMutex::new(0), StdCondvar::new())), actions.len());
    let spawn = |(number, action): (usize, Act)| {
        let turn = turn.clone();
        thread::spawn(move || {
            let wait_for = |number| {
                let (count, changed) = &*turn;
                drop(changed.wait_while(count.lock().unwrap(), |count| *count < number).unwrap());
            };
            wait_for(number);
            action();
            *turn.0.lock().unwrap() += 1;
            turn.1.notify_all();
            wait_for(last);
        })
    };
    let threads: Vec<_> = actions.into_iter().enumerate().map(spawn).collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// Takes the locks in this order, and gives them back in the other.
fn take<const N: usize>(locks: [&Arc<Mutex<u32>>; N]) -> Act {
    let locks = locks.map(Arc::clone);
    act(move || {
        let mut guards = Vec::new();
        locks.iter().for_each(|lock| guards.push(lock.lock().unwrap()));
        while guards.pop().is_some() {}
    })
}

#[test]
fn two_locks_in_both_orders_are_a_cycle_with_names_and_places() {
    let [a, b] = locks("both", ["a", "b"]);
    in_turn(vec![take([&a, &b]), take([&b, &a])]);
    let cycles = cycles("both");
    assert_eq!(cycles.len(), 1, "{cycles:?}");
    let text = cycles[0].to_string();
    assert!(text.contains("`both.a`") && text.contains("`both.b`"), "{text}");
    assert!(text.matches("tests/lock_order.rs:").count() >= 4, "places of all acquisitions: {text}");
}

#[test]
fn three_locks_in_a_ring_are_a_cycle() {
    let [a, b, c] = locks("ring", ["a", "b", "c"]);
    in_turn(vec![take([&a, &b]), take([&b, &c]), take([&c, &a])]);
    let cycles = cycles("ring");
    assert_eq!(cycles.len(), 1, "{cycles:?}");
    assert_eq!(cycles[0].steps.len(), 3);
}

#[test]
fn a_common_gate_suppresses_a_cycle() {
    let [gate, a, b] = locks("gate", ["gate", "a", "b"]);
    in_turn(vec![take([&gate, &a, &b]), take([&gate, &b, &a])]);
    assert!(cycles("gate").is_empty(), "{:?}", cycles("gate"));
    let suppressed = suppressed("gate");
    assert!(
        suppressed.iter().any(|suppressed| suppressed.to_string().contains("gate.gate")),
        "{suppressed:?}"
    );
}

#[test]
fn one_thread_cannot_deadlock_with_itself() {
    let [a, b] = locks("alone", ["a", "b"]);
    let (first, second) = (take([&a, &b]), take([&b, &a]));
    in_turn(vec![act(move || {
        first();
        second();
    })]);
    assert!(cycles("alone").is_empty(), "{:?}", cycles("alone"));
    assert_eq!(suppressed("alone").len(), 1);
}

#[test]
fn a_spawned_child_comes_after_what_its_parent_did_before() {
    let [a, b] = locks("child", ["a", "b"]);
    let (first, second) = (take([&a, &b]), take([&b, &a]));
    in_turn(vec![act(move || {
        first();
        thread::spawn(second).join().unwrap();
    })]);
    assert!(cycles("child").is_empty(), "{:?}", cycles("child"));
    assert_eq!(suppressed("child").len(), 1);
}

#[test]
fn a_lock_that_is_given_back_before_orders_nothing() {
    let [a, b, c] = locks("handed", ["a", "b", "c"]);
    let hand_over_hand = {
        let (a, c) = (a.clone(), c.clone());
        act(move || {
            let first = a.lock().unwrap();
            let second = b.lock().unwrap();
            drop(first);
            drop((c.lock().unwrap(), second));
        })
    };
    in_turn(vec![hand_over_hand, take([&c, &a])]);
    assert!(cycles("handed").is_empty(), "{:?}", cycles("handed"));
}

#[test]
fn a_joined_thread_comes_before_what_follows() {
    let [a, b] = locks("joined", ["a", "b"]);
    thread::spawn(take([&a, &b])).join().unwrap();
    thread::spawn(take([&b, &a])).join().unwrap();
    thread::scope(|scope| {
        scope.spawn(take([&a, &b]));
    });
    thread::scope(|scope| {
        scope.spawn(take([&b, &a])).join().unwrap();
    });
    assert!(cycles("joined").is_empty(), "{:?}", cycles("joined"));
    assert_eq!(suppressed("joined").len(), 1);
}

#[test]
fn an_attempt_does_not_wait() {
    let [a, b] = locks("attempt", ["a", "b"]);
    let tries = {
        let (a, b) = (a.clone(), b.clone());
        act(move || {
            let first = b.lock().unwrap();
            drop((a.try_lock().unwrap(), first));
        })
    };
    in_turn(vec![take([&a, &b]), tries]);
    assert!(cycles("attempt").is_empty(), "{:?}", cycles("attempt"));
}

#[test]
fn a_new_lock_at_an_old_address_has_no_history() {
    let [a] = locks("address", ["a"]);
    let mut slot = Box::new(Mutex::new(0));
    name_lock(&*slot, "address.slot");
    let address = std::ptr::from_ref(&*slot).addr();
    thread::scope(|scope| {
        let (ends, wait) = mpsc::channel::<()>();
        let (a_first, a_last) = (a.clone(), a.clone());
        // Both threads live at once; the second uses the new lock.
        let (old_done, is_old_done) = mpsc::channel();
        let slot = &mut slot;
        let first = scope.spawn(move || {
            drop((a_first.lock().unwrap(), slot.lock().unwrap()));
            **slot = Mutex::new(0);
            old_done.send(slot).unwrap();
            wait.recv().ok();
        });
        let slot = is_old_done.recv().unwrap();
        assert_eq!(std::ptr::from_ref(&**slot).addr(), address);
        name_lock(&**slot, "address.slot");
        scope.spawn(move || drop((slot.lock().unwrap(), a_last.lock().unwrap()))).join().unwrap();
        drop(ends);
        first.join().unwrap();
    });
    assert!(cycles("address").is_empty(), "{:?}", cycles("address"));
}

#[test]
fn readers_and_writers_are_told_apart() {
    order();
    let named = |name: &str| {
        let lock = Arc::new(RwLock::new(0));
        name_lock(&*lock, &format!("rw.{name}"));
        lock
    };
    let (a, b, c, d) = (named("a"), named("b"), named("c"), named("d"));
    let reads = |one: &Arc<RwLock<u32>>, other: &Arc<RwLock<u32>>| {
        let (one, other) = (one.clone(), other.clone());
        act(move || drop((one.read().unwrap(), other.read().unwrap())))
    };
    let writes = |one: &Arc<RwLock<u32>>, other: &Arc<RwLock<u32>>| {
        let (one, other) = (one.clone(), other.clone());
        act(move || drop((one.write().unwrap(), other.write().unwrap())))
    };
    in_turn(vec![reads(&a, &b), reads(&b, &a)]);
    assert!(cycles("rw.").is_empty(), "readers alone do not wait for each other: {:?}", cycles("rw."));
    in_turn(vec![reads(&c, &d), writes(&d, &c)]);
    assert_eq!(cycles("rw.").len(), 1, "{:?}", cycles("rw."));
}

#[test]
fn an_mvar_as_a_lock_is_one_and_as_a_channel_is_none() {
    order();
    let named = |mvar: MVar<u32>, name: &str| {
        name_lock(&mvar, &format!("mvar.{name}"));
        Arc::new(mvar)
    };
    let both = |one: &Arc<MVar<u32>>, other: &Arc<MVar<u32>>| {
        let (one, other) = (one.clone(), other.clone());
        act(move || one.with(|_| other.with(|_| ())))
    };
    let (a, b) = (named(MVar::new(1), "a"), named(MVar::new(2), "b"));
    in_turn(vec![both(&a, &b), both(&b, &a)]);
    assert_eq!(cycles("mvar.").len(), 1, "{:?}", cycles("mvar."));
    // Requests and answers: each side takes what the other puts, and takes again.
    let (requests, answers) = (named(MVar::empty(), "requests"), named(MVar::empty(), "answers"));
    let (to, from) = (requests.clone(), answers.clone());
    let client = thread::spawn(move || (0..10).map(|request| (to.put(request), from.take()).1).sum::<u32>());
    (0..10).for_each(|_| answers.put(requests.take()));
    assert_eq!(client.join().unwrap(), 45);
    // A channel that begins with a message.
    let (first, second) = (named(MVar::new(0), "first"), named(MVar::new(0), "second"));
    let (one, other) = (first.clone(), second.clone());
    let peer = thread::spawn(move || (0..10).for_each(|_| other.put(one.take() + 1)));
    second.take();
    (0..10).for_each(|_| first.put(second.take()));
    peer.join().unwrap();
    assert_eq!(cycles("mvar.").len(), 1, "{:?}", cycles("mvar."));
}

#[test]
fn a_wait_gives_back_its_mutex_and_takes_it_again() {
    let [outer, inner] = locks("wait", ["outer", "inner"]);
    let changed = Condvar::new();
    let waits = {
        let (outer, inner) = (outer.clone(), inner.clone());
        act(move || {
            let _outer = outer.lock().unwrap();
            let guard = inner.lock().unwrap();
            drop(changed.wait_timeout(guard, std::time::Duration::from_millis(1)).unwrap());
        })
    };
    // While it waits, the other order would be one with a mutex that is not held.
    in_turn(vec![waits, take([&inner, &outer])]);
    assert_eq!(cycles("wait.").len(), 1, "{:?}", cycles("wait."));
}

#[test]
fn a_deadlock_is_told_as_it_closes() {
    let [a, b] = locks("closes", ["a", "b"]);
    let (has_both, both) = (Arc::new(std::sync::Barrier::new(2)), [(&a, &b), (&b, &a)]);
    for (first, second) in both {
        let (first, second, has_both) = (first.clone(), second.clone(), has_both.clone());
        // They wait for ever.
        thread::Builder::new()
            .name("closes".to_owned())
            .spawn(move || {
                let first = first.lock().unwrap();
                has_both.wait();
                drop((second.lock().unwrap(), first));
            })
            .unwrap();
    }
    let told = || order().deadlocks().into_iter().map(|deadlock| deadlock.to_string());
    let text = loop {
        if let Some(text) = told().find(|text| text.contains("closes.")) {
            break text;
        }
        std::thread::yield_now();
    };
    assert!(text.contains("`closes.a`") && text.contains("`closes.b`"), "{text}");
}

#[test]
fn what_the_types_use_inside_is_not_watched() {
    let [a] = locks("inside", ["a"]);
    let mvar = Arc::new(MVar::new(1));
    let other = mvar.clone();
    in_turn(vec![
        {
            let a = a.clone();
            act(move || drop((a.lock().unwrap(), mvar.read())))
        },
        act(move || other.with(|_| drop(a.lock().unwrap()))),
    ]);
    assert!(cycles("inside").is_empty(), "{:?}", cycles("inside"));
}
