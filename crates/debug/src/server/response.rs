//! Responses, each with the headers that keep the page to itself.
//!
//! The content security policy allows the scripts, styles and connections of this server alone; inline
//! scripts and styles, frames, forms and every other host are forbidden (`default-src 'none'`).

use super::request::Refusal;
use std::io::{self, Write};

/// What the page may load and run.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                          img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Writes a whole response.
pub(super) fn write(out: &mut impl Write, status: u16, kind: &str, body: &str) -> io::Result<()> {
    write_head(out, status, kind, Some(body.len()))?;
    out.write_all(body.as_bytes())?;
    out.flush()
}

/// Writes the head of a response; without a length, its body ends with the connection.
pub(super) fn write_head(
    out: &mut impl Write,
    status: u16,
    kind: &str,
    length: Option<usize>,
) -> io::Result<()> {
    let length = length.map(|length| format!("Content-Length: {length}\r\n")).unwrap_or_default();
    let reason = reason_phrase(status);
    let head = format!(
        "HTTP/1.1 {status} {reason}\r\n\
         Content-Type: {kind}\r\n\
         {length}\
         Connection: close\r\n\
         Cache-Control: no-store\r\n\
         Content-Security-Policy: {POLICY}\r\n\
         Cross-Origin-Opener-Policy: same-origin\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\n\
         Referrer-Policy: no-referrer\r\n\
         X-Content-Type-Options: nosniff\r\n\
         \r\n"
    );
    out.write_all(head.as_bytes())
}

/// Says why a request is refused.
pub(super) fn refuse(out: &mut impl Write, refusal: &Refusal) -> io::Result<()> {
    write(out, refusal.status, "text/plain; charset=utf-8", &format!("{}\n", refusal.reason))
}

fn reason_phrase(status: u16) -> &'static str {
    match status {
        200 => "OK",
        204 => "No Content",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        411 => "Length Required",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        431 => "Request Header Fields Too Large",
        501 => "Not Implemented",
        503 => "Service Unavailable",
        _ => "Error",
    }
}
