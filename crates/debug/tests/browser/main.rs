//! The page and its server: what is refused, what a browser shows, what can be done by the keyboard alone.
//!
//! The tests drive Debian's `chromium-headless-shell` (`selvedge_testkit::browser`) and wait for conditions,
//! never for times.

mod accessibility;
mod keyboard;
mod long_run;
mod models;
mod pictures;
mod refusals;
mod sharing;
mod support;
