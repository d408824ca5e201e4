//! The server of the debugger's page: HTTP/1.1 on loopback, a thread a connection.
//!
//! The thread that owns the engine is not here: it takes [`Call`]s from a channel and answers them, and
//! publishes events to all open tabs. So a target that cannot leave its thread (the runs of a Rust test) is
//! debugged by the same server. A tab that closes takes nothing with it, and a second tab joins.
//!
//! Promise: nothing is served but to loopback, and nothing is told without the token (`guard`). Sizes of
//! requests, connections and waiting events are bounded, and a request over a bound is refused with a status
//! that says so.

mod drawing;
mod events;
mod guard;
mod host;
mod request;
mod response;
mod route;
mod session_file;
mod single_page;

pub use events::Events;
pub use guard::Token;
pub use host::{DEFAULT_EDITOR, Host, HostOptions};
pub use request::{MAX_BODY, MAX_HEAD};
pub use response::POLICY;
pub use single_page::single_page;

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Connections that are served at the same time; one more is told to come later.
pub const MAX_CONNECTIONS: usize = 64;

/// How long a connection may be silent while its request is read, and its response written.
const SILENCE: Duration = Duration::from_secs(20);

/// A server that runs; it stops when it is dropped.
#[derive(Debug)]
pub struct Server {
    shared: Arc<Shared>,
    address: SocketAddr,
}

/// A command of a tab, as its JSON text.
#[derive(Debug)]
pub struct Call {
    /// The JSON text of the command.
    pub command: String,
    reply: SyncSender<String>,
}

/// What the threads of all connections share.
#[derive(Debug)]
pub(crate) struct Shared {
    token: Token,
    calls: Mutex<Sender<Call>>,
    events: Events,
    is_cancelled: Arc<AtomicBool>,
    is_stopped: AtomicBool,
    connections: AtomicUsize,
}

impl Server {
    /// Listens on a port of 127.0.0.1, or on any free one if `port` is 0. The receiver has the commands of
    /// all tabs, in the order of their arrival.
    pub fn start(port: u16) -> io::Result<(Server, Receiver<Call>)> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        let (sender, calls) = mpsc::channel();
        let shared = Arc::new(Shared {
            token: Token::random()?,
            calls: Mutex::new(sender),
            events: Events::default(),
            is_cancelled: Arc::default(),
            is_stopped: AtomicBool::new(false),
            connections: AtomicUsize::new(0),
        });
        let accepting = Arc::clone(&shared);
        std::thread::Builder::new()
            .name("selvedge debug server".to_owned())
            .spawn(move || accept(&listener, &accepting))?;
        Ok((Server { shared, address }, calls))
    }

    /// The address of the page, with its token.
    pub fn url(&self) -> String {
        format!("http://{}/{}/", self.address, self.shared.token)
    }

    /// The address that the server listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where events for all open tabs go.
    pub fn events(&self) -> &Events {
        &self.shared.events
    }

    /// Set by a tab that cancels the command that runs; the thread that searches reads and resets it.
    pub fn cancelled(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.shared.is_cancelled)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.is_stopped.store(true, Ordering::SeqCst);
        self.shared.events.close();
        // Wakes the thread that accepts; where that fails, the thread has ended already.
        drop(TcpStream::connect(self.address));
    }
}

impl Call {
    /// Answers the tab. It may have closed; that is no error.
    pub fn reply(self, json: String) {
        drop(self.reply.send(json));
    }
}

impl Shared {
    /// Hands a command to the thread that owns the engine, and waits for its answer; `None` if that thread
    /// has ended.
    pub(crate) fn call(&self, command: String) -> Option<String> {
        let (reply, answer) = mpsc::sync_channel(1);
        let call = Call { command, reply };
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).send(call).ok()?;
        answer.recv().ok()
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.is_stopped.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let serving = Serving::begin(shared);
        // A connection that cannot be served, or whose other end is gone, concerns that tab alone.
        let _ = std::thread::Builder::new()
            .name("selvedge debug connection".to_owned())
            .spawn(move || drop(serve(stream, &serving)));
    }
}

/// One connection that counts, until it is dropped.
#[derive(Debug)]
struct Serving {
    shared: Arc<Shared>,
    is_too_many: bool,
}

impl Serving {
    fn begin(shared: &Arc<Shared>) -> Serving {
        let before = shared.connections.fetch_add(1, Ordering::SeqCst);
        Serving { shared: Arc::clone(shared), is_too_many: before >= MAX_CONNECTIONS }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.shared.connections.fetch_sub(1, Ordering::SeqCst);
    }
}

fn serve(mut stream: TcpStream, serving: &Serving) -> io::Result<()> {
    stream.set_read_timeout(Some(SILENCE))?;
    stream.set_write_timeout(Some(SILENCE))?;
    stream.set_nodelay(true)?;
    let read = if serving.is_too_many {
        Err(request::Refusal::new(503, "too many connections"))
    } else {
        request::read(&mut stream)?
    };
    match read.and_then(|request| guard::admit(&request, &serving.shared.token).map(|()| request)) {
        Ok(request) => route::answer(&mut stream, &request, &serving.shared),
        Err(refusal) => {
            response::refuse(&mut stream, &refusal)?;
            request::drain(&mut stream);
            Ok(())
        }
    }
}
