//! Types that std lacks.
pub mod interrupt;
