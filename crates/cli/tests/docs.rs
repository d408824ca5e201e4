//! The models in the documentation are checked, and turn out as it says.

mod common;

use std::path::{Path, PathBuf};

/// The blocks of a page that are models.
fn models(text: &str) -> Vec<String> {
    let blocks = text.split("```par\n").skip(1);
    blocks.map(|block| block.split("```").next().expect("a part").to_owned()).collect()
}

#[test]
fn the_models_of_the_language_page_turn_out_as_expected() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/parallel.md");
    let text = std::fs::read_to_string(page).expect("the page");
    let models = models(&text);
    assert!(models.len() >= 8, "only {} models were found", models.len());
    for (number, model) in models.iter().enumerate() {
        let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("page-{number}.par"));
        std::fs::write(&file, model).expect("a writable folder");
        let ran = common::selvedge(&["check", &file.display().to_string()]);
        assert_eq!(ran.code, 0, "{model}\n{}{}", ran.output, ran.errors);
    }
}
