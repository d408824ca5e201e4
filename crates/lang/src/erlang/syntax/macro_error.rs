//! What is wrong with macros and directives, as sentences.

use erl_pp::PreprocessError;

/// One sentence about the error.
pub(super) fn sentence(error: &PreprocessError) -> String {
    match error {
        PreprocessError::ParseUnexpectedToken { expected, .. }
        | PreprocessError::ParseUnexpectedEof { expected, .. } => {
            format!("this directive is not well formed: expected {expected}")
        }
        PreprocessError::DuplicateParameter { name, .. } => {
            format!("the macro has two parameters `{}`", name.as_str())
        }
        PreprocessError::ArityMismatch { name, called_arity, defined_arities, .. } => {
            let mut known: Vec<String> =
                defined_arities.iter().map(|arity| shape(name.as_str(), *arity)).collect();
            known.sort();
            let called = shape(name.as_str(), *called_arity);
            format!("the macro {called} is not defined, but {} is", known.join(", "))
        }
        PreprocessError::UnclosedArgument { .. } => "the macro's arguments have no `)`".to_owned(),
        PreprocessError::LeadingEmptyArgument { .. } => "the macro's first argument is empty".to_owned(),
        PreprocessError::TrailingEmptyArgument { .. } => "the macro's last argument is empty".to_owned(),
        PreprocessError::InvalidStringificationTarget { .. } => {
            "`??` takes a parameter of the macro".to_owned()
        }
        PreprocessError::CircularExpansion { name, chain, .. } => {
            let mut chain: Vec<String> = chain.iter().map(|(name, _)| format!("?{name}")).collect();
            chain.push(format!("?{name}"));
            format!("the macro expands to itself: {}", chain.join(", "))
        }
        PreprocessError::StrayElse { .. } => "`-else` without `-ifdef`, `-ifndef` or `-if`".to_owned(),
        PreprocessError::StrayEndif { .. } => "`-endif` without `-ifdef`, `-ifndef` or `-if`".to_owned(),
        PreprocessError::DoubleElse { .. } => "a second `-else` of one condition".to_owned(),
        PreprocessError::UnclosedConditional { .. } => "this condition has no `-endif`".to_owned(),
        PreprocessError::StrayElif { .. } => "`-elif` without `-if`".to_owned(),
        PreprocessError::ElifAfterElse { .. } => "`-elif` after `-else`".to_owned(),
    }
}

fn shape(name: &str, arity: Option<usize>) -> String {
    match arity {
        None => format!("`?{name}`"),
        Some(1) => format!("`?{name}` of 1 argument"),
        Some(arity) => format!("`?{name}` of {arity} arguments"),
    }
}
