//! The name of a test: in messages, in the files of its traces, and in the command that runs it again.
//!
//! The test harness knows a test by its path inside of its crate. The attribute knows the function of its
//! test by the same path with the crate before it; `autocheck` and `explore` know the thread that calls
//! them, which the harness names by the path of the test.
//!
//! Promise: a path is what `cargo test PATH -- --exact` runs. Where it is not known there is none: on the
//! main thread of a program, for instance.

use std::fmt;
use std::sync::Arc;

/// The name of a test, or of another caller of an exploration.
#[derive(Clone, Debug)]
pub(crate) struct TestName {
    whole: Arc<str>,
    /// Where the path of the test begins, if it is known.
    path_at: Option<usize>,
}

/// The name of a caller on a thread without a name.
const UNNAMED: &str = "explored";

impl TestName {
    /// The name of a test by the path of its function, which begins with the crate.
    pub(crate) fn of_function(path: &str) -> TestName {
        let path_at = path.find("::").map(|end| end + "::".len());
        TestName { whole: path.into(), path_at }
    }

    /// The name of a test by the calling thread.
    pub(crate) fn of_current_thread() -> TestName {
        TestName::of_thread(std::thread::current().name())
    }

    fn of_thread(name: Option<&str>) -> TestName {
        let is_path = |name: &&str| {
            *name != "main" && name.chars().all(|char| char.is_alphanumeric() || "_:".contains(char))
        };
        TestName { whole: name.unwrap_or(UNNAMED).into(), path_at: name.filter(is_path).map(|_| 0) }
    }

    /// The whole name.
    pub(crate) fn text(&self) -> &Arc<str> {
        &self.whole
    }

    /// The path of the test in its test program, if it is known.
    pub(super) fn path(&self) -> Option<&str> {
        self.whole.get(self.path_at?..)
    }
}

impl fmt::Display for TestName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_known_by_its_path_without_the_crate() {
        let path = |function: &str| TestName::of_function(function).path().map(str::to_owned);
        assert_eq!(path("my_crate::queue::tests::pops").as_deref(), Some("queue::tests::pops"));
        assert_eq!(path("my_crate::pops").as_deref(), Some("pops"));
    }

    #[test]
    fn a_thread_of_the_harness_has_the_path_of_its_test() {
        let path = |thread: Option<&str>| TestName::of_thread(thread).path().map(str::to_owned);
        assert_eq!(path(Some("queue::pops")).as_deref(), Some("queue::pops"));
        assert_eq!([path(Some("main")), path(Some("my worker")), path(None)], [None, None, None]);
        assert_eq!(TestName::of_current_thread().path(), std::thread::current().name());
    }
}
