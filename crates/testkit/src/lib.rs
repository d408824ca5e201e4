//! Generators and naive references that the tests of several crates share.
//!
//! Each module belongs to the crate that it is named after and depends on its public interface alone, so
//! that integration tests, benchmarks and other crates' tests draw the same cases from the same seeds.

#[cfg(feature = "browser")]
pub mod browser;
pub mod lang;
pub mod ltl;
mod random;
#[cfg(feature = "programs")]
pub mod scaling;
#[cfg(feature = "schedulers")]
pub mod validated;

pub use random::Random;

/// Does the environment ask for the long run of the tests (`SELVEDGE_LONG=1`)?
pub fn is_long_run() -> bool {
    std::env::var_os("SELVEDGE_LONG").is_some()
}
