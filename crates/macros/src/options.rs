//! The options in the parentheses of the attribute.
//!
//! Promise: an option that the strategy does not have, or a value that makes no sense, is an error at its
//! place, and never ignored.

use crate::SyntaxError;
use proc_macro::{TokenStream, TokenTree};

const STRATEGIES: [&str; 7] = ["systematic", "mixed", "random", "pct", "swarm", "pos", "round-robin"];
const MEMORIES: [&str; 3] = ["sc", "tso", "pso"];
const NUMBERS: [&str; 13] = [
    "runs",
    "seed",
    "depth",
    "steps",
    "stack_size",
    "seconds",
    "workers",
    "preemptions",
    "yields",
    "length",
    "reuse",
    "change_points",
    "expected_steps",
];
/// The options that bound a systematic exploration.
const BOUNDS: [&str; 3] = ["preemptions", "yields", "length"];
/// The parameters of random strategies, and the strategies that have them.
const PARAMETERS: [(&str, &[&str]); 6] = [
    ("seed", &["mixed", "random", "pct", "swarm", "pos"]),
    ("depth", &["pct"]),
    ("reuse", &["swarm"]),
    ("change_points", &["swarm"]),
    ("weights", &["swarm"]),
    ("expected_steps", &["pct", "swarm"]),
];
/// The options that cannot be 0, because no run would be made.
const NEEDED_FOR_A_RUN: [&str; 4] = ["runs", "steps", "stack_size", "seconds"];
/// The other options that cannot be 0.
const POSITIVE: [&str; 3] = ["depth", "reuse", "expected_steps"];
const SWITCHES: [&str; 3] = ["spurious", "child_process", "unwind"];

/// Parses the options; returns them as fields of a struct expression, each followed by a comma.
pub(crate) fn parse(arguments: TokenStream) -> Result<String, SyntaxError> {
    let tokens: Vec<TokenTree> = arguments.into_iter().collect();
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
    let options = || tokens.split(is_comma).filter(|option| !option.is_empty());
    let given: Vec<String> = options().map(|option| option[0].to_string()).collect();
    let strategy = options().find(|option| option[0].to_string() == "strategy" && option.len() == 3);
    let strategy = strategy.map_or("\"systematic\"".to_owned(), |option| option[2].to_string());
    let mut fields = String::new();
    for (index, option) in options().enumerate() {
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
        let key = &given[index];
        check_name(key, &given[..index]).map_err(|message| SyntaxError::new(message, name.span()))?;
        let text = parse_value(key, &value.to_string())
            .map_err(|message| SyntaxError::new(message, value.span()))?;
        check_strategy(key, strategy.trim_matches('"'), &given)
            .map_err(|message| SyntaxError::new(message, name.span()))?;
        fields.push_str(&format!("{key}: ::core::option::Option::Some({text}),"));
    }
    Ok(fields)
}

/// Is there an option of this name, which was not given before?
fn check_name(key: &str, before: &[String]) -> Result<(), String> {
    let is_known = ["strategy", "memory", "weights"].contains(&key);
    if !is_known && !SWITCHES.contains(&key) && !NUMBERS.contains(&key) {
        let (switches, numbers) = (SWITCHES.join(", "), NUMBERS.join(", "));
        return Err(format!(
            "`{key}` is not an option; there are strategy, memory, weights, {switches}, {numbers}"
        ));
    }
    if before.iter().any(|other| other == key) {
        return Err(format!("`{key}` is given twice"));
    }
    Ok(())
}

/// Does the strategy have this option, beside these?
fn check_strategy(key: &str, strategy: &str, given: &[String]) -> Result<(), String> {
    if BOUNDS.contains(&key) && strategy != "systematic" {
        return Err(format!("`{key}` is a bound of systematic exploration"));
    }
    let parameter = PARAMETERS.iter().find(|(parameter, _)| *parameter == key);
    if let Some((_, strategies)) = parameter.filter(|(_, strategies)| !strategies.contains(&strategy)) {
        let strategies: Vec<String> = strategies.iter().map(|name| format!("\"{name}\"")).collect();
        return Err(format!("`{key}` is a parameter of `strategy = {}`", strategies.join(" or ")));
    }
    if key == "expected_steps" && strategy == "swarm" && !given.iter().any(|other| other == "change_points") {
        return Err("`expected_steps` is about change points: set `change_points`, too".to_owned());
    }
    Ok(())
}

/// The value of an option as Rust.
fn parse_value(key: &str, value: &str) -> Result<String, String> {
    match key {
        "strategy" => parse_name(STRATEGIES, value),
        "memory" => parse_name(MEMORIES, value),
        "weights" => parse_weights(value),
        key if SWITCHES.contains(&key) => match value {
            "true" | "false" => Ok(value.to_owned()),
            _ => Err(format!("`{key}` is true or false")),
        },
        _ => parse_number(key, value),
    }
}

/// The value, if it is one of these names.
fn parse_name<const N: usize>(names: [&str; N], value: &str) -> Result<String, String> {
    let names = names.map(|name| format!("\"{name}\""));
    if names.iter().any(|name| name == value) {
        return Ok(value.to_owned());
    }
    Err(format!("{value} is not one of {}", names.join(", ")))
}

fn parse_number(key: &str, value: &str) -> Result<String, String> {
    let digits = value.replace('_', "");
    let is_digits = digits.chars().all(|digit| digit.is_ascii_digit());
    match digits.parse::<u64>() {
        Ok(0) if NEEDED_FOR_A_RUN.contains(&key) => {
            Err(format!("`{key}` is at least 1: without a run nothing is known"))
        }
        Ok(0) if POSITIVE.contains(&key) => Err(format!("`{key}` is at least 1")),
        Ok(_) => Ok(value.to_owned()),
        Err(_) if is_digits => Err(format!("`{key}` is too large")),
        Err(_) => Err(format!("`{key}` is a whole number, like 10_000")),
    }
}

/// The least and the greatest weight.
fn parse_weights(value: &str) -> Result<String, String> {
    let inner = value.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let numbers =
        inner.unwrap_or_default().split(',').map(|word| word.trim().replace('_', "").parse::<u32>());
    match numbers.collect::<Result<Vec<u32>, _>>().as_deref() {
        Ok([0, _]) => Err("a weight is at least 1: a thread of weight 0 would never run".to_owned()),
        Ok([min, max]) if min > max => Err(format!("the least weight, {min}, exceeds the greatest, {max}")),
        Ok([min, max]) => Ok(format!("({min}, {max})")),
        _ => Err("`weights` are the least and the greatest weight, like (1, 50)".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_makes_no_sense_is_refused() {
        let check = |key, value, message: &str| assert_eq!(parse_value(key, value), Err(message.to_owned()));
        check("runs", "0", "`runs` is at least 1: without a run nothing is known");
        check("depth", "0", "`depth` is at least 1");
        check("reuse", "0", "`reuse` is at least 1");
        check("expected_steps", "0", "`expected_steps` is at least 1");
        check("length", "many", "`length` is a whole number, like 10_000");
        check("seed", "99999999999999999999", "`seed` is too large");
        check("unwind", "1", "`unwind` is true or false");
        check("memory", "\"x86\"", "\"x86\" is not one of \"sc\", \"tso\", \"pso\"");
        check("weights", "(0, 5)", "a weight is at least 1: a thread of weight 0 would never run");
        check("weights", "(6, 5)", "the least weight, 6, exceeds the greatest, 5");
        for value in ["5", "(5)", "(1, 2, 3)", "(1, -2)"] {
            check("weights", value, "`weights` are the least and the greatest weight, like (1, 50)");
        }
        assert_eq!(parse_value("weights", "(1, 5_000)"), Ok("(1, 5000)".to_owned()));
        assert_eq!(parse_value("change_points", "0"), Ok("0".to_owned()));
    }

    #[test]
    fn an_option_that_the_strategy_does_not_have_is_refused() {
        let check = |key, strategy, message: &str| {
            assert_eq!(check_strategy(key, strategy, &[]), Err(message.to_owned()));
        };
        check("length", "random", "`length` is a bound of systematic exploration");
        check("depth", "systematic", "`depth` is a parameter of `strategy = \"pct\"`");
        check("reuse", "pct", "`reuse` is a parameter of `strategy = \"swarm\"`");
        check(
            "expected_steps",
            "pos",
            "`expected_steps` is a parameter of `strategy = \"pct\" or \"swarm\"`",
        );
        check("expected_steps", "swarm", "`expected_steps` is about change points: set `change_points`, too");
        assert_eq!(check_strategy("expected_steps", "swarm", &["change_points".to_owned()]), Ok(()));
        assert_eq!(check_strategy("runs", "systematic", &[]), Ok(()));
    }

    #[test]
    fn an_unknown_option_and_one_that_is_given_twice_are_refused() {
        assert!(check_name("sed", &[]).is_err_and(|message| message.starts_with("`sed` is not an option; ")));
        let before = ["runs".to_owned()];
        assert_eq!(check_name("runs", &before), Err("`runs` is given twice".to_owned()));
        assert_eq!(check_name("seed", &before), Ok(()));
    }
}
