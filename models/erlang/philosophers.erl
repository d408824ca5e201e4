%% Dining philosophers (E. W. Dijkstra, Hierarchical ordering of sequential processes, 1971), one meal each.
%%
%% N philosophers sit around a table; between two of them lies a fork, which is a process. A philosopher
%% takes the fork on its left, then the fork on its right, eats, and puts both back. The forks are @1
%% to @N, the philosophers follow.
%%
%% Claims: when all have taken their left fork, all wait for ever, so a philosopher need not eat.
%% Neighbours do not eat at the same time.
-module(philosophers).
-export([main/0]).
-import(selvedge, [prop/1]).

-ifndef(N).
-define(N, 2).
-endif.

-server(fork/0).
-property({neighbours, "G !({eats,1} & {eats,2})"}).
-property({eats, "F ({eats,1} | {eats,2})", violated}).

main() ->
    Forks = [spawn(fun fork/0) || _ <- lists:seq(1, ?N)],
    sit(1, Forks, hd(Forks)).

%% The last philosopher's right fork is the first of all.
sit(N, [Left, Right | Rest], First) ->
    spawn(fun() -> philosopher(N, Left, Right) end),
    sit(N + 1, [Right | Rest], First);
sit(N, [Left], First) ->
    spawn(fun() -> philosopher(N, Left, First) end).

fork() ->
    receive
        {take, Philosopher} ->
            Philosopher ! {taken, self()},
            receive
                {put, Philosopher} -> fork()
            end
    end.

philosopher(N, Left, Right) ->
    take(Left),
    take(Right),
    prop({eats, N}),
    Left ! {put, self()},
    Right ! {put, self()}.

take(Fork) ->
    Fork ! {take, self()},
    receive
        {taken, Fork} -> ok
    end.
