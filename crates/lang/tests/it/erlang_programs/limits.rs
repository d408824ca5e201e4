//! Bounds of the language: a program beyond them is told so, with the line, and never `holds`.

use super::{concrete, expect_verdict, program, refused};
use selvedge_lang::{Program, SystemOptions};
use selvedge_model::System;

/// The bound that cut a step off and its line, after a check of `F never`.
fn cut(text: &str) -> (&'static str, Option<usize>) {
    let program = program(text, &concrete());
    let formula = program.formula("G !never").expect("a formula");
    let mut alphabet = selvedge_ltl::Alphabet::default();
    let numbered = alphabet.number(&formula).expect("one proposition");
    let system = program.system(alphabet.names(), SystemOptions::default()).expect("a system");
    let report = selvedge_model::check(&system, &numbered, Default::default()).expect("a verdict");
    assert!(matches!(report.verdict, selvedge_model::Verdict::Limit(_)), "{text}");
    let cut = system.first_cut().expect("a step that was cut off");
    (cut.bound, cut.line)
}

#[test]
fn what_grows_without_end_is_a_limit_with_its_line() {
    // The first line of the texts is the third of the file.
    let mailbox = "main() -> S = spawn(fun() -> receive never -> prop(never) end end),\n loop(S).\nloop(S) -> S ! x,\n loop(S).";
    assert_eq!(cut(mailbox), ("mailbox", Some(5)));
    assert_eq!(cut("main() ->\n spawn(fun main/0),\n main()."), ("processes", Some(4)));
    assert_eq!(cut("main() ->\n 1 + main()."), ("stack", Some(4)));
    assert_eq!(cut("main() -> count(0).\ncount(N) -> count(N + 1)."), ("local", Some(4)));
}

#[test]
fn a_local_loop_is_a_process_that_diverges() {
    let text = "main() -> spawn(fun() -> prop(a) end), loop(). loop() -> loop().";
    expect_verdict(text, &concrete(), "G !b", "holds");
    expect_verdict(text, &concrete(), "F a", "violated");
}

#[test]
fn a_construct_that_is_not_supported_is_an_error_where_it_can_be_reached() {
    let message = refused("main() -> put(a, 1).\n");
    assert!(message.contains("`put/2` is not supported") && message.contains("t.erl:3:11"), "{message}");
    let unreachable = "main() -> prop(a).\nother() -> put(a, 1).";
    expect_verdict(unreachable, &concrete(), "F a", "holds");
}

#[test]
fn a_function_that_is_not_defined_is_an_error() {
    let message = refused("main() -> other(1).\n");
    assert!(message.contains("`other/1` is not defined"), "{message}");
    let message = refused("main() -> nowhere:f(1).\n");
    assert!(message.contains("module `nowhere` was not found"), "{message}");
    let message = refused("start() -> ok.\n");
    assert!(message.contains("there is no function `main/0`"), "{message}");
}
