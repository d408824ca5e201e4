//! A recording as text for people: what is known of it, how its threads ended, its schedule, its table.
//!
//! The message of a failing run has the same parts, made of the same recording.

use super::recording::{Recording, VerdictPlace};
use std::fmt::{self, Write};

/// A long schedule is shown with this many characters at its beginning and at its end.
const SHOWN: usize = 120;

/// Displays all of a recording.
#[derive(Clone, Copy)]
pub struct Overview<'r>(&'r Recording);

/// Displays how far every thread came, in columns.
#[derive(Clone, Copy)]
pub struct Endings<'r>(&'r Recording);

impl Recording {
    /// All of it as text: what is known of it, how its threads ended, its schedule, its table.
    pub fn overview(&self) -> Overview<'_> {
        Overview(self)
    }

    /// How far every thread came, in columns.
    pub fn endings_text(&self) -> Endings<'_> {
        Endings(self)
    }

    /// The short form, without its middle if it is long; `None` if it is not known.
    pub fn abridged_schedule(&self) -> Option<String> {
        self.short().map(|short| abridged(&short))
    }
}

impl fmt::Display for Overview<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let recording = self.0;
        let mut lines: Vec<(&str, String)> =
            recording.about.iter().map(|(key, value)| (key.as_str(), value.clone())).collect();
        for formula in &recording.formulas {
            lines.push(("formula", format!("`{}`: {}", formula.name, formula.text)));
            lines.extend(formula.binding.iter().map(|binding| ("for", binding.clone())));
            let what = if recording.states.is_empty() { "step" } else { "state" };
            let place = formula.violated.map(|place| match place {
                VerdictPlace::At(number) => format!("at {what} {number}"),
                VerdictPlace::End => "at the end, where the last state stays for ever".to_owned(),
            });
            lines.extend(place.map(|place| ("violated", place)));
        }
        let width = lines.iter().map(|(key, _)| key.chars().count()).max().unwrap_or(0);
        for (key, value) in &lines {
            writeln!(f, "{}", format!("{key:width$}  {value}").trim_end())?;
        }
        if !recording.endings.is_empty() {
            write!(f, "\n{}", recording.endings_text())?;
        }
        if let Some(schedule) = recording.abridged_schedule() {
            write!(f, "\n  schedule  {schedule}\n")?;
        }
        write!(f, "\n{}", recording.table())
    }
}

impl fmt::Display for Endings<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |ending: &super::RecordedEnding| self.0.thread_name(ending.thread);
        let endings: Vec<[String; 3]> = self
            .0
            .endings
            .iter()
            .map(|ending| [name(ending), ending.state.clone(), ending.site.clone()])
            .collect();
        let width = |column: usize| endings.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let (names, states) = (width(0), width(1));
        endings.iter().try_for_each(|[name, state, site]| {
            let line = format!("  {name:names$}  {state:states$}  {site}");
            writeln!(f, "{}", line.trim_end_matches(['-', ' ']))
        })
    }
}

/// The schedule, or its beginning and end if it is long. The saved trace has all of it.
pub fn abridged(schedule: &str) -> String {
    let mut text = String::new();
    let _ = write_abridged(&mut text, &|out| out.write_str(schedule));
    text
}

/// Writes the schedule that the function writes, or its beginning and end if it is long. Does not allocate.
///
/// # Errors
/// If the output fails.
pub fn write_abridged(out: &mut dyn Write, schedule: &dyn Fn(&mut dyn Write) -> fmt::Result) -> fmt::Result {
    let mut counter = Abridged { out: None, index: 0, length: 0 };
    schedule(&mut counter)?;
    let length = counter.index;
    schedule(&mut Abridged { out: Some(out), index: 0, length })
}

/// Writes the characters at the beginning and at the end of a text of this length, and counts them.
struct Abridged<'o> {
    out: Option<&'o mut dyn Write>,
    index: usize,
    length: usize,
}

impl Write for Abridged<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let (length, is_short) = (self.length, self.length <= 3 * SHOWN);
        for char in text.chars() {
            if let Some(out) = &mut self.out {
                if is_short || self.index < SHOWN || self.index >= length - SHOWN {
                    out.write_char(char)?;
                } else if self.index == SHOWN {
                    write!(out, " … {} more … ", length - 2 * SHOWN)?;
                }
            }
            self.index += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_schedule_is_abridged() {
        let long = "-".repeat(1000);
        let text = abridged(&long);
        assert_eq!(text.chars().filter(|char| *char == '-').count(), 2 * SHOWN);
        assert!(text.contains(" … 760 more … "), "{text}");
        assert_eq!(abridged("S0--"), "S0--");
    }
}
