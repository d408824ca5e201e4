//! The manifests of published crates are complete.

use super::{SourceFile, check, files_below};
use crate::common::root;

/// The fields that crates.io and `cargo package` ask for.
const REQUIRED: [&str; 8] = [
    "description",
    "version",
    "rust-version",
    "license",
    "keywords",
    "categories",
    "readme",
    "documentation",
];

/// crates.io refuses more.
const MAX_KEYWORDS: usize = 5;

/// The lines of the section `[package]`, each with its number, its key and its value. `version.workspace =
/// true` has the key `version`.
fn package_fields(file: &SourceFile) -> Vec<(usize, &str, &str)> {
    let lines = file.lines().skip_while(|(_, line)| *line != "[package]").skip(1);
    let section = lines.take_while(|(_, line)| !line.starts_with('['));
    let fields = section.filter_map(|(number, line)| {
        let (key, value) = line.split_once('=')?;
        Some((number, key.trim().trim_end_matches(".workspace"), value.trim()))
    });
    fields.collect()
}

fn incomplete_manifest(file: &SourceFile) -> Vec<String> {
    let fields = package_fields(file);
    let value = |key: &str| fields.iter().find(|(_, own, _)| *own == key);
    if value("publish").is_some_and(|(_, _, value)| *value == "false") {
        return Vec::new();
    }
    let missing = REQUIRED.iter().filter(|key| value(key).is_none());
    let mut complaints: Vec<String> =
        missing.map(|key| file.complaint(1, &format!("`{key}` is missing"))).collect();
    if let Some((number, _, keywords)) = value("keywords")
        && keywords.split(',').count() > MAX_KEYWORDS
    {
        complaints.push(file.complaint(*number, &format!("more than {MAX_KEYWORDS} keywords")));
    }
    complaints
}

/// A readme that the manifest names and the folder does not have.
fn missing_readme(file: &SourceFile) -> Vec<String> {
    let folder = file.path.trim_end_matches("Cargo.toml");
    let readmes = package_fields(file).into_iter().filter(|(_, key, _)| *key == "readme");
    let missing = readmes.filter(|(_, _, name)| !root().join(folder).join(name.trim_matches('"')).exists());
    missing.map(|(number, _, name)| file.complaint(number, &format!("there is no {name}"))).collect()
}

/// The manifests of the crates, without those of tests.
fn manifests() -> Vec<SourceFile> {
    let files = files_below(&["crates"], "toml").into_iter();
    let manifests: Vec<SourceFile> = files.filter(|file| file.path.split('/').count() == 3).collect();
    assert!(manifests.len() >= 8, "the manifests were not found");
    manifests
}

#[test]
fn published_crates_have_complete_manifests() {
    check(&manifests(), incomplete_manifest);
}

#[test]
fn published_crates_have_their_readme() {
    check(&manifests(), missing_readme);
}

#[test]
fn the_search_for_incomplete_manifests_finds_them() {
    let fields =
        "description = \"\"\nversion.workspace = true\nrust-version.workspace = true\nlicense = \"MIT\"\n";
    let rest = "categories = []\nreadme = \"none.md\"\ndocumentation = \"\"\n";
    let manifest = |keywords: &str| {
        let text = format!("[package]\n{fields}{keywords}{rest}\n[dependencies]\nkeywords = \"1\"\n");
        SourceFile::new("crates/a/Cargo.toml", &text)
    };
    assert_eq!(incomplete_manifest(&manifest("keywords = [\"a\"]\n")), Vec::<String>::new());
    assert_eq!(incomplete_manifest(&manifest("")), ["crates/a/Cargo.toml:1: `keywords` is missing"]);
    let many = "keywords = [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\"]\n";
    assert_eq!(incomplete_manifest(&manifest(many)), ["crates/a/Cargo.toml:6: more than 5 keywords"]);
    assert_eq!(incomplete_manifest(&manifest("publish = false\n")), Vec::<String>::new());
    assert_eq!(missing_readme(&manifest("")), ["crates/a/Cargo.toml:7: there is no \"none.md\""]);
}
