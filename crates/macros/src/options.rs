//! What stands in the parentheses: `strategy = "swarm", runs = 10_000`.

use crate::Mistake;
use proc_macro::{Span, TokenStream, TokenTree};

const STRATEGIES: [&str; 6] = ["systematic", "random", "pct", "swarm", "pos", "round-robin"];
const NUMBERS: [&str; 6] = ["runs", "seed", "depth", "steps", "seconds", "workers"];
/// Those that cannot be 0.
const POSITIVE: [&str; 4] = ["runs", "depth", "steps", "seconds"];
const SWITCHES: [&str; 2] = ["spurious", "child_process"];

/// The options as fields of a struct's value, each followed by a comma.
pub(crate) fn read(arguments: TokenStream) -> Result<String, Mistake> {
    let all: Vec<TokenTree> = arguments.into_iter().collect();
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
    let mut fields = String::new();
    let mut seen: Vec<String> = Vec::new();
    for option in all.split(is_comma).filter(|option| !option.is_empty()) {
        let [TokenTree::Ident(name), TokenTree::Punct(equals), value] = option else {
            if let [TokenTree::Ident(name), TokenTree::Punct(_), TokenTree::Punct(minus), _] = option
                && minus.as_char() == '-'
            {
                return Err(Mistake::new(format!("`{name}` cannot be less than zero"), minus.span()));
            }
            return Err(Mistake::new("an option is written `name = value`", option[0].span()));
        };
        if equals.as_char() != '=' {
            return Err(Mistake::new("an option is written `name = value`", equals.span()));
        }
        let key = name.to_string();
        if seen.contains(&key) {
            return Err(Mistake::new(format!("`{key}` is given twice"), name.span()));
        }
        let text = value_of(&key, &value.to_string(), name.span(), value.span())?;
        fields.push_str(&format!("{key}: ::core::option::Option::Some({text}),"));
        seen.push(key);
    }
    Ok(fields)
}

fn value_of(key: &str, value: &str, name_span: Span, span: Span) -> Result<String, Mistake> {
    match key {
        "strategy" => {
            let known = STRATEGIES.iter().any(|strategy| value == format!("\"{strategy}\""));
            let message = || {
                format!("{value} is not one of {}", STRATEGIES.map(|name| format!("\"{name}\"")).join(", "))
            };
            if known { Ok(value.to_owned()) } else { Err(Mistake::new(message(), span)) }
        }
        key if SWITCHES.contains(&key) => match value {
            "true" | "false" => Ok(value.to_owned()),
            _ => Err(Mistake::new(format!("`{key}` is true or false"), span)),
        },
        key if NUMBERS.contains(&key) => {
            let digits = value.replace('_', "");
            let is_digits = digits.chars().all(|digit| digit.is_ascii_digit());
            match digits.parse::<u64>() {
                Ok(0) if POSITIVE.contains(&key) => {
                    Err(Mistake::new(format!("`{key}` is at least 1: without a run nothing is known"), span))
                }
                Ok(_) => Ok(value.to_owned()),
                Err(_) if is_digits => Err(Mistake::new(format!("`{key}` is too large"), span)),
                Err(_) => Err(Mistake::new(format!("`{key}` is a whole number, like 10_000"), span)),
            }
        }
        _ => {
            let (switches, numbers) = (SWITCHES.join(", "), NUMBERS.join(", "));
            let message = format!("`{key}` is not an option; there are strategy, {switches}, {numbers}");
            Err(Mistake::new(message, name_span))
        }
    }
}
