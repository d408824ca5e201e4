//! Variables of random functions, judged by `lint` and by OTP's `erl_lint`.
//!
//! Runs with `SELVEDGE_LONG=1` where `erl` is installed. The functions bind and use three variables in
//! every construct that treats bindings in its own way. Of each function, the variable without a value has
//! to be the same; where there are several, `lint` has to find one.

use super::module_of;
use selvedge_lang::erlang::syntax::lint::lint;
use selvedge_testkit::{Random, is_long_run};
use std::process::Command;

/// How many functions are drawn.
const COUNT: usize = 4_000;

#[test]
fn variables_are_bound_as_erl_lint_says() {
    let has_erl = Command::new("erl").args(["-noshell", "-eval", "halt()."]).output().is_ok();
    if !is_long_run() || !has_erl {
        return;
    }
    let functions: Vec<String> = (0..COUNT).map(|seed| function(seed as u64)).collect();
    let theirs = judged_by_erl_lint(&functions);
    assert_eq!(theirs.len(), functions.len());
    let mut bad_count = 0;
    let mut differences = Vec::new();
    for (function, theirs) in functions.iter().zip(&theirs) {
        let ours = judged_by_lint(function);
        // After a first mistake, both may find others that follow from it.
        let agrees = match theirs.as_str() {
            "" => ours.is_empty(),
            "several" => !ours.is_empty(),
            only => ours.iter().any(|mistake| mistake == only),
        };
        if !agrees {
            differences.push(format!("{function} ours: {ours:?}, theirs: {theirs}"));
        }
        bad_count += usize::from(!ours.is_empty());
    }
    differences.sort_by_key(String::len);
    assert!(
        differences.is_empty(),
        "{} differ: {:#?}",
        differences.len(),
        &differences[..differences.len().min(10)]
    );
    assert!((COUNT / 4..COUNT * 3 / 4 + COUNT / 8).contains(&bad_count), "{bad_count} have mistakes");
}

/// `unbound X` or `unsafe X` for each mistake.
fn judged_by_lint(function: &str) -> Vec<String> {
    let sentence = |message: &str| {
        let name = message.split('`').nth(1).unwrap_or_default();
        let kind = ["unbound", "unsafe"].into_iter().find(|kind| message.contains(kind)).unwrap_or_default();
        format!("{kind} {name}")
    };
    lint(&module_of(function)).iter().map(|error| sentence(&error.message)).collect()
}

/// The same by `erl_lint`, or `several`.
fn judged_by_erl_lint(functions: &[String]) -> Vec<String> {
    let path = std::env::temp_dir().join(format!("selvedge-lint-{}.erl", std::process::id()));
    std::fs::write(&path, functions.join("\n")).expect("a file");
    let program = format!(
        "{{ok, Text}} = file:read_file({path:?}), \
         lists:foreach(fun(Line) -> \
           {{ok, Tokens, _}} = erl_scan:string(binary_to_list(Line), {{1, 1}}), \
           {{ok, Form}} = erl_parse:parse_form(Tokens), \
           Forms = [{{attribute, {{1, 1}}, module, m}}, {{attribute, {{1, 1}}, export, [{{f, 2}}]}}, Form, {{eof, {{2, 1}}}}], \
           Errors = case erl_lint:module(Forms, \"m\", []) of \
             {{ok, _}} -> []; {{error, [{{_, E}}], _}} -> lists:sort(E) end, \
           case Errors of \
             [] -> io:format(\"~n\"); \
             [{{_, _, {{unbound_var, V}}}}] -> io:format(\"unbound ~w~n\", [V]); \
             [{{_, _, {{unbound_var, V, _}}}}] -> io:format(\"unbound ~w~n\", [V]); \
             [{{_, _, {{unsafe_var, V, _}}}}] -> io:format(\"unsafe ~w~n\", [V]); \
             [Other] -> io:format(\"~w~n\", [Other]); \
             _ -> io:format(\"several~n\") end \
         end, binary:split(Text, <<10>>, [global, trim])), halt()."
    );
    let output = Command::new("erl").args(["-noshell", "-eval", &program]).output().expect("`erl`");
    let _ = std::fs::remove_file(&path);
    let text = String::from_utf8_lossy(&output.stdout).replace('\'', "");
    assert!(output.status.success(), "{text}");
    text.lines().map(str::to_owned).collect()
}

/// A function of two parameters, on one line.
fn function(seed: u64) -> String {
    let mut random = Random(seed);
    let body: Vec<String> = (0..2 + random.below(3)).map(|_| expr(&mut random, 2)).collect();
    format!("f(A, B) -> {}.", body.join(", "))
}

fn variable(random: &mut Random) -> &'static str {
    random.pick(&["X", "Y", "Z", "A", "B"])
}

fn pattern(random: &mut Random) -> String {
    let name = variable(random);
    match random.below(6) {
        0 => "1".to_owned(),
        1 => "_".to_owned(),
        2 => format!("{{{name}, {}}}", variable(random)),
        3 => format!("<<{name}, _:{name}>>"),
        4 => format!("#{{{name} := {}}}", variable(random)),
        _ => name.to_owned(),
    }
}

fn clause(random: &mut Random, depth: usize) -> String {
    let guard = if random.below(4) == 0 { format!(" when {}", variable(random)) } else { String::new() };
    format!("{}{guard} -> {}", pattern(random), body(random, depth))
}

fn body(random: &mut Random, depth: usize) -> String {
    let count = 1 + random.below(2);
    let exprs: Vec<String> = (0..count).map(|_| expr(random, depth)).collect();
    exprs.join(", ")
}

fn expr(random: &mut Random, depth: usize) -> String {
    if depth == 0 || random.below(4) == 0 {
        return match random.below(5) {
            0 => variable(random).to_owned(),
            1 | 2 => format!("({} = 1)", variable(random)),
            _ => "1".to_owned(),
        };
    }
    let depth = depth - 1;
    match random.below(14) {
        0 => format!("({} = {})", pattern(random), expr(random, depth)),
        1 => format!("{{{}, {}}}", expr(random, depth), expr(random, depth)),
        2 => format!(
            "case {} of {}; {} end",
            expr(random, depth),
            clause(random, depth),
            clause(random, depth)
        ),
        3 => {
            format!("if {} -> {}; true -> {} end", variable(random), body(random, depth), body(random, depth))
        }
        4 => format!(
            "receive {} after {} -> {} end",
            clause(random, depth),
            variable(random),
            body(random, depth)
        ),
        5 => format!("({} andalso {})", expr(random, depth), expr(random, depth)),
        6 => format!("(catch {})", expr(random, depth)),
        7 => format!("try {} catch {} end", body(random, depth), clause(random, depth)),
        8 => format!(
            "try {} of {} after {} end",
            body(random, depth),
            clause(random, depth),
            expr(random, depth)
        ),
        9 => format!("fun ({}) -> {} end", pattern(random), body(random, depth)),
        10 => format!(
            "[{} || {} <- {}, {}]",
            expr(random, depth),
            pattern(random),
            expr(random, depth),
            expr(random, depth)
        ),
        11 => format!("begin {} end", body(random, depth)),
        // `erl_lint` takes an unsafe variable as bound after a fun of that name, which `lint` does not.
        12 => format!("fun F({}) -> {} end", pattern(random), body(random, depth)),
        _ => format!("({} + {})", expr(random, depth), expr(random, depth)),
    }
}
