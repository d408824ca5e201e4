//! A test program in a process of its own: under the debugger, with the commands of a page by HTTP, or by
//! itself.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};

/// A test under the debugger.
pub(crate) struct Debuggee {
    child: Child,
    errors: BufReader<ChildStderr>,
    address: String,
    token: String,
}

/// This program, to run one of its ignored tests.
fn program(test: &str, debugged: Option<&str>) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("a test knows its program"));
    command.args(["--ignored", "--exact", test]);
    for variable in ["SELVEDGE_REPLAY", "SELVEDGE_DEBUG", "SELVEDGE_DEBUG_TERMINAL"] {
        command.env_remove(variable);
    }
    debugged.into_iter().for_each(|value| _ = command.env("SELVEDGE_DEBUG", value));
    command
}

/// Runs a test by itself, and returns all that it prints.
#[track_caller]
pub(crate) fn run(test: &str, succeeds: bool) -> String {
    run_with(test, succeeds, None)
}

/// The same with this value of `SELVEDGE_DEBUG`.
#[track_caller]
pub(crate) fn run_with(test: &str, succeeds: bool, debugged: Option<&str>) -> String {
    let output = program(test, debugged).arg("--nocapture").output().expect("a child can be run");
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.success(), succeeds, "{}: {text}", output.status);
    text
}

/// Debugs a test in the terminal by a script. Returns its standard output, and whether it succeeds.
pub(crate) fn in_terminal(test: &str, script: &str) -> (String, bool) {
    let name = test.rsplit("::").next();
    let mut child = program(test, name)
        .arg("--test-threads=2")
        .env("SELVEDGE_DEBUG_TERMINAL", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a child can be run");
    let mut input = child.stdin.take().expect("its standard input");
    // A process that has ended reads no more.
    let _ = input.write_all(script.as_bytes());
    drop(input);
    let output = child.wait_with_output().expect("the child ends");
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.success())
}

impl Debuggee {
    /// Begins a session with the test that this value of `SELVEDGE_DEBUG` names.
    #[track_caller]
    pub(crate) fn start(value: &str, test: &str) -> Debuggee {
        // A session that another run of these tests left is none of this one.
        if let Some(session) = session_file(value, test) {
            let _ = std::fs::remove_file(session);
        }
        forget_crashes(test);
        Debuggee::start_again(value, test)
    }

    /// Goes on with the session before.
    #[track_caller]
    pub(crate) fn start_again(value: &str, test: &str) -> Debuggee {
        let mut child = program(test, Some(value))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a child can be run");
        let mut errors = BufReader::new(child.stderr.take().expect("its standard error"));
        let mut told = String::new();
        let url = loop {
            let mut line = String::new();
            if errors.read_line(&mut line).expect("a line") == 0 {
                panic!("the session did not begin: {told}");
            }
            if let Some((_, url)) = line.split_once(" is debugged at http://") {
                break url.trim().to_owned();
            }
            told.push_str(&line);
        };
        let (address, token) = url.split_once('/').expect("a token");
        Debuggee { child, errors, address: address.to_owned(), token: token.trim_matches('/').to_owned() }
    }

    /// The address of the page.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/{}/", self.address, self.token)
    }

    /// Sends a command, and returns the answer; `None` if the process ends meanwhile.
    fn try_send(&self, command: &Value) -> Option<Value> {
        let Debuggee { address, token, .. } = self;
        let body = command.to_string();
        let mut stream = TcpStream::connect(address).ok()?;
        let head = format!(
            "POST /{token}/command HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        stream.write_all(format!("{head}{body}").as_bytes()).ok()?;
        let mut response = String::new();
        stream.read_to_string(&mut response).ok()?;
        let (head, body) = response.split_once("\r\n\r\n")?;
        assert!(head.starts_with("HTTP/1.1 200 "), "{response}");
        serde_json::from_str(body).ok()
    }

    /// Sends a command, and returns the answer.
    #[track_caller]
    pub(crate) fn send(&mut self, command: &Value) -> Value {
        match self.try_send(command) {
            Some(answer) => answer,
            None => panic!("no answer to {command}: {}", self.rest_of_errors()),
        }
    }

    /// Sends a command that ends the process.
    #[track_caller]
    pub(crate) fn send_to_death(mut self, command: &Value) {
        let answer = self.try_send(command);
        assert!(answer.is_none(), "{answer:?}");
        let status = self.child.wait().expect("the child ends");
        assert!(!status.success());
    }

    /// The answer of a temporal step.
    #[track_caller]
    pub(crate) fn step(&mut self, formula: &str) -> Value {
        let answer = self.send(&json!({ "command": "step", "formula": formula }));
        assert_eq!(answer["message"], "snapshot", "{answer}");
        answer["snapshot"]["answer"].clone()
    }

    /// The run in another form.
    #[track_caller]
    pub(crate) fn export(&mut self, format: &str) -> String {
        let answer = self.send(&json!({ "command": "export", "format": format }));
        answer["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    /// Ends the session. The test passes, and its program says that it was not explored.
    #[track_caller]
    pub(crate) fn quit(mut self) {
        // The process may end before its answer is out.
        let _ = self.try_send(&json!({ "command": "quit" }));
        let errors = self.rest_of_errors();
        let status = self.child.wait().expect("the child ends");
        assert!(status.success(), "{errors}");
        assert!(errors.contains(" was debugged, not explored\n"), "{errors}");
    }

    fn rest_of_errors(&mut self) -> String {
        let mut rest = Vec::new();
        // What cannot be read is not shown.
        let _ = self.errors.read_to_end(&mut rest);
        String::from_utf8_lossy(&rest).into_owned()
    }
}

impl Drop for Debuggee {
    fn drop(&mut self) {
        // A child that has ended cannot be killed, which is no error here.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Where sessions and traces are saved.
fn saved_files() -> Option<std::path::PathBuf> {
    let program = std::env::current_exe().ok()?;
    let target = program.ancestors().find(|path| path.join("CACHEDIR.TAG").is_file())?;
    Some(target.join("selvedge"))
}

/// Removes the traces of runs in which another run of these tests ended the process: the steps that ended
/// it would not be executed again.
pub(crate) fn forget_crashes(test: &str) {
    let name = test.replace("::", "-");
    for cause in ["abort", "signal", "stack-overflow"] {
        for trace in [format!("debug-{name}-{cause}.trace"), format!("{name}-{cause}.trace")] {
            let _ = saved_files().map(|directory| std::fs::remove_file(directory.join(trace)));
        }
    }
}

/// The file of a session: beside saved traces, in the target directory.
fn session_file(value: &str, test: &str) -> Option<std::path::PathBuf> {
    let directory = saved_files()?;
    if directory.join(value).is_file() {
        return Some(directory.join(value).with_extension("session"));
    }
    // A test with the attribute is known by its function, whose path begins with the crate.
    let name = test.replace("::", "-");
    let known = [format!("debug-{name}-debug.session"), format!("{name}-debug.session")];
    known.into_iter().map(|name| directory.join(name)).find(|path| path.is_file())
}
