%% A server and its client under a supervisor: a system that survives a crash.
%%
%% The client asks the server by its name, again and again. If a call fails, it says so, waits a while
%% and tries again. Both are children of the supervisor, so that a killed one is started again. The
%% wait is a long timeout: it is over when no other process can move, so the supervisor acts first.
%%
%% Claim: after a failed call there is an answer again. Without crashes no call fails. Under
%% `--crashes 1` the claim holds whichever process is killed: if it is the supervisor or the main
%% process, the client ends with it. Under `--crashes 2` it is violated, as the supervisor gives up after
%% one restart, or is killed itself.
-module(supervised).
-behaviour(supervisor).
-export([main/0]).
-export([start_server/0, start_client/0, init/1, handle_call/3, handle_cast/2]).
-import(selvedge, [prop/1]).

-property({recovers, "G (failed -> F answered)"}).

main() ->
    {ok, _} = supervisor:start_link(?MODULE, supervisor),
    receive
        stop -> ok
    end.

start_server() -> gen_server:start_link({local, server}, ?MODULE, server, []).

start_client() -> {ok, spawn_link(fun client/0)}.

client() ->
    try
        gen_server:call(server, ask, infinity)
    of
        answer -> prop(answered)
    catch
        exit:_ ->
            prop(failed),
            timer:sleep(5000)
    end,
    client().

%% The callbacks of both behaviours; the argument of init says for which it is.
init(supervisor) ->
    Children = [#{id => server, start => {?MODULE, start_server, []}},
                #{id => client, start => {?MODULE, start_client, []}, shutdown => brutal_kill}],
    {ok, {#{strategy => one_for_one, intensity => 1}, Children}};
init(server) -> {ok, none}.

handle_call(ask, _, State) -> {reply, answer, State}.

handle_cast(_, State) -> {noreply, State}.
