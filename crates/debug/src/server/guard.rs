//! The guard at the door: which requests are answered at all.
//!
//! Every path begins with a random token, so the address is the permission: another user of the machine, or
//! a page of another site, does not know it. `Host` must name loopback, so that a name of an attacker that
//! resolves to 127.0.0.1 (DNS rebinding) opens nothing. `Origin`, where a browser sends it, must be the page
//! itself, so that no other page can send commands, even with the token.
//!
//! Promise: comparing a token takes the same time wherever it differs.

use super::request::{Refusal, Request};
use std::fmt;
use std::io;

/// Random bytes in a token.
const TOKEN_BYTES: usize = 16;

/// The secret part of the address of the page.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// A token from the random numbers of the operating system.
    pub fn random() -> io::Result<Token> {
        let mut bytes = [0; TOKEN_BYTES];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Token(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// Is this text the token?
    fn is(&self, text: &str) -> bool {
        let (token, text) = (self.0.as_bytes(), text.as_bytes());
        let difference =
            token.iter().zip(text).fold(0, |difference, (left, right)| difference | (left ^ right));
        token.len() == text.len() && difference == 0
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

/// Refuses a request that does not come from the page.
pub(super) fn admit(request: &Request, token: &Token) -> Result<(), Refusal> {
    let mut hosts = request.header("host");
    let host = hosts.next().unwrap_or_default();
    if hosts.next().is_some() || !names_loopback(host) {
        return Err(Refusal::new(403, "the Host is not this machine"));
    }
    let is_own = |origin: &str| origin.strip_prefix("http://") == Some(host);
    if !request.header("origin").all(is_own) {
        return Err(Refusal::new(403, "the Origin is another page"));
    }
    let first = request.path.trim_start_matches('/').split('/').next().unwrap_or_default();
    if !token.is(first) {
        return Err(Refusal::new(403, "the token is missing or wrong"));
    }
    Ok(())
}

/// Is this host, with or without a port, loopback? The port is free: it may be forwarded.
fn names_loopback(host: &str) -> bool {
    let names = ["127.0.0.1", "localhost", "[::1]"];
    let is_port = |rest: &str| {
        let port = rest.strip_prefix(':');
        rest.is_empty()
            || port.is_some_and(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()))
    };
    names.iter().any(|name| host.strip_prefix(name).is_some_and(is_port))
}

#[cfg(test)]
mod tests {
    use super::super::request::read;
    use super::*;

    fn status(path: &str, headers: &str) -> u16 {
        let text = format!("GET {path} HTTP/1.1\r\n{headers}\r\n");
        let request = read(&mut text.as_bytes()).expect("a text").expect("a request");
        let token = Token("abcd".to_owned());
        admit(&request, &token).err().map_or(200, |refusal| refusal.status)
    }

    #[test]
    fn the_host_must_name_loopback() {
        for host in ["127.0.0.1:80", "localhost:8080", "[::1]:1", "localhost"] {
            assert_eq!(status("/abcd/", &format!("Host: {host}\r\n")), 200, "{host}");
        }
        let foreign = [
            "example.org",
            "127.0.0.1.example.org",
            "localhost.org:80",
            "127.0.0.1:",
            "127.0.0.1:a",
            "10.0.0.1",
            "",
        ];
        for host in foreign {
            assert_eq!(status("/abcd/", &format!("Host: {host}\r\n")), 403, "{host}");
        }
        assert_eq!(status("/abcd/", ""), 403);
        assert_eq!(status("/abcd/", "Host: localhost\r\nHost: example.org\r\n"), 403);
    }

    #[test]
    fn an_origin_must_be_the_page_itself() {
        let with = |origin: &str| status("/abcd/", &format!("Host: localhost:80\r\nOrigin: {origin}\r\n"));
        assert_eq!(with("http://localhost:80"), 200);
        for origin in ["http://localhost:81", "https://localhost:80", "null", "http://example.org", ""] {
            assert_eq!(with(origin), 403, "{origin}");
        }
    }

    #[test]
    fn the_token_is_the_first_part_of_the_path() {
        let at = |path: &str| status(path, "Host: localhost\r\n");
        assert_eq!(at("/abcd/app.js"), 200);
        for path in ["/", "/app.js", "/abc/", "/abcde/", "/ABCD/", "/x/abcd/"] {
            assert_eq!(at(path), 403, "{path}");
        }
    }

    #[test]
    fn tokens_differ_and_are_not_shown_by_debug() {
        let [first, second] = [(), ()].map(|()| Token::random().expect("random bytes"));
        assert_ne!(first, second);
        assert_eq!(first.to_string().len(), 2 * TOKEN_BYTES);
        assert_eq!(format!("{first:?}"), "Token(..)");
    }
}
