//! What expressions evaluate to: one table, compared with `erl` itself where it is installed.

use super::{concrete, outcomes, program};
use std::process::Command;

/// An expression, and the term that it evaluates to, or the exception.
const ROWS: &[(&str, &str)] = &[
    ("1 + 2 * 3", "{value,7}"),
    ("-7 div 2", "{value,-3}"),
    ("-7 rem 2", "{value,-1}"),
    ("7 / 2", "{value,3.5}"),
    ("1 bsl 70", "{value,1180591620717411303424}"),
    ("-5 bsr 1", "{value,-3}"),
    ("5 band 3 bor 8 bxor 1", "{value,8}"),
    ("bnot 5", "{value,-6}"),
    ("1 div 0", "{error,badarith}"),
    ("a + 1", "{error,badarith}"),
    ("1 == 1.0", "{value,true}"),
    ("1 =:= 1.0", "{value,false}"),
    ("{a, 1} < {a, b}", "{value,true}"),
    ("[a | b] > {z, z, z}", "{value,true}"),
    ("abc < self()", "{value,true}"),
    ("not true or true", "{value,true}"),
    ("true and 1", "{error,badarg}"),
    ("false andalso 1 div 0", "{value,false}"),
    ("true orelse 1 div 0", "{value,true}"),
    ("1 andalso true", "{error,{badarg,1}}"),
    ("[1, 2] ++ [3 | x]", "{value,[1,2,3|x]}"),
    ("[1, 2, 3, 2] -- [2, 4]", "{value,[1,3,2]}"),
    ("hd([])", "{error,badarg}"),
    ("tl([1, 2])", "{value,[2]}"),
    ("length([a | b])", "{error,badarg}"),
    ("element(2, {a, b})", "{value,b}"),
    ("element(3, {a, b})", "{error,badarg}"),
    ("setelement(1, {a, b}, c)", "{value,{c,b}}"),
    ("tuple_to_list({a, {b}})", "{value,[a,{b}]}"),
    ("list_to_tuple([a, b])", "{value,{a,b}}"),
    ("X = 3, {X, Y} = {3, 4}, Y", "{value,4}"),
    ("X = 3, {X, _} = {4, 4}", "{error,{badmatch,{4,4}}}"),
    ("case {a, 2} of {a, 1} -> one; {a, N} when N > 1 -> {more, N} end", "{value,{more,2}}"),
    ("case 5 of 1 -> one end", "{error,{case_clause,5}}"),
    ("X = 2, if X > 2 -> big; X =:= 2 -> two; true -> small end", "{value,two}"),
    ("X = 2, if X > 2 -> big end", "{error,if_clause}"),
    ("X = 1, case 2 of X -> same; _ -> other end", "{value,other}"),
    ("X = 1, (fun(X) -> X + 1 end)(5)", "{value,6}"),
    ("X = 1, F = fun(Y) -> X + Y end, F(4)", "{value,5}"),
    ("F = fun Fact(0) -> 1; Fact(N) -> N * Fact(N - 1) end, F(20)", "{value,2432902008176640000}"),
    ("(fun(1) -> one end)(2)", "{error,function_clause}"),
    ("(fun(_) -> one end)()", "{error,badarity}"),
    ("F = 3, F(1)", "{error,{badfun,3}}"),
    ("f(3)", "{value,{f,3}}"),
    ("apply(fun f/1, [4])", "{value,{f,4}}"),
    ("apply(t, f, [5])", "{value,{f,5}}"),
    ("t:f(6)", "{value,{f,6}}"),
    ("M = t, N = f, M:N(7)", "{value,{f,7}}"),
    ("M = t, M:nothing()", "{error,undef}"),
    ("[X * X || X <- [1, 2, 3, 4], X rem 2 =:= 0]", "{value,[4,16]}"),
    ("[{X, Y} || X <- [1, 2], Y <- [a, b]]", "{value,[{1,a},{1,b},{2,a},{2,b}]}"),
    ("[X || {ok, X} <- [{ok, 1}, error, {ok, 2}]]", "{value,[1,2]}"),
    ("Z = 10, [Z + X || X <- [1, 2], begin W = X, W > 1 end]", "{value,[12]}"),
    ("[X || X <- [a, 1], X + 1 > 0]", "{value,[1]}"),
    ("[X || X <- abc]", "{error,{bad_generator,abc}}"),
    ("#{K => V * 2 || K := V <- #{a => 1, b => 2}}", "{value,#{a => 2,b => 4}}"),
    ("M = #{a => 1}, M#{b => 2, a := 3}", "{value,#{a => 3,b => 2}}"),
    ("M = #{a => 1}, M#{b := 2}", "{error,{badkey,b}}"),
    ("#{a := X} = #{a => 5, b => 6}, X", "{value,5}"),
    ("maps:get(c, #{a => 1}, none)", "{value,none}"),
    ("lists:sort([3, 1, b, a, 2.5])", "{value,[1,2.5,3,a,b]}"),
    ("lists:foldl(fun(X, A) -> [X | A] end, [], [1, 2, 3])", "{value,[3,2,1]}"),
    ("lists:keyfind(b, 1, [{a, 1}, {b, 2}])", "{value,{b,2}}"),
    ("lists:seq(1, 4)", "{value,[1,2,3,4]}"),
    ("try f(1) of {f, X} -> {of_clause, X} catch _:_ -> bad end", "{value,{of_clause,1}}"),
    ("try throw(x) catch throw:Y -> {caught, Y} end", "{value,{caught,x}}"),
    ("try exit(x) catch throw:Y -> Y; exit:Y -> {exited, Y} end", "{value,{exited,x}}"),
    ("try error(x) catch throw:Y -> Y end", "{error,x}"),
    ("try 1 of 2 -> a catch _:_ -> b end", "{error,{try_clause,1}}"),
    ("try 1 div 0 catch error:badarith -> zero after self() ! last end", "{value,zero}"),
    ("try throw(a) catch throw:a -> throw(b) after f(1) end", "{throw,b}"),
    ("(catch throw(x))", "{value,x}"),
    ("(catch exit(x))", "{value,{'EXIT',x}}"),
    ("X = (catch 1 + 1), X + 1", "{value,3}"),
    (
        "maybe {ok, A} ?= {ok, 1}, {ok, B} ?= {error, A}, B else {error, E} -> {none, E} end",
        "{value,{none,1}}",
    ),
    ("maybe {ok, A} ?= {ok, 1}, A + 1 end", "{value,2}"),
    ("#r{b = 2}", "{value,{r,1,2}}"),
    ("R = #r{b = 2}, R#r.b", "{value,2}"),
    ("R = #r{b = 2}, R#r{a = 5}", "{value,{r,5,2}}"),
    ("R = {x}, R#r.b", "{error,{badrecord,{x}}}"),
    ("#r.b", "{value,3}"),
    ("is_record(#r{}, r)", "{value,true}"),
    ("case #r{b = 7} of #r{b = B} -> B end", "{value,7}"),
    ("\"ab\" ++ [$c]", "{value,\"abc\"}"),
    ("atom_to_list(abc)", "{value,\"abc\"}"),
    ("list_to_integer(\"42\") + 1", "{value,43}"),
    ("min(2, a)", "{value,2}"),
    ("round(2.5)", "{value,3}"),
    ("trunc(-2.5)", "{value,-2}"),
    ("is_function(fun f/1, 1)", "{value,true}"),
    ("self() ! m, receive m -> got end", "{value,got}"),
    ("self() ! a, self() ! b, receive b -> first end", "{value,first}"),
    ("receive x -> 1 after 0 -> late end", "{value,late}"),
    ("self() ! 1, receive X when X > 1 -> X after 0 -> none end", "{value,none}"),
    (
        "register(me, self()), me ! hello, receive M -> {M, whereis(me) =:= self()} end",
        "{value,{hello,true}}",
    ),
    ("nobody ! x", "{error,badarg}"),
    (
        "P = spawn(fun() -> receive go -> exit(r) end end), R = monitor(process, P), P ! go, receive {'DOWN', R, process, P, W} -> W end",
        "{value,r}",
    ),
    (
        "process_flag(trap_exit, true), P = spawn_link(fun() -> error(boom) end), receive {'EXIT', P, {W, _}} -> W end",
        "{value,boom}",
    ),
    (
        "process_flag(trap_exit, true), P = spawn_link(fun() -> throw(b) end), receive {'EXIT', P, {W, _}} -> W end",
        "{value,{nocatch,b}}",
    ),
    (
        "process_flag(trap_exit, true), P = spawn_link(fun() -> receive stop -> ok end end), exit(P, kill), receive {'EXIT', P, W} -> W end",
        "{value,killed}",
    ),
    (
        "P = spawn(fun() -> ok end), R = make_ref(), {is_pid(P), is_reference(R), R =:= make_ref()}",
        "{value,{true,true,false}}",
    ),
    ("put(k, 1), A = get(k), {A, put(k, 2), erase(k), get(k)}", "{value,{1,1,2,undefined}}"),
    (
        "put(b, 2), put(a, 1), {lists:sort(get()), lists:sort(get_keys()), get_keys(2)}",
        "{value,{[{a,1},{b,2}],[a,b],[b]}}",
    ),
    ("put(a, 1), {erase(), get()}", "{value,{[{a,1}],[]}}"),
    (
        "S = self(), put(x, 1), spawn(fun() -> S ! {got, get(x)} end), receive {got, X} -> X end",
        "{value,undefined}",
    ),
    ("M = t, N = f, F = fun M:N/1, F(8)", "{value,{f,8}}"),
    ("A = 1, F = fun t:f/A, F(9)", "{value,{f,9}}"),
    ("M = 1, fun M:f/1", "{error,badarg}"),
    (
        "{_, R} = spawn_opt(fun() -> exit(w) end, [monitor, {priority, low}]), receive {'DOWN', R, _, _, W} -> W end",
        "{value,w}",
    ),
    (
        "process_flag(trap_exit, true), P = spawn_opt(t, f, [1], [link]), receive {'EXIT', P, W} -> W end",
        "{value,normal}",
    ),
    ("spawn_opt(fun() -> ok end, [nothing])", "{error,badarg}"),
    ("is_process_alive(a)", "{error,badarg}"),
    ("whereis(1)", "{error,badarg}"),
    ("unlink(a)", "{error,badarg}"),
    ("demonitor(a)", "{error,badarg}"),
    ("erlang:cancel_timer(a)", "{error,badarg}"),
    ("{_, R} = spawn_monitor(fun() -> ok end), receive {'DOWN', R, _, _, W} -> W end", "{value,normal}"),
];

/// The whole program for an expression: it ends with what the expression gives.
fn text(expression: &str) -> String {
    format!(
        "-export([f/1]).\n-record(r, {{a = 1, b}}).\nf(X) -> {{f, X}}.\n\
         main() ->\n    V = try begin {expression} end of V0 -> {{value, V0}}\n        \
         catch Class0:Reason0 ->\n            {{Class0, case Reason0 of {{badarity, _}} -> badarity; _ -> Reason0 end}} end,\n    exit(V).\n"
    )
}

#[test]
fn expressions_evaluate_to_their_values() {
    for (expression, expected) in ROWS {
        let program = program(&text(expression), &concrete());
        let found: Vec<String> = outcomes(&program, true).into_iter().collect();
        assert_eq!(found, [(*expected).to_owned()], "{expression}");
    }
}

/// The table says what `erl` says.
#[test]
fn the_table_of_values_is_that_of_erlang() {
    if Command::new("erl").arg("-version").output().is_err() {
        println!("erl is not installed: the table is not compared");
        return;
    }
    let directory = std::env::temp_dir().join(format!("selvedge-evaluation-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory");
    let mut functions = String::from(
        "-module(t).\n-export([all/0, f/1]).\n\n\
         -record(r, {a = 1, b}).\nf(X) -> {f, X}.\n",
    );
    let mut calls = String::new();
    // Older versions know neither `maybe` nor comprehensions of maps.
    let rows: Vec<_> =
        ROWS.iter().filter(|row| !row.0.contains("maybe") && !row.0.contains(":= V <-")).collect();
    for (index, (expression, _)) in rows.iter().enumerate() {
        functions += &format!(
            "e{index}() -> try begin {expression} end of V0 -> {{value, V0}} catch Class0:Reason0 -> \
             {{Class0, case Reason0 of {{badarity, _}} -> badarity; _ -> Reason0 end}} end.\n"
        );
        calls += &format!(
            "    S{index} = self(), spawn(fun() -> S{index} ! {{{index}, e{index}()}} end),\n    \
             receive {{{index}, V{index}}} -> io:format(\"~tw~n\", [V{index}]) end,\n"
        );
    }
    std::fs::write(directory.join("t.erl"), format!("{functions}all() ->\n{calls}    ok.\n"))
        .expect("a file");
    let compiled =
        Command::new("erlc").arg("-W0").arg("t.erl").current_dir(&directory).output().expect("erlc");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stdout));
    let run = ["-noshell", "-kernel", "logger_level", "none", "-eval", "t:all(), halt()."];
    let output = Command::new("erl").args(run).current_dir(&directory).output().expect("erl");
    let lines: Vec<String> = String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect();
    std::fs::remove_dir_all(&directory).expect("the directory is there");
    assert_eq!(lines.len(), rows.len(), "{}", String::from_utf8_lossy(&output.stderr));
    for ((expression, expected), found) in rows.iter().zip(&lines) {
        // Strings are lists of numbers for `~w`.
        let is_text = expected.contains('"');
        assert!(is_text || found == expected, "{expression}: erl says {found}, the table {expected}");
    }
}
