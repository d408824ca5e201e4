//! The logic, checked from outside: each algorithm against the semantics, its lower bounds, or another tool.

mod agreement;
mod finite;
mod fooling;
mod fuzz;
mod generators;
mod hoa;
mod lassos;
mod lower_bounds;
mod messages;
mod negation;
mod patterns;
mod progression;
mod simplify;
mod sizes;
mod spin;
mod syntax;
mod word_messages;
