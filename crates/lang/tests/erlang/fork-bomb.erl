%% Processes without end: line 8 spawns two for each.
-module('fork-bomb').
-export([main/0]).

main() -> bomb().

bomb() ->
    spawn(fun bomb/0), spawn(fun bomb/0),
    receive
        never -> ok
    end.
