//! One run of a measurement: its options, its page, its complaints.
//!
//! | option | |
//! |---|---|
//! | `--quick` | small sizes and two repetitions; pages go to `bench/target/quick/` |
//! | `--into FOLDER` | pages go there; those that are checked in stay |
//! | `--repetitions N` | five unless set |

use crate::{Table, machine, page};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const REPETITIONS: usize = 5;
const QUICK_REPETITIONS: usize = 2;

/// What the command line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub is_quick: bool,
    pub repetitions: usize,
    /// The folder of the pages that are written.
    pub into: PathBuf,
    /// The other arguments, for the program itself.
    pub rest: Vec<String>,
}

/// The folder `bench/`.
pub fn bench_folder() -> PathBuf {
    let harness = Path::new(env!("CARGO_MANIFEST_DIR"));
    harness.parent().expect("the harness is in a folder").to_owned()
}

impl Plan {
    /// # Errors
    ///
    /// An option has no value, or not a number.
    pub fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Plan, String> {
        let (mut is_quick, mut repetitions, mut into, mut rest) = (false, None, None, Vec::new());
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("`{argument}` needs a value"));
            match argument.as_str() {
                "--quick" => is_quick = true,
                "--into" => into = Some(PathBuf::from(value()?)),
                "--repetitions" => {
                    let text = value()?;
                    let count = text.parse().ok().filter(|count| *count > 0);
                    repetitions = Some(count.ok_or_else(|| format!("`{text}` is not a number above 0"))?);
                }
                _ => rest.push(argument),
            }
        }
        let default = if is_quick { QUICK_REPETITIONS } else { REPETITIONS };
        let folder = if is_quick { bench_folder().join("target/quick") } else { bench_folder() };
        let (repetitions, into) = (repetitions.unwrap_or(default), into.unwrap_or(folder));
        Ok(Plan { is_quick, repetitions, into, rest })
    }

    /// The options of this process. A wrong one ends it with 2.
    pub fn from_arguments() -> Plan {
        Plan::parse(std::env::args().skip(1)).unwrap_or_else(|message| {
            eprintln!("error: {message}");
            std::process::exit(2)
        })
    }

    /// The first of two values, or the second with `--quick`.
    pub fn pick<T>(&self, whole: T, quick: T) -> T {
        if self.is_quick { quick } else { whole }
    }
}

/// A run that fills a page.
pub struct Run {
    pub plan: Plan,
    page_name: &'static str,
    page: String,
    complaints: Vec<String>,
}

impl Run {
    /// Starts from the page that is in `into` already, or else from the one that is checked in: several
    /// programs may fill one page.
    pub fn begin(plan: Plan, page_name: &'static str) -> Run {
        let read = |folder: &Path| std::fs::read_to_string(folder.join(page_name));
        let page = read(&plan.into).or_else(|_| read(&bench_folder()));
        let page = page.unwrap_or_else(|error| panic!("{page_name}: {error}"));
        let mut run = Run { plan, page_name, page, complaints: Vec::new() };
        println!("# {page_name}");
        if run.page.is_empty() {
            run.complain("the page is empty");
        }
        run
    }

    /// Fills the marks `NAME` with the machine, the versions of the peers, and how often was measured.
    pub fn head(&mut self, name: &str, versions: &[String]) {
        let quick = if self.plan.is_quick { " A quick run: small sizes, few repetitions." } else { "" };
        let versions = if versions.is_empty() { String::new() } else { format!("; {}", versions.join(", ")) };
        let medians = match self.plan.repetitions {
            1 => "One measurement of each.".to_owned(),
            count => format!("Medians of {count} repetitions, with the least and the greatest ratio."),
        };
        let text = format!("{}{versions}. {medians}{quick}", machine::machine());
        self.fill(name, &text);
    }

    /// Fills the marks of the table's name.
    pub fn table(&mut self, table: &Table) {
        self.fill(table.name, &table.markdown());
    }

    /// Fills the marks of this name.
    pub fn fill(&mut self, name: &str, text: &str) {
        match page::replaced(&self.page, name, text) {
            Ok(page) => self.page = page,
            Err(message) => self.complain(&format!("{}: {message}", self.page_name)),
        }
    }

    /// Writes a file beside the page.
    pub fn write(&mut self, name: &str, text: &str) {
        let path = self.plan.into.join(name);
        let written = std::fs::create_dir_all(&self.plan.into).and_then(|()| std::fs::write(&path, text));
        if let Err(error) = written {
            self.complain(&format!("{}: {error}", path.display()));
        }
    }

    /// A peer gave another answer, or none. The run goes on, and ends with 1.
    pub fn complain(&mut self, text: &str) {
        eprintln!("error: {text}");
        self.complaints.push(text.to_owned());
    }

    /// A complaint, unless both sides give the same answer.
    pub fn same<T: PartialEq + std::fmt::Debug>(&mut self, what: &str, ours: &T, theirs: &T) {
        if ours != theirs {
            self.complain(&format!("{what}: {ours:?} here, {theirs:?} there"));
        }
    }

    /// Writes the page. 1 if there are complaints.
    pub fn finish(mut self) -> ExitCode {
        let page = std::mem::take(&mut self.page);
        self.write(self.page_name, &page);
        ExitCode::from(u8::from(!self.complaints.is_empty()))
    }
}

#[cfg(test)]
mod tests {
    use super::Plan;

    fn plan(arguments: &[&str]) -> Result<Plan, String> {
        Plan::parse(arguments.iter().map(|argument| (*argument).to_owned()))
    }

    #[test]
    fn a_quick_run_leaves_the_pages_that_are_checked_in() {
        let quick = plan(&["--quick", "complete"]).unwrap();
        assert!(quick.into.ends_with("target/quick"));
        assert_eq!((quick.repetitions, quick.rest), (2, vec!["complete".to_owned()]));
        assert!(plan(&[]).unwrap().into.ends_with("bench"));
        assert_eq!(plan(&["--repetitions", "3", "--into", "x"]).unwrap().repetitions, 3);
    }

    #[test]
    fn wrong_options_are_told() {
        assert_eq!(plan(&["--into"]).unwrap_err(), "`--into` needs a value");
        assert_eq!(plan(&["--repetitions", "0"]).unwrap_err(), "`0` is not a number above 0");
    }
}
