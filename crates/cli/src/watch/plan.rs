//! What the arguments of `selvedge watch` mean.

use super::arguments::{Arguments, Format, InputFormat};
use super::formula::LogFormula;
use super::record::FieldPath;
use super::time::{DEFAULT_FIELDS, TimeUnit};
use crate::failure::Failure;
use crate::option_values::option_name;
use std::path::PathBuf;

/// What to watch, and how to report it.
#[derive(Debug)]
pub(super) struct WatchPlan {
    /// `None` for standard input.
    pub(super) file: Option<PathBuf>,
    /// The name of the log in messages.
    pub(super) input_name: String,
    pub(super) input_format: InputFormat,
    pub(super) is_followed: bool,
    /// Each with its name.
    pub(super) formulas: Vec<(String, LogFormula)>,
    /// The fields that may have the time of a line; none if no formula needs it.
    pub(super) time_fields: Vec<FieldPath>,
    pub(super) time_unit: TimeUnit,
    pub(super) is_lenient: bool,
    pub(super) max_shown: u64,
    pub(super) max_slices: usize,
    pub(super) format: Format,
}

impl WatchPlan {
    /// Parses the formulas.
    pub(super) fn new(arguments: Arguments) -> Result<WatchPlan, Failure> {
        let texts = &arguments.ltl;
        let formulas = texts
            .iter()
            .enumerate()
            .map(|(index, text)| Ok((option_name("--ltl", index, texts), LogFormula::parse(text)?)))
            .collect::<Result<Vec<_>, Failure>>()?;
        let has_clocks = formulas.iter().any(|(_, formula)| formula.has_clocks());
        let time_fields = match &arguments.time {
            _ if !has_clocks => Vec::new(),
            Some(field) => vec![FieldPath::parse(field)?],
            None => DEFAULT_FIELDS.iter().map(|name| FieldPath::top(name)).collect(),
        };
        let file = arguments.file.filter(|file| file.as_os_str() != "-");
        let is_csv = file.as_ref().is_some_and(|file| file.extension().is_some_and(|own| own == "csv"));
        let by_name = if is_csv { InputFormat::Csv } else { InputFormat::Json };
        Ok(WatchPlan {
            input_name: file.as_ref().map_or("standard input".to_owned(), |file| file.display().to_string()),
            file,
            input_format: arguments.input.unwrap_or(by_name),
            is_followed: arguments.follow,
            formulas,
            time_fields,
            time_unit: arguments.time_unit,
            is_lenient: arguments.lenient,
            max_shown: arguments.show,
            max_slices: arguments.max_slices,
            format: arguments.format,
        })
    }
}
