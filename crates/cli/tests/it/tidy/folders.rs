//! The folders of the controlled execution, `crates/selvedge/src/control`, own their insides.
//!
//! Beside the folders there are only `mod.rs` and `execution.rs`. A file outside `control/memory/` uses
//! `crate::control::memory::X` only if `control/memory/mod.rs` exports `X`: a path through a submodule of
//! the folder, or to a submodule, is a complaint. The paths of `use` declarations and those inside of code
//! both count.

use super::{SourceFile, check, files_below};
use std::collections::BTreeSet;

const SOURCES: &str = "crates/selvedge/src";
const CONTROL: &str = "crates/selvedge/src/control";

/// The files of `control` that are in no folder.
const OUTSIDE_FOLDERS: [&str; 2] = ["mod.rs", "execution.rs"];

/// The modules of a crate, each as the path of its names.
struct Modules {
    all: BTreeSet<Vec<String>>,
}

impl Modules {
    fn new(files: &[SourceFile]) -> Modules {
        Modules { all: files.iter().map(|file| module_of(&file.path)).collect() }
    }

    /// Is this the path of a module, or does it go through one, inside of a folder of `control`?
    fn inside_of_folder(&self, path: &[String]) -> Option<&[String]> {
        let inside = path.get(..3).filter(|inside| inside[0] == "control")?;
        self.all.get(inside).map(|module| module.as_slice())
    }

    /// The path from the root of the crate, if it can be told from the text alone.
    fn resolve(&self, path: &[String], module: &[String]) -> Option<Vec<String>> {
        let mut base = module.to_vec();
        let mut rest = path;
        match rest.first()?.as_str() {
            "crate" => {
                base.clear();
                rest = &rest[1..];
            }
            "self" => rest = &rest[1..],
            "super" => {}
            name => {
                let child = [module, &[name.to_owned()]].concat();
                self.all.contains(&child).then_some(())?;
            }
        }
        while rest.first().is_some_and(|name| name == "super") {
            base.pop()?;
            rest = &rest[1..];
        }
        base.extend_from_slice(rest);
        Some(base)
    }
}

/// `crates/selvedge/src/control/memory/mod.rs` is the module `control::memory`.
fn module_of(path: &str) -> Vec<String> {
    let path = path.strip_prefix(SOURCES).unwrap_or(path).trim_start_matches('/');
    let path = path.strip_suffix(".rs").unwrap_or(path);
    let mut names: Vec<String> = path.split('/').map(str::to_owned).collect();
    if names.last().is_some_and(|name| ["mod", "lib", "main"].contains(&name.as_str())) {
        names.pop();
    }
    names
}

/// Paths into the inside of a folder, from a file outside of it.
fn paths_into_folders(file: &SourceFile, modules: &Modules) -> Vec<String> {
    let own = module_of(&file.path);
    let mut complaints = Vec::new();
    for (line, module, path) in paths(&file.text, &own) {
        let Some(resolved) = modules.resolve(&path, &module) else { continue };
        let Some(inside) = modules.inside_of_folder(&resolved) else { continue };
        if !own.starts_with(&inside[..2]) {
            let folder = inside[..2].join("::");
            let text = format!("`{}` is inside of `{folder}`", resolved.join("::"));
            complaints.push(file.complaint(line, &text));
        }
    }
    complaints.dedup();
    complaints
}

/// A part of a program's text.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Name(String),
    /// `::`
    Separator,
    Symbol(char),
}

/// The tokens of a text with their lines. Comments and texts in quotation marks have none.
fn tokens(text: &str) -> Vec<(usize, Token)> {
    let mut tokens = Vec::new();
    let mut open_text: Option<OpenText> = None;
    for (index, line) in text.lines().enumerate() {
        let mut rest = line;
        while let Some(char) = rest.chars().next() {
            if let Some(open) = &open_text {
                rest = match open.end(rest) {
                    Some(end) => {
                        open_text = None;
                        &rest[end..]
                    }
                    None => "",
                };
                continue;
            }
            if rest.starts_with("//") {
                break;
            }
            if let Some((open, length)) = OpenText::start(rest) {
                open_text = Some(open);
                rest = &rest[length..];
                continue;
            }
            let (token, length) = token(rest, char);
            tokens.extend(token.map(|token| (index + 1, token)));
            rest = &rest[length..];
        }
    }
    tokens
}

/// The token at the start of this text, and its length; white space and a quotation mark as a character are
/// none.
fn token(rest: &str, first: char) -> (Option<Token>, usize) {
    let is_name = |char: &char| char.is_alphanumeric() || *char == '_';
    let name: String = rest.chars().take_while(is_name).collect();
    match first {
        _ if !name.is_empty() => (Some(Token::Name(name.clone())), name.len()),
        _ if rest.starts_with("::") => (Some(Token::Separator), 2),
        _ if rest.starts_with("'\"'") => (None, 3),
        _ if first.is_whitespace() => (None, first.len_utf8()),
        _ => (Some(Token::Symbol(first)), first.len_utf8()),
    }
}

/// A text whose closing quotation mark is still to come.
enum OpenText {
    Plain,
    /// With so many `#` around.
    Raw(usize),
}

impl OpenText {
    /// The text that opens here, with the length of its opening.
    fn start(rest: &str) -> Option<(OpenText, usize)> {
        if rest.starts_with('"') {
            return Some((OpenText::Plain, 1));
        }
        let behind = rest.strip_prefix('r')?;
        let hashes = behind.len() - behind.trim_start_matches('#').len();
        behind[hashes..].starts_with('"').then_some((OpenText::Raw(hashes), hashes + 2))
    }

    /// Where the text ends on this line, behind its closing quotation mark.
    fn end(&self, rest: &str) -> Option<usize> {
        match self {
            OpenText::Raw(hashes) => {
                let closing = format!("\"{}", "#".repeat(*hashes));
                rest.find(&closing).map(|start| start + closing.len())
            }
            OpenText::Plain => {
                let mut is_escaped = false;
                rest.find(|char| {
                    let ends = char == '"' && !is_escaped;
                    is_escaped = char == '\\' && !is_escaped;
                    ends
                })
                .map(|start| start + 1)
            }
        }
    }
}

/// Every path of the text, with its line and the module that it is written in. A path with a group, `a::{b,
/// c::d}`, counts as several.
fn paths(text: &str, module: &[String]) -> Vec<(usize, Vec<String>, Vec<String>)> {
    let tokens = tokens(text);
    let mut found = Vec::new();
    let mut module = module.to_vec();
    // The depths at which modules written in the file began.
    let mut inline_modules: Vec<usize> = Vec::new();
    let mut depth = 0;
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at..] {
            [(_, Token::Name(keyword)), (_, Token::Name(name)), (_, Token::Symbol('{')), ..]
                if keyword == "mod" =>
            {
                depth += 1;
                inline_modules.push(depth);
                module.push(name.clone());
                at += 3;
            }
            [(_, Token::Symbol('{')), ..] => {
                depth += 1;
                at += 1;
            }
            [(_, Token::Symbol('}')), ..] => {
                if inline_modules.last() == Some(&depth) {
                    inline_modules.pop();
                    module.pop();
                }
                depth = depth.saturating_sub(1);
                at += 1;
            }
            [(_, Token::Name(_)), ..] => {
                let mut tree = Vec::new();
                at = path_tree(&tokens, at, &[], &mut tree);
                found.extend(tree.into_iter().map(|(line, path)| (line, module.clone(), path)));
            }
            _ => at += 1,
        }
    }
    found
}

/// Reads the path, or the group of paths, that starts here; returns the first token behind it.
fn path_tree(
    tokens: &[(usize, Token)],
    start: usize,
    prefix: &[String],
    found: &mut Vec<(usize, Vec<String>)>,
) -> usize {
    let mut path = prefix.to_vec();
    let mut at = start;
    let line = tokens[start].0;
    while let Some((_, Token::Name(name))) = tokens.get(at) {
        path.push(name.clone());
        at += 1;
        if tokens.get(at).map(|(_, token)| token) != Some(&Token::Separator) {
            break;
        }
        at += 1;
        if tokens.get(at).map(|(_, token)| token) == Some(&Token::Symbol('{')) {
            return path_group(tokens, at + 1, &path, found);
        }
    }
    // `a::{self}` is `a`.
    if path.len() > 1 && path.last().is_some_and(|name| name == "self") {
        path.pop();
    }
    found.push((line, path));
    at
}

/// Reads the paths of a group up to its closing brace.
fn path_group(
    tokens: &[(usize, Token)],
    start: usize,
    prefix: &[String],
    found: &mut Vec<(usize, Vec<String>)>,
) -> usize {
    let mut at = start;
    while let Some((_, token)) = tokens.get(at) {
        match token {
            Token::Name(_) => at = path_tree(tokens, at, prefix, found),
            Token::Symbol('}') => return at + 1,
            _ => at += 1,
        }
    }
    at
}

/// A file of `control` that is in no folder.
fn file_outside_folders(file: &SourceFile) -> Vec<String> {
    let name = file.path.strip_prefix(CONTROL).map(|name| name.trim_start_matches('/'));
    match name {
        Some(name) if !name.contains('/') && !OUTSIDE_FOLDERS.contains(&name) => {
            vec![file.complaint(1, "a file of `control` is in a folder")]
        }
        _ => Vec::new(),
    }
}

#[test]
fn the_files_of_control_are_in_folders() {
    check(&files_below(&[CONTROL], "rs"), file_outside_folders);
}

#[test]
fn folders_of_control_are_used_by_what_they_export() {
    let files = files_below(&[SOURCES], "rs");
    let modules = Modules::new(&files);
    check(&files, |file| paths_into_folders(file, &modules));
}

#[test]
fn the_search_for_files_outside_folders_finds_them() {
    let complaints = |name: &str| file_outside_folders(&SourceFile::new(&format!("{CONTROL}/{name}"), ""));
    assert_eq!(complaints("turn.rs").len(), 1);
    for name in ["mod.rs", "execution.rs", "memory/mod.rs", "memory/buffers.rs"] {
        assert_eq!(complaints(name), Vec::<String>::new(), "{name}");
    }
}

/// The complaints of a file of this path and text, beside the modules `memory`, `memory::buffers` and
/// `race::clock`.
fn complaints_of(path: &str, text: &str) -> Vec<String> {
    let beside = ["control/mod.rs", "control/memory/mod.rs", "control/memory/buffers.rs"];
    let others = ["control/race/mod.rs", "control/race/clock.rs", path];
    let files = beside.iter().chain(&others).map(|path| SourceFile::new(&format!("{SOURCES}/{path}"), text));
    let files: Vec<SourceFile> = files.collect();
    let modules = Modules::new(&files);
    let found = paths_into_folders(files.last().expect("a file"), &modules);
    found.iter().map(|complaint| complaint.replace(&format!("{SOURCES}/"), "")).collect()
}

#[test]
fn a_path_into_a_folder_is_a_complaint() {
    let check = |path: &str, text: &str, expected: &[&str]| {
        assert_eq!(complaints_of(path, text), expected, "{path}: {text}");
    };
    let inside = "is inside of `control::memory`";
    let buffers = format!("control/race/clock.rs:1: `control::memory::buffers::X` {inside}");
    check("control/race/clock.rs", "use crate::control::memory::buffers::X;", &[&buffers]);
    check("control/race/clock.rs", "use super::super::memory::buffers::X;", &[&buffers]);
    check("control/race/clock.rs", "fn f() { crate::control::memory::buffers::X }", &[&buffers]);
    let module = format!("control/race/clock.rs:2: `control::memory::buffers` {inside}");
    check("control/race/clock.rs", "use crate::control::{\n    memory::{Memory, buffers},\n};", &[&module]);
    let after_texts = "let a = r\"\\\"; let b = '\"'; let c = \"\\\"\"; crate::control::memory::buffers::X";
    check("control/race/clock.rs", after_texts, &[&buffers]);
    let from_mod = format!("control/mod.rs:1: `control::memory::buffers::X` {inside}");
    check("control/mod.rs", "pub(crate) use memory::buffers::X;", &[&from_mod]);
    let from_tests = format!("control/race/clock.rs:1: `control::memory::buffers::X` {inside}");
    check(
        "control/race/clock.rs",
        "mod tests { use super::super::super::memory::buffers::X; }",
        &[&from_tests],
    );
    let outside = format!("sync/mutex.rs:1: `control::memory::buffers::X` {inside}");
    check("sync/mutex.rs", "use crate::control::memory::buffers::X;", &[&outside]);
}

#[test]
fn a_path_to_what_a_folder_exports_is_fine() {
    let exported = [
        "use crate::control::memory::Memory;",
        "use super::super::memory::{self, Memory};",
        "use crate::control::Memory;",
        "// use crate::control::memory::buffers::X;\nlet text = \"crate::control::memory::buffers::X\";",
        "use super::clock::Clock; use std::memory::buffers::X;",
        "let text = r#\" \" crate::control::memory::buffers::X\n\"#;",
        "let text = \"\\\\\\\" crate::control::memory::buffers::X\"; let quote = '\"';",
    ];
    for text in exported {
        assert_eq!(complaints_of("control/race/clock.rs", text), Vec::<String>::new(), "{text}");
    }
    for text in ["use super::buffers::X;", "use crate::control::memory::buffers::X;", "use buffers::X;"] {
        assert_eq!(complaints_of("control/memory/mod.rs", text), Vec::<String>::new(), "{text}");
    }
}
