//! Generators and naive references that the tests of several crates share.
//!
//! Each module belongs to the crate that it is named after and depends on its public interface alone, so
//! that integration tests, benchmarks and other crates' tests draw the same cases from the same seeds.

pub mod lang;
#[cfg(feature = "programs")]
pub mod scaling;
#[cfg(feature = "schedulers")]
pub mod validated;
