//! The pictures of the README, in light and in dark. `SELVEDGE_PICTURES=1` writes them to `docs/`.

use crate::keyboard::Reader;
use std::path::{Path, PathBuf};

/// Where a picture goes: to the documents if the environment asks for it.
fn place(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    match std::env::var_os("SELVEDGE_PICTURES") {
        Some(_) => root.join("docs").join(name),
        None => Path::new(env!("CARGO_TARGET_TMPDIR")).join(name),
    }
}

#[test]
fn pictures_of_the_page_in_light_and_dark() {
    let reader = Reader::new();
    reader.ask("F (P0 at m2 & P1 at n2)");
    reader.ask("!(P1 at n8) U (P0 at m8)");
    reader.page.press("/");
    reader.page.write("G !(P0 at m8 & P1 at n8)");
    reader.page.press("Escape");
    reader.page.press("Escape");
    reader.key("v");
    reader.page.press("a");
    reader.page.wait_for("document.querySelectorAll('.alternative').length > 0");
    reader.page.wait_for("document.querySelectorAll('.strip rect').length > 0");
    for (view, scheme, name) in [("code", "light", "debug-page.png"), ("flow", "dark", "debug-page-dark.png")]
    {
        reader.page.prefer(scheme);
        reader.page.wait_for(&format!("document.body.dataset.view === '{view}'"));
        reader.page.wait_for("document.querySelectorAll('.event').length > 10");
        let path = place(name);
        reader.page.screenshot(&path);
        let bytes = std::fs::read(&path).expect("a picture");
        assert!(bytes.starts_with(b"\x89PNG"), "{}", path.display());
        reader.page.press("g");
    }
}
