//! The same source, with `use std::` and with `use selvedge::`: it compiles, types have the same traits, and
//! values are printed the same. This holds in both builds: without the feature `check`, where it is no
//! surprise, and with it.

use std::marker::PhantomData;

/// Asks the compiler for a trait: `<HasSend<T>>::YES` is true if `T: Send`, by the constant of the type
/// itself, and false otherwise, by the constant of this trait.
trait Otherwise {
    const YES: bool = false;
}

impl<T: ?Sized> Otherwise for T {}

macro_rules! questions {
    ($($question:ident $bound:path;)*) => {
        $(
            struct $question<T: ?Sized>(PhantomData<T>);
                        impl<T: $bound> $question<T> {
                const YES: bool = true;
            }
        )*

        /// The list of traits of a type, as booleans.
        macro_rules! answers {
            ($name:expr, $type:ty) => {
                ($name, vec![$(<$question<$type>>::YES),*])
            };
        }
    };
}

questions! {
    HasSend Send;
    HasSync Sync;
    HasUnpin Unpin;
    HasUnwindSafe std::panic::UnwindSafe;
    HasRefUnwindSafe std::panic::RefUnwindSafe;
    HasClone Clone;
    HasCopy Copy;
    HasDebug std::fmt::Debug;
    HasDisplay std::fmt::Display;
    HasPointer std::fmt::Pointer;
    HasDefault Default;
    HasEq Eq;
    HasFromByte From<u8>;
    HasIterator Iterator;
    HasIntoIterator IntoIterator;
    HasDeref std::ops::Deref;
    HasDerefMut std::ops::DerefMut;
}

/// The traits of all types that hold a value. The types are resolved at the call site.
macro_rules! of_values {
    ($out:ident: $value:ty) => {
        $out.extend([
            answers!("Mutex", Mutex<$value>),
            answers!("MutexGuard", MutexGuard<'static, $value>),
            answers!("RwLock", RwLock<$value>),
            answers!("RwLockReadGuard", RwLockReadGuard<'static, $value>),
            answers!("RwLockWriteGuard", RwLockWriteGuard<'static, $value>),
            answers!("OnceLock", OnceLock<$value>),
            answers!("LazyLock", LazyLock<$value>),
            answers!("LazyLock", LazyLock<u8, $value>),
            answers!("Sender", Sender<$value>),
            answers!("SyncSender", SyncSender<$value>),
            answers!("Receiver", Receiver<$value>),
            answers!("Iter", Iter<'static, $value>),
            answers!("TryIter", TryIter<'static, $value>),
            answers!("IntoIter", IntoIter<$value>),
            answers!("AtomicPtr", atomic::AtomicPtr<$value>),
        ]);
    };
}

/// Calls every method of the atomic integers.
macro_rules! integers {
    ($out:ident: $($type:ident)*) => {
        $({
            let mut atomic = atomic::$type::from(1);
            *atomic.get_mut() += 1;
            atomic.store(3, Release);
            let mut seen = vec![atomic.load(Acquire), atomic.swap(4, AcqRel)];
            seen.push(atomic.compare_and_swap(4, 5, SeqCst));
            seen.extend(atomic.compare_exchange(5, 6, SeqCst, Relaxed));
            seen.extend(atomic.compare_exchange_weak(9, 7, AcqRel, Acquire).err());
            seen.extend([atomic.fetch_add(1, Relaxed), atomic.fetch_sub(2, SeqCst)]);
            seen.extend([atomic.fetch_and(13, Relaxed), atomic.fetch_nand(7, SeqCst)]);
            seen.extend([atomic.fetch_or(8, Relaxed), atomic.fetch_xor(5, SeqCst)]);
            seen.extend([atomic.fetch_max(9, Relaxed), atomic.fetch_min(2, SeqCst)]);
            seen.extend(atomic.fetch_update(SeqCst, SeqCst, |value| value.checked_add(1)));
            assert_eq!(atomic.as_ptr().cast_const(), atomic.as_ptr().cast_const());
            $out.push(format!("{seen:?} {atomic:?}"));
            $out.push(atomic.into_inner().to_string());
        })*
    };
}

macro_rules! surface {
    ($name:ident, $root:ident) => {
        mod $name {
            #![allow(unused, deprecated)]

            use super::*;
            use std::cell::Cell;
            use std::rc::Rc;
            use std::time::Duration;
            use $root::sync::atomic::{self, Ordering::*};
            use $root::sync::mpsc::{
                self, IntoIter, Iter, Receiver, RecvError, RecvTimeoutError, SendError, Sender, SyncSender,
                TryIter, TryRecvError, TrySendError,
            };
            use $root::sync::{
                Arc, Barrier, BarrierWaitResult, Condvar, LazyLock, LockResult, Mutex, MutexGuard, Once,
                OnceLock, OnceState, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError,
                TryLockResult, WaitTimeoutResult, Weak,
            };

            static MUTEX: Mutex<Vec<u8>> = Mutex::new(Vec::new());
            static LOCK: RwLock<Vec<u8>> = RwLock::new(Vec::new());
            static CONDVAR: Condvar = Condvar::new();
            static BARRIER: Barrier = Barrier::new(1);
            static ONCE: Once = Once::new();
            static OLD_ONCE: Once = $root::sync::ONCE_INIT;
            static CELL: OnceLock<String> = OnceLock::new();
            static LAZY: LazyLock<String> = LazyLock::new(|| "lazy".to_owned());
            static FLAG: atomic::AtomicBool = atomic::ATOMIC_BOOL_INIT;
            static COUNT: atomic::AtomicUsize = atomic::ATOMIC_USIZE_INIT;
            const TAKEN: u64 = atomic::AtomicU64::new(3).into_inner();

            pub(super) fn traits() -> Vec<(&'static str, Vec<bool>)> {
                let mut out = vec![
                    answers!("Condvar", Condvar),
                    answers!("WaitTimeoutResult", WaitTimeoutResult),
                    answers!("Barrier", Barrier),
                    answers!("BarrierWaitResult", BarrierWaitResult),
                    answers!("Once", Once),
                    answers!("OnceState", OnceState),
                    answers!("AtomicBool", atomic::AtomicBool),
                    answers!("AtomicU8", atomic::AtomicU8),
                    answers!("AtomicI64", atomic::AtomicI64),
                    answers!("AtomicUsize", atomic::AtomicUsize),
                ];
                of_values!(out: u8);
                of_values!(out: Cell<u8>);
                of_values!(out: Rc<u8>);
                of_values!(out: &'static mut u8);
                of_values!(out: std::sync::MutexGuard<'static, u8>);
                out
            }

            /// The `Debug` and `Display` texts of values.
            pub(super) fn texts() -> Vec<String> {
                let (mutex, lock) = (Mutex::from(1), RwLock::from(2));
                let mut texts = vec![format!("{mutex:?} {lock:?}")];
                {
                    let (one, two) = (mutex.lock().unwrap(), lock.write().unwrap());
                    texts.push(format!("{mutex:?} {lock:?} {one:?} {two:?} {one} {two}"));
                }
                let read = lock.read().unwrap();
                texts.push(format!("{read:?} {read} {lock:#?}"));
                let (condvar, barrier) = (Condvar::default(), Barrier::new(1));
                let timeout = condvar.wait_timeout(mutex.lock().unwrap(), Duration::ZERO);
                texts.push(format!("{condvar:?} {barrier:?} {:?}", barrier.wait()));
                texts.push(format!("{:?}", timeout.unwrap().1.timed_out()));
                let once = Once::new();
                once.call_once_force(|state| texts.push(format!("{state:?}")));
                let cell = OnceLock::from(4);
                texts.push(format!("{once:?} {cell:?} {:?} {:?}", OnceLock::<u8>::new(), cell.clone() == cell));
                let lazy: LazyLock<u8> = LazyLock::default();
                texts.push(format!("{lazy:?} {} {lazy:?}", *lazy));
                let (sender, receiver) = mpsc::channel::<u8>();
                let (bounded, _) = mpsc::sync_channel::<u8>(1);
                texts.push(format!("{sender:?} {bounded:?} {receiver:?} {:?}", receiver.iter()));
                texts.push(format!("{:?}", receiver.try_iter()));
                texts.push(format!("{:?}", receiver.into_iter()));
                let pointer = atomic::AtomicPtr::<u8>::default();
                texts.push(format!("{:?} {:?} {pointer:?} {pointer:p}", atomic::AtomicBool::default(), COUNT));
                texts
            }

            /// The bounds and methods of locks that generic code expects.
            fn locks<T: Default + Send + 'static>(value: T) -> LockResult<T> {
                let mut lock: RwLock<T> = RwLock::default();
                let readers: [LockResult<RwLockReadGuard<'_, T>>; 2] = [lock.read(), lock.read()];
                let refused: TryLockResult<RwLockWriteGuard<'_, T>> = lock.try_write();
                assert!(matches!(refused, Err(TryLockError::WouldBlock)));
                drop((readers, refused));
                *lock.get_mut().unwrap() = value;
                let written: RwLockReadGuard<'_, T> = RwLockWriteGuard::downgrade(lock.write().unwrap());
                drop(written);
                lock.clear_poison();
                assert!(!lock.is_poisoned() && lock.try_read().is_ok());
                let mut mutex: Mutex<T> = Mutex::new(lock.into_inner()?);
                let guard: MutexGuard<'_, T> = mutex.lock().unwrap_or_else(PoisonError::into_inner);
                drop(guard);
                mutex.clear_poison();
                assert!(!mutex.is_poisoned() && mutex.try_lock().is_ok());
                assert!(mutex.get_mut().is_ok());
                mutex.into_inner()
            }

            fn unsized_locks() -> usize {
                let mutex: Arc<Mutex<[u8]>> = Arc::new(Mutex::new([1, 2]));
                let lock: Box<RwLock<dyn std::fmt::Debug>> = Box::new(RwLock::new(3));
                let weak: Weak<Mutex<[u8]>> = Arc::downgrade(&mutex);
                let length = mutex.lock().unwrap().len() + format!("{:?}", lock.read().unwrap()).len();
                length + weak.strong_count()
            }

            fn waits<'a>(condvar: &Condvar, guard: MutexGuard<'a, u8>) -> LockResult<MutexGuard<'a, u8>> {
                let guard = condvar.wait_while(guard, |value| *value == 0)?;
                let (guard, result): (_, WaitTimeoutResult) = condvar
                    .wait_timeout_while(guard, Duration::ZERO, |value| *value > 9)
                    .map_err(|error| PoisonError::new(error.into_inner().0))?;
                let (guard, was_notified): (_, bool) = condvar
                    .wait_timeout_ms(guard, 0)
                    .map_err(|error| PoisonError::new(error.into_inner().0))?;
                assert!(!(was_notified && result.timed_out()));
                condvar.notify_one();
                condvar.notify_all();
                if *guard > 9 { condvar.wait(guard) } else { Ok(guard) }
            }

            fn once() -> String {
                OLD_ONCE.call_once(|| ONCE.call_once(|| {}));
                ONCE.call_once_force(|state: &OnceState| assert!(!state.is_poisoned()));
                ONCE.wait();
                ONCE.wait_force();
                assert!(ONCE.is_completed() && BARRIER.wait().is_leader());
                let mut cell: OnceLock<u8> = OnceLock::default();
                assert_eq!((cell.get(), cell.set(1), cell.set(2)), (None, Ok(()), Err(2)));
                cell.get_mut().map(|value| *value += 1);
                assert_eq!((*cell.wait(), cell.take(), cell.into_inner()), (2, Some(2), None));
                let mut lazy = LazyLock::new(|| String::from("made"));
                lazy.push('!');
                assert_eq!(LazyLock::force(&lazy).len(), 5);
                CELL.get_or_init(|| format!("{}{}", LAZY.len(), *lazy)).clone()
            }

            fn channels() -> Vec<u8> {
                let (sender, receiver): (Sender<u8>, Receiver<u8>) = mpsc::channel();
                let other = sender.clone();
                let sent: Result<(), SendError<u8>> = sender.send(1);
                assert!(sent.is_ok() && other.send(2).is_ok());
                assert_eq!(receiver.recv(), Ok::<u8, RecvError>(1));
                assert_eq!(receiver.recv_timeout(Duration::ZERO), Ok::<u8, RecvTimeoutError>(2));
                assert_eq!(receiver.try_recv(), Err::<u8, _>(TryRecvError::Empty));
                drop((sender, other));
                let (sender, bounded): (SyncSender<u8>, Receiver<u8>) = mpsc::sync_channel(2);
                assert!(sender.clone().send(3).is_ok() && sender.try_send(4).is_ok());
                assert_eq!(sender.try_send(5), Err(TrySendError::Full(5)));
                let first = bounded.try_iter().next();
                drop(sender);
                let mut all: Vec<u8> = first.into_iter().chain(&bounded).collect();
                for message in receiver {
                    all.push(message);
                }
                all
            }

            fn atomics() -> Vec<String> {
                let mut out = Vec::new();
                integers!(out: AtomicI8 AtomicU8 AtomicI16 AtomicU16 AtomicI32 AtomicU32 AtomicI64 AtomicU64
                    AtomicIsize AtomicUsize);
                let flag = atomic::AtomicBool::new(true);
                let seen = [flag.fetch_and(true, SeqCst), flag.fetch_nand(true, SeqCst), flag.fetch_not(SeqCst)];
                let more = [flag.fetch_or(false, SeqCst), flag.fetch_xor(true, SeqCst), flag.swap(true, SeqCst)];
                out.push(format!("{seen:?} {more:?} {:?}", flag.fetch_update(SeqCst, SeqCst, |_| None)));
                let mut values = [1_u32, 2, 3, 4];
                let pointer = atomic::AtomicPtr::new(values.as_mut_ptr());
                let start = pointer.fetch_ptr_add(3, SeqCst);
                let at = |pointer: *mut u32| pointer.addr() - start.addr();
                let seen = [pointer.fetch_ptr_sub(1, SeqCst), pointer.fetch_byte_add(4, SeqCst)].map(at);
                let more = [pointer.fetch_byte_sub(4, SeqCst), pointer.fetch_or(1, SeqCst)].map(at);
                let last = [pointer.fetch_and(!1, SeqCst), pointer.fetch_xor(0, SeqCst)].map(at);
                out.push(format!("{seen:?} {more:?} {last:?}"));
                atomic::fence(SeqCst);
                atomic::compiler_fence(SeqCst);
                atomic::spin_loop_hint();
                assert!(!FLAG.load(SeqCst) && TAKEN == 3);
                out
            }

            /// The results of small programs.
            pub(super) fn results() -> Vec<String> {
                MUTEX.lock().unwrap().push(1);
                LOCK.write().unwrap().push(1);
                CONDVAR.notify_one();
                let mutex = Mutex::new(1);
                let mut out = vec![format!("{:?}", waits(&Condvar::new(), mutex.lock().unwrap()).map(|it| *it))];
                out.push(format!("{:?} {} {} {:?}", locks(7), unsized_locks(), once(), channels()));
                out.extend(atomics());
                out
            }
        }
    };
}

surface! { with_std, std }
surface! { with_selvedge, selvedge }

#[test]
fn types_have_the_same_traits() {
    let both = with_selvedge::traits().into_iter().zip(with_std::traits());
    let different: Vec<_> = both.filter(|(ours, theirs)| ours != theirs).collect();
    assert!(different.is_empty(), "ours and theirs: {different:#?}");
    // Each of the two answers occurs.
    let guard = answers!("", std::sync::MutexGuard<'static, u8>).1;
    assert_eq!(guard[..3], [false, true, true]);
}

#[test]
fn values_are_printed_the_same() {
    assert_eq!(with_selvedge::texts(), with_std::texts());
}

#[test]
fn programs_give_the_same_results() {
    assert_eq!(with_selvedge::results(), with_std::results());
}
