//! Nothing that pruning leaves out is lost: every law that a naive search finds follows from the
//! reported ones.
//!
//! The naive search ([`reference`]) enumerates all terms by itself, explores every ground term with an
//! explorer of its own, and compares every pair under all common names of variables. It shares with
//! discovery the functions under test, and nothing else. Behaviour sets are compared with those of
//! `Strategy::exhaustive()`.

mod cases;
mod programs;
mod random;
mod reference;
