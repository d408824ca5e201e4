//! All of OTP's `stdlib` and `kernel`, compared with `epp`.
//!
//! Runs with `SELVEDGE_LONG=1` where Debian's `erlang-base` and `erlang-src` are installed. Each file is
//! parsed without a message, `lint` finds no mistake, it has the functions that `epp:parse_file` finds,
//! and what is printed is the same tree again, for this parser and for OTP's.

use super::printed::check_printed;
use selvedge_lang::erlang::syntax::lint::lint;
use selvedge_lang::erlang::syntax::{Include, Options, SourceMap, parse};
use selvedge_ltl::source::Source;
use selvedge_testkit::is_long_run;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

const LIBRARIES: &str = "/usr/lib/erlang/lib";

const APPLICATIONS: [&str; 2] = ["stdlib", "kernel"];

#[test]
fn all_of_stdlib_and_kernel_is_parsed_with_the_functions_that_epp_finds() {
    let files = source_files();
    if !is_long_run() || files.is_empty() {
        return;
    }
    let options = Options { find_include: &find_include, ..Options::default() };
    let mut ours = BTreeSet::new();
    let folder = std::env::temp_dir().join(format!("selvedge-otp-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for file in &files {
        let mut sources = SourceMap::default();
        let (module, diagnostics) = parse(read(file).expect("a file"), &mut sources, &options);
        let mistakes = lint(&module);
        let messages: Vec<String> =
            diagnostics.iter().chain(&mistakes).map(|diagnostic| sources.render(diagnostic, false)).collect();
        assert!(messages.is_empty(), "{}", messages.join("\n"));
        let functions = module.functions();
        ours.extend(
            functions.map(|function| format!("{} {}/{}", module.name, function.name, function.arity)),
        );
        check_printed(&module);
        let printed = folder.join(file.file_name().expect("a name"));
        std::fs::write(printed, module.to_string()).expect("a file");
    }
    let theirs = functions_by_epp(&files);
    let difference: Vec<&String> = ours.symmetric_difference(&theirs).collect();
    assert!(difference.is_empty(), "{difference:#?}");
    let form_count = compare_forms(&folder, &files);
    let _ = std::fs::remove_dir_all(&folder);
    println!("{form_count} forms, {} functions of {} files", ours.len(), files.len());
}

fn source_files() -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = APPLICATIONS
        .into_iter()
        .filter_map(application)
        .filter_map(|folder| std::fs::read_dir(folder.join("src")).ok())
        .flat_map(|entries| entries.flatten().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "erl"))
        .collect();
    files.sort();
    files
}

/// The directory of an application, whatever its version.
fn application(name: &str) -> Option<PathBuf> {
    let prefix = format!("{name}-");
    let entries = std::fs::read_dir(LIBRARIES).ok()?;
    let mut paths = entries.flatten().map(|entry| entry.path());
    paths.find(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&prefix)))
}

fn find_include(include: &Include) -> Result<Source, String> {
    let beside = Path::new(&include.from).parent().map(|folder| folder.join(&include.path));
    let mut candidates = vec![beside];
    for folder in include_folders() {
        candidates.push(Some(folder.join(&include.path)));
    }
    if let Some((name, rest)) = include.path.split_once('/') {
        candidates.push(application(name).map(|folder| folder.join(rest)));
    }
    candidates.into_iter().flatten().find_map(|path| read(&path)).ok_or_else(|| "no such file".to_owned())
}

fn include_folders() -> Vec<PathBuf> {
    let applications = APPLICATIONS.into_iter().filter_map(application);
    applications.flat_map(|folder| [folder.join("include"), folder.join("src")]).collect()
}

/// A file's text; some files are in Latin-1.
fn read(path: &Path) -> Option<Source> {
    let bytes = std::fs::read(path).ok()?;
    let latin1 = |bytes: Vec<u8>| bytes.into_iter().map(char::from).collect();
    let text = String::from_utf8(bytes).unwrap_or_else(|error| latin1(error.into_bytes()));
    Some(Source::new(path.display().to_string(), text))
}

/// What OTP's own preprocessor and parser find.
fn functions_by_epp(files: &[PathBuf]) -> BTreeSet<String> {
    let folders: Vec<String> = include_folders().iter().map(|folder| format!("{folder:?}")).collect();
    let program = format!(
        "lists:foreach(fun(File) -> \
           {{ok, Forms}} = epp:parse_file(File, [{{includes, [{}]}}]), \
           [Module] = [M || {{attribute, _, module, M}} <- Forms], \
           [io:format(\"~ts ~ts/~w~n\", [Module, F, A]) || {{function, _, F, A, _}} <- Forms] \
         end, init:get_plain_arguments()), halt().",
        folders.join(", ")
    );
    let output = Command::new("erl")
        .args(["-noshell", "+fnu", "-eval", &program, "-extra"])
        .args(files)
        .output()
        .expect("Debian's `erlang-base`, beside `erlang-src`");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

/// OTP reads what is printed as the forms of the file itself; how many there are.
fn compare_forms(folder: &Path, files: &[PathBuf]) -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/erlang/compare_forms.escript");
    let output = Command::new("escript").arg(script).arg(folder).args(files).output().expect("`escript`");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text
}
