//! Without the feature `check` there is nothing between the program and std: the types *are* std's.
#![cfg(not(any(feature = "check", feature = "watch")))]

use selvedge::sync::{AtomicRef, MVar};

/// Compiles only if both names mean the same type.
macro_rules! same {
    ($($name:ident $theirs:ty => $ours:ty;)*) => {
        $(
            fn $name(value: $theirs) -> $ours {
                value
            }
        )*

        #[test]
        fn types_are_the_types_of_std() {
            $(
                let _: fn($theirs) -> $ours = $name;
                assert_eq!(std::any::TypeId::of::<$theirs>(), std::any::TypeId::of::<$ours>());
            )*
        }
    };
}

same! {
    mutex std::sync::Mutex<u8> => selvedge::sync::Mutex<u8>;
    mutex_guard std::sync::MutexGuard<'static, u8> => selvedge::sync::MutexGuard<'static, u8>;
    rwlock std::sync::RwLock<u8> => selvedge::sync::RwLock<u8>;
    condvar std::sync::Condvar => selvedge::sync::Condvar;
    timeout std::sync::WaitTimeoutResult => selvedge::sync::WaitTimeoutResult;
    once std::sync::Once => selvedge::sync::Once;
    once_lock std::sync::OnceLock<u8> => selvedge::sync::OnceLock<u8>;
    lazy_lock std::sync::LazyLock<u8> => selvedge::sync::LazyLock<u8>;
    barrier std::sync::Barrier => selvedge::sync::Barrier;
    sender std::sync::mpsc::Sender<u8> => selvedge::sync::mpsc::Sender<u8>;
    sync_sender std::sync::mpsc::SyncSender<u8> => selvedge::sync::mpsc::SyncSender<u8>;
    receiver std::sync::mpsc::Receiver<u8> => selvedge::sync::mpsc::Receiver<u8>;
    atomic_bool std::sync::atomic::AtomicBool => selvedge::sync::atomic::AtomicBool;
    atomic_usize std::sync::atomic::AtomicUsize => selvedge::sync::atomic::AtomicUsize;
    atomic_ptr std::sync::atomic::AtomicPtr<u8> => selvedge::sync::atomic::AtomicPtr<u8>;
    arc std::sync::Arc<u8> => selvedge::sync::Arc<u8>;
    tracked_arc std::sync::Arc<u8> => selvedge::sync::tracked::Arc<u8>;
    tracked_weak std::sync::Weak<u8> => selvedge::sync::tracked::Weak<u8>;
    join_handle std::thread::JoinHandle<u8> => selvedge::thread::JoinHandle<u8>;
}

#[test]
fn an_mvar_works_without_the_feature() {
    let mvar = MVar::empty();
    std::thread::scope(|scope| {
        scope.spawn(|| mvar.put(1));
        assert_eq!(mvar.take(), 1);
    });
    assert_eq!((mvar.try_take(), mvar.try_put(2), mvar.try_put(3)), (None, Ok(()), Err(3)));
    assert_eq!((mvar.read(), mvar.try_read(), format!("{mvar:?}")), (2, Some(2), "MVar(2)".to_owned()));
    assert_eq!(format!("{:?} {:?}", MVar::<u8>::default(), MVar::from(1)), "MVar(<empty>) MVar(1)");
}

#[test]
fn an_atomic_reference_works_without_the_feature() {
    let reference = AtomicRef::new(1);
    let ticket = reference.ticket();
    assert_eq!((*reference.load(), *reference.swap(2), *ticket), (1, 1, 1));
    let newer = reference.compare_exchange(&ticket, 3).unwrap_err();
    assert!(reference.compare_exchange(&newer, 4).is_ok_and(|newest| *newest == 4));
    assert_eq!(
        (reference.modify(|value| (value + 1, *value)), reference.modify_cas(|value| (value + 1, *value))),
        (4, 5)
    );
    reference.store(7);
    assert_eq!(
        format!("{reference:?} {newer:?} {:?}", AtomicRef::<u8>::default()),
        "AtomicRef(7) Ticket(2) AtomicRef(0)"
    );
    assert_eq!(*AtomicRef::from(8).into_inner(), 8);
}

#[test]
fn setting_the_parallelism_does_not_change_that_of_std() {
    let parallelism: fn() -> std::io::Result<std::num::NonZero<usize>> =
        selvedge::thread::available_parallelism;
    let before = parallelism().unwrap();
    selvedge::thread::set_available_parallelism(before.checked_add(1).unwrap());
    assert_eq!(parallelism().unwrap(), std::thread::available_parallelism().unwrap());
    assert_eq!(parallelism().unwrap(), before);
}
