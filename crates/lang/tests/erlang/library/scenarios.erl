%% Scripted uses of gen_server and supervisor, run with OTP's modules and with the library's: what the
%% clients, the callbacks and the parents observe must be the same.
%%
%% The modules of the library are here under names with the prefix `sv_`. main/0 prints each scenario
%% that differs, with both observations, and then one line, `N scenarios, M differences`.
-module(scenarios).

-export([main/0]).

main() ->
    logger:set_primary_config(level, none),
    Differing = [Name || {Name, Scenario} <- scenarios(), is_different(Name, Scenario)],
    io:format("~b scenarios, ~b differences~n", [length(scenarios()), length(Differing)]),
    halt().

%% The times are real, so on a busy machine a timeout may come first: a difference counts if it is seen
%% three times.
is_different(Name, Scenario) -> is_different(Name, Scenario, 3).

is_different(Name, Scenario, Attempts) ->
    Expected = observe(Scenario, gen_server, supervisor),
    case observe(Scenario, sv_gen_server, sv_supervisor) of
        Expected -> false;
        _ when Attempts > 1 -> is_different(Name, Scenario, Attempts - 1);
        Found ->
            io:format("~p:~n  OTP:  ~p~n  here: ~p~n", [Name, Expected, Found]),
            true
    end.

%% What the scenario says, and how it ended. It runs in a process of its own; what this process said
%% before it ended counts too.
observe(Scenario, Gen, Sup) ->
    Self = self(),
    Run = fun() ->
        Self ! {said, {value, Scenario(Gen, Sup)}},
        timer:sleep(20),
        Self ! {said, {mailbox, mailbox()}}
    end,
    {Pid, Ref} = spawn_monitor(Run),
    receive
        {'DOWN', Ref, process, Pid, Reason} ->
            free([name, sup, a, b, c, no_start]),
            normalise(said() ++ [{ended, Reason}])
    end.

%% Ends what has one of these names, until all are free.
free(Names) ->
    case [Pid || Name <- Names, Pid <- [whereis(Name)], is_pid(Pid)] of
        [] -> ok;
        Pids ->
            [exit(Pid, kill) || Pid <- Pids],
            timer:sleep(1),
            free(Names)
    end.

said() ->
    receive
        {said, Value} -> [Value | said()]
    after 0 -> []
    end.

%% The messages that arrived.
mailbox() ->
    receive
        Message -> [Message | mailbox()]
    after 0 -> []
    end.

%% Settles: waits until the other processes have nothing left to do.
settled() -> timer:sleep(20), mailbox().

outcome(F) ->
    try
        {value, F()}
    catch
        Class:Reason -> {Class, Reason}
    end.

%% Processes are numbered as they appear, references and functions are all alike, stacks are dropped.
normalise(Term) -> element(1, normalise(Term, [])).

normalise(Pid, Seen) when is_pid(Pid) ->
    case lists:keyfind(Pid, 1, Seen) of
        {_, N} -> {{pid, N}, Seen};
        false -> {{pid, length(Seen)}, [{Pid, length(Seen)} | Seen]}
    end;
normalise(Ref, Seen) when is_reference(Ref) -> {ref, Seen};
normalise(F, Seen) when is_function(F) -> {function, Seen};
normalise(sv_gen_server, Seen) -> {gen_server, Seen};
normalise([{M, F, _, []} | _], Seen) when is_atom(M), is_atom(F) -> {stack, Seen};
normalise([{M, F, _, [{file, _} | _]} | _], Seen) when is_atom(M), is_atom(F) -> {stack, Seen};
normalise([{M, F, _, [{error_info, _} | _]} | _], Seen) when is_atom(M), is_atom(F) -> {stack, Seen};
normalise([Head | Tail], Seen) ->
    {Head1, Seen1} = normalise(Head, Seen),
    {Tail1, Seen2} = normalise(Tail, Seen1),
    {[Head1 | Tail1], Seen2};
normalise(Tuple, Seen) when is_tuple(Tuple) ->
    {List, Seen1} = normalise(tuple_to_list(Tuple), Seen),
    {list_to_tuple(List), Seen1};
normalise(Term, Seen) -> {Term, Seen}.

scenarios() ->
    starting() ++ calling() ++ failing() ++ waiting() ++ ending() ++ supervising() ++ restarting() ++
        asking() ++ timing().

trap() -> process_flag(trap_exit, true).

%% A running server.
server(Gen, Value) ->
    {ok, Pid} = Gen:start(flexible, {self(), Value}, []),
    Pid.

starting() ->
    Results = [{ok, 1}, {ok, 1, hibernate}, {ok, 1, 5000}, {ok, [], {continue, more}}, ignore, {stop, why},
               {stop, normal}, nonsense],
    Inits = [fun() -> Result end || Result <- Results] ++
        [fun() -> throw({ok, thrown}) end, fun() -> exit(why) end, fun() -> error(why) end,
         fun() -> list_to_tuple(no_list()) end],
    Starts = [start, start_link],
    [{{start, N, Start},
      fun(Gen, _) ->
          trap(),
          Arguments = [{local, name}, flexible, {self(), lists:nth(N, Inits)}, []],
          {apply(Gen, Start, Arguments), apply(Gen, Start, Arguments), settled(), is_pid(whereis(name))}
      end}
     || N <- lists:seq(1, length(Inits)), Start <- Starts] ++
    [{{start_without_name, N, Start},
      fun(Gen, _) ->
          trap(),
          {Gen:Start(flexible, {self(), lists:nth(N, Inits)}, []), settled()}
      end}
     || N <- lists:seq(1, length(Inits)), Start <- Starts] ++
    [{{start_untrapped, N},
      fun(Gen, _) -> {Gen:start_link(flexible, {self(), lists:nth(N, Inits)}, []), settled()} end}
     || N <- lists:seq(1, length(Inits))] ++
    [{{start_late, Start},
      fun(Gen, _) ->
          trap(),
          Init = fun() -> timer:sleep(60), {ok, 1} end,
          {Gen:Start(flexible, {self(), Init}, [{timeout, 10}]), timer:sleep(80), settled()}
      end}
     || Start <- Starts].

calling() ->
    [{calls_and_casts,
      fun(Gen, _) ->
          Server = server(Gen, []),
          First = Gen:call(Server, get),
          ok = Gen:cast(Server, fun({O, V}) -> {noreply, {O, [cast | V]}} end),
          Server ! hello,
          {First, Gen:call(Server, get, infinity), Gen:call(Server, get, 100), Gen:stop(Server), settled()}
      end},
     {call_by_name,
      fun(Gen, _) ->
          {ok, _} = Gen:start({local, name}, flexible, {self(), 1}, []),
          {Gen:call(name, get), Gen:cast(name, fun({O, _}) -> {noreply, {O, 2}} end), Gen:call(name, get),
           Gen:stop(name), whereis(name), outcome(fun() -> Gen:call(name, get) end), Gen:cast(name, x)}
      end},
     {no_process,
      fun(Gen, _) ->
          Server = server(Gen, 1),
          ok = Gen:stop(Server),
          [outcome(F) || F <- [fun() -> Gen:call(Server, get) end, fun() -> Gen:call(Server, get, infinity) end,
                               fun() -> Gen:call(Server, get, 10) end, fun() -> Gen:call(no_name, get) end,
                               fun() -> Gen:call(no_name, get, 10) end, fun() -> Gen:cast(Server, x) end,
                               fun() -> Gen:stop(Server) end, fun() -> Gen:stop(no_name) end,
                               fun() -> Gen:stop(Server, normal, 10) end, fun() -> Gen:call(self(), get) end]]
      end},
     {reply_later,
      fun(Gen, _) ->
          Server = server(Gen, 1),
          Request = fun(From, State) ->
              spawn(fun() -> timer:sleep(5), Gen:reply(From, later) end),
              {noreply, State}
          end,
          {Gen:call(Server, Request), Gen:call(Server, Request, infinity), Gen:call(Server, get)}
      end},
     {reply_before,
      fun(Gen, _) ->
          Server = server(Gen, 1),
          Request = fun(From, State) -> {Gen:reply(From, before), {noreply, State}} end,
          Call = fun(From, State) -> element(2, Request(From, State)) end,
          {Gen:call(Server, Call), Gen:call(Server, get)}
      end},
     {late_replies_are_dropped,
      fun(Gen, _) ->
          Server = server(Gen, 1),
          Slow = fun(_, State) -> timer:sleep(40), {reply, late, State} end,
          Timeout = outcome(fun() -> Gen:call(Server, Slow, 10) end),
          timer:sleep(50),
          {Timeout, Gen:call(Server, get), settled()}
      end}].

failing() ->
    Results = [fun(_) -> error(why) end, fun(_) -> exit(why) end, fun(_) -> exit(normal) end,
               fun(_) -> exit(shutdown) end, fun(S) -> throw({noreply, S}) end, fun(_) -> throw(why) end,
               fun(_) -> nonsense end, fun(S) -> {noreply, S, nonsense} end, fun(S) -> {stop, why, S} end,
               fun(S) -> {stop, normal, S} end, fun(S) -> {reply, 1, S} end, fun(S) -> {stop, why, 1, S} end,
               fun(S) -> {reply, 1, S, nonsense} end, fun(S) -> {stop, {shutdown, why}, S} end],
    Ways = [fun(Gen, Server, F) -> outcome(fun() -> Gen:call(Server, fun(_, S) -> F(S) end, 100) end) end,
            fun(Gen, Server, F) -> outcome(fun() -> Gen:call(Server, fun(_, S) -> F(S) end, infinity) end) end,
            fun(Gen, Server, F) -> Gen:cast(Server, F) end,
            fun(_, Server, F) -> Server ! {run, F}, sent end,
            fun(Gen, Server, F) -> Gen:cast(Server, fun(S) -> {noreply, S, {continue, F}} end) end],
    % A call whose callback gives no answer would wait for ever.
    [{{failing, Way, N},
      fun(Gen, _) ->
          trap(),
          {ok, Server} = Gen:start_link(flexible, {self(), 1}, []),
          {(lists:nth(Way, Ways))(Gen, Server, lists:nth(N, Results)), settled(), is_process_alive(Server)}
      end}
     || Way <- lists:seq(1, length(Ways)), N <- lists:seq(1, length(Results)), not (Way =:= 2 andalso N =:= 5)].

waiting() ->
    Nexts = [5, infinity, hibernate, {continue, x}, 0],
    [{{waiting, Next},
      fun(Gen, _) ->
          Server = server(Gen, fun() -> {ok, [], Next} end),
          timer:sleep(30),
          First = Gen:call(Server, get),
          Second = Gen:call(Server, fun(_, S) -> {reply, ok, S, Next} end),
          timer:sleep(30),
          Gen:cast(Server, fun(S) -> {noreply, S, Next} end),
          timer:sleep(30),
          {First, Second, Gen:call(Server, get)}
      end}
     || Next <- Nexts] ++
    [{a_message_ends_the_wait,
      fun(Gen, _) ->
          Server = server(Gen, []),
          Gen:cast(Server, fun(S) -> {noreply, S, 40} end),
          timer:sleep(5),
          Server ! hello,
          timer:sleep(60),
          Gen:call(Server, get)
      end},
     {continued_before_messages,
      fun(Gen, _) ->
          Self = self(),
          Next = fun({O, V}) -> {noreply, {O, [next | V]}, {continue, last}} end,
          Init = fun() -> self() ! first, {ok, [], {continue, Next}} end,
          {ok, Server} = Gen:start(flexible, {Self, Init}, []),
          Gen:call(Server, get)
      end}].

ending() ->
    Reasons = [normal, shutdown, {shutdown, x}, kill, why],
    [{{stop, Reason},
      fun(Gen, _) ->
          trap(),
          {ok, Server} = Gen:start_link(flexible, {self(), 1}, []),
          {outcome(fun() -> Gen:stop(Server, Reason, infinity) end), settled()}
      end}
     || Reason <- Reasons] ++
    [{{stop_that_fails, Class},
      fun(Gen, _) ->
          trap(),
          {ok, Server} = Gen:start_link(flexible, {self(), {last, fun() -> erlang:Class(why) end}}, []),
          {outcome(fun() -> Gen:stop(Server, normal, 100) end), settled()}
      end}
     || Class <- [error, exit, throw]] ++
    [{stop_in_vain,
      fun(Gen, _) ->
          Server = server(Gen, {last, fun() -> timer:sleep(60) end}),
          Stopped = outcome(fun() -> Gen:stop(Server, normal, 10) end),
          timer:sleep(70),
          {Stopped, settled(), is_process_alive(Server)}
      end},
     {stop_with_answer,
      fun(Gen, _) ->
          Server = server(Gen, 1),
          {Gen:call(Server, fun(_, S) -> {stop, normal, answer, S} end), settled()}
      end},
     {stop_with_answer_that_fails,
      fun(Gen, _) ->
          Server = server(Gen, {last, fun() -> exit(oops) end}),
          {Gen:call(Server, fun(_, S) -> {stop, normal, answer, S} end), settled()}
      end},
     {stop_of_itself,
      fun(Gen, _) ->
          Server = server(Gen, 1),
          Request = fun(_, S) -> {reply, outcome(fun() -> Gen:stop(self()) end), S} end,
          {outcome(fun() -> Gen:call(Server, Request) end), settled()}
      end},
     {no_optional_callback,
      fun(Gen, _) ->
          trap(),
          {ok, Server} = Gen:start_link(bare, 1, []),
          Server ! hello,
          Gen:cast(Server, 2),
          {Gen:call(Server, get), Gen:stop(Server, why, infinity), settled()}
      end},
     {no_continue_callback,
      fun(Gen, _) ->
          {ok, Server} = Gen:start(bare, 1, []),
          Ref = monitor(process, Server),
          Gen:cast(Server, 2),
          Gen:call(Server, get),
          exit(Server, why),
          receive {'DOWN', Ref, process, _, Reason} -> Reason end
      end}] ++
    [{{exit_signal, IsTrapping, From, Reason},
      fun(Gen, _) ->
          Observer = self(),
          Parent = spawn(fun() ->
              Init = fun() -> process_flag(trap_exit, IsTrapping), {ok, []} end,
              {ok, Server} = Gen:start_link(flexible, {Observer, Init}, []),
              Observer ! {server, Server},
              receive {exit, Why} -> exit(Why) end
          end),
          Server = receive {server, S} -> S end,
          Ref = monitor(process, Server),
          case From of
              parent -> Parent ! {exit, Reason};
              other -> exit(Server, Reason)
          end,
          {settled(), is_process_alive(Server) andalso Gen:call(Server, get), demonitor(Ref)}
      end}
     || IsTrapping <- [true, false], From <- [parent, other], Reason <- [normal, shutdown, why, kill]].

%% Supervisors.

supervisor(Gen, Sup, Flags, Extras) ->
    Observer = self(),
    Specs = [children:spec(Gen, Observer, Id, Extra) || {Id, Extra} <- Extras],
    Sup:start_link(children, {ok, {maps:merge(#{period => 3600}, Flags), Specs}}).

supervising() ->
    Bad = [{flags, #{strategy => none}}, {flags, #{intensity => -1}}, {flags, #{period => 0}}, {flags, nonsense},
           {specs, nonsense}, {specs, [nonsense]}, {specs, [#{}]}, {specs, [#{id => a}]},
           {specs, [#{id => a, start => nonsense}]}, {specs, [#{id => a, start => {m, f, []}, restart => x}]},
           {specs, [#{id => a, start => {m, f, []}, shutdown => x}]},
           {specs, [#{id => a, start => {m, f, []}, type => x}]},
           {specs, [#{id => a, start => {m, f, []}}, #{id => a, start => {m, f, []}}]},
           {specs, [#{id => a, start => {nowhere, f, []}}]},
           {specs, [{a, {erlang, node, []}, permanent, 1, worker, []}]}],
    [{{bad, Kind, Value},
      fun(_, Sup) ->
          trap(),
          Result = case Kind of
              flags -> {ok, {Value, []}};
              specs -> {ok, {#{}, Value}}
          end,
          {Sup:start_link(children, Result), settled()}
      end}
     || {Kind, Value} <- Bad] ++
    [{{init, Result}, fun(_, Sup) -> trap(), {Sup:start_link({local, sup}, children, Result), settled()} end}
     || Result <- [ignore, nonsense, {ok, {{one_for_one, 1, 5}, []}}]] ++
    [{{order, Strategy},
      fun(Gen, Sup) ->
          trap(),
          {ok, Pid} = supervisor(Gen, Sup, #{strategy => Strategy}, [{a, #{}}, {b, #{}}, {c, #{}}]),
          Children = Sup:which_children(Pid),
          Counts = Sup:count_children(Pid),
          Started = settled(),
          exit(Pid, shutdown),
          {Children, Counts, Started, settled()}
      end}
     || Strategy <- [one_for_one, one_for_all, rest_for_one]] ++
    [{{shutdown, Shutdown},
      fun(Gen, Sup) ->
          trap(),
          {ok, Pid} = supervisor(Gen, Sup, #{}, [{a, #{shutdown => Shutdown}}, {b, #{}}]),
          Gen:cast(a, fun({O, _}) -> {noreply, {O, {last, fun() -> timer:sleep(40) end}}} end),
          exit(Pid, shutdown),
          timer:sleep(60),
          settled()
      end}
     || Shutdown <- [brutal_kill, 10, 1000, infinity]] ++
    [{failed_start,
      fun(Gen, Sup) ->
          trap(),
          Bad1 = #{id => bad, start => {erlang, apply, [fun() -> {error, sorry} end, []]}},
          Observer = self(),
          Specs = [children:spec(Gen, Observer, a), Bad1, children:spec(Gen, Observer, c)],
          {Sup:start_link(children, {ok, {#{}, Specs}}), settled(), whereis(a)}
      end}].

restarting() ->
    Kill = fun(Id, Reason) -> exit(whereis(Id), Reason), settled() end,
    Crash = fun(Gen, Id, Reason) -> Gen:cast(Id, fun(S) -> {stop, Reason, S} end), settled() end,
    [{{restart, Strategy, Restart, Reason},
      fun(Gen, Sup) ->
          trap(),
          Extra = #{restart => Restart},
          Flags = #{strategy => Strategy, intensity => 2},
          {ok, Pid} = supervisor(Gen, Sup, Flags, [{a, #{}}, {b, Extra}, {c, Extra}]),
          Started = settled(),
          First = Crash(Gen, b, Reason),
          Children = is_process_alive(Pid) andalso Sup:which_children(Pid),
          Second = case whereis(c) of
              undefined -> gone;
              _ -> Crash(Gen, c, Reason)
          end,
          Third = Kill(a, kill),
          {Started, First, Children, Second, Third, settled(), is_process_alive(Pid)}
      end}
     || Strategy <- [one_for_one, one_for_all, rest_for_one], Restart <- [permanent, transient, temporary],
        Reason <- [normal, shutdown, {shutdown, x}, why]] ++
    [{{intensity, Intensity},
      fun(Gen, Sup) ->
          trap(),
          {ok, Pid} = supervisor(Gen, Sup, #{intensity => Intensity}, [{a, #{}}, {b, #{}}]),
          {[is_process_alive(Pid) andalso Kill(b, kill) || _ <- [1, 2, 3, 4]], settled(), whereis(a)}
      end}
     || Intensity <- [0, 1, 3]] ++
    [{{restart_fails, Strategy, Intensity},
      fun(Gen, Sup) ->
          trap(),
          Flags = #{strategy => Strategy, intensity => Intensity},
          {ok, Pid} = supervisor(Gen, Sup, Flags, [{a, #{}}, {b, #{}}, {c, #{}}]),
          _ = settled(),
          register(no_start, spawn(fun() -> receive stop -> ok end end)),
          First = Kill(b, kill),
          exit(whereis(no_start), kill),
          {First, settled(), is_process_alive(Pid)}
      end}
     || Strategy <- [one_for_one, one_for_all, rest_for_one], Intensity <- [1, 3]] ++
    [{{restart_succeeds_later, Strategy},
      fun(Gen, Sup) ->
          trap(),
          % The child b fails twice; the third attempt succeeds.
          Counter = spawn(fun() -> counter(0) end),
          Observer = self(),
          Start = fun() ->
              Counter ! {next, self()},
              N = receive {number, Number} -> Number end,
              Observer ! {attempt, N},
              case N of
                  _ when N =:= 2; N =:= 3 -> {error, {attempt, N}};
                  _ -> Gen:start_link({local, b}, flexible, {Observer, N}, [])
              end
          end,
          B = #{id => b, start => {erlang, apply, [Start, []]}, shutdown => 1000},
          Specs = [children:spec(Gen, Observer, a), B, children:spec(Gen, Observer, c)],
          Flags = #{strategy => Strategy, intensity => 5, period => 3600},
          {ok, Pid} = Sup:start_link(children, {ok, {Flags, Specs}}),
          Started = settled(),
          exit(whereis(b), kill),
          {Started, settled(), Sup:which_children(Pid)}
      end}
     || Strategy <- [one_for_one, one_for_all, rest_for_one]].

counter(N) ->
    receive
        {next, Pid} ->
            Pid ! {number, N + 1},
            counter(N + 1)
    end.

asking() ->
    [{{asking, Restart},
      fun(Gen, Sup) ->
          trap(),
          {ok, Pid} = supervisor(Gen, Sup, #{}, [{a, #{restart => Restart}}, {b, #{}}]),
          Asked = [{Request, Sup:Request(Pid, Id), Sup:which_children(Pid), Sup:count_children(Pid)}
                   || {Request, Id} <- [{terminate_child, none}, {restart_child, none}, {delete_child, none},
                                        {restart_child, a}, {delete_child, a}, {terminate_child, a},
                                        {terminate_child, a}, {restart_child, a}, {terminate_child, a},
                                        {delete_child, a}, {delete_child, a}]],
          {Asked, settled()}
      end}
     || Restart <- [permanent, transient, temporary]] ++
    [{starting_more,
      fun(Gen, Sup) ->
          trap(),
          {ok, Pid} = supervisor(Gen, Sup, #{}, [{a, #{}}]),
          Observer = self(),
          New = children:spec(Gen, Observer, b),
          Ignored = #{id => i, start => {erlang, apply, [fun() -> ignore end, []]}, restart => temporary},
          Asked = [Sup:start_child(Pid, Spec)
                   || Spec <- [New, New, children:spec(Gen, Observer, a), nonsense, Ignored,
                               Ignored#{restart => permanent}]],
          Terminated = Sup:terminate_child(Pid, b),
          {Asked, Terminated, Sup:start_child(Pid, New), Sup:which_children(Pid), settled()}
      end},
     {unexpected_messages,
      fun(Gen, Sup) ->
          trap(),
          {ok, Pid} = supervisor(Gen, Sup, #{}, [{a, #{}}]),
          Pid ! hello,
          Pid ! {'EXIT', self(), normal},
          {settled(), is_process_alive(Pid)}
      end}].

%% Timers. Their references differ, so that only whether there is one is compared.
timing() ->
    Timer = fun
        (gen_server) -> timer;
        (_) -> sv_timer
    end,
    [{timers,
      fun(Gen, _) ->
          T = Timer(Gen),
          {ok, _} = T:send_after(5, one),
          {ok, _} = T:send_after(5, self(), two),
          {ok, Ref} = T:send_after(5, three),
          {T:cancel(Ref), T:sleep(10), lists:sort(settled()), T:cancel(Ref)}
      end},
     {wrong_timers,
      fun(Gen, _) ->
          T = Timer(Gen),
          {T:send_after(-1, self(), one), T:send_after(1, 2, one), T:cancel(nonsense)}
      end}].

no_list() -> atom.
