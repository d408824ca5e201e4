//! The temporal debugger.

mod page;
pub mod server;
