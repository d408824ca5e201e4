//! A session in a thread of its own, and plain requests to its server.

use selvedge_debug::server::{Host, HostOptions};
use selvedge_debug::{Engine, Target};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::mpsc::channel;
use std::thread::JoinHandle;

/// A session that runs until it is dropped.
pub(crate) struct Session {
    /// The address of the page.
    pub(crate) url: String,
    thread: Option<JoinHandle<()>>,
}

impl Session {
    /// Begins a session; the target is made by the thread that owns the engine.
    pub(crate) fn start(
        target: impl FnOnce() -> Box<dyn Target> + Send + 'static,
        options: HostOptions,
    ) -> Session {
        let (sender, receiver) = channel();
        let thread = std::thread::spawn(move || {
            let mut engine = Engine::new(target()).expect("a state to begin in");
            let mut host = Host::start(&mut engine, options).expect("a server on loopback");
            sender.send(host.url()).expect("the test waits");
            host.run().expect("the session file can be written");
        });
        let url = receiver.recv().expect("an address");
        Session { url, thread: Some(thread) }
    }

    /// `127.0.0.1:PORT`.
    pub(crate) fn host(&self) -> &str {
        self.url.trim_start_matches("http://").split('/').next().expect("a host")
    }

    /// `/TOKEN/`.
    pub(crate) fn path(&self) -> &str {
        &self.url["http://".len() + self.host().len()..]
    }

    /// Sends bytes, and returns the response.
    pub(crate) fn exchange(&self, request: &[u8]) -> Response {
        let mut stream = TcpStream::connect(self.host()).expect("the server listens");
        // A server that refuses may close before it has read all.
        drop(stream.write_all(request));
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("a response");
        Response(text)
    }

    /// Sends a command as the page does.
    pub(crate) fn command(&self, command: &Value) -> Value {
        let body = command.to_string();
        let request = format!(
            "POST {}command HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.path(),
            self.host(),
            body.len()
        );
        serde_json::from_str(self.exchange(request.as_bytes()).body()).expect("a message")
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.command(&json!({ "command": "quit" }));
            self.thread.take().expect("it runs").join().expect("the session ends");
        }
    }
}

/// A response of the server.
pub(crate) struct Response(String);

impl Response {
    pub(crate) fn status(&self) -> u16 {
        let line = self.0.lines().next().unwrap_or_default();
        line.split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok())
            .unwrap_or_else(|| panic!("{:.300}", self.0))
    }

    pub(crate) fn head(&self) -> &str {
        self.0.split_once("\r\n\r\n").map_or("", |(head, _)| head)
    }

    pub(crate) fn body(&self) -> &str {
        self.0.split_once("\r\n\r\n").map_or("", |(_, body)| body)
    }
}
