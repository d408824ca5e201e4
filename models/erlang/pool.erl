%% A pool of connections as a gen_server that monitors its clients.
%%
%% A client checks a connection out, uses it and checks it in; `full` is the answer if none is left. If a
%% client dies, its connection is free again. The pool is @1, the clients are @2 to @(N+1).
%%
%% Claims: no two clients use the same connection, also under `--crashes 1`. A client can be refused.
%% The call has the usual timeout of five seconds, which expires only if no process can move.
-module(pool).
-behaviour(gen_server).
-export([main/0]).
-export([init/1, handle_call/3, handle_cast/2, handle_info/2]).
-import(selvedge, [prop/1]).

-ifndef(N).
-define(N, 2).
-endif.
-ifndef(CONNECTIONS).
-define(CONNECTIONS, [c1]).
-endif.

-property({exclusive, "forall i /= j: G !({uses,c1,i} & {uses,c1,j})"}).
-property({refused, "G !full", violated}).

main() ->
    {ok, Pool} = gen_server:start_link(?MODULE, ?CONNECTIONS, []),
    start(?N, Pool).

start(0, _) -> ok;
start(N, Pool) ->
    spawn(fun() -> client(Pool) end),
    start(N - 1, Pool).

client(Pool) ->
    case gen_server:call(Pool, check_out) of
        {ok, Connection} ->
            prop({uses, Connection, self()}),
            ok = gen_server:call(Pool, {check_in, Connection});
        full -> prop(full)
    end,
    client(Pool).

%% The state: the free connections, and those in use with their clients' monitors.
init(Connections) -> {ok, {Connections, []}}.

handle_call(check_out, _, {[], _} = State) -> {reply, full, State};
handle_call(check_out, {Client, _}, {[Connection | Free], Used}) ->
    Ref = monitor(process, Client),
    {reply, {ok, Connection}, {Free, [{Connection, Ref} | Used]}};
handle_call({check_in, Connection}, _, {Free, Used}) ->
    {value, {_, Ref}, Rest} = lists:keytake(Connection, 1, Used),
    demonitor(Ref, [flush]),
    {reply, ok, {[Connection | Free], Rest}}.

handle_cast(_, State) -> {noreply, State}.

handle_info({'DOWN', Ref, process, _, _}, {Free, Used}) ->
    {value, {Connection, _}, Rest} = lists:keytake(Ref, 2, Used),
    {noreply, {[Connection | Free], Rest}}.
