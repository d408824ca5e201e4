%% A locker: a process that gives a lock to one client at a time.
%%
%% The clients ask for the lock, enter, and give it back, for ever. The locker is @0, the clients are
%% @1 to @N; requests wait in the locker's mailbox.
%%
%% Claims: at most one client is inside. A client that wants the lock need not get it, since a run may
%% leave it out for ever; under weak fairness (`--fair weak`) each client gets the lock, since the mailbox
%% keeps requests in order. Some client enters again and again even without fairness.
-module(locker).
-export([main/0]).
-import(selvedge, [prop/1]).

-ifndef(N).
-define(N, 2).
-endif.

-server(locker/0).
-property({mutex, "forall i /= j: G !({enter,i} & {enter,j})"}).
-property({goes_on, "G F (exists i: {enter,i})"}).
-property({answered, "G ({wants,@1} -> F {enter,@1})", violated}).

main() ->
    start(?N, self()),
    locker().

start(0, _) -> ok;
start(N, Locker) ->
    spawn(fun() -> client(Locker) end),
    start(N - 1, Locker).

locker() ->
    receive
        {lock, Client} ->
            Client ! locked,
            receive
                {unlock, Client} -> locker()
            end
    end.

client(Locker) ->
    prop({wants, self()}),
    Locker ! {lock, self()},
    receive
        locked ->
            prop({enter, self()}),
            Locker ! {unlock, self()},
            client(Locker)
    end.
