//! The traits of `std`'s `Arc`, and its conversions.

use super::Arc;
use std::borrow::{Borrow, Cow};
use std::cmp::Ordering;
use std::error::Error;
use std::ffi::{CStr, CString, OsStr, OsString};
use std::fmt;
use std::fs::File;
use std::hash::{Hash, Hasher};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc as StdArc;
use std::task::{Wake, Waker};

impl<T: ?Sized + fmt::Debug> fmt::Debug for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized> fmt::Pointer for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Pointer::fmt(&Arc::as_ptr(self), f)
    }
}

impl<T: ?Sized + PartialEq> PartialEq for Arc<T> {
    fn eq(&self, other: &Arc<T>) -> bool {
        **self == **other
    }
}

impl<T: ?Sized + Eq> Eq for Arc<T> {}

impl<T: ?Sized + PartialOrd> PartialOrd for Arc<T> {
    fn partial_cmp(&self, other: &Arc<T>) -> Option<Ordering> {
        (**self).partial_cmp(&**other)
    }
}

impl<T: ?Sized + Ord> Ord for Arc<T> {
    fn cmp(&self, other: &Arc<T>) -> Ordering {
        (**self).cmp(&**other)
    }
}

impl<T: ?Sized + Hash> Hash for Arc<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl<T: ?Sized> Borrow<T> for Arc<T> {
    fn borrow(&self) -> &T {
        self
    }
}

impl<T: ?Sized> AsRef<T> for Arc<T> {
    fn as_ref(&self) -> &T {
        self
    }
}

impl<T: ?Sized + Error> Error for Arc<T> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        (**self).source()
    }
}

/// `Default` for types whose `Arc` has one: the type parameters, and the type.
macro_rules! defaults {
    ($({$($parameters:tt)*} $type:ty;)*) => {
        $(impl<$($parameters)*> Default for Arc<$type> {
            #[track_caller]
            fn default() -> Self {
                Arc::allocated(StdArc::default())
            }
        })*
    };
}

defaults! {
    {T: Default} T;
    {T} [T];
    {} str;
    {} CStr;
}

/// `From` for types that `std`'s `Arc` is made from, by a new allocation: type parameters, and both types.
macro_rules! conversions {
    ($({$($parameters:tt)*} $from:ty => $type:ty;)*) => {
        $(impl<$($parameters)*> From<$from> for Arc<$type> {
            #[track_caller]
            fn from(value: $from) -> Self {
                Arc::allocated(StdArc::from(value))
            }
        })*
    };
}

conversions! {
    {T} T => T;
    {T: ?Sized} Box<T> => T;
    {T} Vec<T> => [T];
    {T, const N: usize} [T; N] => [T];
    {T: Clone} &[T] => [T];
    {T: Clone} &mut [T] => [T];
    {} String => str;
    {} &str => str;
    {} &mut str => str;
    {} CString => CStr;
    {} &CStr => CStr;
    {} &mut CStr => CStr;
    {} OsString => OsStr;
    {} &OsStr => OsStr;
    {} &mut OsStr => OsStr;
    {} PathBuf => Path;
    {} &Path => Path;
    {} &mut Path => Path;
}

impl<'a, B> From<Cow<'a, B>> for Arc<B>
where
    B: ToOwned + ?Sized,
    Arc<B>: From<&'a B> + From<B::Owned>,
{
    #[track_caller]
    fn from(value: Cow<'a, B>) -> Arc<B> {
        match value {
            Cow::Borrowed(value) => Arc::from(value),
            Cow::Owned(value) => Arc::from(value),
        }
    }
}

impl From<Arc<str>> for Arc<[u8]> {
    fn from(text: Arc<str>) -> Arc<[u8]> {
        Arc::of(StdArc::from(text.into_inner_arc()))
    }
}

impl<T, const N: usize> TryFrom<Arc<[T]>> for Arc<[T; N]> {
    type Error = Arc<[T]>;

    fn try_from(slice: Arc<[T]>) -> Result<Arc<[T; N]>, Arc<[T]>> {
        slice.into_inner_arc().try_into().map(Arc::of).map_err(Arc::of)
    }
}

impl<T> FromIterator<T> for Arc<[T]> {
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Arc<[T]> {
        Arc::allocated(values.into_iter().collect())
    }
}

/// The waker has the `Arc` of `std`: its counts are not visible.
impl<W: Wake + Send + Sync + 'static> From<Arc<W>> for Waker {
    fn from(waker: Arc<W>) -> Waker {
        Waker::from(waker.into_inner_arc())
    }
}

impl Read for Arc<File> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (&**self).read(buffer)
    }
}

impl Write for Arc<File> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        (&**self).write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        (&**self).flush()
    }
}

impl Seek for Arc<File> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        (&**self).seek(to)
    }
}

#[cfg(unix)]
impl<T: std::os::fd::AsFd + ?Sized> std::os::fd::AsFd for Arc<T> {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        (**self).as_fd()
    }
}

#[cfg(unix)]
impl<T: std::os::fd::AsRawFd> std::os::fd::AsRawFd for Arc<T> {
    fn as_raw_fd(&self) -> std::os::fd::RawFd {
        (**self).as_raw_fd()
    }
}
