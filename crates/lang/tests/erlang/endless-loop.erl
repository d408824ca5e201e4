%% A local loop without end, in one state: line 11 never ends, and the other process goes on.
-module('endless-loop').
-export([main/0]).
-import(selvedge, [prop/1]).

main() ->
    spawn(fun spin/0),
    prop(done).

%% Its state repeats, so the loop is a divergence.
spin() -> spin().
