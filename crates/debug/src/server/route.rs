//! What each path of the server answers, below the token.
//!
//! `GET` of the page and its files; `POST command` hands a command to the engine and answers with its
//! messages; `POST cancel` stops a search that runs, past the queue of commands; `GET events` stays open and
//! tells what all tabs must know.

use super::request::{Refusal, Request};
use super::{Shared, events, response};
use crate::page;
use std::io;
use std::net::TcpStream;
use std::sync::atomic::Ordering;

const JSON: &str = "application/json";

pub(super) fn answer(stream: &mut TcpStream, request: &Request, shared: &Shared) -> io::Result<()> {
    let below = request.path.trim_start_matches('/').split_once('/').map_or("", |(_, below)| below);
    let answered = match (request.method.as_str(), below) {
        ("GET", "events") => return events::serve(stream, &shared.events),
        ("POST", "command") => command(request, shared),
        ("POST", "cancel") => {
            shared.is_cancelled.store(true, Ordering::SeqCst);
            Ok((JSON, "{}".to_owned()))
        }
        ("GET", path) => file(path),
        _ => Err(Refusal::new(405, "this path has no such method")),
    };
    match answered {
        Ok((kind, body)) => response::write(stream, 200, kind, &body),
        Err(refusal) => response::refuse(stream, &refusal),
    }
}

fn command(request: &Request, shared: &Shared) -> Result<(&'static str, String), Refusal> {
    // A form of another page cannot send this type without asking first.
    let kind = request.header("content-type").next().unwrap_or_default();
    if kind.split(';').next().is_none_or(|kind| kind.trim() != JSON) {
        return Err(Refusal::new(415, "a command is application/json"));
    }
    let answer = shared.call(request.body.clone());
    answer.map(|json| (JSON, json)).ok_or(Refusal::new(503, "the debugged program has ended"))
}

fn file(path: &str) -> Result<(&'static str, String), Refusal> {
    let file = page::file(path).ok_or(Refusal::new(404, "there is no such file"))?;
    Ok((file.kind, file.text.to_owned()))
}
