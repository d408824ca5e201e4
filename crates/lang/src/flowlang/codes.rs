//! The codes of messages that flow shares with PARALLEL, under its own name.

use selvedge_ltl::diagnostic::Diagnostic;

/// Every code that the shared readers use, as flow calls it.
const SHARED: [&str; 23] = [
    "flow::array-as-number",
    "flow::assigned-constant",
    "flow::bad-length",
    "flow::chained-comparison",
    "flow::declared-twice",
    "flow::expected-constant",
    "flow::expected-number",
    "flow::expected-test",
    "flow::formula-too-large",
    "flow::not-an-array",
    "flow::number-too-large",
    "flow::range-too-long",
    "flow::recursive-definition",
    "flow::too-deep",
    "flow::unclosed",
    "flow::undeclared-variable",
    "flow::unexpected",
    "flow::unexpected-expect",
    "flow::unknown-constant",
    "flow::unknown-name",
    "flow::unknown-process",
    "flow::unknown-proposition",
    "flow::wrong-arguments",
];

/// Gives messages of the shared readers the codes of flow.
pub(crate) fn recode(diagnostics: &mut [Diagnostic]) {
    for diagnostic in diagnostics {
        let Some(name) = diagnostic.code.strip_prefix("par::") else { continue };
        let own = SHARED.iter().find(|code| code.strip_prefix("flow::") == Some(name));
        diagnostic.code = own.unwrap_or(&diagnostic.code);
    }
}

#[cfg(test)]
mod tests {
    use super::SHARED;

    /// Codes that only PARALLEL's declarations and processes use.
    const PARALLEL: [&str; 8] = [
        "expected-declaration",
        "no-process",
        "other-parameter",
        "process-zero",
        "too-many-processes",
        "too-many-propositions",
        "unknown-statement",
        "unmatched",
    ];

    #[test]
    fn every_shared_code_has_a_name_in_flow() {
        let sources = [
            include_str!("../parallel/build.rs"),
            include_str!("../parallel/expression.rs"),
            include_str!("../parallel/formula.rs"),
            include_str!("../parallel/parse.rs"),
            include_str!("../parallel/quantifier.rs"),
            include_str!("../parallel/resolve.rs"),
            include_str!("../parallel/unfold.rs"),
        ];
        for source in sources {
            for code in source.split("\"par::").skip(1).filter_map(|rest| rest.split('"').next()) {
                let shared = SHARED.contains(&format!("flow::{code}").as_str());
                assert!(shared || PARALLEL.contains(&code), "`par::{code}` has no name in flow");
            }
        }
    }
}
