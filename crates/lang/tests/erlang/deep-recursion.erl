%% A stack without end: the call of line 7 is no tail call.
-module('deep-recursion').
-export([main/0]).

main() -> sum(1).

sum(N) -> N + sum(N + 1).
