//! Time stamps of lines, in nanoseconds: RFC 3339, or numbers.
//!
//! No clock is read: the time is what the lines say.

use super::formula::scale_decimal;
use super::record::{BadRecord, FieldId, Value};
use clap::ValueEnum;

/// The fields that are tried if no option names one.
pub(super) const DEFAULT_FIELDS: [&str; 3] = ["time", "timestamp", "ts"];

/// Seconds above this are probably milliseconds: the year 5138.
const MAX_PLAUSIBLE_SECONDS: i64 = 100_000_000_000;

/// The unit of time stamps that are numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum TimeUnit {
    /// Seconds
    S,
    /// Milliseconds
    Ms,
    /// Microseconds
    Us,
    /// Nanoseconds
    Ns,
}

impl TimeUnit {
    fn nanoseconds(self) -> i64 {
        match self {
            TimeUnit::S => 1_000_000_000,
            TimeUnit::Ms => 1_000_000,
            TimeUnit::Us => 1_000,
            TimeUnit::Ns => 1,
        }
    }
}

/// Reads the times of lines.
#[derive(Debug)]
pub(super) struct TimeReader {
    /// The field of the option; or the fields that are tried in turn.
    pub(super) fields: Vec<(FieldId, String)>,
    pub(super) unit: TimeUnit,
    /// The time and the number of the last line.
    pub(super) last: Option<(i64, u64)>,
}

impl TimeReader {
    /// The time of a line.
    pub(super) fn read<'l>(&self, value_of: impl Fn(FieldId) -> Value<'l>) -> Result<i64, BadRecord> {
        for (field, name) in &self.fields {
            let time = match value_of(*field) {
                Value::Missing | Value::Null => continue,
                Value::Number(text) => self.number(text),
                Value::Text(text) => rfc_3339(&text).ok_or(NO_DATE),
                Value::Cell(text) => match text.trim_ascii() {
                    date if date.contains(&b':') => rfc_3339(date).ok_or(NO_DATE),
                    number => self.number(number),
                },
                Value::Bool(_) | Value::Composite => Err(NO_DATE),
            };
            return time.map_err(|reason| BadRecord::new(format!("the time stamp `{name}` {reason}")));
        }
        let names: Vec<String> = self.fields.iter().map(|(_, name)| format!("`{name}`")).collect();
        let message = match names.as_slice() {
            [name] => format!("no time stamp {name}, which `after` needs"),
            names => format!(
                "none of the time stamps {}, and `after` needs one; --time names it",
                names.join(", ")
            ),
        };
        Err(BadRecord::new(message))
    }

    fn number(&self, text: &[u8]) -> Result<i64, &'static str> {
        let text = std::str::from_utf8(text).unwrap_or_default();
        let (is_negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
        let scale = self.unit.nanoseconds();
        let exact = scale_decimal(digits, scale).or_else(|| {
            let scaled = digits.parse::<f64>().ok()? * scale as f64;
            (scaled.is_finite() && scaled < i64::MAX as f64).then_some(scaled as i64)
        });
        let seconds = digits.split('.').next().and_then(|whole| whole.parse::<i64>().ok());
        let is_implausible = seconds.is_some_and(|seconds| seconds >= MAX_PLAUSIBLE_SECONDS);
        match exact {
            _ if self.unit == TimeUnit::S && is_implausible => {
                Err("is far in the future if it is in seconds; --time-unit says what its unit is")
            }
            Some(time) => Ok(if is_negative { -time } else { time }),
            None => Err("is no number that fits into 64 bits of nanoseconds"),
        }
    }
}

const NO_DATE: &str = "is neither a number nor a date as in 2026-01-31T12:00:00Z";

/// The nanoseconds since 1970 of a date with a time and an offset.
fn rfc_3339(text: &[u8]) -> Option<i64> {
    let number = |from: usize, to: usize| -> Option<i64> {
        let digits = text.get(from..to)?;
        let fold = |number: i64, digit: &u8| number * 10 + i64::from(digit - b'0');
        digits.iter().all(u8::is_ascii_digit).then(|| digits.iter().fold(0, fold))
    };
    let byte = |at: usize| text.get(at).copied();
    let separators = [(4, b'-'), (7, b'-'), (13, b':'), (16, b':')];
    let is_separated = separators.iter().all(|(at, separator)| byte(*at) == Some(*separator))
        && matches!(byte(10), Some(b'T' | b't' | b' '));
    if !is_separated {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let is_valid = (1..=12).contains(&month) && (1..=days_of_month(year, month)).contains(&day);
    // A leap second counts as the second that follows.
    if !is_valid || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let mut at = 19;
    let mut nanoseconds = 0;
    if byte(at) == Some(b'.') {
        let digits = text[at + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let fraction = std::str::from_utf8(text.get(at + 1..at + 1 + digits)?).ok()?;
        nanoseconds = scale_decimal(&format!("0.{fraction}"), 1_000_000_000).filter(|_| digits > 0)?;
        at += 1 + digits;
    }
    let offset = match &text[at..] {
        b"Z" | b"z" => 0,
        [sign @ (b'+' | b'-'), _, _, b':', _, _] => {
            let (hours, minutes) = (number(at + 1, at + 3)?, number(at + 4, at + 6)?);
            if hours > 23 || minutes > 59 {
                return None;
            }
            let offset = (hours * 60 + minutes) * 60;
            if *sign == b'-' { -offset } else { offset }
        }
        _ => return None,
    };
    let seconds = days_since_1970(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset;
    seconds.checked_mul(1_000_000_000)?.checked_add(nanoseconds)
}

fn days_of_month(year: i64, month: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days of the Gregorian calendar: years begin in March, so that the leap day is the last of its year.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let month = (month + 9) % 12;
    let days_before_month = (153 * month + 2) / 5;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + days_before_month + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_as_rfc_3339_says() {
        const SECOND: i64 = 1_000_000_000;
        for (text, nanoseconds) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2000-03-01T00:00:00Z", Some(951_868_800 * SECOND)),
            ("2026-11-17T14:00:00.25+01:30", Some(1_794_918_600 * SECOND + 250_000_000)),
            ("1969-12-31 23:59:59z", Some(-SECOND)),
            ("2024-02-29T00:00:00Z", Some(1_709_164_800 * SECOND)),
            ("2023-02-29T00:00:00Z", None),
            ("2026-13-01T00:00:00Z", None),
            ("2026-01-01T24:00:00Z", None),
            ("2026-01-01T00:00:00", None),
            ("2026-01-01", None),
            ("2026-01-01T00:00:00.Z", None),
            ("", None),
        ] {
            assert_eq!(rfc_3339(text.as_bytes()), nanoseconds, "{text}");
        }
    }

    #[test]
    fn numbers_have_the_unit_of_the_option() {
        let time = |text: &str, unit: TimeUnit| {
            let reader = TimeReader { fields: Vec::new(), unit, last: None };
            reader.number(text.as_bytes()).ok()
        };
        assert_eq!(time("1.5", TimeUnit::S), Some(1_500_000_000));
        assert_eq!(time("-2", TimeUnit::Ms), Some(-2_000_000));
        assert_eq!(time("1794918600123", TimeUnit::Ms), Some(1_794_918_600_123_000_000));
        assert_eq!(time("1e3", TimeUnit::Ns), Some(1000));
        assert_eq!(time("1794918600123", TimeUnit::S), None);
        assert_eq!(time("9999999999999", TimeUnit::Ms), None);
    }
}
