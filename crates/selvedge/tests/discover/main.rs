//! Discovery of laws, in a test program of its own.

mod mvar;
