//! The same source compiles with the names of std and with ours, and gives the same results.
//!
//! Without the feature `check` our types are std's own types.

#![allow(deprecated, reason = "deprecated items of std exist here too")]

/// A program over threads, time and thread-local values. All names come from the given root module.
macro_rules! program {
    ($module:ident, $($root:tt)*) => {
        mod $module {
            use $($root)*::thread::{self, Builder, JoinHandle, LocalKey, Scope, ScopedJoinHandle, Thread, ThreadId};
            use $($root)*::thread::AccessError;
            use $($root)*::thread_local;
            use $($root)*::time::{Duration, Instant, SystemTime, SystemTimeError, UNIX_EPOCH};
            use std::cell::{Cell, RefCell};
            use std::collections::HashSet;
            use std::fmt::Debug;

            thread_local! {
                static COUNT: Cell<u32> = const { Cell::new(1) };
                                pub(crate) static LIST: RefCell<Vec<String>> = RefCell::new(Vec::new());
            }

            thread_local!(static NO_SEMICOLON: Cell<Option<&'static str>> = const { Cell::new(None) });

            fn shared<T: Send + Sync + Debug>() {}
            fn anything<T: Send + Sync>() {}
            fn key<T: Copy + Debug>(key: &'static LocalKey<Cell<T>>) -> String {
                format!("{:?} {key:?}", key.get())
            }

            fn spawn_both<'scope>(scope: &'scope Scope<'scope, '_>, text: &'scope str) -> [ScopedJoinHandle<'scope, usize>; 2] {
                [scope.spawn(move || text.len()), Builder::new().spawn_scoped(scope, move || 2 * text.len()).unwrap()]
            }

            pub(super) fn auto_traits<T: 'static>() {
                shared::<JoinHandle<*const T>>();
                shared::<ScopedJoinHandle<'_, Cell<u32>>>();
                shared::<Scope<'_, '_>>();
                shared::<Thread>();
                shared::<ThreadId>();
                shared::<Instant>();
                shared::<SystemTime>();
                shared::<SystemTimeError>();
                shared::<AccessError>();
                shared::<Builder>();
                anything::<LocalKey<*const T>>();
            }

            pub(super) fn run() -> Vec<String> {
                let mut out = Vec::new();
                let text = "scoped".to_owned();
                let sizes = thread::scope(|scope| spawn_both(scope, &text).map(|handle| handle.join().unwrap()));
                out.push(format!("{sizes:?}"));

                let builder = Builder::new().name("named".to_owned()).stack_size(256 * 1024);
                out.push(format!("{builder:?}"));
                let handle: JoinHandle<(Option<String>, u32)> = builder
                    .spawn(|| {
                        thread::park();
                        COUNT.set(COUNT.get() + 1);
                        (thread::current().name().map(str::to_owned), COUNT.take())
                    })
                    .unwrap();
                out.push(format!("{:?} {handle:?}", handle.thread().name()));
                let ids: HashSet<ThreadId> = HashSet::from([handle.thread().id(), thread::current().id()]);
                let waiter: Thread = handle.thread().clone();
                waiter.unpark();
                out.push(format!("{:?} {}", handle.join().unwrap(), ids.len()));

                let panicked: thread::Result<()> = thread::spawn(|| std::panic::resume_unwind(Box::new(3))).join();
                out.push(format!("{:?} {}", panicked.unwrap_err().downcast_ref::<i32>(), thread::panicking()));

                LIST.with_borrow_mut(|list| list.push("one".to_owned()));
                let error: Result<usize, AccessError> = LIST.try_with(|list| list.borrow().len());
                out.push(format!("{error:?} {:?} {:?}", LIST.take(), NO_SEMICOLON.replace(Some("some"))));
                out.push(key(&COUNT));

                let start = Instant::now();
                thread::sleep(Duration::from_millis(2));
                thread::sleep_ms(1);
                thread::yield_now();
                thread::park_timeout(Duration::ZERO);
                out.push(format!("{}", start.elapsed() >= Duration::from_millis(3)));
                out.push(format!("{:?}", start.checked_duration_since(start + Duration::from_secs(1))));
                let late: Result<Duration, SystemTimeError> = UNIX_EPOCH.duration_since(SystemTime::now());
                out.push(format!("{} {}", late.is_err(), late.unwrap_err()));
                out.push(format!("{}", thread::available_parallelism().is_ok()));
                out
            }
        }
    };
}

program!(with_std, std);
program!(with_ours, selvedge);

#[test]
fn the_same_source_gives_the_same_results_as_with_std() {
    with_std::auto_traits::<u32>();
    with_ours::auto_traits::<u32>();
    assert_eq!(with_ours::run(), with_std::run());
}

#[cfg(feature = "check")]
#[test]
fn the_same_source_gives_the_same_results_inside_an_exploration() {
    let report =
        selvedge::Explorer::new().strategy(selvedge::Strategy::random(1, 20)).explore(with_ours::run);
    assert_eq!(report.values().collect::<Vec<_>>(), [&with_std::run()]);
}

#[cfg(not(feature = "check"))]
#[test]
fn without_the_feature_check_the_types_are_those_of_std() {
    use std::any::TypeId;
    let same = [
        (TypeId::of::<selvedge::thread::JoinHandle<u32>>(), TypeId::of::<std::thread::JoinHandle<u32>>()),
        (TypeId::of::<selvedge::thread::Thread>(), TypeId::of::<std::thread::Thread>()),
        (TypeId::of::<selvedge::thread::LocalKey<u32>>(), TypeId::of::<std::thread::LocalKey<u32>>()),
        (TypeId::of::<selvedge::time::Instant>(), TypeId::of::<std::time::Instant>()),
        (TypeId::of::<selvedge::cell::RefCell<u32>>(), TypeId::of::<std::cell::RefCell<u32>>()),
    ];
    assert!(same.iter().all(|(ours, stds)| ours == stds));
    assert_eq!(size_of::<selvedge::cell::UnsafeCell<u32>>(), size_of::<u32>());
    assert_eq!(selvedge::future::block_on(async { selvedge::future::spawn(async { 1 }).await.unwrap() }), 1);
}
