//! Judges formulas line by line.
//!
//! A line is first read as a whole: its fields, its time, the tests of all formulas, the slices that it is
//! in. Only if all of that succeeds, the formulas are progressed. So a line that is skipped has no effect.
//!
//! Promise: no line allocates, unless it begins a slice, changes what is left of a formula, or has escapes
//! in a mentioned text.

use super::arguments::InputFormat;
use super::formula::{Atom, FieldTest, LogFormula};
use super::input::Line;
use super::plan::WatchPlan;
use super::record::{BadRecord, CsvHeader, FieldId, Fields, JsonScanner, Number, Record, Value};
use super::time::TimeReader;
use selvedge_ltl::syntax::AtomText;
use selvedge_ltl::{Binary, Formula, Prop, Unary, vacuity};
use selvedge_monitor::{SliceReport, SliceViolation, Slices, TooManySlices};
use std::fmt;

/// Judges the formulas of a plan.
pub(super) struct Judge {
    fields: Fields,
    /// Each test once, with its field.
    tests: Vec<(FieldTest, FieldId)>,
    formulas: Vec<JudgedFormula>,
    time: Option<TimeReader>,
    format: RecordFormat,
    record: Record,
    /// By test, whether it holds in the line.
    truth: Vec<bool>,
    /// Mentioned fields that no line had.
    unseen: Vec<FieldId>,
    /// The names of the first line, for messages.
    first_names: Vec<String>,
    /// The number of lines that were judged.
    pub(super) line_count: u64,
}

/// How lines are read.
enum RecordFormat {
    Json,
    /// `None` before the header.
    Csv(Option<CsvHeader>),
}

/// A formula with its progress.
struct JudgedFormula {
    /// By proposition, the value that its bit has in a line.
    bits: Vec<Bit>,
    slice_fields: Vec<FieldId>,
    slices: Slices,
    antecedents: Vec<Antecedent>,
    /// The key and the letter of the line that is being judged; no key if it is in no slice.
    key: Option<Vec<u8>>,
    spare_key: Vec<u8>,
    letter: u64,
}

/// The value of a proposition in a line; for `after(p, d)`, of `p`.
enum Bit {
    Test(usize),
    Condition(Formula<usize>),
}

/// A condition without which a formula says nothing.
struct Antecedent {
    text: String,
    /// Judges that it never happens; `None` once it has.
    never: Option<Slices>,
}

/// Why a line was not judged.
pub(super) enum LineError {
    Bad(BadRecord),
    Limit(TooManySlices),
}

impl From<BadRecord> for LineError {
    fn from(bad: BadRecord) -> LineError {
        LineError::Bad(bad)
    }
}

impl From<TooManySlices> for LineError {
    fn from(limit: TooManySlices) -> LineError {
        LineError::Limit(limit)
    }
}

/// The verdict on a formula.
pub(super) struct FormulaReport {
    pub(super) slices: SliceReport,
    /// A condition that never happened, without which the formula says nothing.
    pub(super) vacuous: Option<String>,
}

impl Judge {
    pub(super) fn new(plan: &WatchPlan) -> Judge {
        let (mut fields, mut tests) = (Fields::default(), Vec::new());
        let mut judged = Vec::new();
        for (_, formula) in &plan.formulas {
            judged.push(JudgedFormula::new(formula, plan, &mut fields, &mut tests));
        }
        let mentioned: Vec<FieldId> = fields.ids().collect();
        let time_fields: Vec<(FieldId, String)> =
            plan.time_fields.iter().map(|path| (fields.intern(path), path.to_string())).collect();
        let time = (!time_fields.is_empty()).then_some(TimeReader {
            fields: time_fields,
            unit: plan.time_unit,
            last: None,
        });
        Judge {
            record: Record::new(fields.len()),
            truth: vec![false; tests.len()],
            unseen: mentioned,
            fields,
            tests,
            formulas: judged,
            time,
            format: match plan.input_format {
                InputFormat::Json => RecordFormat::Json,
                InputFormat::Csv => RecordFormat::Csv(None),
            },
            first_names: Vec::new(),
            line_count: 0,
        }
    }

    /// Judges a line. Empty lines, and the header of a CSV file, are no states.
    #[inline]
    pub(super) fn line(&mut self, line: &Line<'_>) -> Result<(), LineError> {
        let bytes = line.bytes;
        if bytes.trim_ascii_start().is_empty() {
            return Ok(());
        }
        match &self.format {
            RecordFormat::Json => JsonScanner::read(bytes, &self.fields, &mut self.record)?,
            RecordFormat::Csv(Some(header)) => header.read_row(bytes, &mut self.record)?,
            RecordFormat::Csv(None) => return Ok(self.header(bytes)?),
        }
        let time = self.read_time(bytes)?;
        for (holds, (test, field)) in self.truth.iter_mut().zip(&self.tests) {
            *holds = test.holds(&self.record.value(*field, bytes))?;
        }
        for formula in &mut self.formulas {
            formula.read(&self.record, bytes, &self.truth, &self.fields)?;
        }
        if self.line_count == 0 && self.first_names.is_empty() {
            self.first_names = JsonScanner::names(bytes);
        }
        if !self.unseen.is_empty() {
            self.unseen.retain(|field| !self.record.has(*field));
        }
        self.line_count += 1;
        if let Some(reader) = &mut self.time {
            reader.last = Some((time, line.number));
        }
        for formula in &mut self.formulas {
            formula.progress(line.number, time)?;
        }
        Ok(())
    }

    fn header(&mut self, row: &[u8]) -> Result<(), BadRecord> {
        let header = CsvHeader::read(row, &self.fields)?;
        self.unseen.retain(|field| !header.has(*field));
        self.first_names = header.names().to_vec();
        self.format = RecordFormat::Csv(Some(header));
        Ok(())
    }

    /// The time of the line; 0 if no formula needs it.
    #[inline]
    fn read_time(&self, line: &[u8]) -> Result<i64, BadRecord> {
        let Some(reader) = &self.time else { return Ok(0) };
        let time = reader.read(|field| self.record.value(field, line))?;
        match reader.last {
            Some((last, number)) if time < last => {
                let difference = (last - time) as f64 / 1e9;
                let message = format!("the time stamp goes back, by {difference} s since line {number}");
                Err(BadRecord::new(message))
            }
            _ => Ok(time),
        }
    }

    /// Is there a violation to be taken?
    #[inline]
    pub(super) fn has_violations(&self) -> bool {
        self.formulas.iter().any(|formula| formula.slices.has_violations())
    }

    /// Calls the function with each violation that fell, and the number of its formula.
    pub(super) fn take_violations<E>(
        &mut self,
        mut tell: impl FnMut(usize, &SliceViolation) -> Result<(), E>,
    ) -> Result<(), E> {
        for (index, formula) in self.formulas.iter_mut().enumerate() {
            while let Some(violation) = formula.slices.next_violation() {
                tell(index, &violation)?;
            }
        }
        Ok(())
    }

    /// The verdicts, in the order of the formulas.
    pub(super) fn reports(&mut self) -> Vec<FormulaReport> {
        self.formulas.iter_mut().map(JudgedFormula::report).collect()
    }

    /// The mentioned fields that no line had; none if there was no line.
    pub(super) fn unknown_fields(&self) -> Vec<String> {
        let is_empty = self.line_count == 0;
        self.unseen.iter().filter(|_| !is_empty).map(|field| self.fields.path(*field).to_string()).collect()
    }

    /// The names of the fields of the first line.
    pub(super) fn first_names(&self) -> &[String] {
        &self.first_names
    }
}

impl JudgedFormula {
    fn new(
        formula: &LogFormula,
        plan: &WatchPlan,
        fields: &mut Fields,
        tests: &mut Vec<(FieldTest, FieldId)>,
    ) -> JudgedFormula {
        let mut number = |test: &FieldTest| match tests.iter().position(|(known, _)| known == test) {
            Some(known) => known,
            None => {
                tests.push((test.clone(), fields.intern(&test.field)));
                tests.len() - 1
            }
        };
        let bit = |atom: &Atom| match atom {
            Atom::Test(test) => Bit::Test(number(test)),
            Atom::After { condition, .. } => Bit::Condition(condition.map(&mut number)),
        };
        let bits = formula.atoms.iter().map(bit).collect();
        let slice_fields = formula.variables.iter().map(|(_, field)| fields.intern(field)).collect();
        let new_slices = |judged: &Formula<Prop>, max_described: u64| {
            let mut slices = Slices::new(judged, formula.names(), formula.clocks());
            slices.max_slices(plan.max_slices).max_described(max_described);
            slices
        };
        let counts_states = |judged: &Formula<Prop>| {
            let needs_invariance = formula.is_sliced() || formula.has_clocks();
            needs_invariance && selvedge_monitor::check_stutter_invariance(judged, &formula.names()).is_err()
        };
        let antecedents = vacuity::antecedents(&formula.formula).into_iter();
        let antecedents = antecedents.filter(|part| !counts_states(&part.never)).map(|part| Antecedent {
            text: formula.text_of(&part.antecedent),
            never: Some(new_slices(&part.never, 0)),
        });
        JudgedFormula {
            bits,
            slice_fields,
            slices: new_slices(&formula.formula, plan.max_shown),
            antecedents: antecedents.collect(),
            key: None,
            spare_key: Vec::new(),
            letter: 0,
        }
    }

    /// Finds the slice and the letter of a line.
    #[inline]
    fn read(
        &mut self,
        record: &Record,
        line: &[u8],
        truth: &[bool],
        fields: &Fields,
    ) -> Result<(), BadRecord> {
        let mut key = self.key.take().unwrap_or_else(|| std::mem::take(&mut self.spare_key));
        key.clear();
        for field in &self.slice_fields {
            match record.value(*field, line) {
                Value::Missing | Value::Null => {
                    self.spare_key = key;
                    return Ok(());
                }
                value => write_key(&value, &mut key).map_err(|()| {
                    let (path, found) = (fields.path(*field), value.describe());
                    BadRecord::new(format!("the field `{path}` is {found}, which names no slice"))
                })?,
            }
        }
        self.key = Some(key);
        self.letter = 0;
        for (index, bit) in self.bits.iter().enumerate() {
            let holds = match bit {
                Bit::Test(test) => truth[*test],
                Bit::Condition(condition) => holds(condition, truth),
            };
            self.letter |= u64::from(holds) << index;
        }
        Ok(())
    }

    /// Progresses the formula by the line that was read.
    #[inline]
    fn progress(&mut self, line: u64, time: i64) -> Result<(), TooManySlices> {
        step(&mut self.slices, self.key.as_deref(), line, self.letter, time)?;
        for antecedent in &mut self.antecedents {
            if let Some(never) = &mut antecedent.never {
                step(never, self.key.as_deref(), line, self.letter, time)?;
                if never.violated() > 0 {
                    antecedent.never = None;
                }
            }
        }
        Ok(())
    }

    fn report(&mut self) -> FormulaReport {
        use selvedge_ltl::progression::Verdict::{PresumablyTrue, True};
        let slices = self.slices.report();
        let holds = matches!(slices.verdict, Some(True | PresumablyTrue));
        let never = self.antecedents.iter_mut().find_map(|antecedent| {
            let verdict = antecedent.never.as_mut()?.report().verdict;
            matches!(verdict, Some(True | PresumablyTrue)).then(|| antecedent.text.clone())
        });
        FormulaReport { slices, vacuous: never.filter(|_| holds) }
    }
}

/// Progresses slices by a line, which may be in none of them.
#[inline]
fn step(
    slices: &mut Slices,
    key: Option<&[u8]>,
    line: u64,
    letter: u64,
    time: i64,
) -> Result<(), TooManySlices> {
    slices.advance(time, line);
    match key {
        Some(key) => slices.step(key, line, letter, time),
        None => Ok(()),
    }
}

/// The truth of a condition without operators of time, from the truth of its tests.
fn holds(condition: &Formula<usize>, truth: &[bool]) -> bool {
    match condition {
        Formula::Const(value) => *value,
        Formula::Prop(test) => truth[*test],
        Formula::Unary(Unary::Not, inner) => !holds(inner, truth),
        Formula::Binary(operator, left, right) => {
            let (left, right) = (holds(left, truth), holds(right, truth));
            match operator {
                Binary::And => left && right,
                Binary::Or => left || right,
                Binary::Implies => !left || right,
                Binary::Iff => left == right,
                _ => unreachable!("conditions have no operators of time"),
            }
        }
        Formula::Unary(..) => unreachable!("conditions have no operators of time"),
    }
}

/// Between the values of several variables in a key. No text in a key has it: texts are escaped.
pub(super) const KEY_SEPARATOR: u8 = b'\n';

/// Writes the value of a variable, as JSON; equal numbers are written alike.
#[inline]
fn write_key(value: &Value<'_>, key: &mut Vec<u8>) -> Result<(), ()> {
    if !key.is_empty() {
        key.push(KEY_SEPARATOR);
    }
    match value {
        Value::Bool(value) => key.extend_from_slice(if *value { b"true" } else { b"false" }),
        Value::Number(text) => {
            // JSON has one way to write a whole number, of any length, but for zero and exponents.
            let is_whole = text.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-');
            if is_whole && *text != b"-0" {
                key.extend_from_slice(text);
            } else {
                Number::parse(text).ok_or(())?.write_canonical(key);
            }
        }
        Value::Text(text) | Value::Cell(text) => {
            let is_plain = |byte: &u8| !matches!(byte, b'"' | b'\\' | 0..=0x1f);
            key.push(b'"');
            if text.iter().all(is_plain) {
                key.extend_from_slice(text);
            } else {
                let quoted = serde_json::Value::from(String::from_utf8_lossy(text)).to_string();
                key.extend_from_slice(&quoted.as_bytes()[1..quoted.len() - 1]);
            }
            key.push(b'"');
        }
        Value::Missing | Value::Null | Value::Composite => return Err(()),
    }
    Ok(())
}

impl LogFormula {
    /// A part of the formula as text.
    fn text_of(&self, part: &Formula<Prop>) -> String {
        part.map(&mut |prop| AtomOf(&self.atoms[prop.0 as usize])).to_string()
    }

    /// The values of the variables in a key, by name; `None` if the formula has no variables.
    pub(super) fn binding(&self, key: &[u8]) -> Option<Vec<(&str, String)>> {
        let values = key.split(|byte| *byte == KEY_SEPARATOR);
        let names = self.variables.iter().map(|(name, _)| name.as_str());
        let pairs =
            names.zip(values).map(|(name, value)| (name, String::from_utf8_lossy(value).into_owned()));
        self.is_sliced().then(|| pairs.collect())
    }
}

/// An atom in the text of a formula.
struct AtomOf<'a>(&'a Atom);

impl AtomText for AtomOf<'_> {
    fn write_atom(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.0)
    }

    fn is_comparison(&self) -> bool {
        matches!(self.0, Atom::Test(test) if test.is_comparison())
    }
}
