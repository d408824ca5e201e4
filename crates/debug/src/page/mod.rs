//! The page: plain ES modules and style sheets, embedded in the program.
//!
//! There is no build step: the files here are what the browser runs. `app.js` makes the panels; `session.js`
//! has what is known, `commands.js` what can be done, `link.js` the way to the server; each panel is a
//! module.

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

/// The file at this path.
pub(crate) fn file(path: &str) -> Option<&'static PageFile> {
    FILES.iter().find(|file| file.path == path)
}

/// The texts of the style sheets, in their order.
pub(crate) fn styles() -> impl Iterator<Item = &'static str> {
    FILES.iter().filter(|file| file.kind == CSS).map(|file| file.text)
}

/// The paths of the modules.
#[cfg(test)]
pub(crate) fn modules() -> impl Iterator<Item = &'static str> {
    FILES.iter().filter(|file| file.kind == JAVASCRIPT).map(|file| file.path)
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

macro_rules! page_file {
    ($kind:expr, $path:literal) => {
        PageFile { path: $path, kind: $kind, text: include_str!($path) }
    };
}

static FILES: [PageFile; 26] = [
    PageFile { path: "", kind: HTML, text: include_str!("index.html") },
    page_file!(SVG, "icon.svg"),
    page_file!(CSS, "theme.css"),
    page_file!(CSS, "layout.css"),
    page_file!(CSS, "panels.css"),
    page_file!(CSS, "drawing.css"),
    page_file!(JAVASCRIPT, "app.js"),
    page_file!(JAVASCRIPT, "alternatives.js"),
    page_file!(JAVASCRIPT, "bytes.js"),
    page_file!(JAVASCRIPT, "commands.js"),
    page_file!(JAVASCRIPT, "dom.js"),
    page_file!(JAVASCRIPT, "formula.js"),
    page_file!(JAVASCRIPT, "help.js"),
    page_file!(JAVASCRIPT, "keys.js"),
    page_file!(JAVASCRIPT, "lanes.js"),
    page_file!(JAVASCRIPT, "link.js"),
    page_file!(JAVASCRIPT, "options.js"),
    page_file!(JAVASCRIPT, "places.js"),
    page_file!(JAVASCRIPT, "processes.js"),
    page_file!(JAVASCRIPT, "programs.js"),
    page_file!(JAVASCRIPT, "recorded.js"),
    page_file!(JAVASCRIPT, "session.js"),
    page_file!(JAVASCRIPT, "share.js"),
    page_file!(JAVASCRIPT, "stack.js"),
    page_file!(JAVASCRIPT, "state.js"),
    page_file!(JAVASCRIPT, "timeline.js"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// A module that is longer has a second idea.
    const MAX_LINES: usize = 400;

    #[test]
    fn every_file_of_the_folder_is_embedded() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/page");
        let entries = std::fs::read_dir(folder).expect("the folder of the page");
        let names = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"));
        let found: BTreeSet<String> = names.filter(|name| name != "mod.rs").collect();
        let path = |file: &PageFile| if file.path.is_empty() { "index.html" } else { file.path }.to_owned();
        assert_eq!(found, FILES.iter().map(path).collect());
    }

    #[test]
    fn modules_and_style_sheets_open_with_their_idea_and_are_short() {
        for file in FILES.iter().filter(|file| [CSS, JAVASCRIPT].contains(&file.kind)) {
            assert!(file.text.starts_with("//") || file.text.starts_with("/*"), "{}", file.path);
            assert!(file.text.lines().count() <= MAX_LINES, "{} is long", file.path);
        }
    }

    #[test]
    fn the_markup_has_no_inline_styles_scripts_or_handlers() {
        let html = file("").expect("the page").text;
        for forbidden in ["style=", "onclick", "javascript:", "<style", "http:", "https:"] {
            assert!(!html.contains(forbidden), "{forbidden}");
        }
    }
}
