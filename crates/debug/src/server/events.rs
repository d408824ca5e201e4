//! Server-sent events: what every open tab is told.
//!
//! Each tab has a queue of bounded length. A tab that does not read fast enough loses its connection; the
//! browser connects again and asks for the view, so nothing is missed.

use super::response;
use std::io::{self, Write};
use std::net::TcpStream;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Events that wait for a tab.
const MAX_WAITING: usize = 256;

/// Tabs at the same time.
const MAX_TABS: usize = 32;

/// A silent connection gets a comment this often, so that a closed tab is noticed.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// The queues of all tabs.
#[derive(Debug, Default)]
pub struct Events {
    tabs: Mutex<Vec<SyncSender<String>>>,
}

impl Events {
    /// Tells every tab a JSON text of one line.
    pub fn publish(&self, json: &str) {
        debug_assert!(!json.contains('\n'), "an event is one line");
        let mut tabs = self.tabs.lock().unwrap_or_else(PoisonError::into_inner);
        tabs.retain(|tab| tab.try_send(json.to_owned()).is_ok());
    }

    /// The number of open tabs; a tab that has closed counts until the next event.
    pub fn tabs(&self) -> usize {
        self.tabs.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    pub(super) fn close(&self) {
        self.tabs.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn subscribe(&self) -> Option<Receiver<String>> {
        let mut tabs = self.tabs.lock().unwrap_or_else(PoisonError::into_inner);
        (tabs.len() < MAX_TABS).then(|| {
            let (sender, receiver) = sync_channel(MAX_WAITING);
            tabs.push(sender);
            receiver
        })
    }
}

/// Sends events until the tab is closed, or the server ends.
pub(super) fn serve(stream: &mut TcpStream, events: &Events) -> io::Result<()> {
    let Some(queue) = events.subscribe() else {
        return response::write(stream, 503, "text/plain; charset=utf-8", "too many tabs\n");
    };
    response::write_head(stream, 200, "text/event-stream", None)?;
    stream.write_all(b"retry: 500\n\ndata: {\"event\":\"joined\"}\n\n")?;
    loop {
        match queue.recv_timeout(HEARTBEAT) {
            Ok(json) => stream.write_all(format!("data: {json}\n\n").as_bytes())?,
            Err(RecvTimeoutError::Timeout) => stream.write_all(b": still here\n\n")?,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        stream.flush()?;
    }
}
