//! The languages of models beside other tools.

pub mod maude;
