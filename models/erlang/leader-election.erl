%% Leader election in a ring (E. Chang and R. Roberts, An improved algorithm for decentralized extrema-finding
%% in circular configurations of processes, 1979).
%%
%% Each of N processes has a number of its own, in any order around the ring. A process sends its number to
%% its successor; it passes on greater numbers and drops smaller ones. The process that gets its own
%% number back is the leader, and tells the others. All ends when the main process has heard of the
%% leader from each.
%%
%% Claims: the process with the greatest number becomes the leader, and no other; all learn of it.
%%
%% Ends under erl.
-module('leader-election').
-export([main/0]).
-import(selvedge, [prop/1, choice/1]).

-ifndef(N).
-define(N, 3).
-endif.

-property({elected, "F {leader,3}"}).
-property({not_the_first, "G !{leader,1}"}).
-property({not_the_second, "G !{leader,2}"}).
-property({agreed, "F {agreed,3}"}).
-property({late, "G ({leader,3} -> F {agreed,3})"}).
-property({early, "(!{leader,3}) W {agreed,3}", violated}).

main() ->
    Main = self(),
    [First | Rest] = Nodes = [spawn(fun() -> begins(Number, Main) end) || Number <- order(lists:seq(1, ?N))],
    connect(Nodes, Rest ++ [First]),
    prop({agreed, agreed(?N, none)}).

%% Some order of these numbers.
order([]) -> [];
order(Numbers) ->
    Number = choice(Numbers),
    [Number | order(lists:delete(Number, Numbers))].

connect([], []) -> ok;
connect([Node | Nodes], [Next | Rest]) ->
    Node ! {next, Next},
    connect(Nodes, Rest).

%% The leader that so many processes name.
agreed(0, Leader) -> Leader;
agreed(N, none) ->
    receive
        {leader, Leader} -> agreed(N - 1, Leader)
    end;
agreed(N, Leader) ->
    receive
        {leader, Leader} -> agreed(N - 1, Leader)
    end.

begins(Number, Main) ->
    receive
        {next, Next} ->
            Next ! {number, Number},
            takes_part(Number, Next, Main)
    end.

takes_part(Number, Next, Main) ->
    receive
        {number, Other} when Other > Number ->
            Next ! {number, Other},
            takes_part(Number, Next, Main);
        {number, Number} ->
            prop({leader, Number}),
            Next ! {elected, Number},
            receive
                {elected, Number} -> Main ! {leader, Number}
            end;
        {number, _} -> takes_part(Number, Next, Main);
        {elected, Leader} ->
            Next ! {elected, Leader},
            Main ! {leader, Leader}
    end.
