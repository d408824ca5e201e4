%% A token ring (G. Le Lann, Distributed systems: towards a formal approach, 1977).
%%
%% N processes in a ring pass one token on for ever. The process with the token may enter. They are @1 to
%% @N; each gets to know its successor from the main process.
%%
%% Claims: at most one process is inside; each is inside again and again, in the order of the ring, with
%% no assumption on fairness.
-module(ring).
-export([main/0]).
-import(selvedge, [prop/1]).

-ifndef(N).
-define(N, 3).
-endif.

-property({mutex, "forall i /= j: G !({enter,i} & {enter,j})"}).
-property({first, "G F {enter,@1}"}).
-property({second, "G F {enter,@2}"}).
-property({in_order, "G ({enter,@1} -> (!{enter,@3}) U {enter,@2})"}).
-property({stays, "F G {enter,@1}", violated}).

main() ->
    [First | Rest] = Nodes = [spawn(fun node_of_ring/0) || _ <- lists:seq(1, ?N)],
    connect(Nodes, Rest ++ [First]),
    First ! token.

connect([], []) -> ok;
connect([Node | Nodes], [Next | Rest]) ->
    Node ! {next, Next},
    connect(Nodes, Rest).

node_of_ring() ->
    receive
        {next, Next} -> pass(Next)
    end.

pass(Next) ->
    receive
        token ->
            prop({enter, self()}),
            Next ! token,
            pass(Next)
    end.
