//! SPIN, run on a formula, with a limit of time.
//!
//! Promise: a child that takes longer is stopped, by its handle; where SPIN is missing the test fails and says so.

use selvedge_ltl::syntax::Dialect;
use selvedge_ltl::{Formula, Prop};
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How often a running child is looked at.
const PAUSE: Duration = Duration::from_millis(1);

/// The never claim of a formula without `X`; `None` if it took longer than the limit.
pub fn claim(formula: &Formula<Prop>, limit: Duration) -> Option<String> {
    let text = formula.for_tool(Dialect::Spin, &|prop: &Prop| char::from(b'a' + prop.0).to_string());
    let text = text.expect("operators that SPIN knows");
    let (output, succeeded) = run(&["-f", &text], limit)?;
    assert!(succeeded, "spin -f '{text}' failed: {output}");
    Some(output)
}

/// What SPIN writes, and whether it says that all is well; `None` if it took longer than the limit.
pub fn run(arguments: &[&str], limit: Duration) -> Option<(String, bool)> {
    let mut child = Command::new("spin")
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap_or_else(|error| {
            panic!("`spin` cannot be run ({error}): install SPIN, on Debian `apt install spin`")
        });
    let mut pipe = child.stdout.take().expect("a pipe was asked for");
    // The pipe is emptied meanwhile, or a long claim would fill it and wait for ever.
    let reader = std::thread::spawn(move || {
        let mut output = String::new();
        pipe.read_to_string(&mut output).map(|_| output)
    });
    let succeeded = wait(&mut child, limit);
    let output = reader.join().expect("the reader ended").expect("SPIN writes text");
    succeeded.map(|succeeded| (output, succeeded))
}

/// Did the child end well? `None` if it had to be stopped.
fn wait(child: &mut Child, limit: Duration) -> Option<bool> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child to wait for") {
            return Some(status.success());
        }
        if start.elapsed() > limit {
            child.kill().expect("a child to stop");
            child.wait().expect("a child to wait for");
            return None;
        }
        std::thread::sleep(PAUSE);
    }
}
