%% A mailbox that grows for ever: line 11 sends what no receive takes.
-module('growing-mailbox').
-export([main/0]).

main() ->
    Receiver = spawn(fun() -> receive stop -> ok end end),
    flood(Receiver).

flood(Receiver) ->
    % The message of the next line is never taken.
    Receiver ! more,
    flood(Receiver).
