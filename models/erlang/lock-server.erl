%% A lock as a gen_server, with a queue of the clients that wait.
%%
%% A call of `lock` is answered when the lock is free: handle_call gives no reply at first, and
%% handle_cast replies to the next client when the lock is given back. The server is @1, the clients
%% are @2 to @(N+1).
%%
%% Claims: at most one client is inside; the queue makes the lock fair, so under weak fairness each
%% client that wants the lock gets it, but not without.
-module('lock-server').
-behaviour(gen_server).
-export([main/0]).
-export([init/1, handle_call/3, handle_cast/2]).
-import(selvedge, [prop/1]).

-ifndef(N).
-define(N, 2).
-endif.

-property({mutex, "forall i /= j: G !({enter,i} & {enter,j})"}).
-property({goes_on, "G F (exists i: {enter,i})"}).
-property({answered, "G ({wants,@2} -> F {enter,@2})", violated}).

main() ->
    {ok, Server} = gen_server:start_link(?MODULE, [], []),
    start(?N, Server).

start(0, _) -> ok;
start(N, Server) ->
    spawn(fun() -> client(Server) end),
    start(N - 1, Server).

client(Server) ->
    prop({wants, self()}),
    ok = gen_server:call(Server, lock, infinity),
    prop({enter, self()}),
    gen_server:cast(Server, unlock),
    client(Server).

%% The state: `free`, or {held, Queue}.
init([]) -> {ok, free}.

handle_call(lock, _, free) -> {reply, ok, {held, []}};
handle_call(lock, From, {held, Queue}) -> {noreply, {held, Queue ++ [From]}}.

handle_cast(unlock, {held, []}) -> {noreply, free};
handle_cast(unlock, {held, [Next | Queue]}) ->
    gen_server:reply(Next, ok),
    {noreply, {held, Queue}}.
