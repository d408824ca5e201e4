//! A driver of Debian's `chromium-headless-shell`, by the DevTools protocol over a pipe.
//!
//! With `--remote-debugging-pipe` the browser reads commands from file descriptor 3 and writes answers and
//! events to 4, each a JSON text that ends with a zero byte. A shell turns its standard input and output
//! into these descriptors, so no unsafe code is needed. Nothing listens on a port.
//!
//! Promise: every wait is for a condition, with a limit that only a hung browser reaches. A page that logs
//! an error, throws, or violates its content security policy fails the test that asks
//! ([`Page::complaints`]).

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Condvar, Mutex, OnceLock};
use std::time::{Duration, Instant};

/// How long a condition may take to come true on a machine under heavy load.
const PATIENCE: Duration = Duration::from_secs(120);

/// Runs the browser with an empty profile, which is removed when the browser has ended.
const SHELL: &str = "profile=$(mktemp -d); \
                     \"$0\" --user-data-dir=\"$profile\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null; \
                     rm -rf \"$profile\"";

/// A browser without windows, which ends with the test program.
pub struct Browser {
    input: Mutex<ChildStdin>,
    state: Mutex<State>,
    changed: Condvar,
    _child: Child,
}

#[derive(Default)]
struct State {
    last_id: u64,
    answers: Vec<Value>,
    events: Vec<Value>,
    has_ended: bool,
}

/// A tab of the browser.
pub struct Page {
    browser: Arc<Browser>,
    session: String,
    target: String,
}

/// The browser that all tests of the program share.
pub fn browser() -> Arc<Browser> {
    static BROWSER: OnceLock<Arc<Browser>> = OnceLock::new();
    Arc::clone(BROWSER.get_or_init(Browser::start))
}

impl Browser {
    fn start() -> Arc<Browser> {
        let mut child = Command::new("sh")
            .args(["-c", SHELL, "chromium-headless-shell"])
            .args([
                "--remote-debugging-pipe",
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
            ])
            .args(["--no-first-run", "--disable-background-networking", "--disable-component-update"])
            .args(["--disable-sync", "--hide-scrollbars", "--force-device-scale-factor=1"])
            .args(["--proxy-server=127.0.0.1:9", "--proxy-bypass-list=127.0.0.1"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("`chromium-headless-shell` runs; `./test` installs it");
        let input = Mutex::new(child.stdin.take().expect("a pipe"));
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            for message in output.split(0) {
                let Ok(bytes) = message else { break };
                let message = serde_json::from_slice(&bytes).expect("the browser writes JSON");
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let browser =
            Arc::new(Browser { input, state: Mutex::default(), changed: Condvar::new(), _child: child });
        let reader = Arc::clone(&browser);
        std::thread::spawn(move || reader.collect(&receiver));
        browser
    }

    fn collect(&self, messages: &Receiver<Value>) {
        for message in messages {
            let mut state = self.state.lock().expect("no panic");
            if message["id"].is_null() {
                state.events.push(message);
            } else {
                state.answers.push(message);
            }
            self.changed.notify_all();
        }
        self.state.lock().expect("no panic").has_ended = true;
        self.changed.notify_all();
    }

    /// Sends a command and waits for its answer.
    fn call(&self, session: Option<&str>, method: &str, parameters: &Value) -> Value {
        let id = {
            let mut state = self.state.lock().expect("no panic");
            state.last_id += 1;
            state.last_id
        };
        let mut message = json!({ "id": id, "method": method, "params": parameters });
        if let Some(session) = session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.input.lock().expect("no panic").write_all(&bytes).expect("the browser runs");
        let state = self.state.lock().expect("no panic");
        let is_waiting = |state: &mut State| {
            assert!(!state.has_ended, "the browser has ended during {method}");
            state.answers.iter().all(|answer| answer["id"] != json!(id))
        };
        let (mut state, timeout) =
            self.changed.wait_timeout_while(state, PATIENCE, is_waiting).expect("no panic");
        assert!(!timeout.timed_out(), "the browser does not answer {method}");
        let position = state.answers.iter().position(|answer| answer["id"] == json!(id)).expect("an answer");
        let answer = state.answers.swap_remove(position);
        assert!(answer["error"].is_null(), "{method} {parameters}: {}", answer["error"]);
        answer["result"].clone()
    }

    /// Opens an address in a new tab of 1280 by 800 pixels.
    pub fn open(self: &Arc<Self>, url: &str) -> Page {
        let target = self.call(None, "Target.createTarget", &json!({ "url": "about:blank" }));
        let target = target["targetId"].as_str().expect("an id").to_owned();
        let attach = json!({ "targetId": target, "flatten": true });
        let session = self.call(None, "Target.attachToTarget", &attach);
        let session = session["sessionId"].as_str().expect("an id").to_owned();
        let page = Page { browser: Arc::clone(self), session, target };
        for domain in ["Page", "Runtime", "Log", "Network", "Accessibility", "DOM"] {
            page.call(&format!("{domain}.enable"), &json!({}));
        }
        page.resize(1280, 800);
        // Pictures do not depend on the machine's settings.
        page.prefer("light");
        page.go(url);
        page
    }
}

impl Page {
    /// Sends a command of the protocol to this tab.
    pub fn call(&self, method: &str, parameters: &Value) -> Value {
        self.browser.call(Some(&self.session), method, parameters)
    }

    /// Goes to an address, and waits until its scripts have run.
    pub fn go(&self, url: &str) {
        self.call("Page.navigate", &json!({ "url": url }));
        self.wait_for("document.readyState === 'complete' && location.href !== 'about:blank'");
    }

    /// The size of the window.
    pub fn resize(&self, width: u32, height: u32) {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", &metrics);
    }

    /// `light` or `dark`, as the operating system would say it.
    pub fn prefer(&self, scheme: &str) {
        let scheme = json!({ "name": "prefers-color-scheme", "value": scheme });
        let motion = json!({ "name": "prefers-reduced-motion", "value": "reduce" });
        self.call("Emulation.setEmulatedMedia", &json!({ "features": [scheme, motion] }));
    }

    /// The value of an expression, as JSON.
    pub fn evaluate(&self, expression: &str) -> Value {
        let parameters = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", &parameters);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    #[track_caller]
    pub fn wait_for(&self, expression: &str) {
        let start = Instant::now();
        let guarded =
            format!("(() => {{ try {{ return !!({expression}); }} catch (e) {{ return false; }} }})()");
        while self.evaluate(&guarded) != json!(true) {
            if start.elapsed() > PATIENCE {
                let text = self.evaluate("document.body.innerText.slice(0, 4000)");
                panic!(
                    "it never becomes true: {expression}\n{}\n{:#?}",
                    text.as_str().unwrap_or_default(),
                    self.complaints()
                );
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Presses and releases a key by its name (`Enter`, `ArrowLeft`, `b`).
    pub fn press(&self, key: &str) {
        self.press_with(key, 0);
    }

    /// Presses a key with modifiers: 1 Alt, 2 Control, 8 Shift.
    pub fn press_with(&self, key: &str, modifiers: u32) {
        let code = match key {
            "Enter" => 13,
            "Tab" => 9,
            "Backspace" => 8,
            "Escape" => 27,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            "Home" => 36,
            "End" => 35,
            "Delete" => 46,
            // The codes of other characters are those of arrows and the like.
            _ if key.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
                u32::from(key.to_ascii_uppercase().as_bytes()[0])
            }
            _ => 0,
        };
        let mut down = json!({ "type": "rawKeyDown", "key": key, "modifiers": modifiers, "windowsVirtualKeyCode": code });
        if key.chars().count() == 1 || key == "Enter" {
            down["type"] = json!("keyDown");
            down["text"] = json!(if key == "Enter" { "\r" } else { key });
        }
        self.call("Input.dispatchKeyEvent", &down);
        let up =
            json!({ "type": "keyUp", "key": key, "modifiers": modifiers, "windowsVirtualKeyCode": code });
        self.call("Input.dispatchKeyEvent", &up);
    }

    /// Types a text where the focus is, key by key.
    pub fn write(&self, text: &str) {
        for character in text.chars() {
            self.press(&character.to_string());
        }
    }

    /// A picture of the window.
    pub fn screenshot(&self, path: &Path) {
        let picture = self.call("Page.captureScreenshot", &json!({ "format": "png" }));
        let bytes = base64(picture["data"].as_str().expect("a picture"));
        std::fs::write(path, bytes).expect("a picture can be written");
    }

    /// The nodes of the accessibility tree that are not ignored.
    pub fn accessibility(&self) -> Vec<Value> {
        let tree = self.call("Accessibility.getFullAXTree", &json!({}));
        let nodes = tree["nodes"].as_array().expect("nodes").iter();
        nodes.filter(|node| node["ignored"] != json!(true)).cloned().collect()
    }

    /// Errors of this tab so far: exceptions, failed loads, violations of the policy.
    pub fn complaints(&self) -> Vec<String> {
        let state = self.browser.state.lock().expect("no panic");
        let own = state.events.iter().filter(|event| event["sessionId"] == json!(self.session));
        own.filter_map(complaint).collect()
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.browser.call(None, "Target.closeTarget", &json!({ "targetId": self.target }));
        }
    }
}

fn complaint(event: &Value) -> Option<String> {
    let parameters = &event["params"];
    match event["method"].as_str()? {
        "Runtime.exceptionThrown" => Some(parameters["exceptionDetails"].to_string()),
        "Runtime.consoleAPICalled" if parameters["type"] == json!("error") => {
            Some(parameters["args"].to_string())
        }
        "Log.entryAdded" if parameters["entry"]["level"] == json!("error") => {
            Some(parameters["entry"].to_string())
        }
        _ => None,
    }
}

/// The bytes of a text in base64 (RFC 4648).
fn base64(text: &str) -> Vec<u8> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => u32::from(byte - b'A'),
        b'a'..=b'z' => u32::from(byte - b'a') + 26,
        b'0'..=b'9' => u32::from(byte - b'0') + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u32> = text.bytes().filter(|byte| *byte != b'=').map(digit).collect();
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    for group in digits.chunks(4) {
        let word =
            group.iter().enumerate().fold(0, |word, (index, digit)| word | (digit << (18 - 6 * index)));
        bytes.extend((0..group.len().saturating_sub(1)).map(|index| (word >> (16 - 8 * index)) as u8));
    }
    bytes
}
