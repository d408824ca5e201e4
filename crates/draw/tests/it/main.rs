//! The drawings of this crate, checked from outside: DOT text, layouts, parts and SVG.

mod dot;
mod layout;
mod parts;
mod random_graph;
mod svg;
