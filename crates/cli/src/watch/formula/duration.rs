//! Durations: `500ms`, `1.5s`, `2h`, in nanoseconds.

/// The units, each with its nanoseconds.
const UNITS: [(&str, i64); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("min", 60_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
];

/// The nanoseconds of a positive duration.
pub(super) fn parse_duration(text: &str) -> Option<i64> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = (&text[..digits], text[digits..].trim_start());
    let (_, scale) = UNITS.iter().find(|(name, _)| *name == unit)?;
    let nanoseconds = scale_decimal(number, *scale)?;
    (nanoseconds > 0).then_some(nanoseconds)
}

/// A decimal number of units, exactly; digits below a nanosecond are dropped.
pub(in crate::watch) fn scale_decimal(number: &str, scale: i64) -> Option<i64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    let mut total = whole.parse::<i64>().ok()?.checked_mul(scale)?;
    let mut unit = i128::from(scale);
    let mut parts: i128 = 0;
    let mut denominator: i128 = 1;
    for digit in fraction.bytes().take(18) {
        denominator *= 10;
        parts = parts * 10 + i128::from(digit - b'0');
    }
    unit = unit * parts / denominator;
    total = total.checked_add(i64::try_from(unit).ok()?)?;
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_unit() {
        for (text, nanoseconds) in [
            ("500ms", Some(500_000_000)),
            ("1.5s", Some(1_500_000_000)),
            ("2 h", Some(7_200_000_000_000)),
            ("1min", Some(60_000_000_000)),
            ("0.000001ms", Some(1)),
            ("0ms", None),
            ("5", None),
            ("ms", None),
            ("1.2.3s", None),
            ("99999999999999d", None),
        ] {
            assert_eq!(parse_duration(text), nanoseconds, "{text}");
        }
    }
}
