//! Objects that outlive a run: refused if a run changed them, permitted if each run finds them in the same
//! state. Statics that each run has anew are in `crate::statics`.

use super::{panic_of, returns};
use selvedge::sync::atomic::{AtomicBool, Ordering::SeqCst};
use selvedge::sync::{Barrier, Condvar, LazyLock, MVar, Mutex, Once, OnceLock, RwLock};
use selvedge::{Explorer, Strategy};

/// The second run of the body is refused.
#[track_caller]
fn is_refused(body: impl Fn() + Send + Sync) {
    let message = panic_of(|| Explorer::new().strategy(Strategy::random(1, 2)).explore(body));
    let message = message.expect("the second run is refused");
    assert!(message.contains("carries its state from one run to the next"), "{message}");
}

#[test]
fn an_object_from_outside_that_a_run_changed_is_refused_in_the_next_run() {
    let mutex = Mutex::new(false);
    is_refused(|| drop(mutex.lock()));
    let lock = RwLock::new(0_u8);
    is_refused(|| drop(lock.read()));
    let once = Once::new();
    is_refused(|| once.call_once(|| {}));
    let cell = OnceLock::new();
    is_refused(|| assert_eq!(cell.set(1_u8), Ok(())));
    let lazy = LazyLock::new(|| 1_u8);
    is_refused(|| assert_eq!(*lazy, 1));
    let atomic = AtomicBool::new(false);
    is_refused(|| assert!(!atomic.load(SeqCst)));
    let poisoned = Mutex::new(());
    is_refused(|| {
        let message = panic_of(|| {
            let _guard = poisoned.lock();
            panic!("oh");
        });
        assert_eq!(message.as_deref(), Some("oh"));
    });
}

#[test]
fn a_static_that_a_run_cannot_have_anew_is_refused_in_the_next_run() {
    static MUTEX: Mutex<[u8; 1]> = Mutex::new([0]);
    is_refused(|| drop(MUTEX.lock()));
    static LOCK: RwLock<String> = RwLock::new(String::new());
    is_refused(|| drop(LOCK.read()));
    static LAZY: LazyLock<u8, &(dyn Fn() -> u8 + Sync)> = LazyLock::new(&|| 1);
    is_refused(|| assert_eq!(*LAZY, 1));
    static CELL: MVar<u8> = MVar::new(1);
    is_refused(|| assert_eq!(CELL.read(), 1));
    static POISONED: Mutex<[u8; 0]> = Mutex::new([]);
    is_refused(|| {
        let message = panic_of(|| {
            let _guard = POISONED.lock();
            panic!("oh");
        });
        assert_eq!(message.as_deref(), Some("oh"));
    });
}

#[test]
fn a_static_in_its_initial_state_can_be_used_in_every_run() {
    static MUTEX: Mutex<()> = Mutex::new(());
    static LOCK: RwLock<()> = RwLock::new(());
    static CONDVAR: Condvar = Condvar::new();
    static BARRIER: Barrier = Barrier::new(1);
    static ONCE: Once = Once::new();
    let body = || {
        drop((MUTEX.lock().unwrap(), LOCK.write().unwrap()));
        CONDVAR.notify_all();
        (BARRIER.wait().is_leader(), ONCE.is_completed(), AtomicBool::new(true).load(SeqCst))
    };
    returns(body, [(true, false, true)]);
    returns(body, [(true, false, true)]);
}

#[test]
fn a_value_made_before_all_runs_can_be_used_in_every_run() {
    static LAZY: LazyLock<Vec<u8>> = LazyLock::new(|| vec![1, 2]);
    static CELL: OnceLock<u8> = OnceLock::new();
    static ONCE: Once = Once::new();
    LazyLock::force(&LAZY);
    CELL.set(3).unwrap();
    ONCE.call_once(|| {});
    let body = || {
        ONCE.call_once(|| panic!("it has happened"));
        (LAZY.len(), CELL.get().copied(), CELL.set(4))
    };
    returns(body, [(2, Some(3), Err(4))]);
    returns(body, [(2, Some(3), Err(4))]);
}

#[test]
fn a_channel_from_outside_takes_messages_and_permits_no_other_operation() {
    use selvedge::sync::mpsc::{channel, sync_channel};
    let (sender, receiver) = channel();
    returns(move || sender.clone().send(1).is_ok(), [true]);
    assert_eq!(receiver.into_iter().collect::<Vec<_>>(), [1]);
    let (sender, _receiver) = sync_channel::<u8>(1);
    let message = panic_of(|| super::explore(move || sender.try_send(1).is_ok()));
    assert!(message.is_some_and(|message| message.contains("made outside of the exploration")));
}
