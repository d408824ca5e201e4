//! The text of kept orders.
//!
//! ```text
//! selvedge lock orders 1
//! allow "queue" "log" "the log has a lock of its own"
//! run
//! thread 0 "main"
//! thread 1 "worker"
//! order 0 1 holds lock "queue" "src/main.rs:3:5" wants lock "log" "src/main.rs:4:5"
//! order 1 1 after 0:1 holds lock "log" "src/main.rs:9:5" wants write "table" "src/main.rs:10:5"
//! ```
//!
//! An order has its thread and segment, the segments of other threads that came before, the held locks, and
//! the wanted one, each with the location of its acquisition.
//!
//! Promise: what is written reads as the same orders; any other text is refused with the number of a line.

use super::ids::{Access, CodeLocation};
use super::orders::{Allowance, KeptAcquisition, KeptLock, Orders, Run};
use std::fmt;
use std::str::FromStr;

const HEAD: &str = "selvedge lock orders";
const VERSION: u32 = 1;

/// Why a text is not one of kept orders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrdersError {
    /// Counted from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for OrdersError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error[lock::orders]: line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for OrdersError {}

impl fmt::Display for Orders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEAD} {VERSION}")?;
        for allowance in &self.allowed {
            writeln!(f, "allow {:?} {:?} {:?}", allowance.first, allowance.second, allowance.why)?;
        }
        for run in &self.runs {
            writeln!(f, "run")?;
            for (index, name) in run.holders.iter().enumerate() {
                writeln!(f, "thread {index} {name:?}")?;
            }
            if run.ambiguous > 0 {
                writeln!(f, "ambiguous {}", run.ambiguous)?;
            }
            for acquisition in &run.acquisitions {
                write_acquisition(f, acquisition)?;
            }
        }
        Ok(())
    }
}

fn write_acquisition(f: &mut fmt::Formatter<'_>, acquisition: &KeptAcquisition) -> fmt::Result {
    write!(f, "order {} {}", acquisition.holder, acquisition.segment)?;
    if !acquisition.after.is_empty() {
        write!(f, " after")?;
        for (holder, segment) in &acquisition.after {
            write!(f, " {holder}:{segment}")?;
        }
    }
    write!(f, " holds")?;
    for lock in &acquisition.held {
        write_lock(f, lock)?;
    }
    write!(f, " wants")?;
    write_lock(f, &acquisition.wanted)?;
    writeln!(f)
}

fn write_lock(f: &mut fmt::Formatter<'_>, lock: &KeptLock) -> fmt::Result {
    let access = match lock.access {
        Access::Lock => "lock",
        Access::Read => "read",
        Access::Write => "write",
    };
    write!(f, " {access} {:?} {:?}", lock.name, lock.at.to_string())
}

impl FromStr for Orders {
    type Err = OrdersError;

    fn from_str(text: &str) -> Result<Orders, OrdersError> {
        let mut orders = Orders::default();
        let mut lines = text.lines().enumerate();
        let head = lines.next().map(|(_, line)| line).unwrap_or_default();
        read_head(head).map_err(|message| OrdersError { line: 1, message })?;
        for (index, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            read_line(line, &mut orders).map_err(|message| OrdersError { line: index + 1, message })?;
        }
        Ok(orders)
    }
}

fn read_head(line: &str) -> Result<(), String> {
    let version =
        line.strip_prefix(HEAD).ok_or_else(|| format!("a file of orders begins with `{HEAD} {VERSION}`"))?;
    match version.trim().parse::<u32>() {
        Ok(VERSION) => Ok(()),
        Ok(other) => Err(format!("version {other} is not known; this is version {VERSION}")),
        Err(_) => Err("the version is no number".to_owned()),
    }
}

fn read_line(line: &str, orders: &mut Orders) -> Result<(), String> {
    let tokens = tokens(line)?;
    let mut tokens = Tokens { tokens: &tokens };
    match tokens.word("a kind of line")? {
        "allow" => {
            let (first, second, why) =
                (tokens.text("a lock")?, tokens.text("a lock")?, tokens.text("a reason")?);
            orders.allowed.push(Allowance { first, second, why });
        }
        "run" => orders.runs.push(Run::default()),
        kind @ ("thread" | "ambiguous" | "order") => {
            let run = orders.runs.last_mut().ok_or_else(|| format!("`{kind}` before the first `run`"))?;
            match kind {
                "thread" => read_thread(&mut tokens, run)?,
                "ambiguous" => run.ambiguous = tokens.number("a count")?,
                _ => {
                    let acquisition = read_acquisition(&mut tokens, run.holders.len())?;
                    run.acquisitions.push(acquisition);
                }
            }
        }
        other => {
            return Err(format!("`{other}` is no kind of line: allow, run, thread, ambiguous, order are"));
        }
    }
    tokens.end()
}

fn read_thread(tokens: &mut Tokens<'_>, run: &mut Run) -> Result<(), String> {
    let index: usize = tokens.number("the number of a thread")?;
    if index != run.holders.len() {
        return Err(format!("threads are numbered in turn: this one is {}", run.holders.len()));
    }
    run.holders.push(tokens.text("the name of a thread")?);
    Ok(())
}

fn read_acquisition(tokens: &mut Tokens<'_>, holder_count: usize) -> Result<KeptAcquisition, String> {
    let known = |index: usize| match index < holder_count {
        true => Ok(index),
        false => Err(format!("thread {index} is not declared")),
    };
    let holder = known(tokens.number("the number of a thread")?)?;
    let segment = tokens.number("a segment")?;
    let mut after = Vec::new();
    let mut word = tokens.word("`after` or `holds`")?;
    if word == "after" {
        loop {
            word = tokens.word("`holds`")?;
            let Some((other, until)) = word.split_once(':') else { break };
            after.push((known(number(other, "the number of a thread")?)?, number(until, "a segment")?));
        }
    }
    if word != "holds" {
        return Err(format!("expected `holds`, and this is `{word}`"));
    }
    let mut held = Vec::new();
    loop {
        match tokens.word("a lock or `wants`")? {
            "wants" => break,
            access => held.push(read_lock(tokens, access)?),
        }
    }
    let access = tokens.word("an access")?;
    Ok(KeptAcquisition { holder, segment, after, held, wanted: read_lock(tokens, access)? })
}

fn read_lock(tokens: &mut Tokens<'_>, access: &str) -> Result<KeptLock, String> {
    let access = match access {
        "lock" => Access::Lock,
        "read" => Access::Read,
        "write" => Access::Write,
        other => return Err(format!("`{other}` is no access: lock, read, write are")),
    };
    let name = tokens.text("the name of a lock")?;
    let at = tokens.text("a location")?;
    let mut parts = at.rsplitn(3, ':');
    let (column, line, file) = (parts.next(), parts.next(), parts.next());
    let (Some(column), Some(line), Some(file)) = (column, line, file) else {
        return Err(format!("`{at}` is no location: file, line and column, with colons between"));
    };
    let at = CodeLocation(file.to_owned().into(), number(line, "a line")?, number(column, "a column")?);
    Ok(KeptLock { name, access, at })
}

#[derive(Debug, PartialEq)]
enum Token {
    Word(String),
    Text(String),
}

struct Tokens<'a> {
    tokens: &'a [Token],
}

impl<'a> Tokens<'a> {
    fn next(&mut self, expected: &str) -> Result<&'a Token, String> {
        let (first, rest) =
            self.tokens.split_first().ok_or_else(|| format!("the line ends before {expected}"))?;
        self.tokens = rest;
        Ok(first)
    }

    fn word(&mut self, expected: &str) -> Result<&'a str, String> {
        match self.next(expected)? {
            Token::Word(word) => Ok(word),
            Token::Text(text) => Err(format!("expected {expected}, and this is {text:?}")),
        }
    }

    fn text(&mut self, expected: &str) -> Result<String, String> {
        match self.next(expected)? {
            Token::Text(text) => Ok(text.clone()),
            Token::Word(word) => Err(format!("expected {expected} in quotation marks, and this is `{word}`")),
        }
    }

    fn number<N: FromStr>(&mut self, expected: &str) -> Result<N, String> {
        number(self.word(expected)?, expected)
    }

    fn end(&self) -> Result<(), String> {
        match self.tokens.first() {
            None => Ok(()),
            Some(_) => Err("the line goes on after its end".to_owned()),
        }
    }
}

fn number<N: FromStr>(word: &str, expected: &str) -> Result<N, String> {
    word.parse().map_err(|_| format!("expected {expected}, and this is `{word}`"))
}

/// Words, and texts in quotation marks, as `Debug` writes them.
fn tokens(line: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        let token = match rest.strip_prefix('"') {
            Some(text) => {
                let (text, after) = quoted(text)?;
                rest = after;
                Token::Text(text)
            }
            None => {
                let end = rest.find([' ', '"']).unwrap_or(rest.len());
                let (word, after) = rest.split_at(end);
                rest = after;
                Token::Word(word.to_owned())
            }
        };
        tokens.push(token);
        rest = rest.trim_start();
    }
    Ok(tokens)
}

/// The text up to the closing mark, and what comes after.
fn quoted(text: &str) -> Result<(String, &str), String> {
    let mut result = String::new();
    let mut characters = text.char_indices();
    while let Some((index, character)) = characters.next() {
        match character {
            '"' => return Ok((result, &text[index + 1..])),
            '\\' => result.push(escaped(&mut characters)?),
            other => result.push(other),
        }
    }
    Err("a quotation mark is not closed".to_owned())
}

fn escaped(characters: &mut std::str::CharIndices<'_>) -> Result<char, String> {
    let bad = || "a backslash is followed by no known escape".to_owned();
    match characters.next().ok_or_else(bad)?.1 {
        'n' => Ok('\n'),
        'r' => Ok('\r'),
        't' => Ok('\t'),
        '0' => Ok('\0'),
        'u' => {
            let code: String = characters.map(|(_, c)| c).take_while(|c| *c != '}').skip(1).collect();
            u32::from_str_radix(&code, 16).ok().and_then(char::from_u32).ok_or_else(bad)
        }
        same @ ('"' | '\\' | '\'') => Ok(same),
        _ => Err(bad()),
    }
}
