//! The models in the documentation are checked, and turn out as it says.

mod common;

use std::path::{Path, PathBuf};

/// The blocks of a page that are models of this language.
fn models(text: &str, language: &str) -> Vec<String> {
    let opening = format!("```{language}\n");
    let blocks = text.split(&opening).skip(1);
    blocks.map(|block| block.split("```").next().expect("a part").to_owned()).collect()
}

#[track_caller]
fn check(page: &str, language: &str, least: usize) {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(page);
    let text = std::fs::read_to_string(page).expect("the page");
    let models = models(&text, language);
    assert!(models.len() >= least, "only {} models were found", models.len());
    for (number, model) in models.iter().enumerate() {
        let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("page-{number}.{language}"));
        std::fs::write(&file, model).expect("a writable folder");
        let ran = common::selvedge(&["check", &file.display().to_string()]);
        assert_eq!(ran.code, 0, "{model}\n{}{}", ran.output, ran.errors);
    }
}

#[test]
fn the_models_of_the_page_on_parallel_turn_out_as_expected() {
    check("parallel.md", "par", 9);
}

#[test]
fn the_models_of_the_page_on_flow_turn_out_as_expected() {
    check("flow.md", "flow", 3);
}
