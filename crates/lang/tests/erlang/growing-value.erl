%% A value that grows for ever: no two states are the same.
-module('growing-value').
-export([main/0]).

main() -> count(0).

count(N) ->
    self() ! N,
    receive
        N -> count(N + 1)
    end.
