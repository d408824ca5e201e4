//! Bounds of the language: a program beyond them is told so, with the line, and never `holds`.

use super::{concrete, expect_verdict, program, refused, under};
use selvedge_lang::{ErlangOptions, Program, SystemOptions};
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
fn a_deep_recursion_has_a_verdict_with_forgotten_frames() {
    let forgetting = |frames| ErlangOptions { frames: Some(frames), ..concrete() };
    // Each message makes the stack deeper.
    let waits = "main() -> P = spawn(fun() -> wait(), prop(never) end), feed(P).\n\
                 feed(P) -> P ! go, feed(P), prop(never).\n\
                 wait() -> receive go -> wait(), prop(never) end.";
    let one_at_a_time = ErlangOptions { max_mailbox: 1, ..concrete() };
    expect_verdict(waits, &one_at_a_time, "G !never", "limit");
    let deep = "main() -> prop(begins), down().\ndown() -> self() ! x, receive x -> down() end, prop(never).";
    expect_verdict(deep, &concrete(), "G !never", "limit");
    for frames in 0..4 {
        expect_verdict(deep, &forgetting(frames), "G !never", "holds");
        expect_verdict(deep, &forgetting(frames), "F never", "may-be-violated");
        expect_verdict("main() ->\n 1 + main().", &forgetting(frames), "G !never", "holds");
    }
    // With parities the recursion that counts has finitely many states, too.
    let counts = "main() -> prop(sum(1)).\nsum(N) -> self() ! N, receive M -> M + sum(M + 1) end.";
    let parity = ErlangOptions { frames: Some(1), ..under(&["parity"]) };
    expect_verdict(counts, &under(&["parity"]), "G !even", "limit");
    expect_verdict(counts, &parity, "G !even", "holds");
}

#[test]
fn a_return_from_a_forgotten_frame_goes_to_every_call() {
    let forgetting = |frames| ErlangOptions { frames: Some(frames), ..concrete() };
    let text = "main() -> f(1, 2), prop(b).\nf(0, _) -> ok;\nf(N, X) -> f(N - 1, X), prop({a, X}), ok.";
    for frames in 0..3 {
        expect_verdict(text, &forgetting(frames), "F b", "holds");
    }
    // With the frame of `main` alone kept, the call in `f` returns to both calls.
    let twice = "main() -> f(1), prop(b).\nf(0) -> ok;\nf(N) -> g(N), prop(a).\ng(N) -> X = f(N - 1), X.";
    expect_verdict(twice, &concrete(), "!b U a", "holds");
    expect_verdict(twice, &forgetting(0), "!b U a", "may-be-violated");
    expect_verdict(twice, &forgetting(3), "!b U a", "holds");
}

#[test]
fn a_local_loop_is_a_process_that_diverges() {
    let text = "main() -> spawn(fun() -> prop(a) end), loop(). loop() -> loop().";
    expect_verdict(text, &concrete(), "G !b", "holds");
    expect_verdict(text, &concrete(), "F a", "violated");
}

#[test]
fn a_loop_that_uses_the_process_dictionary_is_followed() {
    let around = "main() -> put(n, 0), loop().\nloop() -> put(n, 1 - get(n)), loop().";
    expect_verdict(around, &concrete(), "G !b", "holds");
    expect_verdict(&format!("{around}\nother() -> prop(b)."), &concrete(), "F b", "violated");
    let text = "main() -> put(n, 0), loop().\nloop() -> put(n, get(n) + 1), loop().";
    expect_verdict(text, &ErlangOptions { max_local: 1_000, ..concrete() }, "G !b", "limit");
    expect_verdict(text, &under(&["parity"]), "G !b", "holds");
    let reads = "main() -> put(n, 0), put(n, get(n) + 2), prop(get(n)).";
    expect_verdict(reads, &under(&["parity"]), "F even", "holds");
    // A key that the domain does not know may be any.
    let unknown = "main() -> put(1, a), put(3, b), prop(get(1)).";
    expect_verdict(unknown, &concrete(), "F a", "holds");
    expect_verdict(unknown, &under(&["parity"]), "F a", "may-be-violated");
}

#[test]
fn an_unknown_argument_stands_for_every_process_and_name() {
    let under_depth =
        |text: &str, formula: &str| expect_verdict(text, &under(&["depth(1)"]), formula, "may-be-violated");
    let dead = "main() -> P = spawn(fun() -> receive never -> ok end end), {{Q}} = {{P}}, exit(Q, kill), \
                case is_process_alive(P) of true -> prop(alive); false -> prop(dead) end.";
    expect_verdict(dead, &concrete(), "F dead", "holds");
    under_depth(dead, "F dead");
    under_depth(dead, "G !alive");
    let linked = "main() -> process_flag(trap_exit, true), P = spawn(fun() -> receive go -> exit(x) end end), \
                  {{Q}} = {{P}}, link(Q), unlink(Q), P ! go, receive {'EXIT', _, _} -> prop(told) after 5000 -> ok end.";
    expect_verdict(linked, &concrete(), "G !told", "holds");
    under_depth(linked, "G !told");
    let named = "main() -> register(a, self()), {{N}} = {{a}}, case whereis(N) of undefined -> prop(none); _ -> prop(found) end.";
    expect_verdict(named, &concrete(), "F found", "holds");
}

#[test]
fn a_construct_that_is_not_supported_is_an_error_where_it_can_be_reached() {
    let message = refused("main() -> registered().\n");
    assert!(
        message.contains("`registered/0` is not supported") && message.contains("t.erl:3:11"),
        "{message}"
    );
    let unreachable = "main() -> prop(a).\nother() -> registered().";
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
