//! SPIN, run on a formula, with a limit on its processor time.
//!
//! Promise: the operating system ends a child at the limit, so that a busy machine does not change the
//! outcome; where SPIN is missing the test fails and says so.

use selvedge_ltl::syntax::Dialect;
use selvedge_ltl::{Formula, Prop};
use std::process::{Command, Stdio};

/// The shell sets the limit on its own processor time and then becomes SPIN.
const LIMITED_SPIN: &str = "ulimit -c 0; ulimit -t \"$1\"; shift; exec spin \"$@\"";

/// The exit code of a shell that does not find the command.
const NOT_FOUND: i32 = 127;

/// The never claim of a formula without `X`; `None` if it took longer than the limit.
pub(crate) fn claim(formula: &Formula<Prop>, cpu_seconds: u32) -> Option<String> {
    let text = formula.for_tool(Dialect::Spin, &|prop: &Prop| char::from(b'a' + prop.0).to_string());
    let text = text.expect("operators that SPIN knows");
    let (output, succeeded) = run(&["-f", &text], cpu_seconds)?;
    assert!(succeeded, "spin -f '{text}' failed: {output}");
    Some(output)
}

/// SPIN's output, and whether it succeeded; `None` if it took longer than the limit.
pub(crate) fn run(arguments: &[&str], cpu_seconds: u32) -> Option<(String, bool)> {
    let output = Command::new("sh")
        .args(["-c", LIMITED_SPIN, "sh", &cpu_seconds.to_string()])
        .args(arguments)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .expect("a shell");
    // A child that a signal has ended has no exit code.
    let code = output.status.code()?;
    assert_ne!(code, NOT_FOUND, "`spin` cannot be run: install SPIN, on Debian `apt install spin`");
    Some((String::from_utf8(output.stdout).expect("SPIN writes text"), code == 0))
}
