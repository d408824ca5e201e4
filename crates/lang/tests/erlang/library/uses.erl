%% Uses of servers, supervisors, links and monitors whose outcome does not depend on the schedule.
%%
%% Each function of all/0 ends its process with the reason {observed, Term}, and the term is also a
%% proposition. In every run that the checker looks at, it must be the term that is observed under `erl`
%% with OTP's own modules. main/0 prints the names with the reasons under `erl`, one a line.
-module(uses).
-behaviour(gen_server).

-export([calls/0, names/0, init_stops/0, init_fails/0, init_ignores/0, no_process/0, calling_self/0]).
-export([crash_in_call/0, exit_in_call/0, bad_return/0, reply_later/0, stop_with_reply/0, continues/0]).
-export([times_out/0, late_reply/0, stops/0, stop_fails/0, parent_exits/0, trapped_exit/0, thrown_value/0]).
-export([supervised_restart/0, supervised_order/0, supervisor_gives_up/0, start_fails/0, rest_for_one/0]).
-export([one_for_all/0, transient_child/0, linked/0, monitored/0, timers/0, main/0]).
-export([init/1, handle_call/3, handle_cast/2, handle_info/2, handle_continue/2, terminate/2]).
-export([start_child/2]).

all() ->
    [calls, names, init_stops, init_fails, init_ignores, no_process, calling_self, crash_in_call, exit_in_call,
     bad_return, reply_later, stop_with_reply, continues, times_out, late_reply, stops, stop_fails, parent_exits,
     trapped_exit, thrown_value, supervised_restart, supervised_order, supervisor_gives_up, start_fails,
     rest_for_one, one_for_all, transient_child, linked, monitored, timers].

main() ->
    logger:set_primary_config(level, none),
    lists:foreach(fun observe/1, all()),
    halt().

observe(Use) ->
    {Pid, Ref} = spawn_monitor(fun() -> ?MODULE:Use() end),
    receive
        {'DOWN', Ref, process, Pid, Reason} -> io:format("~s ~0p~n", [Use, Reason])
    end,
    % What the process has left behind ends with it, and its names are free again.
    timer:sleep(20).

observed(Term) -> exit(prop({observed, Term})).

prop(Proposition) -> Proposition.

outcome(F) ->
    try
        {value, F()}
    catch
        error:Reason -> {error, Reason};
        exit:Reason -> {exit, Reason}
    end.

server(Value) ->
    {ok, Server} = gen_server:start(?MODULE, Value, []),
    Server.

calls() ->
    Server = server(1),
    First = gen_server:call(Server, get),
    ok = gen_server:cast(Server, {set, 2}),
    Second = gen_server:call(Server, get, infinity),
    Server ! {set, 3},
    observed({First, Second, gen_server:call(Server, get, 10000), gen_server:stop(Server)}).

names() ->
    {ok, Server} = gen_server:start({local, name}, ?MODULE, 1, []),
    {error, {already_started, Other}} = gen_server:start({local, name}, ?MODULE, 2, []),
    ok = gen_server:cast(name, {set, 5}),
    Value = gen_server:call(name, get),
    ok = gen_server:stop(name),
    observed({Server =:= Other, Value, whereis(name), gen_server:cast(name, x)}).

init_stops() ->
    process_flag(trap_exit, true),
    Result = gen_server:start_link({local, name}, ?MODULE, {result, {stop, why}}, []),
    receive
        {'EXIT', _, Reason} -> observed({Result, Reason, whereis(name)})
    end.

init_fails() ->
    {error, {Why, _}} = gen_server:start(?MODULE, {run, fun() -> error(why) end}, []),
    Exit = gen_server:start(?MODULE, {run, fun() -> exit(why) end}, []),
    Bad = gen_server:start(?MODULE, {result, nonsense}, []),
    observed({Why, Exit, Bad}).

init_ignores() -> observed(gen_server:start_link(?MODULE, {result, ignore}, [])).

thrown_value() ->
    {ok, Server} = gen_server:start(?MODULE, {run, fun() -> throw({ok, thrown}) end}, []),
    observed(gen_server:call(Server, get)).

no_process() ->
    Server = server(1),
    ok = gen_server:stop(Server),
    {exit, {Dead, {gen_server, call, [_, get]}}} = outcome(fun() -> gen_server:call(Server, get) end),
    Calls = [outcome(fun() -> gen_server:call(nowhere, get) end),
             outcome(fun() -> gen_server:call(nowhere, get, infinity) end),
             outcome(fun() -> gen_server:stop(nowhere) end),
             outcome(fun() -> gen_server:stop(Server) end)],
    observed({Dead, Calls}).

calling_self() ->
    {exit, {Why, {gen_server, call, [Self, get]}}} = outcome(fun() -> gen_server:call(self(), get) end),
    observed({Why, Self =:= self()}).

crash_in_call() ->
    {exit, {{Why, _}, _}} = outcome(fun() -> gen_server:call(server(1), {run, fun() -> error(why) end}) end),
    observed(Why).

exit_in_call() ->
    {exit, {Why, {gen_server, call, _}}} =
        outcome(fun() -> gen_server:call(server(1), {run, fun() -> exit(why) end}, infinity) end),
    observed(Why).

bad_return() ->
    {exit, {Why, _}} = outcome(fun() -> gen_server:call(server(1), {result, nonsense}) end),
    observed(Why).

reply_later() -> observed(gen_server:call(server(1), later)).

stop_with_reply() ->
    Server = server({watched, self()}),
    Ref = monitor(process, Server),
    Reply = gen_server:call(Server, {result, {stop, normal, bye, {watched, self()}}}),
    receive
        {'DOWN', Ref, process, _, Reason} -> observed({Reply, Reason, receive {terminate, Why} -> Why end})
    end.

continues() ->
    {ok, Server} = gen_server:start(?MODULE, {result, {ok, [], {continue, a}}}, []),
    First = gen_server:call(Server, get),
    ok = gen_server:cast(Server, {result, {noreply, First, {continue, b}}}),
    observed({First, gen_server:call(Server, get)}).

times_out() ->
    {ok, Server} = gen_server:start(?MODULE, {result, {ok, {watched, self()}, 5}}, []),
    receive
        timeout -> observed(gen_server:stop(Server))
    end.

%% The server answers only after the call has timed out; the answer is dropped.
late_reply() ->
    Server = server(1),
    {exit, {timeout, _}} = outcome(fun() -> gen_server:call(Server, keep, 5) end),
    Value = gen_server:call(Server, answer_kept, infinity),
    receive
        Message -> observed({Value, Message})
    after 5000 -> observed({Value, nothing})
    end.

stops() ->
    Server = server({watched, self()}),
    Ref = monitor(process, Server),
    Stopped = gen_server:stop(Server, shutdown, 5000),
    observed({Stopped, receive {terminate, Why} -> Why end, receive {'DOWN', Ref, _, _, Down} -> Down end}).

stop_fails() ->
    Server = server({fails, oops}),
    observed(outcome(fun() -> gen_server:stop(Server) end)).

%% A server that traps exits terminates with its parent, and calls terminate.
parent_exits() ->
    Self = self(),
    Start = fun() ->
        process_flag(trap_exit, true),
        {ok, {watched, Self}}
    end,
    Parent = spawn(fun() ->
        {ok, _} = gen_server:start_link(?MODULE, {run, Start}, []),
        receive stop -> exit(why) end
    end),
    Parent ! stop,
    receive
        {terminate, Why} -> observed(Why)
    end.

%% An exit signal of another process is a message to it.
trapped_exit() ->
    Self = self(),
    Start = fun() ->
        process_flag(trap_exit, true),
        {ok, {watched, Self}}
    end,
    {ok, Server} = gen_server:start(?MODULE, {run, Start}, []),
    exit(Server, why),
    receive
        {'EXIT', Self, Why} -> observed({Why, gen_server:stop(Server)})
    end.

linked() ->
    process_flag(trap_exit, true),
    First = spawn_link(fun() -> exit(one) end),
    One = receive {'EXIT', First, R1} -> R1 end,
    Second = spawn_link(fun() -> ok end),
    Two = receive {'EXIT', Second, R2} -> R2 end,
    Third = spawn_link(fun() -> receive never -> ok end end),
    exit(Third, kill),
    Three = receive {'EXIT', Third, R3} -> R3 end,
    exit(self(), four),
    Four = receive {'EXIT', _, R4} -> R4 end,
    observed({One, Two, Three, Four, outcome(fun() -> link(First), receive {'EXIT', First, R5} -> R5 end end)}).

monitored() ->
    {Pid, Ref} = spawn_monitor(fun() -> exit(why) end),
    One = receive {'DOWN', Ref, process, Pid, R1} -> R1 end,
    Ref2 = monitor(process, Pid),
    Two = receive {'DOWN', Ref2, process, Pid, R2} -> R2 end,
    Ref3 = monitor(process, nowhere),
    Three = receive {'DOWN', Ref3, process, {Name, _}, R3} -> {Name, R3} end,
    Ref4 = monitor(process, Pid),
    true = demonitor(Ref4, [flush]),
    Four = receive {'DOWN', Ref4, _, _, _} -> message after 0 -> none end,
    observed({One, Two, Three, Four}).

timers() ->
    {ok, _} = timer:send_after(1, one),
    One = receive one -> one end,
    Ref = erlang:start_timer(1, self(), two),
    Two = receive {timeout, Ref, two} -> two end,
    observed({One, Two, timer:sleep(1)}).

%% Supervisors.

start_child(Observer, Id) ->
    Observer ! {start, Id},
    gen_server:start_link({local, Id}, ?MODULE, {watched, Observer}, []).

child(Id) -> child(Id, permanent).

child(Id, Restart) ->
    #{id => Id, start => {?MODULE, start_child, [self(), Id]}, restart => Restart, shutdown => infinity}.

supervisor(Strategy, Intensity, Children) ->
    process_flag(trap_exit, true),
    supervisor:start_link(?MODULE, {result, {ok, {{Strategy, Intensity, 3600}, Children}}}).

started(0) -> [];
started(N) ->
    receive
        {start, Id} -> [Id | started(N - 1)]
    end.

kill(Id) -> exit(whereis(Id), kill).

supervised_order() ->
    {ok, Supervisor} = supervisor(one_for_one, 1, [child(a), child(b)]),
    Children = [{Id, is_pid(Pid), Type} || {Id, Pid, Type, _} <- supervisor:which_children(Supervisor)],
    exit(Supervisor, shutdown),
    receive
        {'EXIT', Supervisor, Reason} ->
            observed({started(2), Children, Reason, whereis(a), whereis(b)})
    end.

supervised_restart() ->
    {ok, Supervisor} = supervisor(one_for_one, 1, [child(a), child(b)]),
    First = started(2),
    Old = whereis(a),
    kill(a),
    Second = started(1),
    observed({First, Second, whereis(a) =/= Old, length(supervisor:which_children(Supervisor))}).

supervisor_gives_up() ->
    {ok, Supervisor} = supervisor(one_for_one, 0, [child(a), child(b)]),
    kill(b),
    receive
        {'EXIT', Supervisor, Reason} -> observed({started(2), Reason, whereis(a), whereis(b)})
    end.

start_fails() ->
    Bad = #{id => bad, start => {erlang, apply, [fun() -> {error, sorry} end, []]}},
    Result = supervisor(one_for_one, 1, [child(a), Bad, child(c)]),
    observed({Result, started(1), whereis(a)}).

rest_for_one() ->
    {ok, _} = supervisor(rest_for_one, 1, [child(a), child(b), child(c)]),
    First = started(3),
    kill(b),
    observed({First, started(2)}).

one_for_all() ->
    {ok, _} = supervisor(one_for_all, 1, [child(a), child(b), child(c)]),
    First = started(3),
    kill(b),
    observed({First, started(3)}).

transient_child() ->
    {ok, Supervisor} = supervisor(one_for_one, 1, [child(a, transient), child(b, temporary)]),
    First = started(2),
    ok = gen_server:stop(a),
    ok = gen_server:stop(b),
    Children = [{Id, Pid} || {Id, Pid, _, _} <- supervisor:which_children(Supervisor)],
    Again = supervisor:restart_child(Supervisor, a),
    observed({First, Children, is_pid(element(2, Again)), supervisor:terminate_child(Supervisor, a),
              supervisor:delete_child(Supervisor, a), supervisor:count_children(Supervisor)}).

%% Callbacks. For a supervisor, init gives the result that it is asked for.
init({result, Result}) -> Result;
init({run, F}) -> F();
init(Value) -> {ok, Value}.

handle_call(get, _, State) -> {reply, State, State};
handle_call({run, F}, _, State) -> {reply, F(), State};
handle_call({result, Result}, _, _) -> Result;
handle_call(later, From, State) ->
    spawn(fun() -> gen_server:reply(From, later) end),
    {noreply, State};
handle_call(keep, From, _) -> {noreply, {kept, From}};
handle_call(answer_kept, _, {kept, From}) ->
    gen_server:reply(From, late),
    {reply, answered, none}.

handle_cast({set, Value}, _) -> {noreply, Value};
handle_cast({result, Result}, _) -> Result;
handle_cast(_, State) -> {noreply, State}.

handle_info({set, Value}, _) -> {noreply, Value};
handle_info(Message, {watched, Observer} = State) ->
    Observer ! Message,
    {noreply, State}.

handle_continue(Continue, State) -> {noreply, [Continue | State]}.

terminate(Reason, {watched, Observer}) -> Observer ! {terminate, Reason};
terminate(_, {fails, Reason}) -> exit(Reason);
terminate(_, _) -> ok.
