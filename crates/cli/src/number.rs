//! Numbers of the command line: whoever gives a wrong one is told what would be right.
//!
//! Clap says which option it was and what was given; from here comes the rest of its message. Every limit is at least 1, for
//! a search that looks at nothing answers nothing.

use std::ops::RangeInclusive;

/// Reads a whole number in this range.
pub(crate) fn number<T: TryFrom<u64>>(
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync {
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| expected(text, &range))
    }
}

/// Reads a whole number of at least 1.
pub(crate) fn positive<T: TryFrom<u64>>(text: &str) -> Result<T, String> {
    number(1..=u64::MAX)(text)
}

/// Reads a whole number of at least 0.
pub(crate) fn natural<T: TryFrom<u64>>(text: &str) -> Result<T, String> {
    number(0..=u64::MAX)(text)
}

/// `N=5`
pub(crate) fn read_setting(text: &str) -> Result<(String, i64), String> {
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

/// What should have been given; that there is a largest number of all matters to those only who are above it.
fn expected(text: &str, range: &RangeInclusive<u64>) -> String {
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
        assert_eq!(number::<u8>(1..=64)("64"), Ok(64));
        assert_eq!(positive("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(natural("0"), Ok(0_usize));
        assert_eq!(read_setting(" N = -5 "), Ok(("N".to_owned(), -5)));
    }

    #[test]
    fn what_would_be_right_is_told() {
        for text in ["0", "-1", "abc", "1.5", "", " "] {
            assert_eq!(positive::<u64>(text).unwrap_err(), "expected a whole number, 1 or more", "{text}");
            assert_eq!(
                number::<u8>(1..=64)(text).unwrap_err(),
                "expected a whole number from 1 to 64",
                "{text}"
            );
        }
        let message = positive::<u64>("99999999999999999999").unwrap_err();
        assert_eq!(message, "expected a whole number from 1 to 18446744073709551615");
        for text in ["", "N", "N=", "=5", "="] {
            assert_eq!(read_setting(text).unwrap_err(), "write NAME=VALUE, as in N=5", "{text}");
        }
        assert_eq!(read_setting("N=x").unwrap_err(), "`x` is not a whole number");
        let message = read_setting("N=-99999999999999999999").unwrap_err();
        assert_eq!(message, "-99999999999999999999 does not fit into 64 bits");
    }
}
