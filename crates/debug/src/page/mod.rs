//! The page: plain ES modules and style sheets, embedded in the program.
//!
//! There is no build step: the files here are what the browser runs.

/// A file of the page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PageFile {
    /// Its path below the token.
    pub(crate) path: &'static str,
    /// Its media type.
    pub(crate) kind: &'static str,
    /// Its text.
    pub(crate) text: &'static str,
}

const HTML: &str = "text/html; charset=utf-8";

/// The file at this path.
pub(crate) fn file(path: &str) -> Option<&'static PageFile> {
    FILES.iter().find(|file| file.path == path)
}

static FILES: [PageFile; 1] = [PageFile { path: "", kind: HTML, text: include_str!("index.html") }];
