//! PARALLEL: shared memory, processes, and statements of which each is one step.
//!
//! The language of José Meseguer's lecture on the verification of concurrent imperative programs (Program
//! Verification, Lecture 25), with its constructs and its granularity: one rewrite rule is one step. Beyond
//! it, what models need: arithmetic and comparisons, `else`, arrays, locals, families of processes,
//! constants, definitions, procedures, `for`, `break`, `await`, `choose`, `atomic`, `assert`, `print` and
//! channels.
//!
//! ```text
//! file      = { declaration }
//! declaration = "type" name "=" "{" name { "," name } "}" ";"
//!           | "type" name "=" "{" name ":" name { "," name ":" name } "}" ";"
//!           | "memory" variable { "," variable } ";"
//!           | "const" name "=" expression { "," name "=" expression } ";"
//!           | "channel" channel { "," channel } ";"
//!           | [ "looping" ] "statement" name { "," name } ";"
//!           | "define" name [ "(" name { "," name } ")" ] "=" formula [ ";" ]
//!           | "procedure" name [ "(" name { "," name } ")" ] "=" statements
//!           | "process" id [ "priority" expression ] ":" { "local" variable { "," variable } ";" }
//!             statements
//!           | "property" name ":" formula [ "expect" ( "holds" | "violated" ) ]
//! variable  = name [ "[" expression "]" ] [ ":" name ] [ "=" ( expression | list ) ]
//! list      = "{" expression { "," expression } "}"
//! channel   = name [ "[" expression "]" ] "[" expression "]" [ "of" "(" name { "," name } ")" ]
//! id        = number | name | name parameters "for" range { "," range }
//!           | name [ parameters ] "max" expression
//! parameters = "(" name { "," name } ")"
//! range     = name "in" expression ".." expression
//! statements = { "end" ":" } statement { ";" { "end" ":" } statement } [ ";" ]
//! statement = "skip" | place ":=" ( expression | list ) | name | "(" statements ")"
//!           | place { "," place } ":=" expression { "," expression }
//!           | name "(" [ expression { "," expression } ] ")"
//!           | "if" test "then" statements { "elif" test "then" statements } [ "else" statements ] "fi"
//!           | "while" test "do" statements "od" | "repeat" statements "forever"
//!           | "for" range "do" statements "od" | "break" | "timeout"
//!           | "create" name [ "(" expression { "," expression } ")" ]
//!           | "await" test | "atomic" statements "end"
//!           | "choose" statements { "|" statements } [ "else" statements ] "end"
//!           | "choose" place "in" expression ".." expression
//!           | "assert" test | "print" printed { "," printed }
//!           | "send" place "," message | place "!" message
//!           | "receive" place "," message | place "?" message
//! message   = expression | "(" expression { "," expression } ")"
//! place     = name [ "[" expression "]" ] [ "." name ]
//! ```
//!
//! Expressions have `+ - * / %`, comparisons `= != < <= > >=`, `and`, `or`, `not`, `true`, `false`, `null`,
//! uses of definitions, `f(x, 1)`, the quantifiers `forall i in 1..3: test` and `exists ..`,
//! and of channels `len(c)`, `empty(c)`, `full(c)`.
//! Comments run from `//` to the end of the line. Formulas have `forall i in 1..3: formula` and `exists ..`
//! too. A formula ends at `expect`, at `;`, or where a line begins with a declaration.
//!
//! Promise: a text of any kind gives a program or messages, never a panic; what is not understood is
//! refused.

mod ast;
mod build;
mod channels;
mod compile;
mod create;
pub(crate) mod dialect;
mod head;
mod message;
mod parse;
mod procedure;
mod statement;
mod types;

pub use crate::flow_graph::MAX_FIELDS;
pub use crate::syntax::{MAX_DIAGNOSTICS, MAX_FORMULA, MAX_LENGTH, MAX_NESTING, MAX_RANGE};
pub use build::{MAX_PROCESSES, parse, parse_with};
pub use compile::MAX_NODES;
