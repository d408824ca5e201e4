//! What the shared parts need to know of a language.

/// A language, as far as it differs from the others that share this syntax.
#[derive(Debug)]
pub(crate) struct Dialect {
    /// Words that begin a declaration, and so end the text before them.
    pub(crate) top_level: &'static [&'static str],
    /// Words that are never names.
    pub(crate) reserved: &'static [&'static str],
    /// The word that declares shared variables.
    pub(crate) variable_keyword: &'static str,
    pub(crate) at: AtMeaning,
    pub(crate) codes: Codes,
}

/// What the proposition `at` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtMeaning {
    /// `at(1, crit)`: the process is about to execute the user statement.
    NextStatement,
    /// `P0 at m1`: the node is the last one that the process executed.
    LastNode,
}

impl AtMeaning {
    /// The proposition for a label, as the language writes it.
    pub(crate) fn spell(self, label: &str) -> String {
        match self {
            AtMeaning::NextStatement => format!("at(1, {label})"),
            AtMeaning::LastNode => format!("P0 at {label}"),
        }
    }
}

/// The codes of the shared diagnostics, each with the prefix of its language.
#[derive(Debug)]
pub(crate) struct Codes {
    pub(crate) array_as_number: &'static str,
    pub(crate) assigned_constant: &'static str,
    pub(crate) at_in_atomic: &'static str,
    pub(crate) bad_length: &'static str,
    pub(crate) chained_comparison: &'static str,
    pub(crate) channel_index: &'static str,
    pub(crate) declared_twice: &'static str,
    pub(crate) expected_constant: &'static str,
    pub(crate) expected_number: &'static str,
    pub(crate) expected_test: &'static str,
    pub(crate) formula_too_large: &'static str,
    pub(crate) not_an_array: &'static str,
    pub(crate) number_too_large: &'static str,
    pub(crate) other_kind: &'static str,
    pub(crate) range_too_long: &'static str,
    pub(crate) recursive_definition: &'static str,
    pub(crate) too_deep: &'static str,
    pub(crate) too_many_propositions: &'static str,
    pub(crate) unclosed: &'static str,
    pub(crate) undeclared_variable: &'static str,
    pub(crate) unexpected: &'static str,
    pub(crate) unexpected_expect: &'static str,
    pub(crate) unknown_channel: &'static str,
    pub(crate) unknown_constant: &'static str,
    pub(crate) unknown_name: &'static str,
    pub(crate) unknown_type: &'static str,
    pub(crate) unknown_process: &'static str,
    pub(crate) unknown_proposition: &'static str,
    pub(crate) wrong_arguments: &'static str,
    /// Of a label that `at` does not know: a user statement, or a node.
    pub(crate) unknown_label: &'static str,
}
