//! What distinguishes PARALLEL from the other languages that share its syntax.

use crate::syntax::dialect::{AtMeaning, Codes, Dialect};
use crate::syntax::token::RESERVED;

/// Words that begin a declaration, and so end the text before them.
pub(super) const TOP_LEVEL: [&str; 10] = [
    "type",
    "memory",
    "statement",
    "looping",
    "define",
    "procedure",
    "process",
    "property",
    "const",
    "channel",
];

pub(crate) static PARALLEL: Dialect = Dialect {
    top_level: &TOP_LEVEL,
    reserved: &RESERVED,
    variable_keyword: "memory",
    at: AtMeaning::NextStatement,
    codes: Codes {
        array_as_number: "par::array-as-number",
        assigned_constant: "par::assigned-constant",
        at_in_atomic: "par::at-in-atomic",
        bad_length: "par::bad-length",
        chained_comparison: "par::chained-comparison",
        channel_index: "par::channel-index",
        declared_twice: "par::declared-twice",
        expected_constant: "par::expected-constant",
        expected_number: "par::expected-number",
        expected_test: "par::expected-test",
        formula_too_large: "par::formula-too-large",
        not_an_array: "par::not-an-array",
        number_too_large: "par::number-too-large",
        other_kind: "par::other-kind",
        range_too_long: "par::range-too-long",
        recursive_definition: "par::recursive-definition",
        too_deep: "par::too-deep",
        too_many_propositions: "par::too-many-propositions",
        unclosed: "par::unclosed",
        undeclared_variable: "par::undeclared-variable",
        unexpected: "par::unexpected",
        unexpected_expect: "par::unexpected-expect",
        unknown_channel: "par::unknown-channel",
        unknown_constant: "par::unknown-constant",
        unknown_name: "par::unknown-name",
        unknown_type: "par::unknown-type",
        unknown_process: "par::unknown-process",
        unknown_proposition: "par::unknown-proposition",
        wrong_arguments: "par::wrong-arguments",
        unknown_label: "par::unknown-statement",
    },
};
