//! The library that Erlang programs under check use, against OTP's own modules under `erl`.
//!
//! The modules of `src/erlang/library` are compiled under other names, beside OTP's. Random calls must give
//! the same values or exceptions (`tests/erlang/library/compare.erl`), and scripted uses of servers and
//! supervisors the same observations (`scenarios.erl`, only with `SELVEDGE_LONG=1`: the scenarios wait for
//! real timeouts). The models of `models/erlang` and the programs of `tests/erlang` compile without
//! warnings; the models that end do so under `erl` with values that are possible here.
//!
//! Without `erl` (Debian's `erlang-base`) the tests say so and check nothing.

use crate::erlang_programs::outcomes;
use selvedge_lang::erlang::read;
use selvedge_lang::{Delivery, ErlangOptions, NoSources, ReadOptions};
use selvedge_ltl::source::Source;
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Random calls of each function, and those of a long run.
const CALLS: usize = 500;
const LONG_CALLS: usize = 20_000;

pub(crate) fn is_long_run() -> bool {
    std::env::var_os("SELVEDGE_LONG").is_some()
}

/// Is Erlang there? If not, the test says that it is skipped.
pub(crate) fn is_installed(test: &str) -> bool {
    let found = Command::new("erl").arg("-version").output().is_ok();
    if !found {
        writeln!(std::io::stderr(), "skipped: {test} needs `erl` (Debian: erlang-base)")
            .expect("an open stderr");
    }
    found
}

pub(crate) fn crate_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The Erlang files of a folder, in order.
fn erlang_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("a readable folder").path());
    let mut files: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|e| e == "erl")).collect();
    files.sort();
    assert!(!files.is_empty(), "{} has no Erlang files", folder.display());
    files
}

fn module(file: &Path) -> String {
    file.file_stem().and_then(|stem| stem.to_str()).expect("UTF-8").to_owned()
}

/// An empty folder for the compiled modules of a test.
fn empty_folder(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    folder
}

/// Compiles files into a folder; warnings count as errors.
#[track_caller]
fn compile(files: &[PathBuf], folder: &Path) {
    let mut command = Command::new("erlc");
    command.arg("-Werror").arg("-pa").arg(folder).arg("-o").arg(folder).args(files);
    let ran = command.output().expect("erlc");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
}

/// What an expression prints that is evaluated with the modules of a folder.
pub(crate) fn evaluate(folder: &Path, expression: &str) -> String {
    let mut command = Command::new("erl");
    command.arg("-noshell").arg("-pa").arg(folder).args(["-eval", expression]);
    let ran = command.output().expect("erl");
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

/// A module of the library under another name, as it also calls the others that processes are made with.
fn renamed(text: &str, module: &str) -> String {
    let mut text = text.replace(&format!("-module({module})."), &format!("-module(sv_{module})."));
    for name in ["gen_server", "selvedge"] {
        text = text.replace(&format!(" {name}:"), &format!(" sv_{name}:"));
    }
    text.replace("-behaviour(gen_server)", "-behaviour(sv_gen_server)")
}

/// A folder with the library under other names and the modules that compare it with OTP's.
pub(crate) fn compiled_library(test: &str) -> PathBuf {
    let folder = empty_folder(test);
    let mut files = Vec::new();
    for file in erlang_files(&crate_folder().join("src/erlang/library")) {
        let text = std::fs::read_to_string(&file).expect("a text file");
        let copy = folder.join(format!("sv_{}.erl", module(&file)));
        std::fs::write(&copy, renamed(&text, &module(&file))).expect("a writable folder");
        files.push(copy);
    }
    // The behaviour comes before the modules that have it.
    files.sort_by_key(|file| module(file) != "sv_gen_server");
    compile(&files, &folder);
    compile(&erlang_files(&crate_folder().join("tests/erlang/library")), &folder);
    folder
}

#[test]
fn library_functions_do_as_otps_do() {
    if !is_installed("library_functions_do_as_otps_do") {
        return;
    }
    let folder = compiled_library("library_functions");
    let calls = if is_long_run() { LONG_CALLS } else { CALLS };
    let printed = evaluate(&folder, &format!("compare:main({calls})."));
    assert!(printed.ends_with(" calls, 0 differences, 0 functions not called\n"), "{printed}");
}

#[test]
fn servers_and_supervisors_do_as_otps_do() {
    if !is_long_run() || !is_installed("servers_and_supervisors_do_as_otps_do") {
        return;
    }
    let folder = compiled_library("servers_and_supervisors");
    let printed = evaluate(&folder, "scenarios:main().");
    assert!(printed.ends_with(" scenarios, 0 differences\n"), "{printed}");
}

#[test]
fn models_compile_without_warnings_and_those_that_end_do() {
    if !is_installed("models_compile_without_warnings_and_those_that_end_do") {
        return;
    }
    let folder = empty_folder("erlang_models");
    compile(&erlang_files(&crate_folder().join("tests/erlang")), &folder);
    compile(&erlang_files(&crate_folder().join("../../models/erlang/lib")), &folder);
    let files = erlang_files(&crate_folder().join("../../models/erlang"));
    compile(&files, &folder);
    for file in &files {
        let text = std::fs::read_to_string(file).expect("a text file");
        if text.lines().any(|line| line == "%% Ends under erl.") {
            let run = "lists:foreach(fun(_) -> {_, R} = spawn_monitor(fun() -> exit({value, MODULE:main()}) end), \
                       receive {'DOWN', R, _, _, W} -> io:format(\"~w~n\", [W]) end end, lists:seq(1, 8)), halt().";
            let printed = evaluate(&folder, &run.replace("MODULE", &format!("'{}'", module(file))));
            let possible = model_outcomes(file, &text);
            assert_eq!(printed.lines().count(), 8, "{}: {printed}", file.display());
            for line in printed.lines() {
                let outcome = without_pids(line);
                assert!(possible.contains(&outcome), "{}: erl: {outcome}, here {possible:?}", file.display());
            }
        }
    }
}

/// What the main function of a model can give with fifo delivery, as an exit reason.
fn model_outcomes(file: &Path, text: &str) -> BTreeSet<String> {
    let name = file.to_str().expect("UTF-8");
    let source = Source::new(name, format!("{text}\noutcome() -> exit({{value, main()}}).\n"));
    let options = ErlangOptions {
        main: Some("outcome".to_owned()),
        domains: vec!["concrete".to_owned()],
        delivery: Delivery::Fifo,
        ..ErlangOptions::default()
    };
    let options = ReadOptions { settings: &[], erlang: &options, finder: &NoSources };
    let (program, diagnostics) = read(&source, &options);
    let program = program.unwrap_or_else(|| panic!("{diagnostics:?}"));
    outcomes(&program, true).iter().map(|outcome| without_pids(outcome)).collect()
}

/// A term with `pid` in place of each `<0.85.0>` or `@1`.
fn without_pids(term: &str) -> String {
    let mut text = String::new();
    let mut rest = term;
    while let Some(start) = rest.find(['<', '@']) {
        let end = match &rest[start..=start] {
            "<" => rest[start..].find('>').map_or(rest.len(), |end| start + end + 1),
            _ => rest[start + 1..]
                .find(|c: char| !c.is_ascii_digit())
                .map_or(rest.len(), |end| start + 1 + end),
        };
        text += &rest[..start];
        text += "pid";
        rest = &rest[end..];
    }
    text + rest
}

#[test]
fn the_module_beside_the_models_is_the_librarys() {
    let [library, models] = ["src/erlang/library/selvedge.erl", "../../models/erlang/lib/selvedge.erl"]
        .map(|path| std::fs::read_to_string(crate_folder().join(path)).expect("a text file"));
    assert_eq!(library, models);
}
