//! Formulas as text.
//!
//! One grammar for the spellings of the field. From the tightest to the loosest, as in Spot:
//!
//! | operators | spellings | grouping |
//! |---|---|---|
//! | not | `!` `~` `not` `¬` | prefix |
//! | next, weak next | `X` `○`, `WX` | prefix |
//! | eventually, always | `F` `<>` `◇`, `G` `[]` `□` | prefix |
//! | previous, weak previous, once, historically | `Y`, `WY` or `Z`, `O`, `H` | prefix |
//! | until, release, weak until, strong release, since, triggered | `U`, `R` or `V`, `W`, `M`, `S`, `T` | to the right |
//! | and | `&` `&&` `/\` `and` `∧` | to the left |
//! | or | `\|` `\|\|` `\/` `or` `∨` | to the left |
//! | implies | `->` `=>` `implies` `→` | to the right |
//! | iff | `<->` `<=>` `iff` `↔` | to the right |
//!
//! The constants are `true`, `false`, `1`, `0`. Comments run from `//` to the end of the line. Prefix operators may
//! be glued together and to a name that cannot be mistaken: `GFp` is `G F p`, `Xa` is `X a`, but `Free` is a name.
//! What a proposition looks like is the business of the [`Atoms`] that the parser is given.

mod atoms;
mod mistakes;
mod parse;
mod print;
mod scan;
mod token;

pub(crate) use atoms::quotation_length;
pub use atoms::{Atoms, Names};
pub use parse::{MAX_DEPTH, MAX_DIAGNOSTICS, Parsed, parse, parse_range};
pub use print::{AtomText, Dialect};
