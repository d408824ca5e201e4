//! What is printed and read again is the same tree.

use super::generate::Generator;
use super::module_of;
use selvedge_lang::erlang::syntax::tree::Module;
use selvedge_lang::erlang::syntax::{Options, SourceMap, parse};
use selvedge_ltl::source::Source;
use selvedge_testkit::is_long_run;
use std::path::Path;

/// How many forms are drawn.
fn count() -> u64 {
    if is_long_run() { 100_000 } else { 3_000 }
}

#[test]
fn a_random_tree_is_the_same_after_printing_and_parsing() {
    for seed in 0..count() {
        let form = Generator::new(seed).form(1 + (seed % 3) as usize);
        let text = format!("-module(m).\n{form}\n");
        let module = module_of(&text);
        assert_eq!(module.forms.len(), 2, "{text}");
        assert_eq!(module.forms[1], form, "seed {seed}: {form}\nreads as\n{}", module.forms[1]);
    }
}

#[test]
fn every_file_of_the_library_and_of_the_models_is_parsed_and_printed() {
    let mut count = 0;
    for folder in ["src/erlang/library", "../../models/erlang"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for entry in std::fs::read_dir(&folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|extension| extension == "erl") {
                let module = module_of(&std::fs::read_to_string(&path).expect("a text"));
                assert_eq!(&*module.name.kind, path.file_stem().expect("a name").to_string_lossy());
                check_printed(&module);
                count += 1;
            }
        }
    }
    assert!(count >= 20, "{count} files");
}

#[track_caller]
pub(super) fn check_printed(module: &Module) {
    let printed = Source::new("printed.erl", module.to_string());
    let (again, diagnostics) = parse(printed, &mut SourceMap::default(), &Options::default());
    assert_eq!(diagnostics, [], "{}", module.name);
    for (form, again) in module.forms.iter().zip(&again.forms) {
        assert_eq!(form, again, "{} printed as\n{form}\nreads as\n{again}", module.name);
    }
    assert_eq!(module.forms.len(), again.forms.len(), "{}", module.name);
}
