%% Writes a program of random calls of the library's functions, for the checker to evaluate.
%%
%% main/2 takes a seed and a number of calls, and prints a module `random_calls`. Each of its calls is
%% compared with the outcome that the same call has under `erl`. Its main function reaches prop(done) if
%% all are as expected, and exits with the calls that are not.
-module(calls).

-export([main/2]).

main(Seed, Count) ->
    rand:seed(exsss, {Seed, 5, 1999}),
    io:format("-module(random_calls).~n-export([main/0]).~n~n"),
    io:format("main() ->~n    case call(1) of~n        [] -> prop(done);~n        Wrong -> exit({wrong, Wrong})~n"
              "    end.~n~nprop(X) -> X.~n~n"),
    io:format("outcome(F) ->~n    try~n        {value, F()}~n    catch~n        Class:Reason -> {Class, Reason}~n"
              "    end.~n~n"),
    io:format("compared(X, X, _) -> [];~ncompared(X, _, N) -> [{N, X}].~n~n"),
    [write(N) || N <- lists:seq(1, Count)],
    io:format("call(~b) -> [].~n", [Count + 1]),
    halt().

write(N) ->
    {Module, Function, Kinds} = compare:one_of(rows()),
    Drawn = [compare:drawn(Kind) || Kind <- Kinds],
    Arguments = lists:join(", ", [Text || {Text, _} <- Drawn]),
    Expected = compare:outcome(Module, Function, [Value || {_, Value} <- Drawn]),
    io:format("call(~b) -> compared(outcome(fun() -> ~p:~p(~s) end), ~0p, ~b) ++ call(~b);~n",
              [N, Module, Function, Arguments, Expected, N, N + 1]).

%% The order of the keys is open, so their list is not compared.
rows() -> [Row || {_, Function, _} = Row <- compare:functions(), Function =/= get_keys].
