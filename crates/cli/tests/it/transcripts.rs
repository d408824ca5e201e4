//! Every transcript in the documents is run, and must print what the document says.
//!
//! A transcript is a block marked `console` in `README.md`, `CONTRIBUTING.md` or a page of `docs/`. Each
//! line `$ selvedge ..` or `$ cargo run --release -- ..` is a command, which the built binary runs in the
//! root of the repository, perhaps with a file as its input (`< FILE`); the lines below it are its
//! output. `$ echo $?` prints the exit code of the command before it. In an output,
//!
//! - times are not compared,
//! - a line `...` stands for any number of lines,
//! - messages on standard error may be left out as a whole.
//!
//! A block that cannot be run is marked `text`.

use crate::common::{CommandRun, root, selvedge_with_input, without_times, words};
use std::path::{Path, PathBuf};

/// Prefixes of commands that the built binary runs.
const RUNNABLE: [&str; 2] = ["selvedge ", "cargo run --release -- "];

/// The line that stands for any number of lines.
const ELLIPSIS: &str = "...";

/// A command of a document, with the output that the document shows.
#[derive(Debug, PartialEq, Eq)]
struct Transcript {
    /// The line of the command in the document, from 1.
    line: usize,
    command: String,
    output: Vec<String>,
}

/// The commands of all blocks marked `console`.
fn transcripts(text: &str) -> Result<Vec<Transcript>, String> {
    let mut found: Vec<Transcript> = Vec::new();
    let mut open_block = None;
    for (index, line) in text.lines().enumerate() {
        match open_block {
            None if line.trim_end() == "```console" => open_block = Some(found.len()),
            None => {}
            Some(_) if line.trim_end() == "```" => open_block = None,
            Some(first) => match line.strip_prefix("$ ") {
                Some(command) => found.push(Transcript {
                    line: index + 1,
                    command: command.trim_end().to_owned(),
                    output: Vec::new(),
                }),
                None if found.len() == first => {
                    return Err(format!("{}: output before a command: {line}", index + 1));
                }
                None => found[first..].last_mut().expect("a command").output.push(line.to_owned()),
            },
        }
    }
    match open_block {
        Some(_) => Err("the last block is not closed".to_owned()),
        None => Ok(found),
    }
}

/// Runs the transcripts of one document, in order; returns a complaint for each that is not true.
fn complaints(document: &str, text: &str) -> Vec<String> {
    let transcripts = match transcripts(text) {
        Ok(transcripts) => transcripts,
        Err(message) => return vec![format!("{document}: {message}")],
    };
    let mut complaints = Vec::new();
    let mut last_code = None;
    for transcript in &transcripts {
        let place = format!("{document}:{}: $ {}", transcript.line, transcript.command);
        match judge(transcript, &mut last_code) {
            Ok(()) => {}
            Err(message) => complaints.push(format!("{place}\n{message}")),
        }
    }
    complaints
}

/// Runs the command; `last_code` is the exit code of the command before, and becomes that of this one.
fn judge(transcript: &Transcript, last_code: &mut Option<i32>) -> Result<(), String> {
    if transcript.command == "echo $?" {
        let code = last_code.ok_or("  no command before it")?.to_string();
        return compare(&transcript.output, &[code]);
    }
    let runnable = RUNNABLE.iter().find_map(|prefix| transcript.command.strip_prefix(prefix));
    let arguments = runnable
        .ok_or("  a block marked `console` runs only the command itself; mark others `text` or `sh`")?;
    let (arguments, input) = match arguments.split_once(" < ") {
        None => (arguments, String::new()),
        Some((arguments, file)) => {
            let read = std::fs::read_to_string(root().join(file.trim()));
            (arguments, read.map_err(|error| format!("  {file}: {error}"))?)
        }
    };
    let ran = selvedge_with_input(&words(arguments), &input);
    *last_code = Some(ran.code);
    let is_true = [printed(&ran, false), printed(&ran, true)]
        .iter()
        .any(|lines| compare(&transcript.output, lines).is_ok());
    if is_true {
        return Ok(());
    }
    let difference = compare(&transcript.output, &printed(&ran, false)).err().unwrap_or_default();
    let errors: String = ran.errors.lines().map(|line| format!("\n  standard error: {line}")).collect();
    Err(format!("{difference}\n  exit code: {}{errors}", ran.code))
}

/// The lines that the command printed, perhaps with those of standard error below.
fn printed(ran: &CommandRun, with_errors: bool) -> Vec<String> {
    let errors = if with_errors { ran.errors.as_str() } else { "" };
    without_times(&format!("{}{errors}", ran.output)).lines().map(str::to_owned).collect()
}

/// Compares the lines of a document with those that were printed; the error names the first difference.
fn compare(documented: &[String], printed: &[String]) -> Result<(), String> {
    let documented: Vec<String> = documented
        .iter()
        .map(|line| without_times(line.trim_end()).trim_end_matches('\n').to_owned())
        .collect();
    let printed: Vec<String> = printed.iter().map(|line| line.trim_end().to_owned()).collect();
    if matches(&documented, &printed) {
        return Ok(());
    }
    let same = documented.iter().zip(&printed).take_while(|(left, right)| left == right).count();
    let show = |lines: &[String]| match lines.get(same) {
        Some(line) => format!("`{line}`"),
        None => "nothing more".to_owned(),
    };
    let (document, command) = (show(&documented), show(&printed));
    let all: String = printed.iter().map(|line| format!("\n    {line}")).collect();
    Err(format!(
        "  line {} of the output\n  the document: {document}\n  the command:  {command}\n  all of it:{all}",
        same + 1
    ))
}

/// Are the lines equal, where [`ELLIPSIS`] stands for any number of lines?
fn matches(documented: &[String], printed: &[String]) -> bool {
    match documented.split_first() {
        None => printed.is_empty(),
        Some((first, rest)) if first == ELLIPSIS => {
            (0..=printed.len()).any(|skipped| matches(rest, &printed[skipped..]))
        }
        Some((first, rest)) => {
            printed.split_first().is_some_and(|(line, others)| first == line && matches(rest, others))
        }
    }
}

/// The documents that may have transcripts, as paths from the root.
fn documents() -> Vec<String> {
    let root = root();
    let pages = std::fs::read_dir(root.join("docs")).expect("the folder of documents");
    let pages = pages.map(|entry| Path::new("docs").join(entry.expect("a readable folder").file_name()));
    let mut all: Vec<PathBuf> = vec!["README.md".into(), "CONTRIBUTING.md".into()];
    all.extend(pages.filter(|page| page.extension().is_some_and(|extension| extension == "md")));
    all.retain(|page| root.join(page).exists());
    all.sort();
    all.iter().map(|page| page.display().to_string()).collect()
}

#[test]
fn the_transcripts_of_the_documents_are_true() {
    let mut false_ones = Vec::new();
    let mut count_in_readme = 0;
    for document in documents() {
        let text = std::fs::read_to_string(root().join(&document)).expect("a text file");
        false_ones.extend(complaints(&document, &text));
        if document == "README.md" {
            count_in_readme = transcripts(&text).map_or(0, |transcripts| transcripts.len());
        }
    }
    assert!(false_ones.is_empty(), "\n{}\n", false_ones.join("\n\n"));
    assert!(count_in_readme >= 1, "the README has no transcript");
}

#[test]
fn a_transcript_is_a_command_and_the_lines_below_it() {
    let text = "```console\n$ selvedge a\none\n\n$ selvedge b\n```\n```text\n$ c\n```\n";
    let transcript = |line, command: &str, output: &[&str]| Transcript {
        line,
        command: command.to_owned(),
        output: output.iter().map(|line| (*line).to_owned()).collect(),
    };
    let expected = vec![transcript(2, "selvedge a", &["one", ""]), transcript(5, "selvedge b", &[])];
    assert_eq!(transcripts(text), Ok(expected));
    assert!(transcripts("```console\nout\n```\n").is_err());
    assert!(transcripts("```console\n$ selvedge a\n").is_err());
}

#[test]
fn a_transcript_that_is_not_true_is_a_complaint() {
    let check = |block: &str| complaints("page.md", &format!("```console\n{block}\n```\n"));
    assert_eq!(check("$ selvedge ltl p --equals p\nequivalent\n$ echo $?\n0"), Vec::<String>::new());
    let wrong = check("$ selvedge ltl p --equals p\nequal");
    assert!(wrong[0].starts_with("page.md:2: $ selvedge ltl p --equals p\n"), "{wrong:?}");
    assert!(wrong[0].contains("the document: `equal`\n  the command:  `equivalent`"), "{wrong:?}");
    assert!(check("$ cargo test\nok")[0].contains("mark others `text`"));
    assert_eq!(check("$ selvedge ltl p --equals p\nequivalent\n$ echo $?\n1").len(), 1);
}

#[test]
fn an_ellipsis_stands_for_any_number_of_lines() {
    let lines = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<String>>();
    for (documented, is_match) in [
        ("a ... d", true),
        ("... d", true),
        ("a ...", true),
        ("a ... b c d", true),
        ("a ... e", false),
        ("a", false),
    ] {
        assert_eq!(matches(&lines(documented), &lines("a b c d")), is_match, "{documented}");
    }
}
