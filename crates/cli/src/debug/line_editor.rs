//! A line of the terminal, with history and completion.
//!
//! Keys: left, right, home, end, backspace, delete; up and down go through the history; tab completes, or
//! lists what could stand there; control-C empties the line, control-D on an empty line ends the session.
//!
//! Promise: the terminal has its old settings again when a line has been read, or reading has failed.

use selvedge_debug::view::Completion;
use std::io::{self, Read, Write};

/// At most so many completions are listed.
const MAX_LISTED: usize = 30;

/// Reads lines, and remembers them.
#[derive(Default)]
pub(super) struct LineEditor {
    history: Vec<String>,
}

/// The line so far.
#[derive(Default)]
struct Buffer {
    characters: Vec<char>,
    cursor: usize,
    /// The place in the history; its length stands for the line that is being typed.
    place: usize,
}

/// What a key leads to.
enum Key {
    Goes,
    Done,
    End,
}

impl LineEditor {
    /// The next line; `None` at the end of input.
    pub(super) fn read(
        &mut self,
        prompt: &str,
        complete: &mut dyn FnMut(&str) -> (usize, Vec<Completion>),
    ) -> io::Result<Option<String>> {
        let Some(_raw) = RawMode::begin() else {
            print(prompt)?;
            return read_plainly();
        };
        let mut buffer = Buffer { place: self.history.len(), ..Buffer::default() };
        loop {
            buffer.show(prompt)?;
            match self.key(&mut buffer, complete)? {
                Key::Goes => {}
                Key::Done => {
                    print("\r\n")?;
                    let line: String = buffer.characters.iter().collect();
                    if !line.trim().is_empty() && self.history.last() != Some(&line) {
                        self.history.push(line.clone());
                    }
                    return Ok(Some(line));
                }
                Key::End => {
                    print("\r\n")?;
                    return Ok(None);
                }
            }
        }
    }

    fn key(
        &self,
        buffer: &mut Buffer,
        complete: &mut dyn FnMut(&str) -> (usize, Vec<Completion>),
    ) -> io::Result<Key> {
        match read_character()? {
            None => return Ok(Key::End),
            Some('\r' | '\n') => return Ok(Key::Done),
            Some('\u{4}') if buffer.characters.is_empty() => return Ok(Key::End),
            Some('\u{3}') => *buffer = Buffer { place: self.history.len(), ..Buffer::default() },
            Some('\u{1}') => buffer.cursor = 0,
            Some('\u{5}') => buffer.cursor = buffer.characters.len(),
            Some('\u{7f}' | '\u{8}') if buffer.cursor > 0 => {
                buffer.cursor -= 1;
                buffer.characters.remove(buffer.cursor);
            }
            Some('\t') => buffer.complete(complete)?,
            Some('\u{1b}') => self.escape(buffer)?,
            Some(character) if !character.is_control() => {
                buffer.characters.insert(buffer.cursor, character);
                buffer.cursor += 1;
            }
            Some(_) => {}
        }
        Ok(Key::Goes)
    }

    /// A key that sends several characters.
    fn escape(&self, buffer: &mut Buffer) -> io::Result<()> {
        if !matches!(read_character()?, Some('[' | 'O')) {
            return Ok(());
        }
        match read_character()? {
            Some('A') => self.recall(buffer, buffer.place.saturating_sub(1)),
            Some('B') => self.recall(buffer, (buffer.place + 1).min(self.history.len())),
            Some('C') => buffer.cursor = (buffer.cursor + 1).min(buffer.characters.len()),
            Some('D') => buffer.cursor = buffer.cursor.saturating_sub(1),
            Some('H') => buffer.cursor = 0,
            Some('F') => buffer.cursor = buffer.characters.len(),
            Some('3') => {
                read_character()?;
                if buffer.cursor < buffer.characters.len() {
                    buffer.characters.remove(buffer.cursor);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn recall(&self, buffer: &mut Buffer, place: usize) {
        let line = self.history.get(place).map_or("", String::as_str);
        buffer.characters = line.chars().collect();
        buffer.cursor = buffer.characters.len();
        buffer.place = place;
    }
}

impl Buffer {
    fn show(&self, prompt: &str) -> io::Result<()> {
        let line: String = self.characters.iter().collect();
        let back = self.characters.len() - self.cursor;
        let back = if back > 0 { format!("\u{1b}[{back}D") } else { String::new() };
        print(&format!("\r{prompt}{line}\u{1b}[K{back}"))
    }

    /// Inserts what all completions begin with; lists them if that is nothing new.
    fn complete(&mut self, complete: &mut dyn FnMut(&str) -> (usize, Vec<Completion>)) -> io::Result<()> {
        let before: String = self.characters[..self.cursor].iter().collect();
        let (start, items) = complete(&before);
        let Some(first) = items.first() else { return Ok(()) };
        let mut common = first.text.clone();
        while !items.iter().all(|item| item.text.starts_with(&common)) {
            common.pop();
        }
        if common.len() > before.len() - start {
            let after = self.characters.split_off(self.cursor);
            self.characters = before[..start].chars().chain(common.chars()).collect();
            self.cursor = self.characters.len();
            self.characters.extend(after);
        } else {
            let texts: Vec<&str> = items.iter().take(MAX_LISTED).map(|item| item.text.trim()).collect();
            print(&format!("\r\n{}\r\n", texts.join("   ")))?;
        }
        Ok(())
    }
}

fn print(text: &str) -> io::Result<()> {
    let mut out = io::stderr();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// A line without editing: of a script, or where the terminal's settings cannot be changed.
pub(super) fn read_plainly() -> io::Result<Option<String>> {
    let mut line = String::new();
    let read = io::stdin().read_line(&mut line)?;
    Ok((read > 0).then(|| line.trim_end_matches(['\r', '\n']).to_owned()))
}

/// The next character of standard input; `None` at its end.
fn read_character() -> io::Result<Option<char>> {
    let mut bytes = Vec::new();
    loop {
        let mut byte = [0];
        if io::stdin().lock().read(&mut byte)? == 0 {
            return Ok(None);
        }
        bytes.push(byte[0]);
        match std::str::from_utf8(&bytes) {
            Ok(text) => return Ok(text.chars().next()),
            Err(_) if bytes.len() < 4 => {}
            Err(_) => return Ok(Some('\u{fffd}')),
        }
    }
}

/// The terminal sends each key as it is pressed, for as long as this lives.
struct RawMode {
    #[cfg(unix)]
    before: libc::termios,
}

#[cfg(unix)]
#[allow(unsafe_code)] // the standard library has no settings of terminals
impl RawMode {
    fn begin() -> Option<RawMode> {
        // SAFETY: a `termios` of zeros is one, and both functions read or write no more than it; a failure
        // is an error code.
        unsafe {
            let mut before: libc::termios = std::mem::zeroed();
            if libc::tcgetattr(libc::STDIN_FILENO, &raw mut before) != 0 {
                return None;
            }
            let mut raw = before;
            raw.c_lflag &= !(libc::ICANON | libc::ECHO | libc::ISIG);
            if libc::tcsetattr(libc::STDIN_FILENO, libc::TCSANOW, &raw const raw) != 0 {
                return None;
            }
            Some(RawMode { before })
        }
    }
}

#[cfg(unix)]
#[allow(unsafe_code)]
impl Drop for RawMode {
    fn drop(&mut self) {
        // SAFETY: `before` is what the terminal had, as `begin` read it.
        unsafe { libc::tcsetattr(libc::STDIN_FILENO, libc::TCSANOW, &raw const self.before) };
    }
}

#[cfg(not(unix))]
impl RawMode {
    fn begin() -> Option<RawMode> {
        None
    }
}
