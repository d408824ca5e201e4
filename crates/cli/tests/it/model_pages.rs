//! The models in the documents are checked, and turn out as the documents say.

use crate::common::{root, selvedge, temporary_file};

/// The code blocks of a page in this language.
fn models(text: &str, language: &str) -> Vec<String> {
    let opening = format!("```{language}\n");
    let blocks = text.split(&opening).skip(1);
    blocks.map(|block| block.split("```").next().expect("a part").to_owned()).collect()
}

#[track_caller]
fn check(page: &str, language: &str, least: usize) {
    let text = std::fs::read_to_string(root().join("docs").join(page)).expect("the page");
    let models = models(&text, language);
    assert!(models.len() >= least, "only {} models were found", models.len());
    for (number, model) in models.iter().enumerate() {
        let file = temporary_file(&format!("page-{number}.{language}"), model.as_bytes());
        let ran = selvedge(&["check", &file]);
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
