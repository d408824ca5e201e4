%% The behaviour gen_server, for programs under check.
%%
%% What a client or a callback module observes is as the reference manual of stdlib says, and as OTP 25
%% does it: results, exit reasons, the order of registration, init, answer and termination. There is
%% less inside: no process dictionary, no debugging, no error reports, no code change. So a waiting
%% server is its parent, its callback module and its state, and nothing else.
%%
%% A call is a monitor, a request and a wait for the answer or the end of the server. The reference
%% of the monitor is also the tag of the answer, and with a timeout an alias: an answer that
%% comes too late is dropped with the alias.
%%
%% Left out: other registries and other nodes, asynchronous requests, enter_loop, the functions of sys.
%% Their use fails with {unsupported, What}.
%%
%% Of the evaluator it needs monitor(process, Pid, [{alias, demonitor}]), sending to an alias and
%% erlang:function_exported/3.
-module(gen_server).

-export([start/3, start/4, start_link/3, start_link/4, stop/1, stop/3]).
-export([call/2, call/3, cast/2, reply/2]).

-callback init(Args :: term()) ->
    {ok, State :: term()}
    | {ok, State :: term(), timeout() | hibernate | {continue, term()}}
    | {stop, Reason :: term()}
    | {error, Reason :: term()}
    | ignore.
-callback handle_call(Request :: term(), From :: {pid(), Tag :: term()}, State :: term()) -> term().
-callback handle_cast(Request :: term(), State :: term()) -> term().
-callback handle_info(Message :: term(), State :: term()) -> term().
-callback handle_continue(Continue :: term(), State :: term()) -> term().
-callback terminate(Reason :: term(), State :: term()) -> term().
-callback code_change(Old :: term(), State :: term(), Extra :: term()) -> term().
-callback format_status(Status :: term()) -> term().
-optional_callbacks([handle_info/2, handle_continue/2, terminate/2, code_change/3, format_status/1]).

-define(IS_TIMEOUT(T), (T =:= infinity orelse (is_integer(T) andalso T >= 0))).

%% Starting. The new process answers {ack, Pid, Result} when init has come back.

start(Mod, Args, Options) -> start_nolink(none, Mod, Args, timeout_of(Options)).

start(Name, Mod, Args, Options) -> start_named(fun start_nolink/4, Name, Mod, Args, timeout_of(Options)).

start_link(Mod, Args, Options) -> start_linked(none, Mod, Args, timeout_of(Options)).

start_link(Name, Mod, Args, Options) -> start_named(fun start_linked/4, Name, Mod, Args, timeout_of(Options)).

start_named(Start, {local, Name}, Mod, Args, Timeout) ->
    case whereis(Name) of
        undefined -> Start({local, Name}, Mod, Args, Timeout);
        Pid -> {error, {already_started, Pid}}
    end;
start_named(_, Name, _, _, _) -> error({unsupported, {gen_server, Name}}).

start_nolink(Name, Mod, Args, Timeout) ->
    Starter = self(),
    {Pid, Ref} = spawn_monitor(fun() -> init_server(Starter, self(), Name, Mod, Args) end),
    receive
        {ack, Pid, Result} ->
            demonitor(Ref, [flush]),
            Result;
        {'DOWN', Ref, process, Pid, Reason} -> {error, Reason}
    after Timeout ->
        demonitor(Ref, [flush]),
        kill_late(Pid)
    end.

start_linked(Name, Mod, Args, Timeout) ->
    Starter = self(),
    Pid = spawn_link(fun() -> init_server(Starter, Starter, Name, Mod, Args) end),
    receive
        {ack, Pid, Result} -> Result;
        {'EXIT', Pid, Reason} -> {error, Reason}
    after Timeout -> kill_late(Pid)
    end.

kill_late(Pid) ->
    unlink(Pid),
    exit(Pid, kill),
    receive
        {'EXIT', Pid, _} -> ok
    after 0 -> ok
    end,
    {error, timeout}.

%% The time limit of init. Other options have no effect that a program can observe.
timeout_of([{timeout, Time} | _]) when ?IS_TIMEOUT(Time) -> Time;
timeout_of([{debug, _} | Rest]) -> timeout_of(Rest);
timeout_of([{hibernate_after, _} | Rest]) -> timeout_of(Rest);
timeout_of([{spawn_opt, _} = Option | Rest]) ->
    {spawn_opt, Spawning} = Option,
    case lists:member(link, Spawning) orelse lists:member(monitor, Spawning) of
        true -> error({unsupported, {gen_server, Option}});
        false -> timeout_of(Rest)
    end;
timeout_of([Option | _]) -> error({unsupported, {gen_server, Option}});
timeout_of([]) -> infinity.

%% The life of a server.

init_server(Starter, Parent, Name, Mod, Args) ->
    case register_self(Name) of
        ok -> init_result(run(Mod, init, [Args]), Starter, Parent, Name, Mod);
        {already_started, _} = Why -> acknowledge(Starter, {error, Why})
    end.

register_self(none) -> ok;
register_self({local, Name}) ->
    try register(Name, self()) of
        true -> ok
    catch
        error:_ -> {already_started, whereis(Name)}
    end.

unregister_self(none) -> ok;
unregister_self({local, Name}) -> unregister(Name).

acknowledge(Starter, Result) -> Starter ! {ack, self(), Result}.

init_result({value, {ok, State}}, Starter, Parent, _, Mod) ->
    acknowledge(Starter, {ok, self()}),
    loop(Parent, Mod, State, infinity);
init_result({value, {ok, State, {continue, _} = Next}}, Starter, Parent, _, Mod) ->
    acknowledge(Starter, {ok, self()}),
    loop(Parent, Mod, State, Next);
init_result({value, {ok, State, Next}}, Starter, Parent, _, Mod)
  when ?IS_TIMEOUT(Next); Next =:= hibernate ->
    acknowledge(Starter, {ok, self()}),
    loop(Parent, Mod, State, Next);
init_result({value, {stop, Reason}}, Starter, _, Name, _) -> no_start(Starter, Name, {error, Reason}, Reason);
init_result({value, {error, Reason}}, Starter, _, Name, _) -> no_start(Starter, Name, {error, Reason}, normal);
init_result({value, ignore}, Starter, _, Name, _) -> no_start(Starter, Name, ignore, normal);
init_result({value, Other}, Starter, _, Name, _) ->
    no_start(Starter, Name, {error, {bad_return_value, Other}}, {bad_return_value, Other});
init_result({failed, Reason}, Starter, _, Name, _) -> no_start(Starter, Name, {error, Reason}, Reason).

%% The name is free again before the starter knows, so that it can start the server once more.
no_start(Starter, Name, Result, Reason) ->
    unregister_self(Name),
    acknowledge(Starter, Result),
    exit(Reason).

%% The server waits, or goes on with what a callback asked for.
loop(Parent, Mod, State, {continue, Continue}) ->
    next(run(Mod, handle_continue, [Continue, State]), Parent, Mod, State);
loop(Parent, Mod, State, hibernate) -> loop(Parent, Mod, State, infinity);
loop(Parent, Mod, State, Time) ->
    receive
        {system, From, {terminate, Reason}} ->
            reply(From, ok),
            exit(last_words(Mod, Reason, State));
        {system, _, Request} -> error({unsupported, {sys, Request}});
        {'EXIT', Parent, Reason} -> exit(last_words(Mod, Reason, State));
        {'$gen_call', From, Request} ->
            answer(run(Mod, handle_call, [Request, From, State]), From, Parent, Mod, State);
        {'$gen_cast', Request} -> next(run(Mod, handle_cast, [Request, State]), Parent, Mod, State);
        Message -> next(inform(Mod, Message, State), Parent, Mod, State)
    after Time -> next(inform(Mod, timeout, State), Parent, Mod, State)
    end.

%% Messages to a module without handle_info/2 are dropped.
inform(Mod, Message, State) ->
    case erlang:function_exported(Mod, handle_info, 2) of
        true -> run(Mod, handle_info, [Message, State]);
        false -> {value, {noreply, State}}
    end.

answer({value, {reply, Reply, New}}, From, Parent, Mod, _) ->
    reply(From, Reply),
    loop(Parent, Mod, New, infinity);
answer({value, {reply, Reply, New, {continue, _} = Next}}, From, Parent, Mod, _) ->
    reply(From, Reply),
    loop(Parent, Mod, New, Next);
answer({value, {reply, Reply, New, Next}}, From, Parent, Mod, _) when ?IS_TIMEOUT(Next); Next =:= hibernate ->
    reply(From, Reply),
    loop(Parent, Mod, New, Next);
answer({value, {stop, Reason, Reply, New}}, From, _, Mod, _) ->
    Last = last_words(Mod, Reason, New),
    reply(From, Reply),
    exit(Last);
answer(Result, _, Parent, Mod, State) -> next(Result, Parent, Mod, State).

next({value, {noreply, New}}, Parent, Mod, _) -> loop(Parent, Mod, New, infinity);
next({value, {noreply, New, {continue, _} = Next}}, Parent, Mod, _) -> loop(Parent, Mod, New, Next);
next({value, {noreply, New, Next}}, Parent, Mod, _) when ?IS_TIMEOUT(Next); Next =:= hibernate ->
    loop(Parent, Mod, New, Next);
next({value, {stop, Reason, New}}, _, Mod, _) -> exit(last_words(Mod, Reason, New));
next({value, Other}, _, Mod, State) -> exit(last_words(Mod, {bad_return_value, Other}, State));
next({failed, Reason}, _, Mod, State) -> exit(last_words(Mod, Reason, State)).

%% Calls terminate; the reason that the server exits with, which is terminate's own if that fails.
last_words(Mod, Reason, State) ->
    case erlang:function_exported(Mod, terminate, 2) of
        true ->
            case run(Mod, terminate, [Reason, State]) of
                {value, _} -> Reason;
                {failed, Other} -> Other
            end;
        false -> Reason
    end.

%% A callback's value, which it may also throw, or the exit reason that its failure makes.
run(Mod, Function, Args) ->
    try
        {value, apply(Mod, Function, Args)}
    catch
        throw:Value -> {value, Value};
        exit:Reason -> {failed, Reason};
        error:Reason:Stack -> {failed, {Reason, Stack}}
    end.

%% Clients.

call(Server, Request) ->
    try
        request('$gen_call', Server, Request, 5000)
    catch
        exit:Reason -> exit({Reason, {gen_server, call, [Server, Request]}})
    end.

call(Server, Request, Timeout) ->
    try
        request('$gen_call', Server, Request, Timeout)
    catch
        exit:Reason -> exit({Reason, {gen_server, call, [Server, Request, Timeout]}})
    end.

request(Label, Server, Request, Timeout) when ?IS_TIMEOUT(Timeout) ->
    case pid_of(Server) of
        Pid when Pid =:= self() -> exit(calling_self);
        Pid when Timeout =:= infinity -> request_for_ever(Label, Pid, Request);
        Pid -> request_in_time(Label, Pid, Request, Timeout)
    end.

request_for_ever(Label, Pid, Request) ->
    Ref = monitor(process, Pid),
    Pid ! {Label, {self(), Ref}, Request},
    receive
        {Ref, Reply} ->
            demonitor(Ref, [flush]),
            Reply;
        {'DOWN', Ref, process, _, Reason} -> exit(Reason)
    end.

request_in_time(Label, Pid, Request, Timeout) ->
    Ref = monitor(process, Pid, [{alias, demonitor}]),
    Pid ! {Label, {self(), [alias | Ref]}, Request},
    receive
        {[alias | Ref], Reply} ->
            demonitor(Ref, [flush]),
            Reply;
        {'DOWN', Ref, process, _, Reason} -> exit(Reason)
    after Timeout ->
        demonitor(Ref, [flush]),
        % The answer may have come between the timeout and the end of the alias.
        receive
            {[alias | Ref], Reply} -> Reply
        after 0 -> exit(timeout)
        end
    end.

pid_of(Pid) when is_pid(Pid) -> Pid;
pid_of(Name) when is_atom(Name) ->
    case whereis(Name) of
        undefined -> exit(noproc);
        Pid -> Pid
    end;
pid_of(Server) -> error({unsupported, {gen_server, Server}}).

reply({_, [alias | Alias] = Tag}, Reply) ->
    Alias ! {Tag, Reply},
    ok;
reply({To, Tag}, Reply) ->
    To ! {Tag, Reply},
    ok.

cast(Server, Request) when is_pid(Server); is_atom(Server) ->
    try
        Server ! {'$gen_cast', Request},
        ok
    catch
        % No process has the name.
        error:_ -> ok
    end;
cast(Server, _) -> error({unsupported, {gen_server, Server}}).

stop(Server) -> stop(Server, normal, infinity).

stop(Server, Reason, Timeout) ->
    Pid = pid_of(Server),
    Ref = monitor(process, Pid),
    try
        request(system, Pid, {terminate, Reason}, Timeout)
    catch
        exit:Why ->
            demonitor(Ref, [flush]),
            exit(not_stopped(Why, [Pid, Reason, Timeout]))
    end,
    receive
        {'DOWN', Ref, process, _, Reason} -> ok;
        {'DOWN', Ref, process, _, Other} -> exit(Other)
    after Timeout ->
        demonitor(Ref, [flush]),
        exit(timeout)
    end.

not_stopped(noproc, _) -> noproc;
not_stopped(timeout, _) -> timeout;
not_stopped(Why, Args) -> {Why, {sys, terminate, Args}}.
