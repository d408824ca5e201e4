//! Long searches: Ctrl-C, and what is told before the end.
#![cfg(unix)]

use crate::common::{command, temporary_file};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};

/// More states than a test waits for; the first property is violated at once.
const LONG: &str = "
memory a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
process 1: repeat choose a in 0..15; assert a < 16 forever
process 2: repeat choose b in 0..15; assert b < 16 forever
process 3: repeat choose c in 0..15; assert c < 16 forever
process 4: repeat choose d in 0..15; assert d < 16 forever
process 5: repeat choose e in 0..15; assert e < 16 forever
process 6: repeat choose f in 0..15; assert f < 16 forever
process 7: repeat choose g in 0..15; assert g < 16 forever
process 8: repeat choose h in 0..15; assert h < 16 forever
property low: [] a < 9
property all: [] a + b + c + d + e + f + g + h < 200
property again: []<> a + b + c + d + e + f + g + h < 200
";

/// A search that does not end by itself.
struct LongSearch {
    child: Child,
    errors: BufReader<std::process::ChildStderr>,
}

impl LongSearch {
    fn start(name: &str, model: &str, options: &[&str]) -> LongSearch {
        let model = temporary_file(name, model.as_bytes());
        let mut command = command();
        command.args(["check", &model, "--exact"]).args(options);
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command was built");
        let errors = BufReader::new(child.stderr.take().expect("a pipe"));
        LongSearch { child, errors }
    }

    /// The next line on standard error.
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.errors.read_line(&mut line).expect("UTF-8");
        line
    }

    fn interrupt(&self) {
        let pid = self.child.id().to_string();
        // It fails if the process has ended.
        let _ = std::process::Command::new("kill").args(["-INT", &pid]).stderr(Stdio::null()).status();
    }

    /// The rest of the output, of the messages, and the exit code.
    fn end(mut self) -> (String, String, Option<i32>) {
        let (mut output, mut errors) = (String::new(), String::new());
        self.child.stdout.take().expect("a pipe").read_to_string(&mut output).expect("UTF-8");
        self.errors.read_to_string(&mut errors).expect("UTF-8");
        (output, errors, self.child.wait().expect("the command ends").code())
    }
}

#[test]
fn a_violation_is_told_while_the_search_goes_on_and_ctrl_c_tells_all() {
    for (name, workers) in [("told.par", "1"), ("told-by-two.par", "2")] {
        let mut search = LongSearch::start(name, LONG, &["--workers", workers]);
        assert_eq!(search.line(), "note: found: low is violated\n");
        search.interrupt();
        let (output, errors, code) = search.end();
        // A violation is one, whether the search was complete or not.
        assert_eq!((errors.as_str(), code), ("", Some(1)), "{output}");
        assert!(output.contains("  low    VIOLATED "), "{output}");
        assert!(output.contains("  all    interrupted, no violation so far "), "{output}");
        assert!(output.contains("  again  interrupted, no violation so far "), "{output}");
        assert!(output.contains("low: G a < 9\n  is violated by this run:\n"), "{output}");
    }
}

#[test]
fn an_interrupted_search_without_an_unexpected_verdict_has_the_exit_code_of_a_limit() {
    // That `low` is violated is expected here, and tells the test that the search goes on.
    let expected = LONG.replace("a < 9", "a < 9 expect violated");
    for format in ["text", "json"] {
        let mut search = LongSearch::start(&format!("limit-{format}.par"), &expected, &["--format", format]);
        assert_eq!(search.line(), "note: found: low is violated\n");
        search.interrupt();
        let (output, errors, code) = search.end();
        let why = "interrupted: not every state was looked at; nothing unexpected so far\n";
        assert_eq!((errors.as_str(), code), (why, Some(3)), "{output}");
        if format == "json" {
            let object: serde_json::Value = serde_json::from_str(&output).expect("one object");
            let verdicts: Vec<_> = [0, 1, 2].map(|index| &object["properties"][index]["verdict"]).into();
            assert_eq!(verdicts, ["violated", "limit", "limit"]);
            assert_eq!(object["properties"][1]["why"], "interrupted");
            assert_eq!(object["limit"], "interrupted");
        }
    }
}

#[test]
fn a_second_ctrl_c_ends_the_command_at_once() {
    // The report is longer than a pipe holds, and is not read: the first signal leads to no end.
    let invariants = ["--invariant", "a < 9"].repeat(500);
    let mut search = LongSearch::start("twice.par", LONG, &invariants);
    assert_eq!(search.line(), "note: found: --invariant 1 is violated\n");
    let code = loop {
        search.interrupt();
        std::thread::sleep(std::time::Duration::from_millis(20));
        if let Some(status) = search.child.try_wait().expect("a child") {
            break status.code();
        }
    };
    assert_eq!(code, Some(130));
}
