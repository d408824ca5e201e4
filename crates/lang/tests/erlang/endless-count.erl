%% A local loop without end whose state never repeats: line 9.
-module('endless-count').
-export([main/0]).
-import(selvedge, [prop/1]).

main() ->
    count(0), prop(done).

count(N) -> count(N + 1).
