//! Option values that several commands share, and parsers of numbers with messages that say which values are
//! valid.
//!
//! Clap prints the option and the given text; the parsers here add the rest of the message. Every limit is
//! at least 1, since a search of no states answers nothing.

use clap::ValueEnum;
use selvedge_model::Fairness;
use std::ops::RangeInclusive;

/// Which runs count.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FairnessOption {
    /// All runs count
    None,
    /// A process that can always move does move again and again
    Weak,
    /// A process that can move again and again does move again and again
    Strong,
}

impl From<FairnessOption> for Fairness {
    fn from(option: FairnessOption) -> Fairness {
        match option {
            FairnessOption::None => Fairness::None,
            FairnessOption::Weak => Fairness::Weak,
            FairnessOption::Strong => Fairness::Strong,
        }
    }
}

/// A parser of whole numbers in this range.
pub(crate) fn parse_in_range<T: TryFrom<u64>>(
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync {
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| describe_valid(text, &range))
    }
}

/// Parses a whole number of at least 1.
pub(crate) fn parse_positive<T: TryFrom<u64>>(text: &str) -> Result<T, String> {
    parse_in_range(1..=u64::MAX)(text)
}

/// Parses a whole number of at least 0.
pub(crate) fn parse_natural<T: TryFrom<u64>>(text: &str) -> Result<T, String> {
    parse_in_range(0..=u64::MAX)(text)
}

/// Parses the value of a constant: `N=5`.
pub(crate) fn parse_setting(text: &str) -> Result<(String, i64), String> {
    let (name, value) = text.split_once('=').unwrap_or_default();
    let (name, value) = (name.trim(), value.trim());
    if name.is_empty() || value.is_empty() {
        return Err("write NAME=VALUE, as in N=5".to_owned());
    }
    let value = value.parse().map_err(|_| match is_digits(value.trim_start_matches('-')) {
        true => format!("{value} does not fit into 64 bits"),
        false => format!("`{value}` is not a whole number"),
    })?;
    Ok((name.to_owned(), value))
}

/// The name of a property that an option gives: the option, numbered if there are several.
pub(crate) fn option_name(option: &str, index: usize, all: &[String]) -> String {
    if all.len() == 1 { option.to_owned() } else { format!("{option} {}", index + 1) }
}

/// The valid values. The largest number of 64 bits is named only if the given number is above it.
fn describe_valid(text: &str, range: &RangeInclusive<u64>) -> String {
    let (least, most) = (range.start(), range.end());
    let is_above = is_digits(text) && text.parse().map_or(true, |number: u64| number > *least);
    if *most == u64::MAX && !is_above {
        format!("expected a whole number, {least} or more")
    } else {
        format!("expected a whole number from {least} to {most}")
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_within_their_range() {
        assert_eq!(parse_in_range::<u8>(1..=64)("64"), Ok(64));
        assert_eq!(parse_positive("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(parse_natural("0"), Ok(0_usize));
        assert_eq!(parse_setting(" N = -5 "), Ok(("N".to_owned(), -5)));
    }

    #[test]
    fn a_refusal_names_the_valid_values() {
        for text in ["0", "-1", "abc", "1.5", "", " "] {
            assert_eq!(
                parse_positive::<u64>(text).unwrap_err(),
                "expected a whole number, 1 or more",
                "{text}"
            );
            assert_eq!(
                parse_in_range::<u8>(1..=64)(text).unwrap_err(),
                "expected a whole number from 1 to 64",
                "{text}"
            );
        }
        let message = parse_positive::<u64>("99999999999999999999").unwrap_err();
        assert_eq!(message, "expected a whole number from 1 to 18446744073709551615");
        for text in ["", "N", "N=", "=5", "="] {
            assert_eq!(parse_setting(text).unwrap_err(), "write NAME=VALUE, as in N=5", "{text}");
        }
        assert_eq!(parse_setting("N=x").unwrap_err(), "`x` is not a whole number");
        let message = parse_setting("N=-99999999999999999999").unwrap_err();
        assert_eq!(message, "-99999999999999999999 does not fit into 64 bits");
    }
}
