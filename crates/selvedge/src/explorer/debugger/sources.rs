//! The source files of a test, for readers.
//!
//! The compiler names a file relative to the directory in which it ran: that of the workspace, which is the
//! working directory of a test or an ancestor of it. Shown are the file of the test, those beside it and
//! those of its package's `src`.
//!
//! Promise: a file that cannot be read is left out, and no more than [`MAX_FILES`] are read.

use crate::control::diagnose::Snapshot;
use selvedge_explore::Site;
use std::path::{Path, PathBuf};

/// At most this many files are shown.
const MAX_FILES: usize = 200;

/// Longer files are not shown.
const MAX_BYTES: u64 = 1 << 20;

/// The files, each by the name that the compiler gives it, with its text. That of the test is the first.
pub(super) fn of(first: &Snapshot) -> Vec<(String, String)> {
    let file = first.threads.iter().find_map(|thread| match thread.site {
        Site::Rust(location) => Some(location.file()),
        _ => None,
    });
    let Some((root, own)) = file.and_then(locate) else { return Vec::new() };
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let mut paths = vec![own.clone()];
    own.parent().into_iter().for_each(|folder| list(folder, &mut paths));
    package.into_iter().for_each(|package| list(&package.join("src"), &mut paths));
    let source = |path: &PathBuf| {
        let is_short = std::fs::metadata(path).is_ok_and(|data| data.len() <= MAX_BYTES);
        let text = is_short.then(|| std::fs::read_to_string(path).ok())??;
        Some((path.strip_prefix(&root).ok()?.display().to_string(), text))
    };
    paths.iter().filter_map(source).collect()
}

/// The directory that a name is relative to, and the path of the file.
fn locate(name: &str) -> Option<(PathBuf, PathBuf)> {
    let here = std::env::current_dir().ok()?;
    let root = here.ancestors().find(|directory| directory.join(name).is_file())?;
    Some((root.to_owned(), root.join(name)))
}

/// Adds the Rust files of a folder and the folders in it.
fn list(folder: &Path, paths: &mut Vec<PathBuf>) {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let mut entries: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        entries.sort();
        for path in entries {
            let is_rust = path.extension().is_some_and(|extension| extension == "rs");
            if path.is_dir() {
                folders.push(path);
            } else if is_rust && paths.len() < MAX_FILES && !paths.contains(&path) {
                paths.push(path);
            }
        }
    }
}
