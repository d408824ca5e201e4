//! The options in the parentheses of the attribute: `strategy = "swarm", runs = 10_000`.

use crate::SyntaxError;
use proc_macro::{Span, TokenStream, TokenTree};

const STRATEGIES: [&str; 6] = ["systematic", "random", "pct", "swarm", "pos", "round-robin"];
const MEMORIES: [&str; 3] = ["sc", "tso", "pso"];
const NUMBERS: [&str; 9] =
    ["runs", "seed", "depth", "steps", "stack_size", "seconds", "workers", "preemptions", "yields"];
/// The options that bound a systematic exploration.
const BOUNDS: [&str; 2] = ["preemptions", "yields"];
/// The options that cannot be 0.
const POSITIVE: [&str; 5] = ["runs", "depth", "steps", "stack_size", "seconds"];
const SWITCHES: [&str; 3] = ["spurious", "child_process", "unwind"];

/// Parses the options; returns them as fields of a struct expression, each followed by a comma.
pub(crate) fn parse(arguments: TokenStream) -> Result<String, SyntaxError> {
    let tokens: Vec<TokenTree> = arguments.into_iter().collect();
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
    let mut fields = String::new();
    let mut seen: Vec<String> = Vec::new();
    for option in tokens.split(is_comma).filter(|option| !option.is_empty()) {
        let [TokenTree::Ident(name), TokenTree::Punct(equals), value] = option else {
            if let [TokenTree::Ident(name), TokenTree::Punct(_), TokenTree::Punct(minus), _] = option
                && minus.as_char() == '-'
            {
                return Err(SyntaxError::new(format!("`{name}` cannot be less than zero"), minus.span()));
            }
            return Err(SyntaxError::new("an option is written `name = value`", option[0].span()));
        };
        if equals.as_char() != '=' {
            return Err(SyntaxError::new("an option is written `name = value`", equals.span()));
        }
        let key = name.to_string();
        if seen.contains(&key) {
            return Err(SyntaxError::new(format!("`{key}` is given twice"), name.span()));
        }
        let text = parse_value(&key, &value.to_string(), name.span(), value.span())?;
        if BOUNDS.contains(&key.as_str()) && is_random(&tokens) {
            return Err(SyntaxError::new(
                format!("`{key}` is a bound of systematic exploration"),
                name.span(),
            ));
        }
        fields.push_str(&format!("{key}: ::core::option::Option::Some({text}),"));
        seen.push(key);
    }
    Ok(fields)
}

/// Do the options name a strategy other than the systematic one?
fn is_random(tokens: &[TokenTree]) -> bool {
    let is_other = |option: &[TokenTree]| {
        option[0].to_string() == "strategy" && option[2].to_string() != "\"systematic\""
    };
    tokens.windows(3).any(is_other)
}

/// The value, if it is one of these names.
fn parse_name<const N: usize>(names: [&str; N], value: &str, span: Span) -> Result<String, SyntaxError> {
    let names = names.map(|name| format!("\"{name}\""));
    if names.iter().any(|name| name == value) {
        return Ok(value.to_owned());
    }
    Err(SyntaxError::new(format!("{value} is not one of {}", names.join(", ")), span))
}

/// The value of an option as Rust.
fn parse_value(key: &str, value: &str, name_span: Span, span: Span) -> Result<String, SyntaxError> {
    match key {
        "strategy" => parse_name(STRATEGIES, value, span),
        "memory" => parse_name(MEMORIES, value, span),
        key if SWITCHES.contains(&key) => match value {
            "true" | "false" => Ok(value.to_owned()),
            _ => Err(SyntaxError::new(format!("`{key}` is true or false"), span)),
        },
        key if NUMBERS.contains(&key) => {
            let digits = value.replace('_', "");
            let is_digits = digits.chars().all(|digit| digit.is_ascii_digit());
            match digits.parse::<u64>() {
                Ok(0) if POSITIVE.contains(&key) => Err(SyntaxError::new(
                    format!("`{key}` is at least 1: without a run nothing is known"),
                    span,
                )),
                Ok(_) => Ok(value.to_owned()),
                Err(_) if is_digits => Err(SyntaxError::new(format!("`{key}` is too large"), span)),
                Err(_) => Err(SyntaxError::new(format!("`{key}` is a whole number, like 10_000"), span)),
            }
        }
        _ => {
            let (switches, numbers) = (SWITCHES.join(", "), NUMBERS.join(", "));
            let message =
                format!("`{key}` is not an option; there are strategy, memory, {switches}, {numbers}");
            Err(SyntaxError::new(message, name_span))
        }
    }
}
