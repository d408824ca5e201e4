//! Numbers: whole ones of 128 bits exactly, others as floating point.

use std::cmp::Ordering;

/// A number of a formula or of a line.
#[derive(Clone, Copy, Debug)]
pub(in crate::watch) enum Number {
    Int(i128),
    Float(f64),
}

impl Number {
    /// The number that is written so.
    #[inline]
    pub(in crate::watch) fn parse(text: &[u8]) -> Option<Number> {
        let (is_negative, digits) = match text {
            [b'-', digits @ ..] => (true, digits),
            digits => (false, digits),
        };
        // 18 digits fit in any case.
        if (1..=18).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit) {
            let number = digits.iter().fold(0_i64, |number, digit| number * 10 + i64::from(digit - b'0'));
            return Some(Number::Int(i128::from(if is_negative { -number } else { number })));
        }
        Number::parse_long(text)
    }

    #[cold]
    fn parse_long(text: &[u8]) -> Option<Number> {
        let text = std::str::from_utf8(text).ok()?;
        if let Ok(number) = text.parse() {
            return Some(Number::Int(number));
        }
        let is_number = text.starts_with(|c: char| c == '-' || c == '.' || c.is_ascii_digit());
        text.parse().ok().filter(|number: &f64| is_number && number.is_finite()).map(Number::Float)
    }

    fn float(self) -> f64 {
        match self {
            Number::Int(number) => number as f64,
            Number::Float(number) => number,
        }
    }

    /// The order by value.
    #[inline]
    pub(in crate::watch) fn compare(self, other: Number) -> Ordering {
        match (self, other) {
            (Number::Int(one), Number::Int(other)) => one.cmp(&other),
            // Finite numbers are ordered.
            _ => self.float().partial_cmp(&other.float()).unwrap_or(Ordering::Equal),
        }
    }

    /// A text that equal numbers share.
    pub(in crate::watch) fn write_canonical(self, out: &mut Vec<u8>) {
        use std::io::Write;
        // Writing to memory does not fail.
        let _ = match self {
            Number::Int(number) => write!(out, "{number}"),
            Number::Float(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
                write!(out, "{}", number as i64)
            }
            Number::Float(number) => write!(out, "{number}"),
        };
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        self.compare(*other) == Ordering::Equal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_exact_and_others_compare_by_value() {
        let number = |text: &str| Number::parse(text.as_bytes()).expect("a number");
        assert_eq!(number("9007199254740993").compare(number("9007199254740992")), Ordering::Greater);
        assert_eq!(number("9223372036854775807").compare(number("9223372036854775806")), Ordering::Greater);
        assert_ne!(number("18446744073709551615"), number("18446744073709551614"));
        assert_eq!(number("1.0"), number("1"));
        assert_eq!(number("5e2"), number("500"));
        assert_eq!(number("-3").compare(number("-2.5")), Ordering::Less);
        for text in ["", "-", "x", "1x", "inf", "NaN", "1e999"] {
            assert_eq!(Number::parse(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn equal_numbers_have_one_text() {
        let text = |text: &str| {
            let mut out = Vec::new();
            Number::parse(text.as_bytes()).expect("a number").write_canonical(&mut out);
            String::from_utf8(out).expect("UTF-8")
        };
        assert_eq!([text("1"), text("1.0"), text("10e-1"), text("1.5")], ["1", "1", "1", "1.5"]);
    }
}
