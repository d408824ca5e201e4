%% The behaviour supervisor, for programs under check: children that the specification lists.
%%
%% As the reference manual of stdlib says, and as OTP 25 does it: children start in the order of their
%% specifications and are terminated in the opposite order; one_for_one, one_for_all and rest_for_one
%% decide which of them start again; a child that cannot be started again is tried once more after
%% the requests that wait.
%%
%% Time is not modelled, so the period of the restart intensity is ignored: restarts count over the
%% whole run. A supervisor gives up here whenever it could give up with any period.
%%
%% Left out: simple_one_for_one, automatic shutdown. Their use fails with {unsupported, What}.
-module(supervisor).
-behaviour(gen_server).

-export([start_link/2, start_link/3, start_child/2, terminate_child/2, restart_child/2, delete_child/2]).
-export([which_children/1, count_children/1]).
-export([init/1, handle_call/3, handle_cast/2, handle_info/2, terminate/2]).

-callback init(Args :: term()) -> {ok, {Flags :: term(), Specs :: [term()]}} | ignore.

%% `pid` is undefined for a child that does not run, and `restarting` for one that shall start again.
-record(child, {id, pid, start, restart, shutdown, type, modules}).

%% The children are in the order of their start; `left` is the number of restarts until the
%% supervisor gives up.
-record(state, {strategy, left, children}).

start_link(Mod, Args) -> gen_server:start_link(?MODULE, {Mod, Args}, []).

start_link(Name, Mod, Args) -> gen_server:start_link(Name, ?MODULE, {Mod, Args}, []).

start_child(Supervisor, Spec) -> call(Supervisor, {start_child, Spec}).

terminate_child(Supervisor, Id) -> call(Supervisor, {terminate_child, Id}).

restart_child(Supervisor, Id) -> call(Supervisor, {restart_child, Id}).

delete_child(Supervisor, Id) -> call(Supervisor, {delete_child, Id}).

which_children(Supervisor) -> call(Supervisor, which_children).

count_children(Supervisor) -> call(Supervisor, count_children).

call(Supervisor, Request) -> gen_server:call(Supervisor, Request, infinity).

%% Starting.

init({Mod, Args}) ->
    process_flag(trap_exit, true),
    case Mod:init(Args) of
        {ok, {Flags, Specs}} ->
            case check_flags(Flags) of
                {ok, Strategy, Intensity} -> init_children(Specs, Strategy, Intensity);
                Why -> {stop, {supervisor_data, Why}}
            end;
        ignore -> ignore;
        Other -> {stop, {bad_return, {Mod, init, Other}}}
    end.

init_children(Specs, Strategy, Intensity) ->
    case check_specs(Specs) of
        {ok, Children} ->
            case start_children(Children, []) of
                {ok, Started} -> {ok, #state{strategy = Strategy, left = Intensity, children = Started}};
                {failed, Started, Id, Reason} ->
                    terminate_children(Started),
                    {stop, {shutdown, {failed_to_start_child, Id, Reason}}}
            end;
        Why -> {stop, {start_spec, Why}}
    end.

%% Starts children in order. A temporary child that is ignored is forgotten. The children with the
%% started ones, and where it failed.
start_children([Child | Rest], Started) ->
    case start(Child) of
        {ok, undefined} when Child#child.restart =:= temporary -> start_children(Rest, Started);
        {ok, Pid} -> start_children(Rest, [Child#child{pid = Pid} | Started]);
        {ok, Pid, _} -> start_children(Rest, [Child#child{pid = Pid} | Started]);
        {error, Reason} -> {failed, lists:reverse(Started, [Child | Rest]), Child#child.id, Reason}
    end;
start_children([], Started) -> {ok, lists:reverse(Started)}.

start(#child{start = {Mod, Function, Args}}) ->
    case catch apply(Mod, Function, Args) of
        {ok, Pid} when is_pid(Pid) -> {ok, Pid};
        {ok, Pid, Extra} when is_pid(Pid) -> {ok, Pid, Extra};
        ignore -> {ok, undefined};
        {error, Reason} -> {error, Reason};
        Other -> {error, Other}
    end.

%% Requests.

handle_call({start_child, Spec}, _, State) ->
    case check_spec(Spec) of
        #child{} = Child ->
            {Reply, New} = start_new(Child, find(Child#child.id, State), State),
            {reply, Reply, New};
        Why -> {reply, {error, Why}, State}
    end;
handle_call({terminate_child, Id}, _, State) ->
    case find(Id, State) of
        #child{} = Child ->
            stop(Child),
            {reply, ok, stopped(Child, State)};
        false -> {reply, {error, not_found}, State}
    end;
handle_call({restart_child, Id}, _, State) ->
    case find(Id, State) of
        #child{pid = undefined} = Child ->
            Reply = start(Child),
            case Reply of
                {error, _} -> {reply, Reply, State};
                _ -> {reply, Reply, set_pid(element(2, Reply), Id, State)}
            end;
        Other -> {reply, {error, why_not(Other)}, State}
    end;
handle_call({delete_child, Id}, _, State) ->
    case find(Id, State) of
        #child{pid = undefined} ->
            {reply, ok, State#state{children = lists:keydelete(Id, #child.id, State#state.children)}};
        Other -> {reply, {error, why_not(Other)}, State}
    end;
handle_call(which_children, _, State) ->
    Children = [{Id, Pid, Type, Modules}
                || #child{id = Id, pid = Pid, type = Type, modules = Modules} <- State#state.children],
    {reply, lists:reverse(Children), State};
handle_call(count_children, _, #state{children = Children} = State) ->
    Active = [Pid || #child{pid = Pid} <- Children, is_pid(Pid), is_process_alive(Pid)],
    Supervisors = [Id || #child{id = Id, type = supervisor} <- Children],
    Counts = [{specs, length(Children)}, {active, length(Active)}, {supervisors, length(Supervisors)},
              {workers, length(Children) - length(Supervisors)}],
    {reply, Counts, State}.

start_new(Child, false, State) ->
    case start(Child) of
        {ok, undefined} when Child#child.restart =:= temporary -> {{ok, undefined}, State};
        {error, Reason} -> {{error, {Reason, Child}}, State};
        Started ->
            New = Child#child{pid = element(2, Started)},
            {Started, State#state{children = State#state.children ++ [New]}}
    end;
start_new(_, #child{pid = Pid}, State) when is_pid(Pid) -> {{error, {already_started, Pid}}, State};
start_new(_, _, State) -> {{error, already_present}, State}.

why_not(#child{pid = restarting}) -> restarting;
why_not(#child{}) -> running;
why_not(false) -> not_found.

handle_cast({try_again_restart, Id}, State) ->
    case find(Id, State) of
        #child{pid = restarting} = Child -> go_on(restart(Child, State));
        _ -> {noreply, State}
    end.

handle_info({'EXIT', Pid, Reason}, State) ->
    case lists:keyfind(Pid, #child.pid, State#state.children) of
        #child{} = Child -> go_on(child_ended(Child, Reason, State));
        false -> {noreply, State}
    end;
handle_info(_, State) -> {noreply, State}.

go_on({ok, State}) -> {noreply, State};
go_on({shutdown, State}) -> {stop, shutdown, State}.

terminate(_, State) -> terminate_children(State#state.children).

%% Restarts.

child_ended(#child{restart = permanent} = Child, _, State) -> restart(Child, State);
child_ended(Child, normal, State) -> {ok, stopped(Child, State)};
child_ended(Child, shutdown, State) -> {ok, stopped(Child, State)};
child_ended(Child, {shutdown, _}, State) -> {ok, stopped(Child, State)};
child_ended(#child{restart = transient} = Child, _, State) -> restart(Child, State);
child_ended(Child, _, State) -> {ok, stopped(Child, State)}.

restart(Child, #state{left = 0} = State) -> {shutdown, stopped(Child, State)};
restart(Child, State) -> restart(State#state.strategy, Child, State#state{left = State#state.left - 1}).

restart(one_for_one, #child{id = Id} = Child, State) ->
    case start(Child) of
        {error, _} -> try_again(Id, State);
        Started -> {ok, set_pid(element(2, Started), Id, State)}
    end;
restart(rest_for_one, #child{id = Id}, State) ->
    IsBefore = fun(Child) -> Child#child.id =/= Id end,
    {Before, Rest} = lists:splitwith(IsBefore, (set_pid(undefined, Id, State))#state.children),
    restart_all(Before, Rest, State);
restart(one_for_all, #child{id = Id}, State) ->
    restart_all([], (set_pid(undefined, Id, State))#state.children, State).

%% Starts these children again, after others that go on.
restart_all(Before, Children, State) ->
    case start_children(terminate_children(Children), []) of
        {ok, Started} -> {ok, State#state{children = Before ++ Started}};
        {failed, Some, Id, _} -> try_again(Id, State#state{children = Before ++ Some})
    end.

try_again(Id, State) ->
    gen_server:cast(self(), {try_again_restart, Id}),
    {ok, set_pid(restarting, Id, State)}.

%% Ends.

%% Terminates children, the last first. Those that may start again, without their processes.
terminate_children(Children) ->
    lists:foreach(fun stop/1, lists:reverse(Children)),
    [Child#child{pid = undefined} || Child <- Children, Child#child.restart =/= temporary].

stop(#child{pid = Pid, shutdown = Shutdown}) when is_pid(Pid) ->
    Ref = monitor(process, Pid),
    case Shutdown of
        brutal_kill -> kill(Pid, Ref);
        Time ->
            exit(Pid, shutdown),
            receive
                {'DOWN', Ref, process, Pid, _} -> ok
            after Time -> kill(Pid, Ref)
            end
    end,
    unlink(Pid),
    receive
        {'EXIT', Pid, _} -> ok
    after 0 -> ok
    end;
stop(_) -> ok.

kill(Pid, Ref) ->
    exit(Pid, kill),
    receive
        {'DOWN', Ref, process, Pid, _} -> ok
    end.

%% The list of children.

find(Id, State) -> lists:keyfind(Id, #child.id, State#state.children).

set_pid(Pid, Id, #state{children = Children} = State) ->
    Child = lists:keyfind(Id, #child.id, Children),
    State#state{children = lists:keyreplace(Id, #child.id, Children, Child#child{pid = Pid})}.

%% A temporary child that has ended is forgotten.
stopped(#child{id = Id, restart = temporary}, State) ->
    State#state{children = lists:keydelete(Id, #child.id, State#state.children)};
stopped(#child{id = Id}, State) -> set_pid(undefined, Id, State).

%% Flags and specifications: the value, or why it is wrong.

check_flags({Strategy, Intensity, Period}) -> check_flags(Strategy, Intensity, Period);
check_flags(Flags) when is_map(Flags) ->
    case maps:get(auto_shutdown, Flags, never) of
        never -> ok;
        Other -> error({unsupported, {supervisor, Other}})
    end,
    Strategy = maps:get(strategy, Flags, one_for_one),
    check_flags(Strategy, maps:get(intensity, Flags, 1), maps:get(period, Flags, 5));
check_flags(Flags) -> {invalid_type, Flags}.

check_flags(Strategy, Intensity, Period) ->
    IsStrategy = lists:member(Strategy, [one_for_one, one_for_all, rest_for_one]),
    if
        Strategy =:= simple_one_for_one -> error({unsupported, {supervisor, Strategy}});
        not IsStrategy -> {invalid_strategy, Strategy};
        not is_integer(Intensity); Intensity < 0 -> {invalid_intensity, Intensity};
        not is_integer(Period); Period =< 0 -> {invalid_period, Period};
        true -> {ok, Strategy, Intensity}
    end.

check_specs(Specs) -> check_specs(Specs, []).

check_specs([Spec | Rest], Checked) ->
    case check_spec(Spec) of
        #child{id = Id} = Child ->
            case lists:keymember(Id, #child.id, Checked) of
                true -> {duplicate_child_name, Id};
                false -> check_specs(Rest, [Child | Checked])
            end;
        Why -> Why
    end;
check_specs([], Checked) -> {ok, lists:reverse(Checked)}.

check_spec({Id, Start, Restart, Shutdown, Type, Modules}) ->
    check_child(#child{id = Id, start = Start, restart = Restart, shutdown = Shutdown, type = Type,
                       modules = Modules});
check_spec(Spec) when is_map(Spec) ->
    Type = maps:get(type, Spec, worker),
    Shutdown = case Type of
        supervisor -> infinity;
        _ -> 5000
    end,
    case Spec of
        #{significant := true} -> error({unsupported, {supervisor, significant}});
        #{id := Id, start := {Mod, _, _} = Start} ->
            check_child(#child{id = Id, start = Start, restart = maps:get(restart, Spec, permanent),
                               shutdown = maps:get(shutdown, Spec, Shutdown), type = Type,
                               modules = maps:get(modules, Spec, [Mod])});
        #{id := _, start := Start} -> {invalid_mfa, Start};
        #{id := _} -> missing_start;
        _ -> missing_id
    end;
check_spec(Spec) -> {invalid_child_spec, Spec}.

check_child(#child{start = Start, restart = Restart, shutdown = Shutdown, type = Type} = Child) ->
    IsRestart = lists:member(Restart, [permanent, transient, temporary]),
    IsTime = is_integer(Shutdown) andalso Shutdown >= 0,
    IsShutdown = IsTime orelse lists:member(Shutdown, [infinity, brutal_kill]),
    IsType = lists:member(Type, [worker, supervisor]),
    case Start of
        {Mod, Function, Args} when is_atom(Mod), is_atom(Function), is_list(Args) ->
            if
                not IsRestart -> {invalid_restart_type, Restart};
                not IsType -> {invalid_child_type, Type};
                not IsShutdown -> {invalid_shutdown, Shutdown};
                true -> Child
            end;
        _ -> {invalid_mfa, Start}
    end.
