%% What `selvedge check` adds to Erlang, as ordinary functions.
%%
%% With this module a program that says
%%
%%     -import(selvedge, [prop/1, choice/1]).
%%
%% also runs under `erl`. The checker has its own reading of both: in the state where prop(V) is
%% evaluated the proposition V holds, and choice(List) is each element of the list, one in each
%% branch of the search.
-module(selvedge).

-export([prop/1, choice/1]).

prop(Value) -> Value.

choice([_ | _] = Values) -> lists:nth(rand:uniform(length(Values)), Values).
