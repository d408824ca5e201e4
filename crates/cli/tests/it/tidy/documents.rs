//! The README is short, and the links of all documents lead somewhere.

use super::{SourceFile, check, files_below, root};
use std::path::Path;

const MAX_README_WORDS: usize = 700;

/// The pages of the repository.
fn documents() -> Vec<SourceFile> {
    let pages = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "bench/README.md"];
    let page = |path: &&str| {
        let text = std::fs::read_to_string(root().join(path)).expect("a page of the repository");
        SourceFile::new(path, &text)
    };
    pages.iter().map(page).chain(files_below(&["docs"], "md")).collect()
}

/// The targets of the relative links of a line.
fn relative_links(line: &str) -> Vec<&str> {
    let targets = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("://")).collect()
}

/// The anchor that Markdown gives a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = kept.chars().filter(|char| char.is_alphanumeric() || " -_".contains(*char));
    kept.collect::<String>().replace(' ', "-")
}

/// What is wrong with the target of a link in the page at this path.
fn broken(page: &str, target: &str) -> Option<String> {
    let (file, wanted) = target.split_once('#').map_or((target, None), |(file, anchor)| (file, Some(anchor)));
    let folder = Path::new(page).parent().expect("a page is in a folder");
    let path = if file.is_empty() { root().join(page) } else { root().join(folder).join(file) };
    if !path.exists() {
        return Some(format!("`{target}` leads to no file"));
    }
    let wanted = wanted?;
    let text = std::fs::read_to_string(path).expect("a page");
    let mut headings = text.lines().filter(|line| line.starts_with('#'));
    (!headings.any(|heading| anchor(heading) == wanted)).then(|| format!("`{target}` leads to no heading"))
}

#[test]
fn the_readme_has_at_most_700_words() {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("the README");
    let words = readme.split_whitespace().count();
    assert!(words <= MAX_README_WORDS, "the README has {words} words");
}

#[test]
fn relative_links_lead_to_files_and_headings() {
    check(&documents(), |file| {
        let links = file
            .lines()
            .flat_map(|(number, line)| relative_links(line).into_iter().map(move |target| (number, target)));
        let complaints = links.filter_map(|(number, target)| {
            broken(&file.path, target).map(|complaint| file.complaint(number, &complaint))
        });
        complaints.collect()
    });
}

#[test]
fn the_measure_of_links_measures() {
    assert_eq!(relative_links("[a](b.md), [c](d.md#e) and [f](https://g)"), ["b.md", "d.md#e"]);
    assert_eq!(anchor("## What there is, `now`"), "what-there-is-now");
    assert_eq!(broken("docs/README.md", "explore.md#a-first-test"), None);
    assert!(broken("docs/README.md", "explore.md#nowhere-to-be-found").is_some());
    assert!(broken("README.md", "docs/missing.md").is_some());
}
