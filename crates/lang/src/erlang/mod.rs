//! Erlang: real source text, searched as it runs, or under an abstract interpretation.

pub mod domain;
