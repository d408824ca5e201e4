//! The other files of a program: included files, modules and domains, found in the file system.
//!
//! Promise: a file is looked for beside the file that names it first, then in the directories of `--path` in
//! their order. A message about a file that is not there lists where it was looked for.

use crate::model_file::decode;
use crate::phrases::join_names;
use selvedge_lang::{SourceFinder, SourceRequest};
use selvedge_ltl::source::Source;
use std::path::{Path, PathBuf};

/// Finds the files that a program names.
pub(crate) struct FileFinder<'a> {
    /// The file of the program itself.
    pub(crate) main: &'a Path,
    /// The directories of `--path`.
    pub(crate) paths: &'a [PathBuf],
}

impl SourceFinder for FileFinder<'_> {
    fn find(&self, request: &SourceRequest<'_>) -> Result<Source, String> {
        match *request {
            SourceRequest::Include { path, from } => self.first(Path::new(path), Path::new(from)),
            SourceRequest::IncludeLib { path, from } => self
                .first(Path::new(path), Path::new(from))
                .or_else(|reason| self.in_application(path, reason)),
            SourceRequest::Module(name) if name.contains(['/', '\\']) => {
                Err(format!("`{name}` is no name of a file"))
            }
            SourceRequest::Module(name) => self.first(Path::new(&format!("{name}.erl")), self.main),
            SourceRequest::Domain(name) => match read(Path::new(name)) {
                Some(found) => found,
                None => self.first(Path::new(name), self.main),
            },
        }
    }
}

impl FileFinder<'_> {
    /// The first file of this path, beside the file `from` or in a directory of `--path`.
    fn first(&self, path: &Path, from: &Path) -> Result<Source, String> {
        let beside = from.parent().unwrap_or(Path::new("")).to_owned();
        let directories: Vec<&PathBuf> = [&beside].into_iter().chain(self.paths).collect();
        let found = directories.iter().find_map(|directory| read(&directory.join(path)));
        found.unwrap_or_else(|| {
            let shown = |directory: &&PathBuf| match directory.as_os_str().is_empty() {
                true => ".".to_owned(),
                false => directory.display().to_string(),
            };
            let looked: Vec<String> = directories.iter().map(shown).collect();
            let looked = join_names(looked.iter().map(String::as_str));
            Err(format!("there is no `{}` in {looked}", path.display()))
        })
    }

    /// The file of an application whose directory has a version: `kernel-9.2` for `kernel`.
    fn in_application(&self, path: &str, reason: String) -> Result<Source, String> {
        let Some((application, rest)) = path.split_once('/') else { return Err(reason) };
        let is_version = |name: &str| {
            name.strip_prefix(application).is_some_and(|version| {
                version
                    .strip_prefix('-')
                    .is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit()))
            })
        };
        for directory in self.paths {
            let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
            let mut names: Vec<String> =
                entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
            names.sort_unstable();
            let versions = names.iter().rev().filter(|name| is_version(name));
            let found = versions.map(|name| directory.join(name).join(rest)).find_map(|file| read(&file));
            if let Some(found) = found {
                return found;
            }
        }
        Err(reason)
    }
}

/// The text of a file; `None` if there is no such file.
fn read(file: &Path) -> Option<Result<Source, String>> {
    if !file.is_file() {
        return None;
    }
    let name = file.display().to_string();
    Some(match std::fs::read(file) {
        Ok(bytes) => decode(&name, bytes).map_err(|failure| failure.message()),
        Err(error) => Err(format!("{name}: {error}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files with their names as texts, in a directory that is removed at the end.
    struct Directory(PathBuf);

    impl Directory {
        fn new(name: &str, files: &[&str]) -> Directory {
            let root = std::env::temp_dir().join(format!("selvedge-{name}-{}", std::process::id()));
            for file in files {
                let path = root.join(file);
                std::fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
                std::fs::write(path, file).expect("a file");
            }
            Directory(root)
        }
    }

    impl Drop for Directory {
        fn drop(&mut self) {
            // A directory that cannot be removed does no harm.
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    const FILES: [&str; 8] = [
        "src/main.erl",
        "src/lock.hrl",
        "src/deep/inner.hrl",
        "src/deep/lock.hrl",
        "lib/lock.hrl",
        "lib/queue.erl",
        "lib/kernel-9.2/include/file.hrl",
        "lib/kernel-10.0/include/other.hrl",
    ];

    #[test]
    fn files_are_found_beside_the_file_that_names_them_first() {
        let directory = Directory::new("finder", &FILES);
        let (main, paths) = (directory.0.join("src/main.erl"), [directory.0.join("lib")]);
        let finder = FileFinder { main: &main, paths: &paths };
        let from = main.to_str().expect("a name");
        let deep = directory.0.join("src/deep/inner.hrl");
        let deep = deep.to_str().expect("a name");
        for (request, text) in [
            (SourceRequest::Include { path: "lock.hrl", from }, "src/lock.hrl"),
            (SourceRequest::Include { path: "deep/inner.hrl", from }, "src/deep/inner.hrl"),
            (SourceRequest::Include { path: "lock.hrl", from: deep }, "src/deep/lock.hrl"),
            (SourceRequest::Module("queue"), "lib/queue.erl"),
            (SourceRequest::IncludeLib { path: "lock.hrl", from }, "src/lock.hrl"),
            (
                SourceRequest::IncludeLib { path: "kernel/include/file.hrl", from },
                "lib/kernel-9.2/include/file.hrl",
            ),
            (SourceRequest::Domain("lock.hrl"), "src/lock.hrl"),
        ] {
            let found = finder.find(&request).expect("a file");
            assert_eq!(found.text, text, "{request:?}");
            assert_eq!(found.name, directory.0.join(text).to_str().expect("a name"), "{request:?}");
        }
    }

    #[test]
    fn a_missing_file_is_reported_with_the_directories() {
        let (main, paths) = (Path::new("main.erl"), [PathBuf::from("no/such/directory")]);
        let finder = FileFinder { main, paths: &paths };
        let refused = finder.find(&SourceRequest::Module("queue")).expect_err("no file");
        assert_eq!(refused, "there is no `queue.erl` in ., no/such/directory");
        let refused = finder.find(&SourceRequest::Module("../queue")).expect_err("no file");
        assert_eq!(refused, "`../queue` is no name of a file");
    }
}
