//! Formulas as text.
//!
//! One grammar for the common spellings. From the tightest to the loosest binding, as in Spot:
//!
//! | operators | spellings | grouping |
//! |---|---|---|
//! | not | `!` `~` `not` `¬` | prefix |
//! | next, weak next | `X` `○`, `WX` | prefix |
//! | eventually, always | `F` `<>` `◇`, `G` `[]` `□` | prefix |
//! | previous, weak previous, once, historically | `Y`, `WY` or `Z`, `O`, `H` | prefix |
//! | until, release, weak until | `U`, `R` or `V`, `W` | to the right |
//! | strong release, since, triggered | `M`, `S`, `T` | to the right, like until |
//! | and | `&` `&&` `/\` `and` `∧` | to the left |
//! | or | `\|` `\|\|` `\/` `or` `∨` | to the left |
//! | implies | `->` `=>` `implies` `→` | to the right |
//! | iff | `<->` `<=>` `iff` `↔` | to the right |
//!
//! The constants are `true`, `false`, `1`, `0`. Comments run from `//` to the end of the line. Prefix
//! operators may be glued together, and to a name where that is unambiguous: `GFp` is `G F p`, `Xa` is
//! `X a`, but `Free` is a name. The syntax of propositions depends on the [`Atoms`] that the parser is
//! given.

mod atoms;
mod mistakes;
mod parse;
mod print;
mod scan;
mod token;

pub(crate) use atoms::quotation_length;
pub use atoms::{Atoms, Names};
pub use mistakes::foreign_operator;
pub use parse::{MAX_DEPTH, MAX_DIAGNOSTICS, Parsed, parse, parse_range};
pub use print::{AtomText, Dialect};
