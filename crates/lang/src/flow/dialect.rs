//! What distinguishes flow from the other languages that share its syntax.

use crate::syntax::dialect::{AtMeaning, Codes, Dialect};
use crate::syntax::token::RESERVED as SHARED;

/// Words that begin a declaration, and so end the text before them.
pub(super) const TOP_LEVEL: [&str; 6] = ["var", "const", "define", "property", "process", "Process"];

/// Words of flow that the shared syntax does not reserve. The shared ones are no names here either, so that
/// a name is a name in formulas too.
const OWN: [&str; 4] = ["begin", "wait", "var", "Process"];

/// Words that are never names.
pub(super) static RESERVED: [&str; SHARED.len() + OWN.len()] = reserved();

pub(crate) static FLOW: Dialect = Dialect {
    top_level: &TOP_LEVEL,
    reserved: &RESERVED,
    variable_keyword: "var",
    at: AtMeaning::LastNode,
    codes: Codes {
        array_as_number: "flow::array-as-number",
        assigned_constant: "flow::assigned-constant",
        at_in_atomic: "flow::at-in-atomic",
        bad_length: "flow::bad-length",
        chained_comparison: "flow::chained-comparison",
        channel_index: "flow::channel-index",
        declared_twice: "flow::declared-twice",
        expected_constant: "flow::expected-constant",
        expected_number: "flow::expected-number",
        expected_test: "flow::expected-test",
        formula_too_large: "flow::formula-too-large",
        not_an_array: "flow::not-an-array",
        number_too_large: "flow::number-too-large",
        other_kind: "flow::other-kind",
        range_too_long: "flow::range-too-long",
        recursive_definition: "flow::recursive-definition",
        too_deep: "flow::too-deep",
        too_many_propositions: "flow::too-many-propositions",
        unclosed: "flow::unclosed",
        undeclared_variable: "flow::undeclared-variable",
        unexpected: "flow::unexpected",
        unexpected_expect: "flow::unexpected-expect",
        unknown_channel: "flow::unknown-channel",
        unknown_constant: "flow::unknown-constant",
        unknown_name: "flow::unknown-name",
        unknown_type: "flow::unknown-type",
        unknown_process: "flow::unknown-process",
        unknown_proposition: "flow::unknown-proposition",
        wrong_arguments: "flow::wrong-arguments",
        unknown_label: "flow::unknown-node",
    },
};

const fn reserved() -> [&'static str; SHARED.len() + OWN.len()] {
    let mut words = [""; SHARED.len() + OWN.len()];
    let mut index = 0;
    while index < words.len() {
        words[index] = if index < OWN.len() { OWN[index] } else { SHARED[index - OWN.len()] };
        index += 1;
    }
    words
}
