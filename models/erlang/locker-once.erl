%% A locker whose clients each use the lock once: a program that ends, for `--simulate systematic`.
%%
%% Each of the N clients locks, unlocks and tells the main process. The locker is @1, the clients are @2
%% and so on.
%%
%% Claims: at most one client is inside, and in every run all ends.
%%
%% Ends under erl.
-module('locker-once').
-export([main/0]).
-import(selvedge, [prop/1]).

-ifndef(N).
-define(N, 2).
-endif.

-property({mutex, "G !({enter,@2} & {enter,@3})"}).
-property({ends, "F done"}).
-property({first, "(!{enter,@3}) U {enter,@2}", violated}).

main() ->
    Locker = spawn(fun() -> locker(?N) end),
    start(?N, Locker, self()),
    wait(?N).

start(0, _, _) -> ok;
start(N, Locker, Main) ->
    spawn(fun() -> client(Locker, Main) end),
    start(N - 1, Locker, Main).

wait(0) -> prop(done);
wait(N) ->
    receive
        used -> wait(N - 1)
    end.

%% Serves so many clients.
locker(0) -> ok;
locker(N) ->
    receive
        {lock, Client} ->
            Client ! locked,
            receive
                {unlock, Client} -> locker(N - 1)
            end
    end.

client(Locker, Main) ->
    Locker ! {lock, self()},
    receive
        locked -> prop({enter, self()})
    end,
    Locker ! {unlock, self()},
    Main ! used.
