//! What stands in the parentheses: `strategy = "swarm", runs = 10_000`.

use crate::Mistake;
use proc_macro::{Span, TokenStream, TokenTree};

const STRATEGIES: [&str; 6] = ["systematic", "random", "pct", "swarm", "pos", "round-robin"];
const NUMBERS: [&str; 6] = ["runs", "seed", "depth", "steps", "seconds", "workers"];
const SWITCHES: [&str; 2] = ["spurious", "child_process"];

/// The options as fields of a struct's value, each followed by a comma.
pub(crate) fn read(arguments: TokenStream) -> Result<String, Mistake> {
    let all: Vec<TokenTree> = arguments.into_iter().collect();
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
    let mut fields = String::new();
    let mut seen: Vec<String> = Vec::new();
    for option in all.split(is_comma).filter(|option| !option.is_empty()) {
        let [TokenTree::Ident(name), TokenTree::Punct(equals), value] = option else {
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
            let is_number = value.replace('_', "").parse::<u64>().is_ok();
            let message = || format!("`{key}` is a whole number, like 10_000");
            if is_number { Ok(value.to_owned()) } else { Err(Mistake::new(message(), span)) }
        }
        _ => {
            let (switches, numbers) = (SWITCHES.join(", "), NUMBERS.join(", "));
            let message = format!("`{key}` is not an option; there are strategy, {switches}, {numbers}");
            Err(Mistake::new(message, name_span))
        }
    }
}
