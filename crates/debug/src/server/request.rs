//! Requests of HTTP/1.1, read with bounds and parsed by `httparse`.
//!
//! Each connection carries one request (RFC 9112, section 9.6: `Connection: close`), which is simple and
//! fast enough on loopback. A body has a `Content-Length`; other framings are refused, so that two readers
//! can never disagree about where a request ends (RFC 9112, section 11.2).
//!
//! Promise: no more than [`MAX_HEAD`] and [`MAX_BODY`] bytes of a request are kept.

use std::io::{self, Read};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

/// The request line and all headers.
pub const MAX_HEAD: usize = 16 * 1024;

/// The body of a request: a formula, or a session that is opened.
pub const MAX_BODY: usize = 1024 * 1024;

const MAX_HEADERS: usize = 64;

/// Bytes of a refused request that are read and forgotten: without this, the refusal may be lost with the
/// connection while the other end still writes.
const MAX_DRAINED: u64 = 64 * 1024 * 1024;

/// How long the other end may pause while its refused request is drained.
const DRAIN_SILENCE: Duration = Duration::from_secs(2);

/// A request within the bounds.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) method: String,
    /// The path of the target, without its query.
    pub(super) path: String,
    headers: Vec<(String, String)>,
    pub(super) body: String,
}

/// Why a request is not answered.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) reason: &'static str,
}

impl Refusal {
    pub(super) fn new(status: u16, reason: &'static str) -> Refusal {
        Refusal { status, reason }
    }
}

impl Request {
    /// The values of a header, whose name is in small letters.
    pub(super) fn header<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        let matching = self.headers.iter().filter(move |(header, _)| header == name);
        matching.map(|(_, value)| value.as_str())
    }
}

/// Reads one request. The outer error is that of the connection.
pub(super) fn read(stream: &mut impl Read) -> io::Result<Result<Request, Refusal>> {
    let mut bytes = Vec::new();
    let (mut request, head_length) = loop {
        match head(&bytes) {
            Ok(Some(parsed)) => break parsed,
            Ok(None) if bytes.len() >= MAX_HEAD => {
                return Ok(Err(Refusal::new(431, "the head of the request is too long")));
            }
            Ok(None) => {}
            Err(refusal) => return Ok(Err(refusal)),
        }
        if read_some(stream, &mut bytes, MAX_HEAD)? == 0 {
            return Ok(Err(Refusal::new(400, "the request ends in its head")));
        }
    };
    let length = match body_length(&request) {
        Ok(length) => length,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let mut body = bytes.split_off(head_length);
    while body.len() < length {
        if read_some(stream, &mut body, length)? == 0 {
            return Ok(Err(Refusal::new(400, "the request ends in its body")));
        }
    }
    body.truncate(length);
    Ok(match String::from_utf8(body) {
        Ok(body) => {
            request.body = body;
            Ok(request)
        }
        Err(_) => Err(Refusal::new(400, "the body is not UTF-8")),
    })
}

/// Reads what is there, up to a length in all.
fn read_some(stream: &mut impl Read, bytes: &mut Vec<u8>, up_to: usize) -> io::Result<usize> {
    let start = bytes.len();
    bytes.resize(up_to.min(start + 8 * 1024), 0);
    let read = stream.read(&mut bytes[start..]);
    bytes.truncate(start + read.as_ref().map_or(0, |count| *count));
    read
}

/// The request without its body and the length of its head, once that is complete.
fn head(bytes: &[u8]) -> Result<Option<(Request, usize)>, Refusal> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    let length = match parsed.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return Err(Refusal::new(431, "too many headers")),
        Err(_) => return Err(Refusal::new(400, "this is not a request of HTTP/1.1")),
    };
    let target = parsed.path.unwrap_or_default();
    let mut request = Request {
        method: parsed.method.unwrap_or_default().to_owned(),
        path: target.split(['?', '#']).next().unwrap_or_default().to_owned(),
        headers: Vec::new(),
        body: String::new(),
    };
    for header in parsed.headers {
        let Ok(value) = std::str::from_utf8(header.value) else {
            return Err(Refusal::new(400, "a header is not UTF-8"));
        };
        request.headers.push((header.name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    Ok(Some((request, length)))
}

fn body_length(request: &Request) -> Result<usize, Refusal> {
    if request.header("transfer-encoding").next().is_some() {
        return Err(Refusal::new(501, "a body has a Content-Length here"));
    }
    let mut lengths = request.header("content-length");
    let Some(text) = lengths.next() else {
        return if request.method == "POST" {
            Err(Refusal::new(411, "the body has no length"))
        } else {
            Ok(0)
        };
    };
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if lengths.next().is_some() || !is_number {
        return Err(Refusal::new(400, "the Content-Length is not one number"));
    }
    match text.parse::<usize>() {
        Ok(length) if length <= MAX_BODY => Ok(length),
        _ => Err(Refusal::new(413, "the body is too long")),
    }
}

/// Reads and forgets what the other end still sends, within bounds.
pub(super) fn drain(stream: &mut TcpStream) {
    // A connection that is gone already needs no draining, so errors mean no more than the end.
    let _ = stream.shutdown(Shutdown::Write);
    let _ = stream.set_read_timeout(Some(DRAIN_SILENCE));
    let _ = io::copy(&mut stream.take(MAX_DRAINED), &mut io::sink());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&str, u16>) {
        let read = read(&mut text.as_bytes()).expect("a text can be read");
        let seen = read.as_ref().map(|request| request.body.as_str()).map_err(|refusal| refusal.status);
        assert_eq!(seen, expected, "{text:.200}");
    }

    #[test]
    fn requests_within_the_bounds_are_read_and_others_refused() {
        check("GET / HTTP/1.1\r\nHost: a\r\n\r\n", Ok(""));
        check("POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nab", Ok("ab"));
        check("POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nabc", Ok("ab"));
        check("POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\na", Err(400));
        check("POST / HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc", Err(400));
        check("POST / HTTP/1.1\r\nContent-Length: +2\r\n\r\nab", Err(400));
        check("POST / HTTP/1.1\r\n\r\n", Err(411));
        check("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", Err(501));
        check("POST / HTTP/1.1\r\nContent-Length: 10000000\r\n\r\n", Err(413));
        check("POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n", Err(413));
        check("POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\n\u{e9}", Err(400));
        check("GET /", Err(400));
        check("\u{0}\u{1}\u{2}", Err(400));
        check(&format!("GET / HTTP/1.1\r\nA: {}\r\n\r\n", "b".repeat(MAX_HEAD)), Err(431));
        check(&format!("GET / HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(MAX_HEADERS + 1)), Err(431));
    }

    #[test]
    fn a_path_has_no_query() {
        let request =
            read(&mut "GET /a/b?c=d HTTP/1.1\r\n\r\n".as_bytes()).expect("a text").expect("a request");
        assert_eq!((request.method.as_str(), request.path.as_str()), ("GET", "/a/b"));
    }
}
