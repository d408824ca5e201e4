%% Dining philosophers with ordered forks: philosophers.erl without its deadlock.
%%
%% The forks are numbered, and each philosopher takes the fork with the smaller number first; so the
%% last philosopher begins on its right.
%%
%% Claim: every philosopher eats, in every run.
%%
%% Ends under erl.
-module('philosophers-ordered').
-export([main/0]).
-import(selvedge, [prop/1]).

-ifndef(N).
-define(N, 2).
-endif.

-server(fork/0).
-property({neighbours, "G !({eats,1} & {eats,2})"}).
-property({first_eats, "F {eats,1}"}).
-property({second_eats, "F {eats,2}"}).

main() ->
    [First | _] = Forks = [spawn(fun fork/0) || _ <- lists:seq(1, ?N)],
    sit(1, Forks, First).

sit(N, [Left, Right | Rest], First) ->
    spawn(fun() -> philosopher(N, Left, Right) end),
    sit(N + 1, [Right | Rest], First);
sit(N, [Last], First) ->
    spawn(fun() -> philosopher(N, First, Last) end).

fork() ->
    receive
        {take, Philosopher} ->
            Philosopher ! {taken, self()},
            receive
                {put, Philosopher} -> fork()
            end
    end.

philosopher(N, One, Other) ->
    take(One),
    take(Other),
    prop({eats, N}),
    One ! {put, self()},
    Other ! {put, self()}.

take(Fork) ->
    Fork ! {take, self()},
    receive
        {taken, Fork} -> ok
    end.
